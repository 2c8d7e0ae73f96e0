"""Statements that travel together: one round trip, however many and large they are, and nothing sent after it.

psycopg's own pipelines do not end where we need them to: after the last Sync they send a Flush. A transaction pooler
has let go of the server connection by then, finds another for the Flush, and has no reason to let go of that one before
the client's next transaction. A few idle clients hold up all others that way.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from psycopg import errors
from psycopg.generators import fetch_many, send
from psycopg.pq import ConnStatus, ExecStatus

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn, PGresult

Statement: TypeAlias = tuple[bytes, Sequence[bytes]]
"""SQL, and the values of its parameters, `$1` and so on."""


def together(pgconn: PGconn, statements: Sequence[Statement]) -> Generator[Any, Any, list[PGresult]]:
    """Send statements, each of which runs only if none before it failed, and wait for all results.

    Args:
        pgconn: The connection, with nothing under way.
        statements: What to send.

    Returns:
        Their results, errors included: a call that was cancelled may end in any. The generator is for
        `connection.wait`, which goes on with it after it has cancelled what the server does.
    """
    pgconn.enter_pipeline_mode()
    for text, values in statements:
        pgconn.send_query_params(text, values or None)
    pgconn.pipeline_sync()
    yield from send(pgconn)
    results: list[PGresult] = []
    while found := (yield from fetch_many(pgconn)):
        if found[0].status == ExecStatus.PIPELINE_SYNC:
            pgconn.exit_pipeline_mode()
            break
        results += found
        if pgconn.status == ConnStatus.BAD:
            break
    return results


def raise_first(results: Sequence[PGresult], encoding: str) -> None:
    """Raise the first error among results; what follows from it is none of its own.

    Args:
        results: What :func:`together` returned.
        encoding: The connection's.

    Raises:
        psycopg.Error: A statement failed.
    """
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise errors.error_from_result(result, encoding=encoding)
