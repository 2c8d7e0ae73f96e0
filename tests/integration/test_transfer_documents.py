"""Documents in exports and imports: they go by the application's server alone, and come back with their versions."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import ImportedRow, Scope
from memoranda.errors import ConflictError, ForbiddenError
from memoranda.transport import Caller
from support.canary import rows
from support.databases import Database
from support.messages import shared, store, user

__all__ = ["shared", "store", "user"]


def there(database: Database, user: UUID) -> list[Any]:
    return [row for row in rows(database)["documents"] if f"'owner_id': '{user}'" in row]


async def filled(store: memoranda.Store, user: UUID) -> list[str]:
    """Documents in two scopes, and nothing else; an export of them."""
    await store.documents.put(user, "state", "one")
    await store.documents.put(user, "state", "two")
    await store.documents.put(user, "big", "x" * 900_000)
    await store.documents.put(user, "bigger", "y" * 900_000)
    await store.documents.put(user, "biggest", "z" * 900_000)  # more than a page of two megabytes
    await store.documents.put(user, "session", "{}", scope=Scope.agent("a"), expires_in=timedelta(days=9))
    return [line async for line in store.export(user)]


async def test_documents_come_back_as_they_were_twice_over(
    store: memoranda.Store, user: UUID, shared: Database
) -> None:
    lines = await filled(store, user)
    before, kept = there(shared, user), await store.documents.get(user, "state")
    for _ in range(2):
        await store.erase(user)
        assert there(shared, user) == []
        assert (await store.import_(user, lines, restore=True)).counts == {"document": {"restored": 5}}
        assert there(shared, user) == before
        assert (await store.import_(user, lines, restore=True)).counts == {"document": {"duplicate": 5}}
    assert kept
    changed = await store.documents.put(user, "state", "three", expected_version=kept.version)
    assert changed.version > kept.version
    report: list[ImportedRow] = []
    await store.import_(user, lines, restore=True, report=report.append)
    assert [(each.name, each.outcome) for each in report if each.outcome != "duplicate"] == [("state", "differs")]


async def test_documents_of_somebody_else_come_in_where_none_stands(store: memoranda.Store, user: UUID) -> None:
    lines, other = await filled(store, user), uuid4()
    await store.documents.put(other, "state", "their own")
    dry = await store.import_(other, lines, dry_run=True)
    assert [each.key for each in await store.documents.list(other)] == ["state"]
    done = await store.import_(other, lines)
    assert done.counts == dry.counts == {"document": {"stored": 4, "kept": 1}}
    state, big = [await store.documents.get(other, key) for key in ("state", "big")]
    assert state
    assert big
    assert (state.content, big.content[:2]) == ("their own", "xx")
    assert len(await store.documents.list(other, scope=Scope.agent("a"))) == 1
    assert (await store.import_(other, lines)).counts == {"document": {"duplicate": 4, "kept": 1}}


async def test_who_puts_or_deletes_one_during_an_export_is_noticed(store: memoranda.Store, user: UUID) -> None:
    await filled(store, user)
    for change in (
        lambda: store.documents.put(user, "state", "meanwhile"),
        lambda: store.documents.delete(user, "state"),
    ):
        lines = aiter(store.export(user))
        while '"big"' not in await anext(lines):
            pass
        await change()
        with pytest.raises(ConflictError):
            [line async for line in lines]


async def test_a_user_reaches_no_document_by_an_export(store: memoranda.Store, user: UUID) -> None:
    await filled(store, user)
    memory = store.memory(user)
    for lines in (memory.export(), store.export(user, documents=False)):
        kinds = [json.loads(line) async for line in lines]
        assert [each.get("type") for each in kinds] == [None, "scope", "end"]
        assert kinds[0]["documents"] is False
    arguments: Any = {"document": {"user": str(user)}, "page": {"kind": "document"}}
    with pytest.raises(ForbiddenError):
        await store.transport.call("documents_export", arguments, Caller.of(memory.identity))
    with pytest.raises(memoranda.MemorandaError):
        await memory._binding.call("export_page", {"page": {"kind": "document"}})  # pyright: ignore[reportPrivateUsage]
