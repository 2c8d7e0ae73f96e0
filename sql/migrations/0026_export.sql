-- Export: what a place holds, page by page, in the rows of the format that docs/export.md describes. Nothing is changed.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- The scopes in which a user has anything, in one tenant. An organisation's memory is not theirs.
create function export_scopes(p_place jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p   place := enter(p_place, 'read');
  me  uuid := uid();
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('scope', s.scope, 'scope_id', s.scope_id) order by s.scope, s.scope_id), '[]') from (
      select f.scope, f.scope_id from facts f where f.tenant_id = p.tenant_id and f.owner_id = me
       union
      select f.scope, f.scope_id from files f where f.tenant_id = p.tenant_id and f.owner_id = me
       union
      select t.scope, t.scope_id from tombstones t where t.tenant_id = p.tenant_id and t.owner_id = me
       union
      select m.scope, m.scope_id from messages m where m.tenant_id = p.tenant_id and m.owner_id = me) as s);
end $$;

-- The facts of a page, with what stands beside them: all, or only those in force and waiting, without what stands beside.
create function export_facts(p place, p_after uuid, p_limit integer, p_history boolean) returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(f.id), octet_length(f.content),
         to_jsonb(f) - array['tenant_id', 'owner_id', 'scope', 'scope_id', 'value_hash', 'template_hash']
         || case when not p_history then '{}' else jsonb_build_object(
              'has_template', f.template_hash is not null,
              'indexed', exists (select from terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
                                                         = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)),
              'uses', (select jsonb_build_object('seen_count', u.seen_count, 'use_count', u.use_count, 'last_used_at', u.last_used_at)
                         from fact_uses u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.fact_id)
                                              = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id))) end
    from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.id > coalesce(p_after, nobody()) and (p_history or f.status in ('confirmed', 'pending') or f.holds_until > now())
   order by f.id limit p_limit
$$;

-- The vectors of a page, and the texts that a model refused: a row for each fact and model.
create function export_vectors(p place, p_after jsonb, p_limit integer) returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(v.fact_id, v.model), coalesce(octet_length(v.vector), 0),
         jsonb_build_object('fact_id', v.fact_id, 'model', v.model, 'vector', v.vector, 'aside', v.aside, 'refused', v.refused, 'at', v.at)
    from (
      select x.fact_id, x.model, coalesce(x.short, x.long)::text as vector, false as aside, null::text as refused, null::timestamptz as at
        from vectors x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id
      union all
      select x.fact_id, x.model, x.vector::text, true, null, null from vectors_aside x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id
      union all
      select x.fact_id, x.model, null, false, x.reason, x.at from unembeddable x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id) as v
   where (v.fact_id, v.model) > (coalesce((p_after ->> 0)::uuid, nobody()), coalesce(p_after ->> 1, ''))
   order by v.fact_id, v.model limit p_limit
$$;

-- Tombstones, with the text that they are about where it is still here: a hash is worth nothing elsewhere.
create function export_tombstones(p place, p_after jsonb, p_limit integer) returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(encode(t.value_hash, 'hex'), t.key), coalesce(octet_length(f.content), 0),
         to_jsonb(t) - array['tenant_id', 'owner_id', 'scope', 'scope_id', 'value_hash', 'template_hash']
         || jsonb_build_object('value_hash', encode(t.value_hash, 'hex'), 'content', f.content, 'has_template', t.template_hash is not null)
    from tombstones t
    left join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
   where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id
     and (t.value_hash, t.key) > (decode(coalesce(p_after ->> 0, ''), 'hex'), coalesce(p_after ->> 1, ''))
   order by t.value_hash, t.key limit p_limit
$$;

create function export_files(p place, p_after uuid, p_limit integer, p_history boolean) returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(f.id), octet_length(f.content), to_jsonb(f) - array['tenant_id', 'owner_id', 'scope', 'scope_id']
    from files f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.id > coalesce(p_after, nobody()) and (p_history or f.status = 'current')
   order by f.id limit p_limit
$$;

create function export_revisions(p place, p_after jsonb, p_limit integer) returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(r.subject, r.subject_id, r.version), pg_column_size(r.state),
         to_jsonb(r) - array['tenant_id', 'owner_id', 'scope', 'scope_id']
         || jsonb_build_object('state', r.state - array['tenant_id', 'owner_id', 'scope', 'scope_id'])
    from revisions r
   where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
     and (r.subject, r.subject_id, r.version)
       > (coalesce(p_after ->> 0, ''), coalesce((p_after ->> 1)::uuid, nobody()), coalesce((p_after ->> 2)::integer, 0))
   order by r.subject, r.subject_id, r.version limit p_limit
