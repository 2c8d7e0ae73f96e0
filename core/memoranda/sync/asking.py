"""Extractors for code without `await`; written by hand, where most of `memoranda.sync` is generated.

There is one kind of extractor, and it is async. Here it runs in an event loop of its own, on a thread of the process.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda import asking
from memoranda.extracting.candidates import Candidate, Extractor
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn
from memoranda.sync.loop import run


def propose(extractor: Extractor, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
    """See :meth:`Extractor.extract`."""
    return run(asking.propose(extractor, turn, known))


def close_extractor(extractor: Extractor | None) -> None:
    """See :func:`memoranda.asking.close_extractor`."""
    if extractor is not None:
        run(asking.close_extractor(extractor))
