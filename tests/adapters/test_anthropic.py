"""The Anthropic adapter: what every adapter must do, in a plain loop and with the SDK's tool runner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from anthropic.lib.tools import beta_async_tool

import memoranda
from memoranda.testing import AdapterSuite, Said, Seen, ToolUse
from memoranda_anthropic import AsyncTurn, MessagesMemory
from support.anthropic_server import MODEL, AnthropicServer, use

WEB: Any = {"name": "web", "description": "Read a page.", "input_schema": {"type": "object", "properties": {}}}


def pieces(message: Any) -> Iterator[Said]:
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "text":
            yield Said(message["role"], block["text"])
        elif block["type"] == "tool_result":
            yield Said("tool", block["content"])


def seen_in(body: Any) -> list[Said]:
    system = [Said("system", block["text"]) for block in body["system"]]
    return system + [piece for message in body["messages"] for piece in pieces(message)]


def results(body: Any) -> list[tuple[str, bool]]:
    blocks = [
        block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]
    ]
    found = [block for block in blocks if block["type"] == "tool_result"]
    return [(block["content"], block.get("is_error", False)) for block in found]


class LoopDriver:
    """A loop of one's own over `client.messages.create`."""

    page = "a page"

    def __init__(self, store: memoranda.Store, server: AnthropicServer) -> None:
        self.memory = MessagesMemory[str | None](store, identity=lambda user: cast("str", user), remember=True)
        self.server = server

    async def run(
        self, user: str | None, text: str, steps: Sequence[Sequence[ToolUse]] = (), *, chat: str = "chat"
    ) -> Seen:
        self.server.says(*([use(each.tool, each.given, each.id) for each in uses] for uses in steps))
        before = len(self.server.asked)
        async with self.memory.turn(user, [{"role": "user", "content": text}], chat=chat) as turn:
            await self.talk(turn)
        bodies = self.server.asked[before:]
        history = [piece for message in turn.history for piece in pieces(as_plain(message))]
        return Seen([seen_in(body) for body in bodies], results(bodies[-1]), history)

    async def talk(self, turn: AsyncTurn) -> None:
        async with self.server.client() as client:
            again = True
            while again:
                said = await client.messages.create(
                    model=MODEL,
                    max_tokens=100,
                    system=turn.system("Be brief."),
                    messages=turn.messages,
                    tools=[*turn.definitions, WEB],
                )
                again = await turn.answer(said, self.own(said))

    def own(self, said: Any) -> list[Any]:
        """What this program's own tool says."""
        calls = [block for block in said.content if block.type == "tool_use" and block.name == "web"]
        return [{"type": "tool_result", "tool_use_id": call.id, "content": self.page} for call in calls]


class RunnerDriver(LoopDriver):
    """The SDK's tool runner."""

    async def talk(self, turn: AsyncTurn) -> None:
        @beta_async_tool
        async def web() -> str:
            """Read a page."""
            return self.page

        async with self.server.client() as client:
            async for _ in turn.run(client, model=MODEL, max_tokens=100, system="Be brief.", tools=[web]):
                pass


def as_plain(message: Any) -> Any:
    content = message["content"]
    if isinstance(content, str):
        return message
    blocks: list[Any] = [block if isinstance(block, dict) else block.to_dict() for block in content]
    return {**message, "content": blocks}


@pytest.fixture
def model() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


class TestLoop(AdapterSuite):
    @pytest.fixture
    def driver(self, store: memoranda.Store, model: AnthropicServer) -> LoopDriver:
        return LoopDriver(store, model)


class TestRunner(AdapterSuite):
    @pytest.fixture
    def driver(self, store: memoranda.Store, model: AnthropicServer) -> RunnerDriver:
        return RunnerDriver(store, model)
