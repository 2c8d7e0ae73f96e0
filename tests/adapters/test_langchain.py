"""The LangChain adapter: what every adapter must do, for the middleware and for the runnable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

import memoranda
from memoranda.testing import AdapterSuite, Said, Seen, ToolUse
from memoranda_langchain import MemoryMiddleware, with_memory

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


class Scripted(GenericFakeChatModel):
    """A model that follows a script, and keeps what it was asked."""

    seen: list[list[BaseMessage]]

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind()

    def _generate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
        self.seen.append(list(messages))
        return super()._generate(messages, *rest, **more)


def scripted(steps: Sequence[Sequence[ToolUse]]) -> Scripted:
    said = [
        AIMessage("", tool_calls=[{"name": use.tool, "args": dict(use.given), "id": use.id} for use in uses])
        for uses in steps
    ]
    return Scripted(messages=iter([*said, AIMessage("done")]), seen=[])


def piece(message: BaseMessage) -> Said:
    return Said(cast("Any", ROLES[message.type]), message.text)


def results(messages: Sequence[BaseMessage]) -> list[tuple[str, bool]]:
    return [(each.text, each.status == "error") for each in messages if isinstance(each, ToolMessage)]


@dataclass
class Context:
    user: str | None


class MiddlewareDriver:
    page = "a page"

    def __init__(self, store: memoranda.Store) -> None:
        self.store = store

    async def run(
        self, user: str | None, text: str, steps: Sequence[Sequence[ToolUse]] = (), *, chat: str = "chat"
    ) -> Seen:
        model = scripted(steps)
        memory = MemoryMiddleware(self.store, identity=lambda runtime: runtime.context.user, remember=True)
        agent: Any = create_agent(  # pyright: ignore[reportUnknownVariableType]
            model, [self.web()], middleware=[memory], context_schema=Context, checkpointer=InMemorySaver()
        )
        config: Any = {"configurable": {"thread_id": chat}}
        done = await agent.ainvoke({"messages": [HumanMessage(text)]}, config, context=Context(user))
        seen = [[piece(message) for message in request] for request in model.seen]
        return Seen(seen, results(done["messages"]), [piece(message) for message in done["messages"]])

    def web(self) -> Any:
        @tool
        def web() -> str:
            """Read a page."""
            return self.page

        return web


def served(config: Any) -> Any:
    return config["configurable"]["user"]


class RunnableDriver(MiddlewareDriver):
    async def run(
        self, user: str | None, text: str, steps: Sequence[Sequence[ToolUse]] = (), *, chat: str = "chat"
    ) -> Seen:
        model = scripted(steps)
        runnable = with_memory(model, self.store, identity=served, tools=[self.web()], remember=True)
        history: list[BaseMessage] = [HumanMessage(text)]
        history.append(await runnable.ainvoke(history, {"configurable": {"user": user, "thread_id": chat}}))
        seen = [[piece(message) for message in request] for request in model.seen]
        return Seen(seen, results(model.seen[-1]), [piece(message) for message in history])


class TestMiddleware(AdapterSuite):
    @pytest.fixture
    def driver(self, store: memoranda.Store) -> MiddlewareDriver:
        return MiddlewareDriver(store)


class TestRunnable(AdapterSuite):
    @pytest.fixture
    def driver(self, store: memoranda.Store) -> RunnableDriver:
        return RunnableDriver(store)
