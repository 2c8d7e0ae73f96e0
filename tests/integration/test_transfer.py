"""Export and import: what comes back is what went, and what comes from elsewhere keeps the rules."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

import memoranda
import memoranda.sync
from memoranda import ImportedRow, NewFact, NewMessage, Scope, exporting, transfer
from memoranda.errors import ConflictError, ForbiddenError, FormatError, InputError
from memoranda.transport.embedded import EmbeddedServer
from support.canary import everywhere, rows
from support.databases import Database, create_database, drop_database
from support.embedders import words_embedder

KEPT = ("erasures", "idempotency_keys", "migrations", "tenants", "members", "settings")
"""Tables that an export has nothing of: marks and keys that keep late writes out, and what is the server's."""


def memories(database: Database, *, salted: bool = True) -> dict[str, list[str]]:
    """Every row of a memory; the hashes too, where the salt is the same."""
    found = {table: there for table, there in rows(database).items() if table not in KEPT}
    found["work"] = sorted(
        re.sub("'(due_at|created_at|dead_at|lease|claims|failures|reason)': [^,}]*", "", row) for row in found["work"]
    )
    if not salted:
        hashes = ("'value_hash'", "'template_hash'")
        for table, there in found.items():
            cut = [
                ", ".join(part for part in row.split(", ") if not part.strip("{}").startswith(hashes)) for row in there
            ]
            found[table] = sorted(cut)
    return found


