-- Undo: takes back, in one place, what a run wrote, or every run that had read a source. What somebody else has written over
-- it since is kept, and named, for a person to look at.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;

set local role memoranda_rules;

-- The runs that an undo is about: {"run_id"} or {"source"}.
create function runs_of(p place, p_what jsonb) returns text[]
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  run     text := call_text(p_what, 'run_id', 200);
  source  text := call_text(p_what, 'source', 200);
begin
  if (run is null) = (source is null) then
    raise exception using errcode = 'MEINP', message = 'undo names a run_id or a source';
  end if;
  return case when run is not null then array[run] else (
    select coalesce(array_agg(r.run_id), '{}') from runs r
     where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and source = any (r.sources)) end;
end $$;

-- Every subject that the runs wrote last, with its state before them (null when they made it), and every subject that they
-- wrote and somebody else wrote after them.
create function written_by(p place, p_subject text, p_runs text[])
returns table (subject_id uuid, now jsonb, before jsonb, changed_since boolean)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select s.subject_id,
         (array_agg(s.state order by s.version desc))[1],
         (array_agg(s.state order by s.version desc) filter (where not s.theirs))[1],
         not (array_agg(s.theirs order by s.version desc))[1]
    from (
      select r.*, coalesce(r.run_id = any (p_runs), false) as theirs from revisions r
       where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_subject)
    ) as s
   group by s.subject_id having bool_or(s.theirs)
$$;

create function undo_files(p place, p_runs text[]) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  w         record;
  here      files;
  earlier   text;
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  perform lock_files(p);
  for w in select * from written_by(p, 'file', p_runs) order by now ->> 'path' loop
    earlier := w.before ->> 'path';
    here := file_at(p, earlier);
    if w.changed_since then
      kept := kept || (w.now ->> 'path');
    elsif w.before is null or w.before ->> 'status' = 'removed' then
      if w.now ->> 'status' = 'current' then
        update files f set status = 'removed'
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, w.subject_id);
        removed := removed || (w.now ->> 'path');
      end if;
    elsif here.id is not null and here.id <> w.subject_id or exists (select from files_below(p, earlier)) then
      kept := kept || earlier;                                   -- something else stands where it was
    elsif w.now ->> 'status' = 'removed' then
      insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, earlier, w.before ->> 'content', 'current', (w.before ->> 'tainted')::boolean);
      restored := restored || earlier;
    else
      update files f set path = earlier, content = w.before ->> 'content', tainted = (w.before ->> 'tainted')::boolean
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, w.subject_id);
      restored := restored || earlier;
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', kept);
end $$;

-- Whether one of the runs has written to a fact; or, p_put, has put it into force, not in undoing something.
create function made_by(p place, p_id uuid, p_runs text[], p_put boolean) returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select exists (
    select from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', p_id) and r.run_id = any (p_runs)
       and (not p_put or r.verb in ('saved', 'corrected', 'approved') and r.decision ->> 'rule' is distinct from 'undone'))
$$;

-- Puts a fact back as it was, in the place of another; null, and nothing is done, when somebody but the runs rejected its value.
create function put_back(p place, p_fact facts, p_over uuid, p_runs text[]) returns uuid
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  f  facts := p_fact;
  t  tombstones := tombstone_of(f);
begin
  if t.value_hash is not null and not made_by(p, t.fact_id, p_runs, false) then
    return null;
  end if;
  perform lift(f);
  f.id := gen_random_uuid();
  f.status := 'confirmed';
  f.supersedes := p_over;
  f.superseded_by := null;
  f.holds_until := null;
  f.proposes := null;
  perform facts_put(p, array[f], null, null, array[jsonb_build_object(f.id, jsonb_build_object('rule', 'undone', 'compared', p_fact.id))]);
  perform index_from_aside(f, p_fact.id);
  return f.id;
end $$;

