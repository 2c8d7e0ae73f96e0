-- Facts: short statements, some under a key. Saving a key again is a correction: the new value is complete, the old one
-- stays. Here is what is kept; writes, search and what search goes by come after.

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
  key            text check (char_length(key) between 1 and 200),
  kind           text not null check (kind in ('fact', 'decision', 'event', 'preference', 'correction', 'conversation',
                                               'pattern', 'learning', 'transcript')),
  content        text not null check (char_length(content) between 1 and 1000000),
  status         text not null check (status in ('pending', 'confirmed', 'rejected', 'superseded', 'forgotten')),
  origin         text not null check (origin in ('user', 'assistant', 'tool', 'import', 'system')),
  source         text check (char_length(source) between 1 and 200),
  tainted        boolean not null,          -- written by a run that had read untrusted material
  importance     smallint not null check (importance between 1 and 10),
  tags           text[] not null,
  entities       text[] not null,           -- people, projects and things that it is about
  metadata       jsonb not null check (jsonb_typeof(metadata) = 'object'),
  valid_from     timestamptz,               -- since when it is true; null: as far back as anybody asks
  valid_until    timestamptz,
  expires_at     timestamptz,
  quote          text check (char_length(quote) between 1 and 2000),     -- the user's own words that it rests on
  supersedes     uuid,                      -- the fact that this one replaced
  line           uuid,                      -- the first of those that replaced each other up to this one, unless it is itself the first
  superseded_by  uuid,                      -- the fact that replaced this one, or that says the same
  holds_until    timestamptz,               -- superseded by what is true only from then on: until when it holds itself
  proposes       uuid,                      -- the fact that this one would replace, if somebody approves of it
  value_hash     bytea check (value_hash is not null),    -- of the content as a value: what a reader takes for the same has the same
  template_hash  bytea,                     -- of the content without its numbers and dates; null when it has none
  version        integer not null,          -- counts along the chain of corrections
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, owner_id, scope, scope_id, id),
  -- What replaced a fact and what that fact says replaced it are the same: of a chain, one is in force at most.
  unique (tenant_id, owner_id, scope, scope_id, id, superseded_by),
  foreign key (tenant_id, owner_id, scope, scope_id, id, supersedes)
    references facts (tenant_id, owner_id, scope, scope_id, superseded_by, id) deferrable initially deferred,
  foreign key (tenant_id, owner_id, scope, scope_id, superseded_by) references facts deferrable initially deferred,
  foreign key (tenant_id, owner_id, scope, scope_id, proposes)      references facts,
  check (is_place(owner_id, scope, scope_id)),
  check ((status = 'superseded') = (superseded_by is not null)),
  check (holds_until is null or status = 'superseded'),
  check (superseded_by <> id and supersedes <> id),
  check (valid_from < valid_until)
);

-- One value in force for a key, whoever writes at the same time.
create unique index facts_in_force on facts (tenant_id, owner_id, scope, scope_id, key) where status = 'confirmed' and key is not null;
create index facts_by_key on facts (tenant_id, owner_id, scope, scope_id, key) where key is not null;
create index facts_newest on facts (tenant_id, owner_id, scope, scope_id, updated_at desc, key, id)
  where status = 'confirmed' or holds_until is not null;
create index facts_holding on facts (tenant_id, owner_id, scope, scope_id, holds_until) where holds_until is not null;
-- Every chain is a line: a fact has one successor.
create unique index facts_supersedes on facts (tenant_id, owner_id, scope, scope_id, supersedes) where supersedes is not null;
create index facts_by_line on facts (tenant_id, owner_id, scope, scope_id, line) where line is not null;
-- (Each of these has a condition that looking for an id does not meet: on a table that was never analysed, the planner else takes
-- it for as good as the primary key, and reads a whole scope for one fact. `not null` would make it drop such a condition.)
create index facts_superseded_by on facts (tenant_id, owner_id, scope, scope_id, superseded_by) where superseded_by is not null;
create index facts_by_value on facts (tenant_id, owner_id, scope, scope_id, value_hash) where value_hash is not null;
create index facts_by_template on facts (tenant_id, owner_id, scope, scope_id, template_hash, kind)
  where status = 'confirmed' and template_hash is not null;
