"""An extractor that asks a model of OpenAI, or of a server with its protocol. Needs ``memoranda[openai]``."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from memoranda.errors import InputError
from memoranda.extracting.candidates import MAX_FACTS, Candidate
from memoranda.extracting.errors import (
    AnswerError,
    ExtractorError,
    ExtractorInputError,
    ExtractorQuotaError,
    ExtractorSetupError,
    ExtractorUnavailableError,
    RefusedError,
)
from memoranda.extracting.prompt import SCHEMA, Asked, ask
from memoranda.facttypes import Fact
from memoranda.messagetypes import Turn
from memoranda.openaiclient import is_openai, openai_client, retry_after, said

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

_Way: TypeAlias = Literal["responses", "chat", "json"]
_WAYS: tuple[_Way, ...] = ("responses", "chat", "json")
"""How to ask, the best first: the Responses API with a schema, chat completions with one, and without."""

_PAUSE = 60.0
"""Seconds for which an account without credit is not asked again."""

_TRIES = 2
"""How often a model is asked whose answers can't be read."""


class OpenAIExtractor:
    """Asks for facts with structured outputs, and has nothing stored at OpenAI.

    A server that doesn't know the Responses API is asked for a chat completion with the same schema, and one that knows
    no schemas for plain JSON; what worked is remembered. The answer is read by us in every case (the SDK's own `parse`
    sends the same request, but throws an answer away that doesn't fit), so that one in a fence or in prose is not lost.
    """

    def __init__(
        self,
        model: str,
        client: AsyncOpenAI | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        instructions: str = "",
        max_facts: int = MAX_FACTS,
        timeout: float = 60.0,
        max_retries: int = 1,
    ) -> None:
        """Make an extractor; nothing is sent.

        Args:
            model: The model, as the server calls it.
            client: A client to use, which stays yours to close; then the rest of how to reach the server is its own.
            api_key: The key; by default what OPENAI_API_KEY holds.
            base_url: The server; by default what OPENAI_BASE_URL holds, or OpenAI.
            instructions: What else is to be noted, or left out.
            max_facts: How many facts of a turn to ask for at most.
            timeout: Seconds that a turn may take, however slowly its answer comes.
            max_retries: How often the client repeats a request that failed for now. What still fails is work that
                waits.

        Raises:
            InputError: A number is not positive.
            MissingExtraError: The package openai is not installed.
            ExtractorSetupError: There is no key.
        """
        if max_facts < 1 or timeout <= 0:
            raise InputError("max_facts and timeout are positive numbers.")
        made = client or openai_client(api_key, base_url, timeout, max_retries)
        if made is None:
            raise ExtractorSetupError("There is no key.", hint="Pass api_key, or set OPENAI_API_KEY.")
        self.model = model
        self._client = made
        self._own = client is None
        self._instructions = instructions
        self._max_facts = max_facts
        self._timeout = timeout
        self._way = 0
        self._no_credit_until = 0.0

    def __repr__(self) -> str:
        """Nothing of the key."""
        return f"{type(self).__name__}({self.model!r})"

    async def close(self) -> None:
        """Close the client, unless it was passed; idempotent."""
        if self._own:
            await self._client.close()

    async def extract(self, turn: Turn, known: Sequence[Fact]) -> Sequence[Candidate]:
        """Propose facts; see :class:`memoranda.extraction.Extractor`.

        Args:
            turn: The turn.
            known: Facts in force that it is about.

        Returns:
            The candidates.

        Raises:
            ExtractorUnavailableError: The server can't be reached, is too busy, too slow, or has an error.
            ExtractorQuotaError: The account has no credit. It isn't asked again for a minute.
            ExtractorSetupError: The key, the model or the address is wrong.
            ExtractorInputError: The server refuses the turn.
            AnswerError: The model refuses, or what it returned can't be read, twice.
        """
        asked = ask(turn, known, max_facts=self._max_facts, instructions=self._instructions)
        try:
            async with asyncio.timeout(self._timeout):
                return await self._read(asked)
        except TimeoutError:
            raise ExtractorUnavailableError("The model was too slow.") from None

    async def _read(self, asked: Asked) -> list[Candidate]:
        for _ in range(_TRIES - 1):
            try:
                return asked.read(await self._answer(asked))
            except RefusedError:
                raise
            except AnswerError:  # asked once more
                continue
        return asked.read(await self._answer(asked))

    async def _answer(self, asked: Asked) -> str | None:
        """What the model says, in the best way that the server knows."""
        import openai

        if time.monotonic() < self._no_credit_until:
            raise ExtractorQuotaError
        failure: ExtractorError = ExtractorUnavailableError()
        for place in range(self._way, len(_WAYS)):
            try:
                answer: object = json.loads(await self._request(_WAYS[place], asked))
            except openai.APIError as error:
                if place < len(_WAYS) - 1 and _is_unknown(error, _WAYS[place]):
                    continue
                failure = self._failure(error, asked)
            except ValueError:
                failure = ExtractorUnavailableError("The server's answer is not JSON.")
            else:
                self._way = place
                return _text_of(answer)
            # Raised here, so that the client's error, which has the request and the key in it, isn't its context.
            break
        raise failure

    async def _request(self, way: _Way, asked: Asked) -> bytes:
        """Send one request; returns what came, as it came."""
        import openai

        if way == "responses":
            raw = await self._client.responses.with_raw_response.create(
                model=self.model,
                instructions=asked.instructions,
                input=asked.input,
                text={"format": {"type": "json_schema", "name": "facts", "schema": SCHEMA, "strict": True}},
                store=False,
            )
            return raw.content
        instructions = asked.instructions
        if way == "json":
            instructions += f"\n\nAnswer with JSON alone, of this schema:\n{json.dumps(SCHEMA)}"
        answer = await self._client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[{"role": "system", "content": instructions}, {"role": "user", "content": asked.input}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "facts", "schema": SCHEMA, "strict": True},
            }
            if way == "chat"
            else openai.omit,
            store=False if is_openai(self._client) else openai.omit,  # other servers often refuse what they don't know
        )
        return answer.content

    def _failure(self, error: APIError, asked: Asked) -> ExtractorError:
        """What an error of the client means to us."""
        import openai

        if not isinstance(error, openai.APIStatusError):
            return ExtractorUnavailableError(f"The model can't be reached ({type(error).__name__}).")
        code = error.code or error.type or type(error).__name__
        told = said(error, self._client.api_key, asked.texts)
        message = f"The model's server answered {error.status_code} ({code})" + (f": {told}" if told else ".")
        if "insufficient_quota" in (error.code, error.type):
            self._no_credit_until = time.monotonic() + _PAUSE
            return ExtractorQuotaError(message)
        if error.status_code in (408, 409, 425, 429) or error.status_code >= 500:
            wait = retry_after(error.response.headers.get("retry-after"))
            return ExtractorUnavailableError(message, retry_after=wait)
        if error.status_code in (401, 403, 404) or error.code == "model_not_found":
            return ExtractorSetupError(message)
        return ExtractorInputError(message)


