"""A PydanticAI agent that remembers: one step of `memoranda demo agent`, in a process of its own.

`python -m memoranda_pydantic_ai.demo tell FOLDER [MODEL]`
"""

from __future__ import annotations

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda.demos import step_of
from memoranda_pydantic_ai.capability import MemoryCapability


def _scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """In the place of a model: remembers where the user lives, and answers with what it was shown."""
    if "I live in" in str(messages) and len(messages) == 1:
        given = {"content": "Lives in Porto.", "quote": "I live in Porto", "key": "city"}
        return ModelResponse([ToolCallPart("remember", given)])
    return ModelResponse([TextPart("You live in Porto." if "Lives in Porto." in str(messages) else "I don't know.")])


async def _step(step: str, folder: str, model: str | None) -> None:
    async with memoranda.open(folder) as store:
        memory = MemoryCapability[str](store, identity=lambda ctx: ctx.deps, remember=True)
        agent = Agent(model or FunctionModel(_scripted), deps_type=str, capabilities=[memory])

        async def ask(user: str, text: str) -> str:
            return (await agent.run(text, deps=user)).output

        await step_of(step, ask)


if __name__ == "__main__":
    asyncio.run(_step(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
