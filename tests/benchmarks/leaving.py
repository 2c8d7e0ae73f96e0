#!/usr/bin/env python3
"""What leaving costs: `tests/benchmarks/leaving.py [--facts N] [--expired N] [--dimensions D]`.

Makes a database of its own, in a temporary folder, and prints two figures:

- how long it takes to erase a user with so many facts, each with a vector, among as many of somebody else's;
- how long a writer in the same scope waits at most, while a purge removes so many expired facts there.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from memoranda import NewFact
from memoranda.embedders import FunctionEmbedder
from memoranda.memory import Memory
from memoranda.store import Store
from memoranda.transport.local import LocalTransport

_AT_ONCE = 2_000


def embedder(dimensions: int) -> FunctionEmbedder:
    async def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0 + (hash(text) >> place % 50 & 7) for place in range(dimensions)] for text in texts]

    return FunctionEmbedder(embed, model="noise", dimensions=dimensions)


async def fill(memory: Memory, count: int, expires_at: datetime | None = None) -> None:
    for start in range(0, count, _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, count))
        facts = [NewFact(f"w{n} is {n * 7919 % 10007}", expires_at=expires_at) for n in some]
        await memory.facts.save_many(facts, dedup="off")


async def erase(store: Store, count: int) -> None:
    for user in ("alice", "bob"):
        await fill(store.memory(user), count)
    began = time.perf_counter()
    receipt = await store.erase("alice")
    seconds = time.perf_counter() - began
    print(f"| {receipt.counts['facts']:,} facts of a user erased, each with a vector | {seconds:.2f} s |")


async def purge(store: Store, dsn: str, count: int) -> None:
    memory = store.memory("carol")
    await store.settings.set("facts", 10_000_000)
    await fill(memory, count, datetime.now(UTC) + timedelta(days=1))
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        await conn.execute("alter table memoranda_private.facts disable trigger all")
        await conn.execute("update memoranda_private.facts set expires_at = now() where expires_at is not null")
        await conn.execute("alter table memoranda_private.facts enable trigger all")
        await conn.execute("vacuum analyze memoranda_private.facts")

    async def write(until: asyncio.Event) -> list[float]:
        """One write after the other, half of them without a key, which wait for the whole scope."""
        waits: list[float] = []
        while not until.is_set():
            began = time.perf_counter()
            key = f"k{len(waits)}" if len(waits) % 2 else None
            await memory.facts.save(f"written {len(waits)}", key=key, dedup="off")
            waits.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.01)
        return waits

    async def writing(seconds: float) -> list[float]:
        done = asyncio.Event()
        task = asyncio.create_task(write(done))
        await asyncio.sleep(seconds)
        done.set()
        return await task

    alone = sorted(await writing(5))
    done = asyncio.Event()
    task = asyncio.create_task(write(done))
    began = time.perf_counter()
    purged = await store.purge()
    seconds = time.perf_counter() - began
    done.set()
    waits = sorted(await task)
    print(f"| {purged.facts:,} expired facts purged | {seconds:.1f} s |")
    for name, found in (("without", alone), ("during", waits)):
        middle, late = found[len(found) // 2], found[int(len(found) * 0.99)]
        print(f"| a writer there, {name} it: median, 99th, longest | {middle:.0f}, {late:.0f}, {found[-1]:.0f} ms |")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--expired", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=512)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memoranda-leaving-") as folder:
        await asyncio.to_thread(os.chmod, folder, 0o755)  # under root the server runs as another account
        transport = LocalTransport(Path(folder, "memory"), timeout=600)
        async with Store(transport, embedder(options.dimensions)) as store:
            print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n\n| | |\n|---|---|")
            await erase(store, options.facts)
            await purge(store, transport.server.dsn(user="postgres"), options.expired)


if __name__ == "__main__":
    asyncio.run(main())
