-- The queue: who takes work, and how it ends. The service takes keys, of anybody; each owner's work is then done as that owner, whose
-- rules these are. A user takes their own.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service;

create policy taking on work for select to memoranda_service using (true);
create policy leasing on work for update to memoranda_service using (true) with check (true);
grant select, update (due_at, lease, claims, failures, waits, reason, dead_at) on work to memoranda_service;

-- How often work is taken without coming to an end, and how often it fails, before it is given up.
create function work_limits(out claims integer, out failures integer)
language sql immutable parallel safe
return row(20, 8);
grant execute on function work_limits to memoranda_rules, memoranda_service;

-- Work as whoever takes it sees it: keys, and no text.
create function work_out(w work) returns jsonb
language sql stable
return jsonb_build_object(
  'tenant', w.tenant_id, 'user', w.user_id, 'scope', w.scope, 'scope_id', w.scope_id, 'kind', w.kind, 'subject', w.subject,
  'due_at', w.due_at, 'lease', w.lease, 'claims', w.claims, 'failures', w.failures, 'waits', w.waits, 'reason', w.reason,
  'dead_at', w.dead_at, 'created_at', w.created_at);
grant execute on function work_out to memoranda_rules, memoranda_service;

create function check_claim(p_claim jsonb) returns void
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if jsonb_typeof(p_claim) is distinct from 'object' or p_claim - array['kinds', 'most', 'lease'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a claim has kinds, most and lease, and nothing else';
  end if;
end $$;
grant execute on function check_claim to memoranda_rules, memoranda_service;


-- The service's ring ------------------------------------------------------------------------------------------------------

set local role memoranda_service;

-- Takes what has been due longest, under a lease of so many seconds: {"kinds", "most", "lease"}. What others are taking is left to them.
create function claim_work(p_limits jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  made     uuid := gen_random_uuid();
  of_      text[] := (select array_agg(value) from jsonb_array_elements_text(p_limits -> 'kinds'));
  seconds  integer := greatest(1, least(3600, coalesce((p_limits ->> 'lease')::integer, 120)));
  taken    jsonb;
begin
  perform check_claim(p_limits);
  with due as materialized (
    select w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject from work w
     where w.dead_at is null and w.due_at <= now() and (of_ is null or w.kind = any (of_))
     order by w.due_at limit greatest(1, least(1000, coalesce((p_limits ->> 'most')::integer, 50)))
       for update skip locked
  ), leased as (
    update work w set claims = w.claims + 1, lease = made, due_at = clock_timestamp() + make_interval(secs => seconds),
           dead_at = case when w.claims >= (work_limits()).claims then now() end,
           reason = case when w.claims >= (work_limits()).claims then 'taken too often without coming to an end' else w.reason end
      from due
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
         = (due.tenant_id, due.owner_id, due.scope, due.scope_id, due.kind, due.subject)
    returning w)
  select jsonb_agg(work_out(l.w) order by (l.w).created_at) filter (where (l.w).dead_at is null) into taken from leased l;
  return coalesce(taken, '[]');
end $$;

-- How much there is of each kind, when the next is due, and what was given up, newest first: {"most"}.
create function work_status(p_limits jsonb) returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object(
    'kinds', (select coalesce(jsonb_object_agg(kind, counts), '{}') from (
                select kind, jsonb_build_object(
                         'due', count(*) filter (where dead_at is null and due_at <= now()),
                         'later', count(*) filter (where dead_at is null and due_at > now()),
                         'dead', count(dead_at), 'next', min(due_at) filter (where dead_at is null)) as counts
                  from work group by kind) as each),
    'dead', (select coalesce(jsonb_agg(work_out(d) order by d.dead_at desc), '[]') from (
               select w.* from work w where w.dead_at is not null
                order by w.dead_at desc limit greatest(0, least(1000, coalesce((p_limits ->> 'most')::integer, 100)))) as d))
$$;

-- Tries again what was given up: {"kinds"}.
create function work_retry(p_limits jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  of_    text[] := (select array_agg(value) from jsonb_array_elements_text(p_limits -> 'kinds'));
  again  integer;
begin
  perform check_claim(p_limits);
  update work w set dead_at = null, due_at = now(), lease = null, claims = 0, failures = 0, waits = 0
   where w.dead_at is not null and (of_ is null or w.kind = any (of_));
  get diagnostics again = row_count;
  return jsonb_build_object('again', again);
end $$;

grant execute on function claim_work, work_status, work_retry to service_role;


-- An owner's ----------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- The same as claim_work, for what is one's own here.
create function work_claim(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  made     uuid := gen_random_uuid();
  of_      text[] := (select array_agg(value) from jsonb_array_elements_text(p_work -> 'kinds'));
  seconds  integer := greatest(1, least(3600, coalesce((p_work ->> 'lease')::integer, 120)));
  taken    jsonb;
begin
  perform check_claim(p_work);
  with due as materialized (
    select w.kind, w.subject from work w
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and w.dead_at is null and w.due_at <= now() and (of_ is null or w.kind = any (of_))
     order by w.due_at limit greatest(1, least(1000, coalesce((p_work ->> 'most')::integer, 50)))
       for update skip locked
  ), leased as (
    update work w set claims = w.claims + 1, lease = made, due_at = clock_timestamp() + make_interval(secs => seconds), user_id = uid(),
           dead_at = case when w.claims >= (work_limits()).claims then now() end,
           reason = case when w.claims >= (work_limits()).claims then 'taken too often without coming to an end' else w.reason end
      from due
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, due.kind, due.subject)
    returning w)
  select jsonb_agg(work_out(l.w) order by (l.w).created_at) filter (where (l.w).dead_at is null) into taken from leased l;
  return coalesce(taken, '[]');
end $$;

-- What there is to embed of messages: {"subjects"}. Those that are gone are no work any more.
create function work_texts(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p     place := enter(p_place, 'write');
  ids   uuid[] := array(select value::uuid from jsonb_array_elements_text(p_work -> 'subjects') limit 1000);
  left_ jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'version', m.version, 'text', m.content, 'at', m.said_at, 'author', m.author)), '[]')
    into left_ from messages m
   where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.id = any (ids)
     and m.deleted_at is null and m.role <> 'tool' and m.content <> '' and coalesce(m.expires_at > now(), true);
  perform drop_work(p, 'embed', array(select i from unnest(ids) as i
                                       where not left_ @> jsonb_build_array(jsonb_build_object('id', i))));
  return left_;
end $$;

-- Puts messages that have no vector of a model on the list, oldest first: {"model", "most"}. What was given up stays so.
create function work_missing(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p     place := enter(p_place, 'write');
  ids   uuid[];
begin
  if call_text(p_work, 'model', 200) is null then
    raise exception using errcode = 'MEINP', message = 'vectors are missing of a model';
  end if;
  ids := array(
    select m.id from messages m
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and m.said_at is not null and m.deleted_at is null and m.role <> 'tool' and m.content <> '' and coalesce(m.expires_at > now(), true)
       and m.id not in (select v.message_id from message_vectors v
                         where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model)
                             = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_work ->> 'model'))
       and m.id not in (select w.subject from work w
                         where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'embed'))
     order by m.said_at, m.id limit greatest(1, least(100000, coalesce((p_work ->> 'most')::integer, 10000))));
  perform queue_work(p, 'embed', ids, null, 0);
  return jsonb_build_object('queued', cardinality(ids));
