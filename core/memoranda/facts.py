"""Facts: short statements under a key; saving a key again corrects it, and the log keeps every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

Kind: TypeAlias = Literal[
    "fact", "decision", "event", "preference", "correction", "conversation", "pattern", "learning", "transcript"
]
Status: TypeAlias = Literal["pending", "confirmed", "rejected", "superseded", "forgotten"]
Origin: TypeAlias = Literal["user", "assistant", "tool", "import", "system"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, as the database holds it.

    Attributes:
        id: Its id; a correction gets a new one.
        key: The name that corrections go by.
        content: The statement.
        kind: What sort of statement it is.
        status: Whether it is in force; recall returns only ``confirmed`` ones.
        origin: Whose words it is made of.
        source: Where it came from, in the application's own words.
        tainted: Written by a run that had read untrusted material.
        importance: From 1 to 10.
        tags: Labels.
        metadata: Whatever the application keeps with it.
        scope: The scope's name and id.
        version: Counts along the chain of corrections, from 1.
        supersedes: The fact that this one corrected.
        superseded_by: The fact that corrected this one.
        created_at: When it was saved, by the database's clock.
        updated_at: When it last changed, by the database's clock.
        expires_at: When it stops being recalled.
    """

    id: UUID
    key: str
    content: str
    kind: Kind
    status: Status
    origin: Origin
    source: str | None
    tainted: bool
    importance: int
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    scope: tuple[str, str]
    version: int
    supersedes: UUID | None
    superseded_by: UUID | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Fact:
        """From what the database returns."""
        return cls(
            id=UUID(row["id"]),
            key=row["key"],
            content=row["content"],
            kind=row["kind"],
            status=row["status"],
            origin=row["origin"],
            source=row["source"],
            tainted=row["tainted"],
            importance=row["importance"],
            tags=tuple(row["tags"]),
            metadata=row["metadata"],
            scope=(row["scope"], row["scope_id"]),
            version=row["version"],
            supersedes=wire.uuid(row["supersedes"]),
            superseded_by=wire.uuid(row["superseded_by"]),
            created_at=datetime.fromisoformat(row["created_at"]),
            updated_at=datetime.fromisoformat(row["updated_at"]),
            expires_at=wire.time(row["expires_at"]),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one write.

    Attributes:
        outcome: ``stored``, ``superseded`` (an older value gave way), ``duplicate`` (nothing moved), ``forgotten``, or
            ``nothing`` (there was nothing to forget).
        rule: What decided it.
        id: The fact that is in force, or that was forgotten.
        version: Its version.
        supersedes: The fact that gave way.
        replayed: This write had been done before under its idempotency key; nothing was done now.
    """

    outcome: Literal["stored", "superseded", "duplicate", "forgotten", "nothing"]
    rule: str | None = None
    id: UUID | None = None
    version: int | None = None
    supersedes: UUID | None = None
    replayed: bool = False

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Outcome:
        """From what the database returns."""
        return cls(
            outcome=row["outcome"],
            rule=row.get("rule"),
            id=wire.uuid(row.get("id")),
            version=row.get("version"),
            supersedes=wire.uuid(row.get("supersedes")),
            replayed=row.get("replayed", False),
        )


@dataclass(frozen=True, slots=True)
class Revision:
    """One entry of the log: a write, and the fact as it stood after it.

    Attributes:
        verb: ``saved``, ``corrected`` or ``forgotten``.
        fact: The fact after this write. Its status is what it was then, not what it is now.
        replaces: The fact that gave way to it.
        actor: Which code path wrote: the application's own, the model's tool, the extractor, an import, the system.
        user: Whose identity the write carried.
        run_id: The agent run that it belonged to.
        tool_call_id: The tool call that it belonged to.
        reason: Why, in the writer's words.
        at: When, by the database's clock.
    """

    verb: Literal["saved", "corrected", "forgotten"]
    fact: Fact
    replaces: UUID | None
    actor: str
    user: UUID
    run_id: str | None
    tool_call_id: str | None
    reason: str | None
    at: datetime

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Revision:
        """From what the database returns."""
        return cls(
            verb=row["verb"],
            fact=Fact.from_json(row["state"]),
            replaces=wire.uuid(row["replaces"]),
            actor=row["actor"],
            user=UUID(row["user"]),
            run_id=row["run_id"],
            tool_call_id=row["tool_call_id"],
            reason=row["reason"],
            at=datetime.fromisoformat(row["at"]),
        )


class Facts:
    """The facts of one memory: one user, one tenant, one scope."""

    def __init__(self, binding: Binding) -> None:
        """Made by :class:`memoranda.Memory`."""
        self._binding = binding

    async def save(
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
        return Outcome.from_json(await self._write("facts_save", {"fact": fact}, idempotency_key))

    async def get(self, key: str) -> Fact | None:
        """The fact in force under a key.

        Args:
            key: The key.

        Returns:
            The fact, or None when there is none, or it has expired.
        """
        rows = await self._read("facts_recall", {"query": {"key": wire.name("key", key)}})
        return Fact.from_json(rows[0]) if rows else None

    async def recall(self, limit: int = 20) -> list[Fact]:
        """The facts in force now, newest first, then by key.

        Args:
            limit: How many at most; held between 1 and 200.

        Returns:
            Confirmed, unexpired facts of this scope.
        """
        rows = await self._read("facts_recall", {"query": {"limit": wire.number("limit", limit)}})
        return [Fact.from_json(row) for row in rows]

    async def forget(
        self, target: str | UUID, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> Outcome:
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
        row = await self._write("facts_forget", {"target": _target(target)}, idempotency_key, reason)
        return Outcome.from_json(row)

    async def history(self, target: str | UUID, limit: int = 1000) -> list[Revision]:
        """Every value that a key has had, with who wrote it, when and why; newest first.

        Args:
            target: The key, or the id of any fact that had it, as a :class:`uuid.UUID`.
            limit: How many revisions at most; held between 1 and 1,000.

        Returns:
            The revisions; none when nothing was ever saved under the key.
        """
        rows = await self._read("facts_history", {"target": _target(target) | {"limit": wire.number("limit", limit)}})
        return [Revision.from_json(row) for row in rows]

    async def _write(
        self, function: str, arguments: dict[str, Json], idempotency_key: str | None, reason: str | None = None
    ) -> Mapping[str, Any]:
        call = self._binding.call_context(idempotency_key=idempotency_key, reason=reason)
        return cast("Mapping[str, Any]", await self._binding.call(function, {**arguments, "call": call}))

    async def _read(self, function: str, arguments: dict[str, Json]) -> list[Mapping[str, Any]]:
        return cast("list[Mapping[str, Any]]", await self._binding.call(function, arguments))


def _target(target: str | UUID) -> dict[str, Json]:
    """A fact by its id, which is a UUID, or by its key, which is text."""
    return {"id": str(target)} if isinstance(target, UUID) else {"key": wire.name("key", target)}
