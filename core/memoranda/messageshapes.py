"""Messages as frameworks write them, made alike: OpenAI, Anthropic, PydanticAI and LangChain, all as plain data.

Nothing of a framework is imported: what comes here is what their messages are in JSON. Only what people and models said
becomes text. System prompts are left out, and so is what a model thought. Tool calls, and the kinds of pictures, sounds
and documents, are kept as data beside the text, without the bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from memoranda.errors import InputError, TimeError
from memoranda.messagetypes import Role
from memoranda.text import storable

Part: TypeAlias = "tuple[str, dict[str, Any] | None]"
"""What a part of a content is: a text, perhaps empty; and what is to be kept of it as data."""

ROLES: Mapping[str, Role | None] = {
    **{"user": "user", "human": "user", "UserMessage": "user", "HumanMessage": "user", "HumanMessageChunk": "user"},
    **{"assistant": "assistant", "ai": "assistant", "model": "assistant", "AIMessage": "assistant"},
    **{"AIMessageChunk": "assistant", "tool": "tool", "function": "tool", "ToolMessage": "tool"},
    **{"FunctionMessage": "tool", "system": None, "developer": None, "SystemMessage": None},
}
"""By the word that a framework has for it; None: it is no part of a conversation."""

_LONG = 10_000
"""Characters of a tool call's arguments, as JSON, beyond which they are not kept."""

_DEEPEST = 100
"""Beyond it, data is not kept; far beyond it, no JSON can be written."""

_HIDDEN = {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "non_standard", "cache-point"}
"""Parts that nobody said."""

_ITEMS = ("_call", "_call_output", "_output", "_approval_request", "_approval_response", "_list_tools", "reasoning")
"""How the types of items end that the Responses API has beside messages; all but functions are its own affair."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to store; frameworks' own shapes are taken as well (see :meth:`memoranda.Turns.add`).

    Attributes:
        role: ``user``, ``assistant`` or ``tool``.
        text: What was said.
        id: Its id in its chat, 1 to 200 characters; one is made when it is None.
        at: When it was said; timezone-aware. Now, when it is None.
        author: The name of who said it.
        data: What else is to be kept with it, as JSON.
    """

    role: Role
    text: str
    id: str | None = None
    at: datetime | None = None
    author: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


def conversation(messages: Sequence[object]) -> list[NewMessage]:
    """Messages of any known shape, made alike.

    Args:
        messages: :class:`NewMessage`, or mappings in the shapes of OpenAI (chat completions and responses), Anthropic,
            PydanticAI (``ModelMessagesTypeAdapter.dump_python``) or LangChain (``message_to_dict``, ``model_dump`` and
            ``dumpd``).

    Returns:
        What was said, in order. One message can become several, as one of Anthropic's with tool results does, or none.

    Raises:
        InputError: A message has none of these shapes.
        TimeError: A time has no zone.
    """
    if isinstance(messages, str | bytes | Mapping):
        raise InputError("Messages stand in a list, not alone.")
    return [made for number, message in enumerate(messages) for made in _one(message, number)]


def _one(message: object, number: int) -> Iterator[NewMessage]:
    if isinstance(message, NewMessage):
        yield message
        return
    if not isinstance(message, Mapping):
        raise InputError(f"Message {number} is a {type(message).__name__}, not a mapping of plain data.")
    row = cast("Mapping[str, Any]", message)
    if row.get("kind") in ("request", "response") and "parts" in row:
        yield from _pydantic_ai(row)
    elif row.get("type") in ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"):
        yield from _openai_item(row)
    elif "role" not in row and str(row.get("type")).endswith(_ITEMS):
        return
    else:
        yield from _by_role(_langchain(row), number)


# By role: OpenAI, Anthropic, LangChain -------------------------------------------------------------------------------


