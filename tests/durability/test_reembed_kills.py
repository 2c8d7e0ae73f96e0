"""A change of model that is killed again and again: it goes on where it was, and search never stops.

The small one runs always; `pytest tests/durability -m slow -rP -k kill` kills one of 20,000 facts ten times.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import memoranda
from memoranda import NewFact
from support.databases import Database
from support.embedders import words_embedder

OLD = words_embedder(384, "old")

_PROGRAM = """
import asyncio, sys
import memoranda
from support.embedders import words_embedder

async def main(dsn, batch):
    async with memoranda.connect(dsn, embedder=words_embedder(384, "old"), timeout=120) as store:
        new, show = words_embedder(1536, "new"), lambda at: print(at.left, flush=True)
        done = await store.reembed(new, batch=batch, progress=show)
        print("switched" if done.switched else "not")

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


def run(database: Database, batch: int, kill_after: int | None) -> tuple[int, list[str]]:
    """Run the change of model in a process of its own; kill it after so many batches, or let it end."""
    root = Path(__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, database.dsn(), str(batch)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{root}:{root.parent / 'core'}", "PATH": "/usr/bin"},
    )
    assert process.stdout
    said: list[str] = []
    with process:
        for line in process.stdout:
            said.append(line.strip())
            if len(said) == kill_after:
                process.send_signal(signal.SIGKILL)
                break
    return process.returncode, said


async def change(database: Database, facts: int, kills: int, batch: int) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    dice = random.Random(seed)
    async with memoranda.connect(database.dsn(), embedder=OLD, timeout=120) as store:
        memory = store.memory("alice")
        await store.settings.set("facts", 10 * facts)
        for start in range(0, facts, 5000):
            some = range(start, min(start + 5000, facts))
            await memory.facts.save_many(
                [NewFact(f"thing{n % 97} is near place{n % 89}, {n}") for n in some], dedup="off"
            )
        questions = [f"thing{n} near place{n}" for n in range(5)]

        async def found() -> list[list[str]]:
            return [[str(hit.fact.id) for hit in await memory.facts.search(q, 10, track_use=False)] for q in questions]

        before = await found()
        killed = 0
        for _ in range(kills):
            code, _ = run(database, batch, kill_after=dice.randint(1, max(1, facts // batch // kills)))
            killed += code == -signal.SIGKILL
            assert await found() == before, "the old model is searched as before"
        assert killed == kills
        code, said = run(database, batch, None)
        assert (code, said[-1]) == (0, "switched")
        assert await found() == before
        with database.admin() as conn:
            counted = conn.execute(
                "select model, count(*), count(distinct fact_id) from memoranda_private.vectors group by 1 order by 1"
            ).fetchall()
        assert counted == [("new/1536", facts, facts), ("old/384", facts, facts)]
        print(f"{facts} facts, killed {killed} times; the last run embedded the rest in {len(said) - 1} batches")
    async with memoranda.connect(database.dsn(), embedder=words_embedder(1536, "new"), timeout=120) as store:
        for question, earlier in zip(questions, before, strict=True):
            now = [str(hit.fact.id) for hit in await store.memory("alice").facts.search(question, 10, track_use=False)]
            assert len(now) == len(earlier) == 10
        assert await store.drop_vectors("old/384") == facts


@pytest.mark.direct("starts processes that connect by themselves")
async def test_a_change_of_model_survives_kills(database: Database) -> None:
    await change(database, facts=40, kills=2, batch=5)


@pytest.mark.slow
@pytest.mark.direct("starts processes that connect by themselves")
async def test_a_change_of_model_of_20000_facts_survives_ten_kills(database: Database) -> None:
    await change(database, facts=20_000, kills=10, batch=200)
