"""Servers and databases for tests: real ones, made and removed by the tests themselves."""

from __future__ import annotations

import shutil
import tempfile
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer

from .pooler import PooledServer

_entered: set[str] = set()
"""Databases that somebody entered who could have changed more than rows."""


@dataclass(frozen=True)
class Database:
    """A database of a test server."""

    server: EmbeddedServer
    name: str

    def dsn(self, user: str = "authenticator") -> str:
        if user != "authenticator":
            _entered.add(self.name)
        return self.server.dsn(user=user, database=self.name)

    def admin(self) -> psycopg.Connection[Any]:
        """A superuser's connection, in autocommit: for looking at what a client must not see."""
        return psycopg.connect(self.dsn("postgres"), autocommit=True)


@contextmanager
def running_server() -> Generator[EmbeddedServer]:
    """An embedded server of its own, in a folder that goes with it.

    It does not wait for the disk, as nobody will pull the plug: databases are made and dropped in a third of the time.
    """
    folder = Path(tempfile.mkdtemp(prefix="memoranda-tests-"))
    folder.chmod(0o755)  # under root the server runs as another account, which has to get here
    try:
        with EmbeddedServer(folder / "server") as server:
            with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
                conn.execute("alter system set fsync = off")
                conn.execute("alter system set full_page_writes = off")
                conn.execute("select pg_reload_conf()")
            yield server
    finally:
        shutil.rmtree(folder)


def create_database(server: EmbeddedServer, template: str = "template0") -> Database:
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
        # Files are copied, as that takes half the time where nothing waits for the disk.
        conn.execute(f'create database "{name}" template "{template}" strategy file_copy'.encode())
    return Database(server, name)


def emptied(database: Database) -> bool:
    """Take all rows out of a migrated database, for the next test: a third of the work of making another.

    Returns:
        Whether it is as new. It is not where somebody could have changed more than rows, or has not come to an end; nor
        behind a pooler, whose connections remember statements that were prepared.
    """
    if database.name in _entered or isinstance(database.server, PooledServer):
        return False
    dsn = database.server.dsn(user="postgres", database=database.name)
    with psycopg.connect(dsn, autocommit=True) as conn:
        # What has just been closed takes a moment to go.
        for _ in range(40):
            row = conn.execute(_OTHERS, (database.name,)).fetchone()
            if row == (0,):
                break
            time.sleep(0.005)
        else:
            return False
        conn.execute("set session_replication_role = replica")  # no trigger has a say in it
        conn.execute(_EMPTY)
    return True


_OTHERS = """
select count(*) from pg_stat_activity
 where datname = %s and pid <> pg_backend_pid() and backend_type = 'client backend'
"""

_EMPTY = """
do $$
declare
  place text;
  rows  boolean;
begin
  for place in
    select oid::regclass from pg_class
     where relkind = 'r' and relnamespace = 'memoranda_private'::regnamespace and relname <> 'migrations'
  loop
    execute format('select exists (select from %s)', place) into rows;
    if rows then
      execute format('truncate %s cascade', place);
    end if;
  end loop;
end $$
"""


def drop_database(database: Database) -> None:
    with psycopg.connect(database.server.dsn(user="postgres"), autocommit=True) as conn:
        conn.execute(f'drop database "{database.name}" with (force)'.encode())


async def migrated(database: Database, login: str = "postgres") -> list[schema.Migration]:
    """Bring a database up to date as `memoranda init` does."""
    conn = await psycopg.AsyncConnection.connect(database.dsn(login), autocommit=True, prepare_threshold=None)
    async with conn:
        return await schema.migrate(conn)
