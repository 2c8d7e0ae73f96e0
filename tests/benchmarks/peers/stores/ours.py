"""memoranda: as a user under row-level security, over the login that an API would have."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import memoranda
from benchmarks.peers.contract import Change, Fact, Server, Vectors
from memoranda import Memory
from memoranda.embedding import Kind
from memoranda.errors import ConflictError

PACKAGES = ("memoranda",)
Answer = TypeVar("Answer")


class Given:
    """An embedder whose vectors were made beforehand."""

    model = "given"
    max_inputs = 10_000

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.dimensions = vectors.dimensions

    async def embed(self, texts: Sequence[str], kind: Kind = "document") -> list[list[float]]:
        return [self._vectors.of(text) for text in texts]


class Ours:
    """All by default, but where it is told not to look for duplicates; the application's id is the idempotency key."""

    looks_for_duplicates = True

    def __init__(self, server: Server, vectors: Vectors, home: Path, *, approximate: bool) -> None:
        self._runner = asyncio.Runner()
        login = server._replace(user="authenticator")
        self._store = self._run(memoranda.connect(login.url(), embedder=Given(vectors), timeout=120).open())

    def _run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return self._runner.run(work)

    def close(self) -> None:
        self._run(self._store.close())
        self._runner.close()

    def _of(self, user: str) -> Memory:
        return self._store.memory(user)

    def fill(self, user: str, facts: Sequence[Fact]) -> None:
        self.add_many(user, facts)

    def add(self, user: str, fact: Fact) -> None:
        self._run(self._of(user).facts.save(fact.text, idempotency_key=fact.id))

    def add_many(self, user: str, facts: Sequence[Fact], *, looking: bool = False) -> None:
        how = self._of(user).facts.save_many(
            [fact.text for fact in facts], dedup="full" if looking else "off", idempotency_key=facts[0].id
        )
        self._run(how)

    def search(self, user: str, query: str, k: int) -> list[str]:
        return [hit.fact.content for hit in self._run(self._of(user).facts.search(query, k))]

    def nearest(self, user: str, query: str, k: int) -> list[str]:
        hits = self._run(self._of(user).facts.search(query, 200, track_use=False))
        best = sorted(hits, key=lambda hit: hit.similarity or 0, reverse=True)
        return [hit.fact.content for hit in best[:k]]

    def unfiltered(self, query: str, k: int) -> list[str]:
        hits = self._run(self._store.memory(None).facts.search(query, k))
        return [hit.fact.content for hit in hits]

    def texts(self, user: str) -> list[str]:
        return [fact.content for fact in self._run(self._of(user).facts.timeline(1_000))]

    def put(self, user: str, id: str, text: str) -> None:
        self._run(self._of(user).facts.save(text, key=id))

    def read(self, user: str, id: str) -> str:
        return self._current(user, id).content

    def _current(self, user: str, id: str) -> memoranda.Fact:
        fact = self._run(self._of(user).facts.get(id))
        assert fact
        return fact

    def edit(self, user: str, id: str, change: Change) -> None:
        while True:
            old = self._current(user, id)
            try:
                self._run(self._of(user).facts.save(change(old.content), key=id, expected_version=old.version))
            except ConflictError:
                continue  # somebody was quicker
            return

    def delete(self, user: str, id: str) -> None:
        self._run(self._of(user).facts.forget(id, erase=True))
