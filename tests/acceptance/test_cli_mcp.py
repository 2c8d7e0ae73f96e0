"""`memoranda mcp`, started as a client or an operator starts it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx2
import jwt
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import memoranda
from acceptance.person import PROGRAM, Person
from memoranda import Scope
from memoranda_mcp import INSTRUCTIONS
from support.databases import Database
from support.mcp_walk import became, found, walk
from support.servers import is_running

SECRET = "a secret of more than thirty-two bytes, for tests"
ISSUER = "https://issuer.example"

SETUP = Path(__file__).parents[2].joinpath("docs/AGENT_SETUP.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """What `docs/AGENT_SETUP.md` has of it, for this machine."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", SETUP, re.MULTILINE | re.DOTALL)
    return [each.replace("$HOME/.memoranda/venv/bin/", f"{PROGRAM.parent}/") for each in found]


async def test_over_stdio_as_the_setup_page_has_it(person: Person, store: memoranda.Store, database: Database) -> None:
    """But for the folder, in whose place another database stands, and the local embedder, which is slow to load."""
    (text,) = blocks("json")
    server = json.loads(text)["mcpServers"]["memoranda"]
    assert server["args"][1:] == ["--folder", "HOME/.memoranda/data", "--embedder", "local"]
    assert server["command"] == "HOME/.memoranda/venv/bin/memoranda"
    named = person.environment(
        MEMORANDA_DSN=database.dsn(), MEMORANDA_SCOPE="project:website", **{name: "alice" for name in server["env"]}
    )
    async with Client(StdioServerParameters(command=str(PROGRAM), args=server["args"][:1], env=named)) as client:
        memory = store.memory("alice", scope=Scope.project("website"))
        await walk(client, memory, store.settings, "alice")
    runs = {entry.run_id for entry in await memory.audit(actor="model")}
    assert len(runs) == 1  # a process is a run, which can be undone
    assert str(runs).startswith("{'mcp-")
    assert await store.memory("alice").audit() == []


@pytest.mark.slow
def test_the_commands_of_the_setup_page_on_a_folder(person: Person) -> None:
    _, check, add, review = blocks("sh")
    assert check.partition("mcp --folder")[2] == add.partition("mcp --folder")[2]
    home = person.environment(HOME=str(person.folder))
    person.folder.joinpath(".memoranda").mkdir()  # as the installation makes it

    def sh(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=home, timeout=120)

    for _ in range(2):
        done = sh(check)
        answer = json.loads(done.stdout)["result"]
        assert answer["serverInfo"]["name"] == "memoranda"
        assert answer["instructions"] == INSTRUCTIONS
        assert done.stderr.startswith("Database: embedded")
    data = person.folder / ".memoranda" / "data"
    assert not is_running(data)  # the last one to leave has stopped it
    done = sh(review)
    assert (done.returncode, done.stderr) == (0, "")

    arguments = ["mcp", "--folder", str(data)]
    named = home | {"MEMORANDA_USER": sh("id -un").stdout.strip()}
    server = StdioServerParameters(command=str(PROGRAM), args=arguments, env=named)

    async def stored() -> object:
        async with Client(server, mode="legacy") as client:
            return (await became(client, "memory_store", content="Likes tea."))["outcome"]

    assert asyncio.run(stored()) == "stored"

    # And when the client ends the server, instead of its input.
    pipe = subprocess.PIPE
    with subprocess.Popen([str(PROGRAM), *arguments], env=named, stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(check.partition("'")[2].partition("'")[0] + "\n")
        running.stdin.flush()
        assert "serverInfo" in running.stdout.readline()
        assert is_running(data)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0
    assert not is_running(data)


async def test_over_http(person: Person, database: Database) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    person.dsn = database.dsn()
    url = f"http://127.0.0.1:{port}/mcp"
    running = person.starts("mcp", "--http", "--port", str(port), "--issuer", ISSUER, MEMORANDA_MCP_SECRET=SECRET)
    try:
        assert running.stderr
        assert running.stderr.readline().startswith("Database: ")
        claims = {"sub": "bob", "iss": ISSUER, "aud": url, "exp": time.time() + 600}
        headers = {"Authorization": f"Bearer {jwt.encode(claims, SECRET, 'HS256')}"}
        async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(retries=8)) as http:  # until it listens
            assert (await http.get(url)).status_code == 401
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert await found(client, "memory_recall", query="x") == ("Nothing is remembered about that.", [])
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    assert (running.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (["mcp", "--folder", "x"], {}, "Name the user in MEMORANDA_USER."),
        (["mcp", "--folder", "x"], {"MEMORANDA_USER": " alice"}, "no space at either end"),
        (["mcp"], {"MEMORANDA_USER": "alice"}, "Which database?"),
        (["mcp", "--folder", "x", "--scope", "all"], {"MEMORANDA_USER": "alice"}, "is not a scope"),
        (["mcp", "--folder", "x", "--http"], {"MEMORANDA_USER": "alice"}, "Unset it."),
        (["mcp", "--folder", "x", "--http"], {}, "--issuer"),
    ],
)
def test_what_cannot_work_is_said_in_a_line(
    arguments: list[str], environment: dict[str, str], expected: str, person: Person
) -> None:
    done = person.runs(*arguments, **environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path(person.folder, "x").exists()


def test_without_its_packages_one_line_says_how_to_install_them(person: Person) -> None:
    program = """
import sys
sys.modules["mcp"] = None  # looks as if it were not installed
import memoranda.cli
sys.argv = ["memoranda", "mcp", "--folder", "x"]
memoranda.cli.main()
"""
    done = person.runs_python(program, MEMORANDA_USER="alice")
    assert done.returncode == 1
    assert "pip install 'memoranda[mcp]'" in done.stderr
    assert len(done.stderr.splitlines()) <= 2
