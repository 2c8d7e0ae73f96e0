"""Erasure: a text that went in by every way there is, and what is left of it anywhere afterwards."""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

import memoranda
from memoranda import NewFact, Scope
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import ErasedError, ForbiddenError
from memoranda.maintenance import index_large_scopes
from memoranda.transport import Caller, Json
from memoranda.transport.postgres import PostgresTransport
from support.canary import CANARY, dumped, everywhere, hits, rows
from support.databases import Database, create_database, migrated, running_server
from support.embedders import words_embedder

AGO = timedelta(hours=1)


async def the_same(texts: list[str]) -> list[list[float]]:
    """Vectors with a number that no other text has."""
    return [[0.123456 if CANARY in text else 0.5, 0.25, 0.75] for text in texts]


EMBEDDER = FunctionEmbedder(the_same, model="same", dimensions=3)
VECTOR = struct.pack("<3e", 0.123456, 0.25, 0.75)
"""As it stands in a page of the server."""

NO_TEXT = {
    *("erase", "erase_user", "erase_verify", "purge", "reembed_switch", "reembed_drop"),
    *("members_set", "members_remove", "settings_set", "documents_get", "documents_list", "documents_export"),
}
"""Doors that may change something, and take nothing that somebody said into a memory."""


def written_by(database: Database) -> set[str]:
    """Every door that may change something."""
    with database.admin() as conn:
        found = conn.execute(
            "select proname from pg_proc where pronamespace = 'memoranda'::regnamespace and provolatile = 'v'"
        ).fetchall()
    return {name for (name,) in found}


