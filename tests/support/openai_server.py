"""A server on loopback that speaks OpenAI's protocol, and fails as a test asks.

    with OpenAIServer() as server:
        server.then(error(429, "rate_limit_exceeded", retry_after=1), Reply(cut=True))
        client = AsyncOpenAI(base_url=server.url, api_key="any")

What is queued with `then` is given to the next requests, whatever they ask; afterwards each path has its usual answer.
`answer` gives a path another one, and makes new paths.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(frozen=True)
class Reply:
    """What to send for one request."""

    status: int = 200
    body: object = None
    """JSON, or bytes as they are; None for the path's usual answer."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    """Seconds to wait before."""
    cut: bool = False
    """Send half of it, and hang up."""
    drip: float = 0.0
    """Seconds to wait before each byte."""


def error(
    status: int,
    code: str | None = None,
    message: str = "Something is wrong.",
    *,
    retry_after: str | float | None = None,
) -> Reply:
    """An error in OpenAI's form."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Reply(status, {"error": {"message": message, "type": code, "code": code, "param": None}}, headers)


def vector_of(text: str, dimensions: int) -> list[float]:
    """The vector that the server has for a text: any, but always the same."""
    data = hashlib.shake_256(text.encode()).digest(2 * dimensions)
    return [number / 32768 for number in struct.unpack(f"<{dimensions}h", data)]


def embeddings(body: Json) -> Json:
    """The usual answer to /embeddings."""
    texts: list[str] = [body["input"]] if isinstance(body["input"], str) else body["input"]
    data: list[Json] = []
    for index, text in enumerate(texts):
        vector: Any = vector_of(text, body.get("dimensions") or 1536)
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
        data.append({"object": "embedding", "index": index, "embedding": vector})
    tokens = sum(map(len, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def response(text: str | None = None, *, refusal: str | None = None, incomplete: str | None = None) -> Json:
    """An answer of the Responses API: a text, or a refusal, or a part of a text and why it is no more."""
    part: Json = {"type": "output_text", "text": text, "annotations": []}
    if refusal is not None:
        part = {"type": "refusal", "refusal": refusal}
    message: Json = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    thought: Json = {"type": "reasoning", "id": "rs_1", "summary": []}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_780_000_000,
        "status": "incomplete" if incomplete else "completed",
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "model": "scripted",
        "output": [thought, message],
    }


def completion(text: str | None = None, *, refusal: str | None = None, finish_reason: str = "stop") -> Json:
    """An answer of the Chat Completions API."""
    message: Json = {"role": "assistant", "content": text, "refusal": refusal}
    choice: Json = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion", "created": 1_780_000_000, "model": "scripted", "choices": [choice]}


def _missing(body: Json) -> Reply:
    return error(404, "not_found", "There is nothing at this path.")


class OpenAIServer:
    """The server, on a port of its own until its end.

    Attributes:
        requests: What came, in order.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._answers: dict[str, Callable[[Json], object]] = {"/embeddings": embeddings}
        self._queue: deque[Reply] = deque()
        self._over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                """Tests say what they have to."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def then(self, *replies: Reply) -> None:
        """Give these to the next requests."""
        self._queue.extend(replies)

    def answer(self, path: str, function: Callable[[Json], object]) -> None:
        """Give a path, such as ``/chat/completions``, another answer: JSON or a reply, made of what was asked."""
        self._answers[path] = function

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        content = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        path = handler.path.removeprefix("/v1")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(path, headers, json.loads(content or b"{}"))
        self.requests.append(request)
        reply = self._queue.popleft() if self._queue else Reply()
        if reply.body is None:
            answer = self._answers.get(path, _missing)(request.body)
            reply = answer if isinstance(answer, Reply) else replace(reply, body=answer)
        self._over.wait(reply.delay)
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(data), **reply.headers}.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        if reply.drip:
            self._drip(handler, data, reply.drip)
        else:
            handler.wfile.write(data[: len(data) // 2] if reply.cut else data)
        handler.close_connection = handler.close_connection or reply.cut

    def _drip(self, handler: BaseHTTPRequestHandler, data: bytes, seconds: float) -> None:
        """A byte now and then, so that no single read takes long."""
        for place in range(len(data)):
            if self._over.wait(seconds):
                return
            handler.wfile.write(data[place : place + 1])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # what still waits ends with the process

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what some tests are about; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]
