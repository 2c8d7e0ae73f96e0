-- Reads of facts that are no search: what is in force, newest first, and how it came to be.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Whether a fact holds now.
create function holds(f facts) returns boolean
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select f.status = 'confirmed' and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
     and coalesce(f.expires_at > now(), true)
$$;

-- What is in force now, newest first, then by key: all of it, or what is under a key or has an id. The limit is held between 1 and 200.
create function facts_recall(p_place jsonb, p_query jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['key', 'id', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has key, id and limit, and nothing else';
  end if;
  if p_query ? 'key' then
    perform check_key(p_query ->> 'key');
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key, (newest.f).id), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and f.status = 'confirmed' and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
         and coalesce(f.expires_at > now(), true)
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
         and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

-- The facts that are one story: all that a key has had; or an id, with what it corrected and what corrected it.
create function chain(p place, target facts) returns setof uuid
language sql stable set search_path = memoranda_private, pg_temp
as $$
  with recursive met as (
    select f.id, f.key, f.supersedes, f.superseded_by from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and (f.key = target.key or f.id = target.id)
    union
    select f.id, f.key, f.supersedes, f.superseded_by from met join facts f
        on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and (f.id in (met.supersedes, met.superseded_by) or f.superseded_by = met.id or f.key = met.key)
  )
  select id from met
$$;

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
        select r.* from facts f
          join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                            = (f.tenant_id, f.owner_id, f.scope, f.scope_id, 'fact', f.id)
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.id in (select chain(p, target))
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

grant execute on function facts_recall, facts_history to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.facts_recall(place jsonb, query jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_recall(place, query) $$;
create function memoranda.facts_history(place jsonb, target jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.facts_history(place, target) $$;
grant execute on function memoranda.facts_recall, memoranda.facts_history to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