-- A fact that a run put out of force (replaced, linked to another, forgotten) is put back, in the place of what the run left in its
-- place. What the run put into force, and nothing was put back for, is forgotten. Where somebody else wrote since, their fact stays,
-- and is named.
create function undo_facts(p place, p_runs text[]) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  gone      uuid[];                         -- what they put out of force, and
  since     timestamptz[];                  -- when
  made      uuid[];                         -- and into force
  f         facts;
  next      facts;                          -- what took its place,
  last      facts;                          -- and stands there in the end
  current   facts;                          -- what is in force under its key
  over      uuid;
  put       uuid;
  back      uuid[] := '{}';
  spared    uuid[] := '{}';
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  perform lock_facts(p, (
    select array_agg(distinct g.key) || array[null] from revisions r
      join facts g on g.tenant_id = r.tenant_id and g.owner_id = r.owner_id and g.scope = r.scope and g.scope_id = r.scope_id
                  and g.id = r.subject_id
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs)));
  -- What they proposed, and nobody has approved of.
  for f in
    update facts g set status = 'forgotten' from revisions r
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and g.status = 'pending'
       and (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', g.id, g.version) and r.run_id = any (p_runs)
    returning g.*
  loop
    removed := removed || coalesce(f.key, f.id::text);
  end loop;

  with theirs as materialized (
    select r.subject_id, r.verb, r.replaces, r.at from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs) and r.decision ->> 'rule' is distinct from 'undone'
  ), put_in as (
    select t.subject_id as id, min(t.at) as at from theirs t where t.verb in ('saved', 'corrected', 'approved') group by 1
  ), put_out as (
    select o.id, min(o.at) as at
      from (select t.replaces as id, t.at from theirs t where t.verb in ('corrected', 'approved')
            union all
            select t.subject_id, t.at from theirs t where t.verb in ('superseded', 'forgotten')) as o
     where o.id is not null and o.id not in (select id from put_in)
     group by 1
  )
  select array(select id from put_in order by at, id), array(select id from put_out order by at, id),
         array(select at from put_out order by at, id) into made, gone, since;

  for n in 1 .. cardinality(gone) loop
    f := fact_of(p, gone[n]);
    current := fact_in_force(p, f.key);
    next := fact_of(p, f.superseded_by);
    last := successor(p, f.id);
    over := null;
    if current.id is not null and not made_by(p, current.id, p_runs, true) then
      kept := kept || f.key;
      continue;
    elsif next.id is not null and made_by(p, next.id, p_runs, true) then
      if not made_by(p, last.id, p_runs, true) or last.status <> 'confirmed' and not (
           select r.run_id = any (p_runs) is true from revisions r
            where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
                = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', last.id, last.version)) then
        kept := kept || coalesce(last.key, last.id::text);
        continue;
      end if;
      over := case when last.status = 'confirmed' then last.id end;
    end if;
    over := coalesce(current.id, over);
    continue when not exists (                             -- it never was in force
        select from revisions r
         where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
             = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', f.id) and r.verb in ('saved', 'corrected', 'approved'))
      or over is null and exists (                         -- it has come back since
        select from facts g
         where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.value_hash) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.value_hash)
           and g.key is not distinct from f.key and g.version = 1 and g.created_at > since[n] and g.status <> 'pending'
           and g.id <> all (made));
    put := put_back(p, f, over, p_runs);
    if put is not null then
      restored := restored || coalesce(f.key, put::text);
      back := back || put;
    else
      kept := kept || coalesce(f.key, f.id::text);
      spared := spared || over;
    end if;
  end loop;

  for n in 1 .. cardinality(made) loop
    f := fact_of(p, made[n]);
    last := successor(p, f.id);
    if f.status = 'confirmed' and f.id <> all (spared) then
      update facts g set status = 'forgotten'
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
      perform give_way(p, array[f.id]);
      removed := removed || coalesce(f.key, f.id::text);
    elsif last.status = 'confirmed' and last.id <> all (back || made) then
      kept := kept || coalesce(last.key, last.id::text);
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', array(select distinct name from unnest(kept) as name));
end $$;

-- Takes back what the runs wrote here: {"run_id"} or {"source"}. Says what was restored to what it was before, what was removed
-- because the run had made it, and what was kept because somebody wrote over it since.
create function undo(p_place jsonb, p_what jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  runs     text[] := runs_of(p, p_what);
  outcome  jsonb := begin_write(p, 'undo', p_what, p_call);
begin
  if outcome is not null then
    return outcome;
  end if;
  perform end_write(p, p_call, '{"outcome": "undone"}');      -- what comes back names paths and keys, which are not kept
  return jsonb_build_object('outcome', 'undone', 'runs', runs, 'files', undo_files(p, runs), 'facts', undo_facts(p, runs));
end $$;
grant execute on function undo to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.undo(place jsonb, what jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.undo(place, what, call) $$;
grant execute on function memoranda.undo to authenticated, service_role;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
