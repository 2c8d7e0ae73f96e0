"""One database for the tests of messages of a module, and somebody new in it for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database
from support.embedders import words_embedder


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def store(shared: Database) -> AsyncIterator[memoranda.Store]:
    """The store of a test, with an embedder by the words of a text."""
    async with memoranda.connect(shared.dsn(), embedder=words_embedder()) as opened:
        yield opened


@pytest.fixture
def user() -> UUID:
    """Somebody new."""
    return uuid4()


def said(*texts: str) -> list[memoranda.NewMessage]:
    """A user and an assistant in turn."""
    return [memoranda.NewMessage("assistant" if n % 2 else "user", text) for n, text in enumerate(texts)]
