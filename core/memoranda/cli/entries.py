"""What was found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def when(time: datetime) -> str:
    """A time for people, in the zone of their computer."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


def print_json(found: Sequence[DataclassInstance]) -> None:
    """Print records as JSON."""
    typer.echo(json.dumps([asdict(each) for each in found], indent=2, ensure_ascii=False, default=_json))


def _json(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def print_entries(entries: Sequence[tuple[str, str, str]], *, nothing: str) -> None:
    """Each with a head, of which the first part stands out, and its content below."""
    from rich.text import Text

    from memoranda.cli.output import console, plain, say

    for first, head, content in entries:
        console().print(Text.assemble((plain(first), "bold"), "  ", plain(head)), soft_wrap=True)
        if content:
            say(content, first="  ", rest="  ")
    if not entries:
        say(nothing)
