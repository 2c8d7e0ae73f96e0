"""Messages in exports and imports: a chat comes back as it was said, and what was deleted stays so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

import memoranda
from memoranda import ImportedRow, NewMessage, Scope
from memoranda.errors import ConflictError, FormatError
from support.canary import rows
from support.databases import Database
from support.messages import said, shared, store, user

__all__ = ["shared", "store", "user"]

WHEN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
TABLES = ("messages", "message_terms", "message_vectors", "work")


def there(database: Database, user: UUID) -> dict[str, list[str]]:
    """Every row that somebody's messages have; of work what it is."""
    found = rows(database)
    kept = {name: [row for row in found[name] if f"'owner_id': '{user}'" in row] for name in TABLES}
    return {**kept, "work": sorted(row.split("'kind': ")[1].split(",")[0] for row in kept["work"])}


async def lines_of(memory: memoranda.Memory, **options: bool) -> list[str]:
    return [line async for line in memory.export(**options)]


async def filled(store: memoranda.Store, user: UUID) -> memoranda.Memory:
    memory = store.memory(user, chat="c", run_id="r")
    asked = NewMessage("user", "Where does the zebra sleep?", "m-1", WHEN, "Ada", {"parts": ["text"]})
    await memory.turns.add([asked, NewMessage("assistant", "In the barn.", "m-2", WHEN)], turn="t")
    await memory.turns.add([NewMessage("user", "My code is 1234.", "m-3"), NewMessage("tool", "12 °C", "m-4")])
    await memory.turns.add([NewMessage("user", "long. " * 900, "m-5")], extract="worker")
    await store.memory(user, chat="d").turns.add(
        said("Elsewhere."), turn="t", expires_at=datetime.now(UTC) + timedelta(days=9)
    )
    await memory.messages.edit("m-2", "In the stable.", chat="c")
    await memory.messages.delete("m-3", chat="c")
    await store.work()
    return memory


@pytest.mark.parametrize("vectors", [True, False])
async def test_messages_come_back_row_by_row_with_words_and_vectors(
    store: memoranda.Store, user: UUID, shared: Database, vectors: bool
) -> None:
    memory = await filled(store, user)
    before = there(shared, user)
    assert [len(before[name]) for name in TABLES] == [6, 4, 6, 1]
    lines = await lines_of(memory, vectors=vectors)
    for _ in range(2):
        await memory.erase()
        assert there(shared, user)["messages"] == []
        done = await memory.import_(lines, restore=True)
        assert done.counts["message"] == {"restored": 6}
        if not vectors:
            assert there(shared, user)["work"] == ["'embed'"] * 4 + ["'extract'"]
            assert (await memory.messages.recall("zebra"))[0].message.author == "Ada", "words find it at once"
            assert (await store.work()).embedded == 4
        assert there(shared, user) == before
        assert (await memory.import_(lines, restore=True)).counts["message"] == {"duplicate": 6}
        assert there(shared, user) == before
    late = await memory.turns.add([NewMessage("user", "My code is 1234.", "m-3")])
    assert [(each.outcome, each.rule) for each in late.messages] == [("rejected", "deleted")]


async def test_a_chat_of_somebody_else_comes_in_marked_and_in_its_order(store: memoranda.Store, user: UUID) -> None:
    memory = await filled(store, user)
    other = store.memory(uuid4(), chat="c")
    await other.turns.add([NewMessage("user", "I was here.", "m-0"), NewMessage("user", "Mine.", "m-5")])
    lines = await lines_of(memory, history=False)
    report: list[ImportedRow] = []
    dry = await other.import_(lines, dry_run=True, report=report.append)
    assert len(await other.messages.list()) == 2
    assert [(each.name, each.rule) for each in report if each.outcome == "kept"] == [("m-5", "same id, another text")]
    done = await other.import_(lines)
    assert done.counts == dry.counts == {"message": {"stored": 5, "kept": 1}}
    chat = (await other.messages.list(chat="c"))[::-1]
    assert [each.id for each in chat] == ["m-0", "m-5", "m-1", "m-2", "m-4"], "at the end of the chat that is here"
    asked, answer = chat[2], chat[3]
    assert (asked.at, asked.author, asked.data, asked.run_id, asked.tainted) == (
        WHEN,
        "Ada",
        {"parts": ["text"]},
        None,
        True,
    )
    assert (answer.text, answer.turn) == ("In the stable.", asked.turn)
    assert (await store.work()).embedded == 3
    (hit, *_) = await other.messages.recall("where does a zebra sleep", 1)
    assert (hit.similarity or 0) > 0.5
    assert [each.text for each in hit.after][:1] == ["In the stable."]
    again = await other.import_(lines)
    assert again.counts == {"message": {"duplicate": 5, "kept": 1}}
    late = await other.turns.add([NewMessage("user", "My code is 1234.", "m-3")])
    assert late.messages[0].rule == "deleted", "what was deleted there is not said here"


