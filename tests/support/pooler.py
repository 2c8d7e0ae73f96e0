"""A PgBouncer for tests: in transaction mode, with two server connections, in front of a test server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memoranda.transport.account import child_environment
from memoranda.transport.embedded import EmbeddedServer

from .servers import eventually

LOGINS = ("authenticator", "half")
"""Who comes through the pooler; everybody else is an administrator, or is turned away by the server itself."""

POOL_SIZE = 2
"""Server connections for each database and login."""

_PORT = 6432

_CONFIGURATION = """\
[databases]
* = host={host} port={port}

[pgbouncer]
unix_socket_dir = {folder}
listen_port = {own_port}
pidfile = {folder}/pid
logfile = {folder}/log
auth_type = trust
auth_file = {folder}/logins
pool_mode = transaction
default_pool_size = {pool_size}
max_client_conn = 500
server_login_retry = 1
query_wait_timeout = 60
"""


class PgBouncerMissing(Exception):
    """PgBouncer is not installed."""


class PooledServer(EmbeddedServer):
    """A server that runs, seen through a pooler: clients come through it, and administrators directly."""

    def __init__(self, server: EmbeddedServer, folder: Path) -> None:
        super().__init__(server.folder)
        self.behind = server
        self._pooler_folder = folder

    def dsn(self, *, user: str, database: str = "postgres") -> str:
        straight = self.behind.dsn(user=user, database=database)
        return make_conninfo(straight, host=str(self._pooler_folder), port=_PORT) if user in LOGINS else straight


@contextmanager
def pooled(server: EmbeddedServer) -> Generator[PooledServer]:
    """A pooler in front of a server, for as long as the context lasts.

    Raises:
        PgBouncerMissing: It is not installed.
    """
    program = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    if program is None:
        raise PgBouncerMissing("PgBouncer is not installed (on Debian and Ubuntu: apt install pgbouncer)")
    straight = conninfo_to_dict(server.dsn(user="postgres"))
    owner = Path(str(straight["host"])).stat()  # as whom Postgres runs: PgBouncer does not run as root either
    folder = Path(tempfile.mkdtemp(prefix="memoranda-pooler-"))
    (folder / "logins").write_text("".join(f'"{login}" ""\n' for login in LOGINS))
    (folder / "pgbouncer.ini").write_text(
        _CONFIGURATION.format(
            host=straight["host"], port=straight["port"], folder=folder, own_port=_PORT, pool_size=POOL_SIZE
        )
    )
    for path in (folder, *folder.iterdir()):
        os.chown(path, owner.st_uid, owner.st_gid)
    is_root = os.geteuid() == 0
    process = subprocess.Popen(
        [program, "-q", folder / "pgbouncer.ini"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # it is in the log, too
        env=child_environment(),
        user=owner.st_uid if is_root else None,
        group=owner.st_gid if is_root else None,
        extra_groups=[] if is_root else None,
        start_new_session=True,  # a Ctrl-C is meant for us
    )
    try:
        eventually(lambda: _listens(process, folder))
        yield PooledServer(server, folder)
    finally:
        process.kill()  # what a gentler signal means depends on its version; some wait for clients
        process.wait()
        shutil.rmtree(folder)


def _listens(process: subprocess.Popen[bytes], folder: Path) -> bool:
    log = folder / "log"
    assert process.poll() is None, f"PgBouncer has ended: {log.read_text() if log.exists() else 'it wrote no log'}"
    with socket.socket(socket.AF_UNIX) as knock:
        return knock.connect_ex(str(folder / f".s.PGSQL.{_PORT}")) == 0


@contextmanager
def pooled_or_skipped(server: EmbeddedServer) -> Generator[PooledServer]:
    """The same; without PgBouncer the test is skipped, except in CI, which installs it."""
    try:
        with pooled(server) as seen:
            yield seen
    except PgBouncerMissing as missing:
        if os.environ.get("MEMORANDA_REQUIRE_PGBOUNCER"):
            raise
        pytest.skip(str(missing))
