-- Tombstones: the values that somebody rejected or forgot, so that they do not come back. A value is known by its salted hash,
-- however it is written; the like of it by the vector and the template that its fact left behind.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;

create table tombstones (
  tenant_id        uuid not null,
  owner_id         uuid not null,
  scope            text not null,
  scope_id         text not null,
  value_hash       bytea not null,
  key              text not null,           -- under which it stood; empty without one
  fact_id          uuid,                    -- the last fact with this value that was rejected or forgotten; null once it is purged
  template_hash    bytea,
  refused          integer not null default 0,        -- how often the value has been offered again
  created_at       timestamptz not null default clock_timestamp(),
  last_refused_at  timestamptz,
  lifted_at        timestamptz,             -- since when the value may be saved again
  primary key (tenant_id, owner_id, scope, scope_id, value_hash, key),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id))
);
create index tombstones_by_fact on tombstones (tenant_id, owner_id, scope, scope_id, fact_id);

alter table tombstones enable row level security;
alter table tombstones force row level security;
create policy read on tombstones for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on tombstones for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on tombstones for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert (tenant_id, owner_id, scope, scope_id, value_hash, key, fact_id, template_hash),
  update (fact_id, template_hash, refused, created_at, last_refused_at, lifted_at) on tombstones to memoranda_rules;


-- Rules ---------------------------------------------------------------------------------------------------------------

-- Hashes of many texts, as secret_hash makes them.
create function secret_hashes(p_tenant uuid, p_texts text[]) returns bytea[]
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select array_agg(sha256(salt || sha256(salt || convert_to(t, 'UTF8'))) order by n)
    from tenants, unnest(p_texts) with ordinality as listed (t, n) where tenant_id = p_tenant
$$;
grant execute on function secret_hashes to memoranda_rules;

set local role memoranda_rules;

-- The hash of a fact's template, also of one that does without in its row: those under a key.
create function shape_of(f facts) returns bytea
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select coalesce(f.template_hash, case when char_length(f.content) <= 2000 then secret_hash(f.tenant_id, template_of(f.content)) end)
$$;

-- Leaves tombstones for facts.
create function bury(p_facts facts[]) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  insert into tombstones as t (tenant_id, owner_id, scope, scope_id, value_hash, key, fact_id, template_hash)
  select distinct on (f.value_hash, f.key)
         f.tenant_id, f.owner_id, f.scope, f.scope_id, f.value_hash, coalesce(f.key, ''), f.id, shape_of(f)
    from unnest(p_facts) as f
      on conflict (tenant_id, owner_id, scope, scope_id, value_hash, key)
      do update set fact_id = excluded.fact_id, template_hash = excluded.template_hash, created_at = clock_timestamp(), lifted_at = null
$$;

-- Whether a value says something without its key. A word, a number or a code does not: that `GBP` is no longer the currency of
-- an account says nothing about another account's.
create function is_statement(p_content text) returns boolean
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select plain(p_content) ~ '\S\s+\S' or char_length(plain(p_content)) > 20 or octet_length(p_content) >= 2 * char_length(p_content) $$;

-- The tombstone that a value meets: of the same key, or of any other when the value is a statement, or when one of the two has
-- no key.
create function tombstone_of(f facts) returns tombstones
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  met tombstones;
begin
  select * into met from tombstones t
   where t.tenant_id = f.tenant_id and t.owner_id = f.owner_id and t.scope = f.scope and t.scope_id = f.scope_id
     and t.value_hash = f.value_hash and t.lifted_at is null
     and (f.key is null or t.key in (f.key, '') or is_statement(f.content))
   order by t.key = coalesce(f.key, '') desc limit 1;
  return met;
end $$;

-- Lifts every tombstone that a value meets.
create function lift(f facts) returns boolean
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  update tombstones t set lifted_at = clock_timestamp()
   where t.tenant_id = f.tenant_id and t.owner_id = f.owner_id and t.scope = f.scope and t.scope_id = f.scope_id
     and t.value_hash = f.value_hash and t.lifted_at is null
     and (f.key is null or t.key in (f.key, '') or is_statement(f.content));
  return found;
end $$;

-- Counts that a value was refused.
create function refuse(t tombstones) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  update tombstones u set refused = u.refused + 1, last_refused_at = clock_timestamp()
   where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.value_hash, u.key)
       = (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.value_hash, t.key)
$$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
