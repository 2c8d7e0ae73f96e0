"""Work is done once, by whoever takes it; what fails says why, and whose fault it was decides when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import Candidate, Fact, NewMessage, Turn
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import EmbedderQuotaError, EmbedderUnavailableError, ForbiddenError, InputError
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database
from support.embedders import Moody, words_embedder
from support.messages import said


class Scripted:
    """An extractor that proposes what the user said, and can fail."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.error: Exception | None = None

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        self.turns.append(turn)
        if self.error:
            raise self.error
        return [Candidate(m.text, quote=m.text) for m in turn.messages if m.role == "user" and "like" in m.text]


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


@pytest.fixture
def database(shared: Database) -> Iterator[Database]:
    """The module's database, with nothing left to do."""
    yield shared
    with shared.admin() as conn:
        conn.execute("delete from memoranda_private.work")


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest.fixture
async def store(database: Database, moody: Moody, scripted: Scripted) -> AsyncIterator[memoranda.Store]:
    embedder = FunctionEmbedder(moody.embed, model="words", dimensions=64)
    async with memoranda.connect(database.dsn(), embedder=embedder, extractor=scripted) as opened:
        yield opened


@pytest.fixture
def user() -> UUID:
    return uuid4()


def make_due(database: Database) -> None:
    """Let the time pass for which work waits."""
    with database.admin() as conn:
        conn.execute("update memoranda_private.work set due_at = now() - interval '1 second' where dead_at is null")


def rows(database: Database, columns: str) -> list[tuple[object, ...]]:
    with database.admin() as conn:
        return conn.execute(f"select {columns} from memoranda_private.work order by kind".encode()).fetchall()


async def facts_of(memory: memoranda.Memory) -> list[str]:
    return [fact.content for fact in await memory.facts.recall()]


async def test_a_turn_is_embedded_and_extracted_at_its_end(
    store: memoranda.Store, user: UUID, database: Database, scripted: Scripted
) -> None:
    memory = store.memory(user, chat="c")
    done = await memory.turns.add(said("I like tea.", "Noted."))
    assert (done.embedded, done.extracted) == (True, True)
    assert rows(database, "kind") == []
    assert await facts_of(memory) == ["I like tea."]
    (turn,) = scripted.turns
    assert (turn.id, turn.chat) == (done.turn, "c")
    assert [(message.role, message.text) for message in turn.messages] == [
        ("user", "I like tea."),
        ("assistant", "Noted."),
    ]


async def test_a_worker_does_what_was_left_to_it_as_whom_it_belongs_to(
    store: memoranda.Store, database: Database
) -> None:
    users = [uuid4() for _ in range(3)]
    for each in users:
        done = await store.memory(each).turns.add(said(f"I like {each}.", "Noted."), embed="worker", extract="worker")
        assert (done.embedded, done.extracted) == (False, None)
    before = await store.queue()
    assert (before.due, before.dead) == ({"embed": 6, "extract": 3}, ())
    seen: list[memoranda.Worked] = []
    worked = await store.work(progress=seen.append)
    assert (worked.embedded, worked.extracted, worked.dead) == (6, 3, 0)
    assert seen[-1] == worked
    assert rows(database, "kind") == []
    for each in users:
        assert await facts_of(store.memory(each)) == [f"I like {each}."]
        (hit, *_) = await store.memory(each).messages.recall("like")
        assert hit.similarity is not None
    assert await store.work() == memoranda.Worked()


async def test_a_user_drains_their_own_scope_and_no_other(store: memoranda.Store, user: UUID) -> None:
    for each in (user, uuid4()):
        await store.memory(each).turns.add(said("I like tea."), embed="worker", extract="worker")
    assert await store.memory(user).work() == memoranda.Worked(embedded=1, extracted=1)
    assert (await store.queue()).due == {"embed": 1, "extract": 1}
    assert await store.memory(user).work() == memoranda.Worked()


