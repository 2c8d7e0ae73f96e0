CREATE SCHEMA memoranda;

ALTER SCHEMA memoranda OWNER TO memoranda_owner;

CREATE SCHEMA memoranda_private;

ALTER SCHEMA memoranda_private OWNER TO memoranda_owner;

CREATE TYPE memoranda_private.place AS (
	tenant_id uuid,
	owner_id uuid,
	scope text,
	scope_id text
);

ALTER TYPE memoranda_private.place OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_forget(place, target, call) $$;

ALTER FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_history(place jsonb, target jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_history(place, target) $$;

ALTER FUNCTION memoranda.facts_history(place jsonb, target jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_recall(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_recall(place, query) $$;

ALTER FUNCTION memoranda.facts_recall(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_save(place, fact, call) $$;

ALTER FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_history(place jsonb, target jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.files_history(place, target) $$;

ALTER FUNCTION memoranda.files_history(place jsonb, target jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_insert(place jsonb, edit jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_insert(place, edit, call) $$;

ALTER FUNCTION memoranda.files_insert(place jsonb, edit jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_move(place jsonb, move jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_move(place, move, call) $$;

ALTER FUNCTION memoranda.files_move(place jsonb, move jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_remove(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_remove(place, target, call) $$;

ALTER FUNCTION memoranda.files_remove(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_replace(place jsonb, edit jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_replace(place, edit, call) $$;

ALTER FUNCTION memoranda.files_replace(place jsonb, edit jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_restore(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_restore(place, target, call) $$;

ALTER FUNCTION memoranda.files_restore(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_view(place jsonb, target jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.files_view(place, target) $$;

ALTER FUNCTION memoranda.files_view(place jsonb, target jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.files_write(place jsonb, file jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.files_write(place, file, call) $$;

ALTER FUNCTION memoranda.files_write(place jsonb, file jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.members_list(member jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.members_list(member) $$;

ALTER FUNCTION memoranda.members_list(member jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.members_remove(member jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.members_remove(member) $$;

ALTER FUNCTION memoranda.members_remove(member jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.members_set(member jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.members_set(member) $$;

ALTER FUNCTION memoranda.members_set(member jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.runs_taint(place jsonb, run jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.runs_taint(place, run) $$;

ALTER FUNCTION memoranda.runs_taint(place jsonb, run jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.schema_version() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.schema_version() $$;

ALTER FUNCTION memoranda.schema_version() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.undo(place, what, call) $$;

ALTER FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.whoami() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.whoami() $$;

ALTER FUNCTION memoranda.whoami() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select case jsonb_typeof(p_value) when 'string' then as_id(p_kind, p_value #>> '{}') end $$;

ALTER FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.as_id(p_kind text, p_text text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  select nullif(
    case when p_text ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then p_text::uuid
         when btrim(p_text) <> '' then name_id(p_kind, p_text) end,
    '00000000-0000-0000-0000-000000000000')
$_$;

ALTER FUNCTION memoranda_private.as_id(p_kind text, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call     jsonb := coalesce(p_call, '{}');
  actor    text := coalesce(call ->> 'actor', 'application');
  key      text := call_text(call, 'idempotency_key', 200);
  key_h    bytea;
  payload  bytea;
  earlier  idempotency_keys%rowtype;
begin
  if jsonb_typeof(call) <> 'object' or call - array['actor', 'run_id', 'tool_call_id', 'reason', 'idempotency_key'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a call has actor, run_id, tool_call_id, reason and idempotency_key, and nothing else';
  end if;
  if actor not in ('application', 'model', 'extractor', 'import', 'system') then
    raise exception using errcode = 'MEINP', message = 'an actor is application, model, extractor, import or system';
  end if;
  perform set_config('memoranda.call', jsonb_build_object(
    'actor', actor, 'run_id', call_text(call, 'run_id', 200),
    'tainted', exists (select from runs r where (r.tenant_id, r.owner_id, r.run_id) = (p.tenant_id, uid(), call ->> 'run_id')),
    'tool_call_id', call_text(call, 'tool_call_id', 200),
    'reason', call_text(call, 'reason', 1000))::text, true);
  if key is null then
    return null;
  end if;

  key_h := secret_hash(p.tenant_id, key);
  payload := secret_hash(p.tenant_id, jsonb_build_array(p_verb, p_payload)::text);
  insert into idempotency_keys (tenant_id, owner_id, scope, scope_id, key_hash, payload_hash)
  values (p.tenant_id, uid(), p.scope, p.scope_id, key_h, payload)
  on conflict do nothing;
  if found then
    return null;
  end if;
  select * into strict earlier from idempotency_keys k
   where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash) = (p.tenant_id, uid(), p.scope, p.scope_id, key_h);
  if earlier.payload_hash is distinct from payload then
    raise exception using errcode = 'MEIDM', message = 'this idempotency key was used for another write';
  end if;
  return earlier.outcome || '{"replayed": true}';
end $$;

ALTER FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.call_is_tainted() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select coalesce((nullif(current_setting('memoranda.call', true), '')::jsonb ->> 'tainted')::boolean, false) $$;

ALTER FUNCTION memoranda_private.call_is_tainted() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.call_text(p_call jsonb, p_name text, p_limit integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if char_length(p_call ->> p_name) not between 1 and p_limit then
    raise exception using errcode = 'MEINP', message = format('%s has 1 to %s characters', p_name, p_limit);
  end if;
  return p_call ->> p_name;
end $$;

ALTER FUNCTION memoranda_private.call_text(p_call jsonb, p_name text, p_limit integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.is_path(p_path text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  select char_length(p_path) between 1 and 480
     and p_path is nfc normalized
     and p_path !~ '[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uE000-\uF8FF\uFDD0-\uFDEF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFF\U000E0000-\U0010FFFF\\]'
     and p_path !~ '(^|[\u0001-\u007F])[\u200C\u200D]|[\u200C\u200D]($|[\u0001-\u007F])'  -- joiners: Persian, Hindi, emoji
     and p_path !~* '%[0-9a-f]{2}'
     and (select count(*) <= 20
             and bool_and(segment <> '' and normalize(segment, nfkc) !~ '^ | $'
                          and normalize(segment, nfkc) !~ '[/\\]' and normalize(segment, nfkc) !~ '^\.{1,2}$')
            from unnest(string_to_array(p_path, '/')) as segments (segment))
$_$;

ALTER FUNCTION memoranda_private.is_path(p_path text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case
    when p_scope = 'organization' then p_owner = nobody() and p_scope_id = ''
    when p_scope = 'user'         then p_owner <> nobody() and p_scope_id = ''
    when p_scope in ('agent', 'chat', 'project') then p_owner <> nobody() and char_length(p_scope_id) between 1 and 200
    else false
  end
$$;

ALTER FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.files (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    path text NOT NULL,
    content text NOT NULL,
    status text NOT NULL,
    tainted boolean NOT NULL,
    version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT files_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT files_content_check CHECK ((char_length(content) <= 100000)),
    CONSTRAINT files_path_check CHECK (memoranda_private.is_path(path)),
    CONSTRAINT files_status_check CHECK ((status = ANY (ARRAY['current'::text, 'removed'::text])))
);

ALTER TABLE ONLY memoranda_private.files FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.files OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.check_file_version(f memoranda_private.files, p_expected integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if p_expected is not null and p_expected <> coalesce(f.version, 0) then
    raise exception using errcode = 'MECFL', message = format('the file is at version %s, not %s', coalesce(f.version, 0), p_expected);
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_file_version(f memoranda_private.files, p_expected integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_free(p memoranda_private.place, p_path text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  parts text[] := string_to_array(p_path, '/');
begin
  for depth in 1 .. cardinality(parts) - 1 loop
    if (file_at(p, array_to_string(parts[1:depth], '/'))).id is not null then
      raise exception using errcode = 'MEPTH', message = 'a file stands in the way: no folder can have its path';
    end if;
  end loop;
  if exists (select from files_below(p, p_path)) then
    raise exception using errcode = 'MEPTH', message = 'there is a folder of that path';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_free(p memoranda_private.place, p_path text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_key(p_key text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if p_key is null or p_key !~ '\S' or char_length(p_key) > 200 then
    raise exception using errcode = 'MEINP', message = 'the key of a fact has 1 to 200 characters';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_key(p_key text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_quota(p memoranda_private.place) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  held record;
begin
  select count(*) as files, coalesce(sum(octet_length(f.content)), 0) as bytes into held from files_below(p, '') f;
  if held.files > 1000 or held.bytes > 10000000 then
    raise exception using errcode = 'MEQTA', message = 'the files of a scope are at most 1000, of 10 MB together';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_quota(p memoranda_private.place) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_size(p_content text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if char_length(p_content) > 100000 then
    raise exception using errcode = 'MEBIG',
      message = format('a file has at most 100000 characters, this one would have %s', char_length(p_content));
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_size(p_content text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.default_importance(p_kind text) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case p_kind when 'correction' then 9 when 'preference' then 8 when 'decision' then 7 when 'pattern' then 7
                     when 'learning' then 6 when 'event' then 4 when 'conversation' then 3 when 'transcript' then 1 else 5 end
$$;

ALTER FUNCTION memoranda_private.default_importance(p_kind text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if p_call ->> 'idempotency_key' is not null then
    update idempotency_keys k set outcome = p_outcome
     where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash)
         = (p.tenant_id, uid(), p.scope, p.scope_id, secret_hash(p.tenant_id, p_call ->> 'idempotency_key'));
  end if;
  return p_outcome;
end $$;

ALTER FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) RETURNS memoranda_private.place
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  me    uuid := uid();
  p     place;
  known text;
begin
  if me is null then
    raise exception using errcode = '28000', message = 'this connection carries no user identity';
  end if;
  if jsonb_typeof(p_place) is distinct from 'object' or p_place - array['tenant', 'scope', 'scope_id'] <> '{}' then
    raise exception using errcode = 'MESCP', message = 'a place has tenant, scope and scope_id, and nothing else';
  end if;
  p.tenant_id := case when coalesce(p_place -> 'tenant', 'null') = 'null' then me else as_id('tenant', p_place -> 'tenant') end;
  p.scope     := coalesce(p_place ->> 'scope', 'user');
  p.scope_id  := coalesce(p_place ->> 'scope_id', '');
  p.owner_id  := case p.scope when 'organization' then nobody() else me end;

  if p.tenant_id is null then
    raise exception using errcode = 'MESCP', message = 'a tenant is named by its id or its name';
  end if;
  if not is_place(p.owner_id, p.scope, p.scope_id) then
    raise exception using errcode = 'MESCP', message = format('%s is not a scope with the id %s',
      left(quote_nullable(p_place ->> 'scope'), 40), left(quote_nullable(p_place ->> 'scope_id'), 40));
  end if;
  if p.scope = 'organization' and p.tenant_id = me then
    raise exception using errcode = 'MESCP', message = 'a personal tenant has no organisation';
  end if;
  if (p.tenant_id = any (my_tenants())) is not true then
    raise exception using errcode = '42501', message = 'you are not a member of this tenant';
  end if;
  if p_purpose = 'write' then
    if p.scope = 'organization' and (p.tenant_id = any (tenants_with('manage'))) is not true then
      raise exception using errcode = '42501', message = 'only a member with `manage` changes the organisation''s memory';
    end if;
    known := (select kind from tenants where tenant_id = p.tenant_id);
    if known is null then
      insert into tenants (tenant_id, kind)
      values (p.tenant_id, case p.tenant_id when me then 'person' else 'organization' end)
      on conflict do nothing;
      known := (select kind from tenants where tenant_id = p.tenant_id);    -- again: somebody may have been faster
    end if;
    if p.tenant_id = me and known <> 'person' then
      raise exception using errcode = '42501', message = 'your own id is registered as an organisation''s';
    end if;
  end if;
  return p;
end $$;

ALTER FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) OWNER TO memoranda_rules;

CREATE TABLE memoranda_private.facts (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    content text NOT NULL,
    status text NOT NULL,
    origin text NOT NULL,
    source text,
    tainted boolean NOT NULL,
    importance smallint NOT NULL,
    tags text[] NOT NULL,
    metadata jsonb NOT NULL,
    expires_at timestamp with time zone,
    supersedes uuid,
    superseded_by uuid,
    version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT facts_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT facts_check1 CHECK (((status = 'superseded'::text) = (superseded_by IS NOT NULL))),
    CONSTRAINT facts_check2 CHECK (((superseded_by <> id) AND (supersedes <> id))),
    CONSTRAINT facts_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 100000))),
    CONSTRAINT facts_importance_check CHECK (((importance >= 1) AND (importance <= 10))),
    CONSTRAINT facts_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
    CONSTRAINT facts_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'decision'::text, 'event'::text, 'preference'::text, 'correction'::text, 'conversation'::text, 'pattern'::text, 'learning'::text, 'transcript'::text]))),
    CONSTRAINT facts_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT facts_origin_check CHECK ((origin = ANY (ARRAY['user'::text, 'assistant'::text, 'tool'::text, 'import'::text, 'system'::text]))),
    CONSTRAINT facts_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 200))),
    CONSTRAINT facts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'rejected'::text, 'superseded'::text, 'forgotten'::text])))
);

ALTER TABLE ONLY memoranda_private.facts FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.facts OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f facts;
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'source', 'importance', 'tags', 'metadata', 'expires_at', 'expected_version'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, source, importance, tags, metadata, '
      'expires_at and expected_version, and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact);
  f.tenant_id := p.tenant_id;
  f.owner_id := p.owner_id;
  f.scope := p.scope;
  f.scope_id := p.scope_id;
  f.kind := coalesce(f.kind, 'fact');
  f.importance := coalesce(f.importance, default_importance(f.kind));
  f.tags := coalesce(f.tags, '{}');
  f.metadata := coalesce(f.metadata, '{}');
  f.origin := 'user';
  f.status := 'confirmed';

  perform check_key(f.key);
  if f.content is null or f.content !~ '\S' then
    raise exception using errcode = 'MEEMP', message = 'the content of a fact is empty';
  end if;
  if char_length(f.content) > 100000 then
    raise exception using errcode = 'MEBIG', message = format('a fact has at most 100000 characters, this one %s', char_length(f.content));
  end if;
  if char_length(f.source) not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'the source of a fact has 1 to 200 characters';
  end if;
  if f.importance not between 1 and 10 then
    raise exception using errcode = 'MEINP', message = 'importance is a number from 1 to 10';
  end if;
  if f.kind not in ('fact', 'decision', 'event', 'preference', 'correction', 'conversation', 'pattern', 'learning', 'transcript') then
    raise exception using errcode = 'MEINP', message = format('%s is not a kind of fact', left(quote_literal(f.kind), 40));
  end if;
  if jsonb_typeof(f.metadata) <> 'object' then
    raise exception using errcode = 'MEINP', message = 'metadata is an object';
  end if;
  if cardinality(f.tags) > 50 or char_length(f.tags::text) > 2000 or char_length(f.metadata::text) > 20000 then
    raise exception using errcode = 'MEBIG', message = 'a fact has at most 50 tags and 2000 characters of them, and 20000 of metadata';
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) RETURNS memoranda_private.facts
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select f from facts f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.key = p_key and f.status = 'confirmed'
$$;

ALTER FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_out(f memoranda_private.facts) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'id', f.id, 'tenant', f.tenant_id, 'scope', f.scope, 'scope_id', f.scope_id, 'key', f.key, 'kind', f.kind,
    'content', f.content, 'status', f.status, 'origin', f.origin, 'source', f.source, 'tainted', f.tainted, 'importance', f.importance,
    'tags', f.tags, 'metadata', f.metadata, 'expires_at', f.expires_at, 'supersedes', f.supersedes,
    'superseded_by', f.superseded_by, 'version', f.version, 'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

ALTER FUNCTION memoranda_private.fact_out(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_put(p memoranda_private.place, f memoranda_private.facts, old memoranda_private.facts) RETURNS memoranda_private.facts
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  f.id := gen_random_uuid();
  if old.id is not null then
    update facts g set status = 'superseded', superseded_by = f.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, metadata, expires_at, supersedes)
  values (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, f.key, f.kind, f.content, f.status, f.origin, f.source,
          f.tainted, f.importance, f.tags, f.metadata, f.expires_at, old.id);
  return f;
end $$;

ALTER FUNCTION memoranda_private.fact_put(p memoranda_private.place, f memoranda_private.facts, old memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_forget', p_target, p_call);
  gone     record;
begin
  if outcome is not null then
    return outcome;
  end if;
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id or f.key = target.key) and f.status = 'confirmed'
  returning f.id, f.version into gone;
  return end_write(p, p_call, case when gone.id is null then '{"outcome": "nothing"}'
    else jsonb_build_object('outcome', 'forgotten', 'id', gone.id, 'version', gone.version) end);
end $$;

ALTER FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'read');
  target  facts := target_in(p_target);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact_id', r.subject_id, 'version', r.version, 'verb', r.verb, 'state', r.state - array['tenant_id', 'owner_id'],
             'replaces', r.replaces, 'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id,
             'reason', r.reason, 'at', r.at) order by r.at desc, r.version desc), '[]')
      from (
        select r.* from facts f
          join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                            = (f.tenant_id, f.owner_id, f.scope, f.scope_id, 'fact', f.id)
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.key = coalesce(target.key, (
             select g.key from facts g
              where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, target.id)))
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

ALTER FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['key', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has key and limit, and nothing else';
  end if;
  if p_query ? 'key' then
    perform check_key(p_query ->> 'key');
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and f.status = 'confirmed' and (f.expires_at is null or f.expires_at > now())
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
       order by f.updated_at desc, f.key
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

ALTER FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p         place := enter(p_place, 'write');
  f         facts := fact_in(p, p_fact);
  expected  integer := p_fact ->> 'expected_version';
  old       facts;
  outcome   jsonb := begin_write(p, 'facts_save', p_fact, p_call);
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_key(p, f.key);
  old := fact_in_force(p, f.key);
  if expected is distinct from coalesce(old.version, 0) and expected is not null then
    raise exception using errcode = 'MECFL',
      message = format('the fact is at version %s, not %s', coalesce(old.version, 0), expected);
  end if;
  if (f.content, f.kind, f.source, f.importance, f.tags, f.metadata, f.expires_at)
     is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.metadata, old.expires_at) then
    return end_write(p, p_call, jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', old.id, 'version', old.version));
  end if;

  f.tainted := call_is_tainted();
  f := fact_put(p, f, old);
  return end_write(p, p_call, jsonb_build_object(
    'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', 'key', 'id', f.id,
    'version', coalesce(old.version, 0) + 1) || case when old.id is null then '{}' else jsonb_build_object('supersedes', old.id) end);
end $$;

ALTER FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.file_at(p memoranda_private.place, p_path text) RETURNS memoranda_private.files
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select f from files f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.path = p_path and f.status = 'current'
$$;

ALTER FUNCTION memoranda_private.file_at(p memoranda_private.place, p_path text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.file_out(f memoranda_private.files) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('id', f.id, 'path', f.path, 'content', f.content, 'version', f.version, 'tainted', f.tainted,
                            'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

ALTER FUNCTION memoranda_private.file_out(f memoranda_private.files) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.file_set(p memoranda_private.place, f memoranda_private.files, p_content text) RETURNS memoranda_private.files
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  new files;
begin
  perform check_size(p_content);
  update files g set content = p_content, tainted = call_is_tainted() or f.tainted
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
  returning * into new;
  return new;
end $$;

ALTER FUNCTION memoranda_private.file_set(p memoranda_private.place, f memoranda_private.files, p_content text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_below(p memoranda_private.place, p_folder text) RETURNS SETOF memoranda_private.files
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select f from files f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.status = 'current' and (p_folder = '' or starts_with(f.path, p_folder || '/'))
   order by f.path collate "C"
$$;

ALTER FUNCTION memoranda_private.files_below(p memoranda_private.place, p_folder text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_history(p_place jsonb, p_target jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'read');
  target  text := path_in(p_target ->> 'path');
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'file_id', r.subject_id, 'version', r.version, 'verb', r.verb, 'state', r.state - array['tenant_id', 'owner_id'],
             'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id, 'reason', r.reason,
             'at', r.at) order by r.at desc, r.version desc), '[]')
      from (
        select r.* from revisions r
         where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'file')
           and r.subject_id in (
             select s.subject_id from revisions s
              where (s.tenant_id, s.owner_id, s.scope, s.scope_id, s.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'file')
                and s.state ->> 'path' = target)
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

ALTER FUNCTION memoranda_private.files_history(p_place jsonb, p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  p        place := enter(p_place, 'write');
  target   text := path_in(p_edit ->> 'path');
  line     numeric := p_edit ->> 'line';
  added    text := p_edit ->> 'text';
  outcome  jsonb := begin_write(p, 'files_insert', p_edit, p_call);
  f        files;
  parts    text[];
  new      files;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_files(p);
  f := require_file(file_at(p, target));
  -- A newline at the end of the text ends its last line, and does not begin another one.
  parts := case f.content when e'\n' then array[''] else string_to_array(regexp_replace(f.content, '\n$', ''), e'\n') end;
  if line is null or added is null or line not between 0 and cardinality(parts) or line <> trunc(line) then
    raise exception using errcode = 'MELIN', message = 'there is no such line in the file',
      detail = jsonb_build_object('lines', cardinality(parts));
  end if;
  added := regexp_replace(added, '\n$', '');
  new := file_set(p, f, array_to_string(parts[1:line::integer] || added || parts[line::integer + 1:], e'\n') || e'\n');
  perform check_quota(p);
  return end_write(p, p_call, jsonb_build_object('outcome', 'edited', 'id', f.id, 'version', new.version,
                                                 'line', line + 1, 'lines', line_count(added)));
end $_$;

ALTER FUNCTION memoranda_private.files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_move(p_place jsonb, p_move jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  source   text := path_in(p_move ->> 'from');
  target   text := path_in(p_move ->> 'to');
  outcome  jsonb := begin_write(p, 'files_move', p_move, p_call);
  moved    integer;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_files(p);
  if (file_at(p, source)).id is null and not exists (select from files_below(p, source)) then
    perform require_file(null);
  end if;
  if (file_at(p, target)).id is not null or exists (select from files_below(p, target)) then
    raise exception using errcode = 'MEEXS', message = 'there is something at the destination already';
  end if;
  if starts_with(target, source || '/') then
    raise exception using errcode = 'MEPTH', message = 'nothing can be moved into itself';
  end if;
  perform check_free(p, target);
  update files g set path = path_in(target || substr(g.path, char_length(source) + 1))
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and g.status = 'current' and (g.path = source or starts_with(g.path, source || '/'));
  get diagnostics moved = row_count;
  return end_write(p, p_call, jsonb_build_object('outcome', 'moved', 'files', moved));
end $$;

ALTER FUNCTION memoranda_private.files_move(p_place jsonb, p_move jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_remove(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   text := path_in(p_target ->> 'path');
  outcome  jsonb := begin_write(p, 'files_remove', p_target, p_call);
  f        files;
  removed  integer;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_files(p);
  f := file_at(p, target);
  if p_target ? 'expected_version' then
    perform check_file_version(f, (p_target ->> 'expected_version')::integer);
  end if;
  update files g set status = 'removed'
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and g.status = 'current' and (g.path = target or starts_with(g.path, target || '/'));
  get diagnostics removed = row_count;
  if removed = 0 then
    perform require_file(f);
  end if;
  return end_write(p, p_call, jsonb_build_object('outcome', 'removed', 'files', removed));
end $$;

ALTER FUNCTION memoranda_private.files_remove(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   text := path_in(p_edit ->> 'path');
  old      text := p_edit ->> 'old';
  outcome  jsonb := begin_write(p, 'files_replace', p_edit, p_call);
  f        files;
  lines    integer[];
  new      files;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_files(p);
  f := require_file(file_at(p, target));
  lines := lines_of(f.content, old);
  if cardinality(lines) = 0 then
    raise exception using errcode = 'MENOM', message = 'the text to replace does not stand in the file';
  elsif cardinality(lines) > 1 then
    raise exception using errcode = 'MEAMB', message = 'the text to replace stands in more than one place',
      detail = jsonb_build_object('lines', lines);
  end if;
  new := file_set(p, f, replace(f.content, old, coalesce(p_edit ->> 'new', '')));
  perform check_quota(p);
  return end_write(p, p_call, jsonb_build_object('outcome', 'edited', 'id', f.id, 'version', new.version, 'line', lines[1],
                                                 'lines', line_count(coalesce(p_edit ->> 'new', ''))));
end $$;

ALTER FUNCTION memoranda_private.files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_restore(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   text := path_in(p_target ->> 'path');
  outcome  jsonb := begin_write(p, 'files_restore', p_target, p_call);
  earlier  jsonb;
  old      files;
  new      files;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_files(p);
  earlier := (
    select r.state from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'file')
       and r.state ->> 'path' = target and r.version = (p_target ->> 'version')::integer
     order by r.at desc limit 1);
  if earlier is null then
    raise exception using errcode = 'MENFD', message = 'there is no such version of the file';
  end if;
  old := file_at(p, target);
  if old.id is null then
    perform check_free(p, target);
    insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
    values (p.tenant_id, p.owner_id, p.scope, p.scope_id, target, earlier ->> 'content', 'current',
            call_is_tainted() or (earlier ->> 'tainted')::boolean)
    returning * into new;
  elsif old.content = earlier ->> 'content' then
    return end_write(p, p_call, jsonb_build_object('outcome', 'unchanged', 'id', old.id, 'version', old.version));
  else
    update files g set content = earlier ->> 'content', tainted = call_is_tainted() or (earlier ->> 'tainted')::boolean
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id)
    returning * into new;
  end if;
  perform check_quota(p);
  return end_write(p, p_call, jsonb_build_object('outcome', 'restored', 'id', new.id, 'version', new.version));
end $$;

ALTER FUNCTION memoranda_private.files_restore(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p      place := enter(p_place, 'read');
  path   text := case p_target ->> 'path' when '' then '' else path_in(p_target ->> 'path') end;
  f      files := file_at(p, path);
  below  jsonb;
begin
  if f.id is not null then
    return jsonb_build_object('kind', 'file') || file_out(f);
  end if;
  select jsonb_agg(jsonb_build_object(
           'path', b.path, 'bytes', b.bytes, 'version', b.version, 'tainted', b.tainted, 'updated_at', b.updated_at,
           'content', case when b.bytes_so_far <= (p_target ->> 'contents')::numeric then b.content end) order by b.path collate "C")
    into below from (
      select s.*, octet_length(s.content) as bytes,
             sum(octet_length(s.content)) over (order by octet_length(s.content), s.path collate "C") as bytes_so_far
        from files_below(p, path) s) b;
  return case when below is not null or path = ''
              then jsonb_build_object('kind', 'folder', 'path', path, 'files', coalesce(below, '[]')) end;
end $$;

ALTER FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   text := path_in(p_file ->> 'path');
  body     text := p_file ->> 'content';
  outcome  jsonb := begin_write(p, 'files_write', p_file, p_call);
  old      files;
  new      files;
begin
  if outcome is not null then
    return outcome;
  end if;
  if body is null then
    raise exception using errcode = 'MEINP', message = 'a file has a content';
  end if;
  perform check_size(body);
  perform lock_files(p);
  old := file_at(p, target);
  perform check_file_version(old, (p_file ->> 'expected_version')::integer);
  if old.content = body then
    return end_write(p, p_call, jsonb_build_object('outcome', 'unchanged', 'id', old.id, 'version', old.version));
  end if;
  if old.id is null then
    perform check_free(p, target);
    insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
    values (p.tenant_id, p.owner_id, p.scope, p.scope_id, target, body, 'current', call_is_tainted())
    returning * into new;
  else
    new := file_set(p, old, body);
  end if;
  perform check_quota(p);
  return end_write(p, p_call, jsonb_build_object('outcome', case when old.id is null then 'created' else 'edited' end,
                                                 'id', new.id, 'version', new.version));
end $$;

ALTER FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_fact() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    new.version := 1 + coalesce((
      select f.version from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
           = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.supersedes)), 0);
    new.created_at := clock_timestamp();
    new.updated_at := new.created_at;
    return new;
  end if;
  if (to_jsonb(new) - array['status', 'superseded_by']) <> (to_jsonb(old) - array['status', 'superseded_by']) then
    raise exception using errcode = '42501', message = 'a fact is replaced, never rewritten';
  end if;
  if (old.status, new.status) not in (('confirmed', 'superseded'), ('confirmed', 'forgotten')) then
    raise exception using errcode = '42501', message = format('a fact that is %s cannot become %s', old.status, new.status);
  end if;
  if new.status = 'forgotten' then                       -- being superseded is its successor's write, not its own
    new.version := old.version + 1;
    new.updated_at := greatest(clock_timestamp(), old.updated_at);
  end if;
  return new;
end $$;

ALTER FUNCTION memoranda_private.guard_fact() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.guard_file() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if old.status = 'removed' then
    raise exception using errcode = '42501', message = 'a removed file is not changed';
  end if;
  new.version := 1 + greatest(old.version, 0);
  if new.path is distinct from old.path then
    new.version := greatest(new.version, 1 + (
      select max(r.version) from revisions r
       where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.state ->> 'path')
           = (new.tenant_id, new.owner_id, new.scope, new.scope_id, 'file', new.path)));
  end if;
  new.updated_at := greatest(clock_timestamp(), old.updated_at);
  new.created_at := coalesce(old.created_at, new.updated_at);
  return new;
end $$;

ALTER FUNCTION memoranda_private.guard_file() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.guard_run() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if not new.sources @> old.sources then
    raise exception using errcode = '42501', message = 'a run stays marked by what it has read';
  end if;
  return new;
end $$;

ALTER FUNCTION memoranda_private.guard_run() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.line_count(p_text text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select 1 + char_length(p_text) - char_length(replace(p_text, e'\n', '')) $$;

ALTER FUNCTION memoranda_private.line_count(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.lines_of(p_content text, p_text text) RETURNS integer[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(array_agg(line order by place), '{}')
    from (
      select place, count(*) over () as parts,
             sum(line_count(part) - 1) over (order by place) + (place - 1) * (line_count(p_text) - 1) + 1 as line
        from unnest(string_to_array(p_content, p_text)) with ordinality as split (part, place)
    ) as ends
   where place < parts and p_text <> ''
$$;

ALTER FUNCTION memoranda_private.lines_of(p_content text, p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.lock_files(p memoranda_private.place) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('files', p)::text, 0)) $$;

ALTER FUNCTION memoranda_private.lock_files(p memoranda_private.place) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('fact', p, p_key)::text, 0)) $$;

ALTER FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.log_fact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
begin
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
                         actor, user_id, role, run_id, tool_call_id, reason, at)
  values (new.tenant_id, new.owner_id, new.scope, new.scope_id, 'fact', new.id, new.version,
          case when tg_op = 'UPDATE' then new.status when new.supersedes is null then 'saved' else 'corrected' end,
          to_jsonb(new), new.supersedes, call ->> 'actor', uid(), current_setting('role'),
          call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', new.updated_at);
  return null;
end $$;

ALTER FUNCTION memoranda_private.log_fact() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.log_file() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
begin
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state,
                         actor, user_id, role, run_id, tool_call_id, reason, at)
  values (new.tenant_id, new.owner_id, new.scope, new.scope_id, 'file', new.id, new.version,
          case when tg_op = 'INSERT' then 'created' when new.status = 'removed' then 'removed'
               when new.path <> old.path then 'moved' else 'edited' end,
          to_jsonb(new), call ->> 'actor', uid(), current_setting('role'),
          call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', new.updated_at);
  return null;
end $$;

ALTER FUNCTION memoranda_private.log_file() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.members_list(p_member jsonb) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(jsonb_agg(jsonb_build_object('tenant', tenant_id, 'user', user_id, 'permission', permission) order by user_id), '[]')
    from members where tenant_id = tenant_of(p_member)
$$;

ALTER FUNCTION memoranda_private.members_list(p_member jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.members_remove(p_member jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  tenant uuid := tenant_of(p_member);
  member uuid := user_of(p_member);
begin
  delete from members m where m.tenant_id = tenant and m.user_id = member;
  return jsonb_build_object('tenant', tenant, 'user', member, 'removed', found);
end $$;

ALTER FUNCTION memoranda_private.members_remove(p_member jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.members_set(p_member jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  tenant uuid := tenant_of(p_member);
  member uuid := user_of(p_member);
  granted text := coalesce(p_member ->> 'permission', 'read');
begin
  if granted not in ('read', 'manage') then
    raise exception using errcode = 'MEINP', message = 'a permission is `read` or `manage`';
  end if;
  insert into tenants (tenant_id, kind) values (tenant, 'organization') on conflict do nothing;
  if tenant = member
     or exists (select from tenants t where t.tenant_id = tenant and t.kind = 'person')
     or exists (select from members m where m.user_id = tenant) then
    raise exception using errcode = '42501', message = 'a personal tenant takes no members';
  end if;
  insert into members (tenant_id, user_id, permission) values (tenant, member, granted)
  on conflict (tenant_id, user_id) do update set permission = excluded.permission;
  return jsonb_build_object('tenant', tenant, 'user', member, 'permission', granted);
end $$;

ALTER FUNCTION memoranda_private.members_set(p_member jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.my_tenants() RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select case when uid() is null then '{}' else uid() || tenants_with('read') end $$;

ALTER FUNCTION memoranda_private.my_tenants() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.name_id(p_kind text, p_name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128), 'hex')::uuid
    from (select substring(sha256(convert_to('memoranda:' || p_kind || ':' || p_name, 'UTF8')) for 16)) as digest (h)
$$;

ALTER FUNCTION memoranda_private.name_id(p_kind text, p_name text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.nobody() RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select '00000000-0000-0000-0000-000000000000'::uuid $$;

ALTER FUNCTION memoranda_private.nobody() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.path_in(p_path text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if is_path(p_path) is not true then
    raise exception using errcode = 'MEPTH', message = 'that is not a path of a file';
  end if;
  return p_path;
end $$;

ALTER FUNCTION memoranda_private.path_in(p_path text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.refuse_rewriting() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  raise exception using errcode = '42501', message = 'revisions are appended, never changed';
end $$;

ALTER FUNCTION memoranda_private.refuse_rewriting() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.require_file(f memoranda_private.files) RETURNS memoranda_private.files
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such file';
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.require_file(f memoranda_private.files) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.runs_of(p memoranda_private.place, p_what jsonb) RETURNS text[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  run     text := call_text(p_what, 'run_id', 200);
  source  text := call_text(p_what, 'source', 200);
begin
  if (run is null) = (source is null) then
    raise exception using errcode = 'MEINP', message = 'undo names a run_id or a source';
  end if;
  return case when run is not null then array[run] else (
    select coalesce(array_agg(r.run_id), '{}') from runs r
     where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and source = any (r.sources)) end;
end $$;

ALTER FUNCTION memoranda_private.runs_of(p memoranda_private.place, p_what jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'read');
  run     text := call_text(p_run, 'run_id', 200);
  source  text := call_text(p_run, 'source', 200);
begin
  if run is null or source is null then
    raise exception using errcode = 'MEINP', message = 'a run is marked by its run_id, with the source that it has read';
  end if;
  insert into runs as r (tenant_id, owner_id, run_id, sources) values (p.tenant_id, uid(), run, array[source])
  on conflict (tenant_id, owner_id, run_id) do update set sources = r.sources || excluded.sources
   where not r.sources @> excluded.sources;
  return jsonb_build_object('run_id', run, 'tainted', true);
end $$;

ALTER FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.schema_version() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('version', max(number), 'required', coalesce(max(number) filter (where breaking), 0)) from migrations
$$;

ALTER FUNCTION memoranda_private.schema_version() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select sha256(salt || sha256(salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;

ALTER FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.target_in(p_target jsonb) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  target facts := jsonb_populate_record(null::facts, p_target);
begin
  if p_target - array['key', 'id', 'limit'] <> '{}' or (target.id is null) = (target.key is null) then
    raise exception using errcode = 'MEINP', message = 'a target is a key or an id, and nothing else';
  end if;
  if target.id is null then
    perform check_key(target.key);
  end if;
  return target;
end $$;

ALTER FUNCTION memoranda_private.target_in(p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.tenant_of(p_member jsonb) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  tenant uuid := as_id('tenant', p_member -> 'tenant');
begin
  if tenant is null then
    raise exception using errcode = 'MEINP', message = 'a membership names a tenant';
  end if;
  return tenant;
end $$;

ALTER FUNCTION memoranda_private.tenant_of(p_member jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.tenants_with(p_permission text) RETURNS uuid[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(array_agg(tenant_id), '{}') from members where user_id = uid() and (permission = p_permission or permission = 'manage')
$$;

ALTER FUNCTION memoranda_private.tenants_with(p_permission text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.uid() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case when pg_input_is_valid(claims, 'jsonb') then as_id('user', claims::jsonb -> 'sub') end
    from (select nullif(current_setting('request.jwt.claims', true), '')) as settings (claims)
$$;

ALTER FUNCTION memoranda_private.uid() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  runs     text[] := runs_of(p, p_what);
  outcome  jsonb := begin_write(p, 'undo', p_what, p_call);
begin
  if outcome is not null then
    return outcome;
  end if;
  perform end_write(p, p_call, '{"outcome": "undone"}');      -- what comes back names paths and keys, which are not kept
  return jsonb_build_object('outcome', 'undone', 'runs', runs, 'files', undo_files(p, runs), 'facts', undo_facts(p, runs));
end $$;

ALTER FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  touched   text;
  last      record;
  earlier   facts;
  current   facts;
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  for touched in
    select distinct r.state ->> 'key' from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs) order by 1
  loop
    perform lock_key(p, touched);
    select (array_agg(coalesce(r.run_id = any (p_runs), false) order by r.at desc, r.version desc))[1] as theirs,
           (array_agg(r.state order by r.at desc, r.version desc) filter (where (r.run_id = any (p_runs)) is not true))[1] as before
      into last from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.state ->> 'key' = touched;
    current := fact_in_force(p, touched);
    earlier := jsonb_populate_record(null::facts, last.before);
    if not last.theirs then
      kept := kept || touched;
    elsif earlier.status = 'confirmed' then
      perform fact_put(p, earlier, current);
      restored := restored || touched;
    elsif current.id is not null then
      update facts f set status = 'forgotten'
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, current.id);
      removed := removed || touched;
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', kept);
end $$;

ALTER FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.undo_files(p memoranda_private.place, p_runs text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  w         record;
  here      files;
  earlier   text;
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  perform lock_files(p);
  for w in select * from written_by(p, 'file', p_runs) order by now ->> 'path' loop
    earlier := w.before ->> 'path';
    here := file_at(p, earlier);
    if w.changed_since then
      kept := kept || (w.now ->> 'path');
    elsif w.before is null or w.before ->> 'status' = 'removed' then
      if w.now ->> 'status' = 'current' then
        update files f set status = 'removed'
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, w.subject_id);
        removed := removed || (w.now ->> 'path');
      end if;
    elsif here.id is not null and here.id <> w.subject_id or exists (select from files_below(p, earlier)) then
      kept := kept || earlier;                                   -- something else stands where it was
    elsif w.now ->> 'status' = 'removed' then
      insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, earlier, w.before ->> 'content', 'current', (w.before ->> 'tainted')::boolean);
      restored := restored || earlier;
    else
      update files f set path = earlier, content = w.before ->> 'content', tainted = (w.before ->> 'tainted')::boolean
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, w.subject_id);
      restored := restored || earlier;
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', kept);
end $$;

ALTER FUNCTION memoranda_private.undo_files(p memoranda_private.place, p_runs text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.user_of(p_member jsonb) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  member uuid := as_id('user', p_member -> 'user');
begin
  if member is null then
    raise exception using errcode = 'MEINP', message = 'a membership names a user';
  end if;
  return member;
end $$;

ALTER FUNCTION memoranda_private.user_of(p_member jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.whoami() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('user', uid(), 'role', current_setting('role'), 'tenants', my_tenants(),
                            'manages', tenants_with('manage'), 'bound', row_security_active('tenants'))
$$;

ALTER FUNCTION memoranda_private.whoami() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) RETURNS TABLE(subject_id uuid, now jsonb, before jsonb, replaces uuid, changed_since boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select s.subject_id,
         (array_agg(s.state order by s.version desc))[1],
         (array_agg(s.state order by s.version desc) filter (where not s.theirs))[1],
         (array_agg(s.replaces order by s.version))[1],
         not (array_agg(s.theirs order by s.version desc))[1]
    from (
      select r.*, coalesce(r.run_id = any (p_runs), false) as theirs from revisions r
       where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_subject)
    ) as s
   group by s.subject_id having bool_or(s.theirs)
$$;

ALTER FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) OWNER TO memoranda_rules;

CREATE TABLE memoranda_private.idempotency_keys (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    key_hash bytea NOT NULL,
    payload_hash bytea,
    outcome jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY memoranda_private.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.idempotency_keys OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.members (
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    permission text NOT NULL,
    CONSTRAINT members_check CHECK ((tenant_id <> user_id)),
    CONSTRAINT members_permission_check CHECK ((permission = ANY (ARRAY['read'::text, 'manage'::text])))
);

ALTER TABLE ONLY memoranda_private.members FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.members OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    breaking boolean NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY memoranda_private.migrations FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.migrations OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.revisions (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    subject text NOT NULL,
    subject_id uuid NOT NULL,
    version integer NOT NULL,
    verb text NOT NULL,
    state jsonb NOT NULL,
    replaces uuid,
    actor text NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    run_id text,
    tool_call_id text,
    reason text,
    at timestamp with time zone NOT NULL,
    CONSTRAINT revisions_actor_check CHECK ((actor = ANY (ARRAY['application'::text, 'model'::text, 'extractor'::text, 'import'::text, 'system'::text]))),
    CONSTRAINT revisions_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT revisions_subject_check CHECK ((subject = ANY (ARRAY['fact'::text, 'file'::text])))
);

ALTER TABLE ONLY memoranda_private.revisions FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.revisions OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.runs (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    run_id text NOT NULL,
    sources text[] NOT NULL,
    first_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT runs_run_id_check CHECK (((char_length(run_id) >= 1) AND (char_length(run_id) <= 200)))
);

ALTER TABLE ONLY memoranda_private.runs FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.runs OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.tenants (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    salt bytea DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) NOT NULL,
    CONSTRAINT tenants_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'organization'::text])))
);

ALTER TABLE ONLY memoranda_private.tenants FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tenants OWNER TO memoranda_owner;

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, key_hash);

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY memoranda_private.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY memoranda_private.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, subject, subject_id, version);

ALTER TABLE ONLY memoranda_private.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (tenant_id, owner_id, run_id);

ALTER TABLE ONLY memoranda_private.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

CREATE INDEX facts_by_key ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key);

CREATE UNIQUE INDEX facts_in_force ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key) WHERE (status = 'confirmed'::text);

CREATE INDEX facts_newest ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, updated_at DESC, key) WHERE (status = 'confirmed'::text);

CREATE INDEX facts_superseded_by ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE UNIQUE INDEX facts_supersedes ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, supersedes) WHERE (supersedes IS NOT NULL);

CREATE UNIQUE INDEX files_current ON memoranda_private.files USING btree (tenant_id, owner_id, scope, scope_id, path) WHERE (status = 'current'::text);

CREATE INDEX revisions_path ON memoranda_private.revisions USING btree (tenant_id, owner_id, scope, scope_id, ((state ->> 'path'::text))) WHERE (subject = 'file'::text);

CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON memoranda_private.revisions FOR EACH STATEMENT EXECUTE FUNCTION memoranda_private.refuse_rewriting();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.facts FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_fact();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_file();

CREATE TRIGGER guard BEFORE UPDATE ON memoranda_private.runs FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_run();

CREATE TRIGGER log AFTER INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW EXECUTE FUNCTION memoranda_private.log_file();

CREATE TRIGGER log_change AFTER UPDATE ON memoranda_private.facts FOR EACH ROW WHEN ((new.status <> 'superseded'::text)) EXECUTE FUNCTION memoranda_private.log_fact();

CREATE TRIGGER log_new AFTER INSERT ON memoranda_private.facts FOR EACH ROW EXECUTE FUNCTION memoranda_private.log_fact();

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_superseded_by_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, superseded_by) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_supersedes_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, supersedes) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES memoranda_private.tenants(tenant_id);

CREATE POLICY add ON memoranda_private.facts FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY add ON memoranda_private.files FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY append ON memoranda_private.revisions FOR INSERT TO memoranda_owner WITH CHECK (((pg_trigger_depth() > 0) AND (user_id = ( SELECT memoranda_private.uid() AS uid)) AND
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END));

CREATE POLICY change ON memoranda_private.facts FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY change ON memoranda_private.files FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

ALTER TABLE memoranda_private.facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.files ENABLE ROW LEVEL SECURITY;

CREATE POLICY first_use ON memoranda_private.tenants FOR INSERT TO memoranda_rules WITH CHECK (((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])) AND ((kind = 'person'::text) = (tenant_id = ( SELECT memoranda_private.uid() AS uid)))));

ALTER TABLE memoranda_private.idempotency_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY ledger ON memoranda_private.migrations TO memoranda_owner USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.members ENABLE ROW LEVEL SECURITY;

CREATE POLICY membership ON memoranda_private.members TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.migrations ENABLE ROW LEVEL SECURITY;

CREATE POLICY mine ON memoranda_private.tenants FOR SELECT TO memoranda_owner, memoranda_rules USING ((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])));

CREATE POLICY own ON memoranda_private.idempotency_keys TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY own ON memoranda_private.runs TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY own_memberships ON memoranda_private.members FOR SELECT TO memoranda_owner USING ((user_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY read ON memoranda_private.facts FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.files FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.revisions FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY registry ON memoranda_private.tenants TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.revisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tenants ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA memoranda TO authenticated;
GRANT USAGE ON SCHEMA memoranda TO service_role;

GRANT USAGE ON SCHEMA memoranda_private TO authenticated;
GRANT USAGE ON SCHEMA memoranda_private TO service_role;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_rules;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_history(place jsonb, target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_history(place jsonb, target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_history(place jsonb, target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_insert(place jsonb, edit jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_insert(place jsonb, edit jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_insert(place jsonb, edit jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_move(place jsonb, move jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_move(place jsonb, move jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_move(place jsonb, move jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_remove(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_remove(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_remove(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_replace(place jsonb, edit jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_replace(place jsonb, edit jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_replace(place jsonb, edit jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_restore(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_restore(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_restore(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_view(place jsonb, target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_view(place jsonb, target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_view(place jsonb, target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.files_write(place jsonb, file jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.files_write(place jsonb, file jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.files_write(place jsonb, file jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_list(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_list(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_remove(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_remove(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_set(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_set(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.runs_taint(place jsonb, run jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.runs_taint(place jsonb, run jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.runs_taint(place jsonb, run jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.schema_version() TO authenticated;
GRANT ALL ON FUNCTION memoranda.schema_version() TO service_role;

REVOKE ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.whoami() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.whoami() TO authenticated;
GRANT ALL ON FUNCTION memoranda.whoami() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_is_tainted() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_text(p_call jsonb, p_name text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_path(p_path text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_path(p_path text) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(id) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(path),UPDATE(path) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(content),UPDATE(content) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(status),UPDATE(status) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(tainted),UPDATE(tainted) ON TABLE memoranda_private.files TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.check_file_version(f memoranda_private.files, p_expected integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_free(p memoranda_private.place, p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_key(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_quota(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_size(p_content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.default_importance(p_kind text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(id) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(key) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(kind) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(content) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(status),UPDATE(status) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(origin) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(source) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(tainted) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(importance) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(tags) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(metadata) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(expires_at) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(supersedes) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT UPDATE(superseded_by) ON TABLE memoranda_private.facts TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_out(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_put(p memoranda_private.place, f memoranda_private.facts, old memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.file_at(p memoranda_private.place, p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.file_out(f memoranda_private.files) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.file_set(p memoranda_private.place, f memoranda_private.files, p_content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.files_below(p memoranda_private.place, p_folder text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.files_history(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_history(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_history(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_move(p_place jsonb, p_move jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_move(p_place jsonb, p_move jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_move(p_place jsonb, p_move jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_remove(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_remove(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_remove(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_restore(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_restore(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_restore(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.guard_fact() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_run() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.line_count(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lines_of(p_content text, p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_files(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_fact() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.my_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.nobody() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.path_in(p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.refuse_rewriting() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.require_file(f memoranda_private.files) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.runs_of(p memoranda_private.place, p_what jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.target_in(p_target jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenant_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.uid() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.undo_files(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.user_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.whoami() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(key_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(payload_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT UPDATE(outcome) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.members TO memoranda_service;

GRANT UPDATE(permission) ON TABLE memoranda_private.members TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.revisions TO memoranda_rules;

GRANT SELECT ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(run_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(sources),UPDATE(sources) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_service;

GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_service;
