"""Documents: versions that never come again, expiry, whose they are, and who reaches them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import ConflictError, ForbiddenError, IdempotencyError, IdentityError, InputError, TooLargeError
from memoranda.transport import Caller, Json
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database

SOON = timedelta(milliseconds=1)


@pytest.fixture(scope="module")
def shared(server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def store(shared: Database) -> AsyncIterator[memoranda.Store]:
    async with memoranda.connect(shared.dsn()) as opened:
        yield opened


@pytest.fixture
def user() -> UUID:
    """Each test has a user of its own, in one database."""
    return uuid4()


async def text(store: memoranda.Store, user: UUID, key: str = "k", scope: Scope | None = None) -> str | None:
    found = await store.documents.get(user, key, scope=scope)
    return found.content if found else None


async def test_what_is_put_is_read_until_it_is_deleted(store: memoranda.Store, user: UUID) -> None:
    assert await store.documents.get(user, "k") is None
    first = await store.documents.put(user, "k", "one")
    found = await store.documents.get(user, "k")
    assert found is not None
    assert (found.content, found.version, found.info) == ("one", first.version, first)
    second = await store.documents.put(user, "k", "two\0 \ud800")
    assert (await text(store, user), second.created_at) == ("two �", first.created_at)
    assert second.version > first.version
    assert second.updated_at > first.updated_at
    assert await store.documents.delete(user, "k") is True
    assert await store.documents.delete(user, "k") is False
    assert await text(store, user) is None


async def test_a_write_may_insist_on_the_version_it_has_read(store: memoranda.Store, user: UUID) -> None:
    documents = store.documents
    first = await documents.put(user, "k", "one", expected_version=0)
    for version in (0, first.version + 1, 1):
        with pytest.raises(ConflictError):
            await documents.put(user, "k", "two", expected_version=version)
        if version:
            with pytest.raises(ConflictError):
                await documents.delete(user, "k", expected_version=version)
    with pytest.raises(ConflictError):
        await documents.put(user, "other", "two", expected_version=first.version)
    assert [info.key for info in await documents.list(user)] == ["k"]
    second = await documents.put(user, "k", "two", expected_version=first.version)
    assert await documents.delete(user, "k", expected_version=second.version) is True


async def test_of_writers_at_once_one_wins(store: memoranda.Store, user: UUID) -> None:
    async def put(n: int, version: int) -> bool:
        try:
            await store.documents.put(user, "k", str(n), expected_version=version)
        except ConflictError:
            return False
        return True

    for _ in range(3):
        there = await store.documents.get(user, "k")
        won = await asyncio.gather(*(put(n, there.version if there else 0) for n in range(8)))
        assert sum(won) == 1
        assert await text(store, user) == str(won.index(True))


async def test_a_version_never_comes_again(store: memoranda.Store, user: UUID) -> None:
    """Whoever holds an old version can't take a new document for the one that it has read."""
    seen = {(await store.documents.put(user, "k", "one")).version}
    await store.documents.delete(user, "k")
    seen.add((await store.documents.put(user, "k", "one")).version)
    seen.add((await store.documents.put(user, "k", "one", expires_in=SOON)).version)
    seen.add((await store.documents.put(user, "k", "one", expires_in=SOON)).version)
    await store.purge()
    seen.add((await store.documents.put(user, "k", "one")).version)
    await store.erase(user)
    last = (await store.documents.put(user, "k", "one")).version
    assert len(seen) == 5
    assert last > max(seen)


async def test_what_has_expired_is_not_there_and_is_purged(store: memoranda.Store, user: UUID) -> None:
    documents = store.documents
    first = await documents.put(user, "k", "gone", expires_in=SOON)
    assert first.expires_at is not None
    await asyncio.sleep(0.01)  # the time has passed then, however slow the machine is
    assert await text(store, user) is None
    assert await documents.list(user) == []
    assert await documents.delete(user, "k") is False, "what has expired was not there any more"
    await documents.put(user, "k", "gone", expires_in=SOON)
    await asyncio.sleep(0.01)
    with pytest.raises(ConflictError):
        await documents.put(user, "k", "new", expected_version=first.version)
    new = await documents.put(user, "k", "new", expected_version=0, expires_in=timedelta(days=1))
    assert (await documents.put(user, "k", "newer", expected_version=new.version)).expires_at is None, "it was left out"
    await documents.put(user, "old", "gone", expires_in=SOON)
    await asyncio.sleep(0.01)
    assert (await store.expired()).documents >= 1
    assert (await store.purge(batch=1)).documents >= 1
    assert (await store.expired()).documents == 0
    assert await text(store, user) == "newer"


async def test_a_repeated_write_is_not_done_again(store: memoranda.Store, user: UUID) -> None:
    documents = store.documents
    first = await documents.put(user, "k", "one", idempotency_key="w")
    await documents.put(user, "k", "two")
    assert (await documents.put(user, "k", "one", idempotency_key="w")).version == first.version
    assert await text(store, user) == "two"
    with pytest.raises(IdempotencyError):
        await documents.put(user, "k", "three", idempotency_key="w")
    assert await documents.delete(user, "k", idempotency_key="d") is True
    await documents.put(user, "k", "four")
    assert await documents.delete(user, "k", idempotency_key="d") is True
    assert await text(store, user) == "four"


