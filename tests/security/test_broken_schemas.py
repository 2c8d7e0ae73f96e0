"""Negative controls: a schema broken on purpose, in one way, turns the rules or the matrix red.

`pytest tests/security/test_broken_schemas.py -rP` shows which caught what.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import pytest

from . import matrix
from .bench import Bench
from .catalogue import INNER
from .conftest import Ground
from .rules import findings

ENOUGH = 3
"""Leaks after which nothing further is tried."""

TABLES, INSIDE, FUNCTIONS = matrix.callers_at_tables, matrix.inner_roles_at_tables, matrix.callers_at_functions


@dataclass(frozen=True)
class Defect:
    """One way to break the schema.

    Attributes:
        sql: How.
        rules: The rules that are then broken.
        ring: The part of the matrix to be tried, and
        objects: what it is tried on.
        leaks: Whether somebody then meets or changes what is another's, or gets as far as a table.
    """

    sql: str
    rules: Collection[str] = ()
    ring: Callable[[Bench, Collection[str] | None], Generator[matrix.Cell]] = INSIDE
    objects: Collection[str] = ("facts",)
    leaks: bool = True


NEW_TABLE = """
create table memoranda_private.notes (tenant_id uuid not null, owner_id uuid {0}, note text,
                                      primary key (tenant_id, note));
