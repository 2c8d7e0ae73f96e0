"""What all importers have in common: facts and files as rows, with ids that are the same each time."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime, tzinfo
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import InputError, UnavailableError
from memoranda.exportformat import Item
from memoranda.text import is_blank

if TYPE_CHECKING:
    import psycopg

_KEY = 200
"""Characters that the key of a fact has at most."""


def fact(
    number: int,
    name: str,
    content: object,
    *,
    id: UUID,
    source: str,
    key: str | None = None,
    created_at: object = None,
    updated_at: object = None,
    expires_at: object = None,
    zone: tzinfo | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: tuple[str, ...] = (),
) -> Item:
    """A fact as a row; or left out, when it has no text, a time without a zone, or what cannot be stored.

    Args:
        number: Which it is, from 1.
        name: What it is known by there.
        content: Its text.
        id: Its id here.
        source: Where it came from.
        key: The name that corrections go by.
        created_at: A time, or its ISO 8601; and so the next two.
        updated_at: The same.
        expires_at: The same.
        zone: The zone of times that have none.
        metadata: What else was known of it.
        tags: Labels.
    """
    if not isinstance(content, str) or is_blank(wire.text("content", content)):
        return Item(number, "fact", name, None, "it has no text")
    times: dict[str, str] = {}
    for what, given in (("created_at", created_at), ("updated_at", updated_at), ("expires_at", expires_at)):
        if given is None or given == "":
            continue
        when = _time(given, zone)
        if when is None:
            return Item(number, "fact", name, None, f"its {what} is no time with a zone")
        times[what] = when.isoformat()
    row = {
        **{"type": "fact", "id": str(id), "content": content, "source": source[:200], "metadata": dict(metadata or {})},
        **({"key": key} if key and len(key) <= _KEY and not is_blank(key) else {}),
        **({"tags": list(tags)} if tags else {}),
        **times,
    }
    try:
        cleaned = cast("Mapping[str, Any]", wire.json_value("the row", row))
    except InputError:  # a name that is too long, or a number that is none
        return Item(number, "fact", name, None, "its metadata holds what cannot be stored")
    return Item(number, "fact", name, cleaned, size=len(content))


def file(number: int, path: str, content: str) -> Item:
    """A file as a row; an empty one is left out."""
    if is_blank(wire.text("content", content)):
        return Item(number, "file", path, None, "it has no text")
    row = {"type": "file", "path": path, "content": wire.text("content", content)}
    return Item(number, "file", path, row, size=len(content))


def id_of(*parts: str) -> UUID:
    """The id that something has here, always the same: of version 8, from a hash of what it is known by."""
    digest = bytearray(sha256(json.dumps(["memoranda import", *parts]).encode("utf-8", "replace")).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return UUID(bytes=bytes(digest))


def _time(given: object, zone: tzinfo | None) -> datetime | None:
    """A time with a zone, or None."""
    try:
        when = given if isinstance(given, datetime) else datetime.fromisoformat(cast("str", given))
    except (TypeError, ValueError):
        return None
    if when.utcoffset() is None:
        return when.replace(tzinfo=zone) if zone else None
    return when


@contextmanager
def reading(dsn: str) -> Generator[psycopg.Connection[Any]]:
    """A connection that changes nothing, to a database of somebody else's making."""
    import psycopg

    try:
        with psycopg.connect(dsn) as conn:
            conn.read_only = True
            yield conn
    except psycopg.OperationalError as error:
        raise UnavailableError("The database to import from cannot be reached.") from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn, psycopg.errors.InvalidSchemaName) as error:
        raise InputError("There is no such table in the database to import from.") from error
