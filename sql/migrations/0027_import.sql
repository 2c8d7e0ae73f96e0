-- Import: what an export wrote comes in again. Either as any import does, by the rules of saving, to wait for a person; or put back
-- as it was, with its history and times, which a ring of its own does. Both only by the application's own server: a user could
-- else forge a history. The place is what the call says, never what the rows say.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_import;


-- What the ring may do: add rows of the one whose identity was lent, link facts and time them ----------------------------------

create policy put_back on facts to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy put_back on files to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy put_back on revisions to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy put_back on tombstones to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy put_back on runs to memoranda_import
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])));
grant select, insert, update (status, supersedes, superseded_by, holds_until, proposes, created_at, updated_at) on facts to memoranda_import;
grant select, insert on files, revisions, tombstones to memoranda_import;
grant select, insert, update (sources) on runs to memoranda_import;
grant execute on function uid, my_tenants, tenants_with, nobody, is_place, is_path, as_id(text, jsonb), as_id(text, text), name_id,
  secret_hash to memoranda_import;
set local role memoranda_erasure;
grant execute on function erasure_lend to memoranda_import;
set local role memoranda_owner;


-- By the rules ----------------------------------------------------------------------------------------------------------------

-- (When a text was refused by a model is told as it was.)
grant insert (at) on unembeddable to memoranda_rules;

set local role memoranda_rules;

-- Hashes of contents as values and as templates, as they are made here.
create function import_hashes(p place, p_contents text[], out value_hashes bytea[], out template_hashes bytea[])
language sql stable security definer set search_path = memoranda_private, pg_temp
as $$
  select secret_hashes(p.tenant_id, array(select plain(c) from unnest(p_contents) with ordinality as t (c, n) order by n)),
         secret_hashes(p.tenant_id, array(select case when char_length(c) <= 2000 then template_of(c) end
                                            from unnest(p_contents) with ordinality as t (c, n) order by n))
$$;

-- Where it goes; the call is an import's.
create function import_enter(p_place jsonb) returns place
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p place := enter(p_place, 'write');
begin
  if begin_write(p, 'import_rows', 'null', '{"actor": "import"}') is not null then
    raise exception using errcode = 'MECFL', message = 'this was erased while it was being imported';
  end if;
  return p;
end $$;

-- A row of an export as a fact to save. Whose words it was is kept in its metadata: from here on it is an import's.
create function import_fact_in(p_row jsonb) returns jsonb
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select (select jsonb_object_agg(key, value) from jsonb_each(p_row)
           where key in ('key', 'content', 'kind', 'source', 'importance', 'tags', 'entities', 'valid_from', 'expires_at', 'quote', 'vector', 'model')
             and value <> 'null')
    || jsonb_strip_nulls(jsonb_build_object(
         'origin', 'import', 'dedup', 'exact', 'review', case when p_row ->> 'status' = 'pending' then true end,
         'valid_until', least((p_row ->> 'valid_until')::timestamptz, (p_row ->> 'holds_until')::timestamptz)))
    || jsonb_build_object('metadata', case when coalesce(p_row -> 'metadata', 'null') = 'null' then '{}' else p_row -> 'metadata' end
         || case when p_row ->> 'origin' is null or p_row ->> 'origin' = 'import' then '{}'
                 else jsonb_build_object('imported_origin', p_row -> 'origin') end)
$$;

