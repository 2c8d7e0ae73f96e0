-- What search goes by: for every fact that is in force its words and its vectors, beside it and keyed by its whole scope.
-- A search reads one range of each primary key, which holds all that it looks at, and nothing of any other scope. There
-- is no index by vector or by word: row-level security would keep it from being used, or it would lose the nearest rows
-- of a small scope among those of others.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;


-- Words: which ones a fact has, by their hashes, as a sparse vector of ones; and how many. A long fact has several rows,
-- since an entry of an index is at most 2,704 bytes. Names are in it as well, marked `@`.
create table terms (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  fact_id     uuid not null,
  part        smallint not null,
  whole       boolean not null,             -- there is no other part
  length      smallint not null,            -- of the whole fact, in different lexemes
  words       sparse not null,
  live        tstzrange,                    -- when the fact is to be found; null: always
  primary key (tenant_id, owner_id, scope, scope_id, fact_id, part) include (whole, length, words, live),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id))
);

create index terms_parts on terms (tenant_id, owner_id, scope, scope_id, fact_id) where not whole;

-- Vectors: of one text by one model, the name of which ends in its dimensions, so that vectors of two models, or of two
-- lengths, never meet. Up to 1,024 numbers a vector is in the index itself; of a longer one, the signs of its numbers are.
create table vectors (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  model       text not null check (model ~ '^.{1,190}/[0-9]{1,4}$'),
  fact_id     uuid not null,
  short       vec,
  long        vec,
  signs       varbit,
  large       integer,                      -- the number of its scope, if that has an index of its own
  live        tstzrange,
  primary key (tenant_id, owner_id, scope, scope_id, model, fact_id) include (short, signs, live),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id)),
  check (num_nonnulls(short, long) = 1 and (long is null) = (signs is null))
) with (toast_tuple_target = 8160);         -- a vector stays in its row
alter table vectors alter column short set storage main, alter column long set storage main;

-- A covering index is read without its table only where the table is known to be all visible: vacuum early.
alter table terms set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
alter table vectors set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);

alter table terms enable row level security;
alter table terms force row level security;
create policy read on terms for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on terms for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on terms for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert, delete on terms to memoranda_rules;

alter table vectors enable row level security;
alter table vectors force row level security;
create policy read on vectors for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on vectors for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on vectors for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert, delete on vectors to memoranda_rules;

-- Texts that a model will not embed, and why: set aside, so that they hold up nothing.
create table unembeddable (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  model       text not null,
  fact_id     uuid not null,
  reason      text not null check (char_length(reason) between 1 and 300),
  at          timestamptz not null default clock_timestamp(),
  primary key (tenant_id, owner_id, scope, scope_id, model, fact_id),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id))
);
alter table unembeddable enable row level security;
alter table unembeddable force row level security;
create policy read on unembeddable for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on unembeddable for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on unembeddable for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert (tenant_id, owner_id, scope, scope_id, model, fact_id, reason), delete on unembeddable to memoranda_rules;

-- Vectors of what is not in force, apart from those that search reads: of what waits for a person, to be found once it is
-- approved; and of what was rejected or forgotten, so that the like of it is known when it comes again.
create table vectors_aside (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  model       text not null check (model ~ '^.{1,190}/[0-9]{1,4}$'),
  fact_id     uuid not null,
  vector      vec not null,
  primary key (tenant_id, owner_id, scope, scope_id, model, fact_id),
  foreign key (tenant_id, owner_id, scope, scope_id, fact_id) references facts,
  check (is_place(owner_id, scope, scope_id))
);
alter table vectors_aside enable row level security;
alter table vectors_aside force row level security;
create policy read on vectors_aside for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on vectors_aside for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on vectors_aside for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert, delete on vectors_aside to memoranda_rules;


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- Where a lexeme stands among the 2^28 dimensions. Two in one place do little harm, and take 20,000 words in a scope to be likely.
create function dimension(p_lexeme text) returns integer
language sql immutable parallel safe
return 1 + (hashtextextended(p_lexeme, 0) & 268435455)::integer;

