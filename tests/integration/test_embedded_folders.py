"""Folders of odd names, and folders that are not for us: the embedded server copes, or says what to do."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from memoranda.errors import EmbeddedError, FolderError, FolderVersionError, MissingExtraError
from memoranda.transport import binaries, postmaster
from memoranda.transport.binaries import VARIABLE
from memoranda.transport.embedded import EmbeddedServer
from support.servers import (
    IS_ROOT,
    answer_kept_in,
    as_ordinary_user,
    ask,
    is_running,
    kept_memory,
    reachable_folder,
    tree,
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


# Names.

ODD_NAMES = [
    "with  spaces",
    "crème brûlée 🦉 память",
    'it\'s "quoted"',
    "a,b",
    "$(touch pwned) `touch pwned` %s \\ & ; #",
    os.fsdecode(b"not-utf-8-\xff"),
    "long" * 30,
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_folder_may_have_any_name_and_be_moved(memory: Path, name: str) -> None:
    moved = memory.rename(memory.with_name(name))
    try:
        assert answer_kept_in(moved) == 42
        assert not is_running(moved)
        assert os.listdir(memory.parent) == [name]
    finally:
        moved.rename(memory)


def test_a_database_is_made_in_a_folder_of_any_name(place: Path) -> None:
    folder = place / " ".join(ODD_NAMES[1:5])
    with EmbeddedServer(folder) as server:
        assert ask(server, "show data_directory") == str(folder / "postgres" / "data")


def test_a_home_is_expanded_and_a_relative_folder_made_absolute(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place)
    assert EmbeddedServer("~/memory").folder == EmbeddedServer("memory").folder == place / "memory"


def test_two_names_of_one_folder_lead_to_one_server(memory: Path, place: Path) -> None:
    (place / "link").symlink_to(memory)
    with EmbeddedServer(memory) as server, EmbeddedServer(place / "link") as same:
        assert same.folder == place / "link"
        assert same.location == memory
        assert ask(same, "select pg_postmaster_start_time()") == ask(server, "select pg_postmaster_start_time()")


@pytest.mark.parametrize("name", ["two\nlines", "null\0"])
def test_a_name_that_postgres_cannot_note_down_is_refused(place: Path, name: str) -> None:
    with pytest.raises(FolderError, match="control character"):
        EmbeddedServer(place / name).start()
    assert list(place.iterdir()) == []


@pytest.fixture
def long_folder(memory: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose path is too long for a socket; with a temporary folder of our own for the socket."""
    temporary = place / 'te "mp'
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    moved = memory.rename(memory.with_name("long" * 30))
    yield moved
    moved.rename(memory)


def socket_folders(place: Path) -> list[Path]:
    return list((place / 'te "mp').iterdir())


def test_a_path_too_long_for_a_socket_has_it_in_a_private_temporary_folder(long_folder: Path, place: Path) -> None:
    with EmbeddedServer(long_folder) as server:
        (folder,) = socket_folders(place)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert folder.stat().st_uid == (long_folder / "postgres").stat().st_uid
        assert conninfo_to_dict(server.dsn(user="postgres"))["host"] == str(folder)
        assert ask(server, "select 1") == 1
    assert socket_folders(place) == []


