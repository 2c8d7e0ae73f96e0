"""`memoranda timeline`, `audit`, `history` by an id, and facts of another time, as a person at a terminal uses them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import memoranda
from acceptance.person import Person
from memoranda import Scope
from support.databases import Database

TIME = r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d"


def rows(text: str) -> list[list[str]]:
    """The cells of a table, which are at least two blanks apart or follow a time."""
    return [re.split(r" {2,}|(?<=:\d\d) ", line.strip()) for line in text.splitlines()]


async def test_facts_by_time(person: Person, database: Database, alice: memoranda.Memory) -> None:
    here = ("--user", "alice", "--dsn", database.dsn())
    assert person.runs("timeline", *here).stdout == "No facts here.\n"
    await alice.facts.save("Moved in", kind="event", entities=["Anna"], valid_from=datetime(2020, 5, 3, 9, tzinfo=UTC))
    await alice.facts.save("Tea", key="drink")
    await alice.facts.save("Coffee", key="drink")
    head, coffee, moved = rows(person.runs("timeline", *here).stdout)
    assert head == ["time", "kind", "key", "fact"]
    assert re.fullmatch(TIME, coffee[0])
    assert coffee[1:] == ["fact", "drink", "Coffee"]
    assert moved[0].startswith("2020-05-03 ")
    assert (moved[1], moved[-1]) == ("event", "Moved in")
    assert "Tea" in person.runs("timeline", *here, "--include", "superseded").stdout
    for chosen in (
        ("--kind", "event"),
        ("--entity", "anna"),
        ("--until", "2020-05-04"),
        ("--until", "2021-01-01T00:00Z"),
    ):
        (found,) = json.loads(person.runs("timeline", *here, *chosen, "--json").stdout)
        assert found["content"] == "Moved in"
    for command in (["timeline", "--include", "everything"], ["audit", "--subject", "thing"]):
        done = person.runs(command[0], *here, *command[1:])
        assert (done.returncode, "[MEMORY_INPUT]" in done.stderr) == (1, True)
    done = person.runs("timeline", *here, "--since", "yesterday")
    assert (done.returncode, "yesterday" in done.stderr) == (2, True)


async def test_the_log(person: Person, database: Database, store: memoranda.Store) -> None:
    here = ("--user", "alice", "--dsn", database.dsn())
    assert person.runs("audit", *here).stdout == "Nothing was ever written here.\n"
    run = store.memory("alice", run_id="run-7")
    await run.facts.save("Tea\x1b[2J", key="drink")
    await run.facts.forget("drink", reason="asked to")
    await store.memory("alice").files.write("/memories/a.md", "text")
    await store.memory("alice", scope=Scope.agent("x")).facts.save("elsewhere")
    done = person.runs("audit", *here, COLUMNS="100")
    head, file, forgotten, saved = rows(done.stdout)
    assert head == ["time", "what", "of", "by", "content"]
    assert file[1:] == ["created", "/memories/a.md 1", "application", "text"]
    assert forgotten[1:3] == ["forgotten", "drink 2"]
    assert saved[1:] == ["saved", "drink 1", "application, run-7", r"Tea\x1b[2J"]
    entries = json.loads(person.runs("audit", *here, "--run", "run-7", "--json").stdout)
    assert [(each["verb"], each["reason"]) for each in entries] == [("forgotten", "asked to"), ("saved", None)]
    assert "Tea" not in person.runs("audit", *here, "--subject", "file").stdout
    assert "elsewhere" in person.runs("audit", *here, "--scope", "agent:x").stdout
    assert person.runs("audit", *here, "--actor", "model").stdout == "Nothing was ever written here.\n"


async def test_a_fact_without_a_key_by_its_id(person: Person, database: Database, alice: memoranda.Memory) -> None:
    here = ("--user", "alice", "--dsn", database.dsn())
    outcome = await alice.facts.save("Has no key")
    shown = person.runs("facts", *here).stdout.splitlines()[0].split()[0]
    assert shown == str(outcome.id)
    assert "Has no key" in person.runs("history", shown, *here).stdout
    assert "id" in person.runs("history", shown.replace(shown[0], "e" if shown[0] != "e" else "d"), *here).stdout


async def test_facts_of_another_time(person: Person, database: Database, alice: memoranda.Memory) -> None:
    here = ("--user", "alice", "--dsn", database.dsn())
    await alice.facts.save("Lives in Paris", key="city")
    fact = await alice.facts.get("city")
    assert fact is not None
    await alice.facts.save("Lives in Berlin", key="city", valid_from=datetime(2026, 5, 10, tzinfo=UTC))
    for times, city in (
        ((), "Berlin"),
        (("--as-of", "2026-05-03"), "Paris"),
        (("--as-of", "2026-05-12"), "Berlin"),
        (("--known-at", fact.updated_at.isoformat()), "Paris"),
    ):
        for command in (["facts"], ["search", "where does she live"]):
            shown = person.runs(*command, *here, *times).stdout
            assert ("Paris" in shown, "Berlin" in shown) == (city == "Paris", city == "Berlin")
