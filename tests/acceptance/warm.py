"""A process that has imported the command line, and forks for each command: starting anew is mostly imports.

Started by :class:`acceptance.person.Person`. It reads a command a line, as JSON, and prints its exit code.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
from importlib import import_module
from typing import NoReturn

from memoranda.cli import main

# What commands import when they run.
USED = [
    *("memoranda.cli.app", "memoranda.store", "memoranda.sync.store"),
    *("memoranda.transport.embedded", "memoranda.transport.postgres"),
    *("psycopg_pool", "rich.markdown", "rich.progress", "rich.table"),
]
SECONDS = 120


def run(arguments: list[str], folder: str, environment: dict[str, str], streams: list[str]) -> NoReturn:
    """Be `memoranda` with these arguments, in that folder, with files for its input and outputs."""
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115  # until the process ends
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    signal.alarm(SECONDS)
    sys.argv = ["memoranda", *arguments]
    code: object = 1
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException as error:  # as Python does at the end of a program
        sys.excepthook(type(error), error, error.__traceback__)
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # and this, for which there is no other way
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    for module in USED:
        import_module(module)
    for line in sys.stdin:
        if (pid := os.fork()) == 0:
            run(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
