# Generated from core/memoranda/transport/local.py by .ci/make_sync.py: change that file, then run this.
"""A database in a folder: the embedded server, brought up to date, and the same calls as to any Postgres."""

from __future__ import annotations

import os

import psycopg

from memoranda.sync import schema
from memoranda.sync.transport.postgres import PostgresTransport
from memoranda.transport.embedded import EmbeddedServer


class LocalTransport(PostgresTransport):
    """A :class:`~memoranda.sync.transport.Transport` to a server in a folder, joined as an API would be.

    Attributes:
        server: The server.
    """

    def __init__(self, folder: str | os.PathLike[str], *, timeout: float = 10.0) -> None:
        """Describe the folder; nothing is started before :meth:`open`.

        Args:
            folder: Where the database is, or will be.
            timeout: Seconds until a call gives up.
        """
        self.server = EmbeddedServer(folder)
        super().__init__("", timeout=timeout)

    def open(self) -> None:
        """Start or join the server, bring its schema up to date, and connect."""
        try:
            self.server.start()
            with psycopg.Connection.connect(
                self.server.dsn(user="postgres"), autocommit=True, prepare_threshold=None
            ) as conn:
                schema.migrate(conn)
            self._conninfo = self.server.dsn(user="authenticator", database="postgres")
            super().open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect and, as the last one out, stop the server."""
        super().close()
        self.server.stop()
