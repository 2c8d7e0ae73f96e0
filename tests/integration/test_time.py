"""Two clocks: what was believed at a time, and what is known now to have been true at one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import memoranda
from memoranda import Fact, Hit, NewFact, Scope
from memoranda.errors import ForbiddenError, InputError, TimeError
from support.databases import Database
from support.embedders import words_embedder

YEAR = 2026
NEXT_YEAR = datetime(2200, 1, 1, tzinfo=UTC)


def day(day: int, month: int = 5) -> datetime:
    return datetime(YEAR, month, day, 12, tzinfo=UTC)


def said(facts: Sequence[Fact | Hit]) -> list[str]:
    return [each.fact.content if isinstance(each, Hit) else each.content for each in facts]


def now(database: Database) -> datetime:
    """The time by the database's clock."""
    with database.admin() as conn:
        row = conn.execute("select clock_timestamp()").fetchone()
    assert row is not None
    at: datetime = row[0]
    return at


def backdate(database: Database, since: datetime, to: datetime) -> None:
    """Let what was written since a time have been written at another, its log included."""
    with database.admin() as conn:
        conn.execute("set session_replication_role = replica")  # no trigger stands in the way
        conn.execute("set search_path = memoranda_private, pg_temp")
        shift = {"shift": to - since, "since": since}
        conn.execute(
            "update facts set created_at = created_at + %(shift)s, updated_at = updated_at + %(shift)s"
            " where created_at >= %(since)s",
            shift,
        )
        conn.execute(
            "update revisions set at = at + %(shift)s, state = state || jsonb_build_object("
            " 'created_at', (state ->> 'created_at')::timestamptz + %(shift)s,"
            " 'updated_at', (state ->> 'updated_at')::timestamptz + %(shift)s) where at >= %(since)s",
            shift,
        )


# The walk


async def test_what_did_we_believe_on_3_may_and_what_do_we_now_know_was_true_then(
    alice: memoranda.Memory, database: Database
) -> None:
    facts = alice.facts
    start = now(database)
    await facts.save("Anna works at Acme", key="employer")
    await facts.save("Anna lives in Paris", key="city")
    await facts.save("Anna's birthday is 4 June", key="birthday")
    backdate(database, start, day(1))

    start = now(database)
    await facts.save("Anna works at Beta", key="employer", valid_from=day(10))  # she moved on
    await facts.save("Anna's birthday is 5 June", key="birthday")  # it had been written down wrong
    await facts.save("Anna was ill", valid_from=day(2), valid_until=day(4))  # nobody had told us
    backdate(database, start, day(15))

    believed = ["Anna's birthday is 4 June", "Anna lives in Paris", "Anna works at Acme"]
    assert said(await facts.recall(known_at=day(3))) == believed
    was_true = ["Anna was ill", "Anna's birthday is 5 June", "Anna lives in Paris", "Anna works at Acme"]
    assert said(await facts.recall(as_of=day(3))) == was_true
    # On 12 May nobody knew yet that she had moved on; by now we do.
    assert said(await facts.recall(as_of=day(12), known_at=day(12))) == believed
    assert said([fact for fact in [await facts.get("employer", as_of=day(12))] if fact]) == ["Anna works at Beta"]
    # Both clocks: what was believed on 20 May to have been true on 3 May, and the other way round.
    assert said(await facts.recall(as_of=day(3), known_at=day(20))) == was_true
    assert said(await facts.recall(as_of=day(20), known_at=day(3))) == believed
    assert await facts.recall(known_at=day(30, month=4)) == []
    assert said(await facts.recall()) == ["Anna's birthday is 5 June", "Anna works at Beta", "Anna lives in Paris"]

    acme = await facts.get("employer", as_of=day(3))
    beta = await facts.get("employer")
    assert acme is not None
    assert beta is not None
    assert (acme.status, acme.superseded_by, acme.valid_until) == ("superseded", beta.id, day(10))
    then = await facts.get("employer", known_at=day(3))
    assert then is not None
    assert (then.id, then.status, then.superseded_by, then.valid_until) == (acme.id, "confirmed", None, None)


# Facts


