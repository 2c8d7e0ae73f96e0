"""`memoranda erase` and `purge`, as a person at a terminal or a script uses them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import memoranda.sync
from acceptance.person import Person
from memoranda import Receipt

ALICE = ("--folder", "mine", "--user", "alice")


def remembered(person: Person) -> None:
    with memoranda.sync.open(person.folder / "mine") as store:
        for user in ("alice", "bob"):
            store.memory(user).facts.save("Prefers GBP", key="currency", source="talk")
        soon = datetime.now(UTC) + timedelta(milliseconds=1)
        store.memory("bob").facts.save("Is here now", expires_at=soon)
        scope = memoranda.Scope.project("x")
        store.memory("alice", scope=scope).facts.save("Is late", source="a page")
        store.memory("alice", scope=scope).facts.save("Costs 3 GBP", source="talk")


def test_a_person_erases_looks_at_the_receipt_and_verifies_it(person: Person) -> None:
    remembered(person)
    asked = person.answers("n\n", "erase", *ALICE, "--everything")
    assert asked.returncode == 1
    assert "Erase this for good? [y/N]:" in asked.stdout
    assert "facts         3" in " ".join(asked.stdout.split("\n")), asked.stdout
    dry = person.runs("erase", *ALICE, "--scope", "project:x", "--source", "a page", "--dry-run", "--json")
    assert json.loads(dry.stdout)["facts"] == 1
    source = person.runs("erase", *ALICE, "--scope", "project:x", "--source", "a page", "--yes", "--json")
    assert json.loads(source.stdout)["counts"]["facts"] == 1

    done = person.answers("y\n", "erase", *ALICE, "--everything", "--receipt", "receipt.json")
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "Database  embedded",
        "User      alice",
        "erased",
        "left",
        "the verification queries found 0 rows",
        "VACUUM FULL",
    ):
        assert part in done.stdout
    receipt = Receipt.from_json((person.folder / "receipt.json").read_text(encoding="utf-8"))
    assert receipt.counts["facts"] == 2
    assert "GBP" not in receipt.to_json()

    verified = person.runs("erase", "--verify", "receipt.json", "--folder", "mine")
    assert verified.returncode == 0
    assert "Genuine; nothing is there" in verified.stdout
    (person.folder / "receipt.json").write_text(receipt.to_json().replace('"facts": 2', '"facts": 3'), encoding="utf-8")
    changed = person.runs("erase", "--verify", "receipt.json", "--folder", "mine", "--json")
    assert (changed.returncode, json.loads(changed.stdout)["genuine"]) == (1, False)

    assert (
        person.runs("purge", "--folder", "mine", "--dry-run").stdout
        == "1 expired facts, 0 messages and 0 documents, and 0 old keys are due.\n"
    )
    purged = {"facts": 1, "keys": 0, "messages": 0, "documents": 0}
    assert json.loads(person.runs("purge", "--folder", "mine", "--json").stdout) == purged
    with memoranda.sync.open(person.folder / "mine") as store:
        assert store.memory("alice").facts.recall() == []
        assert [fact.content for fact in store.memory("bob").facts.recall()] == ["Prefers GBP"]


def test_what_is_to_be_erased_has_to_be_said(person: Person) -> None:
    with memoranda.sync.open(person.folder / "mine"):
        pass
    commands = [
        [*("erase", "--folder", "mine")],
        [*("erase", *ALICE)],
        [*("erase", *ALICE, "--everything", "--scope", "user")],
        [*("erase", *ALICE, "--everything", "--source", "a page")],
        [*("erase", *ALICE, "--everything", "--json")],
        [*("erase", *ALICE, "--scope", "nowhere", "--yes")],
        [*("erase", "--folder", "mine", "--verify", "nothing.json")],
    ]
    for done in person.runs_all(commands):
        assert done.returncode == 1, done
        assert done.stderr.startswith("Error: "), done
