"""Nobody learns from an answer, an error or a wait whether another has something. (Timing is not tried here.)"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias
from uuid import uuid4

import psycopg
import pytest

from .conftest import Connection, Ground
from .world import COMMON, MEMBERS, World, bind, call

Arguments: TypeAlias = "list[object]"
Question: TypeAlias = "Callable[[World], tuple[str, Arguments, Arguments]]"


def answer(conn: Connection, function: str, arguments: Arguments) -> object:
    """All that a call tells, less what is fresh in every answer."""
    statement = f"select memoranda.{function}({', '.join(['%s::jsonb'] * len(arguments))})"
    try:
        row = conn.execute(statement.encode(), [json.dumps(each) for each in arguments]).fetchone()
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary, error.diag.message_detail, error.diag.message_hint
    assert row is not None
    return {name: value for name, value in row[0].items() if name != "id"} if isinstance(row[0], dict) else row[0]


def fact(key: str, **rest: object) -> dict[str, object]:
    return {"key": key, "content": "a guess", **rest}


def there(world: World, place: str) -> dict[str, str]:
    return world.places[place].argument


# Who asks, and two calls: the first about what another has, the second about what nobody has.
QUESTIONS: dict[str, tuple[str, Question]] = {
    "is there such a user": (
        "other",
        lambda w: ("facts_recall", [there(w, "owner-home-user")], [{"tenant": str(uuid4())}]),
    ),
    "is there such an organisation": (
        "other",
        lambda w: ("facts_recall", [{"tenant": "acme"}], [{"tenant": "a company that is none"}]),
    ),
    "is there such an organisation, asked by a write": (
        "other",
        lambda w: ("facts_save", [{"tenant": "acme"}, fact("k")], [{"tenant": "none"}, fact("k")]),
    ),
    "has an organisation that I left something": (
        "ex-member",
        lambda w: ("facts_recall", [there(w, "ex-member-acme-user")], [{"tenant": "none"}]),
    ),
    "is there a fact of this id, asked by forgetting it": (
        "other",
        lambda w: ("facts_forget", [{}, {"id": w.places["owner-home-user"].ids[0]}], [{}, {"id": str(uuid4())}]),
    ),
    "is there a fact of this id, asked by its history": (
        "other",
        lambda w: ("facts_history", [{}, {"id": w.places["owner-home-user"].ids[0]}], [{}, {"id": str(uuid4())}]),
    ),
    "has a colleague a fact of this id": (
        "member",
        lambda w: (
            "facts_history",
            [there(w, "member-acme-user"), {"id": w.places["manager-acme-user"].ids[0]}],
            [there(w, "member-acme-user"), {"id": str(uuid4())}],
        ),
    ),
    "has the organisation this fact, asked from my own scope in it": (
        "manager",
        lambda w: (
            "facts_forget",
            [there(w, "manager-acme-user"), {"id": w.places["acme-organization"].ids[0]}],
            [there(w, "manager-acme-user"), {"id": str(uuid4())}],
        ),
    ),
    "has somebody a fact under this key": (
        "other",
        lambda w: ("facts_forget", [{}, {"key": w.places["owner-home-user"].canary("key")}], [{}, {"key": "none"}]),
    ),
    "had somebody a fact under this key": (
        "other",
        lambda w: ("facts_history", [{}, {"key": w.places["owner-home-user"].canary("gone")}], [{}, {"key": "none"}]),
    ),
    "does my save meet another's fact": (
        "other",
        lambda w: ("facts_save", [{}, fact(w.places["owner-home-user"].canary("key"))], [{}, fact("none")]),
    ),
    "does my save meet a colleague's fact": (
        "member",
        lambda w: (
            "facts_save",
            [there(w, "member-acme-user"), fact(w.places["manager-acme-user"].canary("key"))],
            [there(w, "member-acme-user"), fact("none")],
        ),
    ),
    "which version has another's fact": (
        "other",
        lambda w: (
            "facts_save",
            [there(w, "owner-home-user"), fact(w.places["owner-home-user"].canary("key"), expected_version=2)],
            [there(w, "owner-home-user"), fact(w.places["owner-home-user"].canary("key"), expected_version=7)],
        ),
    ),
    "which version has another's fact, asked at home": (
        "other",
        lambda w: (
            "facts_save",
            [{}, fact(w.places["owner-home-user"].canary("key"), expected_version=2)],
            [{}, fact("none", expected_version=2)],
        ),
    ),
    "which version has the organisation's fact, asked by a reader's write": (
        "member",
        lambda w: (
            "facts_save",
            [there(w, "acme-organization"), fact(w.places["acme-organization"].canary("key"), expected_version=2)],
            [there(w, "acme-organization"), fact("none", expected_version=7)],
        ),
    ),
    "did another use this idempotency key": (
        "other",
        lambda w: (
            "facts_save",
            [{}, fact("k"), {"idempotency_key": w.places["owner-home-user"].canary("first write")}],
            [{}, fact("k"), {"idempotency_key": "none"}],
        ),
    ),
    "did another use this idempotency key, asked in their place": (
        "other",
        lambda w: (
            "facts_save",
            [there(w, "owner-home-user"), fact("k"), {"idempotency_key": COMMON}],
            [there(w, "owner-home-user"), fact("k"), {"idempotency_key": "none"}],
        ),
    ),
    "did a colleague use this idempotency key": (
        "member",
        lambda w: (
            "facts_save",
            [
                there(w, "member-acme-user"),
                fact("k"),
                {"idempotency_key": w.places["manager-acme-user"].canary("first write")},
            ],
            [there(w, "member-acme-user"), fact("k"), {"idempotency_key": "none"}],
        ),
    ),
}


@pytest.mark.parametrize(("name", "question"), QUESTIONS.values(), ids=QUESTIONS)
def test_an_answer_does_not_depend_on_what_another_has(ground: Ground, name: str, question: Question) -> None:
    function, real, imagined = question(ground.world)
    with ground.session(name) as conn:
        about_another = answer(conn, function, real)
    with ground.session(name) as conn:
        assert about_another == answer(conn, function, imagined)


def test_two_managers_share_a_memory_and_not_their_idempotency_keys(ground: Ground) -> None:
    """A key that a colleague used in the same place is no key of mine: my write is done, not answered with theirs."""
    place = ground.world.places["acme-organization"]
    with ground.superuser() as conn:
        service, mine = ground.world.callers["service"], ground.world.callers["member"]
        assert mine.user is not None
        call(
            conn,
            service,
            "members_set",
            member={"tenant": MEMBERS["member"][0], "user": mine.user, "permission": "manage"},
        )
        key = {"idempotency_key": place.canary("first write")}
        outcome = call(conn, mine, "facts_save", place=place.argument, fact=fact("mine"), call=key)
        assert outcome["outcome"] == "stored"
        assert "replayed" not in outcome


# Waiting is an answer, too --------------------------------------------------------------------------------------------

NEIGHBOURS = {
    "strangers": ("owner", "owner-home-user", "other", "other-home-user"),
    "strangers, in a scope of one name": ("owner", "owner-home-agent", "other", "other-home-agent"),
    "colleagues": ("manager", "manager-acme-user", "member", "member-acme-user"),
    "a colleague and the organisation": ("manager", "acme-organization", "member", "member-acme-user"),
    "two scopes of one user": ("owner", "owner-home-user", "owner", "owner-home-agent"),
}


def save(conn: Connection, place: dict[str, str], key: str) -> None:
    values = [json.dumps(each) for each in (place, fact(key), {"idempotency_key": key})]
    conn.execute("select memoranda.facts_save(%s, %s, %s)", values)


@pytest.mark.parametrize(("first", "here", "second", "elsewhere"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_nobody_waits_for_anothers_write(ground: Ground, first: str, here: str, second: str, elsewhere: str) -> None:
    with ground.session(first) as busy, ground.session(second) as conn:
        save(busy, there(ground.world, here), "the same key")
        conn.execute("set local lock_timeout = '2s'")
        save(conn, there(ground.world, elsewhere), "the same key")


def test_one_does_wait_for_ones_own(ground: Ground) -> None:
    with ground.session("owner") as busy, ground.session("owner") as conn:
        save(busy, {}, "the same key")
        conn.execute("set local lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            save(conn, {}, "the same key")


# Beneath the rules: what a key or a reference would tell --------------------------------------------------------------

INSERT = """
insert into memoranda_private.facts (tenant_id, owner_id, scope, scope_id, id, supersedes,
                                     key, kind, content, status, origin, tainted, importance, tags,
                                     entities, metadata, value_hash)
