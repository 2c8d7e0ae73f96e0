"""The labelled pairs of tests/evals/pairs: what two memories are to each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "evals" / "pairs"
HELD_OUT = FOLDER.parent / "held_out.jsonl"

NEAR_MISSES = ("number", "date", "name", "negation", "unit", "quantifier", "tense")
"""Alike, and not the same: never to be merged."""

LABELS = ("same", "paraphrase", "update", "contradiction", "unrelated", *NEAR_MISSES)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, the older first, and what they are to each other."""

    language: str
    line: int
    old: str
    new: str
    label: str

    @property
    def half(self) -> str:
        """Rules may be made on the odd lines, `design`; the even ones, `check`, say what they are worth elsewhere."""
        return "design" if self.line % 2 else "check"


def languages() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def pairs(*wanted: str) -> Iterator[Pair]:
    """The pairs of some languages, or of all."""
    for language in wanted or languages():
        lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            read = json.loads(line)
            yield Pair(language, number, read["a"], read["b"], read["label"])


def held_out() -> Iterator[Pair]:
    """Pairs on other subjects, which no rule was made on."""
    for number, line in enumerate(HELD_OUT.read_text(encoding="utf-8").splitlines(), 1):
        read = json.loads(line)
        yield Pair(read["language"], number, read["a"], read["b"], read["label"])
