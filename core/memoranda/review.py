"""Review: what waits for a person, and what the person makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import vectors, wire
from memoranda.facttypes import Outcome, Waiting
from memoranda.html import Listing
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding


class Review:
    """The facts of one memory that wait: no search finds them, and no prompt has them, until a person approves."""

    def __init__(self, binding: Binding) -> None:
        """Made by :class:`memoranda.Memory`."""
        self._binding = binding

    async def pending(self, limit: int = 20) -> list[Waiting]:
        """What waits, oldest first.

        Args:
            limit: How many at most; held between 1 and 200.
        """
        query: dict[str, Json] = {"query": {"limit": wire.number("limit", limit)}}
        rows = cast("list[Mapping[str, Any]]", await self._binding.call("review_pending", query))
        return Listing(Waiting.from_json(row) for row in rows)

    async def get(self, id: UUID) -> Waiting | None:
        """One that waits, or None when that fact does not.

        Args:
            id: The fact's id.
        """
        query: dict[str, Json] = {"query": {"id": wire.id_text("id", id)}}
        rows = cast("list[Mapping[str, Any]]", await self._binding.call("review_pending", query))
        return Waiting.from_json(rows[0]) if rows else None

    async def count(self) -> int:
        """How many wait."""
        return cast("Mapping[str, int]", await self._binding.call("review_counts", {}))["pending"]

    async def approve(self, id: UUID, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Put into force what waits. It replaces what is in force under its key, or what it was to replace.

        Args:
            id: The fact's id.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            ``stored``, ``superseded``, or ``duplicate`` when what is in force says just that by now.

        Raises:
            NotFoundError: There is no such fact.
            SettledError: It does not wait.
        """
        row = await self._write("review_approve", id, {}, idempotency_key, reason)
        return await vectors.put_in_force(self._binding, row)

    async def reject(self, id: UUID, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Reject what waits, for good: its value is not saved again, whoever comes with it.

        Args:
            id: The fact's id.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            ``rejected``.

        Raises:
            NotFoundError: There is no such fact.
            SettledError: It does not wait.
        """
        return Outcome.from_json(await self._write("review_reject", id, {}, idempotency_key, reason))

    async def edit_and_approve(
        self, id: UUID, content: str, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> Outcome:
        """Put into force what waits, in a person's own words.

        Args:
            id: The fact's id.
            content: What is right.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            As of :meth:`approve`; ``rejected`` when that value was rejected or forgotten, and then it still waits.

        Raises:
            EmptyError: The content has nothing in it.
            NotFoundError: There is no such fact.
            SettledError: It does not wait.
        """
        rows, embedded = await vectors.with_vectors(self._binding, [{"content": wire.text("content", content)}])
        return Outcome.from_json(
            await self._write("review_edit", id, {"fact": rows[0]}, idempotency_key, reason), embedded
        )

    async def _write(
        self, function: str, id: UUID, arguments: dict[str, Json], idempotency_key: str | None, reason: str | None
    ) -> Mapping[str, Any]:
        call = self._binding.call_context(idempotency_key=idempotency_key, reason=reason)
        target: Json = {"id": wire.id_text("id", id)}
        answer = await self._binding.call(function, {"target": target, **arguments, "call": call})
        return cast("Mapping[str, Any]", answer)
