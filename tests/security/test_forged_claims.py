"""Who is asking comes from the connection's claims: malformed ones are nobody's, and no argument is a claim."""

from __future__ import annotations

import json
from uuid import UUID

import psycopg
import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import IdentityError
from memoranda.identity import Identity
from memoranda.transport import Caller as Bound

from .conftest import Connection, Ground
from .world import NOBODY, PEOPLE, bind

OWNER, OTHER = PEOPLE["owner"], PEOPLE["other"]

NOBODYS_CLAIMS = {
    "never set": None,
    "empty": "",
    "blank": "  ",
    "not JSON": "sub=" + OWNER,
    "cut off": '{"sub": "' + OWNER,
    "bare text": json.dumps(OWNER),
    "number": "5",
    "null": "null",
    "list": json.dumps([{"sub": OWNER}]),
    "no sub": "{}",
    "sub null": '{"sub": null}',
    "sub empty": '{"sub": ""}',
    "sub blank": '{"sub": "   "}',
    "sub nil": json.dumps({"sub": NOBODY}),
    "sub elsewhere": json.dumps({"user_metadata": {"sub": OWNER}, "app_metadata": {"sub": OWNER}}),
    "sub in another case": json.dumps({"SUB": OWNER}),
    "a zero character": '{"sub": "\\u0000"}',
    "half a surrogate": '{"sub": "\\ud800"}',
    "not a number": '{"sub": "' + OWNER + '", "exp": NaN}',
    "single quotes": "{'sub': '" + OWNER + "'}",
}


def bind_claims(conn: Connection, claims: str | None) -> None:
    conn.execute("set local role authenticated")
    if claims is not None:
        conn.execute("select set_config('request.jwt.claims', %s, true)", [claims])


def user_of(conn: Connection) -> str | None:
    """Who the database takes this connection for."""
    row = conn.execute("select memoranda.whoami() ->> 'user'").fetchone()
    assert row is not None
    user: str | None = row[0]
    return user


def recalled(conn: Connection) -> str:
    return json.dumps(conn.execute("select memoranda.facts_recall('{}')").fetchall())


@pytest.mark.parametrize("claims", NOBODYS_CLAIMS.values(), ids=NOBODYS_CLAIMS)
def test_claims_without_a_user_are_nobodys(ground: Ground, claims: str | None) -> None:
    with ground.connection() as conn:
        bind_claims(conn, claims)
        assert user_of(conn) is None
        with pytest.raises(psycopg.errors.InvalidAuthorizationSpecification, match="no user identity"):
            recalled(conn)


STRANGE_SUBJECTS = {
    "a name": "owner",
    "the same name, capitalised": "Owner",
    "quotes": f"{OTHER}' or '{OWNER}",
    "double quotes": f'"{OWNER}"',
    "a comment": f"{OWNER} --",
    "a space before": f" {OWNER}",
    "a newline after": f"{OWNER}\n",
    "two ids": f"{OWNER},{OTHER}",
    "braces": f"{{{OWNER}}}",
    "no hyphens": OWNER.replace("-", ""),
    "a URN": f"urn:uuid:{OWNER}",
    "a pattern": OWNER[:-1] + "_",
    "everything": "%",
}


@pytest.mark.parametrize("subject", STRANGE_SUBJECTS.values(), ids=STRANGE_SUBJECTS)
def test_a_strange_subject_is_nobody_that_anybody_knows(ground: Ground, subject: str) -> None:
    with ground.connection() as conn:
        bind_claims(conn, json.dumps({"sub": subject}))
        assert user_of(conn) not in (None, *PEOPLE.values())
        assert recalled(conn) == "[[[]]]"


@pytest.mark.parametrize("subject", [{"sub": OWNER}, [OWNER], 1, True], ids=["object", "list", "number", "truth value"])
def test_a_subject_that_is_no_text_is_nobody_that_anybody_knows(ground: Ground, subject: object) -> None:
    with ground.connection() as conn:
        bind_claims(conn, json.dumps({"sub": subject}))
        assert user_of(conn) not in PEOPLE.values()


def test_an_id_in_capitals_is_the_same_id(ground: Ground) -> None:
    user = "ABCDEF00-0000-4000-8000-00000000000A"
    with ground.connection() as conn:
        bind_claims(conn, json.dumps({"sub": user}))
        assert user_of(conn) == user.lower()


@pytest.mark.parametrize("setting", ["request.jwt.claim.sub", "request.jwt.sub", "jwt.claims.sub", "memoranda.user"])
def test_no_other_setting_says_who_is_asking(ground: Ground, setting: str) -> None:
    with ground.connection() as conn:
        bind_claims(conn, json.dumps({"sub": OTHER}))
        conn.execute("select set_config(%s, %s, true)", [setting, OWNER])
        assert user_of(conn) == OTHER


# What a statement can do, and what an argument cannot -----------------------------------------------------------------


