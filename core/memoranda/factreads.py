"""Reads of facts that are no search: what is in force, now or at another time; by time, by name; how it came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.facttypes import Fact, Kind, Revision
from memoranda.html import Listing
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Actor, Binding

NotInForce: TypeAlias = Literal["superseded", "forgotten", "pending", "rejected", "expired", "ended", "upcoming"]
"""Why a fact is not in force: its status, or its times (expired, no longer true, not true yet)."""


class FactReads:
    """The reads among :class:`memoranda.Facts`.

    Two of its methods, and :meth:`memoranda.Facts.search`, look at another time. ``as_of`` asks what was true at a
    time, ``known_at`` what the database believed at one:

    - ``known_at=T`` answers as the same call did at `T`: from what had been saved by then, not yet corrected or
      forgotten, and not expired.
    - ``as_of=T`` answers with what is known now to have been true at `T`: inside its validity, where a correction with
      a ``valid_from`` ends what it corrected at that time, and one without says that it was never true. What was
      forgotten is not known any more, whatever the time.
    - Both: what was believed at ``known_at`` to be true at ``as_of``.

    A fact comes as it stood then. One that a correction ended has that time as its ``valid_until``. A ``known_at`` in
    the future is now; an ``as_of`` in the future asks what is known now to be true then.
    """

    def __init__(self, binding: Binding, *, actor: Actor = "application", tool_call_id: str | None = None) -> None:
        """Made by :class:`memoranda.Memory`."""
        self._binding = binding
        self._actor: Actor = actor
        self._tool_call_id = tool_call_id

    def by_model(self, tool_call_id: str | None) -> Self:
        """The same facts, for writes that the log is to show as the model's, in this tool call."""
        return type(self)(self._binding, actor="model", tool_call_id=tool_call_id)

    async def get(
        self, target: str | UUID, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> Fact | None:
        """The fact in force under a key, or with an id.

        Args:
            target: The key, or the id as a :class:`uuid.UUID`.
            as_of: What was true at this time instead of now; timezone-aware, see :class:`FactReads`.
            known_at: What was believed at this time instead of now; timezone-aware, likewise.

        Returns:
            The fact, or None when there is none, or it does not hold at that time.

        Raises:
            TimeError: A time has no zone.
        """
        rows = await self._read("facts_recall", {"query": target_of(target) | moment_of(as_of, known_at)})
        return Fact.from_json(rows[0]) if rows else None

    async def recall(
        self, limit: int = 20, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> list[Fact]:
        """The facts in force, newest first.

        Args:
            limit: How many at most; held between 1 and 200.
            as_of: What was true at this time instead of now; timezone-aware, see :class:`FactReads`.
            known_at: What was believed at this time instead of now; timezone-aware, likewise.

        Returns:
            Confirmed, unexpired facts of this scope that are true now, or at that time.

        Raises:
            TimeError: A time has no zone.
        """
        query: dict[str, Json] = {"limit": wire.number("limit", limit)}
        rows = await self._read("facts_recall", {"query": query | moment_of(as_of, known_at)})
        return Listing(Fact.from_json(row) for row in rows)

    async def timeline(
        self,
        limit: int = 20,
        *,
        kinds: Sequence[Kind] | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        include: Sequence[NotInForce] = (),
    ) -> list[Fact]:
        """Facts by time, newest first: since when they are true, or else when they were saved.

        Args:
            limit: How many at most; held between 1 and 1,000.
            kinds: Only facts of these kinds.
            entity: Only facts about this person, project or thing; the whole name, however it is spelt.
            since: Only from this time on; timezone-aware.
            until: And before this one.
            include: What else to show: a fact that is not in force is left out for each reason that is not named here.

        Returns:
            The facts of this scope.

        Raises:
            TimeError: A time has no zone.
            InputError: Another argument is not acceptable.
        """
        query: dict[str, Json] = {
            "limit": wire.number("limit", limit),
            "kinds": None if kinds is None else wire.texts("a kind", kinds),
            "entity": None if entity is None else wire.text("entity", entity),
            "since": wire.aware("since", since),
            "until": wire.aware("until", until),
            "include": wire.texts("a part of include", include),
        }
        given: Json = {name: value for name, value in query.items() if value is not None}
        return Listing([Fact.from_json(row) for row in await self._read("facts_timeline", {"query": given})])

    async def about(self, entity: str, limit: int = 20) -> list[Fact]:
        """The facts in force that are about a person, a project or a thing; those that matter most first.

        Args:
            entity: The whole name; case, accents and width make no difference.
            limit: How many at most; held between 1 and 200.

        Returns:
            The facts of this scope with that name among their entities.

        Raises:
            InputError: The name is empty.
        """
        query: Json = {"entity": wire.text("entity", entity), "limit": wire.number("limit", limit)}
        return Listing([Fact.from_json(row) for row in await self._read("facts_about", {"query": query})])

    async def vocabulary(self, min_mentions: int = 1, limit: int = 2000) -> dict[str, int]:
        """The names that this scope's facts in force are about.

        Args:
            min_mentions: Only names that stand in at least as many facts.
            limit: How many at most; held between 1 and 10,000.

        Returns:
            In how many facts each name stands, most frequent first. Spellings of one name count together, under the
            most frequent of them.
        """
        query: Json = {
            "min_mentions": wire.number("min_mentions", min_mentions),
            "limit": wire.number("limit", limit),
        }
        return {row["name"]: row["facts"] for row in await self._read("facts_vocabulary", {"query": query})}

    async def history(self, target: str | UUID, limit: int = 1000) -> list[Revision]:
        """Every value that a key has had, with who wrote it, when and why; newest first.

        Args:
            target: The key, or the id of any fact of the story, as a :class:`uuid.UUID`.
            limit: How many revisions at most; held between 1 and 1,000.

        Returns:
            The revisions; none when nothing was ever saved under the key.
        """
        rows = await self._read("facts_history", {"target": target_of(target) | {"limit": wire.number("limit", limit)}})
        return Listing(Revision.from_json(row) for row in rows)

    async def _read(self, function: str, arguments: dict[str, Json]) -> list[Mapping[str, Any]]:
        return cast("list[Mapping[str, Any]]", await self._binding.call(function, arguments))


def target_of(target: str | UUID) -> dict[str, Json]:
    """A fact by its id, which is a UUID, or by its key, which is text."""
    return {"id": str(target)} if isinstance(target, UUID) else {"key": wire.name("key", target)}


def moment_of(as_of: datetime | None, known_at: datetime | None) -> dict[str, Json]:
    """Another time than now, if one is given."""
    times: dict[str, Json] = {"as_of": wire.aware("as_of", as_of), "known_at": wire.aware("known_at", known_at)}
    return {name: time for name, time in times.items() if time is not None}
