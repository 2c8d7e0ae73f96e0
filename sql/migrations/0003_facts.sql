-- Facts: short statements under a key. Saving a key again is a correction: the new value is complete, the old one stays.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;


-- The table -----------------------------------------------------------------------------------------------------------

create table facts (
  tenant_id      uuid not null,
  owner_id       uuid not null,
  scope          text not null,
  scope_id       text not null,
  id             uuid not null default gen_random_uuid(),
  key            text not null check (char_length(key) between 1 and 200),
  kind           text not null check (kind in ('fact', 'decision', 'event', 'preference', 'correction', 'conversation',
                                               'pattern', 'learning', 'transcript')),
  content        text not null check (char_length(content) between 1 and 100000),
  status         text not null check (status in ('pending', 'confirmed', 'rejected', 'superseded', 'forgotten')),
  origin         text not null check (origin in ('user', 'assistant', 'tool', 'import', 'system')),
  source         text check (char_length(source) between 1 and 200),
  tainted        boolean not null,          -- written by a run that had read untrusted material
  importance     smallint not null check (importance between 1 and 10),
  tags           text[] not null,
  metadata       jsonb not null check (jsonb_typeof(metadata) = 'object'),
  expires_at     timestamptz,
  supersedes     uuid,                      -- the fact that this one replaced
  superseded_by  uuid,                      -- the fact that replaced this one
  version        integer not null,          -- counts along the chain of corrections
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, owner_id, scope, scope_id, id),
  foreign key (tenant_id, owner_id, scope, scope_id, supersedes)    references facts,
  foreign key (tenant_id, owner_id, scope, scope_id, superseded_by) references facts deferrable initially deferred,
  check (is_place(owner_id, scope, scope_id)),
  check ((status = 'superseded') = (superseded_by is not null)),
  check (superseded_by <> id and supersedes <> id)
);

-- One value in force for a key, whoever writes at the same time.
create unique index facts_in_force on facts (tenant_id, owner_id, scope, scope_id, key) where status = 'confirmed';
create index facts_by_key on facts (tenant_id, owner_id, scope, scope_id, key);
create index facts_newest on facts (tenant_id, owner_id, scope, scope_id, updated_at desc, key) where status = 'confirmed';
-- Every chain is a line: a fact has one successor.
create unique index facts_supersedes on facts (tenant_id, owner_id, scope, scope_id, supersedes) where supersedes is not null;
create index facts_superseded_by on facts (tenant_id, owner_id, scope, scope_id, superseded_by) where superseded_by is not null;

alter table facts enable row level security;
alter table facts force row level security;
create policy read on facts for select to memoranda_rules
  using ((owner_id = (select uid()) or scope = 'organization') and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on facts for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and tenant_id = any ((select my_tenants())::uuid[]) end);
create policy change on facts for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and tenant_id = any ((select my_tenants())::uuid[]) end);
grant select on facts to memoranda_rules;
grant insert (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance, tags, metadata,
              expires_at, supersedes) on facts to memoranda_rules;
grant update (status, superseded_by) on facts to memoranda_rules;

-- Time, version and immutability belong to the database, whoever writes.
create function guard_fact() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    new.version := 1 + coalesce((
      select f.version from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
           = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.supersedes)), 0);
    new.created_at := clock_timestamp();
    new.updated_at := new.created_at;
    return new;
  end if;
  if (to_jsonb(new) - array['status', 'superseded_by']) <> (to_jsonb(old) - array['status', 'superseded_by']) then
    raise exception using errcode = '42501', message = 'a fact is replaced, never rewritten';
  end if;
  if (old.status, new.status) not in (('confirmed', 'superseded'), ('confirmed', 'forgotten')) then
    raise exception using errcode = '42501', message = format('a fact that is %s cannot become %s', old.status, new.status);
  end if;
  if new.status = 'forgotten' then                       -- being superseded is its successor's write, not its own
    new.version := old.version + 1;
    new.updated_at := greatest(clock_timestamp(), old.updated_at);
  end if;
  return new;
end $$;
create trigger guard before insert or update on facts for each row execute function guard_fact();

