"""A store for LangGraph's agents and LangMem's tools: its items are facts in a scope of the user whom a run serves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from datetime import timedelta
from inspect import isawaitable
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

import memoranda.sync
from memoranda import Memory, Scope
from memoranda.agentmemory import AgentMemory, AnyStore
from memoranda.errors import ConflictError, ForbiddenError, InputError
from memoranda.facttypes import Fact, Hit, NewFact
from memoranda.store import Store
from memoranda_langchain import items
from memoranda_langchain.tools import Resolver, current, thread_of

AnswerT = TypeVar("AnswerT")

_PAGE = 1000
_MOST_HITS = 200
_INSTANT = timedelta(microseconds=1)
_TOGETHER = 500
"""Items that are written in one transaction, and so at one time: fewer than stand on a page, which goes by time."""

_log = logging.getLogger("memoranda")


class MemorandaStore(BaseStore):
    """A LangGraph store in which each user has items of their own, for `create_agent(store=...)` and LangMem's tools.

    A namespace is a path within one scope of one user. It says nothing of whose the items are: a namespace that names
    somebody else is one of the user's own, and reaches nobody. Items are facts of the scope: they have a history, go in
    an export and an erasure, and with an embedder they are found by meaning.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | memoranda.sync.Memory | AnyStore,
        *,
        identity: Resolver | None = None,
        scope: Scope | Callable[[RunnableConfig], Scope | Awaitable[Scope]] | None = None,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
    ) -> None:
        """Make the store.

        Args:
            memory: One user's memory, for a store that serves that user alone; or a store.
            identity: With a store: whom a call serves, from the config of the run that it is made in, such as
                ``lambda config: config["configurable"]["user_id"]``. What it raises ends the call.
            scope: With a store: which of the user's memories, or a function of the config. By default one for items
                alone, ``Scope.agent("store")``. In ``Scope.user()`` they stand among the user's facts, and so in the
                block of a :class:`MemoryMiddleware`, too.
            fields: The paths in a value that are searched; ``"$"`` is the whole.
            ttl: For how many minutes items live that do not say, and whether reading them begins that time anew.

        Raises:
            InputError: A store came without `identity`, or a memory with it; or `fields` is one text.
            ScopeError: `scope` is no scope.
        """
        super().__init__()
        if isinstance(fields, str):
            raise InputError("The fields stand in a list, not alone.")
        self.ttl_config = ttl
        self._fields = tuple(fields)
        self._memory: Memory | memoranda.sync.Memory | None = None
        self._agents: AgentMemory[RunnableConfig] | None = None
        if isinstance(memory, Memory | memoranda.sync.Memory):
            if identity is not None or scope is not None:
                raise InputError("A memory is one user's already, in one scope.", hint="Pass the store instead.")
            self._memory = memory
        elif identity is None:
            raise InputError("A store serves many.", hint="Say with `identity` whom a call serves.")
        else:
            self._agents = AgentMemory(memory, identity, scope or Scope.agent("store"))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, reads before writes, for the user of the run that this is called in.

        Args:
            ops: The operations.

        Returns:
            What came of each, in their order.

        Raises:
            InputError: An operation is not acceptable; or the memory is async, or its `identity` is.
            MemorandaError: The database refused, or is out of reach.
        """
        memory = self._memory
        if self._agents is not None:
            config = ensure_config()
            memory = self._agents.sync_run(config, chat=thread_of(config), run_id=_run_id()).memory
        if isinstance(memory, Memory):
            raise InputError("This memory is called with `await`.", hint="Use the store's async methods, or a store.")
        self._outside_of_a_run()
        return _at_once(self._done(cast("memoranda.sync.Memory", memory), list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, reads before writes, for the user of the run that this is called in.

        Args:
            ops: The operations.

        Returns:
            What came of each, in their order.

        Raises:
            InputError: An operation is not acceptable.
            MemorandaError: The database refused, or is out of reach.
        """
        memory = self._memory
        if self._agents is not None and isinstance(self._agents.store, Store):
            config = ensure_config()
            memory = cast("Any", await self._agents.run(config, chat=thread_of(config), run_id=_run_id())).memory
        if isinstance(memory, Memory):
            self._outside_of_a_run()
            return await self._done(memory, list(ops))
        return await asyncio.to_thread(self.batch, list(ops))

    def _outside_of_a_run(self) -> None:
        """See that what a run has read can taint what it puts: a memory of the application's is of no run."""
        if self._agents is None and current.get() is not None:
            raise InputError(
                "A store of a single memory does not serve the tools of a run that has a memory.",
                hint="Make it of the store: MemorandaStore(store, identity=...).",
            )

    async def _done(self, memory: Memory | memoranda.sync.Memory, ops: Sequence[Op]) -> list[Result]:
        """See :meth:`abatch`. With a memory that blocks, nothing in it waits: see :func:`_at_once`."""
        results: list[Result] = [None] * len(ops)
        puts: dict[tuple[items.Namespace, str], PutOp] = {}  # of several of one item, the last counts
        read = list[Fact]()
        for place, op in enumerate(ops):
            match op:
                case GetOp():
                    items.checked([*op.namespace, op.key])
                    found = await _called(memory.facts.get(items.key_of(op.namespace, op.key)))
                    if found is not None and items.is_item(found):
                        results[place] = Item(**items.as_item(found))
                        read += [found] if op.refresh_ttl else []
                case SearchOp():
                    items.checked(op.namespace_prefix)
                    hits = await (_searched(memory, op) if op.query else _listed(memory, op))
                    hits = hits[op.offset : op.offset + op.limit]
                    results[place] = [SearchItem(**items.as_item(fact), score=score) for fact, score in hits]
                    read += [fact for fact, _ in hits] if op.refresh_ttl else []
                case ListNamespacesOp():
                    names = await _called(memory.facts.vocabulary(1, 10_000))
                    results[place] = _namespaces(names, op)
                case PutOp():
                    items.checked([*op.namespace, op.key])
                    puts[op.namespace, op.key] = op
                case _:  # pyright: ignore[reportUnnecessaryComparison]  # untyped
                    raise InputError(f"A store has no operation {type(op).__name__}.")
        await self._put(memory, list(puts.values()))
        await _refresh(memory, read)
        return results

    async def _put(self, memory: Memory | memoranda.sync.Memory, puts: Sequence[PutOp]) -> None:
        facts = list[NewFact]()
        for put in puts:
            if put.value is not None:
                facts.append(items.fact_of(put, self._fields))
            elif await _called(memory.facts.get(items.key_of(put.namespace, put.key))) is not None:
                facts.append(items.gone(put.namespace, put.key))
        for start in range(0, len(facts), _TOGETHER):
            outcomes = await _called(memory.facts.save_many(facts[start : start + _TOGETHER], dedup="off"))
            for outcome in outcomes:
                if outcome.outcome in ("rejected", "pending"):  # a put has no answer that could say so
                    _log.warning("An item was not put: %s, %s", outcome.outcome, outcome.rule)


