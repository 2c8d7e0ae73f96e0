"""The Postgres transport: one identity a call, typed errors in time, and recovery by itself."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import traceback
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

import memoranda
from memoranda.errors import (
    CallTimeoutError,
    ConflictError,
    ForbiddenError,
    InputError,
    PoolTimeoutError,
    PrivilegeError,
    TooLargeError,
    UnavailableError,
)
from memoranda.identity import Identity
from memoranda.transport import NOBODY, Caller
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database, create_database, drop_database, migrated, running_server

ALICE = Caller.of(Identity.of("alice"))
BOB = Caller.of(Identity.of("bob"))


@asynccontextmanager
async def opened(
    database: Database, *, max_connections: int = 2, seconds: float = 5
) -> AsyncGenerator[PostgresTransport]:
    transport = PostgresTransport(database.dsn(), max_connections=max_connections, timeout=seconds)
    await transport.open()
    try:
        yield transport
    finally:
        await transport.close()


async def whoami(transport: PostgresTransport, caller: Caller) -> Any:
    return cast("dict[str, Any]", await transport.call("whoami", {}, caller))["user"]


def backends(database: Database) -> list[tuple[int, str]]:
    """The transport's server processes and what they are doing."""
    with database.admin() as conn:
        return conn.execute(
            "select pid, state from pg_stat_activity where datname = current_database() and usename = 'authenticator'"
        ).fetchall()


@contextmanager
def stalled(database: Database) -> Generator[None]:
    """Makes every write of a fact wait, as behind a lock that nobody gives back."""
    with psycopg.connect(database.dsn("postgres")) as conn:
        conn.execute("lock table memoranda_private.facts in access exclusive mode")
        yield


# Identity


async def test_every_call_carries_its_own_identity_and_leaves_none(database: Database) -> None:
    async with opened(database, max_connections=1) as transport:
        seen = [await whoami(transport, caller) for caller in (ALICE, BOB, NOBODY, ALICE)]
    users = [str(Identity.of(name).user) for name in ("alice", "bob")]
    assert seen == [users[0], users[1], None, users[0]]


async def test_users_never_mix_on_a_shared_pool(database: Database) -> None:
    callers = [Caller.of(Identity.of(f"user {n}")) for n in range(20)]
    async with opened(database, max_connections=4) as transport:
        seen = await asyncio.gather(*(whoami(transport, caller) for caller in callers * 10))
    assert seen == [caller.claims["sub"] for caller in callers * 10]


async def test_row_level_security_binds_inside_the_rules(database: Database) -> None:
    async with opened(database) as transport:
        found = cast("dict[str, Any]", await transport.call("whoami", {}, ALICE))
    assert found["bound"] is True


async def test_when_the_identity_cannot_be_set_the_call_never_runs(database: Database) -> None:
    with database.admin() as conn:
        conn.execute("create role half login; grant authenticated to half with set true")
        try:
            transport = PostgresTransport(database.dsn("half"))
            await transport.open()
            conn.execute("revoke authenticated from half")
            fact = {"key": "k", "content": "x"}
            with pytest.raises(ForbiddenError):
                await transport.call("facts_save", {"place": {}, "fact": {**fact}, "call": {}}, ALICE)
            await transport.close()
            assert conn.execute("select count(*) from memoranda_private.facts").fetchone() == (0,)
        finally:
            conn.execute("drop role half")


async def test_a_login_that_may_not_act_for_a_user_is_told_so_at_once(database: Database) -> None:
    with database.admin() as conn:
        conn.execute("create role outsider login")
        try:
            with pytest.raises(PrivilegeError, match='grant authenticated to "outsider"'):
                await memoranda.connect(database.dsn("outsider")).open()
        finally:
            conn.execute("drop role outsider")


@pytest.mark.parametrize("autocommit", [False, True])
async def test_a_pool_of_the_callers_own_works_whatever_its_settings(database: Database, autocommit: bool) -> None:
    settings = {"autocommit": autocommit, "row_factory": dict_row, "prepare_threshold": 0}
    async with AsyncConnectionPool(database.dsn(), min_size=1, max_size=2, kwargs=settings, open=False) as pool:
        async with memoranda.connect(pool) as store:
            for name in ("alice", "bob") * 4:
                await store.memory(name).facts.save(f"{name}'s", key="k")
            assert [fact.content for fact in await store.memory("bob").facts.recall()] == ["bob's"]
            async with pool.connection() as conn:
                left = await conn.execute("select current_user as login, current_setting('request.jwt.claims', true)")
                row = cast("Any", await left.fetchone())
        assert row == {"login": "authenticator", "current_setting": ""}
        assert not pool.closed, "the pool stays the caller's"


@pytest.mark.parametrize("autocommit", [False, True])
async def test_a_call_larger_than_the_sockets_buffer_gets_through(database: Database, autocommit: bool) -> None:
    settings = {"autocommit": autocommit}
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        database.dsn(), max_size=1, min_size=1, kwargs=settings, open=False
    )
    async with pool, memoranda.connect(pool) as store:
        facts = store.memory("alice").facts
        for length in (4_000, 9_000, 50_000, 100_000):
            await facts.save("𝄞" * length, key="k")
            fact = await facts.get("k")
            assert fact is not None
            assert len(fact.content) == length
        with pytest.raises(TooLargeError):
            await facts.save("x" * 20_000_000, key="k")
        assert await facts.get("k") == fact


@pytest.mark.parametrize("length", [1, 10_000])
async def test_a_refused_call_logs_nothing_and_leaves_the_connection_whole(
    alice: memoranda.Memory, caplog: pytest.LogCaptureFixture, length: int
) -> None:
    for _ in range(20):
        with pytest.raises(ConflictError, match="version 0, not 5"):
            await alice.facts.save("x" * length, key="k", expected_version=5)
    assert caplog.records == []