def test_raw_sql_that_may_set_the_claims_is_whomever_it_names(ground: Ground) -> None:
    """Not promised, and said so: a program with a login of the database is trusted with every user's identity."""
    forged = json.dumps({"sub": OWNER})
    query = """
    with forged as materialized (select set_config('request.jwt.claims', %s, true))
    select memoranda.facts_recall('{}') from forged"""
    with ground.session("other") as conn:
        assert "canary.owner-home-user" in json.dumps(conn.execute(query, [forged]).fetchall())


FORGED_ARGUMENTS: dict[str, tuple[str, list[object], str | None]] = {
    "claims in a place": ("facts_recall", [{"request.jwt.claims": {"sub": OWNER}}, {}], "MESCP"),
    "a user in a place": ("facts_recall", [{"user": OWNER}, {}], "MESCP"),
    "an owner in a place": ("facts_recall", [{"owner_id": OWNER, "scope": "user"}, {}], "MESCP"),
    "a tenant_id in a place": ("facts_recall", [{"tenant_id": OWNER}, {}], "MESCP"),
    "a list of places": ("facts_recall", [[{"tenant": OWNER}], {}], "MESCP"),
    "a place as text": ("facts_recall", [json.dumps({"tenant": OWNER}), {}], "MESCP"),
    "no place": ("facts_recall", [None, {}], "MESCP"),
    "another's tenant": ("facts_recall", [{"tenant": OWNER}, {}], "42501"),
    "another's tenant, for a save": ("facts_save", [{"tenant": OWNER}, {"key": "k", "content": "c"}, {}], "42501"),
    "two tenants": ("facts_recall", [{"tenant": [OTHER, OWNER]}, {}], "MESCP"),
    "a tenant that is a pattern": ("facts_recall", [{"tenant": "%"}, {}], "42501"),
    "a tenant by the user's name": ("facts_recall", [{"tenant": "owner"}, {}], "42501"),
    "an organisation's name in capitals": ("facts_recall", [{"tenant": "ACME"}, {}], "42501"),
    "an organisation": ("facts_recall", [{"tenant": "acme"}, {}], "42501"),
    "an organisation in one's own tenant": ("facts_recall", [{"scope": "organization"}, {}], "MESCP"),
    "an organisation with an id": (
        "facts_recall",
        [{"tenant": "acme", "scope": "organization", "scope_id": "x"}, {}],
        "MESCP",
    ),
    "a scope that is none": ("facts_recall", [{"scope": "user' or true --"}, {}], "MESCP"),
    "a scope of every kind": ("facts_recall", [{"scope": ["user", "agent"]}, {}], "MESCP"),
    "a user scope with an id": ("facts_recall", [{"scope": "user", "scope_id": OWNER}, {}], "MESCP"),
    "an agent without an id": ("facts_recall", [{"scope": "agent"}, {}], "MESCP"),
    "an agent that is a pattern": ("facts_recall", [{"scope": "agent", "scope_id": "%"}, {}], None),
    "an agent that is a prefix": ("facts_recall", [{"scope": "agent", "scope_id": "write"}, {}], None),
    "an endless id": ("facts_recall", [{"scope": "agent", "scope_id": "x" * 201}, {}], "MESCP"),
    "a sub in a query": ("facts_recall", [{}, {"sub": OWNER, "owner_id": OWNER}], "MEINP"),
    "an owner in a fact": ("facts_save", [{}, {"key": "k", "content": "c", "owner_id": OWNER}, {}], "MEINP"),
    "a status in a fact": ("facts_save", [{}, {"key": "k", "content": "c", "status": "rejected"}, {}], "MEINP"),
    "an approval in a fact": ("facts_save", [{}, {"key": "k", "content": "c", "approved": True}, {}], "MEINP"),
    "a version in a fact": ("facts_save", [{}, {"key": "k", "content": "c", "version": 7}, {}], "MEINP"),
    "a successor in a fact": ("facts_save", [{}, {"key": "k", "content": "c", "superseded_by": OWNER}, {}], "MEINP"),
    "a user in a call": ("facts_save", [{}, {"key": "k", "content": "c"}, {"user_id": OWNER}], "MEINP"),
    "a role in a call": ("facts_save", [{}, {"key": "k", "content": "c"}, {"role": "service_role"}], "MEINP"),
    "a time in a call": ("facts_save", [{}, {"key": "k", "content": "c"}, {"at": "2000-01-01"}], "MEINP"),
    "an actor that is none": ("facts_save", [{}, {"key": "k", "content": "c"}, {"actor": "postgres"}], "MEINP"),
    "an owner in a target": (
        "facts_forget",
        [{}, {"key": "currency", "owner_id": OWNER, "tenant_id": OWNER}, {}],
        "MEINP",
    ),
}


