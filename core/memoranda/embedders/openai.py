"""Embeddings of OpenAI, and of any server that speaks its protocol. Needs ``memoranda[openai]``."""

from __future__ import annotations

import base64
import json
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from memoranda.embedders.wrapped import OPENAI_DIMENSIONS, Vectors
from memoranda.embedding import Kind, embed_in_pieces, failure_of_status
from memoranda.errors import (
    EmbedderError,
    EmbedderQuotaError,
    EmbedderSetupError,
    EmbedderUnavailableError,
    InputError,
    MissingExtraError,
    VectorError,
)
from memoranda.openaiclient import is_openai, openai_client, retry_after, said
from memoranda.tokens import TokenCounter, conservative, token_counter

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

# OpenAI's limits of one request. No token is shorter than a byte, so that bytes will do to keep within the second.
_INPUTS, _TOKENS = 2_048, 300_000
# An answer is decoded in one go, while the event loop stands still: about 12 ms for so many numbers, in decimals or,
# as only OpenAI is asked to send them, in base64.
_DECIMALS, _PACKED = 50_000, 400_000
# Seconds for which an account without credit is not asked again.
_PAUSE = 60.0

_SHORTENED = "text-embedding-3-"


class OpenAIEmbedder:
    """An embedder named ``"openai:<model>"``, or one for another server with its protocol.

    A text over the model's limit is embedded in pieces, and gets the average of their vectors, weighted by their
    lengths, at length 1.
    """

    def __init__(
        self,
        model: str,
        dimensions: int | None = None,
        client: AsyncOpenAI | None = None,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        shorten: bool | None = None,
        max_tokens: int = 8_191,
        timeout: float = 30.0,
        max_retries: int = 2,
    ) -> None:
        """Make an embedder; nothing is sent.

        Args:
            model: The model, as the server calls it.
            dimensions: The length of the vectors. By default the model's own, which has to be given for a model that
                isn't OpenAI's.
            client: A client to use, which stays yours to close; then the rest of how to reach the server is its own.
            api_key: The key; by default what OPENAI_API_KEY holds.
            base_url: The server; by default what OPENAI_BASE_URL holds, or OpenAI.
            shorten: Whether to ask the server for vectors of that length. By default only of OpenAI's models that can
                do it, when it isn't their own length; other servers often refuse the question.
            max_tokens: What is longer is embedded in pieces. Counted exactly for OpenAI's models, with
                ``memoranda[tokens]``; else by an upper bound of what OpenAI would count.
            timeout: Seconds until a request is given up.
            max_retries: How often the client repeats a request that failed for now. It waits as long as the server
                says, up to a minute.

        Raises:
            InputError: The dimensions are not known, or not possible.
            MissingExtraError: The package openai is not installed.
            EmbedderSetupError: There is no key.
        """
        own = OPENAI_DIMENSIONS.get(model)
        length = own if dimensions is None else dimensions
        if length is None:
            raise InputError(f"The dimensions of {model!r} are not known.", hint="Pass dimensions.")
        if length < 1 or max_tokens < 1:
            raise InputError("dimensions and max_tokens are positive numbers.")
        if own and length != own and (length > own or not model.startswith(_SHORTENED)):
            raise InputError(f"{model!r} has no vectors of {length} numbers.", hint=f"Leave dimensions at {own}.")
        self.model = f"openai:{model}" if length == own else f"openai:{model}@{length}"
        self.dimensions = length
        self._name = model
        self._shorten = (own is not None and length != own) if shorten is None else shorten
        self._max_tokens = max_tokens
        self._counter: TokenCounter | None = None
        self._no_credit_until = 0.0
        self._made = client is None
        self._client = client or _client(api_key, base_url, timeout, max_retries)
        self._base64 = is_openai(self._client)
        self.max_inputs = max(8, min(_INPUTS, (_PACKED if self._base64 else _DECIMALS) // length))

    def __repr__(self) -> str:
        """Nothing of the key."""
        return f"{type(self).__name__}({self._name!r}, dimensions={self.dimensions})"

    async def close(self) -> None:
        """Close the client, unless it was passed; idempotent."""
        if self._made:
            await self._client.close()

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Embed some texts; see :class:`memoranda.embedding.Embedder`.

        Args:
            texts: Any number of texts.
            kind: Makes no difference to these models.

        Returns:
            One vector a text, in their order.

        Raises:
            EmbedderUnavailableError: The server can't be reached, is too busy, or has an error.
            EmbedderQuotaError: The account has no credit. It isn't asked again for a minute.
            EmbedderSetupError: The key, the model or the address is wrong.
            EmbedderInputError: The server refuses a text.
            VectorError: The answer is not one vector a text.
        """
        return await embed_in_pieces(texts, self._fits, self._embed)

    def _fits(self, text: str) -> bool:
        """Whether the model takes a text whole."""
        return conservative(text) <= self._max_tokens or self._count(text) <= self._max_tokens

    def _count(self, text: str) -> int:
        """The tokens of a text."""
        if self._counter is None:
            try:
                self._counter = token_counter("cl100k_base" if self._name in OPENAI_DIMENSIONS else None)
            except MissingExtraError:
                self._counter = conservative
        return self._counter(text)

    async def _embed(self, texts: list[str]) -> Vectors:
        """Embed texts that fit, in as many requests as they need."""
        vectors: list[Sequence[float]] = []
        for group in self._groups(texts):
            vectors += await self._request(group)
        return vectors

    def _groups(self, texts: list[str]) -> Iterator[list[str]]:
        """Texts in groups that one request may carry."""
        group: list[str] = []
        size = 0
        for text in texts:
            length = len(text.encode())
            if group and (len(group) == self.max_inputs or size + length > _TOKENS):
                yield group
                group, size = [], 0
            group.append(text)
            size += length
        if group:
            yield group

    async def _request(self, texts: list[str]) -> Vectors:
        """Send one request."""
        import openai

        if time.monotonic() < self._no_credit_until:
            raise EmbedderQuotaError
        dimensions = self.dimensions if self._shorten else openai.omit
        encoding: Literal["base64", "float"] = "base64" if self._base64 else "float"
        try:
            # Raw, since the client would look at every number of the answer.
            raw = await self._client.embeddings.with_raw_response.create(
                model=self._name, input=texts, encoding_format=encoding, dimensions=dimensions
            )
            answer: object = json.loads(raw.content)
        except openai.APIError as error:
            failure = self._failure(error, texts)
        except ValueError:
            failure = EmbedderUnavailableError("The embedder's answer is not JSON.")
        else:
            return _in_order(answer, len(texts))
        # Raised here, so that the client's error, which has the request and the key in it, isn't its context.
        raise failure

    def _failure(self, error: APIError, texts: list[str]) -> EmbedderError:
        """What an error of the client means to us."""
        import openai

        if not isinstance(error, openai.APIStatusError):
            return EmbedderUnavailableError(f"The embedder can't be reached ({type(error).__name__}).")
        code = error.code or error.type or type(error).__name__
        told = said(error, self._client.api_key, texts)
        message = f"The embedder answered {error.status_code} ({code})" + (f": {told}" if told else ".")
        if "insufficient_quota" in (error.code, error.type):
            self._no_credit_until = time.monotonic() + _PAUSE
            return EmbedderQuotaError(message)
        return failure_of_status(error.status_code, message, retry_after(error.response.headers.get("retry-after")))


def _client(api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> AsyncOpenAI:
    """A client of our own."""
    client = openai_client(api_key, base_url, timeout, max_retries)
    if client is None:
        raise EmbedderSetupError("There is no key.", hint="Pass api_key, or set OPENAI_API_KEY.")
    return client


def _in_order(answer: object, count: int) -> Vectors:
    """The vectors of an answer, which need not be in the order of the texts, nor be there at all."""
    try:
        items: list[Any] = list(cast("Any", answer)["data"])
        vectors: dict[int, Sequence[float]] = {item["index"]: _numbers(item["embedding"]) for item in items}
    except (TypeError, KeyError, ValueError):
        raise VectorError("The embedder's answer has no vectors.") from None
    if len(items) != count:
        raise VectorError(f"The embedder gave {len(items)} vectors for {count} texts.")
    if vectors.keys() != set(range(count)):
        raise VectorError("The embedder didn't say which vector is whose.")
    return [vectors[place] for place in range(count)]


def _numbers(embedding: Any) -> Sequence[float]:
    """A vector, which base64 has as little-endian floats of 32 bits."""
    if not isinstance(embedding, str):
        return cast("Sequence[float]", embedding)
    numbers = array("f", base64.b64decode(embedding, validate=True))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
