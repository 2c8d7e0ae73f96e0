-- Large scopes: a scope with so many vectors that comparing all of them is slow gets an index of its own, by a maintenance
-- command (`memoranda index`), since no index over all scopes would find the nearest of one. The index is over the rows
-- with the scope's number, so that its definition, which everybody can read, names nobody.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service;

create table large_scopes (
  tenant_id  uuid not null,
  owner_id   uuid not null,
  scope      text not null,
  scope_id   text not null,
  model      text not null,
  number     integer not null,
  ready      boolean not null default false,              -- the index is there
  primary key (tenant_id, owner_id, scope, scope_id, model),
  check (is_place(owner_id, scope, scope_id))
);

alter table large_scopes enable row level security;
alter table large_scopes force row level security;
create policy read on large_scopes for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy registry on large_scopes to memoranda_service using (true) with check (true);
grant select on large_scopes to memoranda_rules;
grant select, insert (tenant_id, owner_id, scope, scope_id, model, number), update (ready) on large_scopes to memoranda_service;

-- The service counts vectors and numbers them. It sees whose they are and of which model, and no number of any.
create policy counting on vectors for select to memoranda_service using (true);
create policy numbering on vectors for update to memoranda_service using (true) with check (true);
grant select (tenant_id, owner_id, scope, scope_id, model, fact_id, large), update (large) on vectors to memoranda_service;


-- Maintenance: called by the login that migrates, as memoranda_service ------------------------------------------------------

set local role memoranda_service;

-- The numbers that are taken: also by an index whose scope was erased, until that is dropped.
create function large_scopes_used() returns table (number integer)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select l.number from large_scopes l
   union
  select substring(c.relname from '^vectors_large_([0-9]+)$')::integer from pg_class c
   where c.relnamespace = 'memoranda_private'::regnamespace and c.relname ~ '^vectors_large_[0-9]+$'
$$;

-- The statements that drop the indexes of scopes that were erased, each to be run by itself.
create function large_scopes_left() returns setof text
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select format('drop index concurrently if exists memoranda_private.vectors_large_%s', u.number)
    from large_scopes_used() u where not exists (select from large_scopes l where l.number = u.number)
$$;

-- Numbers the scopes that have at least so many vectors of a model, the largest first and 50 at most: each index costs every
-- search and every write a little. Returns those that have no index yet.
create function large_scopes_find(p_least integer) returns table (number integer, vectors bigint, dimensions integer)
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('large scopes', 0));      -- so that no number is given twice
  insert into large_scopes (tenant_id, owner_id, scope, scope_id, model, number)
  select v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model,
         (select coalesce(max(u.number), 0) from large_scopes_used() u) + row_number() over (order by count(*) desc)
    from vectors v
   where not exists (select from large_scopes l where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                                                    = (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model))
   group by v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model having count(*) >= p_least
   order by count(*) desc
   limit greatest(0, 50 - (select count(*) from large_scopes));
  return query
    select l.number, (select count(*) from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model)
                                                         = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)),
           split_part(l.model, '/', -1)::integer
      from large_scopes l where not l.ready order by l.number;
end $$;

-- Gives up to so many vectors of a scope its number; how many there were.
create function large_scopes_mark(p_number integer, p_most integer) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  l       large_scopes;
  marked  integer;
begin
  select * into strict l from large_scopes where number = p_number;
  update vectors v set large = p_number
    from (select w.fact_id from vectors w
           where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.model) = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
             and w.large is distinct from p_number order by w.fact_id limit p_most) as part
   where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id)
       = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model, part.fact_id);
  get diagnostics marked = row_count;
  return marked;
end $$;

create function large_scopes_ready(p_number integer) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ update large_scopes set ready = true where number = p_number $$;

-- The statements that make a scope's index, each to be run by itself: they lock nobody out, and so can't be part of a
-- transaction. What a run that was broken off has left is dropped first.
create function large_scopes_index(p_number integer) returns setof text
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select format('drop index concurrently memoranda_private.vectors_large_%s', p_number)
    from pg_class c join pg_index i on i.indexrelid = c.oid
   where c.relname = 'vectors_large_' || p_number and c.relnamespace = 'memoranda_private'::regnamespace and not i.indisvalid
   union all
  select format('create index concurrently if not exists vectors_large_%s on memoranda_private.vectors '
                'using hnsw ((%s::%s.halfvec(%s)) %3$s.halfvec_cosine_ops) where large = %1$s',
                l.number, case when split_part(l.model, '/', -1)::integer <= 1024 then 'short' else 'long' end,
                (select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector'),
                split_part(l.model, '/', -1))
    from large_scopes l where l.number = p_number
$$;


-- Search ----------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- By meaning, where one of the places has an index of its own: nearly always the same as by comparing all, in a fraction of
-- the time. Nothing comes back when an index does not bring as many as were asked for: then all are to be compared.
create function search_large(p_places place[], p_vector vec, p_model text, p_count integer)
returns table (place integer, fact_id uuid, similarity double precision)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set enable_sort = off                     -- the order comes from the index, also where the planner thinks little of it
as $$
declare
  home    text := (select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector');
  number  integer;
  near    search_lane;
  merged  search_lane := row('{}', '{}', '{}', null, null);
begin
  perform set_config('hnsw.ef_search', greatest(200, least(1000, 2 * p_count))::text, true),
          set_config('hnsw.iterative_scan', 'relaxed_order', true);
  for at in 1 .. cardinality(p_places) loop
    number := (select l.number from large_scopes l
                where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                    = (p_places[at].tenant_id, p_places[at].owner_id, p_places[at].scope, p_places[at].scope_id, p_model) and l.ready);
    if number is null then
      select array_agg(at), array_agg(m.fact_id), array_agg(m.similarity), null, null into near
        from search_meaning(p_places[at:at], p_vector, p_model, null, p_count) as m;
    else
      -- Only the cast needs its numbers in the text; every value is a parameter.
      execute format(
        'select array_agg($7), array_agg(n.fact_id), array_agg(n.similarity), null, null from (
           select v.fact_id, 1 - (v.%1$s::%2$s.halfvec(%3$s) operator(%2$s.<=>) $1::%2$s.halfvec(%3$s)) as similarity
             from vectors v
            where v.large = %4$s and v.tenant_id = $2 and v.owner_id = $3 and v.scope = $4 and v.scope_id = $5
              and (v.live is null or v.live @> now())
            order by v.%1$s::%2$s.halfvec(%3$s) operator(%2$s.<=>) $1::%2$s.halfvec(%3$s) limit $6) as n',
        case when dimensions(p_vector) <= 1024 then 'short' else 'long' end, home, dimensions(p_vector), number)
        into near
        using p_vector, p_places[at].tenant_id, p_places[at].owner_id, p_places[at].scope, p_places[at].scope_id, p_count, at;
      if coalesce(cardinality(near.ids), 0) < p_count then
        return;
      end if;
    end if;
    merged.at := merged.at || near.at;
    merged.ids := merged.ids || near.ids;
    merged.similarities := merged.similarities || near.similarities;
  end loop;
  return query
    select u.place, u.fact_id, u.similarity from unnest(merged.at, merged.ids, merged.similarities) as u (place, fact_id, similarity)
     order by u.similarity desc, u.fact_id limit p_count;
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules, memoranda_service;
reset role;
