"""What was said and must not come back: from every read, with what must come back in the same test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest

import memoranda
from memoranda import NewMessage, Scope
from support.messages import shared, store, user

__all__ = ["shared", "store", "user"]

HIDDEN = ("was deleted", "was of a deleted chat", "was edited away", "has expired", "was erased with its source")
TOOL = "was said by a tool"
ELSEWHERE = ("of another scope", "of the organisation", "of another tenant", "of another user")

Read = Callable[[memoranda.Memory], Awaitable[object]]

READS: dict[str, Read] = {
    "recall": lambda memory: memory.messages.recall("zebra", 200, neighbours=5),
    "recall for nothing": lambda memory: memory.messages.recall("", 200),
    "recall of a role": lambda memory: memory.messages.recall("zebra", 200, roles=["user", "tool"], neighbours=5),
    "recall of a time": lambda memory: memory.messages.recall("zebra", 200, since=datetime(2000, 1, 1, tzinfo=UTC)),
    "recall of words that are gone": lambda memory: memory.messages.recall("was edited away deleted expired", 200),
    "both": lambda memory: memory.recall("zebra", 200, neighbours=5),
    "by a model": lambda memory: memory.run_recall({"query": "zebra"}, k=200, budget=100_000),
    "list": lambda memory: memory.messages.list(limit=1000),
    "list of a chat": lambda memory: memory.messages.list(chat="a", limit=1000),
}


@pytest.fixture
async def alice(store: memoranda.Store, user: UUID) -> memoranda.Memory:
    await store.members.set("acme", user, "manage")
    memory = store.memory(user, chat="a")

    async def add(what: str, memory: memoranda.Memory, role: str = "user", **more: datetime) -> None:
        message = NewMessage("tool" if role == "tool" else "user", f"zebra {what}", what)
        await memory.turns.add([message], turn=what, **more)  # type: ignore[arg-type]

    for what in ("is there", "was deleted", "was edited away"):
        await add(what, memory)
    await add(TOOL, memory, "tool")
    await add("has expired", memory, expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    await add("was of a deleted chat", store.memory(user, chat="b"))
    run = store.memory(user, chat="a", run_id="r")
    await run.taint("a page")
    await add("was erased with its source", run)
    await add("of another scope", store.memory(user, scope=Scope.agent("x")))
    await add("of the organisation", store.memory(user, tenant="acme", scope=Scope.organization()))
    await add("of another tenant", store.memory(user, tenant="acme"))
    await add("of another user", store.memory("mallory"))
    await memory.messages.delete("was deleted", chat="a")
    await memory.messages.delete(chat="b")
    await memory.messages.edit("was edited away", "zebra is there, too", chat="a")
    await memory.erase("a page")
    for what in ("was deleted", "was of a deleted chat"):  # and a late retry does not bring them back
        again = store.memory(user, chat="a" if what == "was deleted" else "b")
        await add(what, again)
    return store.memory(user, chat="now")


@pytest.mark.parametrize("name", READS)
async def test_it_does_not_come_back(alice: memoranda.Memory, name: str) -> None:
    said = str(await READS[name](alice))
    assert "zebra is there" in said
    assert [what for what in (*HIDDEN, *ELSEWHERE) if f"zebra {what}" in said] == []
    assert (f"zebra {TOOL}" in said) == name.startswith("list"), "what tools said is listed, and never recalled"
