"""The twin without `await` when its server is slow, frozen, killed or away."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool

import memoranda.sync
from memoranda.errors import (
    CallTimeoutError,
    PoolTimeoutError,
    UnavailableError,
)
from support.databases import Database, create_database, drop_database, migrated, running_server


@pytest.fixture
def store(database: Database) -> Iterator[memoranda.sync.Store]:
    with memoranda.sync.connect(database.dsn()) as opened:
        yield opened


@pytest.fixture
def alice(store: memoranda.sync.Store) -> memoranda.sync.Memory:
    return store.memory("alice")


@pytest.fixture
def bob(store: memoranda.sync.Store) -> memoranda.sync.Memory:
    return store.memory("bob")


def contents(facts: list[memoranda.Fact]) -> list[str]:
    return [fact.content for fact in facts]


def backends(database: Database) -> list[int]:
    """The server processes of the store, once those of connections that were closed are gone."""
    last: list[int] | None = None
    with database.admin() as conn:
        while True:
            found = conn.execute(
                "select pid from pg_stat_activity where datname = current_database() and usename = 'authenticator' "
                "order by pid"
            ).fetchall()
            if last == (last := [row[0] for row in found]):
                return last
            time.sleep(0.1)


def keep_trying(what: Callable[[], Any], seconds: float = 20) -> Any:
    """What a call returns as soon as the database is within reach."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return what()
        except UnavailableError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def test_no_free_connection_is_an_error_in_time(database: Database) -> None:
    pool = ConnectionPool(database.dsn(), min_size=1, max_size=1, open=False)
    with pool, memoranda.sync.connect(pool, timeout=0.3) as store:
        with pool.connection():
            started = time.monotonic()
            with pytest.raises(PoolTimeoutError):
                store.memory("alice").facts.recall()
            assert time.monotonic() - started < 2
        assert store.memory("alice").facts.recall() == []


def test_a_call_that_takes_too_long_is_an_error_and_ends_on_the_server_too(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), timeout=0.4) as store:
        facts = store.memory("alice").facts
        facts.recall()
        before = backends(database)
        with psycopg.connect(database.dsn("postgres")) as conn:
            conn.execute("lock table memoranda_private.facts in access exclusive mode")
            with pytest.raises(CallTimeoutError):
                facts.recall()
        assert facts.recall() == []
        assert backends(database) == before, "the connection is as good as before"


@pytest.mark.direct(reason="the process at the other end is PgBouncer")
def test_a_frozen_backend_is_an_error_in_time(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), max_connections=1, timeout=0.5) as store:
        facts = store.memory("alice").facts
        facts.save("kept", key="k")
        (pid,) = backends(database)
        os.kill(pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            with pytest.raises(CallTimeoutError):
                facts.recall()
            assert time.monotonic() - started < 2
            assert contents(keep_trying(facts.recall)) == ["kept"]
        finally:
            os.kill(pid, signal.SIGCONT)


def test_calls_in_time_are_left_alone_by_one_that_is_late(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), max_connections=3, timeout=0.6) as store:
        facts = store.memory("alice").facts

        def save(n: int) -> None:
            facts.save("x", key=str(n))

        with ThreadPoolExecutor(3) as threads:
            list(threads.map(save, range(12)))
            pid = backends(database)[0]
            os.kill(pid, signal.SIGSTOP)
            try:
                tries = [threads.submit(facts.recall) for _ in range(60)]
                errors = [error for each in tries if (error := each.exception())]
            finally:
                os.kill(pid, signal.SIGCONT)
    assert [type(error) for error in errors] in ([], [CallTimeoutError])


@pytest.mark.direct(reason="PgBouncer replaces its own connections, and clients see nothing")
def test_a_killed_backend_is_an_error_at_most_once(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), max_connections=3) as store:
        facts = store.memory("alice").facts

        def save(n: int) -> None:
            facts.save("x", key=str(n))

        with ThreadPoolExecutor(3) as threads:
            list(threads.map(save, range(20)))
        with database.admin() as conn:
            for pid in backends(database):
                conn.execute("select pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(UnavailableError):
            facts.recall()
        time.sleep(0.5)  # the other connections are looked after in the background
        with ThreadPoolExecutor(3) as threads:
            found = [threads.submit(facts.recall) for _ in range(12)]
        assert [len(each.result()) for each in found] == [20] * 12


def test_a_server_that_goes_and_comes_back_needs_no_new_store() -> None:
    with running_server() as server:
        made = create_database(server)
        asyncio.run(migrated(made))
        with memoranda.sync.connect(made.dsn(), max_connections=2, timeout=3) as store:
            facts = store.memory("alice").facts
            facts.save("kept", key="k")
            server.stop()
            with pytest.raises(UnavailableError):
                facts.recall()
            server.start()
            assert contents(keep_trying(facts.recall)) == ["kept"]
        drop_database(made)
