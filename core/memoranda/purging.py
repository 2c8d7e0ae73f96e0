"""Purge: what has expired, and keys of writes whose time is up, removed for good, a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from memoranda import wire
from memoranda.errors import InputError
from memoranda.html import Shown
from memoranda.transport import SERVICE, Transport

BATCH = 100
"""Facts in one transaction. Who writes in their scope waits for at most that long."""


@dataclass(frozen=True, slots=True)
class Purged(Shown):
    """What a purge removed, or has to.

    Attributes:
        facts: Facts that had expired, each with its history and its vectors.
        keys: Idempotency keys that were older than the setting ``key_days``.
        messages: Messages that had expired, each with its vectors.
        documents: Documents that had expired.
    """

    facts: int
    keys: int
    messages: int = 0
    documents: int = 0


async def due(transport: Transport) -> Purged:
    """See :meth:`memoranda.Store.expired`."""
    row = cast("Mapping[str, int]", await transport.call("purge", {"limits": {"dry_run": True}}, SERVICE))
    return Purged(**row)


async def purge(transport: Transport, batch: int, progress: Callable[[Purged], object] | None) -> Purged:
    """See :meth:`memoranda.Store.purge`."""
    if not 1 <= wire.number("batch", batch) <= 10_000:
        raise InputError("A batch has 1 to 10,000 rows.")
    done = Purged(0, 0)
    while True:
        row = cast("Mapping[str, int]", await transport.call("purge", {"limits": {"most": batch}}, SERVICE))
        if not any(row.values()):
            return done
        done = Purged(*(getattr(done, each.name) + row[each.name] for each in fields(Purged)))
        if progress:
            progress(done)
