"""A project of Supabase's, from nothing: installed in each way, served, upgraded; and who then sees what."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

import memoranda
from acceptance.person import Person
from memoranda import Scope, exposure, schema
from memoranda.doctor import examine
from memoranda.errors import ForbiddenError, PrivilegeError, SchemaError
from memoranda.transport.embedded import EmbeddedServer
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database, create_database, drop_database, migrated, running_server
from support.dump import schema_dump
from support.servers import reachable_folder
from support.supabase import LOGIN, dress_server, dress_wholly

PAGE = Path(__file__).parents[2] / "docs" / "supabase-setup.md"

pytestmark = pytest.mark.direct("a server dressed as Supabase's")


@pytest.fixture(scope="module")
def supabase() -> Iterator[EmbeddedServer]:
    with running_server() as server:
        with Database(server, "postgres").admin() as conn:
            dress_server(conn)
        yield server


@pytest.fixture(scope="module")
def installed(supabase: EmbeddedServer) -> Iterator[Database]:
    """A project in which `memoranda init` was run."""
    made = project(supabase)
    asyncio.run(migrated(made, LOGIN))
    yield made
    drop_database(made)


@pytest.fixture
def fresh(supabase: EmbeddedServer) -> Iterator[Database]:
    """A project in which nothing was done yet."""
    made = project(supabase)
    yield made
    drop_database(made)


def project(server: EmbeddedServer) -> Database:
    made = create_database(server)
    with made.admin() as conn:
        dress_wholly(conn)
    return made


def login(database: Database) -> AbstractContextManager[psycopg.Connection[Any]]:
    """What Supabase's SQL editor and its CLI connect as."""
    return psycopg.connect(database.dsn(LOGIN), autocommit=True)


def dump(database: Database) -> str:
    return schema_dump(database.dsn("postgres"))


# Installing


def test_a_file_for_db_push_is_applied_in_the_transaction_of_who_applies_it(
    installed: Database, fresh: Database
) -> None:
    text = schema.script(transaction=False)
    assert not re.search(r"^(begin|commit);", text, re.MULTILINE)
    for version in (1, 2):  # the second has everything already
        with login(fresh) as conn, conn.transaction():
            conn.execute("create table if not exists public.schema_migrations (version int primary key)")
            conn.execute(text.encode())
            conn.execute("insert into public.schema_migrations values (%s)", [version])
    assert dump(fresh) == dump(installed)


def test_a_tool_that_became_the_login_goes_on_as_that(installed: Database, fresh: Database) -> None:
    """Supabase's CLI may come as a login of its own, and set the role."""
    with fresh.admin() as conn:
        conn.execute(f"create role cli_login login noinherit; grant {LOGIN} to cli_login")
    try:
        for _ in range(2):
            with psycopg.connect(fresh.dsn("cli_login"), autocommit=True) as conn:
                conn.execute(f"set role {LOGIN}")
                conn.execute(schema.script(transaction=False).encode())
                assert conn.execute("select current_user::text").fetchone() == (LOGIN,)
        assert dump(fresh) == dump(installed)
    finally:
        with fresh.admin() as conn:
            conn.execute("drop role cli_login")


def test_the_text_for_the_sql_editor_installs_the_same(installed: Database, fresh: Database) -> None:
    for _ in range(2):
        with login(fresh) as conn:
            conn.execute(schema.script().encode())
    assert dump(fresh) == dump(installed)


def test_a_file_of_an_older_release_and_then_one_of_this(
    installed: Database, fresh: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: every[:30])
    older = schema.script(transaction=False)
    monkeypatch.setattr(schema, "migrations", lambda: every)
    with login(fresh) as conn:
        conn.execute(older.encode())
        assert conn.execute("select memoranda.schema_version() ->> 'version'").fetchone() == ("30",)
        conn.execute(schema.script(transaction=False, expose=True).encode())
        served = conn.execute(schema.read("doctor/exposed.sql").encode()).fetchall()
        conn.execute("alter role authenticator reset pgrst.db_schemas")
    assert [name for (name,) in served] == ["public", "graphql_public", "memoranda"]
    assert dump(fresh) == dump(installed)


