"""Facts by time and by name, the names themselves, and the audit: the reads that are no search."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import memoranda
from memoranda import AuditEntry, Fact, NewFact, Scope
from memoranda.errors import InputError
from support.databases import Database

SOON = datetime.now(UTC) + timedelta(days=9)


def day(day: int) -> datetime:
    return datetime(2026, 5, day, tzinfo=UTC)


def said(facts: list[Fact]) -> str:
    return " ".join(fact.content for fact in facts)


# By time


async def test_a_timeline_is_by_when_it_was_true_or_else_saved(alice: memoranda.Memory) -> None:
    await alice.facts.save_many(
        [
            NewFact("third", kind="event", valid_from=day(3), entities=["Anna"]),
            NewFact("first", kind="event", valid_from=day(1), entities=["Bob", "ＡＮＮＡ"]),
            NewFact("second", kind="decision", valid_from=day(2)),
        ]
    )
    await alice.facts.save("saved")
    facts = alice.facts
    assert said(await facts.timeline()) == "saved third second first"
    assert said(await facts.timeline(2)) == "saved third"
    assert said(await facts.timeline(-1)) == "saved"
    assert said(await facts.timeline(kinds=["event", "decision"])) == "third second first"
    assert said(await facts.timeline(kinds=["event"], entity="anna")) == "third first"
    assert await facts.timeline(kinds=[]) == []
    assert said(await facts.timeline(since=day(2), until=day(3))) == "second"
    assert said(await facts.timeline(until=day(3))) == "second first"
    with pytest.raises(InputError, match="superseded"):
        await facts.timeline(include=["deleted"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


async def test_a_timeline_includes_a_fact_only_for_every_reason_it_is_not_in_force(alice: memoranda.Memory) -> None:
    gone = await alice.facts.save("gone", expires_at=day(1), valid_until=day(1))
    assert gone.id
    await alice.facts.forget(gone.id)
    assert await alice.facts.timeline(include=["forgotten", "expired"]) == []
    (fact,) = await alice.facts.timeline(include=["forgotten", "expired", "ended"])
    assert (fact.content, fact.status) == ("gone", "forgotten")


# By name


async def test_facts_about_somebody_by_the_whole_name(store: memoranda.Store, alice: memoranda.Memory) -> None:
    await alice.facts.save_many(
        [
            NewFact("one", entities=["Anna Müller"], importance=2),
            NewFact("two", entities=["ANNA MULLER", "Acme"], importance=9),
            NewFact("three", entities=["Anna"]),
            NewFact("transcript", entities=["Anna"], kind="transcript"),
            NewFact("expired", entities=["Anna"], expires_at=day(1)),
        ]
    )
    await store.memory("alice", scope=Scope.agent("x")).facts.save("elsewhere", entities=["Anna"])
    assert said(await alice.facts.about("anna müller")) == "two one"
    assert said(await alice.facts.about("Anna Muller", 1)) == "two"
    assert set(said(await alice.facts.about("  aNNa ")).split()) == {"three", "transcript"}
    for nobody in ("Ann", "Anna%", "Müller", "Anna Müller Acme", "an_a"):
        assert await alice.facts.about(nobody) == []
    for nothing in ("", "  ", "\u200b"):
        with pytest.raises(InputError):
            await alice.facts.about(nothing)


async def test_the_vocabulary_counts_facts_and_folds_spellings(store: memoranda.Store, alice: memoranda.Memory) -> None:
    await alice.facts.save_many(
        [
            NewFact("one", entities=["Anna", "anna", "Acme"]),
            NewFact("two", entities=["ANNA"]),
            NewFact("three", entities=["Anna", "Zed"]),
            NewFact("expired", entities=["Acme", "Gone"], expires_at=day(1)),
        ]
    )
    await store.memory("alice", scope=Scope.agent("x")).facts.save("elsewhere", entities=["Other"])
    assert list((await alice.facts.vocabulary()).items()) == [("Anna", 3), ("Acme", 1), ("Zed", 1)]
    assert await alice.facts.vocabulary(2) == {"Anna": 3}
    assert await alice.facts.vocabulary(limit=1) == {"Anna": 3}
    assert await store.memory("bob").facts.vocabulary() == {}


# The audit


async def test_the_audit_is_the_log_of_facts_and_files(store: memoranda.Store) -> None:
    await store.settings.set("review", "none")
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    first = await mine.facts.save("a", key="k")
    await run.taint("page")
    second = await run.facts.save("b", key="k")
    await run.files.run({"command": "create", "path": "/memories/a.md", "file_text": "x"}, tool_call_id="call-1")
    await mine.files.move("/memories/a.md", "/memories/b.md")
    await mine.facts.forget("k", reason="asked to")
    await store.memory("alice", scope=Scope.agent("x")).facts.save("elsewhere")
    await store.memory("bob").facts.save("bob's")

    def brief(entry: AuditEntry) -> tuple[object, ...]:
        return entry.subject, entry.verb, entry.name, entry.version, entry.content, entry.status, entry.actor

    log = await mine.audit()
    assert [brief(entry) for entry in log] == [
        ("fact", "forgotten", "k", 3, "b", "forgotten", "application"),
        ("file", "moved", "/memories/b.md", 2, "x", "current", "application"),
        ("file", "created", "/memories/a.md", 1, "x", "current", "model"),
        ("fact", "corrected", "k", 2, "b", "confirmed", "application"),
        ("fact", "saved", "k", 1, "a", "confirmed", "application"),
    ]
    assert [entry.at for entry in log] == sorted((entry.at for entry in log), reverse=True)
    assert {entry.user for entry in log} == {mine.identity.user}
    forgotten, _, created, corrected, saved = log
    assert (forgotten.reason, created.tool_call_id, created.run_id) == ("asked to", "call-1", "r")
    assert (corrected.id, corrected.replaces, corrected.tainted) == (second.id, first.id, True)
    assert (saved.id, saved.replaces, saved.tainted, saved.run_id) == (first.id, None, False, None)
    assert await mine.audit(subject="file") == log[1:3]
    assert await mine.audit(run_id="r") == log[2:4]
    assert await mine.audit(actor="model") == [created]
    assert await mine.audit(since=corrected.at, until=forgotten.at) == log[1:4]
    assert await mine.audit(run_id="r", subject="fact", actor="model") == []
    with pytest.raises(InputError):
        await mine.audit(subject="message")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def test_the_pages_of_an_audit_leave_nothing_out(alice: memoranda.Memory, database: Database) -> None:
    await alice.facts.save_many([f"fact {n}" for n in range(50)])
    with database.admin() as conn:  # some of one time, as two writers may be
        conn.execute("set session_replication_role = replica")
        conn.execute(
            "update memoranda_private.revisions r set at = date_trunc('second', at) + n / 7 * interval '1 ms'"
            " from (select subject_id, row_number() over (order by at) as n from memoranda_private.revisions) as o"
            " where o.subject_id = r.subject_id"
        )
    whole = await alice.audit(1000)
    assert len(whole) == 50
    pages: list[AuditEntry] = []
    while page := await alice.audit(5, until=pages[-1].at if pages else None):
        assert 5 <= len(page) <= 5 + 7 or page[-1] == whole[-1]
        pages += page
    assert pages == whole
