"""Turns: what was said until the assistant had ended, stored first; vectors and facts come after, and may fail."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import UUID, uuid4

from memoranda import wire, working
from memoranda.errors import ErasedError, InputError, MemorandaError
from memoranda.extracting.dates import with_zone
from memoranda.messageshapes import NewMessage, conversation
from memoranda.messagetypes import MessageOutcome, TurnOutcome
from memoranda.messagevectors import Said, embed_said
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

_HOLD = 60
"""Seconds for which work waits for whoever stored the turn, before a worker may take it."""

_log = logging.getLogger("memoranda")


class Turns:
    """The turns of one memory, and the chat that they belong to."""

    def __init__(self, binding: Binding, chat: str | None, *, temporary: bool) -> None:
        """Made by :class:`memoranda.Memory`."""
        self._binding = binding
        self._chat = chat
        self._temporary = temporary

    async def add(
        self,
        messages: Sequence[object],
        *,
        turn: str | None = None,
        expires_at: datetime | None = None,
        embed: Literal["inline", "worker"] = "inline",
        extract: Literal["inline", "worker", "off"] | None = None,
        idempotency_key: str | None = None,
    ) -> TurnOutcome:
        """Store a finished turn in this memory's chat. Its text is safe before any model is called.

        A message that is there already, by its id, is not stored again. A message without an id gets one made of the
        turn's name and its place in it, so a turn that has a name, or an idempotency key, can be sent again. System
        prompts, and what a model thought, are not stored; what tools said is, and is never found by recall.

        Args:
            messages: Up to 1,000, as :class:`memoranda.NewMessage` or in the shapes of OpenAI, Anthropic, PydanticAI or
                LangChain as plain data; see :func:`memoranda.messageshapes.conversation`. NUL characters are removed,
                and halves of surrogate pairs replaced by U+FFFD, because Postgres can hold neither.
            turn: A name for the turn, unique in its chat, 1 to 180 characters.
            expires_at: When its messages stop being recalled; timezone-aware.
            embed: Whether vectors are made now, or by a worker. An embedder that fails hinders nothing; it stays work.
            extract: Whether facts are extracted now, at the cost of a call of a model, by a worker, or not at all. Now
                if the store has an extractor, and else not at all. That it fails is never raised; it stays work.
            idempotency_key: Names this write, up to 180 characters; sent again, it is not done again.

        Returns:
            What became of it, and of each message. A temporary chat stores nothing.

        Raises:
            InputError: A message has no known shape.
            TimeError: A time has no zone.
            TooLargeError: They are more than 1,000.
            ErasedError: This memory was erased since the turn was queued, or sent first.
            ForbiddenError: This identity may not write here.
        """
        made = conversation(messages)
        for name in (turn, idempotency_key):
            if name is not None and not 1 <= len(name) <= 180:
                raise InputError("The name of a turn, and its idempotency key, have 1 to 180 characters.")
        named = turn or idempotency_key or uuid4().hex
        until = wire.aware("expires_at", expires_at)
        rows = [_row(message, f"{named}.{number}", until) for number, message in enumerate(made)]
        if self._temporary or not rows:
            return TurnOutcome(None)
        extract = extract or ("inline" if self._binding.extractor else "off")
        work: list[Json] = ["embed"] if extract == "off" else ["embed", "extract"]
        sent: dict[str, Json] = {
            "turn": wire.name("turn", named),
            "messages": cast("list[Json]", rows),
            "work": work,
        }
        if self._chat is not None:
            sent["chat"] = self._chat
        if "inline" in (self._binding.embedder and embed, extract):
            sent["hold"] = _HOLD
        call: Json = dict(self._binding.call_context(idempotency_key=idempotency_key))
        answer = cast("Mapping[str, Any]", await self._binding.call("turns_add", {"turn": sent, "call": call}))
        if answer.get("rule") == "erased":
            raise ErasedError
        replayed = answer.get("replayed", False)
        outcomes = tuple(
            MessageOutcome(became["outcome"], cast("str", row["id"]), became.get("rule"), replayed=replayed)
            for row, became in zip(rows, answer["messages"], strict=True)
        )
        new = [
            Said(became["id"], 1, cast("str", row["text"]), datetime.fromisoformat(became["at"]), message.author)
            for message, row, became in zip(made, rows, answer["messages"], strict=True)
            if became["outcome"] == "stored" and row["role"] != "tool" and row["text"] and not replayed
        ]
        embedded = None if self._binding.embedder is None or not new else await self._embed(new, now=embed == "inline")
        found = None
        if extract == "inline" and new and not replayed and answer["lease"] is not None:
            found = await self._extract(answer["turn"], answer["lease"], answer["at"])
        return TurnOutcome(UUID(answer["turn"]), outcomes, embedded, found, replayed)

    async def _extract(self, turn: str, lease: str, stored_at: str) -> bool:
        """Extract facts at once; whatever happens, the turn is stored, and what is not done is work."""
        try:
            binding = replace(self._binding, queued_at=self._binding.queued_at or stored_at)
            done = await working.extract(binding, turn, lease)
        except MemorandaError as error:
            _log.warning("Without facts for now: %s", error.code)  # an extractor may have said it: its text may quote
            return False
        return bool(done.extracted + done.nothing)

    async def _embed(self, new: Sequence[Said], *, now: bool) -> bool:
        """Make vectors at once; whatever happens, the turn is stored, and what is not done is work."""
        embedder = self._binding.embedder
        if embedder is None or not now:
            return False
        try:
            done = await embed_said(self._binding, embedder, new)
        except MemorandaError as error:
            _log.warning("Without vectors for now, since the embedder failed: %s", error)
            return False
        return done.embedded == len(new)


def _row(message: NewMessage, id_: str, until: str | None) -> dict[str, Json]:
    """A message as the database takes it."""
    row: dict[str, Json] = {
        "id": id_ if message.id is None else wire.name("message id", message.id),
        "role": message.role,
        "text": wire.text("a message", message.text),
        "author": None if message.author is None else wire.text("an author", message.author),
        "data": wire.json_value("data", with_zone(message.data, message.at)) or None,
        "at": wire.aware("the time of a message", message.at),
        "expires_at": until,
    }
    return {name: value for name, value in row.items() if value is not None}
