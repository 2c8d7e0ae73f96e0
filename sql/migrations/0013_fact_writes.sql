-- Writes of facts: saving one or many.

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

-- A fact as a client sends it. What is left out is empty, not kept: saving replaces the whole value. (What is in `options` is
-- not of the fact: it is what the fact is found by, and how it is to be saved.)
create function fact_in(p place, p_fact jsonb, p_most bigint) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  f        facts;
  options  constant text[] := array['vector', 'model', 'supersedes', 'expected_version', 'dedup', 'review', 'restore', 'said'];
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'origin', 'source', 'importance', 'tags', 'entities', 'metadata', 'valid_from',
                       'valid_until', 'expires_at', 'quote'] - options <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, origin, source, importance, tags, entities, '
      'metadata, valid_from, valid_until, expires_at and quote; supersedes, expected_version, dedup, review and restore; and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact - options);
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
  f.origin := coalesce(f.origin, 'user');
  f.tainted := call_is_tainted();

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
  if f.origin not in ('user', 'assistant', 'tool', 'import', 'system') then
    raise exception using errcode = 'MEINP', message = format('%s is not an origin of a fact', left(quote_literal(f.origin), 40));
  end if;
  if char_length(f.quote) not between 1 and 2000 then
    raise exception using errcode = 'MEINP', message = 'a quote has 1 to 2000 characters';
  end if;
  if coalesce(p_fact ->> 'dedup', 'full') not in ('full', 'exact', 'off') then
    raise exception using errcode = 'MEINP', message = 'dedup is full, exact or off';
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
-- Puts facts where they belong: confirmed ones into force, in the place of those that they supersede; pending ones aside, until
-- somebody approves of them; superseded ones, which say the same as another, into the log. A new row and what it replaced are
-- one revision. They are independent: none supersedes another of them.
create function facts_put(p place, p_facts facts[], p_vectors vec[], p_model text, p_decisions jsonb[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  gone    uuid[] := array(select n.supersedes from unnest(p_facts) as n where n.supersedes is not null);
  sorted  boolean := exists (select from unnest(p_facts) as n where n.status <> 'confirmed');
  n       integer;
begin
  if cardinality(p_facts) = 0 then
    return;
  end if;
  perform set_config('memoranda.decisions', (
    select jsonb_object_agg(key, value)::text from unnest(p_decisions) as each, jsonb_each(each)), true);
  if cardinality(gone) > 0 then
    update facts g set status = 'superseded', superseded_by = n.id from unnest(p_facts) as n
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, n.supersedes);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, entities, metadata, valid_from, valid_until, expires_at, quote, supersedes, superseded_by, proposes,
                     value_hash, template_hash)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, n.id, n.key, n.kind, n.content, n.status, n.origin, n.source, n.tainted,
         n.importance, n.tags, n.entities, n.metadata, n.valid_from, n.valid_until, n.expires_at, n.quote, n.supersedes,
         n.superseded_by, n.proposes, n.value_hash, n.template_hash
    from unnest(p_facts) as n;
  perform set_config('memoranda.decisions', '', true);
  if cardinality(gone) > 0 then
    perform give_way(p, gone);
  end if;
  if not sorted then
    perform index_terms(p_facts);
    if p_model is not null then
      perform index_vectors(p_facts, p_vectors, p_model);
    end if;
    return;
  end if;
  for n in 1 .. cardinality(p_facts) loop
    if (p_facts[n]).status = 'confirmed' then
      perform index_terms(array[p_facts[n]]);
      if p_model is not null then
        perform index_vectors(array[p_facts[n]], array[p_vectors[n]], p_model);
      end if;
    elsif (p_facts[n]).status = 'pending' and p_model is not null then
      perform index_aside(array[p_facts[n]], array[p_vectors[n]], p_model);
    end if;
  end loop;
end $$;

-- Facts as clients send them, checked, with their hashes. One that is not acceptable ends the call, or when p_lenient becomes
-- an outcome of its own.
create function facts_in(p place, p_facts jsonb, p_most bigint, p_lenient boolean, out made facts[], out failures jsonb)
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  each    record;
  f       facts;
  hashes  bytea[] := secret_hashes(p.tenant_id, array(
    select plain(value ->> 'content') from jsonb_array_elements(p_facts)));
  shapes  bytea[] := secret_hashes(p.tenant_id, array(
    select case when char_length(value ->> 'content') <= 2000 and value ->> 'key' is null and value ->> 'dedup' is null
                then template_of(value ->> 'content') end
      from jsonb_array_elements(p_facts)));