create index facts_waiting on facts (tenant_id, owner_id, scope, scope_id, created_at, id) where status = 'pending';
create index facts_by_source on facts (tenant_id, owner_id, scope, scope_id, source)
  where status in ('confirmed', 'pending') and source is not null;
create index facts_proposes on facts (tenant_id, owner_id, scope, scope_id, proposes) where proposes is not null;

alter table facts enable row level security;
alter table facts force row level security;
create policy read on facts for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on facts for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on facts for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select on facts to memoranda_rules;
grant insert (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance, tags, entities,
              metadata, valid_from, valid_until, expires_at, quote, supersedes, superseded_by, proposes, value_hash, template_hash)
  on facts to memoranda_rules;
grant update (status, supersedes, superseded_by, holds_until) on facts to memoranda_rules;

-- Time, version and immutability belong to the database, whoever writes.
create function guard_fact() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  earlier facts;
begin
  if current_user = 'memoranda_import' then               -- puts facts back as they were, and times of what it has just saved
    if tg_op = 'UPDATE' and (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes', 'created_at', 'updated_at'])
         <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes', 'created_at', 'updated_at']) then
      raise exception using errcode = '42501', message = 'an import links facts and times them, and changes nothing else';
    end if;
    return new;
  end if;
  if new.supersedes is not null then
    select * into earlier from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.supersedes);
  end if;
  if tg_op = 'INSERT' then
    new.line := coalesce(earlier.line, earlier.id);
    new.version := 1 + coalesce(earlier.version, 0);
    new.created_at := clock_timestamp();
    new.updated_at := new.created_at;
    return new;
  end if;
  if current_user = 'memoranda_erasure' then              -- takes leave of a fact that goes; what it replaced stays out of force
    if (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'proposes', 'holds_until'])
         <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'proposes', 'holds_until'])
       or coalesce(new.supersedes <> old.supersedes or new.superseded_by <> old.superseded_by or new.proposes <> old.proposes, false)
       or num_nulls(new.supersedes, new.superseded_by, new.proposes) < num_nulls(old.supersedes, old.superseded_by, old.proposes)
       or new.status <> old.status and (old.status, new.status) <> ('superseded', 'forgotten')
       or new.holds_until is not null and new.holds_until is distinct from old.holds_until then
      raise exception using errcode = '42501', message = 'an erasure takes links away, and changes nothing else';
    end if;
    return new;
  end if;
  if (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'holds_until'])
       <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'holds_until'])
     or new.supersedes is distinct from old.supersedes and (old.supersedes is not null or (old.status, new.status) <> ('pending', 'confirmed')) then
    raise exception using errcode = '42501', message = 'a fact is replaced, never rewritten';
  end if;
  if (old.status, new.status) = ('superseded', 'superseded') and new.superseded_by = old.superseded_by then
    return new;                                           -- how long it holds is no change of its own: its successors say
  end if;
  if (old.status, new.status) not in (('confirmed', 'superseded'), ('confirmed', 'forgotten'), ('pending', 'confirmed'),
                                      ('pending', 'superseded'), ('pending', 'rejected'), ('pending', 'forgotten')) then
    raise exception using errcode = '42501', message = format('a fact that is %s cannot become %s', old.status, new.status);
  end if;
  -- Being superseded is its successor's write, not its own; unless that was there before.
  if (old.status, new.status) <> ('confirmed', 'superseded')
     or exists (select from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, f.status)
                                        = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.superseded_by, 'confirmed')) then
    new.line := case when new.supersedes = old.supersedes then old.line else coalesce(earlier.line, earlier.id) end;
    new.version := 1 + greatest(old.version, earlier.version);
    new.updated_at := greatest(clock_timestamp(), old.updated_at);
  end if;
  return new;