def test_the_login_that_installs_reads_no_row(installed: Database) -> None:
    with login(installed) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select from memoranda_private.facts")


async def test_the_doctor_has_nothing_against_it_but_the_login_that_installs(installed: Database) -> None:
    wrong: dict[str, set[str]] = {}
    for name in ("authenticator", LOGIN):
        found = await examine(PostgresTransport(installed.dsn(name)), installed.dsn(name))
        wrong[name] = {finding.check for finding in found if finding.level in ("error", "warning")}
    assert wrong == {"authenticator": set(), LOGIN: {"login"}}


async def test_another_database_is_refused_before_anything_is_made(database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True) as conn:
        with pytest.raises(SchemaError, match="not a database of Supabase's"):
            await exposure.require_supabase(conn)


def test_no_statement_changes_every_row() -> None:
    """Supabase's API refuses an UPDATE or a DELETE without a condition (it loads safeupdate), in a function as well."""
    for migration in schema.migrations():
        text = re.sub(r"--.*", "", migration.text)
        changes = re.findall(r"\b(?:update\s+\w+(?:\s+\w+)?\s+set|delete\s+from\s+\w+)\b[^;]*", text, re.IGNORECASE)
        assert [each for each in changes if "where" not in each.lower()] == []


# At the command line


def test_init_says_what_is_left_to_do(fresh: Database) -> None:
    with reachable_folder() as folder:
        person = Person(folder)
        first = person.runs("init", "--supabase", "--dsn", fresh.dsn(LOGIN))
        second = person.runs("init", "--supabase", "--expose", "--dsn", fresh.dsn(LOGIN))
    with login(fresh) as conn:
        conn.execute("alter role authenticator reset pgrst.db_schemas")
    assert (first.returncode, second.returncode) == (0, 0)
    said = " ".join(first.stdout.split())
    assert "Project Settings, Data API, add memoranda to the exposed schemas, and never memoranda_private" in said
    assert "Applied   nothing" in second.stdout
    assert "Data API  serves public, graphql_public, memoranda\n" in second.stdout
    assert "One step is left" not in second.stdout


def test_init_and_sql_refuse_what_makes_no_sense(database: Database) -> None:
    with reachable_folder() as folder:
        person = Person(folder)
        elsewhere = person.runs("init", "--supabase", "--dsn", database.dsn("postgres"))
        both = person.runs("sql", "--supabase", "--shim")
        text = person.runs("sql", "--supabase", "--expose").stdout
    assert (elsewhere.returncode, "leave out --supabase" in elsewhere.stderr) == (1, True)
    assert (both.returncode, "[MEMORY_INPUT]" in both.stderr) == (1, True)
    assert text == schema.script(transaction=False, expose=True)


# Served by the API


async def told(database: Database, sql: str = "") -> list[str] | None:
    """What PostgREST is told to serve, before and after asking for the doors to be, twice."""
    async with await psycopg.AsyncConnection.connect(database.dsn(LOGIN), autocommit=True) as conn:
        await exposure.require_supabase(conn)
        if sql:
            await conn.execute(sql.encode())
        for _ in range(2):
            await exposure.expose(conn)
        found = await exposure.served(conn)
        await conn.execute("alter role authenticator reset pgrst.db_schemas")
        await conn.execute(f'alter role authenticator in database "{database.name}" reset pgrst.db_schemas'.encode())
        assert await exposure.served(conn) is None
    return found


