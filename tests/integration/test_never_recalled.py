"""What must never come back: from every read, with what must come back in the same test.

A fact that is superseded (by its key, by a link, as a duplicate), rejected, forgotten, expired, not true yet or no
longer, waiting for review, or of another scope, tenant or user says so in its content, and so does its name. Those
under a tombstone have been offered again. Files likewise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

import pytest

import memoranda
from memoranda import NewFact, Scope
from memoranda.factreads import NotInForce
from support.databases import Database
from support.embedders import words_embedder

PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=9)
THERE = ("in force", "since long", "until later", "expiring later")
HIDDEN: dict[str, NotInForce] = {
    "was replaced": "superseded",
    "was linked": "superseded",
    "was merged": "superseded",
    "was struck": "superseded",
    "was rejected": "rejected",
    "was forgotten": "forgotten",
    "has expired": "expired",
    "begins later": "upcoming",
    "has ended": "ended",
    "is pending": "pending",
}
"""What is not in force, and by which name a timeline includes it."""
ELSEWHERE = ("of another scope", "of the organisation", "of another tenant", "of bob")


def fact(what: str, key: str | None = None, **more: Any) -> NewFact:
    names = ["Zebra", f"Name {what}"]
    return NewFact(f"zebra {what}", key=key or f"key {what}", tags=["zebra"], entities=names, **more)


@dataclass
class World:
    memory: memoranda.Memory
    store: memoranda.Store
    ids: Mapping[str, UUID]


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        await store.members.set("acme", "alice", "manage")
        alice = store.memory("alice")
        ids: dict[str, UUID] = {}

        async def save(what: str, memory: memoranda.Memory = alice, **more: Any) -> None:
            (outcome,) = await memory.facts.save_many([fact(what, **more)])
            assert outcome.id
            ids[what] = outcome.id

        await save("was struck", key="key in force", valid_from=PAST)
        await save("was replaced", key="key in force")
        for what in ("in force", "was linked", "was forgotten"):
            await save(what)
        await save("since long", valid_from=PAST)
        await save("until later", valid_until=FUTURE)
        await save("expiring later", expires_at=FUTURE)
        await save("has expired", expires_at=PAST)
        await save("begins later", valid_from=FUTURE)
        await save("has ended", valid_until=PAST)
        await save("of another scope", store.memory("alice", scope=Scope.agent("x")))
        await save("of the organisation", store.memory("alice", tenant="acme", scope=Scope.organization()))
        await save("of another tenant", store.memory("alice", tenant="acme"))
        await save("of bob", store.memory("bob"))
        await alice.facts.supersede(ids["was linked"], ids["in force"])
        await alice.facts.forget(ids["was forgotten"])
        for what in ("was rejected", "is pending", "was merged"):
            await save(what, review=True)
        await alice.review.reject(ids["was rejected"])
        await alice.review.edit_and_approve(ids["was merged"], "zebra until later")
        for what in ("was rejected", "was forgotten"):  # and they do not come back
            (again,) = await alice.facts.save_many([fact(what)])
            assert again.outcome == "rejected"
        for path in ("is there", "was removed"):
            await alice.files.write(f"/memories/zebra {path}.md", f"zebra {path}")
        await alice.files.remove("/memories/zebra was removed.md")
        await store.memory("bob").files.write("/memories/zebra of bob.md", "zebra of bob")
        yield World(alice, store, ids)


Read: TypeAlias = Callable[[memoranda.Memory], Awaitable[str]]
"""A read, and all that it returned as text."""


def now() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=1)  # whatever the clocks: what is to come is now


READS: dict[str, Read] = {}


def read(function: Read) -> Read:
    READS[function.__name__] = function
    return function


@read
async def recall(memory: memoranda.Memory) -> str:
    return str(await memory.facts.recall(200))


@read
async def recall_as_of(memory: memoranda.Memory) -> str:
    return str(await memory.facts.recall(200, as_of=datetime.now(UTC)))


@read
async def recall_known_at(memory: memoranda.Memory) -> str:
    return str(await memory.facts.recall(200, known_at=now()))


@read
async def recall_of_facts_and_messages(memory: memoranda.Memory) -> str:
    return str(await memory.recall("zebra Name", 200, track_use=False))


@read
async def recall_by_a_model(memory: memoranda.Memory) -> str:
    return str(await memory.run_recall({"query": "zebra Name"}, k=200, budget=100_000))


@read
async def search_by_words_and_meaning(memory: memoranda.Memory) -> str:
    found: list[object] = []
    for what in (*THERE, *HIDDEN, *ELSEWHERE):
        found += await memory.facts.search(f"zebra {what}", 200, entities=[f"Name {what}"], track_use=False)
    return str(found)


@read
async def search_with_filters(memory: memoranda.Memory) -> str:
    return str(await memory.facts.search("zebra", 200, tags=["zebra"], kinds=["fact"], min_importance=1))


@read
async def search_for_nothing(memory: memoranda.Memory) -> str:
    return str(await memory.facts.search("", 200))


@read
async def search_as_of(memory: memoranda.Memory) -> str:
    return str(await memory.facts.search("zebra", 200, as_of=datetime.now(UTC)))


@read
async def timeline(memory: memoranda.Memory) -> str:
    return str(await memory.facts.timeline(1000))


@read
async def timeline_of_a_name(memory: memoranda.Memory) -> str:
    return str(await memory.facts.timeline(1000, entity="ZEBRA", kinds=["fact"], since=PAST, until=FUTURE))


@read
async def about(memory: memoranda.Memory) -> str:
    return str(await memory.facts.about("zébra", 200))


@read
async def vocabulary(memory: memoranda.Memory) -> str:
    return str(await memory.facts.vocabulary()).replace("Name ", "zebra ")


@read
async def context(memory: memoranda.Memory) -> str:
    return str(await memory.context(budget=100_000))


@read
async def context_for_a_question(memory: memoranda.Memory) -> str:
    return str(await memory.context("zebra Name", budget=100_000))


@read
async def get_by_key(memory: memoranda.Memory) -> str:
    return str([await memory.facts.get(f"key {what}") for what in (*THERE, *HIDDEN, *ELSEWHERE)])


def named(text: str) -> set[str]:
    return {what for what in (*THERE, *HIDDEN, *ELSEWHERE) if f"zebra {what}" in text}


@pytest.mark.parametrize("name", READS)
async def test_what_is_not_in_force_does_not_come_back(world: World, name: str) -> None:
    assert named(await READS[name](world.memory)) == set(THERE)


async def test_nor_by_its_id(world: World) -> None:
    for what, id in world.ids.items():
        for times in ({}, {"as_of": now()}, {"known_at": now()}):
            found = await world.memory.facts.get(id, **times)
            assert (found is not None) == (what in THERE), (what, times)


async def test_each_is_in_a_timeline_that_includes_it_and_in_no_other(world: World) -> None:
    for what, reason in HIDDEN.items():
        found = named(str(await world.memory.facts.timeline(1000, include=[reason])))
        assert found == {*THERE, *(other for other, its in HIDDEN.items() if its == reason)}
        others: list[NotInForce] = [other for other in HIDDEN.values() if other != reason]
        assert what not in named(str(await world.memory.facts.timeline(1000, include=others)))
    every: list[NotInForce] = list(HIDDEN.values())
    assert named(str(await world.memory.facts.timeline(1000, include=every))) == {*THERE, *HIDDEN}


async def test_what_is_elsewhere_comes_back_there_alone(world: World) -> None:
    there = {
        "of another scope": world.store.memory("alice", scope=Scope.agent("x")),
        "of the organisation": world.store.memory("alice", tenant="acme", scope=Scope.organization()),
        "of another tenant": world.store.memory("alice", tenant="acme"),
        "of bob": world.store.memory("bob"),
    }
    for what, memory in there.items():
        for name, read_ in READS.items():
            assert named(await read_(memory)) == {what}, name
        assert named(str(await memory.audit()) + str(await memory.facts.timeline(include=["superseded"]))) == {what}


async def test_another_scope_comes_back_only_when_it_is_named(world: World) -> None:
    scopes = [Scope.user(), Scope.agent("x")]
    assert named(str(await world.memory.facts.search("zebra", 200, scopes=scopes))) == {*THERE, "of another scope"}
    then = await world.memory.facts.search("zebra", 200, scopes=scopes, as_of=datetime.now(UTC))
    assert named(str(then)) == {*THERE, "of another scope"}


def test_every_read_is_here() -> None:
    """A read that comes to be is tried here, or is not about facts in force."""
    writes = {"save", "save_many", "save_extracted", "correct", "supersede", "restore", "forget"}
    others = {"history", "embed_pending", "by_model"}
    public = {name for name in dir(memoranda.Facts) if not name.startswith("_")}
    tried = {name.split("_")[0] for name in READS} - {"context"}
    assert public - writes - others == tried


async def test_files_that_were_removed_or_are_elsewhere_do_not_come_back(world: World) -> None:
    paths = {what: f"/memories/zebra {what}.md" for what in ("is there", "was removed", "of bob")}
    for known_at in (None, now()):
        files = world.memory.files
        assert [entry.path for entry in await files.list(known_at=known_at)] == [paths["is there"]]
        found = {what: await files.read(path, known_at=known_at) for what, path in paths.items()}
        assert [what for what, file in found.items() if file is not None] == ["is there"]
    text = (await world.memory.context(budget=100_000)).text
    assert [what for what in paths if f"zebra {what}" in text] == ["is there"]
    assert [entry.path for entry in await world.store.memory("bob").files.list()] == [paths["of bob"]]
