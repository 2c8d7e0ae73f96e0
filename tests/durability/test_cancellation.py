"""Calls cancelled at any moment: the pool stays whole, nobody's identity stays behind, and each write happens once.

A cancelled write may have been committed. How many were is printed: `pytest tests/durability -m slow -rP`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from memoranda.identity import Identity
from memoranda.transport import Caller, postgres, trip
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database
from support.leftovers import CLEAN, left_for_others, left_on, server_processes, server_waits
from support.pooler import POOL_SIZE, PooledServer

Pool: TypeAlias = "AsyncConnectionPool[Any]"

CONNECTIONS = 4
AT_ONCE = 20
"""Calls under way at once: most of them wait for a connection, and are cancelled there, too."""

USERS = [Caller.of(Identity.of(name)) for name in ("alice", "bob", "carol")]
LARGE = 9_000
"""Characters of a fact that does not fit into one buffer of a pooler."""


def pool_to(database: Database) -> Pool:
    return AsyncConnectionPool(database.dsn(), min_size=CONNECTIONS, max_size=CONNECTIONS, open=False)


@asynccontextmanager
async def opened(pool: Pool) -> AsyncGenerator[PostgresTransport]:
    async with pool:
        await pool.wait()
        transport = PostgresTransport(pool)
        await transport.open()
        yield transport
        await transport.close()


async def save(transport: PostgresTransport, n: int) -> Any:
    """The write with that number. It is always the same, and one in five is large."""
    content = f"{USERS[n % 3].claims['sub']} {n} ".ljust(LARGE if n % 5 == 0 else 0, "x")
    fact = {"key": f"k{n % 7}", "content": content}
    call = {"idempotency_key": str(n)}
    return await transport.call("facts_save", {"place": {}, "fact": {**fact}, "call": {**call}}, USERS[n % 3])


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


async def see_that_all_is_whole(database: Database, pool: Pool) -> None:
    """Once what was cancelled has ended: all connections are there, work, and have nothing on them."""
    await becomes(lambda: pool.get_stats()["pool_available"] == CONNECTIONS)
    assert pool.get_stats()["pool_size"] == CONNECTIONS
    assert not pool.get_stats().get("requests_waiting")
    await becomes(lambda: set(server_processes(database)) <= {"idle"})
    held = [await pool.getconn() for _ in range(CONNECTIONS)]
    for conn in held:
        assert (await left_on(conn))[:-1] == CLEAN
        await conn.rollback()
    for conn in held:
        await pool.putconn(conn)
    if isinstance(database.server, PooledServer):
        assert await left_for_others(database, POOL_SIZE) == [CLEAN] * POOL_SIZE


async def cancelled_at_random(
    transport: PostgresTransport, numbers: range, chance: random.Random, longest: float
) -> tuple[set[int], set[int]]:
    """Begin these writes at once, and cancel each at a moment of its own; returns the done and the cancelled ones."""
    tasks = {n: asyncio.create_task(save(transport, n)) for n in numbers}
    for task in tasks.values():
        asyncio.get_running_loop().call_later(chance.random() * longest, task.cancel)
    await asyncio.wait(tasks.values())
    cancelled = {n for n, task in tasks.items() if task.cancelled()}
    for n in tasks.keys() - cancelled:
        tasks[n].result()  # no other error than the cancellation, in nobody's call
    return tasks.keys() - cancelled, cancelled


async def time_of_a_batch(transport: PostgresTransport) -> float:
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(transport.call("whoami", {}, USERS[0]) for _ in range(AT_ONCE)))
    return (asyncio.get_running_loop().time() - started) * 3  # a write takes longer


async def rounds_of_cancellations(database: Database, times: int) -> None:
    """Three rounds of writes, until so many were cancelled in each; then those are sent again."""
    begun = 0
    for turn in range(3):
        chance = random.Random(turn)
        done, cancelled = set[int](), set[int]()
        async with opened(pool := pool_to(database)) as transport:
            longest = await time_of_a_batch(transport)
            while len(cancelled) < times or not done:
                finished, ended = await cancelled_at_random(transport, range(begun, begun + AT_ONCE), chance, longest)
                done, cancelled, begun = done | finished, cancelled | ended, begun + AT_ONCE
                longest *= 1 if finished else 2  # on a busy machine a write takes longer still
                await see_that_all_is_whole(database, pool)
            committed = saved(database) & (done | cancelled)
            assert done <= committed, "a write that was done is lost"
            again = [await save(transport, n) for n in sorted(cancelled)]
            replayed = sum(bool(outcome.get("replayed")) for outcome in again)
            await see_that_all_is_whole(database, pool)
        assert replayed == len(committed & cancelled)
        assert saved(database) == set(range(begun)), "each happened once in the end"
        print(f"{len(done | cancelled)} writes: {len(cancelled)} cancelled, {replayed} of these had been committed")
        assert done


async def test_cancelled_calls_leave_all_whole_and_happen_once_when_sent_again(reached: Database) -> None:
    await rounds_of_cancellations(reached, 50)


@pytest.mark.slow
async def test_thousands_of_cancelled_calls_leave_all_whole_and_happen_once_when_sent_again(reached: Database) -> None:
    await rounds_of_cancellations(reached, 1_000)


WAITS = """
create function {schema}.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(5); return null; end $$;
create constraint trigger wait after insert on memoranda_private.facts
  deferrable initially {when} for each row execute function {schema}.wait();
