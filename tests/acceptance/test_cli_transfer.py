"""`memoranda export` and `import`, as a person at a terminal or a script uses them."""

from __future__ import annotations

import json

import memoranda.sync
from acceptance.person import Person

MINE = ("--folder", "mine")


def remembered(person: Person) -> None:
    with memoranda.sync.open(person.folder / "mine") as store:
        memory = store.memory("alice")
        memory.facts.save("Prefers EUR", key="currency")
        memory.facts.save("Prefers GBP", key="currency")
        memory.files.write("/memories/a.md", "text")


def test_a_person_exports_erases_and_restores(person: Person) -> None:
    remembered(person)
    done = person.runs("export", "alice.jsonl", "--user", "alice", *MINE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 rows, in alice.jsonl" in done.stdout
    assert (person.folder / "alice.jsonl").stat().st_mode & 0o077 == 0
    piped = person.runs("export", "-", "--user", "alice", "--scope", "user", "--no-history", *MINE)
    assert [json.loads(line).get("type") for line in piped.stdout.splitlines()] == [
        *(None, "scope", "fact", "file", "end"),
    ]
    with memoranda.sync.open(person.folder / "mine") as store:
        store.erase("alice")
    restore = ("import", "alice.jsonl", "--user", "alice", "--restore", *MINE)
    dry = person.runs(*restore, "--dry-run", "--json", "--rows")
    assert json.loads(dry.stdout)["counts"]["fact"] == {"restored": 2}
    assert len(json.loads(dry.stdout)["rows"]) == 6
    done = person.runs(*restore)
    assert (done.returncode, done.stderr) == (0, "")
    for part in ("Database  embedded", "restored", "6 rows looked at; 0 failed"):
        assert part in done.stdout
    (person.folder / "notes").mkdir()
    (person.folder / "notes" / "MEMORY.md").write_text("- Has a cat\n- Likes tea\n", encoding="utf-8")
    notes = ("import", "notes", "--from", "markdown", "--user", "bob", "--scope", "user", *MINE)
    assert json.loads(person.runs(*notes, "--dry-run", "--json").stdout)["counts"] == {"file": {"stored": 1}}
    assert "2 facts wait for review" in person.runs(*notes, "--as-facts").stdout
    other = person.runs("import", "alice.jsonl", "--user", "bob", "--scope", "project:x", *MINE)
    assert "1 facts wait for review" in other.stdout
    with memoranda.sync.open(person.folder / "mine") as store:
        alice = store.memory("alice")
        assert [fact.content for fact in alice.facts.recall()] == ["Prefers GBP"]
        assert [each.fact.content for each in alice.facts.history("currency")] == ["Prefers GBP", "Prefers EUR"]
        assert alice.files.read("/memories/a.md") is not None


def test_what_cannot_be_imported_is_said_in_one_line(person: Person) -> None:
    remembered(person)
    (person.folder / "broken.jsonl").write_text('{"memoranda":"export","version":1}\nno\n', encoding="utf-8")
    commands = [
        ["import", "nothing.jsonl", "--user", "alice", *MINE],
        ["import", "broken.jsonl", "--user", "alice", *MINE],
        ["import", "broken.jsonl", "--user", "alice", "--tenant", "acme", *MINE],
        ["export", "no/such/folder.jsonl", "--user", "alice", *MINE],
        ["import", "--from", "mem0", "--user", "alice", *MINE],
        ["import", "--user", "alice", *MINE],
    ]
    said = [done.stderr for done in person.runs_all(commands)]
    assert "cannot be read" in said[0]
    assert "Line 2: It is not JSON" in said[1]
    assert "To which scope" in said[2]
    assert "cannot be written" in said[3]
    assert "Whose memories, and where" in said[4]
    assert "What is to be imported" in said[5]
    assert not list(person.folder.glob("*.part"))


def test_a_person_changes_the_model(person: Person) -> None:
    remembered(person)
    done = person.runs("reembed", "local", *MINE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "; 1 were made now." in " ".join(done.stdout.split())
    assert json.loads(person.runs("reembed", "local", "--json", *MINE).stdout)["embedded"] == 0
    model = done.stdout.split("vectors of ")[1].split(";")[0]
    assert "MEMORY_CONFLICT" in person.runs("reembed", "--drop", model, *MINE).stderr
    assert "0 vectors of old/3 are dropped." in person.runs("reembed", "--drop", "old/3", *MINE).stdout
    assert "Either a new model" in person.runs("reembed", *MINE).stderr
