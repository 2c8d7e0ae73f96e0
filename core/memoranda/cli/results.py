"""How the results of measuring look: a bar while it runs, then a table for each data set, or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from memoranda.bench.metrics import Scores
from memoranda.bench.retrieval import ALL, Result
from memoranda.cli.output import console, plain, say

_COLUMNS = {"r1": "r@1", "r5": "r@5", "r10": "r@10", "hit10": "hit@10", "mrr": "MRR", "ndcg10": "nDCG@10"}


def progress() -> Progress:
    """A bar, on the screen only and gone afterwards: what is printed can be piped on."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        disable=not console(stderr=True).is_terminal,
    )


def show(results: Sequence[Result], *, as_json: bool = False) -> None:
    """Print results.

    Args:
        results: The results.
        as_json: As JSON instead of tables.
    """
    if as_json:
        typer.echo(json.dumps([result.to_json() for result in results], indent=2))
        return
    for result in results:
        console().print(_table(result))
        say(_about(result) + "\n")


def _table(result: Result) -> Table:
    """The measures of each category, those of the total first."""
    table = Table(title=plain(result.name), title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("")
    for name in ("questions", *_COLUMNS.values()):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row(*_row(ALL, result.total), style="bold")
    for name, scores in result.categories.items():
        table.add_row(*_row(plain(name) + (" *" if name in result.apart else ""), scores))
    return table


def _row(name: str, scores: Scores) -> list[str]:
    return [name, str(scores.questions), *(f"{getattr(scores, column):.3f}" for column in _COLUMNS)]


def _about(result: Result) -> str:
    """What stands below a table."""
    parts = [f"{result.documents} documents, {result.search_seconds * 1000:.1f} ms a search (median)."]
    if any(name in result.apart for name in result.categories):
        parts.append(f"* not in {ALL}.")
    if result.unusable:
        parts.append(f"{result.unusable} questions name no document that answers them, and were not asked.")
    return " ".join(parts)
