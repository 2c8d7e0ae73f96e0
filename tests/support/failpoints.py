"""Failpoints: places amid a write at which it fails, or its server process dies.

They are triggers that a superuser puts on the tables of a test's database: one after each row that is changed, one at
the commit of a write that has an idempotency key. So every step of every write has one without being mentioned, those
of later migrations too, and there is nothing of it in what is shipped: no setting, no function and no argument that
anybody could reach in production.
"""

from __future__ import annotations

from typing import Literal

from .databases import Database

_INSTALL = """
create schema failpoints;
create sequence failpoints.passed;
create table failpoints.armed (place integer not null, how text not null);

create function failpoints.pass() returns trigger
language plpgsql security definer set search_path = failpoints, pg_temp
as $$
declare
  here  armed := (select a from armed a);
begin
  if nextval('passed') = here.place then
    if here.how = 'dies' then
      perform pg_terminate_backend(pg_backend_pid()), pg_sleep(10);
    end if;
    raise exception 'failpoint: %',
      case tg_name when 'failpoint' then tg_table_name || ' ' || lower(tg_op) else 'commit' end;
  end if;
  return null;
end $$;

do $$
declare
  t  text;
begin
  for t in select relname from pg_class where relnamespace = 'memoranda_private'::regnamespace and relkind = 'r' loop
    execute format('create trigger failpoint after insert or update or delete on memoranda_private.%I '
                   'for each row execute function failpoints.pass()', t);
  end loop;
  create constraint trigger failpoint_at_commit after update on memoranda_private.idempotency_keys
    deferrable initially deferred for each row execute function failpoints.pass();
end $$;
"""

_STATE = """
select format('select %L, md5(coalesce(string_agg(to_jsonb(x)::text, '','' order by to_jsonb(x)::text), '''')) '
              'from memoranda_private.%I x', relname, relname)
  from pg_class where relnamespace = 'memoranda_private'::regnamespace and relkind = 'r'
"""

MESSAGE = "Failpoint: "
"""What the error of a failpoint begins with; its name follows."""


class Failpoints:
    """Those of a database."""

    def __init__(self, database: Database) -> None:
        """Put them everywhere, none of them armed."""
        self._conn = database.admin()
        self._conn.execute(_INSTALL)
        tables = self._conn.execute(_STATE.encode()).fetchall()
        self._state = " union all ".join(query for (query,) in tables).encode()

    def close(self) -> None:
        """Leave them as they are."""
        self._conn.close()

    def arm(self, place: int | None, how: Literal["fails", "dies"] = "fails") -> None:
        """Let what is done next fail at the failpoint that it passes in this place, from 1; None lets all pass."""
        self._conn.execute("delete from failpoints.armed")
        if place is not None:
            self._conn.execute("select setval('failpoints.passed', 1, false)")
            self._conn.execute("insert into failpoints.armed values (%s, %s)", [place, how])

    def state(self) -> dict[str, str]:
        """A digest of every table."""
        return dict(self._conn.execute(self._state).fetchall())
