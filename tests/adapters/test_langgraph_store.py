"""The LangGraph store: what LangGraph's own stores do, and that it never reaches beyond the user whom a call serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

import memoranda
import memoranda.sync
from memoranda import Scope
from memoranda.agents import AgentOptions, AgentRun
from memoranda.errors import InputError, ScopeError
from memoranda_langchain import MemorandaStore
from memoranda_langchain.tools import current
from support.databases import Database, create_database, drop_database
from support.embedders import words_embedder


@pytest.fixture(scope="module")
def shared(server: Any, template: str) -> Iterator[Database]:
    """One database for the module: each test has a user of its own."""
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture(scope="module")
async def opened(shared: Database) -> AsyncIterator[memoranda.Store]:
    async with memoranda.connect(shared.dsn(), embedder=words_embedder()) as store:
        yield store


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)[:100]


@pytest.fixture
def mine(opened: memoranda.Store, user: str) -> memoranda.Memory:
    return opened.memory(user, scope=Scope.agent("store"))


@pytest.fixture
def items(mine: memoranda.Memory) -> MemorandaStore:
    return MemorandaStore(mine)


def keys(found: Any) -> list[str]:
    return [item.key for item in found]


async def test_what_is_put_is_got_and_replaced_and_deleted(items: MemorandaStore) -> None:
    place, before = ("docs", "alice"), datetime.now(UTC) - timedelta(minutes=1)
    value = {"text": "héllo", "n": 1, "deep": {"list": [1, None, True, "x"]}, "none": None}
    await items.aput(place, "k", value)
    item = await items.aget(place, "k")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (place, "k", value)
    assert before < item.created_at <= item.updated_at
    await items.aput(place, "k", {"text": "other"})
    again = await items.aget(place, "k")
    assert again is not None
    assert again.value == {"text": "other"}
    assert again.updated_at > item.updated_at
    assert await items.aget(place, "other") is None
    assert await items.aget(("docs",), "k") is None
    await items.adelete(place, "k")
    await items.adelete(place, "k")
    assert await items.aget(place, "k") is None
    assert await items.asearch(("docs",)) == []
    assert await items.alist_namespaces() == []
    await items.aput(place, "k", {"text": "other"})  # what was deleted can be put again
    assert await items.aget(place, "k") is not None
    assert (await put_and_get(items, ("docs",), {})).value == {}


async def put_and_get(items: MemorandaStore, place: tuple[str, ...], value: dict[str, Any]) -> Any:
    await items.aput(place, "one", value)
    return await items.aget(place, "one")


async def test_equal_values_under_several_keys_are_several_items(items: MemorandaStore) -> None:
    for key in ("a", "b"):
        for place in (("x",), ("x", "y"), ("y",)):
            await items.aput(place, key, {"text": "the same"})
    assert sorted((item.namespace, item.key) for item in await items.asearch(())) == [
        (place, key) for place in (("x",), ("x", "y"), ("y",)) for key in ("a", "b")
    ]


async def test_a_batch_reads_before_it_writes_and_its_last_put_counts(items: MemorandaStore) -> None:
    await items.aput(("a",), "k", {"n": 1})
    results = await items.abatch(
        [
            PutOp(("a",), "k", {"n": 2}),
            GetOp(("a",), "k"),
            SearchOp(("a",)),
            ListNamespacesOp(),
            PutOp(("a",), "k", {"n": 3}),
            PutOp(("b",), "k", {"n": 4}),
            PutOp(("b",), "k", None),
        ]
    )
    assert results[0] is results[4] is results[5] is None
    assert results[1].value == {"n": 1}  # type: ignore[union-attr]
    assert [item.value for item in results[2]] == [{"n": 1}]  # type: ignore[union-attr]
    assert results[3] == [("a",)]
    assert (await items.aget(("a",), "k")).value == {"n": 3}  # type: ignore[union-attr]
    assert await items.aget(("b",), "k") is None


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"kind": "article"}, ["a", "b"]),
    ({"kind": "article", "n": 2}, ["b"]),
    ({"n": {"$gt": 1}}, ["b", "c"]),
    ({"n": {"$gte": 2, "$lt": 3}}, ["b"]),
    ({"n": {"$lte": 1}}, ["a"]),
    ({"n": {"$ne": 2}}, ["a", "c", "d"]),
    ({"kind": {"$eq": "note"}}, ["c"]),
    ({"deep": {"x": 1}}, ["a"]),
    ({"deep": {"x": {"$gt": 1}}}, ["b"]),
    ({"tags": ["p", "q"]}, ["c"]),
    ({"on": True}, ["d"]),
    ({"kind": {"$gt": "b"}}, ["c"]),
    ({"absent": "x"}, []),
]


@pytest.fixture(scope="module")
async def filtered(opened: memoranda.Store) -> MemorandaStore:
    items = MemorandaStore(opened.memory("of filters", scope=Scope.agent("store")))
    values: dict[str, dict[str, Any]] = {
        "a": {"kind": "article", "n": 1, "deep": {"x": 1}, "on": 1},
        "b": {"kind": "article", "n": 2.0, "deep": {"x": 2, "y": 1}},
        "c": {"kind": "note", "n": 3, "tags": ["p", "q"]},
        "d": {"on": True, "n": "text"},
    }
    await items.abatch([PutOp(("docs",), key, value) for key, value in values.items()])
    return items


@pytest.mark.parametrize(("asked", "expected"), FILTERS, ids=str)
async def test_a_filter_is_met_with_and_without_a_query(
    filtered: MemorandaStore, asked: dict[str, Any], expected: list[str]
) -> None:
    assert sorted(keys(await filtered.asearch(("docs",), filter=asked))) == expected
    assert sorted(keys(await filtered.asearch(("docs",), filter=asked, query="article"))) == expected


async def test_an_unknown_operator_is_refused(filtered: MemorandaStore) -> None:
    for query in (None, "article"):
        with pytest.raises(InputError, match="operator"):
            await filtered.asearch(("docs",), filter={"n": {"$regex": ".*"}}, query=query)


async def test_pages_of_a_search(items: MemorandaStore) -> None:
    await items.abatch([PutOp(("docs", str(n % 2)), f"{n:04}", {"n": n}) for n in range(230)])
    await items.aput(("docs", "last"), "newest", {"n": -1})
    assert keys(await items.asearch(("docs",), limit=1)) == ["newest"]
    paged = [key for start in range(0, 240, 40) for key in keys(await items.asearch(("docs",), limit=40, offset=start))]
    assert sorted(paged) == [*(f"{n:04}" for n in range(230)), "newest"]
    assert len(await items.asearch(("docs", "1"), limit=1000)) == 115
    assert await items.asearch(("docs",), offset=231) == []
    assert len(await items.asearch(("docs",), query="n", limit=20, offset=10)) == 20


async def test_a_query_finds_by_meaning_within_a_namespace(items: MemorandaStore) -> None:
    await items.aput(("u", "food"), "1", {"content": "likes green tea"})
    await items.aput(("u", "food"), "2", {"content": "hates cold soup"})
    await items.aput(("u2", "food"), "3", {"content": "likes green tea"})
    found = await items.asearch(("u",), query="green tea")
    assert keys(found) == ["1", "2"]
    assert found[0].score is not None
    assert found[1].score is not None
    assert found[0].score > found[1].score
    assert [item.score for item in await items.asearch(("u",))] == [None, None]


async def test_what_is_indexed_is_for_the_item_to_say(opened: memoranda.Store, user: str) -> None:
    items = MemorandaStore(opened.memory(user), fields=["text", "parts[*].text"])
    value = {"text": "apples", "parts": [{"text": "pears"}, {"text": "plums"}], "secret": "walnut"}
    await items.aput(("a",), "default", value)
    await items.aput(("a",), "never", value, index=False)
    await items.aput(("a",), "secret", value, index=["secret"])
    assert keys(await items.asearch(("a",), query="plums", limit=1)) == ["default"]
    assert keys(await items.asearch(("a",), query="walnut", limit=1)) == ["secret"]
    assert sorted(keys(await items.asearch(("a",), query="walnut"))) == ["default", "secret"]
    assert sorted(keys(await items.asearch(("a",)))) == ["default", "never", "secret"]
    assert (await items.aget(("a",), "never")).value == value  # type: ignore[union-attr]
    facts = await opened.memory(user).facts.recall()
    assert sorted(fact.content for fact in facts)[1:] == ["apples\npears\nplums", "walnut"]
    assert sorted(fact.content for fact in facts)[0].startswith("An item that is not searched")


async def test_namespaces_are_listed_as_langgraphs_own_store_lists_them(items: MemorandaStore) -> None:
    places = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("ä", "*")]
    theirs = InMemoryStore()
    for place in places:
        for key in ("1", "2"):
            await items.aput(place, key, {})
            theirs.put(place, key, {})
    asked: list[dict[str, Any]] = [
        {},
        {"prefix": ("a", "b")},
        {"prefix": ("a", "*", "f")},
        {"suffix": ("f",)},
        {"suffix": ("d", "*")},
        {"prefix": ("a",), "suffix": ("f",), "max_depth": 2},
        {"max_depth": 3},
        {"prefix": ("a", "b"), "max_depth": 3, "limit": 2, "offset": 1},
        {"prefix": ("b",)},
        {"prefix": ("a", "b", "c", "d", "e")},
        {"suffix": ("a", "b", "c", "d", "e")},
    ]
    for each in asked:
        assert await items.alist_namespaces(**each) == theirs.list_namespaces(**each), each
    with pytest.raises(InputError, match="matched"):
        await items.abatch([ListNamespacesOp((MatchCondition("middle", ("a",)),))])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def test_items_live_as_long_as_they_say_and_reading_them_begins_that_anew(
    opened: memoranda.Store, mine: memoranda.Memory
) -> None:
    items = MemorandaStore(mine, ttl={"default_ttl": 60.0, "refresh_on_read": False})

    async def minutes(key: str) -> float | None:
        (fact,) = [fact for fact in await mine.facts.recall() if fact.metadata["key"] == key]
        return None if fact.expires_at is None else (fact.expires_at - datetime.now(UTC)) / timedelta(minutes=1)

    await items.aput(("a",), "default", {"n": 1})
    await items.aput(("a",), "forever", {"n": 1}, ttl=None)
    await items.aput(("a",), "short", {"n": 1}, ttl=0.5)
    assert 59 < (await minutes("default") or 0) <= 60
    assert await minutes("forever") is None
    assert 0.2 < (await minutes("short") or 0) <= 0.5
    (fact,) = [fact for fact in await mine.facts.recall() if fact.metadata["key"] == "default"]
    aged = memoranda.NewFact(
        fact.content,
        key=fact.key,
        tags=fact.tags,
        entities=fact.entities,
        metadata=fact.metadata,
        expires_at=datetime.now(UTC) + timedelta(minutes=30),
    )
    await mine.facts.save_many([aged])
    assert await items.aget(("a",), "default") is not None
    assert (await minutes("default") or 0) < 31
    assert len(await items.asearch(("a",), refresh_ttl=True)) == 3
    assert 59 < (await minutes("default") or 0) <= 60
    assert await minutes("forever") is None
    with pytest.raises(InputError, match="time to live"):
        await items.aput(("a",), "k", {}, ttl=0)
    gone = memoranda.NewFact(
        fact.content, key=fact.key, metadata=fact.metadata, expires_at=datetime(2020, 1, 1, tzinfo=UTC)
    )
    await mine.facts.save_many([gone])
    assert await items.aget(("a",), "default") is None


HOSTILE = [
    ("users", "bob"),
    ("..", "bob"),
    ("%", "_"),
    ("*",),
    ("a/b", "c\\d", '"]}'),
    ("' or 1=1 --",),
    ("user:bob", "{user_id}"),
    ("\u202ebob", "b\u0130b"),
    tuple("x" * 40),
]


@pytest.mark.parametrize("place", HOSTILE, ids=repr)
async def test_a_namespace_reaches_nobody_else_and_no_other_namespace(
    opened: memoranda.Store, user: str, place: tuple[str, ...]
) -> None:
    mine, bobs = (MemorandaStore(opened.memory(f"{who} of {hash(user)}")) for who in ("alice", "bob"))
    await bobs.abatch([PutOp(place, "k", {"text": "bob's"}), PutOp(("plain",), "k", {"text": "bob's"})])
    assert await mine.abatch([GetOp(place, "k"), SearchOp(place, query="bob's"), SearchOp(()), ListNamespacesOp()]) == [
        None,
        [],
        [],
        [],
    ]
    await mine.abatch([PutOp(place, "k", None), PutOp(("plain",), "k", {"text": "alice's"})])
    (kept, other) = await bobs.abatch([GetOp(place, "k"), SearchOp(place)])
    assert kept.value == {"text": "bob's"}  # type: ignore[union-attr]
    assert keys(other) == ["k"]
    assert await mine.abatch([SearchOp(place)]) == [[]]
    assert await bobs.alist_namespaces() == sorted([place, ("plain",)])


async def test_what_is_no_namespace_is_refused(items: MemorandaStore) -> None:
    for place in ((), ("langgraph", "x"), ("a.b",), ("",), ("a\0",), (1,)):
        with pytest.raises(InvalidNamespaceError):
            await items.aput(place, "k", {})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    for op in (GetOp(("a", ""), "k"), PutOp(("\ud800",), "k", {}), SearchOp((1,)), PutOp(("a",), "k\0", {})):  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        with pytest.raises(InputError):
            await items.abatch([op])
    with pytest.raises(InputError, match="JSON"):
        await items.aput(("a",), "k", {"x": object()})
    with pytest.raises(InputError, match="mapping"):
        await items.aput(("a",), "k", [1])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError):
        await items.aput(tuple("x" * 60), "k", {})
    assert await items.asearch(()) == []


async def test_two_writers_leave_one_whole_value(items: MemorandaStore) -> None:
    async def write(who: int) -> None:
        for n in range(5):
            await items.aput(("a",), "k", {"who": who, "n": n, "text": f"{who}.{n}"})
            await items.aput(("a",), f"own-{who}", {"n": n})

    await asyncio.gather(write(1), write(2))
    item = await items.aget(("a",), "k")
    assert item is not None
    assert item.value["n"] == 4
    assert item.value["text"] == f"{item.value['who']}.4"
    assert sorted(keys(await items.asearch(("a",)))) == ["k", "own-1", "own-2"]


async def test_what_the_user_has_forgotten_is_not_put_again(
    mine: memoranda.Memory, items: MemorandaStore, caplog: pytest.LogCaptureFixture
) -> None:
    await items.aput(("a",), "k", {"content": "likes liquorice"})
    (fact,) = await mine.facts.recall()
    await mine.facts.forget(fact.id)
    await items.aput(("a",), "k2", {"content": "likes liquorice"})
    assert await items.aget(("a",), "k2") is None
    assert "tombstone" in caplog.text
    assert "liquorice" not in caplog.text


async def test_facts_beside_the_items_are_none(opened: memoranda.Store, user: str) -> None:
    memory = opened.memory(user)
    items = MemorandaStore(memory)
    await items.aput(("a",), "k", {"content": "likes tea"})
    (fact,) = await memory.facts.recall()
    await memory.facts.save(
        "Has a boat.", tags=fact.tags, entities=[*fact.entities, "namespace:zz"], metadata=fact.metadata
    )
    assert keys(await items.asearch(())) == ["k"]
    assert keys(await items.asearch((), query="boat")) == ["k"]
    assert await items.alist_namespaces() == [("a",)]
    assert "likes tea" in (await memory.context()).text


def test_without_await(shared: Database) -> None:
    with memoranda.sync.connect(shared.dsn(), embedder=words_embedder()) as store:
        items = MemorandaStore(store.memory("without await"))
        items.put(("a",), "k", {"text": "tea"}, ttl=5)
        assert keys(items.search(("a",), query="tea", filter={"text": "tea"})) == ["k"]
        assert items.list_namespaces() == [("a",)]
        items.delete(("a",), "k")
        assert items.get(("a",), "k") is None
        assert asyncio.run(items.aget(("a",), "k")) is None


async def test_what_it_is_made_with(opened: memoranda.Store, mine: memoranda.Memory) -> None:
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (opened, {}),
        (mine, {"identity": str}),
        (mine, {"scope": Scope.user()}),
        (mine, {"fields": "text"}),
    ]
    for given, options in wrong:
        with pytest.raises(InputError):
            MemorandaStore(given, **options)
    with pytest.raises(ScopeError):
        MemorandaStore(opened, identity=lambda _: "alice", scope="user")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="await"):
        MemorandaStore(mine).get(("a",), "k")


async def test_a_store_of_one_memory_serves_no_run_and_reading_makes_nothing_clean(
    opened: memoranda.Store, mine: memoranda.Memory
) -> None:
    tainted = opened.memory(mine.identity.user, run_id="read a page", scope=mine.scope)
    await tainted.taint("https://example.com")
    items = MemorandaStore(mine, ttl={"default_ttl": 60.0, "refresh_on_read": True})
    await items.aput(("a",), "clean", {"n": 1})
    await MemorandaStore(tainted, ttl={"default_ttl": 60.0}).aput(("a",), "tainted", {"n": 1})
    (waiting,) = await mine.review.pending()
    await mine.review.approve(waiting.fact.id)
    for memory, key in ((mine, "clean"), (tainted, "tainted")):  # half of their time is over
        (fact,) = [fact for fact in await mine.facts.recall() if fact.metadata["key"] == key]
        until = datetime.now(UTC) + timedelta(minutes=30)
        aged = memoranda.NewFact(
            fact.content, key=fact.key, tags=fact.tags, entities=fact.entities, metadata=fact.metadata, expires_at=until
        )
        await memory.facts.save_many([aged])
    (waiting,) = await mine.review.pending()
    await mine.review.approve(waiting.fact.id)
    before = {fact.metadata["key"]: fact for fact in await mine.facts.recall()}
    assert len(await items.asearch(("a",), refresh_ttl=True)) == 2
    after = {fact.metadata["key"]: fact for fact in await mine.facts.recall()}
    assert after["clean"].version > before["clean"].version
    assert after["tainted"] == before["tainted"]
    assert after["tainted"].tainted
    token = current.set(AgentRun(tainted, AgentOptions()))
    try:
        with pytest.raises(InputError, match="single memory"):
            await items.aget(("a",), "k")
    finally:
        current.reset(token)
