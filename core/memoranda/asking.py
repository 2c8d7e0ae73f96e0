"""Asking an extractor; apart, since code without `await` does it otherwise (see `memoranda/sync/asking.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.extracting.candidates import Candidate, Extractor
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn


async def propose(extractor: Extractor, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
    """See :meth:`Extractor.extract`."""
    return await extractor.extract(turn, known)
