-- What Supabase has and a plain Postgres lacks: the API roles, and auth.uid().
-- Run before the migrations on a server of your own, never on Supabase. Safe to run again.

do $$
declare
  needed record;
begin
  for needed in
    select * from (values
      ('anon',          'nologin noinherit'),              -- a visitor without a token: memoranda gives it nothing
      ('authenticated', 'nologin noinherit'),              -- a signed-in user: bound by row-level security
      ('service_role',  'nologin noinherit bypassrls'),    -- a trusted server; our tables grant it nothing either
      ('authenticator', 'login noinherit')                 -- the login that may become the other three, and nothing else
    ) as roles (name, attributes)
  loop
    begin
      if not exists (select from pg_roles where rolname = needed.name) then
        execute format('create role %I %s', needed.name, needed.attributes);
      end if;
    exception
      when duplicate_object or unique_violation then null;   -- another database of this server was faster: roles are shared
      when insufficient_privilege then
        raise exception using errcode = 'MEPRV',
          message = format('%I may not create the role %I', current_user, needed.name),
          hint = format('Ask an administrator for: create role %I %s;', needed.name, needed.attributes);
    end;
  end loop;
  if not (pg_has_role('authenticator', 'authenticated', 'set') and pg_has_role('authenticator', 'service_role', 'set')
          and pg_has_role('authenticator', 'anon', 'set')) then
    grant anon, authenticated, service_role to authenticator;
  end if;
end $$;

create schema if not exists auth;
grant usage on schema auth to anon, authenticated, service_role;

create or replace function auth.uid() returns uuid
language sql stable set search_path = ''
as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;
