"""`memoranda reembed`: another embedding model, while everything goes on."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

import typer

from memoranda.cli.place import AsJson
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import InputError

if TYPE_CHECKING:
    from memoranda.reembedding import Reembedded


def reembed(
    embedder: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The new one: local or openai:MODEL.", show_default=False)
    ] = None,
    drop: Annotated[
        str | None, typer.Option("--drop", metavar="MODEL", help="Drop the vectors of a model that is no longer used.")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, max=1000, help="Facts at once.")] = 200,
    pause: Annotated[float, typer.Option("--pause", min=0.0, help="Seconds between two batches.")] = 0.0,
    dsn: Dsn = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Change the embedding model.

    Every fact gets a vector of the new one; searches go on by the old ones. It may be broken off and run again. The old
    vectors stay until --drop.
    """
    from memoranda.cli.output import say, tick
    from memoranda.cli.results import progress

    if (embedder is None) == (drop is None):
        raise InputError("Either a new model is named, or with --drop an old one.")
    store = Target.of(dsn, folder).store(timeout=600.0)

    async def run() -> Reembedded | int:
        async with store:
            with progress() as bar:
                if drop:
                    task = bar.add_task("dropping", total=None)
                    return await store.drop_vectors(drop, progress=lambda at: bar.update(task, completed=at))
                task = bar.add_task("embedding", total=None)

                def at(done: Reembedded) -> None:
                    there = done.embedded + done.set_aside
                    bar.update(task, completed=there, total=there + done.left)

                return await store.reembed(embedder, batch=batch, pause=pause, progress=at)

    done = asyncio.run(run())
    if isinstance(done, int):
        typer.echo(json.dumps({"dropped": done}) if as_json else f"{done:,} vectors of {drop} are dropped.")
    elif as_json:
        typer.echo(
            json.dumps(
                {"model": done.model, "embedded": done.embedded, "set_aside": done.set_aside, "queued": done.queued}
            )
        )
    else:
        refused = f"; {done.set_aside:,} texts are refused by it" if done.set_aside else ""
        say(f"{tick()} All facts have vectors of {done.model}; {done.embedded:,} were made now{refused}.")
        if done.queued:
            say(f"{done.queued:,} messages wait for theirs: memoranda worker, with the new model")
