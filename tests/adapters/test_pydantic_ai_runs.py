"""Every way in which PydanticAI runs an agent, and every way in which a run ends: what is stored of the turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import UsageLimits

import memoranda
import memoranda.sync
from memoranda.context import LABEL
from memoranda_pydantic_ai import MemoryCapability
from support.databases import Database
from support.reader import Reader

SAID = "My boat is called Esperanza."


@dataclass
class Deps:
    user: str


class ModelDownError(Exception):
    """What a provider raises."""


def answered(messages: list[ModelMessage]) -> bool:
    """Whether the tool was called already."""
    return any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts)


class Model:
    """Calls the tool `work` once, then says "done"; on the way it may fail, or wait."""

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.reader = Reader()
        self.waiting = asyncio.Event()

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not answered(messages):
            return ModelResponse(parts=[ToolCallPart("work", {}, "c1")])
        if self.fails == "down":
            raise ModelDownError
        if self.fails == "waits":
            self.waiting.set()
            await asyncio.sleep(60)
        return ModelResponse(parts=[TextPart("done")])

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for part in (await self.answer(messages, info)).parts:
            if isinstance(part, ToolCallPart):
                yield {0: DeltaToolCall(part.tool_name, "{}", tool_call_id=part.tool_call_id)}
            else:
                yield "do"
                yield "ne"


def agent_of(store: Any, model: Model, **options: Any) -> Agent[Deps, Any]:
    memory = MemoryCapability[Deps](store, identity=lambda ctx: ctx.deps.user, extractor=model.reader)
    agent: Agent[Deps, Any] = Agent(
        FunctionModel(model.answer, stream_function=model.stream), deps_type=Deps, capabilities=[memory], **options
    )

    @agent.tool_plain
    def work() -> str:
        if model.fails == "tool":
            raise ModelDownError
        return "worked"

    return agent


async def run(agent: Agent[Deps, Any]) -> None:
    await agent.run(SAID, deps=Deps("alice"), conversation_id="c")


async def run_stream(agent: Agent[Deps, Any]) -> None:
    async with agent.run_stream(SAID, deps=Deps("alice"), conversation_id="c") as streamed:
        assert await streamed.get_output() == "done"


async def run_stream_events(agent: Agent[Deps, Any]) -> None:
    async with agent.run_stream_events(SAID, deps=Deps("alice"), conversation_id="c") as events:
        async for _ in events:
            pass


async def iterated(agent: Agent[Deps, Any]) -> None:
    async with agent.iter(SAID, deps=Deps("alice"), conversation_id="c") as nodes:
        async for _ in nodes:
            pass


FORMS = [run, run_stream, run_stream_events, iterated]
Form = Callable[[Agent[Deps, Any]], Awaitable[None]]


async def stored(store: memoranda.Store) -> list[tuple[str, str]]:
    found = await store.memory("alice", chat="c").messages.list()
    assert not any(LABEL in each.text for each in found)
    return [(each.role, each.text) for each in found if each.text]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
async def test_a_run_that_succeeds(store: memoranda.Store, form: Form) -> None:
    model = Model()
    await form(agent_of(store, model))
    assert model.reader.read == [[SAID, "done"]]
    assert sorted(await stored(store)) == [("assistant", "done"), ("tool", "worked"), ("user", SAID)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("fails", ["down", "tool"])
async def test_a_run_whose_model_or_tool_fails(store: memoranda.Store, form: Form, fails: str) -> None:
    model = Model(fails)
    with pytest.raises(ModelDownError):
        await form(agent_of(store, model))
    assert [texts[0] for texts in model.reader.read] == [SAID]
    assert ("user", SAID) in await stored(store)
    assert ("assistant", "done") not in await stored(store)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
async def test_a_run_that_is_cancelled(store: memoranda.Store, form: Form) -> None:
    model = Model("waits")
    running = asyncio.ensure_future(form(agent_of(store, model)))
    await model.waiting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    found: list[tuple[str, str]] = []
    for _ in range(200):  # it is stored beside what was cancelled
        if (found := await stored(store)) and model.reader.read:
            break
        await asyncio.sleep(0.05)
    assert ("user", SAID) in found
    assert [texts[0] for texts in model.reader.read] == [SAID]


async def test_a_run_over_its_limit(store: memoranda.Store) -> None:
    model = Model()
    with pytest.raises(UsageLimitExceeded):
        await agent_of(store, model).run(
            SAID, deps=Deps("alice"), conversation_id="c", usage_limits=UsageLimits(request_limit=1)
        )
    assert [texts[0] for texts in model.reader.read] == [SAID]
    assert ("user", SAID) in await stored(store)


async def test_a_stream_that_is_left_early(store: memoranda.Store) -> None:
    model = Model()
    async with agent_of(store, model).run_stream(SAID, deps=Deps("alice"), conversation_id="c") as streamed:
        async for _ in streamed.stream_text():
            break
    assert [texts[0] for texts in model.reader.read] == [SAID]
    assert ("user", SAID) in await stored(store)


async def test_a_run_that_waits_for_a_person_ends_when_it_is_resumed(store: memoranda.Store) -> None:
    first = Model()
    agent = agent_of(store, first, output_type=[str, DeferredToolRequests])

    @agent.tool_plain(name="work2", requires_approval=True)
    def work2() -> str:
        return "worked after all"

    async def calls(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not answered(messages):
            return ModelResponse(parts=[ToolCallPart("work2", {}, "c1")])
        return await first.answer(messages, info)

    asked: list[list[ModelMessage]] = []

    async def seen(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(messages)
        return await calls(messages, info)

    await store.memory("alice").facts.save("Prefers figures in GBP.", key="currency")
    waiting = await agent.run(SAID, deps=Deps("alice"), conversation_id="c", model=FunctionModel(seen))
    assert isinstance(waiting.output, DeferredToolRequests)
    assert await stored(store) == []
    assert first.reader.read == []
    results = DeferredToolResults(approvals={"c1": True})
    ended = await agent.run(
        message_history=waiting.all_messages(),
        deferred_tool_results=results,
        deps=Deps("alice"),
        conversation_id="c",
        model=FunctionModel(seen),
    )
    assert ended.output == "done"
    assert first.reader.read == [[SAID, "done"]]
    assert sorted(await stored(store)) == [("assistant", "done"), ("tool", "worked after all"), ("user", SAID)]
    # Between the call and its result there is nothing, and the block stands before the prompt.
    kinds = [part.part_kind for message in asked[-1] for part in message.parts]
    assert kinds == ["user-prompt", "user-prompt", "tool-call", "tool-return"]


@pytest.fixture
def a_loop() -> Iterator[None]:
    """An event loop that is closed at the end: `run_sync` makes one, and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.mark.usefixtures("a_loop")
