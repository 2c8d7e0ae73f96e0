"""Raw SQL of a signed-in user, on a connection of their own: nothing of it gets past the doors."""

from __future__ import annotations

import psycopg
import pytest

from .conftest import Connection, Ground

REFUSED = "42501"

ATTACKS = {
    # Reading a table.
    "copy": "copy memoranda_private.facts to stdout",
    "copy a query": "copy (select content from memoranda_private.facts) to stdout",
    "copy to a program": "copy (select 1) to program 'true'",
    "copy into a table": "copy memoranda_private.facts from stdin",
    "select for update": "select 1 from memoranda_private.facts for update",
    "select for key share skip locked": "select 1 from memoranda_private.facts for key share skip locked",
    "table": "table memoranda_private.facts",
    "whole-row reference": "select f from memoranda_private.facts f",
    "system column": "select ctid from memoranda_private.facts",
    "sampling": "select 1 from memoranda_private.facts tablesample system (100)",
    "explain": "explain select * from memoranda_private.facts",
    "explain analyze": "explain (analyze, verbose) select * from memoranda_private.facts",
    "cursor": "declare c cursor for select * from memoranda_private.facts",
    "cursor with hold": "declare c cursor with hold for select * from memoranda_private.facts",
    "anonymous block": "do $$ begin perform 1 from memoranda_private.facts; end $$",
    "temporary copy": "create temp table stolen as select * from memoranda_private.facts",
    "temporary likeness": "create temp table stolen (like memoranda_private.facts including all)",
    "temporary heir": "create temp table stolen () inherits (memoranda_private.facts)",
    "salt": "select salt from memoranda_private.tenants",
    "members": "select * from memoranda_private.members",
    "file of the server": "select pg_read_file('PG_VERSION')",
    "large object from a file": "select lo_import('/etc/hostname')",
    # Writing a table.
    "revision": "insert into memoranda_private.revisions (reason) values ('forged')",
    "insert returning": "insert into memoranda_private.facts (content) values ('forged') returning *",
    "on conflict update": "insert into memoranda_private.facts (id) values (gen_random_uuid()) "
    "on conflict on constraint facts_pkey do update set content = 'forged'",
    "on conflict nothing": "insert into memoranda_private.members values (gen_random_uuid()) on conflict do nothing",
    "merge": "merge into memoranda_private.facts f using (select 1) s on true when matched then delete",
    "write in a with": "with gone as (delete from memoranda_private.facts returning *) select * from gone",
    "update from": "update memoranda_private.facts f set status = 'confirmed' from memoranda_private.revisions r",
    "truncate": "truncate memoranda_private.facts, memoranda_private.revisions cascade",
    "lock": "lock table memoranda_private.facts in access exclusive mode",
    # Changing what guards it.
    "disable triggers": "alter table memoranda_private.facts disable trigger all",
    "disable row security": "alter table memoranda_private.facts disable row level security",
    "no force": "alter table memoranda_private.facts no force row level security",
    "alter policy": "alter policy read on memoranda_private.facts using (true)",
    "create policy": "create policy mine on memoranda_private.facts to authenticated using (true)",
    "drop policy": "drop policy read on memoranda_private.facts",
    "create trigger": "create trigger t before insert on memoranda_private.facts execute function pg_temp.f()",
    "create rule": "create rule r as on insert to memoranda_private.facts do instead nothing",
    "create index": "create index on memoranda_private.facts (content)",
    "create statistics": "create statistics pg_temp.s on key, content from memoranda_private.facts",
    "comment": "comment on table memoranda_private.facts is 'forged'",
    "replace the identity": "create or replace function memoranda_private.uid() returns uuid language sql as "
    "'select null::uuid'",
    "replace the tenancy": "create or replace function memoranda_private.tenants_with(p_permission text) "
    "returns uuid[] language sql as 'select null::uuid[]'",
    "overload of a rule": "create function memoranda_private.uid(int) returns uuid language sql as 'select null::uuid'",
    "overload of a door": "create function memoranda.whoami(int) returns int language sql as 'select 1'",
    "table beside the doors": "create table memoranda.facts (x int)",
    "own a rule": "alter function memoranda_private.facts_save owner to authenticated",
    "unpin a rule": "alter function memoranda_private.facts_save reset search_path",
    "open a rule": "alter function memoranda_private.facts_save security invoker",
    "grant oneself a table": "grant all on memoranda_private.facts to authenticated",
    "grant oneself a rule": "grant execute on function memoranda_private.members_set to authenticated",
    "move a table": "alter table memoranda_private.facts set schema public",
    "rename a schema": "alter schema memoranda_private rename to mine",
    "default privileges": "alter default privileges for role memoranda_owner grant all on tables to authenticated",
    # Becoming somebody else.
    "set role owner": "set role memoranda_owner",
    "set role rules": "set role memoranda_rules",
    "set role service": "set role memoranda_service",
    "set role erasure": "set role memoranda_erasure",
    "set role import": "set role memoranda_import",
    "set role superuser": "set role postgres",
    "set_config role": "select set_config('role', 'memoranda_owner', true)",
    "session authorization": "set session authorization memoranda_owner",
    "grant oneself an inner role": "grant memoranda_rules to authenticated",
    "alter an inner role": "alter role memoranda_rules bypassrls",
    "create a role": "create role mine superuser",
    "reassign": "reassign owned by memoranda_owner to authenticated",
    "drop owned": "drop owned by memoranda_rules",
    "replication role": "set session_replication_role = replica",
    # Service work.
    "make oneself a member": 'select memoranda.members_set(\'{"tenant": "acme", "user": "me"}\')',
    "the rule behind it": 'select memoranda_private.members_set(\'{"tenant": "acme", "user": "me"}\')',
    "list members": 'select memoranda.members_list(\'{"tenant": "acme"}\')',
    "step of a rule": "select memoranda_private.enter('{}', 'write')",
    "hash with the salt": "select memoranda_private.secret_hash(gen_random_uuid(), 'x')",
    "trigger function": "select memoranda_private.log_facts()",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_raw_sql_is_refused(ground: Ground, attack: str) -> None:
    with ground.session("other") as conn, pytest.raises(psycopg.Error) as caught:
        conn.execute(attack.encode())
    assert caught.value.sqlstate == REFUSED, caught.value


def test_a_security_label_needs_a_provider_and_there_is_none(ground: Ground) -> None:
    with ground.session("other") as conn, pytest.raises(psycopg.errors.InvalidParameterValue):
        conn.execute("security label on table memoranda_private.facts is 'mine'")


VEHICLES = {
    "view": ("create view pg_temp.v as select * from memoranda_private.facts", "select * from pg_temp.v"),
    "view with its owner's rights": (
        "create view pg_temp.v with (security_invoker = false) as select * from memoranda_private.facts",
        "select * from pg_temp.v",
    ),
    "definer function": (
        "create function pg_temp.f() returns bigint language sql security definer as "
        "'select count(*) from memoranda_private.facts'",
        "select pg_temp.f()",
    ),
    "trigger of ours on a table of one's own": (
        "create temp table t (x int)",
        "create trigger t before insert on t for each row execute function memoranda_private.log_facts()",
    ),
    "prepared statement": (
        'prepare p as select memoranda.members_list(\'{"tenant": "acme"}\')',
        "execute p",
    ),
    "row security off": ("set local row_security = off", "select memoranda.facts_recall('{}')"),
}


@pytest.mark.parametrize("vehicle", VEHICLES.values(), ids=VEHICLES)
def test_nothing_that_one_makes_carries_one_past_the_doors(ground: Ground, vehicle: tuple[str, str]) -> None:
    make, use = vehicle
    with ground.session("other") as conn:
        conn.execute(make.encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(use.encode())


def said(conn: Connection, query: str) -> str:
    return str(conn.execute(query.encode()).fetchall())


def test_statistics_show_nothing_of_a_table(ground: Ground) -> None:
    with ground.superuser() as conn:
        conn.execute("analyze memoranda_private.facts")
        assert "canary" in said(conn, "select * from pg_stats where schemaname = 'memoranda_private'")
        conn.execute("commit")
    for table in ("pg_stats", "pg_stats_ext", "pg_statistic_ext"):
        with ground.session("other") as conn:
            assert "canary" not in said(conn, f"select * from {table}")
    with ground.session("other") as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select * from pg_statistic")


def test_explain_of_a_door_shows_no_row(ground: Ground) -> None:
    with ground.session("owner") as conn:
        plan = said(conn, "explain (analyze, verbose, buffers) select memoranda.facts_recall('{}')")
        assert "Result" in plan
        assert "canary" not in plan
        assert "Scan" not in plan, "what happens behind the door stays there"


def test_other_sessions_statements_are_not_shown(ground: Ground) -> None:
    with ground.session("owner") as victim, ground.session("other") as conn:
        victim.execute("select memoranda.facts_recall('{}'), 'a statement of the owner'")
        assert "of the owner" not in said(conn, "select query from pg_stat_activity")
