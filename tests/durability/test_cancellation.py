"""Calls cancelled at any moment: the pool stays whole, nobody's identity stays behind, and each write happens once.

A cancelled write may have been committed; sent again with its idempotency key, it happens once all the same.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, cast

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from memoranda.identity import Identity
from memoranda.transport import Caller
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database

Pool: TypeAlias = "AsyncConnectionPool[Any]"

CONNECTIONS = 4
AT_ONCE = 20
"""Calls under way at once: most of them wait for a connection, and are cancelled there, too."""

USERS = [Caller.of(Identity.of(name)) for name in ("alice", "bob", "carol")]
CLEAN = ("authenticator", "none", "", "", "0")

LEFT = """
select current_user::text, current_setting('role'), coalesce(current_setting('request.jwt.claims', true), ''),
       coalesce(current_setting('memoranda.call', true), ''), current_setting('statement_timeout')
"""


def pool_to(database: Database, kind: type[Pool] = AsyncConnectionPool) -> Pool:
    return kind(database.dsn(), min_size=CONNECTIONS, max_size=CONNECTIONS, open=False)


@asynccontextmanager
async def opened(pool: Pool) -> AsyncGenerator[PostgresTransport]:
    async with pool:
        await pool.wait()
        transport = PostgresTransport(pool)
        await transport.open()
        yield transport
        await transport.close()


async def save(transport: PostgresTransport, n: int) -> dict[str, Any]:
    """The write with that number: always the same, and one in five too large for one trip with the identity."""
    content = f"{USERS[n % 3].claims['sub']} {n} ".ljust(9_000 if n % 5 == 0 else 0, "x")
    write: Any = {"place": {}, "fact": {"key": f"k{n % 7}", "content": content}, "call": {"idempotency_key": str(n)}}
    return cast("dict[str, Any]", await transport.call("facts_save", write, USERS[n % 3]))


def saved(database: Database) -> set[int]:
    """The writes that were committed, each of them once, and as its own user."""
    with database.admin() as conn:
        found = conn.execute(
            "select split_part(content, ' ', 2)::int, split_part(content, ' ', 1) = owner_id::text "
            "from memoranda_private.facts"
        ).fetchall()
    numbers = [number for number, _ in found]
    assert len(numbers) == len(set(numbers)), "a write happened twice"
    assert all(own for _, own in found), "a write happened as somebody else"
    return set(numbers)


async def becomes(condition: Callable[[], bool], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - neither the pool nor the server tells
            await asyncio.sleep(0.002)


def all_idle(database: Database) -> bool:
    with database.admin() as conn:
        found = conn.execute(
            "select bool_and(state = 'idle') from pg_stat_activity "
            "where datname = current_database() and usename = 'authenticator'"
        ).fetchone()
    return found == (True,)


async def see_that_all_is_whole(database: Database, pool: Pool) -> None:
    """Once what was cancelled has ended: all connections are there, work, and have nothing on them."""
    await becomes(lambda: pool.get_stats()["pool_available"] == CONNECTIONS)
    assert pool.get_stats()["pool_size"] == CONNECTIONS
    await becomes(lambda: all_idle(database))
    held = [await pool.getconn() for _ in range(CONNECTIONS)]
    for conn in held:
        assert await (await conn.execute(LEFT)).fetchone() == CLEAN
        await conn.rollback()
    for conn in held:
        await pool.putconn(conn)


@pytest.mark.parametrize("seed", [0, 1, 2])
async def test_cancelled_calls_leave_all_whole_and_happen_once_when_sent_again(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    done, cancelled = set[int](), set[int]()
    async with opened(pool := pool_to(database)) as transport:
        for first in range(0, 100, AT_ONCE):
            tasks = {n: asyncio.create_task(save(transport, n)) for n in range(first, first + AT_ONCE)}
            for task in tasks.values():
                asyncio.get_running_loop().call_later(chance.random() * 0.06, task.cancel)
            await asyncio.wait(tasks.values())
            ended = {n for n, task in tasks.items() if task.cancelled()}
            for n in tasks.keys() - ended:
                tasks[n].result()  # no other error than the cancellation, in nobody's call
            done, cancelled = done | (tasks.keys() - ended), cancelled | ended
            await see_that_all_is_whole(database, pool)
        committed = saved(database)
        assert done <= committed, "a write that was done is lost"
        again = [await save(transport, n) for n in sorted(cancelled)]
    assert sum(bool(outcome.get("replayed")) for outcome in again) == len(committed & cancelled)
    assert saved(database) == set(range(100))
    assert cancelled


@pytest.mark.parametrize("at", ["set_config('role'", "facts_save"])
@pytest.mark.parametrize("n", [1, 5], ids=["one trip", "several trips"])
async def test_a_call_cancelled_at_each_of_its_statements_leaves_all_whole(
    database: Database, monkeypatch: pytest.MonkeyPatch, at: str, n: int
) -> None:
    struck = 0
    armed = False
    execute = cast("Any", psycopg.AsyncCursor.execute)

    async def striking(self: psycopg.AsyncCursor[Any], query: Any, *rest: Any, **named: Any) -> Any:
        nonlocal armed, struck
        if armed and at in (query if isinstance(query, str) else query.as_string(self)):
            task = asyncio.current_task()
            assert task
            task.cancel()  # takes effect where this task next waits
            struck, armed = struck + 1, False
        return await execute(self, query, *rest, **named)

    monkeypatch.setattr(psycopg.AsyncCursor, "execute", striking)
    async with opened(pool := pool_to(database)) as transport:
        for _ in range(10):
            armed = True
            await asyncio.gather(save(transport, n), return_exceptions=True)
            armed = False
            await see_that_all_is_whole(database, pool)
        assert struck == 10
        await save(transport, n)
    assert saved(database) == {n}


class GatedPool(AsyncConnectionPool[Any]):
    """A pool that can be held up with a connection in its hands, while it gives it out or takes it back."""

    held_up_at = ""

    def hold_up(self, at: str) -> None:
        self.held_up_at, self.arrived, self.gate = at, asyncio.Event(), asyncio.Event()

    async def _pass(self, at: str) -> None:
        if at == self.held_up_at:
            self.arrived.set()
            await self.gate.wait()

    async def getconn(self, timeout: float | None = None) -> psycopg.AsyncConnection[Any]:  # noqa: ASYNC109 - psycopg's
        conn: psycopg.AsyncConnection[Any] = await super().getconn(timeout)
        await self._pass("giving out")
        return conn

    async def putconn(self, conn: psycopg.AsyncConnection[Any]) -> None:
        await self._pass("taking back")
        await super().putconn(conn)


@pytest.mark.parametrize(("at", "committed"), [("giving out", False), ("taking back", True)])
async def test_no_connection_is_lost_by_a_call_cancelled_while_the_pool_has_it_in_its_hands(
    database: Database, at: str, committed: bool
) -> None:
    pool = cast("GatedPool", pool_to(database, GatedPool))
    async with opened(pool) as transport:
        for n in range(CONNECTIONS):
            pool.hold_up(at)
            task = asyncio.create_task(save(transport, n))
            await pool.arrived.wait()
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
            pool.gate.set()
            pool.held_up_at = ""
            await see_that_all_is_whole(database, pool)
    assert saved(database) == (set(range(CONNECTIONS)) if committed else set())


async def test_a_call_cancelled_while_it_waits_for_a_connection_never_runs(database: Database) -> None:
    async with opened(pool := pool_to(database)) as transport:
        held = [await pool.getconn() for _ in range(CONNECTIONS)]
        task = asyncio.create_task(save(transport, 1))
        await becomes(lambda: pool.get_stats().get("requests_waiting") == 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for conn in held:
            await pool.putconn(conn)
        await see_that_all_is_whole(database, pool)
    assert saved(database) == set()