-- One write, one revision: a new fact, with what it replaced, or a forgetting.
create function log_fact() returns trigger
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  call jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
begin
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
                         actor, user_id, role, run_id, tool_call_id, reason, at)
  values (new.tenant_id, new.owner_id, new.scope, new.scope_id, 'fact', new.id, new.version,
          case when tg_op = 'UPDATE' then new.status when new.supersedes is null then 'saved' else 'corrected' end,
          to_jsonb(new), new.supersedes, call ->> 'actor', uid(), current_setting('role'),
          call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', new.updated_at);
  return null;
end $$;
create trigger log_new after insert on facts for each row execute function log_fact();
create trigger log_change after update on facts for each row when (new.status <> 'superseded') execute function log_fact();


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- A fact as a client sees it.
create function fact_out(f facts) returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object(
    'id', f.id, 'tenant', f.tenant_id, 'scope', f.scope, 'scope_id', f.scope_id, 'key', f.key, 'kind', f.kind,
    'content', f.content, 'status', f.status, 'origin', f.origin, 'source', f.source, 'tainted', f.tainted, 'importance', f.importance,
    'tags', f.tags, 'metadata', f.metadata, 'expires_at', f.expires_at, 'supersedes', f.supersedes,
    'superseded_by', f.superseded_by, 'version', f.version, 'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

-- How much a kind matters when nobody says, on a scale of 1 to 10.
create function default_importance(p_kind text) returns smallint
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select case p_kind when 'correction' then 9 when 'preference' then 8 when 'decision' then 7 when 'pattern' then 7
                     when 'learning' then 6 when 'event' then 4 when 'conversation' then 3 when 'transcript' then 1 else 5 end
$$;

-- A key names something: no blank, no more than 200 characters.
create function check_key(p_key text) returns void
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if p_key is null or p_key !~ '\S' or char_length(p_key) > 200 then
    raise exception using errcode = 'MEINP', message = 'the key of a fact has 1 to 200 characters';
  end if;
end $$;

-- Which fact a client means: {"key"} or {"id"}.
create function target_in(p_target jsonb) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  target facts := jsonb_populate_record(null::facts, p_target);
begin
  if p_target - array['key', 'id', 'limit'] <> '{}' or (target.id is null) = (target.key is null) then
    raise exception using errcode = 'MEINP', message = 'a target is a key or an id, and nothing else';
  end if;
  if target.id is null then
    perform check_key(target.key);
  end if;
  return target;
end $$;

-- A fact as a client sends it: {"key", "content", "kind", "source", "importance", "tags", "metadata", "expires_at"}.
-- What is left out is empty, not kept: saving replaces the whole value.
create function fact_in(p place, p_fact jsonb) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  f facts;
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'source', 'importance', 'tags', 'metadata', 'expires_at', 'expected_version'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, source, importance, tags, metadata, '
      'expires_at and expected_version, and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact);
  f.tenant_id := p.tenant_id;
  f.owner_id := p.owner_id;
  f.scope := p.scope;
  f.scope_id := p.scope_id;
  f.kind := coalesce(f.kind, 'fact');
  f.importance := coalesce(f.importance, default_importance(f.kind));
  f.tags := coalesce(f.tags, '{}');
  f.metadata := coalesce(f.metadata, '{}');
  f.origin := 'user';
  f.status := 'confirmed';

  perform check_key(f.key);
  if f.content is null or f.content !~ '\S' then
    raise exception using errcode = 'MEEMP', message = 'the content of a fact is empty';
  end if;
  if char_length(f.content) > 100000 then
    raise exception using errcode = 'MEBIG', message = format('a fact has at most 100000 characters, this one %s', char_length(f.content));
  end if;
  if char_length(f.source) not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'the source of a fact has 1 to 200 characters';
  end if;
  if f.importance not between 1 and 10 then
    raise exception using errcode = 'MEINP', message = 'importance is a number from 1 to 10';
  end if;
  if f.kind not in ('fact', 'decision', 'event', 'preference', 'correction', 'conversation', 'pattern', 'learning', 'transcript') then
    raise exception using errcode = 'MEINP', message = format('%s is not a kind of fact', left(quote_literal(f.kind), 40));
  end if;
  if jsonb_typeof(f.metadata) <> 'object' then
    raise exception using errcode = 'MEINP', message = 'metadata is an object';
  end if;
  if cardinality(f.tags) > 50 or char_length(f.tags::text) > 2000 or char_length(f.metadata::text) > 20000 then
    raise exception using errcode = 'MEBIG', message = 'a fact has at most 50 tags and 2000 characters of them, and 20000 of metadata';
  end if;
  return f;
end $$;

-- One writer at a time for a key, until the transaction ends.
create function lock_key(p place, p_key text) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('fact', p, p_key)::text, 0)) $$;

