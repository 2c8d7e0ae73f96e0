"""Receipts of erasures: what they say, and what is found of them later."""

from __future__ import annotations

import pytest

import memoranda
from memoranda import Receipt
from memoranda.errors import InputError
from support.databases import Database


async def test_a_receipt_is_verified_later_and_knows_what_was_changed(
    store: memoranda.Store, database: Database
) -> None:
    mine = store.memory("alice")
    await mine.facts.save("Likes tea.", key="k")
    await mine.files.write("/memories/a.md", "text")
    receipt = await mine.erase()
    kept = Receipt.from_json(receipt.to_json())
    assert kept == receipt
    await mine.facts.save("Likes rum.", key="k")
    await mine.files.write("/memories/a.md", "text")
    assert (await store.verify(kept)).holds, "what came later is not what was erased"
    forged = Receipt.of({**kept.data, "counts": {**kept.data["counts"], "facts": 7}})
    assert not (await store.verify(forged)).genuine
    with database.admin() as conn:  # as when a backup is restored
        conn.execute("alter table memoranda_private.facts disable trigger all")
        conn.execute("update memoranda_private.facts set created_at = created_at - interval '1 day'")
    verified = await store.verify(kept)
    assert (verified.genuine, verified.holds, verified.left["facts"]) == (True, False, 1)


async def test_a_receipt_says_what_is_out_of_reach_and_until_when(alice: memoranda.Memory) -> None:
    receipt = await alice.erase()
    settings = {name for each in receipt.beyond for name in each.settings}
    assert {"wal_keep_size", "archive_mode", "autovacuum", "log_statement"} <= settings
    assert any("VACUUM FULL" in each.until for each in receipt.beyond)
    queries = {each["table"]: each["query"] for each in receipt.data["queries"]}
    assert set(queries) == set(receipt.left)
    assert all(query.startswith("select count(*) from memoranda_private.") for query in queries.values())


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"id": 1}', "null"])
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Receipt.from_json(text)


async def test_erasing_nothing_and_twice_is_no_error(store: memoranda.Store) -> None:
    for _ in range(2):
        assert not any((await store.memory("alice").erase()).counts.values())
        assert not any((await store.erase("bob")).counts.values())


async def test_an_organisation_is_no_user(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice")
    with pytest.raises(InputError):
        await store.erase(memoranda.name_id("tenant", "acme"))


async def test_a_source_is_named(alice: memoranda.Memory) -> None:
    with pytest.raises(InputError):
        await alice.erase("")
