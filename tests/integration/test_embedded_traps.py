"""Crashes and what they leave behind: the embedded server comes back, or says what to do."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from memoranda.errors import EmbeddedError
from memoranda.transport import postmaster, presence
from memoranda.transport.binaries import VARIABLE
from memoranda.transport.embedded import EmbeddedServer
from support.servers import (
    IS_ROOT,
    Guest,
    answer_kept_in,
    ask,
    eventually,
    is_running,
    kept_memory,
    pid_of,
    reachable_folder,
    wrapped_programs,
)

on_linux = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="takes /proc")


@pytest.fixture
def place() -> Iterator[Path]:
    with reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with kept_memory() as folder:
        yield folder


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def threads_of(pid: int) -> list[int]:
    return [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]


@contextmanager
def sleeper(cluster: Path, cwd: Path | str = "/") -> Generator[subprocess.Popen[bytes], None, None]:
    """A program that does nothing, run by the account that runs the server."""
    owner = cluster.stat()
    with subprocess.Popen(
        ["sleep", "600"],
        cwd=cwd,
        user=owner.st_uid if IS_ROOT else None,
        group=owner.st_gid if IS_ROOT else None,
        extra_groups=[] if IS_ROOT else None,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["sees", "does not see"])
def sight(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether we may look into the server's processes; root in a container may not, unless given that right."""

    def hidden(pid: int, cluster: object) -> bool:
        raise PermissionError

    if request.param == "does not see":
        monkeypatch.setattr(presence, "works_in", hidden)
        monkeypatch.setattr(postmaster, "works_in", hidden)


@contextmanager
def zombie_server(folder: Path) -> Generator[int, None, None]:
    """A killed server whose parent does not take note of its end."""
    with Guest(folder) as guest:
        assert guest.has_opened()
        pid = pid_of(folder)
        guest.process.send_signal(signal.SIGSTOP)
        eventually(lambda: all(state_of(thread) == "T" for thread in threads_of(guest.process.pid)))
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: state_of(pid) == "Z")
        yield pid
        guest.process.send_signal(signal.SIGCONT)
        assert guest.leaves()


def test_an_initdb_that_was_killed_half_way_is_done_again(place: Path) -> None:
    half_way = """
[ $1 = --version ] && exec $real "$@"
$real "$@"
for data; do :; done
rm -r $data/pg_wal
echo $$ >> $(dirname $0)/calls
exec sleep 600
"""
    calls = place / "bin" / "calls"
    with Guest(place / "memory", **{VARIABLE: wrapped_programs(place / "bin", initdb=half_way)}) as guest:
        eventually(lambda: calls.exists() and calls.read_text().endswith("\n"))
        guest.is_killed()
    assert len(list((place / "memory" / "postgres").glob("new-*"))) == 1
    try:
        with EmbeddedServer(place / "memory") as server:
            assert ask(server, "select 1") == 1
            assert list((place / "memory" / "postgres").glob("new-*")) == []
    finally:
        os.kill(int(calls.read_text()), signal.SIGKILL)


@contextmanager
def client(server: EmbeddedServer) -> Generator[psycopg.Connection, None, None]:
    """A connection that may be in the middle of something when it ends."""
    conn = psycopg.connect(server.dsn(user="postgres"), autocommit=True)
    try:
        yield conn
    finally:
        conn.close()


def test_after_a_crash_the_server_comes_back_with_all_that_was_saved(memory: Path) -> None:
    with EmbeddedServer(memory) as server, client(server) as conn:
        conn.execute("update kept set answer = answer")
        conn.pgconn.send_query(b"select pg_sleep(600)")  # a backend that is busy when its server dies
        os.kill(pid_of(memory), signal.SIGKILL)
        assert answer_kept_in(memory) == 42


@on_linux
def test_what_is_left_of_a_crashed_server_is_waited_for_but_not_for_ever(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster, "PATIENCE", 0.3)
    with EmbeddedServer(memory) as server, client(server) as conn:
        left = conn.info.backend_pid
        conn.pgconn.send_query(b"select count(*) from generate_series(1, 1000000000000)")  # never looks up from work
        eventually(lambda: ask(server, f"select state = 'active' from pg_stat_activity where pid = {left}"))
        os.kill(pid_of(memory), signal.SIGKILL)
        with pytest.raises(EmbeddedError, match=r"(?s)another server holds it.*still in use.*Stop the processes"):
            EmbeddedServer(memory).start()
        assert is_running(memory)  # by the pid file, which stays
        os.kill(left, signal.SIGKILL)
        assert answer_kept_in(memory) == 42


