"""`memoranda search` and `memoranda bench`, as a person at a terminal uses them."""

from __future__ import annotations

import json
import re

import pytest

import memoranda
import memoranda.sync
from acceptance.person import Person
from support.databases import Database

ALICE = ("--user", "alice")


@pytest.fixture
def person(person: Person, database: Database) -> Person:
    """With a database on a server, so that no command has to make or start one."""
    return Person(person.folder, database.dsn())


def saved(person: Person) -> None:
    with memoranda.sync.connect(person.dsn) as store:
        store.memory("alice").facts.save_many(
            [
                memoranda.NewFact("The invoice XQ-4471 is due on Friday", tags=["work"], key="invoice"),
                memoranda.NewFact("Sleeps badly before travelling", kind="pattern"),
            ]
        )
        store.memory("alice", scope=memoranda.Scope.agent("w")).facts.save("Anna: invoice XQ-4471 was paid")


def test_a_search_shows_what_it_found_and_why(person: Person) -> None:
    saved(person)
    done = person.runs("search", "what about XQ-4471?", *ALICE, "-k", "1")
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert re.match(r" 1  fact, invoice, \d{4}-\d\d-\d\d", first)  # the order has a number, and there is no vector
    assert second == "  The invoice XQ-4471 is due on Friday"
    why = person.runs(
        "search", "what does Anna say about XQ-4471?", *ALICE, "--scope", "user", "--scope", "agent:w", "--why"
    )
    shown = " ".join(why.stdout.split())
    assert "agent:w" in shown
    assert "place 1 by words" in shown
    assert "named in the question" in shown
    found = json.loads(person.runs("search", "invoice", *ALICE, "--tag", "work", "--json").stdout)
    assert [each["fact"]["key"] for each in found] == ["invoice"]
    assert found[0]["why"]["words_rank"] == 1
    assert person.runs("search", "invoice", *ALICE, "--kind", "event").stdout == "Nothing found.\n"
    with memoranda.sync.connect(person.dsn, embedder="local") as store:
        store.memory("alice").facts.embed_pending()
        (near,) = store.memory("alice").facts.search("trouble sleeping", 1)
    shown = person.runs("search", "trouble sleeping", *ALICE, "-k", "1", "--embedder", "local").stdout
    assert re.match(rf" 1   {near.similarity:.3f}  pattern, ", shown)  # the cosine, untouched
    assert "badly" in shown


def test_retrieval_is_measured_on_data_of_ones_own(person: Person) -> None:
    turns = [
        {"speaker": "Ann", "dia_id": f"D1:{n}", "text": text}
        for n, text in enumerate(("I bought a boat", "The weather is fine", "My dog is called Rex"), 1)
    ]
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
    }
    questions = [{"question": "What is Ann's dog called?", "answer": "Rex", "evidence": ["D1:3"], "category": 4}]
    data = [{"sample_id": "own", "conversation": conversation, "qa": questions}]
    (person.folder / "locomo.json").write_text(json.dumps(data), encoding="utf-8")
    done = person.runs(
        "bench", "retrieval", "--locomo", "locomo.json", "--embedder", "none", "--plot", "plot.png", "--json"
    )
    assert done.returncode == 0, done.stderr  # (the first time, matplotlib says there that it looks for fonts)
    (result,) = json.loads(done.stdout)
    assert result["categories"]["ALL"]["r1"] == 1
    assert (person.folder / "plot.png").stat().st_size > 1000
    assert {path.name for path in person.folder.iterdir()} == {"locomo.json", "plot.png"}
    table = person.runs("bench", "retrieval", "--locomo", "locomo.json", "--embedder", "none", "--messages").stdout
    assert re.search(r"^ALL +1 +1\.000", table, re.MULTILINE)
    nothing = person.runs("bench", "retrieval")
    assert (nothing.returncode, "[MEMORY_INPUT]" in nothing.stderr) == (1, True)
