"""What cards and tables are made of: marks, bars, times, ids, and the diff of two texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from typing import TypeAlias
from uuid import UUID

from memoranda.html.tags import LONGEST, Child, Html, content, joined, tag

Cell: TypeAlias = "tuple[Child, str] | Child"
"""What is in a cell, if need be with the cell's class."""

_GOOD = {
    "stored",
    "superseded",
    "confirmed",
    "created",
    "edited",
    "restored",
    "moved",
    "approved",
    "saved",
    "corrected",
}
_WAITS = {"pending", "proposed"}
_BAD = {"rejected", "failed", "forgotten", "erased", "removed", "deleted"}

# Letters of scripts that are written without spaces stand for themselves; of the others, words.
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]|\w+|\s+|[^\w\s]")


def badge(text: str, look: str | None = None) -> Html:
    """A short word in a box; that of a status or an outcome has a colour, which says nothing that the word does not."""
    known = "good" if text in _GOOD else "waits" if text in _WAITS else "bad" if text in _BAD else ""
    return tag("span", text, class_=f"badge {known if look is None else look}".strip())


def badges(*texts: str | None) -> Html:
    """Several of them without a colour; None is nothing."""
    return joined(*(badge(text, "") for text in texts if text is not None))


def bar(value: float | None, *, look: str = "meaning", mark: float | None = None) -> Html:
    """A number from 0 to 1 as a bar and in digits; a negative one is a bar of no length.

    Args:
        value: The number.
        look: Which colour.
        mark: A second number, such as a threshold, as a line across.
    """
    if value is None:
        return tag("span", "–", class_="quiet")
    line = None if mark is None else tag("i", class_="mark", style=f"left:{_percent(mark)}", title=f"{mark:.2f}")
    fill = tag("i", class_=f"fill {look}", style=f"width:{_percent(value)}")
    return tag("span", tag("span", fill, line, class_="bar"), f"{value:.3f}", class_="measure")


def when(at: datetime | None) -> Html:
    """A time, in UTC to the second; the whole of it is there to point at."""
    if at is None:
        return tag("span", "–", class_="quiet")
    return tag("time", f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}", datetime=at.isoformat(), title=at.isoformat())


def day(at: datetime, other: datetime | None = None, *, beside: bool = False) -> str:
    """A time as the day, and as the hour if it is not midnight, in UTC.

    Args:
        at: The time.
        other: A time that it is to be told from: within a minute of that, it has seconds.
        beside: It stands behind the other, and need not repeat its day.
    """
    at = at.astimezone(UTC)
    if at == at.replace(hour=0, minute=0, second=0, microsecond=0):
        return f"{at:%Y-%m-%d}"
    clock = f"{at:%H:%M:%S}" if other and abs(at - other) < timedelta(minutes=2) else f"{at:%H:%M}"
    return clock if beside and other and other.astimezone(UTC).date() == at.date() else f"{at:%Y-%m-%d} {clock}"


def ident(id: UUID | None) -> Html | None:
    """An id by its beginning; the whole of it is there to point at."""
    return None if id is None else tag("code", str(id)[:8], title=str(id))


def named(name: str, *, before: str = "") -> Html:
    """The name of a run, a call or a chat; of a long one the beginning, the whole of it being there to point at."""
    short = name if len(name) <= 24 else f"{name[:10]}…"
    return tag("span", f"{before}{short}", title=None if short == name else name)


def yes(holds: bool, *, otherwise: str = "") -> Html:
    """A truth value; what is not may have a look of its own."""
    return badge("yes" if holds else "no", "good" if holds else otherwise)


def table(names: Sequence[str], rows: Sequence[Sequence[Cell]], *, title: Child = None) -> Html:
    """A table. A column in which no row has anything is left out."""
    filled = [place for place in range(len(names)) if any(_inside(row[place]) not in (None, "") for row in rows)]
    head = tag("tr", *(tag("th", names[place], scope="col") for place in filled))
    body = [tag("tr", *(_cell(row[place]) for place in filled)) for row in rows]
    caption = None if title is None else tag("caption", title)
    return tag("table", caption, tag("thead", head), tag("tbody", *body))


def details(rows: Sequence[tuple[str, Child]]) -> Html:
    """Names with their values, a line each; what has no value is left out."""
    filled = [(name, value) for name, value in rows if value not in (None, "")]
    lines = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in filled]
    return tag("table", tag("tbody", *lines), class_="details")


def diff(old: str, new: str) -> Html:
    """What became of a text: words that went are struck out, words that came are underlined, both in colour."""
    if max(len(old), len(new)) > LONGEST:
        return joined(tag("del", content(old)), tag("ins", content(new)))
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.4:  # hardly a word stayed: two texts are easier to read than a patchwork
        return tag(
            "div", *(tag("div", tag(name, text)) for name, text in (("del", old), ("ins", new)) if text), class_="text"
        )
    parts: list[Html] = []
    for change, a, b, c, d in matcher.get_opcodes():
        gone, come = "".join(before[a:b]), "".join(after[c:d])
        if change == "equal":
            parts.append(joined(gone))
        else:
            parts += [tag(name, text) for name, text in (("del", gone), ("ins", come)) if text]
    return tag("span", *parts, class_="text", dir="auto")


def _cell(cell: Cell) -> Html:
    return tag("td", cell[0], class_=cell[1]) if isinstance(cell, tuple) else tag("td", cell)


def _inside(cell: Cell) -> Child:
    return cell[0] if isinstance(cell, tuple) else cell


def _percent(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.1f}%"
