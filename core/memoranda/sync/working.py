# Generated from core/memoranda/working.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Work that is left to do: vectors for messages and facts from turns, each done as the owner of what it is about.

Whoever does it holds a lease meanwhile. What is done is taken off the list by the very call that stores it; what fails
says whose fault it is, which decides when it is tried again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from memoranda import wire
from memoranda.errors import MemorandaError, UnavailableError
from memoranda.extracting.named import is_ours
from memoranda.messagetypes import Message, Turn
from memoranda.sync.extraction import extract_turn
from memoranda.sync.messagevectors import Said, embed_said
from memoranda.sync.transport import SERVICE, Json, Transport
from memoranda.working import Dead as Dead
from memoranda.working import QueueStatus as QueueStatus
from memoranda.working import Worked as Worked
from memoranda.working import WorkKind as WorkKind
from memoranda.working import _fault, _log
from memoranda.working import kinds_of as kinds_of

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def status(transport: Transport) -> QueueStatus:
    """See :meth:`memoranda.sync.Store.queue`."""
    return QueueStatus.from_json(cast("Mapping[str, Any]", transport.call("work_status", {"limits": {}}, SERVICE)))


def retry(transport: Transport, kinds: Sequence[WorkKind] | None) -> int:
    """See :meth:`memoranda.sync.Store.retry`."""
    limits: Json = {} if kinds is None else {"kinds": wire.texts("a kind", kinds)}
    row = cast("Mapping[str, int]", transport.call("work_retry", {"limits": limits}, SERVICE))
    return row["again"]


def perform(binding: Binding, rows: Sequence[Mapping[str, Any]]) -> Worked:
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
        return _embed(binding, subjects, lease)
    done = Worked()
    for subject in subjects:
        done += extract(binding, subject, lease)
    return done


def extract(binding: Binding, turn: str, lease: str) -> Worked:
    """Extract facts from one turn; see :func:`perform`."""
    if binding.extractor is None:
        return Worked()
    try:
        rows = cast("list[Mapping[str, Any]]", binding.call("messages_list", {"said": {"turn": turn}}))
        messages = [Message.from_json(row) for row in rows]
        outcome = "nothing"
        if messages:
            found = extract_turn(binding, binding.extractor, Turn(messages[0].turn, messages[0].chat, messages))
            outcome = found.outcome
        binding.call("work_done", {"work": {"kind": "extract", "subjects": [turn]}})
    except UnavailableError:
        raise
    except Exception as error:  # an extractor may raise anything
        return _failed(binding, "extract", [turn], lease, error)
    return Worked(extracted=1) if outcome == "extracted" else Worked(nothing=1)


def _embed(binding: Binding, subjects: Sequence[str], lease: str) -> Worked:
    """Embed some messages. That the embedder fails is no fault of theirs."""
    if binding.embedder is None:
        return Worked()
    try:
        wanted: dict[str, Json] = {"work": {"subjects": list(subjects)}}
        rows = cast("list[Mapping[str, Any]]", binding.call("work_texts", wanted))
        said = [
            Said(row["id"], row["version"], row["text"], datetime.fromisoformat(row["at"]), row["author"])
            for row in rows
        ]
        done = embed_said(binding, binding.embedder, said)
    except UnavailableError:
        raise
    except Exception as error:  # so that one memory in which something is wrong holds up no other
        return _failed(binding, "embed", subjects, lease, error)
    return Worked(embedded=done.embedded, dead=done.set_aside)


def _failed(binding: Binding, kind: WorkKind, subjects: Sequence[str], lease: str, error: Exception) -> Worked:
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
        row = cast("Mapping[str, int]", binding.call("work_failed", {"work": sent}))
    except UnavailableError:
        raise
    except MemorandaError as refusal:  # they may not write there any more: it stays taken until it was taken too often
        _log.warning("Work of the kind %s could not be put off: %s", kind, refusal)
        return Worked(later=len(subjects))
    left = len(subjects) - row["dead"]
    return Worked(waiting=left) if work["fault"] == "else" else Worked(later=left, dead=row["dead"])
