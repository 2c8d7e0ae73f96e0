"""The middleware for `create_agent`: tools, guidance, and the block in each request; with and without `await`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypeVar, cast
from uuid import NAMESPACE_OID, uuid4, uuid5

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
from langchain.agents.middleware.types import PrivateStateAttr, ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.errors import GraphInterrupt
from langgraph.managed.is_last_step import RemainingStepsManager  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime

from memoranda import Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, Who, done, finished
from memoranda.agents import AgentOptions, AgentRun, Tainted
from memoranda.extraction import Extractor
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda.tools import MEMORY
from memoranda_langchain import messages
from memoranda_langchain.tools import current, refuse_ours, thread_of, tool

AnyRuntime: TypeAlias = "Runtime[Any]"
AnswerT = TypeVar("AnswerT")

_MOST_RUNS = 1024
"""Runs whose block is kept: those that ended without a word, as on an interrupt, go when there are more."""

_NATIVE: dict[str, Any] = {"type": "memory_20250818", "name": MEMORY.name}

_NEAR = 4
"""How many steps before the end of `recursion_limit` a turn is stored as it is: no hook is reached beyond it, and other
middleware may take some of the steps between two calls of the model."""


class MemoryState(AgentState[Any]):
    """What the middleware keeps with an agent's state: nothing of what is remembered."""

    memoranda_run: NotRequired[Annotated[str, PrivateStateAttr]]
    memoranda_first: NotRequired[Annotated[str | None, PrivateStateAttr]]  # the message with which the turn began
    memoranda_steps: NotRequired[Annotated[int, PrivateStateAttr, RemainingStepsManager]]  # until `recursion_limit`


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
        identity: Callable[[AnyRuntime], Who | Awaitable[Who]],
        scope: Scope | Callable[[AnyRuntime], Scope | Awaitable[Scope]] | None = None,
        mounts: Mapping[str, Scope] | None = None,
        budget: int = 1500,
        tokens: str | None = None,
        tainted: Tainted = "show",
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
                before the model, and again in each step; what it raises ends the run. An ``async def`` serves `ainvoke`
                and `astream` alone.
            scope: Which of the user's memories, or a function of the runtime.
            mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
            budget: Tokens that the block may take.
            tokens: How they are counted: the name of an encoding, or None for a count that is never too low.
            tainted: Whether what a tainted run wrote is shown, marks the run, or is held back: see docs/poisoning.md.
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
        self._options = options
        self._agents = AgentMemory(store, identity, scope or Scope.user(), mounts, options)
        self._inject = inject
        self._extractor = extractor
        self._runs: OrderedDict[tuple[str, bool], AnyRun] = OrderedDict()
        self.tools = [tool(spec, _called_in) for spec in options.specs]

    def before_agent(self, state: MemoryState, runtime: AnyRuntime) -> dict[str, Any]:
        """Begin a run: nobody to serve ends it here."""
        run_id = uuid4().hex
        self._sync_run(run_id, runtime, get_config())
        return {"memoranda_run": run_id, "memoranda_first": messages.first_of(state["messages"])}

    async def abefore_agent(self, state: MemoryState, runtime: AnyRuntime) -> dict[str, Any]:
        """Begin a run: nobody to serve ends it here."""
        run_id = uuid4().hex
        await self._run(run_id, runtime, get_config())
        return {"memoranda_run": run_id, "memoranda_first": messages.first_of(state["messages"])}

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], AnswerT]) -> AnswerT:
        """Put memory into a request."""
        run = self._sync_run_of(request.state, request.runtime, get_config())
        for name in _tools_read(request):
            run.saw(name)
        asked = self._with_memory(request, run.block(messages.said(request.messages, _first(request.state))))
        try:
            answer = handler(asked)
        except GraphInterrupt:  # the run goes on later
            raise
        except BaseException:  # the agent's end is not reached then
            run.finish(_turn(request.state, get_config()))
            raise
        for name in messages.tools_read(_answered(answer)):  # the provider's, before the calls beside them are made
            run.saw(name)
        if _is_near_the_end(request.state, answer):
            run.finish(_turn(request.state, get_config(), _answered(answer)))
        return answer

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[AnswerT]]
    ) -> AnswerT:
        """Put memory into a request."""
        run = await self._run_of(request.state, request.runtime, get_config())
        for name in _tools_read(request):
            await done(run, run.saw, name)
        asked = self._with_memory(
            request, await done(run, run.block, messages.said(request.messages, _first(request.state)))
        )
        try:
            answer = await handler(asked)
        except GraphInterrupt:  # the run goes on later
            raise
        except BaseException:  # the agent's end is not reached then
            await finished(run, _turn(request.state, get_config()))
            raise
        for name in messages.tools_read(_answered(answer)):  # the provider's, before the calls beside them are made
            await done(run, run.saw, name)
        if _is_near_the_end(request.state, answer):
            await finished(run, _turn(request.state, get_config(), _answered(answer)))
        return answer

    def after_agent(self, state: MemoryState, runtime: AnyRuntime) -> None:
        """End the turn."""
        run = self._sync_run_of(state, runtime, get_config())
        run.finish(_turn(state, get_config()))
        self._runs.pop((_run_id(state, get_config()), True), None)

    async def aafter_agent(self, state: MemoryState, runtime: AnyRuntime) -> None:
        """End the turn."""
        run = await self._run_of(state, runtime, get_config())
        await finished(run, _turn(state, get_config()))
        self._runs.pop((_run_id(state, get_config()), False), None)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], AnswerT]) -> AnswerT:
        """Let our tools know the run that they are called in; a tool that ends the run ends the turn."""
        run = self._sync_run_of(request.state, _runtime_of(request), _config_of(request))
        token = current.set(run)
        try:
            return handler(request)
        except GraphInterrupt:  # the run goes on later
            raise
        except BaseException:
            run.finish(_turn(request.state, _config_of(request)))
            raise
        finally:
            current.reset(token)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[AnswerT]]
    ) -> AnswerT:
        """Let our tools know the run that they are called in; a tool that ends the run ends the turn."""
        run = await self._run_of(request.state, _runtime_of(request), _config_of(request))
        token = current.set(run)
        try:
            return await handler(request)
        except GraphInterrupt:  # the run goes on later
            raise
        except BaseException:
            await finished(run, _turn(request.state, _config_of(request)))
            raise
        finally:
            current.reset(token)

    def _with_memory(self, request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
        """The request with the block, the guidance and, for Anthropic's models, their own memory tool."""
        offered = [*request.tools]
        refuse_ours((each for each in offered if isinstance(each, BaseTool) and each not in self.tools), self._options)
        if request.model._llm_type == "anthropic-chat":  # pyright: ignore[reportPrivateUsage]  # no public name
            offered = [_NATIVE if getattr(each, "name", None) == MEMORY.name else each for each in offered]
        start = messages.turn_start(request.messages, _first(request.state))
        shown = messages.with_block(request.messages, block if self._inject else "", start)
        return request.override(
            messages=cast("list[AnyMessage]", shown),
            system_message=messages.with_guidance(request.system_message, AgentRun.guidance),
            tools=offered,
        )

    async def _run_of(self, state: Any, runtime: Any, config: RunnableConfig) -> AnyRun:
        return await self._run(_run_id(state, config), runtime, config)

    def _sync_run_of(self, state: Any, runtime: Any, config: RunnableConfig) -> SyncAgentRun:
        return self._sync_run(_run_id(state, config), runtime, config)

    async def _run(self, run_id: str, runtime: Any, config: RunnableConfig) -> AnyRun:
        bound = await self._agents.run(runtime, chat=thread_of(config), run_id=run_id, extractor=self._extractor)
        return self._kept(run_id, bound, sync=False)

    def _sync_run(self, run_id: str, runtime: Any, config: RunnableConfig) -> SyncAgentRun:
        bound = self._agents.sync_run(runtime, chat=thread_of(config), run_id=run_id, extractor=self._extractor)
        return cast("SyncAgentRun", self._kept(run_id, bound, sync=True))

    def _kept(self, run_id: str, bound: AnyRun, *, sync: bool) -> AnyRun:
        """The run as it was begun: with the block that it has."""
        run = self._runs.get((run_id, sync))
        # Whoever goes on with a run of somebody else's, as in a thread of theirs, does so with a memory of their own.
        if run and (run.memory.identity, run.memory.scope) == (bound.memory.identity, bound.memory.scope):
            return run
        self._runs[run_id, sync] = bound
        while len(self._runs) > _MOST_RUNS:
            self._runs.popitem(last=False)
        return bound


def _called_in(_: RunnableConfig) -> AnyRun:
    return cast("AnyRun", current.get())  # set around every call of a tool


def _is_near_the_end(state: Any, answer: Any) -> bool:
    """Whether the run may end over its `recursion_limit` before another hook is reached."""
    left = state.get("memoranda_steps", _NEAR + 1)
    goes_on = any(each.tool_calls for each in _answered(answer) if isinstance(each, AIMessage))
    return bool(left <= (_NEAR if goes_on else 1))


def _config_of(request: ToolCallRequest) -> RunnableConfig:
    return cast("RunnableConfig", _runtime_of(request).config)


def _runtime_of(request: ToolCallRequest) -> Any:
    return cast("Any", request.runtime)  # pyright: ignore[reportUnknownMemberType]  # generic, and used without its types


def _run_id(state: Any, config: RunnableConfig) -> str:
    """The run that a state is of; one that began without the middleware is named after its thread and its turn."""
    if run_id := state.get("memoranda_run"):
        return str(run_id)
    return uuid5(NAMESPACE_OID, f"{thread_of(config)}:{messages.first_of(state['messages'])}").hex


def _first(state: Any) -> str | None:
    """The id of the message with which the turn began."""
    if state.get("memoranda_run"):
        return cast("str | None", state.get("memoranda_first"))
    return messages.first_of(state["messages"])


def _turn(state: Any, config: RunnableConfig, said: Sequence[BaseMessage] = ()) -> Iterator[object]:
    """The turn as plain data, with what was said since the state was made."""
    return messages.as_data([*state["messages"], *said], _first(state), named=thread_of(config) is not None)


def _tools_read(request: ModelRequest[Any]) -> Iterator[str]:
    """The tools whose results are in a request, without those that stand for structured output."""
    specs = getattr(request.response_format, "schema_specs", ())
    return messages.tools_read(request.messages, {spec.name for spec in specs})


def _answered(answer: Any) -> Sequence[BaseMessage]:
    """What the model said, in each form in which a handler may give it."""
    answer = getattr(answer, "model_response", answer)
    return [each for each in getattr(answer, "result", [answer]) if isinstance(each, BaseMessage)]
