"""Facts do what a plain model of them does; and where the SQL is broken on purpose, that is noticed."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

import memoranda.sync
from memoranda.errors import MemorandaError
from support.databases import Database
from support.facts_machine import Facts, run
from support.functions import change_function


@pytest.fixture
def machine(database: Database) -> Iterator[type[Facts]]:
    with memoranda.sync.connect(database.dsn()) as store:
        yield type("Machine", (Facts,), {"store": store})


def test_facts_do_what_the_model_says(machine: type[Facts]) -> None:
    run(machine, 12, 40)
    assert machine.steps > 200


@pytest.mark.slow
def test_facts_do_what_the_model_says_for_thousands_of_steps(machine: type[Facts]) -> None:
    run(machine, 250, 60)
    assert machine.steps > 5000


MUTANTS = {
    "a tombstone holds under its key alone": ("tombstone_of", "or is_statement(f.content)", ""),
    "a value is let back under one key alone": ("lift", "or is_statement(f.content)", ""),
    "what was let back once can't be buried again": ("bury", "lifted_at = null", "lifted_at = t.lifted_at"),
    "a value under a key is taken for a duplicate of one without": (
        "exact_match",
        "'confirmed' and f.key is null",
        "'confirmed'",
    ),
    "what was replaced once is a duplicate of what replaced it": (
        "exact_match",
        "and g.version = 1 and h.status = 'confirmed' and h.supersedes is distinct from g.id",
        "and h.status = 'confirmed'",
    ),
    "what waits under another key waits no longer": ("settle", "and g.key is not distinct from f.key", ""),
    "approving leaves the tombstone": ("review_approve", "lift(f)", "false"),
    "approving forgets what replaced what it would replace": (
        "would_replace",
        "successor(p, f.proposes)",
        "fact_of(p, f.proposes)",
    ),
    "restoring puts a second one beside what stands there": ("facts_restore", "else successor(p, old.id) end", "end"),
    "a correction is for the fact as it was": (
        "facts_correct",
        "else successor(p, target.id) end",
        "else fact_of(p, target.id) end",
    ),
    "what waits can't be forgotten": ("facts_forget", "f.status in ('confirmed', 'pending')", "f.status = 'confirmed'"),
    "what is forgotten leaves no tombstone": (
        "facts_forget",
        "bury(gone || give_way(p, array[gone.id]))",
        "give_way(p, array[gone.id])",
    ),
    "a key has two values": ("decide", "old := fact_in_force(p, f.key);", ""),
    "a chain ends after one step": (
        "successor",
        "return last",
        "return case when last.supersedes <> p_id then fact_of(p, p_id) else last end",
    ),
    "what waits is recalled": ("facts_recall", "f.status = 'confirmed'", "f.status in ('confirmed', 'pending')"),
    "what waits is in force": ("save_all", "when d.waits then 'pending'", "when d.waits then 'confirmed'"),
}
"""What is broken: the function, what stands in it, and what stands there instead."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_broken_in_the_sql_is_noticed(machine: type[Facts], database: Database, name: str) -> None:
    function, old, new = MUTANTS[name]
    with database.admin() as conn:
        if name == "a key has two values":
            conn.execute("drop index memoranda_private.facts_in_force")
        change_function(conn, function, old, new)
    with pytest.raises((AssertionError, MemorandaError, pytest.fail.Exception)):
        run(hypothesis.seed(1)(machine), 150, 50, phases=[hypothesis.Phase.generate])
    print(f"{name}: noticed after {machine.steps} steps")
