"""The block for a prompt, the receipt of an erasure, and every record that has no look of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda.html.parts import Cell, badge, details, ident, table, when, yes
from memoranda.html.tags import Child, Html, content, joined, tag

if TYPE_CHECKING:
    from memoranda.context import Context
    from memoranda.erasure import Receipt, Verified

_MOST = 20
"""Parts of what was cut that are named."""


def context(shown: Context) -> Html:
    """A block as a model gets it, what it takes, and what is not in it."""
    kinds = Counter(item.kind for item in shown.items)
    held = ", ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in kinds.items()) or "nothing"
    cut: list[list[Cell]] = [
        [each.item.kind, tag("code", each.item.name), each.reason, (str(each.tokens), "number")] for each in shown.cut
    ]
    head = tag("div", f"{shown.tokens:,} tokens · {held}", class_="beside")
    waits = badge(f"{shown.waiting} wait for a person", "waits") if shown.waiting else None
    more = f"Cut: {len(cut)}" + (f", of which the first {_MOST}" if len(cut) > _MOST else "")
    block = tag("pre", tag("span", shown.text, class_="text")) if shown.text else tag("p", "Nothing is remembered.")
    left_out = table(["", "", "why", "tokens"], cut[:_MOST], title=more) if cut else None
    return joined(head, waits, block, left_out)


def receipt(shown: Receipt) -> Html:
    """What an erasure removed, and that nothing of it is left."""
    where = None if shown.scope is None else ":".join(part for part in shown.scope if part)
    state = badge("nothing left", "good") if shown.complete else badge("something left", "bad")
    rows: list[tuple[str, Child]] = [
        ("scope", where),
        ("user", tag("code", str(shown.user))),
        ("tenants", joined(*(tag("code", f"{each} ") for each in shown.tenants))),
        ("at", when(shown.at)),
        ("id", tag("code", str(shown.id))),
    ]
    names = [name for name in {**shown.counts, **shown.left} if shown.counts.get(name) or shown.left.get(name)]
    counts: list[list[Cell]] = [
        [name, (f"{shown.counts.get(name, 0):,}", "number"), (f"{shown.left.get(name, 0):,}", "number")]
        for name in names
    ]
    beyond: list[list[Cell]] = [
        [each.what, each.until, tag("div", _value(each.settings), class_="beside")] for each in shown.beyond
    ]
    return tag(
        "div",
        tag("div", badge("erased"), f"a {shown.what} ", state),
        details(rows),
        table(["table", "rows erased", "left"], counts) if counts else tag("p", "There was nothing to erase."),
        table(["where traces may stay", "until", "settings"], beyond, title="Out of reach") if beyond else None,
        class_="card",
    )


def verified(shown: Verified) -> Html:
    """Whether a receipt holds."""
    rows: list[tuple[str, Child]] = [
        ("holds", yes(shown.holds, otherwise="bad")),
        ("genuine", yes(shown.genuine, otherwise="bad")),
        ("left", _value(shown.left) if any(shown.left.values()) else "nothing"),
        ("at", when(shown.at)),
    ]
    return tag("div", details(rows), class_="card")


def record(shown: Any) -> Html:
    """Any record: its fields, a line each."""
    return tag(
        "div",
        details([(_named(each.name), _value(getattr(shown, each.name))) for each in fields(shown)]),
        class_="card",
    )


def records(shown: Sequence[Any]) -> Html:
    """Several of one kind, a line each."""
    names = [each.name for each in fields(shown[0])]
    rows: list[list[Cell]] = [[_value(getattr(each, name)) for name in names] for each in shown]
    return table(list(map(_named, names)), rows)


def _named(field: str) -> str:
    return field.replace("_", " ")


def _value(value: object) -> Child:
    """A value of a field; what is not there is nothing."""
    match value:
        case None:
            return None
        case bool():
            return yes(value)
        case datetime():
            return when(value)
        case UUID():
            return ident(value)
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return content(", ".join(f"{name}: {each}" for name, each in pairs)) if value else None
        case list() | tuple():
            return content(", ".join(map(str, cast("Sequence[object]", value)))) if value else None
        case _:
            return content(str(value))
