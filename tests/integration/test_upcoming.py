"""What is to come hides nothing: a fact that was superseded by one that is true only later holds until then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

import memoranda
from memoranda import NewFact
from support.databases import Database
from support.embedders import words_embedder

NOW = datetime.now(UTC)
SOON, LATER = NOW + timedelta(days=9), NOW + timedelta(days=19)
ACME, BETA, GAMMA = "Anna works at Acme", "Anna works at Beta", "Anna works at Gamma"


@pytest.fixture
async def memory(database: Database) -> AsyncIterator[memoranda.Memory]:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        yield store.memory("alice")


async def found(memory: memoranda.Memory) -> set[str]:
    """What is in force, which every read agrees on; by meaning as well as by words."""
    facts = memory.facts
    recalled = {fact.content for fact in await facts.recall(200)}
    hits = await facts.search("where does Anna work", 200, track_use=False)
    assert {hit.fact.content for hit in hits} == recalled
    assert all(hit.similarity is not None and hit.why.words for hit in hits)
    filtered = await facts.search("Anna", 200, tags=["job"], track_use=False)
    assert {hit.fact.content for hit in filtered} == recalled
    assert {fact.content for fact in await facts.timeline(200)} == recalled
    assert {fact.content for fact in await facts.about("Anna", 200)} == recalled
    assert await facts.vocabulary() == ({"Anna": len(recalled)} if recalled else {})
    assert {fact.content for fact in await facts.recall(200, as_of=datetime.now(UTC))} == recalled
    text = (await memory.context()).text
    assert {content for content in (ACME, BETA, GAMMA) if content in text} == recalled
    return recalled


async def said(memory: memoranda.Memory, at: datetime) -> list[str]:
    return [fact.content for fact in await memory.facts.recall(200, as_of=at)]


async def save(
    memory: memoranda.Memory, content: str, valid_from: datetime | None = None, key: str | None = "job", **more: object
) -> UUID:
    fact = NewFact(content, key=key, valid_from=valid_from, tags=["job"], entities=["Anna"], **more)  # type: ignore[arg-type]
    (outcome,) = await memory.facts.save_many([fact])
    assert outcome.id is not None
    return outcome.id


@pytest.mark.parametrize("key", ["job", None])
async def test_the_old_value_stays_in_force_until_the_new_ones_time(memory: memoranda.Memory, key: str | None) -> None:
    old = await save(memory, ACME, key=key)
    new = await save(memory, BETA, SOON, key=key, supersedes=old)
    assert await found(memory) == {ACME}
    assert await said(memory, SOON) == [BETA]
    fact = await memory.facts.get(old)
    assert fact is not None
    assert (fact.status, fact.superseded_by, fact.valid_until) == ("superseded", new, SOON)
    assert await memory.facts.get(new) is None
    upcoming = await memory.facts.timeline(include=["upcoming"])
    assert [each.content for each in upcoming] == [BETA, ACME]


async def test_it_gives_way_when_the_time_has_come(memory: memoranda.Memory) -> None:
    begins = datetime.now(UTC) + timedelta(seconds=4)
    await save(memory, ACME)
    await save(memory, BETA, begins)
    assert await found(memory) == {ACME}
    await asyncio.sleep((begins - datetime.now(UTC)).total_seconds() + 0.1)
    assert await found(memory) == {BETA}
    assert await said(memory, NOW) == [ACME]


async def test_what_is_to_come_may_move_and_be_called_off(memory: memoranda.Memory) -> None:
    old = await save(memory, ACME)
    await save(memory, BETA, SOON)
    await save(memory, GAMMA, LATER)
    assert await found(memory) == {ACME}
    assert (await said(memory, SOON), await said(memory, LATER)) == ([BETA], [GAMMA])
    await memory.facts.restore(old)
    assert await found(memory) == {ACME}
    assert (await said(memory, SOON), await said(memory, LATER)) == ([ACME], [ACME])
    assert [fact.status for fact in await memory.facts.recall()] == ["confirmed"]


async def test_a_correction_of_now_ends_what_held(memory: memoranda.Memory) -> None:
    await save(memory, ACME)
    beta = await save(memory, BETA, SOON)
    await save(memory, GAMMA)
    assert await found(memory) == {GAMMA}
    await memory.facts.restore(beta)  # strikes Gamma: what was said of Acme is so again
    await memory.facts.embed_pending()
    assert await found(memory) == {ACME}


@pytest.mark.parametrize("by", ["key", "old", "new"])
async def test_who_forgets_the_story_forgets_what_holds_too(memory: memoranda.Memory, by: str) -> None:
    ids = {"old": await save(memory, ACME), "new": await save(memory, BETA, SOON)}
    assert await found(memory) == {ACME}
    outcome = await memory.facts.forget("job" if by == "key" else ids[by])
    assert (outcome.outcome, outcome.id) == ("forgotten", ids["new"])
    assert await found(memory) == set()
    assert await said(memory, SOON) == []
    for content in (ACME, BETA):
        assert (await memory.facts.save(content)).outcome == "rejected"


async def test_an_approval_and_a_link_leave_the_old_value_until_then(memory: memoranda.Memory) -> None:
    await save(memory, ACME)
    waits = await save(memory, BETA, SOON, review=True)
    assert await found(memory) == {ACME}
    await memory.review.approve(waits)
    assert await found(memory) == {ACME}
    assert await said(memory, SOON) == [BETA]
    other = await save(memory, GAMMA, key="other")
    assert await found(memory) == {ACME, GAMMA}
    await memory.facts.supersede(other, waits)
    assert await found(memory) == {ACME, GAMMA}
    assert await said(memory, SOON) == [BETA]
    await memory.facts.forget("job")
    assert await found(memory) == set()


async def test_undo_takes_back_what_a_run_said_is_to_come(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        mine, run = store.memory("alice"), store.memory("alice", run_id="r")
        await save(mine, ACME)
        await save(run, BETA, SOON)
        assert await found(mine) == {ACME}
        assert (await mine.undo(run_id="r")).restored == ("job",)
        await mine.facts.embed_pending()
        assert await found(mine) == {ACME}
        assert await said(mine, SOON) == [ACME]


async def test_what_holds_has_duplicates(memory: memoranda.Memory) -> None:
    old = await save(memory, ACME, key=None)
    await save(memory, BETA, SOON, key=None, supersedes=old)
    again = await memory.facts.save("anna works at ACME")
    assert (again.outcome, again.id) == ("duplicate", old)
    assert await found(memory) == {ACME}


async def test_what_holds_is_given_the_vector_that_it_lacks(database: Database) -> None:
    async with memoranda.connect(database.dsn()) as store:
        await save(store.memory("alice"), ACME)
        await save(store.memory("alice"), BETA, SOON)
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        done = await store.memory("alice").facts.embed_pending()
        assert done.embedded == 2
        assert await found(store.memory("alice")) == {ACME}


async def test_only_what_was_superseded_holds_so(memory: memoranda.Memory, database: Database) -> None:
    id = await save(memory, ACME)
    with database.admin() as conn:
        conn.execute("set session_replication_role = replica; set search_path = memoranda_private")
        with pytest.raises(psycopg.errors.CheckViolation):
            conn.execute("update facts set holds_until = 'infinity' where id = %s", [id])
