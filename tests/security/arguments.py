"""Examples of arguments for every function, aimed at somebody's place. What is not listed here fails the matrix."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from .catalogue import PRIVATE, Function
from .world import COMMON, MODEL, NOW, VECTOR, Caller, Place, World


class NoExampleError(Exception):
    """A function has come that the matrix does not know how to try: it needs an example in this file."""

    def __init__(self, function: Function, missing: str) -> None:
        super().__init__(f"tests/security/arguments.py has no example for {missing} of {function.signature}")


@dataclass(frozen=True, slots=True)
class Aim:
    """One attempt: a caller goes for what is in a place; there, or by its id or key from a place of their own."""

    caller: Caller
    victim: Place
    place: dict[str, str]

    @property
    def is_roundabout(self) -> bool:
        return self.place != self.victim.argument

    @property
    def name(self) -> str:
        where = "from a place of their own" if self.is_roundabout else "there"
        return f"{self.victim.name}, {where}"


def aims(world: World, caller: Caller, function: Function) -> Iterator[Aim]:
    """Every place there is; and, through the doors, every one from those of the caller's where an id might pass."""
    for victim in world.places.values():
        yield Aim(caller, victim, victim.argument)
        for own in world.places.values() if function.is_door else ():
            near = (own.scope, own.scope_id) == (victim.scope, victim.scope_id) or own.tenant_id == victim.tenant_id
            if own is not victim and near and caller.may_read(own.row):
                yield Aim(caller, victim, own.argument)


