# pyright: reportPrivateUsage=false
"""OpenAI's extractor, against a server of our own."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import openai
import pytest

from memoranda.asking import close_extractor
from memoranda.errors import InputError
from memoranda.extracting.errors import (
    AnswerError,
    ExtractorError,
    ExtractorInputError,
    ExtractorQuotaError,
    ExtractorSetupError,
    ExtractorUnavailableError,
)
from memoranda.extracting.named import as_extractor
from memoranda.extracting.openai import OpenAIExtractor
from memoranda.extracting.prompt import SCHEMA
from memoranda.extraction import Extraction, Extractor
from memoranda.facttypes import Fact
from memoranda.messagetypes import Message, Turn
from support.openai_server import Json, OpenAIServer, Reply, completion, error, response

KEY = "sk-test-abcdefgh12345678"
AT = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def message(text: str, **data: str) -> Message:
    return Message("m-1", "user", text, AT, None, None, uuid4(), data, False, 1, ("user", ""), None, None)


TURN = Turn(uuid4(), "c", [message("I moved to Oslo yesterday, and I like tea.")])
FACT: Json = {"content": "Likes tea.", "kind": "preference", "key": None, "entities": [], "quote": "I like tea",
              "message": 1,
              "updates": None, "since": None, "until": None, "valid_from": None, "valid_until": None}  # fmt: skip
TEA = json.dumps({"facts": [FACT]})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        running.answer("/responses", lambda body: response(TEA))
        running.answer("/chat/completions", lambda body: completion(TEA))
        yield running


def client_of(server: OpenAIServer) -> openai.AsyncOpenAI:
    """A client that loads no certificates, which takes longest."""
    plain = openai.DefaultAsyncHttpxClient(verify=False)
    return openai.AsyncOpenAI(api_key=KEY, base_url=server.url, max_retries=0, http_client=plain)


@pytest.fixture
async def extractor(server: OpenAIServer) -> AsyncIterator[OpenAIExtractor]:
    async with client_of(server) as client:
        yield OpenAIExtractor("gpt-test", client, timeout=5)


def known(content: str, key: str | None = None) -> Fact:
    return Fact(uuid4(), key, content, "fact", "confirmed", "user", None, False, 5, (), (), {}, ("user", ""), 1, None,
                None, None, None, AT, AT, None, None, None)  # fmt: skip


# What it asks for.


async def test_it_asks_for_structured_outputs_and_stores_nothing(
    server: OpenAIServer, extractor: OpenAIExtractor
) -> None:
    assert isinstance(extractor, Extractor)
    (found,) = await extractor.extract(TURN, [])
    assert (found.content, found.kind, found.quote, found.message) == ("Likes tea.", "preference", "I like tea", "m-1")
    (request,) = server.requests
    assert (request.path, request.body["store"], request.body["model"]) == ("/responses", False, "gpt-test")
    assert request.body["text"]["format"] == {"type": "json_schema", "name": "facts", "schema": SCHEMA, "strict": True}
    assert "I moved to Oslo" in request.body["input"]
    assert "I moved to Oslo" not in request.body["instructions"]
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_the_schema_is_one_that_strict_outputs_take() -> None:
    def look(part: Json) -> None:
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert set(part["required"]) == set(part["properties"])
            for each in part["properties"].values():
                look(each)
        if part.get("type") == "array":
            look(part["items"])

    look(SCHEMA)


async def test_each_message_has_its_time_where_it_was_said(server: OpenAIServer, extractor: OpenAIExtractor) -> None:
    said = {"since": "yesterday", "valid_from": "1999-01-01", "quote": "I moved to Oslo", "content": "Moved to Oslo."}
    server.answer("/responses", lambda body: response(json.dumps({"facts": [FACT | said]})))
    for zone, shown, day in (
        ("Asia/Tokyo", "Tuesday 2026-12-01T08:30+09:00", 30),
        ("", "Monday 2026-11-30T23:30+00:00", 29),
    ):
        turn = Turn(uuid4(), None, [message("I moved to Oslo yesterday", zone=zone)])
        (found,) = await extractor.extract(turn, [])
        assert shown in server.requests[-1].body["input"]
        assert found.valid_from == datetime(2026, 11, day, tzinfo=ZoneInfo(zone or "UTC"))


async def test_only_what_is_there_can_be_named(server: OpenAIServer, extractor: OpenAIExtractor) -> None:
    city = known("Lives in Bergen.", "home city")
    named: list[Json] = [
        {"updates": "k1", "key": " Home  City ", "quote": "I moved to Oslo"},
        {"updates": str(city.id)},
        {"updates": "k2", "message": 7},
        {"updates": "k0", "quote": "I like gin", "since": "yesterday"},
        {"kind": "transcript", "since": "last year", "until": "yesterday", "valid_until": "2026-01-01"},
    ]
    server.answer("/responses", lambda body: response(json.dumps({"facts": [FACT | each for each in named]})))
    found = await extractor.extract(TURN, [city])
    assert '{"id": "k1", "key": "home city", "content": "Lives in Bergen."}' in server.requests[0].body["input"]
    assert str(city.id) not in server.requests[0].body["input"]
    assert [each.supersedes for each in found] == [city.id, None, None, None, None]
    assert [each.message for each in found] == ["m-1", "m-1", "m-1", None, "m-1"]
    assert (found[0].key, found[4].kind) == ("home city", "fact")
    assert [each.valid_from for each in found] == [None] * 5
    assert found[4].valid_until == datetime(2026, 11, 30, tzinfo=UTC), "to the end of that day"


async def test_further_instructions_and_the_number_of_facts(server: OpenAIServer) -> None:
    extractor = OpenAIExtractor("m", api_key=KEY, base_url=server.url, instructions="Note allergies.", max_facts=3)
    await extractor.extract(TURN, [])
    told: str = server.requests[0].body["instructions"]
    assert told.endswith("\n\nNote allergies.")
    assert "At most 3 facts" in told
    await extractor.close()


# Other servers.


async def test_a_server_without_the_responses_api_is_asked_for_a_completion(
    server: OpenAIServer, extractor: OpenAIExtractor
) -> None:
    server.answer("/responses", lambda body: error(404))
    for _ in range(2):
        assert len(await extractor.extract(TURN, [])) == 1
    assert [request.path for request in server.requests] == ["/responses", *["/chat/completions"] * 2]
    body = server.requests[1].body
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert "store" not in body


async def test_a_server_without_schemas_is_asked_for_json(server: OpenAIServer, extractor: OpenAIExtractor) -> None:
    def plain_only(body: Json) -> Json | Reply:
        return (
            error(400, message="response_format?") if "response_format" in body else completion(f"Sure!\n```{TEA}```")
        )

    server.answer("/responses", lambda body: error(405))
    server.answer("/chat/completions", plain_only)
    for _ in range(2):
        assert len(await extractor.extract(TURN, [])) == 1
    assert len(server.requests) == 4
    assert json.dumps(SCHEMA) in server.requests[-1].body["messages"][0]["content"]


async def test_what_failed_for_another_reason_is_not_remembered(
    server: OpenAIServer, extractor: OpenAIExtractor
) -> None:
    server.then(*[error(400)] * 3)
    with pytest.raises(ExtractorInputError):
        await extractor.extract(TURN, [])
    assert len(await extractor.extract(TURN, [])) == 1
    assert server.requests[-1].path == "/responses"
    server.then(error(404, "model_not_found"))
    with pytest.raises(ExtractorSetupError):
        await extractor.extract(TURN, [])
    assert len(server.requests) == 5


# What can go wrong.


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (response(refusal="I can't help with that."), "refused"),
        (response("", incomplete="content_filter"), "refused"),
        (response(TEA[:50], incomplete="max_output_tokens"), "truncated"),
        (response(TEA[:50]), "truncated"),
        (response(""), "empty"),
        (response("I'm sorry."), "not JSON"),
        (response('{"facts": null}'), "wrong shape"),
        ({"output": []}, "empty"),
        ({"output": None}, "wrong shape"),
        ({"no": "answer"}, "wrong shape"),
        (completion(refusal="No."), "refused"),
        (completion("", finish_reason="content_filter"), "refused"),
        (completion(TEA, finish_reason="length"), "truncated"),
        (completion(None), "empty"),
        ({"choices": []}, "wrong shape"),
    ],
)
async def test_answers_that_cannot_be_used_are_asked_for_again_and_then_fail(
    answer: Json, reason: str, server: OpenAIServer, extractor: OpenAIExtractor
) -> None:
    tries = 1 if reason == "refused" else 2
    server.then(*[Reply(body=answer)] * tries)
    with pytest.raises(AnswerError) as caught:
        await extractor.extract(TURN, [])
    assert caught.value.reason == reason
    assert caught.value.transient is (False if reason == "refused" else None)
    assert len(server.requests) == tries
    if tries > 1:
        server.then(Reply(body=answer))
        assert len(await extractor.extract(TURN, [])) == 1


async def test_nothing_to_keep_is_no_failure(server: OpenAIServer, extractor: OpenAIExtractor) -> None:
    server.then(Reply(body=response('{"facts": []}')))
    assert await extractor.extract(TURN, []) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "retry_after"),
    [
        (error(429, "rate_limit_exceeded", retry_after=7), ExtractorUnavailableError, 7.0),
        (error(429, "rate_limit_exceeded"), ExtractorUnavailableError, None),
        (error(503, retry_after=0.5), ExtractorUnavailableError, 0.5),
        (error(500), ExtractorUnavailableError, None),
        (Reply(502, b"<html>Bad gateway</html>"), ExtractorUnavailableError, None),
        (Reply(delay=5), ExtractorUnavailableError, None),
        (Reply(drip=0.05), ExtractorUnavailableError, None),
        (Reply(cut=True), ExtractorUnavailableError, None),
        (Reply(body=b'{"output": ['), ExtractorUnavailableError, None),
        (error(429, "insufficient_quota"), ExtractorQuotaError, None),
        (error(401, "invalid_api_key"), ExtractorSetupError, None),
        (error(403), ExtractorSetupError, None),
        (error(404, "model_not_found"), ExtractorSetupError, None),
        (error(400, "context_length_exceeded"), ExtractorInputError, None),
        (error(413), ExtractorInputError, None),
    ],
)
async def test_failures_are_told_apart(
    reply: Reply, kind: type[ExtractorError], retry_after: float | None, server: OpenAIServer
) -> None:
    server.then(reply)
    async with client_of(server) as client:
        extractor = OpenAIExtractor("m", client, timeout=0.3 if reply.delay or reply.drip else 5)
        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(TURN, [])
    assert type(caught.value) is kind
    assert caught.value.transient == (kind is not ExtractorInputError), "a server or an account is no fault of the turn"
    assert getattr(caught.value, "retry_after", None) == retry_after
    assert len(server.requests) == 1


async def test_what_fails_for_now_is_tried_again_as_the_server_says(server: OpenAIServer) -> None:
    extractor = OpenAIExtractor("m", api_key=KEY, base_url=server.url)
    server.then(error(429, retry_after=0.05))
    assert len(await extractor.extract(TURN, [])) == 1
    assert len(server.requests) == 2
    await extractor.close()


async def test_an_account_without_credit_is_not_asked_again_and_again(
    server: OpenAIServer, extractor: OpenAIExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.then(error(429, "insufficient_quota"))
    for _ in range(3):
        with pytest.raises(ExtractorQuotaError):
            await extractor.extract(TURN, [])
    assert len(server.requests) == 1
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert len(await extractor.extract(TURN, [])) == 1


@pytest.mark.parametrize("status", [401, 413, 429, 500])
async def test_no_key_and_no_text_in_errors_tracebacks_or_logs(
    status: int, server: OpenAIServer, extractor: OpenAIExtractor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "memoranda")
    for told in (f"Incorrect API key provided: {KEY}.", f"Bad input: {TURN.messages[0].text}"):
        server.then(error(status, "code", told))
        with pytest.raises(ExtractorError) as caught:
            await extractor.extract(TURN, [])
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text + repr(extractor)
        assert KEY not in shown
        assert "I moved to Oslo" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


# Making and closing.


def test_without_a_key_it_says_where_to_put_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ExtractorSetupError, match="OPENAI_API_KEY"):
        OpenAIExtractor("m")
    with pytest.raises(InputError):
        OpenAIExtractor("m", api_key=KEY, max_facts=0)


async def test_it_closes_a_client_of_its_own_only(server: OpenAIServer) -> None:
    client = openai.AsyncOpenAI(api_key=KEY, base_url=server.url)
    await OpenAIExtractor("m", client).close()
    assert not client.is_closed()
    await client.close()
    ours = OpenAIExtractor("m", api_key=KEY, base_url=server.url)
    await ours.close()
    await ours.close()
    assert ours._client.is_closed()


async def test_by_name(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    extractor = as_extractor("openai:org/model:tag")
    assert extractor is not None
    how = Extraction(extractor, secrets="refuse")
    assert as_extractor(how) is how
    assert len(await how.extract(TURN, [])) == 1
    assert server.requests[0].body["model"] == "org/model:tag"
    await close_extractor(how)
    await close_extractor(None)
    assert as_extractor(None) is None
    for no_extractor in ("openai:", "other", OpenAIExtractor, 7):
        with pytest.raises(InputError):
            as_extractor(no_extractor)
