"""A stand-in for Supabase: `@supabase/lite`, with its forms of PostgREST and GoTrue, over the tests' own server.

`supabase_lite/server.mjs` says what it does otherwise. It comes in by a login of its own, which is bound by row-level
security as PostgREST's is, and owns nothing but the schema of accounts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from memoranda import TokenSigner, schema
from memoranda.identity import as_id
from memoranda.transport.embedded import EmbeddedServer

from .databases import Database

PUBLISHABLE, SECRET = "sb_publishable_tests", "sb_secret_tests"
"""The keys of every project here."""

JWT_SECRET = "a secret of all the projects that the tests make"

_HERE = Path(__file__).with_name("supabase_lite")

_LOGIN = """
do $$ begin create role stand_in login noinherit; exception when duplicate_object then null; end $$;
grant anon, authenticated, service_role to stand_in;
alter schema auth owner to stand_in;
"""


class StandInMissing(Exception):
    """Node.js, or the package, is not installed."""


class StandIn:
    """A running stand-in; every database of the server is a project of its own."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self._known = set[str]()

    def url(self, database: Database) -> str:
        """The URL of a database as a project; it gets tables for accounts, if it has none."""
        if database.name not in self._known:
            straight = database.server.dsn(user="postgres", database=database.name)
            with psycopg.connect(straight, autocommit=True) as conn:
                conn.execute(schema.read("supabase_shim.sql").encode())
                conn.execute(_LOGIN.encode())
                grant = sql.SQL("grant create on database {} to stand_in")
                conn.execute(grant.format(sql.Identifier(database.name)))
            self._known.add(database.name)
        return f"{self._root}/{database.name}"

    def prepare(self, database: Database) -> None:
        """Let the stand-in make its tables now."""
        httpx.get(f"{self.url(database)}/rest/v1/", headers={"apikey": SECRET}, timeout=60)

    def forget(self, database: Database) -> None:
        """Let go of a database, before it is dropped or copied."""
        if database.name in self._known:
            self._known.discard(database.name)
            httpx.delete(f"{self._root}/{database.name}", timeout=60)


def token(user: str | UUID, **claims: object) -> str:
    """A user's token, as a project of the stand-in would give one."""
    return TokenSigner(JWT_SECRET).sign({"sub": str(as_id("user", user)), "role": "authenticated", **claims})


def arguments(mode: str) -> dict[str, Any]:
    """How a store calls for users: with tokens that it signs, or lending their identity to its service key."""
    return {"signer": TokenSigner(JWT_SECRET)} if mode == "signed" else {}


@contextmanager
def standing_in(server: EmbeddedServer) -> Generator[StandIn]:
    """A stand-in over a server, for as long as the context lasts.

    Raises:
        StandInMissing: It is not installed.
    """
    node = shutil.which("node")
    if node is None:
        raise StandInMissing("Node.js is not installed")
    packages = Path(os.environ.get("MEMORANDA_SUPABASE_LITE") or _HERE)
    if not (packages / "node_modules" / "@supabase" / "lite").is_dir():
        raise StandInMissing(f"@supabase/lite is not installed (npm ci --ignore-scripts --prefix {_HERE})")
    folder = conninfo_to_dict(server.dsn(user="postgres"))["host"]
    process = subprocess.Popen(
        [node, packages / "server.mjs", str(folder), "stand_in", JWT_SECRET, PUBLISHABLE, SECRET],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PATH": os.environ.get("PATH", ""), "LITE_TELEMETRY": "0", "DO_NOT_TRACK": "1"},  # it would phone home
        start_new_session=True,  # a Ctrl-C is meant for us
    )
    assert process.stdout
    try:
        yield StandIn(int(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


@contextmanager
def standing_in_or_skipped(server: EmbeddedServer) -> Generator[StandIn]:
    """The same; without it the test is skipped, except in CI, which installs it."""
    try:
        with standing_in(server) as found:
            yield found
    except StandInMissing as missing:
        if os.environ.get("MEMORANDA_REQUIRE_SUPABASE_LITE"):
            raise
        pytest.skip(str(missing))
