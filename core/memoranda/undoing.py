"""What an undo did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoranda.errors import ErasedError
from memoranda.html import Shown


@dataclass(frozen=True, slots=True)
class Undone(Shown):
    """What an undo did, files by their paths and facts by their keys.

    Attributes:
        restored: They are again what they were before.
        removed: They had been made by what was undone.
        kept: Somebody else has written over them since, or something else stands where they were.
        withdrawn: How many messages are recalled no more.
        replayed: This had been done before under its idempotency key; nothing was done now.
    """

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    withdrawn: int = 0
    replayed: bool = False

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Undone:
        """From what the database returns."""
        if row.get("rule") == "erased":
            raise ErasedError
        if row.get("replayed"):
            return cls(replayed=True)
        files, facts = row["files"], row["facts"]

        def part(name: str) -> tuple[str, ...]:
            return (*(f"/memories/{path}" for path in files[name]), *facts[name])

        return cls(part("restored"), part("removed"), part("kept"), row["messages"])
