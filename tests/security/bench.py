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
        conn.execute("drop table if exists pg_temp.rows_before")
        conn.execute(f"create temp table rows_before on commit drop as {_rows(self.catalogue.tables)}".encode())
        self.before: list[tuple[str, Row]] = conn.execute("select name, data from pg_temp.rows_before").fetchall()
        self._digests = self._take_digests()
        self._rights = self._read_rights()

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
        """Run one statement as whoever is acting, see what it did, and take it back."""
        try:
            ran = self.conn.execute(statement.encode(), values)
            rows = ran.fetchall() if ran.description else []
            return Attempt(said=json.dumps(rows, default=str), rows=rows, changes=self._changes())
        except psycopg.Error as error:
            diag = error.diag
            said = [diag.message_primary, diag.message_detail, diag.message_hint, diag.context]
            denied = error.sqlstate == REFUSED and diag.source_function in _PRIVILEGE_CHECKS
            return Attempt(error.sqlstate, denied, "\n".join(each for each in said if each))
        finally:
            self.conn.execute("rollback to savepoint attempt")

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

    def _changes(self) -> list[tuple[str, Row]]:
        self.conn.execute("set local session authorization default")  # a superuser again, to see everything
        digests = zip(self.catalogue.tables, self._take_digests(), self._digests, strict=True)
        changed = [table for table, after, before in digests if after != before]
        if not changed:
            return []
        differences = " union all ".join(
            _DIFFERENCE.format(name=table.name, path=table.path, version=_VERSION) for table in changed
        )
        return self.conn.execute(differences.encode()).fetchall()

    def _take_digests(self) -> tuple[object, ...]:
        """The state of each table in a few bytes: which rows are there, as written by whom."""
        parts = [f"(select sum({_VERSION}) from {table.path})" for table in self.catalogue.tables]
        found: list[tuple[object, ...]] = self.conn.execute(f"select {', '.join(parts)}".encode()).fetchall()
        return found[0]


def _rows(tables: Sequence[Relation]) -> str:
    """Every row of some tables, as SQL."""
    return " union all ".join(
        f"select '{table.name}' as name, {_VERSION} as version, hashtextextended(x::text, 0) as hash,"
        f" to_jsonb(x) as data from {table.path} x"
        for table in tables
    )


# Rows that are there only now, and rows that were there only before; not those that were written again as they were.
_DIFFERENCE = """
select name, coalesce(now.data, before.data)
  from (select '{name}' as name, hashtextextended(x::text, 0) as hash, to_jsonb(x) as data from {path} x
         where {version} not in (select version from pg_temp.rows_before where name = '{name}')) now
  full join (select name, hash, data from pg_temp.rows_before
              where name = '{name}' and version not in (select {version} from {path})) before using (name, hash)
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
