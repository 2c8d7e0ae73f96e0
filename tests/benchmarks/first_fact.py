#!/usr/bin/env python3
"""How long a newcomer waits: from an empty folder to the first remembered fact, each step a process of its own.

    tests/benchmarks/first_fact.py                        # the folder's own Postgres; nothing is installed
    tests/benchmarks/first_fact.py --install '.[local]'   # in a new environment, with what pip installs there
    tests/benchmarks/first_fact.py --dsn DSN              # a database of yours, which `memoranda init` prepares
    tests/benchmarks/first_fact.py --stand-in             # a project of a local stand-in for Supabase
    tests/benchmarks/first_fact.py --program FILE         # another way in: a program of yours, for each step

It prints a Markdown table: what was done, the seconds it took, and what came of it. A program of yours is run twice,
with `first` and then `second` as its argument: it saves a fact, and finds it. Where to, its environment may say. The
stand-in needs Node.js, and takes its packages from where npm takes them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import standin
from support.databases import create_database, running_server

PROGRAM = """
import asyncio, os, sys

import memoranda

def opened():
    if url := os.environ.get("SUPABASE_URL"):
        return memoranda.supabase(url, os.environ["SUPABASE_SECRET_KEY"])
    dsn = os.environ.get("MEMORANDA_DSN")
    return memoranda.connect(dsn) if dsn else memoranda.open("./memory")

async def main():
    async with opened() as store:
        memory = store.memory("newcomer")
        if sys.argv[1] == "first":
            print((await memory.facts.save("Prefers figures in GBP.", key="currency")).outcome)
        else:
            print((await memory.facts.get("currency")).content)

asyncio.run(main())
"""


class Steps:
    """Steps in an empty folder, each timed."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.total = 0.0
        print("| step | seconds | it said |\n|---|---|---|")

    def count(self, name: str, took: float, said: str) -> None:
        self.total += took
        print(f"| {name} | {took:.1f} | {said} |", flush=True)

    def take(self, name: str, command: Sequence[str | Path]) -> None:
        """Run a command; one that fails ends it all."""
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        took = time.monotonic() - began
        if done.returncode:
            sys.exit(f"{name} failed:\n{done.stdout}{done.stderr}")
        said = done.stdout.strip().splitlines()
        self.count(name, took, said[-1].strip() if said else "")


@contextmanager
def stand_in(steps: Steps) -> Generator[None]:
    """A project of the stand-in's, in the environment of what follows, for as long as the context lasts."""
    packages = steps.folder / "stand_in"
    shutil.copytree(
        Path(standin.__file__).with_name("supabase_lite"), packages, ignore=shutil.ignore_patterns("node_modules")
    )
    steps.take("the stand-in's packages", ["npm", "ci", "--silent", "--ignore-scripts", "--prefix", packages])
    os.environ["MEMORANDA_SUPABASE_LITE"] = str(packages)
    began = time.monotonic()
    with running_server() as server, standin.standing_in(server) as running:
        project = create_database(server)
        steps.environment |= {
            "SUPABASE_URL": running.url(project),
            "SUPABASE_SECRET_KEY": standin.SECRET,
            "MEMORANDA_DSN": project.dsn("postgres"),
        }
        running.prepare(project)
        running.forget(project)  # it would not learn of the schema that comes
        steps.count("a Postgres and a project", time.monotonic() - began, "")
        yield


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--install", metavar="WHAT", help="what pip installs, in a new environment")
    asked.add_argument("--dsn", help="a database of yours, of a login that may install the schema")
    asked.add_argument("--program", type=Path, help="a program that saves and finds, in the place of ours")
    asked.add_argument(
        "--stand-in", action="store_true", help="start a stand-in for Supabase, and go to a project there"
    )
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as made, ExitStack() as at_the_end:
        folder = Path(made)
        folder.chmod(0o755)  # under root, Postgres runs as another account, which has to get here
        environment = os.environ | ({"MEMORANDA_DSN": given.dsn} if given.dsn else {})
        steps = Steps(folder, environment)
        python = Path(sys.executable)
        if given.install:
            what = str(Path(given.install).absolute()) if given.install.startswith(".") else given.install
            steps.take("an environment", [python, "-m", "venv", folder / "venv"])
            python = folder / "venv" / "bin" / "python"
            steps.take("installed", [python, "-m", "pip", "install", "--quiet", what])
        program = given.program.absolute() if given.program else folder / "program.py"
        if not given.program:
            program.write_text(PROGRAM, encoding="utf-8")
        if given.stand_in:
            at_the_end.enter_context(stand_in(steps))
        if given.dsn or given.stand_in:
            options = ["--supabase"] if given.stand_in else []
            steps.take("memoranda init", [python, "-m", "memoranda.cli", "init", *options])
        steps.take("the first fact", [python, program, "first"])
        steps.take("found again, by another process", [python, program, "second"])
        print(f"| in all | {steps.total:.1f} | |")


if __name__ == "__main__":
    main()
