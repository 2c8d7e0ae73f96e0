"""One recall over facts and messages together, for programs and, as a text, for models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, Literal, cast

from memoranda import context as rendering
from memoranda import vectors, wire
from memoranda.commands import Result
from memoranda.facttypes import Fact, Hit
from memoranda.html import Listing, Shown
from memoranda.identity import Scope
from memoranda.messagetypes import Message, MessageHit
from memoranda.tokens import TokenCounter, token_counter
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

_NOTHING = "Nothing is remembered about that."


@dataclass(frozen=True, slots=True)
class Recalled(Shown):
    """One thing that is remembered, and what it is.

    Attributes:
        kind: Whether it is a fact, or a message that was said.
        hit: The fact or the message, with why it was found; its score is that of its own search.
        score: What the order goes by. It compares the hits of one recall, and means nothing beyond.
    """

    kind: Literal["fact", "message"]
    hit: Hit | MessageHit
    score: float

    @property
    def text(self) -> str:
        """What the fact states, or the message says."""
        return self.hit.fact.content if isinstance(self.hit, Hit) else self.hit.message.text

    @property
    def tainted(self) -> bool:
        """Whether a run stored it that had read untrusted material."""
        return self.hit.fact.tainted if isinstance(self.hit, Hit) else self.hit.message.tainted

    @property
    def similarity(self) -> float | None:
        """The cosine between the question's vector and its own, untouched."""
        return self.hit.similarity

    @property
    def scope(self) -> tuple[str, str]:
        """The scope that it is from, by name and id."""
        return self.hit.fact.scope if isinstance(self.hit, Hit) else self.hit.message.scope

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Recalled:
        """From what the database returns."""
        hit = Hit.from_json(row) if row["kind"] == "fact" else MessageHit.from_json(row)
        return cls(row["kind"], hit, row["score"])


async def recall(
    binding: Binding,
    query: str,
    k: int,
    *,
    scopes: Sequence[Scope] | None,
    exclude_chat: str | None,
    min_similarity: float | None,
    neighbours: int,
    track_use: bool,
) -> list[Recalled]:
    """See :meth:`memoranda.Memory.recall`."""
    wanted: dict[str, Json] = {
        "text": wire.text("query", query),
        "limit": wire.number("k", k),
        "scopes": None if scopes is None else [{"scope": each.name, "scope_id": each.id} for each in scopes],
        "exclude_chat": exclude_chat,
        "min_similarity": min_similarity,
        "neighbours": wire.number("neighbours", neighbours),
        "track_use": track_use,
    }
    if query.strip() and (asked := await vectors.vectors_of(binding, [query], "query")):
        wanted |= asked[0]
    wanted = {name: value for name, value in wanted.items() if value is not None}
    rows = cast("list[Mapping[str, Any]]", await binding.call("recall", {"asked": wanted}))
    return Listing(Recalled.from_json(row) for row in rows)


def query_of(arguments: Mapping[str, Any]) -> str | Result:
    """The query of a model's call of the tool, or what to tell the model that sent none."""
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return Result("Error: recall needs a query: a text that says what to look for.", is_error=True)
    return query


def told(found: Sequence[Recalled], budget: int, tokens: str | TokenCounter | None, *, hold: bool = False) -> Result:
    """What was found, as a text for a model: data behind a fence, within a budget, without what is tainted if asked."""
    count = tokens if callable(tokens) else token_counter(tokens)
    if hold:
        found = [_without_tainted(each) for each in found if not each.tainted]
    block = rendering.render([item_of(each) for each in found], budget=budget, count=count)
    return Result(block.text or _NOTHING)


def _without_tainted(found: Recalled) -> Recalled:
    """A hit without what stands beside it and is tainted."""
    if isinstance(found.hit, Hit):
        return found
    before, after = ([each for each in side if not each.tainted] for side in (found.hit.before, found.hit.after))
    return replace(found, hit=replace(found.hit, before=before, after=after))


def item_of(found: Recalled) -> rendering.Item:
    """What was found as a model sees it.

    Args:
        found: A fact or a message.
    """
    if isinstance(found.hit, Hit):
        return rendering.Item("fact", str(found.hit.fact.id), _fact(found.hit.fact))
    hit = found.hit
    data = {"remembered": "message", **_message(hit.message)}
    for name, beside in (("before", hit.before), ("after", hit.after)):
        if beside:
            data[name] = [_message(each) for each in beside]
    return rendering.Item("message", hit.message.id, data)


def _fact(fact: Fact) -> dict[str, Any]:
    shown = {"remembered": "fact", "kind": fact.kind, "key": fact.key, "content": fact.content, "source": fact.source}
    updated = fact.updated_at.astimezone(UTC).date().isoformat()
    return _filled({**shown, "tainted": fact.tainted or None, "updated": updated})


def _message(message: Message) -> dict[str, Any]:
    day = message.at.astimezone(UTC).date().isoformat()
    shown = {"role": message.role, "author": message.author, "said": day, "text": message.text}
    return _filled({**shown, "tainted": message.tainted or None})


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value is not None}
