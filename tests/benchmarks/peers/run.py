#!/usr/bin/env python3
"""This library beside its peers: LangGraph's store, mem0, langchain-postgres and LlamaIndex.

    python tests/benchmarks/peers/run.py [--docs docs/benchmark.md] [--users 20] [--facts 400] ...

All on one embedded Postgres, a database each, with the same vectors, made beforehand; each in a process and an
environment of its own, made of pinned requirements at the first run, and kept. Peers connect as a superuser, we as a
user under row-level security. Prints Markdown; with `--docs` it writes the tables into that page, and a picture beside
it.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.peers import report, vectors
from benchmarks.peers.databases import Database
from benchmarks.peers.environments import python_of
from benchmarks.peers.failures import FAILURES
from benchmarks.peers.finding import AMONG, Exact, K, calibrate, recall
from benchmarks.peers.libraries import LIBRARIES
from benchmarks.peers.participants import Participant
from benchmarks.peers.public import locomo
from benchmarks.peers.report import Result
from benchmarks.peers.speed import Round, Speed, one_round, written
from benchmarks.peers.texts import World, world
from memoranda.transport.embedded import EmbeddedServer

TIMED = ("identifiers", "paraphrases")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10, help="users with large memories, but for the one asked")
    parser.add_argument("--facts", type=int, default=1_000, help="facts of each of them")
    parser.add_argument("--small-users", type=int, default=40, help="users with small memories")
    parser.add_argument("--small-facts", type=int, default=25, help="facts of each of those")
    parser.add_argument("--questions", type=int, default=150, help="questions of each kind")
    parser.add_argument("--batch", type=int, default=1_000, help="facts written at once")
    parser.add_argument("--single", type=int, default=100, help="facts written one by one")
    parser.add_argument("--rounds", type=int, default=3, help="how often; medians are shown")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--locomo", type=Path, help="a file of LoCoMo, to be searched as well")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--environments", type=Path, default=Path("~/.cache/memoranda-benchmark").expanduser())
    parser.add_argument("--docs", type=Path, help="a page to write the tables into, between its marks")
    parser.add_argument("--logs", type=Path, help="a folder for what the libraries print")
    return parser.parse_args()


def say(began: float, what: str) -> None:
    print(f"{time.perf_counter() - began:5.0f} s  {what}", file=sys.stderr, flush=True)


def compared(asked: argparse.Namespace, folder: Path, stack: ExitStack) -> list[Result]:
    began = time.perf_counter()
    made = world(asked.seed, asked.users, asked.facts, asked.small_users, asked.small_facts, asked.questions)
    if asked.locomo:
        made = made.with_public("LoCoMo", *locomo(asked.locomo))
    documents = [fact.text for facts in made.memories.values() for fact in facts]
    new = written(asked.seed, asked.rounds, asked.batch, asked.single)
    questions = [question.text for each in made.questions.values() for question in each]
    vectors.write(folder / "vectors", [*documents, *new], questions)
    say(began, f"{len(documents) + len(new) + len(questions):,} texts embedded")
    exact = Exact(made, folder / "vectors")
    server = stack.enter_context(EmbeddedServer(folder / "server"))
    taking_part: list[Participant] = []
    for name in asked.libraries:
        library = LIBRARIES[name]
        python = python_of(library, asked.environments)
        who = Participant(library, Database(server, name), python, folder / "vectors", folder / "homes" / name)
        stack.callback(who.close)
        who.fill(made)
        calibrate(who, made, exact, asked.seed, 60)
        who.weigh(made)
        say(began, f"{name} filled and checked: {who.setting}")
        taking_part.append(who)
    rounds = measured(asked, made, taking_part, began)
    results = [judged(asked, made, who, rounds[who.name]) for who in taking_part]
    say(began, "failures counted")
    return results


def measured(
    asked: argparse.Namespace, made: World, taking_part: Sequence[Participant], began: float
) -> dict[str, list[Round]]:
    """The rounds, in another order each."""
    rounds: dict[str, list[Round]] = {who.name: [] for who in taking_part}
    for number in range(asked.rounds):
        turn = number % len(taking_part)
        for who in [*taking_part[turn:], *taking_part[:turn]]:
            done = one_round(who, made, number, asked.seed, asked.batch, asked.single, TIMED)
            rounds[who.name].append(done)
        say(began, f"round {number + 1} of {asked.rounds}")
    return rounds


def judged(asked: argparse.Namespace, made: World, who: Participant, rounds: Sequence[Round]) -> Result:
    found = rounds[0].found
    full = sum(len(texts) == min(K, asked.small_facts) for texts in rounds[0].found_small)
    return Result(
        who,
        Speed.of(rounds, asked.batch),
        {kind: recall(questions, found[kind], AMONG[kind]) for kind, questions in made.questions.items()},
        (full, len(made.small)),
        {kind: attempt(who, made) for kind, attempt in FAILURES.items()},
    )


def about(asked: argparse.Namespace, seconds: float) -> str:
    total = (1 + asked.users) * asked.facts + asked.small_users * asked.small_facts
    public = ", and LoCoMo" if asked.locomo else ""
    return (
        f"{total:,} facts of {1 + asked.users + asked.small_users} users: {1 + asked.users} with {asked.facts:,} each,"
        f" {asked.small_users} with {asked.small_facts}{public}. {asked.questions} questions of each kind,"
        f" {asked.batch:,} facts at once, {asked.single} one by one; medians of {asked.rounds} rounds."
        f" {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()};"
        f" {seconds / 60:.0f} minutes, at a load of {os.getloadavg()[2]:.1f}."
    )


def main() -> None:
    asked, began = arguments(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="memoranda-peers-") as name, ExitStack() as stack:
        os.chmod(name, 0o755)  # under root, Postgres runs as another account
        folder = Path(name)
        (folder / "homes").mkdir()
        try:
            results = compared(asked, folder, stack)
        finally:
            if asked.logs:
                asked.logs.mkdir(parents=True, exist_ok=True)
                for log in folder.glob("homes/*.log"):
                    (asked.logs / log.name).write_bytes(log.read_bytes())
    text = report.tables(results, about(asked, time.perf_counter() - began))
    print(text)
    if asked.docs:
        report.into(asked.docs, text)
        report.draw(results, asked.docs.with_suffix(".png"))


if __name__ == "__main__":
    main()
