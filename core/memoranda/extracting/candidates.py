"""What an extractor is, and what it proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable
from uuid import UUID

from memoranda.facttypes import Fact, Kind
from memoranda.messagetypes import Turn
from memoranda.redaction import Policy

MAX_FACTS = 10
"""How many facts of one turn are saved at most, unless it is said otherwise."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that an extractor proposes. Its origin and status are never the extractor's to say.

    Attributes:
        content: The statement, in the language of the turn.
        kind: What sort of statement it is.
        key: The name that corrections go by, for what has one value at a time.
        entities: The people, projects and things that it is about.
        valid_from: Since when it is true; timezone-aware.
        valid_until: Until when it is true; timezone-aware.
        quote: The user's own words that it rests on.
        message: The id of the message that the quote stands in.
        supersedes: The known fact that it updates or contradicts.
    """

    content: str
    kind: Kind = "fact"
    key: str | None = None
    entities: Sequence[str] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    quote: str | None = None
    message: str | None = None
    supersedes: UUID | None = None


@runtime_checkable
class Extractor(Protocol):
    """Finds in a turn what is worth remembering; any object with this method is one."""

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        """Propose facts.

        Args:
            turn: What the user and the assistant said, each message with its time; without tool output, and without
                what came from memory.
            known: Facts in force that the turn is about, so that an update can name what it updates.

        Returns:
            The candidates; none when there is nothing to keep.

        Raises:
            MemorandaError: It failed. What `transient` says of the error decides whether it is tried again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """An extractor, and what is done about what it proposes. Goes wherever an extractor goes.

    Attributes:
        extractor: What proposes facts.
        secrets: What is done about keys, passwords, and numbers of cards and documents: ``"mask"`` puts a mark in their
            place, ``"refuse"`` keeps no fact that holds one, ``"store"`` keeps them. Unless they are kept, the
            extractor doesn't see them either.
        max_facts: How many facts of one turn are saved at most.
    """

    extractor: Extractor
    secrets: Policy = "mask"
    max_facts: int = MAX_FACTS

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        """See :class:`Extractor`."""
        return await self.extractor.extract(turn, known)
