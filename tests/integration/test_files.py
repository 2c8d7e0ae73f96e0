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
    ForbiddenError,
    IdempotencyError,
    InputError,
    LineError,
    MemorandaError,
    NoMatchError,
    NotFoundError,
    PathError,
    QuotaError,
    ScopeError,
    TooLargeError,
)
from memoranda.files import Files
from support.databases import Database

A, B = "/memories/a", "/memories/b"
Write: TypeAlias = "Callable[[Files, str], Coroutine[Any, Any, memoranda.FileOutcome]]"


async def texts(files: Files) -> dict[str, str]:
    found = [await files.read(entry.path) for entry in await files.list()]
    return {file.path: file.content for file in found if file is not None}


async def attempt(call: Coroutine[Any, Any, memoranda.FileOutcome]) -> str:
    try:
        return (await call).outcome
    except MemorandaError as error:
        return error.code


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


# Repeated and concurrent calls ----------------------------------------------------------------------------------------

REPEATED: dict[str, Write] = {
    "write": lambda files, key: files.write(B, "y", idempotency_key=key),
    "replace": lambda files, key: files.replace(A, "x", "xx", idempotency_key=key),
    "insert": lambda files, key: files.insert(A, 1, "y", idempotency_key=key),
    "remove": lambda files, key: files.remove(A, idempotency_key=key),
    "move": lambda files, key: files.move(A, B, idempotency_key=key),
    "restore": lambda files, key: files.restore(A, 1, idempotency_key=key),
}


@pytest.mark.parametrize("write", REPEATED.values(), ids=REPEATED)
async def test_a_write_sent_again_is_done_once(alice: memoranda.Memory, write: Write) -> None:
    await alice.files.write(A, "first")
    await alice.files.write(A, "x")
    first, *again = await asyncio.gather(*(write(alice.files, "key") for _ in range(3)))
    outcomes = sorted((first, *again), key=lambda each: each.replayed)
    assert [each.replayed for each in outcomes] == [False, True, True]
    done = outcomes[0]
    for each in outcomes[1:]:
        assert (each.outcome, each.version, each.files, each.line) == (
            done.outcome,
            done.version,
            done.files,
            done.line,
        )
    with pytest.raises(IdempotencyError):
        await alice.files.write(A, "another write", idempotency_key="key")


async def test_a_write_that_failed_may_be_sent_again_under_its_key(alice: memoranda.Memory) -> None:
    with pytest.raises(NotFoundError):
        await alice.files.replace(A, "x", "y", idempotency_key="key")
    await alice.files.write(A, "x")
    assert (await alice.files.replace(A, "x", "y", idempotency_key="key")).replayed is False


async def test_of_first_writes_at_once_one_wins_and_the_others_learn_of_it(alice: memoranda.Memory) -> None:
    outcomes = await asyncio.gather(*(attempt(alice.files.write(A, str(n), expected_version=0)) for n in range(10)))
    assert sorted(outcomes) == ["MEMORY_CONFLICT"] * 9 + ["created"]
    assert await texts(alice.files) == {A: str(outcomes.index("created"))}


async def test_a_file_and_a_folder_made_at_once_do_not_both_come_to_be(alice: memoranda.Memory) -> None:
    for n in range(10):
        outcomes = await asyncio.gather(
            attempt(alice.files.write(f"/memories/{n}", "file")),
            attempt(alice.files.write(f"/memories/{n}/x", "below")),
        )
        assert sorted(outcomes) == ["MEMORY_PATH", "created"]


async def test_no_edit_of_many_writers_is_lost(reached: Database) -> None:
    """Eight writers make fifty edits each of one file, inserting lines and replacing their own marker."""
    async with memoranda.connect(reached.dsn(), max_connections=8) as store:
        files = store.memory("alice").files
        await files.write(A, "".join(f"writer {n}: 0;\n" for n in range(8)))

        async def writer(n: int) -> None:
            for edit in range(1, 26):
                await files.replace(A, f"writer {n}: {edit - 1};", f"writer {n}: {edit};")
                await files.insert(A, edit % 8, f"line {n}.{edit}")

        await asyncio.gather(*(writer(n) for n in range(8)))
        kept = (await texts(files))[A].splitlines()
        assert sorted(kept) == sorted(
            [f"writer {n}: 25;" for n in range(8)] + [f"line {n}.{edit}" for n in range(8) for edit in range(1, 26)]
        )
        file = await files.read(A)
    assert file is not None
    assert file.version == 1 + 8 * 50


# Mounts ---------------------------------------------------------------------------------------------------------------

SHARED = "/memories/organization"
MOUNTS = {"organization": memoranda.Scope.organization()}


@pytest.fixture
async def members(store: memoranda.Store) -> dict[str, Files]:
    """Files of a manager and a reader of one organisation, with its files mounted."""
    await store.members.set("acme", "mia", "manage")
    await store.members.set("acme", "ron", "read")
    return {name: store.memory(name, tenant="acme", mounts=MOUNTS).files for name in ("mia", "ron")}


