"""The commands in one place, and what is the same for all: the version, errors as lines, and how a process ends."""

from __future__ import annotations

import io
import os
import sys
from importlib import metadata
from typing import Annotated

import typer

from memoranda.cli import (
    bench,
    database,
    demo,
    doctor,
    facts,
    files,
    leaving,
    log,
    mcp,
    reembed,
    review,
    transfer,
    worker,
)
from memoranda.errors import MemorandaError

app = typer.Typer(
    help="Long-term memory for AI agents, in a Postgres that you own.",
    epilog="Start with: memoranda demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: quick, and the same in every terminal
)
_COMMANDS = (
    *(demo.demo, database.init, doctor.doctor, database.sql, database.index),
    *(facts.facts, facts.search, facts.history, log.timeline, log.audit, review.review),
    *(leaving.erase, leaving.purge, transfer.export, transfer.import_, reembed.reembed, worker.worker, mcp.mcp),
)
for command in _COMMANDS:
    app.command(command.__name__.rstrip("_"))(command)
app.add_typer(files.files, name="files")
app.add_typer(bench.bench, name="bench")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"memoranda {metadata.version('memoranda')}")
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
) -> None:
    """Take the options that stand before a command."""
    del version  # done by its callback
    context.obj["debug"] = debug


def run() -> int:
    """Run a command.

    Returns:
        The exit code: 0, 1 when something failed, 2 when the arguments make no sense, 130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        # What is remembered is in any language; a terminal that cannot show a character gets its number.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    settings = {"debug": False}
    try:
        app(prog_name="memoranda", obj=settings)
    except MemorandaError as error:
        if settings["debug"]:
            raise
        from memoranda.cli import output

        output.error(error)
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        return _flushed(end.code if isinstance(end.code, int) else 1)
    return 0


def _flushed(code: int) -> int:
    """Write out what is left; a reader that has gone away (`memoranda sql | head`) is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at the end: let that go nowhere instead of failing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