async def test_what_was_deleted_on_one_side_is_named(store: memoranda.Store, user: UUID) -> None:
    memory, other = await filled(store, user), store.memory(uuid4(), chat="c")
    await other.turns.add([NewMessage("user", "It stands.", "m-3"), NewMessage("user", "It goes.", "m-1")])
    await other.messages.delete("m-1", chat="c")
    report: list[ImportedRow] = []
    await other.import_(await lines_of(memory), report=report.append)
    named = {each.name: (each.outcome, each.rule) for each in report if each.what == "message"}
    assert named["m-3"] == ("kept", "it was deleted there, and stands here")
    assert named["m-1"] == ("rejected", "deleted")
    assert "It stands." in [each.text for each in await other.messages.list()]


async def test_a_place_in_a_chat_that_is_taken_costs_no_message(store: memoranda.Store, user: UUID) -> None:
    memory = await filled(store, user)
    lines = await lines_of(memory)
    await memory.messages.edit("m-2", "In the tree.", chat="c")
    report: list[ImportedRow] = []
    await memory.import_(lines, restore=True, report=report.append)
    assert [(each.name, each.outcome) for each in report if each.what == "message" and each.outcome != "duplicate"] == [
        ("m-2", "differs"),
    ]
    await memory.erase()
    await memory.turns.add([NewMessage("user", "New here.", "n-1")])
    assert (await memory.import_(lines, restore=True)).counts["message"] == {"restored": 6}
    assert {each.id for each in await memory.messages.list(chat="c")} == {"n-1", "m-1", "m-2", "m-4", "m-5"}
    assert (await memory.import_(lines, restore=True)).counts["message"] == {"duplicate": 6}


async def test_who_speaks_during_an_export_is_noticed(store: memoranda.Store, user: UUID) -> None:
    memory = await filled(store, user)
    changes = (
        lambda: memory.turns.add(said("Meanwhile.")),
        lambda: memory.messages.edit("m-2", "Meanwhile.", chat="c"),
        lambda: memory.messages.delete("m-1", chat="c"),
    )
    for change in changes:
        lines = aiter(memory.export())
        while '"message"' not in await anext(lines):
            pass
        await change()
        with pytest.raises(ConflictError):
            [line async for line in lines]


async def test_a_line_that_is_no_message_is_named(store: memoranda.Store, user: UUID) -> None:
    memory, other = await filled(store, user), store.memory(uuid4())
    lines = await lines_of(memory, history=False)
    n = next(n for n, line in enumerate(lines) if '"m-1"' in line)

    def with_(**values: Any) -> list[str]:
        return [*lines[:n], json.dumps({**json.loads(lines[n]), **values}), *lines[n + 1 :]]

    for broken in ({"content": None}, {"id": "7"}, {"said_at": "2024-01-01"}):
        with pytest.raises(FormatError) as caught:
            await other.import_(with_(**broken))
        assert caught.value.detail["line"] == n + 1
    for strange in ({"role": "system"}, {"content": "x" * 200_001}, {"chat": None}, {"turn": None}):
        report: list[ImportedRow] = []
        await other.import_(with_(**strange), dry_run=True, report=report.append)
        assert [each.name for each in report if each.outcome == "failed"] == ["m-1"], strange


async def test_an_export_of_the_first_version_is_still_read(store: memoranda.Store, user: UUID) -> None:
    memory = store.memory(user)
    await memory.facts.save("Likes tea.")
    lines = await lines_of(memory)
    header = json.loads(lines[0])
    assert header["version"] == 2, "a reader of version 1 knows no messages, and is to say so"
    await memory.erase()
    first = json.dumps({**header, "version": 1})
    assert (await memory.import_([first, *lines[1:]], restore=True)).total("restored") == 2


async def test_a_run_that_only_spoke_goes_with_its_scope_and_comes_back(store: memoranda.Store, user: UUID) -> None:
    here, away = (store.memory(user, scope=Scope.project(name), run_id="r") for name in ("p", "q"))
    await here.taint("a page")
    await here.turns.add(said("I read it."))
    await away.turns.add(said("I read it."))
    lines = await lines_of(here)
    assert (await here.erase()).counts["runs"] == 0, "it has spoken elsewhere, too"
    assert (await away.erase()).counts["runs"] == 1
    assert (await here.import_(lines, restore=True)).counts["run"] == {"restored": 1}
    await here.turns.add(said("And this."))
    assert [each.tainted for each in await here.messages.list()] == [True, True]
