"""Purge: what has expired leaves for good, everything else stays; keys of writes leave when their time is up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

import memoranda
from memoranda import NewFact, Purged, Scope
from memoranda.errors import ForbiddenError, InputError
from memoranda.transport import Caller
from support.databases import Database
from support.embedders import words_embedder

GONE = "zyzzyva"
LATER = timedelta(hours=1)


def expire(database: Database) -> None:
    """Let time pass for whatever expires."""
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable trigger all")
        conn.execute("update memoranda_private.facts set expires_at = now() where expires_at is not null")
        conn.execute("alter table memoranda_private.facts enable trigger all")


def texts(database: Database) -> str:
    with database.admin() as conn:
        tables = ("facts", "revisions", "terms", "vectors", "vectors_aside", "fact_uses", "tombstones")
        return str(
            [conn.execute(f"select to_jsonb(x) from memoranda_private.{t} x".encode()).fetchall() for t in tables]
        )


async def test_what_has_expired_goes_and_the_rest_stays(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        await store.members.set("acme", "alice", "manage")
        memories = [
            store.memory("alice"),
            store.memory("bob", scope=Scope.agent("a")),
            store.memory("alice", tenant="acme", scope=Scope.organization()),
        ]
        for memory in memories:
            until = datetime.now(UTC) + LATER
            await memory.facts.save("Likes tea.", key="drink")
            await memory.facts.save(f"Likes {GONE} until noon.", key="drink", expires_at=until)
            await memory.facts.save(f"Is at {GONE} today.", expires_at=until)
            await memory.facts.save("Is tall.")
            await memory.facts.save(f"The {GONE} of tomorrow waits.", expires_at=until, review=True)
            await memory.facts.search(GONE)
        assert await store.expired() == Purged(0, 0)
        assert await store.purge() == Purged(0, 0)
        expire(database)
        assert await store.expired() == Purged(9, 0)
        seen: list[Purged] = []
        assert await store.purge(2, progress=seen.append) == Purged(9, 0)
        assert [each.facts for each in seen] == [2, 4, 6, 8, 9]
        assert GONE not in texts(database)
        for memory in memories:
            assert [fact.content for fact in await memory.facts.recall()] == ["Is tall."]
            assert [each.fact.content for each in await memory.facts.history("drink")] == ["Likes tea."]
            assert (await memory.facts.save("Likes juice.", key="drink")).outcome == "stored"
        assert await store.purge() == Purged(0, 0)


async def test_a_forgotten_value_that_expired_stays_forgotten(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    saved = await mine.facts.save(f"Likes {GONE} a lot.", expires_at=datetime.now(UTC) + LATER)
    assert saved.id
    await mine.facts.forget(saved.id)
    expire(database)
    assert (await store.purge()).facts == 1
    assert GONE not in texts(database)
    again = await mine.facts.save(f"likes {GONE.upper()} a lot.")
    assert (again.outcome, again.rule, again.compared) == ("rejected", "tombstone", None)
    assert (await mine.facts.save(f"Likes {GONE} a lot.", restore=True)).outcome == "stored"


async def test_a_retry_of_what_was_purged_stores_nothing(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    until = datetime.now(UTC) + LATER
    await mine.facts.save(GONE, expires_at=until, idempotency_key="one")
    await mine.facts.save_many([NewFact(f"{GONE} two", expires_at=until), "Is tall."], idempotency_key="two")
    await mine.files.write("/memories/a.md", "kept", idempotency_key="file")
    expire(database)
    assert (await store.purge()).facts == 2
    again = await mine.facts.save(GONE, expires_at=until, idempotency_key="one")
    assert (again.outcome, again.rule, again.replayed) == ("rejected", "erased", True)
    many = await mine.facts.save_many([NewFact(f"{GONE} two", expires_at=until), "Is tall."], idempotency_key="two")
    assert [each.replayed for each in many] == [True, True], (
        "one of the two is still there, and so is the key's outcome"
    )
    assert (await mine.files.write("/memories/a.md", "kept", idempotency_key="file")).replayed
    assert GONE not in texts(database)


async def test_keys_go_when_their_time_is_up(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    await mine.facts.save("Likes tea.", key="k", idempotency_key="old")
    with database.admin() as conn:
        conn.execute("update memoranda_private.idempotency_keys set created_at = now() - interval '29 days'")
    assert await store.purge() == Purged(0, 0)
    await store.settings.set("key_days", 28, user="bob")
    assert await store.purge() == Purged(0, 0)
    await store.settings.set("key_days", 28, user="alice")
    await mine.facts.save("Likes tea.", key="k", idempotency_key="new")
    assert await store.expired() == Purged(0, 1)
    assert await store.purge() == Purged(0, 1)
    assert (await mine.facts.save("Likes tea.", key="k", idempotency_key="new")).replayed
    await store.settings.set("key_days", None, user="alice")


async def test_an_erasure_gives_a_key_its_time_anew(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    await mine.facts.save(GONE, idempotency_key="old")
    with database.admin() as conn:
        conn.execute("update memoranda_private.idempotency_keys set created_at = now() - interval '90 days'")
    await mine.erase()
    assert await store.purge() == Purged(0, 0)
    assert (await mine.facts.save(GONE, idempotency_key="old")).rule == "erased"


async def test_who_replaces_a_fact_meanwhile_loses_nothing(store: memoranda.Store, database: Database) -> None:
    """A correction waits for the purge of what it would correct, and then stands alone."""
    mine = store.memory("alice")
    await mine.facts.save(GONE, key="k", expires_at=datetime.now(UTC) + LATER)
    expire(database)
    async with await psycopg.AsyncConnection.connect(database.dsn("postgres"), autocommit=True) as purging:
        await purging.execute("begin")
        await purging.execute("set local role service_role")
        await purging.execute("select memoranda.purge()")
        import asyncio

        saving = asyncio.create_task(mine.facts.save("Likes tea.", key="k"))
        await asyncio.sleep(0.3)
        assert not saving.done()
        await purging.execute("commit")
        assert (await saving).outcome == "stored"
    assert [fact.content for fact in await mine.facts.recall()] == ["Likes tea."]


@pytest.mark.direct("sends two statements in one message, as pg_cron does")
async def test_the_job_for_pg_cron_purges_a_batch(store: memoranda.Store, database: Database) -> None:
    mine = store.memory("alice")
    await mine.facts.save(GONE, expires_at=datetime.now(UTC) + LATER)
    await mine.facts.save("Is tall.")
    expire(database)
    text = (Path(__file__).parents[2] / "docs" / "erasure.md").read_text(encoding="utf-8")
    (job,) = re.findall(r"cron\.schedule\('memoranda purge', '\* \* \* \* \*', \$\$(.*?)\$\$\);", text)
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        result = conn.pgconn.exec_(job.encode())  # a simple query: all of it is one transaction
        assert result.status == psycopg.pq.ExecStatus.TUPLES_OK, result.error_message
        assert conn.execute("select current_user").fetchone() == ("authenticator",)
    assert GONE not in texts(database)
    assert len(await mine.facts.recall()) == 1


@pytest.mark.parametrize("batch", [0, 10_001])
async def test_a_batch_has_bounds(store: memoranda.Store, batch: int) -> None:
    with pytest.raises(InputError):
        await store.purge(batch)


async def test_no_user_purges_or_erases_another(store: memoranda.Store) -> None:
    binding = store.memory("alice").facts._binding  # pyright: ignore[reportPrivateUsage]
    arguments: dict[str, Any] = {"purge": {"limits": {}}, "erase_user": {"subject": {"user": "bob"}}}
    for function, values in arguments.items():
        with pytest.raises(ForbiddenError):
            await store.transport.call(function, values, Caller.of(binding.identity))
