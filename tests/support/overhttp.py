"""Lets tests that connect to a database of the tests' server go by Supabase's protocols instead."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

import memoranda
import memoranda.sync
from memoranda.transport.embedded import EmbeddedServer

from .databases import Database
from .standin import SECRET, StandIn, arguments


@contextmanager
def connected_over_http(stand_in: StandIn, server: EmbeddedServer, mode: str) -> Generator[None]:
    """While this lasts, `memoranda.connect`, and that without `await`, reach the databases of a server over HTTP.

    What comes by another login than the API's, or with a pool, is meant for Postgres and goes there.
    """

    def instead(connect: Callable[..., Any], supabase: Callable[..., Any]) -> Callable[..., Any]:
        def connected(conninfo: Any, **settings: Any) -> Any:
            parts = conninfo_to_dict(conninfo) if isinstance(conninfo, str) else {}
            if parts.get("user") != "authenticator" or not str(parts.get("dbname")).startswith("test_"):
                return connect(conninfo, **settings)
            url = stand_in.url(Database(server, str(parts["dbname"])))
            return supabase(url, SECRET, **arguments(mode), **settings)

        return connected

    with pytest.MonkeyPatch.context() as patch:
        for module in (memoranda, memoranda.sync):
            patch.setattr(module, "connect", instead(module.connect, module.supabase))
        yield
