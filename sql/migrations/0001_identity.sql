-- Who is asking, and where: identity from the transaction's claims, tenants and their members, places.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service;


-- Identity ------------------------------------------------------------------------------------------------------------

-- A name as an id: the first 16 bytes of sha256('memoranda:<kind>:<name>'), marked as a UUID of version 8 (RFC 9562).
-- A user and a tenant of one name get different ids, so that no organisation can be somebody's personal tenant.
create function name_id(p_kind text, p_name text) returns uuid
language sql immutable strict parallel safe set search_path = memoranda_private, pg_temp
as $$
  select encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128), 'hex')::uuid
    from (select substring(sha256(convert_to('memoranda:' || p_kind || ':' || p_name, 'UTF8')) for 16)) as digest (h)
$$;

-- Every function of this schema pins its search_path, with pg_temp named last: left out, or with an empty path, a caller's
-- temporary types and tables would come first, and run as the role that owns the function. The exceptions are those of one
-- `return`: their names were bound when they were made, and they cost nothing, since a query takes them in.

-- An id as it stands, a name by its hash; blank and the nil UUID are nobody.
create function as_id(p_kind text, p_text text) returns uuid
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
begin
  return nullif(
    case when p_text ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then p_text::uuid
         when btrim(p_text) <> '' then name_id(p_kind, p_text) end,
    '00000000-0000-0000-0000-000000000000');
end $$;

