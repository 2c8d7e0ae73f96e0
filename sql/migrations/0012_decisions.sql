-- What becomes of a fact that somebody saves, in this order: a tombstone refuses it; it replaces the fact that it names; or the one
-- under its key; it is known already, word for word; or in other words; or it is new. And whether it waits for a person.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;


-- One at a time -------------------------------------------------------------------------------------------------------

-- One writer at a time for a key, until the transaction ends.
create function lock_key(p place, p_key text) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('fact', p, p_key)::text, 0)) $$;

-- And for what has none, since it is compared with all that is there. Keys are locked first, in their order, so that two calls
-- never wait for each other.
create function lock_facts(p place, p_keys text[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  perform lock_key(p, key) from (select distinct k collate "C" as key from unnest(p_keys) as k where k is not null order by 1) as keys;
  if array_position(p_keys, null) is not null then
    perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('facts', p)::text, 0));
  end if;
end $$;

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

create function fact_of(p place, p_id uuid) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  found facts;
begin
  select * into found from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.id = p_id;
  return found;
end $$;

-- The fact that has come to stand where one stood: itself, or the end of what replaced it.
create function successor(p place, p_id uuid) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  last facts := fact_of(p, p_id);
begin
  while last.superseded_by is not null loop
    last := fact_of(p, last.superseded_by);
  end loop;
  return last;
end $$;

-- A fact that is to be replaced, named by its id: it is in force, or the write is refused, saying why.
create function replaced(p place, p_id uuid) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  f facts := fact_of(p, p_id);
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here to replace';
  end if;
  if f.status = 'superseded' then
    raise exception using errcode = 'MESUP', message = format('that fact was superseded already, by %s', f.superseded_by);
  end if;
  if f.status <> 'confirmed' then
    raise exception using errcode = 'MEGON', message = format('that fact is %s, and cannot be replaced', f.status);
  end if;
  return f;
end $$;


-- Whether it waits ----------------------------------------------------------------------------------------------------

-- Whether a quote is more than a word; in scripts without spaces, more than a few signs.
create function says_enough(p_quote text) returns boolean
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select case when p_quote ~ '[\u0e00-\u0e7f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]' then char_length(p_quote) >= 4
              else char_length(p_quote) >= 8 and position(' ' in p_quote) > 0 end
$$;

-- Whether a quote is the user's own words, and has in it the numbers, the names and the entities of what it is quoted for.
create function is_sound(f facts, p_said text) returns boolean
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select coalesce(says_enough(plain(f.quote)) and position(plain(f.quote) in plain(p_said)) > 0
     and not exists (
       select from regexp_matches(f.content, '[0-9]+', 'g') as number
        where number[1] <> all (array(select n[1] from regexp_matches(f.quote, '[0-9]+', 'g') as n)))
     and not exists (
       select name[1] from regexp_matches(f.content collate pg_c_utf8, '[[:lower:]],? ([[:upper:]][[:alnum:]]+)', 'g') as name
        where position(plain(name[1]) in plain(f.quote)) = 0)
     and not exists (select from unnest(f.entities) as entity where position(plain(entity) in plain(f.quote)) = 0), false)
$$;

-- Whether a fact waits for a person, by the tenant's policy; a caller may only be stricter.
create function waits(f facts, p_options jsonb, p_actor text, p_policy text) returns boolean
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select not coalesce((p_options ->> 'approved')::boolean, false) and (coalesce((p_options ->> 'review')::boolean, false) or case p_policy
    when 'all' then true
    when 'none' then false
    else f.tainted or f.origin in ('tool', 'assistant', 'import') or p_actor = 'import'
      or p_actor in ('model', 'extractor') and not is_sound(f, p_options ->> 'said') end)
$$;


-- What it is like -----------------------------------------------------------------------------------------------------

create type verdict as (id uuid, rule text, similarity double precision, threshold double precision);

