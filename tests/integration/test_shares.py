"""One source takes no more than its share of what a model is shown, however much of it there is."""

from __future__ import annotations

import json
from collections import Counter
from uuid import UUID

import pytest

import memoranda
from memoranda import Hit, NewFact, NewMessage
from support.databases import Database
from support.messages import said, shared, store, user

__all__ = ["shared", "store", "user"]

FLOOD = 60
QUERY = "where to pay the invoices"


def is_flood(text: str) -> bool:
    return text.startswith("FLOOD")


async def flooded(memory: memoranda.Memory, source: str | None, own: int = 12) -> None:
    """A tool's facts about just what is asked, all approved of; and the user's own, which are less near to it."""
    facts = [NewFact(f"FLOOD {QUERY} {n:03}", source=source, origin="tool") for n in range(FLOOD)]
    await memory.facts.save_many(facts, dedup="off")
    while waiting := await memory.review.pending(200):
        for each in waiting:
            await memory.review.approve(each.fact.id)
    await memory.facts.save_many([f"invoices, note {n:03}" for n in range(own)], dedup="off")


@pytest.mark.parametrize("source", ["https://evil.example", None])
async def test_a_source_of_tools_fills_no_recall(store: memoranda.Store, user: UUID, source: str | None) -> None:
    memory = store.memory(user)
    if source is None:
        await tainted_flood(memory, store, user)
    else:
        await flooded(memory, source)
    for k in (1, 3, 8, 10):
        texts = [each.text for each in await memory.recall(QUERY, k)]
        assert len(texts) == k
        assert sum(map(is_flood, texts)) <= -(-k // 3)
        assert is_flood(texts[0]), "it is the nearest, and has its share"
    told = await memory.run_recall({"query": QUERY})
    assert told.text.count("FLOOD") <= 3
    for block in (await memory.context(QUERY, budget=900), await memory.context(budget=900)):
        sizes = Counter[bool]()
        for item in block.items:
            sizes[is_flood(str(item.data["content"]))] += len(json.dumps(item.data))
        assert sizes[True] <= 1.1 * (sizes[True] + sizes[False]) / 3


async def tainted_flood(memory: memoranda.Memory, store: memoranda.Store, user: UUID) -> None:
    """What one tainted run wrote, without a source, and a person approved; fewer, as nothing else tells them apart."""
    run = store.memory(user, run_id="r")
    await run.taint("page")
    await run.facts.save_many([f"FLOOD {QUERY} {n:03}" for n in range(40)], dedup="off")
    for each in await memory.review.pending(200):
        await memory.review.approve(each.fact.id)
    await memory.facts.save_many([f"invoices, note {n:03}" for n in range(12)], dedup="off")


async def test_a_run_that_has_read_a_page_fills_no_recall_by_what_it_says(store: memoranda.Store, user: UUID) -> None:
    run, memory = store.memory(user, run_id="r", chat="c"), store.memory(user)
    await run.taint("page")
    flood = [NewMessage("assistant", f"FLOOD {QUERY} {n:03}") for n in range(40)]
    await run.turns.add([NewMessage("user", "read the page"), *flood])
    await memory.turns.add(said(*(f"invoices, remark {n}" for n in range(12))))
    found = await memory.recall(QUERY, 9)
    assert len(found) == 9
    assert sum(is_flood(each.text) for each in found) == 3


async def test_files_of_a_tainted_run_leave_room_for_what_is_the_users(store: memoranda.Store, user: UUID) -> None:
    run, memory = store.memory(user, run_id="r"), store.memory(user)
    await run.taint("page")
    for n in range(40):
        await run.files.write(f"/memories/{n}.md", f"FLOOD {n}")
    await memory.files.write("/memories/mine.md", "what I want kept, at some length: " + "figures in GBP. " * 20)
    await memory.facts.save("Prefers figures in GBP.", key="currency")
    block = await memory.context(budget=700)
    names = {item.name for item in block.items}
    assert {"/memories/mine.md", "currency"} <= names


async def test_where_there_is_nothing_else_a_source_is_recalled_in_full(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    await flooded(memory, "https://example.org", own=0)
    hits = await memory.recall(QUERY, 10)
    assert len({each.hit.fact.id for each in hits if isinstance(each.hit, Hit)}) == 10


async def test_what_the_application_says_in_the_users_name_has_no_limit(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    await memory.facts.save_many([NewFact(f"handbook {QUERY} {n}", source="handbook") for n in range(20)], dedup="off")
    await memory.facts.save_many([f"invoices, note {n:03}" for n in range(12)], dedup="off")
    assert all(each.text.startswith("handbook") for each in await memory.recall(QUERY, 10))


def test_what_was_imported_of_no_run_is_one_voice(database: Database) -> None:
    said = {"message": {"tainted": True, "role": "assistant", "run_id": None}}
    with database.admin() as conn:
        row = conn.execute("select memoranda_private.voice_of(%s::jsonb)", (json.dumps(said),)).fetchone()
    assert row == ("run ",)
