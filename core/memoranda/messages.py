"""Messages: what was said in earlier chats, found again by meaning and by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import vectors, wire
from memoranda.errors import ErasedError, InputError
from memoranda.html import Listing
from memoranda.identity import Scope
from memoranda.messagetypes import Message, MessageHit, MessageOutcome, Role
from memoranda.messagevectors import queue_missing
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding


class Messages:
    """The messages of one memory: one user, one tenant, one scope, every chat in it."""

    def __init__(self, binding: Binding) -> None:
        """Made by :class:`memoranda.Memory`."""
        self._binding = binding

    async def recall(
        self,
        query: str,
        k: int = 10,
        *,
        scopes: Sequence[Scope] | None = None,
        exclude_chat: str | None = None,
        roles: Sequence[Role] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        min_similarity: float | None = None,
        neighbours: int = 1,
    ) -> list[MessageHit]:
        """What was said that a question is about, by meaning and by words; best first.

        A message counts for more where those beside it in its chat are about the question, too.

        Args:
            query: The question, or whatever the agent is about to do.
            k: How many at most; held between 1 and 200.
            scopes: Where to look, at most 20 scopes, in one order; by default this memory's own.
            exclude_chat: A chat to leave out: the one that is going on, whose messages the model has before it.
            roles: Only what these said. What tools said is kept, and never found.
            since: Only what was said since then; timezone-aware.
            until: And before then.
            min_similarity: Only messages with at least this cosine, from -1 to 1.
            neighbours: How many messages before and after each to bring along, 0 to 5.

        Returns:
            The hits.

        Raises:
            ScopeError: A scope is malformed.
            ForbiddenError: The user is not a member of the tenant.
            TimeError: A time has no zone.
            InputError: Another argument is not acceptable.
        """
        wanted: dict[str, Json] = {
            "text": wire.text("query", query),
            "limit": wire.number("k", k),
            "scopes": None if scopes is None else [{"scope": each.name, "scope_id": each.id} for each in scopes],
            "exclude_chat": None if exclude_chat is None else wire.name("chat", exclude_chat),
            "roles": None if roles is None else wire.texts("a role", roles),
            "since": wire.aware("since", since),
            "until": wire.aware("until", until),
            "min_similarity": min_similarity,
            "neighbours": wire.number("neighbours", neighbours),
        }
        asked = await vectors.vectors_of(self._binding, [query], "query") if query.strip() else None
        if asked:
            wanted |= asked[0]
        wanted = {name: value for name, value in wanted.items() if value is not None}
        rows = await self._binding.call("messages_recall", {"said": wanted})
        return Listing(MessageHit.from_json(row) for row in cast("list[Mapping[str, Any]]", rows))

    async def edit(
        self,
        id: str,  # as it is called everywhere
        text: str,
        *,
        chat: str | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> MessageOutcome:
        """Change what a message says. It is found by its new words at once, and by its new meaning once it is embedded.

        What it said before is not kept. What was extracted from it stays a fact.

        Args:
            id: Its id in its chat.
            text: What it says now.
            chat: Its chat.
            expected_version: Edit only if it has this version.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            ``edited`` or ``unchanged``.

        Raises:
            NotFoundError: There is no such message, or it was deleted.
            ConflictError: It has another version than expected.
            TooLargeError: The text is over the limit.
            ForbiddenError: This identity may not write here.
        """
        message = _named(id, chat) | {"text": wire.text("text", text)}
        if expected_version is not None:
            message["expected_version"] = wire.number("expected_version", expected_version)
        return await self._write("messages_edit", {"message": message}, id, idempotency_key)

    async def delete(
        self,
        id: str | None = None,
        *,
        chat: str | None = None,
        idempotency_key: str | None = None,
    ) -> MessageOutcome:
        """Take the text of a message away for good, or that of a whole chat; neither is stored again by a late retry.

        Args:
            id: The message's id in its chat; without one, every message of the chat is meant.
            chat: The chat.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            ``deleted`` or ``nothing``.

        Raises:
            InputError: Neither is given.
            ForbiddenError: This identity may not write here.
        """
        return await self._write("messages_delete", {"message": _named(id, chat)}, id, idempotency_key)

    async def queue_missing(self, limit: int = 10_000) -> int:
        """Put messages that have no vector of the store's model on the list of work, as after a change of the model.

        :meth:`memoranda.Store.work`, or a worker, makes the vectors. Those of another model stay, and are compared
        with nothing of this one.

        Args:
            limit: How many at most, the oldest first; held between 1 and 100,000.

        Returns:
            How many were put on the list.

        Raises:
            InputError: The store has no embedder.
        """
        if self._binding.embedder is None:
            raise InputError("This store has no embedder.", hint='Open it with one, such as embedder="local".')
        return await queue_missing(self._binding, self._binding.embedder, wire.number("limit", limit))

    # Last of the reads, so that `list` means the type in what stands above.
    async def list(
        self,
        *,
        chat: str | None = None,
        turn: UUID | None = None,
        before: datetime | None = None,
        limit: int = 100,
    ) -> list[Message]:
        """Messages, newest first; those of one turn in their order.

        Args:
            chat: Only those of this chat.
            turn: Only those of this turn.
            before: Only what was said before then; timezone-aware.
            limit: How many at most; held between 1 and 1,000.

        Returns:
            The messages that were neither deleted nor have expired.

        Raises:
            TimeError: A time has no zone.
        """
        query: dict[str, Json] = {"limit": wire.number("limit", limit)}
        if chat is not None:
            query["chat"] = wire.name("chat", chat)
        if turn is not None:
            query["turn"] = wire.id_text("turn", turn)
        if before is not None:
            query["before"] = wire.aware("before", before)
        rows = cast("list[Mapping[str, Any]]", await self._binding.call("messages_list", {"said": query}))
        return Listing(Message.from_json(row) for row in rows)

    async def _write(
        self, function: str, arguments: Mapping[str, Json], name: str | None, idempotency_key: str | None
    ) -> MessageOutcome:
        call: Json = dict(self._binding.call_context(idempotency_key=idempotency_key))
        answer = cast("Mapping[str, Any]", await self._binding.call(function, {**arguments, "call": call}))
        if answer.get("rule") == "erased":
            raise ErasedError
        return MessageOutcome(
            answer["outcome"], name, version=answer.get("version"), replayed=answer.get("replayed", False)
        )


def _named(id_: str | None, chat: str | None) -> dict[str, Json]:
    """A message by its id and its chat, or a chat."""
    named: dict[str, Json] = {}
    if id_ is not None:
        named["id"] = wire.name("message id", id_)
    if chat is not None:
        named["chat"] = wire.name("chat", chat)
    return named
