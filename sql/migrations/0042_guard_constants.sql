-- The guard's words as constants. An immutable function without arguments is worked out where a plan is made, not once a
-- session: folding a thousand words at each of a dozen places cost every new connection some 80 ms of its first two saves.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- The lists stay as people read and change them; what they come to stands under the name that the rules ask for.
alter function guard_words() rename to guard_words_listed;
alter function guard_trackers() rename to guard_trackers_listed;
alter function guard_starts() rename to guard_starts_listed;

do $$
declare
  name text;
  made jsonb;
begin
  foreach name in array array['guard_words', 'guard_trackers', 'guard_starts'] loop   -- the last is made of the others
    execute format('select %I()', name || '_listed') into made;
    execute format('create function %I() returns jsonb language sql immutable parallel safe return %L::jsonb', name, made);
  end loop;
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
