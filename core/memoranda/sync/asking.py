"""Extractors for code without `await`; written by hand, where most of `memoranda.sync` is generated.

An extractor is async. Here it runs in an event loop of its own, on a thread of the process. One whose `extract` just
returns is taken as well.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import cast

from memoranda import asking
from memoranda.extracting.candidates import Candidate, Extractor
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn
from memoranda.sync.loop import run


def propose(extractor: Extractor, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
    """See :meth:`Extractor.extract`."""
    found = cast("object", extractor.extract(turn, known))
    if isinstance(found, Coroutine):
        return run(cast("Coroutine[object, object, Sequence[Candidate]]", found))
    return cast("Sequence[Candidate]", found)


def close_extractor(extractor: Extractor | None) -> None:
    """See :func:`memoranda.asking.close_extractor`."""
    if extractor is not None:
        run(asking.close_extractor(extractor))
