"""Facts against a plain model of them: the same outcomes and the same facts in force, whatever is done in any order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

import memoranda.sync
from memoranda.errors import MemorandaError
from support.databases import Database

# No two of them are near each other; each has a spelling that is the same value.
VALUES = {
    "Likes green tea": "likes  GREEN tea",
    "Lives in Oslo": "\u200bLives in Oslo",
    "Plays the violin": "ＰＬＡＹＳ the violin",
    "Owns a bakery": "owns a bakery ",
}
KEYS = (None, "k1", "k2")
NONE: Any = cast("Any", multiple())

contents = st.sampled_from([*VALUES, *VALUES.values()])
keys = st.sampled_from(KEYS)


def plain(content: str) -> str:
    return next(value for value, other in VALUES.items() if content in (value, other))


@dataclass
class Row:
    """A fact as the model has it."""

    content: str
    key: str | None
    status: str
    proposes: UUID | None = None
    superseded_by: UUID | None = None


class Facts(RuleBasedStateMachine):
    """What a memory's facts do, without dedup in other words, validity or settings."""

    store: memoranda.sync.Store
    steps = 0
    users = 0
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        type(self).users += 1
        self.memory = self.store.memory(f"user {self.users}")
        self.rows: dict[UUID, Row] = {}
        self.buried: set[tuple[str, str | None]] = set()

    # The model

    def in_force(self, key: str) -> UUID | None:
        return next((i for i, row in self.rows.items() if row.key == key and row.status == "confirmed"), None)

    def successor(self, id_: UUID) -> UUID:
        while (after := self.rows[id_].superseded_by) is not None:
            id_ = after
        return id_

    def is_buried(self, content: str, key: str | None) -> bool:
        """All values here are statements: a tombstone holds under every key."""
        del key
        return any(value == plain(content) for value, _ in self.buried)

    def lift(self, content: str) -> bool:
        before = len(self.buried)
        self.buried = {each for each in self.buried if each[0] != plain(content)}
        return len(self.buried) < before

    def put(self, id_: UUID, row: Row, old: UUID | None) -> None:
        self.rows[id_] = row
        if row.status == "confirmed":
            if old is not None:
                self.rows[old].status, self.rows[old].superseded_by = "superseded", id_
            self.settle(id_)
        else:
            row.proposes = old

    def settle(self, id_: UUID) -> None:
        """What waits and says just this waits no longer."""
        row = self.rows[id_]
        for other, each in self.rows.items():
            if (
                other != id_
                and each.status == "pending"
                and (plain(each.content), each.key) == (plain(row.content), row.key)
            ):
                each.status, each.superseded_by = "superseded", id_

    def expected(self, content: str, key: str | None, *, waits: bool) -> tuple[str, UUID | None]:
        """The outcome of a save, and the fact that it is about if it is known."""
        if self.is_buried(content, key):
            return "rejected", None
        old = None if key is None else self.in_force(key)
        if old is not None and self.rows[old].content == content:
            return "duplicate", old
        same = [
            (i, row) for i, row in self.rows.items() if plain(row.content) == plain(content)
        ]  # in the order in which they were made
        if key is None:
            for id_, row in same:
                if row.status == "confirmed":
                    return "duplicate", id_
        if waits:
            for id_, row in same:
                if row.status == "pending" and row.key == key:
                    return "pending", id_
            return "pending", None
        return ("stored" if old is None else "superseded"), None

    # What is done

    @rule(target=ids, content=contents, key=keys, waits=st.booleans(), restore=st.booleans())
    def save(self, content: str, key: str | None, waits: bool, restore: bool) -> Any:
        if restore:
            self.lift(content)
        wanted, known = self.expected(content, key, waits=waits)
        outcome = self.memory.facts.save(content, key=key, review=waits, restore=restore)
        assert outcome.outcome == wanted, outcome
        if known is not None or wanted == "rejected":
            assert outcome.id == known
            return NONE
        assert outcome.id is not None
        old = None if key is None else self.in_force(key)
        self.put(outcome.id, Row(content, key, "pending" if waits else "confirmed"), old)
        return outcome.id

    @rule(target=ids, id_=ids, content=contents)
    def supersede(self, id_: UUID, content: str) -> Any:
        row = self.rows[id_]
        if self.is_buried(content, None):
            assert self.memory.facts.supersede(id_, content).outcome == "rejected"
            return NONE
        if row.status != "confirmed":
            self.refused("supersede", id_, content)
            return NONE
        outcome = self.memory.facts.supersede(id_, content)
        assert (outcome.outcome, outcome.supersedes) == ("superseded", id_)
        assert outcome.id is not None
        self.put(outcome.id, Row(content, None, "confirmed"), id_)
        return outcome.id

    @rule(target=ids, id_=ids, content=contents)
    def correct(self, id_: UUID, content: str) -> Any:
        last = self.successor(id_)
        if self.rows[last].status != "confirmed":
            self.refused("correct", id_, content)
            return NONE
        outcome = self.memory.facts.correct(id_, content)
        if self.is_buried(content, None):
            assert outcome.outcome == "rejected"
            return NONE
        assert (outcome.outcome, outcome.supersedes) == ("superseded", last)
        assert outcome.id is not None
        self.put(outcome.id, Row(content, self.rows[last].key, "confirmed"), last)
        return outcome.id

    @rule(one=ids, other=ids)
    def link(self, one: UUID, other: UUID) -> None:
        if one == other or {self.rows[one].status, self.rows[other].status} != {"confirmed"}:
            self.refused("supersede", one, other)
            return
        assert self.memory.facts.supersede(one, other).outcome == "superseded"
        self.rows[one].status, self.rows[one].superseded_by = "superseded", other

    @rule(id_=ids)
    def forget(self, id_: UUID) -> None:
        row = self.rows[id_]
        outcome = self.memory.facts.forget(id_)
        if row.status not in ("confirmed", "pending"):
            assert outcome.outcome == "nothing"
            return
        assert outcome.outcome == "forgotten"
        row.status = "forgotten"
        self.buried.add((plain(row.content), row.key))

    @rule(id_=ids)
    def approve(self, id_: UUID) -> None:
        row = self.rows[id_]
        if row.status != "pending":
            self.refused_review("approve", id_)
            return
        self.lift(row.content)
        old = None if row.key is None else self.in_force(row.key)
        if old is None and row.proposes is not None:
            last = self.successor(row.proposes)
            old = last if self.rows[last].status == "confirmed" else None
        same = old if old is not None and plain(self.rows[old].content) == plain(row.content) else None
        if same is None and row.key is None and row.proposes is None:
            same = next(
                (
                    i
                    for i, each in self.rows.items()
                    if each.status == "confirmed" and plain(each.content) == plain(row.content)
                ),
                None,
            )
        outcome = self.memory.review.approve(id_)
        if same is not None:
            assert (outcome.outcome, outcome.id) == ("duplicate", same)
            row.status, row.superseded_by = "superseded", same
            return
        assert (outcome.outcome, outcome.supersedes) == ("stored" if old is None else "superseded", old)
        row.status = "confirmed"
        if old is not None:
            self.rows[old].status, self.rows[old].superseded_by = "superseded", id_
        self.settle(id_)

    @rule(id_=ids)
    def reject(self, id_: UUID) -> None:
        row = self.rows[id_]
        if row.status != "pending":
            self.refused_review("reject", id_)
            return
        assert self.memory.review.reject(id_).outcome == "rejected"
        for each in self.rows.values():
            if each.status == "pending" and (plain(each.content), each.key) == (plain(row.content), row.key):
                each.status = "rejected"
        self.buried.add((plain(row.content), row.key))

    @rule(target=ids, id_=consumes(ids))
    def restore(self, id_: UUID) -> Any:
        row = self.rows[id_]
        if row.status in ("confirmed", "pending"):
            with pytest.raises(MemorandaError):
                self.memory.facts.restore(id_)
            return id_
        last = self.in_force(row.key) if row.key is not None else self.successor(id_)
        old = last if last is not None and self.rows[last].status == "confirmed" else None
        self.lift(row.content)
        known = self.expected(row.content, row.key, waits=False)[1]
        outcome = self.memory.facts.restore(id_)
        if old is None and known is not None:
            assert (outcome.outcome, outcome.id) == ("duplicate", known)
            return id_
        assert (outcome.outcome, outcome.supersedes) == ("stored" if old is None else "superseded", old)
        assert outcome.id is not None
        self.put(outcome.id, Row(row.content, row.key, "confirmed"), old)
        return cast("Any", multiple(id_, outcome.id))  # pyright: ignore[reportUnknownMemberType]

    def refused(self, verb: str, id_: UUID, other: object) -> None:
        with pytest.raises(MemorandaError):
            getattr(self.memory.facts, verb)(id_, other)

    def refused_review(self, verb: str, id_: UUID) -> None:
        with pytest.raises(MemorandaError):
            getattr(self.memory.review, verb)(id_)

    # What must hold after every step

    @invariant()
    def the_same_is_in_force_and_waits(self) -> None:
        type(self).steps += 1
        wanted = {i: (row.content, row.key) for i, row in self.rows.items() if row.status == "confirmed"}
        assert {fact.id: (fact.content, fact.key) for fact in self.memory.facts.recall(200)} == wanted
        assert {hit.fact.id for hit in self.memory.facts.search("tea Oslo violin bakery", 200)} == set(wanted)
        waiting = {i for i, row in self.rows.items() if row.status == "pending"}
        assert {each.fact.id for each in self.memory.review.pending(200)} == waiting


@pytest.fixture
def machine(database: Database) -> Iterator[type[Facts]]:
    with memoranda.sync.connect(database.dsn()) as store:
        yield type("Machine", (Facts,), {"store": store})


def run(machine: type[Facts], examples: int, length: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=hypothesis.settings(
            max_examples=examples,
            stateful_step_count=length,
            deadline=None,
            suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
        ),
    )


def test_facts_do_what_the_model_says(machine: type[Facts]) -> None:
    run(machine, 12, 40)
    assert machine.steps > 200


@pytest.mark.slow
def test_facts_do_what_the_model_says_for_thousands_of_steps(machine: type[Facts]) -> None:
    run(machine, 150, 60)
    assert machine.steps > 5000
