-- The lanes of a search: the facts nearest by meaning, those that share words and names, the newest. Each goes through all of a
-- scope, in one range of an index. A `place` that is returned is the number of one in p_places.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

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
            and v.model = p_model and (v.live is null or v.live @> now())
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
              and v.model = p_model and (v.live is null or v.live @> now())
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

-- How similar some facts are that were found otherwise.
create function similarities(p_places place[], p_vector vec, p_model text, p_ids uuid[])
returns table (place integer, fact_id uuid, similarity double precision)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  if dimensions(p_vector) <= 1024 then
    return query
      select h.number::integer, v.fact_id, 1 - (v.short <=> p_vector)
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
        join vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
         and v.model = p_model and v.fact_id = any (p_ids);
  else
    return query
      select h.number::integer, v.fact_id, 1 - (v.long <=> p_vector)
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
        join vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
         and v.model = p_model and v.fact_id = any (p_ids);
  end if;
end $$;

-- The words of a question as 1, 2, 4, ...: the inner product with the ones of a text says which of them it has. Two vectors, since
-- 24 bits are what a float holds.
create function words_bits(p_words text[]) returns sparse[]
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  return (
    select array[('{' || string_agg(place || ':' || bit, ',' order by place) filter (where n <= 22) || '}/268435456')::sparse,
                 ('{' || string_agg(place || ':' || bit, ',' order by place) filter (where n > 22) || '}/268435456')::sparse]
      from (select dimension(word) as place, min(n) as n, 1 << (min(n)::integer - 1) % 22 as bit
              from unnest(p_words) with ordinality as w (word, n) group by 1) as bits);
end $$;

-- What a question asks for by words and by name, as a sparse vector: a word weighs its share of the rarity of all its words, a name
-- 16, so that the inner product with a text's ones is the share of the words that the text has, and 16 for each name.
--
-- How rare a word is: ln(1 + (texts - having + 0.5) / (having + 0.5)), as in BM25, over some texts: which of the words occur
-- together, in how many parts and beginnings of texts. A word that stands nowhere weighs nothing, unless those are only a sample.
create function words_weighed(p_words text[], p_names text[], p_has bigint[], p_parts bigint[], p_texts bigint[], p_sampled boolean)
returns sparse
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
declare
  asked sparse;
begin
  with patterns as materialized (
    select * from unnest(p_has, p_parts, p_texts) as p (has, parts, texts)
  ), counted as (
    select w.word, (select sum(p.texts) from patterns p)::float8 as texts,
           coalesce((select sum(p.parts) from patterns p where p.has >> (w.n::integer - 1) & 1 = 1), 0)::float8 as with_it
      from unnest(p_words) with ordinality as w (word, n)
  ), rare as materialized (
    select c.word, ln(1 + greatest(0, c.texts - c.with_it + 0.5) / (c.with_it + 0.5)) as rarity
      from counted c where c.with_it > 0 or p_sampled
  ), weighed as (
    select dimension(r.word) as place, r.rarity / (select sum(rarity) from rare) as weight from rare r
    union all
    select dimension('@' || name), 16 from unnest(p_names) as name
  )
  select ('{' || string_agg(place || ':' || weight, ',' order by place) || '}/268435456')::sparse into asked
    from (select place, max(weight) as weight from weighed group by place) as placed;
  return asked;
end $$;

-- The same over the first five hundred facts of each scope. Their ids are random, so those are as good as any.
create function search_asked(p_places place[], p_query text, p_names text[]) returns sparse
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  words   text[] := asked_words(p_query);
  bits    sparse[] := words_bits(words);
  has     bigint[];
  parts   bigint[];
  texts   bigint[];
begin
  select array_agg(c.has), array_agg(c.parts), array_agg(c.texts) into has, parts, texts from (
    select (-(s.words <#> bits[1]))::bigint | coalesce((-(s.words <#> bits[2]))::bigint << 22, 0) as has, count(*) as parts,
           count(*) filter (where s.part = 0) as texts
      from unnest(p_places) as h
     cross join lateral (
       select t.words, t.part from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
        order by t.fact_id, t.part limit 500) as s
     group by 1) as c;
  return words_weighed(words, asked_names(p_query, p_names), has, parts, texts, (select sum(n) from unnest(texts) as n) >= 490);
end $$;

-- What an inner product with it says: the score of the words, less for a long fact, which has many words of any question; and
-- how many names. How often a word stands in a fact makes no difference: in a long text that only rewards length.
create function words_score(p_product double precision, p_length integer) returns double precision
language sql immutable parallel safe
return (p_product - 16 * floor(p_product / 16)) / (1 + p_length / 70::double precision);

create function names_count(p_product double precision) returns integer
language sql immutable parallel safe
return floor(p_product / 16);

-- By words and by name: the facts that have most of what is asked. Those in one part, as nearly all are, need no adding up.
create function search_words(p_places place[], p_asked sparse, p_among uuid[], p_count integer)
returns table (place integer, fact_id uuid, words double precision, named integer)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, best.fact_id, words_score(best.product, best.length), names_count(best.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       (select p.fact_id, p.product, p.length from (
          select t.fact_id, t.length::integer as length, -(t.words <#> p_asked) as product from terms t
           where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.whole
             and (t.live is null or t.live @> now()) and (p_among is null or t.fact_id in (select unnest(p_among)))
          offset 0) as p
         where p.product > 0
         order by words_score(p.product, p.length) + case when p.product >= 16 then 0.25 else 0 end desc, p.fact_id limit p_count)
       union all
       select t.fact_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and not t.whole
          and (t.live is null or t.live @> now()) and (p_among is null or t.fact_id in (select unnest(p_among)))
        group by t.fact_id) as best
     where best.product > 0
     order by words_score(best.product, best.length) + case when best.product >= 16 then 0.25 else 0 end desc, best.fact_id
     limit p_count;
end $$;

-- Which of what is asked some facts have that were found otherwise.
create function words_of(p_places place[], p_asked sparse, p_ids uuid[])
returns table (place integer, fact_id uuid, words double precision, named integer)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, p.fact_id, words_score(p.product, p.length), names_count(p.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select t.fact_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
          and t.fact_id = any (p_ids)
        group by t.fact_id) as p
     where p.product > 0;
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

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
