"""Through a transaction pooler with two server connections: identities never mix, and nothing stays behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeAlias, cast

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

import memoranda
from memoranda.errors import ConflictError, ForbiddenError
from memoranda.identity import Identity
from memoranda.transport import NOBODY, SERVICE, Caller
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database
from support.leftovers import CLEAN, left_for_others, server_processes
from support.pooler import POOL_SIZE, PooledServer

Pool: TypeAlias = "AsyncConnectionPool[Any]"

ALICE = Caller.of(Identity.of("alice"))
SMALL, LARGE = 10, 10_000
"""Characters of a fact in a call that fits into a pooler's buffer, and in one that does not."""

# Whoever calls this leaves a trace, even when the transaction fails later, and needs no role to do so.
WITNESS = """
create role half login;
grant authenticated to half with set true;
grant usage on schema memoranda to public;
create sequence memoranda.calls;
grant usage on sequence memoranda.calls to public;
create function memoranda.witness(word jsonb) returns jsonb
language sql as $$ select to_jsonb(nextval('memoranda.calls')) $$;
"""


@pytest.fixture
def pooled(database: Database, pooled_server: PooledServer) -> Database:
    """The test's database as clients see it through the pooler."""
    return Database(pooled_server, database.name)


@pytest.fixture
async def transport(pooled: Database) -> AsyncIterator[PostgresTransport]:
    opened = PostgresTransport(pooled.dsn(), max_connections=8)
    await opened.open()
    yield opened
    await opened.close()


def save(content: str, key: str = "k") -> dict[str, Any]:
    return {"place": {}, "fact": {"key": key, "content": content}, "call": {}}


async def test_forty_users_on_two_server_connections_never_mix(transport: PostgresTransport, pooled: Database) -> None:
    callers = [Caller.of(Identity.of(f"user {n}")) for n in range(40)]

    async def use(caller: Caller, turn: int) -> None:
        me = caller.claims["sub"]
        assert cast("Any", await transport.call("whoami", {}, caller))["user"] == me
        content = f"{me} {turn} ".ljust(LARGE if turn == 2 else SMALL, "x")
        await transport.call("facts_save", save(content), caller)
        found = cast("Any", await transport.call("facts_recall", {"place": {}, "query": {}}, caller))
        assert len(found) == 1
        assert found[0]["content"].startswith(f"{me} "), "somebody else's"

    for turn in range(5):
        await asyncio.gather(*(use(caller, turn) for caller in callers))
    assert len(server_processes(pooled)) == POOL_SIZE
    with pooled.admin() as conn:
        wrong = conn.execute(
            "select count(*) from memoranda_private.facts where split_part(content, ' ', 1) <> owner_id::text"
        ).fetchone()
        everybody = conn.execute("select count(distinct owner_id) from memoranda_private.facts").fetchone()
    assert (wrong, everybody) == ((0,), (40,))


async def test_clients_that_are_idle_keep_no_server_connection(transport: PostgresTransport, pooled: Database) -> None:
    """Whatever a driver sends after the end of a transaction takes a server connection again, and may never let go."""
    others = [await psycopg.AsyncConnection.connect(pooled.dsn(), prepare_threshold=None) for _ in range(POOL_SIZE)]
    try:
        for _ in range(100):
            await asyncio.gather(*(transport.call("whoami", {}, ALICE) for _ in range(16)))
            async with asyncio.timeout(5):
                for other in others:
                    await other.execute("select 1")  # all of them at once, as each keeps its own until the rollback
            await asyncio.gather(*(other.rollback() for other in others))
    finally:
        for other in others:
            await other.close()


@pytest.mark.parametrize("length", [SMALL, LARGE])
async def test_after_a_call_its_server_connection_shows_nothing_of_it(
    transport: PostgresTransport, pooled: Database, length: int
) -> None:
    for _ in range(20):
        await asyncio.gather(
            *(transport.call("facts_save", save("x" * length, f"k{n}"), ALICE) for n in range(6)),
            transport.call("whoami", {}, NOBODY),
            transport.call("whoami", {}, SERVICE),
        )
    assert await left_for_others(pooled, POOL_SIZE) == [CLEAN] * POOL_SIZE


@pytest.mark.parametrize("length", [SMALL, LARGE])
async def test_after_a_refused_call_its_server_connection_shows_nothing_of_it(
    transport: PostgresTransport, pooled: Database, length: int
) -> None:
    refused = save("x" * length)
    refused["fact"]["expected_version"] = 5
    for _ in range(5):
        outcomes = await asyncio.gather(
            *(transport.call("facts_save", refused, ALICE) for _ in range(8)), return_exceptions=True
        )
        assert [type(outcome) for outcome in outcomes] == [ConflictError] * 8
    assert await left_for_others(pooled, POOL_SIZE) == [CLEAN] * POOL_SIZE
    assert set(server_processes(pooled)) == {"idle"}


@pytest.mark.parametrize("threshold", [None, 0, 1])
async def test_no_prepared_statement_is_left_even_by_a_pool_that_would_prepare(
    pooled: Database, threshold: int | None
) -> None:
    settings = {"prepare_threshold": threshold}
    pool: Pool = AsyncConnectionPool(pooled.dsn(), min_size=1, max_size=6, kwargs=settings, open=False)
    async with pool, memoranda.connect(pool) as store:
        for n in range(10):
            await asyncio.gather(*(store.memory(f"user {user}").facts.save(f"v{n}", key="k") for user in range(6)))
    assert await left_for_others(pooled, POOL_SIZE) == [CLEAN] * POOL_SIZE


async def test_what_a_session_keeps_would_be_seen(pooled: Database) -> None:
    async with await psycopg.AsyncConnection.connect(pooled.dsn(), autocommit=True) as conn:
        await conn.execute("select set_config('request.jwt.claims', 'mine', false)")
    assert await left_for_others(pooled, POOL_SIZE) != [CLEAN] * POOL_SIZE


@pytest.mark.parametrize("autocommit", [False, True])
@pytest.mark.parametrize("length", [SMALL, LARGE])
async def test_when_the_identity_cannot_be_set_the_call_never_runs(
    reached: Database, autocommit: bool, length: int
) -> None:
    with reached.admin() as conn:
        conn.execute(WITNESS)
        try:
            settings = {"autocommit": autocommit, "prepare_threshold": None}
            async with AsyncConnectionPool(reached.dsn("half"), min_size=2, kwargs=settings, open=False) as pool:
                transport = PostgresTransport(pool)
                await transport.open()
                assert await transport.call("witness", {"word": "x" * length}, ALICE) == 1
                conn.execute("revoke authenticated from half")
                for _ in range(10):
                    with pytest.raises(ForbiddenError, match='set role "authenticated"'):
                        await transport.call("witness", {"word": "x" * length}, ALICE)
                conn.execute("grant authenticated to half with set true")
                assert await transport.call("witness", {"word": "x" * length}, ALICE) == 2, "it ran in between"
        finally:
            conn.execute("drop owned by half; drop role half")


@pytest.mark.parametrize("length", [50_000, 100_000])
async def test_large_calls_get_through_side_by_side(transport: PostgresTransport, length: int) -> None:
    callers = [Caller.of(Identity.of(f"user {n}")) for n in range(12)]
    await asyncio.gather(*(transport.call("facts_save", save("𝄞" * length), caller) for caller in callers))
    found = await asyncio.gather(
        *(transport.call("facts_recall", {"place": {}, "query": {}}, caller) for caller in callers)
    )
    assert [[len(fact["content"]) for fact in cast("Any", facts)] for facts in found] == [[length]] * 12
