"""What a read replica can answer: every read that counts nothing, and no write, which says why."""

from __future__ import annotations

import pytest
from psycopg.conninfo import make_conninfo

import memoranda
from memoranda.errors import DatabaseError
from support.databases import Database


@pytest.mark.direct("sets what a session begins with")
async def test_reads_work_where_nothing_can_be_written(database: Database) -> None:
    async with memoranda.connect(database.dsn()) as store:
        alice = store.memory("alice")
        await alice.facts.save("Prefers tea.", key="drink")
        await alice.files.write("/memories/notes.md", "Tea.")
        await alice.turns.add([{"role": "user", "content": "Tea, please."}])
    read_only = make_conninfo(database.dsn(), options="-c default_transaction_read_only=on")
    async with memoranda.connect(read_only) as replica:
        alice = replica.memory("alice")
        assert [fact.content for fact in await alice.facts.recall()] == ["Prefers tea."]
        assert [hit.fact.content for hit in await alice.facts.search("tea", track_use=False)] == ["Prefers tea."]
        assert [hit.message.text for hit in await alice.messages.recall("tea")] == ["Tea, please."]
        assert await alice.files.read("/memories/notes.md")
        assert "Prefers tea." in str(await alice.context("tea"))
        assert len(await alice.facts.history("drink")) == 1
        for write in (alice.facts.save("Coffee.", key="drink"), alice.facts.search("tea")):
            with pytest.raises(DatabaseError, match="read-only"):
                await write
