"""The vectors, made once by the local embedder, in files that every library's process reads."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoranda.embedders import as_embedder
from memoranda.embedding import Kind, embed_checked


def write(folder: Path, documents: Iterable[str], queries: Iterable[str]) -> None:
    """Embed texts, each once, and questions as such."""
    made = asyncio.run(_embedded({"document": list(dict.fromkeys(documents)), "query": list(dict.fromkeys(queries))}))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts").write_text("\0".join(made))
    numbers = array("f")
    for vector in made.values():
        numbers.extend(vector)
    (folder / "vectors").write_bytes(numbers.tobytes())


async def _embedded(texts: dict[Kind, list[str]]) -> dict[str, list[float]]:
    embedder = as_embedder("local")
    assert embedder
    made: dict[str, list[float]] = {}
    for kind, each in texts.items():
        made |= zip(each, await embed_checked(embedder, each, kind), strict=True)
    return made


def matrix(vectors: Iterable[list[float]]) -> NDArray[np.float32]:
    """Vectors of length 1, a row each."""
    rows = np.array(list(vectors), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
