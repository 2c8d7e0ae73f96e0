"""LangChain's messages: what the user said, which tools' results stand in them, and where the block goes."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage

from memoranda.agents import ORIGIN

SUMMARY = "summarization"
"""What :class:`langchain.agents.middleware.SummarizationMiddleware` says that a message comes from."""

_ASKED = ("tool_call", "function_call", "custom_tool_call", "server_tool_call")


def turn_start(messages: Sequence[BaseMessage], first: str | None = None) -> int:
    """Where the turn begins: at the last of the user's messages, or the first of several that stand together.

    Args:
        messages: The messages.
        first: The id of the message with which it began, where that is known.
    """
    if first is not None and (places := [n for n, message in enumerate(messages) if message.id == first]):
        return places[0]
    start = next((n for n in range(len(messages) - 1, -1, -1) if _is_users(messages[n])), 0)
    while start and _is_users(messages[start]) and _is_users(messages[start - 1]):
        start -= 1
    return start


def first_of(messages: Sequence[BaseMessage]) -> str | None:
    """The id of the message with which the last turn begins."""
    return messages[turn_start(messages)].id if messages else None


def said(messages: Sequence[BaseMessage], first: str | None = None) -> str:
    """What the user typed last, in the turn that began with this message."""
    typed = itertools.takewhile(_is_users, messages[turn_start(messages, first) :])
    return "\n".join(message.text for message in typed)


def tools_read(messages: Sequence[BaseMessage], outputs: Collection[str] = ()) -> Iterator[str]:
    """The tools whose results stand in the messages, the provider's own and what was summed up of them among them.

    Args:
        messages: The messages.
        outputs: Tools that stand for the run's output: what these say is the framework's.
    """
    for message in messages:
        if isinstance(message, ToolMessage | FunctionMessage):
            if message.name not in outputs:
                yield message.name or "unnamed"
        elif _is_summary(message):
            yield SUMMARY
        elif isinstance(message, AIMessage):
            yield from _providers_tools(message)


def _providers_tools(message: AIMessage) -> Iterator[str]:
    """The tools that the provider has called while it made the message, such as ``web_search``."""
    parts = cast("list[object]", [*message.content, *message.additional_kwargs.get("tool_outputs", ())])
    for part in parts:
        kind = str(cast("Mapping[str, object]", part).get("type")) if isinstance(part, Mapping) else ""
        if kind not in _ASKED and kind.endswith(("_tool_result", "_call", "_execution_result")):
            yield kind.removesuffix("_tool_result").removesuffix("_call")


def _is_users(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and not _is_summary(message)


def _is_summary(message: BaseMessage) -> bool:
    return message.additional_kwargs.get("lc_source") == SUMMARY


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


def as_data(messages: Sequence[BaseMessage], first: str | None = None, *, named: bool = True) -> Iterator[object]:
    """The messages of the last turn as plain data, each made when it is asked for.

    Args:
        messages: The messages.
        first: The id of the message with which the turn began, where that is known.
        named: Whether they keep their ids: outside of a thread these mean nothing, and can be another message's.
    """
    for message in messages[turn_start(messages, first) :]:
        if not _is_summary(message):
            yield message.model_dump(exclude=None if named else {"id"})


def with_guidance(system: SystemMessage | None, guidance: str) -> SystemMessage:
    """The system message with the guidance at its end."""
    if system is None:
        return SystemMessage(guidance)
    return SystemMessage([*_blocks(system), {"type": "text", "text": guidance}])


def _blocks(system: SystemMessage) -> list[str | dict[str, object]]:
    if isinstance(system.content, str):
        return [{"type": "text", "text": system.content}]
    return cast("list[str | dict[str, object]]", list(cast("list[Any]", system.content)))
