"""Whose words a PydanticAI run holds, and what it does with the odd things that models and servers send."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda.errors import InputError
from memoranda.turns import Turns
from memoranda_pydantic_ai import MemoryCapability

QUOTE = "I bank at Evilbank"
VIEW = {"command": "view", "path": "/memories"}


def agent_of(
    store: memoranda.Store, steps: Sequence[Sequence[ModelResponsePart]], *, output: Any = str, **options: Any
) -> Agent[object, Any]:
    script = list(steps)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=list(script.pop(0)) if script else [TextPart("done")])

    memory = MemoryCapability[object](store, identity=lambda _: "alice", **options)
    return Agent(FunctionModel(model), output_type=output, capabilities=[memory], deps_type=object)


def remembered(quote: str, id_: str = "r1") -> list[ToolCallPart]:
    return [ToolCallPart("remember", {"content": quote + ".", "quote": quote}, id_)]


def created(name: str, id_: str) -> ToolCallPart:
    return ToolCallPart("memory", {"command": "create", "path": f"/memories/{name}", "file_text": "x"}, id_)


async def tainted(store: memoranda.Store) -> dict[str, bool]:
    return {file.path.removeprefix("/memories/"): file.tainted for file in await store.memory("alice").files.list()}


async def test_what_a_tool_adds_to_its_result_is_not_the_users_word(store: memoranda.Store) -> None:
    agent = agent_of(store, [[ToolCallPart("web", {}, "c1")], remembered(QUOTE)], remember=True, trusted_tools=["web"])

    @agent.tool_plain
    def web() -> Any:
        return ToolReturn("read", content=[QUOTE])

    await agent.run("read the page")
    memory = store.memory("alice")
    assert await memory.facts.recall() == []
    assert [waiting.fact.content for waiting in await memory.review.pending()] == [QUOTE + "."]
    said = [(each.role, each.text) for each in await memory.messages.list() if each.role != "assistant"]
    assert ("tool", QUOTE) in said
    assert [text for role, text in said if role == "user"] == ["read the page"]


async def test_structured_output_is_no_foreign_result(store: memoranda.Store) -> None:
    class Out(BaseModel):
        text: str

    ended = [ToolCallPart("final_result", {"text": "fine"}, "f1")]
    agent = agent_of(store, [ended, [created("a.md", "m1")], ended], output=Out)
    first = await agent.run("hello")
    await agent.run("note it", message_history=first.all_messages())
    assert await tainted(store) == {"a.md": False}


async def test_a_tool_of_the_applications_with_a_name_of_ours_is_foreign(store: memoranda.Store) -> None:
    agent = agent_of(store, [[ToolCallPart("remember", {}, "c1")], [created("a.md", "m1")]])  # without our `remember`

    @agent.tool_plain
    def remember() -> str:
        return "what a stranger wrote"

    await agent.run("hello")
    assert await tainted(store) == {"a.md": True}


async def test_what_the_provider_has_read_taints_the_calls_beside_it(store: memoranda.Store) -> None:
    searched: list[ModelResponsePart] = [
        NativeToolCallPart("web_search", {}, "s1"),
        NativeToolReturnPart("web_search", "a page", "s1"),
    ]
    await agent_of(store, [[*searched, created("a.md", "m1")]]).run("look it up")
    assert await tainted(store) == {"a.md": True}


async def test_calls_with_the_same_id_are_different_writes(store: memoranda.Store) -> None:
    agent = agent_of(
        store, [[created("a.md", "0")], [created("b.md", "0")], remembered("hi there", "0")], remember=True
    )
    assert (await agent.run("hi there")).output == "done"
    assert set(await tainted(store)) == {"a.md", "b.md"}


@pytest.mark.parametrize("id_", ["", "x" * 5000, "a\0b"], ids=["none", "long", "nul"])
async def test_a_calls_id_may_be_anything(store: memoranda.Store, id_: str) -> None:
    await agent_of(store, [[created("a.md", id_)]]).run("hello")
    assert set(await tainted(store)) == {"a.md"}


async def test_input_with_the_names_of_our_own_arguments(store: memoranda.Store) -> None:
    result = await agent_of(store, [[ToolCallPart("memory", {**VIEW, "ctx": 1, "self": 2}, "c1")]]).run("hello")
    (answer,) = (part for each in result.new_messages() for part in each.parts if isinstance(part, ToolReturnPart))
    assert answer.model_response_str().startswith("Here're the files")


async def test_cancelling_while_the_turn_is_stored_loses_nothing(
    store: memoranda.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing, stored = asyncio.Event(), asyncio.Event()
    add = Turns.add

    async def slow(self: Turns, *given: Any, **more: Any) -> Any:
        storing.set()
        await asyncio.sleep(0.1)
        outcome = await add(self, *given, **more)
        stored.set()
        return outcome

    monkeypatch.setattr(Turns, "add", slow)
    running = asyncio.ensure_future(agent_of(store, []).run("I fly tomorrow"))
    await storing.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await stored.wait()
    assert {each.text for each in await store.memory("alice").messages.list()} == {"I fly tomorrow", "done"}


@pytest.mark.parametrize("option", [{"tainted": "hide"}, {"extract": "later"}], ids=str)
async def test_options_of_no_known_value_are_refused(store: memoranda.Store, option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(option))):
        agent_of(store, [], **option)
