"""Migrations: any number at once, interrupted, by a login that may little, in either home of the extensions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

import memoranda
from memoranda import schema
from memoranda.errors import (
    MigrationError,
    PrivilegeError,
    SchemaError,
    SchemaMissingError,
    SchemaTooNewError,
)
from memoranda.transport.binaries import find_binaries
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database, migrated, running_server
from support.dump import schema_dump

SNAPSHOT = Path(__file__).parents[2] / "sql" / "schema.sql"


def record(database: Database, number: int, *, breaking: bool) -> None:
    """Pretend that a newer release migrated this database."""
    with database.admin() as conn:
        conn.execute(
            "insert into memoranda_private.migrations values (%s, 'from_the_future', %s, 'x')", (number, breaking)
        )


async def test_twenty_concurrent_runs_on_an_empty_database_all_succeed(empty_database: Database) -> None:
    applied = await asyncio.gather(*(migrated(empty_database) for _ in range(20)))
    assert sorted(migration.number for run in applied for migration in run) == [m.number for m in schema.migrations()]
    async with memoranda.connect(empty_database.dsn()) as store:
        assert (await store.memory("alice").facts.save("GBP", key="currency")).outcome == "stored"


async def test_a_second_run_changes_nothing(database: Database) -> None:
    before = schema_dump(database.dsn("postgres"))
    assert await migrated(database) == []
    assert schema_dump(database.dsn("postgres")) == before


async def test_a_failed_migration_leaves_nothing_and_the_next_run_goes_on(
    empty_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = schema.migrations()
    broken = replace(real[1], text=real[1].text + "\ncreate table memoranda_private.half_done (); select 1 / 0;")
    monkeypatch.setattr(schema, "migrations", lambda: (real[0], broken, *real[2:]))
    with pytest.raises(MigrationError, match=r"(?i)division by zero"):
        await migrated(empty_database)
    with empty_database.admin() as conn:
        row = conn.execute(
            "select (select array_agg(number) from memoranda_private.migrations), "
            "to_regclass('memoranda_private.half_done'), to_regclass('memoranda_private.revisions')"
        ).fetchone()
    assert row == ([1], None, None)
    monkeypatch.setattr(schema, "migrations", lambda: real)
    assert [migration.number for migration in await migrated(empty_database)] == [m.number for m in real[1:]]


async def test_a_killed_run_leaves_nothing_and_the_next_run_goes_on(
    empty_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = schema.migrations()
    slow = replace(real[0], text=real[0].text + "\nselect pg_sleep(60);")
    monkeypatch.setattr(schema, "migrations", lambda: (slow, *real[1:]))
    running = asyncio.create_task(migrated(empty_database))
    with empty_database.admin() as conn:
        for _ in range(500):
            await asyncio.sleep(0.02)
            asleep = conn.execute("select pid from pg_stat_activity where wait_event = 'PgSleep'").fetchone()
            if asleep:
                conn.execute("select pg_terminate_backend(%s)", asleep)
                break
    with pytest.raises(MigrationError):
        await running
    monkeypatch.setattr(schema, "migrations", lambda: real)
    assert len(await migrated(empty_database)) == len(real)


async def test_a_rewritten_migration_is_noticed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    real = schema.migrations()
    monkeypatch.setattr(schema, "migrations", lambda: (replace(real[0], text=real[0].text + "\n-- new"), *real[1:]))
    with pytest.raises(SchemaError, match="another form"):
        await migrated(database)


async def test_an_older_client_refuses_a_newer_breaking_schema(database: Database) -> None:
    record(database, 9000, breaking=True)
    with pytest.raises(SchemaTooNewError, match="9000"):
        await memoranda.connect(database.dsn()).open()
    with pytest.raises(SchemaTooNewError):
        await migrated(database)


async def test_an_older_client_works_with_a_newer_schema_that_breaks_nothing(database: Database) -> None:
    record(database, 9000, breaking=False)
    async with memoranda.connect(database.dsn()) as store:
        assert await store.memory("alice").facts.recall() == []


async def test_a_newer_client_refuses_an_older_schema(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    real = schema.migrations()
    later = replace(real[-1], number=real[-1].number + 1)
    monkeypatch.setattr(schema, "migrations", lambda: (*real, later))
    with pytest.raises(SchemaError, match="memoranda init"):
        await memoranda.connect(database.dsn()).open()


async def test_a_database_without_the_schema_says_how_to_get_it(empty_database: Database) -> None:
    with pytest.raises(SchemaMissingError, match="memoranda init"):
        await memoranda.connect(empty_database.dsn("postgres")).open()


async def test_the_script_for_an_editor_makes_the_same_schema_and_may_run_again(
    empty_database: Database, database: Database
) -> None:
    with empty_database.admin() as conn:
        for _ in range(2):
            conn.execute(schema.script(shim=True).encode())
    assert schema_dump(empty_database.dsn("postgres")) == schema_dump(database.dsn("postgres"))
    assert await migrated(empty_database) == []


def test_the_committed_snapshot_is_the_schema(database: Database, request: pytest.FixtureRequest) -> None:
    if find_binaries().major != 18:
        pytest.skip("the snapshot is as Postgres 18 writes it; other majors word the same schema otherwise")
    found = schema_dump(database.dsn("postgres"))
    if request.config.getoption("--update-schema"):
        SNAPSHOT.write_text(found, encoding="utf-8")
    assert found == SNAPSHOT.read_text(encoding="utf-8"), "run `pytest --update-schema -k snapshot`, and look at it"


def test_nothing_of_supabase_is_touched_by_the_migrations() -> None:
    text = schema.read("bootstrap.sql") + "".join(migration.text for migration in schema.migrations())
    assert "auth." not in text.replace("schema auth", "")
    assert "create role authenticated" not in text


# A login without superuser, as on a hosted Postgres, needs a server where nobody has migrated before: roles are shared.


@pytest.fixture(scope="module")
def hosted() -> Iterator[EmbeddedServer]:
    with running_server() as server:
        with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
            conn.execute("create role hosted login createrole bypassrls")
            conn.execute("create role stranger login createrole bypassrls")
        yield server


@pytest.fixture
def hosted_database(hosted: EmbeddedServer) -> Iterator[Database]:
    made = create_database(hosted)
    with made.admin() as conn:
        conn.execute(f'grant create on database "{made.name}" to hosted, stranger'.encode())
    yield made
    drop_database(made)


async def test_without_pgvector_a_plain_login_is_told_the_one_command(hosted_database: Database) -> None:
    with pytest.raises(PrivilegeError, match="create extension vector schema public;"):
        await migrated(hosted_database, "hosted")
    with hosted_database.admin() as conn:
        assert conn.execute("select to_regnamespace('memoranda_private')").fetchone() == (None,)


@pytest.mark.parametrize("home", ["public", "extensions"])
async def test_a_login_without_superuser_migrates_wherever_the_extensions_are(
    hosted_database: Database, home: str
) -> None:
    with hosted_database.admin() as conn:
        if home == "extensions":
            conn.execute("create schema extensions; grant usage on schema extensions to hosted with grant option")
        conn.execute(f"create extension vector schema {home}; create extension pg_trgm schema {home}".encode())
    await migrated(hosted_database, "hosted")
    async with memoranda.connect(hosted_database.dsn()) as store:
        memory = store.memory("alice")
        await memory.facts.save("GBP", key="currency")
        assert [fact.content for fact in await memory.facts.recall()] == ["GBP"]
    with psycopg.connect(hosted_database.dsn("hosted")) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select * from memoranda_private.facts")


async def test_another_login_of_the_server_is_told_why_it_may_not_migrate(hosted_database: Database) -> None:
    with hosted_database.admin() as conn:
        conn.execute("create extension vector; create extension pg_trgm")
    await migrated(hosted_database, "hosted")
    second = create_database(hosted_database.server)
    try:
        with second.admin() as conn:
            conn.execute(f'create extension vector; grant create on database "{second.name}" to stranger'.encode())
        with pytest.raises(PrivilegeError, match="belongs to another login"):
            await migrated(second, "stranger")
    finally:
        drop_database(second)


async def test_a_home_of_the_extensions_where_anybody_may_create_is_refused(empty_database: Database) -> None:
    with empty_database.admin() as conn:
        conn.execute("grant create on schema public to public; create extension vector")
    with pytest.raises(PrivilegeError, match="revoke create on schema public"):
        await migrated(empty_database)


async def test_an_inner_role_that_could_get_round_row_level_security_is_refused(
    hosted_database: Database,
) -> None:
    with hosted_database.admin() as conn:
        conn.execute("create extension vector; create extension pg_trgm")
    await migrated(hosted_database, "hosted")
    with hosted_database.admin() as conn:
        conn.execute("alter role memoranda_rules bypassrls")
        try:
            with pytest.raises(SchemaError, match="row-level security"):
                await migrated(hosted_database, "hosted")
        finally:
            conn.execute("alter role memoranda_rules nobypassrls")
