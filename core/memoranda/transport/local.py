"""A database in a folder: the embedded server, brought up to date, and the same calls as to any Postgres."""

from __future__ import annotations

import asyncio
import os

import psycopg

from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer
from memoranda.transport.postgres import PostgresTransport


class LocalTransport(PostgresTransport):
    """A :class:`~memoranda.transport.Transport` to a server in a folder, joined as an API would be.

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

    async def open(self) -> None:
        """Start or join the server, bring its schema up to date, and connect."""
        try:
            await asyncio.to_thread(self.server.start)
            async with await psycopg.AsyncConnection.connect(
                self.server.dsn(user="postgres"), autocommit=True, prepare_threshold=None
            ) as conn:
                await schema.migrate(conn)
            self._conninfo = self.server.dsn(user="authenticator", database="postgres")
            await super().open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Disconnect and, as the last one out, stop the server."""
        await super().close()
        await asyncio.to_thread(self.server.stop)
