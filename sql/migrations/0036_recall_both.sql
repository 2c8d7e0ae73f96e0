-- One recall over what is known and what was said: both answered by their own rules, in one order.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Facts and messages that a question is about, best first: {"text", "vector", "model", "limit", "scopes", "exclude_chat",
-- "min_similarity", "neighbours", "track_use"}. Both scores are shares of similarity and words; a fact gets the 0.1 that a message has
-- because the user said it.
create function recall(p_place jsonb, p_asked jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  known  jsonb;
  said   jsonb;
begin
  if jsonb_typeof(p_asked) is distinct from 'object'
     or p_asked - array['text', 'vector', 'model', 'limit', 'scopes', 'exclude_chat', 'min_similarity', 'neighbours', 'track_use'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a recall has text, vector, model, limit, scopes, exclude_chat, min_similarity, '
      'neighbours and track_use, and nothing else';
  end if;
  known := facts_search(p_place, p_asked - array['exclude_chat', 'neighbours'] || '{"track_use": false}');
  said := messages_recall(p_place, p_asked - 'track_use');
  return (
    with hits as (
      select value, (value ->> 'score')::double precision + 0.1 as score, 'fact' as kind from jsonb_array_elements(known)
      union all
      select value, (value ->> 'score')::double precision, 'message' from jsonb_array_elements(said)
       order by score desc, kind limit greatest(1, least(200, coalesce((p_asked ->> 'limit')::numeric, 10)))
    ), counted as (
      select count_uses(places_of(p_place, p_asked), array_agg((value -> 'fact' ->> 'id')::uuid)) from hits
       where kind = 'fact' and (p_asked ->> 'track_use')::boolean is not false
    )
    select coalesce(jsonb_agg(value || jsonb_build_object('kind', kind, 'score', score) order by score desc, kind), '[]')
      from hits where (select count(*) from counted) is not null);
end $$;
grant execute on function recall to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.recall(place jsonb, asked jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.recall(place, asked) $$;
grant execute on function memoranda.recall to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
