-- What has to stand before the first migration: a fit server, the inner roles, the two schemas, the ledger of migrations.
-- Runs at the start of every `memoranda init`, in the same transaction as the lock; changes nothing the second time.

-- 1. The server.
do $$
begin
  if current_setting('server_version_num')::integer < 170000 then
    raise exception using errcode = 'MESCH', message = 'Postgres ' || current_setting('server_version') || ' is too old',
      hint = 'memoranda needs Postgres 17 or newer.';
  end if;
  if (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()) <> 'UTF8' then
    raise exception using errcode = 'MESCH', message = 'this database is not UTF8',
      hint = 'Memory is text in every language: create the database with encoding ''UTF8''.';
  end if;
  if (select count(*) from pg_roles where rolname in ('anon', 'authenticated', 'service_role')) < 3 then
    raise exception using errcode = 'MESCH', message = 'the roles anon, authenticated and service_role are missing',
      hint = 'On Supabase they exist; on a server of your own run sql/supabase_shim.sql first (`memoranda init` does).';
  end if;
end $$;

-- 2. The extensions: where they are, or else in `extensions` if there is such a schema (Supabase), or in public.
do $$
declare
  home text := case when to_regnamespace('extensions') is null then 'public' else 'extensions' end;
  needed text;
begin
  foreach needed in array array['vector', 'pg_trgm'] loop
    begin
      if not exists (select from pg_extension where extname = needed) then
        execute format('create extension if not exists %I schema %I', needed, home);
      end if;
    exception
      when insufficient_privilege then
        raise exception using errcode = 'MEPRV', message = format('%I may not install the extension %s', current_user, needed),
          hint = format('Ask an administrator for: create extension %I schema %I;', needed, home);
      when feature_not_supported or undefined_file then
        raise exception using errcode = 'MESCH', message = format('this server has no extension %s', needed),
          hint = case needed when 'vector' then 'Install pgvector 0.8 or newer on the server.' else 'Install postgresql-contrib on the server.' end;
    end;
  end loop;
  -- The rules look functions up where the extensions live; who may create there could put a look-alike in their way.
  for needed in
    select nspname from pg_extension join pg_namespace n on n.oid = extnamespace
     where extname in ('vector', 'pg_trgm')
       and (has_schema_privilege('anon', n.oid, 'create') or has_schema_privilege('authenticated', n.oid, 'create'))
  loop
    raise exception using errcode = 'MEPRV', message = format('any API user may create objects in the schema %I, which holds the extensions', needed),
      hint = format('Ask an administrator for: revoke create on schema %I from public, anon, authenticated;', needed);
  end loop;
end $$;

-- 3. The inner roles: no login, no superuser, no bypass of row-level security. The login that migrates may become them
--    (SET) and does not inherit from them: a login that bypasses RLS, as Supabase's postgres does, would read every row.
do $$
declare
  needed text;
begin
  foreach needed in array array[
    'memoranda_owner',     -- owns schemas, tables and triggers
    'memoranda_rules',     -- owns the functions behind the doors: column grants, bound by row-level security
    'memoranda_service',   -- owns what only a service may call, across owners: keys, leases and members, never a text
    'memoranda_erasure',   -- owns what removes rows for good, of one owner at a time; reads keys, times and names, no content
    'memoranda_import'     -- owns what puts an export back as it was, its times and history included
  ] loop
    begin
      if not exists (select from pg_roles where rolname = needed) then
        execute format('create role %I nologin noinherit', needed);
      end if;
    exception
      when duplicate_object or unique_violation then null;   -- roles are shared by the server's databases
      when insufficient_privilege then
        raise exception using errcode = 'MEPRV', message = format('%I may not create the role %I', current_user, needed),
          hint = format('Ask an administrator for: alter role %I createrole;', current_user);
    end;
    if exists (select from pg_roles where rolname = needed and (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole
                                                                or rolcreatedb or rolreplication)) then
      raise exception using errcode = 'MESCH', message = format('the role %I could log in or get round row-level security', needed),
        hint = format('Ask an administrator for: alter role %I nologin nosuperuser nobypassrls nocreaterole nocreatedb '
                      'noreplication;', needed);
    end if;
    if exists (select from pg_auth_members where member = needed::regrole) then
      raise exception using errcode = 'MESCH', message = format('the role %I has the powers of another role', needed),
        hint = format('Ask an administrator to revoke the roles that were granted to %I.', needed);
    end if;
    begin
      if not pg_has_role(current_user, needed, 'set') then
        execute format('grant %I to %I with set true, inherit false', needed, current_user);
      end if;
    exception
      when insufficient_privilege then
        raise exception using errcode = 'MEPRV', message = format('the role %I belongs to another login of this server', needed),
          hint = format('Migrate as that login, or ask an administrator for: grant memoranda_owner, memoranda_rules, '
                        'memoranda_service, memoranda_erasure, memoranda_import to %I with admin option;', current_user);
    end;
  end loop;
