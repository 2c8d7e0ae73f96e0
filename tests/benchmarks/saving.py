#!/usr/bin/env python3
"""What saving costs, as ratios within one run: `tests/benchmarks/saving.py [--saves N] [--many N] [--functions]`.

Makes a database of its own, in a temporary folder, and prints Markdown tables:

- one `save` with the whole path on (tombstones, near duplicates, review, log, index), as a user, in one call, against a
  plain INSERT of the same row with its vector into a table with a primary key, in scopes of 1,000 and 10,000 facts;
- `save_many` of 10,000, near duplicates looked for, word for word alone, and not at all;
- with `--functions`, where the time of the saves goes, function by function.

Needs numpy. The texts are made of parts, so that many look alike: the guard reads eight of them for each save.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import psycopg

from memoranda import Scope
from memoranda.memory import Memory
from memoranda.store import Store
from memoranda.transport import Caller, Json
from memoranda.transport.local import LocalTransport

SIZES = (1_000, 10_000)
DIMENSIONS = 384
MODEL = f"bench/{DIMENSIONS}"
WHO, DID, WHAT, TOWNS = (
    line.split(", ")
    for line in (
        "Anna, The user, Mr Okafor, The landlord, Team Falcon, Our supplier, Grandma, The night nurse, The intern",
        "likes, collects, ordered, has lost, writes about, is afraid of, asked for, repairs, never buys, used to sell",
        "stamps, candles, old films, umbrellas, carpets, green tea, harps, bicycles, elevators, walnuts, maps, bees",
        "Oslo, Turin, Leeds, Peru, Cork, Kassel, Lille",
    )
)
WHERE = [f"{side} {town}" for side in ("in", "near", "from") for town in TOWNS]


class Texts:
    """Statements and their vectors: near where the statements have parts in common."""

    def __init__(self) -> None:
        self.rng = random.Random(3)
        self.numbers = np.random.default_rng(3)
        self.parts = {part: self.numbers.normal(size=DIMENSIONS) for part in (*WHO, *DID, *WHAT, *WHERE)}

    def make(self) -> tuple[str, str]:
        parts = [self.rng.choice(each) for each in (WHO, DID, WHAT, WHERE)]
        point = sum(self.parts[part] for part in parts) + self.numbers.normal(size=DIMENSIONS)
        vector = "[" + ",".join(f"{x:.5g}" for x in point / np.linalg.norm(point)) + "]"
        return f"{' '.join(parts)}, note {self.rng.randint(1, 99_999)}", vector

    def facts(self, count: int) -> list[dict[str, Json]]:
        made = [self.make() for _ in range(count)]
        return [{"content": text, "vector": vector, "model": MODEL} for text, vector in made]


async def write(store: Store, memory: Memory, function: str, given: dict[str, Json]) -> Any:
    place: Json = {"scope": memory.scope.name, "scope_id": memory.scope.id}
    return await store.transport.call(function, {"place": place, **given, "call": {}}, Caller.of(memory.identity))


async def filled(store: Store, texts: Texts, size: int) -> Memory:
    memory = store.memory("alice", scope=Scope.project(str(size)))
    for at in range(0, size, 1_000):
        rows = [row | {"dedup": "off"} for row in texts.facts(min(1_000, size - at))]
        await write(store, memory, "facts_save_many", {"facts": cast("list[Json]", rows)})
    return memory


async def one_by_one(store: Store, conn: psycopg.Connection[Any], texts: Texts, size: int, saves: int) -> None:
    """The two by turns, so that both meet the machine as it is."""
    memory = await filled(store, texts, size)
    conn.execute("vacuum analyze")
    conn.execute("select pg_stat_reset()")
    ours: list[float] = []
    plain: list[float] = []
    outcomes: dict[str, int] = {}
    for row in texts.facts(saves):
        began = time.perf_counter()
        conn.execute("insert into plain (content, v) values (%s, %s)", [row["content"], row["vector"]])
        plain.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        outcome = await write(store, memory, "facts_save", {"fact": row})
        ours.append((time.perf_counter() - began) * 1000)
        outcomes[outcome["rule"]] = outcomes.get(outcome["rule"], 0) + 1
    p, o = statistics.median(plain), statistics.median(ours)
    p95 = sorted(ours)[len(ours) * 95 // 100]
    print(f"| {size:,} | {p:.2f} | {o:.2f} | {p95:.2f} | {o / p:.1f} | {outcomes} |", flush=True)


async def many(store: Store, texts: Texts, count: int, dedup: Literal["full", "exact", "off"]) -> None:
    memory = store.memory("alice", scope=Scope.project(f"many {dedup}"))
    rows = [row if dedup == "full" else row | {"dedup": dedup} for row in texts.facts(count)]
    began = time.perf_counter()
    await write(store, memory, "facts_save_many", {"facts": cast("list[Json]", rows)})
    print(f"| {dedup} | {count / (time.perf_counter() - began):,.0f} |", flush=True)


def functions(conn: psycopg.Connection[Any], saves: int) -> None:
    print("\n| function | calls a save | ms a save, with what it calls | without |\n|---|---:|---:|---:|")
    for name, calls, total, own in conn.execute(
        "select funcname, calls, total_time, self_time from pg_stat_user_functions order by self_time desc limit 25"
    ):
        print(f"| {name} | {calls / saves:.1f} | {total / saves:.3f} | {own / saves:.3f} |")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=300)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--functions", action="store_true", help="count functions, which itself takes time")
    given = parser.parse_args()
    texts = Texts()
    with tempfile.TemporaryDirectory(prefix="memoranda-bench-") as folder:
        os.chmod(folder, 0o755)  # under root, Postgres runs as another account
        transport = LocalTransport(Path(folder, "database"), timeout=600)
        async with Store(transport, None) as store:
            await store.memory("alice").facts.recall(1)
            with psycopg.connect(transport.server.dsn(user="postgres"), autocommit=True) as conn:
                conn.execute(
                    "create table plain (id uuid primary key default gen_random_uuid(), content text not null,"
                    f" v public.halfvec({DIMENSIONS}), at timestamptz default now())".encode()
                )
                if given.functions:
                    conn.execute("alter system set track_functions = 'all'")
                    conn.execute("select pg_reload_conf()")
                print("| facts in scope | INSERT, p50 ms | save, p50 ms | p95 ms | ratio of p50 | rules |")
                print("|---|---:|---:|---:|---:|---|")
                for size in SIZES:
                    await one_by_one(store, conn, texts, size, given.saves)
                    if given.functions:
                        functions(conn, given.saves)
                print("\n| `save_many` of " + f"{given.many:,}" + ", dedup | facts/s |\n|---|---:|")
                for dedup in ("off", "exact", "full"):
                    conn.execute("select pg_stat_reset()")
                    await many(store, texts, given.many, dedup)
                    if given.functions:
                        functions(conn, given.many)


if __name__ == "__main__":
    asyncio.run(main())
