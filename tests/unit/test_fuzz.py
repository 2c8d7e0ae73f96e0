"""Fuzzing of all that reads what a model, a tool, a file or another program has made: a result, or an error of ours.

`pytest tests/unit/test_fuzz.py -m slow` tries them for minutes. The six commands are in
`tests/integration/test_fuzz_commands.py`, since they need a database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda import Candidate, Message, Turn
from memoranda.commands import Result
from memoranda.errors import InputError
from memoranda.exportformat import Item, items_of
from memoranda.extracting import answers, dates, grounding, openai, prompt, said
from memoranda.extracting.errors import AnswerError, ExtractorError
from memoranda.importers import langgraph, letta, markdown, mem0
from memoranda.messageshapes import NewMessage, conversation
from memoranda.messagetypes import Role
from memoranda.recalling import query_of
from support.hostile import PATIENT, TEXTS, objects, texts, values

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACT_NAMES = (
    *("facts", "content", "text", "fact", "memory", "statement", "kind", "key", "entities", "quote", "message"),
    *("updates", "since", "until", "valid_from", "valid_until", "preference", "yesterday", "last week"),
)
ANSWER_NAMES = (
    *("choices", "message", "content", "refusal", "finish_reason", "length", "content_filter", "output", "type"),
    *("text", "output_text", "incomplete_details", "reason", "status", "incomplete"),
)
MESSAGE_NAMES = (
    *(
        "role",
        "content",
        "type",
        "text",
        "id",
        "name",
        "parts",
        "kind",
        "request",
        "response",
        "part_kind",
        "timestamp",
    ),
    *("user", "assistant", "tool", "human", "ai", "system", "tool_calls", "tool_use", "tool_result", "function"),
    *("arguments", "input", "image_url", "function_call", "function_call_output", "constructor", "kwargs", "data"),
    *("user-prompt", "text", "tool-call", "tool-return", "retry-prompt", "args", "call_id", "created_at", "thinking"),
)
ROW_NAMES = (
    *(
        "type",
        "id",
        "fact_id",
        "content",
        "path",
        "key",
        "message_id",
        "chat",
        "version",
        "memoranda",
        "export",
        "rows",
    ),
    *("header", "end", "fact", "file", "message", "document", "tombstone", "vector", "revision", "run", "scope"),
    *("created_at", "said_at", "expires_at", "history", "data", "metadata", "updated_at", "hash", "value", "label"),
    *("core_memory", "agents", "blocks", "block_ids", "memory_blocks", "kwargs", "memory", "user_id"),
)


def message(number: int, role: Role, text: str) -> Message:
    return Message(f"m{number}", role, text, NOW, "c", None, UUID(int=1), {}, False, 1, ("user", ""), None, None)


TURN = Turn(UUID(int=1), "c", [message(0, "user", "I live in Oslo since May."), message(1, "assistant", "Noted.")])


def json_text(value: object) -> str:
    """As JSON, or nearly: cut, fenced, quoted twice, with what JSON doesn't know."""
    return json.dumps(value, ensure_ascii=False, default=str)


