"""`memoranda bench`: a bar while it measures, then a table for each data set, or JSON, and a picture if wanted."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from memoranda.bench.beam import read_beam
from memoranda.bench.locomo import read_locomo
from memoranda.bench.records import DataSet
from memoranda.bench.retrieval import Result, measure, steps
from memoranda.bench.xquad import read_xquad
from memoranda.cli.place import AsJson
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import InputError

_TIMEOUT = 120.0
"""Seconds for a call: a thousand facts are saved at once."""


bench = typer.Typer(
    help="Measure how well search finds, on data sets of yours.", no_args_is_help=True, rich_markup_mode=None
)


@bench.callback()
def common() -> None:
    """Measure how well search finds, on data sets of yours."""


@bench.command()
def retrieval(
    locomo: Annotated[Path | None, typer.Option("--locomo", metavar="FILE", help="LoCoMo's JSON file.")] = None,
    beam: Annotated[Path | None, typer.Option("--beam", metavar="FOLDER", help="A folder of BEAM's chats.")] = None,
    xquad: Annotated[Path | None, typer.Option("--xquad", metavar="FOLDER", help="A folder of XQuAD's files.")] = None,
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAME", help="local, openai:MODEL, or none for words and names alone.")
    ] = "local",
    messages: Annotated[
        bool, typer.Option("--messages", help="Store messages and recall them, rather than save facts and search.")
    ] = False,
    dsn: Dsn = None,
    folder: Folder = None,
    picture: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the results as a PNG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Save data sets as facts, or messages, ask their questions, and see where the answers come.

    Without --dsn or --folder a database is made for it and thrown away. In one of yours, what is saved stays, as that
    of a user who is new.
    """
    datasets = [
        *([read_locomo(locomo)] if locomo else []),
        *([read_beam(beam)] if beam else []),
        *([read_xquad(xquad)] if xquad else []),
    ]
    if not datasets:
        raise InputError("Which data set?", hint="Name one or more with --locomo, --beam and --xquad.")
    with tempfile.TemporaryDirectory(prefix="memoranda-bench-") as scratch:
        target = Target.of(dsn, folder) if dsn or folder else Target(None, Path(scratch, "database"))
        results = asyncio.run(_measured(target, datasets, None if embedder == "none" else embedder, messages))
    from memoranda.cli import results as shown

    shown.show(results, as_json=as_json)
    if picture:
        from memoranda.bench.plot import plot

        plot(results, picture)


async def _measured(target: Target, datasets: Sequence[DataSet], embedder: str | None, messages: bool) -> list[Result]:
    from memoranda.bench.store import MessageSearcher, StoreSearcher
    from memoranda.cli.output import plain
    from memoranda.cli.results import progress as bar

    async with target.store(embedder=embedder, timeout=_TIMEOUT) as store:
        with bar() as progress:
            task = progress.add_task("", total=steps(datasets))
            return await measure(
                datasets,
                MessageSearcher(store) if messages else StoreSearcher(store),
                advance=lambda name: progress.update(task, advance=1, description=plain(name)),
            )
