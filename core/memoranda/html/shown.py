"""Which function shows which class. By name, since the classes are above this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memoranda.html import facts, files, messages, others
from memoranda.html.tags import Html, page, tag

_ONE: Mapping[str, Callable[[Any], Html]] = {
    "Context": others.context,
    "Fact": facts.fact,
    "File": files.file,
    "FileOutcome": files.outcome,
    "Receipt": others.receipt,
    "Revision": facts.revision,
    "TurnOutcome": messages.turn,
    "Verified": others.verified,
}
"""Those that look otherwise alone than in a table of one."""

_MANY: Mapping[str, Callable[[Sequence[Any]], Html]] = {
    "AuditEntry": files.log,
    "Entry": files.entries,
    "Fact": facts.facts,
    "FileRevision": files.revisions,
    "Hit": facts.hits,
    "Message": messages.messages,
    "MessageHit": messages.hits,
    "MessageOutcome": messages.outcomes,
    "Outcome": facts.outcomes,
    "Recalled": messages.recalled,
    "Revision": facts.revisions,
    "Waiting": facts.waiting,
}


def one(value: object) -> str:
    """A value alone."""
    name = type(value).__name__
    if name in _ONE:
        return page(_ONE[name](value))
    return page(_MANY[name]([value]) if name in _MANY else others.record(value))


def many(values: Sequence[object]) -> str:
    """Values of one class in a table."""
    if not values:
        return page(tag("p", "Nothing.", class_="quiet"))
    name = type(values[0]).__name__
    if any(type(value).__name__ != name for value in values):
        return page(*(tag("p", str(value)) for value in values))
    return page(_MANY.get(name, others.records)(values))
