-- How many scopes are large, for `memoranda doctor`: numbers, and nobody's id.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_service;

set local role memoranda_service;

-- Scopes with at least so many vectors of a model: how many have an index of their own, how many have none, and how many vectors
-- the largest of these has: {"least"}. It counts all vectors by their keys.
create function large_scopes_status(p_limits jsonb) returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  with counted as (
    select count(*) as vectors,
           exists (select from large_scopes l where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                                                  = (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model) and l.ready) as ready
      from vectors v group by v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model
    having count(*) >= greatest(1, coalesce((p_limits ->> 'least')::integer, 20000)))
  select jsonb_build_object('indexed', count(*) filter (where ready), 'without', count(*) filter (where not ready),
                            'largest', coalesce(max(vectors) filter (where not ready), 0))
    from counted
$$;
grant execute on function large_scopes_status to service_role;


-- The door ------------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.large_scopes_status(limits jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.large_scopes_status(limits) $$;
grant execute on function memoranda.large_scopes_status to service_role;

revoke create on schema memoranda_private from memoranda_service;
reset role;
