"""What is erased, or has expired, leaves with its words, vectors and work; what was said before does not return."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import NewMessage, Scope
from memoranda.errors import ErasedError
from support.databases import Database
from support.messages import said, shared, store, user

__all__ = ["shared", "store", "user"]

TABLES = ("messages", "message_terms", "message_vectors", "work")


def left(database: Database, user: UUID) -> dict[str, int]:
    """How many rows there are of somebody, in the tables that have any."""
    with database.admin() as conn:
        counts = {
            name: conn.execute(f"select from memoranda_private.{name} where owner_id = %s".encode(), [user]).rowcount
            for name in TABLES
        }
    return {name: count for name, count in counts.items() if count}


async def filled(store: memoranda.Store, user: UUID, scope: Scope | None = None) -> memoranda.Memory:
    memory = store.memory(user, scope=scope, chat="c")
    await memory.turns.add(said("The zebra sleeps.", "Where?"), turn="t-1")
    await memory.turns.add(said("In the barn."), turn="t-2", embed="worker")
    return memory


async def test_erasing_a_scope_leaves_nothing_of_its_messages(
    store: memoranda.Store, user: UUID, shared: Database
) -> None:
    memory = await filled(store, user)
    receipt = await memory.erase()
    assert (receipt.counts["messages"], receipt.counts["message_vectors"], receipt.counts["work"]) == (3, 2, 1)
    assert sum(receipt.left.values()) == 0
    assert left(shared, user) == {}
    assert await memory.messages.recall("zebra") == []


async def test_erasing_a_user_leaves_nothing_and_verifies(store: memoranda.Store, user: UUID, shared: Database) -> None:
    await filled(store, user, Scope.agent("writer"))
    receipt = await store.erase(user)
    assert left(shared, user) == {}
    assert (await store.verify(receipt)).holds


async def test_what_was_said_before_an_erasure_is_not_stored_after_it(store: memoranda.Store, user: UUID) -> None:
    memory = await filled(store, user)
    before = datetime.now(UTC) - timedelta(minutes=1)
    await memory.erase()
    later = datetime.now(UTC) + timedelta(minutes=1)
    done = await memory.turns.add([NewMessage("user", "Old.", "a", before), NewMessage("user", "New.", "b", later)])
    assert [(each.outcome, each.rule) for each in done.messages] == [("rejected", "erased"), ("stored", None)]
    queued = store.memory(user, queued_at=before)
    with pytest.raises(ErasedError):
        await queued.turns.add(said("It waited in a queue."))


async def test_a_late_retry_after_an_erasure_stores_nothing(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    await memory.turns.add(said("The zebra sleeps."), idempotency_key="k")
    await memory.erase()
    with pytest.raises(ErasedError):
        await memory.turns.add(said("The zebra sleeps."), idempotency_key="k")
    assert await memory.messages.list() == []


async def test_erasing_a_source_takes_what_was_said_in_the_runs_that_had_read_it(
    store: memoranda.Store, user: UUID, shared: Database
) -> None:
    run = store.memory(user, run_id="r-1")
    await run.taint("https://example.org")
    await run.turns.add(said("The page says zebra."), turn="t", embed="worker")
    await store.memory(user).turns.add(said("I have a cat."))
    await store.memory(user).erase("https://example.org")
    assert [message.text for message in await run.messages.list()] == ["I have a cat."]
    assert left(shared, user) == {"messages": 1, "message_terms": 1, "message_vectors": 1}


async def test_a_purge_removes_what_has_expired_and_nothing_else(
    store: memoranda.Store, user: UUID, shared: Database
) -> None:
    memory = store.memory(user)
    await memory.turns.add(said("Yesterday's code.", "Noted."), expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    await memory.turns.add(said("For long."), expires_at=datetime.now(UTC) + timedelta(days=9))
    await store.purge(1)
    assert left(shared, user) == {"messages": 1, "message_terms": 1, "message_vectors": 1}
    assert [hit.message.text for hit in await memory.messages.recall("code for long")] == ["For long."]
    assert await store.expired() == memoranda.Purged(0, 0)


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "own work"])
async def test_what_was_extracted_while_it_was_erased_is_not_saved(store: memoranda.Store, inline: bool) -> None:
    user = uuid4()

    class Slow:
        async def extract(self, turn: object, known: object) -> Sequence[memoranda.Candidate]:
            await store.memory(user).erase()
            return [memoranda.Candidate("Plays the cello.", quote="I play the cello")]

    memory = store.memory(user, extractor=Slow())
    await memory.turns.add([{"role": "user", "content": "I play the cello."}], extract="inline" if inline else "worker")
    if not inline:
        await memory.work()
    assert await memory.facts.recall() == []
    assert await memory.review.count() == 0
