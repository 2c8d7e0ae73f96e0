"""The tools, as the SDK's tool runner takes them: its memory tool, and ours beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast, overload

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    BetaAsyncBuiltinFunctionTool,
    BetaBuiltinFunctionTool,
    ToolError,
)
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
    BetaToolParam,
)

import memoranda.sync
from memoranda import Memory
from memoranda.agentmemory import AnyRun, done
from memoranda.agents import AgentOptions, AgentRun
from memoranda.commands import Result
from memoranda.errors import InputError, MemorandaError
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda.tools import MEMORY, ToolSpec

AnyMemory: TypeAlias = "Memory | memoranda.sync.Memory"
AsyncTool: TypeAlias = BetaAsyncBuiltinFunctionTool
Tool: TypeAlias = BetaBuiltinFunctionTool

_OUT_OF_REACH = "Error: the memory is out of reach for now."


class Calls:
    """What the tools of one run have in common: whose memory it is, and what went wrong that is no model's to see.

    Attributes:
        run: The run.
        failed: Why the last call could not be made; a tool runner would tell the model, so that is for the application.
    """

    def __init__(self, run: AnyRun, id_of: Callable[[object], str | None] = lambda given: None) -> None:
        """Bind them.

        Args:
            run: The run.
            id_of: The id of the call that has an input: the SDK hands a tool the input alone.
        """
        self.run = run
        self.failed: MemorandaError | None = None
        self._id_of = id_of

    async def make(self, tool: str, given: object) -> str:
        """Do what the model asks.

        Args:
            tool: The tool's name.
            given: Its input.

        Returns:
            The text for the model.

        Raises:
            ToolError: The model got something wrong, or the memory is out of reach.
        """
        try:
            return _text(await done(self.run, self.run.call, tool, input_of(given), self._id_of(given)))
        except MemorandaError as error:
            raise self._out_of_reach(error) from error

    def make_sync(self, tool: str, given: object) -> str:
        """The same without `await`.

        Args:
            tool: See :meth:`make`.
            given: See :meth:`make`.

        Returns:
            See :meth:`make`.

        Raises:
            ToolError: See :meth:`make`.
        """
        if not isinstance(self.run, SyncAgentRun):
            raise InputError("This memory is called with `await`.", hint="Pass one of a store of memoranda.sync.")
        try:
            return _text(self.run.call(tool, input_of(given), self._id_of(given)))
        except MemorandaError as error:
            raise self._out_of_reach(error) from error

    def _out_of_reach(self, error: MemorandaError) -> ToolError:
        self.failed = error
        return ToolError(_OUT_OF_REACH)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """Anthropic's memory tool over :attr:`memoranda.Memory.files`, for the tool runner of an async client."""

    def __init__(
        self, memory: AnyMemory | Calls, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        """Make the tool.

        The tool runner hands a tool no id, so that a call which is made again can be done again. Within a turn of
        :class:`MessagesMemory` ids are known.

        Args:
            memory: Whose files: a memory that your application has bound, to serve its user alone.
            cache_control: See :class:`anthropic.lib.tools.BetaAsyncAbstractMemoryTool`.
        """
        super().__init__(cache_control=cache_control)
        self._calls = calls_of(memory)

    async def call(self, input: object) -> str:
        """Do a command as the model sends it; nothing of it is lost, and what is missing is told to the model.

        Args:
            input: The tool's input.

        Returns:
            The text for the model.

        Raises:
            ToolError: The command failed; the text says how.
        """
        return await self._calls.make(MEMORY.name, input)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or a folder."""
        return await self.call(command.to_dict())

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await self.call(command.to_dict())

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace one text in a file."""
        return await self.call(command.to_dict())

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line of a file."""
        return await self.call(command.to_dict())

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return await self.call(command.to_dict())

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a folder."""
        return await self.call(command.to_dict())


class MemoryTool(BetaAbstractMemoryTool):
    """The same for the tool runner of a client without `await`."""

    def __init__(
        self, memory: memoranda.sync.Memory | Calls, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        """Make the tool; see :class:`AsyncMemoryTool`.

        Args:
            memory: Whose files.
            cache_control: See :class:`anthropic.lib.tools.BetaAbstractMemoryTool`.
        """
        super().__init__(cache_control=cache_control)
        self._calls = calls_of(memory)

    def call(self, input: object) -> str:
        """Do a command; see :meth:`AsyncMemoryTool.call`.

        Args:
            input: The tool's input.

        Returns:
            The text for the model.

        Raises:
            ToolError: The command failed; the text says how.
        """
        return self._calls.make_sync(MEMORY.name, input)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """View a file or a folder."""
        return self.call(command.to_dict())

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return self.call(command.to_dict())

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace one text in a file."""
        return self.call(command.to_dict())

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line of a file."""
        return self.call(command.to_dict())

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return self.call(command.to_dict())

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or a folder."""
        return self.call(command.to_dict())


class _AsyncOther(BetaAsyncBuiltinFunctionTool):
    """A tool that is none of Anthropic's."""

    def __init__(self, spec: ToolSpec, calls: Calls) -> None:
        self._spec = spec
        self._calls = calls

    def to_dict(self) -> BetaToolParam:
        return _param(self._spec)

    async def call(self, input: object) -> str:
        return await self._calls.make(self._spec.name, input)


class _Other(BetaBuiltinFunctionTool):
    """The same without `await`."""

    def __init__(self, spec: ToolSpec, calls: Calls) -> None:
        self._spec = spec
        self._calls = calls

    def to_dict(self) -> BetaToolParam:
        return _param(self._spec)

    def call(self, input: object) -> str:
        return self._calls.make_sync(self._spec.name, input)


@overload
def memory_tools(memory: Memory, *, remember: bool = False) -> list[AsyncTool]: ...
@overload
def memory_tools(memory: memoranda.sync.Memory, *, remember: bool = False) -> list[Tool]: ...
def memory_tools(memory: AnyMemory, *, remember: bool = False) -> list[AsyncTool] | list[Tool]:
    """The tools ``memory`` and ``recall``, for a tool runner, or a loop of your own.

    Tools alone see no message: they do not know what other tools have told the model, so call
    :meth:`memoranda.Memory.taint` yourself where that is not to be trusted, or use :class:`MessagesMemory`.

    Args:
        memory: One user's memory. The tools of an async one go with `await`.
        remember: Whether there is the tool ``remember``, too. Without what the user has said it has nothing to check a
            quote against, so what it saves waits for a person.

    Returns:
        The tools.
    """
    options = AgentOptions(remember=remember)
    if isinstance(memory, Memory):
        return async_tools(Calls(AgentRun(memory, options)))
    return sync_tools(Calls(SyncAgentRun(memory, options)))


def async_tools(calls: Calls) -> list[AsyncTool]:
    """The tools of a run, for an async client."""
    specs = calls.run.options.specs
    return [AsyncMemoryTool(calls) if spec is MEMORY else _AsyncOther(spec, calls) for spec in specs]


def sync_tools(calls: Calls) -> list[Tool]:
    """The tools of a run, for a client without `await`."""
    specs = calls.run.options.specs
    return [MemoryTool(calls) if spec is MEMORY else _Other(spec, calls) for spec in specs]


def calls_of(memory: AnyMemory | Calls) -> Calls:
    """What a tool is bound to.

    Args:
        memory: A memory, or what the tools of a turn have in common.

    Raises:
        InputError: It is neither.
    """
    if isinstance(memory, Calls):
        return memory
    if isinstance(memory, Memory):
        return Calls(AgentRun(memory))
    if isinstance(memory, memoranda.sync.Memory):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        return Calls(SyncAgentRun(memory))
    raise InputError(f"The memory is a {type(memory).__name__}.", hint="Pass what store.memory() gives.")


def definitions(tools: Sequence[AsyncTool] | Sequence[Tool]) -> list[Any]:
    """The tools as a request has them."""
    return [tool.to_dict() for tool in tools]


def _param(spec: ToolSpec) -> BetaToolParam:
    schema = cast("dict[str, object]", dict(spec.parameters))
    return {"name": spec.name, "description": spec.description, "input_schema": schema}


def input_of(given: object) -> Mapping[str, Any]:
    """The input of a call, which a model may get wrong altogether."""
    return cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {}


def _text(result: Result) -> str:
    if result.is_error:
        raise ToolError(result.text)
    return result.text
