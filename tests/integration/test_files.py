"""Memory files, as an application calls them: nothing is lost, whoever else writes, and every version can come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias
from uuid import UUID

import pytest

import memoranda
from memoranda.errors import (
    AmbiguousError,
    ConflictError,
    ExistsError,
    InputError,
    LineError,
    NoMatchError,
    NotFoundError,
    PathError,
    QuotaError,
    TooLargeError,
)
from memoranda.files import Files
from support.databases import Database
from support.files import attempt, texts

A, B = "/memories/a", "/memories/b"
Write: TypeAlias = "Callable[[Files, str], Coroutine[Any, Any, memoranda.FileOutcome]]"


# Reading and writing --------------------------------------------------------------------------------------------------


async def test_a_file_is_read_as_it_was_written(alice: memoranda.Memory) -> None:
    assert await alice.files.read(A) is None
    assert (await alice.files.write(A, "one\r\n𝄞")).outcome == "created"
    file = await alice.files.read(A)
    assert file is not None
    assert (file.path, file.content, file.version, file.tainted) == (A, "one\r\n𝄞", 1, False)
    assert (await alice.files.write(A, "two")).version == 2
    again = await alice.files.write(A, "two")
    assert (again.outcome, again.version) == ("unchanged", 2)
    assert len(await alice.files.history(A)) == 2


async def test_a_folder_lists_all_that_is_below_it_by_path(alice: memoranda.Memory) -> None:
    for path in ("b", "a/2", "a/1/x", "ab", "é"):
        await alice.files.write(f"/memories/{path}", "€")
    assert [entry.path.removeprefix("/memories/") for entry in await alice.files.list()] == [
        "a/1/x",
        "a/2",
        "ab",
        "b",
        "é",
    ]
    assert [(entry.path, entry.bytes, entry.version) for entry in await alice.files.list("/memories/a/1/")] == [
        ("/memories/a/1/x", 3, 1)
    ]
    assert await alice.files.list("/memories/none") == []
    assert await alice.files.view("/memories/none") is None
    assert await alice.files.read("/memories/a") is None


@pytest.mark.parametrize("expected", [0, 1, 3, 10**12, -1])
async def test_a_write_that_expects_another_version_changes_nothing(alice: memoranda.Memory, expected: int) -> None:
    await alice.files.write(A, "one")
    await alice.files.write(A, "two", expected_version=1)
    with pytest.raises((ConflictError, InputError)):
        await alice.files.write(A, "three", expected_version=expected)
    with pytest.raises((ConflictError, InputError)):
        await alice.files.remove(A, expected_version=expected)
    assert await texts(alice.files) == {A: "two"}


async def test_a_write_may_expect_that_there_is_nothing(alice: memoranda.Memory) -> None:
    assert (await alice.files.write(A, "x", expected_version=0)).outcome == "created"
    await alice.files.remove(A, expected_version=1)
    assert (await alice.files.write(A, "y", expected_version=0)).outcome == "created"


async def test_an_edit_says_which_lines_it_made(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "1\n2\n3\n")
    done = await alice.files.replace(A, "2\n", "b\nc\n")
    assert (done.outcome, done.version, done.line) == ("edited", 2, 2)
    done = await alice.files.insert(A, 4, "4\n5\n")
    assert (done.version, done.line, done.lines) == (3, 5, 2)
    assert await texts(alice.files) == {A: "1\nb\nc\n3\n4\n5\n"}


async def test_an_edit_that_cannot_be_made_changes_nothing(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "x\nx\n")
    with pytest.raises(AmbiguousError) as ambiguous:
        await alice.files.replace(A, "x", "y")
    assert ambiguous.value.detail == {"lines": [1, 2]}
    with pytest.raises(LineError) as line:
        await alice.files.insert(A, 3, "y")
    assert line.value.detail == {"lines": 2}
    for attempted, error in (
        (alice.files.replace(A, "z", "y"), NoMatchError),
        (alice.files.replace(A, "", "y"), NoMatchError),
        (alice.files.replace(B, "x", "y"), NotFoundError),
        (alice.files.insert(B, 0, "y"), NotFoundError),
        (alice.files.insert(A, -(10**20), "y"), LineError),
    ):
        with pytest.raises(error):
            await attempted
    assert len(await alice.files.history(A)) == 1


async def test_each_user_has_files_of_their_own(
    store: memoranda.Store, alice: memoranda.Memory, bob: memoranda.Memory
) -> None:
    await alice.files.write(A, "of alice")
    for other in (bob, store.memory("alice", scope=memoranda.Scope.project("p"))):
        assert await other.files.list() == []
        assert await other.files.history(A) == []
        for write in (other.files.remove(A), other.files.move(A, B), other.files.restore(A, 1)):
            with pytest.raises(NotFoundError):
                await write
        await other.files.write(A, "of another")
    assert await texts(alice.files) == {A: "of alice"}


async def test_replacing_a_text_with_itself_makes_no_version(alice: memoranda.Memory) -> None:
    await alice.files.write("/memories/a.md", "one two")
    outcome = await alice.files.replace("/memories/a.md", "two", "two")
    assert (outcome.outcome, outcome.version) == ("unchanged", 1)
    assert len(await alice.files.history("/memories/a.md")) == 1


# Limits ---------------------------------------------------------------------------------------------------------------

GROWING: dict[str, Write] = {
    "write": lambda files, text: files.write(A, text),
    "replace": lambda files, text: files.replace(A, "x", text),
    "insert": lambda files, text: files.insert(A, 1, text),
}


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
async def test_a_text_over_the_limit_changes_nothing(alice: memoranda.Memory, grow: Write) -> None:
    await alice.files.write(A, "x")
    with pytest.raises(TooLargeError):
        await grow(alice.files, "ä" * 100_001)
    assert [each.verb for each in await alice.files.history(A)] == ["created"]
    assert await texts(alice.files) == {A: "x"}


async def test_a_text_at_the_limit_is_kept_whole(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "𝄞" * 100_000)
    assert await texts(alice.files) == {A: "𝄞" * 100_000}


def fill(database: Database, owner: UUID, files: int, size: int) -> None:
    """Put many files into somebody's scope at once."""
    with database.admin() as conn, conn.transaction():
        conn.execute("set local session_replication_role = replica")
        conn.execute(
            "insert into memoranda_private.files"
            " (tenant_id, owner_id, scope, scope_id, path, content, status, tainted, version, created_at, updated_at)"
            " select %(owner)s, %(owner)s, 'user', '', 'full/' || n, repeat('x', %(size)s), 'current',"
            " false, 1, now(), now() from generate_series(1, %(files)s) n",
            {"owner": owner, "files": files, "size": size},
        )


