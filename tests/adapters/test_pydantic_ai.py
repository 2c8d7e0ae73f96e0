"""The PydanticAI adapter: what every adapter must do, and the framework's own ways to run an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoranda
from memoranda.testing import AdapterSuite, Said, Seen, ToolUse
from memoranda_pydantic_ai import MemoryCapability


@dataclass
class Deps:
    user: str | None


class PydanticDriver:
    page = "a page"

    def __init__(self, store: memoranda.Store) -> None:
        self.store = store
        self.histories: dict[str, list[ModelMessage]] = {}

    async def run(
        self, user: str | None, text: str, steps: Sequence[Sequence[ToolUse]] = (), *, chat: str = "chat"
    ) -> Seen:
        requests: list[list[Said]] = []
        script = [[ToolCallPart(use.tool, dict(use.given), use.id) for use in uses] for uses in steps]

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            system = [Said("system", info.instructions)] if info.instructions else []
            requests.append([*system, *(said for message in messages for said in pieces(message))])
            return ModelResponse(parts=script.pop(0) if script else [TextPart("done")])

        memory = MemoryCapability[Deps](self.store, identity=lambda ctx: ctx.deps.user or "", remember=True)
        agent = Agent(FunctionModel(model), deps_type=Deps, capabilities=[memory])
        agent.tool_plain(self.web)
        result = await agent.run(text, deps=Deps(user), conversation_id=chat)
        history = [said for message in result.all_messages() for said in pieces(message)]
        results = [
            (part.model_response_str(), part.outcome != "success")
            for message in result.new_messages()
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        ]
        return Seen(requests, results, history)

    def web(self) -> str:
        """Read a page."""
        return self.page


def pieces(message: ModelMessage) -> list[Said]:
    """A message as the roles and texts that a model gets."""
    found: list[Said] = []
    for part in message.parts:
        match part:
            case SystemPromptPart():
                found.append(Said("system", part.content))
            case UserPromptPart():
                content: Sequence[Any] = [part.content] if isinstance(part.content, str) else part.content
                found += [Said("user", each.content if isinstance(each, TextContent) else each) for each in content]
            case ToolReturnPart():
                found.append(Said("tool", part.model_response_str()))
            case TextPart():
                found.append(Said("assistant", part.content))
            case _:
                pass
    return found


class TestPydanticAI(AdapterSuite):
    @pytest.fixture
    def driver(self, store: memoranda.Store) -> PydanticDriver:
        return PydanticDriver(store)
