"""The erasure map names every table, and of each every column that can hold a text or a vector."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from .conftest import Ground

HOLDS_NO_TEXT = ("uuid", "integer", "smallint", "bigint", "boolean", "timestamp with time zone", "tstzrange")
"""Types of columns in which nobody can put what somebody said."""

CHOSEN = {"scope", "kind", "status", "origin", "permission", "verb", "actor", "role", "subject", "what"}
"""Columns of type text that hold one of a few words of ours."""


def missing(conn: psycopg.Connection) -> set[str]:
    mapped: dict[str, list[str]] = dict(
        conn.execute("select name, texts from memoranda_private.erasure_map()").fetchall()
    )
    columns = conn.execute(
        "select relname, attname, format_type(atttypid, atttypmod) from pg_attribute"
        " join pg_class c on c.oid = attrelid where relnamespace = 'memoranda_private'::regnamespace"
        " and relkind in ('r', 'p') and attnum > 0 and not attisdropped"
    ).fetchall()
    return {
        f"{table}.{column}"
        for table, column, kind in columns
        if table not in mapped or (kind not in HOLDS_NO_TEXT and column not in {*CHOSEN, *mapped[table]})
    }


@pytest.fixture
def conn(ground: Ground) -> Iterator[psycopg.Connection]:
    with ground.superuser() as conn:
        yield conn


def test_every_table_and_every_text_is_in_the_map(conn: psycopg.Connection) -> None:
    assert missing(conn) == set()


@pytest.mark.parametrize(
    ("novelty", "named"),
    [
        ("create table memoranda_private.pins (tenant_id uuid, note text)", {"pins.tenant_id", "pins.note"}),
        ("alter table memoranda_private.facts add column note text", {"facts.note"}),
        ("alter table memoranda_private.vectors add column other memoranda_private.vec", {"vectors.other"}),
        ("alter table memoranda_private.settings add column more jsonb", {"settings.more"}),
    ],
)
def test_what_is_new_and_not_in_the_map_is_noticed(conn: psycopg.Connection, novelty: str, named: set[str]) -> None:
    conn.execute(novelty.encode())
    assert missing(conn) == named


def test_the_map_names_nothing_that_is_not_there(conn: psycopg.Connection) -> None:
    for name, texts in conn.execute("select name, texts from memoranda_private.erasure_map()").fetchall():
        found = conn.execute(
            "select array_agg(attname::text) from pg_attribute where attrelid = %s::regclass and attnum > 0",
            [f"memoranda_private.{name}"],
        ).fetchall()
        assert set(texts) <= set(found[0][0]), name


def test_the_ring_that_erases_reads_names_and_no_content(conn: psycopg.Connection) -> None:
    """It needs keys and times; of texts only those that a person names when something is erased."""
    readable = {
        f"{table}.{column}"
        for table, column in conn.execute(
            "select m.name, c from memoranda_private.erasure_map() m, unnest(m.texts) c"
            " where m.name <> 'erasures' and c <> 'scope_id'"
            " and has_column_privilege('memoranda_erasure', 'memoranda_private.' || m.name, c, 'select')"
        ).fetchall()
    }
    assert readable == {"facts.key", "facts.source", "idempotency_keys.outcome", "revisions.run_id"} | {
        *("runs.run_id", "runs.sources", "messages.run_id"),
    }
