-- Receipts: what an erasure removed, which queries say that nothing is left, and what no database can reach at once. A receipt
-- holds no text but the name of the scope, and the mark that stays here knows it again.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_erasure;
set local role memoranda_erasure;

-- What stays for a while where no statement reaches it, until when, and the settings here that bound it.
create function erasure_reach() returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_agg(jsonb_build_object('what', r.what, 'until', r.until, 'settings', (
           select jsonb_object_agg(s, current_setting(s, true)) from unnest(r.settings) as s)) order by r.n)
    from (values
      (1, 'bytes in the pages of tables and indexes', 'VACUUM FULL of the tables, and a checkpoint; a plain VACUUM leaves some',
       '{autovacuum,autovacuum_naptime,autovacuum_vacuum_scale_factor,idle_in_transaction_session_timeout,checkpoint_timeout}'::text[]),
      (2, 'the write-ahead log', 'its segments are recycled',
       '{wal_level,wal_keep_size,max_wal_size,max_slot_wal_keep_size,wal_recycle}'),
      (3, 'archived log, backups, snapshots and replicas that lag', 'their retention ends; what is restored from one is to be erased again',
       '{archive_mode,archive_timeout,max_wal_senders}'),
      (4, 'the server''s own log, where it logs statements or their values', 'it is rotated away',
       '{log_statement,log_min_duration_statement,log_min_error_statement,log_parameter_max_length,log_parameter_max_length_on_error}'),
      (5, 'other systems: prompts that were sent, providers of models, logs and caches of the application', 'they erase it', '{}')
    ) as r (n, what, until, settings)
$$;

-- What says that nothing of a source is left. Its name is not kept, only a hash of it, $5.
create function erasure_source_map() returns table (step integer, name text, rows_ text)
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  values
    (1, 'facts', 'x.tenant_id = $1 and x.owner_id = $2 and x.scope = $3 and x.scope_id = $4 and x.created_at <= $7 '
                 'and key_hash(x.tenant_id, x.source) = $5'),
    (2, 'revisions', 'x.tenant_id = $1 and x.owner_id = $2 and x.scope = $3 and x.scope_id = $4 and x.at <= $7 '
                     'and x.subject_id not in (select f.id from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = ($1, $2, $3, $4)) '
                     'and x.subject_id not in (select f.id from files f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = ($1, $2, $3, $4))'),
    (3, 'runs', 'x.tenant_id = $1 and x.owner_id = $6 and x.first_at <= $7 '
                'and exists (select from unnest(x.sources) s where key_hash(x.tenant_id, s) = $5)')
$$;

create function erasure_source_count(p place, p_user uuid, p_hash bytea, p_time timestamptz) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  m       record;
  counts  jsonb := '{}';
  n       bigint;
begin
  for m in select * from erasure_source_map() order by step loop
    execute format('select count(*) from %I x where %s', m.name, m.rows_) into n
      using p.tenant_id, p.owner_id, p.scope, p.scope_id, p_hash, p_user, p_time;
    counts := counts || jsonb_build_object(m.name, n);
  end loop;
  return counts;
end $$;

-- Two counts together.
create function erasure_sum(p_one jsonb, p_other jsonb) returns jsonb
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select coalesce(jsonb_object_agg(key, n), '{}') from (
    select key, sum(value::bigint) as n from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) as each
     group by key) as sums
$$;

-- Waits until nobody writes there any more; from then on until the end nobody does, and what had begun finds the mark.
create function erasure_lock(p_tenant uuid, p_owner uuid) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('erase', p_tenant, p_owner)::text, 0)) $$;

-- The receipt of what was done in some tenants, and the mark in each. `p.tenant_id` is that of a scope.
create function erasure_receipt(p place, p_what text, p_tenants uuid[], p_user uuid, p_hash bytea, p_counts jsonb, p_time timestamptz)
returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  id       uuid := gen_random_uuid();
  each     uuid;
  left_    jsonb := '{}';
  receipt  jsonb;
