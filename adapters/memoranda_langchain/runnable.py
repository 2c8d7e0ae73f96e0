"""A chat model with memory, for chains. langchain-core has no agents, so the loop over tools is here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal
from uuid import uuid4

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool

from memoranda import Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, done, finished
from memoranda.agents import AgentOptions, AgentRun, Tainted
from memoranda.extraction import Extractor
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda_langchain import messages
from memoranda_langchain.tools import Resolver, refuse_ours, thread_of, tool

MOST_ROUNDS = 25


def with_memory(
    model: BaseChatModel,
    store: AnyStore,
    *,
    identity: Resolver,
    scope: Scope | Callable[[RunnableConfig], Scope] | None = None,
    mounts: Mapping[str, Scope] | None = None,
    tools: Sequence[BaseTool] = (),
    budget: int = 1500,
    tokens: str | None = None,
    tainted: Tainted = "show",
    remember: bool = False,
    turns: bool = True,
    extractor: Extractor | None = None,
    extract: Literal["inline", "worker", "off"] | None = None,
    trusted_tools: Collection[str] = (),
) -> Runnable[LanguageModelInput, AIMessage]:
    """A chat model that remembers: it gets the memory tools and the block, and answers when it has used its tools.

    Args:
        model: The model.
        store: The store. With an async one, use `ainvoke`; with one of :mod:`memoranda.sync`, either.
        identity: Whom a call serves, from its config, such as
            ``lambda config: config["configurable"]["user_id"]``. What it raises ends the call.
        scope: Which of the user's memories, or a function of the config.
        mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
        tools: Tools of yours, which it may use as well.
        budget: Tokens that the block may take.
        tokens: How they are counted: the name of an encoding, or None for a count that is never too low.
        tainted: Whether what a tainted run wrote is shown, marks the run, or is held back: see docs/poisoning.md.
        remember: Whether the model may save single facts; what the user's own words do not bear out waits.
        turns: Whether what was said is stored when a turn has ended, for recall.
        extractor: What finds facts in a turn that has ended, in the place of the store's, such as a
            :class:`ModelExtractor`. It costs a call of a model for each turn, and its failure is never the caller's.
        extract: Whether that is done when the turn has ended, by a worker, or not at all.
        trusted_tools: Tools of yours whose results do not taint the run.

    Returns:
        A runnable from messages, a prompt or a text to the model's answer. After 25 rounds of tools the model has to
        answer without them.

    Raises:
        InputError: An option is not acceptable, or a tool has the name of one of ours.
    """
    options = AgentOptions(budget, tokens, tainted, remember, turns, extract, trusted_tools)
    refuse_ours(tools, options)
    agents = AgentMemory(store, identity, scope or Scope.user(), mounts, options)
    chat = _Turns(model, agents, tools, extractor)
    return RunnableLambda(chat.answer, chat.aanswer, name="with_memory")


class _Turns:
    def __init__(
        self,
        model: BaseChatModel,
        agents: AgentMemory[RunnableConfig],
        tools: Sequence[BaseTool],
        extractor: Extractor | None,
    ) -> None:
        self.extractor = extractor
        self.model = model
        self.agents = agents
        self.tools = tools

    def answer(self, given: LanguageModelInput, config: RunnableConfig) -> AIMessage:
        run = self.agents.sync_run(config, extractor=self.extractor, **_named(config))
        turn = _Turn(self, run, given)
        try:
            return self._answered(turn, run, config)
        finally:
            run.finish(turn.told(config))

    async def aanswer(self, given: LanguageModelInput, config: RunnableConfig) -> AIMessage:
        run = await self.agents.run(config, extractor=self.extractor, **_named(config))
        turn = _Turn(self, run, given)
        try:
            return await self._aanswered(turn, run, config)
        finally:
            await finished(run, turn.told(config))

    def _answered(self, turn: _Turn, run: SyncAgentRun, config: RunnableConfig) -> AIMessage:
        rounds = 0
        while True:
            for name in messages.tools_read(turn.messages):
                run.saw(name)
            model = self.model if rounds == MOST_ROUNDS else turn.offered()
            said = model.invoke(turn.request(run.block(turn.said)), config)
            for name in messages.tools_read([said]):  # the provider's own, before the calls beside them are made
                run.saw(name)
            if not turn.add(said) or rounds == MOST_ROUNDS:
                return said
            rounds += 1
            for call in turn.known(said):
                turn.messages.append(turn.tools[call["name"]].invoke(call, config))

    async def _aanswered(self, turn: _Turn, run: AnyRun, config: RunnableConfig) -> AIMessage:
        rounds = 0
        while True:
            for name in messages.tools_read(turn.messages):
                await done(run, run.saw, name)
            model = self.model if rounds == MOST_ROUNDS else turn.offered()
            said = await model.ainvoke(turn.request(await done(run, run.block, turn.said)), config)
            for name in messages.tools_read([said]):
                await done(run, run.saw, name)
            if not turn.add(said) or rounds == MOST_ROUNDS:
                return said
            rounds += 1
            for call in turn.known(said):
                turn.messages.append(await turn.tools[call["name"]].ainvoke(call, config))


class _Turn:
    """One turn: the messages so far, and what the model may use."""

    def __init__(self, chat: _Turns, run: AnyRun, given: LanguageModelInput) -> None:
        self.model = chat.model
        self.messages = _as_messages(given)
        self.start = messages.turn_start(self.messages)
        self.said = messages.said(self.messages)
        ours = [tool(spec, lambda _: run) for spec in chat.agents.options.specs]
        self.tools = {each.name: each for each in (*ours, *chat.tools)}

    def offered(self) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with the tools."""
        return self.model.bind_tools(list(self.tools.values()))

    def request(self, block: str) -> list[BaseMessage]:
        """The messages of a request, with the guidance and the block."""
        first = self.messages[0] if self.messages and isinstance(self.messages[0], SystemMessage) else None
        system = messages.with_guidance(first, AgentRun.guidance)
        before = int(first is not None)
        return [system, *messages.with_block(self.messages[before:], block, max(self.start - before, 0))]

    def told(self, config: RunnableConfig) -> Iterator[object]:
        """The turn as plain data."""
        return messages.as_data(self.messages, named=thread_of(config) is not None)

    def add(self, said: AIMessage) -> bool:
        """Take what the model said; returns whether it wants tools."""
        self.messages.append(said)
        return bool(said.tool_calls)

    def known(self, said: AIMessage) -> list[Any]:
        """The calls of tools that there are; a call of another is answered with that."""
        for call in said.tool_calls:
            if call["name"] not in self.tools:
                text = f"Error: There is no tool {call['name']}."
                self.messages.append(
                    ToolMessage(text, tool_call_id=call["id"] or "", name=call["name"], status="error")
                )
        return [{**call, "type": "tool_call"} for call in said.tool_calls if call["name"] in self.tools]


def _named(config: RunnableConfig) -> dict[str, str | None]:
    """The chat and the id of a run."""
    # A runnable's function is given the config of what it calls; in that, its own run is the parent.
    run_id = getattr(config.get("callbacks"), "parent_run_id", None)
    return {"chat": thread_of(config), "run_id": str(run_id or uuid4())}


def _as_messages(given: LanguageModelInput) -> list[BaseMessage]:
    if isinstance(given, PromptValue):
        return given.to_messages()
    return convert_to_messages([given] if isinstance(given, str) else given)
