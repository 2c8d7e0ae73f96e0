"""A LangChain agent that remembers: one step of `memoranda demo agent`, in a process of its own.

`python -m memoranda_langchain.demo tell FOLDER [MODEL]`
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]  # partly untyped
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

import memoranda
from memoranda.demos import step_of
from memoranda_langchain.messages import said
from memoranda_langchain.middleware import MemoryMiddleware


class _Scripted(BaseChatModel):
    """In the place of a model: remembers where the user lives, and answers with what it was shown."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if "I live in" in said(messages) and messages[-1].type == "human":
            given = {"content": "Lives in Porto.", "quote": "I live in Porto", "key": "city"}
            answer = AIMessage("", tool_calls=[{"name": "remember", "args": given, "id": "1"}])
        else:
            answer = AIMessage("You live in Porto." if "Lives in Porto." in str(messages) else "I don't know.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


@dataclass
class _Context:
    user: str


async def _step(step: str, folder: str, model: str | None) -> None:
    async with memoranda.open(folder) as store:
        memory = MemoryMiddleware(store, identity=lambda runtime: runtime.context.user, remember=True)
        agent: Any = create_agent(model or _Scripted(), middleware=[memory], context_schema=_Context)

        async def ask(user: str, text: str) -> str:
            done = await agent.ainvoke({"messages": [{"role": "user", "content": text}]}, context=_Context(user))
            return str(done["messages"][-1].text)

        await step_of(step, ask)


if __name__ == "__main__":
    asyncio.run(_step(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
