"""Messages of four frameworks, as their own code writes them in JSON, become the same plain messages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.errors import InputError, TimeError
from memoranda.messageshapes import NewMessage, conversation

CALL = {"type": "tool_call", "id": "call_1", "name": "weather", "arguments": '{"city": "Porto"}'}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png", "detail": "low"}}

SHAPES: dict[str, tuple[Any, list[NewMessage]]] = {
    "OpenAI, text": (
        {"role": "user", "content": "Hello.", "name": "anna"},
        [NewMessage("user", "Hello.", author="anna")],
    ),
    "OpenAI, system": ({"role": "system", "content": "You are helpful."}, []),
    "OpenAI, developer": ({"role": "developer", "content": "You are helpful."}, []),
    "OpenAI, parts": (
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, IMAGE, {"type": "text", "text": "a cat"}]},
        [
            NewMessage(
                "user", "Look:\na cat", data={"parts": [{"type": "image_url", "url": "https://example.org/cat.png"}]}
            )
        ],
    ),
    "OpenAI, nothing but a call": (
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Porto"}'}}
            ],
        },
        [NewMessage("assistant", "", data={"tool_calls": [CALL]})],
    ),
    "OpenAI, a tool's answer": (
        {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."},
        [NewMessage("tool", "Sunny.", data={"tool_call_id": "call_1"})],
    ),
    "OpenAI, refusal": (
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]},
        [NewMessage("assistant", "I can't.")],
    ),
    "OpenAI, bytes of a picture": (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
        [NewMessage("user", "", data={"parts": [{"type": "image_url"}]})],
    ),
    "OpenAI responses, message": (
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hi.", "annotations": []}],
        },
        [NewMessage("assistant", "Hi.", "msg_1")],
    ),
    "OpenAI responses, call": (
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city": "Porto"}',
        },
        [NewMessage("assistant", "", "fc_1", data={"tool_calls": [CALL]})],
    ),
    "OpenAI responses, output": (
        {"type": "function_call_output", "call_id": "call_1", "output": "Sunny."},
        [NewMessage("tool", "Sunny.", data={"tool_call_id": "call_1"})],
    ),
    "OpenAI responses, reasoning": ({"type": "reasoning", "id": "rs_1", "summary": []}, []),
    "Anthropic, blocks": (
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Porto"}},
            ],
        },
        [
            NewMessage(
                "assistant",
                "I look.",
                data={
                    "tool_calls": [
                        {"type": "tool_call", "id": "toolu_1", "name": "weather", "arguments": {"city": "Porto"}}
                    ]
                },
            )
        ],
    ),
    "Anthropic, result beside words": (
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "Sunny."}]},
                {"type": "text", "text": "And tomorrow?"},
            ],
        },
        [NewMessage("tool", "Sunny.", data={"tool_call_id": "toolu_1"}), NewMessage("user", "And tomorrow?")],
    ),
    "PydanticAI, request": (
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "You are helpful.", "timestamp": "2026-01-01T00:00:00Z"},
                {
                    "part_kind": "user-prompt",
                    "content": ["Look", {"kind": "image-url", "url": "https://example.org/x"}],
                    "timestamp": "2026-01-01T00:00:00Z",
                },
                {"part_kind": "tool-return", "tool_name": "weather", "content": {"sky": "blue"}, "tool_call_id": "c"},
            ],
        },
        [
            NewMessage(
                "user",
                "Look",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                data={"parts": [{"type": "image-url", "url": "https://example.org/x"}]},
            ),
            NewMessage("tool", '{"sky": "blue"}', data={"tool_call_id": "c"}),
        ],
    ),
    "PydanticAI, response": (
        {
            "kind": "response",
            "timestamp": datetime(2026, 1, 1, tzinfo=UTC),
            "parts": [
                {"part_kind": "thinking", "content": "Hm."},
                {"part_kind": "text", "content": "I look."},
                {
                    "part_kind": "tool-call",
                    "tool_name": "weather",
                    "args": '{"city": "Porto"}',
                    "tool_call_id": "call_1",
                },
            ],
        },
        [NewMessage("assistant", "I look.", at=datetime(2026, 1, 1, tzinfo=UTC), data={"tool_calls": [CALL]})],
    ),
    "PydanticAI, what the framework says itself": (
        {
            "kind": "request",
            "instructions": "Be brief.",
            "parts": [
                {"part_kind": "instruction-delta", "content": "Be brief."},
                {"part_kind": "retry-feedback", "content": "Try again."},
                {
                    "part_kind": "user-prompt",
                    "content": [{"kind": "text-content", "content": "a"}, {"kind": "cache-point"}],
                },
            ],
        },
        [NewMessage("user", "a")],
    ),
    "PydanticAI, speech": (
        {
            "kind": "response",
            "parts": [
                {"part_kind": "speech", "speaker": "user", "transcript": "Hello."},
                {"part_kind": "speech", "speaker": "assistant", "transcript": "Hi."},
            ],
        },
        [NewMessage("user", "Hello."), NewMessage("assistant", "Hi.")],
    ),
    "OpenAI responses, a call of its own": ({"type": "web_search_call", "id": "ws_1", "status": "completed"}, []),
    "LangChain, message_to_dict": (
        {"type": "human", "data": {"content": "Hello.", "type": "human", "id": "m-1", "name": None}},
        [NewMessage("user", "Hello.", "m-1")],
    ),
    "LangChain, model_dump": (
        {
            "type": "ai",
            "content": "",
            "id": "run-1",
            "tool_calls": [{"name": "weather", "args": {"city": "Porto"}, "id": "c", "type": "tool_call"}],
        },
        [
            NewMessage(
                "assistant",
                "",
                "run-1",
                data={
                    "tool_calls": [{"type": "tool_call", "id": "c", "name": "weather", "arguments": {"city": "Porto"}}]
                },
            )
        ],
    ),
    "LangChain, dumpd": (
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "HumanMessage"],
            "kwargs": {"content": "Hello.", "type": "human", "id": "m-1"},
        },
        [NewMessage("user", "Hello.", "m-1")],
    ),
    "LangChain, tool": (
        {"type": "tool", "content": "Sunny.", "tool_call_id": "c", "name": "weather"},
        [NewMessage("tool", "Sunny.", data={"tool_call_id": "c"})],
    ),
    "LangChain, system": ({"type": "system", "content": "You are helpful."}, []),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_becomes_the_same_plain_message(name: str) -> None:
    given_, wanted = SHAPES[name]
    assert conversation([given_]) == wanted


def test_our_own_passes_as_it_is() -> None:
    own = NewMessage("user", "Hello.", "m-1", datetime(2026, 1, 1, tzinfo=UTC), "Anna", {"n": 1})
    assert conversation([own]) == [own]


@pytest.mark.parametrize(
    "wrong",
    ["Hello.", {"role": "narrator", "content": "x"}, {}, 5, {"type": "new"}],
)
def test_what_has_no_known_shape_is_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        conversation([wrong])


def test_a_single_message_is_not_taken_for_a_list_of_its_keys() -> None:
    with pytest.raises(InputError, match="list"):
        conversation({"role": "user", "content": "x"})  # type: ignore[arg-type]


@pytest.mark.parametrize("at", [datetime(2026, 1, 1), "2026-01-01T00:00:00"])  # noqa: DTZ001
def test_a_time_without_a_zone_is_an_error(at: object) -> None:
    with pytest.raises(TimeError):
        conversation([{"role": "user", "content": "x", "timestamp": at}])


def test_seconds_are_a_time() -> None:
    (message,) = conversation([{"role": "user", "content": "x", "created_at": 1_767_225_600}])
    assert message.at == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("seconds", [1e20, float("nan"), float("inf")])
def test_seconds_beyond_all_calendars_are_an_error(seconds: float) -> None:
    with pytest.raises(InputError):
        conversation([{"role": "user", "content": "Hello.", "timestamp": seconds}])


def test_arguments_that_are_nested_too_deep_are_no_error() -> None:
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"a": nested}
    (made,) = conversation([{"role": "assistant", "content": "Hi.", "tool_calls": [{"name": "x", "args": nested}]}])
    assert made.text == "Hi."


def test_long_arguments_of_a_tool_are_left_out_and_that_is_said() -> None:
    call = {"id": "c", "name": "write", "args": {"text": "x" * 20_000}}
    (message,) = conversation([{"type": "ai", "content": "Done.", "tool_calls": [call]}])
    assert message.data == {"tool_calls": [{"type": "tool_call", "id": "c", "name": "write", "omitted": True}]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(content=JSON, calls=JSON, role=st.sampled_from(["user", "assistant", "tool"]))
def test_whatever_stands_in_a_message_it_becomes_one_or_is_refused(content: object, calls: object, role: str) -> None:
    made = conversation([{"role": role, "content": content, "tool_calls": calls}])
    assert all("\x00" not in str(message.data) for message in made)
