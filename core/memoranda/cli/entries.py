"""What was found, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def moment(text: str) -> datetime:
    """A time that a person has typed: ISO 8601, in the zone of their computer unless it names one."""
    return datetime.fromisoformat(text).astimezone()


Since: TypeAlias = Annotated[
    datetime | None,
    typer.Option("--since", metavar="TIME", parser=moment, help="From this time on, such as 2026-05-03 or with 12:00."),
]
Until: TypeAlias = Annotated[
    datetime | None, typer.Option("--until", metavar="TIME", parser=moment, help="Before this time.")
]
AsOf: TypeAlias = Annotated[
    datetime | None,
    typer.Option("--as-of", metavar="TIME", parser=moment, help="What was true then, as it is known now."),
]
KnownAt: TypeAlias = Annotated[
    datetime | None, typer.Option("--known-at", metavar="TIME", parser=moment, help="What was believed then.")
]


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


def print_table(names: Sequence[str], rows: Sequence[Sequence[str]], *, nothing: str) -> None:
    """A table; what is too long for it is wrapped within its column."""
    from rich.table import Table

    from memoranda.cli.output import console, plain, say

    if not rows:
        say(nothing)
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in names:
        table.add_column(name, no_wrap=name == "time", overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    console().print(table)
