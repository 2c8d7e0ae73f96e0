-- Turns: what was said is stored first, in one transaction with the work that it makes; vectors and facts come after. And the changes
-- and the reading of messages.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

create function chat_in(p_from jsonb) returns text
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if char_length(p_from ->> 'chat') not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'a chat has 1 to 200 characters';
  end if;
  return coalesce(p_from ->> 'chat', '');
end $$;

-- A message of a call: what it is, or why it is none. The reason quotes nothing.
create function message_problem(p_message jsonb, p_longest integer) returns text
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select case
    when jsonb_typeof(p_message) <> 'object' or p_message - array['id', 'role', 'text', 'author', 'data', 'at', 'expires_at'] <> '{}'
      then 'unknown properties'
    when coalesce(p_message ->> 'role', '') not in ('user', 'assistant', 'tool') then 'no role'
    when coalesce(char_length(p_message ->> 'id'), 0) not between 1 and 200 then 'no id of 1 to 200 characters'
    when char_length(p_message ->> 'author') not between 1 and 200 then 'an author has 1 to 200 characters'
    when coalesce(jsonb_typeof(p_message -> 'data'), 'object') <> 'object' then 'data that is no object'
    when char_length(p_message ->> 'text') > p_longest or octet_length(p_message ->> 'data') > 1000000 then 'too large'
    when not pg_input_is_valid(coalesce(p_message ->> 'at', 'now'), 'timestamptz')
      or not pg_input_is_valid(coalesce(p_message ->> 'expires_at', 'now'), 'timestamptz') then 'no time'
  end
$$;

-- Stores a turn: {"turn", "chat", "messages": [{"id", "role", "text", "author", "data", "at", "expires_at"}], "work": ["embed",
-- "extract"], "hold": seconds}. A message that is known by its id is not stored again; one that is not acceptable holds up no other;
-- one that was said before an erasure is not stored. The work waits for `hold` seconds for whoever stores the turn.
create function turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb;
  chat_    text := chat_in(p_turn);
  turn_    uuid;
  longest  integer := setting(p.tenant_id, 'message_characters')::integer;
  lease    uuid := case when (p_turn ->> 'hold')::integer > 0 then gen_random_uuid() end;
  hold     integer := least(3600, (p_turn ->> 'hold')::integer);
  next_    bigint;
  each     jsonb;
  m        messages;
  there    messages;
  problem  text;
  fresh    messages[] := '{}';
  became   jsonb[] := '{}';
begin
  if p_turn - array['turn', 'chat', 'messages', 'work', 'hold'] <> '{}' or call_text(p_turn, 'turn', 200) is null then
    raise exception using errcode = 'MEINP', message = 'a turn has turn, chat, messages, work and hold, and nothing else';
  end if;
  if jsonb_array_length(p_turn -> 'messages') > 1000 then
    raise exception using errcode = 'MEBIG', message = 'at most 1000 messages are stored at once';
  end if;
  outcome := begin_write(p, 'turns_add', p_turn - array['work', 'hold'], p_call);
  if outcome is not null then
    return outcome;
  end if;
  turn_ := name_id('turn', jsonb_build_array(p.tenant_id, p.owner_id, p.scope, p.scope_id, chat_, p_turn ->> 'turn')::text);
  next_ := chat_next(p, chat_);
  for each in select value from jsonb_array_elements(p_turn -> 'messages') loop
    problem := message_problem(each, longest);
    if problem is not null then
      became := became || jsonb_build_object('outcome', 'failed', 'rule', problem);
      continue;
    end if;
    select * into there from messages g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.chat, g.message_id)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, chat_, each ->> 'id');
    if found then
      became := became || jsonb_build_object('outcome', case when there.deleted_at is not null then 'rejected' else 'duplicate' end,
        'rule', case when there.deleted_at is not null then 'deleted' when there.content = coalesce(each ->> 'text', '') then 'same id'
                     else 'same id, another text' end, 'id', there.id);
    elsif erased_since(p, coalesce((each ->> 'at')::timestamptz, now())) then
      became := became || jsonb_build_object('outcome', 'rejected', 'rule', 'erased');
    else
      insert into messages (tenant_id, owner_id, scope, scope_id, id, chat, message_id, turn, role, author, content, data, said_at,
                            expires_at, tainted, run_id)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, message_ref(p, chat_, next_), chat_, each ->> 'id', turn_, each ->> 'role',
              each ->> 'author', coalesce(each ->> 'text', ''), coalesce(nullif(each -> 'data', 'null'), '{}'),
              coalesce((each ->> 'at')::timestamptz, clock_timestamp()), (each ->> 'expires_at')::timestamptz, call_is_tainted(),
              p_call ->> 'run_id')
      returning * into m;
      next_ := next_ + 1;
      fresh := fresh || m;
      became := became || jsonb_build_object('outcome', 'stored', 'id', m.id, 'at', m.said_at);
    end if;
  end loop;
  perform index_messages(fresh);
  if p_turn -> 'work' ? 'embed' then
    perform queue_work(p, 'embed', array(select n.id from unnest(fresh) as n where n.role <> 'tool' and n.content <> ''), lease, hold);
  end if;
  if p_turn -> 'work' ? 'extract' and exists (select from unnest(fresh) as n where n.role = 'user' and n.content <> '') then
    perform queue_work(p, 'extract', array[turn_], lease, hold);
  end if;
  return end_write(p, p_call, jsonb_build_object('turn', turn_, 'at', now(), 'lease', lease, 'messages', to_jsonb(became)));
