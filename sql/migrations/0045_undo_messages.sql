-- Undo and messages: what the assistant and the tools of a run said is taken out of recall with what the run wrote. The record of what
-- was said stays, marked as withdrawn: a message is no claim, and of what was said nothing else keeps a copy. The user's own words
-- stay where they are. Whoever edits a message that is withdrawn says that it holds, and it is found again.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;

alter table messages add column withdrawn_at timestamptz;     -- then it is kept and listed, and not found
grant update (withdrawn_at) on messages to memoranda_rules;

-- Time, version and what does not change belong to the database, whoever writes.
create or replace function guard_message() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
begin
  if old.deleted_at is not null then
    raise exception using errcode = '42501', message = 'a message that was deleted stays so';
  end if;
  new.version := old.version + 1;
  new.edited_at := case when new.withdrawn_at is not null and old.withdrawn_at is null then old.edited_at else clock_timestamp() end;
  new.deleted_at := case when new.deleted_at is not null then new.edited_at end;
  new.withdrawn_at := case when new.withdrawn_at is not null then coalesce(old.withdrawn_at, clock_timestamp()) end;
  return new;
end $$;

set local role memoranda_rules;

-- A message as a client sees it.
create or replace function message_out(m messages) returns jsonb
language sql stable
return jsonb_build_object(
  'id', m.message_id, 'ref', m.id, 'chat', nullif(m.chat, ''), 'turn', m.turn, 'role', m.role, 'author', m.author, 'text', m.content,
  'data', m.data, 'at', m.said_at, 'expires_at', m.expires_at, 'tainted', m.tainted, 'version', m.version, 'edited_at', m.edited_at,
  'withdrawn_at', m.withdrawn_at, 'tenant', m.tenant_id, 'scope', m.scope, 'scope_id', m.scope_id, 'run_id', m.run_id);

-- The newest messages, for when the lanes find fewer than were asked for.
create or replace function recall_newest(p_places place[], p_filter recall_filter, p_count integer)
returns table (place integer, id uuid)
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
  return query
    select h.number::integer, n.id
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select m.id, m.said_at from messages m
        where m.tenant_id = h.tenant_id and m.owner_id = h.owner_id and m.scope = h.scope and m.scope_id = h.scope_id
          and m.said_at is not null and m.deleted_at is null and m.withdrawn_at is null and m.role <> 'tool'
          and m.content <> '' and coalesce(m.expires_at > now(), true)
          and (p_filter.low is null or m.id < p_filter.low[h.number] or m.id > p_filter.high[h.number])
          and (p_filter.among is null or m.id in (select unnest(p_filter.among)))
        order by m.said_at desc, m.id desc limit p_count) as n
     order by n.said_at desc, n.id desc limit p_count;
end $$;

-- What was said beside a message: so many before it, or for a negative number after it. They stand together in the primary key.
create or replace function recall_beside(p place, p_id uuid, p_count integer) returns jsonb
language plpgsql stable set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  before  integer := ('x' || right(p_id::text, 8))::bit(32)::integer;
  low     uuid := case when p_count > 0 then message_near(p_id, -least(p_count, before)) else message_near(p_id, 1) end;
  high    uuid := case when p_count > 0 then message_near(p_id, -1) else message_near(p_id, -p_count) end;
begin
  if p_count = 0 then
    return '[]';
  end if;
  return coalesce((
    select jsonb_agg(message_out(m) order by m.id) from messages m
     where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope and m.scope_id = p.scope_id
       and m.id between low and high and m.deleted_at is null and m.withdrawn_at is null and m.role <> 'tool' and m.content <> ''
       and coalesce(m.expires_at > now(), true)), '[]');
end $$;

-- What there is to embed of messages: {"subjects"}. Those that are gone are no work any more.
create or replace function work_texts(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p     place := enter(p_place, 'write');
  ids   uuid[] := array(select value::uuid from jsonb_array_elements_text(p_work -> 'subjects') limit 1000);
  left_ jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'version', m.version, 'text', m.content, 'at', m.said_at, 'author', m.author)), '[]')
    into left_ from messages m
   where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.id = any (ids)
     and m.deleted_at is null and m.withdrawn_at is null and m.role <> 'tool'
          and m.content <> '' and coalesce(m.expires_at > now(), true);
  perform drop_work(p, 'embed', array(select i from unnest(ids) as i
                                       where not left_ @> jsonb_build_array(jsonb_build_object('id', i))));
  return left_;
end $$;

