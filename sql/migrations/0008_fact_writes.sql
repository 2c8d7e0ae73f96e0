-- Writes of facts: saving one or many, and forgetting.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

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

-- A fact as a client sends it. What is left out is empty, not kept: saving replaces the whole value. (`vector` and `model` are
-- not of the fact: they are what it is found by.)
create function fact_in(p place, p_fact jsonb, p_most bigint) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  f facts;
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'source', 'importance', 'tags', 'entities', 'metadata', 'valid_from', 'valid_until',
                       'expires_at', 'expected_version', 'vector', 'model'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, source, importance, tags, entities, metadata, '
      'valid_from, valid_until, expires_at and expected_version, and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact - array['vector', 'model']);
  f.tenant_id := p.tenant_id;
  f.owner_id := p.owner_id;
  f.scope := p.scope;
  f.scope_id := p.scope_id;
  f.kind := coalesce(f.kind, 'fact');
  f.importance := coalesce(f.importance, case f.kind       -- how much a kind matters when nobody says
    when 'correction' then 9 when 'preference' then 8 when 'decision' then 7 when 'pattern' then 7
    when 'learning' then 6 when 'event' then 4 when 'conversation' then 3 when 'transcript' then 1 else 5 end);
  f.tags := coalesce(f.tags, '{}');
  f.entities := coalesce(f.entities, subjects(f.content), '{}');
  f.metadata := coalesce(f.metadata, '{}');
  f.origin := 'user';
  f.status := 'confirmed';

  if f.key is not null then
    perform check_key(f.key);
  end if;
  if f.content is null or f.content !~ '\S' then
    raise exception using errcode = 'MEEMP', message = 'the content of a fact is empty';
  end if;
  if char_length(f.content) > p_most then
    raise exception using errcode = 'MEBIG', message = format('a fact has at most %s characters, this one %s', p_most, char_length(f.content));
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
  if f.valid_from >= f.valid_until then
    raise exception using errcode = 'METIM', message = 'a fact is valid from a time to a later one';
  end if;
  if cardinality(f.tags) > 50 or char_length(f.tags::text) > 2000 or cardinality(f.entities) > 100
     or char_length(f.entities::text) > 5000 or char_length(f.metadata::text) > 20000 then
    raise exception using errcode = 'MEBIG',
      message = 'a fact has at most 50 tags of 2000 characters, 100 entities of 5000, and 20000 characters of metadata';
  end if;
  return f;
end $$;

-- One writer at a time for a key, until the transaction ends.
create function lock_key(p place, p_key text) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('fact', p, p_key)::text, 0)) $$;

create function fact_in_force(p place, p_key text) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  found facts;
begin
  select * into found from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.key = p_key and f.status = 'confirmed';
  return found;
end $$;

-- Puts facts into force, in the place of those that they supersede; a new row and what it replaced are one revision. They are
-- independent: none supersedes another of them.
create function facts_put(p place, p_facts facts[], p_vectors vec[], p_model text) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  gone uuid[] := array(select n.supersedes from unnest(p_facts) as n where n.supersedes is not null);
begin
  if cardinality(gone) > 0 then
    update facts g set status = 'superseded', superseded_by = n.id from unnest(p_facts) as n
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, n.supersedes);
    perform unindex(p, gone);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, entities, metadata, valid_from, valid_until, expires_at, supersedes)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, n.id, n.key, n.kind, n.content, n.status, n.origin, n.source, n.tainted,
         n.importance, n.tags, n.entities, n.metadata, n.valid_from, n.valid_until, n.expires_at, n.supersedes
    from unnest(p_facts) as n;
  perform index_terms(p_facts);
  if p_model is not null then
    perform index_vectors(p_facts, p_vectors, p_model);
  end if;
end $$;

-- Saves facts, and says what became of each: stored, superseded (it corrected the one under its key) or duplicate (nothing
-- moved). They are put in batches, since a statement for each costs several times as much; a batch ends where the next fact
-- might depend on one of it.
create function save_all(p place, p_facts jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  most      bigint := setting(p.tenant_id, 'fact_characters');
  tainted   boolean := call_is_tainted();
  each      record;
  f         facts;
  old       facts;
  expected  integer;
  model     text;
  batch     facts[] := '{}';
  vectors   vec[] := '{}';
  last_key  text;
  outcomes  jsonb[] := '{}';
begin
  -- In the order of their keys, so that two calls never wait for each other; the outcomes in the order given.
  for each in
    select value, ordinality::integer as number from jsonb_array_elements(p_facts) with ordinality
     order by value ->> 'key' collate "C" nulls last, ordinality
  loop
    f := fact_in(p, each.value, most);
    if cardinality(batch) >= 500 or f.key = last_key or model is distinct from each.value ->> 'model' then
      perform facts_put(p, batch, vectors, model);
      batch := '{}';
      vectors := '{}';
    end if;
    last_key := f.key;
    model := each.value ->> 'model';
    old := null;
    if f.key is not null then
      perform lock_key(p, f.key);
      old := fact_in_force(p, f.key);
    end if;
    expected := (each.value ->> 'expected_version')::integer;
    if expected <> coalesce(old.version, 0) then
      raise exception using errcode = 'MECFL',
        message = format('the fact is at version %s, not %s', coalesce(old.version, 0), expected);
    end if;
    if (f.content, f.kind, f.source, f.importance, f.tags, f.entities, f.metadata, f.valid_from, f.valid_until, f.expires_at)
       is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.entities, old.metadata, old.valid_from,
                             old.valid_until, old.expires_at) then
      outcomes[each.number] := jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', old.id, 'version', old.version);
      continue;
    end if;
    f.id := gen_random_uuid();
    f.supersedes := old.id;
    f.tainted := tainted;
    batch := batch || f;
    vectors := vectors || vector_in(each.value ->> 'vector', model);
    outcomes[each.number] := jsonb_strip_nulls(jsonb_build_object(
      'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', case when f.key is null then 'new' else 'key' end,
      'id', f.id, 'version', coalesce(old.version, 0) + 1, 'supersedes', old.id));
  end loop;
  perform facts_put(p, batch, vectors, model);
  return to_jsonb(outcomes);
end $$;

create function facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_save', p_fact - array['vector', 'model'], p_call);
begin
  return coalesce(outcome, end_write(p, p_call, save_all(p, jsonb_build_array(p_fact)) -> 0));
end $$;

-- Saves up to 10,000 facts, all or none: {"outcomes"}, in their order.
create function facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb;
begin
  if jsonb_array_length(p_facts) > 10000 then
    raise exception using errcode = 'MEBIG', message = 'at most 10000 facts are saved at once';
  end if;
  outcome := begin_write(p, 'facts_save_many', case when p_call ->> 'idempotency_key' is not null then
    (select jsonb_agg(value - array['vector', 'model']) from jsonb_array_elements(p_facts)) end, p_call);
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts))));
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
  gone     facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id or f.key = target.key) and f.status = 'confirmed'
  returning * into gone;
  perform unindex(p, array[gone.id]);
  return end_write(p, p_call, case when gone.id is null then '{"outcome": "nothing"}'
    else jsonb_build_object('outcome', 'forgotten', 'id', gone.id, 'version', gone.version) end);
end $$;

grant execute on function facts_save, facts_save_many, facts_forget to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_save(place jsonb, fact jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save(place, fact, call) $$;
create function memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save_many(place, facts, call) $$;
create function memoranda.facts_forget(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_forget(place, target, call) $$;
grant execute on function memoranda.facts_save, memoranda.facts_save_many, memoranda.facts_forget to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
