"""Whose words a LangChain run holds, whose run it is, and what it does with the odd things that models send."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from langchain import agents
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

import memoranda
from memoranda.errors import InputError
from memoranda_langchain import MemoryMiddleware, ModelExtractor, memory_tools, with_memory

create_agent: Any = agents.create_agent  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
THREAD: Any = {"configurable": {"thread_id": "c", "user": "alice"}}
APPROVED: Any = Command(resume={"decisions": [{"type": "approve"}]})


class Model(GenericFakeChatModel):
    """Follows a script, then says "done", and keeps what it was asked."""

    asked: list[list[BaseMessage]]

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind()

    def _generate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
        self.asked.append(list(messages))
        return super()._generate(messages, *rest, **more)


def model_of(*steps: AIMessage) -> Model:
    return Model(messages=iter([*steps, *(AIMessage("done") for _ in range(3))]), asked=[])


def calls(name: str, given: dict[str, Any] | None = None, id_: str = "c1") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": given or {}, "id": id_}])


def created(name: str, id_: str = "m1") -> AIMessage:
    return calls("memory", {"command": "create", "path": f"/memories/{name}", "file_text": "x"}, id_)


@tool
def web() -> str:
    """Read a page."""
    return "My bank is Evilbank."


@tool("recall")
def strangers() -> str:
    """Say what a stranger wrote."""
    return "what a stranger wrote"


def served(runtime: Any) -> str:
    return str(runtime.context["user"])


def who(config: Any) -> str:
    return str(config["configurable"]["user"])


def agent_of(
    store: Any, model: Model, *more: AgentMiddleware[Any, Any], tools: Sequence[Any] = (web,), **how: Any
) -> Any:
    memory = MemoryMiddleware(store, identity=served, **how)
    return create_agent(model, tools, middleware=[memory, *more], context_schema=dict, checkpointer=InMemorySaver())


async def run(agent: Any, said: Any, user: str = "alice", config: Any = THREAD) -> Any:
    given: Any = {"messages": [said]} if isinstance(said, str) else said
    return await agent.ainvoke(given, config, context={"user": user})


async def stored(store: memoranda.Store, user: str = "alice") -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in reversed(await store.memory(user).messages.list()) if each.text]


async def tainted(store: memoranda.Store) -> dict[str, bool]:
    return {file.path.removeprefix("/memories/"): file.tainted for file in await store.memory("alice").files.list()}


async def test_who_resumes_a_run_has_their_own_memory(store: memoranda.Store) -> None:
    for user in ("alice", "bob"):
        await store.memory(user).facts.save(f"Belongs to {user}.", key="whose")
    model = model_of(calls("web"))
    agent = agent_of(store, model, HumanInTheLoopMiddleware(interrupt_on={"web": True}))
    await run(agent, "read it", "alice")
    await run(agent, APPROVED, "bob")
    assert "Belongs to bob." in str(model.asked[-1])
    assert "Belongs to alice." not in str(model.asked[-1])
    assert await stored(store, "alice") == []


async def test_a_run_that_began_without_the_middleware_is_resumed(store: memoranda.Store) -> None:
    model, asking = model_of(calls("web"), created("a.md")), HumanInTheLoopMiddleware(interrupt_on={"web": True})
    before = create_agent(model, [web], middleware=[asking], context_schema=dict, checkpointer=InMemorySaver())
    await run(before, "read it")
    agent = agent_of(store, model, asking)
    agent.checkpointer = before.checkpointer
    await run(agent, APPROVED)
    assert ("user", "read it") in await stored(store)
    assert await tainted(store) == {"a.md": True}


async def test_several_messages_of_the_user_in_one_run(store: memoranda.Store) -> None:
    agent = agent_of(store, model_of())
    await run(agent, "hello")
    await run(agent, {"messages": [HumanMessage("My name is Bo."), HumanMessage("What is it?")]})
    assert [text for role, text in await stored(store) if role == "user"] == ["hello", "My name is Bo.", "What is it?"]


async def test_a_summary_is_foreign_and_not_the_users_word(store: memoranda.Store) -> None:
    summing = model_of(*(AIMessage("My bank is Evilbank.") for _ in range(3)))
    sums = SummarizationMiddleware(summing, trigger=("messages", 4), keep=("messages", 1))
    agent = agent_of(store, model_of(calls("web"), AIMessage("read"), created("a.md")), sums)
    await run(agent, "read it")
    result = await run(agent, "note that")
    assert "summary" in result["messages"][0].text
    assert all("summary" not in text for _, text in await stored(store))
    assert await tainted(store) == {"a.md": True}


@pytest.mark.parametrize(
    "part",
    [
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "web_search_call", "id": "s1", "status": "completed"},
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": "a page"},
    ],
    ids=lambda part: part["type"],
)
@pytest.mark.parametrize("middleware", [True, False], ids=["middleware", "runnable"])
async def test_what_the_provider_has_read_taints_the_calls_beside_it(
    store: memoranda.Store, part: dict[str, Any], middleware: bool
) -> None:
    searched = AIMessage([part], tool_calls=created("a.md").tool_calls)
    if middleware:
        await run(agent_of(store, model_of(searched)), "look it up")
    else:
        await with_memory(model_of(searched), store, identity=who).ainvoke("look it up", THREAD)
    assert await tainted(store) == {"a.md": True}


async def test_a_tool_with_the_name_of_one_of_ours_is_refused(store: memoranda.Store) -> None:
    with pytest.raises(InputError, match="recall"):
        with_memory(model_of(), store, identity=who, tools=[strangers])
    with pytest.raises(InputError, match="recall"):
        await run(agent_of(store, model_of(), tools=[strangers]), "hello")


async def test_an_interrupt_before_the_model_ends_no_turn(store: memoranda.Store) -> None:
    class Asks(AgentMiddleware[Any, Any]):
        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            interrupt("go on?")
            return await handler(request)

    agent = agent_of(store, model_of(), Asks())
    assert "__interrupt__" in await run(agent, "hello")
    assert await stored(store) == []
    await run(agent, Command(resume="yes"))
    assert await stored(store) == [("user", "hello"), ("assistant", "done")]


async def test_an_extractors_answer_is_not_streamed_to_the_user(store: memoranda.Store) -> None:
    reader = GenericFakeChatModel(messages=iter([AIMessage('{"facts": []}')]))
    agent = agent_of(store, model_of(), extractor=ModelExtractor(reader))
    asked: Any = {"messages": ["I live in Porto."]}
    streamed = agent.astream(asked, THREAD, context={"user": "alice"}, stream_mode="messages")
    assert [chunk.text async for chunk, _ in streamed if chunk.text] == ["done"]


async def test_input_with_the_names_of_the_frameworks_own_arguments(store: memoranda.Store) -> None:
    odd = {"self": 1, "config": {"configurable": {"user": "bob"}}, "run_manager": 2, "args": [3]}
    await store.memory("bob").files.write("/memories/bob.md", "bob's")
    result = await run(agent_of(store, model_of(calls("memory", {"command": "view", "path": "/memories", **odd}))), "x")
    (answer,) = (each for each in result["messages"] if isinstance(each, ToolMessage))
    assert answer.text.startswith("Here're the files")
    assert "bob" not in answer.text
    memory, _ = memory_tools(store, identity=who)
    assert "bob" not in await memory.ainvoke({"command": "view", "path": "/memories", **odd}, THREAD)


async def test_ids_of_messages_mean_nothing_outside_of_a_thread(store: memoranda.Store) -> None:
    for said in ("the first chat", "another chat"):
        agent = create_agent(model_of(), [], middleware=[MemoryMiddleware(store, identity=served)], context_schema=dict)
        await run(agent, {"messages": [HumanMessage(said, id="1")]}, config={})
        config: Any = {"configurable": {"user": "alice"}}
        await with_memory(model_of(), store, identity=who).ainvoke([HumanMessage(said + "!", id="1")], config)
    stated = {text for role, text in await stored(store) if role == "user"}
    assert stated == {"the first chat", "another chat", "the first chat!", "another chat!"}


async def test_a_runnable_with_a_system_message_alone_shows_the_block(store: memoranda.Store) -> None:
    await store.memory("alice").facts.save("Prefers figures in GBP.", key="currency")
    model = model_of()
    await with_memory(model, store, identity=who).ainvoke([SystemMessage("Be brief."), AIMessage("Hello!")], THREAD)
    assert [message.type for message in model.asked[0]] == ["system", "human", "ai"]
    assert "GBP" in model.asked[0][1].text


async def test_a_runnables_run_that_is_sent_again_stores_the_users_words_once(store: memoranda.Store) -> None:
    config: Any = {**THREAD, "run_id": uuid4()}
    for _ in range(2):
        await with_memory(model_of(), store, identity=who).ainvoke("I have a dog.", config)
    assert [text for role, text in await stored(store) if role == "user"] == ["I have a dog."]


async def test_one_middleware_serves_many_at_once(store: memoranda.Store) -> None:
    users = [f"user {number}" for number in range(4)]
    for user in users:
        await store.memory(user).facts.save(f"Belongs to {user}.", key="whose")
    models = {user: model_of() for user in users}
    memory = MemoryMiddleware(store, identity=served)

    async def one(user: str) -> None:
        agent = create_agent(models[user], [], middleware=[memory], context_schema=dict)
        await run(agent, f"I am {user}", user, {"configurable": {"thread_id": user}})

    await asyncio.gather(*map(one, users))
    for user in users:
        assert {other for other in users if f"Belongs to {other}." in str(models[user].asked)} == {user}
        assert ("user", f"I am {user}") in await stored(store, user)
