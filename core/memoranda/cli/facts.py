"""`memoranda facts` and `memoranda history`: a look at what is remembered, and how it came to be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast
from uuid import UUID

import typer

from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import ScopeError
from memoranda.facts import Fact, Revision
from memoranda.identity import Scope, ScopeName

if TYPE_CHECKING:
    from memoranda.memory import Memory
    from memoranda.store import Store

SCOPES = "user, organization, agent:ID, chat:ID, project:ID"

User: TypeAlias = Annotated[str, typer.Option("--user", metavar="USER", help="Whose memory: a name, or an id.")]
Tenant: TypeAlias = Annotated[
    str | None, typer.Option("--tenant", metavar="TENANT", help="In which organisation: a name, or an id.")
]
Place: TypeAlias = Annotated[str, typer.Option("--scope", metavar="SCOPE", help=f"{SCOPES}.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def facts(
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the facts in force."""
    store = Target.of(dsn, folder).store()
    found = asyncio.run(_facts(store, _memory(store, user, tenant, scope), limit))
    if as_json:
        _print_json(found)
        return
    _print_entries(
        [(fact.key, f"{fact.kind}, version {fact.version}, {_when(fact.updated_at)}", fact.content) for fact in found],
        nothing="No facts here.",
    )


def history(
    key: Annotated[str, typer.Argument(help="The key.", show_default=False)],
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the values that a key has had."""
    store = Target.of(dsn, folder).store()
    found = asyncio.run(_history(store, _memory(store, user, tenant, scope), key, limit))
    if as_json:
        _print_json(found)
        return
    _print_entries(
        [
            (f"{each.verb:<9}", f"version {each.fact.version}, {_when(each.at)}, {_writer(each)}", each.fact.content)
            for each in found
        ],
        nothing="Nothing was ever saved under this key.",
    )


async def _facts(store: Store, memory: Memory, limit: int) -> list[Fact]:
    async with store:
        return await memory.facts.recall(limit)


async def _history(store: Store, memory: Memory, key: str, limit: int) -> list[Revision]:
    async with store:
        return await memory.facts.history(key, limit)


def _memory(store: Store, user: str, tenant: str | None, scope: str) -> Memory:
    """The memory that the options name; names and ids of a person at a terminal are both text."""
    name, _, id = scope.partition(":")
    try:
        place = Scope(cast("ScopeName", name), id)
    except ScopeError as error:
        raise ScopeError(error.message, hint=f"It is one of: {SCOPES}.") from None
    return store.memory(_id_or_name(user), tenant=_id_or_name(tenant) if tenant else None, scope=place)


def _id_or_name(text: str) -> UUID | str:
    """No name looks like an id, so that the two cannot be confused."""
    try:
        return UUID(text)
    except ValueError:
        return text


def _writer(revision: Revision) -> str:
    return ", ".join(part for part in (revision.actor, revision.run_id, revision.reason) if part)


def _when(time: datetime) -> str:
    """A time for people, in the zone of their computer."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


def _print_json(found: Sequence[Fact | Revision]) -> None:
    typer.echo(json.dumps([asdict(each) for each in found], indent=2, ensure_ascii=False, default=_json))


def _json(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _print_entries(entries: Sequence[tuple[str, str, str]], *, nothing: str) -> None:
    """Each with a head, of which the first part stands out, and its content below."""
    from rich.text import Text

    from memoranda.cli.output import console, plain, say

    for first, head, content in entries:
        console().print(Text.assemble((plain(first), "bold"), "  ", plain(head)), soft_wrap=True)
        say(content, first="  ", rest="  ")
    if not entries:
        say(nothing)