begin
  made := '{}';
  failures := '{}';
  for each in select value, ordinality::integer as number from jsonb_array_elements(p_facts) with ordinality loop
    f := null;
    if p_lenient then
      begin
        f := fact_in(p, each.value, p_most);
        perform vector_in(each.value ->> 'vector', each.value ->> 'model');
      exception when others then
        failures := failures || jsonb_build_object(each.number::text, sqlerrm);
      end;
    else
      f := fact_in(p, each.value, p_most);
    end if;
    f.value_hash := hashes[each.number];
    f.template_hash := shapes[each.number];
    made := made || f;
  end loop;
end $$;

-- Saves facts, and says what became of each. They are put in batches, since a statement for each costs several times as much; a
-- batch ends where the next fact might depend on one of it. Of more than 100 at once, near duplicates are looked for by their
-- template alone, and not among themselves. What a person has approved of waits no more. An import brings ids.
create function save_all(p place, p_facts jsonb, p_lenient boolean, p_approved boolean, p_ids uuid[] default null) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  call       jsonb := current_setting('memoranda.call');
  actor      text := call ->> 'actor';
  limits     jsonb := settings_of(p.tenant_id);
  erased     bytea[] := sources_erased_since(p, (call ->> 'since')::timestamptz);
  large      boolean := jsonb_array_length(p_facts) > 100;
  most       bigint := limits -> 'facts';
  most_each  bigint := limits -> 'facts_per_source';
  held       bigint;
  held_each  jsonb := '{}';
  given      facts[];
  failures   jsonb;
  seen       jsonb;                         -- the values that were here before
  shapes     jsonb;                         -- and the templates of those in force, where many are saved
  buried     boolean;                       -- whether anything was rejected or forgotten here
  f          facts;
  d          decision;
  options    jsonb;
  v          vec;
  model      text;
  batch      facts[] := '{}';
  vectors    vec[] := '{}';
  keys       text[] := '{}';                -- of the batch, as its hashes
  hashes     bytea[] := '{}';
  decisions  jsonb[] := '{}';
  outcomes   jsonb[] := '{}';