-- The same from JSON: only a text names anybody, so that the number 5 is not the user "5".
create function as_id(p_kind text, p_value jsonb) returns uuid
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ begin return case jsonb_typeof(p_value) when 'string' then as_id(p_kind, p_value #>> '{}') end; end $$;

-- The user of this transaction, from the claims that the connection carries; null when there is none. Everything that
-- follows leans on this one function. It reads our own settings because inner roles have no USAGE on schema auth. (In
-- PL/pgSQL, as what policies ask is: a function in SQL is planned anew for each statement that calls it.)
create function uid() returns uuid
language plpgsql stable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  claims  text := nullif(current_setting('request.jwt.claims', true), '');
  sub     jsonb := case when pg_input_is_valid(claims, 'jsonb') then claims::jsonb -> 'sub' end;
begin
  -- Most are ids in their usual spelling; those need no further call, and this is called a dozen times for each write.
  if (sub #>> '{}') ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$' and jsonb_typeof(sub) = 'string' then
    return (sub #>> '{}')::uuid;
  end if;
  return as_id('user', sub);
end $$;


-- Tenants and members -------------------------------------------------------------------------------------------------

create table tenants (
  tenant_id  uuid primary key,
  kind       text not null check (kind in ('person', 'organization')),    -- never both: a person's tenant takes no members
  salt       bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),   -- 244 random bits
  key_salt   bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())    -- it outlives an erasure
);

create table members (
  tenant_id   uuid not null references tenants,
  user_id     uuid not null,
  permission  text not null check (permission in ('read', 'manage')),     -- manage includes read
  primary key (tenant_id, user_id),
  check (tenant_id <> user_id)
);

alter table tenants enable row level security;
alter table tenants force row level security;
alter table members enable row level security;
alter table members force row level security;

-- The organisations in which this user has a permission. Replace it to use a tenancy of your own, or the token's
-- app_metadata (never user_metadata, which users write themselves): create or replace, same name and arguments.
create function tenants_with(p_permission text) returns uuid[]
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  me uuid := uid();
begin
  return array(select tenant_id from members where user_id = me and (permission = p_permission or permission = 'manage'));
end $$;

-- Every tenant that this user may use at all: their own, and those with `read`.
create function my_tenants() returns uuid[]
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  me uuid := uid();
begin
  return case when me is null then '{}' else me || tenants_with('read') end;
end $$;

create policy own_memberships on members for select to memoranda_owner using (user_id = (select uid()));
create policy membership on members to memoranda_service using (true) with check (true);
grant select, insert, update (permission), delete on members to memoranda_service;

create policy mine on tenants for select to memoranda_rules, memoranda_owner
  using (tenant_id = any ((select my_tenants())::uuid[]));
create policy first_use on tenants for insert to memoranda_rules
  with check (tenant_id = any ((select my_tenants())::uuid[]) and (kind = 'person') = (tenant_id = (select uid())));
create policy registry on tenants to memoranda_service using (true) with check (true);
grant select (tenant_id, kind), insert (tenant_id, kind) on tenants to memoranda_rules, memoranda_service;    -- not the salt

-- A hash that says nothing without the tenant's salt, which only the owner role reads. Nested: no length extension.
create function secret_hash(p_tenant uuid, p_text text) returns bytea
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$ select sha256(salt || sha256(salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;

-- The same for what has to be known again after an erasure, which takes the other salt away: keys of writes.
create function key_hash(p_tenant uuid, p_text text) returns bytea
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$ select sha256(key_salt || sha256(key_salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;


-- Places --------------------------------------------------------------------------------------------------------------

-- Where a memory lives: the key of every row, compared by equality, never null, never a prefix.
create type place as (tenant_id uuid, owner_id uuid, scope text, scope_id text);

-- The organisation's memory has no person for an owner; a user's and an organisation's have no id within the scope.
create function nobody() returns uuid
language sql immutable parallel safe
return '00000000-0000-0000-0000-000000000000'::uuid;

create function is_place(p_owner uuid, p_scope text, p_scope_id text) returns boolean
language sql immutable parallel safe
return case
  when p_scope = 'organization' then p_owner = nobody() and p_scope_id = ''
  when p_scope = 'user'         then p_owner <> nobody() and p_scope_id = ''
  when p_scope in ('agent', 'chat', 'project') then p_owner <> nobody() and char_length(p_scope_id) between 1 and 200
  else false
end;

grant execute on function name_id, as_id(text, text), as_id(text, jsonb), nobody, is_place, uid, my_tenants, tenants_with
  to memoranda_rules, memoranda_service;
grant execute on function secret_hash, key_hash to memoranda_rules;


-- Rules: from here on functions run with the rights of memoranda_rules -------------------------------------------------

set local role memoranda_rules;

-- The first step of every rule: who is asking, may they go there, and what is that place's key. `p_purpose` is 'read' or
-- 'write'. A place is {"tenant": id or name, "scope": "user", "scope_id": ""}; without a tenant, the user's own.
create function enter(p_place jsonb, p_purpose text) returns place
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  me    uuid := uid();
  p     place;
  known text;
begin
  if me is null then
    raise exception using errcode = '28000', message = 'this connection carries no user identity';
  end if;
  if jsonb_typeof(p_place) is distinct from 'object' or p_place - array['tenant', 'scope', 'scope_id'] <> '{}' then
    raise exception using errcode = 'MESCP', message = 'a place has tenant, scope and scope_id, and nothing else';
  end if;
  p.tenant_id := case when coalesce(p_place -> 'tenant', 'null') = 'null' then me else as_id('tenant', p_place -> 'tenant') end;
  p.scope     := coalesce(p_place ->> 'scope', 'user');
  p.scope_id  := coalesce(p_place ->> 'scope_id', '');
  p.owner_id  := case p.scope when 'organization' then nobody() else me end;

  if p.tenant_id is null then
    raise exception using errcode = 'MESCP', message = 'a tenant is named by its id or its name';
  end if;
  if not is_place(p.owner_id, p.scope, p.scope_id) then
    raise exception using errcode = 'MESCP', message = format('%s is not a scope with the id %s',
      left(quote_nullable(p_place ->> 'scope'), 40), left(quote_nullable(p_place ->> 'scope_id'), 40));
  end if;
  if p.scope = 'organization' and p.tenant_id = me then
    raise exception using errcode = 'MESCP', message = 'a personal tenant has no organisation';
  end if;
  if p.tenant_id <> me and (p.tenant_id = any (my_tenants())) is not true then
    raise exception using errcode = '42501', message = 'you are not a member of this tenant';
  end if;
  if p_purpose = 'write' then
    -- An erasure waits for the writes that are under way, and what comes after it finds its mark.
    perform pg_advisory_xact_lock_shared(hashtextextended(jsonb_build_array('erase', p.tenant_id, p.owner_id)::text, 0));
    if p.scope = 'organization' and (p.tenant_id = any (tenants_with('manage'))) is not true then
      raise exception using errcode = '42501', message = 'only a member with `manage` changes the organisation''s memory';
    end if;
    known := (select kind from tenants where tenant_id = p.tenant_id);
    if known is null then
      insert into tenants (tenant_id, kind)
      values (p.tenant_id, case p.tenant_id when me then 'person' else 'organization' end)
      on conflict do nothing;
      known := (select kind from tenants where tenant_id = p.tenant_id);    -- again: somebody may have been faster
    end if;
    if p.tenant_id = me and known <> 'person' then
      raise exception using errcode = '42501', message = 'your own id is registered as an organisation''s';
    end if;
  end if;
  return p;
end $$;

-- What the database makes of this connection; `bound` says whether row-level security applies inside the rules.
create function whoami() returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object('user', uid(), 'role', current_setting('role'), 'tenants', my_tenants(),
                            'manages', tenants_with('manage'), 'bound', row_security_active('tenants'))
$$;


-- Membership: from here on functions run with the rights of memoranda_service -------------------------------------------

set local role memoranda_service;

create function tenant_of(p_member jsonb) returns uuid
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  tenant uuid := as_id('tenant', p_member -> 'tenant');
begin
  if tenant is null then
    raise exception using errcode = 'MEINP', message = 'a membership names a tenant';
  end if;
  return tenant;
end $$;

create function user_of(p_member jsonb) returns uuid
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  member uuid := as_id('user', p_member -> 'user');
begin
  if member is null then
    raise exception using errcode = 'MEINP', message = 'a membership names a user';
  end if;
  return member;
end $$;

create function members_set(p_member jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  tenant uuid := tenant_of(p_member);
  member uuid := user_of(p_member);
  granted text := coalesce(p_member ->> 'permission', 'read');
begin
  if granted not in ('read', 'manage') then
    raise exception using errcode = 'MEINP', message = 'a permission is `read` or `manage`';
  end if;
  insert into tenants (tenant_id, kind) values (tenant, 'organization') on conflict do nothing;
  if tenant = member
     or exists (select from tenants t where t.tenant_id = tenant and t.kind = 'person')
     or exists (select from members m where m.user_id = tenant) then
    raise exception using errcode = '42501', message = 'a personal tenant takes no members';
  end if;
  insert into members (tenant_id, user_id, permission) values (tenant, member, granted)
  on conflict (tenant_id, user_id) do update set permission = excluded.permission;
  return jsonb_build_object('tenant', tenant, 'user', member, 'permission', granted);
end $$;

create function members_remove(p_member jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  tenant uuid := tenant_of(p_member);
  member uuid := user_of(p_member);
begin
  delete from members m where m.tenant_id = tenant and m.user_id = member;
  return jsonb_build_object('tenant', tenant, 'user', member, 'removed', found);
end $$;

create function members_list(p_member jsonb) returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('tenant', tenant_id, 'user', user_id, 'permission', permission) order by user_id), '[]')
    from members where tenant_id = tenant_of(p_member)
$$;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.whoami() returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.whoami() $$;
create function memoranda.members_set(member jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.members_set(member) $$;
create function memoranda.members_remove(member jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.members_remove(member) $$;
create function memoranda.members_list(member jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.members_list(member) $$;

-- The oldest migration that a client must know to work with these tables, and the newest that is here.
create function schema_version() returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object('version', max(number), 'required', coalesce(max(number) filter (where breaking), 0)) from migrations
$$;
create function memoranda.schema_version() returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.schema_version() $$;
grant execute on function schema_version, memoranda.schema_version, memoranda.whoami to authenticated, service_role;
grant execute on function memoranda.members_set, memoranda.members_remove, memoranda.members_list to service_role;

set local role memoranda_rules;
grant execute on function whoami to authenticated, service_role;
set local role memoranda_service;
grant execute on function members_set, members_remove, members_list to service_role;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules, memoranda_service;
reset role;
