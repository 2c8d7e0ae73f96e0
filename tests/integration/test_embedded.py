"""The embedded server keeps to itself, and is shared by whoever opens it: the last one out stops it."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memoranda.errors import EmbeddedError
from memoranda.transport.binaries import VARIABLE
from memoranda.transport.embedded import EmbeddedServer
from support.servers import (
    IS_ROOT,
    NOTING,
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


HOSTILE = {
    "LC_ALL": "tr_TR.UTF-8",
    "LANG": "xx_XX",
    "LANGUAGE": "tr",
    "PGDATA": "/nowhere",
    "PGPORT": "1",
    "PGHOST": "/nowhere",
    "PGHOSTADDR": "127.0.0.1",
    "PGUSER": "nobody",
    "PGDATABASE": "nothing",
}


@pytest.fixture(scope="module")
def shared() -> Iterator[EmbeddedServer]:
    """A server for tests that only ask; made in an environment that is out to spoil it."""
    with reachable_folder() as folder:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in HOSTILE.items():
                patch.setenv(name, value)
            server = EmbeddedServer(folder / "memory")
            server.start()
        with server:
            yield server


# Only its owner gets in, and only through the socket.


def test_the_server_is_not_on_the_network(shared: EmbeddedServer) -> None:
    assert ask(shared, "show listen_addresses") == ""
    assert ask(shared, "select string_agg(distinct auth_method, ' ') from pg_hba_file_rules where type <> 'local'") == (
        "reject"
    )


def test_only_the_owner_gets_to_what_the_server_has(shared: EmbeddedServer) -> None:
    cluster = shared.location / "postgres"
    owner = cluster.stat().st_uid
    assert stat.S_ISSOCK((cluster / "data" / ".s.PGSQL.5432").stat().st_mode)
    for path in (cluster, *cluster.rglob("*")):
        found = path.lstat()
        assert (path, found.st_uid, found.st_mode & 0o077) == (path, owner, 0)
    assert (shared.location / "memoranda.txt").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not IS_ROOT, reason="takes two accounts")
def test_another_account_cannot_reach_the_socket(shared: EmbeddedServer) -> None:
    cluster = shared.location / "postgres"
    other = cluster.stat().st_uid + 1
    tried = subprocess.run(
        ["ls", cluster / "data" / ".s.PGSQL.5432"],
        user=other,
        group=other,
        extra_groups=[],
        capture_output=True,
        cwd="/",
    )
    assert b"Permission denied" in tried.stderr


def test_a_folder_that_we_made_is_closed_to_others(shared: EmbeddedServer) -> None:
    # Under root the account that runs the server passes through, without seeing what is there.
    assert stat.S_IMODE(shared.folder.stat().st_mode) == (0o711 if IS_ROOT else 0o700)


def test_a_memory_is_not_committed_to_git_by_accident(shared: EmbeddedServer) -> None:
    assert (shared.location / "postgres" / ".gitignore").read_text() == "*\n"


# What it is made with.


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("data_checksums", "on"),
        ("unix_socket_permissions", "0700"),
        ("shared_buffers", "128MB"),
        ("max_connections", "100"),
        ("max_parallel_workers_per_gather", "0"),
        ("max_parallel_maintenance_workers", "0"),
        ("jit", "off"),
        ("server_encoding", "UTF8"),
        ("TimeZone", "UTC"),
    ],
)
def test_settings_are_those_of_a_safe_server_on_a_laptop(shared: EmbeddedServer, setting: str, value: str) -> None:
    assert ask(shared, f"show {setting}") == value


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("select lower('É')", "é"),
        ("select lower('I')", "i"),
        ("select array_length(show_trgm('Привет'), 1)", 7),
        ("select array_length(show_trgm('é'), 1)", 2),
        ("select string_agg(distinct datctype, ' ') from pg_database", "C.UTF-8"),
        ("select current_setting('lc_messages')", "C.UTF-8"),
    ],
)
def test_letters_of_all_scripts_are_letters_whatever_the_environment(
    shared: EmbeddedServer, question: str, answer: object
) -> None:
    with psycopg.connect(shared.dsn(user="postgres"), autocommit=True) as conn:
        conn.execute("create extension if not exists pg_trgm")
    assert ask(shared, question) == answer


def test_the_environment_does_not_lead_to_another_server(
    shared: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    assert ask(shared, "show data_directory") == str(shared.location / "postgres" / "data")


def test_programs_are_given_nothing_misleading_in_their_environment(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    listing = 'env >> $(dirname "$0")/calls; exec $real "$@"'
    monkeypatch.setenv(VARIABLE, wrapped_programs(place / "bin", initdb=listing, postgres=listing))
    with EmbeddedServer(place / "memory"):
        pass
    given = set((place / "bin" / "calls").read_text().splitlines())
    assert {line for line in given if line.startswith(("PG", "LC_", "LANG"))} == {"LC_ALL=C"}


def test_where_the_usual_locale_is_missing_another_is_found(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = """
case " $* " in *" --locale=C.UTF-8 "*) echo 'initdb: error: invalid locale name "C.UTF-8"'; exit 1;; esac
for each; do shift; case "$each" in --lc-ctype=en_US.UTF-8) each=--lc-ctype=C.UTF-8;; esac; set -- "$@" "$each"; done
exec $real "$@"
"""
    monkeypatch.setenv(VARIABLE, wrapped_programs(place / "bin", initdb=lacking))
    with EmbeddedServer(place / "memory") as server:
        assert ask(server, "select lower('É')") == "é"
        assert ask(server, "select datctype || ' ' || datcollate from pg_database where datname = 'postgres'") == (
            "C.UTF-8 C"
        )


def test_a_database_that_knows_no_letters_is_not_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        VARIABLE, wrapped_programs(place / "bin", initdb='exec $real "$@" $([ $1 = --version ] || echo --lc-ctype=C)')
    )
    with pytest.raises(EmbeddedError, match="no locale"):
        EmbeddedServer(place / "memory").start()
    assert not (place / "memory").exists()


def test_a_new_database_is_synced_to_disk_without_waiting(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, wrapped_programs(place / "bin", initdb=NOTING))
    with EmbeddedServer(place / "memory") as server:
        data = server.location / "postgres" / "data"
        eventually(lambda: "--sync-only" in (place / "bin" / "calls").read_text())
    made, synced = (line for line in (place / "bin" / "calls").read_text().splitlines() if "--version" not in line)
    assert "--no-sync" in made
    assert synced.endswith(f" {data}")


# The log.


def test_the_log_does_not_quote_what_is_remembered(server: EmbeddedServer) -> None:
    with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
        conn.execute("create table texts (text text unique)")
        conn.execute("insert into texts values ('my secret')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute("insert into texts values ('my secret')")
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            conn.execute("select 'a maiden name'::int")
    log = (server.location / "postgres" / "server.log").read_text()
    assert "ready to accept connections" in log
    assert "maiden" not in log
    assert "secret" not in log


def test_the_log_is_cut_by_the_next_opener(server: EmbeddedServer) -> None:
    log = server.location / "postgres" / "server.log"
    with log.open("a") as file:
        file.write("x" * 1_000_001)
    with EmbeddedServer(server.folder):
        assert log.stat().st_size < 1_000_000


# Sharing.


def test_starting_and_stopping_twice_is_once(memory: Path) -> None:
    server = EmbeddedServer(memory)
    assert not server.stop()
    server.start()
    server.start()
    assert ask(server, "select 1") == 1
    assert server.stop()
    assert not server.stop()
    assert not is_running(server.location)


def test_a_server_that_is_not_started_has_no_address(place: Path) -> None:
    with pytest.raises(EmbeddedError, match="not started"):
        EmbeddedServer(place / "memory").dsn(user="postgres")
    assert not (place / "memory").exists()


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
server = EmbeddedServer(sys.argv[1])
server.start()
if (child := os.fork()) == 0:
    assert not server.stop()   # the seat is the parent's
    os._exit(0)
if (child := os.fork()) == 0:
    server.start()             # takes a seat of its own
    assert not server.stop()
    os._exit(0)
assert os.wait()[1] == 0
assert os.wait()[1] == 0
other = EmbeddedServer(sys.argv[1])
other.start()
assert not other.stop()        # the parent still has its seat
if (child := os.fork()) == 0:
    sys.stdin.readline()       # holds a copy of the parent's descriptor until it is told to end
    os._exit(0)
assert server.stop()
assert not os.path.exists(sys.argv[1] + "/postgres/data/postmaster.pid")
with EmbeddedServer(sys.argv[1]) as again:
    assert again.stop()        # the child's copy counts for nothing
"""


def test_a_fork_neither_stops_the_server_of_its_parent_nor_keeps_it(memory: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FORK, memory], input="\n", text=True)
    assert done.returncode == 0


def test_a_server_that_died_is_started_again_by_a_second_start(server: EmbeddedServer) -> None:
    os.kill(pid_of(server.location), signal.SIGKILL)
    server.start()
    assert ask(server, "select 1") == 1


WINDOWS = """
import asyncio, socket, subprocess, sys, tempfile, psycopg
sys.platform = "win32"
for absent in ("fcntl", "pwd"):
    sys.modules[absent] = None
from memoranda.errors import PlatformError
from memoranda.transport.embedded import EmbeddedServer
try:
    EmbeddedServer("memory").start()
except PlatformError as error:
    print(error)
"""


def test_on_windows_it_says_what_to_use_instead(place: Path) -> None:
    done = subprocess.run([sys.executable, "-c", WINDOWS], cwd=place, stdout=subprocess.PIPE, text=True, check=True)
    assert "memoranda.connect" in done.stdout
    assert list(place.iterdir()) == []
