-- The lanes of recall: the messages nearest by meaning, and those that share words with a question or whose author it names. As those
-- of facts (0015), over the messages of a scope in one range of an index; the chat that is left out is a range of it, too.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Which messages may be found: all, but for a range of ids in each place; or some of them.
create type recall_filter as (low uuid[], high uuid[], among uuid[]);

-- By meaning. A long message has several vectors, and is as near as the nearest of them. `place` is a number in p_places.
create function recall_meaning(p_places place[], p_vector vec, p_model text, p_filter recall_filter, p_count integer)
returns table (place integer, id uuid, similarity double precision)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  marks  bit varying := case when dimensions(p_vector) > 1024 then signs(p_vector) end;
begin
  return query
    with nearest as materialized (                           -- or the planner may look for them anew for each vector
      select h.number, h.tenant_id, h.owner_id, h.scope, h.scope_id, near.message_id, near.piece, near.distance
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select v.message_id, v.piece, case when marks is null then v.short <=> p_vector else v.signs::"bit" <~> marks::"bit" end as distance
           from message_vectors v
          where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
            and v.model = p_model and (v.live is null or v.live @> now())
            and (p_filter.low is null or v.message_id < p_filter.low[h.number] or v.message_id > p_filter.high[h.number])
            and (p_filter.among is null or v.message_id in (select unnest(p_filter.among)))
          order by distance, v.message_id, v.piece limit case when marks is null then 4 * p_count else greatest(400, 6 * p_count) end) as near
    ), compared as (
      select n.number, n.message_id, 1 - n.distance as similarity from nearest n where marks is null
      union all
      select n.number, n.message_id, 1 - w.distance
        from nearest n
       cross join lateral (
         select v.long <=> p_vector as distance from message_vectors v
          where v.tenant_id = n.tenant_id and v.owner_id = n.owner_id and v.scope = n.scope and v.scope_id = n.scope_id
            and v.model = p_model and v.message_id = n.message_id and v.piece = n.piece limit 1) as w
       where marks is not null
    )
    select c.number::integer, c.message_id, max(c.similarity) from compared c
     group by c.number, c.message_id order by 3 desc, 2 limit p_count;
end $$;

-- How similar some messages are.
create function recall_similarities(p_places place[], p_vector vec, p_model text, p_ids uuid[])
returns table (place integer, id uuid, similarity double precision)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, v.message_id, max(1 - (coalesce(v.short, v.long) <=> p_vector))
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
      join message_vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
       and v.model = p_model and v.message_id = any (p_ids)
     group by h.number, v.message_id;
end $$;

-- What a question asks for, as of facts, over the first two thousand parts of each scope: whole chats, in an order that is random.
create function recall_asked(p_places place[], p_query text) returns sparse
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
       select t.words, t.part from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
        order by t.message_id, t.part limit 2000) as s
     group by 1) as c;
  return words_weighed(words, asked_names(p_query, '{}'), has, parts, texts, (select sum(n) from unnest(parts) as n) >= 2000);
end $$;

-- By words and by author: the messages that have most of what is asked.
create function recall_words(p_places place[], p_asked sparse, p_filter recall_filter, p_count integer)
returns table (place integer, id uuid, words double precision, named integer)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, best.message_id, words_score(best.product, best.length), names_count(best.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       (select p.message_id, p.product, p.length from (
          select t.message_id, t.length::integer as length, -(t.words <#> p_asked) as product from message_terms t
           where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.parts = 1
             and (t.live is null or t.live @> now())
             and (p_filter.low is null or t.message_id < p_filter.low[h.number] or t.message_id > p_filter.high[h.number])
             and (p_filter.among is null or t.message_id in (select unnest(p_filter.among)))
          offset 0) as p
         where p.product > 0
         order by words_score(p.product, p.length) + case when p.product >= 16 then 0.3 else 0 end desc, p.message_id limit p_count)
       union all
       select t.message_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.parts > 1
          and (t.live is null or t.live @> now())
          and (p_filter.low is null or t.message_id < p_filter.low[h.number] or t.message_id > p_filter.high[h.number])
          and (p_filter.among is null or t.message_id in (select unnest(p_filter.among)))
        group by t.message_id) as best
     where best.product > 0
     order by words_score(best.product, best.length) + case when best.product >= 16 then 0.3 else 0 end desc, best.message_id
     limit p_count;
end $$;

-- What some messages have of what is asked; how long they are, and whether the user said them.
create function recall_words_of(p_places place[], p_asked sparse, p_ids uuid[])
returns table (place integer, id uuid, words double precision, named integer, length integer, by_user boolean)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, p.message_id, case when p.product > 0 then words_score(p.product, p.length) end, names_count(p.product), p.length,
           p.by_user
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select t.message_id, coalesce(sum(-(t.words <#> p_asked)), 0) as product, max(t.length)::integer as length,
              bool_or(t.by_user) as by_user
         from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
          and t.message_id = any (p_ids) and (t.live is null or t.live @> now())
        group by t.message_id) as p;
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
