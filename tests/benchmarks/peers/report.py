"""What was measured, as Markdown tables and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.peers.failures import FAILURES, Failure
from benchmarks.peers.finding import AMONG
from benchmarks.peers.libraries import OURS
from benchmarks.peers.participants import Participant
from benchmarks.peers.speed import Speed

START, END = "<!-- measured -->", "<!-- /measured -->"


@dataclass
class Result:
    """A library and all that was measured of it."""

    who: Participant
    speed: Speed
    recall: dict[str, float]
    small_full: tuple[int, int]
    """How many small memories gave as many hits as they could, and how many there are."""
    failures: dict[str, Failure]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _best(
    values: Sequence[float], shown: Callable[[float], str], best: Callable[[Sequence[float]], float]
) -> list[str]:
    """Each value, the best in bold."""
    return [f"**{shown(value)}**" if shown(value) == shown(best(values)) else shown(value) for value in values]


def tables(results: Sequence[Result], about: str) -> str:
    """All of them.

    Args:
        results: Ours first.
        about: How it was run.
    """
    names = [result.who.name for result in results]
    versions = [", ".join(version for version in result.who.versions.values()) for result in results]
    speeds = [result.speed for result in results]

    def row(name: str, values: Sequence[float], shown: str, best: Callable[[Sequence[float]], float]) -> list[str]:
        return [name, *_best(values, lambda value: format(value, shown), best)]

    looking = [f"{speed.batch_looking:,.0f}" if speed.batch_looking else "-" for speed in speeds]
    measured = [
        ["version", *versions],
        ["searches by", *(result.who.library.ways for result in results)],
        ["vectors found by", *(result.who.setting for result in results)],
        row("facts/s, many at once", [speed.batch for speed in speeds], ",.0f", max),
        row("many at once, ms of CPU a fact", [speed.cpu_batch for speed in speeds], ".2f", min),
        ["facts/s, many at once, looking for duplicates", *looking],
        row("facts/s, one by one", [speed.single for speed in speeds], ",.0f", max),
        row("search, p50 ms", [speed.p50 for speed in speeds], ".1f", min),
        row("search, p95 ms", [speed.p95 for speed in speeds], ".1f", min),
        row("search, ms of CPU", [speed.cpu for speed in speeds], ".1f", min),
        row("search in a small memory, p50 ms", [speed.small_p50 for speed in speeds], ".1f", min),
        *(
            row(f"recall@{AMONG[kind]}, {kind}", [result.recall[kind] for result in results], ".3f", max)
            for kind in results[0].recall
        ),
        ["small memories searched in full", *(f"{full} of {of}" for full, of in (r.small_full for r in results))],
        row("bytes a fact", [result.who.bytes_a_fact for result in results], ",.0f", min),
    ]
    checked = [
        [result.who.name, each.setting, f"{each.large:.3f}", f"{each.small:.3f}", f"{1000 * each.seconds:.1f}"]
        for result in results
        for each in result.who.checked
    ]
    failed = [[kind, *(_shown(result.failures[kind]) for result in results)] for kind in FAILURES]
    return "\n\n".join(
        (
            about,
            _table(["", *names], measured),
            "How many of the true ten nearest vectors each finds, by setting:",
            _table(["library", "setting", "large memories", "small ones", "p50 ms"], checked),
            "What went wrong:",
            _table(["", *names], failed),
            "\n".join(_details(results)),
        )
    )


def _shown(failure: Failure) -> str:
    if not failure.times:
        return "0"
    return f"**{failure.times} of {failure.of}**" if failure.of else f"**{failure.times}**"


def _details(results: Sequence[Result]) -> list[str]:
    return [
        f"- {result.who.name}, {kind}: {failure.detail}."
        for result in results
        for kind, failure in result.failures.items()
        if failure.detail
    ]


def into(document: Path, text: str) -> None:
    """Put the tables between the marks of a document.

    Args:
        document: A document with both marks.
        text: The tables.
    """
    whole = document.read_text()
    head, _, rest = whole.partition(START)
    _, _, tail = rest.partition(END)
    document.write_text(f"{head}{START}\n\n{text}\n\n{END}{tail}")


def draw(results: Sequence[Result], file: Path) -> None:
    """Draw a panel for each measure, a bar for each library, ours dark.

    Args:
        results: What was measured.
        file: A PNG file, which is replaced.
    """
    names = [result.who.name for result in results][::-1]
    panels: dict[str, list[float]] = {
        "search, p50 ms (less is better)": [result.speed.p50 for result in results],
        "search, p95 ms (less is better)": [result.speed.p95 for result in results],
        "facts/s, many at once": [result.speed.batch for result in results],
        "facts/s, one by one": [result.speed.single for result in results],
        **{f"recall@{AMONG[kind]}, {kind}": [result.recall[kind] for result in results] for kind in results[0].recall},
        "bytes a fact (less is better)": [result.who.bytes_a_fact for result in results],
        "kinds of failure (less is better)": [
            sum(failure.times > 0 for failure in result.failures.values()) for result in results
        ],
    }
    lines = -(-len(panels) // 2)
    figure: Any = Figure(figsize=(9, 0.6 + 1.5 * lines), layout="constrained")
    places = figure.subplots(lines, 2, squeeze=False).flatten()
    for place in places[len(panels) :]:
        place.set_visible(False)
    for (title, values), place in zip(panels.items(), places, strict=False):
        bars = place.barh(names, values[::-1], color=["#1b6ca8" if name == OURS else "#b9c4cc" for name in names])
        place.bar_label(bars, fmt="{:,.3g}" if max(values) < 1000 else "{:,.0f}", padding=3, fontsize=8)
        place.set_title(title, fontsize=10)
        place.margins(x=0.15)
        place.tick_params(labelsize=8)
        place.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, format="png", dpi=110)
