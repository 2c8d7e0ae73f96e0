"""When all connections are taken: a typed error in time, and calls work again at once. Models never hold one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from psycopg_pool import AsyncConnectionPool

import memoranda
import memoranda.sync
from memoranda import Candidate, NewFact, Turn
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import EmbedderUnavailableError, PoolTimeoutError
from memoranda.facttypes import Fact, Hit
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database
from support.embedders import DIMENSIONS, bag_of_words
from support.messages import said

DEADLINE = 2.0
CALLERS = 20


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


async def test_whoever_finds_no_connection_learns_it_in_time_and_calls_work_again_at_once(shared: Database) -> None:
    loop = asyncio.get_running_loop()

    async def overslept() -> float:
        """How much later than asked this busy machine wakes somebody who sleeps until the deadline."""
        started = loop.time()
        await asyncio.sleep(DEADLINE)
        return loop.time() - started - DEADLINE

    async def one(memory: memoranda.Memory) -> float:
        started = loop.time()
        with pytest.raises(PoolTimeoutError):
            await memory.facts.save("never saved")
        return loop.time() - started

    async with AsyncConnectionPool(shared.dsn(), min_size=2, max_size=2, open=False) as pool:
        await pool.wait()
        async with memoranda.connect(pool, timeout=DEADLINE) as store:
            users = [store.memory(f"user {n}") for n in range(CALLERS)]
            taken = [await pool.getconn() for _ in range(2)]
            late, *waited = await asyncio.gather(overslept(), *map(one, users))
            for conn in taken:
                await pool.putconn(conn)
            started = loop.time()
            found = await asyncio.gather(*(memory.facts.recall() for memory in users))
            recovered = loop.time() - started
            assert pool.get_stats()["pool_available"] == 2
            assert not pool.get_stats().get("requests_waiting")
    assert found == [[]] * CALLERS, "what gave up never ran"
    assert max(waited) <= DEADLINE * 1.1 + late, waited
    assert min(waited) >= DEADLINE * 0.9
    assert recovered < 1 + late
    print(f"{CALLERS} callers waited {min(waited):.3f} to {max(waited):.3f} s; {recovered:.3f} s later all had called")


class Nosy:
    """An embedder, extractor and reranker that looks into the same store while it is at work; it has one connection."""

    model, dimensions, max_inputs = "nosy", DIMENSIONS, 64

    def __init__(self) -> None:
        self.looked = 0
        self.is_down = False
        self.store: memoranda.Store | None = None

    async def look(self) -> None:
        assert self.store is not None
        assert await self.store.memory("somebody else").facts.recall() == []
        self.looked += 1

    async def embed(self, texts: Sequence[str], kind: str = "document") -> list[list[float]]:
        await self.look()
        if self.is_down:
            raise EmbedderUnavailableError("It is down.")
        return [bag_of_words(text) for text in texts]

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> list[Candidate]:
        await self.look()
        return [Candidate(each.text, quote=each.text) for each in turn.messages if each.role == "user"]

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        await self.look()
        return [1.0 for _ in hits]


@pytest.fixture
async def nosy(shared: Database) -> AsyncIterator[Nosy]:
    model = Nosy()
    async with memoranda.connect(
        shared.dsn(), embedder=model, extractor=model, max_connections=1, timeout=DEADLINE
    ) as store:
        model.store = store
        yield model


async def waiting(memory: memoranda.Memory, content: str) -> Any:
    return (await memory.facts.save(content, review=True, dedup="off")).id


async def known(memory: memoranda.Memory, content: str) -> Any:
    return (await memory.facts.save(content)).id


Verb = Callable[[memoranda.Memory, Nosy], Awaitable[Any]]


async def approve_without_a_vector(memory: memoranda.Memory, nosy: Nosy) -> None:
    nosy.is_down = True
    id_ = await waiting(memory, "it")
    nosy.is_down = False
    await memory.review.approve(id_)


async def restore(memory: memoranda.Memory, nosy: Nosy) -> None:
    id_ = await known(memory, "it")
    await memory.facts.forget(id_)
    await memory.facts.restore(id_)


async def embed_pending(memory: memoranda.Memory, nosy: Nosy) -> None:
    nosy.is_down = True
    await memory.facts.save("it")
    nosy.is_down = False
    before = nosy.looked
    assert (await memory.facts.embed_pending()).embedded == 1
    assert nosy.looked > before


async def work(memory: memoranda.Memory, nosy: Nosy) -> None:
    await memory.turns.add(said("I like tea from China."), embed="worker", extract="worker")
    done = await memory.work()
    assert (done.embedded, done.extracted) == (1, 1)


async def service_work(memory: memoranda.Memory, nosy: Nosy) -> None:
    assert nosy.store
    await memory.turns.add(said("I like tea from China."), embed="worker", extract="worker")
    done = await nosy.store.work()
    assert (done.embedded, done.extracted) == (1, 1)


async def correct(memory: memoranda.Memory, nosy: Nosy) -> None:
    await memory.facts.correct(await known(memory, "it"), "that")


async def edit_and_approve(memory: memoranda.Memory, nosy: Nosy) -> None:
    await memory.review.edit_and_approve(await waiting(memory, "it"), "that")


async def rerank(memory: memoranda.Memory, nosy: Nosy) -> None:
    await known(memory, "it")
    before = nosy.looked
    await memory.facts.search("it", reranker=nosy.rerank)
    assert nosy.looked == before + 2, "for the query, and for the hits"


VERBS: dict[str, Verb] = {
    "save": lambda memory, _: memory.facts.save("it"),
    "save many": lambda memory, _: memory.facts.save_many(["it", NewFact("that", key="k")]),
    "search": lambda memory, _: memory.facts.search("it"),
    "rerank": rerank,
    "correct": correct,
    "restore": restore,
    "approve": approve_without_a_vector,
    "edit and approve": edit_and_approve,
    "embed pending": embed_pending,
    "store a turn": lambda memory, _: memory.turns.add(said("I like tea from China.", "Noted.")),
    "recall messages": lambda memory, _: memory.messages.recall("it"),
    "recall": lambda memory, _: memory.recall("it"),
    "recall, for a model": lambda memory, _: memory.run_recall({"query": "it"}),
    "context": lambda memory, _: memory.context("it"),
    "work": work,
    "service work": service_work,
}


@pytest.mark.parametrize("verb", VERBS)
async def test_a_slow_model_never_holds_a_connection(nosy: Nosy, verb: str) -> None:
    assert nosy.store
    await VERBS[verb](nosy.store.memory(uuid4(), chat="c"), nosy)
    assert nosy.looked


def test_nor_does_it_without_await(shared: Database) -> None:
    looked = 0

    def embed(texts: Sequence[str]) -> list[list[float]]:
        nonlocal looked
        assert store.memory("somebody else").facts.recall() == []
        looked += 1
        return [bag_of_words(text) for text in texts]

    embedder = FunctionEmbedder(embed, model="nosy", dimensions=DIMENSIONS)
    with memoranda.sync.connect(shared.dsn(), embedder=embedder, max_connections=1, timeout=DEADLINE) as store:
        memory = store.memory(uuid4())
        memory.facts.save("it")
        memory.facts.search("it")
        memory.turns.add(said("I like tea from China."))
        memory.recall("it")
        memory.context("it")
    assert looked == 5


async def test_the_other_users_go_on_while_a_model_is_slow(shared: Database) -> None:
    """With twice as many slow calls as there are connections."""
    gate = asyncio.Event()

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        await gate.wait()
        return [bag_of_words(text) for text in texts]

    embedder = FunctionEmbedder(embed, model="slow", dimensions=DIMENSIONS)
    async with memoranda.connect(shared.dsn(), embedder=embedder, max_connections=2, timeout=DEADLINE) as store:
        slow = [asyncio.create_task(store.memory(uuid4()).facts.save("it")) for _ in range(4)]
        await asyncio.sleep(0)
        for _ in range(20):
            assert await store.memory(uuid4()).facts.recall() == []
        gate.set()
        assert [outcome.outcome for outcome in await asyncio.gather(*slow)] == ["stored"] * 4
