-- Who is connected, and what this login may beyond acting for users.
select session_user::text as name, r.rolsuper as superuser, r.rolbypassrls as bypasses, r.rolcreaterole as makes_roles,
       coalesce((select pg_catalog.pg_has_role(r.oid, oid, 'set') from pg_catalog.pg_roles where rolname = 'service_role'), false)
         as serves,
       array(select i.rolname::text from pg_catalog.pg_roles i
              where i.rolname in ('memoranda_owner', 'memoranda_rules', 'memoranda_service', 'memoranda_erasure', 'memoranda_import')
                and pg_catalog.pg_has_role(r.oid, i.oid, 'set') order by 1) as becomes
  from pg_catalog.pg_roles r where r.rolname = session_user
