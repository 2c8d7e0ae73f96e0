"""A Postgres dressed as Supabase's: its roles, its schemas `auth` and `extensions`, and a login that is no superuser.

After supabase/postgres's own migrations, as far as they concern us. Two things differ. There `postgres` is the login
that is no superuser; here that name is taken, and it is called `hosted`. And there an extension of theirs (supautils)
lets it make extensions and change `authenticator`, where here the first are made for it and the second is granted.
"""

from __future__ import annotations

from typing import Any

import psycopg

LOGIN = "hosted"
"""What stands for Supabase's `postgres`."""

ROLES = f"""
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
create role supabase_auth_admin nologin noinherit createrole;
create role {LOGIN} login createdb createrole replication bypassrls;
grant anon, authenticated, service_role, authenticator to {LOGIN} with admin option;
grant set on parameter pgrst.db_schemas to {LOGIN};
"""

SCHEMAS = """
create schema extensions;
create extension vector schema extensions;
create extension pg_trgm schema extensions;
create schema auth;
create table auth.users (id uuid primary key, email text);
create function auth.uid() returns uuid language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''),
                  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid
$$;
create function auth.jwt() returns jsonb language sql stable as $$
  select nullif(current_setting('request.jwt.claims', true), '')::jsonb
$$;
"""

GRANTS = f"""
alter schema extensions owner to {LOGIN};
grant usage on schema extensions to anon, authenticated, service_role;
alter schema auth owner to supabase_auth_admin;
alter table auth.users owner to supabase_auth_admin;
grant usage on schema auth to anon, authenticated, service_role, {LOGIN};
grant all on all tables in schema auth to {LOGIN};
grant all on schema public to {LOGIN};
grant usage on schema public to anon, authenticated, service_role;
alter default privileges for role {LOGIN} in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role {LOGIN} in schema public grant all on functions to anon, authenticated, service_role;
"""


def dress(conn: psycopg.Connection[Any]) -> None:
    """Give an empty database Supabase's schemas; a superuser's connection, and the roles as they are."""
    conn.execute(SCHEMAS)


def dress_server(conn: psycopg.Connection[Any]) -> None:
    """Give a server on which nobody has migrated yet Supabase's roles."""
    conn.execute(ROLES)


def dress_wholly(conn: psycopg.Connection[Any]) -> None:
    """Give an empty database of such a server all of Supabase, to be used as :data:`LOGIN`."""
    conn.execute(SCHEMAS)
    conn.execute(GRANTS)
    conn.execute(f'grant all on database "{conn.info.dbname}" to {LOGIN}'.encode())
