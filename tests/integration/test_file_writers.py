"""Writes of files that are sent again, or made at the same time: each is done once, and none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

import pytest

import memoranda
from memoranda.errors import (
    IdempotencyError,
    NotFoundError,
)
from memoranda.files import Files
from support.databases import Database
from support.files import attempt, texts

A, B = "/memories/a", "/memories/b"
Write: TypeAlias = "Callable[[Files, str], Coroutine[Any, Any, memoranda.FileOutcome]]"


REPEATED: dict[str, Write] = {
    "write": lambda files, key: files.write(B, "y", idempotency_key=key),
    "replace": lambda files, key: files.replace(A, "x", "xx", idempotency_key=key),
    "insert": lambda files, key: files.insert(A, 1, "y", idempotency_key=key),
    "remove": lambda files, key: files.remove(A, idempotency_key=key),
    "move": lambda files, key: files.move(A, B, idempotency_key=key),
    "restore": lambda files, key: files.restore(A, 1, idempotency_key=key),
}


@pytest.mark.parametrize("write", REPEATED.values(), ids=REPEATED)
async def test_a_write_sent_again_is_done_once(alice: memoranda.Memory, write: Write) -> None:
    await alice.files.write(A, "first")
    await alice.files.write(A, "x")
    first, *again = await asyncio.gather(*(write(alice.files, "key") for _ in range(3)))
    outcomes = sorted((first, *again), key=lambda each: each.replayed)
    assert [each.replayed for each in outcomes] == [False, True, True]
    done = outcomes[0]
    for each in outcomes[1:]:
        assert (each.outcome, each.version, each.files, each.line) == (
            done.outcome,
            done.version,
            done.files,
            done.line,
        )
    with pytest.raises(IdempotencyError):
        await alice.files.write(A, "another write", idempotency_key="key")


async def test_a_write_that_failed_may_be_sent_again_under_its_key(alice: memoranda.Memory) -> None:
    with pytest.raises(NotFoundError):
        await alice.files.replace(A, "x", "y", idempotency_key="key")
    await alice.files.write(A, "x")
    assert (await alice.files.replace(A, "x", "y", idempotency_key="key")).replayed is False


async def test_of_first_writes_at_once_one_wins_and_the_others_learn_of_it(alice: memoranda.Memory) -> None:
    outcomes = await asyncio.gather(*(attempt(alice.files.write(A, str(n), expected_version=0)) for n in range(10)))
    assert sorted(outcomes) == ["MEMORY_CONFLICT"] * 9 + ["created"]
    assert await texts(alice.files) == {A: str(outcomes.index("created"))}


async def test_a_file_and_a_folder_made_at_once_do_not_both_come_to_be(alice: memoranda.Memory) -> None:
    for n in range(10):
        outcomes = await asyncio.gather(
            attempt(alice.files.write(f"/memories/{n}", "file")),
            attempt(alice.files.write(f"/memories/{n}/x", "below")),
        )
        assert sorted(outcomes) == ["MEMORY_PATH", "created"]


async def test_no_edit_of_many_writers_is_lost(reached: Database) -> None:
    """Eight writers make fifty edits each of one file, inserting lines and replacing their own marker."""
    async with memoranda.connect(reached.dsn(), max_connections=8) as store:
        files = store.memory("alice").files
        await files.write(A, "".join(f"writer {n}: 0;\n" for n in range(8)))

        async def writer(n: int) -> None:
            for edit in range(1, 26):
                await files.replace(A, f"writer {n}: {edit - 1};", f"writer {n}: {edit};")
                await files.insert(A, edit % 8, f"line {n}.{edit}")

        await asyncio.gather(*(writer(n) for n in range(8)))
        kept = (await texts(files))[A].splitlines()
        assert sorted(kept) == sorted(
            [f"writer {n}: 25;" for n in range(8)] + [f"line {n}.{edit}" for n in range(8) for edit in range(1, 26)]
        )
        file = await files.read(A)
    assert file is not None
    assert file.version == 1 + 8 * 50
