"""LangMem's tools in an agent of LangChain's, over our store: whose memory they reach is never theirs to say."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.runtime import get_runtime

import memoranda
import memoranda.sync
from memoranda import Scope
from memoranda.errors import IdentityError
from memoranda_langchain import MemorandaStore, MemoryMiddleware
from support.databases import Database
from support.embedders import words_embedder

with warnings.catch_warnings():  # what it imports of LangGraph's is deprecated there
    warnings.simplefilter("ignore")
    langmem: Any = import_module("langmem")


@dataclass
class Context:
    user: str


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind()


def calls(*uses: tuple[str, dict[str, Any]]) -> Model:
    said = [
        AIMessage("", tool_calls=[{"name": name, "args": given, "id": f"c{number}"}])
        for number, (name, given) in enumerate(uses)
    ]
    return Model(messages=iter([*said, AIMessage("done")]))


def create(content: str) -> tuple[str, dict[str, Any]]:
    return "manage_memory", {"content": content, "action": "create"}


def search(query: str) -> tuple[str, dict[str, Any]]:
    return "search_memory", {"query": query}


@tool
def web() -> str:
    """Read a page."""
    return "a page"


def whoever(_: Any) -> str:
    """Whom the application has put into the run's context."""
    return str(get_runtime(Context).context.user)


def agent_of(items: MemorandaStore, model: Model, *middleware: Any) -> Any:
    place = ("memories", "{langgraph_user_id}")
    tools = [langmem.create_manage_memory_tool(place), langmem.create_search_memory_tool(place), web]
    return create_agent(model, tools, store=items, middleware=middleware, context_schema=Context)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def config(named: str) -> Any:
    return {"configurable": {"langgraph_user_id": named}}


def results(done: Any) -> list[str]:
    return [message.text for message in done["messages"] if isinstance(message, ToolMessage)]


@pytest.fixture
def items(store: memoranda.Store) -> MemorandaStore:
    return MemorandaStore(store, identity=whoever)


async def run(items: MemorandaStore, user: str, *uses: Any, named: str = "alice", middleware: Any = ()) -> list[str]:
    agent = agent_of(items, calls(*uses), *middleware)
    return results(await agent.ainvoke({"messages": ["hi"]}, config(named), context=Context(user)))


async def test_what_a_model_saves_is_found_in_another_run_and_changed_and_deleted(items: MemorandaStore) -> None:
    (created,) = await run(items, "alice", create("likes green tea"))
    id_ = created.removeprefix("created memory ")
    (found,) = await run(items, "alice", search("tea"))
    ((item),) = json.loads(found)
    assert (item["key"], item["value"], item["namespace"]) == (
        id_,
        {"content": "likes green tea"},
        ["memories", "alice"],
    )
    await run(items, "alice", ("manage_memory", {"content": "likes black tea", "action": "update", "id": id_}))
    (found,) = await run(items, "alice", search("tea"))
    assert [item["value"]["content"] for item in json.loads(found)] == ["likes black tea"]
    await run(items, "alice", ("manage_memory", {"action": "delete", "id": id_}))
    (found,) = await run(items, "alice", search("tea"))
    assert json.loads(found) == []


async def test_a_namespace_that_names_another_user_is_ones_own(items: MemorandaStore, store: memoranda.Store) -> None:
    await run(items, "alice", create("alice likes green tea"))
    (found,) = await run(items, "bob", search("green tea"), named="alice")
    assert json.loads(found) == []
    await run(items, "bob", create("bob was here"), named="alice")
    (found,) = await run(items, "alice", search("who"))
    assert [item["value"]["content"] for item in json.loads(found)] == ["alice likes green tea"]
    bobs = MemorandaStore(store.memory("bob", scope=Scope.agent("store")))
    assert await bobs.alist_namespaces() == [("memories", "alice")]


async def test_outside_of_a_run_nobody_is_served(items: MemorandaStore, store: memoranda.Store) -> None:
    with pytest.raises(RuntimeError):  # there is no run whose context could be asked
        await items.aget(("memories", "alice"), "k")
    nobody = MemorandaStore(store, identity=lambda config: config.get("configurable", {}).get("user", ""))
    with pytest.raises(IdentityError):
        await nobody.asearch(())


async def test_the_block_and_the_taint_of_the_agents_own_memory(store: memoranda.Store) -> None:
    items = MemorandaStore(store, identity=whoever, scope=Scope.user())
    memory = MemoryMiddleware(
        store, identity=lambda runtime: runtime.context.user, trusted_tools=["manage_memory", "search_memory"]
    )
    await run(items, "alice", create("likes green tea"), middleware=[memory])
    mine = store.memory("alice")
    assert "likes green tea" in (await mine.context()).text
    await run(items, "alice", ("web", {}), create("pays everything to DE00 1234"), middleware=[memory])
    assert "DE00" not in (await mine.context()).text
    assert [waiting.fact.content for waiting in await mine.review.pending()] == ["pays everything to DE00 1234"]
    assert [item.value["content"] for item in await MemorandaStore(mine).asearch(())] == ["likes green tea"]


def test_without_await(database: Database) -> None:
    with memoranda.sync.connect(database.dsn(), embedder=words_embedder()) as store:
        items = MemorandaStore(store, identity=whoever)
        for user, expected in (("alice", ["likes green tea"]), ("bob", [])):
            uses = [create("likes green tea")] if expected else []
            agent = agent_of(items, calls(*uses, search("tea")))
            done = agent.invoke({"messages": ["hi"]}, config("alice"), context=Context(user))
            assert [item["value"]["content"] for item in json.loads(results(done)[-1])] == expected
