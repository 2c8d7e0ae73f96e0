"""HTML made of elements: what is not made here is text, and is escaped."""

from __future__ import annotations

import unicodedata
from functools import cache
from html import escape
from pathlib import Path
from typing import TypeAlias

from memoranda.text import pieces

LONGEST = 2_000
"""Characters of one text that are shown; the rest is counted."""


class Html(str):
    """What is HTML already, since :func:`tag` made it."""

    __slots__ = ()


Child: TypeAlias = "str | int | None"


def tag(name: str, *children: Child, **attributes: str | None) -> Html:
    """An element.

    Args:
        name: Its name.
        children: What is in it: elements, and texts, which are escaped; None is nothing.
        attributes: Its attributes, ``class_`` for ``class``; None is left out.
    """
    given = "".join(
        f' {key.rstrip("_")}="{_attribute(value)}"' for key, value in attributes.items() if value is not None
    )
    return Html(f"<{name}{given}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Html:
    """Elements and texts, one after the other."""
    return Html(
        "".join(child if isinstance(child, Html) else _text(str(child)) for child in children if child is not None)
    )


def content(text: str) -> Html:
    """A text that somebody wrote: in its own direction, its line breaks kept, cut when it is very long."""
    more = len(text) - LONGEST
    rest = tag("span", f" … {more:,} more characters", class_="quiet") if more > 0 else None
    return tag("span", text[:LONGEST], rest, class_="text", dir="auto")


def page(*children: Child) -> str:
    """The whole of an output, with its style."""
    return f"<style>{_style()}</style>{tag('div', *children, class_='memoranda')}"


def _text(text: str) -> str:
    """Text as HTML. What nobody would see in it is spelled out: it could turn the line round, or hide a message."""
    return "".join(_spelled(piece) if hidden else escape(piece) for piece, hidden in pieces(text))


def _spelled(hidden: str) -> str:
    """Invisible characters by their numbers, with their names to point at; a long run by its length."""
    first = hidden[:8]
    shown = "".join(
        f'<span class="hidden" title="{escape(unicodedata.name(each, "a control character"))}">{_number(each)}</span>'
        for each in first
    )
    more = len(hidden) - len(first)
    return shown + (f'<span class="hidden">{more} more invisible</span>' if more else "")


def _attribute(value: str) -> str:
    """A value within double quotes."""
    return "".join("".join(map(_number, piece)) if hidden else escape(piece) for piece, hidden in pieces(value))


def _number(character: str) -> str:
    return f"U+{ord(character):04X}"


@cache
def _style() -> str:
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")
