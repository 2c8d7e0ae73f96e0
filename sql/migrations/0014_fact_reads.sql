-- Reads of facts that are no search: what is in force, newest first; by time, by name; and how it came to be.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Whether a fact holds now.
create function holds(f facts) returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select (f.status = 'confirmed' or f.holds_until > now()) and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
     and coalesce(f.expires_at > now(), true)
$$;

-- Another time than now that a read is about: what was true at `as_of`, as it was believed at `known_at`; without known_at,
-- as it is now.
create type moment as (as_of timestamptz, known_at timestamptz);

-- A time of a query, with its zone; null when it is not there.
create function time_in(p_query jsonb, p_name text) returns timestamptz
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  written text := p_query ->> p_name;
begin
  if written !~* '\d:\d.*(z|[+-]\d\d(:?\d\d){0,2})$' or not pg_input_is_valid(written, 'timestamptz') then
    raise exception using errcode = 'METIM', message = format('%s is a time with its zone', p_name);
  end if;
  return written;
end $$;

-- The moment that a query is about; null when it is about now. What will be known some day nobody knows: a known_at to come
-- (or of a client whose clock is fast) is now. Who asks for what was known asks for what was true then, unless they say.
create function moment_in(p_query jsonb) returns moment
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  asked moment := row(time_in(p_query, 'as_of'), time_in(p_query, 'known_at'))::moment;
begin
  if asked.as_of is null and asked.known_at is null then
    return null;
  end if;
  asked.known_at := case when asked.known_at < now() then asked.known_at end;
  asked.as_of := coalesce(asked.as_of, asked.known_at, now());
  return asked;
end $$;

-- What is in force now, newest first, then by key: all of it, or what is under a key or has an id. The limit is held between 1 and 200.
-- With as_of or known_at: what held at another time (0025).
create function facts_recall(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p      place := enter(p_place, 'read');
  asked  moment := moment_in(p_query);
begin
  if p_query - array['key', 'id', 'limit', 'as_of', 'known_at'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has key, id, limit, as_of and known_at, and nothing else';
  end if;
  if p_query ? 'key' then
    perform check_key(p_query ->> 'key');
  end if;
  if asked.as_of is not null then
    return recall_then(p, asked, p_query);
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key, (newest.f).id), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and (f.status = 'confirmed' or f.holds_until is not null) and coalesce(f.holds_until > now(), true)
         and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true) and coalesce(f.expires_at > now(), true)
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
         and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

-- The facts that are one story: all that a key has had; or an id, with what took the place of what. Looked for in rounds, of which
-- few are needed, since a whole line of facts that replaced each other is found at once.
create function chain(p place, target facts) returns setof uuid
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  story  uuid[] := '{}';
  met    uuid[] := array[target.id];
  keys   text[] := array[target.key];
  lines  uuid[] := '{}';
  nexts  uuid[] := '{}';
begin
  while cardinality(met) > 0 loop
    met := array(
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.key = any (keys)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.line = any (lines)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.superseded_by = any (met)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.id = any (met || lines || nexts)
      except
      select unnest(story));
    select array_agg(distinct f.key) filter (where f.key is not null), array_agg(distinct coalesce(f.line, f.id)),
           array_agg(distinct f.superseded_by) filter (where f.superseded_by is not null)
      into keys, lines, nexts from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.id = any (met);
    story := story || met;
  end loop;
  return query select unnest(story);
end $$;

