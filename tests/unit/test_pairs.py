"""The labelled pairs are what their README says."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter

import pytest

from support.pairs import FOLDER, LABELS, NEAR_MISSES, languages, pairs


@pytest.mark.parametrize("language", languages())
def test_a_line_is_two_memories_and_a_label(language: str) -> None:
    text = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8")
    assert text.endswith("\n")
    for line in text.splitlines():
        read = json.loads(line)
        assert list(read) == ["a", "b", "label"]
        assert read["label"] in LABELS
        for memory in (read["a"], read["b"]):
            assert memory == unicodedata.normalize("NFC", memory.strip())
            assert 2 < len(memory) < 200
        assert line == json.dumps(read, ensure_ascii=False)


def test_there_are_enough_of_every_kind_in_every_language() -> None:
    assert len(languages()) >= 7
    assert sum(1 for _ in pairs()) >= 400
    for language in languages():
        counted = Counter(pair.label for pair in pairs(language))
        assert all(counted[label] >= 2 for label in LABELS), language
        assert sum(counted[label] for label in NEAR_MISSES) >= 20


def test_no_pair_is_there_twice_and_none_is_of_equal_texts() -> None:
    seen: set[frozenset[str]] = set()
    for pair in pairs():
        both = frozenset((pair.old, pair.new))
        assert len(both) == 2, pair
        assert both not in seen, pair
        seen.add(both)


def test_the_halves_are_alike() -> None:
    halves = {half: Counter(pair.label for pair in pairs() if pair.half == half) for half in ("design", "check")}
    for label in LABELS:
        assert abs(halves["design"][label] - halves["check"][label]) <= 12


def test_the_readme_counts_them() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    everything = list(pairs())
    assert f"{len(everything)} pairs in {len(languages())} languages" in readme
    for label, count in Counter(pair.label for pair in everything).items():
        assert f"| `{label}` | {count} |" in readme
