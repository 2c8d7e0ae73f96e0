"""What an extractor proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoranda.facttypes import Kind


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
