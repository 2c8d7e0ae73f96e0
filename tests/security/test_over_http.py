"""What PostgREST does with a function that says it only reads: it calls it where nothing can be written."""

from __future__ import annotations

import json

import psycopg
import pytest

from memoranda.transport.supabase import READS

from .arguments import Aim, aimed, aims
from .catalogue import Function, read
from .conftest import Connection, Ground
from .world import become

READ_ONLY = "25006"
"""The SQLSTATE of an attempt to write in a transaction that is for reading."""


def test_every_door_that_says_it_reads_works_where_nothing_can_be_written(ground: Ground) -> None:
    ran = set[str]()
    with ground.superuser() as conn:
        doors = [each for each in read(conn).functions if each.is_door and each.volatility == "s"]
        conn.execute("set local transaction_read_only = on")
        callers = ground.world.callers.values()
        someone = next(each for each in callers if each.role == "authenticated" and each.user)
        service = next(each for each in callers if each.role == "service_role")
        for caller in (someone, service):
            for door in doors:
                there = (aim for aim in aims(ground.world, caller, door) if someone.may_read(aim.victim.row))
                states = tried(conn, door, next(there))
                assert READ_ONLY not in states, f"{door.path} writes"
                ran |= {door.name} if None in states else set()
    assert ran == {door.name for door in doors}


def tried(conn: Connection, door: Function, aim: Aim) -> set[str | None]:
    """What comes of the examples: the SQLSTATEs of errors, and None where there was none."""
    statement = f"select {door.path}({', '.join(['%s::jsonb'] * len(door.argument_names))})"
    states = set[str | None]()
    for values in aimed(door, aim):
        try:
            with conn.transaction(force_rollback=True):
                become(conn, aim.caller)
                conn.execute(statement.encode(), values)
                states.add(None)
        except psycopg.Error as error:
            states.add(error.sqlstate)
    return states


def test_what_is_called_again_reads_or_does_no_harm(ground: Ground) -> None:
    with ground.superuser() as conn:
        doors = {each.name: each.volatility for each in read(conn).functions if each.is_door}
    assert {name for name, volatility in doors.items() if volatility == "s"} <= READS <= doors.keys()


def test_what_writes_would_be_noticed(ground: Ground) -> None:
    with ground.superuser() as conn:
        conn.execute("set local transaction_read_only = on")
        become(conn, next(each for each in ground.world.callers.values() if each.role == "authenticated" and each.user))
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            conn.execute("select memoranda.facts_save('{}', %s)", [json.dumps({"content": "x"})])
