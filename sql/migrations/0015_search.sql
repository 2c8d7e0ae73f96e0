-- Search: the facts of one or more scopes that a question is about, by meaning, by words and by name, in one order.
-- docs/search.md says how each constant was measured.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Words as a sparse vector of 1, 2, 4, ... in their order, and names of 2^20 each. Null when there are none.
create function sparse_of(p_words text[], p_names text[]) returns sparse
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select ('{' || string_agg(place || ':' || weight, ',' order by place) || '}/268435456')::sparse
    from (select dimension(word) as place, max(weight) as weight
            from (select word, 1 << (number::integer - 1) as weight from unnest(p_words) with ordinality as listed (word, number)
                  union all
                  select unnest(p_names), 1048576) as all_words
           group by 1) as placed
$$;

-- By meaning: the facts nearest to a vector, exactly. Each scope is one range of the vectors' key; of long vectors, the ones
-- whose signs agree most are compared in full. `place` is the place's number in p_places.
create function search_meaning(p_places place[], p_vector vec, p_model text, p_among uuid[], p_count integer)
returns table (place integer, fact_id uuid, similarity double precision)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  long   boolean := dimensions(p_vector) > 1024;
  marks  bit varying := case when long then signs(p_vector) end;
  big    integer[];
begin
  -- A large scope has an index of its own; with a filter, or when it does not bring enough, all of the scope is compared.
  if p_among is null then
    big := array(select l.number from unnest(p_places) as h
                   join large_scopes l on l.tenant_id = h.tenant_id and l.owner_id = h.owner_id and l.scope = h.scope
                    and l.scope_id = h.scope_id and l.model = p_model and l.ready);
    if cardinality(big) > 0 then
      return query select * from search_large(p_places, p_vector, p_model, p_count);
      if found then
        return;
      end if;
    end if;
  end if;
  if not long then
    return query
      select h.number::integer, near.fact_id, 1 - near.distance
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select v.fact_id, v.short <=> p_vector as distance from vectors v
          where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
            and v.model = p_model and v.live_from <= now() and v.live_until > now()
            and (p_among is null or v.fact_id in (select unnest(p_among)))
          order by distance, v.fact_id limit p_count) as near      -- (by its name: said twice, it is computed twice)
       order by near.distance, near.fact_id limit p_count;
  else
    return query
      with near as materialized (                            -- or the planner may look for them anew for each vector
        select h.number, h.tenant_id, h.owner_id, h.scope, h.scope_id, closest.fact_id
          from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
         cross join lateral (
           select v.fact_id from vectors v
            where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
              and v.model = p_model and v.live_from <= now() and v.live_until > now()
              and (p_among is null or v.fact_id in (select unnest(p_among)))
            order by v.signs::"bit" <~> marks::"bit", v.fact_id limit greatest(400, 2 * p_count)) as closest
      )
      select n.number::integer, n.fact_id, 1 - w.distance
        from near n
       cross join lateral (
         select v.long <=> p_vector as distance from vectors v
          where v.tenant_id = n.tenant_id and v.owner_id = n.owner_id and v.scope = n.scope and v.scope_id = n.scope_id
            and v.model = p_model and v.fact_id = n.fact_id limit 1) as w
       order by w.distance, n.fact_id limit p_count;
  end if;
end $$;

-- By words and by name. A fact's words are a sparse vector of ones; twenty of the query's words stand in another with 1, 2, 4,
-- ..., and its names with 2^20 each, so that the inner product says exactly which words a fact has, and how many names (24
-- bits are what a float holds). One pass over a scope thus gives how rare each word is there, and what each fact has.
--
--   score = sum of idf(words that the fact has) / sum of idf(words that any fact has) / (1 + length / 70)
--   idf(word) = ln(1 + (facts - having + 0.5) / (having + 0.5))      (the rarity of BM25)
--
-- How often a word stands in a fact makes no difference: in a long text that only rewards length. The length is compared
-- with a fixed one: a long text has many words of any question, also where its neighbours are as long.
--
-- Returns the best of them, and those with an id of p_also; `named` counts the names of a fact that are in the query.
create function search_words(p_places place[], p_query text, p_names text[], p_among uuid[], p_also uuid[], p_count integer)
returns table (place integer, fact_id uuid, score double precision, named integer)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  asked   text[] := asked_words(p_query);
  names   text[] := array(select '@' || name from unnest(asked_names(p_query, p_names)) as name);
  q1      sparse := sparse_of(asked[:20], names);
  q2      sparse := sparse_of(asked[21:], '{}');
begin
  return query
    with matched as materialized (
      select h.number::integer as place, s.*
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select p.fact_id, min(p.length) as length, coalesce(sum(p.x1), 0)::bigint as x1, coalesce(sum(p.x2), 0)::bigint as x2
           from (
             select t.fact_id, t.length, -(t.words <#> q1) as x1, -(t.words <#> q2) as x2 from terms t
              where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
                and t.live_from <= now() and t.live_until > now()
                and (p_among is null or t.fact_id in (select unnest(p_among)))
             offset 0) as p
          where p.x1 > 0 or p.x2 > 0
          group by p.fact_id) as s
    ), patterns as materialized (                         -- which words occur together, and in how many facts
      select m.x1 & 1048575 as x1, m.x2, count(*) as facts from matched m group by 1, 2
    ), rarity as materialized (
      select number, ln(1 + greatest(0, all_facts.count - sum(p.facts)::float8 + 0.5) / (sum(p.facts)::float8 + 0.5)) as idf
        from (select count(*) from unnest(p_places) as h
                join terms t on t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
               where t.part = 0) as all_facts
       cross join generate_series(1, cardinality(asked)) as number
        join patterns p on (case when number <= 20 then p.x1 >> (number - 1) else p.x2 >> (number - 21) end) & 1 = 1
       group by number, all_facts.count
    ), weighed as materialized (
      select p.x1, p.x2, sum(r.idf) / (select sum(idf) from rarity) as share
        from patterns p
        join rarity r on (case when r.number <= 20 then p.x1 >> (r.number - 1) else p.x2 >> (r.number - 21) end) & 1 = 1
       group by p.x1, p.x2
    ), scored as materialized (
      select m.place, m.fact_id, coalesce(w.share, 0) / (1 + m.length / float8 '70') as score, (m.x1 >> 20)::integer as names
        from matched m left join weighed w on w.x1 = m.x1 & 1048575 and w.x2 = m.x2
    )
    (select s.place, s.fact_id, s.score, s.names from scored s where s.score > 0 order by s.score desc, s.fact_id limit p_count)
    union
    (select s.place, s.fact_id, s.score, s.names from scored s where s.names > 0 order by s.names desc, s.score desc, s.fact_id limit p_count)
    union
    select s.place, s.fact_id, s.score, s.names from scored s where s.fact_id in (select unnest(p_also));
