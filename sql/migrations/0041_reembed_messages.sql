-- Messages and a change of the model: which have no vector of it and are no work yet, so that somebody puts them on the list; and the
-- right to take the old vectors away (0029).

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_service;

create policy counting on message_terms for select to memoranda_service using (true);
create policy counting on message_vectors for select to memoranda_service using (true);
create policy dropping on message_vectors for delete to memoranda_service using (true);
grant select (tenant_id, owner_id, scope, scope_id, message_id, part, live) on message_terms to memoranda_service;
grant select (tenant_id, owner_id, scope, scope_id, model, message_id, piece), delete on message_vectors to memoranda_service;

set local role memoranda_service;

-- {"model"}: the places where messages that can be found have no vector of a model and are no work, a hundred at most.
create function reembed_messages(p_change jsonb) returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object('places', coalesce(jsonb_agg(jsonb_build_object(
           'tenant', l.tenant_id, 'user', reembed_as(l.tenant_id, l.owner_id, l.scope), 'scope', l.scope, 'scope_id', l.scope_id)), '[]'))
    from (
      select t.tenant_id, t.owner_id, t.scope, t.scope_id from message_terms t
       where t.part = 0 and coalesce(upper(t.live) > now(), true)
         and not exists (select from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.message_id)
                                                           = (t.tenant_id, t.owner_id, t.scope, t.scope_id, p_change ->> 'model', t.message_id))
         and not exists (select from work w where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
                                                = (t.tenant_id, t.owner_id, t.scope, t.scope_id, 'embed', t.message_id))
       group by t.tenant_id, t.owner_id, t.scope, t.scope_id
      having reembed_as(t.tenant_id, t.owner_id, t.scope) is not null
       order by 1, 2, 3, 4 limit 100) as l
$$;
grant execute on function reembed_messages to service_role;

set local role memoranda_owner;
create function memoranda.reembed_messages(change jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.reembed_messages(change) $$;
grant execute on function memoranda.reembed_messages to service_role;

revoke create on schema memoranda_private from memoranda_service;
reset role;
