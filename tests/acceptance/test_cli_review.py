"""`memoranda review`, as a person at a terminal or a script uses it."""

from __future__ import annotations

import json

import memoranda.sync
from acceptance.person import Person

ALICE = ("--folder", "mine", "--user", "alice")


def proposed(person: Person) -> None:
    with memoranda.sync.open(person.folder / "mine") as store:
        facts = store.memory("alice").facts
        facts.save("Prefers GBP", key="currency")
        facts.save("Prefers EUR", key="currency", origin="tool", source="a web page")
        facts.save("Owns a zebra", origin="assistant")
        facts.save("Lives in Olso", origin="import")
        facts.save("Waits on \x1b[31m", review=True)


def test_a_person_goes_through_what_waits(person: Person) -> None:
    assert person.runs("review", *ALICE).stdout == "Nothing waits for review.\n"
    proposed(person)
    shown = person.runs("facts", *ALICE)
    assert shown.stdout.count("Prefers") == 1
    assert shown.stderr == "4 facts wait for review. See: memoranda review\n"
    done = person.answers("?\nw\na\nr I have none\ne\nLives in Oslo\ns\n", "review", *ALICE)
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "1 of 4  fact, currency, from tool, a web page",
        "In the place of: Prefers GBP",
        "It is made of the words of: tool.",
        "In force, in the place of what was there.",
        "Rejected.",
        "3 decided. 1 fact waits for review.",
    ):
        assert part in done.stdout
    assert "\x1b" not in done.stdout
    with memoranda.sync.open(person.folder / "mine") as store:
        memory = store.memory("alice")
        assert {fact.content for fact in memory.facts.recall()} == {"Prefers EUR", "Lives in Oslo"}
        assert memory.facts.save("owns a ZEBRA").outcome == "rejected"
    left = json.loads(person.runs("review", *ALICE, "--json").stdout)
    assert [(each["fact"]["content"], each["actor"]) for each in left] == [("Waits on \x1b[31m", "application")]


def test_what_waits_can_be_listed_and_an_end_of_answers_decides_nothing(person: Person) -> None:
    proposed(person)
    listed = person.runs("review", *ALICE, "--list")
    assert listed.stdout.count("from ") == 4
    done = person.answers("", "review", *ALICE)
    assert done.returncode == 0
    assert "0 decided. 4 facts wait for review." in done.stdout
