"""The SQL as `docs/sql.md` has it: each block does what stands below it, and every function is named."""

from __future__ import annotations

import re
from itertools import pairwise

import psycopg

from support.databases import Database
from support.documents import DOCS, blocks

TEXT = (DOCS / "sql.md").read_text(encoding="utf-8")


def answers(conn: psycopg.Connection[tuple[object, ...]], statements: str) -> str:
    """What the last of some statements returns, a row a line; or the error."""
    rows: list[tuple[object, ...]] = []
    with conn.cursor() as cursor:
        try:
            cursor.execute(statements.encode())
            more: bool | None = True
            while more:
                rows = cursor.fetchall() if cursor.description else rows
                more = cursor.nextset()
        except psycopg.Error as error:
            conn.rollback()
            return f"ERROR: {error.diag.message_primary}\n"
    return "".join(" | ".join(map(str, row)) + "\n" for row in rows)


def test_each_block_answers_what_stands_below_it(database: Database) -> None:
    found = blocks(TEXT)
    assert [one.language for one in found] == ["sql", "text"] * (len(found) // 2)
    assert len(found) >= 14
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        for block, below in list(pairwise(found))[::2]:
            assert answers(conn, block.text) == below.text


def test_every_function_is_named_beside_who_may_call_it(database: Database) -> None:
    whole = TEXT.partition("## Every function")[2].partition("## Errors")[0]
    for_users, for_servers = (
        set(re.findall(r"`(\w+)`", part.partition("\n| | |")[2])) for part in whole.split("`service_role` alone")
    )
    with database.admin() as conn:
        doors = conn.execute(
            "select proname, has_function_privilege('authenticated', oid, 'execute') from pg_proc"
            " where pronamespace = 'memoranda'::regnamespace"
        ).fetchall()
    assert for_users == {name for name, users in doors if users}
    assert for_servers == {name for name, users in doors if not users}
