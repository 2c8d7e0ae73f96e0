"""Files of several scopes together: each path lies in exactly one, and a mounted folder has its own rules."""

from __future__ import annotations

import pytest

import memoranda
from memoranda.errors import ForbiddenError, PathError, ScopeError
from memoranda.files import Files
from support.files import texts

A, B = "/memories/a", "/memories/b"
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
