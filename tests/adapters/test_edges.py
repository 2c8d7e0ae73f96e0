"""What either adapter does at the edges: who is asked with `await`, what is no scope, where a run may not write."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

import memoranda
import memoranda.sync
from memoranda import Scope
from memoranda.agentmemory import AgentMemory
from memoranda.agents import AgentRun
from memoranda.errors import DatabaseError, InputError, ScopeError, UnavailableError
from memoranda_langchain import MemoryMiddleware, memory_tools, with_memory
from memoranda_pydantic_ai import MemoryCapability
from support.databases import Database
from support.reader import Reader

SAID = "My boat is called Esperanza."
CONFIG: Any = {"configurable": {"thread_id": "c", "user": "alice"}}


@dataclass
class Context:
    user: str


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind()


def model(*steps: str) -> Model:
    """A model that calls the tool `work` in each step that is empty."""
    said = [
        AIMessage(step, tool_calls=[] if step else [{"name": "work", "args": {}, "id": f"c{number}"}])
        for number, step in enumerate(steps)
    ]
    return Model(messages=iter(said))


@tool
def work() -> str:
    """Work."""
    return "worked"


def agent_of(store: Any, asked: Model, identity: Any, **options: Any) -> Any:
    memory = MemoryMiddleware(store, identity=identity, **options)
    return create_agent(  # pyright: ignore[reportUnknownVariableType]
        asked, [work], middleware=[memory], context_schema=Context, checkpointer=InMemorySaver()
    )


async def served(ctx: Any) -> str:
    await asyncio.sleep(0)
    return str(ctx.deps if hasattr(ctx, "deps") else ctx["configurable"]["user"])


def in_context(runtime: Any) -> str:
    return str(runtime.context.user)


async def stored(store: memoranda.Store, chat: str = "c", user: str = "alice") -> set[tuple[str, str]]:
    found = await store.memory(user, chat=chat).messages.list()
    return {(each.role, each.text) for each in found if each.text}


async def test_an_identity_that_waits_serves_what_is_awaited(store: memoranda.Store) -> None:
    await Agent(
        FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("done")])),
        deps_type=str,
        capabilities=[MemoryCapability[str](store, identity=served)],
    ).run(SAID, deps="alice", conversation_id="p")
    assert await stored(store, "p") == {("user", SAID), ("assistant", "done")}

    async def who(runtime: Any) -> str:
        return str(runtime.context.user)

    await agent_of(store, model("", "done"), who).ainvoke({"messages": [SAID]}, CONFIG, context=Context("alice"))
    assert await stored(store) == {("user", SAID), ("tool", "worked"), ("assistant", "done")}
    await with_memory(model("well"), store, identity=served).ainvoke(SAID, CONFIG)
    assert ("assistant", "well") in await stored(store)
    memory, _ = memory_tools(store, identity=served)
    assert "files" in await memory.ainvoke({"command": "view", "path": "/memories"}, CONFIG)


@pytest.mark.filterwarnings("error")  # such as of a coroutine that was never awaited
def test_without_await_it_is_refused_with_a_word(database: Database) -> None:
    with memoranda.sync.connect(database.dsn()) as store:

        async def who(runtime: Any) -> str:
            return str(runtime.context.user)

        with pytest.raises(InputError, match="async function"):
            agent_of(store, model("done"), who).invoke({"messages": [SAID]}, CONFIG, context=Context("alice"))
        with pytest.raises(InputError, match="async function"):
            with_memory(model("done"), store, identity=served).invoke(SAID, CONFIG)
        memory, _ = memory_tools(store, identity=served)
        with pytest.raises(InputError, match="async function"):
            memory.invoke({"command": "view", "path": "/memories"}, CONFIG)
        assert store.memory("alice").messages.list() == []


async def test_a_text_is_no_scope(store: memoranda.Store) -> None:
    wrong: Any = "user"
    with pytest.raises(ScopeError, match=r"Scope\.user"):
        MemoryCapability(store, identity=lambda _: "alice", scope=wrong)
    with pytest.raises(ScopeError, match=r"Scope\.user"):
        MemoryMiddleware(store, identity=lambda _: "alice", scope=wrong)
    with pytest.raises(ScopeError, match=r"Scope\.user"):
        memory_tools(store, identity=lambda _: "alice", scope=wrong)
    with pytest.raises(InputError, match="one scope"):
        memory_tools(store.memory("alice"), scope=Scope.user())  # type: ignore[call-overload]
    late: AgentMemory[str] = AgentMemory(store, str, lambda _: wrong)
    with pytest.raises(ScopeError, match=r"Scope\.user"):
        await late.run("alice", chat=None, run_id=None)


@pytest.mark.parametrize("limit", [3, 4, 5, 8])
async def test_a_run_over_its_recursion_limit(store: memoranda.Store, limit: int) -> None:
    reader = Reader()
    asked = model("", "", "", "", "", "done")
    agent = agent_of(store, asked, in_context, extractor=reader)
    with pytest.raises(GraphRecursionError):
        await agent.ainvoke({"messages": [SAID]}, CONFIG | {"recursion_limit": limit}, context=Context("alice"))
    assert ("user", SAID) in await stored(store)
    assert ("assistant", "done") not in await stored(store)
    assert [texts[0] for texts in reader.read] == [SAID]


def test_a_run_over_its_recursion_limit_without_await(database: Database) -> None:
    with memoranda.sync.connect(database.dsn()) as store:
        reader = Reader()
        agent = agent_of(store, model("", "done"), in_context, extractor=reader)
        with pytest.raises(GraphRecursionError):
            agent.invoke({"messages": [SAID]}, CONFIG | {"recursion_limit": 4}, context=Context("alice"))
        assert {each.text for each in store.memory("alice", chat="c").messages.list()} >= {SAID, "done"}
        assert [texts[0] for texts in reader.read] == [SAID]


async def test_a_run_that_ends_just_before_its_limit_is_stored_once(store: memoranda.Store) -> None:
    agent = agent_of(store, model("", "done"), in_context)
    await agent.ainvoke({"messages": [SAID]}, CONFIG | {"recursion_limit": 6}, context=Context("alice"))
    found = await store.memory("alice", chat="c").messages.list()
    assert sorted(each.text for each in found if each.text) == sorted([SAID, "worked", "done"])


async def test_a_message_that_was_edited_says_what_it_says_now(store: memoranda.Store) -> None:
    agent = agent_of(store, model("done", "well"), in_context)
    for text in (SAID, "My boat is called Fortuna."):
        said = HumanMessage(text, id="m1")
        await agent.ainvoke({"messages": [said]}, CONFIG, context=Context("alice"))
    texts = await stored(store)
    assert ("user", "My boat is called Fortuna.") in texts
    assert ("user", SAID) not in texts


async def test_that_a_member_may_only_read_is_said_once(
    store: memoranda.Store, caplog: pytest.LogCaptureFixture
) -> None:
    await store.members.set("acme", "bob", "read")
    for number in range(3):
        bob = store.memory("bob", tenant="acme", scope=Scope.organization(), run_id=f"r{number}")
        await AgentRun(bob).finish([{"role": "user", "content": SAID}])
    said = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(said) == 1
    assert "only read" in said[0].getMessage()
    assert SAID not in caplog.text


async def test_an_agent_can_be_tested_with_the_frameworks_test_model(store: memoranda.Store) -> None:
    memory = MemoryCapability[str](store, identity=lambda ctx: ctx.deps)
    agent = Agent(TestModel(call_tools=["recall"]), deps_type=str, capabilities=[memory])
    await agent.run(SAID, deps="alice", conversation_id="t")
    assert ("user", SAID) in await stored(store, "t")


class Loose:
    """An extractor that raises an error of ours with what was said in it."""

    def __init__(self, error: type[memoranda.MemorandaError]) -> None:
        self.error = error

    async def extract(self, turn: object, known: object) -> Any:
        raise self.error(SAID)


@pytest.mark.parametrize("error", [InputError, UnavailableError, DatabaseError])
async def test_what_an_extractor_quotes_reaches_no_log_and_no_queue(
    store: memoranda.Store,
    database: Database,
    caplog: pytest.LogCaptureFixture,
    error: type[memoranda.MemorandaError],
) -> None:
    memory = store.memory("alice", chat="c", run_id="r", extractor=Loose(error))
    await AgentRun(memory).finish([{"role": "user", "content": SAID}])
    assert error.code in caplog.text
    assert "boat" not in caplog.text
    assert await stored(store) == {("user", SAID)}
    with database.admin() as conn:
        reasons = conn.execute("select reason from memoranda_private.work where kind = 'extract'").fetchall()
    assert len(reasons) == 1
    assert "boat" not in str(reasons)
