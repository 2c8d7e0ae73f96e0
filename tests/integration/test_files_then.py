"""Files as they stood at a time."""

from __future__ import annotations

from datetime import UTC, datetime

import memoranda
from memoranda import Scope
from support.databases import Database

NEXT_YEAR = datetime(2200, 1, 1, tzinfo=UTC)


def now(database: Database) -> datetime:
    """The time by the database's clock."""
    with database.admin() as conn:
        row = conn.execute("select clock_timestamp()").fetchone()
    assert row is not None
    at: datetime = row[0]
    return at


async def test_files_as_they_stood(alice: memoranda.Memory, database: Database) -> None:
    files = alice.files
    moments: list[tuple[datetime, dict[str, str]]] = []

    async def note() -> None:
        found = [await files.read(entry.path) for entry in await files.list()]
        moments.append((now(database), {file.path: file.content for file in found if file is not None}))

    await note()
    await files.write("/memories/a.md", "one")
    await note()
    await files.write("/memories/a.md", "two")
    await files.write("/memories/folder/b.md", "b")
    await note()
    await files.move("/memories/folder", "/memories/moved")
    await files.move("/memories/a.md", "/memories/folder")  # a file where a folder was
    await note()
    await files.remove("/memories/folder")
    await note()
    await files.write("/memories/a.md", "three")
    await note()
    assert [len(texts) for _, texts in moments] == [0, 1, 2, 2, 1, 2]
    for at, texts in moments:
        entries = await files.list(known_at=at)
        assert [entry.path for entry in entries] == sorted(texts)
        for entry in entries:
            file = await files.read(entry.path, known_at=at)
            assert file is not None
            assert (file.content, file.version) == (texts[entry.path], entry.version)
        for path in ("/memories/a.md", "/memories/folder/b.md", "/memories/folder"):
            if path not in texts:
                assert await files.read(path, known_at=at) is None
    assert [entry.path for entry in await files.list("/memories/folder", known_at=moments[2][0])] == [
        "/memories/folder/b.md"
    ]
    assert [entry.path for entry in await files.list(known_at=NEXT_YEAR)] == ["/memories/a.md", "/memories/moved/b.md"]


async def test_files_of_a_mounted_scope_as_they_stood(store: memoranda.Store, database: Database) -> None:
    shared = store.memory("alice", scope=Scope.project("p"))
    memory = store.memory("alice", mounts={"project": Scope.project("p")})
    await shared.files.write("/memories/a.md", "one")
    then = now(database)
    await shared.files.write("/memories/a.md", "two")
    await memory.files.write("/memories/later.md", "x")
    file = await memory.files.read("/memories/project/a.md", known_at=then)
    assert file is not None
    assert file.content == "one"
    assert [entry.path for entry in await memory.files.list(known_at=then)] == ["/memories/project/a.md"]
