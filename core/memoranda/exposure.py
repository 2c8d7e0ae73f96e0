"""What an API serves: whether a database is Supabase's, and which of its schemas PostgREST is told to serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda import schema
from memoranda.errors import SchemaError

if TYPE_CHECKING:
    import psycopg

_IS_SUPABASE = """
select count(*) = 4 and to_regclass('auth.users') is not null from pg_catalog.pg_roles
 where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
"""


async def require_supabase(conn: psycopg.AsyncConnection[Any]) -> None:
    """See that a database is Supabase's, before anything is made there that only a server of one's own needs.

    Args:
        conn: An open connection.

    Raises:
        SchemaError: It has not Supabase's roles, or no table of accounts.
    """
    row = await (await conn.execute(_IS_SUPABASE)).fetchone()
    if row is None or not row[0]:
        raise SchemaError(
            "This is not a database of Supabase's: its API roles, or auth.users, are not there.",
            hint="Check the URL; for a Postgres of your own leave out --supabase, and what is missing is made.",
        )


async def served(conn: psycopg.AsyncConnection[Any]) -> list[str] | None:
    """The schemas that PostgREST is told to serve.

    Args:
        conn: An open connection of any login.

    Returns:
        Their names; None when it is told elsewhere, in the API's own settings, as in Supabase's dashboard.
    """
    rows = await (await conn.execute(schema.read("doctor/exposed.sql").encode())).fetchall()
    return [row[0] for row in rows] or None


async def expose(conn: psycopg.AsyncConnection[Any]) -> None:
    """Tell PostgREST to serve the doors, beside what it serves already. Safe to repeat.

    Args:
        conn: An open connection, whose login may change the role authenticator.

    Raises:
        PrivilegeError: It may not.
    """
    import psycopg

    try:
        async with conn.transaction():
            await conn.execute(schema.read("expose.sql").encode())
    except psycopg.Error as error:
        raise schema.explained(error) from error
