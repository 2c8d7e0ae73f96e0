"""Functions of the schema, changed on purpose."""

from __future__ import annotations

from typing import Any

import psycopg


def change_function(conn: psycopg.Connection[Any], name: str, old: str, new: str) -> bytes:
    """Change what stands in a function; that it no longer stands there is an error.

    Returns:
        The statement that puts the function back.
    """
    row = conn.execute("select pg_get_functiondef(%s::regproc)", [f"memoranda_private.{name}"]).fetchone()
    assert row is not None
    assert old in row[0], f"{name} does not say {old}"
    conn.execute(row[0].replace(old, new).encode())
    before: str = row[0]
    return before.encode()