-- From which cosine on one text is noted as like another, which costs nobody anything; and from which it waits for a person when
-- the other was rejected: sooner if they have no words in common, as in two languages.
create function near_enough(p_rejected boolean, p_distance double precision default 0) returns double precision
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select case when not p_rejected then 0.65 when p_distance > 0.7 then 0.60 else 0.70 end::double precision $$;

-- The fact in force that says nearly the same, and what the two are to each other: those nearest by meaning and those of the same
-- template are compared, of the same kind alone.
create function near_match(p place, f facts, p_vector vec, p_model text) returns verdict
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  best    verdict;
  mine    traits;
  ids     uuid[] := '{}';
  alike   double precision[] := '{}';
  shaped  uuid[];
begin
  if p_vector is not null then
    select coalesce(array_agg(m.fact_id), '{}'), coalesce(array_agg(m.similarity), '{}') into ids, alike
      from search_meaning(array[p], p_vector, p_model, null, 8) as m where m.similarity > near_enough(false) - 0.15;
  end if;
  shaped := array(
    select g.id from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.template_hash = f.template_hash and g.kind = f.kind and g.status = 'confirmed' and g.id <> all (ids)
       and coalesce(g.valid_from <= now(), true) and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
     order by g.updated_at desc limit 3);
  if cardinality(ids) + cardinality(shaped) = 0 then
    return null;
  end if;
  mine := traits_of(f.content);
  with near (id, similarity) as materialized (
    select * from unnest(ids, alike)
    union all
    select s.id, 1 - (coalesce(v.short, v.long) <=> p_vector) from unnest(shaped) as s (id)
      left join vectors v on v.tenant_id = p.tenant_id and v.owner_id = p.owner_id and v.scope = p.scope and v.scope_id = p.scope_id
                         and v.model = p_model and v.fact_id = s.id
  ), read as materialized (
    select n.id, n.similarity, traits_decide(traits_of(g.content), mine, n.similarity, 1 - (g.content <-> f.content), near_enough(false)) as verdict
      from facts g join near n on n.id = g.id
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.id = any (ids || shaped) and g.kind = f.kind and g.status = 'confirmed' and char_length(g.content) <= 2000
  )
  select r.id, r.verdict ->> 'decision', r.similarity, r.verdict ->> 'threshold' into best
    from read r where r.verdict ->> 'decision' <> 'none'
   order by array_position(array['merge', 'supersede', 'propose'], r.verdict ->> 'decision'), r.similarity desc nulls last, r.id
   limit 1;
  return best;
end $$;

-- The rejected or forgotten fact that says nearly the same. A word or a number has to be the same: that it was rejected says
-- nothing about another that means nearly as much, nor under another key.
create function near_tombstone(p place, f facts, p_vector vec, p_model text) returns verdict
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  best       verdict;
  statement  boolean := is_statement(f.content);
  shape      bytea := shape_of(f);
begin
  select c.fact_id, 'near tombstone', c.similarity, j.verdict ->> 'threshold' into best
    from (
      select t.fact_id, g.content, 1 - (a.vector <=> p_vector) as similarity
        from tombstones t
        join facts g on g.tenant_id = t.tenant_id and g.owner_id = t.owner_id and g.scope = t.scope and g.scope_id = t.scope_id
                    and g.id = t.fact_id
        left join vectors_aside a on a.tenant_id = t.tenant_id and a.owner_id = t.owner_id and a.scope = t.scope
                                 and a.scope_id = t.scope_id and a.model = p_model and a.fact_id = t.fact_id
       where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id
         and t.lifted_at is null and t.value_hash <> f.value_hash
         and (f.key is null or t.key in (f.key, '') or statement)
         and (statement and a.vector <=> p_vector < 0.4 or t.template_hash = shape)
       order by a.vector <=> p_vector nulls last limit 12
    ) as c
   cross join lateral (
     select near_duplicate(c.content, f.content, c.similarity, near_enough(true, c.content <-> f.content)) as verdict offset 0) as j
   where j.verdict ->> 'decision' in ('merge', case when statement then 'propose' end)
      -- In another language names are spelled otherwise.
      or statement and j.verdict ->> 'rule' = 'name' and c.similarity >= near_enough(true, 1) and c.content <-> f.content > 0.7
   order by c.similarity desc nulls last limit 1;
  return best;
