-- Documents: versioned texts under keys that mean something to a runtime and nothing to us. They have an owner like every other
-- row, and only a service reaches them, which lends that owner's identity to the call.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service, memoranda_erasure;

create table documents (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  id          uuid not null default gen_random_uuid(),                  -- by which a purge knows it, that reads no key
  key         text collate "C" not null check (char_length(key) between 1 and 1024),
  content     text not null check (char_length(content) <= 1000000),
  version     bigint not null,
  expires_at  timestamptz,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (tenant_id, owner_id, scope, scope_id, key),
  check (is_place(owner_id, scope, scope_id))
);
create index documents_expiring on documents (tenant_id, owner_id, scope, scope_id, expires_at) where expires_at is not null;

-- The version is the database's time in microseconds, or one more than the last: so it never comes again, also when a document was
-- deleted, purged or erased meanwhile and nothing is left that would remember it.
create function guard_document() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  stamp bigint := floor(extract(epoch from clock_timestamp()) * 1000000);
begin
  new.updated_at := clock_timestamp();
  new.created_at := new.updated_at;
  new.version := stamp;
  if tg_op = 'UPDATE' then
    new.version := greatest(old.version + 1, stamp);
    new.created_at := case when old.expires_at <= now() then new.updated_at else old.created_at end;
  end if;
  return new;
end $$;
create trigger guard before insert or update on documents for each row
  when (current_user <> 'memoranda_import') execute function guard_document();      -- which puts documents back as they were

alter table documents enable row level security;
alter table documents force row level security;
create policy read on documents for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on documents for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on documents for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on documents for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert (tenant_id, owner_id, scope, scope_id, key, content, expires_at), update (content, expires_at), delete
  on documents to memoranda_rules;

create policy erase on documents to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
grant select (tenant_id, owner_id, scope, scope_id, id, expires_at, created_at), delete on documents to memoranda_erasure;

-- The service sees whose documents expire when, and no text.
create policy expiring on documents for select to memoranda_service using (true);
grant select (tenant_id, owner_id, scope, scope_id, expires_at) on documents to memoranda_service;


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- Lends the identity of the user whom a document names to the rest of the call; returns what was there before.
create function document_lend(p_document jsonb) returns text
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  before   text := current_setting('request.jwt.claims', true);
  user_id  uuid := as_id('user', p_document -> 'user');
