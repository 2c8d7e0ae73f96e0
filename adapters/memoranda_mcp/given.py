"""What a model passes to a tool, looked at before anything is done."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from memoranda.errors import InputError


class Given:
    """The arguments of a call: each is taken as what it should be, or refused by name."""

    def __init__(self, arguments: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        """Refuse what the tool does not have: who is served, and in which project, is not a model's to say.

        Args:
            arguments: The arguments.
            known: The tool's own, by their names.

        Raises:
            InputError: Another is among them.
        """
        if unknown := sorted(set(arguments) - set(known)):
            raise InputError(f"The tool has no argument `{unknown[0][:40]}`.")
        self._arguments = {name: value for name, value in arguments.items() if value is not None}

    def text(self, name: str) -> str | None:
        """A text, or None."""
        value = self._arguments.get(name)
        if value is not None and not isinstance(value, str):
            raise InputError(f"`{name}` is a text.")
        return value

    def needed(self, name: str) -> str:
        """A text with something in it."""
        value = self.text(name)
        if value is None or not value.strip():
            raise InputError(f"The tool needs the text `{name}`.")
        return value

    def texts(self, name: str) -> list[str] | None:
        """A list of texts, or None."""
        value = self._arguments.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(each, str) for each in cast("list[object]", value)):
            raise InputError(f"`{name}` is a list of texts.")
        return cast("list[str]", value)

    def number(self, name: str, most: int) -> int | None:
        """A whole number from 1 up, or None."""
        value = self._arguments.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise InputError(f"`{name}` is a whole number from 1 to {most}.")
        return value

    def time(self, name: str) -> datetime | None:
        """A time with its zone, or None."""
        value = self.text(name)
        if value is None:
            return None
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            time = None
        if time is None or time.utcoffset() is None:
            raise InputError(f"`{name}` is a time with its zone, such as 2026-11-30T12:00:00+00:00.")
        return time

    def id(self, name: str) -> UUID | None:
        """The id of a fact, or None."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return UUID(value)
        except ValueError:
            raise InputError(f"`{name}` is no id of a fact: those are shown by memory_recall.") from None

    def target(self) -> str | UUID:
        """A fact, by its key or its id."""
        key, id = self.text("key"), self.id("id")
        if (key is None) == (id is None):
            raise InputError("Give either a `key` or an `id`.")
        return key if key is not None else cast("UUID", id)