@st.composite
def nearly(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    """A text that was JSON once: cut off, with something put into it, in a fence or in prose."""
    text = json_text(draw(values(names)))
    cut = draw(st.integers(0, len(text)))
    text = draw(st.sampled_from([text, text[:cut], text[cut:], text[:cut] + draw(texts) + text[cut:]]))
    frame = draw(
        st.sampled_from(["{}", "```json\n{}\n```", "```\n{}", "Here: {} and more", "<think>{}</think>{}", "{}{}"])
    )
    return frame.replace("{}", text)


def reads_an_answer(answer: str) -> None:
    try:
        found = answers.read_answer(answer)
    except AnswerError as error:
        reason, found = error.reason, []
        assert reason in ("empty", "truncated", "not JSON", "wrong shape")
    assert all(proposal.content.strip() == proposal.content != "" for proposal in found)


def makes_candidates(answer: str) -> None:
    try:
        found = prompt.ask(TURN, []).read(answer)
    except AnswerError:
        return
    for each in found:
        grounds = grounding.grounds(each, TURN)
        assert each.message in (None, "m0", "m1"), "it names what is there"
        assert each.supersedes is None, "nothing is known that it could supersede"
        assert grounds.origin in ("user", "assistant", "tool")
        if grounds.reason is None:
            assert grounds.origin == "user"
            assert each.quote
        for time in (each.valid_from, each.valid_until):
            assert time is None or time.tzinfo is not None


def reads_a_server(answer: object) -> None:
    try:
        found = openai._text_of(answer)  # pyright: ignore[reportPrivateUsage]
    except ExtractorError:
        return
    assert found is None or isinstance(found, str | list | dict | int | float)
    if isinstance(found, str):
        reads_an_answer(found)


def reads_messages(messages: list[object]) -> None:
    try:
        found = conversation(messages)
    except InputError:
        return
    for each in found:
        assert isinstance(each, NewMessage)
        assert each.role in ("user", "assistant", "tool")
        assert isinstance(each.text, str)
        assert not set("\0") & set(each.text)
        each.text.encode()
        json.dumps(each.data, allow_nan=False)


def reads_lines(lines: list[str]) -> None:
    try:
        for item in items_of(lines, restore=False):
            assert isinstance(item, Item)
            json.dumps(item.row, allow_nan=False).encode()
    except InputError as error:
        line = error.detail.get("line")
    else:
        return
    assert isinstance(line, int)


def imports(rows: dict[str, Any]) -> None:
    for item in (
        mem0._item(1, str(UUID(int=1)), rows, UTC),  # pyright: ignore[reportPrivateUsage]
        langgraph._item(1, "place", "name", "key", {"value": rows}),  # pyright: ignore[reportPrivateUsage]
    ):
        assert item.row is not None or item.reason
        json.dumps(item.row, allow_nan=False).encode()


def hears(text: str) -> None:
    assert dates.resolve(text, NOW) is None or dates.resolve(text, NOW)
    for read in (said.typed, said.spoken, grounding.plain):
        assert isinstance(read(text), str)
    candidate = Candidate(text or "x", quote=text)
    turn = Turn(UUID(int=1), None, [TURN.messages[0], TURN.messages[1]])
    assert grounding.grounds(candidate, turn).origin in ("user", "assistant", "tool")


def asks(arguments: dict[str, Any]) -> None:
    assert isinstance(query_of(arguments), str | Result)


PARSERS: dict[str, tuple[Callable[[Any], None], st.SearchStrategy[Any]]] = {
    "an extractor's answer": (reads_an_answer, nearly(FACT_NAMES) | texts),
    "candidates": (makes_candidates, nearly(FACT_NAMES)),
    "a server's answer": (reads_a_server, objects(ANSWER_NAMES)),
    "messages": (reads_messages, st.lists(objects(MESSAGE_NAMES) | values(MESSAGE_NAMES), max_size=4)),
    "an export": (reads_lines, st.lists(objects(ROW_NAMES).map(json_text) | nearly(ROW_NAMES) | texts, max_size=5)),
    "another product's rows": (imports, objects(ROW_NAMES)),
    "words that tell a time, a quote, what was typed": (hears, texts | st.sampled_from(FACT_NAMES)),
    "a query": (asks, objects(("query", "limit"))),
}
"""What reads, and what it is given."""

FOUND = [
    ("an export", ['{"type":[]}']),
    ("an export", ['{"type":{}}']),
    ("another product's rows", {"memory": "x", "k" * 300: 1}),
]
"""What fuzzing has found once."""

HEADER = json.dumps({"memoranda": "export", "version": 2, "at": NOW.isoformat(), "user": "x", "history": True})


def fuzzed(name: str, examples: int) -> None:
    reads, strategy = PARSERS[name]

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=PATIENT)
    @given(strategy)
    def run(value: Any) -> None:
        reads([HEADER, *value] if name == "an export" and len(value) % 2 else value)

    run()


@pytest.mark.parametrize(("name", "value"), FOUND)
def test_what_was_found_once_is_mended(name: str, value: Any) -> None:
    reads, _ = PARSERS[name]
    reads([HEADER, *value] if name == "an export" else value)


@pytest.mark.parametrize("name", PARSERS)
def test_whatever_it_is_given_a_parser_answers_or_raises_what_is_ours(name: str) -> None:
    fuzzed(name, 25)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_whatever_it_is_given_a_parser_answers_or_raises_what_is_ours_in_3000_tries(name: str) -> None:
    fuzzed(name, 3_000)


def contents() -> Iterator[bytes]:
    yield from (b"", b"\xff\xfe", b"# h\n- a\n  - b\n```\nx", "\ufeff# x\r\n- y".encode(), b"\0", b"- " * 1000)
    yield from (text.encode(errors="surrogatepass") for text in TEXTS)


def test_a_folder_of_any_bytes_is_read_or_left_out_with_a_reason(tmp_path: Path) -> None:
    for number, content in enumerate(contents()):
        (tmp_path / f"{number}.md").write_bytes(content)
    for as_facts in (False, True):
        for item in markdown.read(tmp_path, as_facts=as_facts):
            assert item.row is not None or item.reason
            json.dumps(item.row, allow_nan=False).encode()


@settings(max_examples=40, deadline=None, database=None, suppress_health_check=PATIENT)
@given(objects(ROW_NAMES) | values(ROW_NAMES) | st.binary(max_size=30))
def test_an_agent_file_of_any_content_is_read_or_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "agent.af"
    path.write_bytes(content if isinstance(content, bytes) else json_text(content).encode(errors="surrogatepass"))
    try:
        for item in letta.read(path):
            assert item.row is not None or item.reason
    except InputError:
        pass
