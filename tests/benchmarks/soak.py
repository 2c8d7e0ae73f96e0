#!/usr/bin/env python3
"""Many clients at once, for minutes: does anything grow that should not?

    tests/benchmarks/soak.py [--clients 50] [--seconds 600] [--connections 10] [--json FILE]

Makes a database of its own, in a temporary folder. Each client is a user who saves and corrects facts, searches, reads
the block, edits files, stores turns and recalls them, without a pause. What a user keeps in force is bounded:
keys and paths come round again, and turns expire and are purged; only the history of facts and files grows, on disk.

Prints, in a Markdown table for each tenth of the time, calls a second, the 95th percentile of each kind of call, the
memory of this process and of the server's, its connections, and how much of the tables is dead rows. Ends with an exit
status of 1 and the reason when, from the third tenth on,

- a call failed,
- this process's memory grew by more than 10 % and 20 MB, or that of a server process by more than 25 % and 20 MB,
- there were more connections than the pool may hold, or
- autovacuum did not keep up: one of the tables that are written most never had fewer dead rows than twice what sets
  it off, and 2,000 more.

A short run shows no growth that is slow: it is there to see that this program works.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from array import array
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

import psycopg

import memoranda
from memoranda import NewMessage
from memoranda.embedders import FunctionEmbedder
from memoranda.store import Store
from memoranda.transport.local import LocalTransport

PARTS = 10
"""Into which the time is cut."""

SETTLED = 2
"""From this part on, nothing may grow: caches are warm, and every user has what they will have."""

KINDS = 8
"""Of calls."""

DIMENSIONS = 64
WORDS = [f"word{number}" for number in range(400)]


def embed(texts: list[str]) -> list[list[float]]:
    """Vectors by the words of a text, the same every time."""
    made: list[list[float]] = []
    for text in texts:
        vector = [0.0] * DIMENSIONS
        for word in text.split():
            vector[crc32(word.encode()) % DIMENSIONS] += 1.0
        made.append(vector if any(vector) else [1.0, *vector[1:]])
    return made


@dataclass
class Part:
    """What was seen in one part of the time."""

    seconds: float = 0.0
    times: dict[str, array[float]] = field(default_factory=dict[str, "array[float]"])
    """By kind of call, in seconds; four bytes each, since what is kept here grows, too."""
    failures: dict[str, int] = field(default_factory=dict[str, int])
    client_mb: float = 0.0
    server_mb: float = 0.0
    connections: int = 0
    dead: dict[str, int] = field(default_factory=dict[str, int])
    late: dict[str, bool] = field(default_factory=dict[str, bool])
    vacuums: int = 0

    @property
    def calls(self) -> int:
        return sum(len(each) for each in self.times.values())

    def p95(self, kind: str) -> float:
        """In milliseconds."""
        times = self.times.get(kind, array("f"))
        return statistics.quantiles(times, n=20)[-1] * 1000 if len(times) > 1 else 0.0


class Client:
    """A user and what they do, over and over."""

    def __init__(self, store: Store, number: int) -> None:
        self.rng = random.Random(number)
        self.store, self.number, self.turn = store, number, 0
        self.memory = store.memory(f"user {number}", chat="c")

    def sentence(self) -> str:
        return " ".join(self.rng.choices(WORDS, k=8))

    async def save(self) -> None:
        await self.memory.facts.save(self.sentence(), key=f"k{self.rng.randrange(50)}")

    async def save_and_forget(self) -> None:
        outcome = await self.memory.facts.save(self.sentence(), dedup="off")
        if outcome.id:
            await self.memory.facts.forget(outcome.id, erase=True)

    async def search(self) -> None:
        await self.memory.facts.search(self.sentence())

    async def context(self) -> None:
        await self.memory.context(self.sentence())

    async def recall(self) -> None:
        await self.memory.recall(self.sentence())

    async def edit(self) -> None:
        await self.memory.files.write(f"/memories/{self.rng.randrange(5)}.md", f"{self.sentence()}\n" * 5)

    async def view(self) -> None:
        await self.memory.files.run({"command": "view", "path": "/memories"})

    async def say(self) -> None:
        self.turn += 1
        soon = datetime.now(UTC) + timedelta(seconds=20)
        turn = [NewMessage("user", self.sentence()), NewMessage("assistant", self.sentence())]
        await self.memory.turns.add(turn, turn=f"turn {self.turn}", expires_at=soon)

    def choose(self) -> tuple[str, Callable[[], Awaitable[None]]]:
        """What they do next."""
        kinds = {
            **{self.save: 20, self.save_and_forget: 5, self.search: 20, self.context: 15, self.recall: 10},
            **{self.edit: 10, self.view: 5, self.say: 15},
        }
        (call,) = self.rng.choices([*kinds], weights=[*kinds.values()])
        return call.__name__, call


def resident_mb(pid: int) -> float:
    """The memory of a process that is its own; what it shares with others, such as the server's buffers, left out."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


HOT = ("facts", "terms", "vectors", "files", "messages", "message_terms", "message_vectors", "work", "idempotency_keys")


