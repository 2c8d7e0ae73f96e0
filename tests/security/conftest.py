"""One database with rows of everybody for the whole folder; every test takes back what it does."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg
import pytest

from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, running_server

from .world import World, bind, build

Connection: TypeAlias = psycopg.Connection[Any]


@dataclass(frozen=True)
class Ground:
    """A database and what is in it."""

    database: Database
    world: World

    @contextmanager
    def superuser(self) -> Generator[Connection]:
        """A superuser's transaction, taken back at the end."""
        with psycopg.connect(self.database.dsn("postgres"), prepare_threshold=None) as conn:
            conn.execute("select 1")  # opens the transaction: blocks within it are savepoints, and commit nothing
            yield conn
            conn.rollback()

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """A connection of the login that an API has, as nobody yet; what is not committed is taken back at the end."""
        with psycopg.connect(self.database.dsn(), prepare_threshold=None) as conn:
            yield conn
            conn.rollback()

    @contextmanager
    def session(self, name: str) -> Generator[Connection]:
        """The same, bound to somebody for one transaction, as our transports bind it."""
        with self.connection() as conn:
            bind(conn, self.world.callers[name])
            yield conn


@pytest.fixture(scope="session")
def ground(server: EmbeddedServer, template: str) -> Iterator[Ground]:
    database = create_database(server, template)
    with psycopg.connect(database.dsn("postgres"), prepare_threshold=None) as conn:
        world = build(conn)
    yield Ground(database, world)
    drop_database(database)


@pytest.fixture(scope="session")
def hosted() -> Iterator[EmbeddedServer]:
    """A server whose login `hosted` is what Supabase's `postgres` is: no superuser; it makes roles and bypasses RLS.

    It has a server of its own, because roles belong to a server, and to whoever made them.
    """
    with running_server() as server:
        with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
            conn.execute("create role hosted login createrole bypassrls")
        yield server


@contextmanager
def hosted_database(server: EmbeddedServer, home: str) -> Generator[Database]:
    """A database of that server, with the extensions in a schema, where the host is generous with its own objects."""
    database = create_database(server)
    with database.admin() as conn:
        conn.execute(f'grant create on database "{database.name}" to hosted'.encode())
        if home == "extensions":
            conn.execute("create schema extensions; grant usage on schema extensions to hosted with grant option")
        conn.execute(f"create extension vector schema {home}; create extension pg_trgm schema {home}".encode())
        for objects in ("tables", "sequences", "functions", "schemas"):
            conn.execute(f"alter default privileges for role hosted grant all on {objects} to public".encode())
    yield database
    drop_database(database)
