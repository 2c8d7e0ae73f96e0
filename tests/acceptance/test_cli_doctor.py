"""`memoranda doctor`, as a person and as a build server meet it."""

from __future__ import annotations

import json

from acceptance.person import Person
from support.databases import Database
from support.servers import is_running


def test_a_sound_database(person: Person, database: Database) -> None:
    done = person.runs("doctor", "--dsn", database.dsn())
    assert (done.returncode, done.stderr) == (0, "")
    assert "login authenticator" in done.stdout.splitlines()[0]
    assert "ERROR" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 errors, 0 warnings, ")


def test_what_is_wrong_fails_and_says_what_to_do(person: Person, database: Database) -> None:
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable row level security")
        who = "(select gen_random_uuid() as id) as u"
        conn.execute(f"insert into memoranda_private.work select id, id, 'user', '', 'embed', id, id, now() from {who}")
        conn.execute("update memoranda_private.work set dead_at = now()")
    done = person.runs("doctor", "--dsn", database.dsn())
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "-> alter table memoranda_private.facts enable row level security;" in said
    assert said.endswith("1 errors, 1 warnings, 1 notes.")

    done = person.runs("doctor", "--dsn", database.dsn(), "--json")
    wrong = {each["check"]: each["level"] for each in json.loads(done.stdout) if each["level"] in ("error", "warning")}
    assert (done.returncode, wrong) == (1, {"row-security": "error", "queue": "warning"})

    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts enable row level security")
    codes = [person.runs("doctor", "--dsn", database.dsn(), *strict).returncode for strict in ([], ["--strict"])]
    assert codes == [0, 1]


def test_a_folder(person: Person) -> None:
    done = person.runs("doctor", "--folder", "memory")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 errors, 0 warnings" in done.stdout
    assert not is_running(person.folder / "memory")
