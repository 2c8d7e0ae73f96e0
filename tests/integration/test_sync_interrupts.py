"""Calls of the sync twin, interrupted at any moment: the pool stays whole, and each write happens once."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeAlias, cast

import psycopg
import pytest
from psycopg_pool import ConnectionPool

import memoranda.sync
from memoranda.errors import UnavailableError
from memoranda.identity import Identity
from memoranda.sync.transport.deadline import Deadline
from memoranda.sync.transport.postgres import PostgresTransport
from memoranda.transport import Caller
from support.databases import Database
from support.servers import eventually

Pool: TypeAlias = "ConnectionPool[Any]"

CONNECTIONS = 3
ALICE = Caller.of(Identity.of("alice"))
LEFT = """
select current_user::text, current_setting('role'), coalesce(current_setting('request.jwt.claims', true), ''),
       current_setting('statement_timeout')
"""
CLEAN = ("authenticator", "none", "", "0")


# Python drops an interrupt that strikes in the callback of a weak reference (threading has some) or of the garbage
# collector (Hypothesis has one), and warns.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Exception ignored.*(WeakSet|gc_callback):pytest.PytestUnraisableExceptionWarning"
    ),
    pytest.mark.direct(reason="connections are cut, and the processes at the other end are looked at"),
]


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """The alarm interrupts, as Ctrl-C does; SIGINT itself may have been switched off by whoever started the tests."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def interrupted(call: Callable[[], object], after: float) -> bool:
    """Make a call, and interrupt it after some seconds; returns whether that was before its end."""
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    return False


def pool_to(database: Database, kind: type[Pool] = ConnectionPool) -> Pool:
    return kind(database.dsn(), min_size=CONNECTIONS, max_size=CONNECTIONS, open=False)


@contextmanager
def opened(pool: Pool, timeout: float = 10.0) -> Generator[PostgresTransport]:
    with pool:
        pool.wait()
        transport = PostgresTransport(pool, timeout=timeout)
        transport.open()
        yield transport
        transport.close()


def save(transport: PostgresTransport, n: int) -> dict[str, Any]:
    """The write with that number: always the same, and one in five too large for one trip with the identity."""
    content = f"{n} ".ljust(9_000 if n % 5 == 0 else 0, "x")
    write: Any = {"place": {}, "fact": {"key": f"k{n % 7}", "content": content}, "call": {"idempotency_key": str(n)}}
    return cast("dict[str, Any]", transport.call("facts_save", write, ALICE))


def saved(database: Database) -> set[int]:
    """The writes that were committed, each of them once."""
    with database.admin() as conn:
        found = conn.execute("select split_part(content, ' ', 1)::int from memoranda_private.facts").fetchall()
    numbers = [number for (number,) in found]
    assert len(numbers) == len(set(numbers)), "a write happened twice"
    return set(numbers)


def all_idle(database: Database) -> bool:
    with database.admin() as conn:
        found = conn.execute(
            "select bool_and(state = 'idle') from pg_stat_activity "
            "where datname = current_database() and usename = 'authenticator'"
        ).fetchone()
    return found == (True,)


