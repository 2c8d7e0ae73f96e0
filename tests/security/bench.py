"""A bench to try statements on as anybody: each is taken back, and what it would have changed is seen first."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from .catalogue import API, INNER, Catalogue, Function, Relation, read
from .world import Caller, Row, World, become

REFUSED = "42501"
NO_IDENTITY = "28000"

_VERSION = "hash_record_extended(row(xmin, ctid), 0)"
"""One of a row that was written: of no other row, and not of the same one before."""


_ATTEMPT = "rollback to savepoint attempt; {}; set local session authorization default; execute digests"
"""In one round trip: the last attempt is taken back, the next made, and a superuser, who sees everything, looks."""

_PRIVILEGE_CHECKS = ("aclcheck_error", "call_string_check_hook")
"""Where Postgres refuses for want of a privilege, and (the hook) a role for want of a membership."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one statement."""

    state: str | None = None
    """The SQLSTATE of its error; None when it ran."""
    denied: bool = False
    """It was refused for want of a privilege, before anything was run: no trigger or policy had to hold it up."""
    said: str = ""
    """Whatever came back: rows as JSON, or the whole of an error."""
    rows: Sequence[tuple[Any, ...]] = ()
    changes: Sequence[tuple[str, Row]] = field(default_factory=list[tuple[str, Row]])
    """The rows that were there only before or only after, with their table."""


class Bench:
    """Statements in one transaction of a superuser, who becomes anybody for the length of a statement.

    Attributes:
        conn: The transaction. It may hold changes of its own, such as a schema that was broken on purpose.
        world: Whose rows are there.
        catalogue: What there is to try.
    """

    def __init__(self, conn: psycopg.Connection[Any], world: World) -> None:
        self.conn = conn
        self.world = world
        self.catalogue: Catalogue = read(conn)
        self.before: list[tuple[str, Row]] = []
        conn.execute("deallocate all")
        for table in self.catalogue.tables:
            self.before += self._remember(table)
        conn.execute(f"prepare digests as select {', '.join(map(_digest, self.catalogue.tables))}".encode())
        self._digests: tuple[object, ...] = conn.execute("execute digests").fetchall()[0]
        self._rights = self._read_rights()
        self._cursor = psycopg.ClientCursor(conn)  # it sends several statements at once

    @contextmanager
    def acting(self, caller: Caller, role: str | None = None) -> Generator[None]:
        """Be somebody, or a role with somebody's claims, for many attempts."""
        self.conn.execute("savepoint before_acting")
        if role is None:
            become(self.conn, caller)
        else:
            self.conn.execute("select set_config('request.jwt.claims', %s, true)", [caller.claims])
            self.conn.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        self.conn.execute("savepoint attempt")
        try:
            yield
        finally:
            self.conn.execute("rollback to savepoint before_acting")
            self.conn.execute("release savepoint before_acting")

    def attempt(self, statement: str, values: Sequence[object] | None = None) -> Attempt:
        """Run one statement as whoever is acting, and see what it did; the next attempt takes it back."""
        try:
            ran = self._cursor.execute(_ATTEMPT.format(statement).encode(), values)
            ran.nextset()
            rows = ran.fetchall() if ran.description else []
            while ran.nextset():
                pass
            changes = self._changes(ran.fetchall()[0])
            return Attempt(said=json.dumps(rows, default=str), rows=rows, changes=changes)
        except psycopg.Error as error:
            diag = error.diag
            said = [diag.message_primary, diag.message_detail, diag.message_hint, diag.context]
            denied = error.sqlstate == REFUSED and diag.source_function in _PRIVILEGE_CHECKS
            return Attempt(error.sqlstate, denied, "\n".join(each for each in said if each))

    def columns(self, role: str, table: Relation, privilege: str) -> list[str]:
        """The columns of a table on which an inner role has a privilege."""
        return [column for column in table.columns if (role, table.path, column, privilege) in self._rights]

    def may_call(self, role: str, function: Function) -> bool:
        """Whether a role may call a function."""
        return (role, function.signature, "", "EXECUTE") in self._rights

    def _read_rights(self) -> set[tuple[str, str, str, str]]:
        tables = [table.path for table in self.catalogue.tables]
        functions = [function.signature for function in self.catalogue.functions]
        found = self.conn.execute(_RIGHTS, [tables, list(INNER), functions, list(API)]).fetchall()
        return {(role, path, column, privilege) for role, path, column, privilege in found}

    def _remember(self, table: Relation) -> list[tuple[str, Row]]:
        """Keep the rows of a table, and prepare to say how it differs from them; returns them."""
        names = {"before": f"pg_temp.before_{table.name}", "path": table.path, "version": _VERSION}
        for statement in _BEFORE:
            self.conn.execute(statement.format(**names).encode())
        self.conn.execute(f"prepare change_{table.name} as {_DIFFERENCE.format(**names)}".encode())
        rows = self.conn.execute(f"select data from {names['before']}".encode()).fetchall()
        return [(table.name, row) for (row,) in rows]

    def _changes(self, digests: tuple[object, ...]) -> list[tuple[str, Row]]:
        changes: list[tuple[str, Row]] = []
        for table, after, before in zip(self.catalogue.tables, digests, self._digests, strict=True):
            if after != before:
                rows = self.conn.execute(f"execute change_{table.name}".encode()).fetchall()
                changes += [(table.name, row) for (row,) in rows]
        return changes


def _digest(table: Relation) -> str:
    """The state of a table in a few bytes: which rows are there, as written by whom."""
    return f"(select sum({_VERSION}) from {table.path})"


_BEFORE = (
    "drop table if exists {before}",
    "create temp table {before} on commit drop as select {version} as version, hashtextextended(x::text, 0) as hash, "
    "to_jsonb(x) as data from {path} x",
)

# Rows that are there only now, and rows that were there only before; not those that were written again as they were.
_DIFFERENCE = """
select coalesce(now.data, before.data)
  from (select hashtextextended(x::text, 0) as hash, to_jsonb(x) as data from {path} x
         where {version} not in (select version from {before})) now
  full join (select hash, data from {before} where version not in (select {version} from {path})) before using (hash)
 where now.data is null or before.data is null
"""

_RIGHTS = """
select role, path, attname::text, privilege
  from unnest(%s::text[]) path, unnest(%s::text[]) role, unnest(array['SELECT', 'INSERT', 'UPDATE']) privilege,
       pg_attribute
 where attrelid = path::regclass and attnum > 0 and has_column_privilege(role, attrelid, attnum, privilege)
union all
select role, signature, '', 'EXECUTE'
  from unnest(%s::text[]) signature, unnest(%s::text[]) role, pg_proc p
 where p.oid = signature::regprocedure and has_function_privilege(role, p.oid, 'execute')
   and has_schema_privilege(role, pronamespace, 'usage')
"""
