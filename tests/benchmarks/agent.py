"""What memory adds to an agent's turn: the block before it, and the storing after it; no embedder and no model.

    python tests/benchmarks/agent.py [--facts 1000] [--turns 200]

Prints the median and the 95th percentile, in milliseconds and as multiples of an empty call in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import memoranda
from memoranda.agents import AgentRun

WORDS = [f"word{number}" for number in range(2_000)]


def sentence(rng: random.Random, words: int = 8) -> str:
    return " ".join(rng.choices(WORDS, k=words))


async def timed(times: list[float], call: Callable[[], Awaitable[object]]) -> None:
    started = time.perf_counter()
    await call()
    times.append((time.perf_counter() - started) * 1000)


def shown(name: str, times: list[float], unit: float) -> str:
    median, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return f"{name:28} p50 {median:6.1f} ms ({median / unit:4.1f}x)   p95 {high:6.1f} ms ({high / unit:4.1f}x)"


async def measured(store: memoranda.Store, facts: int, turns: int) -> None:
    rng = random.Random(11)
    memory = store.memory("alice")
    await memory.facts.save_many([sentence(rng) for _ in range(facts)], dedup="off")
    await memory.files.write("/memories/notes.md", sentence(rng, 200))
    empty, before, after, both = list[float](), list[float](), list[float](), list[float]()
    for number in range(turns):
        run = AgentRun(store.memory("alice", chat=f"chat-{number % 20}", run_id=f"run-{number}"))
        said = sentence(rng, 12)
        turn = [{"role": "user", "content": said}, {"role": "assistant", "content": sentence(rng, 60)}]
        await timed(empty, memory.settings)
        await timed(before, partial(run.block, said))
        await timed(after, partial(run.finish, turn))
        both.append(before[-1] + after[-1])
    unit = statistics.median(empty)
    print(f"{facts} facts, {turns} turns")
    for name, times in (("an empty call", empty), ("the block", before), ("the end", after), ("both", both)):
        print(shown(name, times, unit))


async def whole(folder: Path, facts: int, turns: int) -> None:
    async with memoranda.open(folder) as store:
        await measured(store, facts, turns)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--facts", type=int, default=1_000)
    asked.add_argument("--turns", type=int, default=200)
    wanted = asked.parse_args()
    with tempfile.TemporaryDirectory() as above:
        Path(above).chmod(0o755)  # under root the server runs as another account, which has to get here
        asyncio.run(whole(Path(above, "memory"), wanted.facts, wanted.turns))
