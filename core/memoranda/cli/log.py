"""`memoranda timeline` and `audit`: facts by time, and the log of who wrote what."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, cast

import typer

from memoranda.cli.entries import Since, Until, print_json, print_table, when
from memoranda.cli.place import AsJson, Place, Tenant, User, memory_of
from memoranda.cli.target import Dsn, Folder, Target

if TYPE_CHECKING:
    from memoranda.audit import AuditEntry, Subject
    from memoranda.factreads import NotInForce
    from memoranda.facttypes import Fact, Kind
    from memoranda.memory import Actor


def timeline(
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only this kind; may be repeated.")] = None,
    entity: Annotated[str | None, typer.Option("--entity", metavar="NAME", help="Only about this name.")] = None,
    since: Since = None,
    until: Until = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include",
            metavar="REASON",
            help="What is not in force as well: superseded, forgotten, pending, rejected, expired, ended or upcoming; "
            "may be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show facts by time, newest first.

    The time of a fact is since when it is true, or else when it was saved.
    """
    store = Target.of(dsn, folder).store()
    memory = memory_of(store, user, tenant, scope)

    async def run() -> list[Fact]:
        async with store:
            return await memory.facts.timeline(
                limit,
                kinds=cast("list[Kind] | None", kind),
                entity=entity,
                since=since,
                until=until,
                include=cast("list[NotInForce]", include or []),
            )

    found = asyncio.run(run())
    if as_json:
        print_json(found)
        return
    print_table(
        ("time", "kind", "key", "fact"),
        [(when(fact.valid_from or fact.created_at), _kind(fact), fact.key or "", fact.content) for fact in found],
        nothing="No facts here.",
    )


def audit(
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    since: Since = None,
    until: Until = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="WHAT", help="Only fact, or only file.")] = None,
    actor: Annotated[
        str | None,
        typer.Option("--actor", metavar="WHO", help="Only by application, model, extractor, import or system."),
    ] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="ID", help="Only of this run.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the log: who wrote what, and why.

    Every write of a fact or a file, newest first; of a content only the beginning; with --json all of it.
    """
    store = Target.of(dsn, folder).store()
    memory = memory_of(store, user, tenant, scope)

    async def read() -> list[AuditEntry]:
        async with store:
            return await memory.audit(
                limit,
                since=since,
                until=until,
                subject=cast("Subject | None", subject),
                actor=cast("Actor | None", actor),
                run_id=run,
            )

    found = asyncio.run(read())
    if as_json:
        print_json(found)
        return
    print_table(
        ("time", "what", "of", "by", "content"),
        [
            (
                when(each.at),
                each.verb,
                f"{each.name or str(each.id)[:8]} {each.version}",
                ", ".join(part for part in (each.actor, each.run_id, each.reason) if part),
                _beginning(each.content),
            )
            for each in found
        ],
        nothing="Nothing was ever written here.",
    )


def _beginning(content: str, most: int = 60) -> str:
    first = content.partition("\n")[0]
    return content if first == content and len(first) <= most else first[:most].rstrip() + "..."


def _kind(fact: Fact) -> str:
    return fact.kind if fact.status == "confirmed" else f"{fact.kind}, {fact.status}"
