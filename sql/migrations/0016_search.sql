-- Search: the facts of one or more scopes that a question is about, by meaning, by words and by name, in one order.
-- docs/search.md says how each constant was measured.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Whether a fact's metadata meets every condition: [{"key", "op", "value"}], op being eq, ne, lt, lte, gt, gte, in, has or
-- exists. Values of different types are different, and neither is less.
create function metadata_meets(p_metadata jsonb, p_conditions jsonb) returns boolean
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select coalesce(bool_and(coalesce(case op
      when 'eq' then held = wanted
      when 'ne' then held <> wanted
      when 'lt' then kin and held < wanted
      when 'lte' then kin and held <= wanted
      when 'gt' then kin and held > wanted
      when 'gte' then kin and held >= wanted
      when 'in' then wanted @> jsonb_build_array(held)
      when 'has' then jsonb_typeof(held) = 'array' and held @> jsonb_build_array(wanted)
      when 'exists' then (held is not null) = (wanted = 'true') end, op = 'ne')), true)
    from (
      select condition ->> 'op' as op, p_metadata -> (condition ->> 'key') as held, condition -> 'value' as wanted,
             jsonb_typeof(p_metadata -> (condition ->> 'key')) = jsonb_typeof(condition -> 'value') as kin
        from jsonb_array_elements(p_conditions) as condition
    ) as conditions
$$;

-- A query as a client sends it.
create function check_query(p_query jsonb) returns void
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if jsonb_typeof(p_query) is distinct from 'object'
     or p_query - array['text', 'vector', 'model', 'limit', 'scopes', 'kinds', 'tags', 'entities', 'since', 'until', 'metadata',
                        'min_importance', 'min_similarity', 'max_per_source', 'blend', 'track_use', 'as_of', 'known_at'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a search has text, vector, model, limit, scopes, kinds, tags, entities, since, '
      'until, metadata, min_importance, min_similarity, max_per_source, blend, track_use, as_of and known_at, and nothing else';
  end if;
  if jsonb_array_length(coalesce(p_query -> 'scopes', '[]')) > 20 then
    raise exception using errcode = 'MEINP', message = 'a search is over at most 20 scopes';
  end if;
  if p_query ? 'metadata' and exists (
       select from jsonb_array_elements(p_query -> 'metadata') as c
        where c - array['key', 'op', 'value'] <> '{}' or not c ?& array['key', 'op', 'value']
           or c ->> 'op' not in ('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'has', 'exists')) then
    raise exception using errcode = 'MEINP', message = 'a condition on metadata has key, value and op, which is eq, ne, lt, lte, gt, '
      'gte, in, has or exists';
  end if;
end $$;

-- The ids of the facts that pass a query's filters; null when it has none, and all do.
create function search_among(p_places place[], p_query jsonb) returns uuid[]
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  of_kinds   text[];
  with_tags  text[];
  first      timestamptz := p_query ->> 'since';
  last       timestamptz := p_query ->> 'until';
begin
  if not p_query ?| array['kinds', 'tags', 'since', 'until', 'metadata', 'min_importance'] then
    return null;
  end if;
  of_kinds := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'kinds'));
  with_tags := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'tags'));
  return array(
    select f.id from unnest(p_places) as h
      join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
     where (f.status = 'confirmed' or f.holds_until > now()) and (of_kinds is null or f.kind = any (of_kinds)) and (with_tags is null or f.tags @> with_tags)
       and (first is null or coalesce(f.valid_from, f.created_at) >= first) and (last is null or coalesce(f.valid_from, f.created_at) < last)
       and (p_query ->> 'min_importance' is null or f.importance >= (p_query ->> 'min_importance')::numeric)
       and (p_query -> 'metadata' is null or metadata_meets(f.metadata, p_query -> 'metadata')));
end $$;

-- Where to look: the scopes that a client names, or else its own place.
create function places_of(p_place jsonb, p_query jsonb) returns place[]
language sql set search_path = memoranda_private, pg_temp
as $$
  select array(select distinct enter(p_place || scope, 'read')
                 from jsonb_array_elements(coalesce(nullif(p_query -> 'scopes', '[]'), '[{}]')) as scope)
$$;

-- Counts a use of facts in force; not of an organisation's, which readers do not write.
create function count_uses(p_places place[], p_ids uuid[]) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  counted integer;
begin
  insert into fact_uses as u (tenant_id, owner_id, scope, scope_id, fact_id, use_count, last_used_at)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, 1, now()
    from unnest(p_places) as h
    join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
     and f.id = any (p_ids) and (f.status = 'confirmed' or f.holds_until > now())
   where h.owner_id <> nobody()
   order by f.id                                          -- in one order, so that two searches never wait for each other
      on conflict (tenant_id, owner_id, scope, scope_id, fact_id) do update set use_count = u.use_count + 1, last_used_at = now();
  get diagnostics counted = row_count;
  return counted;
end $$;

