"""`memoranda mcp`, started as a client or an operator starts it."""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path

import httpx2
import jwt
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import memoranda
from acceptance.person import PROGRAM, Person
from support.databases import Database
from support.mcp_walk import found, said, walk
from support.servers import is_running

SECRET = "a secret of more than thirty-two bytes, for tests"
ISSUER = "https://issuer.example"


async def test_over_stdio(person: Person, store: memoranda.Store, database: Database) -> None:
    named = person.environment(MEMORANDA_USER="alice", MEMORANDA_DSN=database.dsn())
    async with Client(StdioServerParameters(command=str(PROGRAM), args=["mcp"], env=named)) as client:
        await walk(client, store.memory("alice"), store.settings, "alice")
    runs = {entry.run_id for entry in await store.memory("alice").audit(actor="model")}
    assert len(runs) == 1  # a process is a run, which can be undone
    assert str(runs).startswith("{'mcp-")


@pytest.mark.slow
async def test_over_stdio_on_a_folder_in_a_project(person: Person) -> None:
    named = person.environment(MEMORANDA_USER="alice", MEMORANDA_SCOPE="project:website")
    arguments = ["mcp", "--folder", str(person.folder / "mine")]
    server = StdioServerParameters(command=str(PROGRAM), args=arguments, env=named)
    async with Client(server, mode="legacy") as client:
        await said(client, "memory", command="create", path="/memories/a.md", file_text="of the project")
    assert not is_running(person.folder / "mine")  # the last one to leave has stopped it
    seen = person.runs(
        "files", "cat", "/memories/a.md", "--user", "alice", "--scope", "project:website", *arguments[1:]
    )
    assert "of the project" in seen.stdout


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
        (["mcp", "--folder", "x", "--http", "--issuer", ISSUER], {}, "give one of them"),
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
