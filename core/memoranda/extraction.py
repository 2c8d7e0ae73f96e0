"""Extraction: from a finished turn to facts that may be worth keeping.

An extractor proposes; what becomes of a candidate is settled in the database, by the rules for what an extractor says
(see :meth:`memoranda.Facts.save_extracted`). :func:`extract_turn` is the one place where a turn becomes
facts, at the end of the turn and in a worker alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memoranda.asking import propose
from memoranda.errors import ConflictError, IdempotencyError, InputError, NotFoundError
from memoranda.extracting.candidates import Candidate, Extraction, Extractor
from memoranda.extracting.grounding import grounds
from memoranda.extracting.said import can_hold_a_fact, heard, typed
from memoranda.facts import Facts
from memoranda.facttypes import Fact, NewFact, Outcome
from memoranda.messagetypes import Message, Turn
from memoranda.redaction import Policy, masked
from memoranda.secrecy import without_secrets

if TYPE_CHECKING:
    from memoranda.memory import Binding

__all__ = ["Candidate", "Extracted", "Extraction", "Extractor", "Message", "Turn", "extract_turn"]

_KNOWN = 20
"""How many facts an extractor is told of, those that the turn is about."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What became of a turn.

    Attributes:
        outcome: ``extracted``, or ``nothing`` when there was nothing to keep. A failure is raised.
        outcomes: What became of each candidate. ``failed`` says why in its rule: it is not acceptable, holds a secret,
            or is one too many. What waits says why in the metadata of its fact, as ``waits_because``.
        candidates: The candidates, in the same order.
    """

    outcome: Literal["extracted", "nothing"]
    outcomes: Sequence[Outcome] = ()
    candidates: Sequence[Candidate] = ()


async def extract_turn(binding: Binding, extractor: Extractor, turn: Turn) -> Extracted:
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
    known = [hit.fact for hit in await Facts(binding).search(said, _KNOWN, track_use=False)]
    candidates = await propose(how.extractor, heard(turn), known)
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
        saved = iter(await _save(Facts(binding), new, said, turn))
    except IdempotencyError:  # another worker was faster, and its model found other words
        return Extracted("extracted")
    return Extracted("extracted", [next(saved) if isinstance(each, NewFact) else each for each in wanted], candidates)


async def _save(facts: Facts, new: Sequence[NewFact], said: str, turn: Turn) -> Sequence[Outcome]:
    """Save what is to be saved; what a candidate would have replaced may be gone by now."""
    version = sum(message.version for message in turn.messages)  # a turn that was edited is another
    key = f"extract:{turn.id}:{len(turn.messages)}.{version}"
    try:
        return await facts.save_extracted(new, said=said, idempotency_key=key)
    except IdempotencyError:
        raise
    except (ConflictError, NotFoundError):
        alone = [replace(fact, supersedes=None) for fact in new]
        return await facts.save_extracted(alone, said=said, idempotency_key=key)


def _wanted(candidate: Candidate, turn: Turn, known: Sequence[Fact], secrets: Policy) -> NewFact | Outcome:
    """What is to be saved of a candidate; of its provenance nothing is its own word."""
    on = grounds(candidate, turn)
    reason = on.reason or ("tainted" if on.message and on.message.tainted else None)
    old = next((fact for fact in known if fact.id == candidate.supersedes), None)
    fact = NewFact(
        candidate.content,
        key=candidate.key or (old.key if old else None),
        kind=candidate.kind,
        source=f"message:{on.message.id}"[:200] if on.message else f"turn:{turn.id}",
        entities=candidate.entities,
        metadata={} if reason is None else {"waits_because": reason},
        valid_from=candidate.valid_from,
        valid_until=candidate.valid_until,
        origin=on.origin,
        quote=candidate.quote or None,
        supersedes=old.id if old else None,
        review=reason is not None,
    )
    try:
        fact = without_secrets(fact, secrets)
        fact.to_json()
    except InputError as error:  # what no database takes, such as a time without a zone
        return Outcome("failed", error.message)
    return fact
