-- What anybody but the inner roles may do with what is ours.
with acls as (
  select 'schema' as kind, n.nspname::text as name, n.nspowner as owner,
         coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner)) as acl
    from pg_catalog.pg_namespace n where n.nspname in ('memoranda', 'memoranda_private')
  union all
  select 'table', c.relname, c.relowner, coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('memoranda', 'memoranda_private') and c.relkind in ('r', 'p', 'v', 'm', 'f')
  union all
  select 'table', c.relname || '.' || a.attname, c.relowner, a.attacl
    from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ('memoranda', 'memoranda_private') and a.attacl is not null
  union all
  select 'function', n.nspname || '.' || p.proname, p.proowner, coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
   where n.nspname in ('memoranda', 'memoranda_private'))
select distinct a.kind, a.name, x.privilege_type as privilege,
       case x.grantee when 0 then 'PUBLIC' else pg_catalog.pg_get_userbyid(x.grantee)::text end as grantee
  from acls a, pg_catalog.aclexplode(a.acl) x
 where x.grantee <> a.owner
   and (x.grantee = 0 or pg_catalog.pg_get_userbyid(x.grantee) not in ('memoranda_owner', 'memoranda_rules', 'memoranda_service',
                                                                      'memoranda_erasure', 'memoranda_import'))
 order by 1, 2, 3, 4