end $$;

-- The messages of a turn, a chat or a scope, newest first, or a turn's in order: {"chat", "turn", "id", "before", "limit"}.
create function messages_list(p_place jsonb, p_said jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
declare
  p      place := enter(p_place, 'read');
  chat_  text := case when p_said ? 'chat' then chat_in(p_said) end;
  most   integer := greatest(1, least(1000, coalesce((p_said ->> 'limit')::numeric, 100)));
  past   timestamptz := p_said ->> 'before';
begin
  if p_said - array['chat', 'turn', 'id', 'before', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'messages are listed by chat, turn, id, before and limit, and by nothing else';
  end if;
  if p_said ? 'turn' then
    return coalesce((
      select jsonb_agg(message_out(m) order by m.id) from messages m
       where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and m.turn = (p_said ->> 'turn')::uuid and m.deleted_at is null and coalesce(m.expires_at > now(), true)), '[]');
  end if;
  if chat_ is not null then
    return coalesce((
      select jsonb_agg(message_out(n) order by n.id desc) from (
        select m.* from messages m
         where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and m.id between message_ref(p, chat_, 0) and message_ref(p, chat_, 2147483647) and m.deleted_at is null
           and (p_said ->> 'id' is null or m.message_id = p_said ->> 'id') and (past is null or m.said_at < past)
           and coalesce(m.expires_at > now(), true)
         order by m.id desc limit most) as n), '[]');
  end if;
  return coalesce((
    select jsonb_agg(message_out(n) order by n.said_at desc, n.id desc) from (
      select m.* from messages m
       where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.deleted_at is null
         and m.said_at is not null and (past is null or m.said_at < past) and (p_said ->> 'id' is null or m.message_id = p_said ->> 'id')
         and coalesce(m.expires_at > now(), true)
       order by m.said_at desc, m.id desc limit most) as n), '[]');
end $$;

-- Says of a message what it says now: {"chat", "id", "text", "expected_version"}. Its words follow at once, its vector is work.
create function messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) returns jsonb
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
  if m.content = p_message ->> 'text' then
    return end_write(p, p_call, jsonb_build_object('outcome', 'unchanged', 'id', m.id, 'version', m.version));
  end if;
  update messages g set content = p_message ->> 'text'
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (m.tenant_id, m.owner_id, m.scope, m.scope_id, m.id) returning * into m;
  perform unindex_messages(p, array[m.id]), index_messages(array[m]), drop_work(p, 'embed', array[m.id]);
  if m.role <> 'tool' and m.content <> '' then
    perform queue_work(p, 'embed', array[m.id], null, 0);
  end if;
  return end_write(p, p_call, jsonb_build_object('outcome', 'edited', 'id', m.id, 'version', m.version));
end $$;

-- Takes the text of messages away for good: of one, {"chat", "id"}, or of a whole chat, {"chat"}. Their ids stay.
create function messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'messages_delete', p_message, p_call);
  chat_    text := chat_in(p_message);
  ids      uuid[];
begin
  if outcome is not null then
    return outcome;
  end if;
  if p_message - array['chat', 'id'] <> '{}' or not p_message ?| array['chat', 'id'] then
    raise exception using errcode = 'MEINP', message = 'what is deleted is named by chat and id, or by its chat';
  end if;
  with gone as (
    update messages m set content = '', data = '{}', author = null, deleted_at = now()
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and m.id between message_ref(p, chat_, 0) and message_ref(p, chat_, 2147483647)
       and (p_message ->> 'id' is null or m.message_id = p_message ->> 'id') and m.deleted_at is null
    returning m.id, m.turn)
  select array_agg(g.id) || array_agg(distinct g.turn) into ids from gone g;
  perform unindex_messages(p, ids), drop_work(p, 'embed', ids);
  -- A turn of which nothing is left has nothing to extract.
  perform drop_work(p, 'extract', array(
    select t from unnest(ids) as t
     where not exists (select from messages m where (m.tenant_id, m.owner_id, m.scope, m.scope_id, m.turn)
                                                  = (p.tenant_id, p.owner_id, p.scope, p.scope_id, t) and m.deleted_at is null)));
  return end_write(p, p_call, jsonb_build_object('outcome', case when ids is null then 'nothing' else 'deleted' end));
end $$;

grant execute on function turns_add, messages_list, messages_edit, messages_delete to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.turns_add(place jsonb, turn jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.turns_add(place, turn, call) $$;
create function memoranda.messages_list(place jsonb, said jsonb default '{}') returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.messages_list(place, said) $$;
create function memoranda.messages_edit(place jsonb, message jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.messages_edit(place, message, call) $$;
create function memoranda.messages_delete(place jsonb, message jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.messages_delete(place, message, call) $$;
grant execute on function memoranda.turns_add, memoranda.messages_list, memoranda.messages_edit, memoranda.messages_delete
  to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
