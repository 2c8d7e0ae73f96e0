"""What mem0 keeps in Postgres: a table with an id, a vector and a payload, whose `data` is the memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any, cast
from uuid import UUID

from memoranda.errors import InputError
from memoranda.exportformat import Item
from memoranda.importers import rows

_OWN = ("data", "hash", "created_at", "updated_at", "user_id", "id", "expiration_date", "text_lemmatized")
"""What of a payload is no metadata of the application's."""


def read(
    dsn: str,
    *,
    user_id: str,
    agent_id: str | None = None,
    table: str = "mem0",
    zone: tzinfo | None = None,
) -> Iterator[Item]:
    """The memories of one user, oldest first. Its vectors are of another model, and not taken.

    Args:
        dsn: Where mem0's table is.
        user_id: Whose memories, as mem0 names them; compared as a whole.
        agent_id: Only those of this agent.
        table: The collection, with its schema if that is not on the search path: ``mem0`` is mem0's own default.
        zone: The zone of times that have none; without one they are an error of their row.

    Raises:
        UnavailableError: The database cannot be reached.
        InputError: There is no such table.
    """
    from psycopg import sql

    if not user_id:
        raise InputError("Whose memories are they, in mem0?", hint="Name the user_id.")
    query = sql.SQL(
        "select id::text, payload from {} where payload ->> 'user_id' = %s"
        " and (%s::text is null or payload ->> 'agent_id' = %s) order by payload ->> 'created_at', id"
    ).format(sql.Identifier(*table.split(".")))
    with rows.reading(dsn) as conn, conn.cursor("memoranda") as cursor:
        cursor.execute(query, (user_id, agent_id, agent_id))
        for number, (id, payload) in enumerate(cursor, 1):
            yield _item(number, id, payload, zone)


def _item(number: int, id: str, payload: object, zone: tzinfo | None) -> Item:
    if not isinstance(payload, dict):
        return Item(number, "fact", id, None, "its payload is no object")
    known = cast("Mapping[str, Any]", payload)
    return rows.fact(
        number,
        id,
        known.get("data"),
        id=UUID(id),
        source="mem0",
        created_at=known.get("created_at"),
        updated_at=known.get("updated_at"),
        expires_at=known.get("expiration_date"),
        zone=zone,
        metadata={name: value for name, value in known.items() if name not in _OWN},
    )
