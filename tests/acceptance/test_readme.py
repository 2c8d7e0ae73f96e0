"""The README is true: its programs run as they stand there, and print what stands below them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from acceptance.person import Person
from support.databases import Database
from support.servers import is_running

ROOT = Path(__file__).parents[2]
README = ROOT.joinpath("README.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PROGRAMS = [(text, below) for (language, text), (_, below) in pairwise(BLOCKS) if language == "python"]
FIRST, FIRST_OUTPUT = PROGRAMS[0]
OTHERS = [each for each in PROGRAMS[1:] if "memoranda.supabase(" not in each[0]]
"""Those for Supabase are in `test_supabase_docs.py`."""


def test_every_program_has_its_output_below_it() -> None:
    languages = [language for language, _ in BLOCKS]
    assert [after for language, after in pairwise(languages) if language == "python"] == ["text"] * len(PROGRAMS)
    assert languages[-1] != "python"
    assert (len(PROGRAMS), len(OTHERS)) == (8, 6)


def test_the_two_commands_come_first() -> None:
    assert BLOCKS[:2] == [
        ("sh", "python3 -m venv .venv && .venv/bin/pip install -e '.[local]' && .venv/bin/memoranda demo\n"),
        ("sh", ".venv/bin/pip install -e '.[dev]' && .venv/bin/pytest -n auto --dist loadfile\n"),
    ]


def test_the_first_program_is_short() -> None:
    assert len(FIRST.splitlines()) <= 15


def test_the_first_program_prints_what_the_readme_shows(person: Person) -> None:
    # Twice: saving the same again changes nothing.
    for done in (person.runs_python(FIRST), person.runs_python(FIRST)):
        assert (done.returncode, done.stderr) == (0, "")
        # What differs from run to run, by the README's own words: the digits in the fence, and the day.
        (nonce,) = set(re.findall(r"</?memory-(\d+)>", FIRST_OUTPUT))
        (day,) = re.findall(r'"updated":"([\d-]+)"', FIRST_OUTPUT)
        expected = re.escape(FIRST_OUTPUT).replace(nonce, rf"(\d{{{len(nonce)}}})", 1).replace(nonce, r"\1")
        shown = re.fullmatch(expected.replace(re.escape(day), r"([\d-]+)"), done.stdout)
        assert shown, f"expected:\n{FIRST_OUTPUT}\nfound:\n{done.stdout}"
        assert shown[1] != nonce
        assert abs(date.fromisoformat(shown[2]) - datetime.now(UTC).date()).days <= 1  # a day has many time zones
    assert not is_running(person.folder / "memory")


@pytest.mark.parametrize(("program", "output"), OTHERS)
def test_every_other_program_prints_what_the_readme_shows(
    program: str, output: str, person: Person, database: Database
) -> None:
    done = person.runs_python(program, MEMORANDA_DSN=database.dsn())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == output
