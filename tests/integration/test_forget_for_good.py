"""`forget(erase=True)`: gone with history and vectors; the hash stays, and keeps the value out."""

from __future__ import annotations

import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import ForbiddenError
from support.canary import CANARY, hits, rows
from support.databases import Database
from support.embedders import words_embedder


async def test_what_is_forgotten_for_good_is_nowhere_and_stays_out(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        memory = store.memory("alice")
        saved = await memory.facts.save(f"Likes {CANARY} a lot", idempotency_key="one", tags=[CANARY])
        await memory.facts.save("Likes tea.", idempotency_key="two")
        await memory.facts.save(f"Likes {CANARY}", key="drink")
        await memory.facts.save(f"Likes {CANARY} no more", key="drink", idempotency_key="three")
        waits = await memory.facts.save(f"{CANARY} waits", review=True)
        await memory.facts.search(CANARY)
        assert saved.id
        assert waits.id
        for target in (saved.id, "drink", waits.id):
            done = await memory.facts.forget(target, erase=True, reason=f"{CANARY}")
            assert (done.outcome, done.rule) == ("forgotten", "for good")
        assert hits(database) == {}
        there = rows(database)
        assert [len(there[table]) for table in ("facts", "vectors", "terms", "vectors_aside")] == [1, 1, 1, 0]
        assert len(there["revisions"]) == 1
        assert len(there["tombstones"]) == 3, "of what was in force or waited, and not of what had been replaced"
        assert all("'fact_id': None" in row and "'template_hash': None" in row for row in there["tombstones"])
        # Neither a retry nor the same in another spelling comes back; what else there was is as before.
        again = await memory.facts.save(f"Likes {CANARY} a lot", idempotency_key="one", tags=[CANARY])
        assert (again.outcome, again.rule, again.replayed) == ("rejected", "erased", True)
        assert (await memory.facts.save(f"likes  {CANARY.upper()} a LOT")).rule == "tombstone"
        assert (await memory.facts.save(f"Likes {CANARY} no more", key="drink")).rule == "tombstone"
        assert (await memory.facts.save("Likes tea.", idempotency_key="two")).outcome == "stored"
        assert (await memory.facts.save(f"Likes {CANARY}", key="drink")).outcome == "stored"
        assert (await memory.facts.forget("drink", erase=True)).outcome == "forgotten"
        assert await memory.facts.history("drink") == []
        for target in (saved.id, "drink"):
            assert (await memory.facts.forget(target, erase=True)).outcome == "nothing"
        assert hits(database) == {}


async def test_one_of_a_story_goes_and_the_rest_stays_out_of_force(store: memoranda.Store, database: Database) -> None:
    memory = store.memory("alice")
    first = await memory.facts.save("Lives in Rome.", key="home")
    second = await memory.facts.save(f"Lives in {CANARY}.", key="home")
    third = await memory.facts.save("Lives in Bonn.", key="home")
    assert second.id
    assert third.id
    await memory.facts.forget(second.id, erase=True)
    assert hits(database) == {}
    assert [fact.content for fact in await memory.facts.recall()] == ["Lives in Bonn."]
    assert {each.fact.id for each in await memory.facts.history("home")} == {first.id, third.id}
    await memory.facts.forget(third.id, erase=True)
    assert await memory.facts.recall() == []
    assert (await memory.facts.save("Lives in Rome.", key="home")).outcome == "stored"


async def test_a_retry_does_it_once(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await memory.facts.save("Lives in Rome.", key="home")
    for replayed in (False, True):
        done = await memory.facts.forget("home", erase=True, idempotency_key="gone")
        assert (done.outcome, done.replayed) == ("forgotten", replayed)


async def test_no_reader_and_no_model_forgets_for_good(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice", "manage")
    await store.members.set("acme", "bob", "read")
    shared = store.memory("alice", tenant="acme", scope=Scope.organization())
    await shared.facts.save("Invoices are due.", key="terms")
    with pytest.raises(ForbiddenError):
        await store.memory("bob", tenant="acme", scope=Scope.organization()).facts.forget("terms", erase=True)
    binding = shared.facts._binding  # pyright: ignore[reportPrivateUsage]
    call = binding.call_context(actor="model")
    with pytest.raises(ForbiddenError):
        await binding.call("facts_erase", {"target": {"key": "terms"}, "call": call})
    assert (await shared.facts.forget("terms", erase=True)).outcome == "forgotten"