-- Puts messages that have no vector of a model on the list, oldest first: {"model", "most"}. What was given up stays so.
create or replace function work_missing(p_place jsonb, p_work jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p     place := enter(p_place, 'write');
  ids   uuid[];
begin
  if call_text(p_work, 'model', 200) is null then
    raise exception using errcode = 'MEINP', message = 'vectors are missing of a model';
  end if;
  ids := array(
    select m.id from messages m
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and m.said_at is not null and m.deleted_at is null and m.withdrawn_at is null and m.role <> 'tool'
          and m.content <> '' and coalesce(m.expires_at > now(), true)
       and m.id not in (select v.message_id from message_vectors v
                         where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model)
                             = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_work ->> 'model'))
       and m.id not in (select w.subject from work w
                         where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'embed'))
     order by m.said_at, m.id limit greatest(1, least(100000, coalesce((p_work ->> 'most')::integer, 10000))));
  perform queue_work(p, 'embed', ids, null, 0);
  return jsonb_build_object('queued', cardinality(ids));
end $$;

-- Says of a message what it says now: {"chat", "id", "text", "expected_version"}. Its words follow at once, its vector is work.
create or replace function messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'messages_edit', p_message, p_call);
  m        messages;
begin
  if outcome is not null then
    return outcome;
  end if;
  if p_message - array['chat', 'id', 'text', 'expected_version'] <> '{}' or p_message ->> 'text' is null then
    raise exception using errcode = 'MEINP', message = 'an edit has chat, id, text and expected_version, and nothing else';
  end if;
  if char_length(p_message ->> 'text') > setting(p.tenant_id, 'message_characters')::integer then
    raise exception using errcode = 'MEBIG', message = 'the text is over the limit of a message';
  end if;
  select * into m from messages g
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.chat, g.message_id)
       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, chat_in(p_message), p_message ->> 'id') and g.deleted_at is null for update;
  if not found then
    raise exception using errcode = 'MENFD', message = 'there is no such message here';
  end if;
  if m.version <> (p_message ->> 'expected_version')::integer then
    raise exception using errcode = 'MECFL', message = 'the message changed since it was read';
  end if;
  if m.content = p_message ->> 'text' and m.withdrawn_at is null then
    return end_write(p, p_call, jsonb_build_object('outcome', 'unchanged', 'id', m.id, 'version', m.version));
  end if;
  update messages g set content = p_message ->> 'text', withdrawn_at = null
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (m.tenant_id, m.owner_id, m.scope, m.scope_id, m.id) returning * into m;
  perform unindex_messages(p, array[m.id]), index_messages(array[m]), drop_work(p, 'embed', array[m.id]);
  if m.role <> 'tool' and m.content <> '' then
    perform queue_work(p, 'embed', array[m.id], null, 0);
  end if;
  return end_write(p, p_call, jsonb_build_object('outcome', 'edited', 'id', m.id, 'version', m.version));
end $$;

-- What stands beside a message that has come in: words, vectors, and as work what it has none of.
create or replace function import_said(p place, p_id uuid, p_row jsonb) returns void
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  m     messages;
  made  record;
begin
  select * into m from messages g
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_id)
     and g.role <> 'tool' and g.content <> '' and g.withdrawn_at is null;
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
create or replace function import_message(p place, p_row jsonb) returns jsonb
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
    if p_row ->> 'withdrawn_at' is not null then
      update messages g set withdrawn_at = now()
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, m.id);
    end if;
    perform import_said(p, m.id, '{}');
  end if;
  return '{"outcome": "stored"}';
end $$;

-- Takes what was said in the runs out of recall, the user's own words excepted, and what somebody has edited since. Nothing is looked for
-- any more in their turns, nor are vectors made. Says how many messages that were.
create function undo_messages(p place, p_runs text[]) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
declare
  ids  uuid[];
begin
  perform drop_work(p, 'extract', array(
    select distinct m.turn from messages m
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.run_id = any (p_runs)));
  with gone as (
    update messages m set withdrawn_at = now()
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.run_id = any (p_runs)
       and m.role <> 'user' and m.deleted_at is null and m.edited_at is null and m.withdrawn_at is null
    returning m.id)
  select coalesce(array_agg(g.id), '{}') into ids from gone g;
  perform unindex_messages(p, ids), drop_work(p, 'embed', ids);
  return cardinality(ids);
end $$;

-- Takes back what the runs wrote here: {"run_id"} or {"source"}. Says what was restored to what it was before, what was removed
-- because the run had made it, and what was kept because somebody wrote over it since.
create or replace function undo(p_place jsonb, p_what jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  runs     text[] := runs_of(p, p_what);
  outcome  jsonb := begin_write(p, 'undo', p_what, p_call);
begin
  if outcome is not null then
    return outcome;
  end if;
  perform end_write(p, p_call, '{"outcome": "undone"}');      -- what comes back names paths and keys, which are not kept
  return jsonb_build_object('outcome', 'undone', 'runs', runs, 'files', undo_files(p, runs), 'facts', undo_facts(p, runs),
                            'messages', undo_messages(p, runs));
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
