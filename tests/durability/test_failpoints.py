"""Every write, failing after each row that it changes and at its commit: it leaves nothing, and can be sent again.

The failpoints are named by what has just been done, such as `facts insert` or `commit`; see `support/failpoints.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Literal
from uuid import UUID

import pytest

import memoranda
from memoranda import NewFact, NewMessage
from memoranda.errors import DatabaseError, UnavailableError
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database
from support.embedders import words_embedder
from support.failpoints import MESSAGE, Failpoints

Memory = memoranda.Memory
Write = Callable[[str], Awaitable[Any]]


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


@pytest.fixture(scope="module")
def points(shared: Database) -> Iterator[Failpoints]:
    made = Failpoints(shared)
    yield made
    made.close()


@pytest.fixture
async def store(shared: Database) -> AsyncIterator[memoranda.Store]:
    async with memoranda.connect(shared.dsn(), embedder=words_embedder(), max_connections=1) as opened:
        yield opened


async def new_id(memory: Memory, content: str, **options: Any) -> UUID:
    outcome = await memory.facts.save(content, **options)
    assert outcome.id
    return outcome.id


# Each makes ready what it needs, and returns the write, to be named by an idempotency key.


async def save(memory: Memory) -> Write:
    return lambda key: memory.facts.save("Likes tea, green", entities=["Anna"], idempotency_key=key)


async def save_under_a_key(memory: Memory) -> Write:
    await memory.facts.save("EUR", key="currency")
    await memory.facts.save("GBP", key="currency", review=True)
    return lambda key: memory.facts.save("GBP", key="currency", idempotency_key=key)


async def save_many(memory: Memory) -> Write:
    facts = [NewFact("one thing"), NewFact("another", key="k"), NewFact("a third", origin="tool")]
    return lambda key: memory.facts.save_many(facts, idempotency_key=key)


async def correct(memory: Memory) -> Write:
    old = await new_id(memory, "Lives in Oslo")
    return lambda key: memory.facts.correct(old, "Lives in Bergen", idempotency_key=key)


async def forget(memory: Memory) -> Write:
    await memory.facts.save("Lives in Oslo", key="home")
    return lambda key: memory.facts.forget("home", idempotency_key=key)


async def forget_for_good(memory: Memory) -> Write:
    await memory.facts.save("Lives in Oslo", key="home")
    await memory.facts.save("Lives in Bergen", key="home")
    return lambda key: memory.facts.forget("home", erase=True, idempotency_key=key)


async def restore(memory: Memory) -> Write:
    old = await new_id(memory, "Lives in Oslo", key="home")
    await memory.facts.save("Lives in Bergen", key="home")
    plain = memoranda.Memory(memory.facts._binding.transport, memory.identity, memory.scope)  # pyright: ignore[reportPrivateUsage]
    return lambda key: plain.facts.restore(old, idempotency_key=key)  # a vector would be a write of its own


async def approve(memory: Memory) -> Write:
    await memory.facts.save("Lives in Oslo", key="home")
    waiting = await new_id(memory, "Lives in Bergen", key="home", review=True)
    return lambda key: memory.review.approve(waiting, idempotency_key=key)


async def reject(memory: Memory) -> Write:
    waiting = await new_id(memory, "Lives in Bergen", review=True)
    return lambda key: memory.review.reject(waiting, idempotency_key=key)


async def edit_and_approve(memory: Memory) -> Write:
    waiting = await new_id(memory, "Lives in Bergen", review=True)
    return lambda key: memory.review.edit_and_approve(waiting, "Lives in Porto", idempotency_key=key)


async def edit_a_file(memory: Memory) -> Write:
    await memory.files.write("/memories/a.md", "one\ntwo\n")
    return lambda key: memory.files.replace("/memories/a.md", "two", "three", idempotency_key=key)


async def move_a_folder(memory: Memory) -> Write:
    for name in "abc":
        await memory.files.write(f"/memories/old/{name}.md", name)
    return lambda key: memory.files.move("/memories/old", "/memories/new", idempotency_key=key)


async def remove_a_folder(memory: Memory) -> Write:
    for name in "abc":
        await memory.files.write(f"/memories/old/{name}.md", name)
    return lambda key: memory.files.remove("/memories/old", idempotency_key=key)


async def add_a_turn(memory: Memory) -> Write:
    turn = [NewMessage("user", "Where to?"), NewMessage("tool", "a page"), NewMessage("assistant", "To Porto.")]
    return lambda key: memory.turns.add(turn, embed="worker", extract="worker", idempotency_key=key)


async def undo(memory: Memory) -> Write:
    run = memoranda.Memory(memory.facts._binding.transport, memory.identity, memory.scope, run_id="r", chat="c")  # pyright: ignore[reportPrivateUsage]
    await memory.files.write("/memories/a.md", "mine")
    await memory.facts.save("EUR", key="currency")
    await run.files.write("/memories/a.md", "theirs")
    await run.files.write("/memories/b.md", "theirs")
    await run.facts.save("GBP", key="currency")
    await run.turns.add([NewMessage("user", "hello"), NewMessage("assistant", "theirs")], embed="worker")
    return lambda key: memory.undo(run_id="r", idempotency_key=key)


KEYS = {"idempotency_keys insert", "idempotency_keys update", "commit"}
A_FACT = {"facts insert", "revisions insert", "terms insert", "vectors insert"}
WRITES: dict[Callable[[Memory], Awaitable[Write]], set[str]] = {
    save: A_FACT,
    save_under_a_key: A_FACT | {"facts update", "terms delete"},
    save_many: A_FACT | {"vectors_aside insert"},
    correct: A_FACT | {"facts update"},
    forget: {"facts update", "revisions insert", "tombstones insert", "terms delete"},
    forget_for_good: {"facts delete", "revisions delete", "tombstones insert", "terms delete"},
    restore: {"facts insert", "facts update", "revisions insert", "terms insert", "terms delete"},
    approve: {"facts update", "revisions insert", "terms insert"},
    reject: {"facts update", "revisions insert", "tombstones insert"},
    edit_and_approve: {"facts update", "revisions insert", "terms insert"},
    edit_a_file: {"files update", "revisions insert"},
    move_a_folder: {"files update", "revisions insert"},
    remove_a_folder: {"files update", "revisions insert"},
    add_a_turn: {"messages insert", "message_terms insert", "work insert"},
    undo: {
        "facts insert",
        "facts update",
        "files update",
        "revisions insert",
        "messages update",
        "message_terms delete",
    },
}
"""The writes, and failpoints that each passes, besides those of its idempotency key."""


async def fails_everywhere(points: Failpoints, write: Write, how: Literal["fails", "dies"]) -> list[str]:
    """Have a write fail at each failpoint in turn, with one key all the time; returns their names."""
    before, passed = points.state(), list[str]()
    while True:
        points.arm(len(passed) + 1, how)
        try:
            await write("k")
        except (DatabaseError, UnavailableError) as error:
            passed.append(error.message.removeprefix(MESSAGE).rstrip("."))
            points.arm(None)
            assert points.state() == before, f"half of it is there: {passed}"
        else:
            break
    points.arm(None)
    after = points.state()
    assert after != before
    await write("k")
    assert points.state() == after, "sent again it is not done again"
    print(f"{len(passed)} failpoints: {', '.join(dict.fromkeys(passed))}")
    return passed


def some(*quick: Callable[[Memory], Awaitable[Write]]) -> list[Any]:
    """All the writes; those that are not quick, or like another, take their turn with the slow tests."""
    return [pytest.param(make, marks=() if make in quick else pytest.mark.slow, id=make.__name__) for make in WRITES]


@pytest.mark.direct("looks into the tables meanwhile")
@pytest.mark.parametrize("make", some(save_under_a_key, correct, forget_for_good, move_a_folder, add_a_turn, undo))
async def test_a_write_that_fails_anywhere_leaves_nothing(
    points: Failpoints, store: memoranda.Store, make: Callable[[Memory], Awaitable[Write]]
) -> None:
    memory = store.memory(make.__name__, chat="c")
    passed = await fails_everywhere(points, await make(memory), "fails")
    assert set(passed) >= WRITES[make] | KEYS


@pytest.mark.direct("looks into the tables meanwhile")
@pytest.mark.parametrize("make", some(add_a_turn))
async def test_a_write_whose_server_process_dies_anywhere_leaves_nothing(
    points: Failpoints, store: memoranda.Store, make: Callable[[Memory], Awaitable[Write]]
) -> None:
    memory = store.memory(f"{make.__name__}, dies", chat="c")
    assert await fails_everywhere(points, await make(memory), "dies")