create function fact_in_force(p place, p_key text) returns facts
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select f from facts f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.key = p_key and f.status = 'confirmed'
$$;

-- Puts a value into force, in the place of another one if there is one; the new row and what it replaced are one revision.
create function fact_put(p place, f facts, old facts) returns facts
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  f.id := gen_random_uuid();
  if old.id is not null then
    update facts g set status = 'superseded', superseded_by = f.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, metadata, expires_at, supersedes)
  values (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, f.key, f.kind, f.content, f.status, f.origin, f.source,
          f.tainted, f.importance, f.tags, f.metadata, f.expires_at, old.id);
  return f;
end $$;

-- Saves a value under a key: stored, superseded (it corrected an older one) or duplicate (nothing moved).
create function facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p         place := enter(p_place, 'write');
  f         facts := fact_in(p, p_fact);
  expected  integer := p_fact ->> 'expected_version';
  old       facts;
  outcome   jsonb := begin_write(p, 'facts_save', p_fact, p_call);
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_key(p, f.key);
  old := fact_in_force(p, f.key);
  if expected is distinct from coalesce(old.version, 0) and expected is not null then
    raise exception using errcode = 'MECFL',
      message = format('the fact is at version %s, not %s', coalesce(old.version, 0), expected);
  end if;
  if (f.content, f.kind, f.source, f.importance, f.tags, f.metadata, f.expires_at)
     is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.metadata, old.expires_at) then
    return end_write(p, p_call, jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', old.id, 'version', old.version));
  end if;

  f.tainted := call_is_tainted();
  f := fact_put(p, f, old);
  return end_write(p, p_call, jsonb_build_object(
    'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', 'key', 'id', f.id,
    'version', coalesce(old.version, 0) + 1) || case when old.id is null then '{}' else jsonb_build_object('supersedes', old.id) end);
end $$;

-- Hides the value in force under a key, or the one with an id; its history stays. Nothing to forget is no error, and no
-- evidence that there ever was anything.
create function facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_forget', p_target, p_call);
  gone     record;
begin
  if outcome is not null then
    return outcome;
  end if;
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id or f.key = target.key) and f.status = 'confirmed'
  returning f.id, f.version into gone;
  return end_write(p, p_call, case when gone.id is null then '{"outcome": "nothing"}'
    else jsonb_build_object('outcome', 'forgotten', 'id', gone.id, 'version', gone.version) end);
end $$;

-- What is in force now, newest first, then by key. The limit is held between 1 and 200.
create function facts_recall(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['key', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has key and limit, and nothing else';
  end if;
  if p_query ? 'key' then
    perform check_key(p_query ->> 'key');
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and f.status = 'confirmed' and (f.expires_at is null or f.expires_at > now())
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
       order by f.updated_at desc, f.key
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

-- Every revision of a key, or of the chain that an id belongs to, newest first; the limit is held between 1 and 1000.
create function facts_history(p_place jsonb, p_target jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'read');
  target  facts := target_in(p_target);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact_id', r.subject_id, 'version', r.version, 'verb', r.verb, 'state', r.state - array['tenant_id', 'owner_id'],
             'replaces', r.replaces, 'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id,
             'reason', r.reason, 'at', r.at) order by r.at desc, r.version desc), '[]')
      from (
        select r.* from facts f
          join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                            = (f.tenant_id, f.owner_id, f.scope, f.scope_id, 'fact', f.id)
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.key = coalesce(target.key, (
             select g.key from facts g
              where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, target.id)))
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

grant execute on function facts_save, facts_forget, facts_recall, facts_history to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_save(place jsonb, fact jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save(place, fact, call) $$;
create function memoranda.facts_forget(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_forget(place, target, call) $$;
create function memoranda.facts_recall(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_recall(place, query) $$;
create function memoranda.facts_history(place jsonb, target jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_history(place, target) $$;

grant execute on function memoranda.facts_save, memoranda.facts_forget, memoranda.facts_recall, memoranda.facts_history
  to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
