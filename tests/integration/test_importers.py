"""Importers: small samples in the real shapes, with the traps that real ones have."""

from __future__ import annotations

import json
import os
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from psycopg.types.json import Jsonb

import memoranda
from memoranda import ImportedRow
from memoranda.errors import InputError, UnavailableError
from memoranda.exportformat import Item
from memoranda.importers import langgraph, letta, markdown, mem0
from support.databases import Database

IDS = [f"00000000-0000-4000-8000-{n:012x}" for n in range(1, 9)]
AWARE = "2025-03-01T09:00:00.123456-08:00"


async def outcomes(memory: memoranda.Memory, items: Any, **more: Any) -> list[tuple[str, str, str | None]]:
    report: list[ImportedRow] = []
    await memory.import_(items, report=report.append, **more)
    return [(each.name, each.outcome, each.rule) for each in sorted(report, key=lambda each: each.line)]


# mem0: a table with id, vector and payload ----------------------------------------------------------------------


@pytest.fixture
def mem0_dsn(database: Database) -> str:
    rows: list[tuple[str, object]] = [
        (IDS[0], {"data": "Likes tea", "hash": "h", "user_id": "al", "created_at": AWARE, "updated_at": None}),
        (IDS[1], {"data": "likes  TEA", "user_id": "al", "created_at": "2025-03-02T09:00:00+00:00"}),
        (IDS[2], {"data": " ", "user_id": "al", "created_at": AWARE}),
        (IDS[3], {"data": "Has a cat", "user_id": "al", "created_at": "2025-03-01T09:00:00", "category": "pets"}),
        (IDS[4], {"data": "Is somebody else", "user_id": "al2", "created_at": AWARE}),
        (IDS[5], {"data": "Is nobody's", "agent_id": "al"}),
        (IDS[6], {"data": "Writes well", "user_id": "al", "agent_id": "writer", "run_id": "r", "created_at": AWARE}),
        (IDS[7], {"user_id": "al"}),
    ]
    with database.admin() as conn:
        conn.execute("create schema memories")
        conn.execute("create table memories.mem0 (id uuid primary key, vector real[], payload jsonb)")
        for id, payload in rows:
            conn.execute("insert into memories.mem0 values (%s, '{1,2}', %s)", (id, Jsonb(payload)))
    return database.dsn("postgres")


async def test_mem0(alice: memoranda.Memory, mem0_dsn: str) -> None:
    def read(**more: Any) -> Any:
        return mem0.read(mem0_dsn, user_id="al", table="memories.mem0", **more)

    expected = {
        IDS[0]: ("pending", "new"),
        IDS[1]: ("duplicate", None),
        IDS[2]: ("skipped", "it has no text"),
        IDS[3]: ("skipped", "its created_at is no time with a zone"),
        IDS[6]: ("pending", "new"),
        IDS[7]: ("skipped", "it has no text"),
    }
    dry = {name: outcome for name, outcome, _ in await outcomes(alice, read(), dry_run=True)}
    assert await alice.review.count() == 0
    done = {name: (outcome, rule) for name, outcome, rule in await outcomes(alice, read())}
    assert dry == {name: outcome for name, (outcome, _) in done.items()}
    assert set(done) == set(expected), "another user's rows are not even read"
    for name, (outcome, rule) in expected.items():
        assert done[name][0] == outcome, name
        assert rule in (None, done[name][1]), name
    waiting = {str(each.fact.id): each.fact for each in await alice.review.pending()}
    assert waiting[IDS[0]].created_at.astimezone(timezone(timedelta(hours=-8))).isoformat() == AWARE
    assert waiting[IDS[6]].metadata == {"agent_id": "writer", "run_id": "r"}
    assert (waiting[IDS[0]].origin, waiting[IDS[0]].source) == ("import", "mem0")
    again = await outcomes(alice, read(zone=UTC))
    assert [each[1] for each in again if each[1] not in ("duplicate", "skipped")] == ["pending"], "the cat"
    assert {each[0] for each in await outcomes(alice, read(agent_id="writer"))} == {IDS[6]}