async def test_a_past_recall_answers_as_it_did(store: memoranda.Store, database: Database) -> None:
    """Whatever is written: what recall returned at a time, known_at returns for that time."""
    facts = store.memory("alice").facts
    moments: list[tuple[datetime, list[str]]] = []

    async def note() -> None:
        moments.append((now(database), said(await facts.recall(200))))

    await note()
    one = await facts.save("one")
    await note()
    await facts.save("a", key="k")
    await note()
    await facts.save("b", key="k", valid_from=day(1, month=1))
    await note()
    assert one.id is not None
    await facts.forget(one.id)
    await note()
    await facts.save("c", key="k")
    await note()
    await facts.forget("k")
    await note()
    await facts.save("d", key="k", expires_at=NEXT_YEAR, valid_until=NEXT_YEAR)
    await facts.save_many(["two", NewFact("three", key="t"), NewFact("four", key="t"), "five"])
    await note()
    assert len({tuple(contents) for _, contents in moments}) == 7
    for at, contents in moments:
        assert said(await facts.recall(200, known_at=at)) == contents
        assert said(await facts.recall(200, known_at=at, as_of=at)) == contents
    assert said(await facts.recall(200, as_of=now(database))) == moments[-1][1]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ([None, 10], {3: "0", 10: "1", 12: "1"}),
        ([None, None], {3: "1", 12: "1"}),
        ([5, 10], {3: "", 5: "0", 9: "0", 10: "1"}),
        ([10, 5], {3: "", 5: "1", 12: "1"}),  # it has been so for longer than was thought
        ([5, None], {3: "1", 12: "1"}),
        ([None, 10, 20], {3: "0", 12: "1", 25: "2"}),
        ([None, 10, None], {3: "2", 12: "2"}),
        ([None, 10, 5], {3: "0", 7: "2", 12: "2"}),
        ([None, 20, 5, 10], {3: "0", 7: "2", 12: "3", 25: "3"}),
    ],
)
async def test_a_correction_ends_what_was_true_before_it_or_says_that_it_was_not(
    alice: memoranda.Memory, starts: list[int | None], expected: dict[int, str]
) -> None:
    for number, start in enumerate(starts):
        await alice.facts.save(str(number), key="k", valid_from=None if start is None else day(start))
    for number, wanted in expected.items():
        assert "".join(said(await alice.facts.recall(as_of=day(number)))) == wanted, number
        fact = await alice.facts.get("k", as_of=day(number))
        assert (fact.content if fact else "") == wanted, number


async def test_a_correction_that_ends_leaves_a_gap_and_no_revival(alice: memoranda.Memory) -> None:
    await alice.facts.save("at home", key="where")
    await alice.facts.save("on holiday", key="where", valid_from=day(10), valid_until=day(20))
    found = {number: said(await alice.facts.recall(as_of=day(number))) for number in (9, 10, 19, 20)}
    assert found == {9: ["at home"], 10: ["on holiday"], 19: ["on holiday"], 20: []}


async def test_going_back_to_an_earlier_value_strikes_what_stood_between(alice: memoranda.Memory) -> None:
    for content, start in (("a", None), ("b", 10), ("wrong", None), ("wrong, too", 7), ("b", 10)):
        await alice.facts.save(content, key="k", valid_from=None if start is None else day(start))
    for number, wanted in ((3, "a"), (8, "a"), (12, "b")):
        assert said(await alice.facts.recall(as_of=day(number))) == [wanted]


async def test_undo_takes_what_a_run_wrote_out_of_the_past_too(store: memoranda.Store, database: Database) -> None:
    await store.settings.set("review", "none")
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    await mine.facts.save("a", key="k", valid_from=day(5))
    await run.taint("page")
    await run.facts.save("poison", key="k")
    await run.facts.save("more poison", key="k", valid_from=day(2))
    await run.facts.save("poison", key="own")
    poisoned = now(database)
    await mine.undo(run_id="r")
    for number, wanted in ((1, []), (3, []), (6, ["a"])):
        assert said(await mine.facts.recall(as_of=day(number))) == wanted
    assert set(said(await mine.facts.recall(known_at=poisoned))) == {"more poison", "poison"}


async def test_what_is_forgotten_is_not_known_any_more_with_all_its_story(
    alice: memoranda.Memory, database: Database
) -> None:
    await alice.facts.save("a", key="k")
    await alice.facts.save("b", key="k", valid_from=day(10))
    known = now(database)
    assert said(await alice.facts.recall(as_of=day(3))) == ["a"]
    await alice.facts.forget("k")
    for number in (3, 12):
        assert await alice.facts.recall(as_of=day(number)) == []
        assert await alice.facts.get("k", as_of=day(number)) is None
        assert await alice.facts.search("a b", as_of=day(number)) == []
    assert said(await alice.facts.recall(as_of=day(3), known_at=known)) == ["a"]
    await alice.facts.save("c", key="k", valid_from=day(10))
    assert await alice.facts.recall(as_of=day(3)) == []
    assert said(await alice.facts.recall(as_of=day(12))) == ["c"]


