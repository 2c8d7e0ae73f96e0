"""Messages as they come from the database: what was said, by whom and when, and what a question found of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias
from uuid import UUID

from memoranda import wire

Role: TypeAlias = Literal["user", "assistant", "tool"]
"""Whose words a message is made of. Only what users and assistants say is found by recall."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat, as the database holds it.

    Attributes:
        id: Its id, as the application gave it or :meth:`memoranda.Turns.add` made it; unique in its chat.
        role: Whose words it is made of.
        text: What was said; empty where nothing was, such as in a message that only calls tools.
        at: When it was said, as the application told, or else when it was stored.
        chat: The chat that it belongs to, or None.
        author: The name of who said it, if it is known.
        turn: The turn that it was stored with.
        data: What else the message holds, as data: ``tool_calls``, ``parts`` (kinds of parts that are no text), and so
            on. Never shown to a model by this library.
        tainted: Stored by a run that had read untrusted material.
        version: Counts its edits, from 1.
        scope: The scope's name and id.
        edited_at: When its text was last changed; None when it never was.
        expires_at: When it stops being recalled.
    """

    id: str
    role: Role
    text: str
    at: datetime
    chat: str | None
    author: str | None
    turn: UUID
    data: Mapping[str, Any]
    tainted: bool
    version: int
    scope: tuple[str, str]
    edited_at: datetime | None
    expires_at: datetime | None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Message:
        """From what the database returns."""
        return cls(
            id=row["id"],
            role=row["role"],
            text=row["text"],
            at=datetime.fromisoformat(row["at"]),
            chat=row["chat"],
            author=row["author"],
            turn=UUID(row["turn"]),
            data=row["data"],
            tainted=row["tainted"],
            version=row["version"],
            scope=(row["scope"], row["scope_id"]),
            edited_at=wire.time(row["edited_at"]),
            expires_at=wire.time(row["expires_at"]),
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said between a user and an assistant until the assistant had ended; what an extractor reads.

    Attributes:
        id: Its id.
        chat: The chat that it belongs to, or None.
        messages: Its messages, in order. System prompts are not among them: they are never stored.
    """

    id: UUID
    chat: str | None
    messages: Sequence[Message]
