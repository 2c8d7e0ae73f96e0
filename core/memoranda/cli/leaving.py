"""`memoranda erase` and `purge`: what leaves for good, on request or because its time is up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.place import SCOPES, AsJson, Tenant, id_or_name, memory_of
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import InputError

if TYPE_CHECKING:
    from memoranda.erasure import Receipt, Verified
    from memoranda.purging import Purged
    from memoranda.store import Store

_TIMEOUT = 3600.0
"""Seconds; a large erasure is one transaction."""


def erase(
    user: Annotated[str | None, typer.Option("--user", metavar="USER", help="Whose memory: a name, or an id.")] = None,
    tenant: Tenant = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help=f"Only this scope: {SCOPES}.", show_default=False)
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="SOURCE", help="Only what came of this source, in that scope.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="The whole user: every scope; in --tenant, or everywhere.")
    ] = False,
    verify: Annotated[
        Path | None, typer.Option("--verify", metavar="RECEIPT", help="Erase nothing: verify this receipt.")
    ] = None,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="PATH", help="Where to write the receipt.", show_default=False)
    ] = None,
    dsn: Dsn = None,
    folder: Folder = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what there is to erase.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a user, a scope or a source for good, and write a receipt.

    It asks before it does so. Nothing brings it back but a backup.
    """
    target = Target.of(dsn, folder)
    store = target.store(timeout=_TIMEOUT)
    if verify:
        _verify(store, verify, as_json)
        return
    if not user:
        raise InputError("Whose memory is to be erased?", hint="Name them with --user.")
    if everything == (scope is not None) or (everything and source is not None):
        raise InputError("What is to be erased?", hint="Name a --scope, and there perhaps a --source, or --everything.")
    if as_json and not (yes or dry_run):
        raise InputError("A program is not asked.", hint="With --json goes --yes, or --dry-run.")

    who, where = id_or_name(user), id_or_name(tenant) if tenant else None
    memory = None if scope is None else memory_of(store, user, tenant, scope)

    async def run() -> Receipt | None:
        async with store:
            if dry_run or not yes:
                counts = await (memory.erasable(source) if memory else store.erasable(who, tenant=where))
                _show_what(target, user, tenant, scope, source, counts, as_json=as_json)
            if dry_run or not (yes or typer.confirm("Erase this for good?")):
                return None
            return await (memory.erase(source) if memory else store.erase(who, tenant=where))

    done = asyncio.run(run())
    if done:
        _show(done, receipt, as_json)
    elif not dry_run:
        raise typer.Exit(1)


def _show_what(
    target: Target,
    user: str,
    tenant: str | None,
    scope: str | None,
    source: str | None,
    counts: Mapping[str, int],
    *,
    as_json: bool,
) -> None:
    """What is about to go, for a person to look at."""
    from memoranda.cli.output import entry, say

    if as_json:
        typer.echo(json.dumps(counts, indent=2))
        return
    entry("Database", target.describe())
    entry("User", user)
    entry("Tenant", tenant or ("every one" if scope is None else "their own"))
    entry("Scope", scope or "every one")
    if source:
        entry("Source", source)
    _table({"rows": counts})
    if not any(counts.values()):
        say("There is nothing of that here. Erasing leaves a mark that keeps late writes out.")


def _table(columns: Mapping[str, Mapping[str, int]]) -> None:
    """Counts by table, those with any."""
    from rich.table import Table

    from memoranda.cli.output import console, plain

    names = [name for counts in columns.values() for name, count in counts.items() if count]
    if not names:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for name in dict.fromkeys(names):
        table.add_row(plain(name.replace("_", " ")), *(f"{counts.get(name, 0):,}" for counts in columns.values()))
    console().print(table)


def _show(done: Receipt, path: Path | None, as_json: bool) -> None:
    """The receipt: written to a file, and summed up for a person."""
    from memoranda.cli.output import entry, say, tick

    where = path or Path(f"memoranda-erasure-{done.id}.json")
    where.write_text(done.to_json() + "\n", encoding="utf-8")
    if as_json:
        typer.echo(done.to_json())
        return
    _table({"erased": done.counts, "left": done.left})
    entry("Receipt", str(where))
    say(f"{tick()} Erased; the verification queries found {sum(done.left.values())} rows.")
    say("\nOut of reach of a database, until:")
    for each in done.beyond:
        bounds = ", ".join(f"{name} = {value}" for name, value in each.settings.items() if value is not None)
        say(f"{each.what}: {each.until}" + (f" ({bounds})" if bounds else ""), first="- ", rest="  ")


def _verify(store: Store, path: Path, as_json: bool) -> None:
    """Say whether a receipt holds; the exit code says it, too."""
    from memoranda.cli.output import say, tick
    from memoranda.erasure import Receipt

    try:
        found = Receipt.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The receipt cannot be read: {path}.") from error

    async def verified() -> Verified:
        async with store:
            return await store.verify(found)

    result = asyncio.run(verified())
    if as_json:
        typer.echo(json.dumps({"genuine": result.genuine, "left": result.left, "holds": result.holds}, indent=2))
    else:
        _table({"left": result.left})
        if not result.genuine:
            say("This is no receipt of this database, or it was changed.")
        elif result.holds:
            say(f"{tick()} Genuine; nothing is there that is older than {found.at.isoformat()}.")
        else:
            say("Genuine, but there are rows that are older than the erasure: erase again.")
    if not result.holds:
        raise typer.Exit(1)


def purge(
    dsn: Dsn = None,
    folder: Folder = None,
    batch: Annotated[int, typer.Option("--batch", min=1, max=10_000, help="Rows in one transaction.")] = 100,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much is due.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove for good what has expired, and old idempotency keys.

    Run it from any scheduler. It may be broken off and run again; writers go on meanwhile.
    """
    from memoranda.cli.output import say
    from memoranda.cli.results import progress

    store = Target.of(dsn, folder).store(timeout=_TIMEOUT)

    async def run() -> Purged:
        async with store:
            due = await store.expired()
            if dry_run:
                return due
            with progress() as bar:
                task = bar.add_task("purging", total=due.facts + due.messages + due.documents + due.keys)

                def advance(at: Purged) -> None:
                    bar.update(task, completed=at.facts + at.messages + at.documents + at.keys)

                return await store.purge(batch, progress=advance)

    done = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps(asdict(done)))
    else:
        what = f"{done.facts:,} expired facts, {done.messages:,} messages and {done.documents:,} documents"
        say(f"{what}, and {done.keys:,} old keys {'are due' if dry_run else 'were removed'}.")
