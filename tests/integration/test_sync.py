"""The twin without `await`, against a real server: the same memory, and the same promises of its transport."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

import memoranda.sync
from memoranda import Scope
from memoranda.errors import (
    ConflictError,
    ForbiddenError,
    IdempotencyError,
    InputError,
    PrivilegeError,
    SchemaMissingError,
    UnavailableError,
)
from memoranda.transport import Caller, Json
from support.databases import Database, running_server
from support.servers import eventually


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


# What it does


def test_a_fact_is_saved_corrected_recalled_and_forgotten(alice: memoranda.sync.Memory) -> None:
    first = alice.facts.save("Prefers GBP.", key="currency", kind="preference")
    second = alice.facts.save("Prefers EUR.", key="currency", kind="preference")
    assert isinstance(first, memoranda.Outcome)
    assert (first.outcome, second.outcome, second.supersedes) == ("stored", "superseded", first.id)
    fact = alice.facts.get("currency")
    assert isinstance(fact, memoranda.Fact)
    assert (fact.content, fact.version) == ("Prefers EUR.", 2)
    assert alice.facts.recall() == [fact]
    assert alice.facts.forget("currency", reason="asked to").outcome == "forgotten"
    assert alice.facts.recall() == []
    history = alice.facts.history(first.id or uuid4())
    assert [(entry.verb, entry.fact.content) for entry in history] == [
        ("forgotten", "Prefers EUR."),
        ("corrected", "Prefers EUR."),
        ("saved", "Prefers GBP."),
    ]


def test_the_errors_are_the_same_classes(alice: memoranda.sync.Memory, caplog: pytest.LogCaptureFixture) -> None:
    alice.facts.save("a", key="k", idempotency_key="w1")
    with pytest.raises(ConflictError, match="version 1, not 5"):
        alice.facts.save("b", key="k", expected_version=5)
    with pytest.raises(IdempotencyError):
        alice.facts.save("b", key="k", idempotency_key="w1")
    with pytest.raises(InputError):
        alice.facts.save("b", key="")
    assert alice.facts.save("a", key="k", idempotency_key="w1").replayed
    assert caplog.records == []


def test_files_and_the_commands_of_the_memory_tool(alice: memoranda.sync.Memory) -> None:
    assert alice.files.write("/memories/notes.md", "one\ntwo\n").outcome == "created"
    assert alice.files.replace("/memories/notes.md", "two", "three").outcome == "edited"
    file = alice.files.read("/memories/notes.md")
    assert isinstance(file, memoranda.File)
    assert file.content == "one\nthree\n"
    assert [entry.path for entry in alice.files.list()] == ["/memories/notes.md"]
    shown = alice.files.run({"command": "view", "path": "/memories/notes.md"})
    assert "     2\tthree" in shown.text
    assert alice.files.run({"command": "delete", "path": "/memories/none"}).is_error
    assert [entry.version for entry in alice.files.history("/memories/notes.md")] == [2, 1]


def test_the_context_and_the_undoing_of_a_run(store: memoranda.sync.Store) -> None:
    memory = store.memory("alice", run_id="run-1")
    memory.files.write("/memories/notes.md", "as it was")
    memory = store.memory("alice", run_id="run-2")
    memory.taint("a web page")
    memory.files.write("/memories/notes.md", "as the page wants it")
    memory.facts.save("Prefers GBP.", key="currency")
    block = memory.context("what currency?", budget=1000)
    assert isinstance(block, memoranda.Context)
    assert block.waiting == 1
    assert [waiting.fact.content for waiting in memory.review.pending()] == ["Prefers GBP."]
    assert "as the page wants it" in block.text
    assert isinstance(memory.undo(run_id="run-2"), memoranda.sync.Undone)
    assert memory.facts.recall() == []
    file = memory.files.read("/memories/notes.md")
    assert file is not None
    assert file.content == "as it was"


def test_users_and_scopes_share_nothing(store: memoranda.sync.Store, bob: memoranda.sync.Memory) -> None:
    for scope in (Scope.user(), Scope.agent("a"), Scope.agent("ab"), Scope.chat("a")):
        store.memory("alice", scope=scope).facts.save(str(scope), key="k")
    assert contents(store.memory("alice", scope=Scope.agent("a")).facts.recall()) == [str(Scope.agent("a"))]
    assert bob.facts.recall() == []


def test_members(database: Database) -> None:
    acme = "acme"
    with memoranda.sync.connect(database.dsn()) as store:
        member = store.members.set(acme, "alice", "manage")
        store.members.set(acme, "bob")
        assert isinstance(member, memoranda.Member)
        assert {each.permission for each in store.members.list(acme)} == {"manage", "read"}
        store.memory("alice", tenant=acme, scope=Scope.organization()).facts.save("ours", key="k")
        of_bob = store.memory("bob", tenant=acme, scope=Scope.organization())
        assert contents(of_bob.facts.recall()) == ["ours"]
        with pytest.raises(ForbiddenError):
            of_bob.facts.save("mine", key="k")
        assert store.members.remove(acme, "bob")
        with pytest.raises(ForbiddenError, match="not a member"):
            of_bob.facts.recall()


async def test_it_works_where_an_event_loop_is_running(database: Database) -> None:
    assert asyncio.get_running_loop().is_running()
    with memoranda.sync.connect(database.dsn()) as store:
        store.memory("alice").facts.save("in a cell", key="k")
        assert contents(store.memory("alice").facts.recall()) == ["in a cell"]


def test_threads_share_a_store_and_never_an_identity(store: memoranda.sync.Store) -> None:
    def work(name: str) -> list[str]:
        facts = store.memory(name).facts
        for turn in range(25):
            facts.save(f"{name} {turn}", key="k")
            assert contents(facts.recall()) == [f"{name} {turn}"]
        return contents([entry.fact for entry in facts.history("k")])

    names = ["alice", "bob"]
    with ThreadPoolExecutor(2) as threads:
        histories = list(threads.map(work, names))
    assert histories == [[f"{name} {turn}" for turn in reversed(range(25))] for name in names]


# Ways in and out


def test_a_folder_is_opened_and_kept(tmp_path: Path) -> None:
    with running_server() as server:
        folder = server.folder.parent / "kept"
        with memoranda.sync.open(folder) as store:
            store.memory("alice").facts.save("kept", key="k")
        assert not list(folder.rglob("postmaster.pid")), "the last one out stops the server"
        with memoranda.sync.open(folder) as store:
            assert contents(store.memory("alice").facts.recall()) == ["kept"]


def test_a_store_that_is_not_open_says_so(database: Database) -> None:
    store = memoranda.sync.connect(database.dsn())
    with pytest.raises(UnavailableError, match=r"not open.*`with store:`"):
        store.memory("alice").facts.recall()
    with store:
        assert store.memory("alice").facts.recall() == []
    with pytest.raises(UnavailableError, match="not open"):
        store.memory("alice").facts.recall()
    store.close()
    with store:  # and again
        assert store.memory("alice").facts.recall() == []


@pytest.mark.direct(reason="PgBouncer keeps its own connections")
def test_a_closed_store_leaves_no_connection_and_no_thread(database: Database) -> None:
    before = set(threading.enumerate())
    with memoranda.sync.connect(database.dsn()) as store:
        store.memory("alice").facts.recall()
        assert backends(database)
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before
    eventually(lambda: not backends(database))


def test_what_is_wrong_with_a_database_is_said_at_once(empty_database: Database, database: Database) -> None:
    with pytest.raises(SchemaMissingError):
        memoranda.sync.connect(empty_database.dsn("postgres")).open()
    with pytest.raises(UnavailableError, match="connection"):
        memoranda.sync.connect("host=127.0.0.1 port=1 user=x dbname=x connect_timeout=2").open()
    with database.admin() as conn:
        conn.execute("create role stranger login")
        try:
            with pytest.raises(PrivilegeError, match='grant authenticated to "stranger"'):
                memoranda.sync.connect(database.dsn("stranger")).open()
        finally:
            conn.execute("drop role stranger")


@pytest.mark.parametrize("autocommit", [False, True])
def test_a_pool_of_the_callers_own_works_whatever_its_settings(database: Database, autocommit: bool) -> None:
    settings = {"autocommit": autocommit, "row_factory": dict_row, "prepare_threshold": 0}
    with ConnectionPool(database.dsn(), min_size=1, max_size=2, kwargs=settings, open=False) as pool:
        with memoranda.sync.connect(pool) as store:
            for name in ("alice", "bob") * 4:
                store.memory(name).facts.save("x" * 9_000 + name, key="k")
            assert contents(store.memory("bob").facts.recall()) == ["x" * 9_000 + "bob"]
        assert not pool.closed, "the pool stays the caller's"


# The twin of an async store


async def test_an_async_store_has_a_twin(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=3) as store:
        before = set(threading.enumerate())
        twin = store.sync
        assert twin is store.sync
        assert isinstance(twin, memoranda.sync.Store)
        facts = twin.memory("alice").facts
        assert set(threading.enumerate()) == before, "it opens itself when it is first called"
        facts.save("from the twin", key="k")
        assert set(threading.enumerate()) > before
        assert contents(await store.memory("alice").facts.recall()) == ["from the twin"]
    with pytest.raises(UnavailableError, match="not open"):
        twin.memory("alice").facts.recall()
    async with store:
        assert contents(store.sync.memory("alice").facts.recall()) == ["from the twin"]


async def test_threads_that_come_at_once_open_a_twin_once(database: Database) -> None:
    async with memoranda.connect(database.dsn()) as store:
        facts = store.sync.memory("alice").facts
        found = await asyncio.gather(*(asyncio.to_thread(facts.save, str(n), key=str(n)) for n in range(8)))
        assert {outcome.outcome for outcome in found} == {"stored"}


async def test_a_twin_can_be_opened_and_closed_by_itself(database: Database) -> None:
    async with memoranda.connect(database.dsn()) as store:
        with store.sync as twin:
            assert twin.memory("alice").facts.recall() == []
        with pytest.raises(UnavailableError, match="not open"):
            twin.memory("alice").facts.recall()
        with twin:
            assert twin.memory("alice").facts.recall() == []
        assert await store.memory("alice").facts.recall() == []


async def test_the_twin_of_a_store_in_a_folder() -> None:
    with running_server() as server:
        folder = server.folder.parent / "twins"
        async with memoranda.open(folder) as store:
            await store.memory("alice").facts.save("shared", key="k")
            assert contents(store.sync.memory("alice").facts.recall()) == ["shared"]
        assert not list(folder.rglob("postmaster.pid")), "closing the store closes the twin, the last one out"


async def test_the_twin_of_a_store_over_a_pool_has_connections_of_its_own(database: Database) -> None:
    settings = {"row_factory": dict_row, "autocommit": True, "dbname": database.name}
    dsn = database.dsn().replace(f"dbname={database.name}", "")
    async with (
        AsyncConnectionPool(dsn, min_size=1, max_size=1, kwargs=settings, open=False) as pool,
        memoranda.connect(pool) as store,
        pool.connection(),
    ):
        assert store.sync.memory("alice").facts.recall() == []


async def test_a_twin_that_cannot_be_is_refused(database: Database) -> None:
    class Own:
        async def open(self) -> None: ...

        async def close(self) -> None: ...

        async def call(self, function: str, arguments: Any, caller: Caller) -> Json: ...

    with pytest.raises(InputError, match="Own"):
        _ = memoranda.Store(Own()).sync
    async with AsyncConnectionPool(database.dsn, min_size=1, max_size=1, open=False) as pool:
        store = memoranda.connect(pool)
        with pytest.raises(InputError, match="function"):
            _ = store.sync
        await store.close()
