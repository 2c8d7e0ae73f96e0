"""The roles behind the doors, with raw SQL of their own: bound by the identity in force, by columns, and by triggers.

Nobody can become one of them; if a rule were ever talked into running something, this is what it could still not do.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from .conftest import Connection, Ground
from .world import Place, bind

REFUSED = "42501"


@pytest.fixture
def conn(ground: Ground) -> Iterator[Connection]:
    with ground.superuser() as conn:
        yield conn


@pytest.fixture
def place(ground: Ground) -> Place:
    return ground.world.places["owner-home-user"]


def act(conn: Connection, ground: Ground, role: str, name: str = "owner") -> None:
    """Be an inner role, with somebody's claims, until the end of the transaction."""
    bind(conn, ground.world.callers[name])
    conn.execute(f"reset role; set local role {role}".encode())


RULES_MAY_NOT = {
    "change the content": "update memoranda_private.facts set content = 'forged'",
    "change the key": "update memoranda_private.facts set key = 'forged'",
    "change the origin": "update memoranda_private.facts set origin = 'user'",
    "change the owner": "update memoranda_private.facts set owner_id = gen_random_uuid()",
    "change the scope": "update memoranda_private.facts set scope = 'organization'",
    "change the time": "update memoranda_private.facts set updated_at = now() - interval '1 year'",
    "change the version": "update memoranda_private.facts set version = 1",
    "confirm what is in force": "update memoranda_private.facts set status = 'confirmed' where status = 'confirmed'",
    "confirm what was forgotten": "update memoranda_private.facts set status = 'confirmed' where status = 'forgotten'",
    "confirm what was rejected": "update memoranda_private.facts set status = 'confirmed' where status = 'rejected'",
    "take away a tombstone": "delete from memoranda_private.tombstones",
    "say of another value that it was rejected": "update memoranda_private.tombstones set value_hash = ''",
    "revive what was superseded": "update memoranda_private.facts set status = 'confirmed', superseded_by = null "
    "where status = 'superseded'",
    "reject what is in force": "update memoranda_private.facts set status = 'rejected' where status = 'confirmed'",
    "forget what was superseded": "update memoranda_private.facts set status = 'forgotten', superseded_by = null "
    "where status = 'superseded'",
    "say that somebody else said it": "update memoranda_private.messages set role = 'user'",
    "change when it was said": "update memoranda_private.messages set said_at = now()",
    "move a message": "update memoranda_private.messages set chat = 'another'",
    "delete a message": "delete from memoranda_private.messages",
    "bring back what was deleted": "update memoranda_private.messages set deleted_at = null, content = 'x'",
    "say how old work is": "update memoranda_private.work set created_at = now()",
    "delete a fact": "delete from memoranda_private.facts",
    "truncate facts": "truncate memoranda_private.facts cascade",
    "choose a version": "insert into memoranda_private.facts (version) values (7)",
    "choose a time": "insert into memoranda_private.facts (created_at) values ('2000-01-01')",
    "write a revision": "insert into memoranda_private.revisions (reason) values ('forged')",
    "change a revision": "update memoranda_private.revisions set reason = 'forged'",
    "delete a revision": "delete from memoranda_private.revisions",
    "read a salt": "select salt from memoranda_private.tenants",
    "choose a salt": "insert into memoranda_private.tenants (salt) values ('')",
    "change a tenant": "update memoranda_private.tenants set kind = 'organization'",
    "read the members": "select * from memoranda_private.members",
    "make a member": "insert into memoranda_private.members values (gen_random_uuid(), gen_random_uuid(), 'manage')",
    "change what a key stood for": "update memoranda_private.idempotency_keys set payload_hash = ''",
    "free a key": "delete from memoranda_private.idempotency_keys",
    "read the migrations": "select * from memoranda_private.migrations",
    "create beside the rules": "create table memoranda_private.mine (x int)",
    "create a look-alike": "create function memoranda_private.uid(int) returns int language sql as 'select 1'",
    "turn off a trigger": "alter table memoranda_private.facts disable trigger all",
    "change a policy": "alter policy read on memoranda_private.facts using (true)",
    "replace the identity": "create or replace function memoranda_private.uid() returns uuid language sql "
    "as 'select null::uuid'",
    "call service work": "select memoranda_private.members_set('{}')",
}


@pytest.mark.parametrize("statement", RULES_MAY_NOT.values(), ids=RULES_MAY_NOT)
def test_the_rules_cannot(ground: Ground, conn: Connection, statement: str) -> None:
    act(conn, ground, "memoranda_rules")
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(statement.encode())
    assert caught.value.sqlstate == REFUSED, caught.value


COPY_OF_A_FACT = """
insert into memoranda_private.facts (tenant_id, owner_id, scope, scope_id,
                                     key, kind, content, status, origin, tainted, importance, tags, entities, metadata,
                                     value_hash)
values (%s, %s, %s, %s, 'k', 'fact', 'c', 'confirmed', 'user', false, 5, '{}', '{}', '{}', '')
"""


@pytest.mark.parametrize("name", ["other", "member", "ex-member", "neighbour", "no identity"])
@pytest.mark.parametrize("where", ["owner-home-user", "ex-member-acme-user", "acme-organization"])
def test_the_rules_add_nothing_at_anothers_place(ground: Ground, conn: Connection, name: str, where: str) -> None:
    act(conn, ground, "memoranda_rules", name)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        conn.execute(COPY_OF_A_FACT, list(ground.world.places[where].row.values()))


