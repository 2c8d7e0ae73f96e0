"""Reading what others wrote: JSON whose form is not certain, with errors that name the file and the place in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from memoranda.errors import DataSetError


def load(path: Path) -> Any:
    """The value in a JSON file.

    Args:
        path: The file.

    Raises:
        DataSetError: It cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise DataSetError(f"{path} is not JSON.") from error


def mapping(value: object, where: str) -> dict[str, Any]:
    """A JSON object.

    Args:
        value: What should be one.
        where: The file, and the place in it.

    Raises:
        DataSetError: It is something else.
    """
    if not isinstance(value, dict):
        raise DataSetError(f"{where} is {_kind(value)}, not an object.")
    return cast("dict[str, Any]", value)


def listing(value: object, where: str) -> list[Any]:
    """A JSON array.

    Args:
        value: What should be one.
        where: The file, and the place in it.

    Raises:
        DataSetError: It is something else.
    """
    if not isinstance(value, list):
        raise DataSetError(f"{where} is {_kind(value)}, not an array.")
    return [*value]


def string(value: object, where: str) -> str:
    """A JSON string that holds more than blanks; without the blanks around it.

    Args:
        value: What should be one.
        where: The file, and the place in it.

    Raises:
        DataSetError: It is something else, or empty.
    """
    if not isinstance(value, str):
        raise DataSetError(f"{where} is {_kind(value)}, not a string.")
    if not value.strip():
        raise DataSetError(f"{where} is empty.")
    return value.strip()


def _kind(value: object) -> str:
    """What a value is called in JSON."""
    match value:
        case None:
            return "missing"
        case bool():
            return "true or false"
        case dict():
            return "an object"
        case list():
            return "an array"
        case str():
            return "a string"
        case _:
            return "a number"