def see_that_all_is_whole(database: Database, pool: Pool) -> None:
    """Once what was interrupted has ended: all connections are there, work, and have nothing on them."""
    eventually(lambda: pool.get_stats()["pool_available"] == CONNECTIONS)
    assert pool.get_stats()["pool_size"] == CONNECTIONS
    eventually(lambda: all_idle(database))
    held = [pool.getconn() for _ in range(CONNECTIONS)]
    for conn in held:
        assert conn.execute(LEFT).fetchone() == CLEAN
        conn.rollback()
    for conn in held:
        pool.putconn(conn)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_interrupted_calls_leave_all_whole_and_happen_once_when_sent_again(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    with opened(pool := pool_to(database)) as transport:
        cut = {n for n in range(150) if interrupted(partial(save, transport, n), 0.0001 + chance.random() * 0.006)}
        see_that_all_is_whole(database, pool)
        committed = saved(database)
        assert set(range(150)) - cut <= committed, "a write that was done is lost"
        again = [save(transport, n) for n in sorted(cut)]
    assert sum(bool(outcome.get("replayed")) for outcome in again) == len(committed & cut)
    assert saved(database) == set(range(150))
    assert cut


class GatedPool(ConnectionPool[Any]):
    """A pool that can be held up with a connection in its hands, while it gives it out or takes it back."""

    held_up_at = ""

    def hold_up(self, at: str) -> None:
        self.held_up_at, self.gate = at, threading.Event()

    def _pass(self, at: str) -> None:
        if at == self.held_up_at:
            assert self.gate.wait(20)

    def getconn(self, timeout: float | None = None) -> psycopg.Connection[Any]:
        conn: psycopg.Connection[Any] = super().getconn(timeout)
        self._pass("giving out")
        return conn

    def putconn(self, conn: psycopg.Connection[Any]) -> None:
        self._pass("taking back")
        super().putconn(conn)


@pytest.mark.parametrize(("at", "committed"), [("giving out", False), ("taking back", True)])
def test_no_connection_is_lost_by_a_call_interrupted_while_the_pool_has_it_in_its_hands(
    database: Database, at: str, committed: bool
) -> None:
    pool = cast("GatedPool", pool_to(database, GatedPool))
    with opened(pool) as transport:
        for n in range(CONNECTIONS):
            pool.hold_up(at)
            assert interrupted(partial(save, transport, n), 0.2)
            pool.gate.set()
            pool.held_up_at = ""
            see_that_all_is_whole(database, pool)
    assert saved(database) == (set(range(CONNECTIONS)) if committed else set())


def test_a_call_interrupted_while_it_waits_for_a_connection_never_runs(database: Database) -> None:
    with opened(pool := pool_to(database)) as transport:
        held = [pool.getconn() for _ in range(CONNECTIONS)]
        assert interrupted(lambda: save(transport, 1), 0.2)
        assert pool.get_stats()["requests_waiting"] == 1
        for conn in held:
            pool.putconn(conn)
        see_that_all_is_whole(database, pool)
    assert saved(database) == set()


def test_a_call_that_waits_for_the_server_is_left_at_once_and_the_store_goes_on(database: Database) -> None:
    with opened(pool := pool_to(database), timeout=5) as transport:
        with psycopg.connect(database.dsn("postgres")) as conn:
            conn.execute("lock table memoranda_private.facts in access exclusive mode")
            started = time.monotonic()
            assert interrupted(lambda: save(transport, 1), 0.2)
            assert time.monotonic() - started < 2
        see_that_all_is_whole(database, pool)
        assert save(transport, 2)["outcome"] == "stored"


def test_an_interrupted_open_leaves_no_connection_and_no_thread(database: Database) -> None:
    chance, before = random.Random(0), set(threading.enumerate())
    for _ in range(40):
        store = memoranda.sync.connect(database.dsn())
        if not interrupted(store.open, 0.0001 + chance.random() * 0.02):
            store.close()
    eventually(lambda: set(threading.enumerate()) <= before)
    with database.admin() as conn:
        mine = "select count(*) from pg_stat_activity where usename = 'authenticator' and datname = current_database()"
        eventually(lambda: conn.execute(mine).fetchone() == (0,))


def test_a_store_is_open_or_closed_after_an_interrupted_open_never_between(database: Database) -> None:
    store, chance = memoranda.sync.connect(database.dsn()), random.Random(1)
    for _ in range(20):
        interrupted(store.open, 0.0001 + chance.random() * 0.02)
        with store:
            assert store.memory("alice").facts.recall() == []


def test_what_nobody_waits_for_before_it_began_is_neither_done_nor_undone() -> None:
    """Else it would undo what came next, and had its turn before it."""
    deadline, has_begun, may_end, done = Deadline(10), threading.Event(), threading.Event(), list[str]()

    def first() -> None:
        has_begun.set()
        may_end.wait(30)
        done.append("first")

    with ThreadPoolExecutor(1) as thread:
        under_way = thread.submit(deadline.wholly, first, lambda: done.append("first undone"))
        assert has_begun.wait(30)
        assert interrupted(
            lambda: deadline.wholly(lambda: done.append("left"), lambda: done.append("left undone")), 0.2
        )
        may_end.set()
        under_way.result()
    deadline.wholly(lambda: done.append("next"), lambda: done.append("next undone"))
    eventually(lambda: not [each for each in threading.enumerate() if each.name == "memoranda-errand"])
    assert done == ["first", "next"]


def test_closing_waits_for_a_call_no_longer_than_its_time(database: Database) -> None:
    """Also for one on a frozen server, whose caller is another thread."""
    before = set(threading.enumerate())
    with ConnectionPool(database.dsn(), min_size=1, max_size=1, open=False) as pool, ThreadPoolExecutor(1) as thread:
        store = memoranda.sync.connect(pool, timeout=1).open()
        with pool.connection() as conn:
            pid = conn.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            call = thread.submit(store.memory("alice").facts.recall)
            eventually(lambda: pool.get_stats()["pool_available"] == 0)
            started = time.monotonic()
            store.close()
            assert time.monotonic() - started < 3
            assert isinstance(call.exception(5), UnavailableError)
        finally:
            os.kill(pid, signal.SIGCONT)
    assert set(threading.enumerate()) <= before


def test_a_call_sees_the_context_variables_of_its_caller(database: Database) -> None:
    variable = ContextVar("variable", default="")
    variable.set("the caller's")
    with psycopg.connect(database.dsn()) as conn:
        assert Deadline(5).call(lambda: conn, lambda _: variable.get()) == "the caller's"


def test_without_a_thread_the_error_is_one_of_ours(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with memoranda.sync.connect(database.dsn()) as store:
        with monkeypatch.context() as patch:

            def refuse(_: threading.Thread) -> None:
                raise RuntimeError("can't start new thread")

            patch.setattr(threading.Thread, "start", refuse)
            with pytest.raises(UnavailableError, match="no thread"):
                store.memory("alice").facts.recall()
        assert store.memory("alice").facts.recall() == []
