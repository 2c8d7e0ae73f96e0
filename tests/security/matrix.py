"""Everybody, at everything, with every command; all three taken from the catalogue, so that nothing new slips in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass

from .arguments import aimed, aims, sampled
from .bench import NO_IDENTITY, REFUSED, Attempt, Bench
from .catalogue import INNER, SCOPE, Function, Relation
from .rules import DELETES, ERASURE, LENT, OPEN_POLICIES, QUEUE
from .world import NOBODY, Caller, Place, Row

LEAK = "LEAK"
NONE = "no such privilege"

_OUTCOMES = {None: "bound", REFUSED: "refused", NO_IDENTITY: "refused"}

OPEN = {(role, table) for (table, _), (role, _) in OPEN_POLICIES.items()}
"""Which inner role sees every row of which table; none of them holds a text of a memory."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One attempt and its outcome.

    Attributes:
        outcome: `refused` (no right), `rejected` (another error), `bound` (it ran, within what the caller may see and
            change), or `LEAK`.
    """

    caller: str
    object: str
    command: str
    outcome: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.caller}: {self.command} on {self.object}: {self.outcome} {self.detail}"


def summary(cells: Collection[Cell]) -> str:
    """The figures, in one line."""
    outcomes = Counter(cell.outcome for cell in cells)
    parts = [f"{outcomes[outcome]} {outcome}" for outcome in ("refused", "rejected", "bound")]
    return f"{len(cells)} cells: {', '.join(parts)}, {outcomes[LEAK]} leaks"


def leaks(cells: Collection[Cell]) -> list[str]:
    return [str(cell) for cell in cells if cell.outcome == LEAK]


# Callers at tables: no statement of theirs ever reaches one -----------------------------------------------------------


def callers_at_tables(bench: Bench, only: Collection[str] | None = None) -> Generator[Cell]:
    """Raw statements of everybody at every table, view and sequence, and at every inner role; each is refused."""
    tries = [(relation.path, *each) for relation in _chosen(bench, only) for each in _raw(relation)]
    tries += [(role, "set role", f"set local role {role}") for role in INNER if only is None or role in only]
    for caller in bench.world.callers.values():
        with bench.acting(caller):
            for target, command, statement in tries:
                yield _refused(caller, target, command, bench.attempt(statement))


def _refused(caller: Caller, target: str, command: str, attempt: Attempt) -> Cell:
    if attempt.denied or attempt.rows == [(NONE,)]:
        return Cell(caller.name, target, command, "refused")
    return Cell(caller.name, target, command, LEAK, attempt.said[:200] or "it ran")


def _chosen(bench: Bench, only: Collection[str] | None) -> list[Relation]:
    return [relation for relation in bench.catalogue.relations if only is None or relation.name in only]


def _raw(relation: Relation) -> Iterator[tuple[str, str]]:
    """The commands that there are for a relation, the smallest privilege that each needs."""
    path = relation.path
    if relation.kind == "S":
        yield "select", f"select * from {path}"
        for function in ("nextval", "currval"):
            yield function, f"select {function}('{path}')"
        yield "setval", f"select setval('{path}', 1)"
        return
    yield "select", f"select from {path}"
    yield "select for update", f"select from {path} for update"
    yield "insert", f"insert into {path} default values"
    yield "delete", f"delete from {path}"
    for column in relation.columns:
        yield f"select {column}", f'select "{column}" from {path}'
        yield f"insert {column}", f'insert into {path} ("{column}") values (default)'
        yield f"update {column}", f'update {path} set "{column}" = default'
    if relation.is_table:
        yield "truncate", f"truncate {path}"
        yield "lock", f"lock table {path} in access share mode"
        yield (
            "trigger",
            f"create trigger t before insert on {path} for each row "
            "execute function suppress_redundant_updates_trigger()",
        )
    for privilege in ("REFERENCES", "MAINTAIN"):  # to use them takes a table of one's own here, or no error
        yield privilege.lower(), f"select '{NONE}' where not has_table_privilege('{path}', '{privilege}')"
    yield "references a column", f"select '{NONE}' where not has_any_column_privilege('{path}', 'REFERENCES')"


# Inner roles at tables: bound by the identity in force ----------------------------------------------------------------


def inner_roles_at_tables(bench: Bench, only: Collection[str] | None = None) -> Generator[Cell]:
    """Raw statements of the roles that own the functions, under everybody's claims: what row-level security lets by."""
    for caller in bench.world.callers.values():
        for role in INNER if caller.role != "anon" else ():  # a visitor's call reaches no function, so no inner role
            with bench.acting(caller, role):
                for table in _chosen(bench, only):
                    if (role, table.name) not in OPEN and table.is_table:
                        yield from _inner(bench, caller, role, table)


def _inner(bench: Bench, caller: Caller, role: str, table: Relation) -> Iterator[Cell]:
    def cell(command: str, attempt: Attempt, problem: str) -> Cell:
        outcome = LEAK if problem else _OUTCOMES.get(attempt.state, "rejected")
        return Cell(f"{role} for {caller.name}", table.path, command, outcome, problem)

    for command, suffix in {"select": "", "select for update": " for update"}.items():
        attempt = bench.attempt(f"select row_to_json(x) from {_readable(bench, role, table)} x{suffix}")
        foreign = [
            row for (row,) in attempt.rows if not (caller.may_erase if role == ERASURE else caller.may_read)(row)
        ]
        yield cell(command, attempt, f"{len(foreign)} rows of others" if foreign else "")
    for column in table.columns:
        attempt = bench.attempt(f'update {table.path} set "{column}" = "{column}"')
        yield cell(f"update {column}", attempt, _foreign_changes(caller, attempt, role))
    attempt = bench.attempt(f"delete from {table.path}")
    gone = "rows are gone" if attempt.changes and (table.name, role) not in DELETES else ""
    yield cell("delete", attempt, gone or _foreign_changes(caller, attempt, role))
    for row in _one_row_of_each_place(bench, caller, table):
        attempt = _insert(bench, role, table, row)
        problem = "" if attempt.state == REFUSED else f"a row of another's came past the policies: {attempt.said[:100]}"
        yield cell(f"insert a row of {row.get('owner_id', row.get('tenant_id'))}", attempt, problem)