@pytest.mark.parametrize("start", [None, day(10), NEXT_YEAR])
async def test_what_an_erased_correction_had_replaced_does_not_come_back(
    alice: memoranda.Memory, start: datetime | None, database: Database
) -> None:
    await alice.facts.save("before", key="k")
    await alice.facts.save("after", key="k", valid_from=start, source="page")
    await alice.facts.save("beside")
    assert said(await alice.facts.recall(as_of=NEXT_YEAR)) == ["beside", "after"]
    await alice.erase("page")
    moments: list[dict[str, Any]] = [{}, {"as_of": day(3)}, {"as_of": NEXT_YEAR}, {"known_at": now(database)}]
    for times in moments:
        assert said(await alice.facts.recall(**times)) == ["beside"]
        assert said(await alice.facts.search("before after beside", **times)) == ["beside"]


async def test_an_expiry_is_about_keeping_not_about_truth(alice: memoranda.Memory, database: Database) -> None:
    soon = now(database) + timedelta(milliseconds=700)
    await alice.facts.save("secret", expires_at=soon)
    before = now(database)
    assert said(await alice.facts.recall(as_of=day(3))) == ["secret"]
    while now(database) < soon:
        pass
    assert await alice.facts.recall(as_of=day(3)) == []
    assert await alice.facts.recall(as_of=before) == []
    assert said(await alice.facts.recall(known_at=before)) == ["secret"]


async def test_an_id_is_that_very_fact(alice: memoranda.Memory) -> None:
    first = await alice.facts.save("a", key="k")
    second = await alice.facts.save("b", key="k", valid_from=day(10))
    assert first.id is not None
    assert second.id is not None
    assert await alice.facts.get(first.id) is None
    fact = await alice.facts.get(first.id, as_of=day(3))
    assert fact is not None
    assert fact.id == first.id
    assert await alice.facts.get(first.id, as_of=day(12)) is None
    assert await alice.facts.get(second.id, as_of=day(3)) is None


async def test_the_future(alice: memoranda.Memory) -> None:
    await alice.facts.save("later", valid_from=NEXT_YEAR)
    await alice.facts.save("until then", valid_until=NEXT_YEAR)
    assert said(await alice.facts.recall(as_of=NEXT_YEAR)) == ["later"]
    assert said(await alice.facts.recall(known_at=NEXT_YEAR)) == ["until then"], "what is not known yet is now"
    assert said(await alice.facts.recall(as_of=NEXT_YEAR, known_at=NEXT_YEAR)) == ["later"]


async def test_a_time_has_a_zone(alice: memoranda.Memory, database: Database) -> None:
    naive = datetime(2026, 5, 3)  # noqa: DTZ001  # the point
    for attempt in (
        alice.facts.recall(as_of=naive),
        alice.facts.recall(known_at=naive),
        alice.facts.get("k", as_of=naive),
        alice.facts.get("k", known_at=naive),
        alice.facts.search("k", as_of=naive),
        alice.facts.search("k", known_at=naive),
        alice.facts.timeline(since=naive),
        alice.facts.timeline(until=naive),
        alice.files.read("/memories/a", known_at=naive),
        alice.files.list(known_at=naive),
        alice.audit(since=naive),
        alice.audit(until=naive),
    ):
        with pytest.raises(TimeError):
            await attempt
    binding = alice.facts._binding  # pyright: ignore[reportPrivateUsage]  # whatever client calls
    for wrong in ("2026-05-03", "2026-05-03T12:00:00", "yesterday", "2026-15-03T12:00:00Z", "12:00+01"):
        with pytest.raises(TimeError):
            await binding.call("facts_recall", {"query": {"as_of": wrong}})
    for right in ("2026-05-03T12:00:00Z", "2026-05-03 12:00:00.5+02", "2026-05-03T12:00:00-05:30"):
        assert await binding.call("facts_recall", {"query": {"as_of": right}}) == []


