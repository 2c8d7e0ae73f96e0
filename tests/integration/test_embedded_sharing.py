"""The embedded server is shared by whoever opens it, and the last one out stops it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memoranda.transport.binaries import VARIABLE
from memoranda.transport.embedded import EmbeddedServer
from support.servers import (
    NOTING,
    Guest,
    answer_kept_in,
    ask,
    is_running,
    kept_memory,
    pid_of,
    reachable_folder,
    wrapped_programs,
)


@pytest.fixture
def place() -> Iterator[Path]:
    with reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with kept_memory() as folder:
        yield folder


@pytest.fixture
def server(memory: Path) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(memory) as running:
        yield running


def test_starting_and_stopping_twice_is_once(memory: Path) -> None:
    server = EmbeddedServer(memory)
    assert not server.stop()
    server.start()
    server.start()
    assert ask(server, "select 1") == 1
    assert server.stop()
    assert not server.stop()
    assert not is_running(server.location)


def test_what_was_saved_is_there_after_a_restart(memory: Path) -> None:
    assert answer_kept_in(memory) == 42


def test_two_servers_in_one_process_share_one_postgres(server: EmbeddedServer) -> None:
    with EmbeddedServer(server.folder) as second:
        assert ask(second, "select pg_postmaster_start_time()") == ask(server, "select pg_postmaster_start_time()")
        assert not second.stop()
    assert ask(server, "select 1") == 1
    assert server.stop()


def test_four_processes_race_for_an_empty_folder_and_all_get_in(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = wrapped_programs(place / "bin", initdb=NOTING)
    guests = [Guest(place / "memory", **{VARIABLE: programs}) for _ in range(4)]
    with guests[0], guests[1], guests[2], guests[3]:
        started: set[object] = set()
        for guest in guests:
            with psycopg.connect(guest.has_opened()) as conn:
                started.add(conn.execute("select pg_postmaster_start_time()").fetchone())
        assert len(started) == 1
        assert (place / "bin" / "calls").read_text().count("--no-sync") == 1
        assert [guest.leaves() for guest in guests] == [False, False, False, True]


def test_the_last_one_out_stops_the_server_though_another_was_killed(memory: Path) -> None:
    with Guest(memory) as first, Guest(memory) as second, Guest(memory) as third, Guest(memory) as fourth:
        for guest in (first, second, third, fourth):
            assert guest.has_opened()
        first.is_killed()
        assert not second.leaves()
        assert not third.leaves()
        assert is_running(memory)
        assert fourth.leaves()
        assert not is_running(memory)


def test_after_one_was_killed_alone_the_next_one_finds_the_server_and_stops_it(memory: Path) -> None:
    with Guest(memory) as guest:
        assert guest.has_opened()
        guest.is_killed()
    left = pid_of(memory)
    server = EmbeddedServer(memory)
    server.start()
    assert pid_of(memory) == left
    assert server.stop()
    assert not is_running(memory)


def test_the_server_does_not_hold_the_lock_of_who_started_it(memory: Path) -> None:
    with Guest(memory) as guest:
        assert guest.has_opened()
        guest.is_killed()
    assert is_running(memory)
    with (memory / "postgres" / "users").open("r+") as users:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert answer_kept_in(memory) == 42


def test_a_process_that_ends_without_stopping_leaves_all_the_same(memory: Path) -> None:
    program = """
import sys
from memoranda.transport.embedded import EmbeddedServer
EmbeddedServer(sys.argv[1]).start()
print("started")
"""
    ended = subprocess.run([sys.executable, "-c", program, memory], check=True, stdout=subprocess.PIPE)
    assert ended.stdout == b"started\n"
    assert not is_running(memory)


FORK = """
import os, sys
from memoranda.transport.embedded import EmbeddedServer

def forked(work):
    if (child := os.fork()) == 0:
        try:
            work()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    return child

server, go, ready = EmbeddedServer(sys.argv[1]), os.pipe(), os.pipe()
server.start()
"""

LEAVES_IT_ALONE = """
def leave():
    assert not server.stop()

forked(leave)
assert os.wait()[1] == 0
other = EmbeddedServer(sys.argv[1])
other.start()
assert not other.stop()  # the parent still has its seat
assert server.stop()
"""

DOES_NOT_KEEP_IT = """
def linger():            # with a copy of the parent's lock
    os.close(go[1])
    os.read(go[0], 1)

forked(linger)
assert server.stop()
server.start()
assert server.stop()
os.close(go[1])
assert os.wait()[1] == 0
"""

TAKES_ITS_OWN = """
def join():
    server.start()
    os.write(ready[1], b"!")
    os.close(go[1])
    os.read(go[0], 1)
    assert server.stop()

forked(join)
os.close(ready[1])
assert os.read(ready[0], 1)
assert not server.stop()
os.close(go[1])
assert os.wait()[1] == 0
"""


@pytest.mark.parametrize("program", [LEAVES_IT_ALONE, DOES_NOT_KEEP_IT, TAKES_ITS_OWN])
def test_a_fork_has_no_part_in_its_parent_s_use_of_the_server(memory: Path, program: str) -> None:
    done = subprocess.run([sys.executable, "-c", FORK + program, memory], stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert not is_running(memory)


def test_a_server_that_died_is_started_again_by_a_second_start(server: EmbeddedServer) -> None:
    os.kill(pid_of(server.location), signal.SIGKILL)
    server.start()
    assert ask(server, "select 1") == 1
