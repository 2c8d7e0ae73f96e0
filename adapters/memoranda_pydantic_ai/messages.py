"""PydanticAI's messages: what the user said, which tools' results stand in them, and where the block goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    NativeToolReturnPart,
    TextContent,
    ToolReturnPart,
    UserPromptPart,
)

from memoranda.agents import ORIGIN


def said(messages: Sequence[ModelMessage]) -> str:
    """What the user typed last."""
    for message in reversed(messages):
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        if prompts:
            return "\n".join(_typed(part) for part in prompts)
    return ""


def tools_read(messages: Sequence[ModelMessage]) -> Iterator[str]:
    """The tools whose results stand in the messages, the provider's own among them."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart | NativeToolReturnPart):
                yield part.tool_name


def turn_start(messages: Sequence[ModelMessage], run_id: str | None) -> int | None:
    """Where the turn of a run begins: at the user's prompt.

    A run that was resumed begins with a tool's result; its turn is that of the prompt which led to it.
    """
    prompts = [n for n, message in enumerate(messages) if _is_prompt(message)]
    return next((n for n in prompts if messages[n].run_id == run_id), prompts[-1] if prompts else None)


def with_block(messages: Sequence[ModelMessage], block: str, run_id: str | None) -> list[ModelMessage]:
    """The messages with the block before the user's prompt of this run: for all of its requests at the same place."""
    part = UserPromptPart([TextContent(block, metadata={"origin": ORIGIN})])
    place = turn_start(messages, run_id)
    if place is None:
        return [ModelRequest([part]), *messages]
    request = messages[place]
    before = next(n for n, each in enumerate(request.parts) if isinstance(each, UserPromptPart))
    parts = [*request.parts[:before], part, *request.parts[before:]]
    return [*messages[:place], replace(request, parts=parts), *messages[place + 1 :]]  # type: ignore[arg-type]


def as_data(messages: Sequence[ModelMessage], run_id: str | None) -> list[object]:
    """The messages of a run's turn as plain data."""
    turn = list(messages[turn_start(messages, run_id) or 0 :])
    return cast("list[object]", ModelMessagesTypeAdapter.dump_python(turn, mode="json"))


def _is_prompt(message: ModelMessage) -> bool:
    """Whether the user speaks in it, and no tool before them."""
    return (
        isinstance(message, ModelRequest)
        and any(isinstance(part, UserPromptPart) for part in message.parts)
        and not any(part.part_kind in ("tool-return", "retry-prompt") for part in message.parts)
    )


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
