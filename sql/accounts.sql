-- What stands outside of our schemas, seen to at the end of every `memoranda init`: where there is a table of accounts, as on
-- Supabase, whoever is deleted from it is erased. Changes nothing the second time, nor where the login may make no trigger.
do $$
declare
  accounts  oid := (select c.oid from pg_class c join pg_namespace n on n.oid = relnamespace
                     where nspname = 'auth' and relname = 'users' and relkind in ('r', 'p'));
  login     text := current_user;
  whoever   text := current_setting('role');
  lent      boolean := not (select rolsuper from pg_roles where rolname = current_user);
begin
  if accounts is null or exists (select from pg_trigger where tgrelid = accounts and tgname = 'memoranda_erase') then
    return;
  end if;
  if not (has_schema_privilege('auth', 'usage') and has_table_privilege(accounts, 'trigger')) then
    raise notice 'memoranda: % may make no trigger on auth.users: erase who is deleted there with store.erase()', login;
    return;
  end if;
  -- To make a trigger takes the right to call its function; to set it off does not.
  if lent then
    set local role memoranda_owner;
    execute format('grant usage on schema memoranda_private to %I', login);
    set local role memoranda_erasure;
    execute format('grant execute on function memoranda_private.erase_account() to %I', login);
    perform set_config('role', whoever, true);
  end if;
  create trigger memoranda_erase after delete on auth.users
    for each row execute function memoranda_private.erase_account();
  if lent then
    set local role memoranda_erasure;
    execute format('revoke execute on function memoranda_private.erase_account() from %I', login);
    set local role memoranda_owner;
    execute format('revoke usage on schema memoranda_private from %I', login);
    perform set_config('role', whoever, true);
  end if;
end $$;
