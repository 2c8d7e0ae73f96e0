-- How tables of ours are kept: rows that are dead, when they were last vacuumed, and how near transaction ids are to running out.
select c.relname::text as name, coalesce(s.n_live_tup, 0) as live, coalesce(s.n_dead_tup, 0) as dead,
       greatest(s.last_vacuum, s.last_autovacuum) as vacuumed,
       coalesce(c.reloptions && array['autovacuum_enabled=false', 'autovacuum_enabled=off', 'autovacuum_enabled=0'], false) as off,
       pg_catalog.current_setting('autovacuum') = 'on' as everywhere,
       pg_catalog.age(c.relfrozenxid) as age
  from pg_catalog.pg_class c left join pg_catalog.pg_stat_all_tables s on s.relid = c.oid
 where c.relnamespace = pg_catalog.to_regnamespace('memoranda_private') and c.relkind = 'r'
 order by 1
