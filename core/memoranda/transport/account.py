"""Who runs Postgres. It refuses to run as root, so root starts it as an account that exists.

No account is made for it, and neither mode nor owner is changed of anything that was there before: what the account
cannot reach, such as programs or a folder in root's home, has its place in :data:`SYSTEM_FOLDER` instead.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from memoranda.errors import EmbeddedError, FolderError

if sys.platform != "win32":
    import pwd

CANDIDATES = ("postgres", "nobody")
"""The accounts that root may start Postgres as, best first."""

SYSTEM_FOLDER = Path("/var/lib/memoranda")
"""Where root keeps what that account could not reach elsewhere."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account that Postgres runs as: our own or, under root, another.

    Whoever runs as this account can reach the server's socket, and the server trusts whoever reaches it.

    Attributes:
        uid: Its user id.
        gid: Its group id.
        lent: Whether we are root, and only the programs run as this account.
    """

    uid: int
    gid: int
    lent: bool = False

    @classmethod
    def ours(cls) -> Account:
        """The account that this process runs as."""
        return cls(os.geteuid(), os.getegid())

    @classmethod
    def choose(cls) -> Account:
        """The account for a new database.

        Raises:
            EmbeddedError: We are root, and there is no account to run Postgres as.
        """
        if os.geteuid() != 0:
            return cls.ours()
        for name in CANDIDATES:
            with suppress(KeyError):
                entry = pwd.getpwnam(name)
                return cls(entry.pw_uid, entry.pw_gid, lent=True)
        raise EmbeddedError(
            f"Postgres does not run as root, and there is no account {' or '.join(CANDIDATES)} to run it as.",
            hint="Run your program as an ordinary user.",
        )

    @classmethod
    def owning(cls, folder: Path) -> Account:
        """The account for a database that exists: under root its owner, else our own, whoever owns it."""
        found = folder.lstat()
        if os.geteuid() == 0 and found.st_uid != 0:
            return cls(found.st_uid, found.st_gid, lent=True)
        return cls.choose()

    @property
    def name(self) -> str:
        """Its name, for people."""
        return account_name(self.uid)

    def reaches(self, folder: Path) -> bool:
        """Whether the modes of a folder, and of all folders above it, let this account pass.

        Args:
            folder: A folder that exists, its path free of symbolic links.
        """
        return not self.lent or all(self._may_enter(each.stat()) for each in (folder, *folder.parents))

    def _may_enter(self, folder: os.stat_result) -> bool:
        if folder.st_uid == self.uid:
            return bool(folder.st_mode & stat.S_IXUSR)
        if folder.st_gid == self.gid:
            return bool(folder.st_mode & stat.S_IXGRP)
        return bool(folder.st_mode & stat.S_IXOTH)

    def private_folder(self, path: Path) -> None:
        """Make a folder that only this account (and root) can enter, or see that the one that is there is such a one.

        Raises:
            FolderError: What is there is no folder, is somebody else's, or is open to others.
        """
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except PermissionError:
            raise self._foreign(path, path.lstat().st_uid) from None
        except NotADirectoryError:  # which a symbolic link is, too
            raise FolderError(f"{path} is not a folder.") from None
        try:
            if not os.listdir(fd):
                self._adopt(fd)
            found = os.fstat(fd)
        finally:
            os.close(fd)
        if found.st_uid != self.uid:
            raise self._foreign(path, found.st_uid)
        if found.st_mode & 0o077:
            raise FolderError(f"{path} is open to other accounts.", hint=f"Close it with: chmod 700 {quote(str(path))}")

    def keeps_private(self, path: Path) -> bool:
        """Whether that is a folder that only this account (and root) can enter; nothing is made or changed."""
        try:
            found = path.lstat()
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == self.uid and not found.st_mode & 0o077

    def private_file(self, path: Path, flags: int) -> int:
        """Open a file that only this account (and root) can read, made if need be.

        Args:
            path: A file in a :meth:`private_folder`.
            flags: As for :func:`os.open`.

        Returns:
            Its descriptor, which child programs do not inherit.

        Raises:
            FolderError: The file is somebody else's. Under root this matters: a link must not lead us elsewhere.
        """
        fd = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        found = os.fstat(fd)
        if found.st_size == 0 and found.st_nlink == 1:
            self._adopt(fd)
        if (owner := os.fstat(fd).st_uid) != self.uid:
            os.close(fd)
            raise self._foreign(path, owner)
        return fd

    def _adopt(self, fd: int) -> None:
        """Take over what root has just made for this account: it is still empty, and still root's."""
        if self.lent and os.fstat(fd).st_uid == 0:
            os.fchown(fd, self.uid, self.gid)

    def _foreign(self, path: Path, owner: int) -> FolderError:
        remedy = f"Give it to {self.name} with: chown -R {self.name} {quote(str(path))}"
        return FolderError(
            f"{path} belongs to {account_name(owner)}, not to {self.name}.",
            hint=remedy if self.lent else f"Open it as {account_name(owner)}, or choose another folder.",
        )

    def run(self, program: Path, *arguments: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program as this account to its end: no shell, nothing inherited, both its streams taken together.

        Raises:
            EmbeddedError: It cannot be started as this account.
        """
        with self._starting(program):
            return subprocess.run(
                [program, *arguments],
                input=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                cwd="/",
                env=child_environment(),
                umask=0o077,
                user=self.uid if self.lent else None,
                group=self.gid if self.lent else None,
                extra_groups=[] if self.lent else None,
            )

    def spawn(self, program: Path, *arguments: str | Path, output: int) -> subprocess.Popen[bytes]:
        """Start a program as this account and leave it running: as :meth:`run`, but for the file for its output.

        Raises:
            EmbeddedError: It cannot be started as this account.
        """
        with self._starting(program):
            return subprocess.Popen(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=child_environment(),
                umask=0o077,
                user=self.uid if self.lent else None,
                group=self.gid if self.lent else None,
                extra_groups=[] if self.lent else None,
                start_new_session=True,  # a Ctrl-C is meant for us, not for the server
            )

    @contextmanager
    def _starting(self, program: Path) -> Generator[None, None, None]:
        try:
            yield
        except OSError as error:
            raise EmbeddedError(
                f"{program} cannot be started as {self.name}: {error.strerror}.",
                hint="Use memoranda.connect(dsn) with a Postgres of your own.",
            ) from error


_running: set[subprocess.Popen[bytes]] = set()


def reap(process: subprocess.Popen[bytes]) -> None:
    """Take note of a child's end whenever that comes, so that it does not stay behind as a zombie."""

    def wait() -> None:
        process.wait()
        _running.discard(process)

    _running.add(process)  # whatever becomes of the thread: a Popen object that is dropped while it runs complains
    threading.Thread(target=wait, name="memoranda-reaper", daemon=True).start()


def system_folder() -> Path:
    """:data:`SYSTEM_FOLDER`, made if need be.

    Raises:
        FolderError: It is not root's, or others could change what is in it.
    """
    with suppress(FileExistsError):
        SYSTEM_FOLDER.mkdir(mode=0o755)
        SYSTEM_FOLDER.chmod(0o755)  # whatever the umask: all may pass
    found = SYSTEM_FOLDER.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0 or found.st_mode & 0o022:
        raise FolderError(
            f"{SYSTEM_FOLDER} is not a folder that root owns and only root can change.",
            hint="Mend that, or run your program as an ordinary user.",
        )
    return SYSTEM_FOLDER


def account_name(uid: int) -> str:
    """The name of an account, for people; its number where it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"account {uid}"


def child_environment() -> dict[str, str]:
    """The environment for a Postgres program: ours, without what would change its behaviour behind our back.

    PGDATA, PGPORT and the like would redirect it; a locale that is not installed, or is not UTF-8, would break it or,
    worse, be built into a new database for good.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C"}