def look(admin: psycopg.Connection[tuple[object, ...]], part: Part) -> None:
    """At the memory of this process and of the server's, its connections, and its dead rows."""
    part.client_mb = resident_mb(os.getpid())
    pids = admin.execute("select pid from pg_stat_activity where usename = 'authenticator'").fetchall()
    part.connections = len(pids)
    sizes = [resident_mb(int(str(pid))) for (pid,) in pids if Path(f"/proc/{pid}").exists()]
    part.server_mb = max(sizes, default=0.0)
    rows = admin.execute(
        "select relname, n_dead_tup, n_live_tup, autovacuum_count from pg_stat_user_tables where relname = any (%s)",
        [list(HOT)],
    ).fetchall()
    for name, *counts in rows:
        dead, live, vacuums = (int(str(count)) for count in counts)
        part.dead[str(name)] = dead
        part.late[str(name)] = dead > 2 * (1000 + live // 5)  # what sets autovacuum off is 50 and a fifth of the rows
        part.vacuums += vacuums


async def client(store: Store, number: int, part_now: Callable[[], Part], until: float) -> None:
    """One client, until the time is up."""
    who = Client(store, number)
    while time.monotonic() < until:
        kind, call = who.choose()
        started = time.perf_counter()
        try:
            await call()
        except memoranda.MemorandaError as error:
            part_now().failures[error.code] = part_now().failures.get(error.code, 0) + 1
        else:
            part_now().times.setdefault(kind, array("f")).append(time.perf_counter() - started)


async def tidy(store: Store, until: float) -> None:
    """Remove what has expired, over and over, as whoever runs a store does now and then."""
    while time.monotonic() < until:
        await store.purge()
        await asyncio.sleep(1)


async def soak(folder: Path, clients: int, seconds: float, connections: int) -> list[Part]:
    """Let them work, and look at it ten times."""
    embedder = FunctionEmbedder(embed, model="soak", dimensions=DIMENSIONS)
    transport = LocalTransport(folder, timeout=60)
    transport.max_connections = connections
    parts = [Part() for _ in range(PARTS)]
    async with Store(transport, embedder=embedder) as store:
        server = transport.server
        with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as admin:
            admin.execute("alter system set autovacuum_naptime = '5s'")
            admin.execute("select pg_reload_conf()")
            started = time.monotonic()
            until = started + seconds

            def now() -> Part:
                return parts[min(PARTS - 1, int((time.monotonic() - started) / seconds * PARTS))]

            tasks = [asyncio.create_task(client(store, n, now, until)) for n in range(clients)]
            janitor = asyncio.create_task(tidy(store, until))
            for number, part in enumerate(parts, 1):
                await asyncio.sleep(max(0.0, started + seconds * number / PARTS - time.monotonic()))
                look(admin, part)
                part.seconds = seconds / PARTS
            await asyncio.gather(*tasks, janitor)
    return parts


def verdict(parts: list[Part], connections: int) -> list[str]:
    """What has grown that should not."""
    wrong = [f"{count} calls failed with {code}" for part in parts for code, count in part.failures.items()]
    early, late = parts[SETTLED], parts[-1]
    if late.client_mb > max(early.client_mb * 1.1, early.client_mb + 20):
        wrong.append(f"this process grew from {early.client_mb:.0f} to {late.client_mb:.0f} MB")
    if late.server_mb > max(early.server_mb * 1.25, early.server_mb + 20):
        wrong.append(f"a server process grew from {early.server_mb:.0f} to {late.server_mb:.0f} MB")
    if any(part.connections > connections for part in parts):
        wrong.append(f"there were more than {connections} connections")
    if len({kind for part in parts for kind in part.times}) < KINDS:
        wrong.append("not every kind of call was made")
    behind = [name for name in HOT if all(part.late.get(name) for part in parts[SETTLED:])]
    if behind:
        wrong.append(f"autovacuum did not keep up with {', '.join(behind)}")
    return wrong


def table(parts: list[Part]) -> str:
    """All of it, a line for each part."""
    kinds = sorted({kind for part in parts for kind in part.times})
    head = [
        "part",
        "calls/s",
        *(f"{kind} p95 ms" for kind in kinds),
        "client MB",
        "server MB",
        "conns",
        "dead rows",
        "vacuums",
    ]
    rows = [head, ["---"] * len(head)]
    for number, part in enumerate(parts, 1):
        cells = [str(number), f"{part.calls / part.seconds:.0f}", *(f"{part.p95(kind):.0f}" for kind in kinds)]
        dead = sum(part.dead.values())
        cells += [f"{part.client_mb:.0f}", f"{part.server_mb:.1f}", str(part.connections), str(dead), str(part.vacuums)]
        rows.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Many clients at once, for minutes.")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memoranda-soak-") as folder:
        Path(folder).chmod(0o755)
        parts = asyncio.run(soak(Path(folder) / "db", given.clients, given.seconds, given.connections))
    print(table(parts))
    if given.json:
        given.json.write_text(json.dumps([{**asdict(part), "times": len(part.times)} for part in parts], indent=1))
    wrong = verdict(parts, given.connections)
    total = sum(part.calls for part in parts)
    print(f"\n{given.clients} clients, {given.seconds:.0f} s, {total} calls: {'; '.join(wrong) or 'nothing grew'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
