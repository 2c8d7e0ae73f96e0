"""Supabase's database linter on a database of Supabase's shape: what it flags is listed, and proved bound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, migrated
from support.supabase import dress

from .advisor import CHECKS, advise, flagged
from .arguments import EXAMPLES
from .catalogue import INNER, Catalogue, read

DEFINERS = "0029 a function with its owner's rights for users"

KEPT = {
    "0001 a foreign key without an index": {
        "facts.facts_tenant_id_owner_id_scope_scope_id_id_supersedes_fkey": "facts_supersedes has all of it but the id",
        "unembeddable.unembeddable_tenant_id_owner_id_scope_scope_id_fact_id_fkey": "few rows, and the scope leads",
    },
    "0006 more than one policy for a command of a role": {
        "tenants, memoranda_owner, r": "its own, and one that holds during an erasure only",
        "revisions, memoranda_erasure, r": "an erased writer becomes nobody in others' logs, apart from what is erased",
        "revisions, memoranda_erasure, w": "the same",
    },
}
"""What is flagged and kept, and why. The functions behind the doors are more, and each is proved to be bound."""

TABLE = "create table memoranda_private.bad (tenant_id uuid primary key, other uuid)"
SECURED = f"{TABLE}; alter table memoranda_private.bad enable row level security; "

SEEDS = {
    "0001": "alter table memoranda_private.facts add column other uuid references auth.users",
    "0002": "create view memoranda.bad with (security_invoker) as select id from auth.users; "
    "grant select on memoranda.bad to authenticated",
    "0003": f"{SECURED} create policy p on memoranda_private.bad to authenticated using (tenant_id = auth.uid())",
    "0004": "create table memoranda_private.bad (tenant_id uuid)",
    "0006": "create policy twice on memoranda_private.facts for select to memoranda_rules "
    "using (owner_id = (select auth.uid()))",
    "0007": "alter table memoranda_private.facts disable row level security",
    "0008": SECURED,
    "0009": "create index again on memoranda_private.work (due_at) where dead_at is null",
    "0010": "create view memoranda_private.bad as select key from memoranda_private.facts",
    "0011": "create function memoranda.bad() returns int language sql as 'select 1'",
    "0013": TABLE,
    "0014": "alter extension pg_trgm set schema public",
    "0015": f"{SECURED} create policy p on memoranda_private.bad to authenticated "
    "using (((select auth.jwt()) -> 'user_metadata' ->> 'admin')::boolean)",
    "0016, 0017": "create materialized view memoranda_private.bad as select key from memoranda_private.facts",
    "0018": "alter table memoranda_private.facts add column other regproc",
    "0021": "create unique index on auth.users (email); "
    "alter table memoranda_private.facts add column other text references auth.users (email)",
    "0023": "grant select (salt) on memoranda_private.tenants to authenticated",
    "0024": f"{SECURED} create policy p on memoranda_private.bad for insert to authenticated with check (true)",
    "0028": "grant execute on function memoranda_private.whoami to anon",
    "0029": "grant execute on function memoranda_private.members_set to authenticated",
    "0030 autovacuum": "alter table memoranda_private.facts set (autovacuum_enabled = off)",
    "0030 an index": "set local allow_system_table_mods = on; update pg_index set indisvalid = false "
    "where indexrelid = 'memoranda_private.work_due'::regclass",
    "0030 a policy": f"{SECURED} create policy p on memoranda_private.bad to authenticated "
    "using ((select auth.uid()) is null or tenant_id = (select auth.uid()))",
}


@pytest.fixture(scope="module")
def dressed(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    del template  # made first: whoever migrates first on a server makes the roles, and what comes with them
    made = create_database(direct_server)
    with made.admin() as conn:
        dress(conn)
    asyncio.run(migrated(made))
    yield made
    drop_database(made)


@pytest.fixture
def conn(dressed: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dressed.dsn("postgres")) as conn:
        yield conn
        conn.rollback()


def test_nothing_is_flagged_but_what_is_kept(conn: psycopg.Connection) -> None:
    found = advise(conn)
    rules_of_doors = {f"memoranda_private.{each.name}" for each in read(conn).functions if each.is_door}
    assert found.pop(DEFINERS) <= rules_of_doors
    assert found == {check: set(objects) for check, objects in KEPT.items()}


@pytest.mark.parametrize("check", SEEDS)
def test_each_check_flags_a_bad_schema(conn: psycopg.Connection, check: str) -> None:
    (name,) = (each for each in CHECKS if each.startswith(check))
    before = flagged(conn, name)
    conn.execute(SEEDS[check].encode())
    assert flagged(conn, name) > before


def test_every_check_has_a_bad_schema() -> None:
    assert len(SEEDS) == len(CHECKS)


# What is kept of 0029


def unbound(conn: psycopg.Connection, catalogue: Catalogue) -> list[str]:
    """The tables on which row-level security would not bind a function that users may call."""
    kept = flagged(conn, DEFINERS)
    owners = {function.owner for function in catalogue.functions if function.path in kept}
    found: list[str] = []
    for owner in sorted(owners):
        conn.execute(sql.SQL("set local role {}").format(sql.Identifier(owner)))
        rows = conn.execute(
            "select relname::text from pg_class where relnamespace = 'memoranda_private'::regnamespace "
            "and relkind in ('r', 'p') and not row_security_active(oid)"
        ).fetchall()
        found += [f"{owner} at {name}" for (name,) in rows]
        conn.execute("reset role")
    return found


def test_each_function_that_is_kept_is_bound_by_row_level_security(conn: psycopg.Connection) -> None:
    catalogue = read(conn)
    names = flagged(conn, DEFINERS)
    kept = [function for function in catalogue.functions if function.path in names]
    assert len(kept) > 40
    assert {function.owner for function in kept} <= set(INNER)
    arguments = {name.removeprefix("p_") for function in kept for name in function.argument_names}
    assert arguments <= set(EXAMPLES), "the matrix tries each with examples aimed at what is another's"
    assert unbound(conn, catalogue) == []


@pytest.mark.parametrize(
    "broken",
    [
        "alter table memoranda_private.facts disable row level security",
        "alter role memoranda_rules bypassrls",
        "alter function memoranda_private.facts_recall owner to postgres",
    ],
)
def test_one_that_is_not_bound_is_noticed(conn: psycopg.Connection, broken: str) -> None:
    conn.execute(broken.encode())
    assert unbound(conn, read(conn)) != []
