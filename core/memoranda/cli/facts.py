"""`memoranda facts`, `search` and `history`: what is remembered, what a question finds, and how it came to be."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, cast
from uuid import UUID

import typer

from memoranda.cli.entries import AsOf, KnownAt, print_entries, print_json, when
from memoranda.cli.place import AsJson, Place, Places, Tenant, User, memory_of, scope_of
from memoranda.cli.review import waits
from memoranda.cli.target import Dsn, Embedding, Folder, Target
from memoranda.facttypes import Fact, Hit, Kind, Revision

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
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show the facts in force, now or at another time."""
    store = Target.of(dsn, folder).store()
    found, waiting = asyncio.run(_facts(store, memory_of(store, user, tenant, scope), limit, as_of, known_at))
    if as_json:
        print_json(found)
        return
    print_entries(
        [
            (
                fact.key or str(fact.id),
                f"{fact.kind}, version {fact.version}, {when(fact.updated_at)}",
                fact.content,
            )
            for fact in found
        ],
        nothing="No facts here.",
    )
    if waiting:
        typer.echo(f"{waits(waiting)} See: memoranda review", err=True)


def search(
    question: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    user: User,
    tenant: Tenant = None,
    scope: Places = ["user"],  # noqa: B006  # read only
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, max=200, help="How many at most.")] = 10,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only this kind; may be repeated.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only with this tag; may be repeated.")] = None,
    embedder: Embedding = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the facts that a question is about."""
    store = Target.of(dsn, folder).store(embedder=embedder)
    memory = memory_of(store, user, tenant, scope[0])
    places = [scope_of(each) for each in scope]

    async def run() -> list[Hit]:
        async with store:
            return await memory.facts.search(
                question,
                limit,
                scopes=places,
                kinds=cast("list[Kind] | None", kind),
                tags=tag,
                track_use=False,
                as_of=as_of,
                known_at=known_at,
            )

    found = asyncio.run(run())
    if as_json:
        print_json(found)
        return
    print_entries(
        [
            (
                f"{number:>2}" if hit.similarity is None else f"{number:>2}  {hit.similarity:6.3f}",
                _about(hit, several=len(scope) > 1),
                _because(hit) if why else hit.fact.content,
            )
            for number, hit in enumerate(found, 1)
        ],
        nothing="Nothing found.",
    )


def _about(hit: Hit, *, several: bool) -> str:
    """What kind of fact it is, since when, and where it is from if that could be several places."""
    fact = hit.fact
    parts = [fact.kind, fact.key or "", when(fact.updated_at), ":".join(filter(None, fact.scope)) if several else ""]
    return ", ".join(filter(None, parts))


def _because(hit: Hit) -> str:
    """A fact, and below it why it was found."""
    why = hit.why
    parts = [
        f"similarity {hit.similarity:.3f}" if hit.similarity is not None else "",
        f"place {why.meaning_rank} by meaning" if why.meaning_rank else "",
        f"place {why.words_rank} by words ({why.words:.3f})" if why.words_rank else "",
        "named in the question" if why.named else "",
        f"age x{why.recency:.2f}, importance x{why.importance:.2f}, use x{why.used:.2f}",
    ]
    return f"{hit.fact.content}\n({'; '.join(filter(None, parts))})"


def history(
    key: Annotated[str, typer.Argument(help="The key, or the id of a fact.", show_default=False)],
    user: User,
    tenant: Tenant = None,
    scope: Place = "user",
    dsn: Dsn = None,
    folder: Folder = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the values that a key has had.

    Or, by an id, the story of a fact without one.
    """
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
        nothing="Nothing was ever saved under this key or id.",
    )


async def _facts(
    store: Store, memory: Memory, limit: int, as_of: datetime | None, known_at: datetime | None
) -> tuple[list[Fact], int]:
    async with store:
        found = await memory.facts.recall(limit, as_of=as_of, known_at=known_at)
        return found, await memory.review.count()


async def _history(store: Store, memory: Memory, key: str, limit: int) -> list[Revision]:
    async with store:
        found = await memory.facts.history(key, limit)
        try:
            return found or await memory.facts.history(UUID(key), limit)
        except ValueError:  # not an id either
            return found


def _writer(revision: Revision) -> str:
    return ", ".join(part for part in (revision.actor, revision.run_id, revision.reason) if part)