@pytest.mark.parametrize("table", ["nothing", "memories.nothing", "mem0; drop table x"])
def test_a_table_that_is_not_there(mem0_dsn: str, table: str) -> None:
    with pytest.raises(InputError, match="no such table"):
        list(mem0.read(mem0_dsn, user_id="al", table=table))


def test_a_database_that_is_not_there() -> None:
    with pytest.raises(UnavailableError):
        list(mem0.read("host=/nowhere", user_id="al"))
    with pytest.raises(InputError):
        list(mem0.read("host=/nowhere", user_id=""))


# LangGraph: documents under namespaces --------------------------------------------------------------------------------


@pytest.fixture
def langgraph_dsn(database: Database) -> str:
    rows: list[tuple[str, str, object]] = [
        ("memories.al", "currency", {"text": "Prefers GBP"}),
        ("memories.al", IDS[0], {"kind": "Memory", "content": {"content": "Has a cat"}}),
        ("memories.al", "profile", {"name": "Al", "age": 7}),
        ("memories.al", "empty", {}),
        ("memories.al", "blank", {"content": "  "}),
        ("memories.al.notes", "file.md", {"content": ["# Notes", "one"], "created_at": "x"}),
        ("memories.al.notes", IDS[1], {"memory": "has a  CAT"}),
        ("memories.al2", "currency", {"text": "Is somebody else's"}),
        ("memories", "al", {"text": "Is everybody's"}),
        ("other.memories.al", "x", {"text": "Is elsewhere"}),
    ]
    with database.admin() as conn:
        conn.execute(
            "create table store (prefix text not null, key text not null, value jsonb not null,"
            " created_at timestamptz default now(), updated_at timestamptz default now(), primary key (prefix, key))"
        )
        for row in rows:
            conn.execute("insert into store values (%s, %s, %s)", (*row[:2], Jsonb(row[2])))
        conn.execute("update store set created_at = '2025-03-01T09:00:00Z'")
    return database.dsn("postgres")


async def test_langgraph(alice: memoranda.Memory, langgraph_dsn: str) -> None:
    def read() -> Any:
        return langgraph.read(langgraph_dsn, namespace=("memories", "al"))

    done = {name: outcome for name, outcome, _ in await outcomes(alice, read())}
    assert done == {
        **{"currency": "pending", IDS[0]: "pending", "profile": "pending", "empty": "skipped", "blank": "skipped"},
        **{"notes.file.md": "pending", f"notes.{IDS[1]}": "duplicate"},
    }
    waiting = {each.fact.content: each.fact for each in await alice.review.pending()}
    assert waiting["Prefers GBP"].key == "currency"
    assert waiting["Has a cat"].key is None
    assert waiting["Has a cat"].metadata == {"kind": "Memory", "namespace": "memories.al"}
    assert waiting["# Notes\none"].key == "notes.file.md"
    assert json.loads(next(text for text in waiting if text.startswith("{"))) == {"name": "Al", "age": 7}
    assert {fact.created_at.year for fact in waiting.values()} == {2025}
    assert {outcome for _, outcome, _ in await outcomes(alice, read())} == {"duplicate", "skipped"}


@pytest.mark.parametrize("namespace", ["memories", (), ("memories.al",), ("memories", "")])
def test_a_namespace_is_labels(namespace: Any) -> None:
    with pytest.raises(InputError):
        list(langgraph.read("host=/nowhere", namespace=namespace))


# Markdown -------------------------------------------------------------------------------------------------------------

