"""Where the Postgres programs are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memoranda.errors import EmbeddedError, MissingExtraError
from memoranda.transport.binaries import VARIABLE, WHEELS, find_binaries


def programs(folder: Path, version: str) -> Path:
    """A folder of programs that only know their version."""
    folder.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (folder / name).chmod(0o755)
    return folder


def wheel(site: Path, name: str, version: str) -> Path:
    """An installed package that carries Postgres, and must not be imported."""
    bin_folder = programs(site / name / "pginstall" / "bin", version)
    (site / name / "__init__.py").write_text("raise AssertionError('imported')")
    return bin_folder


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are installed; nothing is, so far."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def test_the_first_wheel_is_preferred(site: Path) -> None:
    wheel(site, WHEELS[1], "18.3")
    preferred = wheel(site, WHEELS[0], "18.6")
    found = find_binaries()
    assert (found.folder, found.major, found.source) == (preferred, 18, WHEELS[0])
    assert found.program("initdb") == preferred / "initdb"


def test_the_second_wheel_does(site: Path) -> None:
    only = wheel(site, WHEELS[1], "17.10 (Debian 17.10-1)")
    found = find_binaries()
    assert (found.folder, found.major, found.source) == (only, 17, WHEELS[1])


def test_finding_a_wheel_does_not_import_it(site: Path) -> None:
    wheel(site, WHEELS[0], "18.6")
    find_binaries()
    assert WHEELS[0] not in sys.modules


def test_a_wheel_with_a_postgres_from_before_our_time_is_passed_over(site: Path) -> None:
    wheel(site, WHEELS[0], "16.2")
    newer = wheel(site, WHEELS[1], "19beta1")
    assert find_binaries().folder == newer


def test_without_any_the_error_says_what_to_install(site: Path) -> None:
    (site / WHEELS[0]).mkdir()  # a package of the name that carries nothing
    (site / WHEELS[0] / "__init__.py").touch()
    with pytest.raises(MissingExtraError, match=r"pip install 'memoranda\[local\]'"):
        find_binaries()


def test_the_variable_goes_before_every_wheel(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(site, WHEELS[0], "18.6")
    monkeypatch.setenv(VARIABLE, str(programs(site / "other", "17.10")))
    found = find_binaries()
    assert (found.folder, found.major, found.source) == (site / "other", 17, VARIABLE)


def test_a_variable_that_names_no_programs_is_an_error(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(site, WHEELS[0], "18.6")
    monkeypatch.setenv(VARIABLE, str(site / "nowhere"))
    with pytest.raises(EmbeddedError, match="does not hold initdb and postgres"):
        find_binaries()


def test_a_variable_that_names_an_old_postgres_is_an_error(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(programs(site / "old", "16.9")))
    with pytest.raises(EmbeddedError, match="Name Postgres 17 or newer"):
        find_binaries()


@pytest.mark.parametrize("broken", ["#!/nowhere/sh\n", "#!/bin/sh\necho GLIBC_2.99 not found\nexit 127\n"])
def test_programs_that_do_not_run_here_are_an_error(site: Path, broken: str) -> None:
    (wheel(site, WHEELS[0], "18.6") / "postgres").write_text(broken)
    with pytest.raises(EmbeddedError, match=r"memoranda\.connect"):
        find_binaries()
