"""Every transport keeps the same promises: embedded, through a pooler, over Supabase's protocols, blocking or not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from memoranda import TokenSigner
from memoranda.sync.transport.postgres import PostgresTransport as SyncPostgresTransport
from memoranda.sync.transport.supabase import SupabaseTransport as SyncSupabaseTransport
from memoranda.testing import TransportSuite
from memoranda.transport import Caller, Json, Transport
from memoranda.transport.embedded import EmbeddedServer
from memoranda.transport.postgres import PostgresTransport
from memoranda.transport.supabase import SupabaseTransport
from support.databases import Database, create_database, drop_database
from support.standin import JWT_SECRET, PUBLISHABLE, SECRET, StandIn

pytestmark = pytest.mark.direct("it goes every way by itself")

WAYS = ["embedded", "pgbouncer", "supabase, signed tokens", "supabase, service key"]
BLOCKING = ["embedded, blocking", "supabase, blocking"]


class Threaded:
    """A transport that blocks, each call in a thread of its own."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    async def open(self) -> None:
        await asyncio.to_thread(self._transport.open)

    async def close(self) -> None:
        await asyncio.to_thread(self._transport.close)

    async def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        found: Json = await asyncio.to_thread(self._transport.call, function, arguments, caller)
        return found


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    """One database for all: every test makes users of its own."""
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


class TestEveryTransport(TransportSuite):
    @pytest.fixture(params=[*WAYS, *BLOCKING])
    async def transport(self, request: pytest.FixtureRequest, shared: Database) -> AsyncIterator[Transport]:
        way: str = request.param
        made: Any
        if way.startswith("supabase"):
            stand_in: StandIn = request.getfixturevalue("stand_in")
            url = stand_in.url(shared)
            match way:
                case "supabase, blocking":
                    made = Threaded(SyncSupabaseTransport(url, SECRET))
                case "supabase, signed tokens":
                    made = SupabaseTransport(url, PUBLISHABLE, signer=TokenSigner(JWT_SECRET))
                case _:
                    made = SupabaseTransport(url, SECRET)
        elif way == "pgbouncer":
            pooled = Database(request.getfixturevalue("pooled_server"), shared.name)
            made = PostgresTransport(pooled.dsn())
        elif way == "embedded, blocking":
            made = Threaded(SyncPostgresTransport(shared.dsn()))
        else:
            made = PostgresTransport(shared.dsn())
        await made.open()
        yield made
        await made.close()
