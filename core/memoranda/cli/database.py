"""`memoranda init`, `sql` and `index`: the schema, applied or printed, and what keeps large scopes quick."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    from memoranda.maintenance import Indexed
    from memoranda.schema import Migration


Supabase: TypeAlias = Annotated[bool, typer.Option("--supabase", help="It is for Supabase, whose roles are there.")]
Expose: TypeAlias = Annotated[
    bool, typer.Option("--expose", help="Have PostgREST serve the functions, which is what a client over HTTP needs.")
]


def init(dsn: Dsn = None, folder: Folder = None, supabase: Supabase = False, expose: Expose = False) -> None:
    """Install the schema in a database, or update it.

    Safe to repeat, and to run from many processes at once.
    """
    from memoranda.cli.output import console, entry, say, tick

    target = Target.of(dsn, folder)
    entry("Database", target.describe())  # first of all, so that it can be seen where this goes before it gets there
    with console().status("migrating", spinner="line", spinner_style=""), target.administered() as login:
        server, applied, version, served = asyncio.run(_migrate(login, supabase=supabase, expose=expose))
    entry("Server", server)
    entry("Applied", ", ".join(migration.name for migration in applied) or f"nothing: it has schema {version} already")
    if served:
        entry("Data API", f"serves {', '.join(served)}")
    console().print(f"\n{tick()} Ready.", end=" ")
    say(_next_on_supabase(served) if supabase else _next(target))


def sql(
    shim: Annotated[
        bool,
        typer.Option(
            "--shim/--no-shim",
            help="With the roles that Supabase has and a plain Postgres lacks.",
        ),
    ] = False,
    supabase: Annotated[
        bool,
        typer.Option("--supabase", help="As a file for `supabase db push`, which brings a transaction of its own."),
    ] = False,
    expose: Expose = False,
) -> None:
    """Print the schema as SQL.

    One text for psql or an SQL editor, safe to run again.
    """
    from memoranda import schema

    if shim and supabase:
        raise InputError("Supabase has the roles that the shim makes.", hint="Leave out --shim.")
    typer.echo(schema.script(shim=shim, transaction=not supabase, expose=expose), nl=False)


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


async def _migrate(dsn: str, *, supabase: bool, expose: bool) -> tuple[str, list[Migration], int, list[str] | None]:
    """Migrate, and say on which server, and what its API is told to serve."""
    from memoranda import exposure, schema

    async with await _connected(dsn) as conn:
        server = f"PostgreSQL {conn.info.parameter_status('server_version')}"
        if supabase:
            await exposure.require_supabase(conn)
        applied = await schema.migrate(conn)
        if expose:
            await exposure.expose(conn)
        return server, applied, schema.migrations()[-1].number, await exposure.served(conn)


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


def _next_on_supabase(served: list[str] | None) -> str:
    """What is left to do for a project of Supabase's."""
    use = "Use it in Python with memoranda.supabase(url, key), or with memoranda.connect(dsn)."
    if served and "memoranda" in served:
        return use
    if served:
        return (
            "One step is left for clients over HTTP: the list of exposed schemas is kept in the database here, and "
            f"lacks memoranda. Run again with --expose. {use}"
        )
    return (
        "One step is left for clients over HTTP, in the dashboard: under Project Settings, Data API, add memoranda to "
        "the exposed schemas, and never memoranda_private. Or run again with --expose, which does it by SQL; the list "
        f"in the dashboard no longer counts then. {use}"
    )


def _next(target: Target) -> str:
    """What a person may do now."""
    if target.folder:
        return f"Open it in Python with memoranda.open({str(target.folder)!r})."
    return (
        "Connect in Python with memoranda.connect(dsn).\n\n"
        "The login that your program connects with needs no right but to act for users. An administrator gives it:\n\n"
        '  grant authenticated to "the_login";    -- and service_role, if it sets members'
    )