values (%(me)s, %(me)s, 'user', '', %(id)s, %(supersedes)s,
        %(key)s, 'fact', 'c', 'confirmed', 'user', false, 5, '{}', '{}', '{}', '')
"""


def inserted(ground: Ground, **values: object) -> str | None:
    """The state of a raw insert of one's own, with the rights of the rules; all checks made."""
    me = ground.world.callers["other"]
    with ground.superuser() as conn:
        bind(conn, me)
        conn.execute("reset role; set local role memoranda_rules")
        try:
            conn.execute(INSERT, {"me": me.user, "id": uuid4(), "key": "k", "supersedes": None, **values})
            conn.execute("set constraints all immediate")
        except psycopg.Error as error:
            return f"{error.sqlstate} {error.diag.message_primary}"
        return None


def test_an_id_is_free_whoever_else_has_it(ground: Ground) -> None:
    assert inserted(ground, id=ground.world.places["owner-home-user"].ids[0]) is None


def test_a_key_is_free_whoever_else_has_it(ground: Ground) -> None:
    assert inserted(ground, key=ground.world.places["owner-home-user"].canary("key")) is None


def test_a_reference_to_anothers_fact_is_a_reference_to_none(ground: Ground) -> None:
    real, imagined = (
        inserted(ground, supersedes=each) for each in (ground.world.places["owner-home-user"].ids[0], uuid4())
    )
    assert real is not None
    assert real.startswith("23503")
    assert real == imagined
