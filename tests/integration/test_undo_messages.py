"""Undo and what was said: an undone run's words are recalled no more, the user's own are; the record of it stays."""

from __future__ import annotations

from uuid import UUID

import pytest

import memoranda
from memoranda import NewMessage
from support.embedders import words_embedder
from support.messages import said, shared, store, user

__all__ = ["shared", "store", "user"]

MINE = "I read the page about Porto."
THEIRS = "Porto pays to DE00 1234."


async def recalled(memory: memoranda.Memory, query: str = "Porto") -> set[str]:
    """All that any way of looking finds: hits, and what stands beside them."""
    hits = [*await memory.messages.recall(query, 50, neighbours=5), *await memory.messages.recall("", 50, neighbours=5)]
    return {each.text for hit in hits for each in (hit.message, *hit.before, *hit.after)}


async def poisoned(memory: memoranda.Memory, **work: str) -> None:
    await memory.taint("https://evil.example")
    turn = [NewMessage("user", MINE), NewMessage("tool", THEIRS), NewMessage("assistant", THEIRS)]
    await memory.turns.add(turn, turn="t", **work)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("by", ["run", "source"])
async def test_what_an_undone_run_said_is_recalled_no_more(store: memoranda.Store, user: UUID, by: str) -> None:
    mine, run = store.memory(user, chat="c"), store.memory(user, chat="c", run_id="r")
    await mine.turns.add(said("Porto was fine.", "I am glad about Porto."))
    await poisoned(run)
    assert THEIRS in await recalled(mine)
    undone = await mine.undo(run_id="r") if by == "run" else await mine.undo(source="https://evil.example")
    assert undone.withdrawn == 2
    assert await recalled(mine) == {"Porto was fine.", "I am glad about Porto.", MINE}
    kept = {each.text: each.withdrawn_at is not None for each in await mine.messages.list()}
    assert kept == {"Porto was fine.": False, "I am glad about Porto.": False, MINE: False, THEIRS: True}
    assert (await mine.undo(run_id="r")).withdrawn == 0


async def test_what_was_left_to_do_with_it_is_not_done(store: memoranda.Store, user: UUID) -> None:
    run = store.memory(user, chat="c", run_id="r")
    await poisoned(run, embed="worker", extract="worker")
    await run.undo(run_id="r")
    asked: list[str] = []

    class Extractor:
        async def extract(self, turn: memoranda.Turn, known: object) -> list[memoranda.Candidate]:
            asked.extend(each.text for each in turn.messages)
            return []

    bound = memoranda.Memory(
        run.facts._binding.transport,  # pyright: ignore[reportPrivateUsage]
        run.identity,
        run.scope,
        embedder=words_embedder(),
        extractor=Extractor(),
    )
    done = await bound.work()
    assert asked == []
    assert done.embedded == 1, "the user's own words alone"
    assert await recalled(run) == {MINE}


async def test_it_is_not_stored_again_and_an_edit_brings_it_back(store: memoranda.Store, user: UUID) -> None:
    run = store.memory(user, chat="c", run_id="r")
    await poisoned(run)
    await run.undo(run_id="r")
    await poisoned(run)
    assert await recalled(run) == {MINE}
    (message,) = [each for each in await run.messages.list() if each.role == "assistant"]
    outcome = await run.messages.edit(message.id, THEIRS, chat="c")
    assert outcome.outcome == "edited", "whoever edits it says that it holds"
    assert await recalled(run) == {MINE, THEIRS}
    assert (await run.undo(run_id="r")).withdrawn == 0, "it is somebody else's word now"


async def test_it_stays_so_in_an_export_and_back(store: memoranda.Store, user: UUID) -> None:
    run = store.memory(user, chat="c", run_id="r")
    await poisoned(run)
    await run.undo(run_id="r")
    lines = [line async for line in run.export(vectors=True)]
    foreign = store.memory(f"foreign {user.hex}")
    await foreign.import_(lines)
    await run.erase()
    await run.import_(lines, restore=True)
    for each in (run, foreign):
        assert await recalled(each) == {MINE}
        assert {m.text for m in await each.messages.list() if m.withdrawn_at} == {THEIRS}


async def test_another_user_is_not_touched(store: memoranda.Store, user: UUID) -> None:
    run, other = store.memory(user, run_id="r"), store.memory(f"bob {user.hex}", run_id="r")
    await poisoned(run)
    assert (await other.undo(run_id="r")).withdrawn == 0
    assert THEIRS in await recalled(run)
