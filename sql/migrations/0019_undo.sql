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
returns table (subject_id uuid, now jsonb, before jsonb, replaces uuid, changed_since boolean)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select s.subject_id,
         (array_agg(s.state order by s.version desc))[1],
         (array_agg(s.state order by s.version desc) filter (where not s.theirs))[1],
         (array_agg(s.replaces order by s.version))[1],
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

-- Whether one of the runs put a fact where it is.
create function made_by(p place, p_id uuid, p_runs text[]) returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select exists (select from revisions r
                  where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                      = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', p_id) and r.run_id = any (p_runs))
$$;

-- Puts a fact back as it was, in the place of another; null, and nothing is done, when somebody but the runs rejected its value.
create function put_back(p place, p_fact facts, p_over uuid, p_runs text[]) returns uuid
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  f  facts := p_fact;
  t  tombstones;
begin
  f.value_hash := secret_hash(p.tenant_id, plain(f.content));
  f.template_hash := secret_hash(p.tenant_id, template_of(f.content));
  t := tombstone_of(f);
  if t.value_hash is not null and not made_by(p, t.fact_id, p_runs) then
    return null;
  end if;
  perform lift(f);
  f.id := gen_random_uuid();
  f.status := 'confirmed';
  f.supersedes := p_over;
  f.superseded_by := null;
  f.proposes := null;
  perform facts_put(p, array[f], null, null, array[jsonb_build_object(f.id, jsonb_build_object('rule', 'undone', 'compared', p_fact.id))]);
  return f.id;
end $$;

create function undo_facts(p place, p_runs text[]) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  touched   text;
  last      record;
  earlier   facts;
  current   facts;
  origin    facts;
  put       uuid;
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  -- What they proposed, and nobody has approved of.
  for current in
    update facts f set status = 'forgotten' from revisions r
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and f.status = 'pending'
       and (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', f.id, f.version) and r.run_id = any (p_runs)
    returning f.*
  loop
    removed := removed || coalesce(current.key, current.id::text);
  end loop;
  for touched in
    select distinct r.state ->> 'key' from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs) and r.state ->> 'key' is not null and r.verb not in ('proposed', 'merged', 'rejected')
       and r.state ->> 'status' <> 'pending' order by 1
  loop
    perform lock_key(p, touched);
    select (array_agg(coalesce(r.run_id = any (p_runs), false) order by r.at desc, r.version desc))[1] as theirs,
           (array_agg(r.state order by r.at desc, r.version desc) filter (where (r.run_id = any (p_runs)) is not true))[1] as before
      into last from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.state ->> 'key' = touched and r.verb not in ('proposed', 'merged', 'rejected');
    current := fact_in_force(p, touched);
    earlier := jsonb_populate_record(null::facts, last.before);
    if not last.theirs then
      kept := kept || touched;
    elsif earlier.status = 'confirmed' then
      if put_back(p, earlier, current.id, p_runs) is null then
        kept := kept || touched;
      else
        restored := restored || touched;
      end if;
    elsif current.id is not null then
      update facts f set status = 'forgotten'
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, current.id);
      perform unindex(p, array[current.id]);
      removed := removed || touched;
    end if;
  end loop;
  -- What has no key: each fact is a story of its own, and is named by its id.
  for last in select * from written_by(p, 'fact', p_runs) where now ->> 'key' is null order by now ->> 'created_at' loop
    current := fact_of(p, last.subject_id);
    earlier := jsonb_populate_record(null::facts, last.before);
    if last.changed_since or current.status = 'superseded' and last.now ->> 'status' = 'confirmed'
       and not made_by(p, (successor(p, current.id)).id, p_runs) then
      kept := kept || current.id::text;
    elsif current.status = 'confirmed' and earlier.id is null then
      origin := fact_of(p, current.supersedes);
      while origin.supersedes is not null and made_by(p, origin.id, p_runs) loop
        origin := fact_of(p, origin.supersedes);
      end loop;
      if origin.id is not null and not made_by(p, origin.id, p_runs) then
        put := put_back(p, origin, current.id, p_runs);
      else
        put := null;
      end if;
      if put is not null then
        restored := restored || put::text;
      else
        update facts f set status = 'forgotten'
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, current.id);
        perform unindex(p, array[current.id]);
        removed := removed || current.id::text;
      end if;
    elsif current.status = 'forgotten' and earlier.status = 'confirmed' then
      put := put_back(p, earlier, null, p_runs);
      if put is null then
        kept := kept || current.id::text;
      else
        restored := restored || put::text;
      end if;
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', kept);
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