@pytest.mark.parametrize(("function", "arguments", "state"), FORGED_ARGUMENTS.values(), ids=FORGED_ARGUMENTS)
def test_no_argument_says_who_is_asking(
    ground: Ground, function: str, arguments: list[object], state: str | None
) -> None:
    statement = f"select memoranda.{function}({', '.join(['%s::jsonb'] * len(arguments))})"
    with ground.session("other") as conn:
        try:
            said = json.dumps(conn.execute(statement.encode(), [json.dumps(each) for each in arguments]).fetchall())
            ended = None
        except psycopg.Error as error:
            said, ended = str(error), error.sqlstate
    assert ended == state, said
    assert ground.world.leaks(ground.world.callers["other"], said) == set()


def test_a_claim_to_be_a_service_is_no_service(ground: Ground) -> None:
    with ground.connection() as conn:
        bind_claims(conn, json.dumps({"sub": OTHER, "role": "service_role", "app_metadata": {"role": "service_role"}}))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute('select memoranda.members_list(\'{"tenant": "acme"}\')')


def test_the_log_says_what_happened_whatever_was_set_before(ground: Ground) -> None:
    forged = json.dumps({"actor": "system", "run_id": "forged", "reason": "forged", "user_id": OWNER})
    with ground.session("other") as conn:
        conn.execute("select set_config('memoranda.call', %s, true)", [forged])
        conn.execute('select memoranda.facts_save(\'{}\', \'{"key": "new", "content": "c"}\', \'{}\')')
        row = conn.execute("select memoranda.facts_history('{}', '{\"key\": \"new\"}') -> 0").fetchone()
    assert row is not None
    entry = row[0]
    assert "forged" not in json.dumps(entry)
    assert (entry["actor"], entry["user"]) == ("application", OTHER)


# One session, many identities: what a pooler makes of us --------------------------------------------------------------


def test_a_prepared_statement_serves_whoever_is_bound(ground: Ground) -> None:
    with ground.connection() as conn:
        bind(conn, ground.world.callers["owner"])
        conn.execute("prepare recall as select memoranda.facts_recall('{}')")
        conn.commit()
        for name in ("owner", "other", "owner", "manager"):
            bind(conn, ground.world.callers[name])
            said = json.dumps(conn.execute("execute recall").fetchall())
            assert ground.world.marks(said)
            assert ground.world.leaks(ground.world.callers[name], said) == set()
            conn.commit()
        for name, error in (
            ("anon", psycopg.errors.InsufficientPrivilege),
            ("no identity", psycopg.errors.InvalidAuthorizationSpecification),
        ):
            bind(conn, ground.world.callers[name])
            with pytest.raises(error):
                conn.execute("execute recall")
            conn.rollback()


def test_an_identity_ends_with_its_transaction(ground: Ground) -> None:
    with ground.connection() as conn:
        bind(conn, ground.world.callers["owner"])
        assert user_of(conn) == OWNER
        conn.execute("declare left_open cursor for select memoranda.facts_recall('{}')")
        conn.commit()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):  # not even a role is left
            user_of(conn)
        conn.rollback()
        bind(conn, ground.world.callers["other"])
        with pytest.raises(psycopg.errors.InvalidCursorName):
            conn.execute("fetch all from left_open")


def test_what_a_session_was_left_with_does_not_reach_the_next_call(ground: Ground) -> None:
    with ground.connection() as conn:
        conn.execute("select set_config('request.jwt.claims', %s, false)", [json.dumps({"sub": OWNER})])
        conn.execute("set role service_role")
        conn.execute("set search_path = pg_temp")
        conn.commit()
        bind(conn, ground.world.callers["other"])
        assert user_of(conn) == OTHER
        assert "canary.owner" not in recalled(conn)
        conn.rollback()
        bind(conn, ground.world.callers["no identity"])
        assert user_of(conn) is None


# The library ----------------------------------------------------------------------------------------------------------


async def test_further_claims_never_change_user_or_role(ground: Ground) -> None:
    claims = {"sub": OWNER, "role": "service_role", "tenant_id": OWNER, "request.jwt.claims": {"sub": OWNER}}
    bound = Bound.of(Identity.of(UUID(OTHER), claims=claims))
    assert (bound.role, bound.claims["sub"], bound.claims["role"]) == ("authenticated", OTHER, "authenticated")
    async with memoranda.connect(ground.database.dsn()) as store:
        memory = store.memory(UUID(OTHER), claims=claims)
        assert {fact.content.split(".")[1] for fact in await memory.facts.recall()} == {"other-home-user"}
        assert await memory.facts.history(UUID(ground.world.places["owner-home-user"].ids[0])) == []
        context = await memory.context(json.dumps({"sub": OWNER}))
        assert "canary.owner" not in context.text


@pytest.mark.parametrize(
    "user", [None, "", " ", UUID(int=0), OWNER, f" {OWNER}", OWNER.replace("-", ""), f"{{{OWNER}}}"]
)
def test_what_is_no_user_makes_no_memory(user: UUID | str | None) -> None:
    with pytest.raises(IdentityError):
        memoranda.connect("").memory(user, scope=Scope.user())
