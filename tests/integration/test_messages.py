"""Turns are stored once, whatever their contents are; edits and deletions of a message follow through."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

import memoranda
from memoranda import NewMessage, Scope
from memoranda.errors import ConflictError, ForbiddenError, IdempotencyError, InputError, NotFoundError, TimeError
from support.databases import Database
from support.embedders import words_embedder
from support.messages import said, shared, store, user

__all__ = ["shared", "store", "user"]


def texts(messages: list[memoranda.Message]) -> list[str]:
    return [message.text for message in messages]


async def found(memory: memoranda.Memory, query: str) -> list[str]:
    return [hit.message.text for hit in await memory.messages.recall(query, 3, neighbours=0)]


async def test_a_turn_comes_back_as_it_was(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user, chat="c-1")
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    done = await memory.turns.add(
        [NewMessage("user", "Hello.", "m-1", at, "Anna", {"mood": "good"}), NewMessage("assistant", "Hi.", "m-2")],
        turn="t",
    )
    assert [(each.outcome, each.id) for each in done.messages] == [("stored", "m-1"), ("stored", "m-2")]
    assert done.embedded is True
    assert done.turn is not None
    first, second = await memory.messages.list(turn=done.turn)
    assert (first.role, first.text, first.at, first.author, first.data) == (
        "user",
        "Hello.",
        at,
        "Anna",
        {"mood": "good"},
    )
    assert (first.chat, first.scope, first.turn, first.version, first.tainted) == (
        "c-1",
        ("user", ""),
        done.turn,
        1,
        False,
    )
    assert second.at - datetime.now(UTC) < timedelta(minutes=1)
    assert texts(await memory.messages.list(chat="c-1")) == ["Hi.", "Hello."]
    assert texts(await memory.messages.list(chat="another")) == []


async def test_a_message_is_stored_once_by_its_id_in_its_chat(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user, chat="c-1")
    await memory.turns.add([NewMessage("user", "Hello.", "m-1")])
    again = await memory.turns.add([NewMessage("user", "Hello.", "m-1"), NewMessage("user", "Anybody?", "m-2")])
    assert [(each.outcome, each.rule) for each in again.messages] == [("duplicate", "same id"), ("stored", None)]
    (other,) = (await memory.turns.add([NewMessage("user", "Other words.", "m-1")])).messages
    assert (other.outcome, other.rule) == ("duplicate", "same id, another text")
    await store.memory(user, chat="c-2").turns.add([NewMessage("user", "Hello.", "m-1")])
    assert texts(await memory.messages.list()) == ["Hello.", "Anybody?", "Hello."]


async def test_a_named_turn_without_ids_can_be_sent_again(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    for _ in range(2):
        await memory.turns.add(said("Yes.", "Good."), turn="t-1")
    assert len(await memory.messages.list()) == 2
    await memory.turns.add(said("Yes.", "Good."))
    assert len(await memory.messages.list()) == 4, "the same was said again"


async def test_a_retry_with_its_key_stores_nothing_and_says_the_same(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    first = await memory.turns.add(said("Hello."), idempotency_key="k")
    again = await memory.turns.add(said("Hello."), idempotency_key="k")
    assert (again.turn, again.replayed) == (first.turn, True)
    with pytest.raises(IdempotencyError):
        await memory.turns.add(said("Goodbye."), idempotency_key="k")
    assert texts(await memory.messages.list()) == ["Hello."]


async def test_turns_at_once_in_one_chat_all_find_their_place(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user, chat="c")
    await asyncio.gather(*(memory.turns.add(said(f"question {n}", f"answer {n}")) for n in range(8)))
    listed = texts((await memory.messages.list(chat="c"))[::-1])
    assert len(listed) == 16
    assert [text.split()[1] for text in listed[::2]] == [text.split()[1] for text in listed[1::2]], (
        "turns stay together"
    )


async def test_a_temporary_chat_stores_nothing(store: memoranda.Store, user: UUID, shared: Database) -> None:
    done = await store.memory(user, chat="c", temporary=True).turns.add(said("Between us."))
    assert (done.turn, done.messages) == (None, ())
    with shared.admin() as conn:
        for table in ("messages", "work", "idempotency_keys", "tenants"):
            rows = conn.execute(
                f"select from memoranda_private.{table} where tenant_id = %s".encode(), [user]
            ).fetchall()
            assert rows == [], table


CONTENTS: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}, ""),
    "nothing": ({"role": "user", "content": ""}, ""),
    "parts": ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
    "a picture": ({"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}]}, ""),
    "NUL": ({"role": "user", "content": "a\x00b"}, "ab"),
    "a lone surrogate": ({"role": "user", "content": "a\ud800b", "name": "\udfff"}, "a\ufffdb"),
    "in data": (
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [{"id": "\x00", "function": {"name": "\ud800", "arguments": "\x00"}}],
        },
        "x",
    ),
    "no words": ({"role": "user", "content": "?!"}, "?!"),
}


@pytest.mark.parametrize("name", CONTENTS)
async def test_every_content_is_stored_and_holds_up_nothing(store: memoranda.Store, user: UUID, name: str) -> None:
    message, text = CONTENTS[name]
    memory = store.memory(user)
    done = await memory.turns.add([message, {"role": "user", "content": "Beside it."}])
    assert [each.outcome for each in done.messages] == ["stored", "stored"]
    assert texts(await memory.messages.list()) == ["Beside it.", text]
    assert "Beside it." in await found(memory, "beside")


async def test_one_message_that_is_too_long_holds_up_no_other(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    messages = [*said("Before."), NewMessage("user", "x" * 200_001), *said("After.")]
    done = await memory.turns.add(messages)
    assert [(each.outcome, each.rule) for each in done.messages] == [
        *(("stored", None), ("failed", "too large"), ("stored", None)),
    ]
    assert texts(await memory.messages.list()) == ["After.", "Before."]


async def test_a_turn_that_makes_no_sense_is_refused_before_anything_is_stored(
    store: memoranda.Store, user: UUID
) -> None:
    memory = store.memory(user)
    with pytest.raises(InputError):
        await memory.turns.add([{"role": "user", "content": "Hello."}, {"role": "narrator", "content": "x"}])
    with pytest.raises(TimeError):
        await memory.turns.add([NewMessage("user", "x", at=datetime(2026, 1, 1))])  # noqa: DTZ001
    with pytest.raises(InputError):
        await memory.turns.add(said("x"), turn="")
    assert await memory.messages.list() == []


async def test_an_edit_is_found_by_its_new_words_and_no_longer_by_the_old(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user, chat="c")
    await memory.turns.add([NewMessage("user", "I moved to Porto.", "m")])
    done = await memory.messages.edit("m", "I moved to Lisbon.", chat="c", expected_version=1)
    assert (done.outcome, done.version) == ("edited", 2)
    (hit,) = await memory.messages.recall("Lisbon")
    assert hit.why.words
    assert hit.similarity is None, "its vector is work"
    assert hit.message.edited_at is not None
    (old,) = await memory.messages.recall("Porto")
    assert not old.why.words
    assert (await memory.messages.edit("m", "I moved to Lisbon.", chat="c")).outcome == "unchanged"
    with pytest.raises(ConflictError):
        await memory.messages.edit("m", "x", chat="c", expected_version=1)
    with pytest.raises(NotFoundError):
        await memory.messages.edit("m", "x")  # of no chat


async def test_what_is_deleted_is_gone_and_does_not_come_back(
    store: memoranda.Store, user: UUID, shared: Database
) -> None:
    memory = store.memory(user, chat="c")
    turn = [NewMessage("user", "My PIN is 4711.", "m-1", data={"n": 4711}), NewMessage("assistant", "Noted.", "m-2")]
    await memory.turns.add(turn, turn="t")
    assert (await memory.messages.delete("m-1", chat="c")).outcome == "deleted"
    assert (await memory.messages.delete("m-1", chat="c")).outcome == "nothing"
    assert texts(await memory.messages.list()) == ["Noted."]
    assert await found(memory, "PIN 4711") == ["Noted."]
    again = await memory.turns.add(turn, turn="t")
    assert [(each.outcome, each.rule) for each in again.messages] == [("rejected", "deleted"), ("duplicate", "same id")]
    with pytest.raises(NotFoundError):
        await memory.messages.edit("m-1", "x", chat="c")
    with shared.admin() as conn:
        tables = ("messages", "message_terms", "message_vectors", "work")
        left = [
            conn.execute(f"select * from memoranda_private.{name} where owner_id = %s".encode(), [user])
            for name in tables
        ]
        assert not any("4711" in str(row) for rows in left for row in rows)
    assert (await memory.messages.delete(chat="c")).outcome == "deleted"
    assert await memory.messages.list() == []


async def test_a_message_that_has_expired_is_not_recalled(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    await memory.turns.add(said("The code is green."), expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert await memory.messages.recall("code green") == []
    assert await memory.messages.list() == []


async def test_members_read_an_organisations_messages_and_managers_write_them(
    store: memoranda.Store, user: UUID
) -> None:
    await store.members.set("acme", user, "manage")
    await store.members.set("acme", "reader", "read")
    shared_ = store.memory(user, tenant="acme", scope=Scope.organization())
    await shared_.turns.add(said("The office is closed on Monday."))
    reader = store.memory("reader", tenant="acme", scope=Scope.organization())
    assert await found(reader, "office closed") == ["The office is closed on Monday."]
    with pytest.raises(ForbiddenError):
        await reader.turns.add(said("It is open."))


async def test_what_a_tainted_run_stores_is_marked(store: memoranda.Store, user: UUID) -> None:
    run = store.memory(user, run_id="r-1")
    await run.taint("https://example.org")
    await run.turns.add(said("The page says so."))
    (hit,) = await store.memory(user).messages.recall("page")
    assert hit.message.tainted


async def test_long_messages_have_a_vector_for_each_piece(shared: Database, user: UUID) -> None:
    calls: list[str] = []
    embedder = words_embedder()

    class Listening:
        model, dimensions, max_inputs = embedder.model, embedder.dimensions, 64

        async def embed(self, texts: list[str], kind: str = "document") -> Any:
            calls.extend(texts)
            return await embedder.embed(texts)

    async with memoranda.connect(shared.dsn(), embedder=Listening()) as store:
        memory = store.memory(user)
        long = " ".join(f"word{n}" for n in range(900))
        await memory.turns.add(
            [NewMessage("user", f"{long} zebra", author="Anna", at=datetime(2026, 3, 1, tzinfo=UTC))]
        )
        assert len(calls) >= 4
        assert all(text.startswith("[1 March 2026] Anna: ") and len(text) < 2_600 for text in calls)
        (hit,) = await memory.messages.recall("zebra")
    with shared.admin() as conn:
        made = conn.execute(
            "select count(*) from memoranda_private.message_vectors where owner_id = %s", [user]
        ).fetchone()
    assert made == (len(calls) - 1,), "one for each piece; the question's was the last call"
    assert hit.similarity is not None