end $$;
create trigger guard before insert or update on facts for each row execute function guard_fact();

-- One write, one revision: a new fact, with what it replaced, or what became of one. `memoranda.decisions` has what decided it,
-- by the fact's id.
create function log_facts() returns trigger
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  call     jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
  me       uuid := uid();
  made     jsonb := nullif(current_setting('memoranda.decisions', true), '');
  unmoved  uuid[] := '{}';
  linked   uuid[] := '{}';                  -- in force until now, and another that is in force takes their place
begin
  if tg_op = 'UPDATE' then
    linked := array(select n.id from before b join written n using (tenant_id, owner_id, scope, scope_id, id)
                     where (b.status, n.status) = ('confirmed', 'superseded'));
    unmoved := array(select id from before natural join (select tenant_id, owner_id, scope, scope_id, id, version from written) as same);
  end if;
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
                         actor, user_id, role, run_id, tool_call_id, reason, decision, at)
  select n.tenant_id, n.owner_id, n.scope, n.scope_id, 'fact', n.id, n.version,
         case n.status when 'pending' then 'proposed' when 'superseded' then case when n.id = any (linked) then 'superseded' else 'merged' end
           when 'confirmed' then case when tg_op = 'UPDATE' then 'approved' when n.supersedes is null then 'saved' else 'corrected' end
           else n.status end,
         to_jsonb(n) - array['value_hash', 'template_hash', 'line', 'holds_until'], n.supersedes, call ->> 'actor', me, current_setting('role'),
         call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', made -> n.id::text, n.updated_at
    from written n where n.id <> all (unmoved);
  return null;
end $$;
-- (An import brings the history with it, or has its facts saved by the rules.)
create trigger log_new after insert on facts referencing new table as written for each statement
  when (current_user <> 'memoranda_import') execute function log_facts();
create trigger log_change after update on facts referencing old table as before new table as written for each statement
  when (current_user <> 'memoranda_import') execute function log_facts();


-- How often a fact was said again and used: apart from it, so that a read never touches a fact.
create table fact_uses (
  tenant_id     uuid not null,
  owner_id      uuid not null,
  scope         text not null,
  scope_id      text not null,
  fact_id       uuid not null,
  seen_count    integer not null default 1,
  use_count     integer not null default 0,
  last_used_at  timestamptz,
  primary key (tenant_id, owner_id, scope, scope_id, fact_id),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id))
) with (fillfactor = 80);                   -- room to count in place

alter table fact_uses enable row level security;
alter table fact_uses force row level security;
create policy read on fact_uses for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on fact_uses for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on fact_uses for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert (tenant_id, owner_id, scope, scope_id, fact_id, seen_count, use_count, last_used_at),
  update (seen_count, use_count, last_used_at) on fact_uses to memoranda_rules;

set local role memoranda_rules;

-- A fact as a client sees it.
create function fact_out(f facts) returns jsonb
language sql stable
return jsonb_build_object(
  'id', f.id, 'tenant', f.tenant_id, 'scope', f.scope, 'scope_id', f.scope_id, 'key', f.key, 'kind', f.kind,
  'content', f.content, 'status', f.status, 'origin', f.origin, 'source', f.source, 'tainted', f.tainted, 'importance', f.importance,
  'tags', f.tags, 'entities', f.entities, 'metadata', f.metadata, 'valid_from', f.valid_from,
  'valid_until', least(f.valid_until, f.holds_until), 'expires_at', f.expires_at, 'quote', f.quote, 'supersedes', f.supersedes,
  'superseded_by', f.superseded_by, 'proposes', f.proposes, 'version', f.version, 'created_at', f.created_at, 'updated_at', f.updated_at);

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
