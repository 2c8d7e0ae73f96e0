-- Restore: puts back what was exported with its history, row by row as it was. What is here already stays as it is. And the door
-- by which all of an import comes in.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_import;
set local role memoranda_import;

-- A fact. What it is linked to may come later: until then it stands without, forgotten if it was superseded, and the answer says so.
create function restore_fact(p place, f facts) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  links  constant text[] := array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes'];
  g      facts := f;
  old    facts;
  later  boolean;
begin
  select * into old from facts x
   where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id and x.id = f.id;
  if old.id is not null then
    later := old.superseded_by is null and f.superseded_by is not null and old.status = 'forgotten'
          or old.supersedes is null and f.supersedes is not null or old.proposes is null and f.proposes is not null;
    return case when to_jsonb(old) - links <> to_jsonb(f) - links or not later and to_jsonb(old) <> to_jsonb(f)
                then '{"outcome": "differs", "rule": "another fact has its id"}'::jsonb
                else jsonb_build_object('outcome', 'duplicate', 'rule', 'same id', 'later', later) end;
  end if;
  if f.superseded_by is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.superseded_by)) then
    g.status := 'forgotten';
    g.superseded_by := null;
    g.holds_until := null;
  end if;
  if f.supersedes is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id, x.superseded_by)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.supersedes, f.id)) then
    g.supersedes := null;
  end if;
  if f.proposes is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.proposes)) then
    g.proposes := null;
  end if;
  insert into facts select g.*;
  return jsonb_build_object('outcome', 'restored', 'later', to_jsonb(g) <> to_jsonb(f));
end $$;

-- The links of a fact that came before what it is linked to. What supersedes another can say so once that one does, and so may
-- have to be sent again.
create function restore_links(p place, f facts) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  old    facts;
begin
  if f.superseded_by is not null then
    update facts x set status = f.status, superseded_by = f.superseded_by, holds_until = f.holds_until
     where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and x.superseded_by is null and x.status = 'forgotten'
       and exists (select from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id)
                                           = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.superseded_by));
  end if;
  if f.supersedes is not null or f.proposes is not null then
    update facts x set
        supersedes = coalesce(x.supersedes, (
          select y.id from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id, y.superseded_by)
                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.supersedes, f.id))),
        proposes = coalesce(x.proposes, (
          select y.id from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id)
                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.proposes)))
     where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and (x.supersedes, x.proposes) is distinct from (f.supersedes, f.proposes);
  end if;
  select * into old from facts x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
  return case when (old.superseded_by, old.supersedes, old.proposes) is not distinct from (f.superseded_by, f.supersedes, f.proposes)
              then '{"outcome": "restored"}'::jsonb else '{"outcome": "failed", "rule": "what it is linked to is not here"}' end;
end $$;

create function restore_file(p place, f files) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  old files;
begin
  select * into old from files x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
  if old.id is not null then
    return case when old = f then '{"outcome": "duplicate", "rule": "same id"}'::jsonb
                else '{"outcome": "differs", "rule": "the file was changed since"}' end;
  end if;
  insert into files select f.*;
  return '{"outcome": "restored"}';
end $$;

create function restore_revision(p place, r revisions) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  old revisions;
begin
  r.state := r.state || jsonb_build_object('tenant_id', p.tenant_id, 'owner_id', p.owner_id, 'scope', p.scope, 'scope_id', p.scope_id);
  select * into old from revisions x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.subject, x.subject_id, x.version)
       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, r.subject, r.subject_id, r.version);
  if old.subject_id is not null then
    return case when old = r then '{"outcome": "duplicate", "rule": "same id"}'::jsonb
                else '{"outcome": "differs", "rule": "another revision has its place"}' end;
  end if;
  insert into revisions select r.*;
  return '{"outcome": "restored"}';
end $$;

create function restore_tombstone(p place, t tombstones) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into tombstones select t.* on conflict do nothing;
  return case when found then '{"outcome": "restored"}'::jsonb else '{"outcome": "duplicate", "rule": "same value"}' end;
end $$;

-- A run of the user who asks. What it has read here is added to: a run stays marked.
create function restore_run(p place, r runs) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into runs as x (tenant_id, owner_id, run_id, sources, first_at) values (p.tenant_id, uid(), r.run_id, r.sources, r.first_at)
  on conflict (tenant_id, owner_id, run_id)
  do update set sources = x.sources || array(select s from unnest(excluded.sources) as s where s <> all (x.sources))
   where not x.sources @> excluded.sources;
  return case when found then '{"outcome": "restored"}'::jsonb else '{"outcome": "duplicate", "rule": "same id"}' end;
end $$;

-- One row, put back or as any import. A tombstone whose text is gone can come to where its hash was made, and nowhere else.
create function import_row(p place, p_row jsonb, p_restore boolean, p_value bytea, p_template bytea) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  place_  jsonb := to_jsonb(p);
  f       facts;
  t       tombstones;
  hash    bytea := case when p_row ->> 'content' is null then decode(p_row ->> 'value_hash', 'hex') else p_value end;
