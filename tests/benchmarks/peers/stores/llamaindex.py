"""LlamaIndex's PGVectorStore with hybrid search, its two halves fused by QueryFusionRetriever, as its guide advises."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Change, Fact, Server, Vectors

PACKAGES = ("llama-index-vector-stores-postgres",)
HNSW = {"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 40, "hnsw_dist_method": "vector_cosine_ops"}


class LlamaIndex:
    """The user is a metadata key with an index, and metadata are JSONB; ids are the nodes'."""

    looks_for_duplicates = False

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        self._vectors = vectors
        self._types: Any = import_module("llama_index.core.vector_stores.types")
        self._schema: Any = import_module("llama_index.core.schema")
        self._fusion: Any = import_module("llama_index.core.retrievers").QueryFusionRetriever
        core: Any = import_module("llama_index.core")
        self._llm = import_module("llama_index.core.llms").MockLLM()  # asked for, and not used for one query
        self._store: Any = import_module("llama_index.vector_stores.postgres").PGVectorStore.from_params(
            connection_string=server.url("postgresql+psycopg2"),
            async_connection_string=server.url("postgresql+asyncpg"),
            table_name="memories",
            embed_dim=vectors.dimensions,
            hybrid_search=True,
            use_jsonb=True,
            indexed_metadata_keys={("user_id", "text")},
            hnsw_kwargs=dict(HNSW) if approximate else None,
        )
        self._store.get_nodes(node_ids=["none"])  # makes the table
        self._index = core.VectorStoreIndex.from_vector_store(
            self._store, embed_model=core.MockEmbedding(embed_dim=vectors.dimensions)
        )
        self._retrievers: dict[tuple[str | None, int], Any] = {}

    def close(self) -> None:
        asyncio.run(self._store.close())

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        self.add_many(user, facts)

    def add(self, user: str, fact: Fact) -> None:
        self.add_many(user, [fact])

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        self._store.add([self._node(user, fact) for fact in facts])

    def _node(self, user: str, fact: Fact) -> Any:
        vector = self._vectors.of(fact.text)
        return self._schema.TextNode(id_=fact.id, text=fact.text, metadata={"user_id": user}, embedding=vector)

    def search(self, user: str, query: str, k: int) -> list[str]:
        return self._found(user, query, k)

    def unfiltered(self, query: str, k: int) -> list[str]:
        return self._found(None, query, k)

    def _found(self, user: str | None, query: str, k: int) -> list[str]:
        if (user, k) not in self._retrievers:
            filters = None if user is None else self._of(user)
            halves = [
                self._index.as_retriever(vector_store_query_mode=mode, similarity_top_k=k, filters=filters)
                for mode in ("default", "sparse")
            ]
            self._retrievers[user, k] = self._fusion(
                halves, llm=self._llm, similarity_top_k=k, num_queries=1, mode="relative_score", use_async=False
            )
        asked = self._schema.QueryBundle(query, embedding=self._vectors.of(query))
        return [found.node.get_content() for found in self._retrievers[user, k].retrieve(asked)]

    def _of(self, user: str) -> Any:
        return self._types.MetadataFilters(filters=[self._types.MetadataFilter(key="user_id", value=user)])

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        asked = self._types.VectorStoreQuery(
            query_embedding=self._vectors.of(query), similarity_top_k=k, filters=self._of(user)
        )
        return [node.get_content() for node in self._store.query(asked).nodes]

    def texts(self, user: str) -> list[str]:
        return [node.get_content() for node in self._store.get_nodes(filters=self._of(user))]

    def put(self, user: str, id: str, text: str) -> None:
        self.add(user, Fact(id, text))

    def read(self, user: str, id: str) -> str:
        return str(self._store.get_nodes(node_ids=[id])[0].get_content())

    def edit(self, user: str, id: str, change: Change) -> None:
        text = change(self.read(user, id))
        self.delete(user, id)  # there is no update
        self.put(user, id, text)

    def delete(self, user: str, id: str) -> None:
        self._store.delete_nodes([id])
