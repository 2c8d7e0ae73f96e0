-- Messages: what was said, in the chat and the order in which it was said, and what recall goes by. A message is a record and no
-- claim: it can be edited and deleted by whose it is, and nothing keeps what it said before.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;

create table messages (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  id          uuid not null,                -- its chat and its number in it, see message_ref
  chat        text not null check (char_length(chat) <= 200),           -- empty: of no chat
  message_id  text check (message_id is not null and char_length(message_id) between 1 and 200),
  turn        uuid check (turn is not null),
  role        text not null check (role in ('user', 'assistant', 'tool')),
  author      text check (char_length(author) between 1 and 200),
  content     text not null check (char_length(content) <= 1000000),
  data        jsonb not null check (jsonb_typeof(data) = 'object'),     -- what else it holds: tool calls, kinds of parts
  said_at     timestamptz check (said_at is not null),
  expires_at  timestamptz,
  tainted     boolean not null,             -- stored by a run that had read untrusted material
  run_id      text,
  version     integer not null default 1,   -- counts the edits
  created_at  timestamptz not null default clock_timestamp(),
  edited_at   timestamptz,
  deleted_at  timestamptz,                  -- then it has no text any more, and stays so that it is not stored again
  primary key (tenant_id, owner_id, scope, scope_id, id),
  check (is_place(owner_id, scope, scope_id)),
  check (deleted_at is null or content = '' and data = '{}' and author is null)
);
-- (Each of these has a condition that looking for an id does not meet, as those of facts: see 0006.)
create unique index messages_by_name on messages (tenant_id, owner_id, scope, scope_id, chat, message_id) where message_id is not null;
create index messages_by_turn on messages (tenant_id, owner_id, scope, scope_id, turn) where turn is not null;
create index messages_newest on messages (tenant_id, owner_id, scope, scope_id, said_at desc, id desc) where said_at is not null;
create index messages_by_run on messages (tenant_id, owner_id, run_id) where run_id is not null;
create index messages_expiring on messages (tenant_id, owner_id, scope, scope_id, expires_at) where expires_at is not null;

-- Words, as those of facts (0007).
create table message_terms (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  message_id  uuid not null,
  part        smallint not null,
  parts       smallint not null,
  length      smallint not null,            -- of the whole message, in different lexemes
  by_user     boolean not null,
  words       sparse not null,
  live        tstzrange,                    -- until when it is found; null: always
  primary key (tenant_id, owner_id, scope, scope_id, message_id, part) include (parts, length, by_user, words, live),
  foreign key (tenant_id, owner_id, scope, scope_id, message_id) references messages,
  check (is_place(owner_id, scope, scope_id))
);

create index message_terms_parts on message_terms (tenant_id, owner_id, scope, scope_id, message_id) where parts > 1;

-- Vectors, as those of facts; one for each piece of a message.
create table message_vectors (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  model       text not null check (model ~ '^.{1,190}/[0-9]{1,4}$'),
  message_id  uuid not null,
  piece       smallint not null,
  short       vec,
  long        vec,
  signs       varbit,
  live        tstzrange,
  primary key (tenant_id, owner_id, scope, scope_id, model, message_id, piece) include (short, signs, live),
  foreign key (tenant_id, owner_id, scope, scope_id, message_id) references messages,
  check (is_place(owner_id, scope, scope_id)),
  check (num_nonnulls(short, long) = 1 and (long is null) = (signs is null))
) with (toast_tuple_target = 8160);         -- a vector stays in its row
alter table message_vectors alter column short set storage main, alter column long set storage main;
create index message_vectors_by_message on message_vectors (tenant_id, owner_id, scope, scope_id, message_id);

-- A covering index is read without its table only where the table is known to be all visible: vacuum early.
alter table message_terms set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
alter table message_vectors set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);

alter table messages enable row level security;
alter table messages force row level security;
create policy read on messages for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on messages for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on messages for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select on messages to memoranda_rules;
grant insert (tenant_id, owner_id, scope, scope_id, id, chat, message_id, turn, role, author, content, data, said_at, expires_at, tainted,
              run_id), update (author, content, data, version, edited_at, deleted_at) on messages to memoranda_rules;

alter table message_terms enable row level security;
alter table message_terms force row level security;
create policy read on message_terms for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on message_terms for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on message_terms for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert, delete on message_terms to memoranda_rules;

