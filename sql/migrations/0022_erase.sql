-- Erasure: every trace of a user, of a scope or of a source is removed for good, with a receipt. A ring of its own does it. It is
-- bound to one owner at a time by row-level security, and deletes. It reads ids and times, and of what somebody wrote only names: the
-- ids of scopes, the keys and sources of facts, runs and what they had read; no content. Here are its rights, the map of what it
-- removes, and what it does at one place; the doors and receipts come after.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_erasure;


-- By the fact, so that removing one does not read all vectors of its scope to see that none is left. (Postgres 18 can skip
-- through the primary key; with 17, erasing 10,000 facts took half a minute.)
create index vectors_by_fact on vectors (tenant_id, owner_id, scope, scope_id, fact_id);
create index vectors_aside_by_fact on vectors_aside (tenant_id, owner_id, scope, scope_id, fact_id);


-- Whose rows it may touch -----------------------------------------------------------------------------------------------

-- The organisations whose memory may be erased: those that the user manages; or the one that service work is about.
create function erasing() returns uuid[]
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$ begin return tenants_with('manage') || nullif(current_setting('memoranda.lent', true), '')::uuid; end $$;

grant execute on function key_hash, uid, as_id(text, text), as_id(text, jsonb), name_id, nobody, is_place, my_tenants, tenants_with, erasing
  to memoranda_erasure;
set local role memoranda_rules;
grant execute on function enter to memoranda_erasure;
set local role memoranda_owner;

-- One's own rows, wherever they are: whoever has left an organisation has a right to erasure there, too.
create policy erase on facts to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on files to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on revisions to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on fact_uses to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on terms to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on vectors to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on vectors_aside to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on unembeddable to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on tombstones to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on large_scopes to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on idempotency_keys to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on erasures to memoranda_erasure
  using (owner_id = (select uid()) or scope = 'organization' and tenant_id = any ((select erasing())::uuid[]));
create policy erase on runs to memoranda_erasure using (owner_id = (select uid()));
create policy erase on members to memoranda_erasure using (user_id = (select uid()));
create policy erase on settings to memoranda_erasure using (tenant_id = (select uid()));
-- In an organisation's log, a user who is erased becomes nobody.
create policy unnamed on revisions for select to memoranda_erasure using (user_id = (select uid()) or user_id = nobody());
create policy unname on revisions for update to memoranda_erasure
  using (user_id = (select uid())) with check (user_id = (select uid()) or user_id = nobody());
-- A new salt, with which no hash in a backup can be found again.
create policy erase on tenants for update to memoranda_erasure using (tenant_id = (select uid()));
create policy erasing on tenants for select to memoranda_owner using (tenant_id = any ((select erasing())::uuid[]));
-- A user is looked for in one tenant after the other.
create policy round on tenants for select to memoranda_erasure using (true);

grant select (tenant_id, owner_id, scope, scope_id, id, key, status, source, supersedes, superseded_by, holds_until, proposes, expires_at,
              created_at), update (status, supersedes, superseded_by, holds_until, proposes), delete on facts to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, id, created_at), delete on files to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, subject, subject_id, user_id, run_id, at), update (user_id), delete
  on revisions to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, fact_id), delete on fact_uses, terms, vectors, vectors_aside, unembeddable
  to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, fact_id, created_at), update (fact_id, template_hash), delete
  on tombstones to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id), delete on large_scopes to memoranda_erasure;
grant select (tenant_id, owner_id, scope, scope_id, outcome, created_at, erased_at), update (payload_hash, outcome, erased_at)
  on idempotency_keys to memoranda_erasure;
grant select, insert on erasures to memoranda_erasure;
grant select (tenant_id, owner_id, run_id, sources, first_at), update (sources), delete on runs to memoranda_erasure;
grant select, delete on members to memoranda_erasure;
grant select (tenant_id, updated_at), delete on settings to memoranda_erasure;
grant select (tenant_id, kind), update (salt) on tenants to memoranda_erasure;


-- The map ---------------------------------------------------------------------------------------------------------------

set local role memoranda_erasure;