end $$;

-- The rules must be able to see the extensions' functions.
do $$
declare
  home text;
begin
  for home in
    select distinct nspname from pg_extension join pg_namespace n on n.oid = extnamespace
     where extname in ('vector', 'pg_trgm')
       and not (has_schema_privilege('memoranda_rules', n.oid, 'usage') and has_schema_privilege('memoranda_owner', n.oid, 'usage'))
  loop
    -- Without grant option this is a warning, and no grant.
    execute format('grant usage on schema %I to memoranda_owner, memoranda_rules', home);
    if not has_schema_privilege('memoranda_rules', home, 'usage') then
      raise exception using errcode = 'MEPRV', message = format('%I may not open the schema %I to memoranda_rules', current_user, home),
        hint = format('Ask an administrator for: grant usage on schema %I to memoranda_owner, memoranda_rules;', home);
    end if;
  end loop;
end $$;

-- 4. The schemas: doors in the one that an API exposes, everything else in the one that none does.
do $$
declare
  whoever text := current_setting('role');
begin
  if to_regnamespace('memoranda_private') is null then
    begin
      create schema memoranda authorization memoranda_owner;            -- doors only
      create schema memoranda_private authorization memoranda_owner;    -- tables, rules, triggers
    exception
      when insufficient_privilege then
        raise exception using errcode = 'MEPRV', message = format('%I may not create schemas in this database', current_user),
          hint = format('Ask an administrator for: grant create on database %I to %I;', current_database(), current_user);
    end;
    set local role memoranda_owner;
    grant usage on schema memoranda to authenticated, service_role;
    -- Names only: no grant on any table follows, to anybody but the inner roles.
    grant usage on schema memoranda_private to authenticated, service_role, memoranda_rules, memoranda_service, memoranda_erasure,
      memoranda_import;
    -- Functions are open to PUBLIC by default: not these.
    alter default privileges revoke execute on functions from public;

    create table memoranda_private.migrations (
      number      integer primary key,
      name        text not null,
      breaking    boolean not null,          -- a client that does not know this migration cannot work with it
      checksum    text not null,             -- sha256 of the file: a rewritten migration is noticed, not guessed
      applied_at  timestamptz not null default clock_timestamp()
    );
    alter table memoranda_private.migrations enable row level security;
    alter table memoranda_private.migrations force row level security;
    create policy ledger on memoranda_private.migrations to memoranda_owner using (true) with check (true);

    set local role memoranda_rules;
    alter default privileges revoke execute on functions from public;
    set local role memoranda_service;
    alter default privileges revoke execute on functions from public;
    set local role memoranda_erasure;
    alter default privileges revoke execute on functions from public;
    set local role memoranda_import;
    alter default privileges revoke execute on functions from public;
    perform set_config('role', whoever, true);
  end if;
end $$;

-- Whoever owns the schemas can replace what is in them, the identity included.
do $$
begin
  if (select count(*) from pg_namespace where nspname in ('memoranda', 'memoranda_private') and nspowner = 'memoranda_owner'::regrole) < 2 then
    raise exception using errcode = 'MESCH', message = 'the schemas memoranda and memoranda_private do not belong to memoranda_owner',
      hint = 'They are not ours: rename or drop them, if nothing in them is needed.';
  end if;
end $$;
