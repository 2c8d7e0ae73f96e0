# Generated from core/memoranda/extraction.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Extraction: from a finished turn to facts that may be worth keeping.

An extractor proposes; what becomes of a candidate is settled in the database, by the rules for what an extractor says
(see :meth:`memoranda.sync.Facts.save_extracted`). :func:`extract_turn` is the one place where a turn becomes
facts, at the end of the turn and in a worker alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.errors import ConflictError, IdempotencyError, NotFoundError
from memoranda.extracting.candidates import Candidate, Extraction, Extractor
from memoranda.extracting.said import can_hold_a_fact, heard, typed
from memoranda.extraction import _KNOWN, _wanted
from memoranda.extraction import Extracted as Extracted
from memoranda.facttypes import NewFact, Outcome
from memoranda.messagetypes import Message, Turn
from memoranda.redaction import masked
from memoranda.sync.asking import propose
from memoranda.sync.facts import Facts

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding

__all__ = ["Candidate", "Extracted", "Extraction", "Extractor", "Message", "Turn", "extract_turn"]


def extract_turn(binding: Binding, extractor: Extractor, turn: Turn) -> Extracted:
    """Extract facts from a turn, and save them, once however often it is called.

    No connection is held while the extractor is at work. What it proposes is not believed: whose words it is, whether
    they bear it, and so whether it waits for a person, is settled here and in the database.

    Args:
        binding: The memory that the turn belongs to.
        extractor: What proposes them; an :class:`Extraction` says more than that.
        turn: The turn, as it is stored.

    Returns:
        What became of it.

    Raises:
        Exception: Whatever the extractor raises, and what the database refuses; the turn is as it was then.
    """
    runs = {message.run_id for message in turn.messages}
    if len(runs) == 1:  # so that the facts bear its taint, and are taken back with it
        binding = replace(binding, run_id=runs.pop())
    if not can_hold_a_fact(turn.messages):
        return Extracted("nothing")
    how = extractor if isinstance(extractor, Extraction) else Extraction(extractor)
    if how.secrets != "store":
        turn = replace(turn, messages=[replace(each, text=masked(each.text)) for each in turn.messages])
    said = "\n\n".join(words for each in turn.messages if each.role == "user" and (words := typed(each.text)))
    known = [hit.fact for hit in Facts(binding).search(said, _KNOWN, track_use=False)]
    candidates = propose(how.extractor, heard(turn), known)
    if not candidates:
        return Extracted("nothing")
    wanted = [
        _wanted(each, turn, known, how.secrets)
        if number < how.max_facts
        else Outcome("failed", f"over {how.max_facts} a turn")
        for number, each in enumerate(candidates)
    ]
    new = [each for each in wanted if isinstance(each, NewFact)]
    try:
        saved = iter(_save(Facts(binding), new, said, turn))
    except IdempotencyError:  # another worker was faster, and its model found other words
        return Extracted("extracted")
    return Extracted("extracted", [next(saved) if isinstance(each, NewFact) else each for each in wanted], candidates)


def _save(facts: Facts, new: Sequence[NewFact], said: str, turn: Turn) -> Sequence[Outcome]:
    """Save what is to be saved; what a candidate would have replaced may be gone by now."""
    version = sum(message.version for message in turn.messages)  # a turn that was edited is another
    key = f"extract:{turn.id}:{len(turn.messages)}.{version}"
    try:
        return facts.save_extracted(new, said=said, idempotency_key=key)
    except IdempotencyError:
        raise
    except (ConflictError, NotFoundError):
        alone = [replace(fact, supersedes=None) for fact in new]
        return facts.save_extracted(alone, said=said, idempotency_key=key)
