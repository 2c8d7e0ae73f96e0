"""What a model returned, as proposals; or a failure that says what is wrong with it, and never nothing in silence.

Models put JSON into fences and into prose, break off in the middle, escape what needs no escape, and answer in other
shapes than they were asked for. What can be read without guessing is read; all else is an :class:`AnswerError` with one
of the reasons of :data:`.errors.Reason`, so that "nothing to keep" is said by an empty list of facts alone.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from memoranda.extracting.errors import AnswerError, Reason
from memoranda.text import is_blank, storable

_LONGEST = 200_000
_STARTS = 50
"""How many brackets are tried as the beginning of an answer; prose has few."""

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\"\\/bfnrt])|(.)|$)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
_BEGUN = re.compile(r"""\{\s*["']|\[\s*(?:[{"'\[]|\Z)""")
"""What looks as if a value began; a brace in prose does not."""

_NAMES = ("content", "text", "fact", "memory", "statement")
_decoder = json.JSONDecoder(strict=False)  # line breaks within a text are read as they are


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact as a model proposed it: what it said of each property, of the right type but not yet believed.

    Attributes:
        content: The statement.
        kind: What sort of statement it is.
        key: The name that corrections go by.
        entities: Whom and what it is about.
        quote: The words that it rests on.
        message: The number of the message that they stand in.
        updates: The known fact that it updates or contradicts, by its label.
        since: The words that say since when it is true.
        until: The words that say until when.
        valid_from: Since when, as the model reads it.
        valid_until: Until when, as the model reads it.
    """

    content: str
    kind: str | None = None
    key: str | None = None
    entities: tuple[str, ...] | None = None
    quote: str | None = None
    message: int | None = None
    updates: str | None = None
    since: str | None = None
    until: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None


def read_answer(answer: str | None) -> list[Proposal]:
    """Read what a model returned.

    Args:
        answer: Its text.

    Returns:
        The proposals; none if it says that there are none. One that is no fact is left out beside others that are.

    Raises:
        AnswerError: It is ``empty``, ``truncated``, ``not JSON`` or of the ``wrong shape``.
    """
    text = _THOUGHT.sub("", (answer or "").lstrip("\ufeff"))
    if is_blank(text):
        raise AnswerError("empty")
    if len(text) > _LONGEST:
        raise AnswerError("wrong shape")
    found = [shaped for value in _values(text) if (shaped := _facts(value)) is not None]
    if not found:
        raise AnswerError(_fault(text))
    return _proposals(next((facts for facts in reversed(found) if facts), found[0]))


def _values(text: str) -> Iterator[object]:
    """Every JSON value in a text: the text itself, what is in its fences, or what stands in its prose."""
    for part in (text, *(fenced[1] for fenced in _FENCE.finditer(text))):
        whole = _loaded(part.strip())
        if whole is not _NOTHING:
            yield whole
            return
    for repaired in dict.fromkeys((text, _repaired(text))):
        values = list(_standing_in(repaired))
        if any(_facts(value) is not None for value in values):
            yield from values
            return


def _decoded_when_repaired(text: str) -> object:
    return _decoder.decode(_repaired(text))


_NOTHING = object()
_READERS: tuple[Callable[[str], object], ...] = (_decoder.decode, _decoded_when_repaired, ast.literal_eval)


def _loaded(text: str) -> object:
    """The value that a text is, as JSON, as JSON with common faults, or as Python writes it; else `_NOTHING`."""
    for read in _READERS:
        try:
            value = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):  # JSON in a text of JSON
            return _loaded(value.strip())
        return value
    return _NOTHING


def _standing_in(text: str) -> Iterator[object]:
    """The values that begin at a bracket, one after another; a bracket that begins none is prose."""
    place = tries = 0
    lines: list[object] = []
    while tries < _STARTS and (start := _bracket(text, place)) is not None:
        tries += 1
        try:
            value, place = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if _BEGUN.match(text, start) and _is_cut(text, start):
                return  # what stands in it is a part of something, and no answer
            place = start + 1
            continue
        yield value
        lines.append(value)
    if len(lines) > 1 and all(isinstance(line, dict) and "facts" not in line for line in lines):
        yield lines  # one object a line


def _bracket(text: str, place: int) -> int | None:
    found = [start for start in (text.find("{", place), text.find("[", place)) if start >= 0]
    return min(found, default=None)


def _repaired(text: str) -> str:
    """With escapes that JSON does not know taken for what they escape, and without commas that nothing follows."""

    def mended(escape: re.Match[str]) -> str:
        if escape[1] or escape[2]:
            return escape[0]
        return "\\\\" + (escape[3] or "")

    return _TRAILING_COMMA.sub(r"\1", _BAD_ESCAPE.sub(mended, text))


def _facts(value: object) -> list[object] | None:
    """The list of facts that a value is or has, or None if it is of another shape."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        return _some(items)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, object]", value)
    if "facts" in members:
        facts = members["facts"]
        return _some(cast("list[object]", facts)) if isinstance(facts, list) else None
    if _content(members) is not None:
        return [members]
    (only,) = members.values() if len(members) == 1 else (None,)
    return _some(cast("list[object]", only)) if isinstance(only, list) else None


def _some(items: list[object]) -> list[object] | None:
    """The items, if one at least is a fact, or there are none at all."""
    return items if not items or any(_content(item) is not None for item in items) else None


def _content(item: object) -> str | None:
    """The statement of an item; a text alone is a statement."""
    if isinstance(item, dict):
        members = cast("dict[str, object]", item)
        item = next((members[name] for name in _NAMES if isinstance(members.get(name), str)), None)
    return item if isinstance(item, str) and not is_blank(item) else None


def _proposals(items: list[object]) -> list[Proposal]:
    proposals: list[Proposal] = []
    for item in items:
        content = _content(item)
        if content is None:
            continue
        of: Mapping[str, Any] = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        number = of.get("message")
        proposals.append(
            Proposal(
                storable(content).strip(),
                kind=_text(of.get("kind")),
                key=_text(of.get("key")),
                entities=_texts(of.get("entities")),
                quote=_text(of.get("quote")),
                message=number if isinstance(number, int) and not isinstance(number, bool) else None,
                updates=_text(of.get("updates")),
                since=_text(of.get("since")),
                until=_text(of.get("until")),
                valid_from=_text(of.get("valid_from")),
                valid_until=_text(of.get("valid_until")),
            )
        )
    return proposals


def _text(value: object) -> str | None:
    return storable(value).strip() if isinstance(value, str) and not is_blank(value) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return None
    return tuple(text for item in cast("list[object]", value) if (text := _text(item)) is not None)


def _fault(text: str) -> Reason:
    """What is wrong with a text that holds no facts."""
    parts = (text, *(fenced[1] for fenced in _FENCE.finditer(text)))
    if any(_loaded(part.strip()) is not _NOTHING for part in parts):
        return "wrong shape"
    begun = _BEGUN.search(text)
    if begun and _is_cut(text, begun.start()):
        return "truncated"
    return "wrong shape" if any(True for _ in _standing_in(_repaired(text))) else "not JSON"


def _is_cut(text: str, start: int) -> bool:
    """Whether a text ends within the value that begins there: in a string, or before its brackets are closed."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        character = text[place]
        if quoted:
            quoted, escaped = escaped or character != '"', not escaped and character == "\\"
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return False
    return True