alter table memoranda_private.notes owner to memoranda_owner;
"""
SECURED = "alter table memoranda_private.notes enable row level security, force row level security;"

DEFECTS = {
    # Row-level security.
    "off on one table": Defect(
        "alter table memoranda_private.facts disable row level security", {"row-level security is enabled"}
    ),
    "not forced": Defect(
        "alter table memoranda_private.revisions no force row level security",
        {"row-level security is forced, for the owner too"},
        objects=("revisions",),
    ),
    "a policy with `or true`": Defect(
        "alter policy read on memoranda_private.facts using (owner_id = (select memoranda_private.uid()) or true)",
        {"a policy has no escape"},
    ),
    "a policy that compares a thing with itself": Defect(
        "alter policy read on memoranda_private.facts using (owner_id = (select memoranda_private.uid()) or key = key)",
        {"a policy has no escape"},
    ),
    "a policy in which null means all": Defect(
        "alter policy read on memoranda_private.facts "
        "using (owner_id = (select memoranda_private.uid()) or expires_at is null)",
        {"a policy has no escape"},
    ),
    "a policy by prefix": Defect(
        "alter policy read on memoranda_private.facts "
        "using (owner_id::text like left((select memoranda_private.uid())::text, 6) || '%')",
        {"a policy has no escape"},
    ),
    "a policy that asks nobody": Defect(
        "alter policy read on memoranda_private.facts using (scope = 'user')", {"a policy asks who is there"}
    ),
    "a policy that forgets the owner": Defect(
        "alter policy read on memoranda_private.facts "
        "using (tenant_id = any ((select memoranda_private.my_tenants())::uuid[]))"
    ),
    "a policy that lets readers write": Defect(
        "alter policy add on memoranda_private.facts "
        "with check (tenant_id = any ((select memoranda_private.my_tenants())::uuid[]))"
    ),
    "a policy that asks for every row": Defect(
        "alter policy own on memoranda_private.idempotency_keys "
        "using (owner_id = memoranda_private.uid() "
        "and tenant_id = any ((select memoranda_private.my_tenants())::uuid[]))",
        {"a policy asks once a statement, in a sub-select"},
        objects=("idempotency_keys",),
        leaks=False,
    ),
    "a policy for PUBLIC": Defect(
        "create policy anybody on memoranda_private.facts using (owner_id = (select memoranda_private.uid()))",
        {"policies name the inner roles only"},
    ),
    "an open policy for another role": Defect(
        "alter policy membership on memoranda_private.members to memoranda_service, memoranda_owner",
        {"an open policy is for the listed role only"},
        objects=("members",),
    ),
    "a new table without a policy": Defect(
        NEW_TABLE.format("not null") + SECURED,
        {"a table has a policy", "the whole scope leads every key"},
        objects=("notes",),
        leaks=False,
    ),
    "a new table without anything": Defect(
        NEW_TABLE.format("") + "insert into memoranda_private.notes values (gen_random_uuid(), gen_random_uuid(), 'n')",
        {
            "row-level security is enabled",
            "row-level security is forced, for the owner too",
            "a table has a policy",
            "scope columns are not null",
            "the whole scope leads every key",
        },
        objects=("notes",),
    ),
    # Grants.
    "a table granted to users": Defect(
        "grant select on memoranda_private.facts to authenticated",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
    ),
    "a column granted to users": Defect(
        "grant select (content) on memoranda_private.facts to authenticated",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
    ),
    "a column granted for update": Defect(
        "grant update (reason) on memoranda_private.revisions to service_role",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
        ("revisions",),
    ),
    "truncate granted": Defect(
        "grant truncate on memoranda_private.facts to service_role",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
    ),
    "maintain granted": Defect(
        "grant maintain on memoranda_private.facts to authenticated",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
    ),
    "delete granted to the rules": Defect(
        "grant delete on memoranda_private.facts to memoranda_rules",
        {"inner roles delete nothing that is not listed"},
        leaks=False,  # no policy for it yet
    ),
    "whole rows granted for update": Defect(
        "grant update on memoranda_private.facts to memoranda_rules",
        {"inner roles update named columns only"},
        leaks=False,
    ),
    "a grant that may be passed on": Defect(
        "grant execute on function memoranda_private.whoami to service_role with grant option",
        {"nobody may pass a privilege on"},
        FUNCTIONS,
        ("whoami",),
        leaks=False,
    ),
    "create left with the rules": Defect(
        "grant create on schema memoranda_private to memoranda_rules",
        {"nobody but the owner may create in a schema"},
        leaks=False,
    ),
    "a visitor in the schema": Defect(
        "grant usage on schema memoranda to anon",
        {"only users and services may use a schema"},
        FUNCTIONS,
        ("whoami",),
        leaks=False,
    ),
    "default privileges for PUBLIC": Defect(
        "alter default privileges for role memoranda_rules grant execute on functions to public",
        {"what an inner role makes later is closed to PUBLIC"},
        leaks=False,
    ),
    "default privileges for users": Defect(
        "alter default privileges for role memoranda_owner in schema memoranda_private "
        "grant select on tables to authenticated",
        {"what is made later is closed"},
        leaks=False,
    ),
    # Functions.
    "a rule whose owner bypasses row-level security": Defect(
        "create role bypassing bypassrls; alter function memoranda_private.facts_recall owner to bypassing",
        {"functions belong to inner roles that RLS binds"},
        FUNCTIONS,
        ("facts_recall",),
        leaks=False,  # its own predicates still stand
    ),
    "a definer function open to visitors": Defect(
        "create function memoranda.peek() returns text language sql security definer set search_path = '' "
        "as 'select string_agg(content, '','') from memoranda_private.facts'; "
        "grant usage on schema memoranda to anon; grant execute on function memoranda.peek to anon",
        {
            "functions belong to inner roles that RLS binds",
            "a door has its caller's rights, never its owner's",
            "a door is one call of the rule of its name",
            "nobody but users and services may call",
            "a door is open to whom its rule is",
            "only users and services may use a schema",
        },
        FUNCTIONS,
        ("peek",),
    ),
    "a mutable search_path": Defect(
        "alter function memoranda_private.facts_recall reset search_path",
        {"a function pins its search_path"},
        FUNCTIONS,
        ("facts_recall",),
        leaks=False,
    ),
    "a search_path with the caller's types first": Defect(
        "alter function memoranda_private.enter set search_path = memoranda_private",
        {"a search_path ends in pg_temp, a door's is empty"},
        FUNCTIONS,
        ("enter",),
        leaks=False,
    ),
    "a search_path through a schema open to users": Defect(
        "create schema workshop; grant create on schema workshop to authenticated; "
        "alter function memoranda_private.enter set search_path = memoranda_private, workshop, pg_temp",
        {"a search_path has no schema where outsiders may create"},
        FUNCTIONS,
        ("enter",),
        leaks=False,
    ),
    "a door with its owner's rights": Defect(
        "alter function memoranda.facts_recall security definer",
        {"a door has its caller's rights, never its owner's"},
        FUNCTIONS,
        ("facts_recall",),
        leaks=False,  # the owner may not call the rule
    ),
    "a door that does more than one thing": Defect(
        "create or replace function memoranda.whoami() returns jsonb language sql stable set search_path = '' "
        "as 'select null; select memoranda_private.whoami()'",
        {"a door is one call of the rule of its name"},
        FUNCTIONS,
        ("whoami",),
        leaks=False,
    ),
    "service work open to users": Defect(
        "grant execute on function memoranda_private.members_set, memoranda.members_set to authenticated",
        {"what only a service may call is closed to users"},
        FUNCTIONS,
        ("members_set",),
    ),
    "importing open to users": Defect(
        "grant execute on function memoranda_private.import_rows, memoranda.import_rows to authenticated",
        {"what only a service may call is closed to users"},
        FUNCTIONS,
        ("import_rows",),
    ),
    "documents open to users": Defect(
        "grant execute on function memoranda_private.documents_get, memoranda.documents_get to authenticated",
        {"what only a service may call is closed to users"},
        FUNCTIONS,
        ("documents_get",),
    ),
    "a rule that takes the user from an argument": Defect(
        "create or replace function memoranda_private.facts_recall(p_place jsonb, p_query jsonb) returns jsonb "
        "language plpgsql security definer set search_path = memoranda_private, pg_temp as $$ begin "
        "perform set_config('request.jwt.claims', jsonb_build_object('sub', p_place ->> 'tenant')::text, true); "
        "return (select jsonb_agg(to_jsonb(f)) from facts f); end $$",
        ring=FUNCTIONS,
        objects=("facts_recall",),
    ),
    "a rule that tells what its error was about": Defect(
        "create or replace function memoranda_private.secret_hash(p_tenant uuid, p_text text) returns bytea "
        "language plpgsql security definer set search_path = memoranda_private, pg_temp as $$ begin "
        "set local row_security = on; raise exception '%', (select min(content) from facts); end $$; "
        "create policy peek on memoranda_private.facts to memoranda_owner using (true)",
        {"a policy has no escape", "a policy asks who is there"},
        FUNCTIONS,
        ("facts_save",),
    ),
    # Other objects, and roles.
    "a view with its owner's rights": Defect(
        "create view memoranda_private.everything as select * from memoranda_private.facts; "
        "alter view memoranda_private.everything owner to memoranda_owner; "
        "grant select on memoranda_private.everything to authenticated",
        {"a view is security_invoker", "nobody but the inner roles has a privilege on a table"},
        TABLES,
        ("everything",),
    ),
    "a sequence open to users": Defect(
        "create sequence memoranda_private.counter; alter sequence memoranda_private.counter owner to memoranda_owner; "
        "grant usage on sequence memoranda_private.counter to authenticated",
        {"nobody but the inner roles has a privilege on a table"},
        TABLES,
        ("counter",),
    ),
    "a unique index across owners": Defect(
        "create unique index across on memoranda_private.facts (key, tenant_id, owner_id, scope, scope_id, id)",
        {"the whole scope leads every key"},
        leaks=False,
    ),
    "a trigger that is off": Defect(
        "alter table memoranda_private.facts disable trigger guard", {"every trigger is enabled"}, leaks=False
    ),
    "an inner role for users": Defect(
        "grant memoranda_rules to authenticated", {"nobody but the login that migrates is a member"}, TABLES, INNER
    ),
    "an inner role that bypasses row-level security": Defect(
        "alter role memoranda_rules bypassrls",
        {"inner roles have no power of their own", "functions belong to inner roles that RLS binds"},
    ),
    "an inner role with another's rights": Defect(
        "grant pg_read_all_data to memoranda_service", {"an inner role is a member of nothing"}, leaks=False
    ),
}


@pytest.mark.parametrize(("name", "defect"), DEFECTS.items(), ids=DEFECTS)
def test_a_defect_is_caught(ground: Ground, name: str, defect: Defect) -> None:
    with ground.superuser() as conn:
        before = set(findings(conn))
        conn.execute(defect.sql.encode())
        rules = {finding.rule for finding in set(findings(conn)) - before}
        with closing(defect.ring(Bench(conn, ground.world), defect.objects)) as cells:
            leaks = list(islice((str(cell) for cell in cells if cell.outcome == matrix.LEAK), ENOUGH))
    caught = [f"{len(found)} {what}" for found, what in ((rules, "rules"), (leaks, "cells or more")) if found]
    print(f"{name}: caught by {' and '.join(caught)}")
    assert rules == set(defect.rules)
    assert bool(leaks) == defect.leaks, leaks
    assert rules or leaks, "nobody would have noticed"
