# Generated from core/memoranda/facts.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Facts: short statements, some under a key; saving a key again corrects it, and the log keeps every value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import EmbedderError, EmptyError, InputError
from memoranda.facts import _BATCH, _CANDIDATES, _conditions, _log, _model
from memoranda.facttypes import Embedded, Hit, Kind, NewFact, Outcome
from memoranda.identity import Scope
from memoranda.sync.embedding import embed_checked, embed_each
from memoranda.sync.factreads import FactReads, moment_of, target_of
from memoranda.sync.transport import Json

Reranker: TypeAlias = Callable[[str, Sequence[Hit]], Sequence[float]]
"""Judges candidates: from a question and hits, one score for each, higher being better."""


class Facts(FactReads):
    """The facts of one memory: one user, one tenant, one scope."""

    def save(
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
        idempotency_key: str | None = None,
    ) -> Outcome:
        """Save a statement; under a key, it corrects the one that is there.

        Saving under a key replaces the whole value: what is left out is empty afterwards, an earlier expiry too. The
        value that was in force stays in the history. Saving the same value again moves nothing.

        An embedder that fails hinders nothing: the statement is saved, can be found by its words, and gets its vector
        with :meth:`embed_pending`.

        Args:
            content: See :class:`memoranda.NewFact`, as for all that follow.
            key: The name that corrections go by.
            kind: What sort of statement it is.
            source: Where it came from.
            importance: From 1 to 10.
            tags: Labels.
            entities: The people, projects and things that it is about.
            metadata: What the application keeps with it, as JSON.
            valid_from: Since when it is true.
            valid_until: Until when it is true.
            expires_at: When it stops being recalled.
            expected_version: Save only if the value in force under the key has this version.
            idempotency_key: Up to 200 characters that name this write. Sending it again with the same key does nothing
                and returns the first outcome.

        Returns:
            What became of it: ``stored``, ``superseded`` or ``duplicate``.

        Raises:
            EmptyError: The content has nothing in it.
            TooLargeError: The content, tags, entities or metadata are over their limits.
            TimeError: A time has no zone, or the fact would end before it begins.
            InputError: Another argument is not acceptable.
            ConflictError: The value in force has another version than expected.
            IdempotencyError: The idempotency key was used for another write.
            ForbiddenError: This identity may not write here.
        """
        fact = NewFact(
            content, key, kind, source, importance, tags, entities, metadata, valid_from, valid_until, expires_at,
            expected_version,
        )  # fmt: skip
        rows, embedded = self._with_vectors([fact])
        return Outcome.from_json(self._write("facts_save", {"fact": rows[0]}, idempotency_key), embedded)

    def save_many(self, facts: Sequence[NewFact | str], *, idempotency_key: str | None = None) -> list[Outcome]:
        """Save up to 10,000 statements, all of them or none, in one call of the embedder and one of the database.

        Args:
            facts: What to save; a text is a fact of no other properties.
            idempotency_key: Names the whole write; see :meth:`save`.

        Returns:
            What became of each, in their order.

        Raises:
            TooLargeError: They are more than 10,000, or one is over its limits.
            MemorandaError: As for :meth:`save`; nothing was saved then.
        """
        if not facts:
            return []
        rows, embedded = self._with_vectors([NewFact(f) if isinstance(f, str) else f for f in facts])
        answer = self._write("facts_save_many", {"facts": cast("list[Json]", rows)}, idempotency_key)
        replayed = answer.get("replayed", False)
        return [replace(Outcome.from_json(row, embedded), replayed=replayed) for row in answer["outcomes"]]

    def search(
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
            "metadata": None if where is None else _conditions(where),
            "since": wire.aware("since", since),
            "until": wire.aware("until", until),
            "min_importance": None if min_importance is None else wire.number("min_importance", min_importance),
            "min_similarity": min_similarity,
            "blend": blend,
            "track_use": track_use and reranker is None,
            **moment,
        }
        if reranker is not None:
            wanted["limit"] = _CANDIDATES * max(1, k)
        vectors = self._vectors([query], "query") if query.strip() and not moment else None
        if vectors:
            wanted |= vectors[0]
        wanted = {name: value for name, value in wanted.items() if value is not None}
        hits = [Hit.from_json(row) for row in self._read("facts_search", {"query": wanted})]
        if reranker is None or not hits:
            return hits
        hits = _reranked(reranker, query, hits, k)
        if track_use and not moment:
            ids: list[Json] = [str(hit.fact.id) for hit in hits]
            used: dict[str, Json] = {"ids": ids, "scopes": wanted.get("scopes", [])}
            self._binding.call("facts_used", {"used": used})
        return hits

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
        row = self._write("facts_forget", {"target": target_of(target)}, idempotency_key, reason)
        return Outcome.from_json(row)

    def embed_pending(self, limit: int = 1000) -> Embedded:
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
        embedder = self._binding.embedder
        if embedder is None:
            raise InputError("This store has no embedder.", hint='Open it with one, such as embedder="local".')
        model, done, aside = _model(embedder), 0, 0
        while (room := min(_BATCH, limit - done - aside)) > 0:
            missing = self._read("vectors_missing", {"wanted": {"model": model, "limit": room}})
            if not missing:
                return Embedded(done, aside, left=False)
            results = embed_each(embedder, [row["content"] for row in missing])
            made: list[Json] = [
                {"id": row["id"], "reason": str(result)}
                if isinstance(result, EmbedderError | EmptyError)
                else {"id": row["id"], "vector": wire.vector(result)}
                for row, result in zip(missing, results, strict=True)
            ]
            row = self._binding.call("vectors_put", {"made": {"model": model, "vectors": made}})
            counts = cast("Mapping[str, int]", row)
            done, aside = done + counts["put"], aside + counts["set_aside"]
            if not counts["put"] + counts["set_aside"]:  # all were forgotten meanwhile
                break
        return Embedded(done, aside, left=True)

    def _with_vectors(self, facts: Sequence[NewFact]) -> tuple[list[dict[str, Json]], bool | None]:
        """Facts as the database takes them, with their vectors if there is an embedder and it works."""
        rows = [fact.to_json() for fact in facts]
        if self._binding.embedder is None:
            return rows, None
        texts = [cast("str", row["content"]) for row in rows]
        vectors = self._vectors(texts, "document") if all(text.strip() for text in texts) else None
        if vectors is None:
            return rows, False
        return [row | vector for row, vector in zip(rows, vectors, strict=True)], True

    def _vectors(self, texts: Sequence[str], kind: Literal["document", "query"]) -> list[dict[str, Json]] | None:
        """Vectors with their model; None when there is no embedder, or it fails, which hinders nothing."""
        embedder = self._binding.embedder
        if embedder is None:
            return None
        try:
            vectors = embed_checked(embedder, texts, kind)
        except (EmbedderError, EmptyError) as error:
            _log.warning("Without vectors, since the embedder failed: %s", error)
            return None
        model = _model(embedder)
        return [{"vector": wire.vector(vector), "model": model} for vector in vectors]

    def _write(
        self, function: str, arguments: dict[str, Json], idempotency_key: str | None, reason: str | None = None
    ) -> Mapping[str, Any]:
        call = self._binding.call_context(idempotency_key=idempotency_key, reason=reason)
        return cast("Mapping[str, Any]", self._binding.call(function, {**arguments, "call": call}))


def _reranked(reranker: Reranker, query: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """The hits in the order of a reranker's scores, which become theirs."""
    scores = reranker(query, hits)
    if len(scores) != len(hits):
        raise InputError(f"The reranker gave {len(scores)} scores for {len(hits)} candidates.")
    judged = [replace(hit, score=float(score)) for hit, score in zip(hits, scores, strict=True)]
    return sorted(judged, key=lambda hit: hit.score, reverse=True)[: max(1, k)]
