"""LangGraph's PostgresStore: a key and a value in a namespace, found by its vector."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers.contract import Change, Fact, Server, Vectors
from benchmarks.peers.stores.given import Given

PACKAGES = ("langgraph-checkpoint-postgres",)


class LangGraph:
    """`("memories", user)` is the namespace, as in LangGraph's guide to memory. It has no search by words."""

    looks_for_duplicates = False

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        made: Any = import_module("langgraph.store.postgres").PostgresStore
        self._put: Any = import_module("langgraph.store.base").PutOp
        self._stack = ExitStack()
        kind = {"ann_index_config": {"kind": "hnsw" if approximate else "flat"}}
        index = {"dims": vectors.dimensions, "embed": Given(vectors), "fields": ["text"], **kind}
        self._store = self._stack.enter_context(made.from_conn_string(server.url(), index=index))
        self._store.setup()

    def close(self) -> None:
        self._stack.close()

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        self.add_many(user, facts)

    def add(self, user: str, fact: Fact) -> None:
        self._store.put(("memories", user), fact.id, {"text": fact.text})

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        self._store.batch([self._put(("memories", user), fact.id, {"text": fact.text}) for fact in facts])

    def search(self, user: str, query: str, k: int) -> list[str]:
        return [item.value["text"] for item in self._store.search(("memories", user), query=query, limit=k)]

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        return self.search(user, query, k)

    def unfiltered(self, query: str, k: int) -> list[str]:
        return [item.value["text"] for item in self._store.search(("memories",), query=query, limit=k)]

    def texts(self, user: str) -> list[str]:
        return [item.value["text"] for item in self._store.search(("memories", user), limit=1_000)]

    def put(self, user: str, id: str, text: str) -> None:
        self.add(user, Fact(id, text))

    def read(self, user: str, id: str) -> str:
        return str(self._store.get(("memories", user), id).value["text"])

    def edit(self, user: str, id: str, change: Change) -> None:
        self.put(user, id, change(self.read(user, id)))

    def delete(self, user: str, id: str) -> None:
        self._store.delete(("memories", user), id)