begin
  if p_row ->> 'type' in ('fact', 'link') then
    f := jsonb_populate_record(null::facts, p_row || place_);
    f.value_hash := p_value;
    f.template_hash := case when (p_row ->> 'has_template')::boolean then p_template end;
    return case p_row ->> 'type' when 'fact' then restore_fact(p, f) else restore_links(p, f) end;
  elsif p_row ->> 'type' = 'tombstone' then
    if hash is null or p_row ->> 'content' is null
       and p_row ->> 'salt' is distinct from encode(secret_hash(p.tenant_id, 'memoranda export'), 'hex') then
      return '{"outcome": "failed", "rule": "its text is gone, and its hash was made with another salt"}';
    elsif not p_restore then
      return import_tombstone(p, hash, p_row);
    end if;
    t := jsonb_populate_record(null::tombstones, p_row - 'value_hash' || place_);
    t.value_hash := hash;
    t.template_hash := case when (p_row ->> 'has_template')::boolean then p_template end;
    return restore_tombstone(p, t);
  elsif p_row ->> 'type' = 'file' then
    return case when p_restore then restore_file(p, jsonb_populate_record(null::files, p_row || place_)) else import_file(p, p_row) end;
  elsif p_row ->> 'type' = 'message' then
    return case when p_restore then restore_message(p, p_row) else import_message(p, p_row) end;
  elsif p_row ->> 'type' = 'document' then
    return case when p_restore then restore_document(p, p_row) else import_document(p, p_row) end;
  elsif p_row ->> 'type' = 'revision' and p_restore then
    return restore_revision(p, jsonb_populate_record(null::revisions, p_row || place_));
  elsif p_row ->> 'type' = 'run' and p_restore then
    return restore_run(p, jsonb_populate_record(null::runs, p_row));
  elsif p_row ->> 'type' = 'vector' and p_restore then
    return import_vector(p, p_row);
  end if;
  return '{"outcome": "skipped", "rule": "history is only put back by a restore"}';
exception
  when unique_violation then return '{"outcome": "failed", "rule": "another stands in its place"}';
  when data_exception or integrity_constraint_violation then return '{"outcome": "failed", "rule": "no row that can be here"}';
  when sqlstate 'MEPTH' or sqlstate 'MEBIG' or sqlstate 'MEQTA' or sqlstate 'MEVEC' then
    return jsonb_build_object('outcome', 'failed', 'rule', sqlerrm);
end $$;

-- The rows of a batch, in their order: what became of each.
create function import_all(p place, p_rows jsonb, p_restore boolean) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  hashes    record;
  outcomes  jsonb[] := '{}';
  facts_    jsonb;
  places    integer[];
  made      facts[] := '{}';
  row_      jsonb;
begin
  hashes := import_hashes(p, array(select case when value ->> 'type' in ('fact', 'link', 'tombstone') then value ->> 'content' end
                                     from jsonb_array_elements(p_rows)));
  if not p_restore then
    select jsonb_agg(value order by ordinality), array_agg(ordinality) into facts_, places
      from jsonb_array_elements(p_rows) with ordinality where value ->> 'type' = 'fact';
    if facts_ is not null then
      facts_ := import_facts(p, facts_);
      -- When it was said there, as far as that is no time to come.
      update facts f set created_at = least(f.created_at, (r.value ->> 'created_at')::timestamptz),
                         updated_at = least(f.updated_at, coalesce(r.value ->> 'updated_at', r.value ->> 'created_at')::timestamptz)
        from jsonb_array_elements(p_rows) with ordinality as r, jsonb_array_elements(facts_) with ordinality as o
       where r.ordinality = places[o.ordinality] and o.value ->> 'outcome' in ('stored', 'superseded', 'pending')
         and o.value ->> 'id' = r.value ->> 'id'
         and (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
           = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (r.value ->> 'id')::uuid);
    end if;
  end if;
  for n in 1 .. jsonb_array_length(p_rows) loop
    row_ := p_rows -> (n - 1);
    if not p_restore and row_ ->> 'type' = 'fact' then
      outcomes[n] := facts_ -> (array_position(places, n) - 1);
    else
      outcomes[n] := import_row(p, row_, p_restore, hashes.value_hashes[n], hashes.template_hashes[n]);
      if row_ ->> 'type' = 'fact' and outcomes[n] ->> 'outcome' in ('restored', 'duplicate') then
        made := made || jsonb_populate_record(null::facts, row_ || to_jsonb(p));
      end if;
    end if;
  end loop;
  if cardinality(made) > 0 then
    perform import_beside(p, made, (select jsonb_object_agg(value ->> 'id', value) from jsonb_array_elements(p_rows) where value ->> 'type' = 'fact'));
  end if;
  return to_jsonb(outcomes);
end $$;

-- {"user", "tenant", "scope", "scope_id", "restore", "dry_run"}: where to, and how. All of a batch is done, or with dry_run taken
-- back again; a row that cannot be here says so, and the others come in.
create function import_rows(p_subject jsonb, p_rows jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  owner_    uuid := as_id('user', p_subject -> 'user');
  dry       boolean := coalesce((p_subject ->> 'dry_run')::boolean, false);
  before    text;
  outcomes  jsonb;
begin
  if owner_ is null or p_subject - array['user', 'tenant', 'scope', 'scope_id', 'restore', 'dry_run'] <> '{}'
     or jsonb_typeof(p_rows) is distinct from 'array' or jsonb_array_length(p_rows) > 1000 then
    raise exception using errcode = 'MEINP', message = 'an import names a user, and may name a tenant and a scope; it has up to 1000 rows';
  end if;
  before := erasure_lend(jsonb_build_object('sub', owner_)::text, null);
  begin
    outcomes := import_all(import_enter(p_subject - array['user', 'restore', 'dry_run']), p_rows,
                           coalesce((p_subject ->> 'restore')::boolean, false));
    if dry then
      raise exception using errcode = 'MEDRY', message = 'taken back';
    end if;
  exception when sqlstate 'MEDRY' then null;
  end;
  perform erasure_lend(before, null);
  return outcomes;
end $$;
grant execute on function import_rows to service_role;

set local role memoranda_owner;
create function memoranda.import_rows(subject jsonb, rows jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.import_rows(subject, rows) $$;
grant execute on function memoranda.import_rows to service_role;

revoke create on schema memoranda_private from memoranda_import;
reset role;
