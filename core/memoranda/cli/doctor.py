"""`memoranda doctor`: what is wrong with a database, or with the way to it, and what to do about it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.place import AsJson
from memoranda.cli.target import Dsn, Folder, Target

if TYPE_CHECKING:
    from memoranda.doctor import Finding

_MARKS = {"ok": "ok", "note": "note", "warning": "warning", "error": "ERROR"}


def doctor(
    dsn: Dsn = None,
    folder: Folder = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with a database and the way to it.

    Name it as your program does: who may do what depends on the login. Nothing is changed. The exit code is 1 when
    something is wrong.
    """
    from memoranda.cli.output import entry

    target = Target.of(dsn, folder)
    if not as_json:
        entry("Database", target.describe())
    found = asyncio.run(_examined(target))
    if as_json:
        typer.echo(json.dumps([finding.to_json() for finding in found], indent=2, ensure_ascii=False))
    else:
        _show(found)
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.level in bad for finding in found):
        raise typer.Exit(1)


async def _examined(target: Target) -> list[Finding]:
    from memoranda.doctor import examine
    from memoranda.transport.postgres import PostgresTransport

    if target.dsn:
        return await examine(PostgresTransport(target.dsn), target.dsn)
    from memoranda.transport.local import LocalTransport

    # Opened first: what is in a folder is migrated by whoever opens it, and its server has to run all the while.
    keeper = LocalTransport(target.folder or "")
    await keeper.open()
    try:
        return await examine(PostgresTransport(keeper.address()), keeper.address())
    finally:
        await keeper.close()


def _show(found: list[Finding]) -> None:
    from memoranda.cli.output import console, plain, say
    from memoranda.doctor.findings import many

    width = max(len(finding.check) for finding in found)
    for finding in found:
        head = f"{_MARKS[finding.level]:<8}{plain(finding.check):<{width}}  "
        _paragraph(finding.message, head, " " * len(head))
        if finding.remedy and finding.level != "ok":
            _paragraph(finding.remedy, " " * len(head) + "-> ", " " * (len(head) + 3))
    counts = [many(sum(each.level == level for each in found), level) for level in ("error", "warning", "note")]
    console().print()
    say(f"{', '.join(counts)}.")


def _paragraph(text: str, first: str, rest: str) -> None:
    """Print a text; in a pipe on one line, so that a command in it stays whole."""
    from memoranda.cli.output import console, plain, wrapped

    room = console().width if console().is_terminal else len(first) + len(text) + 1
    for line in wrapped(plain(text), room, first, rest):
        console().print(line, soft_wrap=True)
