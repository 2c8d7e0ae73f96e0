# Generated from core/memoranda/facts.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Facts: short statements under a key; saving a key again corrects it, and the log keeps every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import wire
from memoranda.facts import Fact as Fact
from memoranda.facts import Kind as Kind
from memoranda.facts import Origin as Origin
from memoranda.facts import Outcome as Outcome
from memoranda.facts import Revision as Revision
from memoranda.facts import Status as Status
from memoranda.facts import _target
from memoranda.sync.transport import Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


class Facts:
    """The facts of one memory: one user, one tenant, one scope."""

    def __init__(self, binding: Binding) -> None:
        """Made by :class:`memoranda.sync.Memory`."""
        self._binding = binding

    def save(
        self,
        content: str,
        *,
        key: str,
        kind: Kind = "fact",
        source: str | None = None,
        importance: int | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        expires_at: datetime | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Save a statement under a key, or correct the one that is there.

        Saving replaces the whole value: what is left out is empty afterwards, an earlier expiry too. The value that was
        in force stays in the history. Saving the same value again moves nothing.

        Args:
            content: The statement, 1 to 100,000 characters. NUL characters are removed, and halves of surrogate pairs
                replaced by U+FFFD, because Postgres can hold neither.
            key: The name that corrections go by, 1 to 200 characters.
            kind: What sort of statement it is.
            source: Where it came from, 1 to 200 characters.
            importance: From 1 to 10; by default the kind's own.
            tags: Up to 50 labels.
            metadata: What the application keeps with it, as JSON.
            expires_at: When it stops being recalled, timezone-aware; a time past is allowed.
            expected_version: Save only if the value in force has this version; 0 means that there is none.
            idempotency_key: Up to 200 characters that name this write. Sending it again with the same key does nothing
                and returns the first outcome.

        Returns:
            What became of it: ``stored``, ``superseded`` or ``duplicate``.

        Raises:
            EmptyError: The content has nothing in it.
            TooLargeError: The content, tags or metadata are over their limits.
            TimeError: ``expires_at`` has no time zone.
            InputError: Another argument is not acceptable.
            ConflictError: The value in force has another version than expected.
            IdempotencyError: The idempotency key was used for another write.
            ForbiddenError: This identity may not write here.
        """
        fact: dict[str, Json] = {
            "key": wire.name("key", key),
            "content": wire.text("content", content),
            "kind": kind,
            "source": None if source is None else wire.text("source", source),
            "importance": None if importance is None else wire.number("importance", importance),
            "tags": [wire.text("a tag", tag) for tag in tags],
            "metadata": wire.json_value("metadata", metadata or {}),
            "expires_at": wire.aware("expires_at", expires_at),
            "expected_version": None if expected_version is None else wire.number("expected_version", expected_version),
        }
        fact = {name: value for name, value in fact.items() if value is not None}
        return Outcome.from_json(self._write("facts_save", {"fact": fact}, idempotency_key))

    def get(self, key: str) -> Fact | None:
        """The fact in force under a key.

        Args:
            key: The key.

        Returns:
            The fact, or None when there is none, or it has expired.
        """
        rows = self._read("facts_recall", {"query": {"key": wire.name("key", key)}})
        return Fact.from_json(rows[0]) if rows else None

    def recall(self, limit: int = 20) -> list[Fact]:
        """The facts in force now, newest first, then by key.

        Args:
            limit: How many at most; held between 1 and 200.

        Returns:
            Confirmed, unexpired facts of this scope.
        """
        rows = self._read("facts_recall", {"query": {"limit": wire.number("limit", limit)}})
        return [Fact.from_json(row) for row in rows]

    def forget(self, target: str | UUID, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Take a fact out of force; its history stays.

        Args:
            target: Its key, or its id as a :class:`uuid.UUID`.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`save`.

        Returns:
            ``forgotten``, or ``nothing`` when there was nothing in force: forgetting twice is no error.

        Raises:
            InputError: An argument is not acceptable.
            IdempotencyError: The idempotency key was used for another write.
            ForbiddenError: This identity may not write here.
        """
        row = self._write("facts_forget", {"target": _target(target)}, idempotency_key, reason)
        return Outcome.from_json(row)

    def history(self, target: str | UUID, limit: int = 1000) -> list[Revision]:
        """Every value that a key has had, with who wrote it, when and why; newest first.

        Args:
            target: The key, or the id of any fact that had it, as a :class:`uuid.UUID`.
            limit: How many revisions at most; held between 1 and 1,000.

        Returns:
            The revisions; none when nothing was ever saved under the key.
        """
        rows = self._read("facts_history", {"target": _target(target) | {"limit": wire.number("limit", limit)}})
        return [Revision.from_json(row) for row in rows]

    def _write(
        self, function: str, arguments: dict[str, Json], idempotency_key: str | None, reason: str | None = None
    ) -> Mapping[str, Any]:
        call = self._binding.call_context(idempotency_key=idempotency_key, reason=reason)
        return cast("Mapping[str, Any]", self._binding.call(function, {**arguments, "call": call}))

    def _read(self, function: str, arguments: dict[str, Json]) -> list[Mapping[str, Any]]:
        return cast("list[Mapping[str, Any]]", self._binding.call(function, arguments))
