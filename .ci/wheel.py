"""Checks the wheel that is installed here: its SQL is the checkout's, and it brings an empty database up to date.

Run it outside the checkout: `python -I .ci/wheel.py SQL_FOLDER`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import psycopg

from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def migrate(dsn: str) -> list[schema.Migration]:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        return await schema.migrate(conn)


packaged = Path(str(schema.sql_root()))
if packaged.parent.parent.name != "site-packages":
    sys.exit(f"this is not the installed wheel: its SQL is in {packaged}")
if contents(packaged) != contents(Path(sys.argv[1])):
    sys.exit(f"the SQL differs: {sorted(contents(packaged))} in the wheel, {sorted(contents(Path(sys.argv[1])))} here")

with tempfile.TemporaryDirectory() as folder:
    Path(folder).chmod(0o755)  # under root the server runs as another account, which has to get here
    with EmbeddedServer(Path(folder, "server")) as server:
        applied = asyncio.run(migrate(server.dsn(user="postgres")))
if [migration.number for migration in applied] != list(range(1, len(schema.migrations()) + 1)):
    sys.exit(f"an empty database got {applied}")
print(f"the wheel holds {len(contents(packaged))} SQL files; an empty database took {len(applied)} migrations")
