# Generated from core/memoranda/audit.py by .ci/make_sync.py: change that file, then run this.
"""The audit: the log of a memory, facts and files in one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from memoranda import wire
from memoranda.audit import AuditEntry as AuditEntry
from memoranda.audit import Subject as Subject
from memoranda.html import Listing
from memoranda.sync.transport import Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Actor, Binding


def read_log(
    binding: Binding,
    limit: int,
    *,
    since: datetime | None,
    until: datetime | None,
    subject: Subject | None,
    actor: Actor | None,
    run_id: str | None,
) -> list[AuditEntry]:
    """What :meth:`memoranda.sync.Memory.audit` returns."""
    query: dict[str, Json] = {
        "limit": wire.number("limit", limit),
        "since": wire.aware("since", since),
        "until": wire.aware("until", until),
        "subject": subject,
        "actor": actor,
        "run_id": None if run_id is None else wire.name("run id", run_id),
    }
    given: Json = {name: value for name, value in query.items() if value is not None}
    rows = cast("list[Mapping[str, Any]]", binding.call("audit", {"query": given}))
    return Listing(AuditEntry.from_json(row) for row in rows)
