"""What is known already: word for word, in other words, moved on; one row and one order, whoever saves at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

import memoranda
from memoranda import NewFact, Scope
from memoranda.errors import InputError, QuotaError
from support.databases import Database
from support.embedders import words_embedder

NOW = datetime.now(UTC)


@pytest.fixture
async def embedding(database: Database) -> AsyncIterator[memoranda.Memory]:
    """A memory of alice's in a store with an embedder."""
    async with memoranda.connect(database.dsn(), embedder=words_embedder(512)) as opened:
        yield opened.memory("alice")


async def contents(memory: memoranda.Memory) -> list[str]:
    return sorted(fact.content for fact in await memory.facts.recall(200))


# Word for word


async def test_what_is_known_word_for_word_is_counted_and_not_kept_twice(
    alice: memoranda.Memory, database: Database
) -> None:
    first = await alice.facts.save("Likes green tea.", tags=["drinks"], importance=9)
    again = await alice.facts.save("  LIKES\u200b green\u00a0tea. ")
    assert (again.outcome, again.rule, again.id, again.seen) == ("duplicate", "same value", first.id, 2)
    assert (await alice.facts.save("Likes green tea.", source="chat")).seen == 3
    facts = await alice.facts.recall()
    assert [(fact.content, fact.tags, fact.importance, fact.version) for fact in facts] == [
        ("Likes green tea.", ("drinks",), 9, 1)
    ]
    with database.admin() as conn:
        assert conn.execute("select count(*) from memoranda_private.revisions").fetchone() == (1,)


async def test_other_kinds_and_other_scopes_are_not_compared(store: memoranda.Store) -> None:
    places = [store.memory("alice"), store.memory("bob"), store.memory("alice", scope=Scope.agent("a"))]
    for memory in places:
        assert (await memory.facts.save("Likes tea.")).outcome == "stored"
    assert (await places[0].facts.save("Likes tea.", kind="preference")).outcome == "stored"
    assert (await places[0].facts.save("Likes tea.")).outcome == "duplicate"


async def test_nothing_is_lost_in_what_nobody_sees(alice: memoranda.Memory) -> None:
    """A duplicate of an expired fact, or of one that is over, would be saved nowhere."""
    await alice.facts.save("Is in Rome.", expires_at=NOW - timedelta(hours=1))
    await alice.facts.save("Is in Oslo.", valid_until=NOW - timedelta(hours=1))
    assert (await alice.facts.save("Is in Rome.")).outcome == "stored"
    assert (await alice.facts.save("Is in Oslo.")).outcome == "stored"
    assert await contents(alice) == ["Is in Oslo.", "Is in Rome."]


async def test_the_same_for_another_time_says_more(alice: memoranda.Memory) -> None:
    first = await alice.facts.save("Is in Rome.", expires_at=NOW + timedelta(hours=1))
    longer = await alice.facts.save("Is in Rome.")
    assert (longer.outcome, longer.supersedes, longer.rule) == ("superseded", first.id, "same value, another time")
    assert (await alice.facts.save("Is in Rome.", valid_from=NOW)).outcome == "duplicate"
    ended = await alice.facts.save("Is in Rome.", valid_until=NOW + timedelta(hours=2))
    assert ended.outcome == "superseded"
    assert [fact.valid_until for fact in await alice.facts.recall()] == [NOW + timedelta(hours=2)]


@pytest.mark.parametrize(("dedup", "rows"), [("full", 1), ("exact", 1), ("off", 3)])
async def test_how_much_is_looked_for_is_the_callers_choice(alice: memoranda.Memory, dedup: str, rows: int) -> None:
    for _ in range(3):
        await alice.facts.save("Likes tea.", dedup=dedup)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert len(await alice.facts.recall()) == rows
    with pytest.raises(InputError, match="full, exact or off"):
        await alice.facts.save("x", dedup="some")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def test_many_at_once_are_compared_with_each_other_and_with_what_is_there(alice: memoranda.Memory) -> None:
    await alice.facts.save("fact of old")
    given = ["one", "fact of old", "two", "ONE", *(f"row about {n} and {n * 7}" for n in range(300)), "two "]
    outcomes = await alice.facts.save_many(given)
    assert [outcome.outcome for outcome in outcomes[:4]] == ["stored", "duplicate", "stored", "duplicate"]
    assert outcomes[3].id == outcomes[0].id
    assert (outcomes[-1].outcome, outcomes[-1].id) == ("duplicate", outcomes[2].id)
    again = await alice.facts.save_many(given)
    assert {outcome.outcome for outcome in again} == {"duplicate"}


# In other words


async def test_what_says_the_same_in_the_same_words_adds_no_fact_and_loses_no_text(
    embedding: memoranda.Memory,
) -> None:
    first = await embedding.facts.save("The user likes green tea with milk.")
    again = await embedding.facts.save("The user likes green tea, with milk!")
    assert (again.outcome, again.rule, again.id) == ("duplicate", "same in other words", first.id)
    assert again.similarity is not None
    assert again.threshold is not None
    assert await contents(embedding) == ["The user likes green tea with milk."]
    assert first.id is not None
    merged = (await embedding.facts.history(first.id))[0]
    assert (merged.verb, merged.fact.content) == ("merged", "The user likes green tea, with milk!")
    assert merged.decision["rule"] == "same in other words"
    once_more = await embedding.facts.save("the user likes green tea, WITH milk!")
    assert (once_more.outcome, once_more.rule, once_more.id, once_more.seen) == ("duplicate", "same value", first.id, 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is allergic to penicillin.", "The user is not allergic to penicillin."),
        ("The user paid 400 euros for the bike.", "The user paid 500 euros for the bike."),
    ],
)
async def test_what_is_near_and_not_the_same_is_kept(embedding: memoranda.Memory, old: str, new: str) -> None:
    await embedding.facts.save(old)
    assert (await embedding.facts.save(new)).outcome == "stored"
    assert await contents(embedding) == sorted([old, new])


