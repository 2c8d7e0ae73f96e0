#!/usr/bin/env python3
"""What search and saving cost, as ratios within one run: `tests/benchmarks/search.py [--rows N] [--dimensions D] ...`.

Makes a database of its own, in a temporary folder, with many scopes of other people, and prints Markdown tables:

- how many of the true ten nearest a search finds, in scopes of several sizes and in one that has an index of its own;
- a whole search, as a user, in one call, against the bare vector lane as the tables' owner, on the same rows;
- `save_many` with the vectors given, against COPY of the same facts and vectors, and of all rows that it wrote, into
  tables without any index;
- fifty clients at once, the lag from a write to its recall, and bytes for each fact.

Needs numpy. Vectors have a structure as those of texts do: few dimensions matter, in a space of many.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import psycopg

from memoranda import NewFact, Scope
from memoranda.embedders import FunctionEmbedder
from memoranda.maintenance import index_large_scopes
from memoranda.memory import Memory
from memoranda.store import Store
from memoranda.transport import Caller, Json
from memoranda.transport.local import LocalTransport

_STEMS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("ban", "kor", "lim", "tus", "ved", "zog")]
WORDS = [f"{one}{other}" for one in _STEMS for other in ("", *_STEMS[:24])]
FREQUENCIES = [1 / (rank + 3) for rank in range(len(WORDS))]  # as in any language (Zipf)
PER_QUESTION = 7
SIZES = (10, 100, 1_000, 10_000)
LARGE = 50_000
LATENT = 48


class Vectors:
    """Vectors with a structure, the same every time."""

    def __init__(self, dimensions: int) -> None:
        self.rng = np.random.default_rng(7)
        scale = 1 / np.sqrt(np.arange(1, LATENT + 1))
        self.projection = self.rng.normal(size=(LATENT, dimensions)) * scale[:, None]
        self.dimensions = dimensions

    def make(self, count: int) -> list[str]:
        """As many, as the database reads them."""
        points = self.rng.normal(size=(count, LATENT)) @ self.projection
        points += self.rng.normal(size=points.shape) * 0.05
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        return ["[" + ",".join(f"{x:.5g}" for x in point) + "]" for point in points]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, FREQUENCIES, k=rng.randint(8, 24)))


def fill(conn: psycopg.Connection[Any], vectors: Vectors, rows: int, place: dict[str, str]) -> None:
    """Scopes of the sizes to be measured, for one user, among as many rows of others as asked for."""
    conn.execute("set search_path = memoranda_private, public; set session_replication_role = replica")
    conn.execute("set maintenance_work_mem = '1GB'; set synchronous_commit = off")
    conn.execute("create unlogged table base (n int primary key, content text, v halfvec)")
    rng = random.Random(7)
    with conn.cursor().copy("copy base from stdin") as copy:
        for n, vector in enumerate(vectors.make(LARGE)):
            copy.write_row((n, sentence(rng), vector))
    conn.execute("create unlogged table scopes (owner uuid, scope_id text, size int)")
    for size in (*SIZES, LARGE):
        conn.execute("insert into scopes values (%s, %s, %s)", [place["owner"], str(size), size])
    left = rows - sum(SIZES) - LARGE
    conn.execute(
        "insert into scopes select gen_random_uuid(), n::text, 1000 from generate_series(1, %s) n",
        [max(0, left // 1000)],
    )
    conn.execute(
        "insert into facts (tenant_id, owner_id, scope, scope_id, id, kind, content, status, origin, tainted,"
        " importance, tags, entities, metadata, value_hash, version, created_at, updated_at)"
        " select owner, owner, 'project', scope_id, md5(scope_id || owner || n)::uuid, 'fact', content, 'confirmed',"
        " 'user', false, 5, '{}', '{}', '{}', sha256(content::bytea), 1, now(), now() from scopes, base where n < size"
        " order by md5(n::text || scope_id)"
    )
    conn.execute(
        "insert into vectors (tenant_id, owner_id, scope, scope_id, model, fact_id, short, long, signs)"
        " select owner, owner, 'project', scope_id, %(model)s, md5(scope_id || owner || n)::uuid,"
        " case when vector_dims(v) <= 1024 then v end, case when vector_dims(v) > 1024 then v end,"
        " case when vector_dims(v) > 1024 then binary_quantize(v)::varbit end"
        " from scopes, base where n < size order by md5(n::text || scope_id)",
        {"model": place["model"]},
    )
    conn.execute(
        "create function ones(text[]) returns sparse language sql as $$ select ('{' || string_agg(distinct dimension(x)"
        " || ':1', ',') || '}/268435456')::sparse from unnest($1) x $$"
    )
    conn.execute(
        "insert into terms (tenant_id, owner_id, scope, scope_id, fact_id, part, whole, length, words)"
        " select owner, owner, 'project', scope_id, md5(scope_id || owner || n)::uuid, 0, true, l, w"
        " from scopes, lateral (select n, content, cardinality(lexemes) l, ones(lexemes) w from"
        " (select n, content, (select array_agg(distinct x) from unnest(lexemes(content)) x) lexemes from base) b) b"
        " where n < size order by md5(n::text || scope_id)"
    )
    conn.execute("set session_replication_role = origin")
    for table in ("facts", "vectors", "terms"):
        vacuum(conn, table)


def vacuum(conn: psycopg.Connection[Any], table: str) -> None:
    """Vacuum a table, until its indexes can be read without it: not while a snapshot is older than its rows."""
    for _ in range(60):
        conn.execute(f"vacuum analyze {table}".encode())
        row = conn.execute(
            "select relallvisible >= relpages from pg_class where oid = %s::regclass", [table]
        ).fetchone()
        if row == (True,):
            return
        time.sleep(1)
    raise SystemExit(f"{table} is not all visible: something holds an old snapshot")


async def timed(work: Callable[[int], Awaitable[object]], count: int) -> list[float]:
    """Milliseconds of each call."""
    times: list[float] = []
    for n in range(count):
        began = time.perf_counter()
        await work(n)
        times.append((time.perf_counter() - began) * 1000)
    return times


def place_of(memory: Memory) -> Json:
    return {"scope": memory.scope.name, "scope_id": memory.scope.id}


async def query(store: Store, memory: Memory, text: str, vector: str, model: str, k: int = 10) -> list[Any]:
    wanted: Json = {"text": text, "vector": vector, "model": model, "limit": k, "track_use": False}
    return cast(
        "list[Any]",
        await store.transport.call(
            "facts_search", {"place": place_of(memory), "query": wanted}, Caller.of(memory.identity)
        ),
    )


def nearest(conn: psycopg.Connection[Any], owner: str, scope_id: str, model: str, vector: str, bare: str) -> list[str]:
    """The vector lane alone, as the tables' owner would write it."""
    rows = conn.execute(
        f"select fact_id::text from memoranda_private.vectors where (tenant_id, owner_id, scope, scope_id, model)"
        f" = (%s, %s, 'project', %s, %s) order by {bare} limit 10".encode(),
        [owner, owner, scope_id, model, vector],
    ).fetchall()
    return [row[0] for row in rows]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--facts", type=int, default=10_000, help="how many facts save_many saves")
    given = parser.parse_args()
    vectors, rng = Vectors(given.dimensions), random.Random(8)
    model = f"bench/{given.dimensions}"

    by_word: dict[str, str] = {}

    def fake(texts: Sequence[str]) -> list[list[float]]:
        """Texts that begin with the same word mean the same."""
        words = [text.partition(" ")[0] for text in texts]
        by_word.update({w: v for w, v in zip(words, vectors.make(len(words)), strict=True) if w not in by_word})
        return [json.loads(by_word[word]) for word in words]

    embedder = FunctionEmbedder(fake, model="bench", dimensions=given.dimensions)
    with tempfile.TemporaryDirectory(prefix="memoranda-bench-") as folder:
        os.chmod(folder, 0o755)  # under root, Postgres runs as another account
        transport = LocalTransport(Path(folder, "database"), timeout=600)
        async with Store(transport, embedder) as store:
            admin = transport.server.dsn(user="postgres")
            with psycopg.connect(admin, autocommit=True) as conn:
                conn.execute("alter system set shared_buffers = '4GB'")
                owner = str(store.memory("alice").identity.user)
                began = time.perf_counter()
                fill(conn, vectors, given.rows, {"owner": owner, "model": model})
                print(
                    f"{given.rows:,} facts of {given.dimensions} numbers, made in {time.perf_counter() - began:.0f} s\n"
                )
                await recall_and_cost(store, conn, vectors, rng, owner, model, given.questions)
                async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as maintenance:
                    began = time.perf_counter()
                    await index_large_scopes(maintenance, 20_000)
                    print(f"\nindex of the scope of {LARGE:,}: {time.perf_counter() - began:.0f} s\n")
                await recall_and_cost(store, conn, vectors, rng, owner, model, given.questions, only=LARGE)
                await saving(store, conn, vectors, rng, given.facts, model)
                await many_clients(store, vectors, rng, model)
                sizes(conn, given.rows)


