"""The capability: it translates between PydanticAI's types and :class:`memoranda.agents.AgentRun`, and does no more."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, cast

from pydantic_ai import DeferredToolRequests, RunContext, Tool, ToolFailed
from pydantic_ai.capabilities import AbstractCapability, WrapRunHandler
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.native_tools import AbstractNativeTool, MemoryTool
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AgentToolset, FunctionToolset

from memoranda import Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, Who, done, finished
from memoranda.agents import AgentOptions, AgentRun
from memoranda.commands import Result
from memoranda.extraction import Extractor
from memoranda.tools import MEMORY, ToolSpec
from memoranda_pydantic_ai import messages
from memoranda_pydantic_ai.extractor import ModelExtractor


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
    tainted: Literal["show", "mark", "hold"] = "show"
    remember: bool = False
    turns: bool = True
    extractor: Extractor | Literal["agent"] | None = None
    extract: Literal["inline", "worker", "off"] | None = None
    trusted_tools: Collection[str] = ()
    inject: bool = True
    id: str | None = "memoranda"  # an agent has one of these, and durable execution finds it by its name
    _memory: AgentMemory[RunContext[AgentDepsT]] = field(init=False, repr=False, compare=False)
    _run: AnyRun | None = field(default=None, init=False, repr=False, compare=False)
    _live: Sequence[ModelMessage] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what would fail in the first run only."""
        options = AgentOptions(
            self.budget, self.tokens, self.tainted, self.remember, self.turns, self.extract, self.trusted_tools
        )
        self._memory = AgentMemory(self.store, self.identity, self.scope, self.mounts, options)

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AgentDepsT]]) -> AbstractCapability[AgentDepsT]:
        """Refuse two on one agent: merged, the second one's memory would silently take the place of the first's."""
        raise ValueError(
            f"{len(capabilities)} memories were configured on one agent. Give it one; `mounts` shows files of further "
            "scopes beside it."
        )

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractCapability[AgentDepsT]:
        """The capability as one run has it, bound to whom the run serves."""
        bound = copy.copy(self)
        bound._run = await self._bind(ctx)
        return bound

    def get_instructions(self) -> str:
        """What the system prompt says of memory: trusted, and always the same."""
        return AgentRun.guidance

    def get_native_tools(self) -> Sequence[AbstractNativeTool]:
        """Anthropic's memory tool; other models get ours under the same name."""
        return [MemoryTool(optional=True)]

    def get_toolset(self) -> AgentToolset[AgentDepsT]:
        """The tools."""
        return FunctionToolset[AgentDepsT]([self._tool(spec) for spec in self._memory.options.specs], id="memoranda")

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put the block into this request alone, and note which foreign tools the model is about to read."""
        run, self._live = await self._run_of(ctx), ctx.messages
        outputs = {tool.name for tool in request_context.model_request_parameters.output_tools}
        for tool in messages.tools_read(request_context.messages, outputs):
            await done(run, run.saw, tool)
        said = messages.said(request_context.messages, ctx.prompt)
        block = await done(run, run.block, said)
        if self.inject and block:
            request_context.messages = messages.with_block(request_context.messages, block, ctx.run_id)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[AgentDepsT], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Note which of the provider's own tools it has read, before the calls in its answer are made."""
        run = await self._run_of(ctx)
        for tool in messages.tools_read([response]):
            await done(run, run.saw, tool)
        return response

    async def wrap_run(self, ctx: RunContext[AgentDepsT], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        """End the turn, however the run ends; one that waits for a tool's result goes on, and ends later."""
        try:
            result = await handler()
        except BaseException:  # a cancelled run, too
            await self._finish(ctx, self._live)
            raise
        if not isinstance(result.output, DeferredToolRequests):
            await self._finish(ctx, result.all_messages())
        return result

    async def _finish(self, ctx: RunContext[AgentDepsT], live: Sequence[ModelMessage]) -> None:
        run = await self._run_of(ctx)
        if live:
            await finished(run, messages.as_data(live, ctx.run_id, ctx.prompt))

    def _tool(self, spec: ToolSpec) -> Tool[AgentDepsT]:
        async def call(ctx: RunContext[AgentDepsT], /, **given: Any) -> str:
            run = await self._run_of(ctx)
            result: Result = await done(run, run.call, spec.name, given, ctx.tool_call_id)
            if result.is_error:
                raise ToolFailed(result.text)
            return result.text

        schema = cast("dict[str, Any]", spec.parameters)
        return Tool.from_schema(
            call, spec.name, spec.description, schema, takes_ctx=True, sequential=spec.name == MEMORY.name
        )

    async def _run_of(self, ctx: RunContext[AgentDepsT]) -> AnyRun:
        # A durable engine calls the tools of the agent's own capability, in another process.
        return self._run or await self._bind(ctx)

    async def _bind(self, ctx: RunContext[AgentDepsT]) -> AnyRun:
        # Typed as any model; a realtime one, which cannot be asked a question, has no turns of this kind.
        extractor = ModelExtractor(cast("Model", ctx.model)) if self.extractor == "agent" else self.extractor
        return await self._memory.run(ctx, chat=ctx.conversation_id, run_id=ctx.run_id, extractor=extractor)
