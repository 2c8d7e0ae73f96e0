"""Facts as they go to the database and come from it: what is saved, what is kept, what became of it, what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias
from uuid import UUID

from memoranda import wire
from memoranda.html import Shown
from memoranda.transport import Json

Kind: TypeAlias = Literal[
    "fact", "decision", "event", "preference", "correction", "conversation", "pattern", "learning", "transcript"
]
Status: TypeAlias = Literal["pending", "confirmed", "rejected", "superseded", "forgotten"]
Dedup: TypeAlias = Literal["full", "exact", "off"]
Origin: TypeAlias = Literal["user", "assistant", "tool", "import", "system"]


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement to save; what is left out is empty.

    Attributes:
        content: The statement, 1 to 100,000 characters. NUL characters are removed, and halves of surrogate pairs
            replaced by U+FFFD, because Postgres can hold neither.
        key: The name that corrections go by, 1 to 200 characters.
        kind: What sort of statement it is.
        source: Where it came from, 1 to 200 characters.
        importance: From 1 to 10; by default the kind's own.
        tags: Up to 50 labels.
        entities: Up to 100 people, projects and things that it is about; by default the names that stand in it, by a
            rule of thumb (words with a capital letter, and who speaks).
        metadata: What the application keeps with it, as JSON.
        valid_from: Since when it is true, timezone-aware.
        valid_until: Until when it is true, timezone-aware; it is not found afterwards.
        expires_at: When it stops being recalled, timezone-aware; a time past is allowed.
        expected_version: Save only if the value in force under the key has this version; 0 means that there is none.
        origin: Whose words it is made of. What is not the user's waits for a person, unless the tenant's policy says
            otherwise (see :data:`memoranda.settings.Setting`).
        quote: The user's own words that it rests on, for :meth:`memoranda.Facts.save_extracted`.
        supersedes: The fact in force that it replaces, by its id.
        review: Let it wait for a person, whatever the policy says.
        restore: Save it even if its value was rejected or forgotten; from then on it may be saved again.
    """

    content: str
    key: str | None = None
    kind: Kind = "fact"
    source: str | None = None
    importance: int | None = None
    tags: Sequence[str] = ()
    entities: Sequence[str] | None = None
    metadata: Mapping[str, Any] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    expected_version: int | None = None
    origin: Origin = "user"
    quote: str | None = None
    supersedes: UUID | None = None
    review: bool = False
    restore: bool = False

    def to_json(self) -> dict[str, Json]:
        """As the database takes it.

        Raises:
            TimeError: A time has no zone.
            InputError: A value is of the wrong type.
        """
        fact: dict[str, Json] = {
            "key": None if self.key is None else wire.name("key", self.key),
            "content": wire.text("content", self.content),
            "kind": self.kind,
            "source": None if self.source is None else wire.text("source", self.source),
            "importance": None if self.importance is None else wire.number("importance", self.importance),
            "tags": wire.texts("a tag", self.tags),
            "entities": None if self.entities is None else wire.texts("an entity", self.entities),
            "metadata": wire.json_value("metadata", self.metadata or {}),
            "valid_from": wire.aware("valid_from", self.valid_from),
            "valid_until": wire.aware("valid_until", self.valid_until),
            "expires_at": wire.aware("expires_at", self.expires_at),
            "expected_version": (
                None if self.expected_version is None else wire.number("expected_version", self.expected_version)
            ),
            "origin": None if self.origin == "user" else self.origin,
            "quote": None if self.quote is None else wire.text("quote", self.quote),
            "supersedes": None if self.supersedes is None else wire.id_text("supersedes", self.supersedes),
            "review": self.review or None,
            "restore": self.restore or None,
        }
        return {name: value for name, value in fact.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Fact(Shown):
    """One statement, as the database holds it.

    Attributes:
        id: Its id; a correction gets a new one.
        key: The name that corrections go by, if it has one.
        content: The statement.
        kind: What sort of statement it is.
        status: Whether it is in force; recall returns only ``confirmed`` ones.
        origin: Whose words it is made of.
        source: Where it came from, in the application's own words.
        tainted: Written by a run that had read untrusted material.
        importance: From 1 to 10.
        tags: Labels.
        entities: The people, projects and things that it is about.
        metadata: Whatever the application keeps with it.
        scope: The scope's name and id.
        version: Counts along the chain of corrections, from 1.
        quote: The user's own words that it rests on.
        supersedes: The fact that this one corrected.
        superseded_by: The fact that corrected this one, or that says the same.
        proposes: The fact that this one would replace, while it waits.
        created_at: When it was saved, by the database's clock.
        updated_at: When it last changed, by the database's clock.
        valid_from: Since when it is true; None for as far back as anybody asks.
        valid_until: Until when it is true.
        expires_at: When it stops being recalled.
    """

    id: UUID
    key: str | None
    content: str
    kind: Kind
    status: Status
    origin: Origin
    source: str | None
    tainted: bool
    importance: int
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    metadata: Mapping[str, Any]
    scope: tuple[str, str]
    version: int
    quote: str | None
    supersedes: UUID | None
    superseded_by: UUID | None
    proposes: UUID | None
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
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
            entities=tuple(row["entities"]),
            metadata=row["metadata"],
            scope=(row["scope"], row["scope_id"]),
            version=row["version"],
            quote=row["quote"],
            supersedes=wire.uuid(row["supersedes"]),
            superseded_by=wire.uuid(row["superseded_by"]),
            proposes=wire.uuid(row["proposes"]),
            created_at=datetime.fromisoformat(row["created_at"]),
            updated_at=datetime.fromisoformat(row["updated_at"]),
            valid_from=wire.time(row["valid_from"]),
            valid_until=wire.time(row["valid_until"]),
            expires_at=wire.time(row["expires_at"]),
        )


