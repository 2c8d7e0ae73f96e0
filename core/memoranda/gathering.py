"""What a block is made of: files, facts, and how many wait; asked for together, since a request waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

from memoranda import context as rendering
from memoranda import vectors, wire
from memoranda.context import Context
from memoranda.facttypes import Fact
from memoranda.files import Files
from memoranda.shares import SHARE, block_items, crowded
from memoranda.tokens import TokenCounter
from memoranda.transport import Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

_LEAST_TOKENS = 15
"""Tokens that a fact's line takes at least, in any encoding in use."""

_SHORTEST = '{"kind":"fact","content":"a","updated":"2026-01-01"}\n'
"""No fact's line is shorter: more facts than fit of these are not looked for."""

_BYTES_A_TOKEN = 16
"""Bytes of files to read for each token of a budget: more than any token of text takes, but for runs of blanks."""


async def gathered(
    binding: Binding,
    files: Files,
    query: str | None,
    *,
    budget: int,
    count: TokenCounter,
    tainted: Literal["show", "hold"],
) -> Context:
    """See :meth:`memoranda.Memory.context`."""
    most = max(20, min(200, budget // max(_LEAST_TOKENS, count(_SHORTEST))))
    wanted = files.smallest_calls(budget * _BYTES_A_TOKEN if budget > 0 else 0)
    asked = await _asked(binding, query)
    search = "facts_search" if asked else "facts_recall"
    *found, rows, waiting = await binding.together(
        [
            *wanted,
            (search, binding.placed({"query": {**asked, "limit": most}})),
            ("review_counts", binding.placed({})),
        ]
    )
    facts = _facts_of(rows)
    if asked and crowded(facts):  # then what stands behind a voice that is too loud is looked at, too
        more = {**asked, "limit": 200, "max_per_source": most // SHARE}
        (behind,) = await binding.together([(search, binding.placed({"query": more}))])
        facts = list({fact.id: fact for fact in (*facts, *_facts_of(behind))}.values())
    shown, others = files.smallest_of(found)
    items = block_items(shown, facts, budget, count)
    held = [item for item in items if tainted == "hold" and item.data.get("tainted")]
    block = rendering.render([item for item in items if item not in held], budget=budget, count=count)
    unread = [rendering.Cut(rendering.Item("file", each.path, {}), "budget", each.bytes) for each in others]
    hidden = [rendering.Cut(item, "tainted", 0) for item in held]
    pending = cast("Mapping[str, int]", waiting)["pending"]
    return replace(block, cut=(*hidden, *block.cut, *unread), waiting=pending)


async def _asked(binding: Binding, query: str | None) -> dict[str, Json]:
    """What a search is for; empty without a question, where the newest facts are shown."""
    if not query or not query.strip():
        return {}
    asked: dict[str, Json] = {"text": wire.text("query", query), "blend": True, "track_use": False}
    made = await vectors.vectors_of(binding, [query], "query")
    return asked | made[0] if made else asked


def _facts_of(rows: Json) -> list[Fact]:
    """The facts in an answer, of a search or of a recall."""
    return [Fact.from_json(row.get("fact", row)) for row in cast("Sequence[Mapping[str, Any]]", rows)]
