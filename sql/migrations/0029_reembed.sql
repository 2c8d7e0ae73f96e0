-- Change of the embedding model, while everything goes on: the new vectors are made beside the old ones, by the application's server,
-- place by place, each as its owner; when none is missing, one transaction says so; and the old ones go when somebody says so.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_service;

-- The service sees which facts have vectors of which model, and no text and no vector; and takes vectors away by their model.
create policy counting on vectors_aside for select to memoranda_service using (true);
create policy dropping on vectors_aside for delete to memoranda_service using (true);
create policy dropping on vectors for delete to memoranda_service using (true);
create policy counting on unembeddable for select to memoranda_service using (true);
create policy dropping on unembeddable for delete to memoranda_service using (true);
grant select (id, status, holds_until) on facts to memoranda_service;
grant select (tenant_id, owner_id, scope, scope_id, model, fact_id), delete on vectors_aside, unembeddable to memoranda_service;
grant delete on vectors, large_scopes to memoranda_service;

set local role memoranda_service;

-- Whom to go to a place as: the owner, while they are a member there, or somebody who manages the organisation; null for nobody.
create function reembed_as(p_tenant uuid, p_owner uuid, p_scope text) returns uuid
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select case when p_scope = 'organization' then (select m.user_id from members m where m.tenant_id = p_tenant and m.permission = 'manage'
                                                   order by m.user_id limit 1)
              when p_owner = p_tenant or exists (select from members m where (m.tenant_id, m.user_id) = (p_tenant, p_owner)) then p_owner end
$$;

-- The places where facts have no vector of a model.
create function reembed_left(p_model text) returns table (tenant uuid, "user" uuid, scope text, scope_id text, facts bigint)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select l.tenant_id, reembed_as(l.tenant_id, l.owner_id, l.scope), l.scope, l.scope_id, l.facts from (
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, count(*) as facts
    from facts f
   where (f.status = 'confirmed' or f.holds_until > now()
          or exists (select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id)
                                                     = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)))
     and not exists (select from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id)
                                               = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
     and not exists (select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.model, a.fact_id)
                                                     = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
     and not exists (select from unembeddable u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.model, u.fact_id)
                                                    = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
   group by f.tenant_id, f.owner_id, f.scope, f.scope_id) as l
   where reembed_as(l.tenant_id, l.owner_id, l.scope) is not null
$$;

-- {"model"}: which places are left, a hundred at most, and how many facts in all.
create function reembed_places(p_change jsonb) returns jsonb
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object('facts', coalesce(sum(l.facts), 0), 'places', coalesce(jsonb_agg(to_jsonb(l)) filter (where l.n <= 100), '[]'))
    from (select r.*, row_number() over (order by r.tenant, r."user", r.scope, r.scope_id) as n from reembed_left(p_change ->> 'model') as r) as l
$$;

-- {"model"}: from here on all facts have vectors of that model, as the setting `model` says; unless some have none yet.
create function reembed_switch(p_change jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  model_  text := p_change ->> 'model';
  left_   bigint := coalesce((select sum(l.facts) from reembed_left(model_) as l), 0);
begin
  if model_ is null or model_ !~ '^.{1,190}/[0-9]{1,4}$' then
    raise exception using errcode = 'MEVEC', message = 'a model is named with its length';
  end if;
  if left_ = 0 then
    insert into settings (tenant_id, name, value) values (nobody(), 'model', to_jsonb(model_))
    on conflict (tenant_id, name) do update set value = excluded.value, updated_at = clock_timestamp();
  end if;
  return jsonb_build_object('switched', left_ = 0, 'facts', left_);
end $$;

-- {"model", "most"}: takes up to so many vectors of a model away, but not those that are in force; how many it took.
create function reembed_drop(p_change jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  model_  text := p_change ->> 'model';
  most    integer := greatest(1, least(10000, coalesce((p_change ->> 'most')::integer, 1000)));
  taken   integer;
  aside   integer;
  said    integer;
begin
  if model_ is null or exists (select from settings s where s.name = 'model' and s.value = to_jsonb(model_)) then
    raise exception using errcode = 'MECFL', message = 'the vectors of the model in force are not dropped';
  end if;
  delete from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id from vectors x where x.model = model_ limit most);
  get diagnostics taken = row_count;
  delete from vectors_aside v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id from vectors_aside x where x.model = model_ limit most);
  get diagnostics aside = row_count;
  delete from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.message_id, v.piece) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.message_id, x.piece from message_vectors x where x.model = model_ limit most);
  get diagnostics said = row_count;
  if taken + aside + said = 0 then
    delete from unembeddable u where u.model = model_;
    delete from large_scopes l where l.model = model_;
  end if;
  return jsonb_build_object('dropped', taken + aside + said);
end $$;
grant execute on function reembed_places, reembed_switch, reembed_drop to service_role;

set local role memoranda_owner;
create function memoranda.reembed_places(change jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.reembed_places(change) $$;
create function memoranda.reembed_switch(change jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.reembed_switch(change) $$;
create function memoranda.reembed_drop(change jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.reembed_drop(change) $$;
grant execute on function memoranda.reembed_places, memoranda.reembed_switch, memoranda.reembed_drop to service_role;

revoke create on schema memoranda_private from memoranda_service;
reset role;
