"""What goes with a question: conditions on metadata, and a judge of what was found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from memoranda import wire
from memoranda.errors import InputError
from memoranda.facttypes import Hit
from memoranda.transport import Json

Reranker: TypeAlias = Callable[[str, Sequence[Hit]], Awaitable[Sequence[float]]]
"""Judges candidates: from a question and hits, one score for each, higher being better."""

CANDIDATES = 5
"""How many candidates a reranker gets, for each hit that is wanted."""


async def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """The hits in the order of a reranker's scores, which become theirs."""
    scores = await reranker(query, hits)
    if len(scores) != len(hits):
        raise InputError(f"The reranker gave {len(scores)} scores for {len(hits)} candidates.")
    judged = [replace(hit, score=float(score)) for hit, score in zip(hits, scores, strict=True)]
    return sorted(judged, key=lambda hit: hit.score, reverse=True)[: max(1, k)]


def conditions(where: Mapping[str, Any]) -> list[Json]:
    """Conditions on metadata as the database takes them."""
    return [
        {"key": wire.name("a key of where", key), "op": op, "value": wire.json_value("where", value)}
        for key, wanted in where.items()
        for op, value in (cast("Mapping[str, Any]", wanted) if isinstance(wanted, Mapping) else {"eq": wanted}).items()
    ]
