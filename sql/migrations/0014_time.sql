-- Two clocks. `as_of` asks what was true at a time, `known_at` what the database believed at a time; both are answered from
-- the log, by facts and files as they stood then. docs/time.md says the same for users.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- The facts of a place that were believed at a moment, and true. `p_ids`, when given, are whole stories.
--
-- A fact is known as its last revision up to known_at says. Facts that took each other's place are a story, and what a story
-- says is known while its last fact is confirmed: forgetting that one forgets the story. For a time when the last one is
-- not true yet, the one before it is, and so on: valid_from = T of a fact closes what came before it at T, and no valid_from
-- means that what came before it was wrong. A fact that says what an earlier one said, with the same validity, goes back to
-- it (an undo, a restoration): what stands between the two was never true.
create function facts_then(p place, p_moment moment, p_ids uuid[]) returns setof facts
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  seen  timestamptz := coalesce(p_moment.known_at, 'infinity');
begin
  return query
    with recursive known as materialized (
      select f.id, (array_agg(r.state order by r.version desc))[1] as state,
             (array_agg(r.replaces) filter (where r.state ->> 'status' = 'confirmed' and r.replaces is not null))[1] as took
        from facts f
        join revisions r on r.tenant_id = f.tenant_id and r.owner_id = f.owner_id and r.scope = f.scope and r.scope_id = f.scope_id
                        and r.subject = 'fact' and r.subject_id = f.id and r.at <= seen
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.created_at <= seen and (p_ids is null or f.id = any (p_ids))
       group by f.id
    ), told as (                                          -- stories, from their last fact back, as far as it matters
      select k.id as story, k.id, k.took, k.state, 0 as depth, coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity') as since,
             coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity') as last_since
        from known k
       where k.state ->> 'status' = 'confirmed' and not exists (select from known n where n.took = k.id)
      union all
      select t.story, k.id, k.took, k.state, t.depth + 1, coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity'), t.last_since
        from told t join known k on k.id = t.took
       where t.last_since > p_moment.as_of
    ), returns as materialized (
      select t.story, min(t.depth) as latest, max(t.depth) as earliest
        from told t where t.last_since > p_moment.as_of
       group by t.story, t.state -> 'content', t.state -> 'valid_from', t.state -> 'valid_until' having max(t.depth) - min(t.depth) > 1
    ), struck as materialized (
      select t.*, exists (select from returns b where b.story = t.story and t.depth > b.latest and t.depth < b.earliest) as wrong
        from told t
    ), closed as (
      select s.*, lag(s.id) over story as successor,
             min(s.since) filter (where not s.wrong) over (story rows between unbounded preceding and 1 preceding) as until
        from struck s window story as (partition by s.story order by s.depth)
    )
    select stood.*
      from closed c
     cross join lateral jsonb_populate_record(null::facts, c.state || jsonb_strip_nulls(jsonb_build_object(
             'status', case when c.successor is not null then 'superseded' end, 'superseded_by', c.successor,
             'valid_until', least((c.state ->> 'valid_until')::timestamptz, c.until)))) as stood
     where not c.wrong and c.state ->> 'status' = 'confirmed'
       and c.since <= p_moment.as_of and coalesce(c.until > p_moment.as_of, true)
       and coalesce((c.state ->> 'valid_until')::timestamptz > p_moment.as_of, true)
       and coalesce((c.state ->> 'expires_at')::timestamptz > coalesce(p_moment.known_at, now()), true);
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
  asked  text[] := asked_words(p_query ->> 'text');
  names  text[] := asked_names(p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  blend  boolean := (p_query ->> 'blend')::boolean is not false;
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
    ), ordered as (
      select j.*, (0.5 * coalesce(j.words, 0) + case when j.named > 0 then 0.125 else 0 end)
                  * case when blend then j.recency * j.importance else 1 end as score
        from judged j
       order by score desc, (j.f).updated_at desc, (j.f).id
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
