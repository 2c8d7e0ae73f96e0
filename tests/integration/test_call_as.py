"""A service that calls for a user: what the call sees of who it is, on the database itself."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.databases import Database

MIRROR = """
create function memoranda.mirror() returns jsonb language sql as $$
  select current_setting('request.jwt.claims')::jsonb $$;
grant execute on function memoranda.mirror to authenticated;
set role service_role
"""


def call(conn: psycopg.Connection[Any], claims: dict[str, Any], function: str) -> Any:
    asked = "select memoranda.call_as(%s, %s), current_setting('request.jwt.claims', true)"
    return conn.execute(asked, (Jsonb(claims), Jsonb({"function": function}))).fetchone()


def test_it_is_that_user_for_one_call_and_a_user_whatever_the_claims_say(database: Database) -> None:
    user = str(uuid4())
    with database.admin() as conn:
        conn.execute(MIRROR)
        with conn.transaction():
            seen, _ = call(conn, {"sub": user, "role": "service_role", "team": "blue"}, "mirror")
            assert seen == {"sub": user, "role": "authenticated", "team": "blue"}
            assert conn.execute("select current_setting('request.jwt.claims', true)").fetchone() == ("",)


@pytest.mark.parametrize("function", ["erase_user", "members_set", "call_as", "no_such_function"])
def test_what_is_for_services_is_not_called_so(database: Database, function: str) -> None:
    with database.admin() as conn:
        conn.execute("set role service_role")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no user may call"):
            call(conn, {"sub": str(uuid4())}, function)