MEMORY = """---
name: memory
---
# Preferences

- Likes tea
- likes  TEA
* [x] Prefers GBP
## Work
Writes for a living,
on two lines.

```
code stays - whole
```
1.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "memories"
    (root / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (root / "MEMORY.md").write_text(MEMORY)
    (root / "deep" / "café.md").write_bytes(b"a\0b\r\n")
    (root / "empty.md").write_text(" \n")
    (root / "latin.md").write_bytes("café".encode("latin-1"))
    (root / "picture.png").write_bytes(b"\x89PNG")
    (root / ".hidden.md").write_text("hidden")
    (root / ".git" / "config.md").write_text("hidden")
    os.symlink(tmp_path / "secret.md", root / "link.md")
    return root


async def test_a_folder_of_markdown_as_files(alice: memoranda.Memory, folder: Path) -> None:
    await alice.files.write("/memories/MEMORY.md", "mine")
    assert {name: (outcome, rule) for name, outcome, rule in await outcomes(alice, markdown.read(folder))} == {
        "MEMORY.md": ("kept", "another text stands there"),
        "deep/café.md": ("stored", None),
        "empty.md": ("skipped", "it has no text"),
        "latin.md": ("skipped", "it is not UTF-8"),
        "link.md": ("skipped", "it leads out of the folder"),
        "picture.png": ("skipped", "it is no text file by its name"),
    }
    stored = await alice.files.read("/memories/deep/café.md")
    assert stored is not None
    assert (stored.content, stored.tainted) == ("ab\n", True)
    assert [name for name, *_ in await outcomes(alice, markdown.read(folder / "MEMORY.md"))] == ["MEMORY.md"]


async def test_a_folder_of_markdown_as_facts(alice: memoranda.Memory, folder: Path) -> None:
    done = await outcomes(alice, markdown.read(folder, as_facts=True))
    assert [outcome for name, outcome, _ in done if name == "MEMORY.md"] == [
        *("pending", "duplicate", "pending", "pending", "pending"),
    ]
    waiting = {each.fact.content: each.fact for each in await alice.review.pending()}
    assert set(waiting) == {
        *("Likes tea", "Prefers GBP", "Writes for a living,\non two lines.", "```\ncode stays - whole\n```", "ab"),
    }
    assert waiting["Prefers GBP"].tags == ("Preferences",)
    assert waiting["```\ncode stays - whole\n```"].tags == ("Preferences", "Work")
    assert waiting["Likes tea"].source == "MEMORY.md"
    again = await outcomes(alice, markdown.read(folder, as_facts=True))
    assert {each[1] for each in again} == {"duplicate", "skipped"}
    with pytest.raises(InputError):
        list(markdown.read(folder / "nothing"))


# Letta ----------------------------------------------------------------------------------------------------------------

BLOCKS = [
    {"id": "block-0", "label": "human", "value": "Likes te\0a", "limit": 5000},
    {"id": "block-1", "label": "human", "value": "Of the other agent"},
    {"id": "block-2", "label": "../persona", "value": "Is brief."},
    {"id": "block-3", "label": "empty", "value": ""},
    {"id": "block-4", "label": "human", "value": "A second one"},
    {"id": "block-5", "label": None, "value": None},
]
AGENTS = [
    {"id": "agent-0", "name": "anna", "block_ids": ["block-0", "block-2", "block-3", "block-4", "block-5", "block-9"]},
    {"id": "agent-1", "name": "otto", "block_ids": ["block-1"], "messages": [{"role": "user", "content": "hello"}]},
]


@pytest.mark.parametrize("twice", [False, True])
async def test_letta(alice: memoranda.Memory, tmp_path: Path, twice: bool) -> None:
    path = tmp_path / "agents.af"
    data: Any = {"agents": AGENTS, "blocks": BLOCKS, "tools": [], "created_at": AWARE}
    path.write_text(json.dumps(json.dumps(data) if twice else data))
    with pytest.raises(InputError, match="anna, otto"):
        list(letta.read(path))
    expected = {"human.md": "stored", "_persona.md": "stored", "human-2.md": "stored"}
    done = await outcomes(alice, letta.read(path, agent="anna"))
    assert {name: outcome for name, outcome, _ in done} == {**expected, "empty.md": "skipped", "block.md": "skipped"}
    human = await alice.files.read("/memories/human.md")
    assert human is not None
    assert human.content == "Likes tea"
    assert [item.name for item in letta.read(path, agent="agent-1")] == ["human.md"]


def test_letta_with_one_agent(tmp_path: Path) -> None:
    path = tmp_path / "one.af"
    path.write_text(json.dumps({"name": "anna", "core_memory": BLOCKS[:1], "messages": []}))
    (item,) = letta.read(path)
    assert isinstance(item, Item)
    assert item.row is not None
    for text in ("", "[]", "{}", '{"agents": []}', '"x"'):
        path.write_text(text)
        with pytest.raises(InputError):
            list(letta.read(path))
