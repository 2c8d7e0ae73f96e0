"""The server of a cluster: join it, start it, stop it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memoranda.errors import EmbeddedError
from memoranda.transport.account import reap
from memoranda.transport.cluster import Cluster, trouble
from memoranda.transport.presence import (
    PORT,
    Knock,
    PidFile,
    is_dead,
    is_occupied,
    knock,
    pid_file,
    socket_folder_for,
    socket_path,
    state_of,
    works_in,
)

STARTUP = 120.0
"""Seconds for a server to start; it may have to recover from a crash."""

PATIENCE = 10.0
"""Seconds for what a crashed server left running to let go of the data folder."""

SHUTDOWN = 60.0
"""Seconds for a server to stop in good order."""

# How Postgres says that the data folder, or the socket, is held by another server, or by what is left of one.
_HELD = re.compile(r'is still in use|Is another post\w+|lock file "[^"]*" (already exists|is empty)')


class _Held(Exception):
    """The data folder is held by what is left of another server."""


def ensure_running(cluster: Cluster, *, alone: bool) -> Path:
    """See that the server runs, starting it if need be. One process at a time does this.

    Args:
        cluster: The cluster.
        alone: Whether nobody else uses it.

    Returns:
        The folder of its socket.

    Raises:
        EmbeddedError: It does not start.
    """
    cluster.cut_log()
    deadline = time.monotonic() + PATIENCE
    while (found := _listening(cluster)) is None:
        try:
            return _launch(cluster)
        except _Held as held:
            if _clear_away(cluster, alone=alone):
                continue
            if time.monotonic() > deadline:
                raise _stuck(cluster, str(held)) from None
            _until(lambda: not is_occupied(cluster), seconds=0.5)
    return found


def stop(cluster: Cluster) -> None:
    """Stop the server in good order, if it runs.

    Raises:
        EmbeddedError: It does not stop.
    """
    noted = PidFile.of(cluster)
    if noted is None or not (_listening(cluster) or _surely_works_in(noted.pid, cluster)):
        return
    for request, patience in ((signal.SIGINT, SHUTDOWN), (signal.SIGQUIT, PATIENCE)):
        with suppress(ProcessLookupError):
            os.kill(noted.pid, request)
        if _until(lambda: PidFile.of(cluster) is None or is_dead(noted.pid), seconds=patience):
            break
    else:
        raise EmbeddedError(f"Postgres, process {noted.pid} in {cluster.folder}, does not stop.")
    if noted.socket_folder != cluster.data:
        with suppress(OSError):
            noted.socket_folder.rmdir()


def _listening(cluster: Cluster) -> Path | None:
    """The folder of the socket on which a server answers; waits for one that is about to."""
    deadline = time.monotonic() + STARTUP
    while True:
        noted = PidFile.of(cluster)
        # In a temporary folder that is not ours alone, it could be anybody who answers.
        if noted is None or not cluster.account.keeps_private(noted.socket_folder):
            return None
        answer = knock(noted.socket_folder)
        if answer is not Knock.BUSY:
            return noted.socket_folder if answer is Knock.OPEN else None
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"Postgres, process {noted.pid} in {cluster.folder}, is there but lets nobody in.",
                hint=f"Look into {cluster.log}, or stop that process.",
            )
        time.sleep(0.1)  # each knock leaves a line in the log


def _launch(cluster: Cluster) -> Path:
    """Start the server and wait until it is ready; returns the folder of its socket."""
    folder = socket_folder_for(cluster)
    # Relative, where we can: when the folder is deleted under a running server and made again, the old server, as it
    # ends, removes a socket of its own only, not the one that is now by its former name.
    listed = "." if folder == cluster.data else '"' + str(folder).replace('"', '""') + '"'
    settings = (
        "listen_addresses=",
        f"port={PORT}",
        f"unix_socket_directories={listed}",
        "unix_socket_permissions=0700",
    )
    with cluster.log_file() as log:
        before = os.fstat(log).st_size
        server = cluster.account.spawn(
            cluster.binaries.program("postgres"), "-D", cluster.data, *(f"--{each}" for each in settings), output=log
        )
        try:
            ready = _until(lambda: server.poll() is not None or _ready(cluster, server.pid), seconds=STARTUP)
        except BaseException:
            _abandon(server)
            raise
        said = os.pread(log, 65536, before).decode(errors="replace")
    if not ready:
        _abandon(server)
    elif server.returncode is None:
        reap(server)
        return folder
    if _HELD.search(said):
        raise _Held(said)
    if (signalled := -(server.returncode or 0)) > 0:
        said += f"It was ended by signal {signalled}."
    raise trouble(f"Postgres does not start in {cluster.folder}", said, hint=f"The whole log is in {cluster.log}.")


def _surely_works_in(pid: int, cluster: Cluster) -> bool:
    """Whether that is a server's process though its socket is gone, as when the temporary folder was cleaned."""
    try:
        return works_in(pid, cluster)
    except PermissionError:
        return False


def _ready(cluster: Cluster, pid: int) -> bool:
    noted = PidFile.of(cluster)
    return noted is not None and noted.pid == pid and noted.status == "ready"


def _abandon(server: subprocess.Popen[bytes]) -> None:
    """Stop a server that nobody has used yet."""
    server.send_signal(signal.SIGQUIT)
    server.wait()


def _clear_away(cluster: Cluster, *, alone: bool) -> bool:
    """Remove the lock files of a server that is gone, where Postgres itself cannot know that it is.

    It takes a zombie for a living server, and also any program that has been given the dead server's pid. We look
    closer: every process of a server has its working directory in the data folder. Only when nothing is there, and the
    pid is a dead one (or, nobody else using this cluster, another program's), do the files go.

    Returns:
        Whether there were such files.
    """
    noted = PidFile.of(cluster)
    locks = [pid_file(cluster)]
    for folder in {socket_folder_for(cluster), noted.socket_folder if noted else cluster.data}:
        locks.append(folder / f"{socket_path(folder).name}.lock")
    locks = [lock for lock in locks if lock.exists()]
    if not locks or is_occupied(cluster) or not (alone or all(is_dead(_pid_in(lock)) for lock in locks)):
        return False
    for lock in locks:
        lock.unlink(missing_ok=True)
    return True


def _stuck(cluster: Cluster, said: str) -> EmbeddedError:
    noted = PidFile.of(cluster)
    error = trouble(f"Postgres does not start in {cluster.folder}, as another server holds it", said)
    if noted is not None and state_of(noted.pid) == "Z":
        error.hint = (
            f"Process {noted.pid} is dead, but process 1 does not reap it. In a container, give it a process 1 that "
            "does: docker run --init."
        )
    else:
        error.hint = "Stop the processes that work in this folder, and open it again."
    return error


def _pid_in(lock: Path) -> int:
    with suppress(OSError, ValueError):
        return int(lock.read_text().split("\n")[0])
    return 0


def _until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Wait for a condition; returns whether it came to be in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
