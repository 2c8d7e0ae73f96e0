-- Messages in exports and imports: the pages and rows of 0026 and 0028 that are of them. A message is known by its id in its chat; its
-- place there is its number, so that a chat comes back in its order.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_import;

create policy put_back on messages to memoranda_import
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert on messages to memoranda_import;

set local role memoranda_rules;
grant execute on function message_ref, chat_next to memoranda_import;

-- The messages of a page, chat by chat in their order; those that were deleted too, without which a late retry would bring them
-- back. On demand with their vectors, by model. With history it is said of which turns facts are still to be extracted.
create function export_messages(p place, p_after uuid, p_limit integer, p_history boolean, p_vectors boolean)
returns table (after jsonb, bytes bigint, row_ jsonb)
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_array(m.id),
         octet_length(m.content) + octet_length(m.data::text) + coalesce(octet_length(made.vectors::text), 0),
         to_jsonb(m) - array['tenant_id', 'owner_id', 'scope', 'scope_id']
         || case when made.vectors is null then '{}' else jsonb_build_object('vectors', made.vectors) end
         || case when p_history and m.role = 'user' and exists (
              select from work w where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
                                     = (m.tenant_id, m.owner_id, m.scope, m.scope_id, 'extract', m.turn) and w.dead_at is null)
            then '{"extract": true}' else '{}' end::jsonb
    from messages m
    left join lateral (
      select jsonb_object_agg(of_model.model, of_model.pieces) as vectors from (
        select v.model, jsonb_agg(coalesce(v.short, v.long)::text order by v.piece) as pieces from message_vectors v
         where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.message_id) = (m.tenant_id, m.owner_id, m.scope, m.scope_id, m.id)
         group by v.model) as of_model) as made on p_vectors
   where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.id > coalesce(p_after, nobody())
   order by m.id limit p_limit
$$;

-- What stands beside a message that has come in: words, vectors, and as work what it has none of.
create function import_said(p place, p_id uuid, p_row jsonb) returns void
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  m     messages;
  made  record;
begin
  select * into m from messages g
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_id)
     and g.role <> 'tool' and g.content <> '';
  if not found then
    return;
  end if;
  if not exists (select from message_terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.message_id)
                                                 = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_id)) then
    perform index_messages(array[m]);
    if jsonb_typeof(p_row -> 'vectors') is distinct from 'object' then
      perform queue_work(p, 'embed', array[m.id], null, 0);
    end if;
    if p_row -> 'extract' = 'true' then
      perform queue_work(p, 'extract', array[m.turn], null, 0);
    end if;
  end if;
  for made in select key, value from jsonb_each(nullif(p_row -> 'vectors', 'null')) loop
    perform index_pieces(m, made.key, made.value);
  end loop;
end $$;

-- A message that nobody has said here yet. It comes in at the end of its chat, as what an import brings: marked as such, and of no
-- run. What was deleted there leaves its id here, unless it stands here.
create function import_message(p place, p_row jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  next_  bigint := chat_next(p, p_row ->> 'chat');
  gone   boolean := p_row ->> 'deleted_at' is not null;
  there  messages;
  m      messages;
begin
  select * into there from messages g
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.chat, g.message_id)
       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'chat', p_row ->> 'message_id');
  if found then
    return case when there.deleted_at is not null and not gone then '{"outcome": "rejected", "rule": "deleted"}'::jsonb
                when there.deleted_at is null and gone then '{"outcome": "kept", "rule": "it was deleted there, and stands here"}'
                when there.content = p_row ->> 'content' then '{"outcome": "duplicate", "rule": "same id"}'
                else '{"outcome": "kept", "rule": "same id, another text"}' end;
  elsif char_length(p_row ->> 'content') > setting(p.tenant_id, 'message_characters')::integer or octet_length(p_row ->> 'data') > 1000000 then
    return '{"outcome": "failed", "rule": "too large"}';
  end if;
  insert into messages (tenant_id, owner_id, scope, scope_id, id, chat, message_id, turn, role, author, content, data, said_at, expires_at,
                        tainted)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, message_ref(p, p_row ->> 'chat', next_), p_row ->> 'chat', p_row ->> 'message_id',
          (p_row ->> 'turn')::uuid, p_row ->> 'role', p_row ->> 'author', p_row ->> 'content', coalesce(nullif(p_row -> 'data', 'null'), '{}'),
          least(clock_timestamp(), (p_row ->> 'said_at')::timestamptz), (p_row ->> 'expires_at')::timestamptz, true)
  returning * into m;
  if gone then
    update messages g set content = '', data = '{}', author = null, deleted_at = now()
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, m.id);
  else
    perform import_said(p, m.id, '{}');
  end if;
  return '{"outcome": "stored"}';
end $$;

grant execute on function import_said, import_message to memoranda_import;

set local role memoranda_import;

-- A message as it was, at its place in its chat; where another has that by now, at the end.
create function restore_message(p place, p_row jsonb) returns jsonb
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  m      messages := jsonb_populate_record(null::messages, p_row || to_jsonb(p));
  next_  bigint := chat_next(p, m.chat);
  old    messages;
begin
  m.id := message_ref(p, m.chat, ('x' || right(m.id::text, 8))::bit(32)::integer);
  select * into old from messages g
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.chat, g.message_id)
       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, m.chat, m.message_id);
  if old.id is not null and to_jsonb(old) - 'id' <> to_jsonb(m) - 'id' then
    return '{"outcome": "differs", "rule": "the message was changed since"}';
  elsif old.id is not null then
    perform import_said(p, old.id, p_row);
    return '{"outcome": "duplicate", "rule": "same id"}';
  end if;
  if exists (select from messages g where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id)
                                        = (p.tenant_id, p.owner_id, p.scope, p.scope_id, m.id)) then
    m.id := message_ref(p, m.chat, next_);
  end if;
  insert into messages select m.*;
  perform import_said(p, m.id, p_row);
  return '{"outcome": "restored"}';
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules, memoranda_import;
reset role;