end $$;

-- Work came to its end: {"kind", "subjects"}.
create function work_done(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p  place := enter(p_place, 'write');
begin
  perform drop_work(p, p_work ->> 'kind', array(select value::uuid from jsonb_array_elements_text(p_work -> 'subjects') limit 1000));
  return '{}';
end $$;

-- Work failed: {"kind", "subjects", "lease", "reason", "fault", "after"}. A fault that is `permanent` is given up at once; one that is
-- the work's `own` is tried again, later each time, and given up after some; one that is somebody `else`'s (a server that is down, a
-- quota) waits for as long as that takes, at least `after` seconds. What somebody else has taken meanwhile is theirs.
create function work_failed(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'write');
  fault   text := coalesce(p_work ->> 'fault', 'own');
  after_  double precision := greatest(0, least(86400, coalesce((p_work ->> 'after')::double precision, 0)));
  dead    integer;
begin
  if fault not in ('own', 'else', 'permanent') then
    raise exception using errcode = 'MEINP', message = 'a fault is own, else or permanent';
  end if;
  with failed as (
    update work w set lease = null, claims = 0, reason = coalesce(nullif(left(p_work ->> 'reason', 300), ''), 'failed'),
           failures = w.failures + (fault <> 'else')::integer, waits = case fault when 'else' then least(w.waits + 1, 1000) else 0 end,
           due_at = clock_timestamp() + make_interval(secs => greatest(after_,
             least(900, 2 ^ least(10, case fault when 'else' then w.waits else w.failures end)) * (0.75 + random() / 2))),
           dead_at = case when fault = 'permanent' or fault = 'own' and w.failures + 1 >= (work_limits()).failures then now() end
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_work ->> 'kind')
       and w.subject in (select value::uuid from jsonb_array_elements_text(p_work -> 'subjects')) and w.lease = (p_work ->> 'lease')::uuid
    returning w.dead_at)
  select count(f.dead_at) into dead from failed f;
  return jsonb_build_object('dead', dead);
end $$;

grant execute on function work_claim, work_texts, work_missing, work_done, work_failed to authenticated, service_role;


-- Doors -----------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.claim_work(limits jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.claim_work(limits) $$;
create function memoranda.work_status(limits jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.work_status(limits) $$;
create function memoranda.work_retry(limits jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_retry(limits) $$;
create function memoranda.work_claim(place jsonb, work jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_claim(place, work) $$;
create function memoranda.work_texts(place jsonb, work jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_texts(place, work) $$;
create function memoranda.work_missing(place jsonb, work jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_missing(place, work) $$;
create function memoranda.work_done(place jsonb, work jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_done(place, work) $$;
create function memoranda.work_failed(place jsonb, work jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.work_failed(place, work) $$;
grant execute on function memoranda.claim_work, memoranda.work_status, memoranda.work_retry to service_role;
grant execute on function memoranda.work_claim, memoranda.work_texts, memoranda.work_missing, memoranda.work_done, memoranda.work_failed
  to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules, memoranda_service;
reset role;
