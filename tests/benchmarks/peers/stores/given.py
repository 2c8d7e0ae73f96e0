"""LangChain's embeddings, given: they were made beforehand."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from benchmarks.peers.contract import Vectors


class Given(Embeddings):
    """What LangChain, LangGraph and mem0 take."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._vectors.of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vectors.of(text)