# Faults


async def test_no_free_connection_is_an_error_in_time_and_passes(database: Database) -> None:
    async with AsyncConnectionPool(database.dsn(), min_size=1, max_size=1, open=False) as pool:
        transport = PostgresTransport(pool, timeout=0.3)
        await transport.open()
        async with pool.connection():
            started = asyncio.get_running_loop().time()
            with pytest.raises(PoolTimeoutError):
                await whoami(transport, ALICE)
            assert asyncio.get_running_loop().time() - started < 2
        assert await whoami(transport, BOB) == BOB.claims["sub"]


async def test_a_call_that_takes_too_long_is_an_error_and_ends_on_the_server_too(database: Database) -> None:
    async with opened(database, seconds=0.4) as transport:
        with stalled(database), pytest.raises(CallTimeoutError):
            await transport.call("facts_recall", {"place": {}, "query": {}}, ALICE)
        assert all(state == "idle" for _, state in backends(database))
        assert await transport.call("facts_recall", {"place": {}, "query": {}}, ALICE) == []


@pytest.mark.direct(reason="PgBouncer replaces its own connections, and clients see nothing")
async def test_a_killed_backend_is_an_error_at_most_once(database: Database) -> None:
    async with opened(database, max_connections=3) as transport:
        await asyncio.gather(*(whoami(transport, ALICE) for _ in range(20)))
        with database.admin() as conn:
            for pid, _ in backends(database):
                conn.execute("select pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(UnavailableError):
            await whoami(transport, ALICE)
        for _ in range(100):  # the other connections are looked after in the background
            await asyncio.sleep(0.02)
            if len(await asyncio.gather(*(whoami(transport, ALICE) for _ in range(3)), return_exceptions=True)) == 3:
                break
        assert await whoami(transport, ALICE) == ALICE.claims["sub"]


async def test_a_server_that_goes_and_comes_back_needs_no_new_store() -> None:
    with running_server() as server:
        made = create_database(server)
        await migrated(made)
        async with memoranda.connect(made.dsn(), max_connections=2, timeout=3) as store:
            facts = store.memory("alice").facts
            await facts.save("kept", key="k")
            server.stop()
            with pytest.raises(UnavailableError):
                await facts.recall()
            server.start()
            for _ in range(200):
                try:
                    found = await facts.recall()
                    break
                except UnavailableError:
                    await asyncio.sleep(0.05)
            else:
                pytest.fail("the store did not recover")
            assert [fact.content for fact in found] == ["kept"]
        drop_database(made)


async def test_an_unreachable_server_is_an_error_that_says_so() -> None:
    with pytest.raises(UnavailableError, match="connection"):
        await memoranda.connect("host=127.0.0.1 port=1 user=x dbname=x connect_timeout=2").open()


NO_DSNS = [
    "host=127.0.0.1 swordfish",
    "postgresql://me:un@swordfish@host/db",
    "swordfish",
    "https://swordfish.supabase.co",
]


@pytest.mark.parametrize("dsn", NO_DSNS)
async def test_nothing_of_a_malformed_dsn_is_repeated(dsn: str) -> None:
    with pytest.raises(InputError) as caught:
        await memoranda.connect(dsn).open()
    assert "swordfish" not in "".join(traceback.format_exception(caught.value))


async def test_a_store_that_is_not_open_says_so(database: Database) -> None:
    store = memoranda.connect(database.dsn())
    with pytest.raises(UnavailableError, match="not open"):
        await store.memory("alice").facts.recall()
    async with store:
        assert await store.memory("alice").facts.recall() == []
    with pytest.raises(UnavailableError, match="not open"):
        await store.memory("alice").facts.recall()
    await store.close()


@pytest.mark.direct(reason="the process at the other end is PgBouncer")
async def test_a_frozen_backend_is_an_error_in_time(database: Database) -> None:
    async with AsyncConnectionPool(database.dsn(), min_size=1, max_size=1, open=False) as pool:
        transport = PostgresTransport(pool, timeout=0.5)
        await transport.open()
        async with pool.connection() as conn:
            pid = conn.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            started = asyncio.get_running_loop().time()
            with pytest.raises(UnavailableError):
                await whoami(transport, ALICE)
            assert asyncio.get_running_loop().time() - started < 2
        finally:
            os.kill(pid, signal.SIGCONT)
        assert await whoami(transport, BOB) == BOB.claims["sub"]


async def test_cancelled_calls_leave_the_pool_whole_and_no_identity_behind(database: Database) -> None:
    chance = random.Random(7)
    async with opened(database, max_connections=4) as transport:

        async def save(n: int) -> None:
            fact = {"place": {}, "fact": {"key": f"k{n % 7}", "content": f"v{n}"}, "call": {"idempotency_key": str(n)}}
            await transport.call("facts_save", cast("Any", fact), ALICE)

        for n in range(300):
            task = asyncio.create_task(save(n))
            await asyncio.sleep(chance.random() * 0.004)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        seen = await asyncio.gather(*(whoami(transport, BOB) for _ in range(12)))
        assert seen == [BOB.claims["sub"]] * 12
        assert all(state == "idle" for _, state in backends(database))
        for n in range(300):  # each is done once in the end, however often it was sent
            await save(n)
        with database.admin() as conn:
            row = conn.execute(
                "select count(*), count(*) filter (where status = 'confirmed'), (select count(*) "
                "from memoranda_private.idempotency_keys where outcome is not null) from memoranda_private.facts"
            ).fetchone()
        assert row == (300, 7, 300)
