-- What a session brings with it before anything is bound to it; in a pooled one, what somebody else has left there.
select coalesce(pg_catalog.current_setting('request.jwt.claims', true), '') <> '' as claims,
       pg_catalog.current_setting('role') as role,
       pg_catalog.current_setting('row_security') as row_security,
       pg_catalog.current_setting('default_transaction_read_only') = 'on' as read_only,
       pg_catalog.pg_is_in_recovery() as replica,
       exists (select from pg_catalog.pg_prepared_statements) as prepared,
       pg_catalog.pg_backend_pid() as pid