alter table message_vectors enable row level security;
alter table message_vectors force row level security;
create policy read on message_vectors for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on message_vectors for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy leave on message_vectors for delete to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select, insert, delete on message_vectors to memoranda_rules;

-- Time, version and what does not change belong to the database, whoever writes.
create function guard_message() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if old.deleted_at is not null then
    raise exception using errcode = '42501', message = 'a message that was deleted stays so';
  end if;
  new.version := old.version + 1;
  new.edited_at := clock_timestamp();
  new.deleted_at := case when new.deleted_at is not null then new.edited_at end;
  return new;
end $$;
create trigger guard before update on messages for each row execute function guard_message();


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- A message's id: 90 bits of the hash of its place and its chat, and then its number in the chat, as a UUID of version 8. So the
-- messages of a chat stand together in every index, in their order, and its neighbours are known by arithmetic.
create function message_ref(p place, p_chat text, p_number bigint) returns uuid
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select (left(name_id('chat', jsonb_build_array(p.tenant_id, p.owner_id, p.scope, p.scope_id, p_chat)::text)::text, 28)
            || lpad(to_hex(greatest(0, least(p_number, 2147483647))), 8, '0'))::uuid
$$;

-- The next number in a chat. Until the end of the transaction nobody else is given one there.
create function chat_next(p place, p_chat text) returns bigint
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('chat', p.tenant_id, p.owner_id, p.scope, p.scope_id, p_chat)::text, 0));
  return coalesce((select 1 + ('x' || right(g.id::text, 8))::bit(32)::integer from messages g
                    where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                      and g.id between message_ref(p, p_chat, 0) and message_ref(p, p_chat, 2147483647)
                    order by g.id desc limit 1), 0);
end $$;

-- The message so many places after one, or before it; null before the first.
create function message_near(p_id uuid, p_distance integer) returns uuid
language sql immutable strict parallel safe
return case when ('x' || right(p_id::text, 8))::bit(32)::integer + p_distance >= 0
            then (left(p_id::text, 28) || lpad(to_hex(('x' || right(p_id::text, 8))::bit(32)::integer + p_distance), 8, '0'))::uuid end;

-- What a message is found by: the day, who said it, and what.
create function message_heard(m messages) returns text
language sql stable
return concat_ws(' ', to_char(m.said_at at time zone 'UTC', 'FMDD FMMonth YYYY'), m.author, m.content);

-- A message as a client sees it.
create function message_out(m messages) returns jsonb
language sql stable
return jsonb_build_object(
  'id', m.message_id, 'ref', m.id, 'chat', nullif(m.chat, ''), 'turn', m.turn, 'role', m.role, 'author', m.author, 'text', m.content,
  'data', m.data, 'at', m.said_at, 'expires_at', m.expires_at, 'tainted', m.tainted, 'version', m.version, 'edited_at', m.edited_at,
  'tenant', m.tenant_id, 'scope', m.scope, 'scope_id', m.scope_id, 'run_id', m.run_id);

-- Enters messages into the words; what tools say is kept, and not found.
create function index_messages(p_messages messages[]) returns void
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  insert into message_terms (tenant_id, owner_id, scope, scope_id, message_id, part, parts, length, by_user, words, live)
  select m.tenant_id, m.owner_id, m.scope, m.scope_id, m.id, part, (cardinality(w.places) + 249) / 250, least(w.length, 32767),
         m.role = 'user', ('{' || array_to_string(w.places[250 * part + 1 : 250 * part + 250], ':1,') || ':1}/268435456')::sparse,
         live_in(null, m.expires_at)
    from unnest(p_messages) as m
   cross join lateral (
     select array_agg(place order by place) as places, count(*) filter (where is_word) as length
       from (
         select place, bool_or(is_word) as is_word from (
           select dimension(lexeme) as place, lexeme !~ '^=' as is_word from unnest(lexemes(message_heard(m))) as lexeme
           union all
           select dimension('@' || fold(m.author)), false where m.author is not null
         ) as found
          group by place
       ) as counted) as w
   cross join lateral generate_series(0, (cardinality(w.places) - 1) / 250) as part
   where m.role <> 'tool' and m.content <> '';
end $$;

-- What is not there, or says something else by now, is not found.
create function unindex_messages(p place, p_ids uuid[]) returns void
language sql set search_path = memoranda_private, pg_temp
as $$
  delete from message_terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                                and t.message_id = any (p_ids);
  delete from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                                  and v.message_id = any (p_ids);
$$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
