"""`memoranda files`, as a person at a terminal uses it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.person import PROGRAM, Done, Person
from support.databases import Database

NOTES = "/memories/notes.md"
ALICE = ("--user", "alice")


@pytest.fixture
def person(person: Person, database: Database) -> Person:
    """With a database on a server, so that no command has to make or start one."""
    return Person(person.folder, database.dsn())


def files(person: Person, *arguments: str, **environment: str) -> Done:
    return person.runs("files", *arguments, *ALICE, **environment)


def editor(person: Person, program: str) -> dict[str, str]:
    """An editor, as a Python program that has the copy's path as its argument."""
    script = person.folder / "editor.py"
    script.write_text(f"import sys, pathlib\ncopy = pathlib.Path(sys.argv[1])\n{program}\n", encoding="utf-8")
    return {"VISUAL": f"{sys.executable} {script}"}


def test_a_file_is_written_seen_changed_and_put_back(person: Person) -> None:
    assert files(person, "ls").stdout == "No files here.\n"
    made = files(person, "edit", NOTES, **editor(person, 'copy.write_text("Ports: 5432\\n")'))
    assert (made.returncode, made.stdout, made.stderr) == (0, f"{NOTES}: created, version 1.\n", "")
    edited = files(person, "edit", NOTES, **editor(person, 'copy.write_text(copy.read_text() + "گزارش\\n")'))
    assert edited.stdout == f"{NOTES}: edited, version 2.\n"
    assert files(person, "cat", NOTES).stdout == "Ports: 5432\nگزارش\n"
    listed = files(person, "ls").stdout
    assert re.fullmatch(rf"{NOTES}  23 bytes, version 2, [-0-9]+ [:0-9]+\n", listed)
    restored = files(person, "restore", NOTES, "1")
    assert restored.stdout == f"{NOTES}: restored, version 3.\n"
    history = files(person, "history", NOTES).stdout
    assert re.findall(r"^(\w+) +version (\d)", history, re.MULTILINE) == [
        ("edited", "3"),
        ("edited", "2"),
        ("created", "1"),
    ]
    found = json.loads(files(person, "history", NOTES, "--json").stdout)
    assert [each["content"] for each in found] == ["Ports: 5432\n", "Ports: 5432\nگزارش\n", "Ports: 5432\n"]
    assert json.loads(files(person, "ls", "--json").stdout)[0]["path"] == NOTES
    assert person.runs("files", "ls", "--user", "bob").stdout == "No files here.\n"


def test_an_edit_that_changes_nothing_writes_nothing(person: Person) -> None:
    files(person, "edit", NOTES, **editor(person, 'copy.write_text("same")'))
    assert files(person, "edit", NOTES, **editor(person, "")).stdout == "Nothing was changed.\n"
    assert files(person, "history", NOTES).stdout.count("version") == 1


@pytest.mark.parametrize(
    ("program", "said"),
    [("sys.exit(3)", "ended with 3"), (r"copy.write_bytes(bytes([255]))", "not UTF-8")],
)
def test_an_editor_that_fails_changes_nothing(program: str, said: str, person: Person) -> None:
    done = files(person, "edit", NOTES, **editor(person, program))
    assert done.returncode == 1
    assert said in done.stderr
    assert files(person, "ls").stdout == "No files here.\n"


def test_without_an_editor_it_says_how_to_name_one(person: Person) -> None:
    done = files(person, "edit", NOTES, "--folder", "mine", VISUAL="/no/such/editor")
    assert done.returncode == 1
    assert "EDITOR=nano" in done.stderr


def test_what_was_typed_is_kept_when_somebody_else_was_faster(person: Person) -> None:
    files(person, "edit", NOTES, **editor(person, 'copy.write_text("first")'))
    racing = (
        "import subprocess, os\n"
        f"env = dict(os.environ, VISUAL={sys.executable + ' ' + str(person.folder / 'other.py')!r})\n"
        f"subprocess.run([{str(PROGRAM)!r}, 'files', 'edit', {NOTES!r}, *{ALICE!r}], env=env, check=True)\n"
        'copy.write_text("mine, and long in the making")'
    )
    Path(person.folder, "other.py").write_text("import sys\nopen(sys.argv[1], 'w').write('theirs')\n", encoding="utf-8")
    done = files(person, "edit", NOTES, **editor(person, racing), TMPDIR=str(person.folder))
    assert done.returncode == 1
    assert "[MEMORY_CONFLICT]" in done.stderr
    kept = re.search(r"What you wrote is kept in (\S+)", done.stderr)
    assert kept
    assert Path(kept[1]).read_text(encoding="utf-8") == "mine, and long in the making"
    assert files(person, "cat", NOTES).stdout == "theirs"


@pytest.mark.parametrize("command", [("cat", NOTES), ("restore", NOTES, "1")])
def test_a_file_that_is_not_there_is_said_so(command: tuple[str, ...], person: Person) -> None:
    done = files(person, *command)
    assert done.returncode == 1
    assert "[MEMORY_NOT_FOUND]" in done.stderr
    assert files(person, "history", NOTES).stdout == "Nothing has ever stood at this path.\n"


def test_a_terminal_gets_nothing_to_obey_and_a_pipe_the_text_itself(person: Person) -> None:
    files(person, "edit", "/memories/hostile.md", **editor(person, r'copy.write_text("\x1b[31mred\n")'))
    assert files(person, "cat", "/memories/hostile.md").stdout == "\x1b[31mred\n"
    main, other = os.openpty()
    try:
        command = [str(PROGRAM), "files", "cat", "/memories/hostile.md", *ALICE]
        subprocess.run(command, cwd=person.folder, env=person.environment(), stdout=other, check=True, timeout=60)
        assert os.read(main, 1000).decode().splitlines() == ["\\x1b[31mred"]
    finally:
        os.close(main)
        os.close(other)
