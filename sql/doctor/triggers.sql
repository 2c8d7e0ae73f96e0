-- Triggers of ours, and whether they are on: they write history, and keep rows as they were written.
select c.relname::text as of, t.tgname::text as name, t.tgenabled in ('O', 'A') as on
  from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
 where c.relnamespace = pg_catalog.to_regnamespace('memoranda_private') and not t.tgisinternal
 order by 1, 2
