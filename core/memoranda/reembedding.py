"""Change of the embedding model: new vectors beside the old ones, a switch, and the end of the old ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import vectors
from memoranda.embedding import Embedder
from memoranda.errors import ConflictError
from memoranda.html import Shown
from memoranda.identity import Scope
from memoranda.messagevectors import queue_missing
from memoranda.transport import SERVICE, Transport

if TYPE_CHECKING:
    from memoranda.memory import Binding


@dataclass(frozen=True, slots=True)
class Reembedded(Shown):
    """How far a change of model is.

    Attributes:
        model: The new model, with its length, as vectors are kept under it.
        embedded: Facts that got a vector of it in this run.
        set_aside: Facts whose text it refuses; they are found by words and names.
        left: Facts that have none yet.
        switched: Whether all have, and the database says so.
        queued: Messages that were then put on the list of work, for vectors of it.
    """

    model: str
    embedded: int
    set_aside: int
    left: int
    switched: bool = False
    queued: int = 0


async def reembed(
    transport: Transport,
    bind: Callable[[UUID, UUID, Scope], Binding],
    embedder: Embedder,
    *,
    batch: int,
    pause: float,
    progress: Callable[[Reembedded], object] | None,
) -> Reembedded:
    """See :meth:`memoranda.Store.reembed`."""
    from asyncio import sleep

    model = vectors.model_of(embedder)
    done, refused = 0, 0
    while True:
        there = await _call(transport, "reembed_places", model)
        left, before = int(there["facts"]), done + refused
        for place in there["places"]:
            scope = Scope(place["scope"], place["scope_id"])
            binding = bind(UUID(place["user"]), UUID(place["tenant"]), scope)
            while True:
                made = await vectors.embed_some(binding, embedder, batch, aside=True)
                if made is None or not any(made):
                    break
                done, refused = done + made[0], refused + made[1]
                left -= sum(made)
                if progress:
                    progress(Reembedded(model, done, refused, max(left, 0)))
                if pause:
                    await sleep(pause)
        if not there["places"]:
            switch = await _call(transport, "reembed_switch", model)
            if switch["switched"]:
                queued = await _queue_messages(transport, bind, embedder)
                return Reembedded(model, done, refused, 0, switched=True, queued=queued)
        elif done + refused == before and (await _call(transport, "reembed_places", model))["facts"]:
            raise ConflictError(
                f"{left} facts have no vector of {model} and cannot be given one.",
                hint="See that their owners may still read and write there.",
            )


async def _queue_messages(
    transport: Transport, bind: Callable[[UUID, UUID, Scope], Binding], embedder: Embedder
) -> int:
    """Put the messages that have no vector of a model on the list of work, and what the old one refused once more."""
    again = await transport.call("work_retry", {"limits": {"kinds": ["embed"]}}, SERVICE)
    queued = cast("Mapping[str, int]", again)["again"]
    while True:
        before = queued
        for place in (await _call(transport, "reembed_messages", vectors.model_of(embedder)))["places"]:
            binding = bind(UUID(place["user"]), UUID(place["tenant"]), Scope(place["scope"], place["scope_id"]))
            queued += await queue_missing(binding, embedder, 10_000)
        if queued == before:
            return queued


async def drop(transport: Transport, model: str, progress: Callable[[int], object] | None) -> int:
    """See :meth:`memoranda.Store.drop_vectors`."""
    done = 0
    while True:
        dropped = int((await _call(transport, "reembed_drop", model))["dropped"])
        done += dropped
        if not dropped:
            return done
        if progress:
            progress(done)


async def _call(transport: Transport, function: str, model: str) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", await transport.call(function, {"change": {"model": model}}, SERVICE))
