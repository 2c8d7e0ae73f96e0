"""The programs for Supabase in the README and in `docs/supabase.md`, on the stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from uuid import UUID

import httpx
import pytest

from acceptance.person import Person
from acceptance.test_readme import PROGRAMS
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, create_database, drop_database
from support.documents import DOCS as FOLDER
from support.documents import blocks
from support.standin import JWT_SECRET, PUBLISHABLE, SECRET, StandIn, token

PASSWORD = "correct horse battery"
README = [program for program in PROGRAMS if "memoranda.supabase(" in program[0]]
DOCS = [
    (program.text, below.text)
    for program, below in pairwise(blocks((FOLDER / "supabase.md").read_text(encoding="utf-8")))
    if (program.language, below.language) == ("python", "text")
]


@pytest.fixture(scope="module")
def project(stand_in: StandIn, direct_server: EmbeddedServer, template: str) -> Iterator[dict[str, str]]:
    """What the programs find in their environment, for a project in which somebody has signed up."""
    made: Database = create_database(direct_server, template)
    url = stand_in.url(made)
    account = {"email": "dora@example.com", "password": PASSWORD}
    httpx.post(f"{url}/auth/v1/signup", json=account, headers={"apikey": PUBLISHABLE}, timeout=60).raise_for_status()
    yield {
        "SUPABASE_URL": url,
        "SUPABASE_PUBLISHABLE_KEY": PUBLISHABLE,
        "SUPABASE_SECRET_KEY": SECRET,
        "SUPABASE_SIGNING_KEY": JWT_SECRET,
        "PASSWORD": PASSWORD,
        "TOKENS": " ".join(token(UUID(int=(8 << 64) + n)) for n in (1, 2)),
    }
    stand_in.forget(made)
    drop_database(made)


def test_there_are_programs() -> None:
    assert (len(README), len(DOCS)) == (1, 3)
    assert all(len(program.splitlines()) <= 20 for program, _ in README)


@pytest.mark.parametrize(("program", "output"), [*README, *DOCS])
def test_a_program_prints_what_stands_below_it(
    program: str, output: str, person: Person, project: dict[str, str]
) -> None:
    done = person.runs_python(program, **project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == output