def test_a_run_without_await(database: Database) -> None:
    with memoranda.sync.connect(database.dsn()) as store:
        store.memory("alice").facts.save("Prefers figures in GBP.", key="currency")
        seen: list[str] = []

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.extend(str(message) for message in messages if isinstance(message, ModelRequest))
            return ModelResponse(parts=[TextPart("done")])

        reader = Reader()
        memory = MemoryCapability[Deps](store, identity=lambda ctx: ctx.deps.user, extractor=reader)
        agent = Agent(FunctionModel(model), deps_type=Deps, capabilities=[memory])
        agent.run_sync(SAID, deps=Deps("alice"), conversation_id="c")
        assert reader.read == [[SAID, "done"]]
        assert "GBP" in "".join(seen)
        assert {each.text for each in store.memory("alice", chat="c").messages.list()} == {SAID, "done"}


async def test_storing_that_fails_is_a_line_in_the_log(
    store: memoranda.Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object, **__: object) -> None:
        raise RuntimeError(SAID)

    monkeypatch.setattr("memoranda.turns.Turns.add", down)
    await run(agent_of(store, Model()))
    assert "A turn was not stored: RuntimeError" in caplog.text
    assert SAID not in caplog.text


async def test_two_memories_on_one_agent_are_refused(store: memoranda.Store) -> None:
    memory = [MemoryCapability[Deps](store, identity=lambda ctx: ctx.deps.user) for _ in range(2)]
    with pytest.raises(ValueError, match="one agent"):
        await Agent(FunctionModel(Model().answer), deps_type=Deps, capabilities=memory).run("x", deps=Deps("alice"))


PROPOSED = json.dumps({"facts": [{"content": "Has a boat called Esperanza.", "quote": SAID, "message": 1}]})


def own_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The agent's model, which is also asked what is worth remembering."""
    return ModelResponse(parts=[TextPart(PROPOSED if "worth remembering" in (info.instructions or "") else "done")])


async def test_the_agents_own_model_extracts(store: memoranda.Store) -> None:
    memory = MemoryCapability[Deps](store, identity=lambda ctx: ctx.deps.user, extractor="agent")
    agent = Agent(FunctionModel(own_model), deps_type=Deps, capabilities=[memory])
    await agent.run(SAID, deps=Deps("alice"), conversation_id="c")
    assert [fact.content for fact in await store.memory("alice").facts.recall()] == ["Has a boat called Esperanza."]


async def test_an_extractor_that_fails_is_never_the_runs_error(
    store: memoranda.Store, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        async def extract(self, turn: object, known: object) -> Any:
            raise ModelDownError(SAID)

    memory = MemoryCapability[Deps](store, identity=lambda ctx: ctx.deps.user, extractor=Failing())
    agent = Agent(FunctionModel(own_model), deps_type=Deps, capabilities=[memory])
    assert (await agent.run(SAID, deps=Deps("alice"), conversation_id="c")).output == "done"
    assert len(await stored(store)) == 2
    assert SAID not in caplog.text
