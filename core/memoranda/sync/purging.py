# Generated from core/memoranda/purging.py by .ci/make_sync.py: change that file, then run this.
"""Purge: what has expired, and keys of writes whose time is up, removed for good, a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import cast

from memoranda import wire
from memoranda.errors import InputError
from memoranda.purging import BATCH as BATCH
from memoranda.purging import Purged as Purged
from memoranda.sync.transport import SERVICE, Transport


def due(transport: Transport) -> Purged:
    """See :meth:`memoranda.sync.Store.expired`."""
    row = cast("Mapping[str, int]", transport.call("purge", {"limits": {"dry_run": True}}, SERVICE))
    return Purged(**row)


def purge(transport: Transport, batch: int, progress: Callable[[Purged], object] | None) -> Purged:
    """See :meth:`memoranda.sync.Store.purge`."""
    if not 1 <= wire.number("batch", batch) <= 10_000:
        raise InputError("A batch has 1 to 10,000 rows.")
    done = Purged(0, 0)
    while True:
        row = cast("Mapping[str, int]", transport.call("purge", {"limits": {"most": batch}}, SERVICE))
        if not any(row.values()):
            return done
        done = Purged(*(getattr(done, each.name) + row[each.name] for each in fields(Purged)))
        if progress:
            progress(done)
