"""What files are to those who call for them: a file, an entry of a list, a write's outcome, a revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from memoranda.html import Shown

Binding = TypeVar("Binding")

ROOT = "/memories"
"""The folder that all files are in; no file and no folder is outside."""


@dataclass(frozen=True, slots=True)
class Mount(Generic[Binding]):
    """A scope's files at a place under `/memories`.

    Attributes:
        name: The name of the folder; empty for `/memories` itself.
        binding: Whose, and which scope.
    """

    name: str
    binding: Binding

    @property
    def root(self) -> str:
        """The whole path of the folder."""
        return f"{ROOT}/{self.name}" if self.name else ROOT

    def whole(self, path: str) -> str:
        """The whole path of what the database knows by a path of the scope."""
        return f"{self.root}/{path}" if path else self.root


@dataclass(frozen=True, slots=True)
class File(Shown):
    """One file.

    Attributes:
        path: Its whole path, beginning with `/memories/`.
        content: Its text.
        version: Counts the versions at this path, from 1.
        tainted: Written by a run that had read untrusted material.
        updated_at: When it last changed, by the database's clock.
    """

    path: str
    content: str
    version: int
    tainted: bool
    updated_at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any], mount: Mount[Any]) -> File:
        """From what the database returns."""
        return cls(mount.whole(row["path"]), row["content"], **_common(row))


@dataclass(frozen=True, slots=True)
class Entry(Shown):
    """One file in a list.

    Attributes:
        path: Its whole path.
        bytes: Its size in UTF-8.
        version: Its version.
        tainted: Written by a run that had read untrusted material.
        updated_at: When it last changed.
    """

    path: str
    bytes: int
    version: int
    tainted: bool
    updated_at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any], mount: Mount[Any]) -> Entry:
        """From what the database returns."""
        return cls(mount.whole(row["path"]), row["bytes"], **_common(row))


@dataclass(frozen=True, slots=True)
class FileOutcome(Shown):
    """What became of one write.

    Attributes:
        outcome: ``created``, ``edited``, ``unchanged``, ``removed``, ``moved`` or ``restored``.
        version: The file's version now, where one file is concerned.
        files: How many files were removed or moved.
        line: The first line of the edited part, from 1.
        lines: How many lines that part has.
        replayed: This write had been done before under its idempotency key; nothing was done now.
    """

    outcome: Literal["created", "edited", "unchanged", "removed", "moved", "restored"]
    version: int | None = None
    files: int | None = None
    line: int | None = None
    lines: int | None = None
    replayed: bool = False

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> FileOutcome:
        """From what the database returns."""
        return cls(**{name: row[name] for name in cls.__slots__ if name in row})


@dataclass(frozen=True, slots=True)
class FileRevision(Shown):
    """One entry of the log: a write, and the file as it stood after it.

    Attributes:
        verb: ``created``, ``edited``, ``moved`` or ``removed``.
        path: Its path after this write.
        content: Its text after this write.
        version: Its version.
        tainted: Whether it was marked.
        actor: Which code path wrote: the application's own, the model's tool, the extractor, an import, the system.
        user: Whose identity the write carried.
        run_id: The agent run that it belonged to.
        tool_call_id: The tool call that it belonged to.
        reason: Why, in the writer's words.
        at: When, by the database's clock.
    """

    verb: Literal["created", "edited", "moved", "removed"]
    path: str
    content: str
    version: int
    tainted: bool
    actor: str
    user: UUID
    run_id: str | None
    tool_call_id: str | None
    reason: str | None
    at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any], mount: Mount[Any]) -> FileRevision:
        """From what the database returns."""
        state = row["state"]
        return cls(
            verb=row["verb"],
            path=mount.whole(state["path"]),
            content=state["content"],
            version=row["version"],
            tainted=state["tainted"],
            actor=row["actor"],
            user=UUID(row["user"]),
            run_id=row["run_id"],
            tool_call_id=row["tool_call_id"],
            reason=row["reason"],
            at=datetime.fromisoformat(row["at"]),
        )


def _common(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a file and an entry of a list both say."""
    return {
        "version": row["version"],
        "tainted": row["tainted"],
        "updated_at": datetime.fromisoformat(row["updated_at"]),
    }
