"""This library as a searcher: documents as facts, found by search, or as messages, found by recall.

Each corpus is in a scope of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, groupby
from uuid import uuid4

from memoranda.bench.records import Document
from memoranda.facttypes import NewFact
from memoranda.identity import Scope
from memoranda.memory import Memory
from memoranda.messageshapes import NewMessage
from memoranda.messagetypes import Role
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


class MessageSearcher:
    """A :class:`memoranda.bench.retrieval.Searcher` over the messages of a store: each session is a chat."""

    def __init__(self, store: Store) -> None:
        """Measure a store.

        Args:
            store: An open store; messages are stored in it, for a user who is new.
        """
        self._store = store
        self._user = uuid4()
        self._numbers = count(1)
        self._memory: Memory | None = None

    async def index(self, documents: Sequence[Document], /) -> None:
        """Store documents as messages, in a scope where nothing is yet.

        Whoever is not called the assistant is a user; of two people who talk to each other, both are.

        Args:
            documents: A corpus.
        """
        scope = Scope.project(f"corpus {next(self._numbers)}")
        for session, several in groupby(documents, lambda each: each.session):
            memory = self._store.memory(self._user, scope=scope, chat=session)
            messages = [_message(each) for each in several]
            for start in range(0, len(messages), _AT_ONCE):
                await memory.turns.add(messages[start : start + _AT_ONCE])
        self._memory = self._store.memory(self._user, scope=scope)

    async def search(self, query: str, k: int, /) -> Sequence[str]:
        """Recall as an agent would.

        Args:
            query: A question.
            k: How many documents are wanted.

        Returns:
            Their ids, best first.
        """
        if self._memory is None:
            return []
        return [hit.message.id for hit in await self._memory.messages.recall(query, k, neighbours=0)]


def _message(document: Document) -> NewMessage:
    """A document as what was said; a role is not a name."""
    role: Role = "assistant" if document.author == "assistant" else "user"
    author = None if document.author in ("user", "assistant") else document.author
    return NewMessage(role, document.said or document.text, document.id, document.time, author)
