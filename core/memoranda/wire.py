"""Python values as the JSON of a call, and back; what the database could not hold is refused or cleaned here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import cast
from uuid import UUID

from memoranda.errors import InputError, TimeError
from memoranda.text import storable
from memoranda.transport import Json


def text(what: str, value: str) -> str:
    """A text that Postgres can hold: NUL removed, lone surrogates replaced by U+FFFD."""
    if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise InputError(f"{_subject(what)} is text, not {type(value).__name__}.")
    return storable(value)


def texts(what: str, values: Sequence[str]) -> list[Json]:
    """Several of them; a single text is not taken for a list of its letters."""
    if isinstance(values, str):
        raise InputError(f"{_subject(what)} stands in a list, not alone.")
    return [text(what, value) for value in values]


def vector(values: Sequence[float]) -> str:
    """A vector as the database reads it; half precision has no use for more digits."""
    return _numbers(len(values)) % tuple(values)


@lru_cache(maxsize=16)
def _numbers(count: int) -> str:
    """How to write so many: all at once takes two thirds of the time that one after another does."""
    return f"[{','.join(['%.5g'] * count)}]"


def name(what: str, value: str) -> str:
    """A text that names something: never cleaned, since two names must not become one."""
    if text(what, value) != value:
        raise InputError(
            f"{_subject(what)} holds characters that no database text can hold.", hint="Choose another name."
        )
    return value


def number(what: str, value: int) -> int:
    """A whole number; a truth value is none."""
    if not isinstance(value, int) or isinstance(value, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{_subject(what)} is a whole number, not {type(value).__name__}.")
    return value


def aware(what: str, value: datetime | None) -> str | None:
    """A time with its zone, as ISO 8601."""
    if value is None:
        return None
    if value.utcoffset() is None:
        raise TimeError(f"{_subject(what)} has no time zone.")
    return value.isoformat()


def json_value(what: str, value: object) -> Json:
    """A value made of what JSON knows, its texts cleaned as by :func:`text`."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {name(f"a key of {what}", cast("str", key)): json_value(what, item) for key, item in items}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [json_value(what, item) for item in cast("Sequence[object]", value)]
    raise InputError(f"{_subject(what)} holds a {type(value).__name__}, which JSON does not know.")


def id_text(what: str, value: UUID) -> str:
    """An id; a text that only looks like one is none."""
    if not isinstance(value, UUID):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{_subject(what)} is a UUID, not {type(value).__name__}.")
    return str(value)


def uuid(value: str | None) -> UUID | None:
    """An id as the database returns it."""
    return None if value is None else UUID(value)


def time(value: str | None) -> datetime | None:
    """A time as the database returns it."""
    return None if value is None else datetime.fromisoformat(value)


def _subject(what: str) -> str:
    return what[:1].upper() + what[1:]
