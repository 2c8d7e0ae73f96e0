"""One turn of a conversation with memory: what its requests hold, what its calls of tools do, and how it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from anthropic.types.beta import BetaTextBlockParam

from memoranda.agentmemory import AnyRun, done, finished
from memoranda.agents import AgentRun
from memoranda.errors import InputError
from memoranda.sync.agents import AgentRun as SyncAgentRun
from memoranda_anthropic import messages as reading
from memoranda_anthropic import tools as making
from memoranda_anthropic.tools import AsyncTool, Calls, Tool


class _Turn:
    """What a turn is, with and without `await`.

    Attributes:
        history: The conversation so far, as your application may keep it: without the block.
    """

    def __init__(self, run: AnyRun, messages: Iterable[object], *, inject: bool) -> None:
        self.history = [reading.param(message) for message in messages]
        self._start = reading.turn_start(self.history)
        self._said = reading.said(self.history)
        self._inject = inject
        self._block = ""
        self._calls = Calls(run, self._id_of)
        self._asked: list[tuple[str, str, object]] = []  # the calls in what the model has said last

    @property
    def messages(self) -> list[Any]:
        """The messages for the next request: those of the conversation, with the block before the user's words."""
        return reading.with_block(self.history, self._block, self._start)

    def system(self, own: str | Iterable[BetaTextBlockParam] | None = None) -> list[Any]:
        """The system prompt: yours, and after it how the model is to treat the block.

        Args:
            own: Yours.
        """
        mine: list[Any] = [{"type": "text", "text": own}] if isinstance(own, str) else list(own or ())
        return [*mine, {"type": "text", "text": AgentRun.guidance}]

    def _params(self, own: Sequence[Any], system: str | Iterable[BetaTextBlockParam] | None) -> dict[str, Any]:
        """What a tool runner takes, besides the tools of this turn; none of the application's may pass for one."""
        ours = {tool.name for tool in self._calls.run.options.specs}
        if taken := sorted(ours.intersection(reading.value_of(tool, "name") for tool in own)):
            raise InputError(f"There is another tool of the name {taken[0]!r}.", hint="Give it another name.")
        return {"messages": self.messages, "system": self.system(system)}

    def _hear(self, message: object) -> list[str]:
        """Take what the model said; returns which of the provider's own tools it has read."""
        self.history.append(reading.param(message))
        self._asked = reading.calls(message)
        return list(reading.tools_read(self.history[-1:]))

    def _tell(self, results: Sequence[Any]) -> list[str]:
        """Take the results of its calls; returns whose they are."""
        self.history.append(reading.param({"role": "user", "content": results}))
        return list(reading.tools_read(self.history[-2:]))

    def _id_of(self, given: object) -> str | None:
        """The id of the call with this input: the tool runner passes on the very object that stands in the message."""
        return next((id for _, id, input in self._asked if input is given), None)

    def _unanswered(self, results: Iterable[Any]) -> list[Any]:
        """The application's own results, and an error for each call of a tool that nobody has."""
        given = [reading.plain(result) for result in results]
        known = {tool.name for tool in self._calls.run.options.specs}
        answered = {result.get("tool_use_id") for result in given}
        return given + [
            result_of(id, f"Error: There is no tool {name}.", is_error=True)
            for name, id, _ in self._asked
            if name not in known and id not in answered
        ]

    def _raise(self) -> None:
        """Raise why a call could not be made, which the tool runner has kept to itself."""
        if self._calls.failed is not None:
            raise self._calls.failed


