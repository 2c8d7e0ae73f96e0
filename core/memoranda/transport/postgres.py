"""Calls over psycopg: identity and function in one transaction and one round trip, with nothing left behind."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, TypeAlias, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from memoranda.errors import (
    InputError,
    MemorandaError,
    PoolTimeoutError,
    PrivilegeError,
    SchemaMissingError,
    UnavailableError,
)
from memoranda.schema import check_version
from memoranda.sqlstates import error_of
from memoranda.transport import NOBODY, Caller, Json
from memoranda.transport.conninfo import parameters
from memoranda.transport.deadline import Deadline
from memoranda.transport.trip import Statement, raise_first, together

Pool: TypeAlias = "AsyncConnectionPool[Any]"

# Everything is local to the transaction, so that a pooler may give the connection to anybody afterwards. A statement
# that fails here ends the transaction, and the call behind it never runs. Names are qualified, because a session may
# come with a search_path and temporary objects that its last user left there.
_BIND = b"""
select pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true),
       pg_catalog.set_config('statement_timeout', $3, true)
"""

_DRIVERS_OWN = {"autocommit", "context", "cursor_factory", "prepare_threshold", "row_factory"}
"""What a pool gives to its connections that is nothing of the server's."""

_PROBE = """
select exists (select from pg_catalog.pg_proc
                where pronamespace = pg_catalog.to_regnamespace('memoranda') and proname = 'schema_version'),
       session_user,
       (select pg_catalog.pg_has_role(session_user, oid, 'set')
          from pg_catalog.pg_roles where rolname = 'authenticated')
"""


@lru_cache(maxsize=256)
def _statement(function: str, names: tuple[str, ...]) -> bytes:
    """The call as SQL: identifiers are quoted, and values are only ever parameters."""
    arguments = sql.SQL(", ").join(
        sql.SQL("{} => ${}::pg_catalog.jsonb").format(sql.Identifier(name), sql.Literal(n))
        for n, name in enumerate(names, 1)
    )
    return sql.SQL("select {}({})").format(sql.Identifier("memoranda", function), arguments).as_bytes()


