# pyright: reportPrivateUsage=false
"""Extraction through the real pipeline: what a turn leaves in the database, whatever the model makes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import openai
import pytest

import memoranda
from memoranda.extracting.errors import (
    AnswerError,
    ExtractorInputError,
    ExtractorQuotaError,
    ExtractorSetupError,
    ExtractorUnavailableError,
    RefusedError,
)
from memoranda.extracting.openai import OpenAIExtractor
from memoranda.extraction import Candidate, Extracted, Extraction, Extractor, extract_turn
from memoranda.facttypes import Fact
from memoranda.messagetypes import Message, Role, Turn
from memoranda.redaction import Policy
from memoranda.transport.embedded import EmbeddedServer
from memoranda.working import Worked
from support.conversations import CARD, CONVERSATIONS, TOKEN, Conversation, Proposed
from support.databases import Database, create_database, drop_database
from support.openai_server import Json, OpenAIServer, response

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
SAID: tuple[Role, str] = ("user", "I play the cello.")
CELLO: Proposed = ("Plays the cello.", "I play the cello")


@pytest.fixture(scope="module")
def shared(server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def store(shared: Database) -> AsyncIterator[memoranda.Store]:
    """A store on one database for all of these tests; each has a user of its own."""
    async with memoranda.connect(shared.dsn(), max_connections=2) as opened:
        yield opened


@pytest.fixture
def memory(store: memoranda.Store) -> memoranda.Memory:
    return store.memory(uuid4())


def turn_of(*said: tuple[Role, str], tainted: bool = False, **data: str) -> Turn:
    turn = uuid4()
    messages = [
        Message(f"m-{n}", role, text, AT, None, None, turn, data, tainted, 1, ("user", ""), None, None)
        for n, (role, text) in enumerate(said)
    ]
    return Turn(turn, None, messages)


class Scripted:
    """Proposes what it is told to, and remembers what it was asked."""

    def __init__(self, *proposed: Proposed | Candidate) -> None:
        self.proposed = [
            each if isinstance(each, Candidate) else Candidate(each[0], quote=each[1]) for each in proposed
        ]
        self.asked: list[tuple[Turn, Sequence[Fact]]] = []

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        self.asked.append((turn, known))
        return self.proposed


async def extracted(
    memory: memoranda.Memory, extractor: Extractor, turn: Turn, secrets: Policy = "mask", max_facts: int = 10
) -> Extracted:
    return await extract_turn(memory._binding, Extraction(extractor, secrets, max_facts), turn)


async def contents(memory: memoranda.Memory) -> set[str]:
    return {fact.content for fact in await memory.facts.recall()}


# A model that believes everything.


async def test_nothing_untrusted_is_in_force_and_everything_true_is(store: memoranda.Store) -> None:
    assert len(CONVERSATIONS) >= 40
    wrong: list[str] = []
    with OpenAIServer() as server:
        plain = openai.DefaultAsyncHttpxClient(verify=False)
        async with openai.AsyncOpenAI(api_key="any", base_url=server.url, http_client=plain) as client:
            extractor = OpenAIExtractor("scripted", client)
            for each in CONVERSATIONS:
                server.answer("/responses", believing(each))
                wrong += await what_is_wrong(store.memory(uuid4()), extractor, each)
    assert not wrong, "\n".join(wrong)


def believing(conversation: Conversation) -> Callable[[Json], Json]:
    """A model that takes everything for a fact."""
    facts: list[Json] = [
        {"content": content, "kind": "preference", "quote": quote, "message": 1, "entities": []}
        for content, quote in [*conversation.untrue, *conversation.true]
    ]
    return lambda body: response(json.dumps({"facts": facts}))


async def what_is_wrong(memory: memoranda.Memory, extractor: Extractor, each: Conversation) -> list[str]:
    became = await extracted(memory, extractor, turn_of(*each.said))
    true, untrue = {content for content, _ in each.true}, [content for content, _ in each.untrue]
    found = await contents(memory)
    waiting = await memory.review.pending()
    wrong = [f"{each.name}: {content!r} is in force" for content in found - true]
    wrong += [f"{each.name}: {content!r} is not in force" for content in true - found]
    if became.outcome == "extracted" and len(waiting) != len(untrue):
        wrong.append(f"{each.name}: of {untrue} there wait {[one.fact.content for one in waiting]}")
    for one in waiting:
        if one.actor != "extractor" or not one.fact.metadata["waits_because"] or one.fact.status != "pending":
            wrong.append(f"{each.name}: it isn't said why {one.fact.content!r} waits")
    shown = json.dumps(
        [fact.content + str(fact.quote) for fact in [*(one.fact for one in waiting), *(await memory.facts.recall())]]
    )
    wrong += [f"{each.name}: {secret} is stored" for secret in (CARD, TOKEN, "hunter2") if secret in shown]
    return wrong


# Provenance.


async def test_provenance_is_set_by_code(memory: memoranda.Memory) -> None:
    turn = turn_of(("user", "I moved to Oslo in May."), ("assistant", "You like jazz."), ("tool", "I like rye bread."))
    became = await extracted(
        memory,
        Scripted(
            Candidate("Moved to Oslo.", "event", "home city", ["Oslo"], AT, None, "I moved to Oslo in May", "m-0"),
            ("Likes jazz.", "You like jazz"),
            ("Likes rye bread.", "I like rye bread"),
            ("Likes gin.", "I like gin"),
        ),
        turn,
    )
    assert [outcome.outcome for outcome in became.outcomes] == ["stored", "pending", "pending", "pending"]
    (fact,) = await memory.facts.recall()
    assert (fact.origin, fact.quote, fact.source, fact.kind) == (
        "user",
        "I moved to Oslo in May",
        "message:m-0",
        "event",
    )
    assert (fact.key, fact.kind, fact.entities, fact.metadata) == ("home city", "event", ("Oslo",), {})
    assert fact.valid_from == AT
    (revision,) = await memory.facts.history("home city")
    assert revision.actor == "extractor"
    waiting = {one.fact.content: one.fact for one in await memory.review.pending()}
    assert [(fact.origin, fact.source) for fact in waiting.values()] == [
        ("assistant", "message:m-1"), ("tool", "message:m-2"), ("assistant", f"turn:{turn.id}")
    ]  # fmt: skip
    assert waiting["Likes gin."].metadata == {"waits_because": "not said"}


async def test_a_tainted_turn_waits_and_is_taken_back_with_its_run(store: memoranda.Store) -> None:
    user = uuid4()
    run = store.memory(user, chat="c", run_id="r")
    await run.taint("a page")
    added = await run.turns.add([{"role": "user", "content": SAID[1]}])
    assert added.turn is not None
    memory = store.memory(user, chat="c")  # a worker's, which belongs to no run
    messages = await memory.messages.list(chat="c")
    became = await extracted(memory, Scripted(CELLO), Turn(added.turn, "c", messages))
    assert [outcome.outcome for outcome in became.outcomes] == ["pending"]
    (waiting,) = await memory.review.pending()
    assert (waiting.fact.tainted, waiting.run_id) == (True, "r")
    await memory.undo(source="a page")
    assert await memory.review.pending() == []


async def test_a_time_is_of_the_zone_that_it_was_said_in(memory: memoranda.Memory) -> None:
    late = datetime(2026, 12, 1, 8, tzinfo=ZoneInfo("Asia/Tokyo"))  # in UTC it is still November
    added = await memory.turns.add([memoranda.NewMessage("user", "I moved to Oslo yesterday.", at=late)])
    assert added.turn is not None
    with OpenAIServer() as server:
        fact: Json = {"content": "Moved to Oslo.", "quote": "I moved to Oslo", "message": 1, "since": "yesterday"}
        server.answer("/responses", lambda body: response(json.dumps({"facts": [fact]})))
        plain = openai.DefaultAsyncHttpxClient(verify=False)
        async with openai.AsyncOpenAI(api_key="any", base_url=server.url, http_client=plain) as client:
            messages = await memory.messages.list()
            await extracted(memory, OpenAIExtractor("scripted", client), Turn(added.turn, None, messages))
    (found,) = await memory.facts.recall()
    assert found.valid_from == datetime(2026, 11, 30, tzinfo=ZoneInfo("Asia/Tokyo"))


async def test_the_policy_of_the_tenant_has_the_last_word(store: memoranda.Store) -> None:
    user = uuid4()
    memory = store.memory(user)
    await store.settings.set("review", "all", user=user)
    became = await extracted(memory, Scripted(CELLO), turn_of(SAID))
    assert [outcome.outcome for outcome in became.outcomes] == ["pending"]


# What is known.


async def test_an_extractor_may_update_what_it_was_told_of_and_nothing_else(memory: memoranda.Memory) -> None:
    city = (await memory.facts.save("Lives in Bergen.", key="home city")).id
    tea = (await memory.facts.save("Likes tea a lot, and so does the whole house.")).id
    assert city is not None
    scripted = Scripted(
        Candidate("Lives in Oslo.", quote="I live in Oslo now", supersedes=city),
        Candidate("Likes coffee.", quote="I like coffee, not tea", supersedes=uuid4()),
    )
    became = await extracted(memory, scripted, turn_of(("user", "I live in Oslo now. I like coffee, not tea.")))
    assert {fact.id for fact in scripted.asked[0][1]} == {city, tea}
    assert [outcome.outcome for outcome in became.outcomes] == ["superseded", "pending"]
    assert became.outcomes[0].supersedes == city
    assert [fact.content for fact in await memory.facts.recall() if fact.key == "home city"] == ["Lives in Oslo."]


async def test_an_unsound_update_only_proposes(memory: memoranda.Memory) -> None:
    city = (await memory.facts.save("Lives in Bergen.", key="home city")).id
    scripted = Scripted(Candidate("Lives in Oslo.", quote="I lived in Oslo", supersedes=city))
    await extracted(memory, scripted, turn_of(("user", "What if I lived in Oslo?")))
    (waiting,) = await memory.review.pending()
    assert waiting.replaces is not None
    assert waiting.replaces.id == city
    assert await contents(memory) == {"Lives in Bergen."}


async def test_what_an_update_was_about_may_be_gone_by_then(memory: memoranda.Memory) -> None:
    gone = (await memory.facts.save("Likes tea, and has for years.")).id
    assert gone is not None

    class Slow(Scripted):
        async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
            assert (await memory.facts.forget(gone or "")).outcome == "forgotten"
            return await super().extract(turn, known)

    became = await extracted(
        memory,
        Slow(Candidate("Likes coffee.", quote="I like coffee", supersedes=gone)),
        turn_of(("user", "I like coffee.")),
    )
    assert [outcome.outcome for outcome in became.outcomes] == ["stored"]


async def test_what_was_rejected_does_not_come_back(memory: memoranda.Memory) -> None:
    scripted = Scripted(CELLO)
    (outcome,) = (await extracted(memory, scripted, turn_of(SAID))).outcomes
    assert outcome.id is not None
    await memory.facts.forget(outcome.id)
    assert [each.outcome for each in (await extracted(memory, scripted, turn_of(SAID))).outcomes] == ["rejected"]
    assert await contents(memory) == set()


# Once, and at all.


async def test_a_turn_that_is_done_again_writes_nothing_twice(memory: memoranda.Memory) -> None:
    turn = turn_of(("user", "I play the cello, and I moved to Oslo."))
    first = await extracted(memory, Scripted(CELLO), turn)
    again = await extracted(memory, Scripted(CELLO), turn)
    other = await extracted(memory, Scripted(("Moved to Oslo.", "I moved to Oslo")), turn)
    assert [first.outcome, again.outcome, other.outcome] == ["extracted"] * 3
    assert [outcome.replayed for outcome in again.outcomes] == [True]
    assert await contents(memory) == {"Plays the cello."}
    assert [each.verb for each in await memory.audit()] == ["saved"]


async def test_a_turn_without_facts_leaves_nothing_and_says_so(memory: memoranda.Memory) -> None:
    scripted = Scripted()
    assert (await extracted(memory, scripted, turn_of(SAID))).outcome == "nothing"
    assert (
        await extracted(memory, scripted, turn_of(("user", "Thanks!"), ("assistant", "I know you like tea.")))
    ).outcome == "nothing"
    assert len(scripted.asked) == 1, "and thanks are not worth a model's time"


async def test_an_extractor_that_fails_changes_nothing(memory: memoranda.Memory) -> None:
    class Failing(Scripted):
        async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
            raise OSError("no route")

    turn = turn_of(SAID)
    with pytest.raises(OSError, match="no route"):
        await extracted(memory, Failing(), turn)
    assert (await extracted(memory, Scripted(CELLO), turn)).outcomes[0].outcome == "stored"


async def test_what_is_not_acceptable_fails_alone_and_says_why(memory: memoranda.Memory) -> None:
    scripted = Scripted(
        Candidate("", quote="I play the cello"),
        Candidate("Plays.", "nonsense", quote="I play the cello"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        Candidate("Plays.", valid_from=AT.replace(tzinfo=None), quote="I play the cello"),
        Candidate("Plays.", valid_from=AT, valid_until=AT - timedelta(days=1), quote="I play the cello"),
        CELLO,
        ("One too many.", "I play the cello"),
    )
    became = await extracted(memory, scripted, turn_of(SAID), max_facts=5)
    assert [outcome.outcome for outcome in became.outcomes] == ["failed"] * 4 + ["stored", "failed"]
    assert all(outcome.rule for outcome in became.outcomes)
    assert became.outcomes[-1].rule == "over 5 a turn"
    assert len(became.candidates) == 6


@pytest.mark.parametrize(
    ("error", "worked"),
    [
        (ExtractorUnavailableError(), Worked(waiting=1)),
        (ExtractorQuotaError(), Worked(waiting=1)),
        (ExtractorSetupError(), Worked(waiting=1)),
        (AnswerError("truncated"), Worked(later=1)),
        (RefusedError(), Worked(dead=1)),
        (ExtractorInputError(), Worked(dead=1)),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else None,
)
async def test_a_failure_is_told_by_whose_fault_it_is(error: Exception, worked: Worked, shared: Database) -> None:
    class Failing(Scripted):
        async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
            raise error

    async with memoranda.connect(shared.dsn(), extractor=Failing()) as store:
        memory = store.memory(uuid4())
        await memory.turns.add([{"role": "user", "content": SAID[1]}], extract="worker")
        assert await memory.work() == worked
        assert await contents(memory) == set()


# Secrets.


@pytest.mark.parametrize("policy", ["store", "mask", "refuse"])
async def test_what_is_done_about_secrets(policy: Policy, memory: memoranda.Memory) -> None:
    said = f"I pay with {CARD} at the shop. I like green tea."
    shown = said if policy == "store" else "I pay with [secret: card number] at the shop. I like green tea."
    scripted = Scripted(
        (f"Pays with {CARD} there.", f"I pay with {CARD} at the shop"), ("Likes green tea.", "I like green tea")
    )
    if policy != "store":
        masked = "I pay with [secret: card number] at the shop"
        scripted.proposed.append(Candidate("Pays with [secret: card number] at the shop.", quote=masked))
    became = await extracted(memory, scripted, turn_of(("user", said)), policy)
    assert scripted.asked[0][0].messages[0].text == shown
    outcomes = [outcome.outcome for outcome in became.outcomes]
    stored = f"{await memory.facts.recall()}{await memory.review.pending()}{await memory.audit()}"
    assert (CARD in stored) == (policy == "store")
    assert "Likes green tea." in stored
    if policy == "store":
        assert outcomes == ["stored", "stored"]
    elif policy == "refuse":
        assert outcomes == ["failed", "stored", "failed"]
        assert "[secret" not in stored
    else:
        assert outcomes == ["pending", "stored", "stored"]


# Connections.


async def test_no_connection_is_held_while_a_model_thinks(store: memoranda.Store) -> None:
    """A pool of two, and fifty turns whose models answer only when all of them have been asked."""
    everyone = asyncio.Barrier(50)

    class Thinking(Scripted):
        async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
            async with asyncio.timeout(30):
                await everyone.wait()
            return await super().extract(turn, known)

    users: list[UUID] = [uuid4() for _ in range(50)]
    async with asyncio.TaskGroup() as group:
        for user in users:
            turn = turn_of(SAID)
            group.create_task(extracted(store.memory(user), Thinking(CELLO), turn))
    assert [await contents(store.memory(user)) for user in (users[0], users[-1])] == [{"Plays the cello."}] * 2


def test_without_await(shared: Database) -> None:
    from memoranda.sync import connect
    from memoranda.sync.extraction import extract_turn as extract

    with connect(shared.dsn()) as store:
        memory = store.memory(uuid4())
        turn = turn_of(SAID)
        became = extract(memory._binding, Scripted(CELLO), turn)
        assert [outcome.outcome for outcome in became.outcomes] == ["stored"]
        assert [fact.content for fact in memory.facts.recall()] == ["Plays the cello."]