async def test_everything_down_loses_nothing_and_raises_nothing(
    store: memoranda.Store, user: UUID, database: Database, moody: Moody, scripted: Scripted
) -> None:
    moody.is_down, scripted.error = True, EmbedderUnavailableError("The model is down.")
    memory = store.memory(user)
    for n in range(5):
        done = await memory.turns.add(said(f"I like {n} cups.", "Noted."))
        assert (done.embedded, done.extracted) == (False, False)
    assert len(await memory.messages.list()) == 10
    for _ in range(30):  # far more often than what fails by itself may fail
        make_due(database)
        assert (await store.work()).dead == 0
    moody.is_down, scripted.error = False, None
    make_due(database)
    worked = await store.work()
    assert (worked.embedded, worked.extracted) == (10, 5)
    assert len(await facts_of(memory)) == 5
    assert rows(database, "kind") == []


async def test_one_poisoned_message_among_five_hundred_holds_up_no_other(
    store: memoranda.Store, user: UUID, moody: Moody
) -> None:
    messages = [NewMessage("user", f"text {n}" if n != 77 else f"it is {moody.refused}") for n in range(500)]
    await store.memory(user).turns.add(messages, embed="worker", extract="off")
    worked = await store.work()
    assert (worked.embedded, worked.dead, worked.later) == (499, 1, 0)
    (dead,) = (await store.queue()).dead
    assert (dead.kind, dead.user, dead.scope) == ("embed", user, ("user", ""))
    assert "EMBEDDER_INPUT" in (dead.reason or "")
    assert moody.refused not in (dead.reason or "")
    moody.refused = "nothing"
    assert await store.retry(["extract"]) == 0
    assert await store.retry() == 1
    assert (await store.work()).embedded == 1


async def test_a_turn_that_fails_by_itself_is_given_up_after_some_tries_with_its_reason(
    store: memoranda.Store, user: UUID, database: Database, scripted: Scripted
) -> None:
    scripted.error = ValueError("it quotes the secret 4711")
    await store.memory(user).turns.add(said("I like tea."), extract="worker")
    for n in range(7):
        make_due(database)
        assert await store.work() == memoranda.Worked(later=1), n
    make_due(database)
    assert await store.work() == memoranda.Worked(dead=1)
    (dead,) = (await store.queue()).dead
    assert (dead.kind, dead.reason) == ("extract", "ValueError")
    assert len(await store.memory(user).messages.list()) == 1
    scripted.error = None
    assert await store.retry() == 1
    assert (await store.work()).extracted == 1


async def test_it_waits_longer_each_time_and_as_long_as_it_is_told(
    store: memoranda.Store, user: UUID, database: Database, scripted: Scripted
) -> None:
    await store.memory(user).turns.add(said("I like tea."), extract="worker")
    waits: list[float] = []
    scripted.error = ValueError()
    for _ in range(4):
        make_due(database)
        await store.work()
        waits += [float(str(wait)) for (wait,) in rows(database, "extract(epoch from due_at - now())")]
    assert waits == sorted(waits)
    scripted.error = EmbedderUnavailableError("Too many.", retry_after=5_000)
    make_due(database)
    assert await store.work() == memoranda.Worked(waiting=1)
    assert rows(database, "due_at > now() + interval '80 minutes', failures") == [(True, 4)]


async def test_a_quota_that_is_used_up_burns_no_tries_and_stops_the_round(
    store: memoranda.Store, database: Database, moody: Moody
) -> None:
    for _ in range(3):
        await store.memory(uuid4()).turns.add(said("a", "b"), embed="worker", extract="off")

    def spent(texts: Sequence[str]) -> list[list[float]]:
        moody.calls.append(len(texts))
        raise EmbedderQuotaError

    embedder = FunctionEmbedder(spent, model="words", dimensions=64)
    async with memoranda.connect(database.dsn(), embedder=embedder) as broke:
        worked = await broke.work()
    assert (worked.waiting, worked.dead) == (6, 0)
    assert {failures for (failures,) in rows(database, "failures")} == {0}
    assert (await store.queue()).due == {"embed": 0}


async def test_what_one_has_taken_is_left_to_it_until_its_lease_ends(
    store: memoranda.Store, user: UUID, database: Database
) -> None:
    await store.memory(user).turns.add(said("a"), embed="worker", extract="off")
    claim = {"limits": {"kinds": ["embed"], "lease": 60}}
    from memoranda.transport import SERVICE

    assert len(await store.transport.call("claim_work", claim, SERVICE)) == 1  # type: ignore[arg-type]
    assert await store.work() == memoranda.Worked(), "its worker may still be at it"
    make_due(database)
    assert (await store.work()).embedded == 1


