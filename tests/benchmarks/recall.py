"""What recall costs in scopes of some sizes, against the bare vector lane of the same scope, in one run.

    python tests/benchmarks/recall.py [--messages 1000 10000 100000] [--dimensions 384]

Not a test, and not run by pytest. Messages and vectors are made up: forty words of four thousand each, by a seed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

import memoranda
from memoranda import NewMessage, Scope, wire
from memoranda.embedders import FunctionEmbedder
from memoranda.transport.embedded import EmbeddedServer
from support.embedders import bag_of_words

LANE = """
select v.message_id from memoranda_private.message_vectors v
 where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model) = (%(user)s, %(user)s, 'project', %(scope)s, %(model)s)
 order by v.short operator(memoranda_private.<=>) %(vector)s::memoranda_private.vec limit 10
"""


async def measured(folder: Path, sizes: list[int], dimensions: int) -> None:
    rng = random.Random(7)
    words = [f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{n}" for n in range(4_000)]
    embedder = FunctionEmbedder(
        lambda texts: [bag_of_words(text, dimensions) for text in texts], model="made-up", dimensions=dimensions
    )
    user = uuid4()
    questions = [" ".join(rng.choices(words, k=6)) for _ in range(20)]
    async with memoranda.open(folder, embedder=embedder, timeout=600) as store:
        with EmbeddedServer(folder) as server, psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
            for size in sizes:
                scope, began = Scope.project(f"of {size}"), time.perf_counter()
                for start in range(0, size, 500):
                    texts = (" ".join(rng.choices(words, k=40)) for _ in range(min(500, size - start)))
                    said = [NewMessage("assistant" if n % 2 else "user", text) for n, text in enumerate(texts)]
                    await store.memory(user, scope=scope, chat=f"chat {start}").turns.add(said)
                stored = time.perf_counter() - began
                conn.execute("vacuum analyze")
                memory = store.memory(user, scope=scope)
                whole: list[float] = []
                bare: list[float] = []
                for question in (*questions[:3], *questions):  # the first ones warm it up
                    vector = wire.vector((await embedder.embed([question]))[0])
                    values = {"user": user, "scope": scope.id, "model": f"made-up/{dimensions}", "vector": vector}
                    began = time.perf_counter()
                    conn.execute(LANE.encode(), values).fetchall()
                    bare.append(time.perf_counter() - began)
                    began = time.perf_counter()
                    await memory.messages.recall(question, 10)
                    whole.append(time.perf_counter() - began)
                one, other = (1_000 * statistics.median(times[3:]) for times in (bare, whole))
                figures = {"messages": size, "stored_per_s": round(size / stored), "bare_ms": round(one, 2)}
                print(json.dumps(figures | {"recall_ms": round(other, 2), "ratio": round(other / one, 2)}), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=384)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memoranda-recall-") as scratch:
        asyncio.run(measured(Path(scratch, "database"), asked.messages, asked.dimensions))
