-- Two clocks. `as_of` asks what was true at a time, `known_at` what the database believed at a time; both are answered from
-- the log, by facts and files as they stood then. docs/time.md says the same for users.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- The facts of a place that were believed at a moment, with the time until when each is true because of what took its place, if
-- that is after the moment. `p_ids`, when given, are whole stories.
--
-- A fact is known as its last revision up to known_at says. Facts that took each other's place are a story, and what a story
-- says is known while its last fact is confirmed: forgetting that one forgets the story. For a time when the last one is
-- not true yet, the one before it is, and so on: valid_from = T of a fact closes what came before it at T, and no valid_from
-- means that what came before it was wrong. A fact that says what an earlier one of its line said, with the same validity, goes
-- back to it (an undo, a restoration): what stands between the two was never true.
--
-- The log is read once, and the facts once. What is joined is joined by its hash or its order: the planner can't know how much it is.
create function stories(p place, p_moment moment, p_ids uuid[])
returns table (id uuid, version integer, at timestamptz, successor uuid, until timestamptz)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_nestloop = off set jit = off
as $$
declare
  seen  timestamptz := coalesce(p_moment.known_at, 'infinity');
begin
  return query
    with recursive known as (
      (select distinct on (r.subject_id) r.subject_id, r.version, r.verb, r.at from revisions r
        where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
          and r.subject = 'fact' and r.at <= seen and p_ids is null
        order by r.subject_id desc, r.version desc)       -- as the key has them, backwards
      union all
      (select distinct on (r.subject_id) r.subject_id, r.version, r.verb, r.at from revisions r
        where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
          and r.subject = 'fact' and r.at <= seen and p_ids is not null and r.subject_id = any (p_ids)
        order by r.subject_id desc, r.version desc)
    ), lined as (                                         -- what was in force once, by lines, and the last of each first
      select f.id, f.line, k.version, k.at, v.verb, f.superseded_by, coalesce(f.valid_from, '-infinity') as since,
             f.value_hash, f.valid_until, row_number() over by_line as place, first_value(v.verb) over by_line as ended
        from known k
        join (
          select g.id, coalesce(g.line, g.id) as line, g.superseded_by, g.valid_from, g.valid_until, g.value_hash, g.status, g.version
            from facts g
           where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and p_ids is null
          union all
          select g.id, coalesce(g.line, g.id) as line, g.superseded_by, g.valid_from, g.valid_until, g.value_hash, g.status, g.version
            from facts g
           where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
             and p_ids is not null and g.id = any (p_ids)) as f on f.id = k.subject_id
       cross join lateral (                               -- what replaced it was erased: the log does not say so, and it never comes back
         select case when f.status = 'forgotten' and f.version = k.version then 'forgotten' else k.verb end) as v (verb)
       where k.verb in ('saved', 'corrected', 'approved', 'superseded', 'forgotten')
      window by_line as (partition by f.line order by k.version desc)
    ), reaching as (                                      -- how far back the same was said
      select l.*, max(l.place) over (partition by l.line, l.value_hash, l.since, l.valid_until) as reach
        from lined l where l.ended <> 'forgotten'
    ), struck as (
      select r.*, coalesce(max(r.reach) over (partition by r.line order by r.place rows between unbounded preceding and 1 preceding)
                             > r.place, false) as wrong
        from reaching r
    ), closed as materialized (
      select s.id, s.line, s.version, s.at, s.since, s.wrong, s.ended, s.place, not s.wrong and s.verb <> 'forgotten' as was,
             coalesce(lag(s.id) over in_line, case when s.verb = 'superseded' then s.superseded_by end) as successor,
             coalesce(min(s.since) filter (where not s.wrong) over (in_line rows between unbounded preceding and 1 preceding),
                      'infinity') as until
        from struck s
      window in_line as (partition by s.line order by s.place)
    ), linked as materialized (                           -- lines that end where their last fact was linked to one of another line
      select c.line, o.line as other, least(o.until, case when o.wrong then 'infinity' else o.since end) as until
        from closed c join closed o on o.id = c.successor
       where c.ended = 'superseded' and c.place = 1
    ), ends as (                                          -- until when each such line holds
      select l.line, l.until from linked l join closed c on c.line = l.other where c.place = 1 and c.ended <> 'superseded'
      union all
      select l.line, least(l.until, e.until) from ends e join linked l on l.other = e.line
    )
    select c.id, c.version, c.at, c.successor, nullif(c.until, 'infinity') from closed c
     where c.ended <> 'superseded' and c.was and c.until > p_moment.as_of
    union all
    select c.id, c.version, c.at, c.successor, least(c.until, e.until) from closed c join ends e on e.line = c.line
     where c.was and c.until > p_moment.as_of and e.until > p_moment.as_of;
end $$;

