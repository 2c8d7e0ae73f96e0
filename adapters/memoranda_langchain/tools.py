"""The tools, for whatever binds tools: on langchain-core alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any, TypeAlias, cast, overload

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException

import memoranda.sync
from memoranda import Memory, Scope
from memoranda.agentmemory import AgentMemory, AnyRun, AnyStore, Who, done
from memoranda.agents import AgentOptions, AgentRun
from memoranda.commands import Result
from memoranda.errors import InputError
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda.tools import ToolSpec

Resolver: TypeAlias = "Callable[[RunnableConfig], Who | Awaitable[Who]]"

current: ContextVar[AnyRun | None] = ContextVar("memoranda_run", default=None)
"""The run in which a tool is called, where the middleware knows it."""


@overload
def memory_tools(memory: Memory | memoranda.sync.Memory, *, remember: bool = False) -> list[BaseTool]: ...
@overload
def memory_tools(
    memory: AnyStore,
    *,
    identity: Resolver,
    scope: Scope | Callable[[RunnableConfig], Scope] | None = None,
    mounts: Mapping[str, Scope] | None = None,
    remember: bool = False,
) -> list[BaseTool]: ...
def memory_tools(
    memory: Memory | memoranda.sync.Memory | AnyStore,
    *,
    identity: Resolver | None = None,
    scope: Scope | Callable[[RunnableConfig], Scope] | None = None,
    mounts: Mapping[str, Scope] | None = None,
    remember: bool = False,
) -> list[BaseTool]:
    """The tools ``memory`` and ``recall``, for `bind_tools` or an agent of your own.

    Tools alone see no message: they do not know what other tools have told the model, so call
    :meth:`memoranda.Memory.taint` yourself where that is not to be trusted, or use :func:`with_memory`.

    Args:
        memory: One user's memory, for tools that serve that user alone; or a store.
        identity: With a store: whom a call serves, from its config, such as
            ``lambda config: config["configurable"]["user_id"]``. What it raises ends the call.
        scope: With a store: which of the user's memories, or a function of the config.
        mounts: With a store: scopes whose files stand in folders; see :meth:`memoranda.Store.memory`.
        remember: Whether there is the tool ``remember``, too. Without what the user has said it has nothing to check
            a quote against, so what it saves waits for a person.

    Returns:
        The tools. An async memory's or store's go with `await` only; those of :mod:`memoranda.sync` both ways.

    Raises:
        InputError: A store came without `identity`, or a memory with it.
        ScopeError: `scope` is no scope.
    """
    options = AgentOptions(remember=remember)
    if isinstance(memory, Memory | memoranda.sync.Memory):
        if identity is not None or scope is not None or mounts is not None:
            raise InputError(
                "A memory is one user's already, in one scope.",
                hint="Pass the store, or leave `identity`, `scope` and `mounts` out.",
            )
        bound: AnyRun = AgentRun(memory, options) if isinstance(memory, Memory) else SyncAgentRun(memory, options)
        return [tool(spec, lambda _: bound) for spec in options.specs]
    if identity is None:
        raise InputError("A store serves many.", hint="Say with `identity` whom a call serves.")
    agents = AgentMemory(memory, identity, scope or Scope.user(), mounts, options)
    return [
        tool(spec, lambda config: agents.run(config, **_named(config)), lambda config: _sync_run(agents, config))
        for spec in options.specs
    ]


def _sync_run(agents: AgentMemory[RunnableConfig], config: RunnableConfig) -> SyncAgentRun:
    if not isinstance(agents.store, memoranda.sync.Store):
        raise _without_await()
    return agents.sync_run(config, **_named(config))


def _named(config: RunnableConfig) -> dict[str, str | None]:
    """The chat and the id of the run that a config belongs to; the chat is LangGraph's thread."""
    run_id = config.get("run_id")
    return {"chat": thread_of(config), "run_id": None if run_id is None else str(run_id)}


def thread_of(config: RunnableConfig) -> str | None:
    """LangGraph's thread, which is our chat."""
    thread = (config.get("configurable") or {}).get("thread_id")
    return None if thread is None else str(thread)


class _Tool(StructuredTool):
    """A tool that knows the id of the call that it answers, and takes of its input what its schema names."""

    def run(self, tool_input: str | dict[str, Any], *rest: Any, tool_call_id: str | None = None, **more: Any) -> Any:
        with _answering(tool_call_id):
            return super().run(self._known(tool_input), *rest, tool_call_id=tool_call_id, **more)

    async def arun(
        self, tool_input: str | dict[str, Any], *rest: Any, tool_call_id: str | None = None, **more: Any
    ) -> Any:
        with _answering(tool_call_id):
            return await super().arun(self._known(tool_input), *rest, tool_call_id=tool_call_id, **more)

    def _known(self, tool_input: str | dict[str, Any]) -> str | dict[str, Any]:
        # Others would be passed on as arguments beside those that the framework gives itself.
        known = cast("dict[str, Any]", self.args_schema)["properties"]
        return (
            {name: tool_input[name] for name in tool_input if name in known}
            if isinstance(tool_input, dict)
            else tool_input
        )


_call: ContextVar[str | None] = ContextVar("memoranda_tool_call", default=None)


@contextmanager
def _answering(tool_call_id: str | None) -> Generator[None]:
    token = _call.set(tool_call_id)
    try:
        yield
    finally:
        _call.reset(token)


def tool(
    spec: ToolSpec,
    run_for: Callable[[RunnableConfig], AnyRun | Awaitable[AnyRun]],
    sync_run_for: Callable[[RunnableConfig], SyncAgentRun] | None = None,
) -> BaseTool:
    """One of our tools as LangChain has them.

    Args:
        spec: Which.
        run_for: Gives the run that a call belongs to.
        sync_run_for: Gives it without `await`, where that is done otherwise.
    """

    async def acall(config: RunnableConfig, **given: Any) -> str:
        found = run_for(config)
        run = await found if isawaitable(found) else found
        return _text(await done(run, run.call, spec.name, given, _call.get()))

    def call(config: RunnableConfig, **given: Any) -> str:
        run = (sync_run_for or run_for)(config)
        if not isinstance(run, SyncAgentRun):
            raise _without_await()
        return _text(run.call(spec.name, given, _call.get()))

    return _Tool.from_function(
        func=call,
        coroutine=acall,
        name=spec.name,
        description=spec.description,
        args_schema=cast("dict[str, Any]", spec.parameters),
        handle_tool_error=True,
    )


def refuse_ours(tools: Iterable[BaseTool], options: AgentOptions) -> None:
    """Refuse tools with the names of ours: they would take their places, and be trusted as they are.

    Args:
        tools: The other tools of an agent.
        options: Say which are ours.

    Raises:
        InputError: One has such a name.
    """
    ours = {spec.name for spec in options.specs}
    if taken := sorted(each.name for each in tools if each.name in ours):
        raise InputError(f"There is another tool of the name {taken[0]!r}.", hint="Give it another name.")


def _without_await() -> InputError:
    return InputError("This memory is called with `await`.", hint="Use ainvoke(), or a store of memoranda.sync.")


def _text(result: Result) -> str:
    if result.is_error:
        raise ToolException(result.text)
    return result.text
