"""What every command prints with: one console, few colours, and no control character that a memory may hold."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.text import Text

from memoranda.errors import MemorandaError

WIDEST = 100
"""Columns; lines that are longer are hard to follow."""

_NAME = 10
"""Columns for the name of an entry."""

# Controls, line separators, and the marks that turn the direction of text: they could rewrite what is on the screen.
_UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@cache
def console(*, stderr: bool = False) -> Console:
    """Where to print: in colour on a terminal, as plain text of 80 columns into a pipe."""
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    made.width = min(made.width, WIDEST)
    return made


def plain(text: str) -> str:
    r"""A text that is safe to show: what a terminal would obey is written out, as ``\x1b``.

    Args:
        text: Anything; line feeds stay.
    """
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), text)


def tick() -> str:
    """The mark of something proved or done."""
    return "✓" if console().encoding.startswith("utf") else "+"


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A paragraph as lines that fit, without a space at their ends."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, drop_whitespace=True
    ) or [""]


def say(text: str, *, first: str = "", rest: str = "") -> None:
    """Print paragraphs, one a line.

    Args:
        text: What to say; already safe, or made safe here.
        first: Before the first line of each.
        rest: Before the lines that follow it.
    """
    for paragraph in plain(text).split("\n"):
        for line in wrapped(paragraph, console().width, first, rest):
            console().print(line, soft_wrap=True)


def error(problem: MemorandaError) -> None:
    """Print an error: what happened, with its code, and what to do."""
    where = console(stderr=True)
    # Commands in a hint stay whole in a pipe or a log; only a terminal has an edge to wrap at.
    unbroken = not where.is_terminal
    where.print(
        Text.assemble(("Error: ", "bold red"), plain(f"{problem.message} [{problem.code}]")), soft_wrap=unbroken
    )
    if problem.hint:
        where.print(plain(problem.hint), soft_wrap=unbroken)


def entry(name: str, value: str) -> None:
    """Print a value beside its name: ``Server    PostgreSQL 18``. In a pipe it stays on one line."""
    room = console().width - _NAME if console().is_terminal else len(value) + 1
    first, *rest = wrapped(plain(value), room)
    console().print(Text.assemble((f"{name:<{_NAME}}", "bold"), first), soft_wrap=True)
    for line in rest:
        console().print(" " * _NAME + line, soft_wrap=True)


def program() -> str:
    """How this program was called, for commands that a person may copy."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return f"{os.path.basename(sys.executable)} -m memoranda.cli"
    found = shutil.which(called.name)
    return called.name if found and called.exists() and os.path.samefile(found, called) else sys.argv[0]
