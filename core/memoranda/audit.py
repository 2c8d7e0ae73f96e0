"""The audit: the log of a memory, facts and files in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.filetypes import ROOT
from memoranda.html import Listing, Shown
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Actor, Binding

Subject: TypeAlias = Literal["fact", "file"]


@dataclass(frozen=True, slots=True)
class AuditEntry(Shown):
    """One write of a fact or a file, and what it left.

    Attributes:
        subject: ``fact`` or ``file``.
        id: The fact's or the file's id.
        name: The fact's key, if it has one, or the file's whole path.
        version: Its version after this write.
        verb: What was done, such as ``saved``, ``corrected``, ``forgotten``, ``created``, ``edited`` or ``removed``.
        content: Its text after this write.
        status: Its status after this write.
        tainted: Whether it was marked: written by a run that had read untrusted material.
        replaces: The fact that gave way to it.
        actor: Which code path wrote: the application's own, the model's tool, the extractor, an import, the system.
        user: Whose identity the write carried.
        run_id: The agent run that it belonged to.
        tool_call_id: The tool call that it belonged to.
        reason: Why, in the writer's words.
        at: When, by the database's clock.
    """

    subject: Subject
    id: UUID
    name: str | None
    version: int
    verb: str
    content: str
    status: str
    tainted: bool
    replaces: UUID | None
    actor: str
    user: UUID
    run_id: str | None
    tool_call_id: str | None
    reason: str | None
    at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> AuditEntry:
        """From what the database returns."""
        converted: dict[str, Any] = {
            "id": UUID(row["id"]),
            "name": f"{ROOT}/{row['name']}" if row["subject"] == "file" else row["name"],
            "replaces": wire.uuid(row["replaces"]),
            "user": UUID(row["user"]),
            "at": datetime.fromisoformat(row["at"]),
        }
        return cls(**{**row, **converted})


async def read_log(
    binding: Binding,
    limit: int,
    *,
    since: datetime | None,
    until: datetime | None,
    subject: Subject | None,
    actor: Actor | None,
    run_id: str | None,
) -> list[AuditEntry]:
    """What :meth:`memoranda.Memory.audit` returns."""
    query: dict[str, Json] = {
        "limit": wire.number("limit", limit),
        "since": wire.aware("since", since),
        "until": wire.aware("until", until),
        "subject": subject,
        "actor": actor,
        "run_id": None if run_id is None else wire.name("run id", run_id),
    }
    given: Json = {name: value for name, value in query.items() if value is not None}
    rows = cast("list[Mapping[str, Any]]", await binding.call("audit", {"query": given}))
    return Listing(AuditEntry.from_json(row) for row in rows)
