"""Vectors: each of one text and one model, made up for when the embedder comes back, and refused when they are none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import memoranda
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import EmbedderUnavailableError, InputError, VectorError
from memoranda.transport import Caller, Json
from support.databases import Database
from support.embedders import Moody, words_embedder

VECTORS = "select model, count(*)::int from memoranda_private.vectors group by 1 order by 1"


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
async def memory(database: Database, moody: Moody) -> AsyncIterator[memoranda.Memory]:
    embedder = FunctionEmbedder(moody.embed, model="moody", dimensions=64)
    async with memoranda.connect(database.dsn(), embedder=embedder) as store:
        yield store.memory("alice")


def stored(database: Database) -> dict[str, int]:
    with database.admin() as conn:
        return dict(conn.execute(VECTORS).fetchall())


async def test_an_embedder_that_is_down_loses_and_hinders_nothing(
    memory: memoranda.Memory, moody: Moody, database: Database
) -> None:
    moody.is_down = True
    outcomes = [await memory.facts.save("zebra one"), *await memory.facts.save_many(["zebra two", "zebra three"])]
    assert [(each.outcome, each.embedded) for each in outcomes] == [("stored", False)] * 3
    hits = await memory.facts.search("zebra two", 3)
    assert (hits[0].fact.content, hits[0].similarity, len(hits)) == ("zebra two", None, 3)
    with pytest.raises(EmbedderUnavailableError):
        await memory.facts.embed_pending()
    moody.is_down = False
    assert await memory.facts.embed_pending(limit=2) == memoranda.Embedded(2, 0, left=True)
    assert await memory.facts.embed_pending() == memoranda.Embedded(1, 0, left=False)
    assert stored(database) == {"moody/64": 3}
    assert all(hit.similarity for hit in await memory.facts.search("zebra", 3))


async def test_a_text_that_is_refused_is_set_aside_with_the_reason_and_holds_up_no_other(
    memory: memoranda.Memory, moody: Moody, database: Database
) -> None:
    moody.is_down = True
    await memory.facts.save_many([f"fact {n}" if n != 41 else "unspeakable" for n in range(100)])
    moody.is_down = False
    assert await memory.facts.embed_pending() == memoranda.Embedded(99, 1, left=False)
    moody.calls.clear()
    assert await memory.facts.embed_pending() == memoranda.Embedded(0, 0, left=False)
    assert moody.calls == []
    with database.admin() as conn:
        row = conn.execute("select model, reason from memoranda_private.unembeddable").fetchone()
    assert row is not None
    assert row[0] == "moody/64"
    assert "refuses this text" in row[1]
    assert (await memory.facts.search("unspeakable", 1))[0].fact.content == "unspeakable"


async def test_saving_many_asks_the_embedder_once(memory: memoranda.Memory, moody: Moody) -> None:
    await memory.facts.save_many([f"fact {n}" for n in range(64)])
    assert moody.calls == [64]


async def test_a_fact_that_goes_out_of_force_loses_its_vector_and_gets_none(
    memory: memoranda.Memory, database: Database
) -> None:
    await memory.facts.save("one", key="k")
    await memory.facts.save("two", key="k")
    assert stored(database) == {"moody/64": 1}
    outcome = await memory.facts.save("three")
    assert outcome.id
    await memory.facts.forget(outcome.id)
    assert stored(database) == {"moody/64": 1}
    late: Json = {"model": "moody/64", "vectors": [{"id": str(outcome.id), "vector": "[" + ",".join("1" * 64) + "]"}]}
    user = Caller.of(memory.identity)
    place: Json = {"scope": "user"}
    async with memoranda.connect(database.dsn()) as store:
        row = await store.transport.call("vectors_put", {"place": place, "made": late}, user)
    assert row == {"put": 0, "set_aside": 0}
    assert stored(database) == {"moody/64": 1}


async def test_vectors_of_different_models_are_never_compared(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(model="one")) as store:
        await store.memory("alice").facts.save("zebra")
    for embedder in (words_embedder(model="two"), words_embedder(32, model="one")):
        async with memoranda.connect(database.dsn(), embedder=embedder) as store:
            facts = store.memory("alice").facts
            (hit,) = await facts.search("zebra")
            assert hit.similarity is None
            assert (await facts.embed_pending()).embedded == 1
            (hit,) = await facts.search("zebra")
            assert hit.similarity == pytest.approx(1, abs=0.001)
    assert stored(database) == {"one/32": 1, "one/64": 1, "two/64": 1}


@pytest.mark.parametrize(
    "vector",
    [
        "[1,2]",
        "[1,2,3,4]",
        "[0,0,0]",
        "[nan,1,2]",
        "[inf,1,2]",
        "[1e9,1,1]",
        "[]",
        "",
        "1,2,3",
        "[1,2,'x']",
        "{1,2,3}",
        "null",
    ],
)
async def test_what_is_no_vector_of_its_model_is_refused_and_nothing_is_written(
    store: memoranda.Store, database: Database, vector: str
) -> None:
    alice = store.memory("alice")
    user = Caller.of(alice.identity)
    fact: Json = {"content": "one", "vector": vector, "model": "m/3"}
    with pytest.raises(VectorError):
        await store.transport.call("facts_save", {"place": {}, "fact": fact, "call": {}}, user)
    query: Json = {"text": "x", "vector": vector, "model": "m/3"}
    with pytest.raises(VectorError):
        await store.transport.call("facts_search", {"place": {}, "query": query}, user)
    assert await alice.facts.recall() == []
    assert stored(database) == {}


@pytest.mark.parametrize("model", [None, "", "m", "m/", "/3", "m/3x", "x" * 200 + "/3"])
async def test_a_vector_without_a_sound_name_of_its_model_is_refused(store: memoranda.Store, model: str | None) -> None:
    user = Caller.of(store.memory("alice").identity)
    fact: Json = {"content": "one", "vector": "[1,2,3]", "model": model}
    with pytest.raises(VectorError):
        await store.transport.call("facts_save", {"place": {}, "fact": fact, "call": {}}, user)


async def test_without_an_embedder_there_is_nothing_to_make_up_for(alice: memoranda.Memory) -> None:
    with pytest.raises(InputError, match="no embedder"):
        await alice.facts.embed_pending()


async def test_two_that_make_up_at_once_make_each_vector_once(
    memory: memoranda.Memory, moody: Moody, database: Database
) -> None:
    moody.is_down = True
    await memory.facts.save_many([f"fact {n}" for n in range(50)])
    moody.is_down = False
    await asyncio.gather(*(memory.facts.embed_pending() for _ in range(4)))
    assert stored(database) == {"moody/64": 50}


async def test_the_twin_without_await_embeds_too(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        facts = store.sync.memory("alice").facts
        await asyncio.to_thread(facts.save, "zebra")
        (hit,) = facts.search("zebra")  # also inside a running loop
        assert hit.similarity == pytest.approx(1, abs=0.001)


async def test_the_local_embedder_finds_by_meaning(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder="local") as store:
        facts = store.memory("alice").facts
        await facts.save_many(["The cat sleeps on the sofa", "The invoice is due on Friday", "We moved to a new house"])
        (hit,) = await facts.search("when must the bill be paid?", 1)
        assert hit.fact.content == "The invoice is due on Friday"
        assert hit.why.words is None
