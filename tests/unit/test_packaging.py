"""What is shipped: every file, no two versions of the truth, and nothing of the machine that it was made on."""

from __future__ import annotations

import os
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from memoranda import schema

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))


LEFT_BY_TOOLS = {"__pycache__", "build", "dist", "memory", "memoranda-demo"}


def files(top: str = ".") -> Iterator[Path]:
    """The files of a checkout, or of a folder in it, less what tools leave there."""
    for folder, folders, names in os.walk(ROOT / top):
        folders[:] = {name for name in folders if name == ".ci" or not name.startswith(".")} - LEFT_BY_TOOLS
        yield from (Path(folder, name).relative_to(ROOT) for name in names)


# What is in the packages


def test_the_wheel_holds_the_library_and_its_sql_and_nothing_else(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    library = {path.relative_to(top).as_posix() for top in ("adapters", "core") for path in files(top)}
    assert held == library | {f"memoranda/{path.as_posix()}" for path in files("sql")}
    assert "memoranda/py.typed" in held


def test_the_sdist_holds_what_the_tests_need(tmp_path: Path) -> None:
    (sdist,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(sdist) as archive:
        held = {Path(*Path(name).parts[1:]) for name in archive.getnames()}
    missing = {path for top in ("adapters", "core", "sql", "tests", ".ci") for path in files(top)} - held
    assert not missing
    assert {Path("pyproject.toml"), Path("README.md"), Path("LICENSE")} <= held


def test_a_newcomer_finds_every_module_of_the_core() -> None:
    table = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("by what it is about:")[2]
        .partition("\n\nWrite")[0]
    )
    top = (ROOT / "core" / "memoranda").iterdir()
    modules = {f"{path.name}/" if path.is_dir() else path.stem for path in top if not path.name.startswith("_")}
    assert modules - {"py"} == set(re.findall(r"`([\w/]+)`", table))


def test_the_sql_is_found_in_a_checkout() -> None:
    if not Path(schema.__file__).is_relative_to(ROOT):
        pytest.skip("these tests run against an installed wheel")
    assert schema.sql_root() == ROOT / "sql"
    assert schema.read("bootstrap.sql") == (ROOT / "sql/bootstrap.sql").read_text(encoding="utf-8")


def test_type_checkers_see_the_types() -> None:
    assert resources.files("memoranda").joinpath("py.typed").is_file()


# One truth


def test_the_installed_version_is_the_one_declared() -> None:
    assert metadata.version("memoranda") == PROJECT["project"]["version"], "install it again: pip install -e '.[dev]'"


def test_the_oldest_python_is_the_same_everywhere() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    tools = PROJECT["tool"]
    assert tools["mypy"]["python_version"] == tools["pyright"]["pythonVersion"] == oldest
    assert tools["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    names = sorted(path.name for path in files("sql/migrations"))
    assert [name[:5] for name in names] == [f"{number:04}_" for number in range(1, len(names) + 1)]
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.sql", name) for name in names)


def test_documents_name_only_files_that_exist() -> None:
    named = {
        path
        for document in ROOT.glob("*.md")
        for path in re.findall(r"`((?:core|tests|\.ci)/[\w./-]+)`", document.read_text(encoding="utf-8"))
    }
    assert not {path for path in named if not ROOT.joinpath(path).exists()}


def test_no_module_of_the_library_grows_past_400_lines() -> None:
    long = {path for path in files("core") if len((ROOT / path).read_text(encoding="utf-8").splitlines()) > 400}
    assert not long


# Nothing of the machine that it was made on: written in pieces, so that this file does not name them either.

HOSTS = [
    f"{name}.{end}"
    for end, names in {
        "org": "py-pi python-hosted npm-js deb-ian ruby-gems go-lang ana-conda",
        "com": "ub-untu yarn-pkg",
        "io": "cra-tes gh-cr",
    }.items()
    for name in names.replace("-", "").split()
]
HOME = re.compile(r"/(?:home|Users|work)/\w+")


def test_no_file_names_a_package_registry_or_a_home_folder() -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in files()
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8", errors="ignore").splitlines(), 1)
        if HOME.search(line) or any(host in line for host in HOSTS)
    ]
    assert not found, "\n".join(found)
