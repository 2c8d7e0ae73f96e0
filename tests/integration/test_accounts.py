"""Whoever is deleted from the table of accounts is erased, where there is such a table."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, migrated, running_server

ACCOUNTS = "create schema if not exists auth; create table auth.users (id uuid primary key, email text)"


async def lives(database: Database, user: UUID) -> None:
    """Somebody signs up, is remembered, and deletes the account; nobody else is concerned."""
    other = uuid4()
    with database.admin() as conn:
        conn.execute("insert into auth.users values (%s, 'a@example.com'), (%s, 'b@example.com')", [user, other])
    async with memoranda.connect(database.dsn()) as store:
        await store.members.set("acme", user)
        for memory in (store.memory(user), store.memory(user, tenant="acme"), store.memory(other)):
            await memory.facts.save("Likes tea.", idempotency_key="k")
        with database.admin() as conn:
            conn.execute("select set_config('request.jwt.claims', '{\"sub\": \"somebody\"}', false)")
            conn.execute("delete from auth.users where id = %s", [user])
            claims = conn.execute("select current_setting('request.jwt.claims')").fetchone()
            left = conn.execute("select distinct owner_id from memoranda_private.facts").fetchall()
            assert conn.execute("select from memoranda_private.members").fetchall() == []
        assert claims == ('{"sub": "somebody"}',)
        assert left == [(other,)]
        assert (await store.memory(user).facts.save("Likes tea.", idempotency_key="k")).rule == "erased"


@pytest.mark.direct("acts as a superuser")
@pytest.mark.parametrize("way", ["migrated", "script"])
async def test_who_is_deleted_is_erased(empty_database: Database, way: str) -> None:
    with empty_database.admin() as conn:
        conn.execute(ACCOUNTS)
    for _ in range(2):
        if way == "migrated":
            await migrated(empty_database)
        else:
            with empty_database.admin() as conn:
                conn.execute(schema.script(shim=True).encode())
    await lives(empty_database, uuid4())


async def test_a_table_that_comes_later_is_seen_to_by_the_next_init(database: Database) -> None:
    with database.admin() as conn:
        conn.execute(ACCOUNTS)
    await migrated(database)
    await lives(database, uuid4())


@pytest.mark.direct("a login of the host's")
@pytest.mark.parametrize("may", [True, False])
async def test_a_login_without_superuser_makes_the_trigger_if_it_may(may: bool) -> None:
    with running_server() as server:
        database = hosted(server)
        with database.admin() as conn:
            conn.execute(ACCOUNTS)
            if may:
                conn.execute("grant usage on schema auth to hosted; grant trigger on auth.users to hosted")
        await migrated(database, "hosted")
        with database.admin() as conn:
            made = conn.execute("select count(*) from pg_trigger where tgname = 'memoranda_erase'").fetchone()
            open_ = conn.execute(
                "select has_function_privilege('hosted', 'memoranda_private.erase_account()', 'execute')"
                " or has_schema_privilege('hosted', 'memoranda_private', 'usage')"
            ).fetchone()
        assert made == (int(may),)
        assert open_ == (False,)
        if may:
            await lives(database, uuid4())
        drop_database(database)


def hosted(server: EmbeddedServer) -> Database:
    """A database whose administrator is no superuser."""
    database = create_database(server)
    with database.admin() as conn:
        conn.execute("create role hosted login createrole bypassrls")
        conn.execute(f'grant create on database "{database.name}" to hosted'.encode())
        conn.execute(schema.read("supabase_shim.sql").encode())
        conn.execute("create extension vector; create extension pg_trgm")
    return database
