"""Every promise in the documents has a test: the list names tests that exist, and every page that makes promises."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from support.documents import DOCS, ROOT

TEXT = (DOCS / "promises.md").read_text(encoding="utf-8")
ROWS = [row.strip("| ").split(" | ") for row in TEXT.splitlines() if re.match(r"\| (?!promise)[^-]", row)]
INDEXES = {"README.md", "promises.md"}  # of the folder of documents; they promise what the others do


@cache
def functions_in(path: str) -> set[str]:
    """The names of the tests in a file; of one whose tests come from a suite of the library's, none."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}


def test_the_list_is_a_list() -> None:
    assert len(ROWS) >= 60
    assert all(len(row) == 3 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:50])
def test_a_promise_is_kept_by_tests_that_exist(row: list[str]) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row[2])
    assert len(named) == row[2].count("`tests/") > 0
    for path, name in named:
        assert (ROOT / path).exists()
        assert not name or name in functions_in(path)
    for page in re.findall(r"\]\(([^)]+)\)", row[1]):
        assert (DOCS / page).exists()


def test_no_page_is_left_out() -> None:
    pages = {path.name for path in DOCS.glob("*.md")} - INDEXES
    assert pages == {name for name in re.findall(r"\[([\w-]+\.md)\]", TEXT) if (DOCS / name).exists()} - INDEXES


def test_the_tables_of_the_security_page_name_tests_that_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    assert not [path for path in named if not (ROOT / path).exists()]