"""


@pytest.mark.parametrize("at", ["identity", "call", "commit"])
@pytest.mark.parametrize("n", [1, 5], ids=["small", "large"])
async def test_a_call_cancelled_at_each_of_its_statements_never_happened(
    reached: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, at: str, n: int
) -> None:
    """The server is held up in the midst of each statement, and the call is cancelled there."""
    if at != "identity":
        with reached.admin() as conn:
            conn.execute(WAITS.format(schema="public", when="immediate" if at == "call" else "deferred").encode())
    async with opened(pool := pool_to(reached)) as transport:
        if at == "identity":
            monkeypatch.setattr(postgres, "_BIND", postgres._BIND + b", pg_sleep(5)")  # pyright: ignore[reportPrivateUsage]
        for _ in range(5):
            task = asyncio.create_task(save(transport, n))
            await becomes(lambda: "PgSleep" in server_waits(reached))
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
            await see_that_all_is_whole(reached, pool)
    assert caplog.records == []
    assert saved(reached) == set()


@pytest.mark.parametrize("moment", ["before it is sent", "before its answer", "after its answer"])
@pytest.mark.parametrize("n", [1, 5], ids=["small", "large"])
async def test_a_call_cancelled_at_each_of_its_waits_leaves_all_whole(
    reached: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, moment: str, n: int
) -> None:
    struck = 0
    together = trip.together

    def strike() -> None:
        nonlocal struck
        task = asyncio.current_task()
        assert task
        task.cancel()  # takes effect where this task next waits
        struck += 1

    def striking(*arguments: Any) -> Generator[Any, Any, Any]:
        steps = together(*arguments)
        if moment == "before it is sent":
            strike()
        try:
            wanted = next(steps)
            if moment == "before its answer":
                strike()
            while True:
                wanted = steps.send((yield wanted))
        except StopIteration as end:
            if moment == "after its answer":
                strike()
            return end.value

    async with opened(pool := pool_to(reached)) as transport:
        monkeypatch.setattr(postgres, "together", striking)
        for _ in range(10):
            outcome = (await asyncio.gather(save(transport, n), return_exceptions=True))[0]
            assert isinstance(outcome, asyncio.CancelledError | dict)
            await see_that_all_is_whole(reached, pool)
        assert struck == 10
        monkeypatch.undo()
        await save(transport, n)
    assert caplog.records == []
    assert saved(reached) == {n}


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
    reached: Database, at: str, committed: bool
) -> None:
    pool = GatedPool(reached.dsn(), min_size=CONNECTIONS, max_size=CONNECTIONS, open=False)
    async with opened(pool) as transport:
        for n in range(CONNECTIONS):
            pool.hold_up(at)
            task = asyncio.create_task(save(transport, n))
            await pool.arrived.wait()
            task.cancel()
            assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
            pool.gate.set()
            pool.held_up_at = ""
            await see_that_all_is_whole(reached, pool)
    assert saved(reached) == (set(range(CONNECTIONS)) if committed else set())


async def test_a_call_cancelled_while_it_waits_for_a_connection_never_runs(reached: Database) -> None:
    async with opened(pool := pool_to(reached)) as transport:
        held = [await pool.getconn() for _ in range(CONNECTIONS)]
        task = asyncio.create_task(save(transport, 1))
        await becomes(lambda: pool.get_stats().get("requests_waiting") == 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for conn in held:
            await pool.putconn(conn)
        await see_that_all_is_whole(reached, pool)
    assert saved(reached) == set()
