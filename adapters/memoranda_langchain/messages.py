"""LangChain's messages: what the user said, which tools' results stand in them, and where the block goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from memoranda.agents import ORIGIN


def turn_start(messages: Sequence[BaseMessage]) -> int:
    """Where the turn begins: at the user's last message."""
    places = [n for n, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return places[-1] if places else 0


def said(messages: Sequence[BaseMessage]) -> str:
    """What the user typed last."""
    message = messages[turn_start(messages)] if messages else None
    return message.text if isinstance(message, HumanMessage) else ""


def tools_read(messages: Sequence[BaseMessage]) -> Iterator[str]:
    """The tools whose results stand in the messages."""
    for message in messages:
        if isinstance(message, ToolMessage):
            yield message.name or "unnamed"


def with_block(messages: Sequence[BaseMessage], block: str, start: int) -> list[BaseMessage]:
    """The messages with the block before the user's message of this turn.

    Args:
        messages: The messages of a request.
        block: The block; an empty one is left out.
        start: Where the turn begins.
    """
    if not block:
        return list(messages)
    mine = HumanMessage(block, additional_kwargs={"origin": ORIGIN})
    return [*messages[:start], mine, *messages[start:]]


def as_data(messages: Sequence[BaseMessage]) -> list[object]:
    """The messages of the last turn as plain data."""
    return [message.model_dump() for message in messages[turn_start(messages) :]]


def with_guidance(system: SystemMessage | None, guidance: str) -> SystemMessage:
    """The system message with the guidance at its end."""
    if system is None:
        return SystemMessage(guidance)
    return SystemMessage([*_blocks(system), {"type": "text", "text": guidance}])


def _blocks(system: SystemMessage) -> list[str | dict[str, object]]:
    if isinstance(system.content, str):
        return [{"type": "text", "text": system.content}]
    return list(system.content)  # pyright: ignore[reportUnknownArgumentType, reportReturnType]
