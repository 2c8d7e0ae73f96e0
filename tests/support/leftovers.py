"""What calls might leave behind on a server connection, for whoever uses it next."""

from __future__ import annotations

from typing import Any

import psycopg

from .databases import Database

_LEFT = """
select current_user, session_user, current_setting('role'),
       nullif(current_setting('request.jwt.claims', true), ''), nullif(current_setting('memoranda.call', true), ''),
       current_setting('statement_timeout'), array(select name::text from pg_prepared_statements),
       array(select relname::text from pg_class where relpersistence = 't'),
       (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), pg_backend_pid()
"""
CLEAN: tuple[Any, ...] = ("authenticator", "authenticator", "none", None, None, "0", [], [], 0)
"""Login, role, claims, call, time limit, prepared statements, temporary tables and locks, where nothing was left."""


async def left_on(conn: psycopg.AsyncConnection[Any]) -> tuple[Any, ...]:
    """What is left on the server connection that a client gets now, as in :data:`CLEAN`, and its process id.

    The client keeps the server connection, through a pooler too, until it ends the transaction.
    """
    row: tuple[Any, ...] | None = await (await conn.execute(_LEFT, prepare=False)).fetchone()
    assert row
    return row


async def left_for_others(database: Database, connections: int) -> list[tuple[Any, ...]]:
    """What other clients find, on each of so many server connections of a pooler."""
    clients = [
        await psycopg.AsyncConnection.connect(database.dsn(), prepare_threshold=None) for _ in range(connections)
    ]
    try:
        found = [await left_on(client) for client in clients]
    finally:
        for client in clients:
            await client.rollback()  # or the pooler would have to close the server connection
            await client.close()
    assert len({row[-1] for row in found}) == connections
    return [row[:-1] for row in found]


def server_processes(database: Database) -> list[str]:
    """What each server process of the login that an API has is doing."""
    with database.admin() as conn:
        found = conn.execute(
            "select state from pg_stat_activity where datname = current_database() and usename = 'authenticator'"
        )
        return [state for (state,) in found]


def server_waits(database: Database) -> list[str]:
    """What each of them waits for."""
    with database.admin() as conn:
        found = conn.execute(
            "select wait_event from pg_stat_activity where datname = current_database() and usename = 'authenticator'"
        )
        return [event for (event,) in found]