-- Every table, in the order in which it is emptied; what becomes of its rows; which they are, of a tenant $1 and an owner $2, in
-- the scope $3 with the id $4 (null: in all), and if $5 is not null, of the facts $5 and the files, messages and turns $6 alone;
-- which of them are older than the time $7; and in which columns it holds text, JSON or vectors. All of it is constant: what a call brings is
-- only ever a parameter. A test fails when a table or a column is not in it.
create function erasure_map() returns table (step integer, name text, fate text, rows_ text, older text, texts text[])
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select row_number() over ()::integer, m.name, m.fate,
         replace(replace(m.rows_, 'PLACE', 'x.tenant_id = $1 and x.owner_id = $2 and ($3 is null or x.scope = $3 and x.scope_id = $4)'),
                 'FACT', '($5 is null or x.fact_id = any ($5))'),
         replace(replace(m.older, 'NO LATER SAID', 'not exists (select from messages f where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) '
                                                   '= (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.message_id) and f.created_at > $7)'),
                 'NO LATER', 'not exists (select from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) '
                                      '= (x.tenant_id, x.owner_id, x.scope, x.scope_id) and f.created_at > $7'),
         m.texts
    from (values
      ('fact_uses', 'deleted', 'PLACE and FACT', 'NO LATER and f.id = x.fact_id)', '{scope_id}'::text[]),
      ('terms', 'deleted', 'PLACE and FACT', 'NO LATER and f.id = x.fact_id)', '{scope_id,words}'),
      ('vectors', 'deleted', 'PLACE and FACT', 'NO LATER and f.id = x.fact_id)', '{scope_id,model,short,long,signs}'),
      ('vectors_aside', 'deleted', 'PLACE and FACT', 'NO LATER and f.id = x.fact_id)', '{scope_id,model,vector}'),
      ('unembeddable', 'deleted', 'PLACE and FACT', 'NO LATER and f.id = x.fact_id)', '{scope_id,model,reason}'),
      ('tombstones', 'deleted', 'PLACE and FACT', 'x.created_at <= $7', '{scope_id,key,value_hash,template_hash}'),
      ('facts', 'deleted', 'PLACE and ($5 is null or x.id = any ($5))', 'x.created_at <= $7',
       '{scope_id,key,content,source,tags,entities,metadata,quote,value_hash,template_hash}'),
      ('files', 'deleted', 'PLACE and ($5 is null or x.id = any ($6))', 'x.created_at <= $7', '{scope_id,path,content}'),
      -- A run belongs to a user, and goes with the last scope that it has written in.
      ('runs', 'deleted', 'x.tenant_id = $1 and x.owner_id = $2 and ($3 is null or $5 is null
          and x.run_id in (select r.run_id from revisions r where (r.tenant_id, r.owner_id, r.scope, r.scope_id) = ($1, $2, $3, $4)
                           union all
                           select m.run_id from messages m where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = ($1, $2, $3, $4))
          and x.run_id not in (select r.run_id from revisions r
                                where (r.tenant_id, r.owner_id) = ($1, $2) and (r.scope, r.scope_id) <> ($3, $4) and r.run_id is not null
                               union all
                               select m.run_id from messages m
                                where (m.tenant_id, m.owner_id) = ($1, $2) and (m.scope, m.scope_id) <> ($3, $4) and m.run_id is not null))',
       'x.first_at <= $7', '{run_id,sources}'),
      ('message_terms', 'deleted', 'PLACE and ($5 is null or x.message_id = any ($6))', 'NO LATER SAID', '{scope_id,words}'),
      ('message_vectors', 'deleted', 'PLACE and ($5 is null or x.message_id = any ($6))', 'NO LATER SAID', '{scope_id,model,short,long,signs}'),
      ('work', 'deleted', '(PLACE or x.tenant_id = $1 and x.user_id = $2 and $3 is null) and ($5 is null or x.subject = any ($6))',
       'x.created_at <= $7', '{scope_id,reason}'),
      ('messages', 'deleted', 'PLACE and ($5 is null or x.id = any ($6))', 'x.created_at <= $7',
       '{scope_id,chat,message_id,author,content,data,run_id}'),
      ('documents', 'deleted', 'PLACE and $5 is null', 'x.created_at <= $7', '{scope_id,key,content}'),
      ('revisions', 'deleted', 'PLACE and ($5 is null or x.subject = ''fact'' and x.subject_id = any ($5) or x.subject = ''file'' and x.subject_id = any ($6))', 'x.at <= $7',
       '{scope_id,state,run_id,tool_call_id,reason,decision}'),
      ('large_scopes', 'deleted', 'PLACE and $5 is null', 'NO LATER)', '{scope_id,model}'),
      ('idempotency_keys', 'emptied', 'x.tenant_id = $1 and $5 is null and x.erased_at is null
          and (x.owner_id = $2 and ($3 is null or x.scope = $3 and x.scope_id = $4)
               or $3 = ''organization'' and x.scope = ''organization'')',
       'x.created_at <= $7', '{scope_id,key_hash,payload_hash,outcome}'),
      ('settings', 'deleted', 'x.tenant_id = $1 and $1 = $2 and $3 is null', 'x.updated_at <= $7', '{name,value}'),
      ('members', 'deleted', 'x.tenant_id = $1 and x.user_id = $2 and $3 is null', null, '{}'),
      ('tenants', 'another salt', null, null, '{salt,key_salt}'),
      ('erasures', 'kept: the marks', null, null, '{scope_id,source_hash,digest}'),
      ('migrations', 'kept: nobody''s', null, null, '{name,checksum}')
    ) as m (name, fate, rows_, older, texts)
