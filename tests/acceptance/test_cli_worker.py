"""`memoranda worker`, as an operator runs it."""

from __future__ import annotations

import json
import signal

import memoranda.sync
from acceptance.person import Person
from support.databases import Database
from support.messages import said
from support.openai_server import Json, OpenAIServer, response

MINE = ("--folder", "mine")


def test_a_worker_does_what_is_left_says_so_and_ends_when_it_is_told(person: Person) -> None:
    with memoranda.sync.open(person.folder / "mine") as store:  # without an embedder: vectors are left to do
        store.memory("alice").turns.add(said("I like tea.", "Noted."))
        status = person.runs("worker", *MINE, "--status")
        assert (status.returncode, status.stderr) == (0, "")
        assert "embed: 2 due, 0 later." in status.stdout

        running = person.starts("worker", *MINE)
        try:
            assert running.stdout
            assert running.stdout.readline().startswith("Database")
            running.send_signal(signal.SIGTERM)
            out, err = running.communicate(timeout=120)
        finally:
            running.kill()
        assert (running.returncode, err) == (0, "")
        assert "messages embedded" in out

        done = person.runs("worker", *MINE, "--once", "--retry", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["retried"] == 0
        assert (store.queue().due, store.queue().dead) == ({}, ())
        assert store.memory("alice").messages.list()[0].text == "Noted."


def test_a_worker_finds_facts_with_a_named_extractor(person: Person, database: Database) -> None:
    person.dsn = database.dsn()
    with memoranda.sync.connect(database.dsn()) as store, OpenAIServer() as server:
        store.memory("alice").turns.add(said("I like green tea.", "Noted."), extract="worker")
        fact: Json = {"content": "Likes green tea.", "quote": "I like green tea", "message": 1}
        server.answer("/responses", lambda body: response(json.dumps({"facts": [fact]})))
        small = "openai:text-embedding-3-small@8"
        extracting = ("worker", "--once", "--extractor", "openai:scripted", "--embedder", small)
        done = person.runs(*extracting, OPENAI_API_KEY="any", OPENAI_BASE_URL=server.url)
        assert (done.returncode, done.stderr) == (0, "")
        assert "1 turns with facts, 0 without." in done.stdout
        assert [fact.content for fact in store.memory("alice").facts.recall()] == ["Likes green tea."]
