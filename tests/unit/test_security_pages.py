"""What the documents say of tests is so: each that they name is there, and no input that crosses is left out."""

from __future__ import annotations

import ast
import fnmatch
import re
from pathlib import Path

import pytest

from memoranda.tools import MEMORY, RECALL, REMEMBER

ROOT = Path(__file__).parents[2]
PAGES = ("SECURITY.md", "docs/threats.md", "docs/poisoning.md", "docs/reliability.md")
COMMANDS_OF = ROOT / "tests" / "acceptance" / "test_cli.py"


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def rows(page: str) -> list[list[str]]:
    """The cells of every line of its tables, without the headings."""
    lines = [line for line in text(page).splitlines() if line.startswith("|")]
    heads = {number for number, line in enumerate(lines, -1) if re.fullmatch(r"[|\s:-]+", line)}
    kept = [line for number, line in enumerate(lines) if number not in heads and not re.fullmatch(r"[|\s:-]+", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in kept]


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_exists(page: str) -> None:
    named = re.findall(r"tests/[\w/.]+\.py", text(page))
    assert named
    for name in named:
        path = ROOT / name
        assert path.is_file(), name
        if path.name.startswith("test_"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            defined = [  # a class may inherit its tests, as those of adapters do
                each.name
                for each in ast.walk(tree)
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            ]
            assert any(each.startswith(("test_", "Test")) for each in defined), name


@pytest.mark.parametrize("page", ["docs/threats.md"])
def test_every_input_has_who_controls_it_what_stops_it_and_a_test(page: str) -> None:
    found = rows(page)
    assert len(found) > 20
    for row in found:
        assert len(row) == 4, row
        assert all(row), row
        assert "tests/" in row[3], row


def test_every_promise_of_security_md_has_a_test() -> None:
    promises = [row for row in rows("SECURITY.md") if "tests/" in row[-1]]
    assert len(promises) > 25
    assert all("`tests/" in row[1] for row in promises)


def test_every_door_of_the_database_is_listed() -> None:
    schema = (ROOT / "sql" / "schema.sql").read_text(encoding="utf-8")
    doors = set(re.findall(r"^CREATE FUNCTION memoranda\.(\w+)", schema, re.MULTILINE))
    assert len(doors) > 60
    listed = [name for row in rows("docs/threats.md") for name in re.findall(r"`([a-z_*]+)`", row[0])]
    assert [door for door in sorted(doors) if not any(fnmatch.fnmatch(door, name) for name in listed)] == []


def test_every_command_and_every_tool_is_listed() -> None:
    source = COMMANDS_OF.read_text(encoding="utf-8")
    (commands,) = (
        [str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS"
    )
    assert len(commands) > 15
    page = text("docs/threats.md")
    for name in (*commands, MEMORY.name, RECALL.name, REMEMBER.name):
        assert f"`{name}`" in page, name
