-- Review: a person looks at what waits, and says what becomes of it. And the writes that name a fact: correct,
-- supersede, restore, forget.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- The id that a target names.
create function id_in(p_target jsonb) returns uuid
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if p_target - array['id', 'by'] <> '{}' or p_target ->> 'id' is null then
    raise exception using errcode = 'MEINP', message = 'this is about a fact by its id';
  end if;
  return (p_target ->> 'id')::uuid;
end $$;

-- Opens a write that only a person makes, through the application: no model, no extractor and no import approves of anything.
create function begin_review(p place, p_verb text, p_payload jsonb, p_call jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if coalesce(p_call ->> 'actor', 'application') <> 'application' then
    raise exception using errcode = '42501', message = 'only the application''s own code does this, for a person';
  end if;
  return begin_write(p, p_verb, p_payload, p_call);
end $$;

-- Locks a fact's story, and reads it as it then stands.
create function locked(p place, p_id uuid) returns facts
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  perform lock_facts(p, array[(fact_of(p, p_id)).key, (successor(p, p_id)).key, null]);
  return fact_of(p, p_id);
end $$;

-- The one that waits.
create function waiting(p place, p_id uuid) returns facts
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  f facts := locked(p, p_id);
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here';
  end if;
  if f.status <> 'pending' then
    raise exception using errcode = 'MESET', message = format('that fact is %s; nothing of it waits', f.status);
  end if;
  return f;
end $$;

-- What waits, oldest first: each with what decided that, who wrote it, and the fact that it would replace or is like.
create function review_pending(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['id', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has id and limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact', fact_out(w.f), 'decision', coalesce(r.decision, '{}'), 'actor', r.actor, 'run_id', r.run_id, 'reason', r.reason,
             'replaces', case when n.id is not null then fact_out(n) end, 'compared', case when c.id is not null then fact_out(c) end)
             order by (w.f).created_at, (w.f).id), '[]')
      from (
        select f from facts f
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.status = 'pending' and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
         order by f.created_at, f.id
         limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
      ) as w
      join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
                        = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', (w.f).id, (w.f).version)
     cross join lateral (select * from would_replace(p, w.f)) as n
     cross join lateral (select * from fact_of(p, (r.decision ->> 'compared')::uuid)) as c);
end $$;

-- The fact in force that one would replace if it were approved now.
create function would_replace(p place, f facts) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  old facts;
begin
  if f.key is not null then
    old := fact_in_force(p, f.key);
  end if;
  if old.id is null and f.proposes is not null then
    old := successor(p, f.proposes);
  end if;
  if old.status <> 'confirmed' then
    old := null;
  end if;
  return old;
end $$;

-- How many wait, were rejected, and are in force.
create function review_counts(p_place jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  return (select jsonb_build_object('pending', count(*)) from facts f
           where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
             and f.status = 'pending');
end $$;

-- Puts into force what waits: it replaces what it would have replaced, or adds to what says the same by now.
create function review_approve(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p         place := enter(p_place, 'write');
  outcome   jsonb := begin_review(p, 'review_approve', p_target, p_call);
  f         facts;
  old       facts;
  same      facts;
  restored  boolean;
  embedded  boolean;
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  restored := lift(f);
  old := would_replace(p, f);
  same := case when old.value_hash = f.value_hash and covers(old, f) then old when f.proposes is null then exact_match(p, f, false) end;
  if same.id is not null and covers(same, f) then
    update facts g set status = 'superseded', superseded_by = same.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
    return end_write(p, p_call, jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', same.id, 'version', same.version,
                                                   'seen', count_seen(p, same.id)));
  end if;
  if old.id is not null then
    update facts g set status = 'superseded', superseded_by = f.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  end if;
  update facts g set status = 'confirmed', supersedes = old.id
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
  returning * into f;
  if old.id is not null then
    perform give_way(p, array[old.id]);
  end if;
  perform index_terms(array[f]);
  embedded := index_from_aside(f, f.id);
  perform settle(p, f);
  return end_write(p, p_call, jsonb_strip_nulls(jsonb_build_object(
    'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', 'approved', 'id', f.id, 'version', f.version,
    'supersedes', old.id, 'restored', nullif(restored, false), 'embedded', embedded)));
end $$;

-- Rejects what waits, and all that waits with the same value: it does not come back.
create function review_reject(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_review(p, 'review_reject', p_target, p_call);
  f        facts;
  gone     facts[];
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  with rejected as (
    update facts g set status = 'rejected'
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.status = 'pending' and (g.id = f.id or g.value_hash = f.value_hash and g.key is not distinct from f.key)
    returning g as fact)
  select array_agg(r.fact order by (r.fact).id <> f.id) into gone from rejected r;
  perform bury(gone);
  return end_write(p, p_call, jsonb_build_object('outcome', 'rejected', 'rule', 'reviewed', 'id', f.id, 'version', (gone[1]).version));
end $$;

-- Puts into force what waits in other words: a person's.
create function review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_review(p, 'review_edit', jsonb_build_array(p_target, p_fact - array['vector', 'model']), p_call);
  f        facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  outcome := save_all(p, jsonb_build_array(kept_of(f) || (p_fact - array['key', 'supersedes']) || jsonb_strip_nulls(jsonb_build_object(
    'supersedes', case when f.key is null then (would_replace(p, f)).id end, 'origin', 'user'))), false, true) -> 0;
  if outcome ->> 'outcome' in ('stored', 'superseded', 'duplicate') then
    update facts g set status = 'superseded', superseded_by = (outcome ->> 'id')::uuid
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and g.status = 'pending';
  end if;
  return end_write(p, p_call, outcome);
end $$;

-- What a fact says besides its content, as a client would send it.
create function kept_of(f facts) returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'key', f.key, 'kind', f.kind, 'source', f.source, 'importance', f.importance, 'tags', f.tags, 'metadata', f.metadata,
    'valid_from', f.valid_from, 'valid_until', f.valid_until, 'expires_at', f.expires_at))
