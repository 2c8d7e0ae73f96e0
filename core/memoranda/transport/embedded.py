"""A Postgres in a folder, run by whoever opens it, for as long as anybody does."""

from __future__ import annotations

import atexit
import errno
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from memoranda.errors import EmbeddedError, FolderError, PlatformError
from memoranda.transport import postmaster
from memoranda.transport.binaries import find_binaries, within_reach
from memoranda.transport.cluster import Cluster
from memoranda.transport.home import Home, claimed, gone, turn
from memoranda.transport.presence import PORT

if sys.platform != "win32":
    import fcntl

_REMEDIES = {
    errno.ENOENT: "Make the folder above it first.",
    errno.ENOSPC: "Make room, or choose a folder on another disk.",
    errno.EDQUOT: "Make room, or choose a folder on another disk.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


class EmbeddedServer:
    """One Postgres in a folder, shared by every process that opens it; the last one out stops it.

    It listens on a socket that only the folder's owner (and root) can reach, never on the network, and trusts whoever
    gets there. Its superuser is ``postgres``. A program that ends without :meth:`stop` leaves then; one that is killed
    leaves the server running, and the next one to open the folder finds it so.

    Attributes:
        folder: The folder, as the caller named it.
        location: The folder that really holds the database. Another one when root had to pick one that the account
            which runs Postgres can enter; known after :meth:`start`.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Describe the server; nothing is made or started before :meth:`start`.

        Args:
            folder: Where the database is, or will be.
        """
        self.folder = Path(os.path.abspath(Path(folder).expanduser()))
        self.location = self.folder
        self._seat: Seat | None = None
        self._socket_folder: Path | None = None
        self._one_at_a_time = threading.Lock()

    def start(self) -> None:
        """Join the server, having made the database and started the server if need be.

        Blocks until the server lets us in. When called again, it sees that the server still runs.

        Raises:
            PlatformError: There are no embedded servers on Windows.
            MissingExtraError: No Postgres is installed.
            FolderVersionError: Another major version of Postgres made the folder.
            FolderError: The folder cannot hold the database.
            EmbeddedError: Postgres does not run.
        """
        if sys.platform == "win32":
            raise PlatformError
        with self._one_at_a_time, _typed(self.folder):
            binaries = find_binaries()
            with claimed(self.folder) as home:
                cluster = Cluster(home.cluster, home.account, within_reach(binaries, home.account))
                _see_that_it_is_made(cluster, home)
                if self._seat is not None and self._seat.inherited:
                    self._leave()
                if self._seat is None:
                    self._seat = Seat(cluster)
                    atexit.register(self.stop)
                try:
                    self._socket_folder = postmaster.ensure_running(cluster, alone=self._seat.alone())
                except BaseException:
                    self._leave()
                    raise
                self.location = home.location

    def stop(self) -> bool:
        """Leave the server, and stop it unless others use it; of no effect when we have left already.

        Returns:
            Whether we were the last, and stopped it.

        Raises:
            EmbeddedError: It does not stop.
        """
        with self._one_at_a_time, _typed(self.folder):
            seat = self._seat
            if seat is None or seat.inherited:
                self._leave()
                return False
            with turn(self.location):
                try:
                    if last := seat.alone():
                        postmaster.stop(seat.cluster)
                finally:
                    self._leave()
            return last

    def dsn(self, *, user: str, database: str = "postgres") -> str:
        """How to connect to the server.

        Args:
            user: The role to log in as.
            database: The database.

        Returns:
            A connection string for libpq.

        Raises:
            EmbeddedError: The server was not started from here.
        """
        from psycopg.conninfo import make_conninfo

        if self._socket_folder is None:
            raise EmbeddedError(f"The server in {self.folder} is not started.", hint="Call start() first.")
        # An empty hostaddr, too: a PGHOSTADDR in the environment would lead to another server.
        return make_conninfo(host=str(self._socket_folder), hostaddr="", port=PORT, user=user, dbname=database)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _leave(self) -> None:
        if self._seat is not None:
            self._seat.leave()
        self._seat = self._socket_folder = None
        atexit.unregister(self.stop)


class Seat:
    """A place among the users of a server: a shared lock, which the kernel takes back however its holder ends.

    Programs that we start do not inherit it, least of all the server.
    """

    def __init__(self, cluster: Cluster) -> None:
        """Take a seat, in our turn at the folder."""
        self.cluster = cluster
        self._process = os.getpid()
        self._fd = cluster.account.private_file(cluster.users, os.O_RDWR)
        fcntl.flock(self._fd, fcntl.LOCK_SH)

    @property
    def inherited(self) -> bool:
        """Whether this is a fork's copy of the seat of its parent, which is the parent's to leave."""
        return self._process != os.getpid()

    def alone(self) -> bool:
        """Whether nobody else has a seat; to be asked in our turn at the folder."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_SH)  # a failed attempt has let go of this one

    def leave(self) -> None:
        """Give up the seat."""
        if not self.inherited:
            fcntl.flock(self._fd, fcntl.LOCK_UN)  # a fork that holds a copy does not keep the seat
        os.close(self._fd)


def _see_that_it_is_made(cluster: Cluster, home: Home) -> None:
    """Have a database in the home, made if there has not been one."""
    cluster.account.private_folder(cluster.folder)
    if not cluster.made:
        if home.settled:
            raise gone(home.location, cluster.data)
        cluster.make()
    cluster.check()
    home.settle()


@contextmanager
def _typed(folder: Path) -> Generator[None, None, None]:
    """Turn what the system says about a folder into an error that says what to do."""
    try:
        yield
    except OSError as error:
        where = f" ({os.fsdecode(error.filename)})" if isinstance(error.filename, str | bytes) else ""
        raise FolderError(
            f"{folder} cannot hold the database: {error.strerror}{where}.", hint=_REMEDIES.get(error.errno or 0, "")
        ) from error
