"""Work that is left to do: vectors for messages and facts from turns, each done as the owner of what it is about.

Whoever does it holds a lease meanwhile. What is done is taken off the list by the very call that stores it; what fails
says whose fault it is, which decides when it is tried again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import EmbedderError, InputError, MemorandaError, UnavailableError
from memoranda.extracting.named import is_ours
from memoranda.extraction import extract_turn
from memoranda.html import Shown
from memoranda.messagetypes import Message, Turn
from memoranda.messagevectors import Said, embed_said
from memoranda.transport import SERVICE, Json, Transport

if TYPE_CHECKING:
    from memoranda.memory import Binding

WorkKind: TypeAlias = Literal["embed", "extract"]

_log = logging.getLogger("memoranda")


@dataclass(frozen=True, slots=True)
class Worked(Shown):
    """What a worker has done.

    Attributes:
        embedded: Messages that have their vectors now.
        extracted: Turns of which facts were saved.
        nothing: Turns with nothing worth keeping.
        later: How often something failed that is tried again later.
        waiting: How often something had to wait for a model that is down, or a quota; it suffers nothing by that.
        dead: What was given up, with a reason; see :meth:`memoranda.Store.queue`.
    """

    embedded: int = 0
    extracted: int = 0
    nothing: int = 0
    later: int = 0
    waiting: int = 0
    dead: int = 0

    @property
    def done(self) -> int:
        """How much came to an end, one way or the other."""
        return self.embedded + self.extracted + self.nothing + self.dead

    def __add__(self, other: Worked) -> Worked:
        """Both together."""
        return Worked(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass(frozen=True, slots=True)
class Dead(Shown):
    """Work that was given up.

    Attributes:
        kind: What was to be done.
        user: As whom.
        tenant: In which tenant.
        scope: The scope's name and id.
        subject: The message, or the turn, by its id in the database.
        reason: Why it failed last.
        at: When it was given up.
    """

    kind: WorkKind
    user: UUID
    tenant: UUID
    scope: tuple[str, str]
    subject: UUID
    reason: str | None
    at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Dead:
        """From what the database returns."""
        return cls(
            row["kind"],
            UUID(row["user"]),
            UUID(row["tenant"]),
            (row["scope"], row["scope_id"]),
            UUID(row["subject"]),
            row["reason"],
            datetime.fromisoformat(row["dead_at"]),
        )


@dataclass(frozen=True, slots=True)
class QueueStatus(Shown):
    """What there is to do.

    Attributes:
        due: How much can be done now, by kind.
        later: How much is being done, or is tried again later.
        dead: What was given up, newest first, 100 at most.
    """

    due: Mapping[str, int]
    later: Mapping[str, int]
    dead: Sequence[Dead]

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> QueueStatus:
        """From what the database returns."""
        kinds = cast("Mapping[str, Mapping[str, int]]", row["kinds"])
        return cls(
            {kind: counts["due"] for kind, counts in kinds.items()},
            {kind: counts["later"] for kind, counts in kinds.items()},
            tuple(map(Dead.from_json, row["dead"])),
        )


async def status(transport: Transport) -> QueueStatus:
    """See :meth:`memoranda.Store.queue`."""
    return QueueStatus.from_json(
        cast("Mapping[str, Any]", await transport.call("work_status", {"limits": {}}, SERVICE))
    )


async def retry(transport: Transport, kinds: Sequence[WorkKind] | None) -> int:
    """See :meth:`memoranda.Store.retry`."""
    limits: Json = {} if kinds is None else {"kinds": wire.texts("a kind", kinds)}
    row = cast("Mapping[str, int]", await transport.call("work_retry", {"limits": limits}, SERVICE))
    return row["again"]


def kinds_of(embedder: object, extractor: object) -> list[WorkKind]:
    """What there are the means to do.

    Raises:
        InputError: Nothing at all.
    """
    kinds: list[WorkKind] = []
    if embedder is not None:
        kinds.append("embed")
    if extractor is not None:
        kinds.append("extract")
    if not kinds:
        raise InputError("This store has no embedder and no extractor.", hint='Open it with embedder="local".')
    return kinds


async def perform(binding: Binding, rows: Sequence[Mapping[str, Any]]) -> Worked:
    """Do work that was taken, all of one kind and in one memory.

    Args:
        binding: The memory, as the one who is to do it.
        rows: The work, under one lease.

    Returns:
        What became of it.

    Raises:
        UnavailableError: The database is out of reach; the work stays, and is taken again when the lease ends.
    """
    subjects = [cast("str", row["subject"]) for row in rows]
    lease = cast("str", rows[0]["lease"])
    if rows[0]["kind"] == "embed":
        return await _embed(binding, subjects, lease)
    done = Worked()
    for subject in subjects:
        done += await extract(binding, subject, lease)
    return done


async def extract(binding: Binding, turn: str, lease: str) -> Worked:
    """Extract facts from one turn; see :func:`perform`."""
    if binding.extractor is None:
        return Worked()
    try:
        rows = cast("list[Mapping[str, Any]]", await binding.call("messages_list", {"said": {"turn": turn}}))
        messages = [Message.from_json(row) for row in rows]
        outcome = "nothing"
        if messages:
            found = await extract_turn(binding, binding.extractor, Turn(messages[0].turn, messages[0].chat, messages))
            outcome = found.outcome
        await binding.call("work_done", {"work": {"kind": "extract", "subjects": [turn]}})
    except UnavailableError:
        raise
    except Exception as error:  # an extractor may raise anything
        return await _failed(binding, "extract", [turn], lease, error)
    return Worked(extracted=1) if outcome == "extracted" else Worked(nothing=1)


async def _embed(binding: Binding, subjects: Sequence[str], lease: str) -> Worked:
    """Embed some messages. That the embedder fails is no fault of theirs."""
    if binding.embedder is None:
        return Worked()
    try:
        wanted: dict[str, Json] = {"work": {"subjects": list(subjects)}}
        rows = cast("list[Mapping[str, Any]]", await binding.call("work_texts", wanted))
        said = [
            Said(row["id"], row["version"], row["text"], datetime.fromisoformat(row["at"]), row["author"])
            for row in rows
        ]
        done = await embed_said(binding, binding.embedder, said)
    except UnavailableError:
        raise
    except Exception as error:  # so that one memory in which something is wrong holds up no other
        return await _failed(binding, "embed", subjects, lease, error)
    return Worked(embedded=done.embedded, dead=done.set_aside)


async def _failed(binding: Binding, kind: WorkKind, subjects: Sequence[str], lease: str, error: Exception) -> Worked:
    """Put work off, or give it up. The reason names the error, and quotes none but our own."""
    reason = type(error).__name__
    if isinstance(error, MemorandaError):
        reason = f"{error.code}: {error.message if kind == 'embed' or is_ours(binding.extractor) else reason}"
    work: dict[str, Json] = {
        "kind": kind,
        "subjects": list(subjects),
        "lease": lease,
        "reason": reason,
        "fault": _fault(error),
        "after": getattr(error, "retry_after", None) if isinstance(error, MemorandaError) else None,
    }
    _log.warning("Work of the kind %s failed: %s", kind, reason)
    sent: Json = {name: value for name, value in work.items() if value is not None}
    try:
        row = cast("Mapping[str, int]", await binding.call("work_failed", {"work": sent}))
    except UnavailableError:
        raise
    except MemorandaError as refusal:  # they may not write there any more: it stays taken until it was taken too often
        _log.warning("Work of the kind %s could not be put off: %s", kind, refusal)
        return Worked(later=len(subjects))
    left = len(subjects) - row["dead"]
    return Worked(waiting=left) if work["fault"] == "else" else Worked(later=left, dead=row["dead"])


def _fault(error: Exception) -> str:
    """Whose fault an error is: the work's own, or that of a server or an account, which no work is to suffer for."""
    if isinstance(error, EmbedderError):  # of texts that it refuses, it says so beside the others
        return "else"
    if getattr(error, "transient", False):
        return "else"
    if isinstance(error, MemorandaError) and getattr(error, "transient", None) is False:
        return "permanent"
    return "own"
