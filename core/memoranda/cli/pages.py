"""How the demo looks: two lines a step, and once the block that a prompt would get."""

from __future__ import annotations

import os
import shlex
from contextlib import AbstractContextManager
from pathlib import Path

from rich.text import Text

from memoranda.cli import lifecycle
from memoranda.cli.lifecycle import Report, Step
from memoranda.cli.output import console, plain, program, say, tick, wrapped

_NAME = 13
"""Columns for a step's name, and below it for its process."""

_MARGIN = 4
"""Columns before the block, of which the lines are long."""

_TIME = 8
"""Columns for a step's time."""


def opening(folder: Path) -> None:
    """Say what is going to happen."""
    console().print(Text("memoranda demo", style="bold"))
    shown = str(folder) if folder.is_absolute() else os.path.join(".", folder)
    say(
        f"\nThe life of one preference, and of a file that an agent edits, in a database in {shown}. Each step is a "
        "new process: it opens the database, does one thing, and ends.\n"
    )


def waiting(name: Step, *, first_time: bool) -> AbstractContextManager[object]:
    """Show, on a terminal, what is under way; what takes longest happens only once."""
    making = ", in a database that is being made" if first_time else ""
    return console().status(f"{name}{making}", spinner="dots" if tick() == "✓" else "line", spinner_style="")


def step(name: Step, report: Report, seconds: float, number: int | None = None) -> None:
    """One step, as it went."""
    _row(number, name, seconds, Text(plain(report.did)))
    _proof(number, f"pid {report.process}", report.proved)


def failed(number: int, name: Step, seconds: float) -> None:
    """The step that ended the demo; what was wrong is an error's to say."""
    _row(number, name, seconds, Text("failed", style="bold red"))
    console().print()


def block(report: Report) -> None:
    """What goes into a prompt."""
    margin = " " * _MARGIN
    say(f"\n{margin}What alice's next prompt gets, in its user part:\n")
    for line in plain(report.block).splitlines():
        say(line, first=margin, rest=margin + "  ")
    console().print()


def closing(folder: Path, database: str, steps: int, seconds: float) -> None:
    """What it came to, and where to look further."""
    say(f"\nAll {steps} steps proved, in {seconds:.1f} s.\n")
    if os.path.realpath(folder) == database:
        say(f"The database is in {database}. Delete that folder to be rid of it.")
    else:
        say(f"The database is in {database}, since the account that runs Postgres may not enter {folder}. ")
        say("Delete both folders to be rid of it.")
    say("\nLook further:")
    here = shlex.quote(str(folder))
    console().print(f"  {program()} history {lifecycle.KEY} --folder {here} \\", soft_wrap=True)
    console().print(f"      --user alice --scope {lifecycle.SCOPE}")


def _lead(number: int | None) -> int:
    """The column at which what a step did and proved begins."""
    return _NAME + (0 if number is None else len(f"{number}  "))


def _row(number: int | None, name: Step, seconds: float, did: Text) -> None:
    """The number, the name, what was done, and the time at the right edge."""
    room = console().width - _lead(number) - _TIME
    lines = did.wrap(console(), room)
    lines[0].rstrip()
    lines[0].pad_right(room - lines[0].cell_len)
    count = "" if number is None else f"{number}  "
    console().print(Text.assemble(count, (f"{name:<{_NAME}}", "bold"), lines[0], f"{seconds:.1f} s".rjust(_TIME)))
    for line in lines[1:]:
        console().print(Text.assemble(" " * _lead(number), line))


def _proof(number: int | None, process: str, proved: str) -> None:
    """The process, and what was proved."""
    margin = _lead(number)
    first, *rest = wrapped(plain(proved), console().width - margin - 2)
    label = " " * (margin - _NAME) + f"{process:<{_NAME}}"
    console().print(Text.assemble((label, "dim"), (tick(), "green"), " ", first))
    for line in rest:
        console().print(" " * (margin + 2) + line)
