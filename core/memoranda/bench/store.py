"""This library as a searcher: documents are saved as facts, each corpus in a scope of its own, and found by search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from uuid import uuid4

from memoranda.bench.records import Document
from memoranda.facttypes import NewFact
from memoranda.identity import Scope
from memoranda.memory import Memory
from memoranda.store import Store

_AT_ONCE = 1000
_LONGEST = 100_000
"""Characters of a document that are saved: what a fact holds, unless set otherwise. BEAM has one that is longer."""


class StoreSearcher:
    """A :class:`memoranda.bench.retrieval.Searcher` over a store."""

    def __init__(self, store: Store) -> None:
        """Measure a store.

        Args:
            store: An open store; facts are saved into it, for a user who is new.
        """
        self._store = store
        self._user = uuid4()
        self._numbers = count(1)
        self._memory: Memory | None = None

    async def index(self, documents: Sequence[Document], /) -> None:
        """Save documents as facts, in a scope where nothing is yet.

        Args:
            documents: A corpus.
        """
        memory = self._store.memory(self._user, scope=Scope.project(f"corpus {next(self._numbers)}"))
        for start in range(0, len(documents), _AT_ONCE):
            facts = [
                NewFact(each.text[:_LONGEST], metadata={"id": each.id}) for each in documents[start : start + _AT_ONCE]
            ]
            await memory.facts.save_many(facts)
        self._memory = memory

    async def search(self, query: str, k: int, /) -> Sequence[str]:
        """Search as an agent would, but for what moves the order over time.

        Args:
            query: A question.
            k: How many documents are wanted.

        Returns:
            Their ids, best first.
        """
        if self._memory is None:
            return []
        hits = await self._memory.facts.search(query, k, blend=False, track_use=False)
        return [hit.fact.metadata["id"] for hit in hits]
