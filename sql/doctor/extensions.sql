-- The extensions that are needed: where, which version, the newest that the server has, whether this login may use them, and
-- whether outsiders may create there.
select needed.name, e.extversion as version, a.default_version as available, n.nspname::text as home,
       coalesce(pg_catalog.has_schema_privilege(n.oid, 'usage'), false) as usable,
       coalesce((select bool_or(pg_catalog.has_schema_privilege(r.oid, n.oid, 'create')) from pg_catalog.pg_roles r
                  where r.rolname in ('anon', 'authenticated')), false) as open
  from unnest(array['vector', 'pg_trgm']) as needed (name)
  left join pg_catalog.pg_extension e on e.extname = needed.name
  left join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  left join pg_catalog.pg_available_extensions a on a.name = needed.name
