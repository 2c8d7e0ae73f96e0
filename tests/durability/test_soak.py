"""The soak of `tests/benchmarks/soak.py`, for a few seconds: that it works, fails no call, and sees what grows."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[1] / "benchmarks" / "soak.py"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(PROGRAM), *options], capture_output=True, text=True)


@pytest.mark.direct("runs a server of its own")
def test_fifty_clients_for_a_few_seconds() -> None:
    done = run("--seconds", "2", "--connections", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing grew" in done.stdout
    assert done.stdout.count("\n| ") == 11, "a line for each part, below the heading"
    print(done.stdout)


@pytest.mark.slow
@pytest.mark.direct("runs a server of its own")
def test_fifty_clients_for_ten_minutes() -> None:
    done = run("--seconds", "600")
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_grows_is_noticed() -> None:
    soak: dict[str, Any] = runpy.run_path(str(PROGRAM))

    def parts(**last: Any) -> Any:
        made = [
            soak["Part"](1.0, {str(n): [0.1] for n in range(soak["KINDS"])}, {}, 100.0, 30.0, 4, {}) for _ in range(10)
        ]
        for name, value in last.items():
            setattr(made[-1], name, value)
        return made

    assert soak["verdict"](parts(), 4) == []
    for last, wrong in (
        ({"client_mb": 125.0}, "this process grew"),
        ({"server_mb": 60.0}, "a server process grew"),
        ({"connections": 5}, "more than 4 connections"),
        ({"failures": {"MEMORY_X": 2}}, "2 calls failed"),
    ):
        (said,) = soak["verdict"](parts(**last), 4)
        assert wrong in said
    behind = parts()
    for part in behind:
        part.late = {"facts": True}
    assert soak["verdict"](behind, 4) == ["autovacuum did not keep up with facts"]
