"""PydanticAI's messages: what the user said, which tools' results stand in them, and where the block goes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeGuard, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    NativeToolReturnPart,
    TextContent,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from memoranda.agents import ORIGIN

Prompt: TypeAlias = "str | Sequence[UserContent] | None"


def said(messages: Sequence[ModelMessage], prompt: Prompt) -> str:
    """What the user typed last.

    Args:
        messages: The messages of a request.
        prompt: The run's prompt.
    """
    for message in reversed(messages):
        prompts = [part for part in message.parts if _is_typed(part, message, prompt)]
        if prompts:
            return "\n".join(_typed(part) for part in prompts)
    return ""


def tools_read(messages: Sequence[ModelMessage], outputs: Collection[str] = ()) -> Iterator[str]:
    """The tools whose results stand in the messages, the provider's own among them.

    Args:
        messages: The messages.
        outputs: Tools that stand for the run's output: what these say is the framework's.
    """
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart | NativeToolReturnPart) and part.tool_name not in outputs:
                yield part.tool_name


def turn_start(messages: Sequence[ModelMessage], run_id: str | None) -> int | None:
    """Where the turn of a run begins: at the user's prompt.

    A run that was resumed begins with a tool's result; its turn is that of the prompt which led to it.
    """
    prompts = [n for n, message in enumerate(messages) if _is_prompt(message)]
    return next((n for n in prompts if messages[n].run_id == run_id), prompts[-1] if prompts else None)


def with_block(messages: Sequence[ModelMessage], block: str, run_id: str | None) -> list[ModelMessage]:
    """The messages with the block before the user's prompt of this run: for all of its requests at the same place."""
    content = [TextContent(block, metadata={"origin": ORIGIN})]
    place = turn_start(messages, run_id)
    if place is None:
        return [ModelRequest([UserPromptPart(content)]), *messages]
    request = cast("ModelRequest", messages[place])  # a prompt stands in no other
    before, prompt = next((n, each) for n, each in enumerate(request.parts) if isinstance(each, UserPromptPart))
    part = UserPromptPart(content, timestamp=prompt.timestamp)  # the same in each request, and when a run is replayed
    parts = [*request.parts[:before], part, *request.parts[before:]]
    return [*messages[:place], replace(request, parts=parts), *messages[place + 1 :]]


def turn_of(messages: Sequence[ModelMessage], run_id: str | None, prompt: Prompt) -> list[ModelMessage]:
    """The messages of a run's turn, with each word as said by whom it is from."""
    return [_told(message, prompt) for message in messages[turn_start(messages, run_id) or 0 :]]


def as_data(turn: Sequence[ModelMessage]) -> Iterator[object]:
    """The messages of a turn as plain data, each made when it is asked for."""
    for message in turn:
        yield from cast("list[object]", ModelMessagesTypeAdapter.dump_python([message]))


def _told(message: ModelMessage, prompt: Prompt) -> ModelMessage:
    """A message in which what tools have said beside their results, as if it were a prompt, is theirs."""
    returned = [part for part in message.parts if isinstance(part, ToolReturnPart)]
    if not isinstance(message, ModelRequest) or not returned:
        return message
    parts = [
        ToolReturnPart(returned[-1].tool_name, _typed(part), returned[-1].tool_call_id)
        if isinstance(part, UserPromptPart) and not _is_typed(part, message, prompt)
        else part
        for part in message.parts
    ]
    return replace(message, parts=parts)


def _is_prompt(message: ModelMessage) -> bool:
    """Whether the user speaks in it, and no tool before them."""
    return (
        isinstance(message, ModelRequest)
        and any(isinstance(part, UserPromptPart) for part in message.parts)
        and not any(part.part_kind in ("tool-return", "retry-prompt") for part in message.parts)
    )


def _is_typed(part: object, message: ModelMessage, prompt: Prompt) -> TypeGuard[UserPromptPart]:
    """Whether the user typed it. Beside results, a prompt that is not the run's is a tool's: `ToolReturn.content`."""
    return isinstance(part, UserPromptPart) and (_is_prompt(message) or part.content == prompt)


def _typed(part: UserPromptPart) -> str:
    """A prompt's text, without what is no text and without the block."""
    if isinstance(part.content, str):
        return part.content
    return "\n".join(
        each if isinstance(each, str) else each.content
        for each in part.content
        if isinstance(each, str) or (isinstance(each, TextContent) and not _is_ours(each))
    )


def _is_ours(content: TextContent) -> bool:
    return cast("object", content.metadata) == {"origin": ORIGIN}
