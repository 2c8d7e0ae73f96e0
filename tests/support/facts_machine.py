"""Facts against a plain model of them: the same outcomes and the same facts in force, whatever is done in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import memoranda.sync
from memoranda.errors import MemorandaError

# No two of them are near each other; each has a spelling that is the same value.
VALUES = {
    "Likes green tea": "likes  GREEN tea",
    "Lives in Oslo": "\u200bLives in Oslo",
    "Plays the violin": "ＰＬＡＹＳ the violin ",
}
KEYS = (None, "k1", "k2")

contents = st.sampled_from([*VALUES, *VALUES.values()])
keys = st.sampled_from(KEYS)
picks = st.integers(0, 30)
"""Which of the facts that something can be done with."""


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

    def __init__(self) -> None:
        super().__init__()
        type(self).users += 1
        self.memory = self.store.memory(f"user {self.users}")
        self.rows: dict[UUID, Row] = {}
        self.buried: set[tuple[str, str | None]] = set()

    # The model

    def some(self, *statuses: str) -> list[UUID]:
        return [i for i, row in self.rows.items() if row.status in statuses]

    def pick(self, pick: int, *statuses: str) -> UUID:
        found = self.some(*statuses) or list(self.rows)
        return found[pick % len(found)]

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

    @initialize(given=st.lists(st.tuples(contents, keys, st.booleans()), max_size=6))
    def save_some(self, given: list[tuple[str, str | None, bool]]) -> None:
        for content, key, waits in given:
            self.save(content, key, waits, restore=False)

    @rule(content=contents, key=keys, waits=st.booleans(), restore=st.booleans())
    def save(self, content: str, key: str | None, waits: bool, restore: bool) -> None:
        if restore:
            self.lift(content)
        wanted, known = self.expected(content, key, waits=waits)
        outcome = self.memory.facts.save(content, key=key, review=waits, restore=restore)
        assert outcome.outcome == wanted, outcome
        if known is not None or wanted == "rejected":
            assert outcome.id == known
            return
        assert outcome.id is not None
        old = None if key is None else self.in_force(key)
        self.put(outcome.id, Row(content, key, "pending" if waits else "confirmed"), old)

    @precondition(lambda self: self.some("confirmed"))
    @rule(pick=picks, content=contents)
    def supersede(self, pick: int, content: str) -> None:
        old = self.pick(pick, "confirmed")
        outcome = self.memory.facts.supersede(old, content)
        if self.is_buried(content, None):
            assert outcome.outcome == "rejected"
            return
        assert (outcome.outcome, outcome.supersedes) == ("superseded", old)
        assert outcome.id is not None
        self.put(outcome.id, Row(content, None, "confirmed"), old)

    @precondition(lambda self: self.some("confirmed"))
    @rule(pick=picks, content=contents)
    def correct(self, pick: int, content: str) -> None:
        old = self.pick(pick, "confirmed", "superseded")
        last = self.successor(old)
        if self.rows[last].status != "confirmed":
            self.refused(self.memory.facts.correct, old, content)
            return
        outcome = self.memory.facts.correct(old, content)
        if self.is_buried(content, None):
            assert outcome.outcome == "rejected"
            return
        assert (outcome.outcome, outcome.supersedes) == ("superseded", last)
        assert outcome.id is not None
        self.put(outcome.id, Row(content, self.rows[last].key, "confirmed"), last)

    @precondition(lambda self: len(self.some("confirmed")) > 1)
    @rule(pick=picks, other=picks)
    def link(self, pick: int, other: int) -> None:
        one, by = self.pick(pick, "confirmed"), self.pick(other, "confirmed")
        if one == by:
            self.refused(self.memory.facts.supersede, one, by)
            return
        assert self.memory.facts.supersede(one, by).outcome == "superseded"
        self.rows[one].status, self.rows[one].superseded_by = "superseded", by

    @precondition(lambda self: self.rows)
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        id_ = self.pick(pick, "confirmed", "pending")
        row = self.rows[id_]
        outcome = self.memory.facts.forget(id_)
        if row.status not in ("confirmed", "pending"):
            assert outcome.outcome == "nothing"
            return
        assert outcome.outcome == "forgotten"
        row.status = "forgotten"
        self.buried.add((plain(row.content), row.key))

    @precondition(lambda self: self.some("pending"))
    @rule(pick=picks)
    def approve(self, pick: int) -> None:
        self.approve_one(self.pick(pick, "pending"))

    @precondition(lambda self: self.waiting_and_buried())
    @rule(pick=picks)
    def approve_what_was_rejected_elsewhere(self, pick: int) -> None:
        """The same value, rejected under another key: seldom met by chance."""
        found = self.waiting_and_buried()
        self.approve_one(found[pick % len(found)])

    def waiting_and_buried(self) -> list[UUID]:
        return [id_ for id_ in self.some("pending") if self.is_buried(self.rows[id_].content, None)]

    def approve_one(self, id_: UUID) -> None:
        row = self.rows[id_]
        lifted = self.lift(row.content)
        old = None if row.key is None else self.in_force(row.key)
        if old is None and row.proposes is not None:
            last = self.successor(row.proposes)
            old = last if self.rows[last].status == "confirmed" else None
        same = old if old is not None and plain(self.rows[old].content) == plain(row.content) else None
        if same is None and row.key is None and row.proposes is None:
            alike = (i for i in self.some("confirmed") if plain(self.rows[i].content) == plain(row.content))
            same = next(alike, None)
        outcome = self.memory.review.approve(id_)
        if same is not None:
            assert (outcome.outcome, outcome.id) == ("duplicate", same)
            row.status, row.superseded_by = "superseded", same
            return
        wanted = ("stored" if old is None else "superseded", old, lifted)
        assert (outcome.outcome, outcome.supersedes, outcome.restored) == wanted
        row.status = "confirmed"
        if old is not None:
            self.rows[old].status, self.rows[old].superseded_by = "superseded", id_
        self.settle(id_)

    @precondition(lambda self: self.some("pending"))
    @rule(pick=picks)
    def reject(self, pick: int) -> None:
        id_ = self.pick(pick, "pending")
        row = self.rows[id_]
        assert self.memory.review.reject(id_).outcome == "rejected"
        for each in self.rows.values():
            if each.status == "pending" and (plain(each.content), each.key) == (plain(row.content), row.key):
                each.status = "rejected"
        self.buried.add((plain(row.content), row.key))

    @precondition(lambda self: self.some("superseded", "forgotten", "rejected"))
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        id_ = self.pick(pick, "superseded", "forgotten", "rejected")
        row = self.rows[id_]
        last = self.in_force(row.key) if row.key is not None else self.successor(id_)
        old = last if last is not None and self.rows[last].status == "confirmed" else None
        self.lift(row.content)
        known = self.expected(row.content, row.key, waits=False)[1]
        outcome = self.memory.facts.restore(id_)
        if old is None and known is not None:
            assert (outcome.outcome, outcome.id) == ("duplicate", known)
            return
        assert (outcome.outcome, outcome.supersedes) == ("stored" if old is None else "superseded", old)
        assert outcome.id is not None
        self.put(outcome.id, Row(row.content, row.key, "confirmed"), old)

    @precondition(lambda self: self.rows)
    @rule(pick=picks, other=picks)
    def try_what_makes_no_sense(self, pick: int, other: int) -> None:
        id_, by = self.pick(pick, "superseded", "forgotten", "rejected", "pending"), self.pick(other)
        status = self.rows[id_].status
        if status != "confirmed":
            self.refused(self.memory.facts.supersede, id_, "Lives elsewhere")
            self.refused(self.memory.facts.supersede, id_, by)
            self.refused(self.memory.facts.supersede, by, id_)
        if status in ("confirmed", "pending"):
            self.refused(self.memory.facts.restore, id_)
        if status != "pending":
            self.refused(self.memory.review.approve, id_)
            self.refused(self.memory.review.reject, id_)

    def refused(self, verb: Callable[..., object], *given: object) -> None:
        with pytest.raises(MemorandaError):
            verb(*given)

    # What must hold after every step

    @invariant()
    def the_same_is_in_force_and_waits(self) -> None:
        type(self).steps += 1
        wanted = {i: (row.content, row.key) for i, row in self.rows.items() if row.status == "confirmed"}
        assert {fact.id: (fact.content, fact.key) for fact in self.memory.facts.recall(200)} == wanted
        assert {hit.fact.id for hit in self.memory.facts.search("tea Oslo violin", 200)} == set(wanted)
        waiting = {i for i, row in self.rows.items() if row.status == "pending"}
        assert {each.fact.id for each in self.memory.review.pending(200)} == waiting


def run(
    machine: type[RuleBasedStateMachine],
    examples: int,
    length: int,
    *,
    phases: Sequence[hypothesis.Phase] = tuple(hypothesis.Phase),
) -> None:
    """Try a machine with as many examples of at most so many steps."""
    run_state_machine_as_test(
        machine,
        settings=hypothesis.settings(
            max_examples=examples,
            stateful_step_count=length,
            phases=phases,
            deadline=None,
            report_multiple_bugs=False,  # or it would look for others once it has found one
            database=None,
            suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
        ),
    )
