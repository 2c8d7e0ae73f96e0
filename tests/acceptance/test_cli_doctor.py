"""`memoranda doctor`, as a person and as a build server meet it."""

from __future__ import annotations

import json

from acceptance.person import Person
from support.databases import Database


def test_a_sound_database(person: Person, database: Database) -> None:
    done = person.runs("doctor", "--dsn", database.dsn())
    assert (done.returncode, done.stderr) == (0, "")
    assert "login authenticator" in done.stdout.splitlines()[0]
    assert "ERROR" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 errors, 0 warnings, ")


def test_what_is_wrong_fails_and_says_what_to_do(person: Person, database: Database) -> None:
    with database.admin() as conn:
        who = "(select gen_random_uuid() as id) as u"
        conn.execute(f"insert into memoranda_private.work select id, id, 'user', '', 'embed', id, id, now() from {who}")
        conn.execute("update memoranda_private.work set dead_at = now()")
    warned = person.runs("doctor", "--dsn", database.dsn())
    assert (warned.returncode, "memoranda worker --retry" in warned.stdout) == (0, True)

    strict = person.runs("doctor", "--dsn", database.dsn(), "--strict", "--json")
    wrong = [each["check"] for each in json.loads(strict.stdout) if each["level"] not in ("ok", "note")]
    assert (strict.returncode, wrong) == (1, ["queue"])

    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable row level security")
    failed = person.runs("doctor", "--dsn", database.dsn())
    assert failed.returncode == 1
    assert "-> alter table memoranda_private.facts enable row level security;\n" in failed.stdout
    assert failed.stdout.endswith("\n1 error, 1 warning, 1 note.\n")
