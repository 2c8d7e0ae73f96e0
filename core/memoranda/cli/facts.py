"""`memoranda facts` and `memoranda history`: a look at what is remembered, and how it came to be."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.entries import print_entries, print_json, when
from memoranda.cli.place import AsJson, Place, Tenant, User, memory_of
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.facts import Fact, Revision

if TYPE_CHECKING:
    from memoranda.memory import Memory
    from memoranda.store import Store


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
    found = asyncio.run(_facts(store, memory_of(store, user, tenant, scope), limit))
    if as_json:
        print_json(found)
        return
    print_entries(
        [(fact.key, f"{fact.kind}, version {fact.version}, {when(fact.updated_at)}", fact.content) for fact in found],
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
    found = asyncio.run(_history(store, memory_of(store, user, tenant, scope), key, limit))
    if as_json:
        print_json(found)
        return
    print_entries(
        [
            (f"{each.verb:<9}", f"version {each.fact.version}, {when(each.at)}, {_writer(each)}", each.fact.content)
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


def _writer(revision: Revision) -> str:
    return ", ".join(part for part in (revision.actor, revision.run_id, revision.reason) if part)
