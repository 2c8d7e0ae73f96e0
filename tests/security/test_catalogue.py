"""The schema keeps every rule in `rules.py`, whoever installed it and wherever the extensions are."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from memoranda import schema
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, migrated

from .catalogue import INNER, read
from .conftest import Ground, hosted_database
from .rules import DELETES, OPEN_POLICIES, UNSCOPED, findings


def found_in(database: Database) -> list[str]:
    with database.admin() as conn:
        assert {"facts", "revisions", "members"} <= {table.name for table in read(conn).tables}, "nothing was looked at"
        return [str(finding) for finding in findings(conn)]


def test_a_schema_installed_by_a_superuser_keeps_every_rule(ground: Ground) -> None:
    assert found_in(ground.database) == []


async def test_migrating_again_opens_nothing(database: Database) -> None:
    await migrated(database)
    assert found_in(database) == []


def test_the_script_for_an_sql_editor_installs_the_same(empty_database: Database) -> None:
    with empty_database.admin() as conn:
        conn.execute(schema.script(shim=True).encode())
    assert found_in(empty_database) == []


@pytest.mark.parametrize("home", ["public", "extensions"])
async def test_a_schema_installed_without_superuser_keeps_every_rule(hosted: EmbeddedServer, home: str) -> None:
    with hosted_database(hosted, home) as database:
        await migrated(database, "hosted")
        assert found_in(database) == []


async def test_the_login_that_migrates_reads_no_row(hosted: EmbeddedServer) -> None:
    with hosted_database(hosted, "public") as database:
        await migrated(database, "hosted")
        with database.admin() as conn:
            tables = [table.path for table in read(conn).tables]
        with psycopg.connect(database.dsn("hosted"), autocommit=True) as conn:
            for table in tables:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    conn.execute(f"select from {table}".encode())


@pytest.fixture
def conn(ground: Ground) -> Iterator[psycopg.Connection]:
    with ground.superuser() as conn:
        yield conn


@pytest.mark.parametrize("role", INNER)
def test_what_an_inner_role_makes_later_is_open_to_nobody(conn: psycopg.Connection, role: str) -> None:
    conn.execute(f"grant create on schema memoranda_private to {', '.join(INNER[1:])}".encode())
    before = set(read(conn).grants)
    conn.execute(f"set local role {role}".encode())
    conn.execute("create table memoranda_private.later (x int); create sequence memoranda_private.later_number")
    conn.execute("create function memoranda_private.later() returns int language sql as 'select 1'")
    conn.execute("create view memoranda_private.later_view as select 1 as x")
    assert set(read(conn).grants) == before


def test_every_listed_exception_is_still_needed(conn: psycopg.Connection) -> None:
    found = read(conn)
    assert set(OPEN_POLICIES) == {(each.table, each.name) for each in found.policies if "true" in each.expressions}
    granted = {
        (each.object, each.grantee) for each in found.grants if each.kind == "table" and each.privilege == "DELETE"
    }
    assert set(DELETES) == granted
    assert set(UNSCOPED) == {table.name for table in found.tables if not table.scope}
