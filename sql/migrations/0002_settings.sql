-- Settings: limits and policies of a tenant, or of all of them. Only the application's own server changes one.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service;

create table settings (
  tenant_id   uuid not null,                -- nobody() for what holds in every tenant that says nothing else
  name        text not null,
  value       jsonb not null,
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (tenant_id, name)
);

alter table settings enable row level security;
alter table settings force row level security;
create policy read on settings for select to memoranda_rules
  using (tenant_id = nobody() or tenant_id = any ((select my_tenants())::uuid[]));
create policy registry on settings to memoranda_service using (true) with check (true);
grant select on settings to memoranda_rules;
grant select, insert (tenant_id, name, value), update (value, updated_at), delete on settings to memoranda_service;

-- What can be set, what holds without, and what a value has to lie between, or which it can be. `review` says what waits for a
-- person before it is in force: what came from elsewhere than the user's own words, everything, or nothing. `model` is the one whose
-- vectors all facts have; a change of model sets it (0029).
create function settings_known() returns table (name text, fallback jsonb, lowest numeric, highest numeric, choices jsonb)
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  values ('fact_characters',  '100000'::jsonb, 1, 1000000, null::jsonb),
         ('facts',            '100000', 1, 10000000, null),
         ('facts_per_source', '50000', 1, 10000000, null),
         ('file_characters',  '100000', 1, 1000000, null),
         ('files',            '1000', 1, 100000, null),
         ('files_bytes',      '10000000', 1, 1000000000, null),
         ('key_days',         '30', 1, 3650, null),
         ('message_characters', '200000', 1, 1000000, null),
         ('model',            '""', null, null, '[]'),
         ('review',           '"untrusted"', null, null, '["untrusted", "all", "none"]')
$$;
grant execute on function settings_known to memoranda_rules, memoranda_service;


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

create function setting(p_tenant uuid, p_name text) returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select coalesce((select s.value from settings s where s.name = p_name and s.tenant_id in (p_tenant, nobody())
                    order by s.tenant_id = nobody() limit 1),
                  (select k.fallback from settings_known() k where k.name = p_name))
$$;

-- Every setting that is in force in a tenant, by its name.
create function settings_of(p_tenant uuid) returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_object_agg(k.name, coalesce(own.value, everybodys.value, k.fallback))
    from settings_known() k
    left join settings own on own.name = k.name and own.tenant_id = p_tenant
    left join settings everybodys on everybodys.name = k.name and everybodys.tenant_id = nobody()
$$;

-- What is in force where one is.
create function settings_get(p_place jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'read');
begin
  return settings_of(p.tenant_id);
end $$;
grant execute on function settings_get to authenticated, service_role;

set local role memoranda_service;

-- Sets {"tenant", "name", "value"}; without a tenant, for all that have no value of their own; with null, no longer.
create function settings_set(p_setting jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  named   uuid := as_id('tenant', p_setting -> 'tenant');
  tenant  uuid := coalesce(named, nobody());
  wanted  jsonb := p_setting -> 'value';
  known   record;
begin
  if named is null and coalesce(p_setting -> 'tenant', 'null') <> 'null' then      -- or it would be set for all
    raise exception using errcode = 'MEINP', message = 'a tenant is named by its id or its name';
  end if;
  select * into known from settings_known() k where k.name = p_setting ->> 'name';
  if known.name is null then
    raise exception using errcode = 'MEINP', message = 'there is no such setting';
  end if;
  if coalesce(wanted, 'null') = 'null' then
    delete from settings s where s.tenant_id = tenant and s.name = known.name;
    return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', null);
  end if;
  if known.name = 'model' then
    raise exception using errcode = 'MEINP', message = 'the model is set by a change of model';
  elsif known.choices is not null then
    if not known.choices @> jsonb_build_array(wanted) then
      raise exception using errcode = 'MEINP',
        message = format('%s is one of: %s', known.name, (select string_agg(value, ', ') from jsonb_array_elements_text(known.choices)));
    end if;
  elsif jsonb_typeof(wanted) <> 'number' or wanted::numeric not between known.lowest and known.highest
     or wanted::numeric <> trunc(wanted::numeric) then
    raise exception using errcode = 'MEINP',
      message = format('%s is a whole number from %s to %s', known.name, known.lowest, known.highest);
  end if;
  insert into settings (tenant_id, name, value) values (tenant, known.name, wanted)
  on conflict (tenant_id, name) do update set value = excluded.value, updated_at = clock_timestamp();
  return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', wanted);
end $$;
grant execute on function settings_set to service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.settings_get(place jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.settings_get(place) $$;
create function memoranda.settings_set(setting jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.settings_set(setting) $$;
grant execute on function memoranda.settings_get to authenticated, service_role;
grant execute on function memoranda.settings_set to service_role;

revoke create on schema memoranda_private from memoranda_rules, memoranda_service;
reset role;