$$;

-- How many rows there are of each table, by its name; of those that are older than a time, when there is one.
create function erasure_count(p place, p_facts uuid[], p_files uuid[], p_time timestamptz) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  m       record;
  counts  jsonb := '{}';
  n       bigint;
begin
  for m in select * from erasure_map() where rows_ is not null and (p_time is null or older is not null) order by step loop
    execute format('select count(*) from %I x where %s', m.name, m.rows_ || case when p_time is null then '' else ' and ' || m.older end)
      into n using p.tenant_id, p.owner_id, p.scope, p.scope_id, p_facts, p_files, p_time;
    counts := counts || jsonb_build_object(m.name, n);
  end loop;
  return counts;
end $$;

-- Keys of writes whose facts and files are gone: they are emptied, and stay, so that no late retry writes those again.
create function erasure_sweep(p place) returns bigint
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  swept bigint;
begin
  update idempotency_keys k set payload_hash = null, outcome = null, erased_at = clock_timestamp()
   where (k.tenant_id, k.scope, k.scope_id) = (p.tenant_id, p.scope, p.scope_id) and (k.owner_id = p.owner_id or p.scope = 'organization')
     and k.erased_at is null and k.outcome @? '$.** ? (exists (@.id))'
     and not exists (
       select from jsonb_path_query(k.outcome, 'strict $.**.id') as written
        where exists (select from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
                                              = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (written #>> '{}')::uuid))
           or exists (select from files f where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
                                              = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (written #>> '{}')::uuid))
           or exists (select from messages m where (m.tenant_id, m.owner_id, m.scope, m.scope_id, m.id)
                                                 = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (written #>> '{}')::uuid)));
  get diagnostics swept = row_count;
  return swept;
end $$;

-- Removes what the map says, at a place whose scope is null for all of an owner's; counts by table.
create function erasure_do(p place, p_facts uuid[], p_files uuid[]) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  m       record;
  counts  jsonb := '{}';
  n       bigint;
begin
  -- Whoever counts a use of a fact, or gives it a vector, has ended by then; nobody else begins.
  perform from facts x
    where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and (p.scope is null or x.scope = p.scope and x.scope_id = p.scope_id)
      and (p_facts is null or x.id = any (p_facts))
    order by x.id for update;
  if p_facts is not null then
    update facts f set
        supersedes = case when f.supersedes = any (p_facts) then null else f.supersedes end,
        superseded_by = case when f.superseded_by = any (p_facts) then null else f.superseded_by end,
        status = case when f.superseded_by = any (p_facts) then 'forgotten' else f.status end,
        holds_until = case when f.superseded_by = any (p_facts) then null else f.holds_until end,
        proposes = case when f.proposes = any (p_facts) then null else f.proposes end
      where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
        and (f.supersedes = any (p_facts) or f.superseded_by = any (p_facts) or f.proposes = any (p_facts)) and f.id <> all (p_facts);
  end if;
  for m in select * from erasure_map() where rows_ is not null order by step loop
    execute format(case m.fate when 'emptied' then 'update %I x set payload_hash = null, outcome = null, erased_at = clock_timestamp() where %s'
                               else 'delete from %I x where %s' end, m.name, m.rows_)
      using p.tenant_id, p.owner_id, p.scope, p.scope_id, p_facts, p_files;
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object(m.name, n);
  end loop;
  return counts;
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_erasure;
reset role;