class AsyncTurn(_Turn):
    """A turn for an async client; made by :meth:`MessagesMemory.turn`.

    Attributes:
        history: The conversation so far, as your application may keep it: without the block.
        tools: The tools, for a tool runner.
        definitions: The same as a plain request has them.
    """

    def __init__(self, run: AnyRun, messages: Iterable[object], *, inject: bool = True) -> None:
        """Made by :meth:`MessagesMemory.turn`."""
        super().__init__(run, messages, inject=inject)
        self.tools: list[AsyncTool] = making.async_tools(self._calls)
        self.definitions: list[Any] = making.definitions(self.tools)

    async def __aenter__(self) -> AsyncTurn:
        await self._saw(list(reading.tools_read(self.history)))
        run = self._calls.run
        block = await done(run, run.block, self._said)
        self._block = block if self._inject else ""
        return self

    async def __aexit__(self, *_: object) -> None:
        await finished(self._calls.run, reading.as_data(self.history, self._start))

    async def answer(self, message: object, results: Iterable[Any] = ()) -> bool:
        """Take what the model has said, and do what it asks of its memory.

        Args:
            message: What `messages.create` returned.
            results: The results of calls of your own tools in it, as blocks of the type ``tool_result``.

        Returns:
            Whether the model is to go on, in another request: it has called tools, or has only paused.

        Raises:
            UnavailableError: The database could not be reached in time.
        """
        await self._saw(self._hear(message))
        reason = getattr(message, "stop_reason", None)
        if reason != "tool_use":
            return reason == "pause_turn"
        run = self._calls.run
        own = {tool.name for tool in self.tools}
        made: list[Any] = []
        for name, id, given in self._asked:
            if name in own:
                result = await done(run, run.call, name, making.input_of(given), id)
                made.append(result_of(id, result.text, is_error=result.is_error))
        await self._saw(self._tell([*made, *self._unanswered(results)]))
        return True

    def run(
        self,
        client: AsyncAnthropic,
        *,
        tools: Sequence[Any] = (),
        system: str | Iterable[BetaTextBlockParam] | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Let the SDK's tool runner go through the turn.

        Args:
            client: The client.
            tools: Tools of yours, as the tool runner takes them.
            system: A system prompt of yours.
            **options: What else it takes: ``model`` and ``max_tokens``, and whatever you want of the rest.

        Returns:
            What :meth:`follow` yields.

        Raises:
            InputError: A tool of yours has the name of one of ours.
        """
        params = self._params(tools, system)
        return self.follow(client.beta.messages.tool_runner(tools=[*self.tools, *tools], **params, **options))

    async def follow(self, runner: Any) -> AsyncIterator[Any]:
        """Go through what a tool runner of your own gives; it has the tools, system prompt and messages of this turn.

        Args:
            runner: What `client.beta.messages.tool_runner` returned.

        Yields:
            What the runner does: each message of the model, or with ``stream=True`` each stream of one.

        Raises:
            UnavailableError: The database could not be reached in time.
        """
        async for item in runner:
            is_message = hasattr(item, "stop_reason")
            if is_message:
                await self._saw(self._hear(item))
            yield item
            message = item if is_message else await item.get_final_message()
            if not is_message:
                await self._saw(self._hear(message))
            if message.stop_reason == "tool_use" and (told := await runner.generate_tool_call_response()):
                await self._saw(self._tell(told["content"]))
            self._raise()

    async def _saw(self, names: Iterable[str]) -> None:
        run = self._calls.run
        for name in names:
            await done(run, run.saw, name)


class Turn(_Turn):
    """A turn for a client without `await`; made by :meth:`MessagesMemory.sync_turn`.

    Attributes:
        history: The conversation so far, as your application may keep it: without the block.
        tools: The tools, for a tool runner.
        definitions: The same as a plain request has them.
    """

    def __init__(self, run: SyncAgentRun, messages: Iterable[object], *, inject: bool = True) -> None:
        """Made by :meth:`MessagesMemory.sync_turn`."""
        super().__init__(run, messages, inject=inject)
        self._run = run
        self.tools: list[Tool] = making.sync_tools(self._calls)
        self.definitions: list[Any] = making.definitions(self.tools)

    def __enter__(self) -> Turn:
        self._saw(list(reading.tools_read(self.history)))
        block = self._run.block(self._said)
        self._block = block if self._inject else ""
        return self

    def __exit__(self, *_: object) -> None:
        self._run.finish(reading.as_data(self.history, self._start))

    def answer(self, message: object, results: Iterable[Any] = ()) -> bool:
        """Take what the model has said; see :meth:`AsyncTurn.answer`.

        Args:
            message: What `messages.create` returned.
            results: The results of calls of your own tools in it.

        Returns:
            Whether the model is to go on, in another request.

        Raises:
            UnavailableError: The database could not be reached in time.
        """
        self._saw(self._hear(message))
        reason = getattr(message, "stop_reason", None)
        if reason != "tool_use":
            return reason == "pause_turn"
        own = {tool.name for tool in self.tools}
        made: list[Any] = []
        for name, id, given in self._asked:
            if name in own:
                result = self._run.call(name, making.input_of(given), id)
                made.append(result_of(id, result.text, is_error=result.is_error))
        self._saw(self._tell([*made, *self._unanswered(results)]))
        return True

    def run(
        self,
        client: Anthropic,
        *,
        tools: Sequence[Any] = (),
        system: str | Iterable[BetaTextBlockParam] | None = None,
        **options: Any,
    ) -> Iterator[Any]:
        """Let the SDK's tool runner go through the turn; see :meth:`AsyncTurn.run`.

        Args:
            client: The client.
            tools: Tools of yours.
            system: A system prompt of yours.
            **options: What else the tool runner takes.

        Returns:
            What :meth:`follow` yields.

        Raises:
            InputError: A tool of yours has the name of one of ours.
        """
        params = self._params(tools, system)
        return self.follow(client.beta.messages.tool_runner(tools=[*self.tools, *tools], **params, **options))

    def follow(self, runner: Any) -> Iterator[Any]:
        """Go through what a tool runner gives; see :meth:`AsyncTurn.follow`.

        Args:
            runner: What `client.beta.messages.tool_runner` returned.

        Yields:
            What the runner does.

        Raises:
            UnavailableError: The database could not be reached in time.
        """
        for item in runner:
            is_message = hasattr(item, "stop_reason")
            if is_message:
                self._saw(self._hear(item))
            yield item
            message = item if is_message else item.get_final_message()
            if not is_message:
                self._saw(self._hear(message))
            if message.stop_reason == "tool_use" and (told := runner.generate_tool_call_response()):
                self._saw(self._tell(told["content"]))
            self._raise()

    def _saw(self, names: Iterable[str]) -> None:
        for name in names:
            self._run.saw(name)


def result_of(id: str, text: str, *, is_error: bool) -> dict[str, Any]:
    """The result of a call, as a block of the user's next message.

    Args:
        id: The call's id.
        text: What came of it.
        is_error: Whether it failed.
    """
    made = {"type": "tool_result", "tool_use_id": id, "content": text}
    return {**made, "is_error": True} if is_error else made
