"""One fact in the place of another: one transaction, one in force, nothing revived, and what makes no sense refused."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import psycopg
import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import (
    ConflictError,
    CycleError,
    NotFoundError,
    NotInForceError,
    SettledError,
    SupersededError,
)
from support.databases import Database
from support.embedders import words_embedder


async def saved(memory: memoranda.Memory, content: str, key: str | None = None) -> UUID:
    outcome = await memory.facts.save(content, key=key)
    assert outcome.id is not None
    return outcome.id


async def contents(memory: memoranda.Memory) -> list[str]:
    return sorted(fact.content for fact in await memory.facts.recall(200))


async def test_supersede_puts_a_new_fact_in_the_place_of_an_old_one(alice: memoranda.Memory) -> None:
    old = await saved(alice, "The plan has 12 seats")
    outcome = await alice.facts.supersede(old, "The plan has 15 seats", reason="said so")
    assert (outcome.outcome, outcome.rule, outcome.supersedes, outcome.version) == ("superseded", "supersedes", old, 2)
    assert await contents(alice) == ["The plan has 15 seats"]
    history = await alice.facts.history(old)
    assert [(entry.verb, entry.reason) for entry in history] == [("corrected", "said so"), ("saved", None)]
    assert history[0].decision == {"rule": "supersedes", "compared": str(old)}


async def test_a_supersession_that_was_asked_for_is_never_swallowed_as_a_duplicate(alice: memoranda.Memory) -> None:
    old, same = await saved(alice, "Uses Postgres 16"), await saved(alice, "Uses Postgres 17")
    outcome = await alice.facts.save("uses postgres 17", supersedes=old)
    assert (outcome.outcome, outcome.supersedes) == ("superseded", old)
    assert await alice.facts.get(old) is None
    assert await alice.facts.get(same) is not None
    again = await alice.facts.save("uses postgres 17", supersedes=outcome.id)
    assert (again.outcome, again.supersedes) == ("superseded", outcome.id)


async def test_what_cannot_be_superseded_is_refused_by_name(alice: memoranda.Memory, bob: memoranda.Memory) -> None:
    old = await saved(alice, "a")
    new = (await alice.facts.supersede(old, "b")).id
    assert new is not None
    gone, waits = await saved(alice, "c"), (await alice.facts.save("d", review=True)).id
    await alice.facts.forget(gone)
    assert waits is not None
    theirs = await saved(bob, "e")
    before = await contents(alice)
    for target, error in (
        (uuid4(), NotFoundError),
        (theirs, NotFoundError),
        (old, SupersededError),
        (gone, NotInForceError),
        (waits, NotInForceError),
    ):
        for by in ("f", new):
            with pytest.raises(error):
                await alice.facts.supersede(target, by)
        with pytest.raises(error):
            await alice.facts.save("f", supersedes=target)
        with pytest.raises(error):
            await alice.facts.save("f", key="k", supersedes=target)
    with pytest.raises(SupersededError, match=str(new)):
        await alice.facts.supersede(old, "f")
    with pytest.raises(CycleError, match="itself"):
        await alice.facts.supersede(new, new)
    with pytest.raises(CycleError):
        await alice.facts.supersede(new, old)
    other = await saved(alice, "under a key", key="k")
    with pytest.raises(ConflictError, match="Another fact is in force"):
        await alice.facts.save("f", key="k", supersedes=new)
    assert await contents(alice) == sorted([*before, "under a key"])
    assert (await alice.facts.supersede(new, other)).outcome == "superseded", "and what can be, is"
    assert await contents(alice) == ["under a key"]


async def test_what_cannot_supersede_is_refused_by_name(alice: memoranda.Memory, bob: memoranda.Memory) -> None:
    first = await saved(alice, "a")
    second = (await alice.facts.supersede(first, "b")).id
    assert second is not None
    third = (await alice.facts.supersede(second, "c")).id
    other, gone = await saved(alice, "d"), await saved(alice, "e")
    assert third is not None
    await alice.facts.forget(gone)
    waits = (await alice.facts.save("f", review=True)).id
    assert waits is not None
    before = await contents(alice)
    for target, by, error in (
        (third, first, CycleError),
        (third, second, CycleError),
        (other, first, SupersededError),
        (other, gone, NotInForceError),
        (other, waits, NotInForceError),
        (other, uuid4(), NotFoundError),
        (other, await saved(bob, "g"), NotFoundError),
    ):
        with pytest.raises(error):
            await alice.facts.supersede(target, by)
    assert await contents(alice) == before
    assert (await alice.facts.supersede(other, third)).id == third, "and what can, does"


async def test_an_agents_scope_is_foreign_too(store: memoranda.Store) -> None:
    here, there = store.memory("alice"), store.memory("alice", scope=Scope.agent("a"))
    with pytest.raises(NotFoundError):
        await here.facts.supersede(await saved(there, "x"), "y")
    assert await contents(there) == ["x"]


async def test_linking_two_facts_is_in_the_history_and_leaves_one_in_force(alice: memoranda.Memory) -> None:
    old, new = await saved(alice, "Lives in Rome"), await saved(alice, "Has moved to Oslo")
    outcome = await alice.facts.supersede(old, new)
    assert (outcome.outcome, outcome.id, outcome.supersedes) == ("superseded", new, old)
    assert await contents(alice) == ["Has moved to Oslo"]
    assert {entry.fact.content for entry in await alice.facts.history(new)} == {"Lives in Rome", "Has moved to Oslo"}


async def test_what_was_in_force_once_is_no_duplicate_of_what_replaced_it(alice: memoranda.Memory) -> None:
    old, new = await saved(alice, "Plays the violin"), await saved(alice, "Plays the cello")
    await alice.facts.supersede(old, new)
    again = await alice.facts.save("plays the VIOLIN")
    assert (again.outcome, again.supersedes) == ("stored", None)
    assert {fact.content for fact in await alice.facts.recall()} == {"Plays the cello", "plays the VIOLIN"}
    assert (await alice.facts.save("plays the cello")).id == new, "and what is in force has duplicates"


async def test_a_correction_keeps_all_but_what_it_corrects(alice: memoranda.Memory) -> None:
    outcome = await alice.facts.save(
        "Prefers GBP",
        key="currency",
        kind="preference",
        tags=["money"],
    )
    assert outcome.id is not None
    corrected = await alice.facts.correct("currency", "Prefers EUR")
    again = await alice.facts.correct(outcome.id, "Prefers CHF")
    assert (corrected.outcome, again.outcome, again.supersedes) == ("superseded", "superseded", corrected.id)
    fact = await alice.facts.get("currency")
    assert fact is not None
    assert (fact.content, fact.kind, fact.tags, fact.version) == ("Prefers CHF", "preference", ("money",), 3)
    with pytest.raises(NotFoundError):
        await alice.facts.correct("nothing", "x")
    await alice.facts.forget("currency")
    with pytest.raises(NotInForceError):
        await alice.facts.correct(outcome.id, "x")


@pytest.mark.parametrize("key", [None, "k"])
async def test_eight_corrections_of_one_fact_at_once_are_a_chain_with_one_in_force(
    database: Database, key: str | None
) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8) as store:
        memory = store.memory("alice")
        first = await saved(memory, "as it was", key)
        outcomes = await asyncio.gather(*(memory.facts.correct(first, f"correction {n}") for n in range(8)))
        assert {outcome.outcome for outcome in outcomes} == {"superseded"}
        history = await memory.facts.history(first)
        assert [entry.fact.version for entry in history] == list(range(9, 0, -1))
        assert [entry.replaces for entry in history[:-1]] == [entry.fact.id for entry in history[1:]]
        assert [fact.id for fact in await memory.facts.recall()] == [history[0].fact.id]


async def test_of_eight_that_supersede_one_fact_at_once_one_does(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8) as store:
        memory = store.memory("alice")
        first = await saved(memory, "as it was")
        tries = (memory.facts.supersede(first, f"successor {n}") for n in range(8))
        results = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(isinstance(result, memoranda.Outcome) for result in results) == 1
        assert sum(isinstance(result, SupersededError) for result in results) == 7
        assert len(await memory.facts.recall()) == 1


async def test_two_that_would_supersede_each_other_at_once_leave_one(database: Database) -> None:
    async with memoranda.connect(database.dsn(), max_connections=8) as store:
        memory = store.memory("alice")
        for n in range(10):
            one, other = await saved(memory, f"one {n}"), await saved(memory, f"other {n}")
            both = (memory.facts.supersede(one, other), memory.facts.supersede(other, one))
            results = await asyncio.gather(*both, return_exceptions=True)
            assert sum(isinstance(result, memoranda.Outcome) for result in results) == 1
            assert len(await memory.facts.recall()) == n + 1


async def test_forgetting_a_successor_revives_nothing(alice: memoranda.Memory) -> None:
    old = await saved(alice, "a")
    new = (await alice.facts.supersede(old, "b")).id
    await saved(alice, "bystander")
    assert new is not None
    await alice.facts.forget(new)
    assert await contents(alice) == ["bystander"]
    back = await alice.facts.restore(old)
    assert (back.outcome, await contents(alice)) == ("stored", ["a", "bystander"])


async def test_restore_puts_an_old_value_in_the_place_of_the_new_one(alice: memoranda.Memory) -> None:
    old = await saved(alice, "Prefers GBP", key="currency")
    new = await saved(alice, "Prefers EUR", key="currency")
    back = await alice.facts.restore(old)
    assert (back.outcome, back.supersedes, back.version) == ("superseded", new, 3)
    assert await contents(alice) == ["Prefers GBP"]
    with pytest.raises(SettledError):
        await alice.facts.restore(back.id or uuid4())
    with pytest.raises(NotFoundError):
        await alice.facts.restore(uuid4())


async def test_what_was_superseded_is_in_no_search(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        memory = store.memory("alice")
        old = await saved(memory, "zebra of old")
        assert [hit.fact.content for hit in await memory.facts.search("zebra")] == ["zebra of old"]
        await memory.facts.supersede(old, "zebra of today")
        assert [hit.fact.content for hit in await memory.facts.search("zebra of old")] == ["zebra of today"]


async def test_undo_puts_back_what_a_run_superseded(store: memoranda.Store) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    first = await saved(mine, "The queue has 412 items")
    second = (await run.facts.save("The queue has 903 items")).id
    assert second is not None
    await run.facts.supersede(second, "The queue is on fire")
    undone = await mine.undo(run_id="r")
    assert len(undone.restored) == 1
    assert await contents(mine) == ["The queue has 412 items"]
    assert len(await mine.facts.history(first)) == 4


# Beneath the rules


@pytest.mark.parametrize(
    "statement",
    [
        "update facts set supersedes = %(other)s where id = %(id)s",
        "update facts set superseded_by = %(other)s where id = %(old)s",
        "update facts set superseded_by = null, status = 'confirmed' where id = %(old)s",
        "update facts set superseded_by = id where id = %(old)s",
        "insert into facts select (f).* from (select jsonb_populate_record(f, jsonb_build_object('id',"
        " gen_random_uuid())) as f from facts f where id = %(id)s) as copy",
    ],
)
async def test_a_chain_has_one_in_force_by_constraint(
    alice: memoranda.Memory, database: Database, statement: str
) -> None:
    old = await saved(alice, "a", key="k")
    new, other = await saved(alice, "b", key="k"), await saved(alice, "c")
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable trigger user")
        conn.execute("set search_path = memoranda_private")
        with pytest.raises(psycopg.errors.IntegrityError), conn.transaction():
            conn.execute(statement.encode(), {"old": old, "id": new, "other": other})
