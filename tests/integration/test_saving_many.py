"""Facts without a key: saved many at once, and one by one."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

import memoranda
from memoranda import NewFact
from memoranda.errors import InputError
from support.databases import Database
from support.embedders import words_embedder


@pytest.fixture
async def embedding(database: Database) -> AsyncIterator[memoranda.Store]:
    """A store with an embedder."""
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as opened:
        yield opened


async def test_saving_many_is_one_outcome_each_and_all_or_none(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    await facts.save("old", key="b")
    outcomes = await facts.save_many(
        ["zero", NewFact("one", key="b"), NewFact("two", key="a"), NewFact("three", key="a"), NewFact("three", key="a")]
    )
    assert [each.outcome for each in outcomes] == ["stored", "superseded", "stored", "superseded", "duplicate"]
    assert [each.embedded for each in outcomes] == [True, True, True, True, None]
    assert outcomes[3].supersedes == outcomes[2].id
    in_force = {fact.content: fact.id for fact in await facts.recall()}
    assert in_force == {"zero": outcomes[0].id, "one": outcomes[1].id, "three": outcomes[3].id}
    with pytest.raises(InputError):
        await facts.save_many(["fine", " "])
    assert len(await facts.recall()) == 3
    assert await facts.save_many([]) == []


async def test_saving_many_again_under_one_key_does_nothing(alice: memoranda.Memory) -> None:
    first = await alice.facts.save_many(["one", "two"], idempotency_key="batch")
    again = await alice.facts.save_many(["one", "two"], idempotency_key="batch")
    assert [each.id for each in again] == [each.id for each in first]
    assert [each.replayed for each in (*first, *again)] == [False, False, True, True]
    assert len(await alice.facts.recall()) == 2


async def test_an_unkeyed_fact_has_a_history_and_can_be_forgotten_by_its_id(alice: memoranda.Memory) -> None:
    outcome = await alice.facts.save("one")
    assert outcome.id
    found = await alice.facts.get(outcome.id)
    assert found is not None
    assert found.content == "one"
    assert (await alice.facts.forget(outcome.id)).outcome == "forgotten"
    assert [each.verb for each in await alice.facts.history(outcome.id)] == ["forgotten", "saved"]
    assert await alice.facts.get(uuid.uuid4()) is None