@pytest.mark.parametrize(("files", "size"), [(999, 1), (100, 99_999)], ids=["in number", "in bytes"])
async def test_a_scope_holds_so_much_and_no_more(
    database: Database, alice: memoranda.Memory, files: int, size: int
) -> None:
    fill(database, alice.identity.user, files, size)
    await alice.files.write(A, "y" * 100)
    for growing in (alice.files.write(B, "x"), alice.files.write(B, "x" * 100)):
        with pytest.raises(QuotaError):
            await growing
    assert await alice.files.read(B) is None
    assert await alice.files.history(B) == []
    await alice.files.remove(A)
    assert (await alice.files.write(B, "x")).outcome == "created"
    with pytest.raises(QuotaError):
        await alice.files.restore(A, 1)
    await alice.files.remove("/memories/full")
    assert (await alice.files.restore(A, 1)).outcome == "restored"


# Moving and removing --------------------------------------------------------------------------------------------------


async def test_a_folder_is_removed_and_moved_whole(alice: memoranda.Memory) -> None:
    for path in ("d/1", "d/e/2", "dd/3", "d-4"):
        await alice.files.write(f"/memories/{path}", path)
    moved = await alice.files.move("/memories/d", "/memories/deep/d")
    assert (moved.outcome, moved.files) == ("moved", 2)
    assert await texts(alice.files) == {
        "/memories/deep/d/1": "d/1",
        "/memories/deep/d/e/2": "d/e/2",
        "/memories/dd/3": "dd/3",
        "/memories/d-4": "d-4",
    }
    removed = await alice.files.remove("/memories/deep")
    assert (removed.outcome, removed.files) == ("removed", 2)
    assert await texts(alice.files) == {"/memories/dd/3": "dd/3", "/memories/d-4": "d-4"}


async def test_a_move_goes_to_a_free_path_or_not_at_all(alice: memoranda.Memory) -> None:
    for path in ("a", "b", "d/1", "long/" + "x" * 470):
        await alice.files.write(f"/memories/{path}", path)
    before = await texts(alice.files)
    for old, new, error in (
        (A, B, ExistsError),
        (A, A, ExistsError),
        (A, "/memories/d", ExistsError),
        ("/memories/d", A, ExistsError),
        (A, "/memories/b/c", PathError),
        (A, "/memories/a/c", PathError),
        ("/memories/d", "/memories/d/e", PathError),
        ("/memories/long", "/memories/longer/and/longer", PathError),
        ("/memories/none", "/memories/c", NotFoundError),
        ("/memories", "/memories/c", PathError),
        (A, "/memories", PathError),
    ):
        with pytest.raises(error):
            await alice.files.move(old, new)
    assert await texts(alice.files) == before


