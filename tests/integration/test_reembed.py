"""Change of the embedding model: all goes on meanwhile, and in the end every fact has one vector of the new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

import memoranda
from memoranda import NewFact, Reembedded, Scope
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import ConflictError, EmbedderUnavailableError, ForbiddenError, InputError
from support.databases import Database
from support.embedders import Moody, bag_of_words, words_embedder
from support.messages import said

SMALL, MIDDLE, LARGE = (words_embedder(size, f"words{size}") for size in (384, 1536, 3072))
TEXTS = [
    f"The {animal} likes {food}." for animal in ("cat", "dog", "owl") for food in ("milk", "mice", "rain", "books")
]


def vectors(database: Database) -> Counter[tuple[str, str]]:
    """How many facts of which status have how many vectors of a model; each has at most one, by its key."""
    with database.admin() as conn:
        found = conn.execute(
            "select f.status, v.model, count(*) from memoranda_private.facts f join ("
            " select tenant_id, owner_id, scope, scope_id, fact_id, model from memoranda_private.vectors union all"
            " select tenant_id, owner_id, scope, scope_id, fact_id, model from memoranda_private.vectors_aside) v"
            " on (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)"
            " = (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.fact_id) group by 1, 2"
        ).fetchall()
    return Counter({(status, model): count for status, model, count in found})


def said_vectors(database: Database) -> dict[str, int]:
    """How many vectors messages have of which model."""
    with database.admin() as conn:
        query = "select model, count(*) from memoranda_private.message_vectors group by 1"
        return dict(conn.execute(query).fetchall())


async def filled(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice", "manage")
    await store.members.set("acme", "bob", "read")
    for memory in (
        store.memory("alice"),
        store.memory("bob", scope=Scope.project("p")),
        store.memory("bob", tenant="acme"),
        store.memory("alice", tenant="acme", scope=Scope.organization()),
    ):
        await memory.facts.save_many([NewFact(text) for text in TEXTS], dedup="off")
    alice = store.memory("alice")
    await alice.facts.save("The fox waits for snow.", review=True)
    gone = await alice.facts.save("The hen hates thunder.")
    assert gone.id
    await alice.facts.forget(gone.id)


async def test_every_fact_gets_one_vector_of_the_new_model_and_search_goes_on(database: Database) -> None:
    async with (
        memoranda.connect(database.dsn(), embedder=SMALL) as store,
        memoranda.connect(database.dsn(), embedder=SMALL) as other,
    ):
        await filled(store)
        confirmed = 4 * len(TEXTS)

        async def found(by: memoranda.Store) -> list[UUID]:
            return [hit.fact.id for hit in await by.memory("alice").facts.search("owl books", 5, track_use=False)]

        before = await found(other)
        seen: list[Reembedded] = []
        for old, new in ((SMALL, MIDDLE), (MIDDLE, LARGE)):
            model, former = f"{new.model}/{new.dimensions}", f"{old.model}/{old.dimensions}"
            done = await store.reembed(new, batch=5, pause=0.001, progress=seen.append)
            assert (done.model, done.embedded, done.set_aside, done.left, done.switched) == (
                *(model, confirmed + 2, 0, 0, True),
            )
            assert await found(other) == before, "the old vectors are there, as before"
            assert set(await found(store)) == set(before), "and so are the new ones"
            there = vectors(database)
            for status, count in (("confirmed", confirmed), ("pending", 1), ("forgotten", 1)):
                assert there[status, model] == there[status, former] == count
            assert (await store.memory("carol").settings())["model"] == model
            with pytest.raises(ConflictError):
                await store.drop_vectors(model)
            assert await store.drop_vectors(former) == confirmed + 2
            assert {kept for _, kept in vectors(database)} == {model}
            other.embedder = new
            before = await found(other)
        # What was forgotten is known again by the vectors of the new model.
        assert (await store.memory("alice").facts.save("The hen hates thunder today.")).rule == "near tombstone"
        for change in (seen[: len(seen) // 2], seen[len(seen) // 2 :]):
            assert [each.left for each in change] == sorted((each.left for each in change), reverse=True)
            assert (change[-1].left, change[-1].switched) == (0, False)


async def test_messages_get_vectors_of_the_new_model_from_a_worker(database: Database) -> None:
    moody = FunctionEmbedder(Moody().embed, model="moody", dimensions=64)
    async with (
        memoranda.connect(database.dsn(), embedder=moody) as store,
        memoranda.connect(database.dsn(), embedder=moody) as other,
    ):
        await store.members.set("acme", "alice", "manage")
        places: list[dict[str, Any]] = [{}, {"scope": Scope.project("p")}, {"tenant": "acme"}]
        places.append({"tenant": "acme", "scope": Scope.organization()})
        for place in places:
            await store.memory("alice", chat="c", **place).turns.add(said(*TEXTS[:3], "rain. " * 700))
        memory = store.memory("alice", chat="c")
        await memory.turns.add(said("The unspeakable one."))
        await memory.turns.add(said("No longer."), expires_at=datetime(2020, 1, 1, tzinfo=UTC))
        await memory.turns.add([memoranda.NewMessage("user", "Not said.", "gone")])
        await memory.messages.delete("gone", chat="c")
        assert len((await store.queue()).dead) == 1, "what was refused was given up when it was said"

        async def found(by: memoranda.Store, **place: Any) -> tuple[str, bool]:
            (hit,) = await by.memory("alice", **place).messages.recall("cat mice", 1)
            return hit.message.text, hit.similarity is not None

        for place in places:
            assert await found(other, **place) == (TEXTS[1], True)
        done = await store.reembed(LARGE)
        assert (done.embedded, done.switched, done.queued) == (0, True, 4 * 4 + 1)
        assert await found(store) == (TEXTS[1], False), "until then words find it"
        assert await found(other) == (TEXTS[1], True), "and the old vectors are there, as before"
        assert (await store.reembed(LARGE)).queued == 0
        assert (await store.work()).embedded == 4 * 4 + 1, "also what the old model had refused"
        for place in places:
            assert await found(store, **place) == await found(other, **place) == (TEXTS[1], True)
        pieces = said_vectors(database)["moody/64"]  # one more for what was refused, and one less for what has expired
        assert said_vectors(database) == {"moody/64": pieces, "words3072/3072": pieces}
        assert pieces > 4 * 4 + 1, "some have more than one piece"
        assert await store.drop_vectors("moody/64") == pieces
        assert said_vectors(database) == {"words3072/3072": pieces}
        assert await found(store) == (TEXTS[1], True)
        # What a worker that had still the old model took is caught up with.
        await other.memory("alice").turns.add(said("The elk likes moss."))
        assert (await store.reembed(LARGE)).queued == 1
        assert (await store.work()).embedded == 1


async def test_who_writes_meanwhile_is_caught_up_with(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=SMALL) as store:
        await filled(store)
        memory, written = store.memory("dora"), 0

        async def embed(texts: Sequence[str]) -> list[list[float]]:
            nonlocal written
            if written < 7:
                written += 1
                await memory.facts.save(f"Written meanwhile {written}", dedup="off")
            return [bag_of_words(text, 100) for text in texts]

        done = await store.reembed(FunctionEmbedder(embed, model="slow", dimensions=100), batch=10)
        assert done.switched
        assert vectors(database)["confirmed", "slow/100"] == 4 * len(TEXTS) + 7


async def test_an_embedder_that_fails_is_gone_on_with(database: Database) -> None:
    moody, calls = Moody(), 0

    def embed(texts: Sequence[str]) -> list[list[float]]:
        nonlocal calls
        calls += 1
        moody.is_down = calls == 3
        return moody.embed(texts)

    async with memoranda.connect(database.dsn(), embedder=SMALL) as store:
        await filled(store)
        await store.memory("alice").facts.save("The unspeakable one.")
        new = FunctionEmbedder(embed, model="moody", dimensions=64)
        with pytest.raises(EmbedderUnavailableError):
            await store.reembed(new, batch=10)
        assert store.embedder is SMALL
        assert 0 < vectors(database)["confirmed", "moody/64"] < 30
        assert not (await store.memory("alice").settings())["model"]
        done = await store.reembed(new, batch=10)
        assert (done.set_aside, done.switched) == (1, True)
        assert (await store.reembed(new)).embedded == 0


async def test_a_change_of_model_is_the_servers(store: memoranda.Store) -> None:
    from memoranda.transport import Caller

    identity = store.memory("alice").identity
    for function in ("reembed_places", "reembed_messages", "reembed_switch", "reembed_drop"):
        with pytest.raises(ForbiddenError):
            await store.transport.call(function, {"change": {"model": "words/64"}}, Caller.of(identity))
    with pytest.raises(InputError):
        await store.reembed(None)
    with pytest.raises(InputError):
        await store.settings.set("model", "words/64")  # type: ignore[arg-type]
