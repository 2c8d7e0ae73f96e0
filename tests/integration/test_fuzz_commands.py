"""Fuzzing of the tools that a model calls: whatever it sends, it gets a text, and reaches nothing but its own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoranda.sync
from memoranda.agents import AgentOptions
from memoranda.context import LABEL
from memoranda.sync.agents import AgentRun
from memoranda.transport.embedded import EmbeddedServer
from support.databases import create_database, drop_database
from support.hostile import PATIENT, objects, texts, values

NAMES = (
    *("command", "path", "file_text", "old_str", "new_str", "insert_line", "insert_text", "old_path", "new_path"),
    *(
        "view_range",
        "content",
        "key",
        "quote",
        "query",
        "limit",
        "user",
        "tenant",
        "scope",
        "origin",
        "actor",
        "source",
    ),
)
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")
PATHS = ("/memories", "/memories/a.md", "/memories/b/c.md", "/memories/../x", "/memoriesx", "/memories/bob.md", "/")

paths = st.sampled_from(PATHS) | texts.map(lambda text: f"/memories/{text}") | texts
ranges = st.none() | st.lists(st.integers(-3, 9) | texts, max_size=3) | values(("view_range",))
plausible = st.fixed_dictionaries(
    {"command": st.sampled_from(COMMANDS)},
    optional={
        **dict.fromkeys(("path", "old_path", "new_path"), paths),
        **dict.fromkeys(("file_text", "old_str", "new_str", "insert_text"), texts | st.sampled_from(["a\n", "a"])),
        "insert_line": st.integers(-2, 5) | texts | st.floats(),
        "view_range": ranges,
    },
)


@pytest.fixture(scope="module")
def store(direct_server: EmbeddedServer, template: str) -> Iterator[memoranda.sync.Store]:
    made = create_database(direct_server, template)
    with memoranda.sync.connect(made.dsn(), max_connections=1) as opened:
        opened.memory("bob").files.write("/memories/bob.md", "bob's alone")
        opened.memory("bob").facts.save("bob's alone", key="bob")
        yield opened
    drop_database(made)


def answers(store: memoranda.sync.Store, given_: list[tuple[str, dict[str, Any]]], number: int) -> None:
    """One run, in which a model calls tools with these inputs, each twice, as with a call that is made again."""
    memory = store.memory("alice", run_id=f"run {number}", chat="c")
    run = AgentRun(memory, AgentOptions(remember=True))
    for call, (tool, arguments) in enumerate(given_):
        for _ in range(2):
            result = run.call(tool, arguments, f"call {call}")
            assert isinstance(result.text, str)
            result.text.encode()
            assert not re.search(r"Traceback|object at 0x|site-packages|psycopg|memoranda_private", result.text)
            assert "bob's alone" not in result.text
            if LABEL in result.text:
                assert not re.search(r"[<>&]", "".join(result.text.split("\n")[2:-1]))
    for entry in memory.files.list():
        assert re.fullmatch(r"/memories/[^/]+(/[^/]+)*", entry.path)
        assert ".." not in entry.path.split("/")
    assert all(fact.origin != "user" or fact.quote for fact in memory.facts.recall(200)), (
        "it says nothing in their name"
    )


calls = st.one_of(
    st.tuples(st.just("memory"), plausible),
    st.tuples(st.just("memory"), objects(NAMES)),
    st.tuples(st.sampled_from(["recall", "remember", "no such tool"]), objects(NAMES)),
)


def fuzzed(store: memoranda.sync.Store, examples: int, seed: int) -> None:
    number = seed

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=PATIENT)
    @given(st.lists(calls, min_size=1, max_size=4))
    def run(given_: list[tuple[str, dict[str, Any]]]) -> None:
        nonlocal number
        number += 1
        answers(store, given_, number)

    run()
    bob = store.memory("bob")
    assert [(entry.path, entry.version) for entry in bob.files.list()] == [("/memories/bob.md", 1)]
    assert [fact.content for fact in bob.facts.recall()] == ["bob's alone"]


def test_whatever_a_model_sends_it_gets_a_text(store: memoranda.sync.Store) -> None:
    fuzzed(store, 40, seed=0)


@pytest.mark.slow
def test_whatever_a_model_sends_it_gets_a_text_in_1000_runs(store: memoranda.sync.Store) -> None:
    fuzzed(store, 1_000, seed=1_000_000)


def test_what_is_too_deep_for_json_is_no_crash(store: memoranda.sync.Store) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    run = AgentRun(store.memory("alice", run_id="deep"), AgentOptions(remember=True))
    for tool, name in (("memory", "view_range"), ("recall", "query"), ("remember", "content")):
        assert run.call(tool, {"command": "view", "path": "/memories", name: deep}, "c").is_error
