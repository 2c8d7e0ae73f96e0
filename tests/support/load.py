"""A load of writes of which every loss, half and double shows: what is there is a function of how many there were."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import memoranda
from memoranda.identity import Identity

from .databases import Database
from .messages import said

LOG = "/memories/log.md"
KINDS = 4
KEYS = 3


async def write(memory: memoranda.Memory, n: int) -> bool:
    """Do a writer's write of that number, which is always the same; returns whether it had been done before.

    In turn, a file grows by two lines, a key gets another value, a turn of two messages is stored, and two facts are
    saved at once.
    """
    key = f"write {n}"
    match n % KINDS:
        case 0 if n == 0:
            return (await memory.files.write(LOG, lines(n), idempotency_key=key)).replayed
        case 0:
            return (await memory.files.insert(LOG, 0, lines(n), idempotency_key=key)).replayed
        case 1:
            saved = await memory.facts.save(f"value {n}", key=f"k{n // KINDS % KEYS}", idempotency_key=key)
            return saved.replayed
        case 2:
            turn = said(f"question {n}", f"answer {n}")
            done = await memory.turns.add(turn, embed="worker", extract="worker", idempotency_key=key)
            return done.replayed
        case _:
            both = await memory.facts.save_many([f"one {n}", f"two {n}"], dedup="off", idempotency_key=key)
            return all(outcome.replayed for outcome in both)


def lines(n: int) -> str:
    return f"{n} begins\n{n} ends\n"


@dataclass
class Written:
    """All that is in the database of a writer."""

    files: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    facts: list[tuple[str, str | None, str]] = field(default_factory=list[tuple[str, str | None, str]])
    messages: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    revisions: int = 0
    terms: int = 0
    vectors: int = 0
    message_terms: int = 0
    work: int = 0
    keys: int = 0


def expected(writes: int) -> Written:
    """What is there after so many writes, each of them once."""
    left = Written(keys=writes)
    under: dict[str, int] = {}
    text = ""
    for n in range(writes):
        match n % KINDS:
            case 0:
                text, left.revisions = lines(n) + text, left.revisions + 1
                left.files = [("log.md", text, n // KINDS + 1)]
            case 1:
                key = f"k{n // KINDS % KEYS}"
                if key in under:
                    content, _, _ = left.facts[under[key]]
                    left.facts[under[key]] = (content, key, "superseded")
                under[key] = len(left.facts)
                left.facts.append((f"value {n}", key, "confirmed"))
                left.revisions += 1
            case 2:
                place = len(left.messages)
                left.messages += [(place, "user", f"question {n}"), (place + 1, "assistant", f"answer {n}")]
            case _:
                left.facts += [(f"one {n}", None, "confirmed"), (f"two {n}", None, "confirmed")]
                left.revisions += 2
    left.facts.sort(key=str)
    left.terms = left.vectors = sum(status == "confirmed" for _, _, status in left.facts)
    left.message_terms = len(left.messages)
    left.work = len(left.messages) + len(left.messages) // 2  # a vector for each message, and facts of each turn
    return left


def found(database: Database, user: str) -> Written:
    """What is there, seen by the superuser in one moment."""
    owner = Identity.of(user).user
    with database.admin() as conn, conn.transaction():
        conn.execute("set transaction isolation level repeatable read")

        def ask(query: str) -> list[tuple[Any, ...]]:
            return conn.execute(f"select {query}".encode(), [owner]).fetchall()

        def count(table: str) -> int:
            ((number,),) = ask(f"count(*) from memoranda_private.{table} where owner_id = %s")
            return int(number)

        return Written(
            ask("path, content, version from memoranda_private.files where owner_id = %s and status = 'current'"),
            sorted(ask("content, key, status from memoranda_private.facts where owner_id = %s"), key=str),
            ask(
                "('x' || right(id::text, 8))::bit(32)::integer, role, content from memoranda_private.messages"
                " where owner_id = %s order by id"
            ),
            *(count(table) for table in ("revisions", "terms", "vectors", "message_terms", "work", "idempotency_keys")),
        )


def committed(database: Database, user: str, acknowledged: int) -> int:
    """How many writes of a writer are there, who does one after another: those it was told of, and perhaps one more.

    Every one of them is there whole, and once.
    """
    there = found(database, user)
    if there == expected(acknowledged):
        return acknowledged
    assert there == expected(acknowledged + 1), f"{user}: what was acknowledged is lost, halved or doubled"
    return acknowledged + 1
