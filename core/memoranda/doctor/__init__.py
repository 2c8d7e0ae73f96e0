"""The doctor: looks at a database and at the way to it, and says what is wrong and what to do about it.

    transport = PostgresTransport(dsn)
    for finding in await examine(transport, dsn):
        print(finding.level, finding.check, finding.message, finding.remedy)

It changes nothing. Whether users are kept apart is judged twice: inside a call, made as the library makes every call,
and in the database's catalogue. Each check is a function; its docstring says what is as it should be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from memoranda.doctor import access, calls, isolation, server, upkeep
from memoranda.doctor.database import rows
from memoranda.doctor.findings import Finding, Level, error, note
from memoranda.errors import MemorandaError

if TYPE_CHECKING:
    from memoranda.doctor.database import Connection
    from memoranda.transport import Transport

__all__ = ["Finding", "Level", "examine", "examine_calls", "examine_catalogue"]

_CATALOGUE = (*server.CHECKS, *isolation.CHECKS, *access.CHECKS, *upkeep.CHECKS)
_BEFORE = (*server.CHECKS, isolation.row_security, *access.CHECKS)
"""What can be looked at before anything is installed."""


async def examine(transport: Transport, conninfo: str | None = None) -> list[Finding]:
    """Look at everything that can be looked at.

    Args:
        transport: The way that the program goes; opened and closed here.
        conninfo: A DSN of the same database and login, to look at what no call tells; None when there is only an API.

    Returns:
        What was found, good and bad.
    """
    import psycopg

    found = await examine_calls(transport)
    if conninfo is None:
        return [*found, _as("catalogue", note("Without a DSN only calls can be judged.", "Name the database's DSN."))]
    try:
        async with await _connected(conninfo) as conn, await _connected(conninfo) as second:
            found += await examine_catalogue(conn)
            found += await _run("pooler", partial(access.pooler, conn, second))
    except psycopg.Error as failed:
        found.append(_as("connection", error(f"The database cannot be looked at: {_line(failed)}", "Check the DSN.")))
    return found


async def examine_calls(transport: Transport) -> list[Finding]:
    """Judge inside calls: as whom the database sees them, whether row-level security binds them, and what waits.

    Args:
        transport: The way that the program goes; opened and closed here.
    """
    try:
        await transport.open()
    except MemorandaError as failed:
        return [_as("schema", error(failed.message, failed.hint))]
    try:
        found = await _run("schema", partial(calls.version, transport))
        for check in calls.CHECKS:
            found += await _run(check.__name__, partial(check, transport))
        return found
    finally:
        await transport.close()


async def examine_catalogue(conn: Connection) -> list[Finding]:
    """Look at the database's catalogue, which every login may read.

    Args:
        conn: A connection; each check is a transaction of its own, or a part of one that is open.
    """

    async def within(check: Callable[[Connection], Awaitable[list[Any]]]) -> list[Any]:
        async with conn.transaction():
            return await check(conn)

    found: list[Finding] = []
    installed = bool(await within(partial(rows, name="tables")))
    for check in _CATALOGUE if installed else _BEFORE:
        found += await _run(check.__name__, partial(within, check))
    return found


async def _run(name: str, look: Callable[[], Awaitable[list[Finding]]]) -> list[Finding]:
    """What a check finds, under its name; one that cannot look is a finding too."""
    import psycopg

    try:
        return [_as(name, finding) for finding in await look()]
    except (MemorandaError, psycopg.Error) as failed:
        return [
            _as(
                name, error(f"This could not be looked at: {_line(failed)}", "Mend what is said above, and look again.")
            )
        ]


def _as(name: str, finding: Finding) -> Finding:
    return replace(finding, check=name.replace("_", "-"))


def _line(failed: Exception) -> str:
    return (str(failed).splitlines() or [type(failed).__name__])[0]


async def _connected(conninfo: str) -> Connection:
    import psycopg

    return await psycopg.AsyncConnection.connect(conninfo, autocommit=True, prepare_threshold=None, connect_timeout=10)
