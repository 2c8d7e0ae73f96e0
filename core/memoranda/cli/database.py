"""`memoranda init`, `sql` and `index`: the schema, applied or printed, and what keeps large scopes quick."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from memoranda.maintenance import Indexed
    from memoranda.schema import Migration


def init(dsn: Dsn = None, folder: Folder = None) -> None:
    """Install the schema in a database, or update it.

    Safe to repeat, and to run from many processes at once.
    """
    from memoranda.cli.output import console, entry, say, tick

    target = Target.of(dsn, folder)
    entry("Database", target.describe())  # first of all, so that it can be seen where this goes before it gets there
    with console().status("migrating", spinner="line", spinner_style=""), target.administered() as login:
        server, applied, version = asyncio.run(_migrate(login))
    entry("Server", server)
    entry("Applied", ", ".join(migration.name for migration in applied) or f"nothing: it has schema {version} already")
    console().print(f"\n{tick()} Ready.", end=" ")
    say(_next(target))


def sql(
    shim: Annotated[
        bool,
        typer.Option(
            "--shim/--no-shim",
            help="With the roles that Supabase has and a plain Postgres lacks.",
        ),
    ] = False,
) -> None:
    """Print the schema as SQL.

    One text for psql or an SQL editor, safe to run again.
    """
    from memoranda import schema

    typer.echo(schema.script(shim=shim), nl=False)


def index(
    dsn: Dsn = None,
    folder: Folder = None,
    least: Annotated[
        int, typer.Option("--least", metavar="N", min=1000, help="Vectors from which on a scope is large.")
    ] = 20_000,
) -> None:
    """Give each large scope an index of its own.

    Run it now and then; writers go on meanwhile. It needs the login that migrates, and no pooler in between.
    """
    from memoranda.cli.output import console, entry, say, tick

    target = Target.of(dsn, folder)
    entry("Database", target.describe())
    with (
        console().status("looking for large scopes", spinner="line", spinner_style="") as status,
        target.administered() as login,
    ):

        def tell(scope: Indexed, prepared: int) -> None:
            status.update(f"scope {scope.number}: {prepared:,} of {scope.vectors:,} vectors prepared")

        indexed = asyncio.run(_index(login, least, tell))
    for scope in indexed:
        entry(f"Scope {scope.number}", f"{scope.vectors:,} vectors of {scope.dimensions} numbers, indexed")
    say(
        f"{tick()} {len(indexed)} scopes got an index."
        if indexed
        else f"No scope without an index has {least:,} vectors."
    )


async def _index(dsn: str, least: int, tell: Callable[[Indexed, int], object]) -> list[Indexed]:
    from memoranda.maintenance import index_large_scopes

    async with await _connected(dsn) as conn:
        return await index_large_scopes(conn, least, progress=tell)


async def _migrate(dsn: str) -> tuple[str, list[Migration], int]:
    """Migrate, and say on which server."""
    from memoranda import schema

    async with await _connected(dsn) as conn:
        server = f"PostgreSQL {conn.info.parameter_status('server_version')}"
        return server, await schema.migrate(conn), schema.migrations()[-1].number


async def _connected(dsn: str) -> psycopg.AsyncConnection[tuple[object, ...]]:
    import psycopg

    try:
        # Without prepared statements it works through a transaction pooler, too.
        return await psycopg.AsyncConnection.connect(dsn, autocommit=True, prepare_threshold=None, connect_timeout=10)
    except psycopg.OperationalError as error:
        said = (str(error).splitlines() or ["no reason given"])[0]
        raise UnavailableError(
            f"{said[:1].upper()}{said[1:].rstrip('.')}.", hint="Check the host, the port, the login and its password."
        ) from error


def _next(target: Target) -> str:
    """What a person may do now."""
    if target.folder:
        return f"Open it in Python with memoranda.open({str(target.folder)!r})."
    return (
        "Connect in Python with memoranda.connect(dsn).\n\n"
        "The login that your program connects with needs no right but to act for users. An administrator gives it:\n\n"
        '  grant authenticated to "the_login";    -- and service_role, if it sets members'
    )
