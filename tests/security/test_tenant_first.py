"""The tenant comes first, so that the schema can be spread over machines by tenant, as `docs/scaling.md` plans it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from .catalogue import read
from .conftest import Ground

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"

ELSEWHERE = {
    "migrations_pkey": "the ledger belongs to the database",
    "work_due": "a worker takes what has been due longest, whoever's it is: on each machine its own",
    "idempotency_keys_age": "a purge removes what is old, whoever's it is: on each machine its own",
}
"""The only indexes that do not begin with the tenant, and why."""

INDEXES = """
select c.relname::text, coalesce(attname::text, 'an expression')
  from pg_index join pg_class c on c.oid = indexrelid
  left join pg_attribute on attrelid = indrelid and attnum = indkey[0]
 where relnamespace = 'memoranda_private'::regnamespace
"""

REFERENCES = """
select conrelid::regclass::text, confrelid::regclass::text,
       array(select attname::text from unnest(conkey) with ordinality k (number, place)
               join pg_attribute on attrelid = conrelid and attnum = number order by place)
  from pg_constraint where contype = 'f' and connamespace = 'memoranda_private'::regnamespace
"""


@pytest.fixture
def conn(ground: Ground) -> Iterator[psycopg.Connection]:
    with ground.superuser() as conn:
        conn.execute("set local search_path = memoranda_private")
        yield conn


def astray(conn: psycopg.Connection) -> set[str]:
    return {name for name, first in conn.execute(INDEXES.encode()) if first != "tenant_id"}


def planned() -> dict[str, str]:
    """What the page makes of each table: distributed, reference or local."""
    rows = re.findall(r"^\| (distributed|reference|local) \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {table: kind for kind, tables in rows for table in re.findall(r"`(\w+)`", tables)}


def test_every_index_begins_with_the_tenant_or_is_listed(conn: psycopg.Connection) -> None:
    assert astray(conn) == set(ELSEWHERE)


def test_one_that_does_not_is_noticed(conn: psycopg.Connection) -> None:
    conn.execute("create index by_kind on facts (kind, tenant_id)")
    conn.execute("create index by_words on facts (lower(content))")
    assert astray(conn) == {*ELSEWHERE, "by_kind", "by_words"}


def test_the_plan_knows_every_table(conn: psycopg.Connection) -> None:
    tables = {table.name: table.columns for table in read(conn).tables}
    assert set(planned()) == set(tables)
    distributed = [table for table, kind in planned().items() if kind == "distributed"]
    assert [table for table in distributed if "tenant_id" not in tables[table]] == []


def test_no_reference_leaves_its_machine(conn: psycopg.Connection) -> None:
    """Between distributed tables it begins with the tenant; a reference table points at none of them."""
    plan = planned()
    for table, target, columns in conn.execute(REFERENCES.encode()):
        if plan[table] == "distributed" and plan[target] == "distributed":
            assert columns[0] == "tenant_id"
        else:
            assert (plan[target], plan[table]) in {("reference", "distributed"), ("reference", "reference")}
