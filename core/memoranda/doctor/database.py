"""The doctor's eyes: the queries in `sql/doctor`, and the schema as this release makes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from memoranda import schema

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.AsyncConnection[Any]

INNER = ("memoranda_owner", "memoranda_rules", "memoranda_service", "memoranda_erasure", "memoranda_import")
"""The roles that own what is ours."""


async def rows(conn: Connection, name: str) -> list[Any]:
    """What one of our queries finds; each row has its columns as attributes.

    Args:
        conn: A connection of any login: all that is asked is open to everybody.
        name: The query: a file in `sql/doctor`, without its ending.
    """
    from psycopg.rows import namedtuple_row

    cursor = conn.cursor(row_factory=namedtuple_row)
    return await (await cursor.execute(schema.read(f"doctor/{name}.sql").encode(), prepare=False)).fetchall()


@dataclass(frozen=True, slots=True)
class Expected:
    """What a database of this release has.

    Attributes:
        calls: Who may call which function, of those that are not roles of ours.
        functions: The functions.
        indexes: The indexes, each with its table.
        policies: The policies, as `table.name`.
        triggers: The triggers, in the same form.
    """

    calls: frozenset[tuple[str, str]]
    functions: frozenset[str]
    indexes: frozenset[str]
    policies: frozenset[str]
    triggers: frozenset[str]


@cache
def expected() -> Expected:
    """Read it from the snapshot of the schema, which a test keeps equal to what the migrations make."""
    text = schema.read("schema.sql")
    ours = r"memoranda_private\.(\w+)"
    functions = r"(memoranda(?:_private)?\.\w+)\("
    return Expected(
        calls=frozenset(
            (function, grantee)
            for function, grantee in re.findall(
                rf"^GRANT ALL ON FUNCTION {functions}.*\) TO (\w+);$", text, re.MULTILINE
            )
            if grantee not in INNER
        ),
        functions=frozenset(re.findall(rf"^CREATE FUNCTION {functions}", text, re.MULTILINE)),
        indexes=frozenset(
            re.findall(r"^CREATE (?:UNIQUE )?INDEX (\w+) ON", text, re.MULTILINE)
            + re.findall(r"ADD CONSTRAINT (\w+) (?:PRIMARY KEY|UNIQUE)", text)
        ),
        policies=frozenset(
            f"{table}.{name}" for name, table in re.findall(rf"^CREATE POLICY (\w+) ON {ours}", text, re.MULTILINE)
        ),
        triggers=frozenset(
            f"{table}.{name}" for name, table in re.findall(rf"^CREATE TRIGGER (\w+) .*? ON {ours}", text, re.MULTILINE)
        ),
    )