async def test_what_a_manager_writes_in_a_mounted_folder_everybody_reads(members: dict[str, Files]) -> None:
    await members["mia"].write(f"{SHARED}/policy.md", "text")
    await members["mia"].write(A, "of mia")
    await members["ron"].write("/memories/z", "of ron")
    assert await texts(members["ron"]) == {f"{SHARED}/policy.md": "text", "/memories/z": "of ron"}
    assert [each.path for each in await members["ron"].history(f"{SHARED}/policy.md")] == [f"{SHARED}/policy.md"]
    view = await members["ron"].run({"command": "view", "path": "/memories"})
    assert view.text.splitlines()[1:] == [
        "10B\t/memories",
        f"4B\t{SHARED}",
        f"4B\t{SHARED}/policy.md",
        "6B\t/memories/z",
    ]


async def test_a_mounted_folder_is_listed_while_it_is_empty(members: dict[str, Files]) -> None:
    view = await members["ron"].run({"command": "view", "path": "/memories"})
    assert view.text.splitlines()[1:] == ["0B\t/memories", f"0B\t{SHARED}"]
    view = await members["ron"].run({"command": "view", "path": SHARED})
    assert view.text.splitlines()[1:] == [f"0B\t{SHARED}"]


async def test_a_mounted_folder_is_for_managers_to_write(members: dict[str, Files]) -> None:
    await members["mia"].write(f"{SHARED}/policy.md", "text")
    path = f"{SHARED}/policy.md"
    for write in (
        members["ron"].write(f"{SHARED}/mine", "x"),
        members["ron"].write(path, "x"),
        members["ron"].replace(path, "text", "x"),
        members["ron"].insert(path, 0, "x"),
        members["ron"].move(path, f"{SHARED}/elsewhere"),
        members["ron"].remove(path),
        members["ron"].restore(path, 1),
    ):
        with pytest.raises(ForbiddenError):
            await write
    assert (await members["ron"].run({"command": "delete", "path": path})).is_error
    assert await texts(members["mia"]) == {path: "text"}


async def test_a_mounted_folder_itself_stays_where_it_is(members: dict[str, Files]) -> None:
    mia = members["mia"]
    await mia.write(f"{SHARED}/policy.md", "text")
    for write in (mia.remove(SHARED), mia.remove(f"{SHARED}/"), mia.move(SHARED, A), mia.write(SHARED, "x")):
        with pytest.raises(PathError):
            await write
    assert await texts(mia) == {f"{SHARED}/policy.md": "text"}


async def test_nothing_is_moved_between_scopes(members: dict[str, Files]) -> None:
    mia = members["mia"]
    await mia.write(A, "mine")
    await mia.write(f"{SHARED}/policy.md", "text")
    for old, new in ((A, f"{SHARED}/a"), (f"{SHARED}/policy.md", B)):
        with pytest.raises(PathError):
            await mia.move(old, new)
        assert (await mia.run({"command": "rename", "old_path": old, "new_path": new})).is_error
    assert await texts(mia) == {A: "mine", f"{SHARED}/policy.md": "text"}


async def test_a_folder_behind_a_mounted_one_is_hidden_and_unharmed(
    store: memoranda.Store, members: dict[str, Files]
) -> None:
    alone = store.memory("mia", tenant="acme").files
    await alone.write(f"{SHARED}/private", "mine")
    await alone.write(A, "mine too")
    assert await texts(members["mia"]) == {A: "mine too"}
    assert await members["mia"].read(f"{SHARED}/private") is None
    assert [file.path for file in (await members["mia"].smallest(1000))[0]] == [A]
    await members["mia"].write(f"{SHARED}/private", "shared")
    with pytest.raises(PathError):
        await members["mia"].remove(SHARED)
    assert await texts(alone) == {A: "mine too", f"{SHARED}/private": "mine"}


async def test_who_is_no_member_sees_nothing_of_a_mounted_folder(
    store: memoranda.Store, members: dict[str, Files]
) -> None:
    await members["mia"].write(f"{SHARED}/policy.md", "text")
    with pytest.raises(ForbiddenError):
        await store.memory("mallory", tenant="acme", mounts=MOUNTS).files.list()
    with pytest.raises(ScopeError):
        await store.memory("mallory", mounts=MOUNTS).files.list()


@pytest.mark.parametrize("name", ["a/b", ".", "..", ".hidden", " a", "a ", "cafe\u0301"])
def test_a_name_that_no_folder_can_have_is_not_mounted(name: str) -> None:
    store = memoranda.connect("")
    with pytest.raises(PathError):
        store.memory("alice", mounts={name: memoranda.Scope.organization()})


async def test_replacing_a_text_with_itself_makes_no_version(alice: memoranda.Memory) -> None:
    await alice.files.write("/memories/a.md", "one two")
    outcome = await alice.files.replace("/memories/a.md", "two", "two")
    assert (outcome.outcome, outcome.version) == ("unchanged", 1)
    assert len(await alice.files.history("/memories/a.md")) == 1


async def test_a_folder_has_no_version_to_expect(alice: memoranda.Memory) -> None:
    await alice.files.write("/memories/folder/a.md", "one")
    for expected in (0, 1):
        with pytest.raises((NotFoundError, ConflictError)):
            await alice.files.remove("/memories/folder", expected_version=expected)
    assert await alice.files.read("/memories/folder/a.md")
    await alice.files.remove("/memories/folder")
    assert await alice.files.read("/memories/folder/a.md") is None