-- The facts of a place that were believed at a moment, and true; as they stood.
create function facts_then(p place, p_moment moment, p_ids uuid[]) returns setof facts
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_nestloop = off set jit = off
as $$
begin
  return query
    select (stood.f).*
      from (
        select case when s.successor is null and (here.f).status = 'confirmed' then here.f
                    else jsonb_populate_record(here.f, jsonb_build_object(
                      'status', case when s.successor is null then 'confirmed' else 'superseded' end, 'superseded_by', s.successor,
                      'holds_until', null, 'valid_until', least((here.f).valid_until, s.until),
                      'version', s.version, 'updated_at', s.at)) end as f
          from stories(p, p_moment, p_ids) as s
          join (
            select g as f, g.id from facts g
             where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and p_ids is null
            union all
            select g, g.id from facts g
             where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
               and p_ids is not null and g.id = any (p_ids)) as here on here.id = s.id
         where coalesce((here.f).valid_from <= p_moment.as_of, true) and coalesce((here.f).valid_until > p_moment.as_of, true)
           and coalesce((here.f).expires_at > coalesce(p_moment.known_at, now()), true)
        offset 0) as stood;
end $$;

-- What gives way: facts that were superseded or forgotten just now are not found any more. But what superseded them may be true only
-- from a time to come: until then they hold, and are found. Returns those that have held on, and do so no longer.
create function give_way(p place, p_ids uuid[]) returns facts[]
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  story  uuid[];
  told   record;
  f      facts;
  ended  facts[] := '{}';
begin
  if not exists (
       select from facts g
         join facts n on n.tenant_id = p.tenant_id and n.owner_id = p.owner_id and n.scope = p.scope and n.scope_id = p.scope_id
                     and n.id = g.superseded_by and n.valid_from > now()
        where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
          and g.id = any (p_ids))
     and not exists (
       select from facts g
        where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
          and g.holds_until > now()) then
    perform unindex(p, p_ids);
    return ended;
  end if;
  story := array(
    select distinct c.id from unnest(p_ids) as given (id)
     cross join lateral chain(p, jsonb_populate_record(null::facts, jsonb_build_object('id', given.id))) as c (id));
  for told in
    select g as fact, s.until from unnest(story) as member (id)
     cross join lateral (select * from fact_of(p, member.id)) as g
      left join stories(p, row(now(), null)::moment, story) as s on s.id = member.id
     where g.status = 'superseded'
  loop
    f := told.fact;
    if told.until is not null and told.until is distinct from f.holds_until then
      update facts g set holds_until = told.until
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
      returning * into f;
      perform set_aside(p, array[f.id]);
      perform index_terms(array[f]);
      perform index_from_aside(f, f.id);
    elsif told.until is null and f.holds_until > now() then
      update facts g set holds_until = null
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
      perform unindex(p, array[f.id]);
      ended := ended || f;
    elsif told.until is null and f.id = any (p_ids) then
      perform unindex(p, array[f.id]);
    end if;
  end loop;
  return ended;
end $$;

-- What facts_recall answers for another time.
create function recall_then(p place, p_moment moment, p_query jsonb) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  target  facts := jsonb_populate_record(null::facts, jsonb_build_object('key', p_query -> 'key', 'id', p_query -> 'id'));
  ids     uuid[] := case when num_nonnulls(target.key, target.id) > 0 then array(select chain(p, target)) end;
