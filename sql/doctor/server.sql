-- The server, and how the database writes and compares text.
select pg_catalog.current_setting('server_version') as version, pg_catalog.current_setting('server_version_num')::integer as number,
       pg_catalog.pg_encoding_to_char(d.encoding) as encoding, d.datcollate as collation, d.datctype as character_type,
       pg_catalog.current_setting('timezone') as zone, pg_catalog.clock_timestamp() as now
  from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()