EXAMPLES: dict[str, Callable[[Aim], list[object]]] = {
    "place": lambda aim: [aim.place],
    "fact": lambda aim: [
        {"key": aim.victim.canary("key"), "content": "forged", "expected_version": 2},
        {"key": COMMON, "content": "forged"},
        {"content": "forged", "supersedes": aim.victim.ids[1]},
        {"content": aim.victim.canary("content.1"), "vector": VECTOR, "model": MODEL, "restore": True},
    ],
    "file": lambda aim: [
        {"path": aim.victim.canary("file"), "content": "forged", "expected_version": 2},
        {"path": COMMON, "content": "forged"},
    ],
    "edit": lambda aim: [
        {"path": path, "old": COMMON, "new": "forged", "line": 0, "text": "forged"}
        for path in (aim.victim.canary("file"), COMMON)
    ],
    "move": lambda aim: [
        {"from": aim.victim.canary("file"), "to": "moved"},
        {"from": COMMON, "to": aim.victim.canary("gone file")},
    ],
    "target": lambda aim: [
        {"key": aim.victim.canary("key"), "path": aim.victim.canary("file"), "version": 1},
        {"key": COMMON, "path": COMMON, "version": 1},
        {"id": aim.victim.ids[0], "path": "", "contents": 100_000},
        {"id": aim.victim.ids[-1], "path": aim.victim.canary("gone file"), "version": 1},
        {"id": aim.victim.ids[-1]},
        {"id": aim.victim.ids[2]},
        {"id": aim.victim.ids[0], "by": aim.victim.ids[2]},
    ],
    "run": lambda aim: [
        {"run_id": aim.victim.canary("run"), "source": "forged"},
        {"run_id": COMMON, "source": aim.victim.canary("material")},
    ],
    "what": lambda aim: [
        {"run_id": aim.victim.canary("run")},
        {"source": aim.victim.canary("material")},
        {"run_id": COMMON},
        {"source": COMMON},
        {},
    ],
    "query": lambda aim: [
        {},
        {"id": aim.victim.ids[-1]},
        {"key": aim.victim.canary("key")},
        {"text": aim.victim.canary("content.2"), "limit": 200, "scopes": [aim.victim.argument, {}]},
        {"text": COMMON, "vector": VECTOR, "model": MODEL, "min_similarity": 0.9, "tags": [aim.victim.canary("tag")]},
        {"id": aim.victim.ids[1], "as_of": NOW, "known_at": NOW},
        {"text": aim.victim.canary("content.1"), "scopes": [aim.victim.argument, {}], "known_at": NOW},
        {"entity": aim.victim.canary("entity")},
        {"include": ["superseded", "forgotten"], "limit": 1000},
        {"subject": "file", "run_id": aim.victim.canary("run")},
    ],
    "turn": lambda aim: [
        {
            "turn": f"{aim.victim.canary('message')} turn",
            "chat": aim.victim.canary("chat"),
            "messages": [{"id": aim.victim.canary("message"), "role": "user", "text": "forged"}],
            "work": ["embed", "extract"],
        },
        {
            "turn": COMMON,
            "messages": [{"id": "forged", "role": "user", "text": "forged"}],
            "work": ["embed"],
            "hold": 9,
        },
    ],
    "message": lambda aim: [
        {"chat": aim.victim.canary("chat"), "id": aim.victim.canary("message"), "text": "forged"},
        {"chat": COMMON, "id": COMMON, "text": "forged"},
        {"chat": aim.victim.canary("chat"), "id": aim.victim.canary("message")},
        {"chat": COMMON},
    ],
    "facts": lambda aim: [
        [
            {"key": aim.victim.canary("key"), "content": "forged", "vector": VECTOR, "model": MODEL},
            {"content": "forged"},
        ],
        [{"content": aim.victim.canary("content.1"), "supersedes": aim.victim.ids[0]}],
    ],
    "wanted": lambda aim: [{"model": "another/3"}, {"model": MODEL}],
    "made": lambda aim: [
        {
            "model": "another/3",
            "vectors": [{"id": id_, "vector": VECTOR} for id_ in aim.victim.ids]
            + [{"id": id_, "reason": "forged"} for id_ in aim.victim.ids],
        }
    ],
    "said": lambda aim: [
        {},
        {"turn": aim.victim.message_ids[-1]},
        {"chat": aim.victim.canary("chat"), "id": aim.victim.canary("message")},
        {"text": COMMON, "vector": VECTOR, "model": MODEL, "exclude_chat": COMMON, "neighbours": 2},
        {"text": COMMON, "scopes": [aim.victim.argument, {}], "roles": ["user"], "since": "2000-01-01T00:00:00Z"},
    ],
    "asked": lambda aim: [
        {"text": aim.victim.canary("said by user"), "scopes": [aim.victim.argument, {}], "neighbours": 2},
        {"text": COMMON, "vector": VECTOR, "model": MODEL, "exclude_chat": COMMON},
    ],
    "pieces": lambda aim: [
        {
            "model": "another/3",
            "vectors": [{"id": id_, "version": 1, "pieces": [VECTOR]} for id_ in aim.victim.message_ids]
            + [{"id": id_, "version": 1, "reason": "forged"} for id_ in aim.victim.message_ids],
        }
    ],
    "work": lambda aim: [
        {},
        {"subjects": aim.victim.message_ids},
        {"kind": "embed", "subjects": aim.victim.message_ids, "model": "another/3"},
        {"kind": "extract", "subjects": aim.victim.message_ids, "lease": aim.victim.ids[0], "fault": "permanent"},
    ],
    "claim": lambda aim: [{}],
    "used": lambda aim: [{"ids": aim.victim.ids, "scopes": [aim.victim.argument]}, {"ids": aim.victim.ids}],
    "call": lambda aim: [
        {},
        {"idempotency_key": aim.victim.canary("first write"), "actor": "system", "run_id": aim.victim.canary("run")},
    ],
    "member": lambda aim: [
        {"tenant": aim.victim.tenant_id, "user": aim.caller.user or aim.victim.owner_id, "permission": "manage"},
        {"tenant": aim.victim.tenant_id, "user": aim.victim.owner_id, "permission": "read"},
    ],
    "subject": lambda aim: [
        {"user": aim.victim.owner_id},
        {"user": aim.victim.owner_id, "tenant": aim.victim.tenant_id},
        {"user": aim.victim.owner_id, "dry_run": True},
    ],
    "receipt": lambda aim: [
        {
            **{
                "receipt": "memoranda erasure, 1",
                "id": aim.victim.ids[0],
                "what": "scope",
                "at": "2100-01-01T00:00:00Z",
            },
            **{"user": aim.victim.owner_id, "owner": aim.victim.owner_id, "tenants": [aim.victim.tenant_id]},
            **{"scope": aim.victim.scope, "scope_id": aim.victim.scope_id},
        }
    ],
    "page": lambda aim: [
        {"kind": kind}
        for kind in ("mark", "run", "fact", "vector", "tombstone", "file", "message", "revision", "document")
    ],
    "rows": lambda aim: [
        [{"type": "fact", "id": aim.victim.ids[0], "content": "forged", "key": aim.victim.canary("key")}],
        [
            {"type": "fact", "id": str(UUID(int=7)), "content": "forged", "created_at": NOW},
            {"type": "file", "path": aim.victim.canary("file"), "content": "forged"},
            {"type": "tombstone", "content": aim.victim.canary("content.2"), "key": aim.victim.canary("key")},
            {
                **{
                    "type": "message",
                    "id": aim.victim.message_ids[0],
                    "chat": aim.victim.canary("chat"),
                    "role": "user",
                },
                **{"message_id": aim.victim.canary("message"), "turn": str(UUID(int=7)), "content": "forged"},
                **{"said_at": NOW, "vectors": {"another/3": [VECTOR]}},
            },
            {"type": "document", "key": aim.victim.canary("document"), "content": "forged", "version": 1},
        ],
    ],
    "change": lambda aim: [{"model": "another/3"}],
    "claims": lambda aim: [{"sub": aim.victim.owner_id}],
    "request": lambda aim: [
        {"function": "facts_recall", "arguments": {"place": aim.place, "query": {"limit": 200}}},
        {"function": "facts_save", "arguments": {"place": aim.place, "fact": {"key": COMMON, "content": "forged"}}},
        {"function": "files_view", "arguments": {"place": aim.place, "target": {"path": "", "contents": 100_000}}},
        {"function": "whoami"},
        {"function": "members_set", "arguments": {"member": {"tenant": aim.victim.tenant_id}}},
    ],
    "document": lambda aim: [
        {"user": aim.victim.owner_id, **aim.victim.argument} | rest
        for rest in (
            {"key": aim.victim.canary("document"), "content": "forged", "expected_version": None},
            {"key": COMMON, "content": "forged", "expected_version": 0},
            {"key": "new", "content": "forged", "expires_in": 9},
            {"prefix": "canary", "after": "", "limit": 9},
            {"key": "new", "content": "forged", "user": aim.caller.user or aim.victim.owner_id},
        )
    ],
    "limits": lambda aim: [{}, {"most": 1, "dry_run": True}],
    "setting": lambda aim: [{"tenant": aim.victim.tenant_id, "name": "files", "value": 7}],
}
"""By the name of a parameter, without `p_`: the values to try, aimed at a victim's rows."""


