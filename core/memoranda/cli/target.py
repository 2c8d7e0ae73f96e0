"""Which database a command is about: one of yours by its DSN, or the one in a folder."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from memoranda.errors import InputError

if TYPE_CHECKING:
    from memoranda.store import Store

VARIABLE = "MEMORANDA_DSN"
"""The environment variable that names a database; it keeps a password out of the list of processes."""

Dsn: TypeAlias = Annotated[
    str | None,
    typer.Option("--dsn", metavar="DSN", help=f"A Postgres of yours: a URL or a DSN. Also read from {VARIABLE}."),
]
Folder: TypeAlias = Annotated[
    Path | None, typer.Option("--folder", metavar="PATH", help="A folder with an embedded Postgres, made if need be.")
]
Embedding: TypeAlias = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="local or openai:MODEL; without one, by words and names alone."),
]


@dataclass(frozen=True, slots=True)
class Target:
    """A database.

    Attributes:
        dsn: Where it is, if it is one of yours.
        folder: The folder of its server, if it is embedded.
    """

    dsn: str | None
    folder: Path | None

    @classmethod
    def of(cls, dsn: str | None, folder: Path | None) -> Target:
        """The database that the options name, or else the environment.

        Raises:
            InputError: None is named, or two are, or the DSN is none.
        """
        if dsn and folder:
            raise InputError("A database is named by --dsn or by --folder, not by both.")
        if folder:
            return cls(None, folder)
        if found := dsn or os.environ.get(VARIABLE):
            from memoranda.transport.conninfo import parameters

            parameters(found)
            return cls(found, None)
        raise InputError("Which database?", hint=f"Name it with --dsn, with {VARIABLE}, or with --folder.")

    def describe(self) -> str:
        """Where it is, in one line for people: host, port, database and login, and never the password.

        What a DSN leaves open is filled in as libpq would, from the environment.
        """
        if not self.dsn:
            return f"embedded, in {os.path.abspath(self.folder or '')}"
        from psycopg import pq

        from memoranda.transport.conninfo import parameters

        defaults = {each.keyword.decode(): each.val.decode() for each in pq.Conninfo.get_defaults() if each.val}
        found = defaults | parameters(self.dsn)
        if "service" in found and "host" not in found:
            return f"the service {found['service']}"
        host = found.get("host") or found.get("hostaddr") or "the local socket"
        login = found.get("user", "")
        return f"{host}, port {found['port']}, database {found.get('dbname') or login}, login {login}"

    def store(self, *, embedder: str | None = None, extractor: str | None = None, timeout: float = 10.0) -> Store:
        """A store over it, not opened yet."""
        import memoranda

        if self.dsn:
            return memoranda.connect(self.dsn, embedder=embedder, extractor=extractor, timeout=timeout)
        return memoranda.open(self.folder or "", embedder=embedder, extractor=extractor, timeout=timeout)

    @contextmanager
    def administered(self) -> Generator[str, None, None]:
        """The DSN of a login that may install the schema; an embedded server runs meanwhile."""
        if self.dsn:
            yield self.dsn
            return
        from memoranda.transport.embedded import EmbeddedServer

        with EmbeddedServer(self.folder or "") as server:
            yield server.dsn(user="postgres")
