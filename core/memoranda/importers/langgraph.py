"""What LangGraph's `PostgresStore` keeps, LangMem's memories among it: JSON documents under namespaces and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from memoranda.errors import InputError
from memoranda.exportformat import Item
from memoranda.importers import rows

_TEXTS = ("content", "text", "memory", "data")
"""Where the text of a document stands, first come first served."""


def read(dsn: str, *, namespace: Sequence[str], table: str = "store") -> Iterator[Item]:
    """The documents of one namespace and of those below it. A document without a text of its own comes as its JSON.

    Args:
        dsn: Where the table of the store is.
        namespace: The namespace, such as ``("memories", "alice")``; compared label by label.
        table: The table, with its schema if that is not on the search path.

    Raises:
        UnavailableError: The database cannot be reached.
        InputError: There is no such table; or no namespace is named, or one that the store could not have.
    """
    from psycopg import sql

    if isinstance(namespace, str) or not namespace or any(not label or "." in label for label in namespace):
        raise InputError("A namespace is a sequence of labels, none of them empty or with a dot in it.")
    prefix = ".".join(namespace)
    query = sql.SQL(
        "select s.prefix, s.key, to_jsonb(s) from {} s"
        " where s.prefix = %s or starts_with(s.prefix, %s) order by s.prefix, s.created_at, s.key"
    ).format(sql.Identifier(*table.split(".")))
    with rows.reading(dsn) as conn, conn.cursor("memoranda") as cursor:
        cursor.execute(query, (prefix, f"{prefix}."))
        for number, (place, key, row) in enumerate(cursor, 1):
            below = place[len(prefix) + 1 :]
            yield _item(number, place, f"{below}.{key}" if below else key, key, row)


def _item(number: int, place: str, name: str, key: str, row: Mapping[str, Any]) -> Item:
    value = row["value"]
    text = _text(value)
    known: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
    rest = {each: known[each] for each in known if each not in _TEXTS} if text is not None else {}
    return rows.fact(
        number,
        name,
        text if text is not None else json.dumps(value, ensure_ascii=False) if value else None,
        id=rows.id_of("langgraph", place, key),
        key=None if _is_id(key) else name,
        source="langgraph",
        created_at=row.get("created_at"),
        updated_at=row.get("updated_at"),
        expires_at=row.get("expires_at"),
        metadata={**rest, "namespace": place},
    )


def _text(value: object) -> str | None:
    """The text of a document: as it is, in LangMem's envelope, or as the lines of a file; None when it has none."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else None
    for name in _TEXTS:
        found = cast("Mapping[str, object]", value).get(name)
        if isinstance(found, dict):
            found = cast("Mapping[str, object]", found).get("content")
        if isinstance(found, list):
            lines = cast("list[object]", found)
            found = "\n".join(map(str, lines)) if all(isinstance(line, str) for line in lines) else None
        if isinstance(found, str):
            return found
    return None


def _is_id(key: str) -> bool:
    """Whether a key is one that was made up, as LangMem's are, and names nothing."""
    try:
        UUID(key)
    except ValueError:
        return False
    return True
