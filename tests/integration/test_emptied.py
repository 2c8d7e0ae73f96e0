"""A database that a test leaves to the next has nothing in it; one that may have been changed is left to nobody."""

from __future__ import annotations

from typing import Any

import psycopg

import memoranda
from memoranda.transport.embedded import EmbeddedServer
from support.databases import create_database, drop_database, emptied
from support.messages import said


async def test_nothing_is_left_for_the_next_test(direct_server: EmbeddedServer, template: str) -> None:
    used = create_database(direct_server, template)
    try:
        async with memoranda.connect(used.dsn()) as store:
            memory = store.memory("alice", run_id="a run")
            await memory.facts.save("Likes tea.", key="drink", idempotency_key="once")
            await memory.files.write("/memories/a.md", "tea")
            await memory.turns.add(said("I like tea.", "Noted."), extract="worker")
            await store.members.set("acme", "alice", "manage")
            await memory.facts.forget("drink")
        assert emptied(used)
        with used.admin() as conn:
            assert {name: count(conn, name) for name in tables(conn)} == dict.fromkeys(tables(conn), 0)
        assert not emptied(used), "somebody could have changed more than rows"
    finally:
        drop_database(used)


def test_a_database_in_use_is_left_to_nobody(direct_server: EmbeddedServer, template: str) -> None:
    used = create_database(direct_server, template)
    try:
        with psycopg.connect(used.dsn()) as conn:
            conn.execute("select 1")
            assert not emptied(used)
    finally:
        drop_database(used)


def tables(conn: psycopg.Connection[Any]) -> list[str]:
    found = "select relname from pg_class where relkind = 'r' and relnamespace = 'memoranda_private'::regnamespace"
    return [name for (name,) in conn.execute(found.encode()) if name != "migrations"]


def count(conn: psycopg.Connection[Any], table: str) -> int:
    row = conn.execute(f"select count(*) from memoranda_private.{table}".encode()).fetchone()
    assert row is not None
    return int(row[0])
