"""The database's schema: where the SQL is, which version a database has, and how it is brought up to date.

The SQL is in `.sql` files, in the wheel under `memoranda/sql` and in a checkout under `sql/`. A migration runs in one
transaction that first takes a lock and records the migration's number, so that any number of processes may migrate one
database at once and an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memoranda.errors import MigrationError, SchemaError, SchemaTooNewError
from memoranda.sqlstates import BY_SQLSTATE

if TYPE_CHECKING:
    import psycopg

LOCK = "select pg_advisory_xact_lock(hashtextextended('memoranda.migrate', 0))"
"""One migrator at a time in a database; held to the end of the transaction, so it works through a pooler."""

RECORD = """
insert into memoranda_private.migrations (number, name, breaking, checksum)
values (%s, %s, %s, %s) on conflict (number) do nothing
"""


def sql_root() -> Traversable:
    """Packaged SQL in a wheel; the repository's top-level `sql/` in a checkout."""
    packaged = resources.files("memoranda") / "sql"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "sql"


def read(name: str) -> str:
    """The text of one SQL file of ours.

    Args:
        name: Its path under `sql/`.

    Returns:
        The text. It comes from the installed package, never from input, so it may be run as it stands.
    """
    return sql_root().joinpath(*name.split("/")).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of `sql/migrations`.

    Attributes:
        number: Its place in the order, from 1.
        name: Its file name without the ending.
        text: The SQL.
        breaking: Whether clients that do not know it can no longer work; the file says so in a line `-- breaking`.
    """

    number: int
    name: str
    text: str
    breaking: bool

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration of this release, in order."""
    folder = sql_root() / "migrations"
    names = sorted(entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql"))
    texts = [read(f"migrations/{name}.sql") for name in names]
    return tuple(
        Migration(int(name[:4]), name, text, "-- breaking" in text.splitlines())
        for name, text in zip(names, texts, strict=True)
    )


def script(*, shim: bool = False, transaction: bool = True, expose: bool = False) -> str:
    """The whole schema as one text for psql or an SQL editor; safe to run again.

    Args:
        shim: Also make the roles that Supabase has and a plain Postgres lacks.
        transaction: Begin and commit one; not for a tool that does so itself, as `supabase db push` does.
        expose: Also tell PostgREST to serve the doors.

    Returns:
        SQL that brings any database to this release's schema.
    """
    parts = ["begin;"] if transaction else []
    parts.append(f"{LOCK};")
    if shim:
        parts.append(read("supabase_shim.sql"))
    parts.append(read("bootstrap.sql"))
    parts += [_guarded(migration) for migration in migrations()]
    parts.append(read("accounts.sql"))
    if expose:
        parts.append(read("expose.sql"))
    parts.append("commit;\n" if transaction else "")
    return "\n".join(parts)


def _guarded(migration: Migration) -> str:
    """A migration that runs only where its number is not recorded yet."""
    # Everything put into this text comes from our own files.
    return f"""
do $migrate$
declare
  whoever text := current_setting('role');    -- a tool may have become the one who migrates, and goes on as that
begin
  set local role memoranda_owner;
  if not exists (select from memoranda_private.migrations where number = {migration.number}) then
    insert into memoranda_private.migrations (number, name, breaking, checksum)
    values ({migration.number}, '{migration.name}', {str(migration.breaking).lower()}, '{migration.checksum}');
    perform set_config('role', whoever, true);
    execute $migration$
{migration.text}$migration$;
  end if;
  perform set_config('role', whoever, false);
end $migrate$;
"""  # noqa: S608


async def migrate(conn: psycopg.AsyncConnection[tuple[object, ...]]) -> list[Migration]:
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
        async with conn.transaction():
            await conn.execute(LOCK)
            await _ensure_roles(conn)
            await conn.execute(read("bootstrap.sql").encode())
        applied = [migration for migration in migrations() if await _apply(conn, migration)]
        await _refuse_newer(conn)
        async with conn.transaction():
            await conn.execute(LOCK)
            await conn.execute(read("accounts.sql").encode())
        return applied
    except psycopg.Error as error:
        raise explained(error) from error


async def _ensure_roles(conn: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
    """Run the shim where Supabase's roles are not all there, which on Supabase they are."""
    found = await conn.execute(
        "select count(*) = 4 from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')"
    )
    if await found.fetchone() != (True,):
        await conn.execute(read("supabase_shim.sql").encode())


async def _apply(conn: psycopg.AsyncConnection[tuple[object, ...]], migration: Migration) -> bool:
    """Run one migration unless it is recorded; the record comes first, so that its key settles who does it."""
    async with conn.transaction():
        await conn.execute(LOCK)
        await conn.execute("set local role memoranda_owner")
        row = (migration.number, migration.name, migration.breaking, migration.checksum)
        if (await conn.execute(RECORD, row)).rowcount:
            await conn.execute("reset role")
            await conn.execute(migration.text.encode())
            return True
        known = await conn.execute(
            "select checksum from memoranda_private.migrations where number = %s", (migration.number,)
        )
        if await known.fetchone() != (migration.checksum,):
            raise SchemaError(
                f"This database holds another form of the migration {migration.name}.",
                hint="It was made by a development version: start with a new database, or drop the schemas memoranda "
                "and memoranda_private if nothing in them is needed.",
            )
        return False


async def _refuse_newer(conn: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
    async with conn.transaction():
        await conn.execute("set local role memoranda_owner")
        row = await (await conn.execute("select memoranda.schema_version()")).fetchone()
    assert row is not None  # noqa: S101  # the function returns one row
    check_version(cast("dict[str, int | None]", row[0]))


def check_version(found: dict[str, int | None]) -> None:
    """Refuse a database that this release cannot work with.

    Args:
        found: What the database's `schema_version()` returned.

    Raises:
        SchemaError: The database is behind this release.
        SchemaTooNewError: The database is ahead, in a way that breaks this release.
    """
    newest = migrations()[-1].number
    version, required = found["version"] or 0, found["required"] or 0
    if required > newest:
        raise SchemaTooNewError(f"The database requires schema {required}; this release knows {newest}.")
    if version < newest:
        raise SchemaError(f"The database has schema {version}; this release needs {newest}.")


def explained(error: psycopg.Error) -> Exception:
    """A database error as one of ours, with the remedy that the SQL gave.

    Args:
        error: What our own SQL raised.
    """
    kind = BY_SQLSTATE.get(error.sqlstate or "", MigrationError)
    message = error.diag.message_primary or str(error) or "The connection was lost."
    if not issubclass(kind, SchemaError):
        return MigrationError(f"The migration failed: {message}.")
    return kind(f"{message[:1].upper()}{message[1:]}.", hint=error.diag.message_hint or "")
