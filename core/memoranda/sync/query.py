# Generated from core/memoranda/query.py by .ci/make_sync.py: change that file, then run this.
"""What goes with a question: conditions on metadata, and a judge of what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from memoranda.errors import InputError
from memoranda.facttypes import Hit
from memoranda.query import CANDIDATES as CANDIDATES
from memoranda.query import conditions as conditions

Reranker: TypeAlias = Callable[[str, Sequence[Hit]], Sequence[float]]
"""Judges candidates: from a question and hits, one score for each, higher being better."""


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """The hits in the order of a reranker's scores, which become theirs."""
    scores = reranker(query, hits)
    if len(scores) != len(hits):
        raise InputError(f"The reranker gave {len(scores)} scores for {len(hits)} candidates.")
    judged = [replace(hit, score=float(score)) for hit, score in zip(hits, scores, strict=True)]
    return sorted(judged, key=lambda hit: hit.score, reverse=True)[: max(1, k)]
