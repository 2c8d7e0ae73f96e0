"""The lines of an export: what they look like, and what is wrong with one. `docs/export.md` describes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import FormatError, InputError

VERSION = 2
"""Of the format. A reader reads what is not newer."""

_NAMES = {
    "scope": "scope",
    "fact": "id",
    "vector": "fact_id",
    "tombstone": "fact_id",
    "file": "path",
    "message": "message_id",
    "document": "key",
    "revision": "subject_id",
    "run": "run_id",
}
"""The kinds of lines, and what each is known by."""

_TIMES = (
    *("valid_from", "valid_until", "expires_at", "holds_until", "created_at", "updated_at", "at", "first_at"),
    *("last_refused_at", "lifted_at", "said_at", "edited_at", "deleted_at", "withdrawn_at"),
)


@dataclass(frozen=True, slots=True)
class Item:
    """A row that is to come in, or why it does not.

    Attributes:
        line: Its line, from 1.
        what: Its kind.
        name: What it is known by.
        row: What it says, in the format of an export; None when it is left out.
        reason: Why it is left out.
        size: How long it is, about, in characters.
    """

    line: int
    what: str
    name: str
    row: Mapping[str, Any] | None
    reason: str | None = None
    size: int = 0


def items_of(lines: Iterable[str | bytes | Item], *, restore: bool) -> Iterator[Item]:
    """The rows in the lines of an export, the header first, each checked; what is an item already is passed on.

    Raises:
        FormatError: A line is none of an export, or the last one is missing; its number is in ``detail["line"]``.
    """
    header: Mapping[str, Any] | None = None
    rows, ended, number = 0, False, 0
    for number, line in enumerate(lines, 1):
        if isinstance(line, Item):
            yield line
            continue
        try:
            if ended:
                raise FormatError("There is more after the end.")
            row = _object(line)
            if header is None:
                header = _header(row, restore=restore)
                yield Item(number, "header", "", {**header, "type": "header"})
            elif row.get("type") == "end":
                ended = True
                if row.get("rows") != rows:
                    raise FormatError(f"There were {rows} rows, and the end says {row.get('rows')}.")
            else:
                item = _item(number, row, len(line))
                rows += item.what != "scope"
                yield item
        except InputError as error:
            error.detail["line"] = number
            error.message = f"Line {number}: {error.message}"
            raise
    if header is not None and not ended:
        raise FormatError(f"The file breaks off after line {number}.", detail={"line": number})


def _object(line: str | bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise FormatError("It is not JSON.") from error
    if not isinstance(row, dict):
        raise FormatError("It is no object.")
    return cast("Mapping[str, Any]", wire.json_value("the line", cast("dict[str, Any]", row)))


def _header(row: Mapping[str, Any], *, restore: bool) -> Mapping[str, Any]:
    if row.get("memoranda") != "export" or not isinstance(row.get("version"), int):
        raise FormatError("That is no export of memoranda.")
    if row["version"] > VERSION:
        raise FormatError(f"It has version {row['version']} of the format; this release knows {VERSION}.")
    if restore and row.get("history") is not True:
        raise FormatError("It was made without its history, and so cannot be put back as it was.")
    return row


def _item(number: int, row: Mapping[str, Any], size: int) -> Item:
    kind = row.get("type")
    if not isinstance(kind, str) or kind not in _NAMES:
        raise FormatError("It has no type that an export has.")
    return Item(number, kind, str(row.get(_NAMES[kind])), checked(row), size=size)


def checked(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row, when its ids are ids and its times have zones.

    Raises:
        FormatError: It is none of an export.
    """
    kind = row["type"]
    if kind in ("fact", "file", "message", "document") and not isinstance(row.get("content"), str):
        raise FormatError(f"A {kind} has a content.")
    if kind in ("fact", "message", "vector"):
        _id(row.get("fact_id" if kind == "vector" else "id"))
    for name in _TIMES:
        value = row.get(name)
        if value is not None and not _is_time(value):
            raise FormatError(f"Its {name} is no time with a zone.")
    return row


def _id(value: object) -> None:
    try:
        UUID(cast("str", value))
    except (ValueError, AttributeError, TypeError) as error:
        raise FormatError("It has no id.") from error


def _is_time(value: object) -> bool:
    if value in ("infinity", "-infinity"):
        return True
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).utcoffset() is not None
    except ValueError:
        return False