async def test_what_kills_its_worker_each_time_is_given_up(
    store: memoranda.Store, user: UUID, database: Database
) -> None:
    from memoranda.transport import SERVICE

    await store.memory(user).turns.add(said("a"), embed="worker", extract="off")
    for _ in range(20):
        assert await store.transport.call("claim_work", {"limits": {}}, SERVICE) != []
        make_due(database)
    assert await store.work() == memoranda.Worked()
    (dead,) = (await store.queue()).dead
    assert dead.reason == "taken too often without coming to an end"


async def test_many_workers_do_each_piece_once(store: memoranda.Store, moody: Moody, scripted: Scripted) -> None:
    for _ in range(4):
        user = uuid4()
        for n in range(5):
            await store.memory(user).turns.add(said(f"I like {n}."), embed="worker", extract="worker")
    worked = await asyncio.gather(*(store.work() for _ in range(4)))
    assert (sum(each.embedded for each in worked), sum(each.extracted for each in worked)) == (20, 20)
    assert sum(moody.calls) >= 20
    assert len({turn.id for turn in scripted.turns}) == len(scripted.turns) == 20


async def test_what_changes_while_it_is_embedded_gets_no_vector_of_the_old_text(
    store: memoranda.Store, user: UUID, moody: Moody
) -> None:
    memory = store.memory(user)
    await memory.turns.add([NewMessage("user", "old words", "m")], embed="worker", extract="off")
    embed, loop = moody.embed, asyncio.get_running_loop()

    def slow(texts: Sequence[str]) -> list[list[float]]:
        if any("old" in text for text in texts):
            edit = memory.messages.edit("m", "new words")
            asyncio.run_coroutine_threadsafe(edit, loop).result(10)
        return embed(texts)

    embedder = FunctionEmbedder(slow, model="words", dimensions=64)
    store.embedder = embedder
    worked = await store.work()
    assert worked.embedded == 1, "the edit is work of its own"
    (hit,) = await memory.messages.recall("new words")
    assert hit.message.text == "new words"
    assert hit.similarity is not None
    assert hit.similarity > 0.4


async def test_after_a_change_of_the_model_every_message_gets_another_vector(
    store: memoranda.Store, user: UUID, database: Database
) -> None:
    await store.memory(user).turns.add(said("I like tea.", "Noted.", ""), extract="off")
    async with memoranda.connect(database.dsn(), embedder=words_embedder(32, "other")) as other:
        memory = other.memory(user)
        assert {hit.similarity for hit in await memory.messages.recall("tea")} == {None}
        assert [await memory.messages.queue_missing(limit) for limit in (1, 10, 10)] == [1, 1, 0]
        assert (await other.work()).embedded == 2
        assert await memory.messages.queue_missing() == 0
        assert None not in {hit.similarity for hit in await memory.messages.recall("tea")}
    assert None not in {hit.similarity for hit in await store.memory(user).messages.recall("tea")}


async def test_erased_work_is_not_done(store: memoranda.Store, user: UUID, database: Database) -> None:
    await store.memory(user).turns.add(said("I like tea."), embed="worker", extract="worker")
    await store.memory(user).erase()
    assert rows(database, "kind") == []
    assert await store.work() == memoranda.Worked()


async def test_no_connection_is_held_while_a_model_thinks(database: Database) -> None:
    running = asyncio.Event()

    class Slow:
        waiting = 0

        async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
            self.waiting += 1
            if self.waiting == 50:
                running.set()
            await asyncio.wait_for(running.wait(), 60)  # until all fifty are at it
            return []

    async with memoranda.connect(database.dsn(), extractor=Slow(), max_connections=2) as store:
        turns = (store.memory(uuid4()).turns.add(said("I like tea.")) for _ in range(50))
        done = await asyncio.gather(*turns)
    assert [each.extracted for each in done] == [True] * 50


async def test_a_store_that_can_do_nothing_says_so(database: Database) -> None:
    async with memoranda.connect(database.dsn()) as bare:
        with pytest.raises(InputError):
            await bare.work()


async def test_a_user_cannot_take_the_work_of_others(store: memoranda.Store, user: UUID) -> None:
    from memoranda.identity import Identity
    from memoranda.transport import Caller

    with pytest.raises(ForbiddenError):
        await store.transport.call("claim_work", {"limits": {}}, Caller.of(Identity.of(user)))