def test_the_rules_cannot_give_an_organisation_to_a_person(ground: Ground, conn: Connection) -> None:
    """A personal tenant with an organisation's rows would be one that others could be let into."""
    act(conn, ground, "memoranda_rules")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        conn.execute(
            "insert into memoranda_private.tenants (tenant_id, kind) values (%s, 'organization')",
            [ground.world.callers["owner"].user],
        )


def test_what_the_rules_write_has_the_databases_time_and_version_and_a_revision(
    ground: Ground, conn: Connection
) -> None:
    act(conn, ground, "memoranda_rules", "other")
    values = [*ground.world.places["other-home-agent"].row.values()]
    made = conn.execute(
        f"{COPY_OF_A_FACT} returning id, version, created_at >= now() - interval '1 minute'", values
    ).fetchone()
    assert made is not None
    assert made[1:] == (1, True)
    logged = conn.execute(
        "select verb, user_id from memoranda_private.revisions where subject_id = %s", [made[0]]
    ).fetchall()
    assert [(verb, str(user)) for verb, user in logged] == [("saved", ground.world.callers["other"].user)]


# The owner of the tables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["facts", "revisions", "idempotency_keys"])
def test_the_owner_sees_no_memory_whoever_is_asking(ground: Ground, conn: Connection, table: str) -> None:
    act(conn, ground, "memoranda_owner")
    assert conn.execute(f"select from memoranda_private.{table}".encode()).fetchall() == []


def test_the_owner_sees_the_salts_and_memberships_of_the_identity_in_force_only(
    ground: Ground, conn: Connection
) -> None:
    me = ground.world.callers["member"]
    act(conn, ground, "memoranda_owner", "member")
    seen = {
        str(tenant)
        for (tenant,) in conn.execute("select tenant_id from memoranda_private.tenants where salt is not null")
    }
    assert seen == set(me.tenants)
    assert {str(user) for (user,) in conn.execute("select user_id from memoranda_private.members")} == {me.user}


HISTORY = {
    "rewrite": "update memoranda_private.revisions set reason = 'forged'",
    "rewrite nothing": "update memoranda_private.revisions set reason = 'forged' where false",
    "truncate": "truncate memoranda_private.revisions",
    "append outside a trigger": "insert into memoranda_private.revisions select (jsonb_populate_record("
    "null::memoranda_private.revisions, %s::jsonb)).*",
}


@pytest.mark.parametrize("statement", HISTORY.values(), ids=HISTORY)
def test_not_even_the_owner_rewrites_history(ground: Ground, conn: Connection, place: Place, statement: str) -> None:
    row = conn.execute(
        "select to_jsonb(r) || '{\"version\": 99}' from memoranda_private.revisions r where subject_id = %s",
        [place.ids[0]],
    ).fetchone()
    assert row is not None
    values = [Jsonb(row[0])] if "%s" in statement else None
    act(conn, ground, "memoranda_owner")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(statement.encode(), values)


@pytest.mark.parametrize("table", ["facts", "revisions", "idempotency_keys", "members"])
def test_not_even_the_owner_deletes(ground: Ground, conn: Connection, table: str) -> None:
    act(conn, ground, "memoranda_owner")
    assert conn.execute(f"delete from memoranda_private.{table}".encode()).rowcount == 0


# Service work ---------------------------------------------------------------------------------------------------------

SERVICE_MAY_NOT = {
    "read facts": "select content from memoranda_private.facts",
    "read messages": "select content from memoranda_private.messages",
    "read who said something": "select author from memoranda_private.messages",
    "read the words of messages": "select words from memoranda_private.message_terms",
    "give work to somebody else": "update memoranda_private.work set user_id = gen_random_uuid()",
    "take work away": "delete from memoranda_private.work",
    "read the log": "select from memoranda_private.revisions",
    "read what a key stood for": "select outcome from memoranda_private.idempotency_keys",
    "read a salt": "select salt from memoranda_private.tenants",
    "move a member": "update memoranda_private.members set tenant_id = gen_random_uuid()",
    "change a tenant": "update memoranda_private.tenants set kind = 'person'",
    "delete a tenant": "delete from memoranda_private.tenants",
    "call a rule": "select memoranda_private.facts_recall('{}', '{}')",
}


@pytest.mark.parametrize("statement", SERVICE_MAY_NOT.values(), ids=SERVICE_MAY_NOT)
def test_the_service_ring_cannot(ground: Ground, conn: Connection, statement: str) -> None:
    act(conn, ground, "memoranda_service")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(statement.encode())


@pytest.mark.parametrize("table", ["facts", "revisions", "idempotency_keys", "tenants", "members", "migrations"])
def test_bypassing_row_security_is_no_way_to_a_table(ground: Ground, table: str) -> None:
    """`service_role` bypasses row-level security on Supabase, so it must have no privilege to use that with."""
    with ground.session("service") as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(f"select from memoranda_private.{table}".encode())


def test_a_service_without_a_user_has_no_memory(ground: Ground) -> None:
    with ground.session("service") as conn, pytest.raises(psycopg.errors.InvalidAuthorizationSpecification):
        conn.execute("select memoranda.facts_recall('{}')")


def test_row_level_security_applies_inside_the_rules_for_every_role(ground: Ground) -> None:
    for name in ("owner", "service", "no identity"):
        with ground.session(name) as conn:
            assert conn.execute("select memoranda.whoami() -> 'bound'").fetchone() == (True,)
