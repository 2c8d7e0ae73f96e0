"""Extraction: from a finished turn to facts that may be worth keeping.

An extractor proposes; what becomes of a candidate is settled in the database, by the rules for what an extractor says
(see :meth:`memoranda.Facts.save_extracted`). :func:`extract_turn` is the one place where a turn becomes
facts, at the end of the turn and in a worker alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from memoranda.errors import IdempotencyError
from memoranda.extracting.candidates import Candidate
from memoranda.facts import Facts
from memoranda.facttypes import Fact, NewFact, Outcome
from memoranda.messagetypes import Message, Turn

if TYPE_CHECKING:
    from memoranda.memory import Binding

__all__ = ["Candidate", "Extracted", "Extractor", "Message", "Turn", "extract_turn"]

_KNOWN = 20
"""How many facts an extractor is told of, those that the turn is about."""


@runtime_checkable
class Extractor(Protocol):
    """Finds in a turn what is worth remembering; any object with this method is one."""

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        """Propose facts.

        Args:
            turn: The turn, each message with its time.
            known: Facts in force that the turn is about, so that an update can name what it updates.

        Returns:
            The candidates; none when there is nothing to keep.

        Raises:
            MemorandaError: It failed. What `transient` says of the error decides whether it is tried again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Extracted:
    """What became of a turn.

    Attributes:
        outcome: ``extracted``, or ``nothing`` when there was nothing to keep. A failure is raised.
        outcomes: What became of each candidate.
    """

    outcome: Literal["extracted", "nothing"]
    outcomes: Sequence[Outcome] = ()


async def extract_turn(binding: Binding, extractor: Extractor, turn: Turn) -> Extracted:
    """Extract facts from a turn, and save them, once however often it is called.

    Args:
        binding: The memory that the turn belongs to.
        extractor: What proposes them.
        turn: The turn.

    Returns:
        What became of it.

    Raises:
        Exception: Whatever the extractor raises, and what the database refuses; the turn is as it was then.
    """
    said = "\n\n".join(message.text for message in turn.messages if message.role == "user" and message.text)
    if not said.strip():
        return Extracted("nothing")
    facts = Facts(binding)
    known = [hit.fact for hit in await facts.search(said, _KNOWN, track_use=False)]
    candidates = await extractor.extract(turn, known)
    if not candidates:
        return Extracted("nothing")
    new = [
        NewFact(
            each.content,
            key=each.key,
            kind=each.kind,
            entities=each.entities,
            valid_from=each.valid_from,
            valid_until=each.valid_until,
            quote=each.quote,
            supersedes=each.supersedes,
        )
        for each in candidates
    ]
    try:
        outcomes = await facts.save_extracted(new, said=said, idempotency_key=f"extract:{turn.id}")
    except IdempotencyError:  # another worker was faster, and its model found other words
        outcomes = []
    return Extracted("extracted", outcomes)