begin
  foreach each in array p_tenants loop
    p.tenant_id := each;
    left_ := erasure_sum(left_, case p_what when 'source' then erasure_source_count(p, p_user, p_hash, p_time)
                                            else erasure_count(p, null, null, null) end);
  end loop;
  receipt := jsonb_build_object(
    'receipt', 'memoranda erasure, 1', 'id', id, 'what', p_what, 'at', p_time, 'user', p_user, 'tenants', p_tenants,
    'owner', p.owner_id, 'scope', p.scope, 'scope_id', p.scope_id, 'source_hash', encode(p_hash, 'hex'), 'counts', p_counts,
    'left', left_, 'queries', (
      select jsonb_agg(jsonb_build_object(
               'table', q.name, 'query', format('select count(*) from memoranda_private.%I x where %s', q.name, q.condition),
               'found', left_ -> q.name) order by q.step)
        from (select step, name, rows_ || coalesce(' and ' || older, '') as condition from erasure_map()
               where p_what <> 'source' and rows_ is not null
              union all select step, name, rows_ from erasure_source_map() where p_what = 'source') as q),
    'parameters', jsonb_build_object(
      '$1', 'each of the tenants', '$2', p.owner_id, '$3', p.scope, '$4', p.scope_id,
      '$5', case p_what when 'source' then 'the source_hash' end, '$6', case p_what when 'source' then p_user::text end, '$7', p_time),
    'out_of_reach', erasure_reach(), 'server', 'PostgreSQL ' || current_setting('server_version'));
  foreach each in array p_tenants loop
    insert into erasures (tenant_id, owner_id, scope, scope_id, id, what, source_hash, at, digest)
    values (each, p.owner_id, coalesce(p.scope, 'user'), coalesce(p.scope_id, ''), id, p_what, p_hash, p_time,
            sha256(convert_to(receipt::text, 'UTF8')));
  end loop;
  return receipt;
end $$;


-- A scope, or a source in it --------------------------------------------------------------------------------------------

-- Erases a place, or with {"source"} what came of a source there: the facts that name it; and all facts and files that a run
-- which had read it has written, with their history, since what was read may be in them. {"dry_run": true} only counts.
create function erase(p_place jsonb, p_what jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'read');
  source_  text := p_what ->> 'source';
  facts_   uuid[];
  files_   uuid[];
  counts   jsonb;
  time_    timestamptz;
  n        bigint;
begin
  if jsonb_typeof(p_what) is distinct from 'object' or p_what - array['source', 'dry_run'] <> '{}'
     or char_length(source_) not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'an erasure has source, of 1 to 200 characters, and dry_run, and nothing else';
  end if;
  if p.scope = 'organization' and (p.tenant_id = any (tenants_with('manage'))) is not true then
    raise exception using errcode = '42501', message = 'only a member with `manage` erases the organisation''s memory';
  end if;
  perform erasure_lock(p.tenant_id, p.owner_id);
  time_ := clock_timestamp();
  if source_ is not null then
    with tainted as (
      select r.run_id from runs r where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and r.sources @> array[source_]),
    written as (
      select distinct r.subject, r.subject_id from revisions r
       where (r.tenant_id, r.owner_id, r.scope, r.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and r.run_id in (select t.run_id from tainted t)),
    said as (
      select m.id, m.turn from messages m
       where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and m.run_id in (select t.run_id from tainted t))
    select array(select f.id from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                    and (f.source = source_ or f.id in (select w.subject_id from written w where w.subject = 'fact'))),
           array(select w.subject_id from written w where w.subject = 'file'
                 union select s.id from said s union select s.turn from said s) into facts_, files_;
  end if;
  if coalesce((p_what ->> 'dry_run')::boolean, false) then
    return jsonb_build_object('what', case when source_ is null then 'scope' else 'source' end, 'counts', erasure_count(p, facts_, files_, null));
  end if;
  counts := erasure_do(p, facts_, files_);
  if source_ is not null then
    update runs r set sources = array_replace(r.sources, source_, 'erased')
     where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and r.sources @> array[source_];
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('runs', n, 'idempotency_keys', erasure_sweep(p));
  end if;
  return erasure_receipt(p, case when source_ is null then 'scope' else 'source' end, array[p.tenant_id], uid(),
                         key_hash(p.tenant_id, source_), counts, time_);
end $$;


-- A user, wherever they are ---------------------------------------------------------------------------------------------

-- Lends an identity to the rest of a call, or gives it back; returns what was there before. `p_tenant` is the organisation whose
-- memory service work is about, if it is about that.
create function erasure_lend(p_claims text, p_tenant uuid) returns text
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  before text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', coalesce(p_claims, ''), true), set_config('memoranda.lent', coalesce(p_tenant::text, ''), true);
  return before;
end $$;

-- Erases a user in a tenant, or in every one, one after the other; of an organisation's memory only their name as its writer.
create function erasure_of_user(p_user uuid, p_tenant uuid, p_dry boolean) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  before   text := erasure_lend(jsonb_build_object('sub', p_user)::text, null);
  p        place := row(null, p_user, null, null);
  done     uuid[] := '{}';
  counts   jsonb := '{}';
  here     jsonb;
  n        bigint;
  answer   jsonb;
begin
  for p.tenant_id in
    select p_tenant where p_tenant is not null
    union all (select p_user where p_tenant is null)
    union all (select t.tenant_id from tenants t where t.kind = 'organization' and p_tenant is null order by 1)
  loop
    if p_dry then
      here := erasure_count(p, null, null, null);
      select count(*) into n from revisions r
       where r.tenant_id = p.tenant_id and r.owner_id = nobody() and r.scope = 'organization' and r.user_id = p_user;
    else
      perform erasure_lock(p.tenant_id, p_user);
      here := erasure_do(p, null, null);
      update revisions r set user_id = nobody()
       where r.tenant_id = p.tenant_id and r.owner_id = nobody() and r.scope = 'organization' and r.user_id = p_user;
      get diagnostics n = row_count;
      if p.tenant_id = p_user then
        update tenants t set salt = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) where t.tenant_id = p_user and t.kind = 'person';
      end if;
    end if;
    here := here || jsonb_build_object('names in the log of an organisation', n);
    counts := erasure_sum(counts, here);
    if p.tenant_id in (p_user, p_tenant) or exists (select from jsonb_each(here) where value <> '0') then
      done := done || p.tenant_id;
    end if;
  end loop;
  answer := case when p_dry then jsonb_build_object('what', 'user', 'counts', counts)
                 else erasure_receipt(p, 'user', done, p_user, null, counts, clock_timestamp()) end;
  perform erasure_lend(before, null);
  return answer;
