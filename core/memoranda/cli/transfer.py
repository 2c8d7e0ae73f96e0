"""`memoranda export` and `import`: a memory as a file, and back."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Generator, Iterable
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from memoranda.cli.place import SCOPES, AsJson, Tenant, id_or_name, memory_of
from memoranda.cli.target import Dsn, Embedding, Folder, Target
from memoranda.errors import InputError

if TYPE_CHECKING:
    from memoranda.exportformat import Item
    from memoranda.transfer import Imported, ImportedRow

SOURCE = "MEMORANDA_SOURCE_DSN"
"""The environment variable that names the database to import from; it keeps a password out of the list of processes."""

_TIMEOUT = 600.0
_SMOOTH = ("stored", "restored", "duplicate", "pending", "superseded")


class Kind(StrEnum):
    """What can be imported."""

    memoranda = "memoranda"
    markdown = "markdown"
    mem0 = "mem0"
    langgraph = "langgraph"
    letta = "letta"


def export(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to write; - for the standard output.")],
    user: Annotated[str, typer.Option("--user", metavar="USER", help="Whose memory: a name, or an id.")],
    tenant: Tenant = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help=f"Only this scope: {SCOPES}.", show_default=False)
    ] = None,
    history: Annotated[
        bool, typer.Option("--history/--no-history", help="All of it, or only what is in force or waits.")
    ] = True,
    vectors: Annotated[bool, typer.Option("--vectors", help="The vectors as well.")] = False,
    documents: Annotated[
        bool, typer.Option("--documents/--no-documents", help="Without a scope: the documents as well.")
    ] = True,
    dsn: Dsn = None,
    folder: Folder = None,
) -> None:
    """Write what a user has as lines of JSON.

    To be kept, or to be imported. Without a scope it is all of theirs, but for an organisation's memory; documents need
    a login that may act as service_role.
    """
    from memoranda.cli.output import say, tick
    from memoranda.cli.results import progress

    store = Target.of(dsn, folder).store(timeout=_TIMEOUT)
    memory = None if scope is None else memory_of(store, user, tenant, scope)

    async def run() -> int:
        line = "{}"
        async with store:
            where = id_or_name(tenant) if tenant else None
            lines: AsyncIterator[str] = (
                memory.export(history=history, vectors=vectors)
                if memory
                else store.export(id_or_name(user), tenant=where, history=history, vectors=vectors, documents=documents)
            )
            with _written(path) as file, progress() as bar:
                task = bar.add_task("exporting", total=None)
                async for line in lines:
                    file.write(line + "\n")
                    bar.advance(task)
        return int(json.loads(line)["rows"])  # as the end of it says

    count = asyncio.run(run())
    if path != "-":
        say(f"{tick()} {count:,} rows, in {path}.")


@contextmanager
def _written(path: str) -> Generator[TextIO]:
    """A file that is there when it is whole, and readable by its owner alone."""
    if path == "-":
        yield sys.stdout
        return
    unfinished = Path(f"{path}.part")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise InputError(f"The file cannot be written: {path}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def import_(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="The file of an export; or a folder, or an .af file."),
    ] = None,
    *,
    user: Annotated[str, typer.Option("--user", metavar="USER", help="Whose it is to be: a name, or an id.")],
    tenant: Tenant = None,
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="SCOPE", help="To this scope; else each to where it was.", show_default=False),
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Put the user's own export back as it was, history and all.")
    ] = False,
    kind: Annotated[Kind, typer.Option("--from", help="Whose format it is.")] = Kind.memoranda,
    source: Annotated[
        str | None,
        typer.Option("--source-dsn", metavar="DSN", help=f"Where mem0's or LangGraph's table is; or {SOURCE}."),
    ] = None,
    whose: Annotated[
        str | None,
        typer.Option("--theirs", metavar="NAME", help="mem0's user_id, LangGraph's a.b.c, or Letta's agent."),
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="TABLE", help="The table, if not the usual.")] = None,
    as_facts: Annotated[bool, typer.Option("--as-facts", help="Markdown: items and paragraphs, not files.")] = False,
    dsn: Dsn = None,
    folder: Folder = None,
    embedder: Embedding = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would become of each row.")] = False,
    all_rows: Annotated[bool, typer.Option("--rows", help="Say of every row what became of it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring in what an export wrote, or another system keeps.

    That is a folder of Markdown, mem0's or LangGraph's table, or a Letta agent file. Facts wait for a person by the
    tenant's policy, unless they are restored. Importing the same again changes nothing. Needs a login that may act as
    service_role.
    """
    from memoranda.cli.results import progress

    target = Target.of(dsn, folder)
    store = target.store(embedder=embedder, timeout=_TIMEOUT)
    if tenant and scope is None:
        raise InputError("To which scope of that organisation?", hint="Name it with --scope.")
    memory = None if scope is None else memory_of(store, user, tenant, scope)
    rows: list[ImportedRow] = []

    def report(row: ImportedRow) -> None:
        if all_rows or row.outcome not in _SMOOTH:
            rows.append(row)

    async def run() -> Imported:
        with _rows(kind, path, source, whose, table, as_facts) as (lines, total), progress() as bar:
            task = bar.add_task("importing", total=total)
            options = {"restore": restore, "dry_run": dry_run}

            def at(line: int) -> None:
                bar.update(task, completed=line)

            async with store:
                if memory:
                    return await memory.import_(lines, **options, report=report, progress=at)
                return await store.import_(id_or_name(user), lines, **options, report=report, progress=at)

    show(target, asyncio.run(run()), rows, as_json=as_json)