async def test_they_are_listed_by_their_keys_a_page_at_a_time(store: memoranda.Store, user: UUID) -> None:
    keys = ["a", "b/1", "b/2", "b%", "B", "é"]
    for key in keys:
        await store.documents.put(user, key, key)
    ordered = sorted(keys)
    assert [info.key for info in await store.documents.list(user)] == ordered
    first = await store.documents.list(user, limit=4)
    rest = await store.documents.list(user, after=first[-1].key)
    assert [info.key for info in (*first, *rest)] == ordered
    assert [info.key for info in await store.documents.list(user, prefix="b/")] == ["b/1", "b/2"]
    assert [info.key for info in await store.documents.list(user, prefix="b%")] == ["b%"]


async def test_each_scope_and_each_user_has_its_own(store: memoranda.Store, user: UUID) -> None:
    other = uuid4()
    scopes = [None, Scope.agent("a"), Scope.agent("b"), Scope.project("a")]
    for number, scope in enumerate(scopes):
        await store.documents.put(user, "k", str(number), scope=scope)
    assert [await text(store, user, scope=scope) for scope in scopes] == ["0", "1", "2", "3"]
    assert await text(store, other) is None
    assert await store.documents.delete(other, "k") is False
    assert [info.key for info in await store.documents.list(user, scope=Scope.agent("a"))] == ["k"]


async def test_an_organisations_documents_need_a_member(store: memoranda.Store, user: UUID) -> None:
    tenant, member, stranger = uuid4(), uuid4(), uuid4()
    await store.members.set(tenant, user, "manage")
    await store.members.set(tenant, member, "read")
    shared = Scope.organization()
    await store.documents.put(user, "k", "ours", tenant=tenant, scope=shared)
    found = await store.documents.get(member, "k", tenant=tenant, scope=shared)
    assert found is not None
    assert found.content == "ours"
    with pytest.raises(ForbiddenError):
        await store.documents.put(member, "k", "mine", tenant=tenant, scope=shared)
    for who in (member, stranger):
        await store.members.remove(tenant, member)
        with pytest.raises(ForbiddenError):
            await store.documents.get(who, "k", tenant=tenant, scope=shared)


async def test_erasing_takes_them_too(store: memoranda.Store, user: UUID) -> None:
    await store.documents.put(user, "k", "one", scope=Scope.agent("a"), idempotency_key="w")
    await store.documents.put(user, "k", "one")
    receipt = await store.memory(user, scope=Scope.agent("a")).erase()
    assert receipt.counts["documents"] == 1
    assert await text(store, user, scope=Scope.agent("a")) is None
    with pytest.raises(memoranda.MemorandaError, match="erased"):
        await store.documents.put(user, "k", "one", scope=Scope.agent("a"), idempotency_key="w")
    receipt = await store.erase(user)
    assert receipt.counts["documents"] == 1
    assert (await store.verify(receipt)).holds
    assert await text(store, user) is None


async def test_no_user_reaches_one(store: memoranda.Store, user: UUID) -> None:
    await store.documents.put(user, "k", "one")
    arguments: dict[str, Json] = {"document": {"user": str(user), "key": "k", "content": "forged"}}
    caller = Caller("authenticated", {"sub": str(user), "role": "authenticated"})
    for function in ("documents_get", "documents_put", "documents_delete", "documents_list"):
        with pytest.raises(ForbiddenError):
            await store.transport.call(function, arguments, caller)
    assert await store.memory(user).facts.recall() == []


async def test_what_is_not_acceptable_is_refused(store: memoranda.Store, user: UUID) -> None:
    documents = store.documents
    for key in ("", "k" * 1025, "nul\0"):
        with pytest.raises(InputError):
            await documents.put(user, key, "one")
    with pytest.raises(TooLargeError):
        await documents.put(user, "k", "x" * 1_000_001)
    with pytest.raises(InputError):
        await documents.put(user, "k", "one", expires_in=timedelta())
    with pytest.raises(IdentityError):
        await documents.put("", "k", "one")
    assert (await documents.put(user, "k" * 1024, "")).key == "k" * 1024


async def test_the_identity_is_lent_for_one_call(store: memoranda.Store, user: UUID) -> None:
    await store.documents.put(user, "k", "one")
    service = Caller("service_role", {"role": "service_role"})
    with pytest.raises(IdentityError):
        await store.transport.call("facts_recall", {"place": {}, "query": {}}, service)


def test_without_await(shared: Database, user: UUID) -> None:
    from memoranda.sync import connect

    with connect(shared.dsn()) as store:
        info = store.documents.put(user, "k", "one")
        found = store.documents.get(user, "k")
        assert found is not None
        assert (found.content, found.version) == ("one", info.version)
