"""A real Postgres for every test that needs one: one embedded server a session, one database a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

import memoranda
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, emptied, migrated, running_server
from support.overhttp import connected_over_http
from support.pooler import PooledServer, pooled_or_skipped
from support.standin import StandIn, standing_in_or_skipped


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-schema", action="store_true", help="write sql/schema.sql anew")
    parser.addoption("--pooler", action="store_true", help="put PgBouncer between clients and the server")
    parser.addoption(
        "--supabase",
        choices=["signed", "service"],
        help="let clients speak Supabase's protocols, with tokens that are signed for users, or with a service key",
    )


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def direct_server() -> Iterator[EmbeddedServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def pooled_server(direct_server: EmbeddedServer) -> Iterator[PooledServer]:
    """The same server, its clients coming through PgBouncer."""
    with pooled_or_skipped(direct_server) as seen:
        yield seen


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> EmbeddedServer:
    """The server of most tests; with `--pooler` it is behind one."""
    name = "pooled_server" if request.config.getoption("--pooler") else "direct_server"
    found: EmbeddedServer = request.getfixturevalue(name)
    return found


@pytest.fixture(scope="session")
def stand_in(direct_server: EmbeddedServer) -> Iterator[StandIn]:
    """The same server, its databases served as Supabase's projects."""
    with standing_in_or_skipped(direct_server) as found:
        yield found


@pytest.fixture(autouse=True)
def over_http(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--supabase`, `memoranda.connect` goes to the stand-in, but in a test that speaks to the server directly."""
    mode = request.config.getoption("--supabase")
    node: pytest.Item = request.node
    if mode is None or node.get_closest_marker("direct"):
        yield
        return
    with connected_over_http(request.getfixturevalue("stand_in"), request.getfixturevalue("direct_server"), mode):
        yield


@pytest.fixture(scope="session")
def template(request: pytest.FixtureRequest, server: EmbeddedServer) -> str:
    """The name of a migrated database, to be copied."""
    made = create_database(server)
    if request.config.getoption("--supabase"):  # as there, accounts are there before we are
        stand_in: StandIn = request.getfixturevalue("stand_in")
        stand_in.prepare(made)
        stand_in.forget(made)
    asyncio.run(migrated(made))
    return made.name


@pytest.fixture
def empty_database(server: EmbeddedServer) -> Iterator[Database]:
    made = create_database(server)
    yield made
    drop_database(made)


@pytest.fixture(scope="session")
def emptied_databases() -> list[str]:
    """The names of databases that tests are done with and that are as new."""
    return []


@pytest.fixture
def database(
    request: pytest.FixtureRequest,
    server: EmbeddedServer,
    direct_server: EmbeddedServer,
    template: str,
    emptied_databases: list[str],
) -> Iterator[Database]:
    """A migrated database with nothing in it."""
    node: pytest.Item = request.node
    stand_in: StandIn | None = request.getfixturevalue("stand_in") if request.config.getoption("--supabase") else None
    reached = direct_server if node.get_closest_marker("direct") else server
    used = Database(reached, emptied_databases.pop()) if emptied_databases else create_database(reached, template)
    yield used
    if stand_in is not None:  # it holds connections, and accounts
        stand_in.forget(used)
        drop_database(used)
    elif emptied(used):
        emptied_databases.append(used.name)
    else:
        drop_database(used)


@pytest.fixture(params=["direct", "pooled"])
def reached(request: pytest.FixtureRequest, database: Database) -> Database:
    """The test's database, reached directly and through a pooler with two server connections."""
    return Database(request.getfixturevalue(f"{request.param}_server"), database.name)


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
