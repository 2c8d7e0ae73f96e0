"""What a look at another time costs: it reads each fact and each revision of the scope a few times, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database

STORIES = 4000
ROWS = 3 * STORIES
FILL = """
    set session_replication_role = replica;
    set search_path = memoranda_private, pg_temp;
    create function id_of(n int, v int) returns uuid language sql immutable as
      $$ select case when v between 1 and 3 then md5(n || '/' || v)::uuid end $$;
    insert into facts (
      tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, tainted, importance,
      tags, entities, metadata, valid_from, supersedes, superseded_by, line, value_hash,
      version, created_at, updated_at)
    select '{user}', '{user}', 'user', '', id_of(n, v), 'key ' || n, 'fact', 'fact ' || n || ' as of ' || v,
           case when v < 3 then 'superseded' else 'confirmed' end, 'user', false, 5, '{{}}', '{{}}', '{{}}',
           case when v > 1 then timestamptz '2026-05-01 00:00Z' + v * interval '10 days' end,
           id_of(n, v - 1), id_of(n, v + 1), nullif(id_of(n, 1), id_of(n, v)), sha256((n || '/' || v)::bytea), v, at, at
      from generate_series(1, {stories}) as n, generate_series(1, 3) as v,
           lateral (select timestamptz '2026-01-01 00:00Z' + v * interval '1 month') as written (at);
    insert into revisions (
      tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
      actor, user_id, role, at)
    select f.tenant_id, f.owner_id, f.scope, f.scope_id, 'fact', f.id, f.version,
           case when f.version = 1 then 'saved' else 'corrected' end, to_jsonb(f), f.supersedes,
           'application', f.owner_id, 'authenticated', f.created_at from facts f;
"""


@pytest.fixture(scope="module", params=["analysed", "unknown"])
def filled(request: pytest.FixtureRequest, server: EmbeddedServer, template: str) -> Iterator[tuple[Database, str]]:
    """A user with 4,000 stories of three facts each, which the planner knows of or doesn't; nothing changes them."""
    database, user = create_database(server, template), str(uuid4())
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts set (autovacuum_enabled = off)")
        conn.execute("alter table memoranda_private.revisions set (autovacuum_enabled = off)")
        conn.execute(FILL.format(user=user, stories=STORIES).encode())
        if request.param == "analysed":
            conn.execute("analyze")
    yield database, user
    drop_database(database)


@pytest.fixture
def user(filled: tuple[Database, str]) -> str:
    return filled[1]


@pytest.fixture
def conn(filled: tuple[Database, str]) -> Iterator[psycopg.Connection[Any]]:
    database, user = filled
    with database.admin() as conn, conn.transaction():
        conn.execute("set local statement_timeout = '20s'")  # what looks at each for each takes minutes
        conn.execute("set local role authenticated")
        conn.execute("select set_config('request.jwt.claims', %s, true)", [json.dumps({"sub": user})])
        yield conn


@pytest.mark.parametrize(
    ("times", "contents"),
    [
        ({"as_of": "2026-05-03T00:00:00Z"}, "as of 1"),  # every story is read to its end
        ({"as_of": "2026-05-25T00:00:00Z"}, "as of 2"),
        ({"as_of": "2026-07-01T00:00:00Z"}, "as of 3"),
        ({"known_at": "2026-03-15T00:00:00Z"}, "as of 1"),
        ({"known_at": "2026-03-15T00:00:00Z", "as_of": "2026-07-01T00:00:00Z"}, "as of 2"),
    ],
)
def test_a_scope_of_twelve_thousand(
    conn: psycopg.Connection[Any], user: str, times: dict[str, str], contents: str
) -> None:
    place = Jsonb({"tenant": user, "scope": "user", "scope_id": ""})
    row = conn.execute("select memoranda.facts_recall(%s, %s)", [place, Jsonb({"limit": 200, **times})]).fetchone()
    assert row is not None
    assert {fact["content"].partition(" as")[2] for fact in row[0]} == {contents[2:]}
    assert len(row[0]) == 200
    row = conn.execute("select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables").fetchone()
    assert row is not None
    assert row[0] <= 4 * ROWS


def test_one_story_of_many(conn: psycopg.Connection[Any], user: str, request: pytest.FixtureRequest) -> None:
    place = Jsonb({"tenant": user, "scope": "user", "scope_id": ""})
    query = Jsonb({"key": "key 17", "as_of": "2026-05-25T00:00:00Z"})
    row = conn.execute("select memoranda.facts_recall(%s, %s)", [place, query]).fetchone()
    assert row is not None
    assert [fact["content"] for fact in row[0]] == ["fact 17 as of 2"]
    row = conn.execute("select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables").fetchone()
    assert row is not None
    assert row[0] <= (100 if "analysed" in request.node.name else 20 * ROWS)
