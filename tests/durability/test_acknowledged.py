"""What was acknowledged is there, whole and once: clients are killed, and the server is stopped, amid four writers.

Files, facts and turns are written. A write that was under way is there whole or not at all, and sent again with its
idempotency key it is there once. `pytest tests/durability/test_acknowledged.py -m slow -rP` kills thirty times, stops
the server six times, and prints the figures.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import memoranda
from memoranda.errors import CallTimeoutError, UnavailableError
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, migrated
from support.embedders import words_embedder
from support.leftovers import server_processes
from support.load import committed, expected, found, write
from support.servers import eventually, is_running, pid_of, reachable_folder

WRITERS = [f"writer {n}" for n in range(4)]

PROGRAM = """
import asyncio, sys
import memoranda
from support.embedders import words_embedder
from support.load import write

async def writes(memory, name, n):
    while True:
        replayed = await write(memory, n)
        print(name, n, int(replayed), sep=",", flush=True)
        n += 1

async def main(dsn, *starts):
    async with memoranda.connect(dsn, embedder=words_embedder()) as store:
        await asyncio.gather(*(writes(store.memory(f"writer {w}", chat="c"), w, int(n)) for w, n in enumerate(starts)))

asyncio.run(main(*sys.argv[1:]))
"""


def write_until_killed(database: Database, starts: list[int], after: int) -> list[tuple[int, int, bool]]:
    """Let the four write in a process of their own, and kill it after so many answers; returns all that it was told."""
    command = [sys.executable, "-c", PROGRAM, database.dsn(), *map(str, starts)]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told: list[tuple[int, int, bool]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as process:
        assert process.stdout
        for line in process.stdout:  # what it had said when it was killed is read to the end
            writer, n, replayed = line.strip().split(",")
            told.append((int(writer), int(n), replayed == "1"))
            if len(told) == after:
                process.kill()
    assert process.returncode == -signal.SIGKILL
    eventually(lambda: not server_processes(database))
    return told


def survives_kills(database: Database, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged = there = [0] * len(WRITERS)
    unheard = total = 0
    for _ in range(kills):
        in_doubt, acknowledged = there, list(acknowledged)
        for writer, n, replayed in write_until_killed(database, acknowledged, chance.randint(5, 60)):
            assert n == acknowledged[writer]
            assert replayed == (n < in_doubt[writer]), "sent again it is done once"
            acknowledged[writer] += 1
            total += 1
        there = [committed(database, name, acknowledged[n]) for n, name in enumerate(WRITERS)]
        unheard += sum(there) - sum(acknowledged)
    print(f"{kills} kills, {total} writes acknowledged: 0 lost, 0 halves, 0 doubles; {unheard} committed unheard")
    assert sum(there) > 0


@pytest.mark.direct("starts processes that connect by themselves")
def test_a_client_is_killed_a_few_times(database: Database) -> None:
    survives_kills(database, 2, seed=1)


@pytest.mark.slow
@pytest.mark.direct("starts processes that connect by themselves")
def test_a_client_is_killed_thirty_times(database: Database) -> None:
    survives_kills(database, 30, seed=2)


@pytest.fixture
def own() -> Iterator[Database]:
    """A server of the test's own, which waits for its disk, as a server in use does."""
    with reachable_folder() as folder, EmbeddedServer(folder / "memory") as server:
        asyncio.run(migrated(made := Database(server, "postgres")))
        yield made
        os.kill(pid_of(server.location), signal.SIGQUIT)  # it need not write down what goes with its folder
        eventually(lambda: not is_running(server.location))


class Load:
    """The four writers, in this process. Each sends a write until it is acknowledged, and has a gate in between."""

    def __init__(self, store: memoranda.Store) -> None:
        self.memories = [store.memory(name, chat="c") for name in WRITERS]
        self.acknowledged = [0] * len(WRITERS)
        self.replayed = self.failed = 0
        self.gate, self.parked = asyncio.Event(), set[int]()

    async def write(self, writer: int) -> None:
        while True:
            self.parked.add(writer)
            await self.gate.wait()
            self.parked.discard(writer)
            try:
                replayed = await write(self.memories[writer], self.acknowledged[writer])
            except (UnavailableError, CallTimeoutError):
                self.failed += 1
                await asyncio.sleep(0.01)
            else:
                self.acknowledged[writer] += 1
                self.replayed += replayed

    async def parks(self) -> None:
        self.gate.clear()
        async with asyncio.timeout(30):
            while len(self.parked) < len(WRITERS):  # noqa: ASYNC110 - they come when their calls have failed
                await asyncio.sleep(0.005)


async def survives_stops(database: Database, folder: Path, stops: int, seed: int) -> None:
    chance = random.Random(seed)
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=10) as store:
        load = Load(store)
        tasks = [asyncio.create_task(load.write(n)) for n in range(len(WRITERS))]
        unheard = 0
        for _ in range(stops):
            before = sum(load.acknowledged)
            load.gate.set()
            while sum(load.acknowledged) < before + chance.randint(20, 120):  # noqa: ASYNC110 - under load
                await asyncio.sleep(0.002)
            os.kill(pid_of(folder), signal.SIGQUIT)  # "immediate": nothing is written down any more, as in a crash
            await load.parks()
            await asyncio.to_thread(database.server.start)
            there = [committed(database, name, load.acknowledged[n]) for n, name in enumerate(WRITERS)]
            unheard += sum(there) - sum(load.acknowledged)
        load.gate.set()
        goal = sum(load.acknowledged) + 40
        async with asyncio.timeout(30):
            while sum(load.acknowledged) < goal:  # noqa: ASYNC110 - what was in doubt is sent again meanwhile
                await asyncio.sleep(0.005)
        await load.parks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for n, name in enumerate(WRITERS):
            assert found(database, name) == expected(load.acknowledged[n])
        assert load.replayed == unheard
        total = sum(load.acknowledged)
        print(f"{stops} stops, {total} writes acknowledged: 0 lost, 0 halves, 0 doubles; {unheard} committed unheard")
        assert load.failed


@pytest.mark.direct("stops the server")
async def test_the_server_is_stopped_once(own: Database) -> None:
    await survives_stops(own, own.server.location, 1, seed=1)


@pytest.mark.slow
@pytest.mark.direct("stops the server")
async def test_the_server_is_stopped_six_times(own: Database) -> None:
    with psycopg.connect(own.dsn("postgres")) as conn:
        assert conn.execute("show fsync").fetchone() == ("on",)
    await survives_stops(own, own.server.location, 6, seed=2)
