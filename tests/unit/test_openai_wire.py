# pyright: reportPrivateUsage=false
"""OpenAI's protocol as it goes over the wire: played back from recordings, which say where they are from.

What is asserted holds of the real service too, so that the same tests record from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import openai
import pytest

from memoranda.embedders import openai as embedder_module
from memoranda.embedders.openai import OpenAIEmbedder
from memoranda.embedding import embed_checked
from memoranda.extracting import openai as extractor_module
from memoranda.extracting.errors import ExtractorSetupError
from memoranda.extracting.grounding import grounds
from memoranda.extracting.openai import OpenAIExtractor
from memoranda.messagetypes import Message, Turn
from support.openai_server import Json, OpenAIServer, Reply, completion, error, response

MODEL = "gpt-5-mini"
SAID = "I'm allergic to peanuts, and I moved to Oslo on 3 March 2024. Please write a poem about autumn."
CASSETTES = Path(__file__).parent / "cassettes" / "test_openai_wire"

pytestmark = [pytest.mark.vcr, pytest.mark.block_network]


def facts(body: Json) -> str:
    """What the scripted server answers."""
    if "peanuts" not in json.dumps(body):
        return '{"facts": []}'
    common: Json = {"key": None, "entities": [], "message": 1, "updates": None, "until": None, "valid_until": None}
    since: Json = {"since": "on 3 March 2024", "valid_from": "2024-03-03"}
    allergic: Json = {"content": "Allergic to peanuts.", "kind": "fact", "quote": "I'm allergic to peanuts"}
    moved: Json = {"content": "Moved to Oslo.", "kind": "event", "quote": "I moved to Oslo on 3 March 2024"}
    never: Json = {"since": None, "valid_from": None}
    return json.dumps({"facts": [common | allergic | never, common | moved | since]})


def scripted(server: OpenAIServer) -> None:
    def known(body: Json, answer: Json) -> Json | Reply:
        return answer if body["model"] == MODEL else error(400, "model_not_found")

    server.answer("/responses", lambda body: known(body, response(facts(body))))
    server.answer("/chat/completions", lambda body: known(body, completion(facts(body))))


def is_openai(client: openai.AsyncOpenAI) -> bool:
    return True


@pytest.fixture
async def client(record_mode: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[openai.AsyncOpenAI]:
    """OpenAI's own, if there is a key and it is to be recorded; else one to which only the recordings answer."""
    for module in (embedder_module, extractor_module):  # so that the same is asked wherever it is recorded
        monkeypatch.setattr(module, "is_openai", is_openai)
    plain = openai.DefaultAsyncHttpxClient(verify=False)
    if record_mode == "none":
        async with openai.AsyncOpenAI(
            api_key="none", base_url="http://127.0.0.1:1/v1", max_retries=0, http_client=plain
        ) as nobody:
            yield nobody
    elif os.environ.get("OPENAI_API_KEY"):
        await plain.aclose()
        async with openai.AsyncOpenAI(base_url="https://api.openai.com/v1") as real:
            yield real
    else:
        with OpenAIServer() as server:
            scripted(server)
            async with openai.AsyncOpenAI(api_key="none", base_url=server.url, http_client=plain) as made:
                yield made


def turn(text: str) -> Turn:
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    message = Message("m-1", "user", text, at, None, None, uuid4(), {}, False, 1, ("user", ""), None, None)
    return Turn(uuid4(), None, [message])


@pytest.mark.parametrize("way", ["responses", "chat", "json"])
async def test_facts_are_found_in_every_way_to_ask(way: str, client: openai.AsyncOpenAI) -> None:
    extractor = OpenAIExtractor(MODEL, client)
    extractor._way = ("responses", "chat", "json").index(way)
    said = turn(SAID)
    found = await extractor.extract(said, [])
    assert any("peanut" in each.content.lower() for each in found)
    assert not any("autumn" in each.content.lower() for each in found)
    assert {grounds(each, said).origin for each in found} == {"user"}, "the quotes are the user's own words"
    for each in found:
        assert each.valid_from in (None, datetime(2024, 3, 3, tzinfo=UTC))


async def test_where_nothing_is_worth_keeping_there_is_nothing(client: openai.AsyncOpenAI) -> None:
    assert await OpenAIExtractor(MODEL, client).extract(turn("Please write a poem about autumn."), []) == []


async def test_a_model_that_is_not_there(client: openai.AsyncOpenAI) -> None:
    with pytest.raises(ExtractorSetupError):
        await OpenAIExtractor("no-such-model", client).extract(turn(SAID), [])


async def test_vectors(client: openai.AsyncOpenAI) -> None:
    embedder = OpenAIEmbedder("text-embedding-3-small", 8, client)
    first, second = await embed_checked(embedder, ["an apple", "a bicycle"])
    assert len(first) == len(second) == 8
    assert first != second


def test_recordings_say_where_they_are_from_and_hold_no_key() -> None:
    recorded = list(CASSETTES.glob("*.yaml"))
    assert len(recorded) >= 6
    for path in recorded:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(("# Recorded from OpenAI.", "# Recorded from the scripted server"))
        assert ("https://api.openai.com/" in text) == text.startswith("# Recorded from OpenAI.")
        assert not any(word in text.lower() for word in ("authorization", "bearer", "sk-", "cookie"))
