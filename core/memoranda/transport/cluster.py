"""A database cluster: the files of one Postgres, how they are made, and the settings they are made with."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from memoranda.errors import EmbeddedError, FolderError, FolderVersionError
from memoranda.transport.account import Account, account_name, reap
from memoranda.transport.binaries import Binaries

LOG_LIMIT = 1_000_000
"""The length of the log, in bytes, at which the next opener begins it anew."""

SETTINGS = """\
# Settings of the Postgres that memoranda runs. Written when the database was made; from then on yours to change.
# They take effect at the next start. Where the server listens (on its socket, never on the network) is said on its
# command line and cannot be changed here.

cluster_name = 'memoranda'              # seen in the list of processes

# A laptop runs other programs, too.
shared_buffers = 128MB
max_connections = 100
max_wal_size = 256MB                    # keeps the folder small

# Every query is about one small scope: one process answers it sooner than several could be started. In a container,
# parallel work would also need more than the 64 MB of shared memory that there usually is.
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
jit = off

timezone = 'UTC'

# The log tells of the server: starts, stops, crashes. Errors in a query go to whoever asked, not here, since they may
# quote what is remembered. So the log grows by a few lines a day; every opener cuts it when it is over a megabyte.
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
log_checkpoints = off
"""

_INITDB = (
    "--username=postgres",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--data-checksums",
    # Whoever gets to the socket is the owner (or root): its folder lets nobody else in. There is no other way in, so
    # that there is no password to keep.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-sync",
    "--no-instructions",
)

# LC_CTYPE has to be a UTF-8 locale, or pg_trgm finds no letters outside ASCII. Some macOS have none named C.UTF-8.
_LOCALES = (
    ("--locale=C.UTF-8",),
    ("--locale=C", "--builtin-locale=C.UTF-8", "--lc-ctype=en_US.UTF-8"),
)

_LOCALE_TROUBLE = re.compile(r"error: .*(locale|encoding)")

_KNOWS_LETTERS = """\
select lower('É') = 'é' and datctype not in ('C', 'POSIX') as sound from pg_database where datname = 'template1';
"""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The files of one Postgres.

    Attributes:
        folder: The folder that has all of them, private to the account.
        account: Who runs the server.
        binaries: The programs.
    """

    folder: Path
    account: Account
    binaries: Binaries

    @property
    def data(self) -> Path:
        """Postgres's own folder, with the socket in it unless its path is too long."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "server.log"

    @property
    def users(self) -> Path:
        """A file on which everybody who uses the server holds a shared lock."""
        return self.folder / "users"

    @property
    def made(self) -> bool:
        """Whether there is a database; it appears at once and complete."""
        return os.path.lexists(self.data)

    def check(self) -> None:
        """See that the database is one that these programs, run by this account, can work with.

        Raises:
            FolderVersionError: Another major version of Postgres made it.
            FolderError: It is incomplete, or somebody else's.
        """
        try:
            major = (self.data / "PG_VERSION").read_text("ascii").strip()
        except FileNotFoundError:
            raise FolderError(f"{self.data} is not a complete database.", hint="Restore it from a backup.") from None
        if major != str(self.binaries.major):
            raise FolderVersionError(
                f"{self.folder} was made by Postgres {major}; this installation runs Postgres {self.binaries.major}."
            )
        if (owner := self.data.stat().st_uid) != self.account.uid:
            raise FolderError(
                f"{self.data} belongs to {account_name(owner)}, its folder to {self.account.name}.",
                hint=f"Give it back with: chown -R {self.account.name} {quote(str(self.folder))}",
            )

    def make(self) -> None:
        """Make the database beside its final place, and move it there when it is complete.

        Raises:
            EmbeddedError: Postgres could not make it; nothing of it remains.
        """
        self._sweep()
        draft = self.folder / f"new-{secrets.token_hex(4)}"  # a name of its own: an older initdb may still be at work
        try:
            self._initdb(draft)
            self._configure(draft)
            draft.rename(self.data)
        except BaseException:
            self._sweep()
            with suppress(OSError):
                self.folder.rmdir()
            raise
        self._write(self.folder / ".gitignore", "*\n", os.O_TRUNC)  # a memory is not to be committed by accident
        self._sync()

    def cut_log(self) -> None:
        """Begin the log anew if it is too long. A server that is running appends, and goes on at the new end."""
        with self.log_file() as log:
            if os.fstat(log).st_size > LOG_LIMIT:
                os.ftruncate(log, 0)

    @contextmanager
    def log_file(self) -> Generator[int, None, None]:
        """A descriptor of the log, for a server to append to."""
        log = self.account.private_file(self.log, os.O_RDWR | os.O_APPEND)
        try:
            yield log
        finally:
            os.close(log)

    def _sync(self) -> None:
        """Have the new files written to the disk, without waiting for it.

        To wait (initdb's own way) costs between a tenth of a second and several, by the disk and by what else goes on.
        Not to sync at all would leave the catalogs to the operating system's leisure, while the first save, whose log
        record is synced, is already promised. So a process of its own does it, which outlives us and is done within
        seconds; on Linux by one call for the whole file system, which takes in the new names of the files as well.
        """
        method = ("--sync-method=syncfs",) if sys.platform == "linux" else ()
        with self.log_file() as log:
            reap(self.account.spawn(self.binaries.program("initdb"), "--sync-only", *method, self.data, output=log))

    def _initdb(self, draft: Path) -> None:
        for locale in _LOCALES:
            result = self.account.run(self.binaries.program("initdb"), *_INITDB, *locale, draft)
            if result.returncode and not _LOCALE_TROUBLE.search(result.stdout):
                raise trouble("Postgres could not make a database", result.stdout)
            if result.returncode == 0 and self._knows_letters(draft):
                return
            shutil.rmtree(draft, ignore_errors=True)
        raise EmbeddedError(
            "Postgres found no locale that tells it which characters are letters.",
            hint="Install one of the locales C.UTF-8 and en_US.UTF-8.",
        )

    def _knows_letters(self, draft: Path) -> bool:
        """Whether the new database tells letters from other signs, and capitals from small ones, beyond ASCII."""
        answer = self.account.run(
            self.binaries.program("postgres"), "--single", "-D", draft, "template1", text=_KNOWS_LETTERS
        )
        return 'sound = "t"' in answer.stdout

    def _configure(self, draft: Path) -> None:
        """Add our settings to those that initdb has found out about the machine."""
        self._write(draft / "memoranda.conf", SETTINGS, os.O_EXCL)
        self._write(draft / "postgresql.conf", "\ninclude 'memoranda.conf'\n", os.O_APPEND)

    def _write(self, path: Path, text: str, how: int) -> None:
        with open(self.account.private_file(path, os.O_WRONLY | how), "w", encoding="utf-8") as file:
            file.write(text)

    def _sweep(self) -> None:
        """Remove what a maker left who was killed half way."""
        for draft in self.folder.glob("new-*"):
            shutil.rmtree(draft, ignore_errors=True)


def trouble(what: str, said: str, hint: str = "") -> EmbeddedError:
    """The error for a Postgres program that failed, with the end of what it said."""
    if "could not look up effective user ID" in said:
        hint = "Postgres runs only as an account that has a name: add it to /etc/passwd, or use another."
    end = "\n".join(said.strip().splitlines()[-10:])
    if "No space left on device" in said or "Disk quota exceeded" in said:
        return FolderError(f"{what}: the disk is full.\n{end}\n", hint="Make room, or choose a folder on another disk.")
    return EmbeddedError(f"{what}:\n{end}\n", hint=hint)
