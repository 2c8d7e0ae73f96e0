-- Calls for somebody else: a server that reaches the database over HTTP alone, with a service key and no token of the user's,
-- names the user, whose identity is lent to that one call.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;

-- `p_claims` are what the user's own token would carry; `p_request` is {"function", "arguments"}. What a service may call as a
-- service it cannot call so, but only what any user may. It runs with the caller's rights, who has none but to call; the
-- statement is put together from the catalogue's names, never from the request.
create function call_as(p_claims jsonb, p_request jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  before  text := current_setting('request.jwt.claims', true);
  given   jsonb := coalesce(p_request -> 'arguments', '{}');
  door    pg_catalog.pg_proc;
  result  jsonb;
begin
  if jsonb_typeof(p_claims -> 'sub') is distinct from 'string' then
    raise exception using errcode = '28000', message = 'a call for somebody names the user';
  end if;
  select * into door from pg_catalog.pg_proc p
   where p.pronamespace = 'memoranda'::regnamespace and p.proname = p_request ->> 'function'
     and has_function_privilege('authenticated', p.oid, 'execute');
  if door.oid is null then
    raise exception using errcode = '42501', message = 'no user may call this function';
  end if;
  if jsonb_typeof(given) <> 'object' or exists (select from jsonb_object_keys(given) name where name = any (door.proargnames) is not true) then
    raise exception using errcode = 'MEINP', message = 'the function has no such argument';
  end if;
  perform set_config('request.jwt.claims', (p_claims || '{"role": "authenticated"}')::text, true);
  execute format('select memoranda.%I(%s)', door.proname,
                 (select string_agg(format('%I => $1 -> %L', name, name), ', ') from unnest(door.proargnames) name where given ? name))
     into result using given;
  perform set_config('request.jwt.claims', coalesce(before, ''), true);
  return result;
end $$;

create function memoranda.call_as(claims jsonb, request jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.call_as(claims, request) $$;
grant execute on function call_as, memoranda.call_as to service_role;

reset role;