def _langchain(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of LangChain's as one with a role; any other as it is."""
    kind = row.get("type")
    if kind == "constructor" and isinstance(row.get("kwargs"), Mapping):
        return {
            "role": row["id"][-1] if isinstance(row.get("id"), list) and row["id"] else None,
            **_without_type(row["kwargs"]),
        }
    if isinstance(row.get("data"), Mapping) and kind is not None and "content" in row["data"]:
        return {"role": kind, **_without_type(row["data"])}
    if "role" not in row and kind is not None:
        return {"role": kind, **_without_type(row)}
    return row


def _without_type(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "type"}


def _by_role(row: Mapping[str, Any], number: int) -> Iterator[NewMessage]:
    named = row.get("role")
    if not isinstance(named, str) or named not in ROLES:
        raise InputError(f"Message {number} has none of the known shapes.", hint="It needs a role and a content.")
    role = ROLES[named]
    if role is None:
        return
    content = row.get("content")
    parts = list(_parts(row.get("text") if content is None else content))
    answers = [part for part in parts if _is(part, "tool_result")]
    for text, answer in answers:  # Anthropic's, said as the user
        yield NewMessage("tool", text, None, _time(row), None, {"tool_call_id": (answer or {}).get("id")})
    if answers and len(answers) == len(parts):
        return
    parts = [part for part in parts if part not in answers]
    calls = [part[1] for part in parts if _is(part, "tool_call")] + [
        _call(each) for each in _rows(row.get("tool_calls"))
    ]
    data: dict[str, Any] = {}
    if calls:
        data["tool_calls"] = calls
    if others := [part[1] for part in parts if part[1] and not _is(part, "tool_call")]:
        data["parts"] = others
    if isinstance(answered := row.get("tool_call_id"), str):
        data["tool_call_id"] = storable(answered)
    if isinstance(given := row.get("data"), Mapping):  # our own
        data |= _plain(cast("object", given))
    author = row.get("author") or (row.get("name") if role != "tool" else None)
    yield NewMessage(role, _joined(text for text, _ in parts), _id(row), _time(row), _name(author), data)


def _is(part: Part, kind: str) -> bool:
    return part[1] is not None and part[1].get("type") == kind


def _parts(content: object) -> Iterator[Part]:
    """The parts of a content: None, a text, or a list of texts and typed parts."""
    if content is None:
        return
    if isinstance(content, str):
        yield content, None
        return
    if not isinstance(content, Sequence | Mapping) or isinstance(content, bytes | bytearray):
        yield "", {"type": type(content).__name__}
        return
    rows = cast("Sequence[object]", [content] if isinstance(content, Mapping) else content)
    for part in rows:
        if isinstance(part, str):
            yield part, None
        elif isinstance(part, Mapping):
            yield from _part(cast("Mapping[str, Any]", part))


def _part(part: Mapping[str, Any]) -> Iterator[Part]:
    kind = str(part.get("type") or part.get("kind") or "text")
    if kind in _HIDDEN:
        return
    if isinstance(text := part.get("text", part.get("refusal")), str):
        yield text, None
    elif kind in ("text-content", "structured-content"):
        text = part.get("content")
        yield text if isinstance(text, str) else "", None
    elif kind in ("tool_use", "server_tool_use", "tool_call"):
        yield "", _call(part)
    elif kind.endswith("tool_result"):
        answer = _joined(text for text, _ in _parts(part.get("content")))
        yield answer, {"type": "tool_result", "id": _plain(part.get("tool_use_id"))}
    else:
        yield "", _thing(kind, part)


def _thing(kind: str, part: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a picture, a sound or a document: its kind, and where it is if that is an address."""
    kept: dict[str, Any] = {"type": storable(kind[:100])}
    for each in (part, *_rows([part.get(kind), part.get("source")])):
        for name in ("url", "media_type", "mime_type", "filename", "title"):
            value = each.get(name)
            if isinstance(value, str) and len(value) <= 2000 and not value.startswith("data:"):
                kept[name] = storable(value)
    return kept


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A tool call of any shape: its id, its name and what it was called with."""
    function = call.get("function")
    row = cast("Mapping[str, Any]", function if isinstance(function, Mapping) else call)
    given = next((row[name] for name in ("arguments", "input", "args") if row.get(name) is not None), None)
    made: dict[str, Any] = {
        "type": "tool_call",
        "id": _plain(next((call[name] for name in ("call_id", "tool_call_id", "id") if call.get(name)), None)),
        "name": _plain(row.get("name") or row.get("tool_name")),
    }
    arguments = _plain(given)
    if len(json.dumps(arguments, ensure_ascii=False)) > _LONG:
        return {**made, "omitted": True}
    return {**made, "arguments": arguments}


def _openai_item(row: Mapping[str, Any]) -> Iterator[NewMessage]:
    """A call of a tool, or its answer, which the Responses API has beside the messages."""
    if str(row["type"]).endswith("_output"):
        text = _joined(text for text, _ in _parts(row.get("output")))
        yield NewMessage("tool", text, _id(row), _time(row), None, {"tool_call_id": _plain(row.get("call_id"))})
    else:
        yield NewMessage("assistant", "", _id(row), _time(row), None, {"tool_calls": [_call(row)]})


# PydanticAI ----------------------------------------------------------------------------------------------------------


def _pydantic_ai(row: Mapping[str, Any]) -> Iterator[NewMessage]:
    """A request or a response: parts of the user, of the model and of tools in one. Others are nobody's words."""
    said: list[Part] = []
    calls: list[Any] = []
    when = _time(row)
    for part in _rows(row["parts"]):
        kind, content = str(part.get("part_kind")), part.get("content")
        spoken = str(part.get("transcript") or "") if kind == "speech" else None
        if kind == "user-prompt" or (spoken is not None and part.get("speaker") == "user"):
            parts = list(_parts(content if spoken is None else spoken))
            things = [thing for _, thing in parts if thing is not None]
            text = _joined(text for text, _ in parts)
            yield NewMessage("user", text, None, _time(part) or when, None, {"parts": things} if things else {})
        elif kind == "text" or spoken is not None:
            said.append((str(content or "") if spoken is None else spoken, None))
        elif kind.endswith("tool-call"):
            calls.append(_call(part))
        elif kind.endswith("tool-return") or (kind == "retry-prompt" and part.get("tool_name")):
            text = content if isinstance(content, str) else json.dumps(_plain(content), ensure_ascii=False)
            answered = {"tool_call_id": _plain(part.get("tool_call_id"))}
            yield NewMessage("tool", text, None, _time(part) or when, None, answered)
        elif kind == "file":
            said.append(("", {"type": "file"}))
    if said or calls:
        data = {"tool_calls": calls} if calls else {}
        things = [thing for _, thing in said if thing is not None]
        yield NewMessage(
            "assistant",
            _joined(text for text, _ in said),
            None,
            when,
            None,
            data | ({"parts": things} if things else {}),
        )


# Values --------------------------------------------------------------------------------------------------------------


def _joined(texts: Iterator[str]) -> str:
    return "\n".join(text for text in texts if text)


def _rows(value: object) -> list[Mapping[str, Any]]:
    """The mappings in a list; none in anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return []
    return [cast("Mapping[str, Any]", each) for each in cast("Sequence[object]", value) if isinstance(each, Mapping)]


def _id(row: Mapping[str, Any]) -> str | None:
    id_ = row.get("id")
    return id_ if isinstance(id_, str) and 1 <= len(id_) <= 200 and storable(id_) == id_ else None


def _name(value: object) -> str | None:
    return storable(value)[:200] or None if isinstance(value, str) else None


def _time(row: Mapping[str, Any]) -> datetime | None:
    """When it was said, by whatever name; seconds since 1970 are taken as well."""
    value = next((row[name] for name in ("at", "timestamp", "created_at") if row.get(name) is not None), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC)
        except (OverflowError, OSError, ValueError) as error:
            raise InputError("The time of a message is beyond all calendars.") from error
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InputError("The time of a message is no time in ISO 8601.") from error
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise TimeError("The time of a message has no time zone.")
        return value
    return None


def _plain(value: object, depth: int = 0) -> Any:
    """Anything as JSON that the database can hold; what JSON does not know, or is nested too deep, by its type."""
    if depth > _DEEPEST:
        return type(value).__name__
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {
            storable(str(key)): _plain(each, depth + 1) for key, each in cast("Mapping[object, object]", value).items()
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(each, depth + 1) for each in cast("Sequence[object]", value)]
    show: Callable[[], str] | None = getattr(value, "isoformat", None)
    return show() if show else type(value).__name__
