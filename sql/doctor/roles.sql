-- The inner roles: what each may beyond being an owner, and who else may become it.
select needed.name, r.oid is not null as present,
       coalesce(r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolcreaterole or r.rolreplication, false) as powerful,
       exists (select from pg_catalog.pg_auth_members m where m.member = r.oid) as member,
       array(select m.rolname::text from pg_catalog.pg_auth_members a join pg_catalog.pg_roles m on m.oid = a.member
              where a.roleid = r.oid and m.rolname in ('anon', 'authenticated', 'service_role', 'authenticator') order by 1)
         as lent
  from unnest(array['memoranda_owner', 'memoranda_rules', 'memoranda_service', 'memoranda_erasure', 'memoranda_import'])
       as needed (name)
  left join pg_catalog.pg_roles r on r.rolname = needed.name
