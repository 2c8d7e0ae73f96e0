-- The log that nothing is lost from: one revision for every write of a fact or a file, and the keys that let a client
-- send a write again.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;


-- Revisions -----------------------------------------------------------------------------------------------------------

create table revisions (
  tenant_id     uuid not null,
  owner_id      uuid not null,
  scope         text not null,
  scope_id      text not null,
  subject       text not null check (subject in ('fact', 'file')),
  subject_id    uuid not null,
  version       integer not null,
  verb          text not null,
  state         jsonb not null,             -- the whole row as it stood after this write
  replaces      uuid,                       -- the subject that this write put out of force, if another
  actor         text not null check (actor in ('application', 'model', 'extractor', 'import', 'system')),
  user_id       uuid not null,              -- whose claims the write carried
  role          text not null,              -- the database role that it came in by
  run_id        text,
  tool_call_id  text,
  reason        text,
  decision      jsonb,                      -- what decided it: rule, similarity, threshold, and the fact that it was compared with
  at            timestamptz not null,
  primary key (tenant_id, owner_id, scope, scope_id, subject, subject_id, version),
  check (is_place(owner_id, scope, scope_id))
);

alter table revisions enable row level security;
alter table revisions force row level security;
create policy read on revisions for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
-- Only a trigger appends, and only what the identity in force may write. No policy lets anybody change or remove a row.
create policy append on revisions for insert to memoranda_owner
  with check (pg_trigger_depth() > 0 and user_id = (select uid())
              and case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                             else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select on revisions to memoranda_rules;

-- Beneath the grants and the policies: the owner role itself cannot rewrite history.
create function refuse_rewriting() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if current_user = 'memoranda_erasure' and tg_op = 'UPDATE' then      -- which may change who wrote to nobody, and no more
    return null;
  end if;
  raise exception using errcode = '42501', message = 'revisions are appended, never changed';
end $$;
create trigger append_only before update or truncate on revisions
  for each statement execute function refuse_rewriting();


-- Runs: what an agent's run has read ------------------------------------------------------------------------------------

create table runs (
  tenant_id   uuid not null,
  owner_id    uuid not null,                -- the user whose agent runs
  run_id      text not null check (char_length(run_id) between 1 and 200),
  sources     text[] not null,              -- the untrusted material that it has read; never empty, never shorter
  first_at    timestamptz not null default clock_timestamp(),
  primary key (tenant_id, owner_id, run_id)
);

alter table runs enable row level security;
alter table runs force row level security;
create policy own on runs to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])))
  with check (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])));
grant select, insert (tenant_id, owner_id, run_id, sources), update (sources) on runs to memoranda_rules;

-- Taint is sticky: what a run has read it does not unread.
create function guard_run() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if not new.sources @> old.sources
     and not (current_user = 'memoranda_erasure' and cardinality(new.sources) = cardinality(old.sources)) then
    raise exception using errcode = '42501', message = 'a run stays marked by what it has read';
  end if;
  return new;
end $$;
create trigger guard before update on runs for each row execute function guard_run();


-- Calls: who does this write, for which run, and has it been done before -------------------------------------------------

create table idempotency_keys (
  tenant_id     uuid not null,
  owner_id      uuid not null,              -- the user who writes, in an organisation's scope too
  scope         text not null,
  scope_id      text not null,
  key_hash      bytea not null,
  payload_hash  bytea,
  outcome       jsonb,                      -- ids and numbers only, no text of a memory
  erased_at     timestamptz,                -- what was written is gone, and is not written again
  created_at    timestamptz not null default clock_timestamp(),
  primary key (tenant_id, owner_id, scope, scope_id, key_hash)
);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy own on idempotency_keys to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])))
  with check (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])));
grant select, insert (tenant_id, owner_id, scope, scope_id, key_hash, payload_hash), update (outcome)
  on idempotency_keys to memoranda_rules;

-- Marks of what was erased: what was on its way before it is not written after it. No text, but for the place.
create table erasures (
  tenant_id    uuid not null,
  owner_id     uuid not null,
  scope        text not null,
  scope_id     text not null,
  id           uuid not null,               -- of the receipt
  what         text not null check (what in ('user', 'scope', 'source')),      -- the whole user, here; or this scope; or a source in it
  source_hash  bytea,
  at           timestamptz not null,        -- the high-water time: everything older is gone
  digest       bytea not null,              -- of the receipt, which is not kept here
  primary key (tenant_id, owner_id, scope, scope_id, id),
  check (is_place(owner_id, scope, scope_id)),
  check ((what = 'source') = (source_hash is not null))
);

alter table erasures enable row level security;
alter table erasures force row level security;
create policy read on erasures for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
grant select on erasures to memoranda_rules;

set local role memoranda_rules;

-- Whether what was on its way at a time has been erased since, user or scope; and which sources have been.
create function erased_since(p place, p_time timestamptz) returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select exists (
    select from erasures e
     where e.tenant_id = p.tenant_id and e.owner_id in (p.owner_id, uid()) and e.at >= p_time
       and (e.what = 'user' or e.what = 'scope' and (e.owner_id, e.scope, e.scope_id) = (p.owner_id, p.scope, p.scope_id)))
$$;