async def test_a_tracker_that_moved_on_supersedes(embedding: memoranda.Memory) -> None:
    outcomes = [await embedding.facts.save(f"The queue has {n} items") for n in (412, 903, 17)]
    assert [outcome.outcome for outcome in outcomes] == ["stored", "superseded", "superseded"]
    assert [outcome.supersedes for outcome in outcomes[1:]] == [outcomes[0].id, outcomes[1].id]
    assert outcomes[2].rule == "moved on"
    assert await contents(embedding) == ["The queue has 17 items"]
    assert outcomes[0].id is not None
    assert [entry.fact.version for entry in await embedding.facts.history(outcomes[0].id)] == [3, 2, 1]


async def test_what_a_tool_says_moves_nothing_by_itself(embedding: memoranda.Memory) -> None:
    first = await embedding.facts.save("The queue has 412 items")
    waits = await embedding.facts.save("The queue has 903 items", origin="tool")
    assert (waits.outcome, waits.rule, waits.compared) == ("pending", "moved on", first.id)
    assert await contents(embedding) == ["The queue has 412 items"]
    assert waits.id is not None
    approved = await embedding.review.approve(waits.id)
    assert (approved.outcome, approved.supersedes, approved.embedded) == ("superseded", first.id, True)
    assert await contents(embedding) == ["The queue has 903 items"]


async def test_the_log_says_what_decided(embedding: memoranda.Memory) -> None:
    first = await embedding.facts.save("The user works as a nurse in Leeds today")
    doubtful = await embedding.facts.save("The user works as a nurse in Leeds these days")
    assert (doubtful.outcome, doubtful.rule, doubtful.compared) == ("stored", "similar", first.id)
    assert doubtful.id is not None
    decision = (await embedding.facts.history(doubtful.id))[0].decision
    assert (decision["rule"], decision["compared"]) == ("similar", str(first.id))
    assert decision["similarity"] == pytest.approx(doubtful.similarity)
    assert decision["threshold"] == doubtful.threshold


# At the same time


async def test_eight_identical_saves_at_once_are_one_row(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8, embedder=words_embedder(512)) as store:
        facts = store.memory("alice").facts
        outcomes = await asyncio.gather(*(facts.save("Likes tea." + " " * n) for n in range(8)))
        assert sorted(outcome.outcome for outcome in outcomes) == ["duplicate"] * 7 + ["stored"]
        assert len({outcome.id for outcome in outcomes}) == 1
        assert len(await facts.recall()) == 1


async def test_eight_states_of_one_tracker_at_once_are_one_chain(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8, embedder=words_embedder(512)) as store:
        memory = store.memory("alice")
        outcomes = await asyncio.gather(*(memory.facts.save(f"The queue has {n} items") for n in range(8)))
        current = await memory.facts.recall()
        assert [fact.version for fact in current] == [8]
        history = await memory.facts.history(current[0].id)
        assert [entry.fact.version for entry in history] == list(range(8, 0, -1))
        assert {entry.fact.id for entry in history} == {outcome.id for outcome in outcomes}


# Quotas


async def test_a_scope_and_a_source_hold_so_many_and_no_more(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await store.settings.set("facts", 5, user="alice")
    await store.settings.set("facts_per_source", 2, user="alice")
    await memory.facts.save_many([NewFact(f"likes {what}", source="web") for what in ("pears", "plums")])
    with pytest.raises(QuotaError, match="at most 2 facts of one source"):
        await memory.facts.save("likes figs", source="web")
    await memory.facts.save("likes pears", source="web")  # which is known
    await memory.facts.save_many(["a", "b"])
    await memory.facts.save("waits", review=True)
    with pytest.raises(QuotaError, match="at most 5 facts"):
        await memory.facts.save("c")
    with pytest.raises(QuotaError):
        await memory.facts.save_many(["a", "c"])
    assert (await memory.facts.correct((await memory.facts.recall(1))[0].id, "corrected")).outcome == "superseded"
    await memory.facts.forget((await memory.facts.recall(1))[0].id)
    assert (await memory.facts.save("c")).outcome == "stored"
    await store.memory("bob").facts.save_many([str(n) for n in range(6)])


async def test_one_source_fills_no_answer_alone(alice: memoranda.Memory) -> None:
    await alice.facts.save_many([NewFact(f"zebra note {n}", source="web") for n in range(20)])
    await alice.facts.save_many([NewFact("zebra said the user, and much more besides"), NewFact("x", source="other")])
    assert {hit.fact.source for hit in await alice.facts.search("zebra note", 5)} == {"web"}
    hits = await alice.facts.search("zebra note", 5, max_per_source=2)
    assert sorted(str(hit.fact.source) for hit in hits) == ["None", "other", "web", "web"]
