"""A judge of doubtful near duplicates: asked after the save, off by default, and without harm when it fails."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import memoranda
import memoranda.sync
from memoranda import Fact, NewFact
from support.databases import Database
from support.embedders import words_embedder

OLD, NEW = "The user works as a nurse in Leeds today", "The user works as a nurse in Leeds these days"


@pytest.fixture
async def embedding(database: Database) -> AsyncIterator[memoranda.Memory]:
    """A memory in a store with an embedder."""
    async with memoranda.connect(database.dsn(), embedder=words_embedder(512)) as opened:
        yield opened.memory("alice")


class Judge:
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, old: Fact, new: NewFact) -> Any:
        self.asked.append((old.content, new.content))
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


async def contents(memory: memoranda.Memory) -> set[str]:
    return {fact.content for fact in await memory.facts.recall(200)}


async def test_what_is_judged_the_same_gives_way_to_the_older(embedding: memoranda.Memory) -> None:
    judge = Judge("same")
    first = await embedding.facts.save(OLD, key="job")
    again = await embedding.facts.save(NEW, judge=judge)
    assert (again.outcome, again.rule, again.id, again.embedded) == ("duplicate", "judged the same", first.id, None)
    assert judge.asked == [(OLD, NEW)]
    assert await contents(embedding) == {OLD}
    assert (await embedding.facts.save(NEW, judge=judge)).id == first.id
    history = await embedding.facts.history("job")
    assert NEW in {entry.fact.content for entry in history}, "no text is lost"


async def test_what_is_judged_an_update_takes_the_place_of_the_older(embedding: memoranda.Memory) -> None:
    first = await embedding.facts.save(OLD)
    outcomes = await embedding.facts.save_many(["Likes tea.", NEW], judge=Judge("update"))
    assert [(each.outcome, each.rule) for each in outcomes] == [("stored", "new"), ("superseded", "judged an update")]
    assert outcomes[1].supersedes == first.id
    assert await contents(embedding) == {"Likes tea.", NEW}
    assert first.id is not None
    assert (await embedding.facts.restore(first.id)).outcome == "superseded", "and that can be taken back"
    assert await contents(embedding) == {"Likes tea.", OLD}


@pytest.mark.parametrize("verdict", ["other", "perhaps", None, RuntimeError("down"), ValueError("nonsense")])
async def test_else_both_stay(embedding: memoranda.Memory, verdict: Any, caplog: pytest.LogCaptureFixture) -> None:
    await embedding.facts.save(OLD)
    with caplog.at_level(logging.WARNING, "memoranda"):
        outcome = await embedding.facts.save(NEW, judge=Judge(verdict))
    assert (outcome.outcome, outcome.rule) == ("stored", "similar")
    assert await contents(embedding) == {OLD, NEW}
    assert bool(caplog.records) == (verdict != "other")


async def test_it_is_asked_only_in_doubt_and_only_if_there_is_one(embedding: memoranda.Memory) -> None:
    judge = Judge("same")
    await embedding.facts.save(OLD, judge=judge)
    for text in (OLD, "The user does not work as a nurse in Leeds today", "Likes tea.", "The queue has 4 items"):
        await embedding.facts.save(text, judge=judge)
    await embedding.facts.save("The queue has 9 items", judge=judge)
    waits = await embedding.facts.save(NEW, judge=judge, review=True)
    assert waits.outcome == "pending"
    assert judge.asked == []
    await embedding.facts.save("The user works as a nurse in Leeds for now")
    assert "The user works as a nurse in Leeds for now" in await contents(embedding)


async def test_it_moves_nothing_under_a_key_and_nothing_of_another_time(embedding: memoranda.Memory) -> None:
    await embedding.facts.save(OLD, key="job")
    assert (await embedding.facts.save(NEW, judge=Judge("update"))).outcome == "stored"
    later = datetime.now(UTC) + timedelta(days=9)
    text = "The user works as a nurse in Leeds right now"
    assert (await embedding.facts.save(text, judge=Judge("same"), expires_at=later)).outcome == "stored"
    assert await contents(embedding) == {OLD, NEW, text}


async def test_what_changes_while_it_thinks_is_left_alone(embedding: memoranda.Memory) -> None:
    first = await embedding.facts.save(OLD)
    assert first.id is not None

    async def slow(old: Fact, new: NewFact) -> Any:
        await embedding.facts.forget(old.id)  # no transaction is open, so nobody is held up
        return "same"

    assert (await embedding.facts.save(NEW, judge=slow)).outcome == "stored"
    assert await contents(embedding) == {NEW}


def test_without_await_it_is_a_plain_function(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), embedder=words_embedder(512)) as store:
        facts = store.memory("alice").facts
        facts.save(OLD)
        assert facts.save(NEW, judge=lambda old, new: "update").outcome == "superseded"
