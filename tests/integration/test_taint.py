"""Taint: what a run writes after it has read untrusted material is marked, shown as such, and can be taken back."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

import memoranda
from memoranda.errors import InputError


@pytest.fixture(autouse=True)
async def unreviewed(store: memoranda.Store) -> None:
    """What a tainted run writes is in force, as it is where the tenant's policy says so."""
    await store.settings.set("review", "none")


async def everything(memory: memoranda.Memory) -> tuple[dict[str, str], dict[str, str]]:
    """The files and the facts in force, by path and key."""
    files = {entry.path: (await memory.files.read(entry.path)) for entry in await memory.files.list()}
    return (
        {path: file.content for path, file in files.items() if file is not None},
        {str(fact.key): fact.content for fact in await memory.facts.recall(200)},
    )


async def test_what_a_tainted_run_writes_is_marked_and_what_others_write_is_not(store: memoranda.Store) -> None:
    clean, run = store.memory("alice", run_id="clean"), store.memory("alice", run_id="r")
    await run.files.write("/memories/before.md", "x")
    await run.taint("https://evil.example")
    await run.taint("https://evil.example")
    await run.files.write("/memories/after.md", "x")
    await run.facts.save("x", key="after")
    await clean.files.write("/memories/other.md", "x")
    await clean.facts.save("x", key="other")
    assert {entry.path: entry.tainted for entry in await clean.files.list()} == {
        "/memories/after.md": True,
        "/memories/before.md": False,
        "/memories/other.md": False,
    }
    assert {fact.key: fact.tainted for fact in await clean.facts.recall()} == {"after": True, "other": False}
    assert [entry.tainted for entry in await clean.files.history("/memories/after.md")] == [True]


async def test_a_mark_stays_on_a_file_that_a_clean_run_edits_further(store: memoranda.Store) -> None:
    run, clean = store.memory("alice", run_id="r"), store.memory("alice")
    await run.taint("page")
    await run.files.write("/memories/a.md", "poison\nend\n")
    await clean.files.insert("/memories/a.md", 0, "mine")
    file = await clean.files.read("/memories/a.md")
    assert file is not None
    assert file.tainted


async def test_another_users_run_of_the_same_id_is_another_run(store: memoranda.Store) -> None:
    await store.memory("alice", run_id="r").taint("page")
    bob = store.memory("bob", run_id="r")
    await bob.facts.save("x", key="k")
    assert [fact.tainted for fact in await bob.facts.recall()] == [False]


async def test_a_run_is_marked_by_its_id_and_a_source(store: memoranda.Store) -> None:
    with pytest.raises(InputError):
        await store.memory("alice").taint("page")
    with pytest.raises(InputError):
        await store.memory("alice", run_id="r").taint("")


async def test_the_block_shows_what_is_tainted_as_such_or_holds_it_back(store: memoranda.Store) -> None:
    run = store.memory("alice", run_id="r")
    await run.files.write("/memories/mine.md", "mine")
    await run.taint("page")
    await run.files.write("/memories/theirs.md", "theirs")
    await run.facts.save("theirs too", key="k")
    shown = await run.context()
    assert '{"path":"/memories/mine.md","content":"mine"}' in shown.text
    assert '{"path":"/memories/theirs.md","content":"theirs","tainted":true}' in shown.text
    assert shown.text.count('"tainted":true') == 2
    held = await run.context(tainted="hold")
    assert "theirs" not in held.text
    assert [(cut.item.name, cut.reason) for cut in held.cut] == [("/memories/theirs.md", "tainted"), ("k", "tainted")]


@pytest.mark.parametrize("by", ["run", "source"])
async def test_undo_restores_what_was_there_before(store: memoranda.Store, by: str) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    for name in ("edited", "removed", "moved", "overwritten"):
        await mine.files.write(f"/memories/{name}.md", f"mine: {name}\n")
    for key in ("corrected", "forgotten", "later"):
        await mine.facts.save(f"mine: {key}", key=key)
    before = await everything(mine)

    await run.taint("page")
    await run.files.replace("/memories/edited.md", "mine", "theirs")
    await run.files.insert("/memories/edited.md", 1, "more of theirs")
    await run.files.remove("/memories/removed.md")
    await run.files.move("/memories/moved.md", "/memories/elsewhere/moved.md")
    await run.files.write("/memories/made.md", "theirs")
    await run.files.write("/memories/overwritten.md", "theirs")
    for key in ("corrected", "made", "later"):
        await run.facts.save("theirs", key=key)
        await run.facts.save("theirs again", key=key)
    await run.facts.forget("forgotten")
    await mine.files.write("/memories/overwritten.md", "mine again")
    await mine.facts.save("mine again", key="later")

    undone = await mine.undo(run_id="r") if by == "run" else await mine.undo(source="page")
    assert set(undone.restored) == {f"/memories/{name}.md" for name in ("edited", "removed", "moved")} | {
        "corrected",
        "forgotten",
    }
    assert set(undone.removed) == {"/memories/made.md", "made"}
    assert set(undone.kept) == {"/memories/overwritten.md", "later"}
    files, facts = await everything(mine)
    assert files == before[0] | {"/memories/overwritten.md": "mine again"}
    assert facts == before[1] | {"later": "mine again"}
    again = await mine.undo(run_id="r")
    assert (again.restored, again.removed) == ((), ())


