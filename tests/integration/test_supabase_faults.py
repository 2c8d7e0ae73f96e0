"""Over a network that fails: no write happens twice, and what goes wrong is the same error as over Postgres."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from supabase import AsyncClient
from supabase.lib.client_options import AsyncClientOptions

import memoranda
import memoranda.sync
from memoranda import Memory, Scope
from memoranda.errors import (
    CallTimeoutError,
    IdempotencyError,
    MemorandaError,
    PoolTimeoutError,
    SchemaMissingError,
    UnavailableError,
)
from support.databases import Database, create_database, drop_database
from support.standin import SECRET, StandIn

pytestmark = pytest.mark.direct("it goes to the stand-in by itself")


@pytest.fixture(scope="module")
def project(stand_in: StandIn, direct_server: Any, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    stand_in.forget(made)
    drop_database(made)


@pytest.fixture(scope="module")
def url(stand_in: StandIn, project: Database) -> str:
    return stand_in.url(project)


class Faulty(httpx.AsyncHTTPTransport):
    """A network that loses calls on their way, or answers on their way back."""

    def __init__(self) -> None:
        super().__init__()
        self.lost: list[Exception] = []
        """What becomes of the calls to come, first to last; after that they go through."""
        self.answers: list[httpx.Response] = []
        """What a gateway answers before that."""
        self.calls = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.calls += 1
        if self.answers:
            return self.answers.pop(0)
        error = self.lost.pop(0) if self.lost else None
        if isinstance(error, httpx.ConnectError):
            raise error
        response = await super().handle_async_request(request)
        if error is not None:
            await response.aread()  # the call was carried out
            await response.aclose()
            raise error
        return response


@asynccontextmanager
async def over(url: str, network: Faulty) -> AsyncGenerator[memoranda.Store]:
    async with httpx.AsyncClient(transport=network) as http:
        client = AsyncClient(url, SECRET, AsyncClientOptions(httpx_client=http))
        async with memoranda.supabase(client) as store:
            network.calls = 0
            yield store


LOST = (httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError)


@pytest.mark.parametrize("lost", LOST)
async def test_a_write_with_a_key_is_sent_again_when_its_answer_is_lost_and_happens_once(
    url: str, lost: type[httpx.TransportError]
) -> None:
    network = Faulty()
    async with over(url, network) as store:
        facts = store.memory(f"user {uuid4()}").facts
        network.lost = [lost("x"), lost("x")]
        saved = await facts.save("Likes tea.", dedup="off", idempotency_key="once")
        assert (saved.outcome, saved.replayed, network.calls) == ("stored", True, 3)
        with pytest.raises(IdempotencyError):
            await facts.save("Likes coffee.", dedup="off", idempotency_key="once")
        assert len(await facts.recall()) == 1


async def test_a_write_without_a_key_is_not_sent_again_when_it_may_have_happened(url: str) -> None:
    network = Faulty()
    async with over(url, network) as store:
        facts = store.memory(f"user {uuid4()}").facts
        network.lost = [httpx.ReadError("x")]
        with pytest.raises(UnavailableError, match="same idempotency key"):
            await facts.save("Likes tea.", dedup="off")
        assert network.calls == 1
        assert len(await facts.recall()) == 1


async def test_what_was_not_sent_or_only_reads_is_sent_again(url: str) -> None:
    network = Faulty()
    async with over(url, network) as store:
        memory = store.memory(f"user {uuid4()}")
        network.lost = [httpx.ConnectError("x"), httpx.ConnectError("x")]
        await memory.facts.save("Likes tea.", dedup="off")
        network.answers = [httpx.Response(429), httpx.Response(503, json={"code": "PGRST002", "message": "x"})]
        await memory.facts.save("Likes rye.", dedup="off")
        network.lost = [httpx.ReadError("x")]
        network.answers = [httpx.Response(502)]
        assert len(await memory.facts.recall()) == 2
        network.lost = [httpx.ConnectError("x")] * 3
        with pytest.raises(UnavailableError, match="cannot be reached"):
            await memory.facts.recall()


async def test_a_server_that_asks_to_be_left_alone_for_longer_than_there_is_time_is_not_asked_again(url: str) -> None:
    network = Faulty()
    async with over(url, network) as store:
        network.answers = [httpx.Response(429, headers={"Retry-After": "60"})]
        with pytest.raises(UnavailableError, match="Too many"):
            await store.memory("alice").facts.recall()
        assert network.calls == 1


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that lets everybody in and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        held: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    held.append(listening.accept()[0])
                except OSError:
                    return

        taker = threading.Thread(target=take)
        taker.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        taker.join()
        for each in held:
            each.close()


async def test_a_call_that_is_never_answered_ends_in_time(silent: str) -> None:
    started = time.monotonic()
    with pytest.raises(CallTimeoutError):
        await memoranda.supabase(silent, SECRET, timeout=0.3).open()
    with pytest.raises(CallTimeoutError):
        memoranda.sync.supabase(silent, SECRET, timeout=0.3).open()
    assert time.monotonic() - started < 5


async def test_calls_that_wait_for_a_connection_end_in_time(url: str, silent: str) -> None:
    async with memoranda.supabase(url, SECRET, timeout=0.4, max_connections=1) as store:
        transport: Any = store.transport
        transport.url = silent
        memory = store.memory("alice")
        ended = await asyncio.gather(*(memory.facts.recall() for _ in range(3)), return_exceptions=True)
        kinds = sorted(type(each).__name__ for each in ended)
        assert kinds[0] == CallTimeoutError.__name__
        assert kinds[-1] in (PoolTimeoutError.__name__, CallTimeoutError.__name__)


async def test_a_project_that_is_not_there_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for open_ in (memoranda.supabase(f"http://127.0.0.1:{port}", SECRET).open,):
        with pytest.raises(UnavailableError, match="cannot be reached") as refused:
            await open_()
        assert "paused" in refused.value.hint
    with pytest.raises(UnavailableError, match="cannot be reached"):
        memoranda.sync.supabase(f"http://127.0.0.1:{port}", SECRET).open()


async def test_a_project_without_our_schema_says_what_to_do(stand_in: StandIn, empty_database: Database) -> None:
    with pytest.raises(SchemaMissingError, match="memoranda init"):
        await memoranda.supabase(stand_in.url(empty_database), SECRET).open()
    stand_in.forget(empty_database)


async def test_a_closed_store_says_so(url: str) -> None:
    store = memoranda.supabase(url, SECRET)
    async with store:
        await store.memory("alice").facts.recall()
    with pytest.raises(UnavailableError, match="not open"):
        await store.memory("alice").facts.recall()
    async with store:
        await store.memory("alice").facts.recall()


Wrong = Callable[[Memory], Awaitable[object]]

WRONG: dict[str, Wrong] = {
    "empty": lambda m: m.facts.correct(uuid4(), "\u200b"),
    "too large": lambda m: m.facts.save("x" * 100_001),
    "stale": lambda m: m.facts.save("x", key="k", expected_version=7),
    "unknown fact": lambda m: m.facts.correct(uuid4(), "x"),
    "unknown file": lambda m: m.files.remove("/memories/none.md"),
    "a path that is none": lambda m: m.files.write("/memories/../x", "x"),
    "no match": lambda m: m.files.replace("/memories/a.md", "nothing like it", "y"),
    "ambiguous": lambda m: m.files.replace("/memories/a.md", "one", "y"),
    "no such line": lambda m: m.files.insert("/memories/a.md", 99, "y"),
    "there already": lambda m: m.files.move("/memories/a.md", "/memories/b.md"),
    "not a member": lambda m: Memory(m.facts._binding.transport, *elsewhere(m)).facts.recall(),  # pyright: ignore[reportPrivateUsage]
    "a vector that is none": lambda m: m.facts._binding.call(  # pyright: ignore[reportPrivateUsage]
        "facts_save", {"fact": {"content": "x", "vector": "[0,0]", "model": "m/2"}, "call": {}}
    ),
    "nonsense": lambda m: m.facts._binding.call("facts_recall", {"query": {"limit": "many"}}),  # pyright: ignore[reportPrivateUsage]
    "no such argument": lambda m: m.facts._binding.call("facts_recall", {"query": {"colour": 1}}),  # pyright: ignore[reportPrivateUsage]
}


def elsewhere(memory: Memory) -> tuple[memoranda.Identity, Scope]:
    return memoranda.Identity.of(memory.identity.user, "a tenant of others"), Scope.user()


async def test_what_is_wrong_is_the_same_error_as_over_postgres(url: str, project: Database) -> None:
    async def told(store: memoranda.Store, user: str, wrong: Wrong) -> tuple[object, ...]:
        try:
            await wrong(store.memory(user))
        except MemorandaError as error:
            return type(error), error.message, error.hint, error.detail
        pytest.fail("nothing was wrong")

    async with memoranda.supabase(url, SECRET) as http, memoranda.connect(project.dsn()) as postgres:
        for store in (http, postgres):
            files = store.memory(f"wrong {store is http}").files
            await files.write("/memories/a.md", "one\none")
            await files.write("/memories/b.md", "b")
        seen = set[object]()
        for name, wrong in WRONG.items():
            here, there = await told(http, "wrong True", wrong), await told(postgres, "wrong False", wrong)
            assert here == there, name
            seen.add(here[0])
    assert len(seen) >= 11, "the errors are of many kinds"
