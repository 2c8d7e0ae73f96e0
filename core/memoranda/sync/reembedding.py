# Generated from core/memoranda/reembedding.py by .ci/make_sync.py: change that file, then run this.
"""Change of the embedding model: new vectors beside the old ones, a switch, and the end of the old ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda.errors import ConflictError
from memoranda.identity import Scope
from memoranda.reembedding import Reembedded as Reembedded
from memoranda.sync import vectors
from memoranda.sync.embedding import Embedder
from memoranda.sync.messagevectors import queue_missing
from memoranda.sync.transport import SERVICE, Transport

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def reembed(
    transport: Transport,
    bind: Callable[[UUID, UUID, Scope], Binding],
    embedder: Embedder,
    *,
    batch: int,
    pause: float,
    progress: Callable[[Reembedded], object] | None,
) -> Reembedded:
    """See :meth:`memoranda.sync.Store.reembed`."""
    from time import sleep

    model = vectors.model_of(embedder)
    done, refused = 0, 0
    while True:
        there = _call(transport, "reembed_places", model)
        left, before = int(there["facts"]), done + refused
        for place in there["places"]:
            scope = Scope(place["scope"], place["scope_id"])
            binding = bind(UUID(place["user"]), UUID(place["tenant"]), scope)
            while True:
                made = vectors.embed_some(binding, embedder, batch, aside=True)
                if made is None or not any(made):
                    break
                done, refused = done + made[0], refused + made[1]
                left -= sum(made)
                if progress:
                    progress(Reembedded(model, done, refused, max(left, 0)))
                if pause:
                    sleep(pause)
        if not there["places"]:
            switch = _call(transport, "reembed_switch", model)
            if switch["switched"]:
                queued = _queue_messages(transport, bind, embedder)
                return Reembedded(model, done, refused, 0, switched=True, queued=queued)
        elif done + refused == before and _call(transport, "reembed_places", model)["facts"]:
            raise ConflictError(
                f"{left} facts have no vector of {model} and cannot be given one.",
                hint="See that their owners may still read and write there.",
            )


def _queue_messages(transport: Transport, bind: Callable[[UUID, UUID, Scope], Binding], embedder: Embedder) -> int:
    """Put the messages that have no vector of a model on the list of work, and what the old one refused once more."""
    again = transport.call("work_retry", {"limits": {"kinds": ["embed"]}}, SERVICE)
    queued = cast("Mapping[str, int]", again)["again"]
    while True:
        before = queued
        for place in _call(transport, "reembed_messages", vectors.model_of(embedder))["places"]:
            binding = bind(UUID(place["user"]), UUID(place["tenant"]), Scope(place["scope"], place["scope_id"]))
            queued += queue_missing(binding, embedder, 10_000)
        if queued == before:
            return queued


def drop(transport: Transport, model: str, progress: Callable[[int], object] | None) -> int:
    """See :meth:`memoranda.sync.Store.drop_vectors`."""
    done = 0
    while True:
        dropped = int(_call(transport, "reembed_drop", model)["dropped"])
        done += dropped
        if not dropped:
            return done
        if progress:
            progress(done)


def _call(transport: Transport, function: str, model: str) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", transport.call(function, {"change": {"model": model}}, SERVICE))