end $$;


-- The decision --------------------------------------------------------------------------------------------------------

-- `outcome` is null for a fact that is to be put; then `replaces` is what it replaces, and `waits` whether it waits for a person.
create type decision as (outcome text, rule text, id uuid, version integer, replaces uuid, replaces_version integer, waits boolean,
                         restored boolean, compared uuid, similarity double precision, threshold double precision);

-- Whether what is known covers a new statement of the same in time: else it says something more.
create function covers(old facts, new facts) returns boolean
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select (new.valid_from is null or coalesce(old.valid_from <= new.valid_from, true))
     and (new.valid_until, new.expires_at) is not distinct from (old.valid_until, old.expires_at)
$$;

-- Known word for word: in force, waiting, or said before of what is in force.
create function exact_match(p place, f facts, p_waits boolean) returns facts
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  old facts;
begin
  select * into old from facts g
   where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
     and g.value_hash = f.value_hash and g.kind = f.kind
     and (g.status = 'confirmed' and f.key is null
          or g.status = 'pending' and p_waits and g.key is not distinct from f.key)
     and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
   order by g.status, g.created_at limit 1;
  if old.id is null and f.key is null then                 -- or still in force, until what superseded it is true
    select * into old from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.holds_until > now() and covers(g, f)
       and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
     order by g.created_at limit 1;
  end if;
  if old.id is null and f.key is null then
    select h.* into old from facts g
      join facts h on h.tenant_id = p.tenant_id and h.owner_id = p.owner_id and h.scope = p.scope and h.scope_id = p.scope_id
                  and h.id = g.superseded_by
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.status = 'superseded'
       and g.version = 1 and h.status = 'confirmed' and h.supersedes is distinct from g.id      -- g itself never was in force
       and coalesce(h.valid_until > now(), true) and coalesce(h.expires_at > now(), true)
     order by h.created_at limit 1;
  end if;
  return old;
end $$;

-- Decides. `p_seen` says whether the value was ever seen here, `p_buried` whether any value was rejected or forgotten, `p_near`
-- whether near duplicates are looked for, and `p_large` that this is done by their template alone.
create function decide(p place, f facts, p_options jsonb, p_waits boolean, p_seen boolean, p_buried boolean, p_near boolean,
                       p_large boolean, p_vector vec, p_model text) returns decision
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  d        decision;
  t        tombstones;
  restore  boolean := coalesce((p_options ->> 'restore')::boolean, false);
  target   uuid := p_options ->> 'supersedes';
  old      facts;
  like_it  verdict;