end $$;

-- What a lane found: of each fact its place, id, and what the lane says of it.
create type search_lane as (at integer[], ids uuid[], similarities double precision[], words double precision[], named integer[]);

-- The newest facts, for when the lanes find fewer than were asked for.
create function search_newest(p_places place[], p_among uuid[], p_count integer)
returns table (place integer, fact_id uuid)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, n.id
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select f.id, f.updated_at from facts f
        where f.tenant_id = h.tenant_id and f.owner_id = h.owner_id and f.scope = h.scope and f.scope_id = h.scope_id
          and (f.status = 'confirmed' or f.holds_until is not null) and coalesce(f.holds_until > now(), true)
          and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true) and coalesce(f.expires_at > now(), true)
          and (p_among is null or f.id in (select unnest(p_among)))
        order by f.updated_at desc, f.key, f.id limit p_count) as n
     order by n.updated_at desc, n.id limit p_count;
end $$;

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
  if exists (select from jsonb_array_elements(coalesce(p_query -> 'metadata', '[]')) as c
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
  of_kinds   text[] := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'kinds'));
  with_tags  text[] := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'tags'));
  first      timestamptz := p_query ->> 'since';
  last       timestamptz := p_query ->> 'until';
begin
  if not p_query ?| array['kinds', 'tags', 'since', 'until', 'metadata', 'min_importance'] then
    return null;
  end if;
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
-- a vector counts as the least similar one that was found. With as_of or known_at: what was to be found then (0021).
create function facts_search(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  places  place[];
  k       integer;
  pool    integer;
  among   uuid[];
  each_source  integer;
  asked   vec := vector_in(p_query ->> 'vector', p_query ->> 'model');
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
  pool := case when each_source is null then greatest(50, 2 * k) else 1000 end;     -- where one source may have the first places
  among := search_among(places, p_query);
  if asked is not null then
    select array_agg(place), array_agg(fact_id), array_agg(similarity), null, null into m
      from search_meaning(places, asked, p_query ->> 'model', among, pool);
  end if;
  if p_query ?| array['text', 'entities'] then
    select array_agg(place), array_agg(fact_id), null, array_agg(score), array_agg(named) into w
      from search_words(places, p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')), among, m.ids, pool);
  end if;
  with lanes as (
    select place, fact_id, similarity, ordinality as meaning_rank, null::double precision as words, null::bigint as words_rank, 0 as named
      from unnest(m.at, m.ids, m.similarities) with ordinality as near (place, fact_id, similarity)
    union all
    select place, fact_id, null, null, words, case when words > 0 then rank() over (order by words desc) end, named
      from unnest(w.at, w.ids, w.words, w.named) as said (place, fact_id, words, named)
    union all
    select place, fact_id, null, null, null, null, 0 from search_newest(places, among, k)
     where coalesce(cardinality(m.ids), 0) < k
  ), candidates as (
    select place, fact_id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(l.words) as words,
           max(words_rank) as words_rank, max(l.named) as named
      from lanes l group by place, fact_id
  ), compared as materialized (                           -- those found by words alone have a similarity, too
    select c.place, c.fact_id, coalesce(c.similarity, x.similarity) as similarity, c.meaning_rank, c.words, c.words_rank, c.named
      from candidates c
      left join lateral (
        select 1 - (coalesce(v.short, v.long) <=> asked) as similarity from vectors v
         where c.similarity is null and asked is not null and v.tenant_id = places[c.place].tenant_id and v.owner_id = places[c.place].owner_id
           and v.scope = places[c.place].scope and v.scope_id = places[c.place].scope_id
           and v.model = p_query ->> 'model' and v.fact_id = c.fact_id limit 1) as x on true
  ), fused as (
    select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0)
                + case when c.named > 0 then 0.125 else 0 end as fusion
      from compared c
     where p_query ->> 'min_similarity' is null or c.similarity >= (p_query ->> 'min_similarity')::double precision
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
           and f.scope = places[c.place].scope and f.scope_id = places[c.place].scope_id and f.id = c.fact_id
           and (f.status = 'confirmed' or f.holds_until > now()) limit 1) as f
      left join lateral (
        select u.use_count from fact_uses u
         where u.tenant_id = places[c.place].tenant_id and u.owner_id = places[c.place].owner_id
           and u.scope = places[c.place].scope and u.scope_id = places[c.place].scope_id
           and u.fact_id = c.fact_id limit 1) as u on true
  ), weighed as (
    select j.*, j.fusion * case when (p_query ->> 'blend')::boolean is false then 1 else j.recency * j.importance * j.used end as score
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