def _foreign_changes(caller: Caller, attempt: Attempt, role: str = "") -> str:
    may = caller.may_erase if role == ERASURE else caller.may_write
    foreign = sorted({table for table, row in attempt.changes if not may(row)})
    return f"changed rows of others in {', '.join(foreign)}" if foreign else ""


def _readable(bench: Bench, role: str, table: Relation) -> str:
    columns = bench.columns(role, table, "SELECT")
    return f"(select {_quoted(columns)} from {table.path})" if columns else table.path


def _insert(bench: Bench, role: str, table: Relation, row: Row) -> Attempt:
    """Policies are looked at before keys, so a row that is there already will do: it must not get as far as its key."""
    columns = _quoted(bench.columns(role, table, "INSERT") or table.columns)
    statement = (
        f"insert into {table.path} ({columns}) select {columns} from jsonb_populate_record(null::{table.path}, %s)"
    )
    return bench.attempt(statement, [json.dumps(row)])


def _quoted(columns: list[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _one_row_of_each_place(bench: Bench, caller: Caller, table: Relation) -> list[Row]:
    rows = [row for name, row in bench.before if name == table.name and not caller.may_write(row)]
    return list({tuple(str(row.get(column)) for column in SCOPE): row for row in rows}.values())


# Callers at functions -------------------------------------------------------------------------------------------------


def callers_at_functions(bench: Bench, only: Collection[str] | None = None, *, whole: bool = False) -> Generator[Cell]:
    """Every function for everybody: what they may call is aimed at every place; the rest, they may not call.

    A function's examples take turns: at each place one of them is tried, and a third of the ways to a place from
    another. Of each function, everybody tries every place, and every example. As a whole, it is everything everywhere.
    """
    for caller in bench.world.callers.values():
        with bench.acting(caller):
            for function in bench.catalogue.functions:
                if only is not None and function.name not in only:
                    continue
                if bench.may_call(caller.role, function):
                    yield from _aimed(bench, caller, function, whole)
                else:
                    yield _closed(bench, caller, function)


def _closed(bench: Bench, caller: Caller, function: Function) -> Cell:
    attempt = bench.attempt(f"select {function.path}({sampled(function)})")
    return _refused(caller, function.signature, "execute", attempt)


def _aimed(bench: Bench, caller: Caller, function: Function, whole: bool) -> Iterator[Cell]:
    statement = f"select {function.path}({', '.join(['%s::jsonb'] * len(function.argument_names))})"
    seen: set[str] = set()
    first = sum(map(ord, function.name))  # so that not all functions begin with the same
    for turn, aim in enumerate(aims(bench.world, caller, function), start=first):
        if not whole and aim.is_roundabout and turn % 3:
            continue
        examples = aimed(function, aim)
        for number, values in enumerate(examples):
            asked = json.dumps(values)
            if asked in seen or not (whole or (number + turn) % len(examples) == 0):
                continue
            seen.add(asked)
            attempt = bench.attempt(statement, values)
            problem = _problem(bench, caller, function, attempt, asked, aim.victim)
            outcome = LEAK if problem else _OUTCOMES.get(attempt.state, "rejected")
            yield Cell(caller.name, function.signature, aim.name, outcome, problem)


def _problem(bench: Bench, caller: Caller, function: Function, attempt: Attempt, asked: str, victim: Place) -> str:
    """What is wrong with what a function did, if anything."""
    if caller.role == "anon":
        return "a visitor may call it"
    if attempt.state is None and caller.user is None and any("place" in name for name in function.argument_names):
        return "there is no identity, and it answered"
    lent = function.name in LENT and caller.role == "service_role"
    leaked = bench.world.leaks(caller, attempt.said, asked, named=victim if lent else None)
    if function.name in QUEUE and caller.role == "service_role":
        texts = {mark for mark in leaked if mark.startswith("canary")}
        return f"told {sorted(texts)[:3]}" if texts else _changes_of_others_but_leases(attempt)
    if leaked:
        return f"told {sorted(leaked)[:3]}"
    if lent:
        return _changes_of_others(attempt, victim)
    return _foreign_changes(caller, attempt)


def _changes_of_others(attempt: Attempt, named: Place) -> str:
    """What service work changed that does not belong to the one whom it named; in a log, they may become nobody."""

    def theirs(table: str, row: Row) -> bool:
        return named.owner_id in (row.get("owner_id"), row.get("user_id"), row.get("tenant_id")) or (
            table == "revisions" and row.get("user_id") == NOBODY
        )

    foreign = sorted({table for table, row in attempt.changes if not theirs(table, row)})
    return f"changed rows of others in {', '.join(foreign)}" if foreign else ""


def _changes_of_others_but_leases(attempt: Attempt) -> str:
    """What service work changed that is no lease: taking work says who does it until when."""
    foreign = sorted({table for table, _ in attempt.changes if table != "work"})
    return f"changed rows of others in {', '.join(foreign)}" if foreign else ""
