# Generated from core/memoranda/recalling.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""One recall over facts and messages together, for programs and, as a text, for models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memoranda import wire
from memoranda.html import Listing
from memoranda.identity import Scope
from memoranda.recalling import Recalled as Recalled
from memoranda.recalling import item_of as item_of
from memoranda.recalling import query_of as query_of
from memoranda.recalling import told as told
from memoranda.sync import vectors
from memoranda.sync.transport import Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def recall(
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
    """See :meth:`memoranda.sync.Memory.recall`."""
    wanted: dict[str, Json] = {
        "text": wire.text("query", query),
        "limit": wire.number("k", k),
        "scopes": None if scopes is None else [{"scope": each.name, "scope_id": each.id} for each in scopes],
        "exclude_chat": exclude_chat,
        "min_similarity": min_similarity,
        "neighbours": wire.number("neighbours", neighbours),
        "track_use": track_use,
    }
    if query.strip() and (asked := vectors.vectors_of(binding, [query], "query")):
        wanted |= asked[0]
    wanted = {name: value for name, value in wanted.items() if value is not None}
    rows = cast("list[Mapping[str, Any]]", binding.call("recall", {"asked": wanted}))
    return Listing(Recalled.from_json(row) for row in rows)
