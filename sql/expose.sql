-- Has PostgREST serve the doors: adds the schema memoranda to the list that it is told of by a setting of its login. Where there is
-- no such setting yet, as in a new project of Supabase's, the list begins with the schemas that Supabase serves; from then on
-- the one in the dashboard no longer counts. Changes nothing the second time.
do $$
declare
  place  text := '';
  told   text;
begin
  select case d.setdatabase when 0 then '' else format('in database %I', current_database()) end,
         substring(s.setting from '^pgrst\.db_schemas=(.*)$')
    into place, told
    from pg_catalog.pg_db_role_setting d, unnest(d.setconfig) as s (setting)
   where d.setrole = (select oid from pg_catalog.pg_roles where rolname = 'authenticator') and s.setting like 'pgrst.db\_schemas=%'
     and d.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
   order by d.setdatabase desc limit 1;
  if not 'memoranda' = any (regexp_split_to_array(btrim(coalesce(told, '')), '\s*,\s*')) then
    execute format('alter role authenticator %s set pgrst.db_schemas = %L', coalesce(place, ''),
                   coalesce(told, 'public, graphql_public') || ', memoranda');
  end if;
  notify pgrst, 'reload config';
exception
  when insufficient_privilege then
    raise exception using errcode = 'MEPRV', message = format('%I may not tell PostgREST what to serve', current_user),
      hint = 'Add memoranda to the exposed schemas in the API''s own settings (on Supabase: Project Settings, Data API).';
end $$;
