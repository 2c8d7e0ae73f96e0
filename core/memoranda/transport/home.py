"""The folder that a caller names: where its database really is, and whose turn it is to work on it.

A folder of ours holds the database, in ``postgres``, and a small text, ``memoranda.txt``. The text tells a person, and
every later opener, where the database is; it is written when the database is complete. Its file comes first of all and
is the lock that openers take in turn.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.errors import FolderError
from memoranda.transport.account import Account, account_name, system_folder

if sys.platform != "win32":
    import fcntl

MARKER = "memoranda.txt"
CLUSTER = "postgres"

# What may lie in a folder that people would call empty.
_INCIDENTAL = frozenset({".DS_Store", ".gitignore", ".gitkeep", "lost+found"})

_HERE = """\
memoranda keeps the memory of an agent in this folder, as a Postgres database.

database: postgres

Copy or move the folder only while no program uses it. To delete the memory, delete the folder.
"""

_ELSEWHERE = """\
memoranda keeps the memory of an agent for this folder, as a Postgres database. It is in another folder, because the
account that runs Postgres (never root) may not enter this one.

database: {cluster}

To delete the memory, delete that folder and this one.
"""

_log = logging.getLogger("memoranda")


@dataclass(frozen=True, slots=True)
class Home:
    """A folder that we have to ourselves until we let others have their turn.

    Attributes:
        location: Where the database is, or will be.
        account: Who runs it.
        settled: Whether there is a database, by what the text says.
    """

    location: Path
    account: Account
    settled: bool
    _markers: tuple[_Marker, ...]

    @property
    def cluster(self) -> Path:
        """The database's own folder."""
        return self.location / CLUSTER

    def settle(self) -> None:
        """Write down where the database is, now that it is complete."""
        for marker in self._markers:
            if not marker.read():
                here = marker.folder == self.location
                marker.write(_HERE if here else _ELSEWHERE.format(cluster=self.cluster))


@contextmanager
def claimed(folder: Path) -> Generator[Home, None, None]:
    """Have a folder to ourselves; others wait. What was made in vain is taken away again.

    Args:
        folder: The folder, made if it is missing, under whichever of its names.

    Yields:
        The home of its database.

    Raises:
        FolderError: It is not for us, or its database is gone.
        OSError: The folder cannot be made or written to.
    """
    if any(ord(character) < 32 for character in str(folder)):  # Postgres keeps the path as a line of a file
        raise FolderError(f"{str(folder)!r} has a control character in its name.")
    folder = Path(os.path.realpath(folder))
    with _marked(folder) as marker:
        location = _locate(folder, recorded := marker.recorded())
        if location == folder:
            yield _home(location, recorded is not None, marker)
        else:
            _log.info("The database of %s is in %s, which the account that runs Postgres can enter.", folder, location)
            with _marked(location) as there:
                yield _home(location, recorded is not None or there.recorded() is not None, marker, there)


def _home(location: Path, settled: bool, *markers: _Marker) -> Home:
    cluster = location / CLUSTER
    account = Account.owning(cluster) if os.path.lexists(cluster) else Account.choose()
    if not account.reaches(location):
        raise FolderError(
            f"{account.name}, who runs the database, may not enter {location}.",
            hint="Open the way for that account, or choose another folder.",
        )
    return Home(location, account, settled, markers)


def _locate(folder: Path, recorded: Path | None) -> Path:
    """Where the database of a folder is, or should be."""
    if recorded is not None and recorded.is_absolute():
        if recorded.parent.parent != system_folder():
            raise FolderError(f"{folder / MARKER} names {recorded}, where we keep no database.")
        if not os.path.lexists(recorded):
            raise gone(folder, recorded)
        return recorded.parent
    if recorded is not None or os.path.lexists(folder / CLUSTER) or Account.choose().reaches(folder):
        return folder
    readable = re.sub(r"[^A-Za-z0-9]+", "-", folder.name).strip("-")[:40] or "memory"
    return system_folder() / f"{readable}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"


def gone(folder: Path, cluster: Path) -> FolderError:
    """The error for a text without its database: to begin anew in silence would pass for a loss of memory."""
    return FolderError(
        f"{folder / MARKER} tells of a database in {cluster}, which is not there.",
        hint=f"Bring it back, or delete {MARKER} to begin anew.",
    )


@dataclass(frozen=True, slots=True)
class _Marker:
    """The text of a folder, and the lock on it."""

    folder: Path
    fd: int

    def read(self) -> str:
        return os.fsdecode(os.pread(self.fd, 65536, 0))

    def write(self, text: str) -> None:
        os.pwrite(self.fd, os.fsencode(text), 0)

    def recorded(self) -> Path | None:
        """Where the text says that the database is; ``None`` while it is empty."""
        text = self.read()
        if not text:
            return None
        if (found := re.search(r"^database: (.+)$", text, re.MULTILINE)) is None:
            raise FolderError(f"{self.folder / MARKER} is not a text of ours.", hint="Choose another folder.")
        return Path(found[1])


@contextmanager
def turn(location: Path) -> Generator[None, None, None]:
    """Have the home of a database to ourselves for a while, nothing being made or changed; others wait."""
    try:
        fd = _locked(location / MARKER, os.O_RDWR)
    except FileNotFoundError:  # somebody has deleted it, and with it all that there was to guard
        yield
        return
    try:
        yield
    finally:
        _unlock(fd)


@contextmanager
def _marked(folder: Path) -> Generator[_Marker, None, None]:
    """Make a folder ours, and have it to ourselves."""
    made = False
    while True:
        made |= _make(folder)
        _see_that_it_is_ours(folder)
        with suppress(FileNotFoundError):  # an opener who failed has just taken away what it had made
            try:
                fd = _locked(folder / MARKER, os.O_RDWR | os.O_CREAT)
            except PermissionError:
                if not os.path.lexists(folder / MARKER):
                    raise
                owner = account_name((folder / MARKER).lstat().st_uid)
                raise FolderError(
                    f"{folder} belongs to {owner}.", hint="Open it as that account, or choose another folder."
                ) from None
            break
    marker = _Marker(folder, fd)
    try:
        yield marker
    finally:
        if not marker.read() and not os.path.lexists(folder / CLUSTER):
            with suppress(OSError):
                (folder / MARKER).unlink()
                if made:
                    folder.rmdir()
        _unlock(fd)


def _locked(path: Path, flags: int) -> int:
    """Open a file, wait for the lock on it, and see that it is still the one at that path."""
    while True:
        fd = os.open(path, flags | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if os.path.samestat(path.lstat(), os.fstat(fd)):
                return fd
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _unlock(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_UN)  # closing is not enough while a fork of ours holds a copy of the descriptor
    os.close(fd)


def _make(folder: Path) -> bool:
    """Make the folder, if it is missing: private, but under root passable for the account that runs the database."""
    if folder.is_dir():
        return False
    mode = 0o711 if os.geteuid() == 0 else 0o700
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        if folder.is_dir():
            return False
        raise FolderError(f"{folder} is not a folder.") from None
    folder.chmod(mode)  # whatever the umask
    return True


def _see_that_it_is_ours(folder: Path) -> None:
    # Listed first: whoever is making it ours at this moment makes the marker before anything else.
    try:
        names = os.listdir(folder)
    except PermissionError:  # who opens the marker says whose folder it is
        if os.path.lexists(folder / MARKER):
            return
        raise
    if not _INCIDENTAL.issuperset(names) and not os.path.lexists(folder / MARKER):
        raise FolderError(f"{folder} holds other things: it has no {MARKER}, and is not empty.")