begin
  if jsonb_typeof(p_document) is distinct from 'object'
     or p_document - array['user', 'tenant', 'scope', 'scope_id', 'key', 'content', 'expected_version', 'expires_in', 'after', 'prefix',
                           'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a document has user, tenant, scope, scope_id, key, content, expected_version, '
      'expires_in, after, prefix and limit, and nothing else';
  end if;
  if user_id is null then
    raise exception using errcode = '28000', message = 'a document belongs to a user, by their id or their name';
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', user_id)::text, true);
  return before;
end $$;

create function document_return(p_before text) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select set_config('request.jwt.claims', coalesce(p_before, ''), true) $$;

-- Where a document is.
create function document_place(p_document jsonb, p_purpose text) returns place
language sql set search_path = memoranda_private, pg_temp
as $$
  select enter((select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(p_document) where key in ('tenant', 'scope', 'scope_id')),
               p_purpose)
$$;

create function check_document_key(p_key text) returns void
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if char_length(p_key) between 1 and 1024 is not true then
    raise exception using errcode = 'MEINP', message = 'the key of a document has 1 to 1024 characters';
  end if;
end $$;

create function document_out(d documents, p_content boolean) returns jsonb
language sql immutable
return jsonb_build_object('key', d.key, 'version', d.version, 'created_at', d.created_at, 'updated_at', d.updated_at,
                          'expires_at', d.expires_at)
       || case when p_content then jsonb_build_object('content', d.content) else jsonb_build_object('characters', char_length(d.content)) end;

-- The document under a key, or null.
create function documents_get(p_document jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  found   jsonb;
begin
  select document_out(d, true) into found from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id, d.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
     and coalesce(d.expires_at > now(), true);
  perform document_return(before);
  return found;
end $$;

-- The documents of a place by their keys, without their contents: those after a key, and with a prefix.
create function documents_list(p_document jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  found   jsonb;
begin
  select coalesce(jsonb_agg(document_out(d, false) order by d.key), '[]') into found from (
    select * from documents each
     where (each.tenant_id, each.owner_id, each.scope, each.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and coalesce(each.expires_at > now(), true) and each.key > coalesce(p_document ->> 'after', '')
       and starts_with(each.key, coalesce(p_document ->> 'prefix', ''))
     order by each.key limit greatest(1, least(1000, coalesce((p_document ->> 'limit')::numeric, 100)))) as d;
  perform document_return(before);
  return found;
end $$;

-- Puts a document, whole: what is left out of it is empty. `expected_version` is the version that it replaces, 0 for none, and null
-- for whatever is there; what has expired is none.
create function documents_put(p_document jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  before    text := document_lend(p_document);
  p         place := document_place(p_document, 'write');
  outcome   jsonb := begin_write(p, 'documents_put', p_document, p_call);
  expected  bigint := p_document ->> 'expected_version';
  until     timestamptz := now() + make_interval(secs => (p_document ->> 'expires_in')::double precision);
  body      text := p_document ->> 'content';
  d         documents;
begin
  if outcome is null then
    perform check_document_key(p_document ->> 'key');
    if body is null or char_length(body) > 1000000 then
      raise exception using errcode = 'MEBIG', message = 'a document has a text of at most 1000000 characters';
    end if;
    if expected > 0 then
      update documents old set content = body, expires_at = until
       where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
         and old.version = expected and coalesce(old.expires_at > now(), true)
      returning old.* into d;
    else
      insert into documents as old (tenant_id, owner_id, scope, scope_id, key, content, expires_at)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key', body, until)
      on conflict (tenant_id, owner_id, scope, scope_id, key) do update
         set content = excluded.content, expires_at = excluded.expires_at
       where expected is null or old.expires_at <= now()
      returning old.* into d;
    end if;
    if d.key is null then
      raise exception using errcode = 'MECFL', message = format('the document is not at version %s', coalesce(nullif(expected, 0)::text, 'none'));
    end if;
    outcome := end_write(p, p_call, document_out(d, false));
  end if;
  perform document_return(before);
  return outcome;
end $$;

-- Deletes a document: whether there was one. Of another version than the expected it is not deleted.
create function documents_delete(p_document jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  before    text := document_lend(p_document);
  p         place := document_place(p_document, 'write');
  outcome   jsonb := begin_write(p, 'documents_delete', p_document, p_call);
  expected  bigint := p_document ->> 'expected_version';
  d         documents;
begin
  if outcome is null then
    select * into d from documents old
     where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
       for update;
    if expected is not null and (d.key is null or d.expires_at <= now() or d.version <> expected) then
      raise exception using errcode = 'MECFL', message = format('the document is not at version %s', expected);
    end if;
    delete from documents old
     where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, d.key);
    outcome := end_write(p, p_call, jsonb_build_object('deleted', d.key is not null and coalesce(d.expires_at > now(), true)));
  end if;
  perform document_return(before);
  return outcome;
end $$;

grant execute on function documents_get, documents_list, documents_put, documents_delete to service_role;


-- Purge: 0024 calls these -----------------------------------------------------------------------------------------------

set local role memoranda_service;

create function purge_documents_place() returns place
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select row(d.tenant_id, d.owner_id, d.scope, d.scope_id)::place from documents d where d.expires_at <= now() limit 1
$$;

create function purge_documents_due() returns bigint
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$ select count(*) from documents d where d.expires_at <= now() $$;

grant execute on function purge_documents_place, purge_documents_due to memoranda_erasure;

set local role memoranda_erasure;

-- Removes up to so many expired documents at a place.
create function purge_documents_at(p place, p_most integer) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  removed integer;
begin
  delete from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and d.expires_at <= now()
     and d.id in (select due.id from documents due
                   where (due.tenant_id, due.owner_id, due.scope, due.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                     and due.expires_at <= now() limit p_most);
  get diagnostics removed = row_count;
  return removed;
end $$;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.documents_get(document jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.documents_get(document) $$;
create function memoranda.documents_list(document jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.documents_list(document) $$;
create function memoranda.documents_put(document jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.documents_put(document, call) $$;
create function memoranda.documents_delete(document jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.documents_delete(document, call) $$;
grant execute on function memoranda.documents_get, memoranda.documents_list, memoranda.documents_put, memoranda.documents_delete
  to service_role;

revoke create on schema memoranda_private from memoranda_rules, memoranda_service, memoranda_erasure;
reset role;