-- When a fact is in force: null when that is always, empty when that is never.
create function live_in(p_from timestamptz, p_until timestamptz) returns tstzrange
language sql immutable parallel safe
return case when p_from is null and p_until is null then null
            when p_from >= p_until then 'empty'
            else tstzrange(p_from, p_until) end;

-- Enters facts into the words.
create function index_terms(p_facts facts[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into terms (tenant_id, owner_id, scope, scope_id, fact_id, part, whole, length, words, live)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, part, cardinality(w.places) <= 250, least(w.length, 32767),
         ('{' || array_to_string(w.places[250 * part + 1 : 250 * part + 250], ':1,') || ':1}/268435456')::sparse,
         live_in(f.valid_from, least(f.valid_until, f.expires_at, f.holds_until))
    from unnest(p_facts) as f
   cross join lateral (
     select array_agg(place order by place) as places, count(*) filter (where is_word) as length
       from (
         select place, bool_or(is_word) as is_word from (
           select dimension(lexeme) as place, lexeme !~ '^=' as is_word
             from unnest(lexemes(concat_ws(' ', f.content, f.key, array_to_string(f.tags, ' ')))) as lexeme
           union all
           select dimension('@' || fold(entity)), false from unnest(f.entities) as entity
         ) as found
          group by place
       ) as counted) as w
   cross join lateral generate_series(0, (cardinality(w.places) - 1) / 250) as part
   where f.kind <> 'transcript';                          -- those are found by meaning alone
end $$;

-- A vector as a client sends it, `[0.1,0.2,...]`, as long as its model's are.
create function vector_in(p_vector text, p_model text) returns vec
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
declare
  made vec;
begin
  if p_vector is null then
    return null;
  end if;
  begin
    made := p_vector::vec;
  exception when others then
    raise exception using errcode = 'MEVEC', message = 'that is not a vector: up to 4000 numbers, none beyond 65504, none of them nan';
  end;
  if p_model is null or p_model !~ '^.{1,190}/[0-9]{1,4}$' or dimensions(made) <> split_part(p_model, '/', -1)::integer then
    raise exception using errcode = 'MEVEC', message = 'a vector comes with the name of its model, which ends in its length';
  end if;
  if norm(made) = 0 then
    raise exception using errcode = 'MEVEC', message = 'a vector of zeros has no direction';
  end if;
  return made;
end $$;

create function index_vectors(p_facts facts[], p_vectors vec[], p_model text) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into vectors (tenant_id, owner_id, scope, scope_id, model, fact_id, short, long, signs, large, live)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id,
         case when dimensions(f.unnest) <= 1024 then f.unnest end, case when dimensions(f.unnest) > 1024 then f.unnest end,
         case when dimensions(f.unnest) > 1024 then signs(f.unnest) end,
         (select l.number from large_scopes l where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                                                  = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model)),
         live_in(f.valid_from, least(f.valid_until, f.expires_at, f.holds_until))
    from unnest(p_facts, p_vectors) as f                   -- whose last column, the vector, is named after the function
   where f.unnest is not null
      on conflict do nothing;
end $$;

-- Keeps the vectors of facts that are not in force.
create function index_aside(p_facts facts[], p_vectors vec[], p_model text) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  insert into vectors_aside (tenant_id, owner_id, scope, scope_id, model, fact_id, vector)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id, f.unnest
    from unnest(p_facts, p_vectors) as f                   -- whose last column, the vector, is named after the function
   where f.unnest is not null
      on conflict do nothing
$$;

-- Takes facts out of force, their vectors kept aside.
create function set_aside(p place, p_ids uuid[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into vectors_aside (tenant_id, owner_id, scope, scope_id, model, fact_id, vector)
  select v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id, coalesce(v.short, v.long) from vectors v
   where (v.tenant_id, v.owner_id, v.scope, v.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and v.fact_id = any (p_ids)
      on conflict do nothing;
  perform unindex(p, p_ids);
end $$;

-- Gives a fact that has come into force the vectors that were kept aside, of itself or of another with its content.
create function index_from_aside(f facts, p_from uuid) returns boolean
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  kept   record;
  found_ boolean := false;
begin
  for kept in select a.model, a.vector from vectors_aside a
     where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id) = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_from)
  loop
    perform index_vectors(array[f], array[kept.vector], kept.model);
    found_ := true;
  end loop;
  delete from vectors_aside a
   where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id) = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id);
  return found_;
