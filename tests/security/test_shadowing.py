"""Look-alikes in the caller's own schemas: our functions find our tables, types, functions and operators, never theirs.

A rule runs with rights that its caller has not, so whatever it picked up from the caller would run with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

import memoranda

from .conftest import Connection, Ground
from .world import PEOPLE, become

PLACE = json.dumps({"scope": "chat", "scope_id": "shadows"})

CALLS = (  # every verb that a user has
    ("whoami",),
    ("schema_version",),
    ("facts_save", PLACE, '{"key": "k", "content": "one", "tags": ["t"]}', '{"idempotency_key": "a", "run_id": "r"}'),
    ("facts_save", PLACE, '{"key": "k", "content": "two", "expires_at": "2100-01-01 00:00Z"}'),
    ("facts_recall", PLACE),
    ("facts_history", PLACE, '{"key": "k"}'),
    ("facts_forget", PLACE, '{"key": "k"}'),
)

WITNESS = """
create function pg_temp.witness(anything text) returns boolean language plpgsql as $$
begin
  perform set_config('lookalike.ran_as', current_user, false);
  return true;
end $$
"""
"""Says with whose rights it ran."""

DOMAINS = {
    **{name: f"pg_catalog.{name}" for name in ("uuid", "jsonb", "text", "bytea", "timestamptz")},
    **{name: "pg_catalog.text" for name in ("place", "facts", "revisions", "idempotency_keys")},
}


@pytest.fixture
def conn(ground: Ground) -> Iterator[Connection]:
    """A user who may even create in the schema public, which the API roles of a host may not."""
    with ground.superuser() as conn:
        conn.execute("grant create on schema public to authenticated")
        become(conn, ground.world.callers["other"])
        yield conn


def live(conn: Connection) -> str:
    """Make every call once; everything that was said."""
    said: list[object] = []
    for name, *values in CALLS:
        statement = f"select memoranda.{name}({', '.join(['%s::pg_catalog.jsonb'] * len(values))})"
        said.extend(conn.execute(statement.encode(), values).fetchone() or ())
    return json.dumps(said)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_type_of_the_callers_runs_nothing_with_our_rights(conn: Connection, name: str) -> None:
    conn.execute("set local lookalike.ran_as = 'nobody'")
    conn.execute(WITNESS)
    base = DOMAINS[name]
    conn.execute(f"create domain pg_temp.{name} as {base} check (pg_temp.witness(value::pg_catalog.text))".encode())
    live(conn)
    assert conn.execute("select current_setting('lookalike.ran_as')").fetchone() == ("nobody",)


def test_a_table_of_the_callers_is_not_taken_for_ours(conn: Connection, ground: Ground) -> None:
    victim, me = ground.world.places["owner-home-user"], ground.world.callers["other"].user
    for table in ("facts", "revisions", "idempotency_keys", "tenants", "members", "migrations"):
        conn.execute(f"create temp table {table} (tenant_id uuid, user_id uuid, permission text)".encode())
        conn.execute(f"grant all on pg_temp.{table} to public".encode())
    conn.execute("insert into pg_temp.members values (%s, %s, 'manage')", [victim.tenant_id, me])
    conn.execute("set local search_path = pg_temp, public, pg_catalog")
    said = live(conn)
    assert [word in said for word in ("stored", "superseded", "forgotten")] == [True] * 3
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="not a member"):
        conn.execute("select memoranda.facts_recall(%s)", [json.dumps(victim.argument)])


LOOKALIKES = {
    "the identity": "create function HERE.uid() returns uuid language sql as $$ select 'VICTIM'::uuid $$",
    "the tenancy": "create function HERE.my_tenants() returns uuid[] language sql as "
    "$$ select array['VICTIM'::uuid] $$",
    "the entrance": "create function HERE.enter(place jsonb, purpose text) returns memoranda_private.place "
    "language sql as $$ select row('VICTIM', 'VICTIM', 'user', '')::memoranda_private.place $$",
    "a built-in": "create function HERE.current_setting(text, boolean) returns text language sql as "
    """$$ select '{"sub": "VICTIM"}' $$""",
    "equality": "create function HERE.yes(uuid, uuid) returns boolean language sql as 'select true'; "
    "create operator HERE.= (leftarg = uuid, rightarg = uuid, function = HERE.yes)",
    "concatenation": "create function HERE.mine(uuid, uuid[]) returns uuid[] language sql as "
    "$$ select array['VICTIM'::uuid] $$; "
    "create operator HERE.|| (leftarg = uuid, rightarg = uuid[], function = HERE.mine)",
}


@pytest.mark.parametrize("schema", ["pg_temp", "public"])
@pytest.mark.parametrize("lookalike", LOOKALIKES.values(), ids=LOOKALIKES)
def test_a_function_or_operator_of_the_callers_is_not_taken_for_ours(
    conn: Connection, ground: Ground, lookalike: str, schema: str
) -> None:
    victim, me = ground.world.places["owner-home-user"], ground.world.callers["other"]
    conn.execute(lookalike.replace("HERE", schema).replace("VICTIM", victim.owner_id).encode())
    conn.execute("set local search_path = pg_temp, public, pg_catalog")
    said = str(conn.execute("select memoranda.facts_recall('{}'), memoranda.whoami()").fetchone())
    assert "canary.other-home-user.content" in said
    assert ground.world.leaks(me, said) == set()
    assert victim.owner_id not in said


async def test_what_a_pooled_session_was_left_with_runs_in_nobody_elses_call(ground: Ground) -> None:
    """Temporary objects outlive a transaction: a pooler hands them to the next caller, with that caller's identity."""
    async with AsyncConnectionPool(ground.database.dsn(), min_size=1, max_size=1, open=False) as pool:
        async with pool.connection() as conn:
            await conn.execute("set lookalike.ran_as = 'nobody'")
            await conn.execute(WITNESS)
            await conn.execute("create domain pg_temp.jsonb as pg_catalog.jsonb check (pg_temp.witness(value::text))")
        async with memoranda.connect(pool) as store:
            await store.memory(UUID(PEOPLE["owner"])).facts.recall()
        async with pool.connection() as conn:
            row = await (await conn.execute("select current_setting('lookalike.ran_as')")).fetchone()
    assert row == ("nobody",)
