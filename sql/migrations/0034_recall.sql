-- Recall: what was said that a question is about, in one order over one or more scopes. docs/messages.md says how each constant was
-- measured.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Which messages a query lets through.
create function recall_filtered(p_places place[], p_query jsonb) returns recall_filter
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  f         recall_filter;
  of_roles  text[];
  first     timestamptz := p_query ->> 'since';
  last      timestamptz := p_query ->> 'until';
begin
  if jsonb_typeof(p_query) is distinct from 'object'
     or p_query - array['text', 'vector', 'model', 'limit', 'scopes', 'exclude_chat', 'roles', 'since', 'until', 'min_similarity',
                        'neighbours'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a recall has text, vector, model, limit, scopes, exclude_chat, roles, since, until, '
      'min_similarity and neighbours, and nothing else';
  end if;
  if jsonb_array_length(coalesce(p_query -> 'scopes', '[]')) > 20 then
    raise exception using errcode = 'MEINP', message = 'a recall is over at most 20 scopes';
  end if;
  if char_length(p_query ->> 'exclude_chat') not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'a chat has 1 to 200 characters';
  end if;
  if p_query ->> 'exclude_chat' is not null then
    for n in 1 .. cardinality(p_places) loop
      f.low[n] := message_ref(p_places[n], p_query ->> 'exclude_chat', 0);
      f.high[n] := message_ref(p_places[n], p_query ->> 'exclude_chat', 2147483647);
    end loop;
  end if;
  if p_query ?| array['roles', 'since', 'until'] then
    of_roles := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'roles'));
    f.among := array(
      select m.id from unnest(p_places) as h
        join messages m on (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
       where m.deleted_at is null and (of_roles is null or m.role = any (of_roles))
         and (first is null or m.said_at >= first) and (last is null or m.said_at < last));
  end if;
  return f;
end $$;

-- The newest messages, for when the lanes find fewer than were asked for.
create function recall_newest(p_places place[], p_filter recall_filter, p_count integer)
returns table (place integer, id uuid)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, n.id
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select m.id, m.said_at from messages m
        where m.tenant_id = h.tenant_id and m.owner_id = h.owner_id and m.scope = h.scope and m.scope_id = h.scope_id
          and m.said_at is not null and m.deleted_at is null and m.role <> 'tool' and m.content <> '' and coalesce(m.expires_at > now(), true)
          and (p_filter.low is null or m.id < p_filter.low[h.number] or m.id > p_filter.high[h.number])
          and (p_filter.among is null or m.id in (select unnest(p_filter.among)))
        order by m.said_at desc, m.id desc limit p_count) as n
     order by n.said_at desc, n.id desc limit p_count;
end $$;

-- What was said beside a message: so many before it, or for a negative number after it. They stand together in the primary key.
create function recall_beside(p place, p_id uuid, p_count integer) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  before  integer := ('x' || right(p_id::text, 8))::bit(32)::integer;
  low     uuid := case when p_count > 0 then message_near(p_id, -least(p_count, before)) else message_near(p_id, 1) end;
  high    uuid := case when p_count > 0 then message_near(p_id, -1) else message_near(p_id, -p_count) end;
begin
  if p_count = 0 then
    return '[]';
  end if;
  return coalesce((
    select jsonb_agg(message_out(m) order by m.id) from messages m
     where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope and m.scope_id = p.scope_id
       and m.id between low and high and m.deleted_at is null and m.role <> 'tool' and m.content <> ''
       and coalesce(m.expires_at > now(), true)), '[]');
end $$;

