"""Two tenants, three users who come and go, and all that they do with files, facts, messages and review.

`pytest tests/integration/test_world_machine.py -m slow -rP` takes thousands of steps, and plants mutants.
"""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

import memoranda.sync
from memoranda.errors import MemorandaError
from support.databases import Database
from support.facts_machine import run
from support.functions import change_function
from support.world_machine import World


@pytest.fixture
def machine(database: Database) -> Iterator[type[World]]:
    with memoranda.sync.connect(database.dsn(), max_connections=1) as store:
        yield type("Machine", (World,), {"store": store})


def test_the_whole_machine_does_what_the_model_says(machine: type[World]) -> None:
    run(hypothesis.seed(1)(machine), 3, 40)
    assert machine.steps > 60


@pytest.mark.slow
def test_the_whole_machine_does_what_the_model_says_for_thousands_of_steps(machine: type[World]) -> None:
    run(machine, 80, 120)
    print(f"{machine.steps} steps, 0 differences")
    assert machine.steps >= 5000


MUTANTS = {
    "a path begins to count anew": ("guard_file", "new.path is distinct from old.path", "false"),
    "a text that is the same makes a version": ("files_write", "if old.content = body then", "if false then"),
    "another version is put back": ("files_restore", "r.version = (p_target", "r.version >= (p_target"),
    "an edited message is found by its old words": (
        "messages_edit",
        "unindex_messages(p, array[m.id]), index_messages(array[m]), drop_work",
        "drop_work",
    ),
    "what was deleted is listed": (
        "messages_list",
        "message_ref(p, chat_, 2147483647) and m.deleted_at is null",
        "message_ref(p, chat_, 2147483647)",
    ),
    "numbers in a chat have gaps": ("turns_add", "next_ := next_ + 1", "next_ := next_ + 2"),
    "undo takes the user's own words": ("undo_messages", "and m.role <> 'user'", ""),
    "what was undone is still found": ("undo_messages", "unindex_messages(p, ids), drop_work", "drop_work"),
    "what was undone stands beside what is found": ("recall_beside", "and m.withdrawn_at is null", ""),
    "an edit leaves what was undone": ("messages_edit", ", withdrawn_at = null", ""),
    "a message found is another's neighbour": ("message_near", "+ p_distance", "+ p_distance * 2"),
    "who was removed stays": ("members_remove", "where m.tenant_id = tenant", "where false and m.tenant_id = tenant"),
    "whoever reads may write": ("tenants_with", "permission = p_permission or", "true or"),
    "what a tenant keeps is kept at home": ("enter", "else as_id('tenant', p_place -> 'tenant') end", "else me end"),
    "an agent's memory is the user's": ("enter", "coalesce(p_place ->> 'scope', 'user')", "'user'"),
    "what was edited and approved waits on": (
        "review_edit",
        "in ('stored', 'superseded', 'duplicate')",
        "in ('stored')",
    ),
    "what was removed below another name goes too": ("files_remove", "target || '/'", "target"),
}
"""What is broken: the function, what stands in it, and what stands there instead."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_broken_in_the_sql_is_noticed(machine: type[World], database: Database, name: str) -> None:
    function, old, new = MUTANTS[name]
    with database.admin() as conn:
        change_function(conn, function, old, new)
    with pytest.raises((AssertionError, MemorandaError, pytest.fail.Exception)):
        run(hypothesis.seed(1)(machine), 120, 120, phases=[hypothesis.Phase.generate])
    print(f"{name}: noticed after {machine.steps} steps")