create function sources_erased_since(p place, p_time timestamptz) returns bytea[]
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select array(
    select e.source_hash from erasures e
     where (e.tenant_id, e.owner_id, e.scope, e.scope_id, e.what) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'source')
       and e.at >= p_time)
$$;

-- Whether the write that is under way belongs to a run that has read untrusted material.
create function call_is_tainted() returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$ select coalesce((nullif(current_setting('memoranda.call', true), '')::jsonb ->> 'tainted')::boolean, false) $$;

-- A text of a call, of bounded length; null when it is not there.
create function call_text(p_call jsonb, p_name text, p_limit integer) returns text
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if char_length(p_call ->> p_name) not between 1 and p_limit then
    raise exception using errcode = 'MEINP', message = format('%s has 1 to %s characters', p_name, p_limit);
  end if;
  return p_call ->> p_name;
end $$;

-- Opens a write. A call is {"actor", "run_id", "tool_call_id", "reason", "idempotency_key", "queued_at"}, all optional; the
-- last is since when the write waited to be made. Returns the outcome of the same write if it was done before (then there is
-- nothing left to do), or that its like was erased since, and null otherwise; a concurrent twin waits here until the first
-- has ended. The triggers read the rest of the call from the transaction.
create function begin_write(p place, p_verb text, p_payload jsonb, p_call jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  call     jsonb := coalesce(p_call, '{}');
  actor    text := coalesce(call ->> 'actor', 'application');
  key      text := call_text(call, 'idempotency_key', 200);
  since    timestamptz := least(now(), (call ->> 'queued_at')::timestamptz);
  gone     jsonb;
  key_h    bytea;
  payload  bytea;
  earlier  idempotency_keys%rowtype;
begin
  if jsonb_typeof(call) <> 'object' or call - array['actor', 'run_id', 'tool_call_id', 'reason', 'idempotency_key', 'queued_at'] <> '{}' then
    raise exception using errcode = 'MEINP',
      message = 'a call has actor, run_id, tool_call_id, reason, idempotency_key and queued_at, and nothing else';
  end if;
  if actor not in ('application', 'model', 'extractor', 'import', 'system') then
    raise exception using errcode = 'MEINP', message = 'an actor is application, model, extractor, import or system';
  end if;
  perform set_config('memoranda.call', jsonb_build_object(
    'actor', actor, 'run_id', call_text(call, 'run_id', 200),
    'tainted', exists (select from runs r where (r.tenant_id, r.owner_id, r.run_id) = (p.tenant_id, uid(), call ->> 'run_id')),
    'tool_call_id', call_text(call, 'tool_call_id', 200),
    'reason', call_text(call, 'reason', 1000), 'since', since)::text, true);
  gone := '{"outcome": "rejected", "rule": "erased"}';
  if p_verb in ('facts_save_many', 'facts_save_extracted') then
    gone := jsonb_build_object('outcomes', jsonb_build_array(gone), 'erased', true);
  end if;
  if erased_since(p, since) then
    return gone;
  end if;
  if key is null then
    return null;
  end if;

  key_h := key_hash(p.tenant_id, key);
  payload := secret_hash(p.tenant_id, jsonb_build_array(p_verb, p_payload)::text);
  insert into idempotency_keys (tenant_id, owner_id, scope, scope_id, key_hash, payload_hash)
  values (p.tenant_id, uid(), p.scope, p.scope_id, key_h, payload)
  on conflict do nothing;
  if found then
    return null;
  end if;
  select * into strict earlier from idempotency_keys k
   where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash) = (p.tenant_id, uid(), p.scope, p.scope_id, key_h);
  if earlier.erased_at is not null then
    return gone || '{"replayed": true}';
  end if;
  if earlier.payload_hash is distinct from payload then
    raise exception using errcode = 'MEIDM', message = 'this idempotency key was used for another write';
  end if;
  return earlier.outcome || '{"replayed": true}';
end $$;

-- Closes a write: the outcome is kept under the call's key, and returned.
create function end_write(p place, p_call jsonb, p_outcome jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if p_call ->> 'idempotency_key' is not null then
    update idempotency_keys k set outcome = p_outcome
     where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash)
         = (p.tenant_id, uid(), p.scope, p.scope_id, key_hash(p.tenant_id, p_call ->> 'idempotency_key'));
  end if;
  return p_outcome;
end $$;

-- Marks a run: from here on what it writes is marked as well. {"run_id", "source"}.
create function runs_taint(p_place jsonb, p_run jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'read');
  run     text := call_text(p_run, 'run_id', 200);
  source  text := call_text(p_run, 'source', 200);
begin
  if run is null or source is null then
    raise exception using errcode = 'MEINP', message = 'a run is marked by its run_id, with the source that it has read';
  end if;
  insert into runs as r (tenant_id, owner_id, run_id, sources) values (p.tenant_id, uid(), run, array[source])
  on conflict (tenant_id, owner_id, run_id) do update set sources = r.sources || excluded.sources
   where not r.sources @> excluded.sources;
  return jsonb_build_object('run_id', run, 'tainted', true);
end $$;
grant execute on function runs_taint to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.runs_taint(place jsonb, run jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.runs_taint(place, run) $$;
grant execute on function memoranda.runs_taint to authenticated, service_role;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
