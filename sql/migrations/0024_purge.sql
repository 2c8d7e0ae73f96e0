-- Purge: what has expired is removed for good, with its history and vectors, a few at a time, so that no writer waits for long.
-- And the keys of writes, once their time is up. And forgetting for good: one fact, or all that stood under a key.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_erasure, memoranda_service, memoranda_rules;

create index facts_expiring on facts (tenant_id, owner_id, scope, scope_id, expires_at) where expires_at is not null;
create index idempotency_keys_age on idempotency_keys (created_at);

-- The service sees whose facts expire when, and how old keys are; the erasing ring removes the facts, one owner's after another's.
create policy expiring on facts for select to memoranda_service using (true);
grant select (tenant_id, owner_id, scope, scope_id, expires_at) on facts to memoranda_service;
create policy aging on idempotency_keys for select to memoranda_service using (true);
create policy leaving on idempotency_keys for delete to memoranda_service using (true);
grant select (tenant_id, owner_id, scope, scope_id, key_hash, created_at, erased_at), delete on idempotency_keys to memoranda_service;

set local role memoranda_service;

-- A place where facts have expired, if there is one.
create function purge_place() returns place
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select row(f.tenant_id, f.owner_id, f.scope, f.scope_id)::place from facts f where f.expires_at <= now() limit 1
$$;

-- For how many days the keys of a tenant's writes are kept.
create function key_days(p_tenant uuid) returns integer
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select coalesce((select s.value::integer from settings s where s.name = 'key_days' and s.tenant_id in (p_tenant, nobody())
                    order by s.tenant_id = nobody() limit 1),
                  (select k.fallback::integer from settings_known() k where k.name = 'key_days'))
$$;

-- Removes up to so many keys whose time is up; an erasure gives a key its time anew.
create function purge_keys(p_most integer) returns integer
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  removed integer;
begin
  delete from idempotency_keys k
   where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash) in (
     select old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key_hash from idempotency_keys old
      where old.created_at < now() - interval '1 day'
        and greatest(old.created_at, old.erased_at) < now() - make_interval(days => key_days(old.tenant_id))
      order by old.created_at limit p_most);
  get diagnostics removed = row_count;
  return removed;
end $$;

-- How much is due.
create function purge_due() returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object(
    'facts', (select count(*) from facts f where f.expires_at <= now()),
    'keys', (select count(*) from idempotency_keys k where k.created_at < now() - interval '1 day'
                and greatest(k.created_at, k.erased_at) < now() - make_interval(days => key_days(k.tenant_id))))
$$;
grant execute on function purge_place, purge_keys, purge_due to memoranda_erasure;

set local role memoranda_rules;
grant execute on function lock_facts, lock_key to memoranda_erasure;
set local role memoranda_erasure;

-- Removes up to so many expired facts at a place. A value that was rejected or forgotten stays so: its tombstone loses the fact.
create function purge_at(p place, p_most integer) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  ids   uuid[];
  keys  text[];
begin
  select array_agg(f.id), array_agg(f.key) into ids, keys from (
    select g.id, g.key from facts g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and g.expires_at <= now()
     limit p_most) as f;
  if ids is null then
    return 0;
  end if;
  perform lock_facts(p, keys || null::text);             -- nobody replaces one of them meanwhile
  update tombstones t set fact_id = null, template_hash = null
   where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and t.fact_id = any (ids);
  perform erasure_do(p, ids, '{}');
  if cardinality(ids) < p_most then                      -- the last of them here: it reads every key of the place
    perform erasure_sweep(p);
  end if;
  return cardinality(ids);
end $$;

-- One batch: {"most"}, 100 without. Facts first, then messages, documents and keys; what it removed of each, and {"dry_run": true} says what is due.
create function purge(p_limits jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  most    integer := greatest(1, least(10000, coalesce((p_limits ->> 'most')::integer, 100)));
  p       place;
  before  text;
  facts_  integer := 0;
  said    integer := 0;
  kept    integer := 0;
begin
  if p_limits - array['most', 'dry_run'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a purge has most and dry_run, and nothing else';
  end if;
  if coalesce((p_limits ->> 'dry_run')::boolean, false) then
    return purge_due() || jsonb_build_object('messages', purge_messages_due(), 'documents', purge_documents_due());
  end if;
  while facts_ < most loop
    p := purge_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    facts_ := facts_ + purge_at(p, most - facts_);
    perform erasure_lend(before, null);
  end loop;
  while facts_ + said < most loop
    p := purge_messages_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    said := said + purge_messages_at(p, most - facts_ - said);
    perform erasure_lend(before, null);
  end loop;
  while facts_ + said + kept < most loop
    p := purge_documents_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    kept := kept + purge_documents_at(p, most - facts_ - said - kept);
    perform erasure_lend(before, null);
  end loop;
  return jsonb_build_object('facts', facts_, 'messages', said, 'documents', kept,
                            'keys', case when facts_ + said + kept = 0 then purge_keys(most) else 0 end);
end $$;
grant execute on function purge to service_role;


-- Forgetting for good ---------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- Finds what a target means: under a key all that ever stood there, by an id that fact and what was merged into it. Leaves tombstones
-- for what is in force or waits. {"place", "ids"}; or {"done"} when there is nothing to do, or it was done before.
create function erasing_facts(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_review(p, 'facts_erase', p_target, p_call);
  gone     facts[];
begin
  if outcome is not null then
    return jsonb_build_object('done', outcome);
  end if;
  perform lock_facts(p, array[coalesce(target.key, (fact_of(p, target.id)).key), null]);
  gone := array(
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.key = target.key
    union all
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.id = target.id
    union all
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.superseded_by = target.id and f.id is distinct from (fact_of(p, target.id)).supersedes);
  if cardinality(gone) = 0 then
    return jsonb_build_object('done', end_write(p, p_call, '{"outcome": "nothing"}'));
  end if;
  perform bury(array(select g from unnest(gone) as g where g.status in ('confirmed', 'pending') or g.holds_until > now()));
  return jsonb_build_object('place', to_jsonb(p), 'ids', (select jsonb_agg(g.id) from unnest(gone) as g));
end $$;

create function erased_facts(p place, p_call jsonb, p_outcome jsonb) returns jsonb
language sql security definer set search_path = memoranda_private, pg_temp
as $$ select end_write(p, p_call, p_outcome) $$;
grant execute on function erasing_facts, erased_facts to memoranda_erasure;

set local role memoranda_erasure;

-- Removes facts for good: rows, history, vectors. Of their tombstones the hash stays, and of the keys of their writes that they were
-- used. Only by the application's own code.
create function facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  found_  jsonb := erasing_facts(p_place, p_target, p_call);
  p       place := jsonb_populate_record(null::place, found_ -> 'place');
  ids     uuid[] := array(select value::uuid from jsonb_array_elements_text(found_ -> 'ids'));
begin
  if found_ ? 'done' then
    return found_ -> 'done';
  end if;
  update tombstones t set fact_id = null, template_hash = null
   where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and t.fact_id = any (ids);
  perform erasure_do(p, ids, '{}');
  perform erasure_sweep(p);
  return erased_facts(p, p_call, '{"outcome": "forgotten", "rule": "for good"}');
end $$;
grant execute on function facts_erase to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.purge(limits jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.purge(limits) $$;
grant execute on function memoranda.purge to service_role;
create function memoranda.facts_erase(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_erase(place, target, call) $$;
grant execute on function memoranda.facts_erase to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_erasure, memoranda_service, memoranda_rules;
reset role;
