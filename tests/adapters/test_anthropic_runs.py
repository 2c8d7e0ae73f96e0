"""The Anthropic adapter as programs use it: the tools alone, with and without `await`, and turns that end otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import APIStatusError
from anthropic.lib.tools import ToolError

import memoranda.sync
from memoranda.errors import InputError, UnavailableError
from memoranda.testing.adapters import ACCEPTED
from memoranda_anthropic import AsyncMemoryTool, MemoryTool, MessagesMemory, ModelExtractor, memory_tools
from support.anthropic_server import MODEL, AnthropicServer, text, use
from support.databases import Database
from support.openai_server import Json, Reply, error

HELLO: list[Any] = [{"role": "user", "content": "Keep notes, please."}]
PATH = "/memories/notes.md"

WALK: list[tuple[dict[str, Any], str, bool]] = [
    ({"command": "create", "path": PATH, "file_text": "one\ntwo\n"}, f"File created successfully at: {PATH}", False),
    ({"command": "create", "path": PATH, "file_text": "x"}, f"Error: File {PATH} already exists", True),
    (
        {"command": "view", "path": "/memories"},
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        f"8B\t/memories\n8B\t{PATH}",
        False,
    ),
    (
        {"command": "view", "path": PATH, "view_range": [2, -1]},
        f"Here's the content of {PATH} with line numbers:\n     2\ttwo",
        False,
    ),
    (
        {"command": "str_replace", "path": PATH, "old_str": "two\n"},  # without new_str: removed
        "The memory file has been edited.\n     1\tone",
        False,
    ),
    (
        {"command": "insert", "path": PATH, "insert_line": 1, "insert_text": "half\n"},
        f"The file {PATH} has been edited.",
        False,
    ),
    (
        {"command": "rename", "old_path": PATH, "new_path": "/memories/a.md"},  # without path
        f"Successfully renamed {PATH} to /memories/a.md",
        False,
    ),
    ({"command": "delete", "path": "/memories/a.md"}, "Successfully deleted /memories/a.md", False),
    ({"command": "delete", "path": "/memories"}, "Error: /memories itself cannot be changed.", True),
    ({"command": "fly"}, "Error: Unknown command `fly`.", True),
    ({}, "Error: Unknown command of type NoneType.", True),
]
"""What Claude asks of the tool, what it gets back, and whether that is an error."""


@pytest.fixture
def model() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


@pytest.fixture
def memory(store: memoranda.Store) -> MessagesMemory[str]:
    return MessagesMemory(store, identity=lambda user: user)


def answers(model: AnthropicServer) -> list[tuple[str, bool]]:
    """What the model got back, call by call."""
    content = [message["content"] for message in model.asked[-1]["messages"] if isinstance(message["content"], list)]
    found = [block for blocks in content for block in blocks if block["type"] == "tool_result"]
    return [(block["content"], block.get("is_error", False)) for block in found]


def as_walked(found: list[tuple[str, bool]]) -> None:
    assert len(found) == len(WALK)
    for (said, is_error), (_, expected, fails) in zip(found, WALK, strict=True):
        assert said.startswith(expected) if fails else said == expected, said
        assert is_error == fails


# The tools alone


async def test_the_tool_runner_walks_all_six_commands(alice: memoranda.Memory, model: AnthropicServer) -> None:
    model.says(*([use("memory", given, f"c{number}")] for number, (given, _, _) in enumerate(WALK)))
    async with model.client() as client:
        runner = client.beta.messages.tool_runner(
            model=MODEL, max_tokens=100, messages=HELLO, tools=[AsyncMemoryTool(alice)]
        )
        last = await runner.until_done()
    assert last.content[0].type == "text"
    assert model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    as_walked(answers(model))
    written = await alice.files.history(PATH)
    assert {each.actor for each in written} == {"model"}


def test_the_tool_runner_without_await_walks_them_too(database: Database, model: AnthropicServer) -> None:
    model.says(*([use("memory", given, f"c{number}")] for number, (given, _, _) in enumerate(WALK)))
    with memoranda.sync.connect(database.dsn()) as store, model.sync_client() as client:
        tools = memory_tools(store.memory("alice"))
        assert [tool.name for tool in tools] == ["memory", "recall"]
        runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=100, messages=HELLO, tools=tools)
        assert runner.until_done().content[0].type == "text"
    as_walked(answers(model))


async def test_whatever_of_the_tool_is_called_it_is_the_same(alice: memoranda.Memory) -> None:
    tool = AsyncMemoryTool(alice, cache_control={"type": "ephemeral"})
    assert tool.to_dict().get("cache_control") == {"type": "ephemeral"}
    for given in ACCEPTED:
        assert await super(AsyncMemoryTool, tool).call(given)  # as the SDK would, command by command
    with pytest.raises(ToolError, match="does not exist"):
        await tool.call({"command": "view", "path": PATH})


async def test_a_memory_of_the_wrong_kind_is_refused(alice: memoranda.Memory, store: memoranda.Store) -> None:
    for wrong in (store, "alice", None):
        with pytest.raises(InputError):
            AsyncMemoryTool(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="await"):
        MemoryTool(alice).call({"command": "view", "path": "/memories"})  # type: ignore[arg-type]
    tool = AsyncMemoryTool(store.sync.memory("alice"))  # in a thread
    assert "/memories" in await tool.call({"command": "view", "path": "/memories"})


async def test_tools_alone_save_nothing_that_they_cannot_check(alice: memoranda.Memory) -> None:
    remember = memory_tools(alice, remember=True)[-1]
    said = await remember.call({"content": "Lives in Porto.", "quote": "I live in Porto"})
    assert "once a person has approved it" in str(said)
    assert await alice.review.count() == 1


async def test_out_of_reach_the_model_is_told_no_more_than_that() -> None:
    store = memoranda.connect("host=/nowhere/secret", timeout=0.2)
    tool = AsyncMemoryTool(store.memory("alice"))
    with pytest.raises(ToolError) as caught:
        await tool.call({"command": "view", "path": "/memories"})
    assert caught.value.content == "Error: the memory is out of reach for now."


# Turns


async def test_a_call_that_the_runner_makes_again_is_done_once(
    memory: MessagesMemory[str], alice: memoranda.Memory, model: AnthropicServer
) -> None:
    add = {"command": "insert", "path": PATH, "insert_line": 0, "insert_text": "b\n"}
    await alice.files.write(PATH, "a\n")
    for _ in range(2):  # the same turn, begun again after it was broken off
        model.says([use("memory", add, "toolu_1")])
        async with model.client() as client, memory.turn("alice", HELLO, run_id="r1") as turn:
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=100, messages=turn.messages, system=turn.system(), tools=turn.tools
            )
            assert [message.stop_reason async for message in turn.follow(runner)] == ["tool_use", "end_turn"]
    file = await alice.files.read(PATH)
    assert file is not None
    assert file.content == "b\na\n"
    assert (await alice.files.history(PATH))[0].tool_call_id == "toolu_1"


async def test_a_streaming_runner(memory: MessagesMemory[str], alice: memoranda.Memory, model: AnthropicServer) -> None:
    model.says([text("A moment."), use("memory", {"command": "create", "path": PATH, "file_text": "a"}, "toolu_2")])
    heard: list[str] = []
    async with model.client() as client, memory.turn("alice", HELLO, chat="c") as turn:
        runner = client.beta.messages.tool_runner(
            model=MODEL, max_tokens=100, messages=turn.messages, system=turn.system(), tools=turn.tools, stream=True
        )
        async for stream in turn.follow(runner):
            heard += [event.text async for event in stream if event.type == "text"]
    assert heard == ["A moment.", "done"]
    assert (await alice.files.history(PATH))[0].tool_call_id == "toolu_2"
    told = await alice.messages.list()
    assert [message.text for message in reversed(told)] == [
        "Keep notes, please.",
        "A moment.",
        f"File created successfully at: {PATH}",
        "done",
    ]


def test_turns_without_await(database: Database, model: AnthropicServer) -> None:
    with memoranda.sync.connect(database.dsn()) as store, model.sync_client() as client:
        store.memory("alice").facts.save("Prefers figures in GBP.", key="currency")
        memory = MessagesMemory[str](store, identity=lambda user: user)
        create = {"command": "create", "path": PATH, "file_text": "a"}
        model.says([use("memory", create, "c1"), use("web", {}, "c2")])
        with memory.sync_turn("alice", HELLO) as turn:
            again = True
            while again:
                said = client.messages.create(
                    model=MODEL,
                    max_tokens=100,
                    system=turn.system(),
                    messages=turn.messages,
                    tools=turn.definitions,
                )
                again = turn.answer(said)
        assert "GBP" in json.dumps(model.asked[0]["messages"])
        assert answers(model) == [
            (f"File created successfully at: {PATH}", False),
            ("Error: There is no tool web.", True),
        ]
        model.says([use("recall", {"query": "notes"}, "c3")])
        with memory.sync_turn("alice", HELLO, chat="another") as turn:
            assert len(list(turn.run(client, model=MODEL, max_tokens=100))) == 2
        assert "Keep notes, please." in answers(model)[0][0]
        assert not any("GBP" in json.dumps(message, default=str) for message in turn.history[:1])


async def test_what_was_said_is_stored_when_the_model_fails(
    memory: MessagesMemory[str], alice: memoranda.Memory, model: AnthropicServer
) -> None:
    model.then(error(500))
    async with model.client() as client:
        with pytest.raises(APIStatusError):
            async with memory.turn("alice", HELLO) as turn:
                await client.messages.create(model=MODEL, max_tokens=9, messages=turn.messages)
    assert [message.text for message in await alice.messages.list()] == ["Keep notes, please."]


async def test_a_model_that_pauses_goes_on_and_what_it_read_there_taints(
    memory: MessagesMemory[str], alice: memoranda.Memory, model: AnthropicServer
) -> None:
    found: Json = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    create = use("memory", {"command": "create", "path": PATH, "file_text": "from a page"}, "c1")
    model.says([{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}], [found, create])
    async with model.client() as client, memory.turn("alice", HELLO) as turn:
        steps = 0
        again = True
        while again:
            steps += 1
            said = await client.messages.create(model=MODEL, max_tokens=9, messages=turn.messages)
            again = await turn.answer(said)
    assert steps == 3
    file = await alice.files.read(PATH)
    assert file is not None
    assert file.tainted  # before the call beside it was made


async def test_results_in_an_earlier_turn_and_summaries_taint_as_well(
    memory: MessagesMemory[str], alice: memoranda.Memory
) -> None:
    called = {"role": "assistant", "content": [use("web", {}, "w1")]}
    page = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "w1", "content": "a page"}]}
    summed = {"role": "assistant", "content": [{"type": "compaction", "content": "They spoke of a page."}]}
    for number, before in enumerate([[*HELLO, called, page], [summed], []]):
        run = f"r{number}"
        async with memory.turn("alice", [*before, {"role": "user", "content": "And now?"}], run_id=run) as turn:
            await turn.tools[0].call({"command": "create", "path": f"/memories/{number}.md", "file_text": "x"})
    marks = [(await alice.files.read(f"/memories/{number}.md")) for number in range(3)]
    assert [mark.tainted for mark in marks if mark] == [True, True, False]


async def test_that_the_database_is_out_of_reach_ends_the_loop(model: AnthropicServer, database: Database) -> None:
    model.says([use("memory", {"command": "view", "path": "/memories"}, "c1")])
    async with memoranda.connect(database.dsn()) as store:
        memory = MessagesMemory[str](store, identity=lambda user: user, turns=False)
        async with model.client() as client, memory.turn("alice", HELLO) as turn:
            runner = client.beta.messages.tool_runner(
                model=MODEL, max_tokens=100, messages=turn.messages, system=turn.system(), tools=turn.tools
            )
            await store.close()
            with pytest.raises(InputError, match="another tool"):
                turn.run(client, model=MODEL, max_tokens=100, tools=[{"name": "recall"}])
            with pytest.raises(UnavailableError):
                async for _ in turn.follow(runner):
                    pass
    assert len(model.asked) == 1


async def test_facts_are_found_by_a_model_of_theirs(store: memoranda.Store, model: AnthropicServer) -> None:
    fact = {"content": "Likes green tea.", "quote": "I like green tea", "message": 1}
    async with model.client() as client:
        memory = MessagesMemory[str](store, identity=lambda user: user, extractor=ModelExtractor(client, MODEL))
        model.says([text("Noted.")], [text(json.dumps({"facts": [fact]}))])
        async with memory.turn("alice", [{"role": "user", "content": "I like green tea."}]) as turn:
            said = await client.messages.create(model=MODEL, max_tokens=9, messages=turn.messages)
            assert not await turn.answer(said)
        assert [each.content for each in await store.memory("alice").facts.recall()] == ["Likes green tea."]
        model.says()
        model.then(Reply(), error(529))
        async with memory.turn("alice", HELLO) as turn:
            said = await client.messages.create(model=MODEL, max_tokens=9, messages=turn.messages)
            assert not await turn.answer(said)  # that nothing could be extracted is not the turn's error
    assert len(await store.memory("alice").messages.list()) == 4
