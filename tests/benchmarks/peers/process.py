"""A library's process, seen from the benchmark."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Server

TESTS = Path(__file__).parents[2]


class WorkerError(Exception):
    """What the library raised."""


class Process:
    """Started when it is made; it gets one order after another."""

    def __init__(self, name: str, python: Path, server: Server, vectors: Path, home: Path, approximate: bool) -> None:
        home.mkdir(parents=True, exist_ok=True)
        index = "approximate" if approximate else "none"
        module = "benchmarks.peers.worker"
        command = [str(python), "-m", module, name, json.dumps(server), str(vectors), str(home), index]
        self._log = (home.parent / f"{name}.log").open("a")  # until the process ends
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=home,
            env=os.environ | {"HOME": str(home), "PYTHONPATH": str(TESTS)},
        )
        self.about: dict[str, Any] = self._answer()

    @property
    def pid(self) -> int:
        return self._process.pid

    def order(self, do: str, **given: Any) -> Any:
        """Have a method of the worker called; its value.

        Raises:
            WorkerError: The library raised something.
        """
        self.say(do, **given)
        return self._answer()

    def say(self, do: str, **given: Any) -> None:
        """Give an order, and wait for nothing."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": do, **given}) + "\n")
        self._process.stdin.flush()

    def acknowledged(self) -> None:
        """Wait for one acknowledgement."""
        self._line()

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def close(self) -> None:
        """Let it end."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        self._log.close()

    def _answer(self) -> Any:
        answer = self._line()
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer["value"]

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The library's process ended; see {self._log.name}.")
        answer: dict[str, Any] = json.loads(line)
        return answer
