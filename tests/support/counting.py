"""What a server has counted: how much of its tables and functions a store has used."""

from __future__ import annotations

from support.databases import Database
from support.servers import eventually


def never_analysed(database: Database, *tables: str) -> None:
    """Let the server count, and keep the statistics from coming by themselves."""
    with database.admin() as conn:
        conn.execute(f"alter database {database.name} set track_functions = 'all'".encode())
        for table in tables:
            conn.execute(f"alter table memoranda_private.{table} set (autovacuum_enabled = off)".encode())


def counted(database: Database, query: str) -> int:
    """What the server has counted once the sessions of the store have ended, which is when they tell it."""
    others = "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    with database.admin() as conn:
        eventually(lambda: conn.execute(others.encode()).fetchone() is None)
        row = conn.execute(f"select coalesce(({query}), 0)::bigint".encode()).fetchone()
    assert row is not None
    return int(row[0])
