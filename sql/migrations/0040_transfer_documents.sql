-- Documents in exports and imports. Only a service reads them, so they have a door of their own to go out by; they come in by the
-- same as all the rest (0028).

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_import;

create policy put_back on documents to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert on documents to memoranda_import;

set local role memoranda_rules;

-- A page of what is in a place, in the order of the keys: {"kind", "after", "limit"}, as in export_page. The kind `scopes` says in
-- which scopes the user has any, and `mark` by what it is known whether one was written or deleted between two pages.
create function documents_export(p_document jsonb, p_page jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  kind_   text := coalesce(p_page ->> 'kind', '');
  most    integer := greatest(1, least(1000, coalesce((p_page ->> 'limit')::numeric, 500)));
  found_  jsonb;
begin
  if kind_ not in ('scopes', 'mark', 'document') or p_page - array['kind', 'after', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a page is of scopes, a mark or documents, and has kind, after and limit';
  elsif kind_ = 'scopes' then
    select coalesce(jsonb_agg(jsonb_build_object('scope', s.scope, 'scope_id', s.scope_id) order by s.scope, s.scope_id), '[]') into found_
      from (select distinct d.scope, d.scope_id from documents d where d.tenant_id = p.tenant_id and d.owner_id = uid()) as s;
  elsif kind_ = 'mark' then
    select jsonb_build_array(count(*), max(d.version)) into found_ from documents d
     where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id);
  else
    with page as (
      select d.key, to_jsonb(d) - array['tenant_id', 'owner_id', 'scope', 'scope_id'] as row_, octet_length(d.content) as bytes
        from documents d
       where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and d.key > coalesce(p_page #>> '{after,0}', '')
       order by d.key limit most
    ), counted as (
      select page.*, sum(page.bytes) over (order by page.key) - page.bytes as before, count(*) over () as of from page)
    select jsonb_build_object('rows', coalesce(jsonb_agg(c.row_ order by c.key), '[]'),
                              'after', case when count(*) < max(c.of) or max(c.of) = most then jsonb_build_array(max(c.key)) end)
      into found_ from counted c where c.before < 2000000;
  end if;
  perform document_return(before);
  return found_;
end $$;
grant execute on function documents_export to service_role;

-- A document under a key where none stands; it gets a version of here.
create function import_document(p place, p_row jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  there  documents;
begin
  select * into there from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id, d.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'key');
  if found then
    return case when there.content = p_row ->> 'content' then '{"outcome": "duplicate", "rule": "same text"}'::jsonb
                else '{"outcome": "kept", "rule": "another text stands there"}' end;
  end if;
  insert into documents (tenant_id, owner_id, scope, scope_id, key, content, expires_at)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'key', p_row ->> 'content', (p_row ->> 'expires_at')::timestamptz);
  return '{"outcome": "stored"}';
end $$;
grant execute on function import_document to memoranda_import;

set local role memoranda_import;

create function restore_document(p place, p_row jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  d    documents := jsonb_populate_record(null::documents, p_row || to_jsonb(p));
  old  documents;
begin
  select * into old from documents x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, d.key);
  if old.key is not null then
    return case when old = d then '{"outcome": "duplicate", "rule": "same key"}'::jsonb
                else '{"outcome": "differs", "rule": "the document was changed since"}' end;
  end if;
  insert into documents select d.*;
  return '{"outcome": "restored"}';
end $$;


set local role memoranda_owner;

create function memoranda.documents_export(document jsonb, page jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.documents_export(document, page) $$;
grant execute on function memoranda.documents_export to service_role;

revoke create on schema memoranda_private from memoranda_rules, memoranda_import;
reset role;
