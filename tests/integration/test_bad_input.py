"""Bad input: each kind gets a typed error or a documented cleaning, and nothing is lost or half written."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast
from uuid import uuid4

import pytest

import memoranda
from memoranda.errors import EmptyError, ForbiddenError, IdentityError, InputError, TimeError, TooLargeError
from support.databases import Database

ANYTHING = cast("Any", object())


@pytest.fixture
async def nothing_changes(database: Database) -> Any:
    """Fails the test when it leaves any row behind."""
    yield
    with database.admin() as conn:
        for table in ("facts", "revisions", "idempotency_keys"):
            assert conn.execute(f"select count(*) from memoranda_private.{table}".encode()).fetchone() == (0,)


@pytest.mark.parametrize("content", ["", " ", "\n\t ", "\0", "\0 \0"])
@pytest.mark.usefixtures("nothing_changes")
async def test_an_empty_text_is_refused(alice: memoranda.Memory, content: str) -> None:
    with pytest.raises(EmptyError):
        await alice.facts.save(content, key="k", idempotency_key="w")


@pytest.mark.parametrize("length", [100_001, 1_000_000])
@pytest.mark.usefixtures("nothing_changes")
async def test_a_text_over_the_limit_is_refused(alice: memoranda.Memory, length: int) -> None:
    with pytest.raises(TooLargeError, match=f"this one {length}"):
        await alice.facts.save("ä" * length, key="k", idempotency_key="w")


async def test_a_text_at_the_limit_is_kept_whole(alice: memoranda.Memory) -> None:
    await alice.facts.save("𝄞" * 100_000, key="k")
    fact = await alice.facts.get("k")
    assert fact is not None
    assert fact.content == "𝄞" * 100_000


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a\0b", "ab"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("\ud83d\ude00", "😀"),
        ("می‌خواهم", "می‌خواهم"),
        ("\u202eright to left\u202c", "\u202eright to left\u202c"),
        ("tag \U000e0041\U000e0042", "tag \U000e0041\U000e0042"),
        ("'); drop table facts; --", "'); drop table facts; --"),
        ("%s %(x)s {} $1", "%s %(x)s {} $1"),
        ("\\u0000", "\\u0000"),
    ],
)
async def test_a_text_is_kept_to_the_letter_but_for_what_no_database_text_can_hold(
    alice: memoranda.Memory, sent: str, kept: str
) -> None:
    await alice.facts.save(sent, key="k", source=sent[:50], tags=[sent], metadata={"note": [sent]})
    fact = await alice.facts.get("k")
    assert fact is not None
    assert (fact.content, fact.tags, fact.metadata) == (kept, (kept,), {"note": [kept]})


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "a\0b", "\ud800", 3])
@pytest.mark.usefixtures("nothing_changes")
async def test_a_key_that_names_nothing_is_refused(alice: memoranda.Memory, key: object) -> None:
    for attempt in (alice.facts.save("x", key=cast("Any", key)), alice.facts.forget(cast("Any", key))):
        with pytest.raises(InputError):
            await attempt


@pytest.mark.parametrize("key", ["%", "_", "\\", "'", '"', "👩‍👧", "a.b", "x" * 200, "1; drop table x"])
async def test_any_other_key_is_taken_to_the_letter(alice: memoranda.Memory, key: str) -> None:
    await alice.facts.save("other", key="other")
    await alice.facts.save("x", key=key)
    fact = await alice.facts.get(key)
    assert fact is not None
    assert (fact.key, fact.content) == (key, "x")
    assert len(await alice.facts.history(key)) == 1
    await alice.facts.forget(key)
    assert [fact.content for fact in await alice.facts.recall()] == ["other"]


@pytest.mark.usefixtures("nothing_changes")
async def test_a_naive_time_is_refused(alice: memoranda.Memory) -> None:
    with pytest.raises(TimeError):
        await alice.facts.save("x", key="k", expires_at=datetime(2030, 1, 1))  # noqa: DTZ001  # the point


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rumour"},
        {"importance": 0},
        {"importance": 11},
        {"importance": -(10**30)},
        {"importance": True},
        {"importance": 5.5},
        {"importance": "high"},
        {"source": ""},
        {"source": "x" * 201},
        {"source": 5},
        {"tags": ["x"] * 51},
        {"tags": ["x" * 3000]},
        {"tags": [5]},
        {"metadata": {"x": ...}},
        {"metadata": {"x": float("nan")}},
        {"metadata": {"x": float("inf")}},
        {"metadata": {1: "x"}},
        {"metadata": {"a\0b": 1}},
        {"metadata": {"x": "y" * 30_000}},
        {"metadata": ["x"]},
        {"expected_version": "1"},
        {"expected_version": True},
        {"idempotency_key": ""},
        {"idempotency_key": "x" * 201},
        {"idempotency_key": "a\0b"},
        {"idempotency_key": 5},
    ],
    ids=str,
)
@pytest.mark.usefixtures("nothing_changes")
async def test_any_other_bad_argument_is_refused(alice: memoranda.Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        await alice.facts.save("x", **cast("dict[str, Any]", {"key": "k"} | wrong))


@pytest.mark.parametrize("limit", [True, 5.0, "5", None])
async def test_a_limit_that_is_no_whole_number_is_refused(alice: memoranda.Memory, limit: object) -> None:
    for attempt in (alice.facts.recall(cast("Any", limit)), alice.facts.history("k", cast("Any", limit))):
        with pytest.raises(InputError):
            await attempt


@pytest.mark.parametrize("limit", [-(10**30), -1, 0, 1, 10**30])
async def test_a_limit_out_of_range_is_brought_into_it(alice: memoranda.Memory, limit: int) -> None:
    await alice.facts.save("x", key="k")
    assert len(await alice.facts.recall(limit)) == 1
    assert len(await alice.facts.history("k", limit)) == 1


async def test_no_identity_no_memory(store: memoranda.Store) -> None:
    for user in (None, "", " "):
        with pytest.raises(IdentityError):
            store.memory(user)


async def test_another_tenants_id_in_any_place_opens_nothing(store: memoranda.Store) -> None:
    await store.members.set("acme", "mia", "manage")
    for tenant in (memoranda.name_id("tenant", "acme"), memoranda.name_id("user", "mia"), uuid4()):
        for scope in (memoranda.Scope.user(), memoranda.Scope.agent("a"), memoranda.Scope.organization()):
            facts = store.memory("mallory", tenant=tenant, scope=scope).facts
            for attempt in (facts.recall(), facts.save("x", key="k"), facts.forget("k"), facts.history("k")):
                with pytest.raises(ForbiddenError):
                    await attempt
