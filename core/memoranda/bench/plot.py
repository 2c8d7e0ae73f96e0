"""A picture of results: for each data set its categories, with a bar for each measure."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from memoranda.bench.retrieval import ALL, Result
from memoranda.errors import InputError, MissingExtraError

_MEASURES = {"r5": "recall@5", "r10": "recall@10", "mrr": "MRR", "ndcg10": "nDCG@10"}
_HEIGHT = 0.8
"""Of the bars of one category together; categories are 1 apart."""


def plot(results: Sequence[Result], path: Path) -> None:
    """Draw results into a PNG file.

    Args:
        results: The results, at least one; each gets a panel.
        path: The file, which is replaced.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InputError: The file cannot be written.
    """
    try:
        # By name: the types in matplotlib are too loose for our checkers. Not pyplot, which looks for a screen.
        make: Any = import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise MissingExtraError(
            "A plot needs matplotlib.", hint="Install it with: pip install 'memoranda[bench]'"
        ) from error
    tables = [(result.name, {ALL: result.total, **result.categories}) for result in results]
    figure = make(figsize=(8, 1 + sum(0.5 + 0.45 * len(table) for _, table in tables)), layout="constrained")
    panels = figure.subplots(len(tables), squeeze=False, height_ratios=[len(table) + 1 for _, table in tables])
    for (name, table), panel in zip(tables, panels[:, 0], strict=True):
        bar = _HEIGHT / len(_MEASURES)
        for index, (measure, label) in enumerate(_MEASURES.items()):
            places = [row - _HEIGHT / 2 + (index + 0.5) * bar for row in range(len(table))]
            panel.barh(places, [getattr(scores, measure) for scores in table.values()], bar, label=label)
        panel.set_yticks(range(len(table)), [f"{kind} ({scores.questions})" for kind, scores in table.items()])
        panel.invert_yaxis()
        panel.set(title=name, xlim=(0, 1))
        panel.grid(axis="x", alpha=0.3)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(_MEASURES))
    try:
        figure.savefig(path, format="png", dpi=120)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
