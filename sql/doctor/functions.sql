-- Functions of ours: whether each belongs to a role of ours, and whether it would look names up where a caller says.
select p.oid::regprocedure::text as name, pg_catalog.pg_get_userbyid(p.proowner)::text as owner,
       pg_catalog.pg_get_userbyid(p.proowner) not in ('memoranda_owner', 'memoranda_rules', 'memoranda_service',
                                                      'memoranda_erasure', 'memoranda_import') as unbound,
       p.prosecdef and not exists (select from unnest(p.proconfig) c where c like 'search_path=%') as mutable,
       p.prosecdef and n.nspname = 'memoranda' as definer_door
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
 where n.nspname in ('memoranda', 'memoranda_private')
 order by 1
