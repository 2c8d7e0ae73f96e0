"""Embedders for code without `await`; written by hand, where most of `memoranda.sync` is generated.

There is one kind of embedder, and it is async. Here it runs in an event loop of its own, on a thread of the process.
"""

from __future__ import annotations

import threading
from collections.abc import Coroutine, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from memoranda import embedding
from memoranda.embedding import Embedder as Embedder
from memoranda.embedding import Kind as Kind
from memoranda.embedding import Vector as Vector
from memoranda.errors import EmbedderError, EmptyError

if TYPE_CHECKING:
    import asyncio

Found = TypeVar("Found")


def embed_checked(embedder: Embedder, texts: Sequence[str], kind: Kind = "document") -> list[Vector]:
    """See :func:`memoranda.embedding.embed_checked`."""
    return _run(embedding.embed_checked(embedder, texts, kind))


def embed_each(
    embedder: Embedder, texts: Sequence[str], kind: Kind = "document"
) -> list[Vector | EmbedderError | EmptyError]:
    """See :func:`memoranda.embedding.embed_each`."""
    return _run(embedding.embed_each(embedder, texts, kind))


def close_embedder(embedder: Embedder | None) -> None:
    """See :func:`memoranda.embedding.close_embedder`."""
    if embedder is not None:
        _run(embedding.close_embedder(embedder))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="memoranda-embedding", daemon=True).start()
    return loop


def _run(work: Coroutine[Any, Any, Found]) -> Found:
    """Wait for what runs in the loop; an interrupt of the wait ends the work too."""
    import asyncio

    task = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return task.result()
    except BaseException:
        task.cancel()
        raise
