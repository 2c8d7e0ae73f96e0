CREATE SCHEMA memoranda;

ALTER SCHEMA memoranda OWNER TO memoranda_owner;

CREATE SCHEMA memoranda_private;

ALTER SCHEMA memoranda_private OWNER TO memoranda_owner;

CREATE TYPE memoranda_private.moment AS (
	as_of timestamp with time zone,
	known_at timestamp with time zone
);

ALTER TYPE memoranda_private.moment OWNER TO memoranda_rules;

CREATE TYPE memoranda_private.place AS (
	tenant_id uuid,
	owner_id uuid,
	scope text,
	scope_id text
);

ALTER TYPE memoranda_private.place OWNER TO memoranda_owner;

CREATE TYPE memoranda_private.search_lane AS (
	at integer[],
	ids uuid[],
	similarities double precision[],
	words double precision[],
	named integer[]
);

ALTER TYPE memoranda_private.search_lane OWNER TO memoranda_rules;

CREATE DOMAIN memoranda_private.sparse AS public.sparsevec;

ALTER DOMAIN memoranda_private.sparse OWNER TO memoranda_owner;

CREATE DOMAIN memoranda_private.vec AS public.halfvec;

ALTER DOMAIN memoranda_private.vec OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.audit(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.audit(place, query) $$;

ALTER FUNCTION memoranda.audit(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_about(place jsonb, query jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_about(place, query) $$;

ALTER FUNCTION memoranda.facts_about(place jsonb, query jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_save_many(place, facts, call) $$;

ALTER FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_search(place jsonb, query jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_search(place, query) $$;

ALTER FUNCTION memoranda.facts_search(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_timeline(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_timeline(place, query) $$;

ALTER FUNCTION memoranda.facts_timeline(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_used(place jsonb, used jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_used(place, used) $$;

ALTER FUNCTION memoranda.facts_used(place jsonb, used jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_vocabulary(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_vocabulary(place, query) $$;

ALTER FUNCTION memoranda.facts_vocabulary(place jsonb, query jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.settings_get(place jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.settings_get(place) $$;

ALTER FUNCTION memoranda.settings_get(place jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.settings_set(setting jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.settings_set(setting) $$;

ALTER FUNCTION memoranda.settings_set(setting jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.undo(place, what, call) $$;

ALTER FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.vectors_missing(place jsonb, wanted jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.vectors_missing(place, wanted) $$;

ALTER FUNCTION memoranda.vectors_missing(place jsonb, wanted jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.vectors_put(place jsonb, made jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.vectors_put(place, made) $$;

ALTER FUNCTION memoranda.vectors_put(place jsonb, made jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.whoami() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.whoami() $$;

ALTER FUNCTION memoranda.whoami() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ begin return case jsonb_typeof(p_value) when 'string' then as_id(p_kind, p_value #>> '{}') end; end $$;

ALTER FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.as_id(p_kind text, p_text text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
begin
  return nullif(
    case when p_text ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then p_text::uuid
         when btrim(p_text) <> '' then name_id(p_kind, p_text) end,
    '00000000-0000-0000-0000-000000000000');
end $_$;

ALTER FUNCTION memoranda_private.as_id(p_kind text, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.asked_names(p_query text, p_names text[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  spoken text[] := array(
    select coalesce(case when ts_lexize('pg_catalog.english_stem', word) <> '{}' then word end, '')
      from unnest(string_to_array(regexp_replace(left(fold(p_query), 1000), '[''’]s( |$)|[.,:;!?()"]+', '\1', 'g'), ' ')) as word);
begin
  return array(
    select fold(name) from unnest(p_names) as name
    union
    select array_to_string(spoken[start : start + length], ' ')
      from generate_series(1, cardinality(spoken)) as start, generate_series(0, 2) as length
     where spoken[start] <> '' and spoken[start + length] <> '');
end $_$;

ALTER FUNCTION memoranda_private.asked_names(p_query text, p_names text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.asked_words(p_query text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return array(select lexeme from unnest(lexemes(left(p_query, 10000))) as lexeme group by lexeme
                order by char_length(lexeme) desc, lexeme collate "C" limit 44);
end $$;

ALTER FUNCTION memoranda_private.asked_words(p_query text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p      place := enter(p_place, 'read');
  first  timestamptz := time_in(p_query, 'since');
  last   timestamptz := time_in(p_query, 'until');
begin
  if p_query - array['limit', 'since', 'until', 'subject', 'actor', 'run_id'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'an audit has limit, since, until, subject, actor and run_id, and nothing else';
  end if;
  if p_query ->> 'subject' not in ('fact', 'file') then
    raise exception using errcode = 'MEINP', message = 'the subject of an audit is fact or file';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'subject', r.subject, 'id', r.subject_id, 'name', coalesce(r.state ->> 'path', r.state ->> 'key'), 'version', r.version,
             'verb', r.verb, 'content', r.state -> 'content', 'status', r.state -> 'status', 'tainted', r.state -> 'tainted',
             'replaces', r.replaces, 'actor', r.actor, 'user', r.user_id, 'run_id', r.run_id, 'tool_call_id', r.tool_call_id,
             'reason', r.reason, 'at', r.at) order by r.at desc, r.version desc, r.subject_id), '[]')
      from (
        select r.* from revisions r
         where (r.tenant_id, r.owner_id, r.scope, r.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and (p_query ->> 'subject' is null or r.subject = p_query ->> 'subject')
           and (p_query ->> 'actor' is null or r.actor = p_query ->> 'actor')
           and (p_query ->> 'run_id' is null or r.run_id = p_query ->> 'run_id')
           and (first is null or r.at >= first) and (last is null or r.at < last)
         order by r.at desc
         fetch first (greatest(1, least(1000, coalesce((p_query ->> 'limit')::numeric, 100)))) rows with ties
      ) r);
end $$;

ALTER FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

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

CREATE TABLE memoranda_private.facts (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    key text,
    kind text NOT NULL,
    content text NOT NULL,
    status text NOT NULL,
    origin text NOT NULL,
    source text,
    tainted boolean NOT NULL,
    importance smallint NOT NULL,
    tags text[] NOT NULL,
    entities text[] NOT NULL,
    metadata jsonb NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    expires_at timestamp with time zone,
    supersedes uuid,
    superseded_by uuid,
    version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT facts_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT facts_check1 CHECK (((status = 'superseded'::text) = (superseded_by IS NOT NULL))),
    CONSTRAINT facts_check2 CHECK (((superseded_by <> id) AND (supersedes <> id))),
    CONSTRAINT facts_check3 CHECK ((valid_from < valid_until)),
    CONSTRAINT facts_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 1000000))),
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

CREATE FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  with recursive met as (
    select f.id, f.key, f.supersedes, f.superseded_by from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and (f.key = target.key or f.id = target.id)
    union
    select f.id, f.key, f.supersedes, f.superseded_by from met join facts f
        on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and (f.id = met.supersedes or f.id = met.superseded_by or f.key = met.key)
  )
  select id from met
$$;

ALTER FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) OWNER TO memoranda_rules;

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
    CONSTRAINT files_content_check CHECK ((char_length(content) <= 1000000)),
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

CREATE FUNCTION memoranda_private.check_query(p_query jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if jsonb_typeof(p_query) is distinct from 'object'
     or p_query - array['text', 'vector', 'model', 'limit', 'scopes', 'kinds', 'tags', 'entities', 'since', 'until', 'metadata',
                        'min_importance', 'min_similarity', 'blend', 'track_use', 'as_of', 'known_at'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a search has text, vector, model, limit, scopes, kinds, tags, entities, since, '
      'until, metadata, min_importance, min_similarity, blend, track_use, as_of and known_at, and nothing else';
  end if;
  if jsonb_array_length(coalesce(p_query -> 'scopes', '[]')) > 20 then
    raise exception using errcode = 'MEINP', message = 'a search is over at most 20 scopes';
  end if;
  if exists (select from jsonb_array_elements(coalesce(p_query -> 'metadata', '[]')) as c
              where c - array['key', 'op', 'value'] <> '{}' or not c ?& array['key', 'op', 'value']
                 or c ->> 'op' not in ('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'has', 'exists')) then
    raise exception using errcode = 'MEINP', message = 'a condition on metadata has key, value and op, which is eq, ne, lt, lte, gt, '
      'gte, in, has or exists';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_query(p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_quota(p memoranda_private.place) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  most_files  bigint := setting(p.tenant_id, 'files');
  most_bytes  bigint := setting(p.tenant_id, 'files_bytes');
  held        record;
begin
  select count(*) as files, coalesce(sum(octet_length(f.content)), 0) as bytes into held from files_below(p, '') f;
  if held.files > most_files or held.bytes > most_bytes then
    raise exception using errcode = 'MEQTA',
      message = format('the files of a scope are at most %s, of %s bytes together', most_files, most_bytes);
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_quota(p memoranda_private.place) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_size(p memoranda_private.place, p_content text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  most bigint := setting(p.tenant_id, 'file_characters');
begin
  if char_length(p_content) > most then
    raise exception using errcode = 'MEBIG',
      message = format('a file has at most %s characters, this one would have %s', most, char_length(p_content));
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_size(p memoranda_private.place, p_content text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.count_uses(p_places memoranda_private.place[], p_ids uuid[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  counted integer;
begin
  insert into fact_uses as u (tenant_id, owner_id, scope, scope_id, fact_id, use_count, last_used_at)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, 1, now()
    from unnest(p_places) as h
    join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
     and f.id = any (p_ids) and f.status = 'confirmed'
   where h.owner_id <> nobody()
   order by f.id                                          -- in one order, so that two searches never wait for each other
      on conflict (tenant_id, owner_id, scope, scope_id, fact_id) do update set use_count = u.use_count + 1, last_used_at = now();
  get diagnostics counted = row_count;
  return counted;
end $$;

ALTER FUNCTION memoranda_private.count_uses(p_places memoranda_private.place[], p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.dimension(p_lexeme text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select 1 + (hashtextextended(p_lexeme, 0) & 268435455)::integer $$;

ALTER FUNCTION memoranda_private.dimension(p_lexeme text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.dimensions(v memoranda_private.vec) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$select public.vector_dims(v)$$;

ALTER FUNCTION memoranda_private.dimensions(v memoranda_private.vec) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb, p_most bigint) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f facts;
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'source', 'importance', 'tags', 'entities', 'metadata', 'valid_from', 'valid_until',
                       'expires_at', 'expected_version', 'vector', 'model'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, source, importance, tags, entities, metadata, '
      'valid_from, valid_until, expires_at and expected_version, and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact - array['vector', 'model']);
  f.tenant_id := p.tenant_id;
  f.owner_id := p.owner_id;
  f.scope := p.scope;
  f.scope_id := p.scope_id;
  f.kind := coalesce(f.kind, 'fact');
  f.importance := coalesce(f.importance, case f.kind       -- how much a kind matters when nobody says
    when 'correction' then 9 when 'preference' then 8 when 'decision' then 7 when 'pattern' then 7
    when 'learning' then 6 when 'event' then 4 when 'conversation' then 3 when 'transcript' then 1 else 5 end);
  f.tags := coalesce(f.tags, '{}');
  f.entities := coalesce(f.entities, subjects(f.content), '{}');
  f.metadata := coalesce(f.metadata, '{}');
  f.origin := 'user';
  f.status := 'confirmed';

  if f.key is not null then
    perform check_key(f.key);
  end if;
  if f.content is null or f.content !~ '\S' then
    raise exception using errcode = 'MEEMP', message = 'the content of a fact is empty';
  end if;
  if char_length(f.content) > p_most then
    raise exception using errcode = 'MEBIG', message = format('a fact has at most %s characters, this one %s', p_most, char_length(f.content));
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
  if f.valid_from >= f.valid_until then
    raise exception using errcode = 'METIM', message = 'a fact is valid from a time to a later one';
  end if;
  if cardinality(f.tags) > 50 or char_length(f.tags::text) > 2000 or cardinality(f.entities) > 100
     or char_length(f.entities::text) > 5000 or char_length(f.metadata::text) > 20000 then
    raise exception using errcode = 'MEBIG',
      message = 'a fact has at most 50 tags of 2000 characters, 100 entities of 5000, and 20000 characters of metadata';
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb, p_most bigint) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  found facts;
begin
  select * into found from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.key = p_key and f.status = 'confirmed';
  return found;
end $$;

ALTER FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_out(f memoranda_private.facts) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'id', f.id, 'tenant', f.tenant_id, 'scope', f.scope, 'scope_id', f.scope_id, 'key', f.key, 'kind', f.kind,
    'content', f.content, 'status', f.status, 'origin', f.origin, 'source', f.source, 'tainted', f.tainted, 'importance', f.importance,
    'tags', f.tags, 'entities', f.entities, 'metadata', f.metadata, 'valid_from', f.valid_from,
    'valid_until', f.valid_until, 'expires_at', f.expires_at, 'supersedes', f.supersedes,
    'superseded_by', f.superseded_by, 'version', f.version, 'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

ALTER FUNCTION memoranda_private.fact_out(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p     place := enter(p_place, 'read');
  whom  text := nullif(fold(p_query ->> 'entity'), '');
begin
  if whom is null or p_query - array['entity', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'what facts are about is an entity with a name, and a limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(best.f) order by (best.f).importance desc, (best.f).updated_at desc, (best.f).id), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and holds(f) and exists (select from unnest(f.entities) as name where fold(name) = whom)
       order by f.importance desc, f.updated_at desc, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) best);
end $$;

ALTER FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_forget', p_target, p_call);
  gone     facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id or f.key = target.key) and f.status = 'confirmed'
  returning * into gone;
  perform unindex(p, array[gone.id]);
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
           and f.id in (select chain(p, target))
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

ALTER FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  gone uuid[] := array(select n.supersedes from unnest(p_facts) as n where n.supersedes is not null);
begin
  if cardinality(gone) > 0 then
    update facts g set status = 'superseded', superseded_by = n.id from unnest(p_facts) as n
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, n.supersedes);
    perform unindex(p, gone);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, entities, metadata, valid_from, valid_until, expires_at, supersedes)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, n.id, n.key, n.kind, n.content, n.status, n.origin, n.source, n.tainted,
         n.importance, n.tags, n.entities, n.metadata, n.valid_from, n.valid_until, n.expires_at, n.supersedes
    from unnest(p_facts) as n;
  perform index_terms(p_facts);
  if p_model is not null then
    perform index_vectors(p_facts, p_vectors, p_model);
  end if;
end $$;

ALTER FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p      place := enter(p_place, 'read');
  asked  moment := moment_in(p_query);
begin
  if p_query - array['key', 'id', 'limit', 'as_of', 'known_at'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has key, id, limit, as_of and known_at, and nothing else';
  end if;
  if p_query ? 'key' then
    perform check_key(p_query ->> 'key');
  end if;
  if asked.as_of is not null then
    return recall_then(p, asked, p_query);
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key, (newest.f).id), '[]') from (
      select f from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and f.status = 'confirmed' and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
         and coalesce(f.expires_at > now(), true)
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
         and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

ALTER FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_save', p_fact - array['vector', 'model'], p_call);
begin
  return coalesce(outcome, end_write(p, p_call, save_all(p, jsonb_build_array(p_fact)) -> 0));
end $$;

ALTER FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb;
begin
  if jsonb_array_length(p_facts) > 10000 then
    raise exception using errcode = 'MEBIG', message = 'at most 10000 facts are saved at once';
  end if;
  outcome := begin_write(p, 'facts_save_many', case when p_call ->> 'idempotency_key' is not null then
    (select jsonb_agg(value - array['vector', 'model']) from jsonb_array_elements(p_facts)) end, p_call);
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts))));
end $$;

ALTER FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  places  place[];
  k       integer;
  pool    integer;
  among   uuid[];
  asked   vec := vector_in(p_query ->> 'vector', p_query ->> 'model');
  found   jsonb;
  m       search_lane;                      -- what was found by meaning
  w       search_lane;                      -- and by words
begin
  perform check_query(p_query);
  places := places_of(p_place, p_query);
  if (moment_in(p_query)).as_of is not null then
    return search_then(places, moment_in(p_query), p_query);
  end if;
  k := greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 10)))::integer;
  pool := greatest(50, 2 * k);
  among := search_among(places, p_query);
  if asked is not null then
    select array_agg(place), array_agg(fact_id), array_agg(similarity), null, null into m
      from search_meaning(places, asked, p_query ->> 'model', among, pool);
  end if;
  if p_query ?| array['text', 'entities'] then
    select array_agg(place), array_agg(fact_id), null, array_agg(score), array_agg(named) into w
      from search_words(places, p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')), among, m.ids, pool);
  end if;
  with lanes as (
    select place, fact_id, similarity, ordinality as meaning_rank, null::double precision as words, null::bigint as words_rank, 0 as named
      from unnest(m.at, m.ids, m.similarities) with ordinality as near (place, fact_id, similarity)
    union all
    select place, fact_id, null, null, words, case when words > 0 then rank() over (order by words desc) end, named
      from unnest(w.at, w.ids, w.words, w.named) as said (place, fact_id, words, named)
    union all
    select place, fact_id, null, null, null, null, 0 from search_newest(places, among, k)
     where coalesce(cardinality(m.ids), 0) < k
  ), candidates as (
    select place, fact_id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(l.words) as words,
           max(words_rank) as words_rank, max(l.named) as named
      from lanes l group by place, fact_id
  ), compared as materialized (                           -- those found by words alone have a similarity, too
    select c.place, c.fact_id, coalesce(c.similarity, x.similarity) as similarity, c.meaning_rank, c.words, c.words_rank, c.named
      from candidates c
      left join lateral (
        select 1 - (coalesce(v.short, v.long) <=> asked) as similarity from vectors v
         where c.similarity is null and asked is not null and v.tenant_id = places[c.place].tenant_id and v.owner_id = places[c.place].owner_id
           and v.scope = places[c.place].scope and v.scope_id = places[c.place].scope_id
           and v.model = p_query ->> 'model' and v.fact_id = c.fact_id limit 1) as x on true
  ), fused as (
    select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0)
                + case when c.named > 0 then 0.125 else 0 end as fusion
      from compared c
     where p_query ->> 'min_similarity' is null or c.similarity >= (p_query ->> 'min_similarity')::double precision
     order by fusion desc, c.fact_id limit greatest(30, 3 * k)   -- what is behind, no blending brings to the front
  ), judged as (
    select f.f, c.*,
           case when (f.f).kind in ('preference', 'correction') then 1
                else greatest(0.75, exp(-greatest(0, extract(epoch from now() - coalesce((f.f).valid_from, (f.f).created_at))) / 15552000.0)) end as recency,
           1 + 0.02 * ((f.f).importance - 5) as importance,
           1 + least(0.05, 0.01 * ln(1 + coalesce(u.use_count, 0))) as used
      from fused c
      cross join lateral (
        select f from facts f
         where f.tenant_id = places[c.place].tenant_id and f.owner_id = places[c.place].owner_id
           and f.scope = places[c.place].scope and f.scope_id = places[c.place].scope_id and f.id = c.fact_id
           and f.status = 'confirmed' limit 1) as f
      left join lateral (
        select u.use_count from fact_uses u
         where u.tenant_id = places[c.place].tenant_id and u.owner_id = places[c.place].owner_id
           and u.scope = places[c.place].scope and u.scope_id = places[c.place].scope_id
           and u.fact_id = c.fact_id limit 1) as u on true
  ), ordered as (
    select j.*, j.fusion * case when (p_query ->> 'blend')::boolean is false then 1 else j.recency * j.importance * j.used end as score
      from judged j order by score desc, (j.f).updated_at desc, (j.f).id limit k
  )
  select coalesce(jsonb_agg(jsonb_build_object(
           'fact', fact_out(o.f), 'similarity', o.similarity, 'score', o.score,
           'why', jsonb_build_object('meaning_rank', o.meaning_rank, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named,
                                     'recency', o.recency, 'importance', o.importance, 'used', o.used))
           order by o.score desc, (o.f).updated_at desc, (o.f).id), '[]')
    into found from ordered o;
  if (p_query ->> 'track_use')::boolean is not false then
    perform count_uses(places, array(select (hit -> 'fact' ->> 'id')::uuid from jsonb_array_elements(found) as hit));
  end if;
  return found;
end $$;

ALTER FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_then(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) RETURNS SETOF memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  seen  timestamptz := coalesce(p_moment.known_at, 'infinity');
begin
  return query
    with recursive known as materialized (
      select f.id, (array_agg(r.state order by r.version desc))[1] as state,
             (array_agg(r.replaces) filter (where r.state ->> 'status' = 'confirmed' and r.replaces is not null))[1] as took
        from facts f
        join revisions r on r.tenant_id = f.tenant_id and r.owner_id = f.owner_id and r.scope = f.scope and r.scope_id = f.scope_id
                        and r.subject = 'fact' and r.subject_id = f.id and r.at <= seen
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.created_at <= seen and (p_ids is null or f.id = any (p_ids))
       group by f.id
    ), told as (                                          -- stories, from their last fact back, as far as it matters
      select k.id as story, k.id, k.took, k.state, 0 as depth, coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity') as since,
             coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity') as last_since
        from known k
       where k.state ->> 'status' = 'confirmed' and not exists (select from known n where n.took = k.id)
      union all
      select t.story, k.id, k.took, k.state, t.depth + 1, coalesce((k.state ->> 'valid_from')::timestamptz, '-infinity'), t.last_since
        from told t join known k on k.id = t.took
       where t.last_since > p_moment.as_of
    ), returns as materialized (
      select t.story, min(t.depth) as latest, max(t.depth) as earliest
        from told t where t.last_since > p_moment.as_of
       group by t.story, t.state -> 'content', t.state -> 'valid_from', t.state -> 'valid_until' having max(t.depth) - min(t.depth) > 1
    ), struck as materialized (
      select t.*, exists (select from returns b where b.story = t.story and t.depth > b.latest and t.depth < b.earliest) as wrong
        from told t
    ), closed as (
      select s.*, lag(s.id) over story as successor,
             min(s.since) filter (where not s.wrong) over (story rows between unbounded preceding and 1 preceding) as until
        from struck s window story as (partition by s.story order by s.depth)
    )
    select stood.*
      from closed c
     cross join lateral jsonb_populate_record(null::facts, c.state || jsonb_strip_nulls(jsonb_build_object(
             'status', case when c.successor is not null then 'superseded' end, 'superseded_by', c.successor,
             'valid_until', least((c.state ->> 'valid_until')::timestamptz, c.until)))) as stood
     where not c.wrong and c.state ->> 'status' = 'confirmed'
       and c.since <= p_moment.as_of and coalesce(c.until > p_moment.as_of, true)
       and coalesce((c.state ->> 'valid_until')::timestamptz > p_moment.as_of, true)
       and coalesce((c.state ->> 'expires_at')::timestamptz > coalesce(p_moment.known_at, now()), true);
end $$;

ALTER FUNCTION memoranda_private.facts_then(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_timeline(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p         place := enter(p_place, 'read');
  first     timestamptz := time_in(p_query, 'since');
  last      timestamptz := time_in(p_query, 'until');
  whom      text := fold(p_query ->> 'entity');
  included  text[] := array(select jsonb_array_elements_text(p_query -> 'include'));
begin
  if p_query - array['limit', 'kinds', 'entity', 'since', 'until', 'include'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a timeline has limit, kinds, entity, since, until and include, and nothing else';
  end if;
  if not included <@ array['superseded', 'forgotten', 'pending', 'rejected', 'expired', 'ended', 'upcoming'] then
    raise exception using errcode = 'MEINP',
      message = 'a timeline can include superseded, forgotten, pending, rejected, expired, ended and upcoming facts';
  end if;
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by newest.time desc, (newest.f).created_at desc, (newest.f).id), '[]') from (
      select f, coalesce(f.valid_from, f.created_at) as time from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and (f.status = 'confirmed' or f.status = any (included))
         and ('upcoming' = any (included) or coalesce(f.valid_from <= now(), true))
         and ('ended' = any (included) or coalesce(f.valid_until > now(), true))
         and ('expired' = any (included) or coalesce(f.expires_at > now(), true))
         and (p_query -> 'kinds' is null or p_query -> 'kinds' ? f.kind)
         and (first is null or coalesce(f.valid_from, f.created_at) >= first)
         and (last is null or coalesce(f.valid_from, f.created_at) < last)
         and (whom is null or exists (select from unnest(f.entities) as name where fold(name) = whom))
       order by time desc, f.created_at desc, f.id
       limit greatest(1, least(1000, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

ALTER FUNCTION memoranda_private.facts_timeline(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_used(p_place jsonb, p_used jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return jsonb_build_object('counted', count_uses(places_of(p_place, p_used), array(
    select jsonb_array_elements_text(p_used -> 'ids')::uuid limit 200)));
end $$;

ALTER FUNCTION memoranda_private.facts_used(p_place jsonb, p_used jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_vocabulary(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['min_mentions', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a vocabulary has min_mentions and limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('name', v.name, 'facts', v.facts) order by v.facts desc, v.folded collate "C"), '[]') from (
      select fold(name) as folded, mode() within group (order by name collate "C") as name, count(distinct f.id) as facts
        from facts f, unnest(f.entities) as name
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and holds(f) and fold(name) <> ''
       group by fold(name)
      having count(distinct f.id) >= coalesce((p_query ->> 'min_mentions')::numeric, 1)
       order by facts desc, fold(name) collate "C"
       limit greatest(1, least(10000, coalesce((p_query ->> 'limit')::numeric, 2000)))
    ) v);
end $$;

ALTER FUNCTION memoranda_private.facts_vocabulary(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

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
  perform check_size(p, p_content);
  if p_content = f.content then
    return f;
  end if;
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
  if p_target ? 'expected_version' then                  -- a version is a file's: a folder has none
    perform check_file_version(f, (p_target ->> 'expected_version')::integer);
    perform require_file(f);
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
  return end_write(p, p_call, jsonb_build_object(
    'outcome', case new.version when f.version then 'unchanged' else 'edited' end, 'id', f.id, 'version', new.version,
    'line', lines[1], 'lines', line_count(coalesce(p_edit ->> 'new', ''))));
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

CREATE FUNCTION memoranda_private.files_then(p memoranda_private.place, p_path text, p_known_at timestamp with time zone, p_below boolean) RETURNS SETOF memoranda_private.files
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select stood.*
    from files f
   cross join lateral (
     select r.state from revisions r
      where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
          = (f.tenant_id, f.owner_id, f.scope, f.scope_id, 'file', f.id) and r.at <= p_known_at
      order by r.version desc limit 1) as last
   cross join lateral jsonb_populate_record(null::files, last.state) as stood
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.created_at <= p_known_at and stood.status = 'current'
     and case when p_below then p_path = '' or starts_with(stood.path, p_path || '/') else stood.path = p_path end
   order by stood.path collate "C"
$$;

ALTER FUNCTION memoranda_private.files_then(p memoranda_private.place, p_path text, p_known_at timestamp with time zone, p_below boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p      place := enter(p_place, 'read');
  path   text := case p_target ->> 'path' when '' then '' else path_in(p_target ->> 'path') end;
  known  timestamptz := (moment_in(jsonb_build_object('known_at', p_target -> 'known_at'))).known_at;
  f      files;
  below  jsonb;
begin
  if known is null then
    f := file_at(p, path);
  else
    select * into f from files_then(p, path, known, false);
  end if;
  if f.id is not null then
    return jsonb_build_object('kind', 'file') || file_out(f);
  end if;
  select jsonb_agg(jsonb_build_object(
           'path', b.path, 'bytes', b.bytes, 'version', b.version, 'tainted', b.tainted, 'updated_at', b.updated_at,
           'content', case when b.bytes_so_far <= (p_target ->> 'contents')::numeric then b.content end) order by b.path collate "C")
    into below from (
      select s.*, octet_length(s.content) as bytes,
             sum(octet_length(s.content)) over (order by octet_length(s.content), s.path collate "C") as bytes_so_far
        from (select * from files_below(p, path) where known is null
              union all
              select * from files_then(p, path, known, true) where known is not null) s) b;
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
  perform check_size(p, body);
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

CREATE FUNCTION memoranda_private.fold(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case when octet_length(plained) = char_length(plained) then plained
              else normalize(translate(regexp_replace(normalize(replace(plained, 'ß', 'ss'), nfd),
                     '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+', '', 'g'),
                     'øłđ', 'old'), nfc) end
    from plain(p_text) as plained
$$;

ALTER FUNCTION memoranda_private.fold(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_fact() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if tg_op = 'INSERT' then
    new.version := case when new.supersedes is null then 1 else 1 + coalesce((
      select f.version from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
           = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.supersedes)), 0) end;
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

CREATE FUNCTION memoranda_private.holds(f memoranda_private.facts) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select f.status = 'confirmed' and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
     and coalesce(f.expires_at > now(), true)
$$;

ALTER FUNCTION memoranda_private.holds(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into terms (tenant_id, owner_id, scope, scope_id, fact_id, part, length, words, live_from, live_until)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, t.part, t.length, t.words,
         coalesce(f.valid_from, '-infinity'), least(f.valid_until, f.expires_at, 'infinity')
    from unnest(p_facts) as f
   cross join lateral (
     select part, least(max(distinct_words), 32767) as length,
            ('{' || string_agg(place || ':1', ',' order by place) || '}/268435456')::sparse as words
       from (
         select place, (row_number() over (order by place) - 1) / 250 as part, sum(is_word) over () as distinct_words
           from (
             select 1 + (hashtextextended(lexeme, 0) & 268435455) as place, (lexeme !~ '^=')::integer as is_word
               from unnest(lexemes(concat_ws(' ', f.content, f.key, array_to_string(f.tags, ' ')))) as lexeme
             union
             select 1 + (hashtextextended('@' || fold(entity), 0) & 268435455), 0 from unnest(f.entities) as entity
           ) as found
       ) as divided
      group by part) as t
   where f.kind <> 'transcript';                          -- those are found by meaning alone
end $$;

ALTER FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into vectors (tenant_id, owner_id, scope, scope_id, model, fact_id, short, long, signs, large, live_from, live_until)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id,
         case when dimensions(v) <= 1024 then v end, case when dimensions(v) > 1024 then v end,
         case when dimensions(v) > 1024 then signs(v) end,
         (select l.number from large_scopes l where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                                                  = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model)),
         coalesce(f.valid_from, '-infinity'), least(f.valid_until, f.expires_at, 'infinity')
    from generate_subscripts(p_facts, 1) as n, lateral (select (p_facts[n]).*) as f, lateral (select p_vectors[n]) as given (v)
   where v is not null
      on conflict do nothing;
end $$;

ALTER FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.large_scopes_find(p_least integer) RETURNS TABLE(number integer, vectors bigint, dimensions integer)
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into large_scopes (tenant_id, owner_id, scope, scope_id, model, number)
  select v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, nextval('large_scope_numbers')
    from vectors v
   group by v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model having count(*) >= p_least
   order by count(*) desc
   limit greatest(0, 50 - (select count(*) from large_scopes))
      on conflict do nothing;
  return query
    select l.number, (select count(*) from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model)
                                                         = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)),
           split_part(l.model, '/', -1)::integer
      from large_scopes l where not l.ready order by l.number;
end $$;

ALTER FUNCTION memoranda_private.large_scopes_find(p_least integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_index(p_number integer) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
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
$_$;

ALTER FUNCTION memoranda_private.large_scopes_index(p_number integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_ready(p_number integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ update large_scopes set ready = true where number = p_number $$;

ALTER FUNCTION memoranda_private.large_scopes_ready(p_number integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.lexemes(p_text text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  spaceless constant text := '\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff'
                             '\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff';
  folded  text := fold(p_text);
  ascii   boolean := octet_length(folded) = char_length(folded);
  found   text[];
begin
  if ascii then
    found := tsvector_to_array(to_tsvector('pg_catalog.english', regexp_replace(folded, '[^a-z0-9]+', ' ', 'g')));
  else
    found := array(
      select stem
        from string_to_table(regexp_replace(regexp_replace(folded, '([' || spaceless || ']+)', ' \1 ', 'g'),
                 '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b0-\u02ff'
                 '\u055a-\u055f\u05be\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u206f\u20a0-\u20cf\u2100-\u2bff\u3000-\u3004'
                 '\u3008-\u303f\u30fb\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff]+', ' ', 'g'),
               ' ') as word,
             unnest(case
               when word ~ '[0-9]' then array[word]
               when ascii(word) < 123 then ts_lexize('pg_catalog.english_stem', left(word, 100))
               when ascii(word) between 1024 and 1279 then ts_lexize('pg_catalog.russian_stem', left(word, 100))
               when ascii(word) between 880 and 1023  then ts_lexize('pg_catalog.greek_stem', left(word, 100))
               when ascii(word) between 1536 and 1791 then ts_lexize('pg_catalog.arabic_stem', left(word, 100))
               when ascii(word) between 2304 and 2431 then ts_lexize('pg_catalog.hindi_stem', left(word, 100))
               when ascii(word) < 3585 or word !~ ('^[' || spaceless || ']') then array[word]
               else array(select substr(word, n, 2) from generate_series(1, greatest(1, char_length(word) - 1)) n
                          union all
                          select unnest(string_to_array(word, null)) where ascii(word) > 11000 and char_length(word) > 1)
             end) as stem
       where word <> '');
  end if;
  if folded ~ '[0-9a-z][-@./_:+#%,][0-9a-z]' then
    found := found || array(
      select '=' || compound
        from regexp_matches(folded, '[^\u0001-\u0020()\[\]{}<>"''`“”„«»‘’|;!?，。、；：！？（）「」]+', 'g') as match,
             btrim(match[1], '.,:;-_/@#*+…%') as compound
       where compound ~ '[-@./_:+#%,]' and char_length(compound) between 3 and 200);
  end if;
  if folded ~ '[0-9][-0-9 ()./]{5,}[0-9]' then
    found := found || array(
      select unnest(array['=' || digits, '=' || right(digits, 7)])
        from regexp_matches(folded, '[0-9][-0-9 ()./]{5,}[0-9]', 'g') as match,
             regexp_replace(match[1], '[^0-9]', '', 'g') as digits
       where char_length(digits) between 7 and 20);
  end if;
  return found;
end $$;

ALTER FUNCTION memoranda_private.lexemes(p_text text) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.log_facts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call  jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
  me    uuid := uid();
begin
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
                         actor, user_id, role, run_id, tool_call_id, reason, at)
  select n.tenant_id, n.owner_id, n.scope, n.scope_id, 'fact', n.id, n.version,
         case when tg_op = 'UPDATE' then n.status when n.supersedes is null then 'saved' else 'corrected' end,
         to_jsonb(n), n.supersedes, call ->> 'actor', me, current_setting('role'),
         call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', n.updated_at
    from written n where tg_op = 'INSERT' or n.status <> 'superseded';
  return null;
end $$;

ALTER FUNCTION memoranda_private.log_facts() OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda_private.metadata_meets(p_metadata jsonb, p_conditions jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(bool_and(coalesce(case op
      when 'eq' then held = wanted
      when 'ne' then held <> wanted
      when 'lt' then kin and held < wanted
      when 'lte' then kin and held <= wanted
      when 'gt' then kin and held > wanted
      when 'gte' then kin and held >= wanted
      when 'in' then wanted @> jsonb_build_array(held)
      when 'has' then jsonb_typeof(held) = 'array' and held @> jsonb_build_array(wanted)
      when 'exists' then (held is not null) = (wanted = 'true') end, op = 'ne')), true)
    from (
      select condition ->> 'op' as op, p_metadata -> (condition ->> 'key') as held, condition -> 'value' as wanted,
             jsonb_typeof(p_metadata -> (condition ->> 'key')) = jsonb_typeof(condition -> 'value') as kin
        from jsonb_array_elements(p_conditions) as condition
    ) as conditions
$$;

ALTER FUNCTION memoranda_private.metadata_meets(p_metadata jsonb, p_conditions jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.moment_in(p_query jsonb) RETURNS memoranda_private.moment
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  asked moment := row(time_in(p_query, 'as_of'), time_in(p_query, 'known_at'))::moment;
begin
  if asked.as_of is null and asked.known_at is null then
    return null;
  end if;
  asked.known_at := case when asked.known_at < now() then asked.known_at end;
  asked.as_of := coalesce(asked.as_of, asked.known_at, now());
  return asked;
end $$;

ALTER FUNCTION memoranda_private.moment_in(p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.my_tenants() RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  me uuid := uid();
begin
  return case when me is null then '{}' else me || tenants_with('read') end;
end $$;

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

CREATE FUNCTION memoranda_private.norm(v memoranda_private.vec) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$select public.l2_norm(v)$$;

ALTER FUNCTION memoranda_private.norm(v memoranda_private.vec) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.passes(f memoranda_private.facts, p_query jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return (p_query -> 'kinds' is null or p_query -> 'kinds' ? f.kind)
     and (p_query -> 'tags' is null or to_jsonb(f.tags) @> (p_query -> 'tags'))
     and (p_query ->> 'since' is null or coalesce(f.valid_from, f.created_at) >= (p_query ->> 'since')::timestamptz)
     and (p_query ->> 'until' is null or coalesce(f.valid_from, f.created_at) < (p_query ->> 'until')::timestamptz)
     and (p_query ->> 'min_importance' is null or f.importance >= (p_query ->> 'min_importance')::numeric)
     and (p_query -> 'metadata' is null or metadata_meets(f.metadata, p_query -> 'metadata'));
end $$;

ALTER FUNCTION memoranda_private.passes(f memoranda_private.facts, p_query jsonb) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.places_of(p_place jsonb, p_query jsonb) RETURNS memoranda_private.place[]
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select array(select distinct enter(p_place || scope, 'read')
                 from jsonb_array_elements(coalesce(nullif(p_query -> 'scopes', '[]'), '[{}]')) as scope)
$$;

ALTER FUNCTION memoranda_private.places_of(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.plain(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select btrim(regexp_replace(
    case when octet_length(p_text) = char_length(p_text) then lower(p_text collate pg_c_utf8)
         else replace(translate(normalize(lower(upper(normalize(regexp_replace(p_text,
                '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\U000E0000-\U000E0FFF]',
                '', 'g'), nfkd) collate pg_c_utf8) collate pg_c_utf8), nfkc), 'ıς', 'iσ'), 'i̇', 'i') end,
    '[\u0001-\u0020\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

ALTER FUNCTION memoranda_private.plain(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_then(p memoranda_private.place, p_moment memoranda_private.moment, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  target  facts := jsonb_populate_record(null::facts, jsonb_build_object('key', p_query -> 'key', 'id', p_query -> 'id'));
  ids     uuid[] := case when num_nonnulls(target.key, target.id) > 0 then array(select chain(p, target)) end;
begin
  return (
    select coalesce(jsonb_agg(fact_out(newest.f) order by (newest.f).updated_at desc, (newest.f).key, (newest.f).id), '[]') from (
      select f from facts_then(p, p_moment, ids) as f
       where (target.key is null or f.key = target.key) and (target.id is null or f.id = target.id)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

ALTER FUNCTION memoranda_private.recall_then(p memoranda_private.place, p_moment memoranda_private.moment, p_query jsonb) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  most      bigint := setting(p.tenant_id, 'fact_characters');
  tainted   boolean := call_is_tainted();
  each      record;
  f         facts;
  old       facts;
  expected  integer;
  model     text;
  batch     facts[] := '{}';
  vectors   vec[] := '{}';
  last_key  text;
  outcomes  jsonb[] := '{}';
begin
  -- In the order of their keys, so that two calls never wait for each other; the outcomes in the order given.
  for each in
    select value, ordinality::integer as number from jsonb_array_elements(p_facts) with ordinality
     order by value ->> 'key' collate "C" nulls last, ordinality
  loop
    f := fact_in(p, each.value, most);
    if cardinality(batch) >= 500 or f.key = last_key or model is distinct from each.value ->> 'model' then
      perform facts_put(p, batch, vectors, model);
      batch := '{}';
      vectors := '{}';
    end if;
    last_key := f.key;
    model := each.value ->> 'model';
    old := null;
    if f.key is not null then
      perform lock_key(p, f.key);
      old := fact_in_force(p, f.key);
    end if;
    expected := (each.value ->> 'expected_version')::integer;
    if expected <> coalesce(old.version, 0) then
      raise exception using errcode = 'MECFL',
        message = format('the fact is at version %s, not %s', coalesce(old.version, 0), expected);
    end if;
    if (f.content, f.kind, f.source, f.importance, f.tags, f.entities, f.metadata, f.valid_from, f.valid_until, f.expires_at)
       is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.entities, old.metadata, old.valid_from,
                             old.valid_until, old.expires_at) then
      outcomes[each.number] := jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', old.id, 'version', old.version);
      continue;
    end if;
    f.id := gen_random_uuid();
    f.supersedes := old.id;
    f.tainted := tainted;
    batch := batch || f;
    vectors := vectors || vector_in(each.value ->> 'vector', model);
    outcomes[each.number] := jsonb_strip_nulls(jsonb_build_object(
      'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', case when f.key is null then 'new' else 'key' end,
      'id', f.id, 'version', coalesce(old.version, 0) + 1, 'supersedes', old.id));
  end loop;
  perform facts_put(p, batch, vectors, model);
  return to_jsonb(outcomes);
end $$;

ALTER FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.schema_version() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('version', max(number), 'required', coalesce(max(number) filter (where breaking), 0)) from migrations
$$;

ALTER FUNCTION memoranda_private.schema_version() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.search_among(p_places memoranda_private.place[], p_query jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  of_kinds   text[] := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'kinds'));
  with_tags  text[] := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'tags'));
  first      timestamptz := p_query ->> 'since';
  last       timestamptz := p_query ->> 'until';
begin
  if not p_query ?| array['kinds', 'tags', 'since', 'until', 'metadata', 'min_importance'] then
    return null;
  end if;
  return array(
    select f.id from unnest(p_places) as h
      join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
     where f.status = 'confirmed' and (of_kinds is null or f.kind = any (of_kinds)) and (with_tags is null or f.tags @> with_tags)
       and (first is null or coalesce(f.valid_from, f.created_at) >= first) and (last is null or coalesce(f.valid_from, f.created_at) < last)
       and (p_query ->> 'min_importance' is null or f.importance >= (p_query ->> 'min_importance')::numeric)
       and (p_query -> 'metadata' is null or metadata_meets(f.metadata, p_query -> 'metadata')));
end $$;

ALTER FUNCTION memoranda_private.search_among(p_places memoranda_private.place[], p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_large(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_count integer) RETURNS TABLE(place integer, fact_id uuid, similarity double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET enable_sort TO 'off'
    AS $_$
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
              and v.live_from <= now() and v.live_until > now()
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
end $_$;

ALTER FUNCTION memoranda_private.search_large(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_among uuid[], p_count integer) RETURNS TABLE(place integer, fact_id uuid, similarity double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  long   boolean := dimensions(p_vector) > 1024;
  marks  bit varying := case when long then signs(p_vector) end;
  big    integer[];
begin
  -- A large scope has an index of its own; with a filter, or when it does not bring enough, all of the scope is compared.
  if p_among is null then
    big := array(select l.number from unnest(p_places) as h
                   join large_scopes l on l.tenant_id = h.tenant_id and l.owner_id = h.owner_id and l.scope = h.scope
                    and l.scope_id = h.scope_id and l.model = p_model and l.ready);
    if cardinality(big) > 0 then
      return query select * from search_large(p_places, p_vector, p_model, p_count);
      if found then
        return;
      end if;
    end if;
  end if;
  if not long then
    return query
      select h.number::integer, near.fact_id, 1 - near.distance
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select v.fact_id, v.short <=> p_vector as distance from vectors v
          where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
            and v.model = p_model and v.live_from <= now() and v.live_until > now()
            and (p_among is null or v.fact_id in (select unnest(p_among)))
          order by distance, v.fact_id limit p_count) as near      -- (by its name: said twice, it is computed twice)
       order by near.distance, near.fact_id limit p_count;
  else
    return query
      select h.number::integer, w.fact_id, 1 - (w.long <=> p_vector)
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select v.fact_id from vectors v
          where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
            and v.model = p_model and v.live_from <= now() and v.live_until > now()
            and (p_among is null or v.fact_id in (select unnest(p_among)))
          order by v.signs::"bit" <~> marks::"bit", v.fact_id limit greatest(400, 2 * p_count)) as near
        join vectors w on (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.model, w.fact_id)
                        = (h.tenant_id, h.owner_id, h.scope, h.scope_id, p_model, near.fact_id)
       order by w.long <=> p_vector, w.fact_id limit p_count;
  end if;
end $$;

ALTER FUNCTION memoranda_private.search_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_among uuid[], p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_newest(p_places memoranda_private.place[], p_among uuid[], p_count integer) RETURNS TABLE(place integer, fact_id uuid)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, n.id
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select f.id, f.updated_at from facts f
        where f.tenant_id = h.tenant_id and f.owner_id = h.owner_id and f.scope = h.scope and f.scope_id = h.scope_id
          and f.status = 'confirmed' and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
          and coalesce(f.expires_at > now(), true) and (p_among is null or f.id in (select unnest(p_among)))
        order by f.updated_at desc, f.key, f.id limit p_count) as n
     order by n.updated_at desc, n.id limit p_count;
end $$;

ALTER FUNCTION memoranda_private.search_newest(p_places memoranda_private.place[], p_among uuid[], p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_then(p_places memoranda_private.place[], p_moment memoranda_private.moment, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET jit TO 'off'
    AS $$
declare
  asked  text[] := asked_words(p_query ->> 'text');
  names  text[] := asked_names(p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  blend  boolean := (p_query ->> 'blend')::boolean is not false;
begin
  if p_query ?| array['vector', 'model', 'min_similarity'] then
    raise exception using errcode = 'MEINP', message = 'at another time there is no similarity: no vector, model or min_similarity';
  end if;
  return (
    with held as materialized (
      select stood.f, found.*
        from unnest(p_places) as h
       cross join lateral (
         select f from facts_then(row(h.tenant_id, h.owner_id, h.scope, h.scope_id)::place, p_moment, null) as f
          where passes(f, p_query) offset 0) as stood
       cross join lateral (
         select array_agg(lexeme) filter (where lexeme = any (asked)) as words,
                count(*) filter (where lexeme !~ '^=') as length
           from (select distinct unnest(lexemes(concat_ws(' ', (stood.f).content, (stood.f).key, array_to_string((stood.f).tags, ' '))))
                  where (stood.f).kind <> 'transcript') as of_fact (lexeme)) as found
    ), rarity as materialized (
      select word, ln(1 + ((select count(*) from held where (f).kind <> 'transcript') - count(*) + 0.5) / (count(*) + 0.5)) as idf
        from held, unnest(words) as word group by word
    ), scored as (
      select h.f, (select sum(r.idf) from rarity r where r.word = any (h.words)) / (select sum(idf) from rarity) / (1 + h.length / 70.0) as words,
             case when (h.f).kind = 'transcript' then 0
                  else (select count(distinct fold(name)) from unnest((h.f).entities) as name where fold(name) = any (names)) end as named
        from held h
    ), judged as (
      select s.f, s.named, s.words::double precision as words, case when s.words > 0 then rank() over (order by s.words desc nulls last) end as words_rank,
             case when (s.f).kind in ('preference', 'correction') then 1
                  else greatest(0.75, exp(-greatest(0, extract(epoch from p_moment.as_of - coalesce((s.f).valid_from, (s.f).created_at))) / 15552000.0)) end as recency,
             1 + 0.02 * ((s.f).importance - 5) as importance
        from scored s
    ), ordered as (
      select j.*, (0.5 * coalesce(j.words, 0) + case when j.named > 0 then 0.125 else 0 end)
                  * case when blend then j.recency * j.importance else 1 end as score
        from judged j
       order by score desc, (j.f).updated_at desc, (j.f).id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 10)))
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact', fact_out(o.f), 'similarity', null, 'score', o.score,
             'why', jsonb_build_object('meaning_rank', null, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named,
                                       'recency', o.recency, 'importance', o.importance, 'used', 1))
             order by o.score desc, (o.f).updated_at desc, (o.f).id), '[]')
      from ordered o);
end $$;

ALTER FUNCTION memoranda_private.search_then(p_places memoranda_private.place[], p_moment memoranda_private.moment, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_query text, p_names text[], p_among uuid[], p_also uuid[], p_count integer) RETURNS TABLE(place integer, fact_id uuid, score double precision, named integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  asked   text[] := asked_words(p_query);
  names   text[] := array(select '@' || name from unnest(asked_names(p_query, p_names)) as name);
  q1      sparse := sparse_of(asked[:20], names);
  q2      sparse := sparse_of(asked[21:], '{}');
begin
  return query
    with matched as materialized (
      select h.number::integer as place, s.*
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select p.fact_id, min(p.length) as length, coalesce(sum(p.x1), 0)::bigint as x1, coalesce(sum(p.x2), 0)::bigint as x2
           from (
             select t.fact_id, t.length, -(t.words <#> q1) as x1, -(t.words <#> q2) as x2 from terms t
              where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
                and t.live_from <= now() and t.live_until > now()
                and (p_among is null or t.fact_id in (select unnest(p_among)))
             offset 0) as p
          where p.x1 > 0 or p.x2 > 0
          group by p.fact_id) as s
    ), patterns as materialized (                         -- which words occur together, and in how many facts
      select m.x1 & 1048575 as x1, m.x2, count(*) as facts from matched m group by 1, 2
    ), rarity as materialized (
      select number, ln(1 + greatest(0, all_facts.count - sum(p.facts)::float8 + 0.5) / (sum(p.facts)::float8 + 0.5)) as idf
        from (select count(*) from unnest(p_places) as h
                join terms t on t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
               where t.part = 0) as all_facts
       cross join generate_series(1, cardinality(asked)) as number
        join patterns p on (case when number <= 20 then p.x1 >> (number - 1) else p.x2 >> (number - 21) end) & 1 = 1
       group by number, all_facts.count
    ), weighed as materialized (
      select p.x1, p.x2, sum(r.idf) / (select sum(idf) from rarity) as share
        from patterns p
        join rarity r on (case when r.number <= 20 then p.x1 >> (r.number - 1) else p.x2 >> (r.number - 21) end) & 1 = 1
       group by p.x1, p.x2
    ), scored as materialized (
      select m.place, m.fact_id, coalesce(w.share, 0) / (1 + m.length / float8 '70') as score, (m.x1 >> 20)::integer as names
        from matched m left join weighed w on w.x1 = m.x1 & 1048575 and w.x2 = m.x2
    )
    (select s.place, s.fact_id, s.score, s.names from scored s where s.score > 0 order by s.score desc, s.fact_id limit p_count)
    union
    (select s.place, s.fact_id, s.score, s.names from scored s where s.names > 0 order by s.names desc, s.score desc, s.fact_id limit p_count)
    union
    select s.place, s.fact_id, s.score, s.names from scored s where s.fact_id in (select unnest(p_also));
end $$;

ALTER FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_query text, p_names text[], p_among uuid[], p_also uuid[], p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select sha256(salt || sha256(salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;

ALTER FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.setting(p_tenant uuid, p_name text) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce((select s.value from settings s where s.name = p_name and s.tenant_id in (p_tenant, nobody())
                    order by s.tenant_id = nobody() limit 1),
                  (select k.fallback from settings_known() k where k.name = p_name))
$$;

ALTER FUNCTION memoranda_private.setting(p_tenant uuid, p_name text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.settings_get(p_place jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'read');
begin
  return (select jsonb_object_agg(k.name, setting(p.tenant_id, k.name)) from settings_known() k);
end $$;

ALTER FUNCTION memoranda_private.settings_get(p_place jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.settings_known() RETURNS TABLE(name text, fallback jsonb, lowest numeric, highest numeric)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  values ('fact_characters', '100000'::jsonb, 1, 1000000),
         ('file_characters', '100000', 1, 1000000),
         ('files',           '1000', 1, 100000),
         ('files_bytes',     '10000000', 1, 1000000000)
$$;

ALTER FUNCTION memoranda_private.settings_known() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.settings_set(p_setting jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  tenant  uuid := coalesce(as_id('tenant', p_setting -> 'tenant'), nobody());
  wanted  jsonb := p_setting -> 'value';
  known   record;
begin
  select * into known from settings_known() k where k.name = p_setting ->> 'name';
  if known.name is null then
    raise exception using errcode = 'MEINP', message = 'there is no such setting';
  end if;
  if coalesce(wanted, 'null') = 'null' then
    delete from settings s where s.tenant_id = tenant and s.name = known.name;
    return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', null);
  end if;
  if jsonb_typeof(wanted) <> 'number' or wanted::numeric not between known.lowest and known.highest
     or wanted::numeric <> trunc(wanted::numeric) then
    raise exception using errcode = 'MEINP',
      message = format('%s is a whole number from %s to %s', known.name, known.lowest, known.highest);
  end if;
  insert into settings (tenant_id, name, value) values (tenant, known.name, wanted)
  on conflict (tenant_id, name) do update set value = excluded.value, updated_at = clock_timestamp();
  return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', wanted);
end $$;

ALTER FUNCTION memoranda_private.settings_set(p_setting jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.signs(v memoranda_private.vec) RETURNS bit varying
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$select public.binary_quantize(v)$$;

ALTER FUNCTION memoranda_private.signs(v memoranda_private.vec) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.sparse_of(p_words text[], p_names text[]) RETURNS memoranda_private.sparse
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select ('{' || string_agg(place || ':' || weight, ',' order by place) || '}/268435456')::sparse
    from (select dimension(word) as place, max(weight) as weight
            from (select word, 1 << (number::integer - 1) as weight from unnest(p_words) with ordinality as listed (word, number)
                  union all
                  select unnest(p_names), 1048576) as all_words
           group by 1) as placed
$$;

ALTER FUNCTION memoranda_private.sparse_of(p_words text[], p_names text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.subjects(p_text text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  select case when found is null then '{}' else array[found] end
    from substring(left(p_text, 300) collate pg_c_utf8 from
           '^(?:\[[^\]]*\] )?([[:upper:]][[:alnum:]''’-]*(?: [[:upper:]][[:alnum:]''’-]*){0,2}):(?:\s|$)') as found
$_$;

ALTER FUNCTION memoranda_private.subjects(p_text text) OWNER TO memoranda_rules;

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
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  me uuid := uid();
begin
  return array(select tenant_id from members where user_id = me and (permission = p_permission or permission = 'manage'));
end $$;

ALTER FUNCTION memoranda_private.tenants_with(p_permission text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.time_in(p_query jsonb, p_name text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  written text := p_query ->> p_name;
begin
  if written !~* '\d:\d.*(z|[+-]\d\d(:?\d\d){0,2})$' or not pg_input_is_valid(written, 'timestamptz') then
    raise exception using errcode = 'METIM', message = format('%s is a time with its zone', p_name);
  end if;
  return written;
end $_$;

ALTER FUNCTION memoranda_private.time_in(p_query jsonb, p_name text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.uid() RETURNS uuid
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  claims  text := nullif(current_setting('request.jwt.claims', true), '');
  sub     jsonb := case when pg_input_is_valid(claims, 'jsonb') then claims::jsonb -> 'sub' end;
begin
  -- Most are ids in their usual spelling; those need no further call, and this is called a dozen times for each write.
  if (sub #>> '{}') ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$' and jsonb_typeof(sub) = 'string' then
    return (sub #>> '{}')::uuid;
  end if;
  return as_id('user', sub);
end $_$;

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
  touched   uuid[] := array(
    select r.subject_id from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs) group by r.subject_id order by min(r.at), r.subject_id);
  subject   uuid;
  story     uuid[];
  done      uuid[] := '{}';
  written   record;
  earlier   facts;
  current   facts;
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  perform lock_key(p, keys.key) from (
    select distinct f.key from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and f.id = any (touched) and f.key is not null order by 1) as keys;
  foreach subject in array touched loop
    continue when subject = any (done);
    story := array(select chain(p, jsonb_populate_record(null::facts, jsonb_build_object('id', subject))));
    done := done || story;
    select (array_agg(coalesce(r.run_id = any (p_runs), false) order by r.at desc, r.version desc))[1] as by_them,
           (array_agg(r.state order by r.at desc, r.version desc))[1] as last, max(r.at) as at,
           (array_agg(r.state order by r.at desc, r.version desc) filter (where (r.run_id = any (p_runs)) is not true))[1] as before
      into written from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.subject_id = any (story);
    select * into current from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and f.id = any (story) and f.status = 'confirmed';
    earlier := jsonb_populate_record(null::facts, written.before);
    if not written.by_them then
      kept := kept || coalesce(written.last ->> 'key', written.last ->> 'id');
    elsif earlier.status = 'confirmed' then
      continue when current.id is null and earlier.key is null and exists (     -- it has come back since, and no key says so
        select from facts f
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.key is null and f.content = earlier.content and f.created_at > written.at);
      earlier.id := gen_random_uuid();
      earlier.supersedes := current.id;
      perform facts_put(p, array[earlier], null, null);
      restored := restored || coalesce(earlier.key, earlier.id::text);
    elsif current.id is not null then
      update facts f set status = 'forgotten'
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, current.id);
      perform unindex(p, array[current.id]);
      removed := removed || coalesce(current.key, current.id::text);
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

CREATE FUNCTION memoranda_private.unindex(p memoranda_private.place, p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.unindex(p memoranda_private.place, p_ids uuid[]) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.vector_in(p_vector text, p_model text) RETURNS memoranda_private.vec
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
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
end $_$;

ALTER FUNCTION memoranda_private.vector_in(p_vector text, p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'read');
  wanted  text := p_wanted ->> 'model';
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'content', m.content) order by m.created_at, m.id), '[]') from (
      select f.id, f.content, f.created_at from facts f
       where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and f.status = 'confirmed'
         and not exists (select from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id)
                                                   = (p.tenant_id, p.owner_id, p.scope, p.scope_id, wanted, f.id))
         and not exists (select from unembeddable u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.model, u.fact_id)
                                                        = (p.tenant_id, p.owner_id, p.scope, p.scope_id, wanted, f.id))
       order by f.created_at, f.id
       limit greatest(1, least(1000, coalesce((p_wanted ->> 'limit')::numeric, 100)))
    ) as m);
end $$;

ALTER FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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
       and g.status = 'confirmed' for share;
    continue when not found;
    if each ? 'vector' then
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

ALTER FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) OWNER TO memoranda_rules;

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

CREATE OPERATOR memoranda_private.<#> (
    FUNCTION = public.sparsevec_negative_inner_product,
    LEFTARG = public.sparsevec,
    RIGHTARG = public.sparsevec
);

ALTER OPERATOR memoranda_private.<#> (public.sparsevec, public.sparsevec) OWNER TO memoranda_owner;

CREATE OPERATOR memoranda_private.<-> (
    FUNCTION = public.similarity_dist,
    LEFTARG = text,
    RIGHTARG = text
);

ALTER OPERATOR memoranda_private.<-> (text, text) OWNER TO memoranda_owner;

CREATE OPERATOR memoranda_private.<=> (
    FUNCTION = public.cosine_distance,
    LEFTARG = public.halfvec,
    RIGHTARG = public.halfvec
);

ALTER OPERATOR memoranda_private.<=> (public.halfvec, public.halfvec) OWNER TO memoranda_owner;

CREATE OPERATOR memoranda_private.<~> (
    FUNCTION = public.hamming_distance,
    LEFTARG = bit,
    RIGHTARG = bit
);

ALTER OPERATOR memoranda_private.<~> (bit, bit) OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.fact_uses (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    fact_id uuid NOT NULL,
    seen_count integer DEFAULT 1 NOT NULL,
    use_count integer DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT fact_uses_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
)
WITH (fillfactor='80');

ALTER TABLE ONLY memoranda_private.fact_uses FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.fact_uses OWNER TO memoranda_owner;

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

CREATE SEQUENCE memoranda_private.large_scope_numbers
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE memoranda_private.large_scope_numbers OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.large_scopes (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    model text NOT NULL,
    number integer NOT NULL,
    ready boolean DEFAULT false NOT NULL,
    CONSTRAINT large_scopes_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
);

ALTER TABLE ONLY memoranda_private.large_scopes FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.large_scopes OWNER TO memoranda_owner;

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

CREATE TABLE memoranda_private.settings (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY memoranda_private.settings FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.settings OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.tenants (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    salt bytea DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) NOT NULL,
    CONSTRAINT tenants_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'organization'::text])))
);

ALTER TABLE ONLY memoranda_private.tenants FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tenants OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.terms (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    fact_id uuid NOT NULL,
    part smallint NOT NULL,
    length smallint NOT NULL,
    words memoranda_private.sparse NOT NULL,
    live_from timestamp with time zone NOT NULL,
    live_until timestamp with time zone NOT NULL,
    CONSTRAINT terms_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.02');

ALTER TABLE ONLY memoranda_private.terms FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.terms OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.unembeddable (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    model text NOT NULL,
    fact_id uuid NOT NULL,
    reason text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT unembeddable_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT unembeddable_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 300)))
);

ALTER TABLE ONLY memoranda_private.unembeddable FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.unembeddable OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.vectors (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    model text NOT NULL,
    fact_id uuid NOT NULL,
    short memoranda_private.vec,
    long memoranda_private.vec,
    signs bit varying,
    large integer,
    live_from timestamp with time zone NOT NULL,
    live_until timestamp with time zone NOT NULL,
    CONSTRAINT vectors_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT vectors_check1 CHECK (((num_nonnulls(short, long) = 1) AND ((long IS NULL) = (signs IS NULL)))),
    CONSTRAINT vectors_model_check CHECK ((model ~ '^.{1,190}/[0-9]{1,4}$'::text))
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY memoranda_private.vectors ALTER COLUMN short SET STORAGE MAIN;
ALTER TABLE ONLY memoranda_private.vectors ALTER COLUMN long SET STORAGE MAIN;

ALTER TABLE ONLY memoranda_private.vectors FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.vectors OWNER TO memoranda_owner;

ALTER TABLE ONLY memoranda_private.fact_uses
    ADD CONSTRAINT fact_uses_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, fact_id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, key_hash);

ALTER TABLE ONLY memoranda_private.large_scopes
    ADD CONSTRAINT large_scopes_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model);

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY memoranda_private.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY memoranda_private.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, subject, subject_id, version);

ALTER TABLE ONLY memoranda_private.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (tenant_id, owner_id, run_id);

ALTER TABLE ONLY memoranda_private.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (tenant_id, name);

ALTER TABLE ONLY memoranda_private.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);

ALTER TABLE ONLY memoranda_private.terms
    ADD CONSTRAINT terms_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, fact_id, part) INCLUDE (length, words, live_from, live_until);

ALTER TABLE ONLY memoranda_private.unembeddable
    ADD CONSTRAINT unembeddable_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, fact_id);

ALTER TABLE ONLY memoranda_private.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, fact_id) INCLUDE (short, signs, live_from, live_until);

CREATE INDEX facts_by_key ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX facts_in_force ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key) WHERE ((status = 'confirmed'::text) AND (key IS NOT NULL));

CREATE INDEX facts_newest ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, updated_at DESC, key, id) WHERE (status = 'confirmed'::text);

CREATE INDEX facts_superseded_by ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE UNIQUE INDEX facts_supersedes ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, supersedes) WHERE (supersedes IS NOT NULL);

CREATE UNIQUE INDEX files_current ON memoranda_private.files USING btree (tenant_id, owner_id, scope, scope_id, path) WHERE (status = 'current'::text);

CREATE INDEX revisions_path ON memoranda_private.revisions USING btree (tenant_id, owner_id, scope, scope_id, ((state ->> 'path'::text))) WHERE (subject = 'file'::text);

CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON memoranda_private.revisions FOR EACH STATEMENT EXECUTE FUNCTION memoranda_private.refuse_rewriting();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.facts FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_fact();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_file();

CREATE TRIGGER guard BEFORE UPDATE ON memoranda_private.runs FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_run();

CREATE TRIGGER log AFTER INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW EXECUTE FUNCTION memoranda_private.log_file();

CREATE TRIGGER log_change AFTER UPDATE ON memoranda_private.facts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION memoranda_private.log_facts();

CREATE TRIGGER log_new AFTER INSERT ON memoranda_private.facts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION memoranda_private.log_facts();

ALTER TABLE ONLY memoranda_private.fact_uses
    ADD CONSTRAINT fact_uses_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_superseded_by_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, superseded_by) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_supersedes_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, supersedes) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES memoranda_private.tenants(tenant_id);

ALTER TABLE ONLY memoranda_private.terms
    ADD CONSTRAINT terms_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.unembeddable
    ADD CONSTRAINT unembeddable_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.vectors
    ADD CONSTRAINT vectors_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

CREATE POLICY add ON memoranda_private.fact_uses FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

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

CREATE POLICY add ON memoranda_private.terms FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY add ON memoranda_private.unembeddable FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY add ON memoranda_private.vectors FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY append ON memoranda_private.revisions FOR INSERT TO memoranda_owner WITH CHECK (((pg_trigger_depth() > 0) AND (user_id = ( SELECT memoranda_private.uid() AS uid)) AND
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END));

CREATE POLICY change ON memoranda_private.fact_uses FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

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

CREATE POLICY counting ON memoranda_private.vectors FOR SELECT TO memoranda_service USING (true);

ALTER TABLE memoranda_private.fact_uses ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.files ENABLE ROW LEVEL SECURITY;

CREATE POLICY first_use ON memoranda_private.tenants FOR INSERT TO memoranda_rules WITH CHECK (((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])) AND ((kind = 'person'::text) = (tenant_id = ( SELECT memoranda_private.uid() AS uid)))));

ALTER TABLE memoranda_private.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.large_scopes ENABLE ROW LEVEL SECURITY;

CREATE POLICY leave ON memoranda_private.terms FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY leave ON memoranda_private.unembeddable FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY leave ON memoranda_private.vectors FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))
END);

CREATE POLICY ledger ON memoranda_private.migrations TO memoranda_owner USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.members ENABLE ROW LEVEL SECURITY;

CREATE POLICY membership ON memoranda_private.members TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.migrations ENABLE ROW LEVEL SECURITY;

CREATE POLICY mine ON memoranda_private.tenants FOR SELECT TO memoranda_owner, memoranda_rules USING ((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])));

CREATE POLICY numbering ON memoranda_private.vectors FOR UPDATE TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY own ON memoranda_private.idempotency_keys TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY own ON memoranda_private.runs TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY own_memberships ON memoranda_private.members FOR SELECT TO memoranda_owner USING ((user_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY read ON memoranda_private.fact_uses FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.facts FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.files FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.large_scopes FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.revisions FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.settings FOR SELECT TO memoranda_rules USING (((tenant_id = memoranda_private.nobody()) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.terms FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.unembeddable FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.vectors FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (scope = 'organization'::text)) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY registry ON memoranda_private.large_scopes TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY registry ON memoranda_private.settings TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY registry ON memoranda_private.tenants TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.revisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.unembeddable ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.vectors ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA memoranda TO authenticated;
GRANT USAGE ON SCHEMA memoranda TO service_role;

GRANT USAGE ON SCHEMA memoranda_private TO authenticated;
GRANT USAGE ON SCHEMA memoranda_private TO service_role;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_rules;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_timeline(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_timeline(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_timeline(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_used(place jsonb, used jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_used(place jsonb, used jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_used(place jsonb, used jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_vocabulary(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_vocabulary(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_vocabulary(place jsonb, query jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda.settings_get(place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.settings_get(place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.settings_get(place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.settings_set(setting jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.settings_set(setting jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.undo(place jsonb, what jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.vectors_missing(place jsonb, wanted jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.vectors_missing(place jsonb, wanted jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.vectors_missing(place jsonb, wanted jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.vectors_put(place jsonb, made jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.vectors_put(place jsonb, made jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.vectors_put(place jsonb, made jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.whoami() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.whoami() TO authenticated;
GRANT ALL ON FUNCTION memoranda.whoami() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.asked_names(p_query text, p_names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.asked_words(p_query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_is_tainted() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_text(p_call jsonb, p_name text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_service;

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

GRANT INSERT(entities) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(metadata) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(valid_from) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(valid_until) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(expires_at) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(supersedes) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT UPDATE(superseded_by) ON TABLE memoranda_private.facts TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_path(p_path text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_path(p_path text) TO memoranda_rules;

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

REVOKE ALL ON FUNCTION memoranda_private.check_query(p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_quota(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_size(p memoranda_private.place, p_content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.count_uses(p_places memoranda_private.place[], p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.dimension(p_lexeme text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.dimensions(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.dimensions(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb, p_most bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_out(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_then(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_timeline(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_timeline(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_timeline(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_used(p_place jsonb, p_used jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_used(p_place jsonb, p_used jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_used(p_place jsonb, p_used jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_vocabulary(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_vocabulary(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_vocabulary(p_place jsonb, p_query jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda_private.files_then(p memoranda_private.place, p_path text, p_known_at timestamp with time zone, p_below boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_view(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.files_write(p_place jsonb, p_file jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.fold(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_fact() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_run() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.holds(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_find(p_least integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_index(p_number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_ready(p_number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lexemes(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.line_count(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lines_of(p_content text, p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_files(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_facts() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.metadata_meets(p_metadata jsonb, p_conditions jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.moment_in(p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.my_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.nobody() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.norm(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.norm(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.passes(f memoranda_private.facts, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.path_in(p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.places_of(p_place jsonb, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.plain(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_then(p memoranda_private.place, p_moment memoranda_private.moment, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.refuse_rewriting() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.require_file(f memoranda_private.files) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.runs_of(p memoranda_private.place, p_what jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.search_among(p_places memoranda_private.place[], p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_large(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_among uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_newest(p_places memoranda_private.place[], p_among uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_then(p_places memoranda_private.place[], p_moment memoranda_private.moment, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_query text, p_names text[], p_among uuid[], p_also uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.setting(p_tenant uuid, p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.settings_known() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_known() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.settings_known() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.settings_set(p_setting jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_set(p_setting jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.signs(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.signs(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.sparse_of(p_words text[], p_names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.subjects(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.target_in(p_target jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenant_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.time_in(p_query jsonb, p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.uid() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.undo_files(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.unindex(p memoranda_private.place, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.user_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.vector_in(p_vector text, p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.whoami() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(fact_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(seen_count),UPDATE(seen_count) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(use_count),UPDATE(use_count) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(last_used_at),UPDATE(last_used_at) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT SELECT ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(key_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT INSERT(payload_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT UPDATE(outcome) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;

GRANT USAGE ON SEQUENCE memoranda_private.large_scope_numbers TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.large_scopes TO memoranda_rules;
GRANT SELECT,DELETE ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(model) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(number) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT UPDATE(ready) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.members TO memoranda_service;

GRANT UPDATE(permission) ON TABLE memoranda_private.members TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.revisions TO memoranda_rules;

GRANT SELECT ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(run_id) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT INSERT(sources),UPDATE(sources) ON TABLE memoranda_private.runs TO memoranda_rules;

GRANT SELECT ON TABLE memoranda_private.settings TO memoranda_rules;
GRANT SELECT,DELETE ON TABLE memoranda_private.settings TO memoranda_service;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT INSERT(name) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT INSERT(value),UPDATE(value) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT UPDATE(updated_at) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_service;

GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.terms TO memoranda_rules;

GRANT SELECT,DELETE ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(owner_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(scope) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(scope_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(model) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(fact_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(reason) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.vectors TO memoranda_rules;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(owner_id) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(scope) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(scope_id) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(model) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(fact_id) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(large),UPDATE(large) ON TABLE memoranda_private.vectors TO memoranda_service;