begin
  d.waits := p_waits;
  if p_buried then
    t := tombstone_of(f);
  end if;
  if t.value_hash is not null and not restore then
    perform refuse(t);
    d.outcome := 'rejected';
    d.rule := 'tombstone';
    d.compared := t.fact_id;
    return d;
  end if;
  d.restored := restore and p_buried and lift(f);
  if p_buried and not restore and not p_options ? 'approved' then
    like_it := near_tombstone(p, f, p_vector, p_model);
    if like_it.id is not null then
      d.waits := true;
      select like_it.rule, like_it.id, like_it.similarity, like_it.threshold into d.rule, d.compared, d.similarity, d.threshold;
    end if;
  end if;

  if f.key is not null then
    old := fact_in_force(p, f.key);
    d.rule := coalesce(d.rule, 'key');
  end if;
  if target is not null then
    if old.id <> target then
      raise exception using errcode = 'MECFL', message = 'another fact is in force under that key';
    end if;
    old := replaced(p, target);
    d.rule := coalesce(nullif(d.rule, 'key'), 'supersedes');
  end if;
  if (p_options ->> 'expected_version')::integer <> coalesce(old.version, 0) then
    raise exception using errcode = 'MECFL',
      message = format('the fact is at version %s, not %s', coalesce(old.version, 0), p_options ->> 'expected_version');
  end if;
  if target is null and old.id is not null
     and (f.content, f.kind, f.source, f.importance, f.tags, f.entities, f.metadata, f.valid_from, f.valid_until, f.expires_at)
         is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.entities, old.metadata, old.valid_from,
                               old.valid_until, old.expires_at) then
    select 'duplicate', 'same value', old.id, old.version into d.outcome, d.rule, d.id, d.version;
    return d;
  end if;
  select old.id, old.version into d.replaces, d.replaces_version;

  if target is null and p_options ->> 'dedup' is distinct from 'off' and p_seen then
    old := exact_match(p, f, d.waits);
    if old.status = 'pending' then
      select 'pending', coalesce(d.rule, 'same value'), old.id, old.version into d.outcome, d.rule, d.id, d.version;
      return d;
    elsif old.id is not null and covers(old, f) then
      select 'duplicate', 'same value', old.id, old.version into d.outcome, d.rule, d.id, d.version;
      return d;
    elsif old.id is not null and old.key is null then
      select coalesce(d.rule, 'same value, another time'), old.id, old.version into d.rule, d.replaces, d.replaces_version;
      return d;
    end if;
  end if;
  if target is null and f.key is null and p_near and char_length(f.content) <= 2000
     and f.kind not in ('transcript', 'conversation') then
    like_it := near_match(p, f, case when not p_large then p_vector end, p_model);
    if like_it.id is not null and d.rule is null then
      old := fact_of(p, like_it.id);
      select like_it.id, like_it.similarity, like_it.threshold into d.compared, d.similarity, d.threshold;
      d.rule := case like_it.rule
        when 'merge' then case when covers(old, f) then 'same in other words' else 'similar' end
        when 'supersede' then case when old.key is null and f.kind <> 'event' then 'moved on' else 'similar' end
        else 'similar' end;
      if d.rule = 'same in other words' then
        select 'duplicate', old.id, old.version into d.outcome, d.id, d.version;
      elsif d.rule = 'moved on' then
        select old.id, old.version into d.replaces, d.replaces_version;
      end if;
    end if;
  end if;
  d.rule := coalesce(d.rule, 'new');
  return d;
end $$;


-- What follows from it ------------------------------------------------------------------------------------------------

-- Counts that facts were said again; returns how often each has been.
create function count_seen(p place, p_id uuid) returns integer
language sql set search_path = memoranda_private, pg_temp
as $$
  insert into fact_uses as u (tenant_id, owner_id, scope, scope_id, fact_id, seen_count)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_id, 2)
      on conflict (tenant_id, owner_id, scope, scope_id, fact_id) do update set seen_count = u.seen_count + 1
  returning seen_count
$$;

-- How many facts a place holds, in force and waiting; of one source, or of all. Each count reads an index alone.
create function facts_held(p place, p_source text) returns bigint
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select case when p_source is not null then (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.status in ('confirmed', 'pending') and f.source = p_source)
  else (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.status = 'confirmed')
  + (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.status = 'pending') end
$$;

-- What waits and says just what is now in force waits no longer.
create function settle(p place, f facts) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  same uuid[] := array(
    select g.id from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.key is not distinct from f.key and g.status = 'pending' and g.id <> f.id);
begin
  if cardinality(same) > 0 then
    update facts g set status = 'superseded', superseded_by = f.id
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and g.id = any (same);
    delete from vectors_aside a
     where a.tenant_id = p.tenant_id and a.owner_id = p.owner_id and a.scope = p.scope and a.scope_id = p.scope_id and a.fact_id = any (same);
  end if;
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
