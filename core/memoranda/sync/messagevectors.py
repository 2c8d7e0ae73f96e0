# Generated from core/memoranda/messagevectors.py by .ci/make_sync.py: change that file, then run this.
"""Vectors for messages: made when a turn is stored, or later by whoever takes the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from memoranda import wire
from memoranda.errors import EmbedderError, EmptyError
from memoranda.facttypes import Embedded
from memoranda.messagevectors import PIECE as PIECE
from memoranda.messagevectors import Said as Said
from memoranda.messagevectors import heard as heard
from memoranda.messagevectors import pieces as pieces
from memoranda.sync.embedding import Embedder, Vector, embed_each
from memoranda.sync.transport import Json
from memoranda.sync.vectors import model_of

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def embed_said(binding: Binding, embedder: Embedder, said: Sequence[Said]) -> Embedded:
    """Give messages their vectors, and take that off the list of work.

    Args:
        binding: The memory that they are in.
        embedder: What makes the vectors.
        said: The messages. One whose text was changed meanwhile gets none, and stays work.

    Returns:
        How many were embedded, and how many were set aside, since the embedder refuses their text.

    Raises:
        EmbedderError: The embedder fails whatever the text is.
    """
    texts = [heard(each) for each in said]
    results = iter(embed_each(embedder, [piece for parts in texts for piece in parts]))
    made: list[Json] = []
    for each, parts in zip(said, texts, strict=True):
        vectors = [next(results) for _ in parts]
        refusal = next((one for one in vectors if isinstance(one, EmbedderError | EmptyError)), None)
        row: dict[str, Json] = {"id": each.ref, "version": each.version}
        if refusal is None:
            row["pieces"] = [wire.vector(cast("Vector", one)) for one in vectors]
        else:
            row["reason"] = f"{refusal.code}: {refusal.message}"
        made.append(row)
    if not made:
        return Embedded(0, 0, left=False)
    answer = binding.call("message_vectors_put", {"pieces": {"model": model_of(embedder), "vectors": made}})
    counts = cast("Mapping[str, int]", answer)
    return Embedded(counts["put"], counts["set_aside"], left=False)


def queue_missing(binding: Binding, embedder: Embedder, limit: int) -> int:
    """Put messages without a vector of an embedder's model on the list of work; see :meth:`memoranda.sync.Messages`.

    Args:
        binding: The memory that they are in.
        embedder: The embedder.
        limit: How many at most.

    Returns:
        How many were put on the list.
    """
    work: Json = {"model": model_of(embedder), "most": limit}
    return cast("Mapping[str, int]", binding.call("work_missing", {"work": work}))["queued"]
