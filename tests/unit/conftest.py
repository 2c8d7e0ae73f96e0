"""How requests to OpenAI are recorded and played back, for the tests marked `vcr`; CONTRIBUTING.md says when."""

from __future__ import annotations

import re
from typing import Any

import pytest

HEADER = """\
# {}
# `pytest --record-mode=rewrite tests/unit/test_openai_wire.py` records it anew: from OpenAI where OPENAI_API_KEY is
# set, else from the scripted server.
"""
SCRIPTED = "Recorded from the scripted server of tests/support/openai_server.py on loopback, not from OpenAI."
REAL = "Recorded from OpenAI."


class WithHeader:
    """Cassettes that say where they were recorded."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def serialize(self, cassette: dict[str, Any]) -> str:
        uris = [each["request"]["uri"] for each in cassette["interactions"]]
        real = all(uri.startswith("https://api.openai.com/") for uri in uris)
        return HEADER.format(REAL if real else SCRIPTED) + str(self.plain.serialize(cassette))

    def deserialize(self, text: str) -> Any:
        return self.plain.deserialize(text)


@pytest.hookimpl(optionalhook=True)
def pytest_recording_configure(config: pytest.Config, vcr: Any) -> None:
    vcr.register_serializer("yaml", WithHeader(vcr.serializers["yaml"]))


@pytest.fixture(scope="session")
def vcr_config() -> dict[str, Any]:
    def request(sent: Any) -> Any:
        """Without its headers, which have the key and the machine in them, and without the server's port."""
        sent.headers = {}
        sent.uri = re.sub(r"^http://127\.0\.0\.1:\d+/", "http://127.0.0.1/", sent.uri)
        return sent

    def response(received: dict[str, Any]) -> dict[str, Any]:
        kept = {"content-type", "retry-after"}
        received["headers"] = {name: value for name, value in received["headers"].items() if name.lower() in kept}
        return received

    return {
        "match_on": ["method", "path", "body"],
        "before_record_request": request,
        "before_record_response": response,
        "decode_compressed_response": True,
    }
