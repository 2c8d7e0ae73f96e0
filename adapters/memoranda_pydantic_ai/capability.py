"""The capability: it translates between PydanticAI's types and :class:`memoranda.agents.AgentRun`, and does no more."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, cast

from pydantic_ai import DeferredToolRequests, RunContext, Tool, ToolFailed
from pydantic_ai.capabilities import AbstractCapability, WrapRunHandler, durable_operation
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.native_tools import MemoryTool
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import AgentDepsT, AgentNativeTool
from pydantic_ai.toolsets import AgentToolset, FunctionToolset

from memoranda import Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, Who, done, finished
from memoranda.agents import AgentOptions, AgentRun, Tainted
from memoranda.commands import Result
from memoranda.errors import InputError
from memoranda.extraction import Extractor
from memoranda.tools import MEMORY, ToolSpec
from memoranda_pydantic_ai import messages
from memoranda_pydantic_ai.extractor import ModelExtractor
from memoranda_pydantic_ai.scopes import scope_in


@dataclass
class MemoryCapability(AbstractCapability[AgentDepsT]):
    """Long-term memory for an agent.

    It gives the model the tools ``memory`` and ``recall`` (on Anthropic's models, the native memory tool), says in the
    instructions how to treat what is remembered, and puts what matters into the user part of each request, where it is
    not kept in the message history. The results of other tools taint the run: what it then writes is marked.

    Args:
        store: The store. With one of :mod:`memoranda.sync`, calls are made in threads.
        identity: Whom a run serves, from its context: a user's name or id, or an :class:`memoranda.Identity` with a
            tenant. Asked once for each run, before any request; what it raises ends the run. May be an ``async def``.
        scope: Which of the user's memories, or a function of the run's context.
        mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
        budget: Tokens that the block may take.
        tokens: How they are counted: the name of an encoding, or None for a count that is never too low.
        tainted: Whether what a tainted run wrote is shown, marks the run, or is held back: see docs/poisoning.md.
        remember: Whether the model may save single facts; what the user's own words do not bear out waits for a person.
        turns: Whether what was said is stored when a turn has ended, for recall.
        extractor: What finds facts in a turn that has ended, in the place of the store's; ``"agent"`` asks the model of
            the agent. It costs a call of a model for each turn, and its failure is never the run's.
        extract: Whether that is done when the turn has ended, by a worker, or not at all.
        trusted_tools: Tools of yours whose results do not taint the run.
        inject: Whether the block is put into requests.

    Raises:
        InputError: An option is not acceptable.
    """

    store: AnyStore
    _: KW_ONLY
    identity: Callable[[RunContext[AgentDepsT]], Who | Awaitable[Who]]
    scope: Scope | Callable[[RunContext[AgentDepsT]], Scope | Awaitable[Scope]] = field(default_factory=Scope.user)
    mounts: Mapping[str, Scope] | None = None
    budget: int = 1500
    tokens: str | None = None
    tainted: Tainted = "show"
    remember: bool = False
    turns: bool = True
    extractor: Extractor | Literal["agent"] | None = None
    extract: Literal["inline", "worker", "off"] | None = None
    trusted_tools: Collection[str] = ()
    inject: bool = True
    _served: ClassVar[tuple[AnyStore, Callable[[RunContext[Any]], Who | Awaitable[Who]]] | None] = None
    id: str | None = "memoranda"  # an agent has one of these, and durable execution finds it by its name
    _memory: AgentMemory[RunContext[AgentDepsT]] = field(init=False, repr=False, compare=False)
    _is_run: bool = field(default=False, init=False, repr=False, compare=False)
    _run: AnyRun | None = field(default=None, init=False, repr=False, compare=False)
    _live: Sequence[ModelMessage] = field(default=(), init=False, repr=False, compare=False)
    _said: str = field(default="", init=False, repr=False, compare=False)
    _block: str | None = field(default=None, init=False, repr=False, compare=False)
    _seen: frozenset[str] = field(default=frozenset(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what would fail in the first run only."""
        options = AgentOptions(
            self.budget, self.tokens, self.tainted, self.remember, self.turns, self.extract, self.trusted_tools
        )
        self._memory = AgentMemory(self.store, self.identity, self.scope, self.mounts, options)

    @classmethod
    def for_files(
        cls, store: AnyStore, *, identity: Callable[[RunContext[Any]], Who | Awaitable[Who]]
    ) -> type[MemoryCapability[Any]]:
        """What no file can hold, for agents that are written in one: pass it in `custom_capability_types`.

        ::

            served = MemoryCapability.for_files(store, identity=lambda ctx: ctx.deps.user_id)
            agent = Agent.from_file("agent.yaml", deps_type=Deps, custom_capability_types=[served])

        Args:
            store: See :class:`MemoryCapability`, as for `identity`.
            identity: Whom a run serves.

        Returns:
            A class of the same name, whose options stand in the file.
        """
        return dataclass(type(cls.__name__, (cls,), {"_served": (store, identity), "__doc__": cls.__doc__}))

    @classmethod
    def get_serialization_name(cls) -> str:
        """Its name in a file."""
        return "MemoryCapability"

    @classmethod
    def from_spec(  # pyright: ignore[reportIncompatibleMethodOverride]  # says what there is
        cls,
        *,
        scope: str = "user",
        mounts: dict[str, str] | None = None,
        budget: int = 1500,
        tokens: str | None = None,
        tainted: Tainted = "show",
        remember: bool = False,
        turns: bool = True,
        extractor: Literal["agent"] | None = None,
        extract: Literal["inline", "worker", "off"] | None = None,
        trusted_tools: list[str] | None = None,
        inject: bool = True,
    ) -> MemoryCapability[Any]:
        """Make one from what stands in a file; see :meth:`for_files`.

        Args:
            scope: ``user``, ``organization``, ``agent:ID``, ``project:ID`` or ``chat:ID``.
            mounts: Scopes in the same form, by the names of their folders.
            budget: See :class:`MemoryCapability`, as for all that follow.
            tokens: How they are counted.
            tainted: Whether what a tainted run wrote is shown, marks the run, or is held back.
            remember: Whether the model may save single facts.
            turns: Whether what was said is stored.
            extractor: ``agent`` asks the agent's model for facts; without it the store's extractor is asked.
            extract: When that is done.
            trusted_tools: Tools whose results do not taint the run.
            inject: Whether the block is put into requests.

        Returns:
            The capability.

        Raises:
            InputError: This class has no store; or an option is not acceptable.
            ScopeError: A scope is none.
        """
        if cls._served is None:
            raise InputError(
                "A file holds neither the store nor whom a run serves.",
                hint="Pass MemoryCapability.for_files(store, identity=...) in custom_capability_types.",
            )
        store, identity = cls._served
        return cls(
            store,
            identity=identity,
            scope=scope_in(scope),
            mounts={name: scope_in(each) for name, each in (mounts or {}).items()} or None,
            budget=budget,
            tokens=tokens,
            tainted=tainted,
            remember=remember,
            turns=turns,
            extractor=extractor,
            extract=extract,
            trusted_tools=trusted_tools or (),
            inject=inject,
        )

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """Refuse two on one agent: merged, the second one's memory would silently take the place of the first's."""
        raise ValueError(
            f"{len(capabilities)} memories were configured on one agent. Give it one; `mounts` shows files of further "
            "scopes beside it."
        )

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """The capability as one run has it."""
        bound = copy.copy(self)
        bound._is_run = True
        return bound

    def get_instructions(self) -> str:
        """What the system prompt says of memory: trusted, and always the same."""
        return AgentRun.guidance

    def get_native_tools(self) -> Sequence[AgentNativeTool[AgentDepsT]]:
        """Anthropic's memory tool; other models get ours under the same name."""
        return [_native]

    def get_toolset(self) -> AgentToolset[AgentDepsT]:
        """The tools."""
        return FunctionToolset[AgentDepsT]([self._tool(spec) for spec in self._memory.options.specs], id="memoranda")

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put the block into this request alone, and note which foreign tools the model is about to read."""
        self._live = ctx.messages
        outputs = {tool.name for tool in request_context.model_request_parameters.output_tools}
        await self._read(ctx, messages.tools_read(request_context.messages, outputs))
        self._said = messages.said(request_context.messages, ctx.prompt)
        if self._block is None:  # once for each run, also for one that a durable engine goes on with in another process
            self._block = await self._rendered(ctx, self._said)
        if self.inject and self._block:
            request_context.messages = messages.with_block(request_context.messages, self._block, ctx.run_id)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[AgentDepsT], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Note which of the provider's own tools it has read, before the calls in its answer are made."""
        await self._read(ctx, messages.tools_read([response]))
        return response

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """End the turn, however the run ends; one that waits for a tool's result goes on, and ends later."""
        await self._begun(ctx)
        try:
            result = await handler()
        except BaseException:  # a cancelled run, too
            await self._ended(ctx, self._live)
            raise
        if not isinstance(result.output, DeferredToolRequests):
            await self._ended(ctx, result.all_messages())
        return result

    async def _read(self, ctx: RunContext[AgentDepsT], tools: Iterable[str]) -> None:
        for tool in tools:
            if tool not in self._seen and not self._memory.options.trusts(tool):
                await self._tainted(ctx, tool)
                self._seen |= {tool}

    async def _ended(self, ctx: RunContext[AgentDepsT], live: Sequence[ModelMessage]) -> None:
        if live and self.turns:
            await self._stored(ctx, messages.turn_of(live, ctx.run_id, ctx.prompt))

    def _tool(self, spec: ToolSpec) -> Tool[AgentDepsT]:
        async def call(ctx: RunContext[AgentDepsT], /, **given: Any) -> str:
            text, is_error = await self._called(ctx, spec.name, given, ctx.tool_call_id, self._said)
            if is_error:
                raise ToolFailed(text)
            return text

        schema = cast("dict[str, Any]", spec.parameters)
        return Tool.from_schema(
            call, spec.name, spec.description, schema, takes_ctx=True, sequential=spec.name == MEMORY.name
        )

    # What waits for the database. A durable engine does each in an activity, a step or a task of its own, maybe in
    # another process, where there is neither a prompt nor a model in the context; the names are kept in its journals.

    @durable_operation("begin")
    async def _begun(self, ctx: RunContext[AgentDepsT]) -> None:
        await self._run_of(ctx)  # nobody to serve ends the run here

    @durable_operation("block")
    async def _rendered(self, ctx: RunContext[AgentDepsT], said: str) -> str:
        run = await self._run_of(ctx)
        return str(await done(run, run.block, said))

    @durable_operation("taint")
    async def _tainted(self, ctx: RunContext[AgentDepsT], tool: str) -> None:
        run = await self._run_of(ctx)
        await done(run, run.saw, tool)

    @durable_operation("tool")
    async def _called(
        self, ctx: RunContext[AgentDepsT], tool: str, given: dict[str, Any], tool_call_id: str | None, said: str
    ) -> tuple[str, bool]:
        run = await self._run_of(ctx)
        run.said = said
        result: Result = await done(run, run.call, tool, given, tool_call_id)
        return result.text, result.is_error

    @durable_operation("turn")
    async def _stored(self, ctx: RunContext[AgentDepsT], turn: list[ModelMessage]) -> None:
        await finished(await self._run_of(ctx), messages.as_data(turn))

    async def _run_of(self, ctx: RunContext[AgentDepsT]) -> AnyRun:
        if self._run is not None:
            return self._run
        # Typed as any model; a realtime one, which cannot be asked a question, has no turns of this kind.
        extractor = ModelExtractor(cast("Model", ctx.model)) if self.extractor == "agent" else self.extractor
        run = await self._memory.run(ctx, chat=ctx.conversation_id, run_id=ctx.run_id, extractor=extractor)
        if self._is_run:  # where a durable engine calls the agent's own capability, that serves everybody
            self._run = run
        return run


def _native(ctx: RunContext[Any]) -> MemoryTool | None:
    """The native tool, but for PydanticAI's `TestModel`, which says that it has all of them and refuses each."""
    return None if ctx.model.system == "test" else MemoryTool(optional=True)
