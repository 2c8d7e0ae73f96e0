"""The documents are true: a program in them runs as it stands there, and prints what stands below it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from acceptance.person import Person
from support.databases import Database

DOCS = Path(__file__).parents[2] / "docs"


def programs(name: str) -> list[tuple[str, str]]:
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(program, below) for (one, program), (two, below) in pairwise(blocks) if (one, two) == ("python", "text")]


@pytest.mark.parametrize(
    ("name", "count"), [("time.md", 1), ("messages.md", 1), ("extraction.md", 1), ("documents.md", 1)]
)
def test_its_programs_print_what_stands_below_them(name: str, count: int, person: Person, database: Database) -> None:
    found = programs(name)
    assert len(found) == count
    for program, output in found:
        done = person.runs_python(program, MEMORANDA_DSN=database.dsn())
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == output
