"""langchain-postgres: PGVectorStore with hybrid search, a column of tsvectors with its GIN index, ranks fused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from benchmarks.peers.contract import Change, Fact, Server, Vectors
from benchmarks.peers.stores.given import Given

PACKAGES = ("langchain-postgres",)
TABLE = "memories"
AT_ONCE = 10


class LangChain:
    """The user is a metadata column, as the documentation advises for what is filtered by.

    The store remembers the first question's words in its hybrid configuration, and asks for them ever after. So each
    question brings a configuration of its own.
    """

    looks_for_duplicates = False

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        self._api: Any = import_module("langchain_postgres")
        self._hybrid: Any = import_module("langchain_postgres.v2.hybrid_search_config")
        self._document: Any = import_module("langchain_core.documents").Document
        self._engine = self._api.PGEngine.from_connection_string(server.url("postgresql+psycopg"))
        made = False
        try:
            self._store = self._opened(vectors)
        except ValueError:  # no such table
            self._engine.init_vectorstore_table(
                TABLE,
                vectors.dimensions,
                metadata_columns=[self._api.Column("user_id", "TEXT")],
                hybrid_search_config=self._asking(""),
            )
            self._store = self._opened(vectors)
            made = True
        if made:
            self._store.apply_hybrid_search_index()
            if approximate:
                self._store.apply_vector_index(import_module("langchain_postgres.v2.indexes").HNSWIndex())

    def _opened(self, vectors: Vectors) -> Any:
        return self._api.PGVectorStore.create_sync(
            self._engine, Given(vectors), TABLE, metadata_columns=["user_id"], hybrid_search_config=self._asking("")
        )

    def _asking(self, query: str, k: int = AT_ONCE) -> Any:
        return self._hybrid.HybridSearchConfig(
            tsv_column="content_tsv",
            fts_query=query,
            fusion_function=self._hybrid.reciprocal_rank_fusion,
            fusion_function_parameters={"rrf_k": 60, "fetch_top_k": k},
            primary_top_k=k,
            secondary_top_k=k,
        )

    def close(self) -> None:
        asyncio.run(self._engine.close())

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        self.add_many(user, facts)

    def add(self, user: str, fact: Fact) -> None:
        self.add_many(user, [fact])

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        documents = [self._document(page_content=fact.text, metadata={"user_id": user}) for fact in facts]
        self._store.add_documents(documents, ids=[_id(user, fact.id) for fact in facts])

    def search(self, user: str, query: str, k: int) -> list[str]:
        return self._found({"user_id": user}, query, k)

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        found = self._store.similarity_search(query, k, filter={"user_id": user}, hybrid_search_config=None)
        return [document.page_content for document in found]

    def unfiltered(self, query: str, k: int) -> list[str]:
        return self._found(None, query, k)

    def _found(self, chosen: dict[str, str] | None, query: str, k: int) -> list[str]:
        asking = self._asking(query, k)
        found = self._store.similarity_search(query, k, filter=chosen, hybrid_search_config=asking)
        return [document.page_content for document in found]

    def texts(self, user: str) -> list[str]:
        return self.nearest(user, "everything", 1_000)

    def put(self, user: str, id: str, text: str) -> None:
        self.add(user, Fact(id, text))

    def read(self, user: str, id: str) -> str:
        return str(self._store.get_by_ids([_id(user, id)])[0].page_content)

    def edit(self, user: str, id: str, change: Change) -> None:
        self.put(user, id, change(self.read(user, id)))

    def delete(self, user: str, id: str) -> None:
        self._store.delete([_id(user, id)])


def _id(user: str, id: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{user} {id}"))
