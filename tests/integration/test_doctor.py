"""The doctor finds what was broken on purpose, says nothing of a sound database, and its remedies are cures."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

import memoranda
from memoranda import schema
from memoranda.doctor import Finding, calls, examine, examine_calls, examine_catalogue, server
from memoranda.transport.embedded import EmbeddedServer
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database, create_database, drop_database
from support.embedders import words_embedder

CHECKS = {
    *("schema", "identity", "nobody", "queue", "large-scopes"),
    *("postgres", "extensions", "text", "clock"),
    *("row-security", "grants", "functions", "triggers", "inner-roles"),
    *("login", "session", "exposed", "indexes", "vacuum", "pooler"),
}


@dataclass(frozen=True)
class Seed:
    """A misconfiguration.

    Attributes:
        sql: How it is made, by a superuser.
        check: The check that finds it.
        says: What the finding says, and
        remedy: what it says to do.
        mends: Whether the remedy, run as it stands, mends it.
    """

    sql: str
    check: str
    says: str
    remedy: str
    mends: bool = True


AS_CATALOGUE = "set local allow_system_table_mods = on; "

SEEDS = {
    "row-level security off": Seed(
        "alter table memoranda_private.facts disable row level security",
        *("row-security", "is off on memoranda_private.facts", "enable row level security"),
    ),
    "row-level security not forced": Seed(
        "alter table memoranda_private.messages no force row level security",
        *("row-security", "not forced on memoranda_private.messages", "force row level security"),
    ),
    "a table with another owner": Seed(
        "alter table memoranda_private.files owner to postgres",
        *("row-security", "memoranda_private.files belongs to postgres", "owner to memoranda_owner"),
    ),
    "a policy of somebody's": Seed(
        "create policy everything on memoranda_private.facts for select using (true)",
        *("row-security", "facts.everything", "drop policy"),
        mends=False,
    ),
    "a policy that is gone": Seed(
        "drop policy read on memoranda_private.facts",
        *("row-security", "facts.read", "sql/schema.sql"),
        mends=False,
    ),
    "a door for visitors": Seed(
        "grant execute on function memoranda.facts_search to anon",
        *("grants", "anon has EXECUTE on the function memoranda.facts_search", "revoke execute"),
    ),
    "service work for users": Seed(
        "grant execute on function memoranda_private.documents_get to authenticated",
        *("grants", "authenticated has EXECUTE on the function memoranda_private.documents_get", "revoke execute"),
    ),
    "a table for users": Seed(
        "grant select on memoranda_private.facts to authenticated",
        *("grants", "authenticated has SELECT on the table memoranda_private.facts", "revoke select"),
    ),
    "a column for everybody": Seed(
        "grant select (content) on memoranda_private.facts to public",
        *("grants", "PUBLIC has SELECT on the table memoranda_private.facts.content", "revoke select (content)"),
    ),
    "a schema open to visitors": Seed(
        "grant usage on schema memoranda to anon",
        *("grants", "anon has USAGE on the schema memoranda", "revoke usage on schema memoranda"),
    ),
    "a rule of a superuser": Seed(
        "alter function memoranda_private.facts_recall owner to postgres",
        *("functions", "facts_recall(jsonb,jsonb) belongs to postgres", "owner to"),
        mends=False,
    ),
    "a rule without a search_path": Seed(
        "alter function memoranda_private.whoami reset search_path",
        *("functions", "whoami() has its owner's rights and no search_path", "set search_path"),
    ),
    "a door with its owner's rights": Seed(
        "alter function memoranda.whoami security definer",
        *("functions", "The door memoranda.whoami()", "security invoker"),
    ),
    "a trigger that is off": Seed(
        "alter table memoranda_private.facts disable trigger guard",
        *("triggers", "facts.guard", "enable trigger"),
        mends=False,
    ),
    "an inner role that bypasses row-level security": Seed(
        "alter role memoranda_rules bypassrls",
        *("inner-roles", "memoranda_rules could log in or get round", "nobypassrls"),
    ),
    "an inner role for users": Seed(
        "grant memoranda_rules to authenticated",
        *("inner-roles", "authenticated may become memoranda_rules", "revoke memoranda_rules"),
    ),
    "an extension that is too old": Seed(
        AS_CATALOGUE + "update pg_extension set extversion = '0.7.4' where extname = 'vector'",
        *("extensions", "vector 0.7.4 is older than 0.8", "alter extension vector update"),
        mends=False,  # its files were never that old
    ),
    "extensions where anybody may create": Seed(
        "grant create on schema public to authenticated",
        *("extensions", "API users may create objects in the schema public", "revoke create on schema public"),
    ),
    "rules and tables served by the API": Seed(
        "alter role authenticator set pgrst.db_schemas = 'public, memoranda, memoranda_private'",
        *("exposed", "serve memoranda_private", "'public, memoranda'"),
    ),
    "an index whose building was broken off": Seed(
        AS_CATALOGUE
        + "update pg_index set indisvalid = false where indexrelid = 'memoranda_private.work_due'::regclass",
        *("indexes", "work_due is not valid", "reindex index concurrently"),
        mends=False,  # not in a transaction
    ),
    "an index that is gone": Seed(
        "drop index memoranda_private.facts_newest",
        *("indexes", "missing: facts_newest", "sql/schema.sql"),
        mends=False,
    ),
    "autovacuum off for a table": Seed(
        "alter table memoranda_private.vectors set (autovacuum_enabled = false)",
        *("vacuum", "off for vectors", "reset (autovacuum_enabled)"),
    ),
}


def bad(found: list[Finding]) -> dict[str, Finding]:
    """What is wrong, by check."""
    return {finding.check: finding for finding in found if finding.level in ("error", "warning")}


@pytest.fixture(scope="module")
def shared(direct_server: EmbeddedServer, template: str) -> Iterator[Database]:
    made = create_database(direct_server, template)
    yield made
    drop_database(made)


async def examined(database: Database, login: str = "authenticator") -> list[Finding]:
    dsn = database.dsn(login)
    return await examine(PostgresTransport(dsn), dsn)


@asynccontextmanager
async def superuser(database: Database) -> AsyncGenerator[psycopg.AsyncConnection]:
    """A transaction that is taken back."""
    async with await psycopg.AsyncConnection.connect(database.dsn("postgres"), prepare_threshold=None) as conn:
        await conn.execute("select 1")
        yield conn
        await conn.rollback()


@contextmanager
def committed(database: Database, *statements: str, undo: str) -> Generator[None]:
    with database.admin() as conn:
        for statement in statements:
            conn.execute(statement.encode())
    yield
    with database.admin() as conn:
        conn.execute(undo.encode())


async def test_of_a_sound_database_nothing_bad_is_said(shared: Database) -> None:
    found = await examined(shared)
    assert {finding.check for finding in found} == CHECKS
    assert bad(found) == {}
    assert all(finding.remedy for finding in found if finding.level == "note" and finding.check == "exposed")


@pytest.mark.parametrize("name", SEEDS)
async def test_what_is_broken_in_the_catalogue_is_found_and_the_remedy_mends_it(shared: Database, name: str) -> None:
    seed = SEEDS[name]
    async with superuser(shared) as conn:
        await conn.execute(seed.sql.encode())
        found = bad(await examine_catalogue(conn))
        assert set(found) - {"login"} == {seed.check}
        finding = found[seed.check]
        assert finding.level == "error"
        assert seed.says in finding.message
        assert seed.remedy in finding.remedy
        if seed.mends:
            await conn.execute(finding.remedy.encode())
            assert set(bad(await examine_catalogue(conn))) == {"login"}


async def test_a_login_that_may_too_much(shared: Database) -> None:
    found = bad(await examined(shared, "postgres"))
    assert set(found) == {"login"}
    assert "postgres is a superuser" in found["login"].message
    made = "create role doctor_bypasses login bypassrls; grant authenticated, memoranda_rules to doctor_bypasses"
    with committed(shared, made, undo="drop role doctor_bypasses"):
        all_found = [each for each in await examined(shared, "doctor_bypasses") if each.check == "login"]
    assert [finding.level for finding in all_found] == ["error", "warning"]
    assert "bypasses row-level security" in all_found[0].message
    assert "may become memoranda_rules" in all_found[1].message


async def test_a_login_that_acts_for_users_alone_is_told_what_it_cannot_see(shared: Database) -> None:
    made = "create role doctor_users login noinherit; grant authenticated to doctor_users"
    with committed(shared, made, undo="drop role doctor_users"):
        found = await examined(shared, "doctor_users")
    assert bad(found) == {}
    notes = {finding.check: finding for finding in found if finding.level == "note"}
    assert set(notes) == {"queue", "large-scopes", "exposed"}
    assert "grant service_role" in notes["queue"].remedy
    assert any("for users alone" in finding.message for finding in found if finding.check == "login")


async def test_rules_that_row_level_security_does_not_bind_are_found_inside_a_call(shared: Database) -> None:
    function = "alter function memoranda_private.whoami() owner to "
    with committed(shared, function + "postgres", undo=function + "memoranda_rules"):
        found = bad(await examine_calls(PostgresTransport(shared.dsn())))
    assert set(found) == {"identity"}
    assert "every row is visible" in found["identity"].message


async def test_a_schema_that_is_behind(shared: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    real = schema.migrations()
    later = replace(real[-1], number=real[-1].number + 1)
    monkeypatch.setattr(schema, "migrations", lambda: (*real, later))
    found = bad(await examined(shared))
    assert set(found) == {"schema"}
    assert (str(later.number) in found["schema"].message, "memoranda init" in found["schema"].remedy) == (True, True)


async def test_work_that_was_given_up_or_that_nobody_does(shared: Database) -> None:
    async with memoranda.connect(shared.dsn()) as store:
        await store.memory("alice").turns.add([{"role": "user", "content": "Hello."}])
    with shared.admin() as conn:
        conn.execute("update memoranda_private.work set due_at = now() - interval '1 hour'")
    found = bad(await examined(shared))
    assert set(found) == {"queue"}
    assert "1 to embed" in found["queue"].message
    with shared.admin() as conn:
        conn.execute("update memoranda_private.work set dead_at = now(), reason = 'it failed'")
    found = bad(await examined(shared))
    with shared.admin() as conn:
        conn.execute("delete from memoranda_private.work")
    assert set(found) == {"queue"}
    assert (found["queue"].message, "--retry" in found["queue"].remedy) == ("Work was given up: 1 to embed.", True)


async def test_a_large_scope_without_an_index(shared: Database) -> None:
    async with memoranda.connect(shared.dsn(), embedder=words_embedder()) as store:
        memory = store.memory("bob")
        await memory.facts.save_many([f"Fact number {number} is here." for number in range(3)])
        (few,) = await calls.large_scopes(store.transport, least=4)
        (many,) = await calls.large_scopes(store.transport, least=3)
    assert few.level == "ok"
    assert (many.level, "1 large scope without" in many.message) == ("warning", True)
    assert "memoranda index" in many.remedy


@pytest.mark.parametrize("minutes", [-5, 5])
async def test_a_clock_that_is_wrong(shared: Database, minutes: int) -> None:
    async with superuser(shared) as conn:
        (finding,) = await server.clock(conn, lambda: datetime.now(UTC) + timedelta(minutes=minutes))
    assert finding.level == "warning"
    assert f"seconds {'behind' if minutes < 0 else 'ahead of'} the database's" in finding.message


@pytest.mark.direct("makes a database of another locale")
async def test_a_database_without_the_schema_an_extension_and_letters(direct_server: EmbeddedServer) -> None:
    made = Database(direct_server, "test_doctor_plain")
    with Database(direct_server, "postgres").admin() as conn:
        locale = "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'"
        conn.execute(f"create database {made.name} template template0 {locale}".encode())
    try:
        with made.admin() as conn:
            conn.execute("create extension pg_trgm")
        found = bad(await examined(made, "postgres"))
    finally:
        drop_database(made)
    assert set(found) == {"schema", "extensions", "text", "row-security", "login"}
    assert "memoranda init" in found["schema"].remedy
    assert found["extensions"].message == "The extension vector is missing."
    assert "show_trgm('é') is empty" in found["text"].message


async def test_a_database_that_is_not_there(direct_server: EmbeddedServer) -> None:
    found = bad(await examined(Database(direct_server, "test_doctor_nowhere")))
    assert set(found) == {"schema", "connection"}


async def test_a_pooler_and_what_somebody_left_in_it(reached: Database) -> None:
    found = await examined(reached)
    (between,) = (finding for finding in found if finding.check == "pooler")
    assert bad(found) == {}
    if between.level == "ok":
        assert "straight" in between.message
        return
    assert "transaction pooler" in between.message
    with psycopg.connect(reached.dsn(), autocommit=True) as careless:
        careless.execute("select set_config('request.jwt.claims', '{\"sub\": \"somebody\"}', false)")
        careless.execute("prepare left_behind as select 1")
    found = await examined(reached)
    assert set(bad(found)) == {"session"}
    said = [finding.message for finding in found if finding.check == "session"]
    assert ["carries somebody's identity" in said[0], "prepared statements" in said[1]] == [True, True]
    reached.admin().close()  # not for another test: what is left in the pooler goes with the database


async def test_without_a_dsn_calls_alone_are_judged(shared: Database) -> None:
    found = await examine(PostgresTransport(shared.dsn()))
    assert {finding.check for finding in found} == {
        *("schema", "identity", "nobody", "queue", "large-scopes"),
        "catalogue",
    }
