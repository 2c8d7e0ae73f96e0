"""Facts: a card for one, a table for several; what a search found and why; histories; outcomes; what waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memoranda.html.parts import badge, badges, bar, day, details, diff, ident, named, table, when
from memoranda.html.spans import Axis, Span
from memoranda.html.tags import Child, Html, content, joined, tag

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from memoranda.facttypes import Fact, Hit, Outcome, Revision, Waiting, Why

_STATUS = {"confirmed": "good", "pending": "waits", "superseded": "", "rejected": "bad", "forgotten": "bad"}
_PUTS_IN_FORCE = ("saved", "corrected", "approved")
_LEAVES_IT = ("proposed", "merged", "rejected")  # a write of one fact that changes nothing about the one in force


def fact(shown: Fact) -> Html:
    """One fact, its statement first."""
    rows: list[tuple[str, Child]] = [
        ("true", str(_validity(shown)) if _validity(shown) else None),
        ("expires", when(shown.expires_at) if shown.expires_at else None),
        ("importance", shown.importance),
        ("origin", shown.origin),
        ("source", shown.source),
        ("quote", None if shown.quote is None else content(shown.quote)),
        ("tags", ", ".join(shown.tags)),
        ("entities", ", ".join(shown.entities)),
        ("metadata", _pairs(shown.metadata)),
        ("scope", _scope(shown)),
        ("saved", when(shown.created_at)),
        ("changed", when(shown.updated_at) if shown.updated_at != shown.created_at else None),
        ("id", tag("code", str(shown.id))),
        *((name, ident(getattr(shown, name))) for name in ("supersedes", "superseded_by", "proposes")),
    ]
    return tag("div", content(shown.content), _beside(shown, status=True), details(rows), class_="card")


def facts(shown: Sequence[Fact]) -> Html:
    """Several, with a bar for the time that each is true, if that is known of any."""
    spans = [_validity(each, shown) for each in shown]
    axis = Axis(spans)
    settled = all(each.status == "confirmed" for each in shown)
    return table(
        ["fact", "true", "saved", "scope"],
        [
            [
                statement(each, status=not settled),
                axis.shown(span) if any(spans) else None,
                when(each.updated_at),
                _scope(each) if len({one.scope for one in shown}) > 1 else None,
            ]
            for each, span in zip(shown, spans, strict=True)
        ],
    )


def hits(shown: Sequence[Hit]) -> Html:
    """What a search found, in its order, and why."""
    best = max((each.score for each in shown), default=0.0)
    return table(
        ["", "fact", "similarity", "words", "why", "of the best"],
        [
            [
                (str(number), "number"),
                statement(each.fact),
                bar(each.similarity) if any(one.similarity is not None for one in shown) else None,
                bar(each.why.words, look="words") if any(one.why.words for one in shown) else None,
                tag("span", why(each.why), class_="quiet"),
                score(each.score, best),
            ]
            for number, each in enumerate(shown, 1)
        ],
    )


def why(reasons: Why) -> str:
    """Why a fact was found, in words."""
    parts = [
        f"meaning {_nth(reasons.meaning_rank)}" if reasons.meaning_rank else None,
        f"words {_nth(reasons.words_rank)}" if reasons.words_rank else None,
        f"{reasons.named} name{'s' * (reasons.named > 1)}" if reasons.named else None,
        *(
            f"{name} × {factor:.2f}"
            for name, factor in (("age", reasons.recency), ("importance", reasons.importance), ("use", reasons.used))
            if round(factor, 2) != 1
        ),
    ]
    return ", ".join(part for part in parts if part) or "nothing better"


def score(value: float, best: float) -> Html:
    """A score against the best of its search: it compares, and means nothing beyond."""
    return tag("span", bar(value / best if best > 0 else 0.0, look="spent"), title=f"{value:.6f}: only for the order")


def revisions(shown: Sequence[Revision]) -> Html:
    """A story, newest first: what each write changed, who wrote it and why, and for how long it stood."""
    old = {each.fact.id: each.fact.content for each in shown}
    spans = _stood(shown)
    axis = Axis(spans)
    return table(
        ["", "fact", "", "in force, as known", "when", "by", "reason"],
        [
            [
                (str(each.fact.version), "number"),
                _changed(each, old),
                joined(badge(each.verb), _decided(each.decision.get("rule"), each.decision.get("similarity"))),
                axis.shown(span),
                when(each.at),
                by(each.actor, each.run_id, each.tool_call_id),
                None if each.reason is None else content(each.reason),
            ]
            for each, span in zip(shown, spans, strict=True)
        ],
    )


def revision(shown: Revision) -> Html:
    """One entry of the log."""
    rows: list[tuple[str, Child]] = [
        ("when", when(shown.at)),
        ("by", by(shown.actor, shown.run_id, shown.tool_call_id)),
        ("user", tag("code", str(shown.user))),
        ("reason", None if shown.reason is None else content(shown.reason)),
        ("decided by", _pairs(shown.decision)),
        ("replaces", ident(shown.replaces)),
    ]
    return tag("div", badge(shown.verb), details(rows), fact(shown.fact))


def waiting(shown: Sequence[Waiting]) -> Html:
    """What waits for a person, against what it would replace or is like."""
    return table(
        ["waits", "rule", "alike", "from", "by", "saved", "reason", "id"],
        [
            [
                joined(
                    diff(each.replaces.content, each.fact.content) if each.replaces else content(each.fact.content),
                    _beside(each.fact),
                    _like(each),
                ),
                each.rule,
                None if each.similarity is None else bar(each.similarity),
                joined(each.fact.origin, None if each.fact.source is None else tag("div", each.fact.source)),
                by(each.actor, each.run_id, None),
                when(each.fact.created_at),
                None if each.reason is None else content(each.reason),
                ident(each.fact.id),
            ]
            for each in shown
        ],
    )


def outcomes(shown: Sequence[Outcome]) -> Html:
    """What became of writes."""
    return table(
        ["outcome", "rule", "version", "id", "in the place of", "compared with", "alike", "seen", ""],
        [
            [
                badge(each.outcome),
                each.rule,
                None if each.version is None else (str(each.version), "number"),
                ident(each.id),
                ident(each.supersedes),
                ident(each.compared),
                None if each.similarity is None else bar(each.similarity, mark=each.threshold),
                None if each.seen is None else (str(each.seen), "number"),
                badges(
                    "restored" if each.restored else None,
                    "done before" if each.replayed else None,
                    "not found by meaning yet" if each.embedded is False else None,
                )
                or None,
            ]
            for each in shown
        ],
    )


def statement(shown: Fact, *, status: bool = False) -> Html:
    """A fact in a table."""
    return joined(content(shown.content), _beside(shown, status=status))


def by(actor: str, run: str | None, call: str | None) -> Html:
    """Who wrote: the code path, and in which run and tool call."""
    parts = [named(name, before=f"{what} ") for what, name in (("run", run), ("call", call)) if name]
    return joined(actor, *(tag("div", part, class_="beside") for part in parts))


def _beside(shown: Fact, *, status: bool = False) -> Html:
    """What stands below a statement: its key and kind, and what to know about it."""
    marks = badges(
        "tainted" if shown.tainted else None,
        f"expires {day(shown.expires_at)}" if shown.expires_at else None,
    )
    name = None if shown.key is None else tag("code", shown.key)
    parts = [
        badge(shown.status, _STATUS[shown.status]) if status else None,
        marks,
        name,
        " · " if name else None,
        shown.kind,
    ]
    return tag("div", *(parts if name or shown.kind != "fact" else parts[:2]), class_="beside")


def _like(shown: Waiting) -> Html | None:
    if shown.compared is None or (shown.replaces and shown.replaces.id == shown.compared.id):
        return None
    return tag("div", "like: ", content(shown.compared.content), class_="beside")


def _changed(shown: Revision, old: Mapping[UUID, str]) -> Html:
    """What a write made of what had been there."""
    before = old.get(shown.replaces) if shown.replaces else None
    if before is not None and before != shown.fact.content:
        return joined(diff(before, shown.fact.content), _beside(shown.fact))
    if shown.verb in ("forgotten", "rejected"):
        return joined(tag("del", content(shown.fact.content)), _beside(shown.fact))
    return statement(shown.fact)


def _stood(shown: Sequence[Revision]) -> list[Span | None]:
    """For how long each write stood, newest first: until the next that changed what is in force."""
    spans: list[Span | None] = []
    end = None
    for each in shown:
        spans.append(Span(each.at, end) if each.verb in _PUTS_IN_FORCE else None)
        end = end if each.verb in _LEAVES_IT else each.at
    return spans


def _decided(rule: str | None, similarity: float | None) -> Html:
    alike = f" {similarity:.3f}" if isinstance(similarity, float) else ""
    return tag("div", f"{rule}{alike}" if rule else "", class_="beside")


def _validity(shown: Fact, beside: Sequence[Fact] = ()) -> Span | None:
    """When it is true, if anybody said so. What has a successor beside it is true until that begins."""
    ends = [shown.valid_until, *(each.valid_from for each in beside if each.id == shown.superseded_by)]
    end = min((each for each in ends if each is not None), default=None)
    return None if shown.valid_from is None and end is None else Span(shown.valid_from, end)


def _pairs(shown: Mapping[str, Any]) -> Html | None:
    return content(", ".join(f"{name}: {value}" for name, value in shown.items())) if shown else None


def _scope(shown: Fact) -> str:
    name, id = shown.scope
    return f"{name}:{id}" if id else name


def _nth(number: int) -> str:
    return f"#{number}"
