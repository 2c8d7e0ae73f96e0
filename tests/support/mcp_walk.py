"""What a user's client does with the server, whatever the transport: store, recall, correct, forget, keep notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from mcp import Client
from mcp.types import TextContent

import memoranda.settings
from memoranda.testing.adapters import check_fence
from memoranda_mcp import INSTRUCTIONS

TOOLS = ["memory", "memory_recall", "memory_store", "memory_timeline", "memory_history", "memory_forget"]

PATH = "/memories/notes.md"


async def said(client: Client, tool: str, *, fails: bool = False, **given: Any) -> str:
    """The text that a tool answers with."""
    result = await client.call_tool(tool, given)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.is_error == fails, content.text
    return content.text


async def found(client: Client, tool: str, **given: Any) -> tuple[str, list[Mapping[str, Any]]]:
    """What a tool shows, and what it tells programs of that; the SDK has checked it against the tool's schema."""
    result = await client.call_tool(tool, given)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    data = cast("dict[str, Any]", result.structured_content)
    assert data["text"] == content.text
    rows = cast("list[Mapping[str, Any]]", data["found"])
    if rows:
        check_fence(content.text)
    return content.text, rows


async def became(client: Client, tool: str, **given: Any) -> Mapping[str, Any]:
    """What became of a write."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    return cast("dict[str, Any]", result.structured_content)


async def walk(client: Client, memory: memoranda.Memory, settings: memoranda.settings.Settings, user: str) -> None:
    """All of it, by a client that serves a user whose memory is this."""
    assert client.instructions == INSTRUCTIONS
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == TOOLS

    # What a model says by itself waits for a person.
    given = {"content": "Prefers figures in GBP.", "key": "currency", "kind": "preference"}
    waits = await became(client, "memory_store", **given)
    assert (waits["outcome"], "approved" in waits["text"]) == ("pending", True)
    assert await found(client, "memory_recall", query="currency") == ("Nothing is remembered about that.", [])
    await memory.review.approve(UUID(waits["id"]))
    text, (hit,) = await found(client, "memory_recall", query="which currency?")
    assert "Prefers figures in GBP." in text
    assert (hit["kind"], hit["id"]) == ("fact", waits["id"])
    assert json.loads(text.split("\n")[2])["id"] == waits["id"]

    # Unless the organisation, or the user for themselves, has it otherwise.
    await settings.set("review", "none", user=user)
    new = await became(client, "memory_store", content="Prefers figures in EUR.", key="currency", kind="preference")
    assert (new["outcome"], new["supersedes"]) == ("superseded", waits["id"])
    text, facts = await found(client, "memory_timeline", kinds=["preference"], include=["superseded"])
    assert [fact["status"] for fact in facts] == ["confirmed", "superseded"]
    assert "EUR" in text.split("\n")[2]
    text, revisions = await found(client, "memory_history", key="currency")
    assert [revision["verb"] for revision in revisions][-1] == "proposed"
    assert {revision["actor"] for revision in revisions} == {"model", "application"}
    assert (await found(client, "memory_history", id=new["id"]))[1] == revisions

    gone = await became(client, "memory_forget", key="currency", reason="asked to")
    assert (gone["outcome"], gone["id"]) == ("forgotten", new["id"])
    assert (await became(client, "memory_forget", id=new["id"]))["outcome"] == "nothing"
    assert (await found(client, "memory_recall", query="currency"))[1] == []
    again = await became(client, "memory_store", content="prefers  FIGURES in eur.", kind="preference")
    assert (again["outcome"], again["rule"]) == ("rejected", "tombstone")

    assert await said(client, "memory", command="view", path="/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        "0B\t/memories"
    )
    created = f"File created successfully at: {PATH}"
    assert await said(client, "memory", command="create", path=PATH, file_text="one\ntwo\n") == created
    assert "2\ttwo" in await said(client, "memory", command="view", path=PATH, view_range=[2, -1])
    await said(client, "memory", command="str_replace", path=PATH, old_str="two\n")
    await said(client, "memory", command="insert", path=PATH, insert_line=1, insert_text="half\n")
    await said(client, "memory", command="rename", old_path=PATH, new_path="/memories/a.md")
    file = await memory.files.read("/memories/a.md")
    assert file is not None
    assert file.content == "one\nhalf\n"
    await said(client, "memory", command="delete", path="/memories/a.md")
    assert "does not exist" in await said(client, "memory", fails=True, command="view", path="/memories/a.md")
