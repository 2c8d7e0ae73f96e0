"""What the six tools do, over one user's memory: nothing of a session, a token or a transport is known here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from memoranda import Memory
from memoranda.context import Item, JsonValue, render
from memoranda.errors import CommandError, ConflictError, ForbiddenError, InputError, NotFoundError, QuotaError
from memoranda.factreads import NotInForce
from memoranda.facttypes import Fact, Kind, Outcome, Revision
from memoranda.recalling import Recalled, item_of
from memoranda.tokens import TokenCounter
from memoranda_mcp import specs
from memoranda_mcp.given import Given

ANSWERED = (InputError, ForbiddenError, NotFoundError, ConflictError, QuotaError)
"""What a model can do something about."""

_NOTHING = "Nothing is remembered about that."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client gets.

    Attributes:
        text: The text for the model.
        data: The same for programs, where the tool has it: what anybody has written stands in its ``text`` alone.
        is_error: Whether the call failed.
    """

    text: str
    data: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    Attributes:
        memory: Whose memory.
        given: The arguments.
        idempotency_key: Names the write, if the client has named it.
        budget: Tokens that what is shown may take.
        count: How they are counted.
    """

    memory: Memory
    given: Given
    idempotency_key: str | None
    budget: int
    count: TokenCounter


async def answer(
    memory: Memory,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    idempotency_key: str | None,
    budget: int,
    count: TokenCounter,
) -> Answer:
    """Do what a model asks.

    Args:
        memory: Whose memory, bound by the server.
        tool: The tool's name.
        arguments: Its arguments, as they came.
        idempotency_key: Names the write; see :meth:`memoranda.Facts.save`.
        budget: Tokens that what is shown may take.
        count: How they are counted.

    Returns:
        The answer. What a model can do something about is one, too; that the database is out of reach is raised.
    """
    try:
        if tool == specs.MEMORY.name:
            Given(arguments, specs.MEMORY.input_schema["properties"])
            done = await memory.files.run(arguments, idempotency_key=idempotency_key)
            return Answer(done.text, is_error=done.is_error)
        if tool not in _CALLS:
            raise CommandError(f"There is no tool {tool[:40]!r}.", hint="Use one of those that are listed.")
        spec, do = _CALLS[tool]
        given = Given(arguments, spec.input_schema["properties"])
        return await do(Call(memory, given, idempotency_key, budget, count))
    except ANSWERED as error:
        return Answer(f"Error: {' '.join(filter(None, (error.message, error.hint)))}", is_error=True)


async def _recall(call: Call) -> Answer:
    query, k = call.given.needed("query"), call.given.number("limit", 50) or 8
    found = await call.memory.recall(query, k, exclude_chat=call.memory.chat)
    return _shown(call, [(_recalled(each), _found(each)) for each in found], _NOTHING)


async def _store(call: Call) -> Answer:
    given = call.given
    outcome = await call.memory.facts.by_model(None).save(
        given.needed("content"),
        key=given.text("key"),
        kind=cast("Kind", given.text("kind") or "fact"),
        importance=given.number("importance", 10),
        tags=given.texts("tags") or (),
        entities=given.texts("entities"),
        valid_from=given.time("valid_from"),
        valid_until=given.time("valid_until"),
        expires_at=given.time("expires_at"),
        supersedes=given.id("supersedes"),
        secrets="mask",
        idempotency_key=call.idempotency_key,
    )
    return _became(outcome)


async def _timeline(call: Call) -> Answer:
    given = call.given
    facts = await call.memory.facts.timeline(
        given.number("limit", 200) or specs.LIMIT,
        kinds=cast("list[Kind] | None", given.texts("kinds")),
        entity=given.text("entity"),
        since=given.time("since"),
        until=given.time("until"),
        include=cast("list[NotInForce]", given.texts("include") or []),
    )
    rows = [(_fact(each), {"id": str(each.id), "status": each.status, "version": each.version}) for each in facts]
    return _shown(call, rows, "Nothing is remembered there.")


async def _history(call: Call) -> Answer:
    limit = call.given.number("limit", 200) or specs.LIMIT
    revisions = await call.memory.facts.history(call.given.target(), limit)
    return _shown(call, [(_revision(each), _written(each)) for each in revisions], "Nothing was ever saved there.")


async def _forget(call: Call) -> Answer:
    target, reason = call.given.target(), call.given.text("reason")
    facts = call.memory.facts.by_model(None)
    return _became(await facts.forget(target, reason=reason, idempotency_key=call.idempotency_key))


_CALLS: dict[str, tuple[Any, Callable[[Call], Awaitable[Answer]]]] = {
    spec.name: (spec, do)
    for spec, do in (
        (specs.RECALL, _recall),
        (specs.STORE, _store),
        (specs.TIMELINE, _timeline),
        (specs.HISTORY, _history),
        (specs.FORGET, _forget),
    )
}


# What is shown --------------------------------------------------------------------------------------------------------


def _shown(call: Call, rows: Sequence[tuple[Item, Mapping[str, Any]]], nothing: str) -> Answer:
    """Rows as the core shows them, within the budget, and beside them what is known of those that are shown."""
    block = render([item for item, _ in rows], budget=call.budget, count=call.count)
    shown = {id(item) for item in block.items}
    found = [dict(about) for item, about in rows if id(item) in shown]
    text = block.text or nothing
    return Answer(text, {"text": text, "found": found, "omitted": len(block.cut)})


def _recalled(found: Recalled) -> Item:
    item = item_of(found)
    return Item(item.kind, item.name, {"id": item.name, **item.data}) if found.kind == "fact" else item


def _found(found: Recalled) -> Mapping[str, Any]:
    id = item_of(found).name if found.kind == "fact" else None  # a message's is whatever the application chose
    return {"kind": found.kind, "id": id, "score": found.score, "similarity": found.similarity}


def _fact(fact: Fact) -> Item:
    data: dict[str, JsonValue] = {"id": str(fact.id), "key": fact.key, "kind": fact.kind, "content": fact.content}
    data |= {"status": None if fact.status == "confirmed" else fact.status, "source": fact.source}
    data |= {"tainted": fact.tainted or None, "saved": _time(fact.created_at)}
    data |= {"valid_from": _time(fact.valid_from), "valid_until": _time(fact.valid_until)}
    return Item("fact", str(fact.id), _filled(data))


def _revision(revision: Revision) -> Item:
    fact = revision.fact
    data: dict[str, JsonValue] = {"verb": revision.verb, "version": fact.version, "at": _time(revision.at)}
    data |= {"by": revision.actor, "reason": revision.reason, "id": str(fact.id), "key": fact.key}
    data |= {"content": fact.content, "source": fact.source, "tainted": fact.tainted or None}
    return Item("revision", str(fact.id), _filled(data))


def _written(revision: Revision) -> Mapping[str, Any]:
    about = {"verb": revision.verb, "version": revision.fact.version, "actor": revision.actor}
    return {"id": str(revision.fact.id), **about, "at": _time(revision.at)}


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat(timespec="seconds")


def _filled(data: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in data.items() if value is not None}


# What became of a write -----------------------------------------------------------------------------------------------

_IN_WORDS = {
    "stored": "Remembered.",
    "superseded": "Remembered, in the place of what was there before.",
    "duplicate": "This was remembered already.",
    "pending": "Noted. It will be remembered once a person has approved it: the user can, with `memoranda review`.",
    "rejected": "Not remembered: this was rejected or forgotten before. Only the user can bring it back.",
    "forgotten": "Forgotten.",
    "nothing": "There was nothing to forget.",
}


def _became(outcome: Outcome) -> Answer:
    text = _IN_WORDS[outcome.outcome]
    ids = ("id", "supersedes", "compared")
    names: Iterable[str] = ("outcome", "rule", "version", "similarity", "threshold", "replayed")
    data = {name: getattr(outcome, name) for name in names}
    data |= {name: None if (id := getattr(outcome, name)) is None else str(id) for name in ids}
    return Answer(text, {"text": text, **data})