$$;

-- One's own runs that have written here, with what they had read.
create function export_runs(p place, p_after text, p_limit integer) returns table (after jsonb, bytes bigint, row_ jsonb)
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
begin
  return query
  select jsonb_build_array(r.run_id), octet_length(r.sources::text)::bigint, to_jsonb(r) - array['tenant_id', 'owner_id'] from runs r
   where r.tenant_id = p.tenant_id and r.owner_id = uid() and r.run_id > coalesce(p_after, '')
     and (exists (select from revisions v where v.tenant_id = p.tenant_id and v.owner_id = p.owner_id and v.scope = p.scope
                                            and v.scope_id = p.scope_id and v.run_id = r.run_id)
          or exists (select from messages m where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope
                                              and m.scope_id = p.scope_id and m.run_id = r.run_id))
   order by r.run_id limit p_limit;
end $$;

-- A page: {"kind", "after", "limit", "history", "vectors"}. It ends after so many rows, or two megabytes of text, whichever comes first:
-- {"rows", "after"}, where after is null when there is no more. The kind `mark` says by what it is known whether anything was
-- written between two pages, and by which salt hashes are made here.
create function export_page(p_place jsonb, p_page jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'read');
  kind_    text := coalesce(p_page ->> 'kind', '');
  after_   jsonb := coalesce(p_page -> 'after', 'null');
  most     integer := greatest(1, least(1000, coalesce((p_page ->> 'limit')::numeric, 500)));
  history  boolean := coalesce((p_page ->> 'history')::boolean, true);
  vectors_ boolean := coalesce((p_page ->> 'vectors')::boolean, false);
  rows_    jsonb;
  last     jsonb;
  found_   integer;
  taken    integer;
begin
  if p_page - array['kind', 'after', 'limit', 'history', 'vectors'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a page has kind, after, limit, history and vectors, and nothing else';
  end if;
  if kind_ = 'mark' then
    return jsonb_build_object(
      'tenant', p.tenant_id, 'user', uid(), 'now', now(), 'salt', encode(secret_hash(p.tenant_id, 'memoranda export'), 'hex'),
      'written', (select jsonb_build_array(count(*), max(r.at)) from revisions r
                   where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id),
      'said', (select jsonb_build_array(count(*), max(greatest(m.created_at, m.edited_at))) from messages m
                where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope and m.scope_id = p.scope_id));
  end if;
  if kind_ not in ('run', 'fact', 'vector', 'tombstone', 'file', 'message', 'revision') then
    raise exception using errcode = 'MEINP', message = 'a page is of runs, facts, vectors, tombstones, files, messages or revisions';
  end if;
  -- (Each of these runs only for its kind, and sees where to go on only then: what others go on from is of another type.)
  with page as (
    select * from export_facts(p, case kind_ when 'fact' then after_ ->> 0 end::uuid, most, history) where kind_ = 'fact'
    union all select * from export_vectors(p, case kind_ when 'vector' then after_ end, most) where kind_ = 'vector'
    union all select * from export_tombstones(p, case kind_ when 'tombstone' then after_ end, most) where kind_ = 'tombstone'
    union all select * from export_files(p, case kind_ when 'file' then after_ ->> 0 end::uuid, most, history) where kind_ = 'file'
    union all select * from export_messages(p, case kind_ when 'message' then after_ ->> 0 end::uuid, most, history, vectors_) where kind_ = 'message'
    union all select * from export_revisions(p, case kind_ when 'revision' then after_ end, most) where kind_ = 'revision'
    union all select * from export_runs(p, case kind_ when 'run' then after_ ->> 0 end, most) where kind_ = 'run'
  ), counted as (
    select page.*, row_number() over () as n, sum(page.bytes) over (rows unbounded preceding) - page.bytes as before, count(*) over () as of from page
  )
  select jsonb_agg(c.row_ order by c.n), (array_agg(c.after order by c.n desc))[1], max(c.of), count(*) into rows_, last, found_, taken
    from counted c where c.before < 2000000;
  return jsonb_build_object('rows', coalesce(rows_, '[]'), 'after', case when taken < found_ or found_ = most then last end);
end $$;

grant execute on function export_scopes, export_page to authenticated, service_role;

set local role memoranda_owner;
create function memoranda.export_scopes(place jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.export_scopes(place) $$;
create function memoranda.export_page(place jsonb, page jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.export_page(place, page) $$;
grant execute on function memoranda.export_scopes, memoranda.export_page to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