def test_another_temporary_folder_still_leads_to_the_running_server(
    long_folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddedServer(long_folder) as server:
        monkeypatch.setattr(tempfile, "tempdir", "/tmp")
        with EmbeddedServer(long_folder) as second:
            assert second.dsn(user="postgres") == server.dsn(user="postgres")


@pytest.mark.parametrize("trap", ["link", "open", "foreign"])
def test_a_temporary_folder_that_is_not_ours_alone_is_refused(long_folder: Path, place: Path, trap: str) -> None:
    with EmbeddedServer(long_folder):
        (folder,) = socket_folders(place)
    owner = (long_folder / "postgres").stat().st_uid
    if trap == "link":
        (place / "elsewhere").mkdir(mode=0o700)
        os.chown(place / "elsewhere", owner, -1)
        folder.symlink_to(place / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777 if trap == "open" else 0o700)
        os.chown(folder, owner + (trap == "foreign" and IS_ROOT), -1)
    if trap == "foreign" and not IS_ROOT:
        pytest.skip("takes root")
    with pytest.raises(FolderError):
        EmbeddedServer(long_folder).start()
    assert not is_running(long_folder)


def test_an_impostor_in_the_temporary_folder_is_not_talked_to(
    long_folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster, "PATIENCE", 0.3)
    with EmbeddedServer(long_folder) as server:
        (folder,) = socket_folders(place)
        folder.chmod(0o755)  # as if it had been cleaned away, and made again by somebody else
        with pytest.raises(EmbeddedError):
            EmbeddedServer(long_folder).start()
        folder.chmod(0o700)
        assert ask(server, "select 1") == 1


# Folders that are not for us.


def test_a_folder_of_another_postgres_is_refused_and_both_versions_named(memory: Path) -> None:
    version = memory / "postgres" / "data" / "PG_VERSION"
    ours = version.read_text()
    version.write_text("12\n")
    with pytest.raises(FolderVersionError, match=rf"made by Postgres 12; .* Postgres {ours.strip()}"):
        EmbeddedServer(memory).start()
    version.write_text(ours)
    assert answer_kept_in(memory) == 42


def test_a_folder_with_other_things_is_left_alone(place: Path) -> None:
    (place / "thesis.txt").write_text("years of work")
    before = tree(place)
    with pytest.raises(FolderError, match="holds other things"):
        EmbeddedServer(place).start()
    assert tree(place) == before


def test_a_folder_that_people_call_empty_is_used(place: Path) -> None:
    (place / "lost+found").mkdir()
    (place / ".gitkeep").touch()
    with EmbeddedServer(place) as server:
        assert ask(server, "select 1") == 1


def test_a_text_of_somebody_else_by_the_name_of_ours_is_left_alone(place: Path) -> None:
    (place / "memoranda.txt").write_text("milk, eggs")
    before = tree(place)
    with pytest.raises(FolderError, match="not a text of ours"):
        EmbeddedServer(place).start()
    assert tree(place) == before


def test_a_database_that_is_gone_is_not_replaced_in_silence(place: Path) -> None:
    with EmbeddedServer(place / "memory"):
        pass
    (place / "memory" / "postgres" / "data").rename(place / "data")
    with pytest.raises(FolderError, match=r"not there.*delete memoranda.txt to begin anew"):
        EmbeddedServer(place / "memory").start()
    (place / "data").rename(place / "memory" / "postgres" / "data")
    with EmbeddedServer(place / "memory") as server:
        assert ask(server, "select 1") == 1


def test_a_lost_text_can_be_put_back_empty(memory: Path) -> None:
    text = (memory / "memoranda.txt").read_text()
    (memory / "memoranda.txt").unlink()
    with pytest.raises(FolderError, match="holds other things"):
        EmbeddedServer(memory).start()
    (memory / "memoranda.txt").touch(mode=0o600)
    assert answer_kept_in(memory) == 42
    assert (memory / "memoranda.txt").read_text() == text


def test_a_database_folder_that_is_open_to_others_is_refused(memory: Path) -> None:
    (memory / "postgres").chmod(0o755)
    with pytest.raises(FolderError, match=r"open to other accounts.*chmod 700"):
        EmbeddedServer(memory).start()
    (memory / "postgres").chmod(0o700)


def test_a_file_is_no_folder(place: Path) -> None:
    (place / "memory").write_text("a file")
    for path in (place / "memory", place / "memory" / "inside"):
        with pytest.raises(FolderError):
            EmbeddedServer(path).start()
    assert (place / "memory").read_text() == "a file"


def test_the_folder_above_has_to_be_there(place: Path) -> None:
    with pytest.raises(FolderError, match="Make the folder above it first"):
        EmbeddedServer(place / "missing" / "memory").start()
    assert list(place.iterdir()) == []


def test_a_full_disk_leaves_nothing_half_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = """
[ $1 = --version ] && exec $real "$@"
for data; do :; done
mkdir $data && touch $data/PG_VERSION
echo 'initdb: error: could not write file: No space left on device'
exit 1
"""
    monkeypatch.setenv(VARIABLE, wrapped_programs(place / "bin", initdb=full))
    (place / "there").mkdir()
    before = tree(place / "there")
    for folder in (place / "memory", place / "there"):
        with pytest.raises(FolderError, match="Make room"):
            EmbeddedServer(folder).start()
    assert not (place / "memory").exists()
    assert tree(place / "there") == before


def test_without_a_postgres_nothing_is_touched(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(binaries, "WHEELS", ("no_such_package",))
    with pytest.raises(MissingExtraError, match=r"pip install 'memoranda\[local\]'"):
        EmbeddedServer(place / "memory").start()
    assert list(place.iterdir()) == []


# An ordinary user.

REFUSED = """
import sys
from memoranda.errors import FolderError
from memoranda.transport.embedded import EmbeddedServer
try:
    EmbeddedServer(sys.argv[1]).start()
except FolderError as error:
    print(error)
"""


def test_a_folder_that_cannot_be_written_to_is_refused(place: Path) -> None:
    place.chmod(0o555)
    for folder in (place, place / "memory"):
        assert "Permission denied" in as_ordinary_user(REFUSED, folder)
    place.chmod(0o755)
    assert list(place.iterdir()) == []


@pytest.mark.skipif(not IS_ROOT, reason="takes two accounts")
def test_a_database_of_another_account_is_refused(memory: Path) -> None:
    assert "belongs to root. Open it as that account" in as_ordinary_user(REFUSED, memory)
    (memory / "memoranda.txt").chmod(0o666)
    said = as_ordinary_user(REFUSED, memory)
    (memory / "memoranda.txt").chmod(0o600)
    assert "belongs to" in said
    assert "Open it as" in said


WORKS = """
import os, sys, psycopg
from memoranda.transport.embedded import EmbeddedServer
with EmbeddedServer(sys.argv[1]) as server, psycopg.connect(server.dsn(user="postgres")) as conn:
    print(conn.execute("select lower('É')").fetchone()[0])
    cluster = server.location / "postgres"
    print(cluster.stat().st_uid == os.geteuid(), server.location == server.folder)
    for path in cluster.rglob("*"):
        assert path.lstat().st_mode & 0o077 == 0, path
"""


def test_an_ordinary_user_needs_no_other_account(place: Path) -> None:
    place.chmod(0o777)
    for _ in range(2):
        assert as_ordinary_user(WORKS, place / "memory").split() == ["é", "True", "True"]