begin
  if jsonb_path_exists(p_facts, '$[*] ? (@.restore == true || @.restore == "true")') and actor <> 'application' then
    raise exception using errcode = '42501', message = 'only the application''s own code brings back what was rejected';
  end if;
  select i.made, i.failures into given, failures from facts_in(p, p_facts, (limits -> 'fact_characters')::bigint, p_lenient) as i;
  perform lock_facts(p, array(
    select case when n.key is null and o ->> 'supersedes' is not null then (fact_of(p, (o ->> 'supersedes')::uuid)).key else n.key end
      from unnest(given) with ordinality as n, lateral (select p_facts -> (n.ordinality::integer - 1)) as given_ (o)));
  seen := (
    select coalesce(jsonb_object_agg(encode(h.value_hash, 'hex'), true), '{}') from (
      select g.value_hash from facts g
       where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
         and g.value_hash = any (array(select n.value_hash from unnest(given) as n))) as h);
  buried := exists (
    select from tombstones t
     where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id and t.lifted_at is null);
  if large then
    shapes := (
      select coalesce(jsonb_object_agg(encode(h.template_hash, 'hex'), true), '{}') from (
        select g.template_hash from facts g
         where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
           and g.template_hash = any (array(select n.template_hash from unnest(given) as n)) and g.status = 'confirmed') as h);
  end if;

  for n in 1 .. cardinality(given) loop
    f := given[n];
    options := (p_facts -> (n - 1)) || case when p_approved then '{"approved": true}' else '{}' end::jsonb;
    if failures ? n::text then
      outcomes[n] := jsonb_build_object('outcome', 'failed', 'rule', failures ->> n::text);
      continue;
    elsif cardinality(erased) > 0 and key_hash(p.tenant_id, f.source) = any (erased) then
      outcomes[n] := '{"outcome": "rejected", "rule": "erased"}';
      continue;
    end if;
    if cardinality(batch) >= 500 or model is distinct from options ->> 'model' or options ->> 'supersedes' is not null
       or cardinality(batch) > 0 and (
         not large and options ->> 'dedup' is null or f.key = any (keys) or f.value_hash = any (hashes)) then
      perform facts_put(p, batch, vectors, model, decisions);
      seen := seen || (select coalesce(jsonb_object_agg(encode(hash, 'hex'), true), '{}') from unnest(hashes) as hash);
      batch := '{}';
      vectors := '{}';
      keys := '{}';
      hashes := '{}';
      decisions := '{}';
    end if;
    model := options ->> 'model';
    v := vector_in(options ->> 'vector', model);
    d := decide(p, f, options, waits(f, options, actor, limits ->> 'review'), seen ? encode(f.value_hash, 'hex'), buried,
                coalesce(options ->> 'dedup', 'full') = 'full' and coalesce(not large or shapes ? encode(f.template_hash, 'hex'), false),
                large, v, model);
    if d.outcome in ('rejected', 'pending') or d.outcome = 'duplicate' and d.rule = 'same value' then
      outcomes[n] := jsonb_strip_nulls(jsonb_build_object(
        'outcome', d.outcome, 'rule', d.rule, 'id', d.id, 'version', d.version, 'compared', d.compared, 'similarity', d.similarity,
        'threshold', d.threshold, 'seen', case when d.id is not null then count_seen(p, d.id) end));
      continue;
    end if;
    f.id := coalesce(p_ids[n], gen_random_uuid());
    f.status := case when d.outcome = 'duplicate' then 'superseded' when d.waits then 'pending' else 'confirmed' end;
    case f.status
      when 'superseded' then f.superseded_by := d.id;
      when 'pending' then f.proposes := d.replaces;
      else f.supersedes := d.replaces;
    end case;
    if f.status <> 'superseded' and (d.replaces is null or d.waits) then
      held := 1 + coalesce(held, facts_held(p, null));
      if held > most then
        raise exception using errcode = 'MEQTA', message = format('a scope holds at most %s facts', most);
      end if;
      if f.source is not null then
        held_each := held_each || jsonb_build_object(f.source, 1 + coalesce((held_each ->> f.source)::bigint, facts_held(p, f.source)));
        if (held_each ->> f.source)::bigint > most_each then
          raise exception using errcode = 'MEQTA', message = format('a scope holds at most %s facts of one source', most_each);
        end if;
      end if;
    end if;
    batch := batch || f;
    vectors := vectors || v;
    keys := keys || f.key;
    hashes := hashes || f.value_hash;
    decisions := decisions || jsonb_build_object(f.id, jsonb_strip_nulls(jsonb_build_object(
      'rule', d.rule, 'compared', coalesce(d.compared, d.replaces), 'similarity', d.similarity, 'threshold', d.threshold,
      'restored', nullif(d.restored, false))));
    outcomes[n] := jsonb_strip_nulls(jsonb_build_object(
      'outcome', case f.status when 'superseded' then 'duplicate' when 'pending' then 'pending'
                               else case when d.replaces is null then 'stored' else 'superseded' end end,
      'rule', d.rule, 'id', case f.status when 'superseded' then d.id else f.id end,
      'version', case f.status when 'superseded' then d.version when 'pending' then 1 else coalesce(d.replaces_version, 0) + 1 end,
      'supersedes', f.supersedes, 'compared', coalesce(d.compared, f.proposes), 'similarity', d.similarity, 'threshold', d.threshold,
      'restored', nullif(d.restored, false), 'seen', case f.status when 'superseded' then count_seen(p, d.id) end));
    if f.status = 'confirmed' and seen ? encode(f.value_hash, 'hex') then
      perform settle(p, f);
    end if;
  end loop;
  perform facts_put(p, batch, vectors, model, decisions);
  return to_jsonb(outcomes);
end $$;

create function facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_save', p_fact - array['vector', 'model'], p_call);
begin
  return coalesce(outcome, end_write(p, p_call, save_all(p, jsonb_build_array(p_fact), false, false) -> 0));
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
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts, false, false))));
end $$;

-- Saves what an extractor found: as above, but one that is not acceptable fails alone.
create function facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb;
begin
  if jsonb_array_length(p_facts) > 1000 then
    raise exception using errcode = 'MEBIG', message = 'at most 1000 candidates are saved at once';
  end if;
  outcome := begin_write(p, 'facts_save_extracted', (select jsonb_agg(value - array['vector', 'model']) from jsonb_array_elements(p_facts)),
                         coalesce(p_call, '{}') || case when p_call ->> 'actor' = 'model' then '{}'::jsonb else '{"actor": "extractor"}' end);
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts, true, false))));
end $$;

grant execute on function facts_save, facts_save_many, facts_save_extracted to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_save(place jsonb, fact jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save(place, fact, call) $$;
create function memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save_many(place, facts, call) $$;
create function memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_save_extracted(place, facts, call) $$;
grant execute on function memoranda.facts_save, memoranda.facts_save_many, memoranda.facts_save_extracted to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