-- Saves facts that are neither here by their id nor by their value; says of each what became of it.
create function import_facts(p place, p_rows jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  hashes    bytea[] := secret_hashes(p.tenant_id, array(select plain(value ->> 'content') from jsonb_array_elements(p_rows)));
  ids       uuid[] := array(select (value ->> 'id')::uuid from jsonb_array_elements(p_rows));
  here      uuid[];
  rules     text[];
  firsts    integer[];
  news      integer[];
  outcomes  jsonb;
begin
  select array_agg(found_.id order by n), array_agg(found_.rule order by n) into here, rules
    from generate_subscripts(ids, 1) as n
    left join lateral (
      select f.id, case when f.id = ids[n] then 'same id' else 'same value' end as rule from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and (f.id = ids[n] or f.value_hash = hashes[n] and f.status in ('confirmed', 'pending')
                               and f.key is not distinct from (p_rows -> (n - 1) ->> 'key'))
       order by f.id = ids[n] desc limit 1) as found_ on true;
  -- Of those that say the same, the first.
  firsts := array(select min(n) over (partition by hashes[n], p_rows -> (n - 1) ->> 'key') from generate_subscripts(ids, 1) as n order by n);
  news := array(select n from generate_subscripts(ids, 1) as n where here[n] is null and firsts[n] = n);
  outcomes := save_all(p, (select coalesce(jsonb_agg(import_fact_in(p_rows -> (n - 1)) order by n), '[]') from unnest(news) as n), true, false,
                       array(select ids[n] from unnest(news) as n));
  return (
    select jsonb_agg(case when here[n] is not null then jsonb_build_object('outcome', 'duplicate', 'rule', rules[n], 'id', here[n])
                          when firsts[n] = n then outcomes -> (array_position(news, n) - 1)
                          else jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', ids[firsts[n]]) end order by n)
      from generate_subscripts(ids, 1) as n);
end $$;

-- A file that has no other in its way; what it says is an import's, and marked as such.
create function import_file(p place, p_row jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  target  text := path_in(p_row ->> 'path');
  there   files;
begin
  perform lock_files(p);
  there := file_at(p, target);
  if there.id is not null then
    return jsonb_build_object('outcome', case when there.content = p_row ->> 'content' then 'duplicate' else 'kept' end,
                              'rule', case when there.content = p_row ->> 'content' then 'same text' else 'another text stands there' end);
  end if;
  perform check_size(p, p_row ->> 'content');
  perform check_free(p, target);
  insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, target, p_row ->> 'content', 'current', true);
  perform check_quota(p);
  return '{"outcome": "stored"}';
end $$;

-- What was rejected or forgotten there is so here, unless it is in force here.
create function import_tombstone(p place, p_hash bytea, p_row jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
begin
  if exists (select from facts f where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
                and f.value_hash = p_hash and f.status in ('confirmed', 'pending')) then
    return '{"outcome": "kept", "rule": "its value is in force here, or waits"}';
  end if;
  insert into tombstones (tenant_id, owner_id, scope, scope_id, value_hash, key)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_hash, coalesce(p_row ->> 'key', '')) on conflict do nothing;
  return case when found then '{"outcome": "stored"}'::jsonb else '{"outcome": "duplicate", "rule": "same value"}' end;
end $$;

-- What stands beside facts that were put back: words, uses, and for rows of vectors those.
create function import_beside(p place, p_facts facts[], p_rows jsonb) returns void
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  f  facts;
begin
  perform index_terms(array(select g from unnest(p_facts) as g
                             where p_rows -> (g.id::text) -> 'indexed' = 'true'
                               and not exists (select from terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
                                                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, g.id))));
  foreach f in array p_facts loop
    insert into fact_uses (tenant_id, owner_id, scope, scope_id, fact_id, seen_count, use_count, last_used_at)
    select p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id, u.seen_count, u.use_count, u.last_used_at
      from jsonb_to_record(nullif(p_rows -> (f.id::text) -> 'uses', 'null')) as u (seen_count integer, use_count integer, last_used_at timestamptz)
     where u.seen_count is not null
        on conflict do nothing;
  end loop;
end $$;

-- A vector of a fact that is here, or the reason why it has none.
create function import_vector(p place, p_row jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  f    facts := fact_of(p, (p_row ->> 'fact_id')::uuid);
  v    vec := vector_in(p_row ->> 'vector', p_row ->> 'model');
begin
  if f.id is null then
    return '{"outcome": "failed", "rule": "its fact is not here"}';
  elsif exists (
      select from vectors x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)
      union all
      select from vectors_aside x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                      = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)
      union all
      select from unembeddable x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                     = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)) then
    return '{"outcome": "duplicate", "rule": "same id"}';
  elsif v is null then
    insert into unembeddable (tenant_id, owner_id, scope, scope_id, model, fact_id, reason, at)
    values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id, p_row ->> 'refused', (p_row ->> 'at')::timestamptz)
        on conflict do nothing;
  elsif coalesce((p_row ->> 'aside')::boolean, false) then
    perform index_aside(array[f], array[v], p_row ->> 'model');
  else
    perform index_vectors(array[f], array[v], p_row ->> 'model');
  end if;
  return '{"outcome": "restored"}';
end $$;

grant execute on function import_hashes, import_enter, import_facts, import_file, import_tombstone, import_beside, import_vector to memoranda_import;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules, memoranda_import;
reset role;
