"""Limits are set by the application's server, for one tenant or for all, and hold from the next write on."""

from __future__ import annotations

from typing import cast

import pytest

import memoranda
from memoranda.errors import ForbiddenError, InputError, QuotaError, TooLargeError
from memoranda.settings import Setting
from memoranda.transport import SERVICE, Caller, Json
from support.databases import Database


async def test_without_a_setting_the_documented_limits_hold(store: memoranda.Store) -> None:
    assert await store.memory("alice").settings() == {
        "fact_characters": 100_000,
        "facts": 100_000,
        "facts_per_source": 50_000,
        "file_characters": 100_000,
        "files": 1_000,
        "files_bytes": 10_000_000,
        "key_days": 30,
        "message_characters": 200_000,
        "model": "",
        "review": "untrusted",
    }


async def test_a_tenants_own_value_goes_before_that_of_all_and_each_can_be_taken_back(store: memoranda.Store) -> None:
    alice, bob = store.memory("alice"), store.memory("bob")
    await store.settings.set("files", 5)
    await store.settings.set("files", 7, user="alice")
    assert [(await memory.settings())["files"] for memory in (alice, bob)] == [7, 5]
    await store.settings.set("files", None, user="alice")
    await store.settings.set("files", None)
    assert [(await memory.settings())["files"] for memory in (alice, bob)] == [1_000, 1_000]


async def test_each_limit_is_kept_and_what_was_stored_before_stays(store: memoranda.Store) -> None:
    memory = store.memory("alice")
    await memory.files.write("/memories/long.md", "x" * 50)
    await memory.facts.save("y" * 50, key="long")
    await store.settings.set("file_characters", 10, user="alice")
    await store.settings.set("fact_characters", 20, user="alice")
    with pytest.raises(TooLargeError, match="at most 10 characters"):
        await memory.files.write("/memories/new.md", "x" * 11)
    with pytest.raises(TooLargeError, match="at most 20 characters"):
        await memory.facts.save("y" * 21, key="new")
    await store.settings.set("file_characters", 200_000, user="alice")
    await memory.files.write("/memories/longer.md", "x" * 150_000)
    await store.settings.set("files_bytes", 150_060, user="alice")
    with pytest.raises(QuotaError, match="150060 bytes"):
        await memory.files.write("/memories/more.md", "x" * 20)
    await store.settings.set("files", 2, user="alice")
    with pytest.raises(QuotaError, match="at most 2,"):
        await memory.files.write("/memories/z.md", "")
    assert [entry.path for entry in await memory.files.list()] == ["/memories/long.md", "/memories/longer.md"]
    assert (await memory.facts.recall())[0].content == "y" * 50
    await store.memory("bob").files.write("/memories/long.md", "x" * 11)


@pytest.mark.parametrize("value", [0, -1, 10**9, 1.5, "7", True, {}])
async def test_a_value_out_of_its_bounds_is_refused(store: memoranda.Store, value: object) -> None:
    with pytest.raises(InputError, match="whole number from 1 to 100000"):
        await store.settings.set("files", cast("int", value))


async def test_a_policy_is_one_of_its_names(store: memoranda.Store) -> None:
    await store.settings.set("review", "all", user="alice")
    assert (await store.memory("alice").settings())["review"] == "all"
    for wrong in ("ALL", "", 1):
        with pytest.raises(InputError, match="Review is one of: untrusted, all, none"):
            await store.settings.set("review", wrong)
    with pytest.raises(InputError, match="whole number"):
        await store.settings.set("facts", "all")


async def test_an_organisations_setting_holds_for_its_members(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice")
    await store.settings.set("files", 3, tenant="acme")
    assert (await store.memory("alice", tenant="acme").settings())["files"] == 3
    assert (await store.memory("alice").settings())["files"] == 1_000
    with pytest.raises(InputError, match="not for both"):
        await store.settings.set("files", 3, tenant="acme", user="alice")


async def test_an_unknown_setting_is_refused(store: memoranda.Store) -> None:
    with pytest.raises(InputError, match="no such setting"):
        await store.settings.set(cast("Setting", "reviews"), 1)


@pytest.mark.parametrize("tenant", ["", " ", 5, [], "00000000-0000-0000-0000-000000000000"])
async def test_a_tenant_that_names_nobody_is_not_everybody(store: memoranda.Store, tenant: Json) -> None:
    with pytest.raises(InputError, match="named by its id"):
        await store.transport.call(
            "settings_set", {"setting": {"tenant": tenant, "name": "files", "value": 1}}, SERVICE
        )
    assert (await store.memory("alice").settings())["files"] == 1_000


async def test_no_user_sets_anything(store: memoranda.Store, database: Database) -> None:
    user = Caller("authenticated", {"sub": "alice"})
    with pytest.raises(ForbiddenError):
        await store.transport.call("settings_set", {"setting": {"name": "files", "value": 1}}, user)
