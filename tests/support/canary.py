"""A text that goes in by every way there is, and ways to look for it everywhere."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from psycopg import sql

import memoranda
from memoranda import NewFact, NewMessage
from memoranda.exportformat import Item
from memoranda.transport import SERVICE
from memoranda.transport.binaries import find_binaries

from .databases import Database

CANARY = "zyzzyva"
AGO = timedelta(hours=1)


async def everywhere(memory: memoranda.Memory, name: str) -> None:
    """Put a text in by every way of writing, and into every column that holds what somebody said."""
    facts, say = memory.facts, f"{CANARY} {name}"
    await facts.save(f"{say} one", key=f"{say} key", source=f"{say} source", idempotency_key=f"{say} write")
    await facts.save(
        f"{say} two",
        key=f"{say} key",
        tags=[f"{say} tag"],
        entities=[f"{say} entity"],
        metadata={f"{say} a": {"b": [f"{say} c"]}},
        expires_at=datetime.now(UTC) + AGO,
    )
    saved = await facts.save_many([f"{say} sits", NewFact(f"{say} stands", key=f"{say} other key")])
    await facts.correct(saved[0].id or UUID(int=0), f"{say} lies", reason=f"{say} reason")
    await facts.forget(saved[1].id or UUID(int=0), reason=f"{say} forgotten")
    await facts.save_extracted([NewFact(f"{say} was quoted", quote=f"{say} was quoted")], said=f"{say} was quoted")
    for text in ("waits", "rejected", "approved"):
        await facts.save(f"{say} {text}", review=True, dedup="off")
    waiting = {each.fact.content: each.fact.id for each in await memory.review.pending()}
    await memory.review.reject(waiting[f"{say} rejected"], reason=f"{say} why")
    await memory.review.edit_and_approve(waiting[f"{say} approved"], f"{say} approved of")
    await facts.search(say)
    await memory.files.write(f"/memories/{say}.md", f"{say}\n{say} text", idempotency_key=f"{say} file")
    await memory.files.insert(f"/memories/{say}.md", 1, f"{say} inserted")
    await memory.files.move(f"/memories/{say}.md", f"/memories/{say} moved.md")
    await memory.files.write(f"/memories/{say} gone.md", say)
    await memory.files.remove(f"/memories/{say} gone.md")
    binding = memory.facts._binding  # pyright: ignore[reportPrivateUsage]
    (fact, *_) = await facts.recall()
    made: Any = {"model": "picky/3", "vectors": [{"id": str(fact.id), "reason": f"{say} refused"}]}
    await binding.call("vectors_put", {"made": made})
    call = binding.call_context(tool_call_id=f"{say} tool", reason=f"{say} cause")
    await said(memory, say)
    await kept(memory, say)
    await rest(memory, say)
    await memory.taint(f"{say} page")
    await binding.call("facts_save", {"fact": {"content": f"{say} by a tool", "origin": "tool"}, "call": call})


async def said(memory: memoranda.Memory, say: str) -> None:
    """Messages, in each of their states, and every way of the queue."""
    binding = memory.facts._binding  # pyright: ignore[reportPrivateUsage]
    chat, call = f"{say} chat", binding.call
    where = memoranda.Memory(binding.transport, memory.identity, memory.scope, chat=chat, run_id=memory.run_id)
    texts = ("asks", "is edited", "is gone", "is refused")
    messages = [
        NewMessage("user", f"{say} {text}", f"{say} {text}", None, f"{say} author", {say: say}) for text in texts
    ]
    messages.append(NewMessage("tool", f"{say} called", f"{say} called"))
    await where.turns.add(messages, turn=f"{say} turn", extract="worker", idempotency_key=f"{say} turn")
    await where.turns.add([NewMessage("user", f"{say} later", f"{say} later")], extract="worker")
    await where.messages.edit(f"{say} is edited", f"{say} was edited", chat=chat)
    await where.messages.delete(f"{say} is gone", chat=chat)
    taken: Any = await call("work_claim", {"work": {"kinds": ["extract"]}})
    failed, done = ([each["subject"]] for each in taken)
    lease = taken[0]["lease"]
    await call(
        "work_failed", {"work": {"kind": "extract", "subjects": failed, "lease": lease, "reason": f"{say} fails"}}
    )
    await call("work_done", {"work": {"kind": "extract", "subjects": done}})
    await call("work_missing", {"work": {"model": "said/3"}})
    taken = await call("work_claim", {"work": {"kinds": ["embed"]}})
    found: Any = await call("work_texts", {"work": {"subjects": [each["subject"] for each in taken]}})
    made: list[Any] = [
        {"id": each["id"], "version": each["version"]}
        | ({"reason": f"{say} refused"} if "refused" in each["text"] else {"pieces": ["[0.123456,0.25,0.75]"] * 2})
        for each in found
    ]
    await binding.transport.call("work_retry", {"limits": {"kinds": ["extract"]}}, SERVICE)
    await binding.transport.call("claim_work", {"limits": {"kinds": ["extract"], "most": 1, "lease": 1}}, SERVICE)
    await where.recall(f"{say} asks")
    await call("message_vectors_put", {"pieces": {"model": "said/3", "vectors": made}})


async def kept(memory: memoranda.Memory, say: str) -> None:
    """Documents."""
    documents = memoranda.Store(memory.facts._binding.transport).documents  # pyright: ignore[reportPrivateUsage]
    user, tenant, scope = memory.identity.user, memory.identity.tenant, memory.scope
    for key in (f"{say} document", f"{say} other document", f"{say} gone document"):
        await documents.put(user, key, f"{say} in a document", idempotency_key=key, tenant=tenant, scope=scope)
    await documents.put(user, f"{say} document", f"{say} now", expires_in=AGO, tenant=tenant, scope=scope)
    await documents.delete(
        user, f"{say} gone document", idempotency_key=f"{say} document is gone", tenant=tenant, scope=scope
    )


async def rest(memory: memoranda.Memory, say: str) -> None:
    """The ways of writing that are less trodden; a test sees that no door is left out."""
    facts = memory.facts
    binding = facts._binding  # pyright: ignore[reportPrivateUsage]
    gone = await facts.save(f"{say} forgotten for good", tags=[f"{say} tag"])
    assert gone.id
    await facts.forget(gone.id, erase=True, reason=f"{say} reason")
    old = await facts.save(f"{say} was so", dedup="off", restore=True)
    new = await facts.save(f"{say} is so now", dedup="off", restore=True)
    assert old.id
    assert new.id
    await facts.supersede(old.id, new.id, reason=f"{say} reason")
    back = await facts.save(f"{say} comes back", key=f"{say} back", restore=True)
    assert back.id
    await facts.forget(back.id)
    await facts.restore(back.id, reason=f"{say} reason")
    await facts.save(f"{say} is found right", review=True, dedup="off")
    (right,) = (each.fact.id for each in await memory.review.pending() if "found right" in each.fact.content)
    await memory.review.approve(right, reason=f"{say} reason")
    await binding.call("facts_used", {"used": {"ids": [str(new.id)]}})
    files = memory.files
    await files.write(f"/memories/{say} edited.md", f"{say} first")
    await files.replace(f"/memories/{say} edited.md", "first", f"{say} second")
    await files.restore(f"/memories/{say} edited.md", 1)
    run = memoranda.Memory(binding.transport, memory.identity, memory.scope, run_id=f"{say} undone run")
    await run.facts.save(f"{say} undone", key=f"{say} undone")
    await run.files.write(f"/memories/{say} undone.md", f"{say} undone")
    await memory.undo(run_id=f"{say} undone run")
    place = {"tenant": str(memory.identity.tenant), "scope": memory.scope.name, "scope_id": memory.scope.id}
    lent: Any = {"function": "facts_save", "arguments": {"place": place, "fact": {"content": f"{say} for somebody"}}}
    await binding.transport.call("call_as", {"claims": {"sub": str(memory.identity.user)}, "request": lent}, SERVICE)
    imported: dict[str, object] = {
        **{"id": str(uuid4()), "chat": f"{say} imported", "message_id": f"{say} imported", "turn": str(uuid4())},
        **{"role": "user", "content": f"{say} imported", "said_at": datetime.now(UTC).isoformat()},
    }
    new_rows: list[dict[str, object]] = [
        {"type": "fact", "id": str(uuid4()), "content": f"{say} imported", "key": f"{say} imported", "origin": "user"},
        {
            "type": "fact",
            "id": str(uuid4()),
            "content": f"{say} too",
            "metadata": {say: say},
            "source": f"{say} import",
        },
        {"type": "file", "path": f"{say} imported.md", "content": f"{say} imported"},
        {"type": "tombstone", "content": f"{say} rejected elsewhere", "key": f"{say} elsewhere"},
        {"type": "message", **imported, "data": {say: say}, "author": f"{say} author"},
        {"type": "document", "key": f"{say} imported", "content": f"{say} imported"},
        {"type": "message", **imported, "message_id": f"{say} gone", "content": "", "deleted_at": imported["said_at"]},
    ]
    await memory.import_([Item(1, str(each["type"]), say, each) for each in new_rows])
    await memory.import_([line async for line in memory.export(vectors=True)], restore=True)


def hits(database: Database, text: str = CANARY, marks: Sequence[str] = ()) -> dict[str, int]:
    """In how many rows of which column a text stands: every column of every table, as it is written out."""
    found: dict[str, int] = {}
    with database.admin() as conn:
        columns = conn.execute(
            "select relname, attname from pg_attribute join pg_class c on c.oid = attrelid"
            " where relnamespace = 'memoranda_private'::regnamespace and relkind = 'r' and attnum > 0"
            " and not attisdropped"
        ).fetchall()
        for table, column in columns:
            query = sql.SQL("select count(*) from memoranda_private.{} where {}::text ilike any (%s)").format(
                sql.Identifier(table), sql.Identifier(column)
            )
            ((count,),) = conn.execute(query, [[f"%{each}%" for each in (text, *marks)]]).fetchall()
            if count:
                found[f"{table}.{column}"] = count
    return found


def rows(database: Database) -> dict[str, list[Any]]:
    """Every row of every table."""
    with database.admin() as conn:
        tables = conn.execute(
            "select relname from pg_class where relnamespace = 'memoranda_private'::regnamespace and relkind = 'r'"
        ).fetchall()
        return {
            table: sorted(
                str(row)
                for (row,) in conn.execute(
                    sql.SQL("select to_jsonb(x) from memoranda_private.{} x").format(sql.Identifier(table))
                )
            )
            for (table,) in tables
        }


def dumped(database: Database) -> str:
    program = str(find_binaries().program("pg_dump"))
    return subprocess.run([program, database.dsn("postgres")], capture_output=True, text=True, check=True).stdout
