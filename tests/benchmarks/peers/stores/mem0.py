"""mem0, open source, on pgvector: `infer=False`, so that it stores what it is given and calls no model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from benchmarks.peers.contract import Change, Fact, Server, Vectors
from benchmarks.peers.stores.given import Given

PACKAGES = ("mem0ai",)


class Mem0:
    """Ids are mem0's own; an application keeps them, as we do here. The threshold is off, as it hides what is far."""

    looks_for_duplicates = False
    _ids: ClassVar[dict[tuple[str, str], str]] = {}

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(home), "OPENAI_API_KEY": "never called"}
        table = {"connection_string": server.url(), "embedding_model_dims": vectors.dimensions, "hnsw": approximate}
        self._memory: Any = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": table},
                "embedder": {"provider": "langchain", "config": {"model": Given(vectors)}},
                "history_db_path": str(home / "history.db"),
            }
        )
        self._vectors = vectors

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.connection_pool.close()

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        scoring: Any = import_module("mem0.utils.lemmatization")
        payloads = [
            {"user_id": user, "role": "user", "data": text, "text_lemmatized": scoring.lemmatize_for_bm25(text)}
            for _, text in facts
        ]
        self._memory.vector_store.insert(
            vectors=[self._vectors.of(text) for _, text in facts],
            payloads=payloads,
            ids=[str(uuid4()) for _ in facts],
        )

    def add(self, user: str, fact: Fact) -> None:
        self.put(user, fact.id, fact.text)

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        messages = [{"role": "user", "content": fact.text} for fact in facts]
        self._memory.add(messages, user_id=user, infer=False)

    def search(self, user: str, query: str, k: int) -> list[str]:
        return self._found({"user_id": user}, query, k)

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        rows = self._memory.vector_store.search(query, self._vectors.of(query), top_k=k, filters={"user_id": user})
        return [row.payload["data"] for row in rows]

    def unfiltered(self, query: str, k: int) -> list[str]:
        return self._found(None, query, k)

    def _found(self, filters: dict[str, str] | None, query: str, k: int) -> list[str]:
        found = self._memory.search(query, top_k=k, filters=filters, threshold=0.0)
        return [row["memory"] for row in found["results"]]

    def texts(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, top_k=1_000)
        return [row["memory"] for row in found["results"]]

    def put(self, user: str, id: str, text: str) -> None:
        added = self._memory.add(text, user_id=user, infer=False)
        self._ids[user, id] = added["results"][0]["id"]

    def read(self, user: str, id: str) -> str:
        return str(self._memory.get(self._ids[user, id])["memory"])

    def edit(self, user: str, id: str, change: Change) -> None:
        self._memory.update(self._ids[user, id], text=change(self.read(user, id)))

    def delete(self, user: str, id: str) -> None:
        self._memory.delete(self._ids[user, id])