def aimed(function: Function, aim: Aim) -> list[list[str]]:
    """The lists of arguments, as JSON, to call a function with; every example of every parameter is in one of them."""
    choices: list[list[object]] = []
    for name in function.argument_names:
        if name.removeprefix("p_") not in EXAMPLES:
            raise NoExampleError(function, name)
        choices.append(EXAMPLES[name.removeprefix("p_")](aim))
    longest = max(map(len, choices), default=1)
    return [[json.dumps(choice[n % len(choice)]) for choice in choices] for n in range(longest)]


SAMPLES = {
    "text": "'1'::text",
    "bytea": "''::bytea",
    "text[]": "'{}'::text[]",
    "timestamp with time zone": "now()",
    "integer": "1",
    "jsonb": "'{}'::jsonb",
    "jsonb[]": "'{}'::jsonb[]",
    "uuid[]": "'{}'::uuid[]",
    "bigint": "1::bigint",
    "bigint[]": "'{}'::bigint[]",
    "boolean": "true",
    "double precision": "1.0::double precision",
    "uuid": "'00000001-0000-4000-8000-000000000001'::uuid",
}
"""By type: any value, to see that a call is refused before it is looked at."""


def sampled(function: Function) -> str:
    """Arguments of the right types, as SQL."""
    samples: list[str] = []
    for kind in function.argument_types:
        if kind not in SAMPLES and not kind.startswith(f"{PRIVATE}."):
            raise NoExampleError(function, f"the type {kind}")
        samples.append(SAMPLES.get(kind, f"null::{kind}"))
    return ", ".join(samples)
