"""What the doctor says: one finding a fact, each with its remedy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Level: TypeAlias = Literal["ok", "note", "warning", "error"]
"""How bad it is: as it should be; worth knowing; will hurt; memory is not kept apart, or not kept at all."""

_MOST = 8
"""Names that a message lists; a count says how many more there are."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was looked at.

    Attributes:
        level: How bad it is.
        message: What was found.
        remedy: What to do about it; empty when there is nothing to do.
        check: What was looked at: the name of the check, which stays the same across releases.
    """

    level: Level
    message: str
    remedy: str = ""
    check: str = ""

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON can say it."""
        return asdict(self)


def ok(message: str) -> Finding:
    """Something is as it should be."""
    return Finding("ok", message)


def note(message: str, remedy: str = "") -> Finding:
    """Something is worth knowing, and may be meant."""
    return Finding("note", message, remedy)


def warning(message: str, remedy: str) -> Finding:
    """Something will hurt before long."""
    return Finding("warning", message, remedy)


def error(message: str, remedy: str) -> Finding:
    """Memory is not kept apart, or it does not work."""
    return Finding("error", message, remedy)


def many(count: int, thing: str) -> str:
    """So many things, in words: ``1 scope``, ``2 scopes``."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def named(names: list[str]) -> str:
    """A list of names that fits into a sentence."""
    shown = ", ".join(names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST:,} more"