@contextmanager
def _rows(
    kind: Kind, path: Path | None, source: str | None, whose: str | None, table: str | None, as_facts: bool
) -> Generator[tuple[Iterable[str | Item], int | None]]:
    """What there is to import, and how many lines it has where that is known."""
    from memoranda.importers import langgraph, letta, markdown, mem0

    if kind in (Kind.mem0, Kind.langgraph):
        found = source or os.environ.get(SOURCE)
        if not found or not whose:
            raise InputError(
                "Whose memories, and where?", hint=f"Name them with --theirs, and --source-dsn or {SOURCE}."
            )
        if kind is Kind.mem0:
            yield mem0.read(found, user_id=whose, table=table or "mem0"), None
        else:
            yield langgraph.read(found, namespace=whose.split("."), table=table or "store"), None
        return
    if path is None:
        raise InputError("What is to be imported?", hint="Name a file or a folder.")
    if kind is Kind.markdown:
        yield markdown.read(path, as_facts=as_facts), None
    elif kind is Kind.letta:
        yield letta.read(path, agent=whose), None
    else:
        try:
            file = path.open(encoding="utf-8")
        except OSError as error:
            raise InputError(f"The file cannot be read: {path}.") from error
        with file:
            total = sum(1 for _ in file)
            file.seek(0)
            yield file, total


def show(target: Target, done: Imported, rows: list[ImportedRow], *, as_json: bool) -> None:
    """What an import did, and what became of rows; the exit code is 1 when one failed."""
    from memoranda.cli.output import entry, say, tick

    if as_json:
        each = [{"line": r.line, "what": r.what, "name": r.name, "outcome": r.outcome, "rule": r.rule} for r in rows]
        typer.echo(json.dumps({"counts": done.counts, "embedded": done.embedded, "rows": each}, indent=2))
    else:
        entry("Database", target.describe())
        for row in rows:
            why = f", {row.rule}" if row.rule else ""
            say(f"{row.line}: {row.what} {row.name}: {row.outcome}{why}", rest="  ")
        _table(done)
        waiting = done.total("pending")
        would = "would be " if done.dry_run else ""
        say(f"{tick()} {done.total():,} rows {would}looked at; {done.total('failed'):,} failed.")
        if waiting and not done.dry_run:
            say(f"{waiting:,} facts wait for review: memoranda review")
    if done.total("failed"):
        raise typer.Exit(1)


def _table(done: Imported) -> None:
    """How many rows of each kind had which outcome."""
    from rich.table import Table

    from memoranda.cli.output import console

    outcomes = list(dict.fromkeys(name for each in done.counts.values() for name in each))
    table = Table(box=None, pad_edge=False)
    for column in ("", *outcomes):
        table.add_column(column, justify="right" if column else "left")
    for what, counts in done.counts.items():
        table.add_row(what, *(f"{counts.get(name, 0):,}" for name in outcomes))
    if outcomes:
        console().print(table)
