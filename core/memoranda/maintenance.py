"""What an administrator runs from time to time: an index of their own for scopes with very many vectors.

Everywhere else a search compares all vectors of a scope, which is exact, and quick up to some ten thousand. A large
scope gets an index over its own rows (HNSW, of pgvector), which finds nearly the same in a fraction of the time; see
`docs/search.md` for what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

from memoranda.errors import InputError

if TYPE_CHECKING:
    import psycopg

LEAST = 20_000
"""Vectors of one model from which on a scope is large."""

_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Indexed:
    """A scope that has got an index.

    Attributes:
        number: The scope's number; the index is `vectors_large_<number>`.
        vectors: How many vectors it has.
        dimensions: How long they are.
    """

    number: int
    vectors: int
    dimensions: int


async def index_large_scopes(
    conn: psycopg.AsyncConnection[Any],
    least: int = LEAST,
    *,
    progress: Callable[[Indexed, int], object] | None = None,
) -> list[Indexed]:
    """Give every large scope without one an index of its own, 50 scopes at most. Safe to break off and to run again.

    Writers go on meanwhile: an index is built without locking anybody out.

    Args:
        conn: A connection in autocommit mode, straight to the server (no pooler can build an index so), of the login
            that migrates.
        least: Vectors of one model from which on a scope is large, at least 1,000.
        progress: Called with a scope and how many of its vectors are prepared.

    Returns:
        The scopes that got one.

    Raises:
        InputError: The connection is not in autocommit mode, or `least` is too small.
    """
    if not conn.autocommit:
        raise InputError("An index is built outside of transactions.", hint="Pass a connection with autocommit=True.")
    if least < 1_000:
        raise InputError("A scope with fewer than 1,000 vectors needs no index.")
    await _drop_left(conn)
    done: list[Indexed] = []
    for row in await _as(conn, "memoranda_service", "select * from memoranda_private.large_scopes_find(%s)", least):
        scope = Indexed(*row)
        await _mark(conn, scope, progress)
        statements = "select memoranda_private.large_scopes_index(%s)"
        for (statement,) in await _as(conn, "memoranda_service", statements, scope.number):
            await _as_owner(conn, statement)
        # Who wrote before the scope had its number has ended by now: the index has waited for that.
        await _mark(conn, scope, None)
        await _as(conn, "memoranda_service", "select memoranda_private.large_scopes_ready(%s)", scope.number)
        done.append(scope)
    return done


async def _drop_left(conn: psycopg.AsyncConnection[Any]) -> None:
    """Drop the indexes of scopes that were erased."""
    for (statement,) in await _as(conn, "memoranda_service", "select memoranda_private.large_scopes_left()"):
        await _as_owner(conn, statement)


async def _as_owner(conn: psycopg.AsyncConnection[Any], statement: str) -> None:
    """Run a statement that cannot be part of a transaction."""
    await conn.execute("set role memoranda_owner")
    try:
        await conn.execute(statement.encode())
    finally:
        await conn.execute("reset role")


async def _mark(
    conn: psycopg.AsyncConnection[Any], scope: Indexed, progress: Callable[[Indexed, int], object] | None
) -> None:
    """Give a scope's vectors its number, in portions, so that no writer waits long."""
    prepared, marked = 0, _AT_ONCE
    while marked == _AT_ONCE:
        mark = "select memoranda_private.large_scopes_mark(%s, %s)"
        ((marked,),) = await _as(conn, "memoranda_service", mark, scope.number, _AT_ONCE)
        prepared += marked
        if progress:
            progress(scope, prepared)


async def _as(
    conn: psycopg.AsyncConnection[Any], role: str, query: LiteralString, *values: object
) -> list[tuple[Any, ...]]:
    """Run a query with the rights of one of our roles."""
    from psycopg import sql

    async with conn.transaction():
        await conn.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        return await (await conn.execute(query, values)).fetchall()
