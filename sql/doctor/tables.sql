-- Tables of ours, and what row-level security makes of them.
select c.relname::text as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
       array(select p.polname::text from pg_catalog.pg_policy p where p.polrelid = c.oid order by 1) as policies,
       pg_catalog.pg_get_userbyid(c.relowner)::text as owner
  from pg_catalog.pg_class c
 where c.relnamespace = pg_catalog.to_regnamespace('memoranda_private') and c.relkind in ('r', 'p')
 order by 1
