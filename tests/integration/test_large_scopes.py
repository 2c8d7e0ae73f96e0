"""Scopes with very many vectors: an index of their own, and the same answers."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import psycopg
import pytest

import memoranda
from memoranda import wire
from memoranda.errors import InputError
from memoranda.maintenance import index_large_scopes
from support.databases import Database
from support.embedders import words_embedder

WORDS = [f"word{n}" for n in range(200)]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=6))


async def connected(database: Database) -> psycopg.AsyncConnection:
    return await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True)


def scans(database: Database) -> dict[str, int]:
    with database.admin() as conn:
        conn.execute("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        found = "select indexrelname, idx_scan from pg_stat_user_indexes where indexrelname like 'vectors_large%'"
        return dict(conn.execute(found).fetchall())


async def eventually_scanned(database: Database, expected: dict[str, int]) -> None:
    for _ in range(100):
        if scans(database) == expected:
            return
        await asyncio.sleep(0.1)
    assert scans(database) == expected


@pytest.mark.parametrize("dimensions", [64, 1536])
async def test_a_large_scope_gets_an_index_and_the_same_answers(database: Database, dimensions: int) -> None:
    rng = random.Random(7)
    async with memoranda.connect(database.dsn(), embedder=words_embedder(dimensions), timeout=120) as store:
        alice, small = store.memory("alice"), store.memory("alice", scope=memoranda.Scope.agent("small"))
        await alice.facts.save_many([sentence(rng) for _ in range(1200)])
        await small.facts.save_many([sentence(rng) for _ in range(20)])
        questions = [sentence(rng) for _ in range(15)]

        async def answers() -> list[list[str]]:
            found = [
                await alice.facts.search(question, 10, blend=False, track_use=False, scopes=scopes)
                for question in questions
                for scopes in ([alice.scope], [alice.scope, small.scope])
            ]
            return [[str(hit.fact.id) for hit in hits] for hits in found]

        before = await answers()
        async with await connected(database) as conn:
            (indexed,) = await index_large_scopes(conn, 1000)
            assert (indexed.vectors, indexed.dimensions) == (1200, dimensions)
            assert await index_large_scopes(conn, 1000) == []
        after = await answers()
        kept = [len(set(one) & set(other)) / 10 for one, other in zip(before, after, strict=True)]
        assert sum(kept) / len(kept) >= 0.97
        # What comes later is found, what is corrected is not, and a filter compares everything.
        await alice.facts.save("zebra zebra zebra", key="z")
        assert (await alice.facts.search("zebra", 1))[0].fact.content == "zebra zebra zebra"
        await alice.facts.save("gone", key="z")
        assert all("zebra" not in hit.fact.content for hit in await alice.facts.search("zebra", 200))
        await alice.facts.save("tagged", tags=["t"])
        assert [hit.fact.content for hit in await alice.facts.search("zebra", 5, tags=["t"])] == ["tagged"]
        assert await store.memory("bob").facts.search("zebra") == []
    # 30 questions, two searches without a filter, and one for what a fact without a key may be like; the server knows
    # when its connections have ended.
    await eventually_scanned(database, {f"vectors_large_{indexed.number}": 33})


async def test_what_a_broken_run_left_is_made_anew(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=60) as store:
        await store.memory("alice").facts.save_many([f"fact number {n}" for n in range(1000)])
    with database.admin() as conn:
        conn.execute("set role memoranda_service")
        ((number, _, _),) = conn.execute("select * from memoranda_private.large_scopes_find(1000)").fetchall()
        conn.execute("reset role; set search_path = memoranda_private, public")
        conn.execute(f"create index vectors_large_{number} on vectors (model)".encode())
        conn.execute(
            f"update pg_index set indisvalid = false where indexrelid = 'vectors_large_{number}'::regclass".encode()
        )
    async with await connected(database) as conn:
        assert [scope.number for scope in await index_large_scopes(conn, 1000)] == [number]
        row = await (
            await conn.execute(
                "select indisvalid, pg_get_indexdef(indexrelid) from pg_index where indexrelid = "
                f"'memoranda_private.vectors_large_{number}'::regclass".encode()
            )
        ).fetchone()
    assert row is not None
    assert row[0]
    assert f"WHERE (large = {number})" in row[1]


async def test_an_index_names_nobody(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=60) as store:
        await store.memory("alice", scope=memoranda.Scope.project("secret")).facts.save_many(
            [f"fact number {n}" for n in range(1000)]
        )
    async with await connected(database) as conn:
        await index_large_scopes(conn, 1000)
        rows = await (
            await conn.execute("select indexdef from pg_indexes where indexname like 'vectors_large%'")
        ).fetchall()
    assert len(rows) == 1
    assert "secret" not in rows[0][0]
    assert str(memoranda.name_id("user", "alice")) not in rows[0][0]


async def test_it_says_what_it_needs(database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(database.dsn("postgres")) as conn:
        with pytest.raises(InputError, match="outside of transactions"):
            await index_large_scopes(conn)
    async with await connected(database) as conn:
        with pytest.raises(InputError, match="1,000"):
            await index_large_scopes(conn, 10)
        assert await index_large_scopes(conn) == []


async def test_what_is_written_while_the_index_is_made_is_in_it(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=60) as store:
        memory = store.memory("alice")
        await memory.facts.save_many([f"fact number {n}" for n in range(1000)])
        late = words_embedder()
        (vector,) = await late.embed(["zebra"])
        fact = {"content": "zebra", "vector": wire.vector(vector), "model": "words/64"}
        claims = {"role": "authenticated", "sub": str(memory.identity.user)}
        async with await connected(database) as writer, await connected(database) as conn:
            await writer.execute("begin")
            await writer.execute("select set_config('request.jwt.claims', %s, true)", [json.dumps(claims)])
            await writer.execute("set local role authenticated")
            await writer.execute("select memoranda.facts_save('{}', %s)", [json.dumps(fact)])
            making = asyncio.create_task(index_large_scopes(conn, 1000))
            await asyncio.sleep(1)  # the writer began before the scope had its number, and ends after all had got one
            await writer.execute("commit")
            await making
        assert (await memory.facts.search("zebra", 1, blend=False))[0].fact.content == "zebra"
    with database.admin() as conn_:
        left = conn_.execute("select count(*) from memoranda_private.vectors where large is null").fetchone()
    assert left == (0,)


VECTORS = """
    set session_replication_role = replica;
    insert into memoranda_private.vectors (tenant_id, owner_id, scope, scope_id, model, fact_id, short)
    select owner, owner, 'user', '', 'm/2', md5(n || '/' || place)::uuid, '[1,2]'::memoranda_private.vec
      from generate_series(1, 600) as place,
           lateral (select md5(place::text)::uuid as owner) as owners,
           lateral generate_series(1, case place when 1 then 6000 else 100 end) as n;
"""


@pytest.mark.parametrize("known", [True, False], ids=["analysed", "unknown"])
def test_vectors_get_their_number_without_reading_the_scope_for_each(database: Database, known: bool) -> None:
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.vectors set (autovacuum_enabled = off)")
        conn.execute(VECTORS)
        if known:
            conn.execute("analyze memoranda_private.vectors")
        with conn.transaction():
            conn.execute("set local role memoranda_service")
            conn.execute("select memoranda_private.large_scopes_find(1000)")
        for left in (5000, 1000, 0):
            with conn.transaction():
                conn.execute("set local statement_timeout = '20s'")
                conn.execute("set local role memoranda_service")
                before = rows_read(conn)
                row = conn.execute("select memoranda_private.large_scopes_mark(1, 5000)").fetchone()
                assert row == (left,)
                assert rows_read(conn) - before <= 20 * 6000


def rows_read(conn: psycopg.Connection[Any]) -> int:
    row = conn.execute("select sum(seq_tup_read + idx_tup_fetch)::bigint from pg_stat_xact_user_tables").fetchone()
    assert row is not None
    return int(row[0])
