"""Embedders for tests: quick, the same every time, and near where texts have words in common."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from zlib import crc32

from memoranda.embedders import FunctionEmbedder
from memoranda.errors import EmbedderInputError, EmbedderUnavailableError

DIMENSIONS = 64


def bag_of_words(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector of the words in a text, in no order."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        vector[crc32(word.encode()) % dimensions] += 1.0
    return vector if any(vector) else [1.0, *vector[1:]]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """How much two vectors point the same way."""
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


class Moody:
    """An embedder that can be down, and that refuses texts with a certain word."""

    def __init__(self) -> None:
        self.is_down = False
        self.refused = "unspeakable"
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(len(texts))
        if self.is_down:
            raise EmbedderUnavailableError("The embedder is down.")
        if any(self.refused in text for text in texts):
            raise EmbedderInputError("The embedder refuses this text.")
        return [bag_of_words(text) for text in texts]


def words_embedder(dimensions: int = DIMENSIONS, model: str = "words") -> FunctionEmbedder:
    """An embedder by the words in a text."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [bag_of_words(text, dimensions) for text in texts]

    return FunctionEmbedder(embed, model=model, dimensions=dimensions)