async def test_another_time_is_within_the_scope_and_the_user(store: memoranda.Store) -> None:
    await store.members.set("acme", "alice", "manage")
    await store.members.set("acme", "bob")
    places = {
        name: store.memory(user, tenant=tenant, scope=scope)
        for name, user, tenant, scope in (
            ("own", "alice", None, Scope.user()),
            ("agent", "alice", None, Scope.agent("x")),
            ("tenant", "alice", "acme", Scope.user()),
            ("shared", "alice", "acme", Scope.organization()),
            ("other", "bob", None, Scope.user()),
        )
    }
    for name, memory in places.items():
        await memory.facts.save(f"zebra {name}", key="k")
        await memory.facts.save(f"zebra since {name}", key="k", valid_from=day(10))
        await memory.files.write("/memories/a.md", name)
    for name, memory in places.items():
        assert said(await memory.facts.recall(as_of=day(3))) == [f"zebra {name}"]
        assert said(await memory.facts.search("zebra", as_of=day(3))) == [f"zebra {name}"]
        assert {each.content for each in await memory.audit()} == {f"zebra {name}", f"zebra since {name}", name}
    everywhere = [Scope.user(), Scope.organization()]
    found = await places["tenant"].facts.search("zebra", as_of=day(3), scopes=everywhere)
    assert set(said(found)) == {"zebra tenant", "zebra shared"}
    reader = store.memory("bob", tenant="acme", scope=Scope.organization())
    assert said(await reader.facts.recall(as_of=day(3))) == ["zebra shared"]
    stranger = store.memory("eve", tenant="acme", scope=Scope.organization())
    for attempt in (stranger.facts.recall(as_of=day(3)), stranger.facts.search("zebra", as_of=day(3))):
        with pytest.raises(ForbiddenError):
            await attempt


# Search


async def test_a_search_at_another_time_goes_by_words_and_names(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        facts = store.memory("alice").facts
        await facts.save("The zebra is owned by Anna", key="owner", entities=["Anna Müller"])
        await facts.save("Nothing to see here", kind="transcript")
        await facts.save("Elephants eat leaves")
        then = now(database)
        await facts.save("The zebra is owned by Bob", key="owner", entities=["Bob"], valid_from=day(10))
        hits = await facts.search("whose is the zebra", known_at=then)
        assert said(hits)[0] == "The zebra is owned by Anna"
        assert len(hits) == 3
        assert {hit.similarity for hit in hits} == {None}
        assert {hit.why.meaning_rank for hit in hits} == {None}
        assert hits[0].why.words_rank == 1
        assert said(await facts.search("whose is the zebra", as_of=day(3)))[0] == "The zebra is owned by Anna"
        assert said(await facts.search("whose is the zebra", as_of=day(12)))[0] == "The zebra is owned by Bob"
        assert [hit.why.named for hit in await facts.search("what of anna muller?", 1, as_of=day(3))] == [1]
        assert [hit.why.named for hit in await facts.search("she", 1, entities=["ANNA MÜLLER"], as_of=day(3))] == [1]
        assert said(await facts.search("zebra", as_of=day(3), kinds=["transcript"])) == ["Nothing to see here"]
        assert len(await facts.search("zebra", 1, as_of=day(3))) == 1
        with pytest.raises(InputError, match="no similarity"):
            await facts.search("zebra", as_of=day(3), min_similarity=0.1)
        with database.admin() as conn:
            assert conn.execute("select count(*) from memoranda_private.fact_uses").fetchone() == (0,)


async def test_the_order_at_another_time_is_that_of_now(alice: memoranda.Memory, database: Database) -> None:
    contents = [
        *(f"the project meeting number {n} was long" for n in range(10)),
        "a zebra was seen, XQ-4471",
        "Anna: the zebra is mine",
        " ".join(f"word{n}" for n in range(200)) + " zebra",
    ]
    await alice.facts.save_many(contents)
    for query in ("project meeting zebra", "XQ-4471?", "what does Anna say of the zebra", "", "number 7"):
        live = await alice.facts.search(query, 20, blend=False, track_use=False)
        then = await alice.facts.search(query, 20, blend=False, known_at=now(database))
        assert [(hit.fact.id, hit.why.named) for hit in then] == [(hit.fact.id, hit.why.named) for hit in live]
        assert [hit.score for hit in then] == pytest.approx([hit.score for hit in live], rel=1e-4)


async def test_filters_at_another_time(alice: memoranda.Memory) -> None:
    await alice.facts.save_many(
        [
            NewFact("one", "a", "decision", "page", 9, ["a", "b"], metadata={"cost": 5}, valid_from=day(1)),
            NewFact("two", "b", "event", "page", 2, ["a"], metadata={"cost": 50}, valid_from=day(2)),
        ]
    )
    cases: list[tuple[str, dict[str, Any]]] = [
        ("one two", {}),
        ("one", {"kinds": ["decision"]}),
        ("one two", {"tags": ["a"]}),
        ("one", {"tags": ["a", "b"]}),
        ("one", {"min_importance": 3}),
        ("two", {"where": {"cost": {"gt": 5}}}),
        ("two", {"since": day(2)}),
        ("one", {"until": day(2)}),
        ("two", {"max_per_source": 1}),  # the newer, as nothing else tells them apart
    ]
    for expected, filters in cases:
        found = said(await alice.facts.search("", as_of=day(3), **filters))
        assert set(found) == set(expected.split()), filters
