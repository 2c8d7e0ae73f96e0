"""Embedded servers for tests, and the other processes, accounts and programs that they meet."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import memoranda
from memoranda.transport.binaries import find_binaries
from memoranda.transport.embedded import EmbeddedServer

IS_ROOT = os.geteuid() == 0

PLAINLY = 'exec $real "$@"'
NOTING = 'echo "$@" >> $(dirname "$0")/calls; exec $real "$@"'
"""Scripts for :func:`wrapped_programs`."""

GUEST = """
import sys
from memoranda.transport.embedded import EmbeddedServer
server = EmbeddedServer(sys.argv[1])
server.start()
print(server.dsn(user="postgres"), flush=True)
sys.stdin.readline()
print(server.stop(), flush=True)
"""


class Guest:
    """Another process that opens a folder."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", GUEST, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def has_opened(self) -> str:
        """Wait until it is in; returns its way to the server."""
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def leaves(self) -> bool:
        """Let it leave; returns whether it was the last, and stopped the server."""
        return self.process.communicate("\n")[0].strip() == "True"

    def is_killed(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def reachable_folder() -> Generator[Path, None, None]:
    """A temporary folder that the account which runs servers can enter, even under root; swept of servers at last."""
    folder = Path(tempfile.mkdtemp(prefix="memoranda-embedded-"))
    folder.chmod(0o755)
    yield folder
    for pid_file in folder.rglob("postmaster.pid"):
        os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
    eventually(lambda: not list(folder.rglob("postmaster.pid")))
    shutil.rmtree(folder)


@contextmanager
def kept_memory() -> Generator[Path, None, None]:
    """A folder with a database in it, closed, for many tests that leave it so; :func:`answer_kept_in` asks it."""
    with reachable_folder() as folder:
        with EmbeddedServer(folder / "memory") as server, psycopg.connect(server.dsn(user="postgres")) as conn:
            conn.execute("create table kept as select 42 as answer")
        yield folder / "memory"


def answer_kept_in(folder: Path) -> object:
    with EmbeddedServer(folder) as server:
        return ask(server, "select answer from kept")


def wrapped_programs(folder: Path, **scripts: str) -> str:
    """A folder of Postgres programs, some of them wrapped in shell scripts, which call the real one as `$real`."""
    real = find_binaries().folder
    folder.mkdir()
    (folder / "calls").touch()
    (folder / "calls").chmod(0o666)
    for program in ("initdb", "postgres"):
        script = folder / program
        script.write_text(f"#!/bin/sh\nreal={real / program}\n{scripts.get(program, PLAINLY)}\n")
        script.chmod(0o755)
    return str(folder)


def ask(server: EmbeddedServer, question: str) -> Any:
    """The answer to a query for one value."""
    with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
        row = conn.execute(question.encode()).fetchone()
        assert row
        return row[0]


def eventually(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def pid_of(folder: Path) -> int:
    """The process id of the server in a folder."""
    return int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def is_running(folder: Path) -> bool:
    return (folder / "postgres" / "data" / "postmaster.pid").exists()


def tree(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """All that is in a folder, itself included: modes, owners and contents."""
    found: dict[str, tuple[int, int, int, bytes]] = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_uid, status.st_gid, content)
    return found


def as_ordinary_user(program: str, *arguments: str | Path, uid: int | None = None) -> str:
    """Run a Python program as an ordinary user, under root as `nobody` or another; returns what it prints."""
    command = [sys.executable, "-c", program, *arguments]
    if not IS_ROOT:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    import pwd

    nobody = pwd.getpwnam("nobody")
    packages = [Path(package.__file__ or "").parents[1] for package in (memoranda, psycopg)]
    # Our own interpreter may be in root's home; the system's, of the same version, does as well.
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            return subprocess.run(
                [python, *command[1:]],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                cwd="/",
                env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, packages))},
                user=nobody.pw_uid if uid is None else uid,
                group=nobody.pw_gid,
                extra_groups=[],
            ).stdout
        except OSError:
            continue
    pytest.skip("no Python that an ordinary user can run")