-- Every revision of a key, or of the chain that an id belongs to, newest first; the limit is held between 1 and 1000.
create function facts_history(p_place jsonb, p_target jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'read');
  target  facts := target_in(p_target);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact_id', r.subject_id, 'version', r.version, 'verb', r.verb, 'state', r.state - array['tenant_id', 'owner_id'],
             'replaces', r.replaces, 'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id,
             'reason', r.reason, 'decision', r.decision, 'at', r.at) order by r.at desc, r.version desc), '[]')
      from (
        select r.* from chain(p, target) as c (id)
          join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                            = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', c.id)
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

-- Facts by time, newest first: since when they are true, or else when they were saved. {"limit", "kinds", "entity", "since",
-- "until", "include"}. What is not in force now is left out, unless the reason is among those to include.
create function facts_timeline(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p         place := enter(p_place, 'read');
  first     timestamptz := time_in(p_query, 'since');
  last      timestamptz := time_in(p_query, 'until');
  whom      text := fold(p_query ->> 'entity');
  included  text[] := array(select jsonb_array_elements_text(p_query -> 'include'));
begin
  if p_query - array['limit', 'kinds', 'entity', 'since', 'until', 'include'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a timeline has limit, kinds, entity, since, until and include, and nothing else';
  end if;
  if not included <@ array['superseded', 'forgotten', 'pending', 'rejected', 'expired', 'ended', 'upcoming'] then
    raise exception using errcode = 'MEINP',
      message = 'a timeline can include superseded, forgotten, pending, rejected, expired, ended and upcoming facts';
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by newest.time desc, (newest.f).created_at desc, (newest.f).id), '[]') from (
      select f, coalesce(f.valid_from, f.created_at) as time from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and (f.status = 'confirmed' or f.status = any (included) or f.holds_until > now())
         and ('upcoming' = any (included) or coalesce(f.valid_from <= now(), true))
         and ('ended' = any (included) or coalesce(f.valid_until > now(), true))
         and ('expired' = any (included) or coalesce(f.expires_at > now(), true))
         and (p_query -> 'kinds' is null or p_query -> 'kinds' ? f.kind)
         and (first is null or coalesce(f.valid_from, f.created_at) >= first)
         and (last is null or coalesce(f.valid_from, f.created_at) < last)
         and (whom is null or exists (select from unnest(f.entities) as name where fold(name) = whom))
       order by time desc, f.created_at desc, f.id
       limit greatest(1, least(1000, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

-- The facts in force that are about somebody or something, by the whole name, however it is spelt; those that matter most
-- first. {"entity", "limit"}.
create function facts_about(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p     place := enter(p_place, 'read');
  whom  text := nullif(fold(p_query ->> 'entity'), '');
begin
  if whom is null or p_query - array['entity', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'what facts are about is an entity with a name, and a limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(best.f) order by (best.f).importance desc, (best.f).updated_at desc, (best.f).id), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and holds(f) and exists (select from unnest(f.entities) as name where fold(name) = whom)
       order by f.importance desc, f.updated_at desc, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) best);
end $$;

-- The names in a place's facts in force, most frequent first, and in how many facts each stands; spellings of one name count
-- together, under the most frequent one. {"min_mentions", "limit"}.
create function facts_vocabulary(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['min_mentions', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a vocabulary has min_mentions and limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('name', v.name, 'facts', v.facts) order by v.facts desc, v.folded collate "C"), '[]') from (
      select fold(name) as folded, mode() within group (order by name collate "C") as name, count(distinct f.id) as facts
        from facts f, unnest(f.entities) as name
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and holds(f) and fold(name) <> ''
       group by fold(name)
      having count(distinct f.id) >= coalesce((p_query ->> 'min_mentions')::numeric, 1)
       order by facts desc, fold(name) collate "C"
       limit greatest(1, least(10000, coalesce((p_query ->> 'limit')::numeric, 2000)))
    ) v);
end $$;

grant execute on function facts_recall, facts_history, facts_timeline, facts_about, facts_vocabulary to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_recall(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_recall(place, query) $$;
create function memoranda.facts_history(place jsonb, target jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_history(place, target) $$;
create function memoranda.facts_timeline(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_timeline(place, query) $$;
create function memoranda.facts_about(place jsonb, query jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_about(place, query) $$;
create function memoranda.facts_vocabulary(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_vocabulary(place, query) $$;
grant execute on function memoranda.facts_recall, memoranda.facts_history, memoranda.facts_timeline, memoranda.facts_about,
  memoranda.facts_vocabulary to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