async def test_undo_names_one_of_the_two(alice: memoranda.Memory) -> None:
    for wrong in ({}, {"run_id": "r", "source": "page"}, {"run_id": ""}):
        with pytest.raises(InputError):
            await alice.undo(**wrong)


async def test_undo_of_a_run_that_wrote_nothing_does_nothing(alice: memoranda.Memory) -> None:
    await alice.facts.save("x", key="k")
    assert await alice.undo(run_id="nobody") == memoranda.Undone()
    assert await alice.undo(source="nothing") == memoranda.Undone()


async def test_undo_sent_again_does_nothing_more(store: memoranda.Store) -> None:
    run = store.memory("alice", run_id="r")
    await run.facts.save("theirs", key="k")
    assert (await run.undo(run_id="r", idempotency_key="u")).removed == ("k",)
    await run.facts.save("mine", key="k")
    assert (await run.undo(run_id="r", idempotency_key="u")).replayed
    assert [fact.content for fact in await run.facts.recall()] == ["mine"]


async def test_what_another_user_wrote_is_not_undone(store: memoranda.Store) -> None:
    alice, bob = store.memory("alice", run_id="r"), store.memory("bob", run_id="r")
    await alice.facts.save("alice's", key="k")
    await bob.undo(run_id="r")
    assert [fact.content for fact in await alice.facts.recall()] == ["alice's"]


# Facts without a key


async def correct(memory: memoranda.Memory, id: UUID, content: str) -> UUID:
    outcome = await memory.facts.supersede(id, content)
    assert outcome.id is not None
    return outcome.id


async def saved(memory: memoranda.Memory, content: str) -> UUID:
    outcome = await memory.facts.save(content)
    assert outcome.id is not None
    return outcome.id


async def in_force(memory: memoranda.Memory) -> dict[str, str]:
    """The facts in force, their ids by their contents, found by recall and by search alike."""
    found = {fact.content: str(fact.id) for fact in await memory.facts.recall(200)}
    assert {hit.fact.content for hit in await memory.facts.search("mine theirs", 200)} == set(found)
    return found


@pytest.mark.parametrize("by", ["run", "source"])
async def test_undo_of_facts_without_a_key(store: memoranda.Store, by: str) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    untouched = await saved(mine, "mine: untouched")
    forgotten = await saved(mine, "mine: forgotten")
    corrected = await saved(mine, "mine: corrected")
    twice = await saved(mine, "mine: corrected twice")
    vanished = await saved(mine, "mine: corrected and forgotten")
    over = await saved(mine, "mine: corrected by both")
    before = await in_force(mine)

    await run.taint("page")
    made = await saved(run, "theirs: made")
    short = await saved(run, "theirs: made and forgotten")
    await run.facts.forget(short)
    await run.facts.forget(forgotten)
    await correct(run, corrected, "theirs: corrected")
    await correct(run, await correct(run, twice, "theirs: one"), "theirs: two")
    await run.facts.forget(await correct(run, vanished, "theirs: gone"))
    last = await correct(mine, await correct(run, over, "theirs: over"), "mine: again")
    assert "theirs: corrected" in await in_force(mine)

    undone = await mine.undo(run_id="r") if by == "run" else await mine.undo(source="page")
    after = await in_force(mine)
    assert set(after) == set(before) - {"mine: corrected by both"} | {"mine: again"}
    assert after["mine: untouched"] == str(untouched)
    restored = {"mine: forgotten", "mine: corrected", "mine: corrected twice", "mine: corrected and forgotten"}
    assert set(undone.restored) == {after[content] for content in restored}
    assert undone.removed == (str(made),)
    assert undone.kept == (str(last),)
    assert {fact.content for fact in await mine.facts.recall(as_of=datetime(2020, 1, 1, tzinfo=UTC))} == set(after)
    for id in (corrected, twice):
        story = [(each.verb, each.fact.content) for each in await mine.facts.history(id)]
        assert story[0] == ("corrected", story[-1][1])
        assert story[-1][0] == "saved"
    again = await mine.undo(run_id="r")
    assert (again.restored, again.removed) == ((), ())


async def test_undo_where_a_fact_without_a_key_gave_way_to_one_with_a_key(store: memoranda.Store) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    await run.facts.save("theirs", key="k", supersedes=await saved(mine, "mine"))
    await mine.undo(run_id="r")
    assert list(await in_force(mine)) == ["mine"]


async def test_undo_of_a_link_puts_back_what_gave_way_to_it(store: memoranda.Store) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    one, other, third = [await saved(mine, f"mine: {name}") for name in ("one", "other", "third")]
    await run.facts.supersede(one, other)
    theirs = await saved(run, "theirs")
    await run.facts.supersede(third, theirs)
    assert set(await in_force(mine)) == {"mine: other", "theirs"}
    undone = await mine.undo(run_id="r")
    after = await in_force(mine)
    assert set(after) == {"mine: one", "mine: other", "mine: third"}
    assert set(undone.restored) == {after["mine: one"], after["mine: third"]}
    assert (undone.removed, undone.kept) == ((), ())
    again = await mine.undo(run_id="r")
    assert (again.restored, again.removed) == ((), ())
    assert await in_force(mine) == after
