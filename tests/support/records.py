"""Records with every field filled in, made from their type hints."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

AT = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)


def filled(kind: type[Any], text: Callable[[str], str], number: int = 3) -> Any:
    """A record of a class.

    Args:
        kind: The class.
        text: Gives the text for a field of a name.
        number: What stands for every whole number.
    """
    hints = get_type_hints(kind)
    return kind(**{each.name: _value(hints[each.name], each.name, text, number) for each in fields(kind)})


def texts(value: object) -> Iterator[str]:
    """Every text in a record, wherever it stands; of a number, an id or a time none."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for pair in cast("Mapping[object, object]", value).items():
            yield from texts(pair)
    elif isinstance(value, list | tuple):
        for part in cast("Sequence[object]", value):
            yield from texts(part)


def _value(hint: Any, name: str, text: Callable[[str], str], number: int) -> Any:
    origin, arguments = get_origin(hint), [each for each in get_args(hint) if each is not types.NoneType]
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return _value(arguments[0], name, text, number)
    if origin in (tuple, Sequence, list):
        inner = [each for each in arguments if each is not ...]
        return tuple(_value(each, name, text, number) for each in inner)
    if origin in (dict, Mapping):
        return {text(f"key of {name}"): _value(arguments[1], name, text, number)}
    if is_dataclass(hint):
        return filled(hint, text, number)  # type: ignore[arg-type]
    simple = {
        str: text(name),
        int: number,
        float: 0.5,
        bool: True,
        datetime: AT,
        UUID: UUID(int=number),
        Any: text(name),
    }
    return simple.get(hint, text(name))