@pytest.mark.direct("looks at the files of the server")
async def test_nothing_is_left_of_a_text_that_went_everywhere(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    called: set[str] = set()
    call = PostgresTransport.call

    async def noted(self: PostgresTransport, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        called.add(function)
        return await call(self, function, arguments, caller)

    monkeypatch.setattr(PostgresTransport, "call", noted)
    with running_server() as server:
        database = create_database(server)
        await migrated(database)
        async with memoranda.connect(database.dsn(), embedder=EMBEDDER, timeout=60) as store:
            mine = store.memory("alice", run_id=f"{CANARY} run", scope=Scope.project(f"{CANARY} project"))
            await everywhere(mine, "here")
            assert written_by(database) - NO_TEXT <= called, "a way of writing was left out"
            await store.memory("bob").facts.save("Bob stays.", idempotency_key="bob")
            before = hits(database)
            for column in (
                *("facts.key", "facts.content", "facts.source", "facts.tags", "facts.entities", "facts.metadata"),
                *("facts.quote", "facts.scope_id", "files.path", "files.content", "revisions.state", "runs.run_id"),
                *("revisions.reason", "revisions.tool_call_id", "revisions.run_id", "runs.sources", "tombstones.key"),
                *("unembeddable.reason", "idempotency_keys.scope_id", "messages.chat", "messages.message_id"),
                *("messages.author", "messages.content", "messages.data", "messages.run_id", "work.reason"),
                *("documents.key", "documents.content"),
            ):
                assert before.get(column), f"the canary is not in {column}"
            assert "0.1234" in str(rows(database)["vectors"])
            assert "0.1234" in str(rows(database)["message_vectors"])
            assert CANARY in dumped(database)

            receipt = await mine.erase()
            assert receipt.complete
            assert (await store.verify(receipt)).holds

            # The name of the scope stands in the keys and the mark: they keep late writes out of it.
            assert set(hits(database)) == {"idempotency_keys.scope_id", "erasures.scope_id"}
            await store.erase("alice")
            assert CANARY not in caplog.text
        with database.admin() as conn:
            definitions = conn.execute("select string_agg(indexdef, ' ') from pg_indexes").fetchone()
        assert definitions is not None
        assert CANARY not in definitions[0]


@pytest.mark.direct("looks at the files of the server")
async def test_no_page_of_the_heap_has_it_after_the_maintenance_that_is_documented() -> None:
    with running_server() as server:
        database = create_database(server)
        await migrated(database)
        async with memoranda.connect(database.dsn(), embedder=EMBEDDER, timeout=60) as store:
            mine = store.memory("alice", run_id=f"{CANARY} run")
            await everywhere(mine, "here")
            (data,) = files_of(database)
            for text in (CANARY.encode(), VECTOR):
                assert in_pages(data, text), "it was looked for in the wrong place"
            await store.erase("alice")
        assert hits(database) == {}
        assert CANARY not in dumped(database)
        assert "0.1234" not in str(rows(database))
        with database.admin() as conn:
            conn.execute("vacuum full")
            conn.execute("checkpoint")
        assert in_pages(data, CANARY.encode()) == in_pages(data, VECTOR) == []


def files_of(database: Database) -> list[Path]:
    with database.admin() as conn:
        found = conn.execute(
            "select current_setting('data_directory') || '/base/' || oid from pg_database"
            " where datname = current_database()"
        ).fetchall()
        conn.execute("checkpoint")
    return [Path(path) for (path,) in found]


def in_pages(folder: Path, text: bytes) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file() and text in path.read_bytes()]


# What goes, and what stays --------------------------------------------------------------------------------------------


async def test_a_scope_goes_and_no_other(store: memoranda.Store, database: Database) -> None:
    scopes = [Scope.user(), Scope.agent("a"), Scope.chat("a"), Scope.project("a"), Scope.project("b")]
    for user in ("alice", "bob"):
        for scope in scopes:
            await everywhere(store.memory(user, scope=scope, run_id=f"{user} {scope}"), f"{user} {scope}")
    alice = store.memory("alice", scope=Scope.project("a"), run_id="later")
    counts = await alice.erasable()
    before = rows(database)
    receipt = await alice.erase()
    after = rows(database)
    assert dict(receipt.counts) == dict(counts)
    assert receipt.counts["facts"] > 5
    assert set(receipt.left.values()) == {0}
    gone = {
        table: [row for row in kept if row not in after[table]]
        for table, kept in before.items()
        if kept != after[table]
    }
    me = str(alice.identity.user)
    for table, lost in gone.items():
        for row in lost:
            assert f"'owner_id': '{me}'" in row, table
            if table != "runs":
                assert "'scope': 'project'" in row, table
                assert "'scope_id': 'a'" in row, table
    assert hits(database, f"{CANARY} alice project:a") == {}
    for user in ("alice", "bob"):
        for scope in scopes:
            left = await store.memory(user, scope=scope).facts.recall()
            assert bool(left) == ((user, scope) != ("alice", Scope.project("a")))


async def test_a_user_goes_everywhere_also_where_they_have_left(store: memoranda.Store, database: Database) -> None:
    for tenant in ("acme", "umbrella"):
        for user in ("alice", "bob"):
            await store.members.set(tenant, user, "manage")
            await store.memory(user, tenant=tenant).facts.save(f"{CANARY} of {user} at {tenant}")
    shared = store.memory("alice", tenant="acme", scope=Scope.organization())
    await shared.facts.save("Invoices are due in 30 days.", key="terms", idempotency_key="shared")
    await store.memory("alice").facts.save(f"{CANARY} at home")
    await store.settings.set("files", 10, user="alice")
    await store.members.remove("umbrella", "alice")
    counts = await store.erasable("alice")
    receipt = await store.erase("alice")
    assert dict(receipt.counts) == dict(counts)
    assert {name: receipt.counts[name] for name in ("facts", "members", "settings")} == {
        **{"facts": 3, "members": 1, "settings": 1},
    }
    assert len(receipt.tenants) == 3
    assert receipt.scope is None
    me = str(memoranda.name_id("user", "alice"))
    # The mark and the emptied keys keep late writes out; a personal tenant keeps its new salt.
    assert {column.split(".")[0] for column in hits(database, me)} == {"erasures", "idempotency_keys", "tenants"}
    # An organisation's memory is the organisation's.
    bob = store.memory("bob", tenant="acme", scope=Scope.organization())
    (terms,) = await bob.facts.history("terms")
    assert (terms.fact.content, terms.user) == ("Invoices are due in 30 days.", UUID(int=0))
    for tenant in ("acme", "umbrella"):
        assert len(await store.memory("bob", tenant=tenant).facts.recall()) == 1
    assert (await store.verify(receipt)).holds


async def test_a_user_goes_from_one_tenant(store: memoranda.Store) -> None:
    for tenant in ("acme", "umbrella"):
        await store.members.set(tenant, "alice")
        await store.memory("alice", tenant=tenant).facts.save("Likes tea.")
    await store.memory("alice").facts.save("Likes tea.")
    receipt = await store.erase("alice", tenant="acme")
    assert receipt.tenants == (memoranda.name_id("tenant", "acme"),)
    assert receipt.counts["facts"] == 1
    assert len(await store.memory("alice").facts.recall()) == 1
    assert len(await store.memory("alice", tenant="umbrella").facts.recall()) == 1
    with pytest.raises(ForbiddenError):
        await store.memory("alice", tenant="acme").facts.recall()


async def test_a_source_goes_with_all_that_was_made_of_it(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    await mine.facts.save("Likes tea.", key="drink", source="talk")
    await mine.facts.save(f"Likes {CANARY}.", key="drink", source=f"{CANARY}.example", idempotency_key="one")
    await mine.facts.save("Likes juice.", key="drink", source="talk")
    await mine.facts.save(f"Eats {CANARY}.", key="food", source=f"{CANARY}.example")
    await mine.facts.save("Eats apples.", key="other food", source="talk")
    run = store.memory("alice", run_id="reader")
    await run.taint("another page")
    await run.taint(f"{CANARY}.example")
    await run.facts.save(f"Says {CANARY}.", key="said")
    await run.files.write("/memories/notes.md", f"{CANARY}, as I read")
    await mine.files.write("/memories/kept.md", "kept")
    receipt = await mine.erase(f"{CANARY}.example")
    assert receipt.complete
    assert (receipt.counts["facts"], receipt.counts["files"], receipt.counts["runs"]) == (3, 1, 1)
    assert hits(database) == {}
    assert CANARY not in receipt.to_json()
    assert (await store.verify(receipt)).holds
    assert {fact.content for fact in await mine.facts.recall()} == {"Likes juice.", "Eats apples."}
    assert {each.fact.content for each in await mine.facts.history("drink")} == {"Likes tea.", "Likes juice."}
    assert [entry.path for entry in await mine.files.list()] == ["/memories/kept.md"]
    # The run stays marked by what it has read.
    await run.files.write("/memories/later.md", "later")
    assert (await run.files.read("/memories/later.md")).tainted  # type: ignore[union-attr]
    again = await mine.facts.save(f"Likes {CANARY}.", key="drink", source=f"{CANARY}.example", idempotency_key="one")
    assert (again.outcome, again.rule) == ("rejected", "erased")
    late = store.memory("alice", queued_at=datetime.now(UTC) - AGO)
    outcomes = await late.facts.save_many([NewFact(f"Is {CANARY}.", source=f"{CANARY}.example"), NewFact("Is tall.")])
    assert [(each.outcome, each.rule) for each in outcomes] == [("rejected", "erased"), ("stored", "new")]
    assert hits(database) == {}


async def test_only_who_manages_erases_an_organisations_memory(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice", "manage")
    await store.members.set("acme", "bob", "read")
    shared = store.memory("alice", tenant="acme", scope=Scope.organization())
    await shared.facts.save("Invoices are due in 30 days.")
    with pytest.raises(ForbiddenError):
        await store.memory("bob", tenant="acme", scope=Scope.organization()).erase()
    receipt = await shared.erase()
    assert receipt.counts["facts"] == 1
    assert (await store.verify(receipt)).holds


async def test_an_index_of_a_large_scope_leaves_too(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=60) as store:
        alice, bob = store.memory("alice"), store.memory("bob")
        await alice.facts.save_many([f"fact number {n}" for n in range(1000)], dedup="off")
        async with await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True) as conn:
            (first,) = await index_large_scopes(conn, 1000)
            receipt = await alice.erase()
            assert (receipt.counts["large_scopes"], receipt.counts["vectors"]) == (1, 1000)
            await bob.facts.save_many([f"fact number {n}" for n in range(1000)], dedup="off")
            (second,) = await index_large_scopes(conn, 1000)
            assert second.number != first.number or receipt.complete
            found = await (
                await conn.execute("select indexname from pg_indexes where indexname like 'vectors_large%'")
            ).fetchall()
            assert found == [(f"vectors_large_{second.number}",)]


# Late writes ----------------------------------------------------------------------------------------------------------


async def test_a_late_retry_of_an_erased_write_stores_nothing(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice", run_id="r")

    async def write(key: str) -> list[tuple[str, str | None]]:
        one = await mine.facts.save(CANARY, key="k", idempotency_key=f"{key} one")
        many = await mine.facts.save_many([f"{CANARY} a", f"{CANARY} b"], idempotency_key=f"{key} many")
        return [(each.outcome, each.rule) for each in (one, *many)]

    await write("first")
    await mine.files.write("/memories/a.md", CANARY, idempotency_key="file")
    await mine.undo(run_id="other", idempotency_key="undone")
    for whole_user in (False, True):
        await (store.erase("alice") if whole_user else mine.erase())
        assert await write("first") == [("rejected", "erased")] * 3
        for again in (
            mine.files.write("/memories/a.md", CANARY, idempotency_key="file"),
            mine.undo(run_id="other", idempotency_key="undone"),
        ):
            with pytest.raises(ErasedError):
                await again
        assert hits(database) == {}
        assert await write(str(whole_user)) == [("stored", "key"), ("stored", "new"), ("stored", "new")]
    await mine.erase()
    assert await write("first") == [("rejected", "erased")] * 3


async def test_what_waited_in_a_queue_stores_nothing(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    await mine.facts.save("Likes tea.")
    await mine.erase()
    late = store.memory("alice", queued_at=datetime.now(UTC) - AGO)
    outcome = await late.facts.save(CANARY)
    assert (outcome.outcome, outcome.rule) == ("rejected", "erased")
    with pytest.raises(ErasedError):
        await late.files.write("/memories/a.md", CANARY)
    assert hits(database) == {}
    other = store.memory("alice", scope=Scope.agent("a"), queued_at=datetime.now(UTC) - AGO)
    assert (await other.facts.save("Writes well.")).outcome == "stored"
    assert (await store.memory("alice", queued_at=datetime.now(UTC) + AGO).facts.save("Later.")).outcome == "stored"


async def test_an_erasure_waits_for_a_write_and_the_next_one_finds_its_mark(
    store: memoranda.Store, database: Database
) -> None:
    mine = store.memory("alice")
    claims = f'{{"role": "authenticated", "sub": "{mine.identity.user}"}}'
    begin = (
        "begin; select now(), set_config('role', 'authenticated', true),"
        f" set_config('request.jwt.claims', '{claims}', true)"
    )
    save = f"select memoranda.facts_save('{{}}', '{{\"content\": \"{CANARY}\"}}') ->> 'rule'"
    async with (
        await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True) as under_way,
        await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True) as begun,
    ):
        for conn in (under_way, begun):
            await conn.execute(begin.encode())
        await under_way.execute(save.encode())
        erasing = asyncio.create_task(mine.erase())
        await asyncio.sleep(0.3)
        assert not erasing.done()
        await under_way.execute("commit")
        assert (await erasing).counts["facts"] == 1
        assert await (await begun.execute(save.encode())).fetchone() == ("erased",)
        await begun.execute("commit")
    assert hits(database) == {}


async def test_a_vector_that_comes_late_is_not_kept(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    saved = await mine.facts.save(CANARY)
    await mine.erase()
    binding = mine.facts._binding  # pyright: ignore[reportPrivateUsage]
    made: Any = {"model": "model/3", "vectors": [{"id": str(saved.id), "vector": "[1,2,3]"}]}
    assert await binding.call("vectors_put", {"made": made}) == {"put": 0, "set_aside": 0}
    assert rows(database)["vectors"] == []