async def test_a_write_that_races_a_move_is_in_one_of_the_two_places(alice: memoranda.Memory) -> None:
    for round_ in range(10):
        old, new = f"/memories/old-{round_}", f"/memories/new-{round_}"
        await alice.files.write(f"{old}/file", "before")
        outcomes = await asyncio.gather(
            attempt(alice.files.move(old, new)),
            attempt(alice.files.replace(f"{old}/file", "before", "after")),
            attempt(alice.files.write(f"{old}/other", "text")),
        )
        after = await texts(alice.files)
        assert outcomes[0] == "moved"
        assert outcomes[1] in ("edited", "MEMORY_NOT_FOUND")
        assert after[f"{new}/file"] == ("after" if outcomes[1] == "edited" else "before")
        assert outcomes[2] == "created"
        assert (f"{old}/other" in after) != (f"{new}/other" in after)


async def test_a_folder_has_no_version_to_expect(alice: memoranda.Memory) -> None:
    await alice.files.write("/memories/folder/a.md", "one")
    for expected, error in ((0, NotFoundError), (1, ConflictError)):
        with pytest.raises(error):
            await alice.files.remove("/memories/folder", expected_version=expected)
    assert await alice.files.read("/memories/folder/a.md")
    await alice.files.remove("/memories/folder")
    assert await alice.files.read("/memories/folder/a.md") is None


# History --------------------------------------------------------------------------------------------------------------


async def test_the_history_of_a_path_tells_of_moves_and_removals(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "one")
    await alice.files.move(A, B)
    await alice.files.write(B, "two")
    await alice.files.remove(B)
    story = [(each.verb, each.path, each.content, each.version) for each in await alice.files.history(A)]
    assert story == [
        ("removed", B, "two", 4),
        ("edited", B, "two", 3),
        ("moved", B, "one", 2),
        ("created", A, "one", 1),
    ]
    assert [each.verb for each in await alice.files.history(B, 1)] == ["removed"]
    assert await alice.files.history("/memories/none") == []


async def test_a_version_of_a_path_names_one_text_for_ever(alice: memoranda.Memory) -> None:
    """Whatever has come and gone there: files removed, made again, moved away and moved in."""
    await alice.files.write(A, "first")
    await alice.files.write(A, "first, edited")
    await alice.files.move(A, B)
    await alice.files.write(A, "second")
    await alice.files.remove(A)
    await alice.files.write("/memories/d/c", "third")
    await alice.files.move("/memories/d/c", A)
    await alice.files.remove(A)
    await alice.files.move(B, A)
    versions = [(each.version, each.content) for each in reversed(await alice.files.history(A)) if each.path == A]
    assert [version for version, _ in versions] == sorted({version for version, _ in versions})
    for version, content in versions:
        await alice.files.restore(A, version)
        assert await texts(alice.files) == {A: content}


async def test_an_earlier_version_comes_back_as_a_new_one(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "one")
    await alice.files.write(A, "two")
    done = await alice.files.restore(A, 1)
    assert (done.outcome, done.version) == ("restored", 3)
    assert (await alice.files.restore(A, 1)).outcome == "unchanged"
    await alice.files.remove(A)
    done = await alice.files.restore(A, 2)
    assert (done.outcome, done.version) == ("restored", 5)
    assert await texts(alice.files) == {A: "two"}
    for version in (0, 6, -1):
        with pytest.raises(NotFoundError):
            await alice.files.restore(A, version)
    with pytest.raises(InputError):
        await alice.files.restore(A, 10**12)


async def test_what_was_moved_away_comes_back_beside_what_it_has_become(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "one")
    await alice.files.move(A, B)
    await alice.files.restore(A, 1)
    assert await texts(alice.files) == {A: "one", B: "one"}


async def test_nothing_comes_back_where_a_folder_or_a_file_is_in_the_way(alice: memoranda.Memory) -> None:
    await alice.files.write(A, "file")
    await alice.files.remove(A)
    await alice.files.write(f"{A}/below", "folder")
    with pytest.raises(PathError):
        await alice.files.restore(A, 1)
    await alice.files.remove(A)
    await alice.files.restore(A, 1)
    with pytest.raises(PathError):
        await alice.files.restore(f"{A}/below", 1)
    assert await texts(alice.files) == {A: "file"}
