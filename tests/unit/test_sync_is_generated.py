"""`memoranda.sync` is what `.ci/make_sync.py` makes of the async source: up to date, complete, and without `async`."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import memoranda
import memoranda.sync

ROOT = Path(__file__).parents[2]
IN_TWO = (
    *("Documents", "Facts", "Files", "Members", "Memory", "Messages", "Review", "Store", "Turns"),
    *("connect", "open", "supabase"),
)
"""The public names that wait for the database. Every other name is one object."""


def make_sync(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("ruff")
    return subprocess.run(
        [sys.executable, root / ".ci" / "make_sync.py", *options], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository again, as far as the script looks at it, to be changed."""
    shutil.copytree(ROOT / "core", tmp_path / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def changed(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def public(kind: type) -> dict[str, Any]:
    """What a class has, and what it has from classes of ours."""
    members = {name: member for each in reversed(kind.__mro__[:-1]) for name, member in vars(each).items()}
    return {name: member for name, member in members.items() if not name.startswith("_")}


def test_the_generated_files_are_up_to_date() -> None:
    done = make_sync(ROOT, "--check")
    assert done.returncode == 0, f"run .ci/make_sync.py: {done.stdout}{done.stderr}"


def test_a_change_of_the_async_source_has_to_be_followed(copy: Path) -> None:
    changed(copy / "core/memoranda/factreads.py", "limit: int = 20", "limit: int = 21")
    done = make_sync(copy, "--check")
    assert done.returncode == 1
    assert [Path(line).name for line in done.stdout.splitlines()] == ["factreads.py"]
    assert "limit: int = 20" in (copy / "core/memoranda/sync/factreads.py").read_text(encoding="utf-8"), "only a check"
    assert make_sync(copy).returncode == 0
    assert "limit: int = 21" in (copy / "core/memoranda/sync/factreads.py").read_text(encoding="utf-8")
    assert make_sync(copy, "--check").returncode == 0


def test_a_new_helper_is_shared_unless_it_waits(copy: Path) -> None:
    source = copy / "core/memoranda/members.py"
    changed(
        source,
        "        rows = await self._transport.call",
        "        await _helped(_shared())\n        rows = await self._transport.call",
    )
    with source.open("a", encoding="utf-8") as file:
        file.write(
            '\n\ndef _shared() -> int:\n    return 1\n\n\nasync def _helped(value: int) -> None:\n    """Waits."""\n'
        )
    assert make_sync(copy).returncode == 0
    twin = (copy / "core/memoranda/sync/members.py").read_text(encoding="utf-8")
    assert "from memoranda.members import _shared" in twin
    assert "def _shared" not in twin
    assert "        _helped(_shared())\n" in twin
    assert "\ndef _helped(value: int) -> None:\n" in twin


def test_a_new_module_is_one_name_in_the_list(copy: Path) -> None:
    source = """
        \"""Searches.\"""

        from __future__ import annotations

        from collections.abc import AsyncIterator, Awaitable, Callable
        from typing import Protocol, TypeAlias

        from memoranda.facts import Fact, Facts

        Vectors: TypeAlias = "list[list[float]]"
        Embed: TypeAlias = "Callable[[list[str]], Awaitable[list[list[float]]]]"


        class Embedder(Protocol):
            \"""A model.\"""

            async def embed(self, texts: list[str]) -> Vectors:
                \"""Their vectors.\"""
                ...


        class Search:
            \"""Searches facts.\"""

            def __init__(self, facts: Facts, embed: Embed) -> None:
                self._facts, self._embed = facts, embed

            async def found(self, text: str) -> AsyncIterator[Fact]:
                \"""One by one.\"""
                await self._embed([text])
                for fact in await self._facts.recall():
                    yield fact
    """
    (copy / "core/memoranda/search.py").write_text(textwrap.dedent(source).lstrip(), encoding="utf-8")
    changed(copy / ".ci/make_sync.py", '"members", "schema"', '"members", "schema", "search"')
    assert make_sync(copy).returncode == 0
    assert make_sync(copy, "--check").returncode == 0
    twin = (copy / "core/memoranda/sync/search.py").read_text(encoding="utf-8")
    assert "from memoranda.search import Vectors as Vectors\nfrom memoranda.sync.facts import Fact, Facts\n" in twin
    assert 'Embed: TypeAlias = "Callable[[list[str]], list[list[float]]]"' in twin
    assert "    def embed(self, texts: list[str]) -> Vectors:" in twin
    assert "    def found(self, text: str) -> Iterator[Fact]:" in twin
    assert "        self._embed([text])\n        for fact in self._facts.recall():\n" in twin
    assert "a" + "wait" not in twin.lower()


@pytest.mark.parametrize("file", ["store.py", "transport/__init__.py"])
def test_an_edit_of_a_generated_file_does_not_pass(copy: Path, file: str) -> None:
    changed(copy / "core/memoranda/sync" / file, "def open", "def  open")
    assert make_sync(copy, "--check").returncode == 1


def test_a_file_that_nothing_makes_any_more_does_not_pass(copy: Path) -> None:
    left = copy / "core/memoranda/sync/left.py"
    left.write_text("# left over\n", encoding="utf-8")
    assert make_sync(copy, "--check").returncode == 1
    assert make_sync(copy).returncode == 0
    assert not left.exists()


def test_nothing_waits_in_the_sync_package() -> None:
    for path in (ROOT / "core/memoranda/sync").rglob("*.py"):
        if path.name == "loop.py":  # it runs what waits, on a thread of its own
            continue
        text = path.read_text(encoding="utf-8")
        found = re.findall(
            r"^.*\b(?:async def|async with|async for|await \w|asyncio|AsyncConnection\w*)\b.*", text, re.M
        )
        assert found == [], path


def test_the_names_are_the_same_and_the_records_are_the_same_objects() -> None:
    assert memoranda.sync.__all__ == memoranda.__all__
    twice = [name for name in memoranda.__all__ if getattr(memoranda, name) is not getattr(memoranda.sync, name)]
    assert tuple(twice) == IN_TWO


@pytest.mark.parametrize("name", [name for name in IN_TWO if name[0].isupper()])
def test_every_method_is_there_with_the_same_parameters(name: str) -> None:
    one, other = public(getattr(memoranda, name)), public(getattr(memoranda.sync, name))
    one.pop("sync", None)
    assert one.keys() == other.keys()
    for each in one:
        mine, theirs = one[each], other[each]
        assert not inspect.iscoroutinefunction(theirs)
        if inspect.isfunction(mine):
            signature = str(inspect.signature(mine)).replace("AsyncIterator[", "Iterator[")
            assert str(inspect.signature(theirs)) == signature, each


def test_importing_memoranda_does_not_import_its_twin() -> None:
    program = "import sys, memoranda; print(*(name for name in sys.modules if name.startswith('memoranda.sync')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_importing_the_twin_needs_no_driver_yet() -> None:
    program = "import sys, memoranda.sync; print(*({'asyncio', 'psycopg', 'psycopg_pool'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