def _is_unknown(error: APIError, way: _Way) -> bool:
    """Whether an error says that the server doesn't know this way to ask."""
    import openai

    if not isinstance(error, openai.APIStatusError):
        return False
    if error.code in ("model_not_found", "context_length_exceeded"):
        return False
    return error.status_code in ((400, 404, 405, 422, 501) if way == "responses" else (400, 422, 501))


def _text_of(answer: object) -> str | None:
    """The text of an answer of either API.

    Raises:
        AnswerError: The model refuses, or was cut off.
    """
    of = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    try:
        return _completion(of) if "choices" in of else _response(of)
    except (TypeError, KeyError, IndexError, AttributeError):
        raise AnswerError("wrong shape") from None


def _completion(of: dict[str, Any]) -> str | None:
    choice = of["choices"][0]
    message = choice["message"]
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise RefusedError
    if choice.get("finish_reason") == "length":
        raise AnswerError("truncated")
    return cast("str | None", message.get("content"))


def _response(of: dict[str, Any]) -> str:
    why = cast("dict[str, Any]", of.get("incomplete_details") or {}).get("reason")
    if why or of.get("status") == "incomplete":
        raise RefusedError if why == "content_filter" else AnswerError("truncated")
    parts = [part for item in of["output"] if item.get("type") == "message" for part in item["content"]]
    if any(part.get("type") == "refusal" for part in parts):
        raise RefusedError
    return "".join(part["text"] for part in parts if part.get("type") == "output_text")
