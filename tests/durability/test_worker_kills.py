"""Workers that are killed at any moment: in the end every turn is extracted once, and every message has a vector."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import psycopg
import pytest

import memoranda
from memoranda.worker import LEASE
from support.databases import Database
from support.embedders import words_embedder
from support.messages import said

WORKER = """
import asyncio, sys
import memoranda
from memoranda import Candidate
from support.embedders import words_embedder

class Extractor:
    async def extract(self, turn, known):
        print("extracting", flush=True)
        return [Candidate(m.text, quote=m.text) for m in turn.messages if m.role == "user"]

async def main():
    def told(worked):
        print("worked", flush=True)
    async with memoranda.connect(sys.argv[1], embedder=words_embedder(), extractor=Extractor()) as store:
        await store.work(progress=told)
        print("done", flush=True)

asyncio.run(main())
"""


def make_due(database: Database) -> None:
    """Let the leases of the dead end; each would by itself, within one lease."""
    with database.admin() as conn:
        late = "select count(*) from memoranda_private.work where due_at > clock_timestamp() + %s * interval '1 second'"
        assert conn.execute(late, (LEASE,)).fetchone() == (0,)
        conn.execute("update memoranda_private.work set due_at = now()")


def killed(database: Database, after: int) -> None:
    """Kill a worker once it has said so much."""
    command = [sys.executable, "-c", WORKER, database.dsn()]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as worker:
        assert worker.stdout
        try:
            for _ in range(after):
                line = worker.stdout.readline()
                assert line, "it ended by itself"
                if line == "done\n":
                    break
        finally:
            worker.kill()


async def survives(database: Database, turns: int, kills: int) -> None:
    rng = random.Random(7)
    async with memoranda.connect(database.dsn()) as store:
        users = [store.memory(f"user {n}", chat="c") for n in range(5)]
        for n in range(turns):
            await users[n % 5].turns.add(said(f"I like the number {n}.", "Noted."), extract="worker")
    for _ in range(kills):
        killed(database, rng.randint(1, max(2, 2 * turns // kills)))
        make_due(database)

    class Extractor:
        async def extract(self, turn: memoranda.Turn, known: object) -> list[memoranda.Candidate]:
            return [memoranda.Candidate(m.text, quote=m.text) for m in turn.messages if m.role == "user"]

    async with memoranda.connect(database.dsn(), embedder=words_embedder(), extractor=Extractor()) as store:
        await store.work()
        assert ((await store.queue()).due, (await store.queue()).dead) == ({}, ())
    with database.admin() as conn:
        saved = "select count(*), count(distinct content) from memoranda_private.facts where status = 'confirmed'"
        again = "select max(seen_count) from memoranda_private.fact_uses"
        facts = (*one(conn, saved), *one(conn, f"select coalesce(({again}), 1)"))
        assert facts == (turns, turns, 1), "each turn once"
        vectors = "select count(distinct message_id), count(*) from memoranda_private.message_vectors"
        assert one(conn, vectors) == (2 * turns, 2 * turns)


def one(conn: psycopg.Connection[tuple[int, ...]], query: str) -> tuple[int, ...]:
    row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row


async def test_a_worker_is_killed_a_few_times(database: Database) -> None:
    await survives(database, 24, 3)


@pytest.mark.slow
async def test_a_worker_is_killed_thirty_times(database: Database) -> None:
    await survives(database, 300, 30)
