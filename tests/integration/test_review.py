"""Review: what comes from elsewhere than the user's own words waits, unseen, until a person says what becomes of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import NewFact
from memoranda.errors import EmptyError, ForbiddenError, NotFoundError, SettledError
from support.databases import Database
from support.embedders import words_embedder


@pytest.fixture
async def store(database: Database) -> AsyncIterator[memoranda.Store]:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(512)) as opened:
        yield opened


async def everything_found(memory: memoranda.Memory) -> set[str]:
    """What any read has, but the review's and the history's."""
    found = {fact.content for fact in await memory.facts.recall(200)}
    found |= {hit.fact.content for hit in await memory.facts.search("zebra", 200)}
    text = (await memory.context("zebra")).text
    assert all((content in text) for content in found)
    return found


async def proposed(memory: memoranda.Memory, content: str, **more: Any) -> UUID:
    outcome = await memory.facts.save(content, review=True, **more)
    assert outcome.outcome == "pending"
    assert outcome.id is not None
    return outcome.id


# What waits


@pytest.mark.parametrize("policy", ["untrusted", "all", "none"])
@pytest.mark.parametrize("origin", ["user", "assistant", "tool", "import", "system"])
async def test_what_waits_is_the_tenants_policy(store: memoranda.Store, policy: str, origin: Any) -> None:
    memory = store.memory("alice")
    await store.settings.set("review", policy, user="alice")
    waits = policy == "all" or (policy == "untrusted" and origin in ("assistant", "tool", "import"))
    one = await memory.facts.save("zebra one", origin=origin)
    many = await memory.facts.save_many([NewFact("zebra two", origin=origin, key="k")])
    assert {one.outcome, many[0].outcome} == {"pending" if waits else "stored"}
    assert await everything_found(memory) == (set() if waits else {"zebra one", "zebra two"})
    assert await memory.review.count() == (2 if waits else 0)
    assert (await memory.context()).waiting == (2 if waits else 0)
    assert {each.fact.origin for each in await memory.review.pending()} <= {origin}


async def test_a_caller_may_only_be_stricter(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await store.settings.set("review", "none")
    assert (await memory.facts.save("a", review=True)).outcome == "pending"
    await store.settings.set("review", "all")
    assert (await memory.facts.save("b", review=False)).outcome == "pending"


async def test_what_a_tainted_run_writes_waits(store: memoranda.Store) -> None:
    run = store.memory("alice", run_id="r")
    assert (await run.facts.save("zebra before")).outcome == "stored"
    await run.taint("a page")
    assert (await run.facts.save("zebra after", key="k")).outcome == "pending"
    assert await everything_found(run) == {"zebra before"}
    assert (await store.memory("alice", run_id="other").facts.save("zebra beside")).outcome == "stored"
    undone = await store.memory("alice").undo(source="a page")
    assert "k" in undone.removed
    assert await run.review.count() == 0


async def test_what_an_extractor_found_waits_unless_the_user_said_it(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    said = "I moved to Oslo in May, and I pay 900 kroner for zebra lessons with Kari."
    candidates = [
        NewFact("The user pays 900 kroner for lessons", quote="I pay 900 kroner for zebra lessons"),
        NewFact("The user moved to Oslo", quote="I moved to oslo in  MAY"),
        NewFact("The user pays 800 kroner for lessons", quote="I pay 900 kroner for zebra lessons"),
        NewFact("The user takes lessons with Berit", quote="zebra lessons with Kari"),
        NewFact("The user owns a zebra", quote="I own a zebra"),
        NewFact("The user likes zebras"),
        NewFact("The user said and", quote="and"),
        NewFact("", quote="I moved to Oslo"),
        NewFact("x", kind="nonsense"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ]
    outcomes = await memory.facts.save_extracted(candidates, said=said)
    assert [outcome.outcome for outcome in outcomes] == ["stored"] * 2 + ["pending"] * 5 + ["failed"] * 2
    assert "empty" in str(outcomes[-2].rule)
    assert [each.actor for each in await memory.review.pending()] == ["extractor"] * 5
    assert {fact.quote for fact in await memory.facts.recall()} == {candidates[0].quote, candidates[1].quote}
    again = await memory.facts.save_extracted(candidates[:2])
    assert [outcome.outcome for outcome in again] == ["duplicate"] * 2


async def test_what_waits_already_is_not_proposed_twice(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    first = await proposed(memory, "zebra")
    again = await memory.facts.save("ZEBRA", origin="tool")
    assert (again.outcome, again.id) == ("pending", first)
    said = await memory.facts.save("Zebra")
    assert (said.outcome, await memory.review.count()) == ("stored", 0), "and what is in force waits no longer"


# What becomes of it


async def test_approving_puts_into_force(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await memory.facts.save("zebra of today", key="k")
    waits = await proposed(memory, "zebra of tomorrow", key="k")
    alone = await proposed(memory, "zebra alone")
    assert await everything_found(memory) == {"zebra of today"}
    waiting = await memory.review.get(waits)
    assert waiting is not None
    assert waiting.replaces is not None
    assert waiting.replaces.content == "zebra of today"
    outcome = await memory.review.approve(waits, reason="it is so")
    assert (outcome.outcome, outcome.rule, outcome.id, outcome.version) == ("superseded", "approved", waits, 2)
    assert (await memory.review.approve(alone)).outcome == "stored"
    assert await everything_found(memory) == {"zebra of tomorrow", "zebra alone"}
    assert (await memory.facts.search("zebra alone", 1))[0].similarity == pytest.approx(1, abs=1e-3)
    entry = (await memory.facts.history("k"))[0]
    assert (entry.verb, entry.reason, entry.replaces) == ("approved", "it is so", outcome.supersedes)


async def test_approving_what_is_known_by_now_is_a_duplicate(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    waits = await proposed(memory, "zebra", kind="preference")
    known = await memory.facts.save("zebra", kind="preference", key="k")
    outcome = await memory.review.approve(waits)
    assert (outcome.outcome, outcome.id) == ("duplicate", known.id)
    assert len(await memory.facts.recall()) == 1


async def test_a_rejected_value_does_not_come_back(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    waits, twin = await proposed(memory, "zebra"), await proposed(memory, "zebra", kind="preference")
    await proposed(memory, "quagga")
    outcome = await memory.review.reject(waits, reason="it is not so")
    assert outcome.outcome == "rejected"
    assert [each.fact.content for each in await memory.review.pending()] == ["quagga"], twin
    assert (await memory.facts.save("Zebra")).outcome == "rejected"
    assert (await memory.facts.save("Zebra", origin="tool", key="k")).outcome == "rejected"
    entry = (await memory.facts.history(waits))[0]
    assert (entry.verb, entry.reason) == ("rejected", "it is not so")
    assert await everything_found(memory) == set()
    assert (await memory.facts.restore(waits)).outcome == "stored"
    assert await everything_found(memory) == {"zebra"}


async def test_a_person_may_say_it_better(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await memory.facts.save("zebra of today", key="k")
    waits = await proposed(memory, "zebra of tomorow", key="k", tags=["animals"])
    outcome = await memory.review.edit_and_approve(waits, "zebra of tomorrow")
    assert outcome.outcome == "superseded"
    assert [(fact.content, fact.tags, fact.origin) for fact in await memory.facts.recall()] == [
        ("zebra of tomorrow", ("animals",), "user")
    ]
    assert await memory.review.count() == 0
    tracker = await proposed(memory, "zebra alone")
    assert (await memory.review.edit_and_approve(tracker, "zebra, alone")).outcome == "stored"
    assert (await memory.facts.save("zebra alone", origin="tool")).outcome == "duplicate", "it was settled"


async def test_approving_a_value_that_was_rejected_elsewhere_lets_it_back(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    here = await proposed(memory, "The zebra sleeps.", key="zebra")
    there = await proposed(memory, "The zebra sleeps.", key="animal")
    await memory.review.reject(there)
    assert (await memory.facts.save("The zebra sleeps.")).outcome == "rejected"
    approved = await memory.review.approve(here)
    assert (approved.outcome, approved.restored) == ("stored", True)
    assert (await memory.facts.save("The zebra sleeps.")).outcome == "duplicate"
    again = await store.memory("alice").facts.save("The zebra sleeps.", key="animal")
    assert again.outcome == "stored"


async def test_what_a_person_writes_may_be_rejected_too_and_then_it_still_waits(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await memory.review.reject(await proposed(memory, "quagga"))
    waits = await proposed(memory, "zebra")
    assert (await memory.review.edit_and_approve(waits, "Quagga")).outcome == "rejected"
    assert await memory.review.count() == 1
    with pytest.raises(EmptyError):
        await memory.review.edit_and_approve(waits, " ")


async def test_only_what_waits_is_reviewed_and_only_ones_own(store: memoranda.Store) -> None:
    alice, bob = store.memory("alice"), store.memory("bob")
    waits = await proposed(alice, "zebra")
    in_force = (await alice.facts.save("quagga")).id
    assert in_force is not None
    review = bob.review
    for act in (review.approve, review.reject):
        with pytest.raises(NotFoundError):
            await act(waits)
        with pytest.raises(NotFoundError):
            await act(uuid4())
    assert await bob.review.pending() == []
    with pytest.raises(SettledError):
        await alice.review.reject(in_force)
    await alice.review.approve(waits)
    with pytest.raises(SettledError):
        await alice.review.approve(waits)


@pytest.mark.parametrize("actor", ["model", "extractor", "import", "system"])
@pytest.mark.parametrize("function", ["review_approve", "review_reject", "review_edit", "facts_restore"])
async def test_no_model_reviews(store: memoranda.Store, actor: str, function: str) -> None:
    memory = store.memory("alice")
    waits = await proposed(memory, "zebra")
    arguments: dict[str, Any] = {"target": {"id": str(waits)}, "call": {"actor": actor}}
    if function == "review_edit":
        arguments["fact"] = {"content": "x"}
    with pytest.raises(ForbiddenError):
        await memory.facts._binding.call(function, arguments)  # pyright: ignore[reportPrivateUsage]
    assert await memory.review.count() == 1


async def test_a_review_sent_again_with_its_key_is_done_once(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    waits = await proposed(memory, "zebra")
    first = await memory.review.approve(waits, idempotency_key="r")
    again = await memory.review.approve(waits, idempotency_key="r")
    assert (again.outcome, again.id, again.replayed) == (first.outcome, waits, True)
