"""Somebody at a prompt: runs the command line and programs as other processes, in a folder of their own."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import threading
from functools import cache
from pathlib import Path

PROGRAM = Path(sysconfig.get_path("scripts"), "memoranda")

# What would change the output, or lead to another database.
_PERSONAL = ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "MEMORANDA_", "PG")

Done = subprocess.CompletedProcess[str]

_ALL = """
import contextlib, io, json, sys, traceback
import memoranda.cli

def run(arguments):
    sys.argv = ["memoranda", *arguments]
    code, output, complaint = None, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(complaint):
        try:
            memoranda.cli.main()
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
    return code, output.getvalue(), complaint.getvalue()

print(json.dumps([run(arguments) for arguments in json.load(sys.stdin)]))
"""


class Person:
    """Somebody at a prompt in a folder."""

    def __init__(self, folder: Path, dsn: str = "") -> None:
        self.folder = folder
        self.dsn = dsn  # of their database, which their environment then names

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_PERSONAL)}
        if binaries := os.environ.get("MEMORANDA_POSTGRES_BIN"):  # which server the tests are to run on
            kept["MEMORANDA_POSTGRES_BIN"] = binaries
        if self.dsn:
            kept["MEMORANDA_DSN"] = self.dsn
        return kept | more

    def runs(self, *arguments: str | Path, **environment: str) -> Done:
        """Run `memoranda`, its output into files."""
        return self._warm([*map(str, arguments)], environment)

    def answers(self, answers: str, *arguments: str | Path) -> Done:
        """Run `memoranda` with answers coming out of a file."""
        return self._warm([*map(str, arguments)], {}, answers)

    def runs_anew(self, *arguments: str | Path, **environment: str) -> Done:
        """Run the program as it was installed, its output into pipes."""
        return self._run([str(PROGRAM), *map(str, arguments)], environment)

    def runs_all(self, commands: list[list[str]]) -> list[Done]:
        """Run `memoranda` with one list of arguments after the other, in one process: most of its time is imports."""
        done = self._run([sys.executable, "-W", "error", "-c", _ALL], {}, json.dumps(commands))
        assert (done.returncode, done.stderr) == (0, "")
        return [Done(command, *each) for command, each in zip(commands, json.loads(done.stdout), strict=True)]

    def runs_python(self, program: str, *, warnings: str = "error", **environment: str) -> Done:
        """Run a Python program."""
        return self._run([sys.executable, "-W", warnings, "-c", program], environment)

    def starts(self, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
        """Start `memoranda` and go on; it is the first of a group of processes of its own, as at a prompt."""
        return subprocess.Popen(
            [str(PROGRAM), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment(**environment),
            process_group=0,
        )

    def _warm(self, arguments: list[str], environment: dict[str, str], answers: str = "") -> Done:
        with tempfile.TemporaryDirectory() as folder:
            streams = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
            for stream in streams:
                stream.write_text(answers if stream.name == "stdin" else "")
            order = [arguments, str(self.folder), self.environment(**environment), [*map(str, streams)]]
            code = _waiting().run(json.dumps(order))
            return Done(["memoranda", *arguments], code, streams[1].read_text(), streams[2].read_text())

    def _run(self, command: list[str], environment: dict[str, str], answers: str = "") -> Done:
        return subprocess.run(
            command,
            input=answers,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment(**environment),
            timeout=120,
        )


class _Waiting:
    """The process that has imported everything and waits for commands."""

    def __init__(self) -> None:
        program = [sys.executable, str(Path(__file__).with_name("warm.py"))]
        self._one = threading.Lock()
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.end)

    def run(self, order: str) -> int:
        with self._one:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            print(order, file=self._process.stdin, flush=True)
            return int(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


_waiting = cache(_Waiting)