@on_linux
@pytest.mark.usefixtures("sight")
def test_a_dead_server_that_nobody_reaps_is_not_taken_for_a_living_one(memory: Path) -> None:
    with zombie_server(memory):
        assert answer_kept_in(memory) == 42


@on_linux
@pytest.mark.usefixtures("sight")
def test_when_a_zombie_cannot_be_got_rid_of_the_error_says_how_to_avoid_it(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster, "PATIENCE", 0.3)
    data = memory / "postgres" / "data"
    with zombie_server(memory) as pid:
        with sleeper(memory / "postgres", cwd=data), pytest.raises(EmbeddedError, match="docker run --init"):
            EmbeddedServer(memory).start()
        assert pid_of(memory) == pid  # the pid file stays for as long as anything works in the folder
        assert answer_kept_in(memory) == 42


def leave_lock_files(cluster: Path, pid: int) -> list[Path]:
    """Make lock files as a crashed server leaves them."""
    lines = [pid, cluster / "data", 1700000000, 5432, ".", "", "  1 1", "ready   "]
    locks = [cluster / "data" / "postmaster.pid", cluster / "data" / ".s.PGSQL.5432.lock"]
    for lock in locks:
        lock.write_text("".join(f"{line}\n" for line in lines))
        os.chown(lock, cluster.stat().st_uid, cluster.stat().st_gid)
    return locks


@on_linux
@pytest.mark.usefixtures("sight")
def test_a_pid_that_has_been_given_to_another_program_is_not_taken_for_the_server(memory: Path) -> None:
    cluster = memory / "postgres"
    with sleeper(cluster) as other:
        leave_lock_files(cluster, other.pid)
        assert answer_kept_in(memory) == 42
        assert other.poll() is None


@on_linux
def test_a_living_pid_is_respected_while_others_use_the_server(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in two containers that share a folder: neither sees the other's processes.
    monkeypatch.setattr(postmaster, "PATIENCE", 0.3)
    cluster = memory / "postgres"
    with sleeper(cluster) as other, (cluster / "users").open("r+") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        locks = leave_lock_files(cluster, other.pid)
        with pytest.raises(EmbeddedError, match="another server holds it"):
            EmbeddedServer(memory).start()
        assert [lock.exists() for lock in locks] == [True, True]
    assert answer_kept_in(memory) == 42


@on_linux
def test_an_empty_pid_file_is_no_server(memory: Path) -> None:
    pid_file = memory / "postgres" / "data" / "postmaster.pid"
    pid_file.touch()
    os.chown(pid_file, (memory / "postgres").stat().st_uid, -1)
    server = EmbeddedServer(memory)
    with (memory / "postgres" / "users").open("r+") as users:
        fcntl.flock(users, fcntl.LOCK_SH)  # not even to others who use the folder
        server.start()
        assert ask(server, "select 1") == 1
    assert server.stop()


@on_linux
@pytest.mark.parametrize("name", ["memory", "long" * 30])
def test_a_server_whose_folder_was_deleted_does_not_cut_off_the_one_that_is_there_now(place: Path, name: str) -> None:
    with Guest(place / name) as guest:
        assert guest.has_opened()
        guest.is_killed()
    old = pid_of(place / name)
    shutil.rmtree(place / name)
    with EmbeddedServer(place / name) as server:
        os.kill(old, signal.SIGQUIT)  # as it does by itself within a minute, having found its pid file gone
        eventually(lambda: not Path(f"/proc/{old}").exists() or state_of(old) == "Z")
        assert ask(server, "select 1") == 1


def test_a_server_that_does_not_start_says_why(memory: Path) -> None:
    settings = memory / "postgres" / "data" / "memoranda.conf"
    before = settings.read_text()
    settings.write_text("shared_buffers = 'a lot'\n")
    with pytest.raises(EmbeddedError, match=r'(?s)does not start.*invalid value for parameter "shared_buffers"'):
        EmbeddedServer(memory).start()
    settings.write_text(before)
    assert answer_kept_in(memory) == 42
