# Generated from core/memoranda/transport/postgres.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Calls over psycopg: identity and function in one transaction and one round trip, with nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

import psycopg
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool

from memoranda.errors import (
    InputError,
    PrivilegeError,
    SchemaMissingError,
    UnavailableError,
)
from memoranda.sync.schema import check_version
from memoranda.sync.transport import NOBODY, Caller, Json
from memoranda.sync.transport.deadline import Deadline
from memoranda.transport.conninfo import parameters
from memoranda.transport.postgres import _BIND, _PROBE, _statement, _translated
from memoranda.transport.postgres import translate as translate
from memoranda.transport.trip import Statement, raise_first, together

Pool: TypeAlias = "ConnectionPool[Any]"


class PostgresTransport:
    """A :class:`~memoranda.sync.transport.Transport` over a psycopg pool, ours or the caller's own.

    Attributes:
        max_connections: How many connections a pool of ours may hold.
        timeout: Seconds until a call gives up.
    """

    def __init__(self, conninfo: str | Pool, *, max_connections: int = 10, timeout: float = 10.0) -> None:
        """Describe the way to a database; nothing is connected before :meth:`open`.

        Args:
            conninfo: A DSN or URL, direct or of a transaction pooler, or an open pool of the caller's own, which stays
                the caller's to close. Its connections may have any settings.
            max_connections: How many connections a pool of ours may hold.
            timeout: Seconds until a call gives up, the wait for a connection included.
        """
        self._conninfo = conninfo if isinstance(conninfo, str) else None
        self._pool: Pool | None = None if isinstance(conninfo, str) else conninfo
        self.max_connections = max_connections
        self.timeout = timeout
        self._deadline = Deadline(timeout)

    def open(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.open`."""
        self._deadline.wholly(self._open, self._close)

    def close(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.close`."""
        self._close()

    def _open(self) -> None:
        made: Pool | None = None
        if self._conninfo is not None and self._pool is None:
            parameters(self._conninfo)
            # One plain connection first: its error says what is wrong, where a pool would only say that it waited.
            with (
                _translated(hint="See that the server runs, and that host, port, database and login are right."),
                psycopg.Connection.connect(self._conninfo, connect_timeout=max(2, int(self.timeout))) as conn,
            ):
                _probe(conn)
            self._pool = made = ConnectionPool(
                self._conninfo,
                min_size=1,
                max_size=self.max_connections,
                timeout=self.timeout,
                kwargs={"prepare_threshold": None},  # a pooler may give every transaction another server connection
                name="memoranda",
                open=False,
            )
        else:
            self._deadline.call(self._connection, _probe)
        try:
            if made is not None:
                made.open()
            check_version(cast("dict[str, int | None]", self.call("schema_version", {}, NOBODY)))
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        self._deadline.close()
        if self._conninfo is not None and self._pool is not None:
            pool, self._pool = self._pool, None
            pool.close()

    def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """See :meth:`memoranda.sync.transport.Transport.call`."""
        (answer,) = self.calls([(function, arguments)], caller)
        return answer

    def calls(self, calls: Sequence[tuple[str, Mapping[str, Json]]], caller: Caller) -> list[Json]:
        """Call several functions in one transaction and one round trip; one that fails takes all with it.

        Args:
            calls: The functions and their arguments; see :meth:`call`.
            caller: As whom.

        Returns:
            What each returned.

        Raises:
            MemorandaError: As for :meth:`call`.
        """
        if caller.access_token is not None:  # nobody here would look at its signature
            raise InputError(
                "This way to the database takes no access token.",
                hint="Name the user, once your server has checked it.",
            )
        asked = [
            (
                _statement(function, tuple(arguments)),
                [json.dumps(value, allow_nan=False, ensure_ascii=False) for value in arguments.values()],
            )
            for function, arguments in calls
        ]
        identity = (caller.role, json.dumps(caller.claims), f"{int(self.timeout * 1000)}ms")

        def run(conn: psycopg.Connection[Any]) -> list[Json]:
            return _run(conn, identity, asked)

        return self._deadline.call(self._connection, run)

    @contextmanager
    def _connection(self) -> Generator[psycopg.Connection[Any]]:
        if self._pool is None:
            raise UnavailableError("The store is not open.", hint="Use `with store:`, or store.open().")
        with _translated(), self._pool.connection(timeout=self.timeout) as conn:
            try:
                yield conn
            finally:
                if conn.broken:
                    self._mend()

    def _mend(self) -> None:
        """Look after the other idle connections: what broke one, such as a restart, probably broke them all."""
        if self._pool is not None:
            self._deadline.behind(self._pool.check)


def _run(
    conn: psycopg.Connection[Any], identity: tuple[str, str, str], asked: Sequence[tuple[bytes, list[str]]]
) -> list[Json]:
    """One transaction, in one round trip; a failing statement takes all after it down with it."""
    encoding = conn.info.encoding
    statements: list[Statement] = [
        (b"begin", ()),  # explicit: settings that are local to a transaction would not last to the call
        (_BIND, [value.encode(encoding) for value in identity]),
        *((statement, [value.encode(encoding) for value in values]) for statement, values in asked),
        (b"commit", ()),
    ]
    results = conn.wait(together(conn.pgconn, statements))
    raise_first(results, encoding)
    if len(results) < len(statements):
        raise psycopg.OperationalError("the connection was lost")
    values = [result.get_value(0, 0) for result in results[2:-1]]
    return [cast("Json", json.loads(value.decode(encoding))) if value is not None else None for value in values]


def _probe(conn: psycopg.Connection[Any]) -> None:
    """See that the schema is there and that this login may act for a user."""
    cursor = conn.cursor(row_factory=tuple_row)
    row = cursor.execute(_PROBE, prepare=False).fetchone()
    installed, login, may_act = row or (False, "", False)
    if not installed:
        raise SchemaMissingError
    if not may_act:
        raise PrivilegeError(
            f"The login {login} may not act for a user.",
            hint=f'An administrator can run: grant authenticated to "{login}";',
        )
