"""The memory tool, to the letter: every text of its documentation, and what models send beyond it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest

import memoranda
from memoranda import commands
from memoranda.commands import Result
from memoranda.transport.embedded import EmbeddedServer
from support.commands import BIG, CONTENT, DOCUMENTED, SENT, A, Row, create, delete, lines, replace, view
from support.databases import Database, create_database, drop_database


@pytest.fixture(scope="module")
def shared(server: EmbeddedServer, template: str) -> Iterator[Database]:
    """One database for the whole table: every row of it has a user of its own."""
    made = create_database(server, template)
    yield made
    drop_database(made)


@pytest.fixture
async def files(shared: Database) -> AsyncIterator[memoranda.Files]:
    async with memoranda.connect(shared.dsn(), max_connections=1) as store:
        yield store.memory(uuid4()).files


@pytest.mark.parametrize("row", [*DOCUMENTED.values(), *SENT.values()], ids=[*DOCUMENTED, *SENT])
async def test_a_command_is_answered_to_the_letter(files: memoranda.Files, row: Row) -> None:
    for path, text in row.given.items():
        await files.write(path, text)
    assert await files.run(row.command) == Result(row.text, row.is_error)
    after = {entry.path: file.content for entry in await files.list() if (file := await files.read(entry.path))}
    assert after == (row.given if row.then is None else row.then)


async def test_a_file_of_too_many_lines_is_answered_as_documented(
    files: memoranda.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file can have so many here; the text is kept for stores with a higher limit."""
    monkeypatch.setattr(commands, "MOST_LINES", 2)
    await files.write(A, "1\n2\n3")
    assert await files.run(view(A)) == Result(f"File {A} exceeds maximum line limit of 999,999 lines.", True)


async def test_a_long_file_is_read_whole_in_pages(files: memoranda.Files) -> None:
    await files.write(A, BIG)
    command, seen = view(A), list[str]()
    while True:
        text = str(await files.run(command))
        header, *shown = text.split("\n")
        assert header == CONTENT.format(A)
        note = shown.pop() if shown[-1].startswith("[") else None
        assert len("\n".join([header, *shown])) <= commands.PAGE
        seen += [line.partition("\t")[2] for line in shown]
        if note is None:
            break
        first = len(seen) + 1
        assert note.endswith(f" to {first - 1} of 400. View the rest with view_range [{first}, -1].]")
        command = view(A, first, -1)
    assert "\n".join(seen) == BIG


async def test_a_line_longer_than_a_page_is_cut_and_what_is_after_it_is_in_reach(files: memoranda.Files) -> None:
    await files.write(A, "x" * 20_000 + "\nend")
    text = str(await files.run(view(A)))
    assert text.endswith(
        "[Line 1 goes on: it is longer than one view shows. View what is after it with view_range [2, -1].]"
    )
    assert await files.run(view(A, 2, -1)) == Result(f"{CONTENT.format(A)}\n{lines('end', first=2)}")


async def test_what_goes_wrong_beneath_is_raised_and_not_told_to_the_model(shared: Database) -> None:
    store = memoranda.connect(shared.dsn(), max_connections=1)
    await store.open()
    await store.close()
    with pytest.raises(memoranda.MemorandaError):
        await store.memory("alice").files.run(view("/memories"))


async def test_an_answer_is_text_that_any_encoding_can_carry(files: memoranda.Files) -> None:
    await files.write(A, "x")
    for command in ({"command": "\ud800"}, replace(A, "\ud800\0", "y"), view("/memories/\ud800"), delete("\ud800")):
        result = await files.run(command)
        assert result.is_error
        assert "\0" not in result.text
        result.text.encode()


async def test_the_log_shows_the_model_and_its_tool_call(files: memoranda.Files) -> None:
    await files.run(create(A, "x"), tool_call_id="call-1")
    await files.write(A, "y")
    assert [(each.actor, each.tool_call_id) for each in await files.history(A)] == [
        ("application", None),
        ("model", "call-1"),
    ]
