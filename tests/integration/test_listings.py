"""Every list that the library returns is one that a notebook shows as a table, with `await` and without."""

from __future__ import annotations

from typing import Any

import memoranda
from memoranda.html import Listing
from memoranda.html.shown import many


async def test_what_is_returned_as_a_list_can_be_shown(store: memoranda.Store) -> None:
    memory = store.memory("alice", chat="today")
    saved = await memory.facts.save_many(
        ["My rent is 900 euros.", memoranda.NewFact("Anna lives in Porto.", entities=["Anna"])]
    )
    await memory.facts.save("Prefers GBP.", key="currency")
    await memory.facts.save("Prefers EUR.", key="currency")
    await memory.facts.save("Owns a boat.", origin="tool")
    await memory.files.write("/memories/notes.md", "Two lines\nof text.")
    await memory.turns.add([{"role": "user", "content": "How high is my rent?"}])
    await store.members.set("acme", "alice")
    await store.documents.put("alice", "state", "{}")
    found: dict[str, list[Any]] = {
        "save_many": saved,
        "recall": await memory.facts.recall(),
        "search": await memory.facts.search("rent"),
        "timeline": await memory.facts.timeline(),
        "about": await memory.facts.about("Anna"),
        "history": await memory.facts.history("currency"),
        "review.pending": await memory.review.pending(),
        "files.list": await memory.files.list(),
        "files.history": await memory.files.history("/memories/notes.md"),
        "messages.list": await memory.messages.list(),
        "messages.recall": await memory.messages.recall("rent"),
        "memory.recall": await memory.recall("rent"),
        "audit": await memory.audit(),
        "members.list": await store.members.list("acme"),
        "documents.list": await store.documents.list("alice"),
        "sync recall": store.sync.memory("alice").facts.recall(),
        "sync search": store.sync.memory("alice").facts.search("rent"),
    }
    assert not [name for name, each in found.items() if not each]
    assert not [name for name, each in found.items() if not isinstance(each, Listing)]
    assert all("<table" in many(each) for each in found.values())
