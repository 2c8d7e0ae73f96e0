"""Messages as they come from the database: what was said, by whom and when, and what a question found of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias
from uuid import UUID

from memoranda import wire
from memoranda.html import Shown

Role: TypeAlias = Literal["user", "assistant", "tool"]
"""Whose words a message is made of. Only what users and assistants say is found by recall."""


@dataclass(frozen=True, slots=True)
class Message(Shown):
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
        run_id: The agent run that stored it.
        withdrawn_at: When its run was undone, and it stopped being recalled; an edit brings it back.
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
    run_id: str | None = None
    withdrawn_at: datetime | None = None

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
            run_id=row["run_id"],
            withdrawn_at=wire.time(row["withdrawn_at"]),
        )


@dataclass(frozen=True, slots=True)
class MessageOutcome(Shown):
    """What became of one message of a turn, or of a change of one.

    Attributes:
        outcome: ``stored``, ``duplicate`` (one of this id is there), ``rejected`` (it was deleted or erased before, and
            is not stored again) or ``failed`` (it is not acceptable; the others are stored all the same); of a change
            ``edited``, ``unchanged``, ``deleted`` or ``nothing`` (there was nothing to delete).
        id: Its id in its chat.
        rule: What decided it: ``same id``, ``same id, another text`` (the text that is there stays: see
            :meth:`memoranda.Messages.edit`), ``deleted``, ``erased``, or what is not acceptable.
        version: Its version after an edit.
        replayed: This had been done before under its idempotency key; nothing was done now.
    """

    outcome: Literal["stored", "duplicate", "rejected", "failed", "edited", "unchanged", "deleted", "nothing"]
    id: str | None = None
    rule: str | None = None
    version: int | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class TurnOutcome(Shown):
    """What became of a turn.

    Attributes:
        turn: Its id; None when nothing was stored, since the chat is temporary.
        messages: What became of each message, in their order.
        embedded: Whether what was stored can be found by meaning already. If not, it is work that stands in the queue;
            words find it. None when the store has no embedder, or nothing was stored.
        extracted: Whether facts were looked for in it. If not, that is work that stands in the queue, or was given up.
            None when it was not to be done now.
        replayed: This had been done before under its idempotency key; nothing was stored now.
    """

    turn: UUID | None
    messages: Sequence[MessageOutcome] = ()
    embedded: bool | None = None
    extracted: bool | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class RecallWhy:
    """Why a message was found, and stands where it does.

    Attributes:
        meaning_rank: Its place by similarity, from 1; None when it is not among the nearest.
        words: How much of the question it has in words, rare words counting more, from 0 to 1; None without any.
        words_rank: Its place by words; None when it is not among the first.
        named: The question names who said it.
        near: What the messages beside it add to its score.
    """

    meaning_rank: int | None
    words: float | None
    words_rank: int | None
    named: bool
    near: float


@dataclass(frozen=True, slots=True)
class MessageHit(Shown):
    """A message that recall found.

    Attributes:
        message: The message; its scope and its chat say where it is from.
        similarity: The cosine between the question's vector and that of the message, untouched; of a long message, that
            of its piece which is nearest. None without the two.
        score: What the order goes by. It compares the hits of one recall, and means nothing beyond.
        why: Why it was found.
        before: What was said just before it in its chat, in order.
        after: And just after it.
    """

    message: Message
    similarity: float | None
    score: float
    why: RecallWhy
    before: Sequence[Message] = ()
    after: Sequence[Message] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> MessageHit:
        """From what the database returns."""
        return cls(
            Message.from_json(row["message"]),
            row["similarity"],
            row["score"],
            RecallWhy(**row["why"]),
            tuple(map(Message.from_json, row["before"])),
            tuple(map(Message.from_json, row["after"])),
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
