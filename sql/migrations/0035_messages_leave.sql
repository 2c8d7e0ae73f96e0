-- What becomes of messages, their words and vectors, and work, when something is erased, and when its time is up: the rights of the
-- ring that does it. The map is in 0022.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_erasure, memoranda_service;

create policy erase on messages to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on message_terms to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on message_vectors to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on work to memoranda_erasure
  using (owner_id = (select uid()) or user_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
grant select (tenant_id, owner_id, scope, scope_id, id, turn, run_id, expires_at, created_at), delete on messages to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, message_id), delete on message_terms, message_vectors to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, kind, subject, user_id, created_at), delete on work to memoranda_erasure;

-- The service sees whose messages expire when, and no text.
create policy expiring on messages for select to memoranda_service using (true);
grant select (tenant_id, owner_id, scope, scope_id, expires_at) on messages to memoranda_service;

set local role memoranda_service;

-- A place where messages have expired, if there is one; and how many have.
create function purge_messages_place() returns place
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select row(m.tenant_id, m.owner_id, m.scope, m.scope_id)::place from messages m where m.expires_at <= now() limit 1
$$;

create function purge_messages_due() returns bigint
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$ select count(*) from messages m where m.expires_at <= now() $$;

grant execute on function purge_messages_place, purge_messages_due to memoranda_erasure;

set local role memoranda_erasure;

-- Removes up to so many expired messages at a place, with what is left to be done to them.
create function purge_messages_at(p place, p_most integer) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  ids  uuid[] := array(
    select m.id from messages m
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.expires_at <= now()
     limit p_most);
begin
  perform erasure_lock(p.tenant_id, p.owner_id);         -- nobody gives one of them a vector meanwhile
  perform erasure_do(p, '{}', ids);
  return cardinality(ids);
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_erasure, memoranda_service;
reset role;