async def _searched(memory: Memory | memoranda.sync.Memory, op: SearchOp) -> list[tuple[Fact, float | None]]:
    """The items that a question is about, best first, with their similarity."""
    most = _MOST_HITS if op.filter else op.offset + op.limit
    hits: list[Hit] = await _called(
        memory.facts.search(op.query or "", most, tags=[items.mark(op.namespace_prefix)], where=items.where(op))
    )
    return [(hit.fact, hit.similarity) for hit in hits if _is_meant(hit.fact, op)]


async def _listed(memory: Memory | memoranda.sync.Memory, op: SearchOp) -> list[tuple[Fact, float | None]]:
    """The items of a namespace, those put last first."""
    wanted = op.offset + op.limit
    size, until = (_PAGE if op.filter else min(_PAGE, max(100, wanted))), None
    found = dict[object, Fact]()
    seen = set[object]()
    while len(found) < wanted:
        page: list[Fact] = await _called(
            memory.facts.timeline(size, entity=items.mark(op.namespace_prefix), until=until)
        )
        found |= {fact.id: fact for fact in page if _is_meant(fact, op)}
        if len(page) < size or seen.issuperset(fact.id for fact in page):
            break
        seen.update(fact.id for fact in page)
        size, until = _PAGE, page[-1].created_at + _INSTANT
    return [(fact, None) for fact in found.values()]


def _is_meant(fact: Fact, op: SearchOp) -> bool:
    """Whether a fact is an item in the namespace, and what the filter wants."""
    if not items.is_item(fact) or tuple(fact.metadata["namespace"][: len(op.namespace_prefix)]) != op.namespace_prefix:
        return False
    value = items.value_of(fact)
    return all(items.meets(value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def _namespaces(names: Iterable[str], op: ListNamespacesOp) -> list[items.Namespace]:
    """The namespaces that an operation asks for, of those that there are."""
    there = [place for name in names if (place := items.namespace_of(name)) is not None]
    matching = {
        place[: op.max_depth] for place in there if all(_matches(place, each) for each in op.match_conditions or ())
    }
    return sorted(matching)[op.offset : op.offset + op.limit]


def _matches(place: items.Namespace, condition: MatchCondition) -> bool:
    """Whether a namespace begins, or ends, with a path; ``*`` is any label."""
    if condition.match_type not in ("prefix", "suffix"):
        raise InputError(
            f"A namespace is not matched by its {condition.match_type!r}.", hint='Use "prefix" or "suffix".'
        )
    path = tuple(condition.path)
    part = place[: len(path)] if condition.match_type == "prefix" else place[max(0, len(place) - len(path)) :]
    return len(part) == len(path) and all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


async def _refresh(memory: Memory | memoranda.sync.Memory, facts: Iterable[Fact]) -> None:
    """Begin anew the time to live of items that were read.

    It is a write of the run that reads. So none is made in the run of an agent, which may be tainted, where each would
    wait; nor of what is tainted, which would pass for clean.
    """
    if current.get() is not None:
        return
    for fact in {fact.id: fact for fact in facts if not fact.tainted}.values():
        if (again := items.refreshed(fact)) is not None:
            try:
                await _called(memory.facts.save_many([again], dedup="off"))
            except (ConflictError, ForbiddenError):  # put meanwhile by another; or not this one's to write
                continue


def _run_id() -> str | None:
    """The run that calls us from one of its tools: what it has read taints what it puts."""
    run = current.get()
    return None if run is None else run.memory.run_id


async def _called(answer: Any) -> Any:
    """What a memory's method gave, awaited where it has to be."""
    return await answer if isawaitable(answer) else answer


def _at_once(work: Coroutine[Any, Any, AnswerT]) -> AnswerT:
    """Run what never waits, since all that it calls blocks."""
    try:
        work.send(None)
    except StopIteration as stop:
        return cast("AnswerT", stop.value)
    work.close()
    raise RuntimeError("A memory that blocks has waited.")
