-- Work to do: a narrow table of keys and leases, written in the transaction that makes the work. Nobody who takes work touches a text
-- or an index of search; a process that dies loses nothing, since its lease ends.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;

create table work (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  kind        text not null check (kind in ('embed', 'extract')),
  subject     uuid not null,                -- the message to embed; the turn to extract from
  user_id     uuid not null,                -- as whom it is done
  due_at      timestamptz not null,         -- from when on it may be taken; of what is taken, when the lease ends
  lease       uuid,                         -- of whoever has taken it
  claims      smallint not null default 0,  -- how often it was taken
  failures    smallint not null default 0,  -- how often it failed for reasons of its own
  waits       smallint not null default 0,  -- how often in a row it had to wait for somebody else: a server that is down, a quota
  reason      text check (char_length(reason) between 1 and 300),       -- why it failed last, in words of ours
  dead_at     timestamptz,                  -- it is not taken any more, until somebody says so
  created_at  timestamptz not null default clock_timestamp(),
  primary key (tenant_id, owner_id, scope, scope_id, kind, subject),
  check (is_place(owner_id, scope, scope_id))
) with (fillfactor = 70);
create index work_due on work (due_at) where dead_at is null;

alter table work enable row level security;
alter table work force row level security;
create policy read on work for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on work for insert to memoranda_rules
  with check (user_id = (select uid())
              and case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                             else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on work for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on work for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert (tenant_id, owner_id, scope, scope_id, kind, subject, user_id, due_at, lease),
  update (user_id, due_at, lease, claims, failures, waits, reason, dead_at), delete on work to memoranda_rules;

set local role memoranda_rules;

-- Writes down work. Whoever does it at once holds it for so many seconds, under a lease; what stood there begins anew.
create function queue_work(p place, p_kind text, p_subjects uuid[], p_lease uuid, p_seconds integer) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  insert into work (tenant_id, owner_id, scope, scope_id, kind, subject, user_id, due_at, lease)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, p_kind, subject, uid(),
         clock_timestamp() + make_interval(secs => case when p_lease is null then 0 else p_seconds end), p_lease
    from unnest(p_subjects) as subject
      on conflict (tenant_id, owner_id, scope, scope_id, kind, subject) do update
     set user_id = excluded.user_id, due_at = excluded.due_at, lease = excluded.lease, claims = 0, failures = 0, waits = 0,
         reason = null, dead_at = null
$$;

-- What is done, or has nothing left to be done to, is no work.
create function drop_work(p place, p_kind text, p_subjects uuid[]) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  delete from work w where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_kind)
                       and w.subject = any (p_subjects)
$$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
