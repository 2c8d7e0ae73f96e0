# pyright: reportPrivateUsage=false
"""OpenAI's embedder, against a server of our own."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from email.utils import formatdate

import openai
import pytest

from memoranda import tokens
from memoranda.embedders import as_embedder
from memoranda.embedders import openai as module
from memoranda.embedders.openai import OpenAIEmbedder
from memoranda.embedding import close_embedder, embed_checked, embed_each
from memoranda.errors import (
    EmbedderError,
    EmbedderInputError,
    EmbedderQuotaError,
    EmbedderSetupError,
    EmbedderUnavailableError,
    InputError,
    MissingExtraError,
    VectorError,
)
from memoranda.tokens import token_counter
from support.openai_server import Json, OpenAIServer, Reply, embeddings, error, vector_of

KEY = "sk-test-abcdefgh12345678"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
async def embedder(server: OpenAIServer) -> AsyncIterator[OpenAIEmbedder]:
    made = OpenAIEmbedder("text-embedding-3-small", api_key=KEY, base_url=server.url, max_retries=0, timeout=2.0)
    yield made
    await made.close()


# What it asks for.


async def test_texts_become_vectors_in_order(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    texts = ["one", "two", "three 🙂"]
    assert await embed_checked(embedder, texts) == [vector_of(text, 1536) for text in texts]
    (request,) = server.requests
    assert request.body == {"model": "text-embedding-3-small", "input": texts, "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_an_answer_in_another_order_is_put_right(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    def reversed_(body: Json) -> Json:
        answer = embeddings(body)
        return {**answer, "data": answer["data"][::-1]}

    server.answer("/embeddings", reversed_)
    assert await embed_checked(embedder, ["a", "b"]) == [vector_of("a", 1536), vector_of("b", 1536)]


async def test_shorter_vectors_are_asked_for_and_named(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("text-embedding-3-large", 256, api_key=KEY, base_url=server.url)
    assert embedder.model == "openai:text-embedding-3-large@256"
    assert await embed_checked(embedder, ["a"]) == [vector_of("a", 256)]
    assert server.requests[0].body["dimensions"] == 256
    await close_embedder(embedder)


async def test_other_servers_are_not_asked_to_shorten_unless_told(server: OpenAIServer) -> None:
    for shorten, asked in ((None, None), (True, 1536)):
        embedder = OpenAIEmbedder("nomic-embed-text", 1536, api_key="none", base_url=server.url, shorten=shorten)
        assert embedder.model == "openai:nomic-embed-text@1536"
        await embed_checked(embedder, ["a"])
        assert server.requests[-1].body.get("dimensions") == asked
        await embedder.close()


@pytest.mark.parametrize(
    ("name", "model", "dimensions"),
    [
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small", 1536),
        ("openai:text-embedding-3-large@1024", "openai:text-embedding-3-large@1024", 1024),
        ("openai:text-embedding-3-large@3072", "openai:text-embedding-3-large", 3072),
        ("openai:org/model:tag@768", "openai:org/model:tag@768", 768),
    ],
)
async def test_by_name(
    name: str, model: str, dimensions: int, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.answer("/embeddings", lambda body: embeddings({"dimensions": dimensions, **body}))
    embedder = as_embedder(name)
    assert embedder is not None
    assert (embedder.model, embedder.dimensions) == (model, dimensions)
    again = as_embedder(embedder.model)
    assert again is not None
    assert again.model == model
    assert len(await embed_checked(embedder, ["a"])) == 1
    await close_embedder(embedder)
    await close_embedder(again)


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [("unknown", None), ("text-embedding-3-small", 1537), ("text-embedding-ada-002", 256), ("unknown", 0)],
)
def test_dimensions_that_are_unknown_or_impossible_are_refused(model: str, dimensions: int | None) -> None:
    with pytest.raises(InputError):
        OpenAIEmbedder(model, dimensions, api_key=KEY)


def test_without_a_key_it_says_where_to_put_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderSetupError, match="OPENAI_API_KEY"):
        as_embedder("openai:text-embedding-3-small")


# Limits.


async def test_a_request_holds_no_more_than_it_may(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("text-embedding-3-small", 4, api_key=KEY, base_url=server.url)
    assert embedder.max_inputs == 2_048
    short, long = [f"text {n}" for n in range(5_000)], [f"{n} {'word ' * 1_000}" for n in range(200)]
    assert await embed_checked(embedder, short + long) == [vector_of(text, 4) for text in short + long]
    count = token_counter("cl100k_base")
    for request in server.requests:
        assert len(request.body["input"]) <= 2_048
        assert sum(map(count, request.body["input"])) <= 300_000
    assert len(server.requests) < 20
    await embedder.close()


@pytest.mark.parametrize(
    ("url", "numbers"),
    [(None, 400_000), ("https://eu.api.openai.com/v1", 400_000), ("http://notopenai.com/v1", 50_000)],
)
def test_an_answer_holds_no_more_numbers_than_can_be_decoded_at_once(
    url: str | None, numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    embedder = OpenAIEmbedder("text-embedding-3-large", api_key=KEY, base_url=url)
    assert numbers - embedder.dimensions < embedder.max_inputs * embedder.dimensions <= numbers


async def test_openai_itself_may_send_vectors_packed(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    embedder._base64 = True
    assert await embed_checked(embedder, ["a", "b"]) == [vector_of("a", 1536), vector_of("b", 1536)]
    assert server.requests[0].body["encoding_format"] == "base64"


# (Lower limits where nothing parts the text: for that the oldest tiktoken takes time by the square of its length.)
@pytest.mark.parametrize(
    ("text", "limit"),
    [("word " * 20_000, None), ("字典" * 2_500, 2_000), ("x" * 25_000, 2_000), ("🙂" * 9_000, None)],
    ids=["en", "zh", "x", "🙂"],
)
async def test_a_text_over_the_limit_goes_in_pieces(
    text: str, limit: int | None, server: OpenAIServer, embedder: OpenAIEmbedder
) -> None:
    embedder._max_tokens = limit or embedder._max_tokens
    short, long = await embed_checked(embedder, ["short", text])
    assert short == vector_of("short", 1536)
    assert math.isclose(math.hypot(*long), 1.0)
    pieces = [piece for request in server.requests for piece in request.body["input"][:]][1:]
    assert len(pieces) > 1
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", text)
    count = token_counter("cl100k_base")
    assert all(count(piece) <= (limit or 8_191) for piece in pieces)


async def test_a_text_at_the_limit_goes_whole(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    text = "word " * 8_000
    assert token_counter("cl100k_base")(text) <= 8_191 < tokens.conservative(text)
    await embed_checked(embedder, [text])
    assert server.requests[0].body["input"] == [text]


async def test_without_a_counter_the_bound_is_kept(
    server: OpenAIServer, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(encoding: str | None) -> tokens.TokenCounter:
        raise MissingExtraError

    monkeypatch.setattr(module, "token_counter", missing)
    await embed_checked(embedder, ["word " * 8_000])
    assert all(tokens.conservative(piece) <= 8_191 for piece in server.requests[0].body["input"])


# What can go wrong.


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after"),
    [
        (error(429, "rate_limit_exceeded", retry_after=7), EmbedderUnavailableError, 7.0),
        (error(429, "rate_limit_exceeded"), EmbedderUnavailableError, None),
        (error(429, "rate_limit_exceeded", retry_after="soon"), EmbedderUnavailableError, None),
        (error(503, retry_after=0.5), EmbedderUnavailableError, 0.5),
        (error(500), EmbedderUnavailableError, None),
        (Reply(502, b"<html>Bad gateway</html>"), EmbedderUnavailableError, None),
        (error(408), EmbedderUnavailableError, None),
        (Reply(delay=5), EmbedderUnavailableError, None),
        (Reply(cut=True), EmbedderUnavailableError, None),
        (Reply(body=b'{"data": ['), EmbedderUnavailableError, None),
        (error(429, "insufficient_quota"), EmbedderQuotaError, None),
        (error(401, "invalid_api_key"), EmbedderSetupError, None),
        (error(403, "unsupported_region"), EmbedderSetupError, None),
        (error(404, "model_not_found"), EmbedderSetupError, None),
        (error(400, "invalid_request_error"), EmbedderInputError, None),
        (error(422), EmbedderInputError, None),
        (error(413), EmbedderInputError, None),
    ],
)
async def test_failures_are_told_apart(
    reply: Reply, kind: type[EmbedderError], retry_after: float | None, server: OpenAIServer
) -> None:
    embedder = OpenAIEmbedder(
        "text-embedding-3-small", api_key=KEY, base_url=server.url, max_retries=0, timeout=0.3 if reply.delay else 5
    )
    server.then(reply)
    with pytest.raises(EmbedderError) as caught:
        await embed_checked(embedder, ["a text of the user's"])
    assert type(caught.value) is kind
    assert caught.value.transient == (kind is EmbedderUnavailableError)
    assert getattr(caught.value, "retry_after", None) == retry_after
    if reply.status != 200:
        assert str(reply.status) in str(caught.value)
    assert len(server.requests) == 1
    await embedder.close()


async def test_a_date_to_retry_after_becomes_seconds(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    server.then(error(503, retry_after=formatdate(time.time() + 90, usegmt=True)))
    with pytest.raises(EmbedderUnavailableError) as caught:
        await embed_checked(embedder, ["a"])
    assert caught.value.retry_after == pytest.approx(90, abs=3)


async def test_nobody_there(server: OpenAIServer) -> None:
    with OpenAIServer() as gone:
        url = gone.url
    embedder = OpenAIEmbedder("text-embedding-3-small", api_key=KEY, base_url=url, max_retries=0)
    with pytest.raises(EmbedderUnavailableError):
        await embed_checked(embedder, ["a"])
    await embedder.close()


def half(body: Json) -> Json:
    return {**embeddings(body), "data": embeddings(body)["data"][:1]}


def twice(body: Json) -> Json:
    return {**embeddings(body), "data": embeddings(body)["data"][:1] * 2}


def short(body: Json) -> Json:
    return embeddings({**body, "dimensions": 8})


def zero(body: Json) -> Json:
    return {"data": [{"index": n, "embedding": [0.0] * 1536} for n in range(len(body["input"]))]}


def nothing(body: Json) -> Json:
    return {"data": None}


def no_vectors(body: Json) -> Json:
    return {"data": [{"index": n} for n in range(len(body["input"]))]}


def no_object(body: Json) -> list[Json]:
    return []


def badly_packed(body: Json) -> Json:
    return {"data": [{"index": n, "embedding": "AAA="} for n in range(len(body["input"]))]}


@pytest.mark.parametrize("answer", [half, twice, short, zero, nothing, no_vectors, no_object, badly_packed])
async def test_an_answer_that_is_not_one_vector_a_text_is_refused(
    answer: Callable[[Json], object], server: OpenAIServer, embedder: OpenAIEmbedder
) -> None:
    server.answer("/embeddings", answer)
    with pytest.raises(VectorError):
        await embed_checked(embedder, ["a", "b"])


async def test_what_fails_for_now_is_tried_again_as_the_server_says(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("text-embedding-3-small", api_key=KEY, base_url=server.url)
    server.then(error(429, retry_after=0.1), error(500, retry_after=0.1))
    assert await embed_checked(embedder, ["a"]) == [vector_of("a", 1536)]
    assert len(server.requests) == 3
    server.then(*[error(503, retry_after=0.05)] * 9)
    with pytest.raises(EmbedderUnavailableError):
        await embed_checked(embedder, ["a"])
    assert len(server.requests) == 6
    await embedder.close()


async def test_an_account_without_credit_is_not_asked_again_and_again(
    server: OpenAIServer, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.then(error(429, "insufficient_quota"))
    for _ in range(5):
        with pytest.raises(EmbedderQuotaError):
            await embed_each(embedder, ["a", "b"])
    assert len(server.requests) == 1
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert len(await embed_checked(embedder, ["a"])) == 1


async def test_one_text_that_is_refused_does_not_hold_up_the_others(
    server: OpenAIServer, embedder: OpenAIEmbedder
) -> None:
    def answer(body: Json) -> Json | Reply:
        return error(400, "invalid_request_error") if "poison" in body["input"] else embeddings(body)

    server.answer("/embeddings", answer)
    results = await embed_each(embedder, ["a", "b", "poison", "d"])
    assert isinstance(results[2], EmbedderInputError)
    assert [results[place] for place in (0, 1, 3)] == [vector_of(text, 1536) for text in ("a", "b", "d")]


# Secrets.


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_no_key_and_no_text_in_errors_tracebacks_or_logs(
    status: int, server: OpenAIServer, embedder: OpenAIEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "memoranda")
    text = "Alice's number is 4711"
    for message in (f"Incorrect API key provided: {KEY}.", "Incorrect key: sk-other-****5678", f"Bad input: {text}"):
        server.then(error(status, "code", message))
        with pytest.raises(EmbedderError) as caught:
            await embed_checked(embedder, [text])
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(caught.value.detail)
        assert KEY not in shown
        assert "5678" not in shown
        assert text not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
    assert KEY not in repr(embedder)
    assert KEY not in str(embedder)
    assert KEY not in caplog.text


async def test_what_the_server_says_is_told(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    server.then(error(400, "invalid_request_error", "This model does not support specifying dimensions."))
    with pytest.raises(EmbedderInputError, match=r"400 \(invalid_request_error\): This model does not support"):
        await embed_checked(embedder, ["a"])


# Closing.


async def test_it_closes_a_client_of_its_own_only(server: OpenAIServer) -> None:
    client = openai.AsyncOpenAI(api_key=KEY, base_url=server.url)
    theirs = OpenAIEmbedder("text-embedding-3-small", client=client)
    await theirs.close()
    assert not client.is_closed()
    assert len(await embed_checked(theirs, ["a"])) == 1
    await client.close()
    ours = OpenAIEmbedder("text-embedding-3-small", api_key=KEY, base_url=server.url)
    await ours.close()
    await ours.close()
    assert ours._client.is_closed()


async def test_a_cancelled_call_leaves_the_embedder_usable(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    server.then(Reply(delay=1))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await embed_checked(embedder, ["a"])
    assert len(await embed_checked(embedder, ["b"])) == 1