@pytest.fixture(scope="module")
def shared(server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def here(shared: Database) -> AsyncIterator[memoranda.Store]:
    """A store that others of these tests have used; for what looks at somebody new alone."""
    async with memoranda.connect(shared.dsn()) as opened:
        yield opened


async def lines_of(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines]


async def filled(store: memoranda.Store, memory: memoranda.Memory) -> None:
    await everywhere(memory, "here")
    await memory.facts.save("In force later.", key="later")
    later = datetime.now(UTC) + timedelta(days=9)
    await memory.facts.save("From then on.", key="later", valid_from=later)
    plain = store.memory(memory.identity.user, tenant=memory.identity.tenant, scope=memory.scope)  # of no tainted run
    for n in range(7):
        await plain.facts.save(f"Version {n}", key="chain")
    await memory.facts.search("version")


async def test_what_was_erased_comes_back_row_by_row_twice_over(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        memory = store.memory("alice", scope=Scope.project("p"), run_id="r")
        await filled(store, memory)
        for document in await store.documents.list("alice", scope=memory.scope):  # they go with store.export alone
            await store.documents.delete("alice", document.key, scope=memory.scope)
        await store.memory("bob").facts.save("Stays.")
        before = memories(database)
        lines = await lines_of(memory.export(vectors=True))
        for _ in range(2):
            await memory.erase()
            assert memories(database) != before
            report: list[ImportedRow] = []
            first = await memory.import_(lines, restore=True, report=report.append)
            assert [each for each in report if each.outcome != "restored"] == []
            assert memories(database) == before
            again = await memory.import_(lines, restore=True)
            assert again.total() == again.total("duplicate") == first.total() > 50
            assert memories(database) == before
            assert await lines_of(memory.export(vectors=True)) != []
        # What was erased and put back is still no ground for a late retry.
        late = await memory.facts.save("zyzzyva here one", key="zyzzyva here key", idempotency_key="zyzzyva here write")
        assert (late.outcome, late.rule) == ("rejected", "erased")
        queued = store.memory("alice", scope=Scope.project("p"), queued_at=datetime.now(UTC) - timedelta(days=1))
        assert (await queued.facts.save("Late.")).rule == "erased"
        plain = store.memory("alice", scope=Scope.project("p"))
        assert (await plain.facts.save("Version 7", key="chain")).version == 8


async def test_a_user_comes_back_to_every_scope_with_another_salt(store: memoranda.Store, database: Database) -> None:
    await store.members.set("acme", "alice", "manage")
    for memory in (
        store.memory("alice", run_id="r"),
        store.memory("alice", tenant="acme", scope=Scope.agent("a"), run_id="r"),
    ):
        await filled(store, memory)
    before = memories(database, salted=False)
    # Of what was forgotten for good there is a hash alone, and the salt of a user's own tenant goes with the user.
    hashes = [row for row in before["tombstones"] if "'fact_id': None" in row and "'scope': 'user'" in row]
    before["tombstones"] = [row for row in before["tombstones"] if row not in hashes]
    lines = await lines_of(store.export("alice", vectors=True))
    receipt = await store.erase("alice")
    assert (await store.verify(receipt)).holds
    await store.members.set("acme", "alice", "manage")
    done = await store.import_("alice", lines, restore=True)
    assert done.total() == done.total("restored", "duplicate") + len(hashes)
    assert done.counts["tombstone"]["failed"] == len(hashes) > 0
    assert memories(database, salted=False) == before
    assert not (await store.verify(receipt)).holds, "what was erased is here again, and the receipt says so"
    again = await store.memory("alice").facts.save("zyzzyva here gone", restore=False)
    assert again.outcome == "stored"
    for text in ("zyzzyva here rejected", "zyzzyva here stands"):
        assert (await store.memory("alice").facts.save(text)).rule == "tombstone", "its hash is made anew"


async def test_what_comes_from_elsewhere_waits_and_keeps_ids_and_times(here: memoranda.Store, shared: Database) -> None:
    alice, bob = here.memory(uuid4()), here.memory(uuid4())
    saved = await alice.facts.save("Likes tea.", key="drink", source="talk", tags=["t"], origin="user")
    await alice.facts.save("Likes rum.", key="spirit")
    await alice.facts.forget("spirit")
    await alice.files.write("/memories/a.md", "mine")
    await alice.files.write("/memories/b.md", "mine")
    with shared.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable trigger all")
        conn.execute("update memoranda_private.facts set created_at = '2020-01-01', updated_at = '2020-01-02'")
        conn.execute("alter table memoranda_private.facts enable trigger all")
    lines = await lines_of(alice.export(history=False))
    await bob.files.write("/memories/b.md", "his own")
    before = memories(shared)
    report: list[ImportedRow] = []
    dry = await bob.import_(lines, dry_run=True, report=report.append)
    assert memories(shared) == before
    done = await bob.import_(lines)
    assert (dict(dry.counts), dry.dry_run) == (dict(done.counts), True)
    assert done.counts == {"fact": {"pending": 1}, "tombstone": {"stored": 1}, "file": {"stored": 1, "kept": 1}}
    assert {(each.what, each.outcome) for each in report} == {
        *(("fact", "pending"), ("tombstone", "stored"), ("file", "stored"), ("file", "kept")),
    }
    (waiting,) = await bob.review.pending()
    assert (waiting.fact.id, waiting.fact.origin, waiting.fact.source, waiting.actor) == (
        saved.id,
        "import",
        "talk",
        "import",
    )
    assert waiting.fact.metadata == {"imported_origin": "user"}
    assert (waiting.fact.created_at.year, waiting.fact.updated_at.day) == (2020, 2)
    assert (await bob.facts.save("likes RUM.", key="spirit")).rule == "tombstone"
    copied = await bob.files.read("/memories/a.md")
    assert copied is not None
    assert (copied.content, copied.tainted) == ("mine", True)
    again = await bob.import_(lines)
    assert again.counts == {
        "fact": {"duplicate": 1},
        "tombstone": {"duplicate": 1},
        "file": {"duplicate": 1, "kept": 1},
    }
    await here.settings.set("review", "none", user=(user := uuid4()))
    carol = here.memory(user)
    assert (await carol.import_(lines)).counts["fact"] == {"stored": 1}
    assert [fact.content for fact in await carol.facts.recall()] == ["Likes tea."]


async def test_a_rejected_value_does_not_come_back_by_an_import(here: memoranda.Store) -> None:
    alice = here.memory(uuid4())
    await alice.facts.save("Likes tea.")
    lines = await lines_of(alice.export(history=False))
    bob = here.memory(uuid4())
    saved = await bob.facts.save("likes TEA.")
    assert saved.id
    await bob.facts.forget(saved.id)
    report: list[ImportedRow] = []
    await bob.import_(lines, report=report.append)
    assert [(each.outcome, each.rule) for each in report] == [("rejected", "tombstone")]


async def test_many_facts_come_in_pages_and_batches(
    here: memoranda.Store, shared: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_ROWS", 25)
    monkeypatch.setattr(transfer, "_ROWS", 10)
    memory = here.memory(uuid4())
    await memory.facts.save_many([NewFact(f"fact {n}", key=f"k{n % 30}") for n in range(60)])
    await memory.turns.add([NewMessage("user", f"said {n}") for n in range(60)])
    await memory.files.write("/memories/big.md", "x" * 90_000)
    before = memories(shared)
    lines = await lines_of(memory.export())
    seen: list[int] = []
    await memory.erase()
    done = await memory.import_(lines, restore=True, progress=seen.append)
    assert memories(shared) == before
    assert len(seen) > 5
    assert seen == sorted(seen)
    assert done.counts["fact"] == done.counts["message"] == {"restored": 60}


async def test_who_writes_during_an_export_is_noticed(here: memoranda.Store) -> None:
    memory = here.memory(uuid4())
    await memory.facts.save("Likes tea.")
    lines = aiter(memory.export())
    while '"fact"' not in await anext(lines):
        pass
    await memory.facts.save("Likes rum.")
    with pytest.raises(ConflictError):
        await lines_of(lines)


def changed(lines: list[str], n: int, **values: Any) -> list[str]:
    return [*lines[:n], json.dumps({**json.loads(lines[n]), **values}), *lines[n + 1 :]]


async def test_a_line_that_is_none_is_named_and_its_batch_is_not_here(here: memoranda.Store) -> None:
    memory, other = here.memory(uuid4()), here.memory(uuid4())
    for n in range(3):
        await memory.facts.save(f"fact {n}", key=f"k{n}")
    lines = await lines_of(memory.export(history=False))
    assert [json.loads(line).get("type") for line in lines] == [None, "scope", "fact", "fact", "fact", "end"]
    broken = {
        1: ([lines[1]], "no export"),
        1.5: (changed(lines, 0, version=99), "version 99"),
        3: ([*lines[:2], "{"], "not JSON"),
        3.5: ([*lines[:2], "[]"], "no object"),
        4: (changed(lines, 3, id="7"), "no id"),
        4.5: (changed(lines, 3, created_at="2026-01-01T00:00:00"), "no time with a zone"),
        5: (changed(lines, 4, type="novel"), "no type"),
        5.5: (lines[:-1], "breaks off"),
        6: (changed(lines, 5, rows=2), "3 rows"),
        7: ([*lines, lines[2]], "after the end"),
    }
    for number, (text, message) in broken.items():
        with pytest.raises(FormatError, match=message) as caught:
            await other.import_(text)
        assert caught.value.detail["line"] == int(number)
        assert await other.facts.recall() == []
        assert await other.review.count() == 0
    report: list[ImportedRow] = []
    await other.import_(changed(changed(lines, 3, content=" "), 4, content="a\0b"), report=report.append)
    assert [(each.line, each.outcome) for each in report] == [(3, "pending"), (4, "failed"), (5, "pending")]


async def test_what_was_changed_since_stays_and_is_named(here: memoranda.Store) -> None:
    memory = here.memory(uuid4())
    await memory.facts.save("Likes tea.", key="drink")
    await memory.files.write("/memories/a.md", "old")
    lines = await lines_of(memory.export())
    await memory.facts.save("Likes rum.", key="drink")
    await memory.files.write("/memories/a.md", "new")
    report: list[ImportedRow] = []
    await memory.import_(lines, restore=True, report=report.append)
    assert {(each.what, each.outcome) for each in report} == {
        *(("fact", "differs"), ("file", "differs"), ("revision", "duplicate")),
    }
    assert [fact.content for fact in await memory.facts.recall()] == ["Likes rum."]


async def test_what_cannot_be_put_back_says_so(here: memoranda.Store) -> None:
    me, other = uuid4(), uuid4()
    alice, bob = here.memory(me), here.memory(other)
    await alice.facts.save("Likes tea.", key="drink")
    whole = await lines_of(alice.export())
    with pytest.raises(InputError, match="another user"):
        await bob.import_(whole, restore=True)
    with pytest.raises(FormatError, match="without its history"):
        await alice.import_(await lines_of(alice.export(history=False)), restore=True)
    await alice.erase()
    await alice.facts.save("Likes rum.", key="drink")
    report: list[ImportedRow] = []
    await alice.import_(whole, restore=True, report=report.append)
    failed = [(each.what, each.rule) for each in report if each.outcome == "failed"]
    assert failed == [("fact", "another stands in its place")]
    await here.memory(me, scope=Scope.agent("a")).facts.save("Writes.")
    with pytest.raises(InputError, match="several scopes"):
        await bob.import_(await lines_of(here.export(me)))
    assert (await here.import_(other, await lines_of(here.export(me)))).counts["fact"]["pending"] == 2


async def test_only_the_applications_server_imports(here: memoranda.Store) -> None:
    from memoranda.transport import Caller

    identity = here.memory(uuid4()).identity
    arguments: dict[str, Any] = {"subject": {"user": str(identity.user)}, "rows": []}
    with pytest.raises(ForbiddenError):
        await here.transport.call("import_rows", arguments, Caller.of(identity))


async def test_a_restore_that_broke_off_goes_on(
    here: memoranda.Store, shared: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_ROWS", 10)
    memory = here.memory(uuid4())
    await memory.facts.save_many([NewFact(f"Version {n}", key="chain") for n in range(20)])
    await memory.facts.save_many([f"fact {n}" for n in range(20)])
    before = memories(shared)
    lines = await lines_of(memory.export())
    await memory.erase()
    with pytest.raises(FormatError):
        await memory.import_([*lines[:25], "{"], restore=True)
    assert 0 < len(await memory.facts.recall()) < 21, "some came in, and not all"
    await memory.import_(lines, restore=True)
    assert memories(shared) == before


def test_the_twin_exports_and_imports(shared: Database) -> None:
    with memoranda.sync.connect(shared.dsn()) as store:
        user = uuid4()
        memory = store.memory(user)
        memory.facts.save("Likes tea.")
        lines = list(memory.export())
        memory.erase()
        assert memory.import_(lines, restore=True).total("restored") == 2
        assert len(list(store.export(user))) == len(lines)
        assert store.import_(user, lines, restore=True).total("duplicate") == 2
        assert memory.facts.recall()[0].id != uuid4() != UUID(int=0)
