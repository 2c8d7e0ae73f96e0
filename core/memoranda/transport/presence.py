"""What tells whether a server is there: its socket, its pid file, its processes.

A server is alive when it answers on its socket, whatever its pid file says: pid files outlive a crash, their pids are
given to other programs, and where process 1 does not reap (many containers) a dead server stays on as a zombie, which
Postgres takes for a living one.
"""

from __future__ import annotations

import enum
import hashlib
import os
import socket
import struct
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.errors import EmbeddedError, FolderError
from memoranda.transport.cluster import Cluster

PORT = 5432
"""Only a part of the socket's name: each server has its socket in a folder of its own."""

_LONGEST = 100  # bytes of a socket's path; macOS takes 103, Linux 107

_CANNOT_CONNECT_NOW = b"C57P03\0"


class Knock(enum.Enum):
    """What a knock at a server's socket brings."""

    OPEN = "it lets us in"
    BUSY = "it is there, but starting, stopping or stuck"
    SILENT = "nobody is there"


def knock(socket_folder: Path) -> Knock:
    """Ask for a connection, and give it back."""
    startup = struct.pack("!i", 196608) + b"user\0postgres\0database\0template1\0application_name\0memoranda\0\0"
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(2)
        try:
            door.connect(str(socket_path(socket_folder)))
            door.sendall(struct.pack("!i", len(startup) + 4) + startup)
            answer = door.recv(1024)
            if answer[:1] == b"R":
                door.sendall(b"X\0\0\0\4")
                while door.recv(1024):
                    pass
        except TimeoutError:
            return Knock.BUSY
        except OSError:
            return Knock.SILENT
    # Any other refusal, such as too many connections, comes from a server in working order.
    return Knock.BUSY if not answer or _CANNOT_CONNECT_NOW in answer else Knock.OPEN


@dataclass(frozen=True, slots=True)
class PidFile:
    """What a server notes about itself in its data folder.

    Attributes:
        pid: Its process id; 0 where the file does not say.
        socket_folder: Where it listens.
        status: How far it is: ``starting``, ``ready``, ``stopping``.
    """

    pid: int
    socket_folder: Path
    status: str

    @classmethod
    def of(cls, cluster: Cluster) -> PidFile | None:
        """The pid file of a cluster, if there is one."""
        try:
            lines = os.fsdecode(pid_file(cluster).read_bytes()).split("\n")
        except FileNotFoundError:
            return None
        lines += [""] * (8 - len(lines))
        # A relative folder is relative to the data folder, where a server works.
        return cls(int(lines[0]) if lines[0].isdigit() else 0, cluster.data / lines[4], lines[7].strip())


def is_occupied(cluster: Cluster) -> bool:
    """Whether any process works in the data folder, as all of a server's do; yes, where that cannot be known."""
    if not os.path.isdir("/proc/1"):
        return True
    hidden: list[Path] = []
    for process in (Path("/proc", name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            if works_in(int(process.name), cluster):
                return True
        except PermissionError:
            # Other accounts have no business in the folder. But root in a container may not look into the server's
            # processes either, and has to ask as the server's account.
            with suppress(FileNotFoundError):
                if process.stat().st_uid == cluster.account.uid:
                    hidden.append(process / "cwd")
    return bool(hidden) and _is_among(cluster, hidden)


def _is_among(cluster: Cluster, folders: list[Path]) -> bool:
    """Whether the data folder is among some that only the account can see; yes, where it cannot either."""
    found = cluster.data.stat()
    try:
        said = cluster.account.run(Path("/usr/bin/stat"), "-L", "-c", "%d:%i", *folders).stdout
    except EmbeddedError:  # there is no such program
        return True
    return "Permission denied" in said or f"{found.st_dev}:{found.st_ino}" in said.splitlines()


def works_in(pid: int, cluster: Cluster) -> bool:
    """Whether a process has its working directory in the data folder.

    Raises:
        PermissionError: It is hidden from us.
    """
    try:
        return os.path.samestat(os.stat(f"/proc/{pid}/cwd"), cluster.data.stat())
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_dead(pid: int) -> bool:
    """Whether there is no such process, or a zombie only."""
    if pid == 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return state_of(pid) in ("Z", "X")


def state_of(pid: int) -> str:
    """The letter for a process's state, where the system tells."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def socket_folder_for(cluster: Cluster) -> Path:
    """The folder for the socket: the data folder, if a client can be told its path; else a temporary one.

    Raises:
        FolderError: There is no place for it.
    """
    if _tellable(cluster.data):
        return cluster.data
    identity = os.fsencode(cluster.data) + str(cluster.data.stat().st_ino).encode()
    name = f"memoranda-{hashlib.sha256(identity).hexdigest()[:16]}"
    for place in dict.fromkeys((tempfile.gettempdir(), "/tmp")):  # noqa: S108
        base = Path(place).resolve()
        if _tellable(base / name) and cluster.account.reaches(base):
            cluster.account.private_folder(base / name)
            return base / name
    raise FolderError(
        f"The path of {cluster.folder} is too long for a socket, and so is that of the temporary folder.",
        hint="Choose a folder with a shorter path, or set TMPDIR to one.",
    )


def _tellable(folder: Path) -> bool:
    """Whether a client can be told to connect there: a socket's path is short, and libpq takes a comma for a list."""
    path = str(socket_path(folder))
    return path.isprintable() and "," not in path and len(os.fsencode(path)) <= _LONGEST


def socket_path(folder: Path) -> Path:
    """The socket of a server that has it in that folder."""
    return folder / f".s.PGSQL.{PORT}"


def pid_file(cluster: Cluster) -> Path:
    """The file by which a server holds its data folder, and in which it notes down :class:`PidFile`."""
    return cluster.data / "postmaster.pid"