class PostgresTransport:
    """A :class:`~memoranda.transport.Transport` over a psycopg pool, ours or the caller's own.

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

    async def open(self) -> None:
        """See :meth:`memoranda.transport.Transport.open`."""
        await self._deadline.wholly(self._open, self._close)

    async def close(self) -> None:
        """See :meth:`memoranda.transport.Transport.close`."""
        await self._close()

    async def _open(self) -> None:
        made: Pool | None = None
        if self._conninfo is not None and self._pool is None:
            parameters(self._conninfo)
            # One plain connection first: its error says what is wrong, where a pool would only say that it waited.
            with _translated(hint="See that the server runs, and that host, port, database and login are right."):
                async with await psycopg.AsyncConnection.connect(
                    self._conninfo, connect_timeout=max(2, int(self.timeout))
                ) as conn:
                    await _probe(conn)
            self._pool = made = AsyncConnectionPool(
                self._conninfo,
                min_size=1,
                max_size=self.max_connections,
                timeout=self.timeout,
                kwargs={"prepare_threshold": None},  # a pooler may give every transaction another server connection
                name="memoranda",
                open=False,
            )
        else:
            await self._deadline.call(self._connection, _probe)
        try:
            if made is not None:
                await made.open()
            check_version(cast("dict[str, int | None]", await self.call("schema_version", {}, NOBODY)))
        except BaseException:
            await self._close()
            raise

    async def _close(self) -> None:
        await self._deadline.close()
        if self._conninfo is not None and self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.close()

    async def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """See :meth:`memoranda.transport.Transport.call`."""
        (answer,) = await self.calls([(function, arguments)], caller)
        return answer

    async def calls(self, calls: Sequence[tuple[str, Mapping[str, Json]]], caller: Caller) -> list[Json]:
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

        async def run(conn: psycopg.AsyncConnection[Any]) -> list[Json]:
            return await _run(conn, identity, asked)

        return await self._deadline.call(self._connection, run)

    def address(self) -> str:  # async only
        """How to connect to the same database, for its twin in `memoranda.sync`.

        Raises:
            InputError: Only a function of the caller's own pool knows.
        """
        if self._conninfo is not None:
            return self._conninfo
        pool = cast("Pool", self._pool)
        if callable(pool.conninfo) or callable(pool.kwargs):
            raise InputError(
                "Where this pool connects to is settled by a function, which is not known to be one for sync code.",
                hint="Open a store of `memoranda.sync` over a pool of your own.",
            )
        settings = {name: value for name, value in (pool.kwargs or {}).items() if name not in _DRIVERS_OWN}
        with _translated():
            return make_conninfo(**(parameters(pool.conninfo or "") | settings))

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        if self._pool is None:
            raise UnavailableError("The store is not open.", hint="Use `async with store:`, or await store.open().")
        with _translated():
            async with self._pool.connection(timeout=self.timeout) as conn:
                try:
                    yield conn
                finally:
                    if conn.broken:
                        self._mend()

    def _mend(self) -> None:
        """Look after the other idle connections: what broke one, such as a restart, probably broke them all."""
        if self._pool is not None:
            self._deadline.behind(self._pool.check)


async def _run(
    conn: psycopg.AsyncConnection[Any], identity: tuple[str, str, str], asked: Sequence[tuple[bytes, list[str]]]
) -> list[Json]:
    """One transaction, in one round trip; a failing statement takes all after it down with it."""
    encoding = conn.info.encoding
    statements: list[Statement] = [
        (b"begin", ()),  # explicit: settings that are local to a transaction would not last to the call
        (_BIND, [value.encode(encoding) for value in identity]),
        *((statement, [value.encode(encoding) for value in values]) for statement, values in asked),
        (b"commit", ()),
    ]
    results = await conn.wait(together(conn.pgconn, statements))
    raise_first(results, encoding)
    if len(results) < len(statements):
        raise psycopg.OperationalError("the connection was lost")
    values = [result.get_value(0, 0) for result in results[2:-1]]
    return [cast("Json", json.loads(value.decode(encoding))) if value is not None else None for value in values]


async def _probe(conn: psycopg.AsyncConnection[Any]) -> None:
    """See that the schema is there and that this login may act for a user."""
    cursor = conn.cursor(row_factory=tuple_row)
    row = await (await cursor.execute(_PROBE, prepare=False)).fetchone()
    installed, login, may_act = row or (False, "", False)
    if not installed:
        raise SchemaMissingError
    if not may_act:
        raise PrivilegeError(
            f"The login {login} may not act for a user.",
            hint=f'An administrator can run: grant authenticated to "{login}";',
        )


class _translated:  # reads as a statement: `with _translated():`
    """Turn the driver's errors into ours, the cause kept; the hint is for a server that cannot be reached."""

    def __init__(self, hint: str = "") -> None:
        self._hint = hint

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, psycopg.Error):
            ours = translate(error)
            if self._hint and isinstance(ours, UnavailableError):
                ours = UnavailableError(ours.message, hint=self._hint)
            raise ours from error


def translate(error: psycopg.Error) -> MemorandaError:
    """One of our errors for one of the driver's.

    Args:
        error: What psycopg or its pool raised.

    Returns:
        The error by its SQLSTATE (see :func:`memoranda.sqlstates.error_of`), with the database's own message and hint.
    """
    if isinstance(error, PoolTimeout):
        return PoolTimeoutError()
    if isinstance(error, PoolClosed):
        return UnavailableError("The connection pool is closed.", hint="Open the store again.")
    diag = error.diag
    if not error.sqlstate and isinstance(error, psycopg.OperationalError):
        return UnavailableError(_one_line(error))
    return error_of(
        error.sqlstate or "",
        diag.message_primary or _one_line(error),
        diag.message_hint or "",
        diag.message_detail or "",
    )


def _one_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