end $$;

-- {"user", "tenant", "dry_run"}: without a tenant, everywhere.
create function erase_user(p_subject jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  erased  uuid := as_id('user', p_subject -> 'user');
  tenant  uuid := as_id('tenant', p_subject -> 'tenant');
begin
  if p_subject - array['user', 'tenant', 'dry_run'] <> '{}' or erased is null
     or tenant is null and coalesce(p_subject -> 'tenant', 'null') <> 'null' then      -- or it would be everywhere
    raise exception using errcode = 'MEINP', message = 'an erasure names a user, and may name a tenant';
  end if;
  if exists (select from tenants t where t.tenant_id = erased and t.kind = 'organization') then
    raise exception using errcode = 'MEINP', message = 'that is the id of an organisation, not of a user';
  end if;
  return erasure_of_user(erased, tenant, coalesce((p_subject ->> 'dry_run')::boolean, false));
end $$;

-- For a trigger on the table of accounts: who is deleted there is erased here.
create function erase_account() returns trigger
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
begin
  perform erasure_of_user(as_id('user', to_jsonb(old) -> 'id'), null, false);
  return null;
end $$;


-- Verification ----------------------------------------------------------------------------------------------------------

-- Whether a receipt is one of ours, unchanged, and what there is by now of what it says is gone: written before, and not since.
create function erase_verify(p_receipt jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := row(null, p_receipt ->> 'owner', p_receipt ->> 'scope', p_receipt ->> 'scope_id');
  time_    timestamptz := p_receipt ->> 'at';
  before   text;
  genuine  boolean := p_receipt ->> 'receipt' is not null and jsonb_array_length(p_receipt -> 'tenants') > 0;
  left_    jsonb := '{}';
begin
  if genuine is not true or p.owner_id is null or time_ is null then
    raise exception using errcode = 'MEINP', message = 'that is not the receipt of an erasure';
  end if;
  for p.tenant_id in select value::uuid from jsonb_array_elements_text(p_receipt -> 'tenants') loop
    before := erasure_lend(jsonb_build_object('sub', p_receipt ->> 'user')::text,
                           case when p.owner_id = nobody() or p_receipt ->> 'what' = 'source' then p.tenant_id end);
    genuine := genuine and exists (
      select from erasures e
       where (e.tenant_id, e.owner_id, e.scope, e.scope_id, e.id)
           = (p.tenant_id, p.owner_id, coalesce(p.scope, 'user'), coalesce(p.scope_id, ''), (p_receipt ->> 'id')::uuid)
         and e.digest = sha256(convert_to(p_receipt::text, 'UTF8')));
    left_ := erasure_sum(left_, case p_receipt ->> 'what'
      when 'source' then erasure_source_count(p, (p_receipt ->> 'user')::uuid, decode(p_receipt ->> 'source_hash', 'hex'), time_)
      else erasure_count(p, null, null, time_) end);
    perform erasure_lend(before, null);
  end loop;
  return jsonb_build_object('genuine', genuine, 'left', left_, 'at', clock_timestamp());
end $$;

grant execute on function erase to authenticated, service_role;
grant execute on function erase_user, erase_verify to service_role;


-- Doors -----------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.erase(place jsonb, what jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.erase(place, what) $$;
create function memoranda.erase_user(subject jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.erase_user(subject) $$;
create function memoranda.erase_verify(receipt jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.erase_verify(receipt) $$;
grant execute on function memoranda.erase to authenticated, service_role;
grant execute on function memoranda.erase_user, memoranda.erase_verify to service_role;

revoke create on schema memoranda_private from memoranda_erasure;
reset role;
