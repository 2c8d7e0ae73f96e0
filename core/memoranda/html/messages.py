"""Messages: what was said, and what a recall found of it, facts among it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from memoranda.html import facts
from memoranda.html.parts import Cell, badge, badges, bar, details, ident, named, table, when, yes
from memoranda.html.tags import Child, Html, content, joined, tag

if TYPE_CHECKING:
    from datetime import datetime

    from memoranda.facttypes import Hit
    from memoranda.messagetypes import Message, MessageHit, MessageOutcome, RecallWhy, TurnOutcome
    from memoranda.recalling import Recalled


def messages(shown: Sequence[Message]) -> Html:
    """What was said, as a conversation."""
    return table(
        ["who", "said", "chat", "when", "id"],
        [
            [
                _who(each),
                joined(content(each.text), _beside(each)),
                None if each.chat is None else named(each.chat),
                when(each.at),
                _id(each),
            ]
            for each in shown
        ],
    )


def hits(shown: Sequence[MessageHit]) -> Html:
    """What was found, with what was said beside it, and why."""
    best = max((each.score for each in shown), default=0.0)
    return table(
        ["", "who", "said", "similarity", "words", "why", "of the best", "chat", "when"],
        [
            [
                (str(number), "number"),
                _who(each.message),
                _among(each),
                bar(each.similarity) if any(one.similarity is not None for one in shown) else None,
                bar(each.why.words, look="words") if any(one.why.words for one in shown) else None,
                tag("span", why(each.why), class_="quiet"),
                facts.score(each.score, best),
                None if each.message.chat is None else named(each.message.chat),
                when(each.message.at),
            ]
            for number, each in enumerate(shown, 1)
        ],
    )


def why(reasons: RecallWhy) -> str:
    """Why a message was found, in words."""
    parts = [
        f"meaning #{reasons.meaning_rank}" if reasons.meaning_rank else None,
        f"words #{reasons.words_rank}" if reasons.words_rank else None,
        "names who said it" if reasons.named else None,
        f"its neighbours + {reasons.near:.3f}" if reasons.near else None,
    ]
    return ", ".join(part for part in parts if part) or "nothing better"


def recalled(shown: Sequence[Recalled]) -> Html:
    """Facts and messages in one order, each labelled."""
    best = max((each.score for each in shown), default=0.0)
    measured = any(each.hit.similarity is not None for each in shown)
    rows: list[list[Cell]] = []
    for number, each in enumerate(shown, 1):
        remembered, at = _remembered(each)
        similarity = bar(each.hit.similarity) if measured else None
        place = (str(number), "number")
        rows.append([place, badge(each.kind, ""), remembered, similarity, facts.score(each.score, best), when(at)])
    return table(["", "", "remembered", "similarity", "of the best", "when"], rows)


def outcomes(shown: Sequence[MessageOutcome]) -> Html:
    """What became of messages."""
    return table(
        ["outcome", "id", "rule", "version", ""],
        [
            [badge(each.outcome), each.id, each.rule, each.version, "done before" if each.replayed else None]
            for each in shown
        ],
    )


def turn(shown: TurnOutcome) -> Html:
    """What became of a turn."""
    rows: list[tuple[str, Child]] = [
        ("turn", ident(shown.turn) or "nothing was stored: the chat is temporary"),
        ("found by meaning", None if shown.embedded is None else yes(shown.embedded)),
        ("facts looked for", None if shown.extracted is None else yes(shown.extracted)),
        ("done before", yes(True) if shown.replayed else None),
    ]
    return tag("div", details(rows), outcomes(shown.messages) if shown.messages else None, class_="card")


def _remembered(shown: Recalled) -> tuple[Html, datetime]:
    """What a fact or a message says, and when it was saved or said."""
    if shown.kind == "fact":
        fact = cast("Hit", shown.hit).fact
        return facts.statement(fact), fact.updated_at
    message = cast("MessageHit", shown.hit).message
    return joined(content(message.text), tag("div", _who(message), _beside(message), class_="beside")), message.at


def _among(shown: MessageHit) -> Html:
    """A message between its neighbours."""

    def beside(each: Message) -> Html:
        return tag("div", _who(each), ": ", content(each.text), class_="beside")

    said = joined(content(shown.message.text), _beside(shown.message))
    return joined(*map(beside, shown.before), tag("div", said), *map(beside, shown.after))


def _who(shown: Message) -> str:
    return shown.role if shown.author is None else f"{shown.author} ({shown.role})"


def _beside(shown: Message) -> Html | None:
    marks = badges("tainted" if shown.tainted else None, "edited" if shown.version > 1 else None)
    return tag("div", marks, class_="beside") if marks else None


def _id(shown: Message) -> Html:
    return tag("code", shown.id)
