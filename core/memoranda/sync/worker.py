# Generated from core/memoranda/worker.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""The worker: takes work from the queue, of anybody or of one memory, and does it until there is none that is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol, cast
from uuid import UUID

from memoranda.identity import Scope, ScopeName
from memoranda.sync.transport import SERVICE, Transport
from memoranda.sync.working import Worked, WorkKind, kinds_of, perform
from memoranda.worker import LEASE as LEASE
from memoranda.worker import _claim, _place

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


class Bind(Protocol):
    """Makes the memory in which work is to be done."""

    def __call__(self, user: UUID, tenant: UUID, scope: Scope, queued_at: datetime) -> Binding:
        """Bind it to whom the work is of."""
        ...


def work_of_all(
    transport: Transport,
    kinds: Sequence[WorkKind],
    bind: Bind,
    *,
    limit: int | None,
    progress: Callable[[Worked], object] | None,
    stop: Callable[[], bool] | None,
) -> Worked:
    """See :meth:`memoranda.sync.Store.work`."""
    total = Worked()
    for kind in kinds:
        waiting = total.waiting  # once a model is down, all of its work would have to wait
        while total.waiting == waiting and (limit is None or total.done < limit) and not (stop and stop()):
            claim = _claim(kind, None if limit is None else limit - total.done)
            rows = cast("list[Mapping[str, Any]]", transport.call("claim_work", {"limits": claim}, SERVICE))
            if not rows:
                break
            for (user, tenant, name, id_), several in groupby(sorted(rows, key=_place), key=_place):
                taken = list(several)
                since = min(datetime.fromisoformat(row["created_at"]) for row in taken)
                binding = bind(UUID(user), UUID(tenant), Scope(cast("ScopeName", name), id_), since)
                total += perform(binding, taken)
                if progress:
                    progress(total)
    return total


def work_of_one(binding: Binding, *, limit: int | None) -> Worked:
    """See :meth:`memoranda.sync.Memory.work`."""
    total = Worked()
    for kind in kinds_of(binding.embedder, binding.extractor):
        waiting = total.waiting
        while total.waiting == waiting and (limit is None or total.done < limit):
            claim = _claim(kind, None if limit is None else limit - total.done)
            rows = cast("list[Mapping[str, Any]]", binding.call("work_claim", {"work": claim}))
            if not rows:
                break
            since = min(datetime.fromisoformat(row["created_at"]) for row in rows)
            total += perform(replace(binding, queued_at=binding.queued_at or since.isoformat()), rows)
    return total
