"""Somebody's first five minutes: each program of the README in an empty folder, with a new environment and the wheel.

    pytest -m slow -rP tests/acceptance/test_five_minutes.py

It takes packages from where pip takes them, and says how long each step took.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from acceptance.person import Person
from acceptance.test_readme import README, ROOT
from support.databases import Database

pytestmark = pytest.mark.slow

SECTIONS = re.split(r"^## ", README, flags=re.MULTILINE)
PROGRAMS = [
    (section, program, output)
    for section in SECTIONS
    for program, output in re.findall(
        r"^```python\n(.*?)^```$(?:(?!```).)*^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL
    )
]


def needs(section: str) -> list[str]:
    """What the README says to install for the programs of a section: extras, and packages beside them."""
    named = re.findall(r"needs `memoranda\[([\w-]+)\]`(?:\s+and\s+`([\w-]+)`)?", section)
    extras = ["local", *(extra for extra, _ in named)]
    return [f"[{','.join(extras)}]", *(package for _, package in named if package)]


def told(text: str) -> str:
    """A text without what differs from run to run: the digits in a fence, and the day."""
    return re.sub(r"\d{21}|\d{4}-\d\d-\d\d", "#", text)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    return Path(built)


class Watch:
    """Runs commands, and says how long each took."""

    def __init__(self, person: Person, dsn: str) -> None:
        self.folder = person.folder
        self.environment = person.environment(MEMORANDA_DSN=dsn)

    def run(self, step: str, *command: str) -> str:
        started = time.monotonic()
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=900, check=False
        )
        print(f"{step}: {time.monotonic() - started:.1f} s")
        assert done.returncode == 0, done.stderr
        return done.stdout


def test_every_program_is_tried() -> None:
    assert len(PROGRAMS) == README.count("```python")
    assert needs(next(section for section in SECTIONS if "LangChain agent" in section[:30])) == [
        "[local,langchain]",
        "langchain",
    ]


@pytest.mark.parametrize(
    ("section", "program", "output"), PROGRAMS, ids=[each[0].partition("\n")[0] for each in PROGRAMS]
)
def test_it_runs_as_it_stands_there(
    section: str, program: str, output: str, person: Person, wheel: Path, empty_database: Database
) -> None:
    watch = Watch(person, empty_database.dsn("postgres"))
    watch.run("environment", sys.executable, "-m", "venv", ".venv")
    extras, *packages = needs(section)
    watch.run("install", ".venv/bin/pip", "install", "--quiet", f"{wheel}{extras}", *packages)
    if "MEMORANDA_DSN" in program:
        watch.run("init", ".venv/bin/memoranda", "init")
    person.folder.joinpath("program.py").write_text(program, encoding="utf-8")
    assert told(watch.run("program", ".venv/bin/python", "program.py")) == told(output)