async def recall_and_cost(
    store: Store, conn: psycopg.Connection[Any], vectors: Vectors, rng: random.Random, owner: str, model: str,
    questions: int, only: int | None = None,
) -> None:  # fmt: skip
    column = "short" if vectors.dimensions <= 1024 else "long"
    bare = f"{column} operator(public.<=>) %s::public.halfvec"
    print("| facts in scope | recall@10 | bare lane, owner (ms) | whole search, user (ms) | ratio |")
    print("|---|---|---|---|---|")
    for size in [only] if only else [*SIZES, LARGE]:
        memory = store.memory("alice", scope=Scope.project(str(size)))
        asked = [(sentence(rng).split()[:PER_QUESTION], vector) for vector in vectors.make(questions)]
        kept: list[float] = []
        lane: list[float] = []
        whole: list[float] = []
        for words, vector in asked:
            began = time.perf_counter()
            exact = nearest(conn, owner, str(size), model, vector, bare)
            lane.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            await query(store, memory, " ".join(words), vector, model)
            whole.append((time.perf_counter() - began) * 1000)
            found = {hit["fact"]["id"] for hit in await query(store, memory, "", vector, model)}
            kept.append(len(found & set(exact)) / len(exact))
        b, w = statistics.median(lane), statistics.median(whole)
        print(f"| {size:,} | {statistics.mean(kept):.3f} | {b:.2f} | {w:.2f} | {w / b:.2f} |", flush=True)