async def test_the_doors_are_served_beside_what_is_served_already(installed: Database) -> None:
    assert await told(installed) == ["public", "graphql_public", "memoranda"]
    everywhere = "alter role authenticator set pgrst.db_schemas = 'public,api'"
    assert await told(installed, everywhere) == ["public", "api", "memoranda"]
    here = f"alter role authenticator in database \"{installed.name}\" set pgrst.db_schemas = 'memoranda, api'"
    assert await told(installed, f"{everywhere}; {here}") == ["memoranda", "api"]


async def test_whoever_may_not_say_what_is_served_is_told_of_the_dashboard(installed: Database) -> None:
    with installed.admin() as conn:
        conn.execute(f"revoke authenticator from {LOGIN}")
    try:
        async with await psycopg.AsyncConnection.connect(installed.dsn(LOGIN), autocommit=True) as conn:
            with pytest.raises(PrivilegeError, match="Data API"):
                await exposure.expose(conn)
    finally:
        with installed.admin() as conn:
            conn.execute(f"grant authenticator to {LOGIN} with admin option")


# Who sees what


async def test_private_is_what_it_is_when_nothing_is_done(installed: Database) -> None:
    alice, bob = uuid4(), uuid4()
    async with memoranda.connect(installed.dsn()) as store:
        await store.memory(alice).facts.save("Prefers tea.", key="drink")
        assert await store.memory(bob).facts.recall() == []
    with psycopg.connect(installed.dsn(), autocommit=True) as conn:
        conn.execute("set role anon")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("select memoranda.facts_recall('{}', '{}')")
    with login(installed) as conn:
        conn.execute("insert into auth.users values (%s)", [alice])
        conn.execute("delete from auth.users where id = %s", [alice])
    async with memoranda.connect(installed.dsn()) as store:
        assert await store.memory(alice).facts.recall() == []


async def test_an_organisation_shares_with_its_members(installed: Database) -> None:
    alice, bob, carol = uuid4(), uuid4(), uuid4()
    async with memoranda.connect(installed.dsn()) as store:
        await store.members.set("acme", alice, "manage")
        await store.members.set("acme", bob, "read")
        shared = {user: store.memory(user, tenant="acme", scope=Scope.organization()) for user in (alice, bob, carol)}
        await shared[alice].facts.save("Invoices are due in 30 days.", key="terms")
        assert [fact.content for fact in await shared[bob].facts.recall()] == ["Invoices are due in 30 days."]
        with pytest.raises(ForbiddenError):
            await shared[bob].facts.save("In 10 days.", key="terms")
        with pytest.raises(ForbiddenError):
            await shared[carol].facts.recall()


async def test_a_corpus_that_all_may_read(installed: Database) -> None:
    (posture,) = re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    with login(installed) as conn:
        conn.execute(posture.encode())
    await migrated(installed, LOGIN)  # an upgrade leaves it alone
    editor, reader = uuid4(), uuid4()
    async with memoranda.connect(installed.dsn()) as store:
        await store.members.set("handbook", editor, "manage")
        await store.members.set("closed", editor, "manage")
        for tenant in ("handbook", "closed"):
            memory = store.memory(editor, tenant=tenant, scope=Scope.organization())
            await memory.facts.save(f"What is in the {tenant}.", key="first")
            await store.memory(editor, tenant=tenant).facts.save("A note of the editor's own.", key="own")
        visitor = {"is_anonymous": True}
        corpus = store.memory(reader, tenant="handbook", scope=Scope.organization(), claims=visitor)
        assert [fact.content for fact in await corpus.facts.recall()] == ["What is in the handbook."]
        assert await store.memory(reader, tenant="handbook", claims=visitor).facts.recall() == []
        with pytest.raises(ForbiddenError):
            await corpus.facts.save("Something else.", key="first")
        with pytest.raises(ForbiddenError):
            await store.memory(reader, tenant="closed", scope=Scope.organization()).facts.recall()
    with psycopg.connect(installed.dsn(), autocommit=True) as conn:
        conn.execute("set role anon")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute('select memoranda.facts_recall(\'{"tenant": "handbook", "scope": "organization"}\', \'{}\')')
