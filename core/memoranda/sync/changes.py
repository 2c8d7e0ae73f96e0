# Generated from core/memoranda/changes.py by .ci/make_sync.py: change that file, then run this.
"""Changes of facts that are there: what corrects one, takes its place, takes it out of force, or brings it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from memoranda import wire
from memoranda.facttypes import NewFact, Outcome
from memoranda.sync import vectors
from memoranda.sync.factreads import FactReads, target_of
from memoranda.sync.transport import Json


class Changes(FactReads):
    """The writes of :class:`memoranda.sync.Facts` that name a fact by its key or id."""

    def correct(
        self, target: str | UUID, content: str, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> Outcome:
        """Say what is right in the place of a fact; its key, kind, tags and all else stay as they were.

        A fact that was superseded meanwhile passes the correction on to the one that stands in its place: of several
        corrections at once none is lost.

        Args:
            target: The fact's key, or its id as a :class:`uuid.UUID`.
            content: What is right.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`save`.

        Returns:
            ``superseded``; or ``pending`` or ``rejected``, as for :meth:`save`.

        Raises:
            NotFoundError: There is no such fact.
            NotInForceError: It waits, or was rejected or forgotten.
        """
        rows, embedded = vectors.with_vectors(self._binding, [{"content": wire.text("content", content)}])
        arguments: dict[str, Json] = {"target": target_of(target), "fact": rows[0]}
        return Outcome.from_json(self._write("facts_correct", arguments, idempotency_key, reason), embedded)

    def supersede(
        self, target: UUID, by: str | UUID, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> Outcome:
        """Put a statement in the place of a fact: a new one, or one that is in force already.

        Args:
            target: The fact that gives way, by its id.
            by: What is true now, as text; or the id of the fact that says it.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`save`.

        Returns:
            ``superseded``; or of a new statement ``pending`` or ``rejected``, as for :meth:`save`.

        Raises:
            NotFoundError: One of the two is not here.
            SupersededError: One of the two was superseded already.
            NotInForceError: One of the two waits, or was rejected or forgotten.
            CycleError: The two are one, or the other was superseded by the first.
        """
        named: dict[str, Json] = {"id": wire.id_text("target", target)}
        if isinstance(by, UUID):
            arguments: dict[str, Json] = {"target": named | {"by": str(by)}}
            return Outcome.from_json(self._write("facts_supersede", arguments, idempotency_key, reason))
        rows, embedded = vectors.with_vectors(self._binding, [NewFact(by, supersedes=target).to_json()])
        return Outcome.from_json(self._write("facts_save", {"fact": rows[0]}, idempotency_key, reason), embedded)

    def restore(self, id: UUID, *, reason: str | None = None, idempotency_key: str | None = None) -> Outcome:
        """Bring back a fact that was forgotten, rejected or superseded, in the place of what stands there now.

        Args:
            id: Its id; what is in force again is a new fact with the same content.
            reason: Why, for the log, up to 1,000 characters.
            idempotency_key: See :meth:`save`.

        Returns:
            ``stored`` or ``superseded``; from then on its value may be saved again.

        Raises:
            NotFoundError: There is no such fact.
            SettledError: It is in force, or waits.
        """
        target: dict[str, Json] = {"target": {"id": wire.id_text("id", id)}}
        row = self._write("facts_restore", target, idempotency_key, reason)
        return vectors.put_in_force(self._binding, row)

    def forget(
        self,
        target: str | UUID,
        *,
        erase: bool = False,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Take a fact out of force, or what waits; its history stays, and its value is not saved again.

        Args:
            target: Its key, or its id as a :class:`uuid.UUID`.
            erase: Remove it for good: the fact with its history and vectors, under a key all that ever stood there.
                What stays is a hash of the value, by which it is known when it comes again, and that the idempotency
                keys of its writes were used. It cannot be undone; see `docs/erasure.md`.
            reason: Why, for the log, up to 1,000 characters; of what is removed for good there is no log.
            idempotency_key: See :meth:`save`.

        Returns:
            ``forgotten``, or ``nothing`` when there was nothing in force (or, to erase, nothing at all): forgetting
            twice is no error.

        Raises:
            InputError: An argument is not acceptable.
            IdempotencyError: The idempotency key was used for another write.
            ForbiddenError: This identity may not write here.
        """
        function = "facts_erase" if erase else "facts_forget"
        row = self._write(function, {"target": target_of(target)}, idempotency_key, reason)
        return Outcome.from_json(row)

    def _write(
        self, function: str, arguments: dict[str, Json], idempotency_key: str | None, reason: str | None = None
    ) -> Mapping[str, Any]:
        call = self._binding.call_context(
            actor=self._actor, tool_call_id=self._tool_call_id, idempotency_key=idempotency_key, reason=reason
        )
        return cast("Mapping[str, Any]", self._binding.call(function, {**arguments, "call": call}))
