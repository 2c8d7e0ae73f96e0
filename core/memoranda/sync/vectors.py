# Generated from core/memoranda/vectors.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Vectors for facts: made when one is saved, and made up for later when the embedder was down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from memoranda import wire
from memoranda.errors import EmbedderError, EmptyError, InputError
from memoranda.facttypes import Embedded, Outcome
from memoranda.sync.embedding import Embedder, embed_checked, embed_each
from memoranda.sync.transport import Json
from memoranda.vectors import _BATCH, _log
from memoranda.vectors import model_of as model_of

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def with_vectors(binding: Binding, rows: Sequence[dict[str, Json]]) -> tuple[list[dict[str, Json]], bool | None]:
    """Facts as the database takes them, with their vectors if there is an embedder and it works."""
    if binding.embedder is None:
        return list(rows), None
    texts = [cast("str", row["content"]) for row in rows]
    vectors = vectors_of(binding, texts, "document") if all(text.strip() for text in texts) else None
    if vectors is None:
        return list(rows), False
    return [row | vector for row, vector in zip(rows, vectors, strict=True)], True


def vectors_of(
    binding: Binding, texts: Sequence[str], kind: Literal["document", "query"]
) -> list[dict[str, Json]] | None:
    """Vectors with their model; None when there is no embedder, or it fails, which hinders nothing."""
    embedder = binding.embedder
    if embedder is None:
        return None
    try:
        vectors = embed_checked(embedder, texts, kind)
    except (EmbedderError, EmptyError) as error:
        _log.warning("Without vectors, since the embedder failed: %s", error)
        return None
    model = model_of(embedder)
    return [{"vector": wire.vector(vector), "model": model} for vector in vectors]


def put_in_force(binding: Binding, row: Mapping[str, Any]) -> Outcome:
    """The outcome of a write that put an older text into force, which gets a vector if none was kept."""
    embedded: bool | None = row.get("embedded")
    if binding.embedder is None or embedded or row["outcome"] not in ("stored", "superseded") or row.get("replayed"):
        return Outcome.from_json(row, None if binding.embedder is None else embedded)
    found = cast("list[Mapping[str, Any]]", binding.call("facts_recall", {"query": {"id": row["id"]}}))
    vectors = vectors_of(binding, [found[0]["content"]], "document") if found else None
    if vectors:
        each: Json = [{"id": row["id"], "vector": vectors[0]["vector"]}]
        binding.call("vectors_put", {"made": {"model": vectors[0]["model"], "vectors": each}})
    return Outcome.from_json(row, vectors is not None)


def embed_pending(binding: Binding, limit: int) -> Embedded:
    """See :meth:`memoranda.sync.Facts.embed_pending`."""
    embedder = binding.embedder
    if embedder is None:
        raise InputError("This store has no embedder.", hint='Open it with one, such as embedder="local".')
    done, aside = 0, 0
    while (room := min(_BATCH, limit - done - aside)) > 0:
        made = embed_some(binding, embedder, room)
        if made is None:
            return Embedded(done, aside, left=False)
        done, aside = done + made[0], aside + made[1]
        if not sum(made):  # all were forgotten meanwhile
            break
    return Embedded(done, aside, left=True)


def embed_some(binding: Binding, embedder: Embedder, limit: int, *, aside: bool = False) -> tuple[int, int] | None:
    """Give facts vectors that have none of an embedder's model.

    Args:
        binding: Where.
        embedder: The embedder.
        limit: How many at most.
        aside: Also those that are not in force and have a vector of another model aside.

    Returns:
        How many got one, and how many texts it refused; None when none was left without.
    """
    model = model_of(embedder)
    more: dict[str, Json] = {"aside": True} if aside else {}
    missing = cast(
        "list[Mapping[str, Any]]",
        binding.call("vectors_missing", {"wanted": {"model": model, "limit": limit, **more}}),
    )
    if not missing:
        return None
    results = embed_each(embedder, [row["content"] for row in missing])
    made: list[Json] = [
        {"id": row["id"], "reason": str(result)}
        if isinstance(result, EmbedderError | EmptyError)
        else {"id": row["id"], "vector": wire.vector(result)}
        for row, result in zip(missing, results, strict=True)
    ]
    row = binding.call("vectors_put", {"made": {"model": model, "vectors": made, **more}})
    counts = cast("Mapping[str, int]", row)
    return counts["put"], counts["set_aside"]
