"""Embedders for code without `await`; written by hand, where most of `memoranda.sync` is generated.

There is one kind of embedder, and it is async. Here it runs in an event loop of its own, on a thread of the process.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda import embedding
from memoranda.embedding import Embedder as Embedder
from memoranda.embedding import Kind as Kind
from memoranda.embedding import Vector as Vector
from memoranda.errors import EmbedderError, EmptyError
from memoranda.sync.loop import run


def embed_checked(embedder: Embedder, texts: Sequence[str], kind: Kind = "document") -> list[Vector]:
    """See :func:`memoranda.embedding.embed_checked`."""
    return run(embedding.embed_checked(embedder, texts, kind))


def embed_each(
    embedder: Embedder, texts: Sequence[str], kind: Kind = "document"
) -> list[Vector | EmbedderError | EmptyError]:
    """See :func:`memoranda.embedding.embed_each`."""
    return run(embedding.embed_each(embedder, texts, kind))


def close_embedder(embedder: Embedder | None) -> None:
    """See :func:`memoranda.embedding.close_embedder`."""
    if embedder is not None:
        run(embedding.close_embedder(embedder))
