"""The table of what is stored when a run ends: each line names a test that there is, in the forms that it names."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "agents.md"
MODULES = {
    "PydanticAI": ("test_pydantic_ai_runs", "test_durable"),
    "LangChain": ("test_langchain_runs", "test_edges"),
}


@dataclass
class Line:
    adapter: str
    outcome: str
    forms: list[str]
    test: str


def lines() -> Iterator[Line]:
    for row in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) == 6 and cells[0] in MODULES:
            yield Line(cells[0], cells[1], re.findall(r"`(\w+)`", cells[2]), cells[5].strip("`"))


def shown_by(line: Line) -> list[FunctionType]:
    modules = [importlib.import_module(f"adapters.{name}") for name in MODULES[line.adapter]]
    return [getattr(module, line.test) for module in modules if hasattr(module, line.test)]


def forms_of(test: FunctionType) -> str:
    """Where the forms stand in which a test runs an agent: its parameters, and what it calls."""
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    given = [value for mark in marks if mark.name == "parametrize" for value in mark.args[1]]
    return " ".join([*(getattr(value, "__name__", "") for value in given), inspect.getsource(test)])


def test_there_is_a_line_for_each_outcome() -> None:
    found = {(line.adapter, outcome) for line in lines() for outcome in line.outcome.split() if outcome in OUTCOMES}
    assert found == {(adapter, outcome) for adapter in MODULES for outcome in OUTCOMES}


OUTCOMES = ("succeeds", "raises", "cancelled", "early", "resumed")


@pytest.mark.parametrize("line", list(lines()), ids=lambda line: f"{line.adapter}-{line.test}")
def test_each_line_is_shown_by_a_test(line: Line) -> None:
    (test,) = shown_by(line)
    assert line.forms
    for form in line.forms:
        assert re.search(rf"\b{form}\b", forms_of(test)), form
