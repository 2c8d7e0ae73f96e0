"""Messages of Anthropic's API: what the user said, which tools' results stand in them, and where the block goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from anthropic import BaseModel

Param: TypeAlias = "Mapping[str, Any]"
"""A message as a request has it: its content is a text, or a list of blocks."""

_RESULT = "tool_result"

_SUMMARY = "compaction"
"""The block that stands for messages which the API has summed up: results of tools may be in it."""


def plain(value: object) -> Any:
    """A message, or a block of one, as plain data: the SDK takes mappings and objects of its own, also side by side.

    Args:
        value: The message or block.
    """
    if isinstance(value, BaseModel):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(each) for each in cast("Sequence[object]", value)]
    return value


def param(message: object) -> dict[str, Any]:
    """A message as it can be sent and read again: what the SDK takes as its content may be an iterator, once used up.

    Args:
        message: What the user or the application says, or what the model has said.
    """
    if isinstance(message, BaseModel):
        said = cast("Any", message)
        return {"role": "assistant", "content": said.content, "id": said.id}
    row = dict(cast("Param", message))
    content = row.get("content")
    if not isinstance(content, str | Sequence):
        row["content"] = list(cast("Iterable[object]", content or ()))
    return row


def blocks(message: Param) -> list[dict[str, Any]]:
    """What a message consists of, as plain data.

    Args:
        message: The message.
    """
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return cast("list[dict[str, Any]]", plain(content or []))


def turn_start(messages: Sequence[Param]) -> int:
    """Where the turn begins: at the last message in which the user speaks, or the first of several that stand together.

    Args:
        messages: The messages.
    """
    start = next((n for n in range(len(messages) - 1, -1, -1) if _is_users(messages[n])), 0)
    while start and _is_users(messages[start]) and _is_users(messages[start - 1]):
        start -= 1
    return start


def said(messages: Sequence[Param]) -> str:
    """What the user typed in the turn that the messages end with.

    Args:
        messages: The messages.
    """
    typed = [message for message in messages[turn_start(messages) :] if _is_users(message)]
    texts = [block.get("text") for message in typed for block in blocks(message) if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def calls(message: object) -> list[tuple[str, str, object]]:
    """The calls of our own side's tools in a message of the model: of each its name, its id and its input, untouched.

    Args:
        message: The message.
    """
    found = (block for block in param(message)["content"] if not isinstance(block, str))
    return [
        (value_of(block, "name"), value_of(block, "id"), value_of(block, "input"))
        for block in found
        if value_of(block, "type") == "tool_use"
    ]


def tools_read(messages: Sequence[Param]) -> Iterator[str]:
    """The tools whose results stand in the messages, the provider's own among them.

    Args:
        messages: The messages, with the calls that the results are of.
    """
    names = dict[object, str]()
    for message in messages:
        for block in blocks(message):
            kind = str(block.get("type"))
            if kind == "tool_use":
                names[block.get("id")] = str(block.get("name"))
            elif kind == _RESULT:
                yield names.get(block.get("tool_use_id"), "unnamed")
            elif kind.endswith(f"_{_RESULT}"):
                yield kind.removesuffix(f"_{_RESULT}")
            elif kind == _SUMMARY:
                yield _SUMMARY


def with_block(messages: Sequence[Param], block: str, start: int) -> list[Any]:
    """The messages with the block before the user's words of this turn.

    Args:
        messages: The messages of a request.
        block: The block; an empty one is left out.
        start: Where the turn begins.
    """
    sent = [{name: value for name, value in message.items() if name != "id"} for message in messages]
    if block and sent:
        content = sent[start].get("content")
        words = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
        sent[start] = {**sent[start], "content": [{"type": "text", "text": block}, *words]}
    return sent


def as_data(messages: Sequence[Param], start: int) -> Iterator[object]:
    """The messages of the turn as plain data, each made when it is asked for.

    Args:
        messages: The messages.
        start: Where the turn begins.
    """
    for message in messages[start:]:
        yield plain(message)


def _is_users(message: Param) -> bool:
    """Whether the user speaks in it: results of tools are sent in the user's name, too."""
    return message.get("role") == "user" and not any(block.get("type") == _RESULT for block in blocks(message))


def value_of(block: object, name: str) -> Any:
    """A field of a block or a tool, which the SDK's objects and plain ones have alike.

    Args:
        block: The block.
        name: The field's name.
    """
    return cast("Param", block).get(name) if isinstance(block, Mapping) else getattr(block, name, None)
