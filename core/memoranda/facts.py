"""Facts: short statements, some under a key; saving a key again corrects it, and the log keeps every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from memoranda import vectors, wire
from memoranda.changes import Changes
from memoranda.factreads import moment_of
from memoranda.facttypes import Dedup, Embedded, Hit, Kind, NewFact, Origin, Outcome
from memoranda.html import Listing
from memoranda.identity import Scope
from memoranda.judging import Judge, judged
from memoranda.query import CANDIDATES, Reranker, conditions, reranked
from memoranda.redaction import Policy
from memoranda.secrecy import without_secrets
from memoranda.transport import Json


class Facts(Changes):
    """The facts of one memory: one user, one tenant, one scope."""

    async def save(
        self,
        content: str,
        *,
        key: str | None = None,
        kind: Kind = "fact",
        source: str | None = None,
        importance: int | None = None,
        tags: Sequence[str] = (),
        entities: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        expires_at: datetime | None = None,
        expected_version: int | None = None,
        origin: Origin = "user",
        supersedes: UUID | None = None,
        review: bool = False,
        restore: bool = False,
        dedup: Dedup = "full",
        judge: Judge | None = None,
        secrets: Policy = "store",
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Save a statement; under a key, it corrects the one that is there.

        Saving under a key replaces the whole value: what is left out is empty afterwards, an earlier expiry too. The
        value that was in force stays in the history. Without a key, what is known already, word for word or in other
        words, is a duplicate, and what tells how another moved on supersedes it. A value that was rejected or forgotten
        is not saved again.

        An embedder that fails hinders nothing: :meth:`embed_pending` makes up for it, and words find the fact.

        Args:
            content: See :class:`memoranda.NewFact`, as for all that follow.
            key: The name that corrections go by.
            kind: What sort of statement it is.
            source: Where it came from.
            importance: From 1 to 10.
            tags: Labels.
            entities: Whom and what it is about.
            metadata: What the application keeps with it, as JSON.
            valid_from: Since when it is true. Until a time to come, what it corrects stays in force.
            valid_until: Until when it is true.
            expires_at: When it stops being recalled.
            expected_version: Save only if the value in force under the key has this version.
            origin: Whose words it is made of.
            supersedes: The fact in force that it replaces, whatever it is like.
            review: Let it wait for a person.
            restore: Save it even if its value was rejected or forgotten.
            dedup: Whether what says the same is looked for: word for word and in other words, only ``"exact"``, or not
                at all (``"off"``).
            judge: Asked, once the fact is saved, what it is to one that it is like, where that is in doubt: what says
                the ``"same"`` gives way to the older, and what is an ``"update"`` takes its place.
            secrets: What is done about keys, passwords, and numbers of cards and documents: what your code saves is
                stored as it is, unless you have it masked (``"mask"``) or refused (``"refuse"``).
            idempotency_key: Up to 200 characters that name this write. Sending it again with the same key does nothing
                and returns the first outcome.

        Returns:
            What became of it: ``stored``, ``superseded``, ``duplicate``, ``pending`` or ``rejected``, and why.

        Raises:
            EmptyError: The content has nothing in it.
            TooLargeError: The content, tags, entities or metadata are over their limits.
            SecretError: It holds a secret, and secrets are refused.
            TimeError: A time has no zone, or the fact would end before it begins.
            InputError: Another argument is not acceptable.
            ConflictError: The value in force has another version than expected.
            NotFoundError: There is no such fact to replace.
            SupersededError: The fact to replace was superseded already.
            NotInForceError: The fact to replace waits, or was rejected or forgotten.
            QuotaError: The scope, or the source, has as many facts as it may have.
            IdempotencyError: The idempotency key was used for another write.
            ForbiddenError: This identity may not write here.
        """
        fact = NewFact(
            content, key, kind, source, importance, tags, entities, metadata, valid_from, valid_until, expires_at,
            expected_version, origin, None, supersedes, review, restore,
        )  # fmt: skip
        fact = without_secrets(fact, secrets)
        rows, embedded = await self._rows([fact], dedup)
        outcome = Outcome.from_json(await self._write("facts_save", {"fact": rows[0]}, idempotency_key), embedded)
        return outcome if judge is None else await judged(self._binding, judge, outcome, fact)

    async def save_many(
        self,
        facts: Sequence[NewFact | str],
        *,
        dedup: Dedup = "full",
        judge: Judge | None = None,
        secrets: Policy = "store",
        idempotency_key: str | None = None,
    ) -> list[Outcome]:
        """Save up to 10,000 statements, all of them or none, in one call of the embedder and one of the database.

        Args:
            facts: What to save; a text is a fact of no other properties.
            dedup: See :meth:`save`. Of more than 100 facts at once, those that differ from another in numbers alone are
                still compared with it, but what says the same in other words is not looked for.
            judge: See :meth:`save`; asked of one after another.
            secrets: See :meth:`save`.
            idempotency_key: Names the whole write; see :meth:`save`.

        Returns:
            What became of each, in their order.

        Raises:
            TooLargeError: They are more than 10,000, or one is over its limits.
            MemorandaError: As for :meth:`save`; nothing was saved then.
        """
        if not facts:
            return []
        new = [without_secrets(NewFact(fact) if isinstance(fact, str) else fact, secrets) for fact in facts]
        rows, embedded = await self._rows(new, dedup)
        answer = await self._write("facts_save_many", {"facts": cast("list[Json]", rows)}, idempotency_key)
        outcomes = _outcomes(answer, embedded, len(rows))
        if judge is not None:
            for number, fact in enumerate(new):
                outcomes[number] = await judged(self._binding, judge, outcomes[number], fact)
        return outcomes

    async def save_extracted(
        self, candidates: Sequence[NewFact], *, said: str | None = None, idempotency_key: str | None = None
    ) -> list[Outcome]:
        """Save what an extractor found in a conversation; each candidate fares as :meth:`save` would have it.

        A candidate is in force at once when its quote is the user's own words and has the candidate's numbers and names
        in it; else it waits for a person, under the tenant's policy.

        Args:
            candidates: Up to 1,000.
            said: What the user typed, without what was pasted or recalled; quotes are looked for in it.
            idempotency_key: Names the whole write; see :meth:`save`.

        Returns:
            What became of each, in their order; one that is not acceptable is ``failed``, and holds up no other.
        """
        if not candidates:
            return []
        rows, embedded = await self._rows(candidates, "full")
        if said is not None:
            words = wire.text("said", said)
            rows = [row | {"said": words} if "quote" in row else row for row in rows]
        answer = await self._write("facts_save_extracted", {"facts": cast("list[Json]", rows)}, idempotency_key)
        return _outcomes(answer, embedded, len(rows))

    async def search(
        self,
        query: str,
        k: int = 10,
        *,
        scopes: Sequence[Scope] | None = None,
        kinds: Sequence[Kind] | None = None,
        tags: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: int | None = None,
        min_similarity: float | None = None,
        max_per_source: int | None = None,
        blend: bool = True,
        track_use: bool = True,
        reranker: Reranker | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Hit]:
        """The facts in force that a question is about, by meaning, by words and by name; best first.

        Without ``min_similarity``, `k` facts come back whenever there are as many.

        Args:
            query: The question, or whatever the agent is about to do. What is beyond 10,000 characters counts by its
                meaning alone.
            k: How many at most; held between 1 and 200.
            scopes: Where to look, at most 20 scopes, in one order; by default this memory's own.
            kinds: Only facts of these kinds.
            tags: Only facts with all of these tags.
            entities: Names that the question is about, besides those that are in it.
            where: Only facts with this metadata: for each key a value, or a mapping with one or more of ``eq``, ``ne``,
                ``lt``, ``lte``, ``gt``, ``gte``, ``in`` (one of a list), ``has`` (a list that holds it) and ``exists``.
            since: Only what has been true, or else was saved, since then; timezone-aware.
            until: And before then.
            min_importance: Only facts that matter at least as much.
            min_similarity: Only facts with at least this cosine, from -1 to 1.
            max_per_source: At most so many facts of one source, so that none fills the answer alone.
            blend: Whether age, importance and use move the order a little. Off for measuring.
            track_use: Whether what is returned counts as used.
            reranker: Judges five candidates for each hit that is wanted, and its scores are the order.
            as_of: Among what was true at this time instead of now; timezone-aware, see :class:`FactReads`. At another
                time, search goes by words and names alone, and no use is counted.
            known_at: Among what was believed at this time instead of now; timezone-aware, likewise.

        Returns:
            The hits; at another time, their similarity is None.

        Raises:
            ScopeError: A scope is malformed.
            ForbiddenError: The user is not a member of the tenant.
            TimeError: A time has no zone.
            InputError: Another argument is not acceptable.
        """
        moment = moment_of(as_of, known_at)
        wanted: dict[str, Json] = {
            "text": wire.text("query", query),
            "limit": wire.number("k", k),
            "scopes": None if scopes is None else [{"scope": each.name, "scope_id": each.id} for each in scopes],
            "kinds": None if kinds is None else wire.texts("a kind", kinds),
            "tags": None if tags is None else wire.texts("a tag", tags),
            "entities": None if entities is None else wire.texts("an entity", entities),
            "metadata": None if where is None else conditions(where),
            "since": wire.aware("since", since),
            "until": wire.aware("until", until),
            "min_importance": None if min_importance is None else wire.number("min_importance", min_importance),
            "min_similarity": min_similarity,
            "max_per_source": None if max_per_source is None else wire.number("max_per_source", max_per_source),
            "blend": blend,
            "track_use": track_use and reranker is None,
            **moment,
        }
        if reranker is not None:
            wanted["limit"] = CANDIDATES * max(1, k)
        embeds = bool(query.strip()) and not moment
        asked = await vectors.vectors_of(self._binding, [query], "query") if embeds else None
        if asked:
            wanted |= asked[0]
        wanted = {name: value for name, value in wanted.items() if value is not None}
        hits = Listing([Hit.from_json(row) for row in await self._read("facts_search", {"query": wanted})])
        if reranker is None or not hits:
            return hits
        hits = Listing(await reranked(reranker, query, hits, k))
        if track_use and not moment:
            ids: list[Json] = [str(hit.fact.id) for hit in hits]
            used: dict[str, Json] = {"ids": ids, "scopes": wanted.get("scopes", [])}
            await self._binding.call("facts_used", {"used": used})
        return hits

    async def embed_pending(self, limit: int = 1000) -> Embedded:
        """Give vectors to facts in force that have none: saved while the embedder was down, or before there was one.

        A text that the embedder refuses is set aside with the reason, and holds up no other.

        Args:
            limit: How many facts to take at most.

        Returns:
            How many were embedded and set aside, and whether there may be more.

        Raises:
            InputError: The store has no embedder.
            EmbedderError: The embedder fails whatever the text is. What was done until then is kept.
        """
        return await vectors.embed_pending(self._binding, limit)

    async def _rows(self, facts: Sequence[NewFact], dedup: Dedup) -> tuple[list[dict[str, Json]], bool | None]:
        """Facts as the database takes them."""
        how: dict[str, Json] = {} if dedup == "full" else {"dedup": dedup}
        return await vectors.with_vectors(self._binding, [fact.to_json() | how for fact in facts])


def _outcomes(answer: Mapping[str, Any], embedded: bool | None, count: int) -> Listing[Outcome]:
    """What became of each of several."""
    replayed = answer.get("replayed", False)
    rows = answer["outcomes"] * count if answer.get("erased") else answer["outcomes"]  # the same for all of them
    return Listing(Outcome.from_json({**row, "replayed": replayed}, embedded) for row in rows)