$$;

-- Corrects a fact, by its key or id: what is in the correction is new, the rest stays as it was. One that was replaced meanwhile
-- passes the correction on to what replaced it, so that of several at once none is lost.
create function facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_correct', jsonb_build_array(p_target, p_fact - array['vector', 'model']), p_call);
  old      facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_facts(p, array[coalesce(target.key, (successor(p, target.id)).key), null]);
  old := case when target.key is not null then fact_in_force(p, target.key) else successor(p, target.id) end;
  old := replaced(p, old.id);
  return end_write(p, p_call, save_all(p, jsonb_build_array(kept_of(old) || (p_fact - 'key') || jsonb_build_object('supersedes', old.id)), false,
                                     false) -> 0);
end $$;

-- Says that a fact was superseded by another that is in force already: {"id", "by"}.
create function facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_supersede', p_target, p_call);
  old_id   uuid := id_in(p_target);
  new_id   uuid := p_target ->> 'by';
  old      facts;
  new      facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  if new_id is null then
    raise exception using errcode = 'MEINP', message = 'a fact is superseded by another, named by its id';
  end if;
  if old_id = new_id then
    raise exception using errcode = 'MECYC', message = 'a fact cannot supersede itself';
  end if;
  perform lock_facts(p, array[(fact_of(p, old_id)).key, (fact_of(p, new_id)).key, null]);
  new := fact_of(p, new_id);
  if new.superseded_by is not null and (successor(p, new_id)).id = old_id then
    raise exception using errcode = 'MECYC', message = 'that fact was itself superseded by the one that it would supersede';
  end if;
  old := replaced(p, old_id);
  new := replaced(p, new_id);
  perform set_config('memoranda.decisions', jsonb_build_object(old.id, jsonb_build_object('rule', 'supersedes', 'compared', new.id))::text, true);
  update facts f set status = 'superseded', superseded_by = new.id
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  perform give_way(p, array[old.id]);
  return end_write(p, p_call, jsonb_build_object('outcome', 'superseded', 'rule', 'supersedes', 'id', new.id, 'version', new.version,
                                                 'supersedes', old.id));
end $$;

-- Brings back what was forgotten, rejected or replaced, as a new fact in the place of what stands there now; its value may be saved
-- again from then on.
create function facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p         place := enter(p_place, 'write');
  outcome   jsonb := begin_review(p, 'facts_restore', p_target, p_call);
  old       facts;
  now_      facts;
  embedded  boolean;
begin
  if outcome is not null then
    return outcome;
  end if;
  old := locked(p, id_in(p_target));
  if old.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here';
  end if;
  if old.status in ('confirmed', 'pending') then
    raise exception using errcode = 'MESET', message = format('that fact is %s; there is nothing to restore', old.status);
  end if;
  now_ := case when old.key is not null then fact_in_force(p, old.key) else successor(p, old.id) end;
  outcome := save_all(p, jsonb_build_array(kept_of(old) || jsonb_strip_nulls(jsonb_build_object(
    'content', old.content, 'entities', old.entities, 'quote', old.quote, 'origin', old.origin, 'restore', true,
    'supersedes', case when now_.status = 'confirmed' then now_.id end))), false, true) -> 0;
  if outcome ->> 'outcome' in ('stored', 'superseded') then
    embedded := index_from_aside(fact_of(p, (outcome ->> 'id')::uuid), old.id);
    outcome := outcome || jsonb_build_object('rule', 'restored', 'restored', true, 'embedded', embedded);
  end if;
  return end_write(p, p_call, outcome);
end $$;

-- Hides the value in force under a key, or the one with an id, in force or waiting; its history stays, and the value does not come
-- back. Nothing to forget is no error, and no evidence that there ever was anything.
create function facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_forget', p_target, p_call);
  gone     facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  if (fact_of(p, target.id)).holds_until > now() then      -- with what is to come in its place
    target.id := (successor(p, target.id)).id;
  end if;
  perform lock_facts(p, array[coalesce(target.key, (fact_of(p, target.id)).key), null]);
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id and f.status in ('confirmed', 'pending') or f.key = target.key and f.status = 'confirmed')
  returning * into gone;
  if gone.id is not null then
    perform set_aside(p, array[gone.id]);
    perform bury(gone || give_way(p, array[gone.id]));
  end if;
  return end_write(p, p_call, case when gone.id is null then '{"outcome": "nothing"}'
    else jsonb_build_object('outcome', 'forgotten', 'id', gone.id, 'version', gone.version) end);
end $$;

grant execute on function review_pending, review_counts, review_approve, review_reject, review_edit, facts_correct, facts_supersede,
  facts_restore, facts_forget to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.review_pending(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.review_pending(place, query) $$;
create function memoranda.review_counts(place jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.review_counts(place) $$;
create function memoranda.review_approve(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.review_approve(place, target, call) $$;
create function memoranda.review_reject(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.review_reject(place, target, call) $$;
create function memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.review_edit(place, target, fact, call) $$;
create function memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_correct(place, target, fact, call) $$;
create function memoranda.facts_supersede(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_supersede(place, target, call) $$;
create function memoranda.facts_restore(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_restore(place, target, call) $$;
create function memoranda.facts_forget(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_forget(place, target, call) $$;
grant execute on function memoranda.review_pending, memoranda.review_counts, memoranda.review_approve, memoranda.review_reject,
  memoranda.review_edit, memoranda.facts_correct, memoranda.facts_supersede, memoranda.facts_restore,
  memoranda.facts_forget to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
