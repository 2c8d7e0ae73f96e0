"""One server, and on it a database for each library; looked into as a superuser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from benchmarks.peers.contract import Server
from benchmarks.peers.libraries import OURS
from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer


class Database:
    """A library's database."""

    def __init__(self, server: EmbeddedServer, name: str) -> None:
        self.name = f"bench_{name.replace('-', '_')}"
        self._embedded = server
        with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(self.name)))
        if name == OURS:
            asyncio.run(self._migrate())

    async def _migrate(self) -> None:
        dsn = self._embedded.dsn(user="postgres", database=self.name)
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True, prepare_threshold=None) as conn:
            await schema.migrate(conn)

    @property
    def server(self) -> Server:
        parts = conninfo_to_dict(self._embedded.dsn(user="postgres", database=self.name))
        return Server(str(parts["host"]), str(parts["port"]), "postgres", self.name)

    def admin(self) -> psycopg.Connection[Any]:
        """A superuser's connection."""
        return psycopg.connect(self._embedded.dsn(user="postgres", database=self.name), autocommit=True)

    def backends(self) -> list[int]:
        """The server's processes that work for its clients."""
        with self.admin() as conn:
            return [
                int(row[0])
                for row in conn.execute(
                    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
                )
            ]

    def tidy(self) -> None:
        """What autovacuum would have done by now."""
        with self.admin() as conn:
            conn.execute("vacuum analyze")
            conn.execute("checkpoint")

    def size(self) -> int:
        """Bytes of everything in it."""
        with self.admin() as conn:
            row = conn.execute("select pg_database_size(current_database())").fetchone()
        assert row
        return int(row[0])

    def hnsw(self) -> list[str]:
        """How its HNSW indexes are made, with a name each."""
        with self.admin() as conn:
            rows = conn.execute("select indexdef from pg_indexes where indexdef ilike '%using hnsw%'").fetchall()
        return [str(row[0]) for row in rows]

    def drop_hnsw(self) -> None:
        """As if they had never been made."""
        with self.admin() as conn:
            for schema_name, name in conn.execute(
                "select schemaname, indexname from pg_indexes where indexdef ilike '%using hnsw%'"
            ).fetchall():
                conn.execute(sql.SQL("drop index {}").format(sql.Identifier(schema_name, name)))

    def run(self, statements: list[str]) -> None:
        with self.admin() as conn:
            for statement in statements:
                conn.execute(statement.encode())

    def iterative_scan(self, on: bool) -> None:
        """Whether an HNSW index goes on looking when a filter leaves too few, for connections from now on."""
        name = sql.Identifier(self.name)
        with self.admin() as conn:
            if on:
                conn.execute(sql.SQL("alter database {} set hnsw.iterative_scan = 'strict_order'").format(name))
            else:
                conn.execute(sql.SQL("alter database {} reset hnsw.iterative_scan").format(name))

    def holding(self, text: str) -> dict[str, int]:
        """In how many rows of which column a text stands, whatever the type of the column."""
        with self.admin() as conn:
            found = {
                f"{table}.{column}": _count(
                    conn, sql.SQL("select count(*) from {} where {}::text like {}"), place, column, f"%{text}%"
                )
                for place, table, column, _ in _columns(conn)
            }
        return {column: count for column, count in found.items() if count}

    def near(self, vector: list[float]) -> dict[str, int]:
        """In how many rows of which column that vector stands, or one that cannot be told from it."""
        asked = "[" + ",".join(f"{x:.7g}" for x in vector) + "]"
        query = sql.SQL("select count(*) from {} where {}::text::vector <=> {}::vector < 0.0001")
        with self.admin() as conn:
            conn.execute("set search_path = public, extensions, memoranda_private")
            found = {
                f"{table}.{column}": _count(conn, query, place, column, asked)
                for place, table, column, kind in _columns(conn)
                if kind in ("vector", "halfvec")
            }
        return {column: count for column, count in found.items() if count}


def _columns(conn: psycopg.Connection[Any]) -> Iterator[tuple[sql.Identifier, str, str, str]]:
    """Every column of every table that is not the system's, with its type beneath any domain."""
    rows = conn.execute(
        "select n.nspname, c.relname, a.attname, coalesce(b.typname, t.typname) from pg_attribute a"
        " join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace"
        " join pg_type t on t.oid = a.atttypid left join pg_type b on b.oid = nullif(t.typbasetype, 0)"
        " where c.relkind in ('r', 'm') and a.attnum > 0 and not a.attisdropped"
        " and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%'"
    ).fetchall()
    for schema_name, table, column, kind in rows:
        yield sql.Identifier(schema_name, table), table, column, kind


def _count(conn: psycopg.Connection[Any], query: sql.SQL, place: sql.Identifier, column: str, value: str) -> int:
    row = conn.execute(query.format(place, sql.Identifier(column), sql.Literal(value))).fetchone()
    assert row
    return int(row[0])


def in_files(folder: Path, text: str) -> dict[str, int]:
    """How often a text stands in which of the files that a library keeps."""
    found = {str(path.relative_to(folder)): path.read_bytes().count(text.encode()) for path in _files(folder)}
    return {name: count for name, count in found.items() if count}


def size_of_files(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
