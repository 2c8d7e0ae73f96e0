"""Asking an extractor, and closing it: apart, since code without `await` does it otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.extracting.candidates import Candidate, Extraction, Extractor
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn


async def propose(extractor: Extractor, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
    """See :meth:`Extractor.extract`."""
    return await extractor.extract(turn, known)


async def close_extractor(extractor: Extractor | None) -> None:
    """Close an extractor that has something to close; idempotent.

    Args:
        extractor: What :func:`memoranda.extracting.named.as_extractor` made.
    """
    inner = extractor.extractor if isinstance(extractor, Extraction) else extractor
    close = getattr(inner, "close", None)
    if close is not None:
        await close()
