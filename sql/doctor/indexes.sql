-- Indexes of ours, and whether each is fit to be used.
select c.relname::text as name, t.relname::text as of, i.indisvalid and i.indisready as valid
  from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid join pg_catalog.pg_class t on t.oid = i.indrelid
 where t.relnamespace = pg_catalog.to_regnamespace('memoranda_private')
 order by 1
