"""A real Postgres for every test that needs one: one embedded server a session, one database a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

import memoranda
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, migrated, running_server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-schema", action="store_true", help="write sql/schema.sql anew")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def template(server: EmbeddedServer) -> str:
    """The name of a migrated database, to be copied."""
    made = create_database(server)
    asyncio.run(migrated(made))
    return made.name


@pytest.fixture
def empty_database(server: EmbeddedServer) -> Iterator[Database]:
    made = create_database(server)
    yield made
    drop_database(made)


@pytest.fixture
def database(server: EmbeddedServer, template: str) -> Iterator[Database]:
    """A migrated database with nothing in it."""
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def store(database: Database) -> AsyncIterator[memoranda.Store]:
    async with memoranda.connect(database.dsn()) as opened:
        yield opened


@pytest.fixture
def alice(store: memoranda.Store) -> memoranda.Memory:
    return store.memory("alice")


@pytest.fixture
def bob(store: memoranda.Store) -> memoranda.Memory:
    return store.memory("bob")