begin
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key, (newest.f).id), '[]') from (
      select f from facts_then(p, p_moment, ids) as f
       where (target.key is null or f.key = target.key) and (target.id is null or f.id = target.id)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

-- Whether a fact passes a query's filters, as search_among has them.
create function passes(f facts, p_query jsonb) returns boolean
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
begin
  return (p_query -> 'kinds' is null or p_query -> 'kinds' ? f.kind)
     and (p_query -> 'tags' is null or to_jsonb(f.tags) @> (p_query -> 'tags'))
     and (p_query ->> 'since' is null or coalesce(f.valid_from, f.created_at) >= (p_query ->> 'since')::timestamptz)
     and (p_query ->> 'until' is null or coalesce(f.valid_from, f.created_at) < (p_query ->> 'until')::timestamptz)
     and (p_query ->> 'min_importance' is null or f.importance >= (p_query ->> 'min_importance')::numeric)
     and (p_query -> 'metadata' is null or metadata_meets(f.metadata, p_query -> 'metadata'));
end $$;

-- What facts_search answers for another time: by words and names alone, made from the facts that held then, and with the same
-- constants. (There are no vectors of what is not in force.) Use is not counted, and does not count.
create function search_then(p_places place[], p_moment moment, p_query jsonb) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp set jit = off
as $$
declare
  asked        text[] := asked_words(p_query ->> 'text');
  names        text[] := asked_names(p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  blend        boolean := (p_query ->> 'blend')::boolean is not false;
  each_source  numeric := case when p_query ->> 'max_per_source' is not null then greatest(1, (p_query ->> 'max_per_source')::numeric) end;
begin
  if p_query ?| array['vector', 'model', 'min_similarity'] then
    raise exception using errcode = 'MEINP', message = 'at another time there is no similarity: no vector, model or min_similarity';
  end if;
  return (
    with held as materialized (
      select stood.f, found.*
        from unnest(p_places) as h
       cross join lateral (
         select f from facts_then(row(h.tenant_id, h.owner_id, h.scope, h.scope_id)::place, p_moment, null) as f
          where passes(f, p_query) offset 0) as stood
       cross join lateral (
         select array_agg(lexeme) filter (where lexeme = any (asked)) as words,
                count(*) filter (where lexeme !~ '^=') as length
           from (select distinct unnest(lexemes(concat_ws(' ', (stood.f).content, (stood.f).key, array_to_string((stood.f).tags, ' '))))
                  where (stood.f).kind <> 'transcript') as of_fact (lexeme)) as found
    ), rarity as materialized (
      select word, ln(1 + ((select count(*) from held where (f).kind <> 'transcript') - count(*) + 0.5) / (count(*) + 0.5)) as idf
        from held, unnest(words) as word group by word
    ), scored as (
      select h.f, (select sum(r.idf) from rarity r where r.word = any (h.words)) / (select sum(idf) from rarity) / (1 + h.length / 70.0) as words,
             case when (h.f).kind = 'transcript' then 0
                  else (select count(distinct fold(name)) from unnest((h.f).entities) as name where fold(name) = any (names)) end as named
        from held h
    ), judged as (
      select s.f, s.named, s.words::double precision as words, case when s.words > 0 then rank() over (order by s.words desc nulls last) end as words_rank,
             case when (s.f).kind in ('preference', 'correction') then 1
                  else greatest(0.75, exp(-greatest(0, extract(epoch from p_moment.as_of - coalesce((s.f).valid_from, (s.f).created_at))) / 15552000.0)) end as recency,
             1 + 0.02 * ((s.f).importance - 5) as importance
        from scored s
    ), weighed as (
      select j.*, (0.5 * coalesce(j.words, 0) + case when j.named > 0 then 0.125 else 0 end)
                  * case when blend then j.recency * j.importance else 1 end as score
        from judged j
    ), ordered as (
      select ranked.* from (
        select w.*, row_number() over (partition by (w.f).source order by w.score desc, (w.f).updated_at desc, (w.f).id) as of_source from weighed w
      ) as ranked
       where each_source is null or (ranked.f).source is null or ranked.of_source <= each_source
       order by ranked.score desc, (ranked.f).updated_at desc, (ranked.f).id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 10)))
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact', fact_out(o.f), 'similarity', null, 'score', o.score,
             'why', jsonb_build_object('meaning_rank', null, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named,
                                       'recency', o.recency, 'importance', o.importance, 'used', 1))
             order by o.score desc, (o.f).updated_at desc, (o.f).id), '[]')
      from ordered o);
end $$;

-- The files of a place as they stood at a time: what is at a path, or, for a folder, below it.
create function files_then(p place, p_path text, p_known_at timestamptz, p_below boolean) returns setof files
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select stood.*
    from files f
   cross join lateral (
     select r.state from revisions r
      where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
          = (f.tenant_id, f.owner_id, f.scope, f.scope_id, 'file', f.id) and r.at <= p_known_at
      order by r.version desc limit 1) as last
   cross join lateral jsonb_populate_record(null::files, last.state) as stood
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.created_at <= p_known_at and stood.status = 'current'
     and case when p_below then p_path = '' or starts_with(stood.path, p_path || '/') else stood.path = p_path end
   order by stood.path collate "C"
$$;

-- The log of a place, facts and files in one, newest first: {"limit", "since", "until", "subject", "actor", "run_id"}. A page
-- ends with all that has the time of its last entry, so that `until` that time leaves nothing out.
create function audit(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p      place := enter(p_place, 'read');
  first  timestamptz := time_in(p_query, 'since');
  last   timestamptz := time_in(p_query, 'until');
begin
  if p_query - array['limit', 'since', 'until', 'subject', 'actor', 'run_id'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'an audit has limit, since, until, subject, actor and run_id, and nothing else';
  end if;
  if p_query ->> 'subject' not in ('fact', 'file') then
    raise exception using errcode = 'MEINP', message = 'the subject of an audit is fact or file';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'subject', r.subject, 'id', r.subject_id, 'name', coalesce(r.state ->> 'path', r.state ->> 'key'), 'version', r.version,
             'verb', r.verb, 'content', r.state -> 'content', 'status', r.state -> 'status', 'tainted', r.state -> 'tainted',
             'replaces', r.replaces, 'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id,
             'reason', r.reason, 'at', r.at) order by r.at desc, r.version desc, r.subject_id), '[]')
      from (
        select r.* from revisions r
         where (r.tenant_id, r.owner_id, r.scope, r.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and (p_query ->> 'subject' is null or r.subject = p_query ->> 'subject')
           and (p_query ->> 'actor' is null or r.actor = p_query ->> 'actor')
           and (p_query ->> 'run_id' is null or r.run_id = p_query ->> 'run_id')
           and (first is null or r.at >= first) and (last is null or r.at < last)
         order by r.at desc
         fetch first (greatest(1, least(1000, coalesce((p_query ->> 'limit')::numeric, 100)))) rows with ties
      ) r);
end $$;
grant execute on function audit to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.audit(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.audit(place, query) $$;
grant execute on function memoranda.audit to authenticated, service_role;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