async def saving(
    store: Store, conn: psycopg.Connection[Any], vectors: Vectors, rng: random.Random, count: int, model: str
) -> None:
    facts = [NewFact(sentence(rng)) for _ in range(count)]
    made = vectors.make(count)
    memory = store.memory("bob", scope=Scope.project("saved"))
    how: dict[str, Json] = {"model": model, "dedup": "off"}  # as COPY, which looks for no duplicates
    rows = [fact.to_json() | {"vector": vector} | how for fact, vector in zip(facts, made, strict=True)]
    began = time.perf_counter()
    await store.transport.call(
        "facts_save_many",
        {"place": place_of(memory), "facts": cast("list[Json]", rows), "call": {}},
        Caller.of(memory.identity),
    )
    ours = time.perf_counter() - began
    given, written = copied(conn, ["facts", "vectors"]), copied(conn, ["facts", "vectors", "terms", "revisions"])
    print(
        f"\n`save_many` of {count:,}: {count / ours:,.0f} facts/s; COPY of the same facts and vectors: "
        f"{count / given:,.0f}/s, ratio {given / ours:.2f}; COPY of all rows that it wrote: {count / written:,.0f}/s, "
        f"ratio {written / ours:.2f}\n"
    )


def copied(conn: psycopg.Connection[Any], tables: Sequence[str]) -> float:
    """Seconds that COPY takes for the saved rows of these tables, into ones with nothing but columns."""
    took = 0.0
    for table in tables:
        conn.execute(f"create table raw (like memoranda_private.{table})".encode())
        with conn.cursor().copy(
            f"copy (select * from memoranda_private.{table} where scope_id = 'saved') to stdout".encode()
        ) as out:
            rows = b"".join(out)
        began = time.perf_counter()
        with conn.cursor().copy("copy raw from stdin") as into:
            into.write(rows)
        took += time.perf_counter() - began
        conn.execute("drop table raw")
    return took


async def many_clients(store: Store, vectors: Vectors, rng: random.Random, model: str, clients: int = 50) -> None:
    memory = store.memory("alice", scope=Scope.project("1000"))
    asked = [(sentence(rng), vector) for vector in vectors.make(20 * clients)]

    async def client(number: int) -> list[float]:
        async def one(n: int) -> object:
            words, vector = asked[20 * number + n]
            return await query(store, memory, words, vector, model)

        return await timed(one, 20)

    began = time.perf_counter()
    times = sorted(t for each in await asyncio.gather(*(client(n) for n in range(clients))) for t in each)
    took = time.perf_counter() - began
    print(
        f"{clients} clients, scope of 1,000: {len(times) / took:,.0f} searches/s, p50 {times[len(times) // 2]:.0f} ms, "
        f"p95 {times[len(times) * 95 // 100]:.0f} ms"
    )

    async def lag(n: int) -> object:
        await memory.facts.save(f"lagging{n} behind")
        hits = await memory.facts.search(f"lagging{n}", 20)
        assert any(hit.fact.content == f"lagging{n} behind" for hit in hits)
        return hits

    lags = sorted(await timed(lag, 20))
    print(f"from the start of a save to the end of the search that finds it: p50 {lags[10]:.0f} ms")


def sizes(conn: psycopg.Connection[Any], rows: int) -> None:
    found = conn.execute(
        "select relname, pg_total_relation_size(oid) from pg_class"
        " where relnamespace = 'memoranda_private'::regnamespace"
        " and relname in ('facts', 'terms', 'vectors') order by 1"
    ).fetchall()
    print("bytes a fact: " + ", ".join(f"{name} {size / rows:,.0f}" for name, size in found))


if __name__ == "__main__":
    asyncio.run(main())
