"""A server on loopback that speaks Anthropic's protocol: its model follows a script.

    with AnthropicServer([text("Hello.")]) as server:
        client = server.client()

Each step is what the model says to one request; after the last it says "done". What is queued with `then` comes first.
A request that goes on with a message, as those of the tool runner do, has what led to it before its own.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anthropic import Anthropic, AsyncAnthropic

from support.openai_server import Json, OpenAIServer, Reply

MODEL = "scripted"


def text(said: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": said}


def use(name: str, given: Mapping[str, Any], id: str) -> Json:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": dict(given)}


class AnthropicServer(OpenAIServer):
    """The server, on a port of its own until its end; its model follows a script.

    Attributes:
        asked: What the model saw, request by request.
    """

    def __init__(self, *steps: Sequence[Json]) -> None:
        super().__init__()
        self._steps = iter(steps)
        self._numbers = itertools.count(1)
        self._threads: dict[str, Json] = {}
        self.asked: list[Json] = []
        for path in ("/messages", "/messages?beta=true"):
            self.answer(path, self._message)

    def says(self, *steps: Sequence[Json]) -> None:
        """Give the model another script."""
        self._steps = iter(steps)

    def client(self) -> AsyncAnthropic:
        return AsyncAnthropic(api_key="any", base_url=self.base, max_retries=0)

    def sync_client(self) -> Anthropic:
        return Anthropic(api_key="any", base_url=self.base, max_retries=0)

    @property
    def base(self) -> str:
        """The base URL for a client, which knows the version."""
        return self.url.removesuffix("/v1")

    def _message(self, sent: Json) -> object:
        body = self._whole(sent)
        self.asked.append(body)
        content = list(next(self._steps, [text("done")]))
        last = content[-1]["type"] if content else "text"
        reason = "tool_use" if last == "tool_use" else "pause_turn" if last == "server_tool_use" else "end_turn"
        message: Json = {
            "id": f"msg_{next(self._numbers)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        said = {"role": "assistant", "content": content}
        self._threads[message["id"]] = {**body, "messages": [*body["messages"], said]}
        if not body.get("stream"):
            return message
        events = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in _events(message))
        return Reply(body=events.encode(), headers={"Content-Type": "text/event-stream"})

    def _whole(self, sent: Json) -> Json:
        """A request with what stands before it, if it only goes on."""
        thread: Json = sent.get("thread") or {}
        before = self._threads.get(thread.get("previous_message_id", ""))
        if before is None:
            return sent
        return {**before, **sent, "messages": [*before["messages"], *sent["messages"]]}


def _events(message: Json) -> Iterator[Json]:
    """A message as a stream has it."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        is_call = block["type"] == "tool_use"
        empty: Json = {**block, "input": {}} if is_call else {**block, "text": ""}
        delta: Json = {"type": "text_delta", "text": block.get("text")}
        if is_call:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}