-- The facts that a question is about, best first: {"text", "vector", "model", "limit", "scopes", filters, ...}.
--
--   score = 0.5 * similarity + 0.5 * words + 0.125 if a name of the fact is in the question
--
-- then, unless `blend` is false, times recency (180 days' decay, at least 0.75; not for preferences and corrections),
-- importance (0.92 to 1.10) and use (at most 1.05). The similarity that is returned is the cosine itself. A fact without
-- a vector counts as the least similar one that was found. With as_of or known_at: what was to be found then (0025).
create function facts_search(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  places  place[];
  k       integer;
  pool    integer;
  among   uuid[];
  whose   text := p_query ->> 'model';
  near    vec := vector_in(p_query ->> 'vector', p_query ->> 'model');
  asked   sparse;
  lowest  double precision := p_query ->> 'min_similarity';
  blends  boolean := coalesce((p_query ->> 'blend')::boolean, true);
  each_source  integer;
  found   jsonb;
  m       search_lane;                      -- what was found by meaning
  w       search_lane;                      -- and by words
begin
  perform check_query(p_query);
  places := places_of(p_place, p_query);
  if (moment_in(p_query)).as_of is not null then
    return search_then(places, moment_in(p_query), p_query);
  end if;
  k := greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 10)))::integer;
  each_source := case when p_query ->> 'max_per_source' is not null then greatest(1, least(200, (p_query ->> 'max_per_source')::numeric)) end;
  pool := case when each_source is null then greatest(30, 2 * k) else 1000 end;     -- where one source may have the first places
  among := search_among(places, p_query);
  if near is not null then
    select array_agg(place), array_agg(fact_id), array_agg(similarity), null, null into m
      from search_meaning(places, near, whose, among, pool);
  end if;
  if p_query ?| array['text', 'entities'] then
    asked := search_asked(places, p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  end if;
  if asked is not null then
    select array_agg(place), array_agg(fact_id), null, array_agg(words), array_agg(named) into w
      from search_words(places, asked, among, pool);
  end if;
  with lanes as (
    select place, fact_id, similarity, ordinality as meaning_rank, null::double precision as words, null::integer as named, null::bigint as words_rank
      from unnest(m.at, m.ids, m.similarities) with ordinality as l (place, fact_id, similarity)
    union all
    select place, fact_id, null, null, words, named, case when words > 0 then rank() over (order by words desc) end
      from unnest(w.at, w.ids, w.words, w.named) as l (place, fact_id, words, named)
    union all                                             -- what one lane found, as the other sees it
    select place, fact_id, similarity, null, null, null, null from similarities(places, near, whose, w.ids) where near is not null
    union all
    select place, fact_id, null, null, words, named, null from words_of(places, asked, m.ids) where asked is not null
    union all
    select place, fact_id, null, null, null, null, null from search_newest(places, among, k) where coalesce(cardinality(m.ids), 0) < k
  ), compared as materialized (
    select place, fact_id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(l.words) as words,
           coalesce(max(l.named), 0) as named, max(words_rank) as words_rank
      from lanes l group by place, fact_id
  ), fused as (
    select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0)
                + case when c.named > 0 then 0.125 else 0 end as fusion
      from compared c
     where lowest is null or c.similarity >= lowest
     order by fusion desc, c.fact_id limit case when each_source is null then greatest(30, 3 * k) end   -- what is behind, no blending brings to the front
  ), judged as (
    select f.f, c.*,
           case when (f.f).kind in ('preference', 'correction') then 1
                else greatest(0.75, exp(-greatest(0, extract(epoch from now() - coalesce((f.f).valid_from, (f.f).created_at))) / 15552000.0)) end as recency,
           1 + 0.02 * ((f.f).importance - 5) as importance,
           1 + least(0.05, 0.01 * ln(1 + coalesce(u.use_count, 0))) as used
      from fused c
      cross join lateral (
        select f from facts f
         where f.tenant_id = places[c.place].tenant_id and f.owner_id = places[c.place].owner_id
           and f.scope = places[c.place].scope and f.scope_id = places[c.place].scope_id and f.id = c.fact_id limit 1) as f
      left join lateral (
        select u.use_count from fact_uses u
         where u.tenant_id = places[c.place].tenant_id and u.owner_id = places[c.place].owner_id
           and u.scope = places[c.place].scope and u.scope_id = places[c.place].scope_id
           and u.fact_id = c.fact_id limit 1) as u on true
     where ((f.f).status = 'confirmed' or (f.f).holds_until > now())      -- (said where the planner can't take it for a way to the fact)
  ), weighed as (
    select j.*, j.fusion * case when blends then j.recency * j.importance * j.used else 1 end as score
      from judged j
  ), ordered as (
    select ranked.* from (
      select j.*, row_number() over (partition by (j.f).source order by j.score desc, (j.f).updated_at desc, (j.f).id) as of_source from weighed j
    ) as ranked
     where each_source is null or (ranked.f).source is null or ranked.of_source <= each_source
     order by ranked.score desc, (ranked.f).updated_at desc, (ranked.f).id limit k
  )
  select coalesce(jsonb_agg(jsonb_build_object(
           'fact', fact_out(o.f), 'similarity', o.similarity, 'score', o.score,
           'why', jsonb_build_object('meaning_rank', o.meaning_rank, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named,
                                     'recency', o.recency, 'importance', o.importance, 'used', o.used))
           order by o.score desc, (o.f).updated_at desc, (o.f).id), '[]')
    into found from ordered o;
  if (p_query ->> 'track_use')::boolean is not false then
    perform count_uses(places, array(select (hit -> 'fact' ->> 'id')::uuid from jsonb_array_elements(found) as hit));
  end if;
  return found;
end $$;

-- Counts what a client has used of what it found without counting: {"ids", "scopes"}.
create function facts_used(p_place jsonb, p_used jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
begin
  return jsonb_build_object('counted', count_uses(places_of(p_place, p_used), array(
    select jsonb_array_elements_text(p_used -> 'ids')::uuid limit 200)));
end $$;
grant execute on function facts_search, facts_used to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_search(place jsonb, query jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_search(place, query) $$;
create function memoranda.facts_used(place jsonb, used jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.facts_used(place, used) $$;
grant execute on function memoranda.facts_search, memoranda.facts_used to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
