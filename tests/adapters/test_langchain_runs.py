"""Every way in which LangChain runs an agent, and every way in which a run ends: what is stored of the turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import memoranda
import memoranda.sync
from memoranda.context import LABEL
from memoranda.errors import InputError
from memoranda_langchain import MemoryMiddleware, ModelExtractor, memory_tools, with_memory
from support.databases import Database
from support.reader import Reader

SAID = "My boat is called Esperanza."
CONFIG: Any = {"configurable": {"thread_id": "c", "user": "alice"}}


@dataclass
class Context:
    user: str


class ModelDownError(Exception):
    """What a provider raises."""


class Model(GenericFakeChatModel):
    """Calls the tool `work` once, then says "done"; on the way it may fail, or wait."""

    fails: str = ""
    reader: Any
    waiting: asyncio.Event
    asked: list[list[BaseMessage]]

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind()

    def _generate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
        self.asked.append(list(messages))
        if messages[-1].type == "tool" and self.fails == "down":
            raise ModelDownError
        return super()._generate(messages, *rest, **more)

    async def _agenerate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
        if messages[-1].type == "tool" and self.fails == "waits":
            self.waiting.set()
            await asyncio.sleep(60)
        return await super()._agenerate(messages, *rest, **more)

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        result = (await self._agenerate(messages)).generations[0].message
        assert isinstance(result, AIMessage)
        calls: Any = [{"name": call["name"], "args": "{}", "id": call["id"], "index": 0} for call in result.tool_calls]
        for text in (result.text[:2], result.text[2:]) if result.text else ("",):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text, tool_call_chunks=calls))


def model_that(fails: str = "") -> Model:
    call = AIMessage("", tool_calls=[{"name": "work", "args": {}, "id": "c1"}])
    return Model(
        messages=iter([call, AIMessage("done")]), fails=fails, reader=Reader(), waiting=asyncio.Event(), asked=[]
    )


def agent_of(store: Any, model: Model, *more: Any) -> Any:
    @tool
    def work() -> str:
        """Work."""
        if model.fails == "tool":
            raise ModelDownError
        return "worked"

    memory = MemoryMiddleware(store, identity=lambda runtime: runtime.context.user, extractor=model.reader)
    return create_agent(model, [work], middleware=[memory, *more], context_schema=Context, checkpointer=InMemorySaver())


def who(config: Any) -> str:
    return str(config["configurable"]["user"])


ASKED: Any = {"messages": [HumanMessage(SAID)]}


async def ainvoke(agent: Any) -> None:
    await agent.ainvoke(ASKED, CONFIG, context=Context("alice"))


async def astream(agent: Any) -> None:
    async for _ in agent.astream(ASKED, CONFIG, context=Context("alice"), stream_mode="messages"):
        pass


async def invoke(agent: Any) -> None:
    await asyncio.to_thread(agent.invoke, ASKED, CONFIG, context=Context("alice"))


async def stream(agent: Any) -> None:
    await asyncio.to_thread(lambda: list(agent.stream(ASKED, CONFIG, context=Context("alice"))))


FORMS = [ainvoke, astream, invoke, stream]
Form = Callable[[Any], Awaitable[None]]


async def stored(store: memoranda.Store) -> list[tuple[str, str]]:
    found = await store.memory("alice", chat="c").messages.list()
    assert not any(LABEL in each.text for each in found)
    return sorted((each.role, each.text) for each in found if each.text)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
async def test_a_run_that_succeeds(store: memoranda.Store, form: Form) -> None:
    model = model_that()
    await form(agent_of(store, model))
    assert model.reader.read == [[SAID, "done"]]
    assert await stored(store) == [("assistant", "done"), ("tool", "worked"), ("user", SAID)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("fails", ["down", "tool"])
async def test_a_run_whose_model_or_tool_fails(store: memoranda.Store, form: Form, fails: str) -> None:
    model = model_that(fails)
    with pytest.raises(ModelDownError):
        await form(agent_of(store, model))
    assert [texts[0] for texts in model.reader.read] == [SAID]
    assert ("user", SAID) in await stored(store)
    assert ("assistant", "done") not in await stored(store)


@pytest.mark.parametrize("form", [ainvoke, astream], ids=lambda form: form.__name__)
async def test_a_run_that_is_cancelled(store: memoranda.Store, form: Form) -> None:
    model = model_that("waits")
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


async def test_a_run_that_is_interrupted_ends_when_it_is_resumed(store: memoranda.Store) -> None:
    await store.memory("alice").facts.save("Prefers figures in GBP.", key="currency")
    model = model_that()
    agent = agent_of(store, model, HumanInTheLoopMiddleware(interrupt_on={"work": True}))
    waiting = await agent.ainvoke(ASKED, CONFIG, context=Context("alice"))
    assert "__interrupt__" in waiting
    assert await stored(store) == []
    assert model.reader.read == []
    resumed = agent_of(store, model, HumanInTheLoopMiddleware(interrupt_on={"work": True}))  # in another process
    resumed.checkpointer = agent.checkpointer
    done = await resumed.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), CONFIG, context=Context("alice"))
    assert done["messages"][-1].text == "done"
    assert model.reader.read == [[SAID, "done"]]
    assert await stored(store) == [("assistant", "done"), ("tool", "worked"), ("user", SAID)]
    assert [message.type for message in model.asked[-1]] == ["system", "human", "human", "ai", "tool"]


async def test_a_stream_that_is_left_early_says_what_the_user_said(store: memoranda.Store) -> None:
    model = model_that()
    events = agent_of(store, model).astream(ASKED, CONFIG, context=Context("alice"), stream_mode="messages")
    async for _ in events:
        break
    await events.aclose()
    assert set(await stored(store)) <= {("user", SAID), ("tool", "worked"), ("assistant", "done")}
    assert all(texts[0] == SAID for texts in model.reader.read)


def test_without_await_and_tools_alone(database: Database) -> None:
    with memoranda.sync.connect(database.dsn()) as store:
        memory, recall = memory_tools(store, identity=who)
        created = {"command": "create", "path": "/memories/a.md", "file_text": "likes tea"}
        call: Any = {"name": "memory", "args": created, "id": "c1", "type": "tool_call"}
        assert memory.invoke(call, CONFIG).text == "File created successfully at: /memories/a.md"
        assert memory.invoke(call, CONFIG).status == "error"  # no run id names the write: it is another
        assert "Nothing" in recall.invoke({"query": "tea"}, CONFIG)
        runnable = with_memory(model_that(), store, identity=who)
        assert runnable.invoke("hello", CONFIG).text == "done"
        assert {each.text for each in store.memory("alice", chat="c").messages.list()} >= {"hello", "done"}


async def test_tools_of_one_memory_and_what_is_refused(store: memoranda.Store) -> None:
    memory, _ = memory_tools(store.memory("alice"))
    listed = await memory.ainvoke({"command": "view", "path": "/memories"})
    assert listed.startswith("Here're the files")
    with pytest.raises(InputError):
        memory.invoke({"command": "view", "path": "/memories"})
    with pytest.raises(InputError, match="identity"):
        memory_tools(store)  # type: ignore[call-overload]
    (memory, _) = memory_tools(store, identity=who)
    with pytest.raises(KeyError):
        await memory.ainvoke({"command": "view", "path": "/memories"})


async def test_a_model_extracts(store: memoranda.Store) -> None:
    proposed = json.dumps({"facts": [{"content": "Has a boat called Esperanza.", "quote": SAID, "message": 1}]})
    reader = GenericFakeChatModel(messages=iter([AIMessage(proposed)]))
    memory = MemoryMiddleware(store, identity=lambda runtime: runtime.context.user, extractor=ModelExtractor(reader))
    model = Model(messages=iter([AIMessage("done")]), reader=Reader(), waiting=asyncio.Event(), asked=[])
    agent: Any = create_agent(model, [], middleware=[memory], context_schema=Context)  # pyright: ignore[reportUnknownVariableType]
    await agent.ainvoke(ASKED, CONFIG, context=Context("alice"))
    assert [fact.content for fact in await store.memory("alice").facts.recall()] == ["Has a boat called Esperanza."]
