"""Keyed facts: the checks of a named-facts memory, each against a real server."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import ConflictError, IdempotencyError
from support.databases import Database, running_server


def contents(facts: list[memoranda.Fact]) -> list[str]:
    return [fact.content for fact in facts]


# Persistence


async def test_a_fact_outlives_the_server_that_took_it() -> None:
    with running_server() as server:
        folder = server.folder.parent / "kept"
        async with memoranda.open(folder) as store:
            await store.memory("alice").facts.save("Prefers figures in GBP.", key="currency", kind="preference")
        async with memoranda.open(folder) as store:
            fact = await store.memory("alice").facts.get("currency")
    assert fact is not None
    assert (fact.content, fact.kind) == ("Prefers figures in GBP.", "preference")


# Correction


async def test_saving_a_key_again_corrects_it_and_keeps_the_old_value(alice: memoranda.Memory) -> None:
    first = await alice.facts.save("Prefers GBP.", key="currency")
    second = await alice.facts.save("Prefers EUR.", key="currency")
    assert (first.outcome, second.outcome, second.supersedes) == ("stored", "superseded", first.id)
    assert contents(await alice.facts.recall()) == ["Prefers EUR."]
    history = await alice.facts.history("currency")
    assert [(entry.verb, entry.fact.content, entry.fact.version) for entry in history] == [
        ("corrected", "Prefers EUR.", 2),
        ("saved", "Prefers GBP.", 1),
    ]
    assert history[0].replaces == first.id
    assert await alice.facts.history(first.id or uuid4()) == history


async def test_a_correction_replaces_the_whole_value(alice: memoranda.Memory) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    await alice.facts.save("a", key="k", source="web", tags=["x"], metadata={"n": 1}, importance=9, expires_at=soon)
    await alice.facts.save("b", key="k")
    fact = await alice.facts.get("k")
    assert fact is not None
    assert (fact.source, fact.tags, fact.metadata, fact.importance, fact.expires_at) == (None, (), {}, 5, None)


async def test_eight_writers_of_fifty_corrections_lose_nothing(database: Database) -> None:
    async def write(writer: int) -> None:
        async with memoranda.connect(database.dsn(), max_connections=1) as store:
            facts = store.memory("alice").facts
            for turn in range(50):
                await facts.save(f"value {writer}-{turn}", key="contested")

    await asyncio.gather(*(write(writer) for writer in range(8)))
    async with memoranda.connect(database.dsn()) as store:
        history = await store.memory("alice").facts.history("contested")
        current = await store.memory("alice").facts.recall()
    assert len(history) == 400
    assert {entry.fact.content for entry in history} == {f"value {w}-{t}" for w in range(8) for t in range(50)}
    assert [entry.fact.version for entry in history] == list(range(400, 0, -1))
    assert [fact.id for fact in current] == [history[0].fact.id]
    replaced = [entry.replaces for entry in history[:-1]]
    assert replaced == [entry.fact.id for entry in history[1:]], "every value has exactly one successor"


async def test_the_same_value_again_moves_nothing(alice: memoranda.Memory, database: Database) -> None:
    await alice.facts.save("Prefers GBP.", key="currency", tags=["money"], metadata={"a": {"b": [1]}})
    before = await alice.facts.get("currency")
    again = await alice.facts.save("Prefers GBP.", key="currency", tags=["money"], metadata={"a": {"b": [1]}})
    assert before is not None
    assert (again.outcome, again.id, again.version) == ("duplicate", before.id, 1)
    assert await alice.facts.get("currency") == before
    with database.admin() as conn:
        assert conn.execute("select count(*) from memoranda_private.revisions").fetchone() == (1,)


async def test_a_save_can_insist_on_the_version_that_it_read(alice: memoranda.Memory) -> None:
    await alice.facts.save("a", key="k", expected_version=0)
    with pytest.raises(ConflictError, match="version 1, not 0"):
        await alice.facts.save("b", key="k", expected_version=0)
    await alice.facts.save("b", key="k", expected_version=1)
    with pytest.raises(ConflictError):
        await alice.facts.save("c", key="k", expected_version=1)
    assert contents(await alice.facts.recall()) == ["b"]


async def test_of_eight_writers_who_read_the_same_version_one_wins(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8) as store:
        facts = store.memory("alice").facts
        tries = [facts.save(f"v{n}", key="k", expected_version=0) for n in range(8)]
        results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, memoranda.Outcome) for result in results) == 1
    assert sum(isinstance(result, ConflictError) for result in results) == 7


# Isolation


async def test_users_share_nothing(alice: memoranda.Memory, bob: memoranda.Memory) -> None:
    await alice.facts.save("alice's", key="k")
    await bob.facts.save("bob's", key="k")
    assert contents(await alice.facts.recall()) == ["alice's"]
    assert contents(await bob.facts.recall()) == ["bob's"]
    assert [entry.fact.content for entry in await bob.facts.history("k")] == ["bob's"]


async def test_another_users_fact_cannot_be_forgotten_or_read_by_its_id(
    alice: memoranda.Memory, bob: memoranda.Memory
) -> None:
    saved = await alice.facts.save("alice's", key="k")
    assert isinstance(saved.id, UUID)
    assert (await bob.facts.forget(saved.id)).outcome == "nothing"
    assert (await bob.facts.forget("k")).outcome == "nothing"
    assert await bob.facts.history(saved.id) == []
    assert contents(await alice.facts.recall()) == ["alice's"]


async def test_scopes_are_compared_by_equality_alone(store: memoranda.Store) -> None:
    scopes = [Scope.user(), *(Scope.agent(id) for id in ("a", "ab", "a%", "a_", "A", "%", "_", "\\", "'", "👩‍👧"))]
    scopes += [Scope.chat("a"), Scope.project("a")]
    for scope in scopes:
        await store.memory("alice", scope=scope).facts.save(str(scope), key="k")
    for scope in scopes:
        facts = await store.memory("alice", scope=scope).facts.recall()
        assert [(fact.content, fact.scope) for fact in facts] == [(str(scope), (scope.name, scope.id))]
    await store.memory("alice", scope=Scope.agent("a")).facts.forget("k")
    for scope in scopes:
        assert len(await store.memory("alice", scope=scope).facts.recall()) == (scope != Scope.agent("a"))


# Expiry, bounds, time


async def test_expiry_is_by_the_databases_clock(alice: memoranda.Memory) -> None:
    now = datetime.now(UTC)
    await alice.facts.save("gone", key="past", expires_at=now - timedelta(seconds=1))
    await alice.facts.save("here", key="future", expires_at=now + timedelta(hours=1))
    await alice.facts.save("soon gone", key="soon", expires_at=now + timedelta(seconds=0.4))
    assert set(contents(await alice.facts.recall())) == {"here", "soon gone"}
    assert await alice.facts.get("past") is None
    await asyncio.sleep(0.5)
    assert contents(await alice.facts.recall()) == ["here"]


async def test_an_expired_value_can_be_saved_anew(alice: memoranda.Memory) -> None:
    await alice.facts.save("old", key="k", expires_at=datetime.now(UTC) - timedelta(days=1))
    assert (await alice.facts.save("new", key="k")).outcome == "superseded"
    assert contents(await alice.facts.recall()) == ["new"]


async def test_recall_is_newest_first_then_by_key_and_bounded(alice: memoranda.Memory, database: Database) -> None:
    for n in range(205):
        await alice.facts.save(f"value {n}", key=f"k{n:03}")
    recalled = await alice.facts.recall(limit=10_000)
    assert len(recalled) == 200
    assert recalled == sorted(recalled, key=lambda fact: fact.updated_at, reverse=True)
    assert [len(await alice.facts.recall(limit)) for limit in (-3, 0, 1, 5, 10**30)] == [1, 1, 1, 5, 200]
    assert len(await alice.facts.recall()) == 20
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable trigger user")
        conn.execute("update memoranda_private.facts set updated_at = '2026-01-01+00'")
    assert [fact.key for fact in await alice.facts.recall(3)] == ["k000", "k001", "k002"]


async def test_time_belongs_to_the_database_and_reading_does_not_move_it(
    alice: memoranda.Memory, database: Database
) -> None:
    await alice.facts.save("a", key="k")
    with database.admin() as conn:
        now = conn.execute("select clock_timestamp()").fetchone()
    before = await alice.facts.get("k")
    assert before is not None
    assert now is not None
    assert timedelta() < now[0] - before.updated_at < timedelta(seconds=60)
    for _ in range(3):
        await alice.facts.recall()
        await alice.facts.history("k")
    assert await alice.facts.get("k") == before


# Forgetting


async def test_forgetting_hides_keeps_history_and_may_be_repeated(alice: memoranda.Memory) -> None:
    await alice.facts.save("a", key="k")
    gone = await alice.facts.forget("k", reason="asked to")
    assert gone.outcome == "forgotten"
    assert (await alice.facts.forget("k")).outcome == "nothing"
    assert await alice.facts.recall() == []
    entry = (await alice.facts.history("k"))[0]
    assert (entry.verb, entry.reason, entry.fact.content) == ("forgotten", "asked to", "a")
    assert (await alice.facts.save("b", key="k")).outcome == "stored"
    assert contents(await alice.facts.recall()) == ["b"]


async def test_forgetting_a_correction_does_not_revive_what_it_replaced(alice: memoranda.Memory) -> None:
    await alice.facts.save("a", key="k")
    await alice.facts.save("b", key="k")
    await alice.facts.forget("k")
    assert await alice.facts.recall() == []


# Retries and provenance


async def test_a_write_sent_again_with_its_key_is_done_once(alice: memoranda.Memory) -> None:
    first = await alice.facts.save("a", key="k", idempotency_key="w1")
    await alice.facts.save("b", key="k")
    again = await alice.facts.save("a", key="k", idempotency_key="w1")
    assert (again.outcome, again.id, again.version, again.replayed) == ("stored", first.id, 1, True)
    assert contents(await alice.facts.recall()) == ["b"]
    with pytest.raises(IdempotencyError):
        await alice.facts.save("c", key="k", idempotency_key="w1")
    with pytest.raises(IdempotencyError):
        await alice.facts.forget("k", idempotency_key="w1")
    assert len(await alice.facts.history("k")) == 2


async def test_eight_twins_of_one_write_are_one_write(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8) as store:
        facts = store.memory("alice").facts
        outcomes = await asyncio.gather(*(facts.save("a", key="k", idempotency_key="w") for _ in range(8)))
        assert sorted(outcome.replayed for outcome in outcomes) == [False] + [True] * 7
        assert len({outcome.id for outcome in outcomes}) == 1
        assert len(await facts.history("k")) == 1


async def test_two_users_may_use_the_same_idempotency_key(alice: memoranda.Memory, bob: memoranda.Memory) -> None:
    assert (await alice.facts.save("a", key="k", idempotency_key="w")).outcome == "stored"
    assert (await bob.facts.save("b", key="k", idempotency_key="w")).outcome == "stored"


async def test_the_log_says_who_and_for_which_run(store: memoranda.Store) -> None:
    memory = store.memory("alice", run_id="run-7")
    await memory.facts.save("a", key="k", source="user:demo")
    entry = (await memory.facts.history("k"))[0]
    assert (entry.actor, entry.user, entry.run_id, entry.fact.source) == (
        "application",
        memory.identity.user,
        "run-7",
        "user:demo",
    )