@dataclass(frozen=True, slots=True)
class Outcome(Shown):
    """What became of one write.

    Attributes:
        outcome: ``stored``, ``superseded`` (an older value gave way), ``duplicate`` (it was known), ``pending`` (it
            waits for a person), ``rejected`` (the value was rejected or forgotten before, and was not saved; or a
            person has rejected it now), ``failed`` (it is not acceptable; only of
            :meth:`memoranda.Facts.save_extracted`), ``forgotten``, or ``nothing`` (there was nothing to forget).
        rule: What decided it: ``new``, ``key``, ``supersedes``, ``tombstone``, ``near tombstone``, ``same value``,
            ``same in other words``, ``moved on``, ``similar`` (near another, and kept apart), ``judged the same``,
            ``judged an update``, ``approved``, ``restored``, ``erased`` (what it belongs to was erased since it was
            sent), or what failed.
        id: The fact that is in force, that waits, or that was forgotten.
        version: Its version.
        supersedes: The fact that gave way.
        compared: The fact that decided it by being the same or alike, or that would give way.
        similarity: How alike the two are by meaning, as a cosine.
        threshold: From which similarity on the two were looked at.
        restored: The value had been rejected or forgotten, and may be saved again from now on.
        seen: How often it has been said, when it was known.
        embedded: Whether it can be found by meaning; None when the store has no embedder, or nothing was written. If
            not, the embedder failed, and :meth:`memoranda.Facts.embed_pending` makes up for it.
        replayed: This write had been done before under its idempotency key; nothing was done now.
    """

    outcome: Literal["stored", "superseded", "duplicate", "pending", "rejected", "failed", "forgotten", "nothing"]
    rule: str | None = None
    id: UUID | None = None
    version: int | None = None
    supersedes: UUID | None = None
    compared: UUID | None = None
    similarity: float | None = None
    threshold: float | None = None
    restored: bool = False
    seen: int | None = None
    embedded: bool | None = None
    replayed: bool = False

    @classmethod
    def from_json(cls, row: Mapping[str, Any], embedded: bool | None = None) -> Outcome:
        """From what the database returns."""
        return cls(
            outcome=row["outcome"],
            rule=row.get("rule"),
            id=wire.uuid(row.get("id")),
            version=row.get("version"),
            supersedes=wire.uuid(row.get("supersedes")),
            compared=wire.uuid(row.get("compared")),
            similarity=row.get("similarity"),
            threshold=row.get("threshold"),
            restored=row.get("restored", False),
            seen=row.get("seen"),
            embedded=embedded if row["outcome"] in ("stored", "superseded") else None,
            replayed=row.get("replayed", False),
        )


