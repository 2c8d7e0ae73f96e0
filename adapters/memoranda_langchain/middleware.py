"""The middleware for `create_agent`: tools, guidance, and the block in each request; with and without `await`."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextvars import ContextVar
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypeVar, cast
from uuid import UUID, uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain.agents.middleware.types import PrivateStateAttr, ToolCallRequest
from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from memoranda import Identity, Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, done
from memoranda.agents import AgentOptions, AgentRun
from memoranda.extraction import Extractor
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda.tools import MEMORY
from memoranda_langchain import messages
from memoranda_langchain.tools import tool

AnyRuntime: TypeAlias = "Runtime[Any]"
AnswerT = TypeVar("AnswerT")

_MOST_RUNS = 1024
"""Runs whose block is kept: those that ended without a word, as on an interrupt, go when there are more."""

_NATIVE: dict[str, Any] = {"type": "memory_20250818", "name": MEMORY.name}

_current: ContextVar[AnyRun] = ContextVar("memoranda_run")


class MemoryState(AgentState[Any]):
    """What the middleware keeps with an agent's state: nothing of what is remembered."""

    memoranda_run: NotRequired[Annotated[str, PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryState, Any]):
    """Long-term memory for an agent of `langchain.agents.create_agent`.

    It gives the model the tools ``memory`` and ``recall`` (Anthropic's models get their own memory tool), says in the
    system message how to treat what is remembered, and puts what matters before the user's message in each request; it
    is not kept in the agent's state. The results of other tools taint the run: what it then writes is marked.
    """

    state_schema = MemoryState

    def __init__(
        self,
        store: AnyStore,
        *,
        identity: Callable[[AnyRuntime], str | UUID | Identity],
        scope: Scope | Callable[[AnyRuntime], Scope] | None = None,
        mounts: Mapping[str, Scope] | None = None,
        budget: int = 1500,
        tokens: str | None = None,
        tainted: Literal["show", "hold"] = "show",
        remember: bool = False,
        turns: bool = True,
        extractor: Extractor | None = None,
        extract: Literal["inline", "worker", "off"] | None = None,
        trusted_tools: Collection[str] = (),
        inject: bool = True,
    ) -> None:
        """Make the middleware.

        Args:
            store: The store. An async one serves `invoke` through its twin, a sync one `ainvoke` in threads.
            identity: Whom a run serves, from its runtime, such as ``lambda runtime: runtime.context.user_id``. Asked
                before the model; what it raises ends the run.
            scope: Which of the user's memories, or a function of the runtime.
            mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
            budget: Tokens that the block may take.
            tokens: How they are counted: the name of an encoding, or None for a count that is never too low.
            tainted: Whether what a tainted run wrote is shown, marked as such, or held back.
            remember: Whether the model may save single facts; what the user's own words do not bear out waits.
            turns: Whether what was said is stored when a turn has ended, for recall.
            extractor: What finds facts in a turn that has ended, in the place of the store's, such as a
                :class:`ModelExtractor`. It costs a call of a model for each turn, and its failure is never the run's.
            extract: Whether that is done when the turn has ended, by a worker, or not at all.
            trusted_tools: Tools of yours whose results do not taint the run.
            inject: Whether the block is put into requests.

        Raises:
            InputError: An option is not acceptable.
        """
        super().__init__()
        options = AgentOptions(budget, tokens, tainted, remember, turns, extract, trusted_tools)
        self._agents = AgentMemory(store, identity, scope or Scope.user(), mounts, options)
        self._inject = inject
        self._extractor = extractor
        self._runs: OrderedDict[tuple[str, bool], AnyRun] = OrderedDict()
        self.tools = [tool(spec, lambda _: _current.get()) for spec in options.specs]

    def before_agent(self, state: MemoryState, runtime: AnyRuntime) -> dict[str, Any]:
        """Begin a run: nobody to serve ends it here."""
        run_id = uuid4().hex
        self._run(run_id, runtime, get_config(), sync=True)
        return {"memoranda_run": run_id}

    async def abefore_agent(self, state: MemoryState, runtime: AnyRuntime) -> dict[str, Any]:
        """Begin a run: nobody to serve ends it here."""
        run_id = uuid4().hex
        self._run(run_id, runtime, get_config(), sync=False)
        return {"memoranda_run": run_id}

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], AnswerT]) -> AnswerT:
        """Put memory into a request."""
        run = cast("SyncAgentRun", self._run_of(request.state, request.runtime, get_config(), sync=True))
        for name in messages.tools_read(request.messages):
            run.saw(name)
        asked = self._with_memory(request, run.block(messages.said(request.messages)))
        try:
            return handler(asked)
        except BaseException:  # the agent's end is not reached then
            run.finish(messages.as_data(request.messages))
            raise

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[AnswerT]]
    ) -> AnswerT:
        """Put memory into a request."""
        run = self._run_of(request.state, request.runtime, get_config(), sync=False)
        for name in messages.tools_read(request.messages):
            await done(run, run.saw, name)
        block = await done(run, run.block, messages.said(request.messages))
        try:
            return await handler(self._with_memory(request, block))
        except BaseException:  # the agent's end is not reached then
            await asyncio.shield(done(run, run.finish, messages.as_data(request.messages)))
            raise

    def after_agent(self, state: MemoryState, runtime: AnyRuntime) -> None:
        """End the turn."""
        run = cast("SyncAgentRun", self._run_of(state, runtime, get_config(), sync=True))
        run.finish(messages.as_data(state["messages"]))
        self._runs.pop((state.get("memoranda_run", ""), True), None)

    async def aafter_agent(self, state: MemoryState, runtime: AnyRuntime) -> None:
        """End the turn."""
        run = self._run_of(state, runtime, get_config(), sync=False)
        await done(run, run.finish, messages.as_data(state["messages"]))
        self._runs.pop((state.get("memoranda_run", ""), False), None)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], AnswerT]) -> AnswerT:
        """Let our tools know the run that they are called in; a tool that ends the run ends the turn."""
        run = cast("SyncAgentRun", self._run_called(request, sync=True))
        token = _current.set(run)
        try:
            return handler(request)
        except GraphBubbleUp:  # an interrupt: the run goes on later
            raise
        except BaseException:
            run.finish(messages.as_data(request.state["messages"]))
            raise
        finally:
            _current.reset(token)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[AnswerT]]
    ) -> AnswerT:
        """Let our tools know the run that they are called in; a tool that ends the run ends the turn."""
        run = self._run_called(request, sync=False)
        token = _current.set(run)
        try:
            return await handler(request)
        except GraphBubbleUp:  # an interrupt: the run goes on later
            raise
        except BaseException:
            await asyncio.shield(done(run, run.finish, messages.as_data(request.state["messages"])))
            raise
        finally:
            _current.reset(token)

    def _with_memory(self, request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
        """The request with the block, the guidance and, for Anthropic's models, their own memory tool."""
        offered = [*request.tools]
        if request.model._llm_type == "anthropic-chat":  # pyright: ignore[reportPrivateUsage]  # no public name
            offered = [_NATIVE if getattr(each, "name", None) == MEMORY.name else each for each in offered]
        start = messages.turn_start(request.messages)
        shown = messages.with_block(request.messages, block if self._inject else "", start)
        return request.override(
            messages=cast("list[AnyMessage]", shown),
            system_message=messages.with_guidance(request.system_message, AgentRun.guidance),
            tools=offered,
        )

    def _run_called(self, request: ToolCallRequest, *, sync: bool) -> AnyRun:
        runtime = cast("Any", request.runtime)  # pyright: ignore[reportUnknownMemberType]
        return self._run_of(request.state, runtime, runtime.config, sync=sync)

    def _run_of(self, state: Any, runtime: Any, config: RunnableConfig, *, sync: bool) -> AnyRun:
        return self._run(state["memoranda_run"], runtime, config, sync=sync)

    def _run(self, run_id: str, runtime: Any, config: RunnableConfig, *, sync: bool) -> AnyRun:
        """The run with that id; one that was resumed in another process is bound anew."""
        if run := self._runs.get((run_id, sync)):
            return run
        thread = (config.get("configurable") or {}).get("thread_id")
        chat = None if thread is None else str(thread)
        bind = self._agents.sync_run if sync else self._agents.run
        run = self._runs[run_id, sync] = bind(runtime, chat=chat, run_id=run_id, extractor=self._extractor)
        while len(self._runs) > _MOST_RUNS:
            self._runs.popitem(last=False)
        return run