end $$;

-- What is not in force is not found.
create function unindex(p place, p_ids uuid[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if cardinality(p_ids) > 0 then
    delete from terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                          and t.fact_id = any (p_ids);
    delete from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                            and v.fact_id = any (p_ids);
    delete from unembeddable u where (u.tenant_id, u.owner_id, u.scope, u.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                                 and u.fact_id = any (p_ids);
  end if;
end $$;

-- The facts in force that have no vector of a model yet, oldest first: {"model", "limit"}. With {"aside": true} those, too, that are
-- not in force and have one of another model aside: when the model is changed.
create function vectors_missing(p_place jsonb, p_wanted jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p       place := enter(p_place, 'read');
  wanted  text := p_wanted ->> 'model';
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'content', m.content) order by m.created_at, m.id), '[]') from (
      select f.id, f.content, f.created_at from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and (f.status = 'confirmed' or f.holds_until > now()
              or (p_wanted ->> 'aside')::boolean and exists (
                   select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id)
                                                   = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)))
         and not exists (select from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id)
                                                   = (p.tenant_id, p.owner_id, p.scope, p.scope_id, wanted, f.id))
         and not exists (select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.model, a.fact_id)
                                                         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, wanted, f.id))
         and not exists (select from unembeddable u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.model, u.fact_id)
                                                        = (p.tenant_id, p.owner_id, p.scope, p.scope_id, wanted, f.id))
       order by f.created_at, f.id
       limit greatest(1, least(1000, coalesce((p_wanted ->> 'limit')::numeric, 100)))
    ) as m);
end $$;

-- Puts vectors of facts in force: {"model", "vectors": [{"id", "vector"} or {"id", "reason"}]}, the latter for a text that
-- the model refuses. A fact's text never changes (a correction is another fact), so its id is all that a vector needs to
-- belong to it; one that went out of force meanwhile gets none, but with {"aside": true} beside those of other models.
create function vectors_put(p_place jsonb, p_made jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p      place := enter(p_place, 'write');
  model  text := p_made ->> 'model';
  each   jsonb;
  f      facts;
  put    integer := 0;
  aside  integer := 0;
begin
  for each in select value from jsonb_array_elements(p_made -> 'vectors') loop
    select * into f from facts g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (each ->> 'id')::uuid)
       and (g.status = 'confirmed' or g.holds_until > now()
            or (p_made ->> 'aside')::boolean and exists (
                 select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id)
                                                 = (p.tenant_id, p.owner_id, p.scope, p.scope_id, g.id))) for share;
    continue when not found;
    if each ? 'vector' and not (f.status = 'confirmed' or coalesce(f.holds_until > now(), false)) then
      perform index_aside(array[f], array[vector_in(each ->> 'vector', model)], model);
      put := put + 1;
    elsif each ? 'vector' then
      perform index_vectors(array[f], array[vector_in(each ->> 'vector', model)], model);
      put := put + 1;
    else
      insert into unembeddable (tenant_id, owner_id, scope, scope_id, model, fact_id, reason)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, model, f.id, coalesce(nullif(left(each ->> 'reason', 300), ''), 'refused'))
      on conflict do nothing;
      aside := aside + 1;
    end if;
  end loop;
  return jsonb_build_object('put', put, 'set_aside', aside);
end $$;

grant execute on function vectors_missing, vectors_put to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.vectors_missing(place jsonb, wanted jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.vectors_missing(place, wanted) $$;
create function memoranda.vectors_put(place jsonb, made jsonb) returns jsonb
language sql set search_path = '' as $$ select memoranda_private.vectors_put(place, made) $$;
grant execute on function memoranda.vectors_missing, memoranda.vectors_put to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