@dataclass(frozen=True, slots=True)
class Revision(Shown):
    """One entry of the log: a write, and the fact as it stood after it.

    Attributes:
        verb: ``saved``, ``corrected``, ``proposed`` (it waits), ``approved``, ``rejected``, ``merged`` (it says what
            another says) or ``forgotten``.
        fact: The fact after this write. Its status is what it was then, not what it is now.
        replaces: The fact that gave way to it.
        actor: Which code path wrote: the application's own, the model's tool, the extractor, an import, the system.
        user: Whose identity the write carried.
        run_id: The agent run that it belonged to.
        tool_call_id: The tool call that it belonged to.
        reason: Why, in the writer's words.
        decision: What decided it: ``rule``, and where it has them ``compared``, ``similarity`` and ``threshold``.
        at: When, by the database's clock.
    """

    verb: Literal["saved", "corrected", "proposed", "approved", "rejected", "merged", "forgotten"]
    fact: Fact
    replaces: UUID | None
    actor: str
    user: UUID
    run_id: str | None
    tool_call_id: str | None
    reason: str | None
    decision: Mapping[str, Any]
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
            decision=row["decision"] or {},
            at=datetime.fromisoformat(row["at"]),
        )


@dataclass(frozen=True, slots=True)
class Waiting(Shown):
    """A fact that waits for a person, with what there is to know about it.

    Attributes:
        fact: The fact.
        rule: What decided it; see :class:`Outcome`.
        replaces: The fact in force that gives way if this one is approved.
        compared: The fact that this one is like; of ``near tombstone``, one that was rejected or forgotten.
        similarity: How alike the two are by meaning.
        actor: Which code path wrote it.
        run_id: The agent run that it belongs to.
        reason: Why it was written, in the writer's words.
    """

    fact: Fact
    rule: str | None
    replaces: Fact | None
    compared: Fact | None
    similarity: float | None
    actor: str
    run_id: str | None
    reason: str | None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Waiting:
        """From what the database returns."""
        decision = row["decision"]
        return cls(
            fact=Fact.from_json(row["fact"]),
            rule=decision.get("rule"),
            replaces=None if row["replaces"] is None else Fact.from_json(row["replaces"]),
            compared=None if row["compared"] is None else Fact.from_json(row["compared"]),
            similarity=decision.get("similarity"),
            actor=row["actor"],
            run_id=row["run_id"],
            reason=row["reason"],
        )


@dataclass(frozen=True, slots=True)
class Why:
    """Why a fact was found, and stands where it does.

    Attributes:
        meaning_rank: Its place by similarity, from 1; None when it is not among the nearest.
        words: How much of the question it has in words, rare words counting more, from 0 to 1; None without any.
        words_rank: Its place by words.
        named: How many names of it the question has.
        recency: The factor for its age, 0.75 to 1.
        importance: The factor for its importance, 0.92 to 1.1.
        used: The factor for how often it was found before, 1 to 1.05.
    """

    meaning_rank: int | None
    words: float | None
    words_rank: int | None
    named: int
    recency: float
    importance: float
    used: float


@dataclass(frozen=True, slots=True)
class Hit(Shown):
    """A fact that a search found.

    Attributes:
        fact: The fact; its scope says where it is from.
        similarity: The cosine between the question's vector and the fact's, untouched; None without the two.
        score: What the order goes by. It compares the hits of one search, and means nothing beyond.
        why: Why it was found.
    """

    fact: Fact
    similarity: float | None
    score: float
    why: Why

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Hit:
        """From what the database returns."""
        return cls(Fact.from_json(row["fact"]), row["similarity"], row["score"], Why(**row["why"]))


@dataclass(frozen=True, slots=True)
class Embedded(Shown):
    """What became of the facts that had no vector.

    Attributes:
        embedded: They have one now.
        set_aside: The embedder refuses their text; the reason is kept, and they are not tried again with this model.
        left: Whether there may be more.
    """

    embedded: int
    set_aside: int
    left: bool
