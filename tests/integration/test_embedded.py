"""The embedded server keeps to itself, knows its letters, and says little."""

from __future__ import annotations

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
    ask,
    eventually,
    kept_memory,
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


# Where there is none.


def test_a_server_that_is_not_started_has_no_address(place: Path) -> None:
    with pytest.raises(EmbeddedError, match="not started"):
        EmbeddedServer(place / "memory").dsn(user="postgres")
    assert not (place / "memory").exists()


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
