# Generated from core/memoranda/schema.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""The database's schema: where the SQL is, which version a database has, and how it is brought up to date.

The SQL is in `.sql` files, in the wheel under `memoranda/sql` and in a checkout under `sql/`. A migration runs in one
transaction that first takes a lock and records the migration's number, so that any number of processes may migrate one
database at once and an interrupted run goes on where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memoranda.errors import SchemaError
from memoranda.schema import LOCK as LOCK
from memoranda.schema import RECORD as RECORD
from memoranda.schema import Migration as Migration
from memoranda.schema import check_version as check_version
from memoranda.schema import explained as explained
from memoranda.schema import migrations as migrations
from memoranda.schema import read as read
from memoranda.schema import script as script
from memoranda.schema import sql_root as sql_root

if TYPE_CHECKING:
    import psycopg


def migrate(conn: psycopg.Connection[tuple[object, ...]]) -> list[Migration]:
    """Bring a database up to this release's schema.

    Safe to run at the same time from many processes, and again after an interruption. On a Postgres without Supabase's
    roles they are made first.

    Args:
        conn: An open connection whose login may create roles and schemas, outside a transaction.

    Returns:
        The migrations that this call applied.

    Raises:
        PrivilegeError: The login may not do what is needed; the hint has the command for an administrator.
        SchemaTooNewError: A newer release migrated this database in a way that this one cannot work with.
        MigrationError: A migration failed; nothing of it remains.
    """
    import psycopg

    try:
        with conn.transaction():
            conn.execute(LOCK)
            _ensure_roles(conn)
            conn.execute(read("bootstrap.sql").encode())
        applied = [migration for migration in migrations() if _apply(conn, migration)]
        _refuse_newer(conn)
        with conn.transaction():
            conn.execute(LOCK)
            conn.execute(read("accounts.sql").encode())
        return applied
    except psycopg.Error as error:
        raise explained(error) from error


def _ensure_roles(conn: psycopg.Connection[tuple[object, ...]]) -> None:
    """Run the shim where Supabase's roles are not all there, which on Supabase they are."""
    found = conn.execute(
        "select count(*) = 4 from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')"
    )
    if found.fetchone() != (True,):
        conn.execute(read("supabase_shim.sql").encode())


def _apply(conn: psycopg.Connection[tuple[object, ...]], migration: Migration) -> bool:
    """Run one migration unless it is recorded; the record comes first, so that its key settles who does it."""
    with conn.transaction():
        conn.execute(LOCK)
        conn.execute("set local role memoranda_owner")
        row = (migration.number, migration.name, migration.breaking, migration.checksum)
        if conn.execute(RECORD, row).rowcount:
            conn.execute("reset role")
            conn.execute(migration.text.encode())
            return True
        known = conn.execute("select checksum from memoranda_private.migrations where number = %s", (migration.number,))
        if known.fetchone() != (migration.checksum,):
            raise SchemaError(
                f"This database holds another form of the migration {migration.name}.",
                hint="It was made by a development version: start with a new database, or drop the schemas memoranda "
                "and memoranda_private if nothing in them is needed.",
            )
        return False


def _refuse_newer(conn: psycopg.Connection[tuple[object, ...]]) -> None:
    with conn.transaction():
        conn.execute("set local role memoranda_owner")
        row = conn.execute("select memoranda.schema_version()").fetchone()
    assert row is not None  # noqa: S101  # the function returns one row
    check_version(cast("dict[str, int | None]", row[0]))
