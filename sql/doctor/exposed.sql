-- The schemas that PostgREST is told to serve by a setting of its login, one for this database before one for all; none is told
-- where the list is kept elsewhere, as it is in Supabase's dashboard.
with told as (
  select substring(s.setting from '^pgrst\.db_schemas=(.*)$') as list
    from pg_catalog.pg_db_role_setting d join pg_catalog.pg_roles r on r.oid = d.setrole, unnest(d.setconfig) as s (setting)
   where r.rolname = 'authenticator' and s.setting like 'pgrst.db\_schemas=%'
     and d.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()))
   order by d.setdatabase desc limit 1)
select pg_catalog.btrim(part) as name from told, pg_catalog.string_to_table(told.list, ',') as part