-- The messages that a question is about, best first: {"text", "vector", "model", "limit", "scopes", "exclude_chat", filters,
-- "neighbours"}.
--
--   score = 0.5 * similarity + 0.5 * words + near + 0.15 if the question names the author + 0.1 if the user said it
--   near  = sum over those beside it in its chat of (0.5, 0.3, 0.15 by distance)
--             * (0.75 * what they are more similar than the last of the pool + 0.5 * their words)
--           / (1 + different words of the message / 60)
--
-- Only what a lane has found itself adds to what is beside it. A short message says little alone, a long one needs no other.
-- The similarity that is returned is the cosine itself.
create function messages_recall(p_place jsonb, p_said jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  places  place[] := places_of(p_place, p_said);
  f       recall_filter := recall_filtered(places, p_said);
  k       integer := greatest(1, least(200, coalesce((p_said ->> 'limit')::numeric, 10)))::integer;
  pool    integer := greatest(60, 2 * k);
  beside  integer := greatest(0, least(5, coalesce((p_said ->> 'neighbours')::numeric, 0)))::integer;
  whose   text := p_said ->> 'model';
  near_   vec := vector_in(p_said ->> 'vector', p_said ->> 'model');
  lowest  double precision := p_said ->> 'min_similarity';
  asked   sparse := case when p_said ? 'text' then recall_asked(places, p_said ->> 'text') end;
  m       search_lane;                      -- what was found by meaning
  w       search_lane;                      -- and by words
  last    double precision;
  b       search_lane;                      -- what those found add to what is beside them, in `words`
  ids     uuid[];
begin
  if near_ is not null then
    select array_agg(place), array_agg(id), array_agg(similarity), null, null into m from recall_meaning(places, near_, whose, f, pool);
    last := (select min(s) from unnest(m.similarities) as s);
  end if;
  if asked is not null then
    select array_agg(place), array_agg(id), null, array_agg(words), array_agg(named) into w from recall_words(places, asked, f, pool);
  end if;
  -- (A message's neighbours as message_near has them, but each id is taken apart once.)
  with found as materialized (
    select place, left(max(id::text), 28) as chat, ('x' || right(max(id::text), 8))::bit(32)::integer as number,
           0.75 * coalesce(max(similarity) - last, 0) + 0.5 * coalesce(max(words), 0) as adds
      from (select * from unnest(m.at, m.ids, m.similarities, null::double precision[]) as l (place, id, similarity, words)
            union all select * from unnest(w.at, w.ids, null::double precision[], w.words)) as lanes
     group by place, id
  )
  select array_agg(place), array_agg((chat || lpad(to_hex(n), 8, '0'))::uuid), null, array_agg(near), null into b
    from (select place, chat, number + distance as n, sum(weight * adds) as near
            from found cross join (values (-3, 0.15), (-2, 0.3), (-1, 0.5), (0, 0), (1, 0.5), (2, 0.3), (3, 0.15)) as by_ (distance, weight)
           where number + distance >= 0
           group by 1, 2, 3) as spread;
  ids := array(select unnest(b.ids) union select n.id from recall_newest(places, f, k) as n where coalesce(cardinality(m.ids), 0) < k);
  return (
    with found as materialized (
      select place, id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(words) as words, max(words_rank) as words_rank
        from (
          select place, id, similarity, ordinality as meaning_rank, null::double precision as words, null::bigint as words_rank
            from unnest(m.at, m.ids, m.similarities) with ordinality as l (place, id, similarity)
          union all
          select place, id, null, null, words, case when words > 0 then rank() over (order by words desc) end
            from unnest(w.at, w.ids, w.words) as l (place, id, words)) as lanes
       group by place, id
    ), heard as (
      select o.place, o.id, o.words, o.named, o.by_user, coalesce(s.near, 0) / (1 + o.length / 60.0) as near
        from recall_words_of(places, coalesce(asked, '{}/268435456'), ids) as o
        left join unnest(b.at, b.ids, b.words) as s (place, id, near) using (place, id)
       where (f.low is null or o.id < f.low[o.place] or o.id > f.high[o.place]) and (f.among is null or o.id in (select unnest(f.among)))
    ), compared as materialized (
      select h.*, s.similarity from heard h
        left join (select * from recall_similarities(places, near_, whose, ids) where near_ is not null) as s using (place, id)
    ), scored as (
      select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0) + c.near
                  + case when c.named > 0 then 0.15 else 0 end + case when c.by_user then 0.1 else 0 end as score
        from compared c
       where lowest is null or c.similarity >= lowest
       order by score desc, c.id limit 30 + k             -- more than k, where many have the same: then the newest go first
    ), ordered as (
      select s.*, g.g, found.meaning_rank, found.words_rank from scored s
        left join found using (place, id)
       cross join lateral (
         select g from messages g
          where g.tenant_id = places[s.place].tenant_id and g.owner_id = places[s.place].owner_id
            and g.scope = places[s.place].scope and g.scope_id = places[s.place].scope_id and g.id = s.id
            and g.deleted_at is null and coalesce(g.expires_at > now(), true) limit 1) as g
       order by s.score desc, (g.g).said_at desc, s.id limit k
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'message', message_out(o.g), 'similarity', o.similarity, 'score', o.score,
             'why', jsonb_build_object('meaning_rank', o.meaning_rank, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named > 0,
                                       'near', o.near),
             'before', recall_beside(places[o.place], o.id, beside), 'after', recall_beside(places[o.place], o.id, -beside))
             order by o.score desc, (o.g).said_at desc, o.id), '[]')
      from ordered o);
end $$;

-- Keeps the vectors of the pieces of a message, of one model.
create function index_pieces(m messages, p_model text, p_pieces jsonb) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  insert into message_vectors (tenant_id, owner_id, scope, scope_id, model, message_id, piece, short, long, signs, live)
  select m.tenant_id, m.owner_id, m.scope, m.scope_id, p_model, m.id, n - 1, case when dimensions(v) <= 1024 then v end,
         case when dimensions(v) > 1024 then v end, case when dimensions(v) > 1024 then signs(v) end, live_in(null, m.expires_at)
    from (select n, vector_in(vector, p_model) as v from jsonb_array_elements_text(p_pieces) with ordinality as t (vector, n)) as made
      on conflict do nothing
$$;

-- The vectors of messages: {"model", "vectors": [{"id", "version", "pieces"} or {"id", "version", "reason"}]}, the latter for a text
-- that the model refuses, which stays in the queue as dead. A vector belongs to the text of one version.
create function message_vectors_put(p_place jsonb, p_pieces jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'write');
  model_  text := p_pieces ->> 'model';
  each    jsonb;
  m       messages;
  done    uuid[] := '{}';
  aside   integer := 0;
begin
  for each in select value from jsonb_array_elements(p_pieces -> 'vectors') loop
    select * into m from messages g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (each ->> 'id')::uuid)
       and g.version = (each ->> 'version')::integer and g.deleted_at is null and g.role <> 'tool' for share;
    continue when not found;
    if each ? 'pieces' then
      perform index_pieces(m, model_, each -> 'pieces');
      done := done || m.id;
    else
      update work w set dead_at = now(), lease = null, failures = w.failures + 1,
             reason = coalesce(nullif(left(each ->> 'reason', 300), ''), 'refused')
       where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'embed', m.id);
      aside := aside + 1;
    end if;
  end loop;
  perform drop_work(p, 'embed', done);
  return jsonb_build_object('put', cardinality(done), 'set_aside', aside);
end $$;

grant execute on function messages_recall, message_vectors_put to authenticated, service_role;

set local role memoranda_owner;

create function memoranda.messages_recall(place jsonb, said jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.messages_recall(place, said) $$;
create function memoranda.message_vectors_put(place jsonb, pieces jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.message_vectors_put(place, pieces) $$;
grant execute on function memoranda.messages_recall, memoranda.message_vectors_put to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
