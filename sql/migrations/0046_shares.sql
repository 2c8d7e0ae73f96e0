-- A share for each voice: what one source has said through tools and assistants, and what one run has said that had read untrusted
-- material, takes at most a third of a recall, as long as there is anything else to recall. What it has over its share comes last.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Whose voice a hit is, as a search has returned it; null for the user's own words, and for what nobody doubts.
create function voice_of(p_hit jsonb) returns text
language sql immutable
return case
  when p_hit ? 'message' then case when (p_hit #>> '{message,tainted}')::boolean and p_hit #>> '{message,role}' <> 'user'
                                   then 'run ' || (p_hit #>> '{message,run_id}') end
  when (p_hit #>> '{fact,tainted}')::boolean or p_hit #>> '{fact,origin}' in ('tool', 'assistant')
    then 'source ' || coalesce(p_hit #>> '{fact,source}', '') end;

-- Whether one voice has more than its share of some hits.
create function is_crowded(p_hits jsonb, p_share integer) returns boolean
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select exists (select from jsonb_array_elements(p_hits) as hit
                  where voice_of(hit) is not null group by voice_of(hit) having count(*) > p_share)
$$;

-- As in 0036. Where a voice has more than its share, what stands behind it is looked at, too.
create or replace function recall(p_place jsonb, p_asked jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  k        integer := greatest(1, least(200, coalesce((p_asked ->> 'limit')::numeric, 10)));
  share    integer := (k + 2) / 3;
  of_facts jsonb := p_asked - array['exclude_chat', 'neighbours'] || '{"track_use": false}';
  known    jsonb;
  said     jsonb;
begin
  if jsonb_typeof(p_asked) is distinct from 'object'
     or p_asked - array['text', 'vector', 'model', 'limit', 'scopes', 'exclude_chat', 'min_similarity', 'neighbours', 'track_use'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a recall has text, vector, model, limit, scopes, exclude_chat, min_similarity, '
      'neighbours and track_use, and nothing else';
  end if;
  known := facts_search(p_place, of_facts);
  if is_crowded(known, share) then
    known := known || facts_search(p_place, of_facts || jsonb_build_object('max_per_source', share, 'limit', 200));
  end if;
  said := messages_recall(p_place, p_asked - 'track_use');
  if is_crowded(said, share) then
    said := messages_recall(p_place, p_asked - 'track_use' || '{"limit": 200}');
  end if;
  return (
    with found as (
      select distinct on (value #>> '{fact,id}') value, (value ->> 'score')::double precision + 0.1 as score, 'fact' as kind
        from jsonb_array_elements(known)
      union all
      select value, (value ->> 'score')::double precision, 'message' from jsonb_array_elements(said)
    ), ranked as (
      select f.*, voice_of(value) is not null
                  and row_number() over (partition by voice_of(value) order by score desc, kind, value #>> '{fact,id}') > share as is_over
        from found f
    ), hits as (
      select * from ranked order by is_over, score desc, kind limit k
    ), counted as (
      select count_uses(places_of(p_place, p_asked), array_agg((value -> 'fact' ->> 'id')::uuid)) from hits
       where kind = 'fact' and (p_asked ->> 'track_use')::boolean is not false
    )
    select coalesce(jsonb_agg(value || jsonb_build_object('kind', kind, 'score', score) order by is_over, score desc, kind), '[]')
      from hits where (select count(*) from counted) is not null);
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
