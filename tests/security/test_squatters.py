"""Installing where somebody was first: schemas and roles of our names, made by others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoranda.errors import SchemaError
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, migrated, running_server


@pytest.fixture(scope="module")
def fresh() -> Iterator[EmbeddedServer]:
    """A server for these tests alone: roles are the whole server's."""
    with running_server() as server:
        yield server


SQUAT = """
create role squatter;
create schema memoranda_private authorization squatter; create schema memoranda authorization squatter;
grant all on schema memoranda, memoranda_private to public;
set role squatter;
create table memoranda_private.migrations (number int primary key, name text, breaking boolean, checksum text);
grant all on memoranda_private.migrations to public
"""


async def test_schemas_of_somebody_else_are_not_migrated(fresh: EmbeddedServer) -> None:
    database: Database = create_database(fresh)
    with database.admin() as conn:
        conn.execute(SQUAT)
    with pytest.raises(SchemaError, match="memoranda_owner"):
        await migrated(database)


@pytest.mark.parametrize(
    ("strength", "undone"),
    [
        ("alter role memoranda_rules createrole", "alter role memoranda_rules nocreaterole"),
        ("grant pg_read_all_data to memoranda_rules", "revoke pg_read_all_data from memoranda_rules"),
    ],
)
async def test_an_inner_role_with_power_of_its_own_is_refused(
    fresh: EmbeddedServer, strength: str, undone: str
) -> None:
    await migrated(create_database(fresh))
    database = create_database(fresh)
    with database.admin() as conn:
        conn.execute(strength.encode())
    with pytest.raises(SchemaError):
        await migrated(database)
    with database.admin() as conn:
        conn.execute(undone.encode())
    assert await migrated(database), "it was that power alone"
