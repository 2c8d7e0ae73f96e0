CREATE SCHEMA memoranda;

ALTER SCHEMA memoranda OWNER TO memoranda_owner;

CREATE SCHEMA memoranda_private;

ALTER SCHEMA memoranda_private OWNER TO memoranda_owner;

CREATE TYPE memoranda_private.decision AS (
	outcome text,
	rule text,
	id uuid,
	version integer,
	replaces uuid,
	replaces_version integer,
	waits boolean,
	restored boolean,
	compared uuid,
	similarity double precision,
	threshold double precision
);

ALTER TYPE memoranda_private.decision OWNER TO memoranda_rules;

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

CREATE TYPE memoranda_private.recall_filter AS (
	low uuid[],
	high uuid[],
	among uuid[]
);

ALTER TYPE memoranda_private.recall_filter OWNER TO memoranda_rules;

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

CREATE TYPE memoranda_private.traits AS (
	words text[],
	kinds text[],
	shape text[],
	numbers text[],
	dates text[],
	units text[],
	names text[],
	opened boolean,
	quantifiers text[],
	poles text[],
	negated boolean,
	past boolean,
	spaceless boolean,
	accents text,
	labelled boolean
);

ALTER TYPE memoranda_private.traits OWNER TO memoranda_rules;

CREATE DOMAIN memoranda_private.vec AS public.halfvec;

ALTER DOMAIN memoranda_private.vec OWNER TO memoranda_owner;

CREATE TYPE memoranda_private.verdict AS (
	id uuid,
	rule text,
	similarity double precision,
	threshold double precision
);

ALTER TYPE memoranda_private.verdict OWNER TO memoranda_rules;

CREATE FUNCTION memoranda.audit(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.audit(place, query) $$;

ALTER FUNCTION memoranda.audit(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.call_as(claims jsonb, request jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.call_as(claims, request) $$;

ALTER FUNCTION memoranda.call_as(claims jsonb, request jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.claim_work(limits jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.claim_work(limits) $$;

ALTER FUNCTION memoranda.claim_work(limits jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.documents_delete(document jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.documents_delete(document, call) $$;

ALTER FUNCTION memoranda.documents_delete(document jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.documents_export(document jsonb, page jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.documents_export(document, page) $$;

ALTER FUNCTION memoranda.documents_export(document jsonb, page jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.documents_get(document jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.documents_get(document) $$;

ALTER FUNCTION memoranda.documents_get(document jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.documents_list(document jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.documents_list(document) $$;

ALTER FUNCTION memoranda.documents_list(document jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.documents_put(document jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.documents_put(document, call) $$;

ALTER FUNCTION memoranda.documents_put(document jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.erase(place jsonb, what jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.erase(place, what) $$;

ALTER FUNCTION memoranda.erase(place jsonb, what jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.erase_user(subject jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.erase_user(subject) $$;

ALTER FUNCTION memoranda.erase_user(subject jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.erase_verify(receipt jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.erase_verify(receipt) $$;

ALTER FUNCTION memoranda.erase_verify(receipt jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.export_page(place jsonb, page jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.export_page(place, page) $$;

ALTER FUNCTION memoranda.export_page(place jsonb, page jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.export_scopes(place jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.export_scopes(place) $$;

ALTER FUNCTION memoranda.export_scopes(place jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_about(place jsonb, query jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.facts_about(place, query) $$;

ALTER FUNCTION memoranda.facts_about(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_correct(place, target, fact, call) $$;

ALTER FUNCTION memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_erase(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_erase(place, target, call) $$;

ALTER FUNCTION memoranda.facts_erase(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.facts_restore(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_restore(place, target, call) $$;

ALTER FUNCTION memoranda.facts_restore(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_save(place, fact, call) $$;

ALTER FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_save_extracted(place, facts, call) $$;

ALTER FUNCTION memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.facts_supersede(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.facts_supersede(place, target, call) $$;

ALTER FUNCTION memoranda.facts_supersede(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.import_rows(subject jsonb, rows jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.import_rows(subject, rows) $$;

ALTER FUNCTION memoranda.import_rows(subject jsonb, rows jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.large_scopes_status(limits jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.large_scopes_status(limits) $$;

ALTER FUNCTION memoranda.large_scopes_status(limits jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.message_vectors_put(place jsonb, pieces jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.message_vectors_put(place, pieces) $$;

ALTER FUNCTION memoranda.message_vectors_put(place jsonb, pieces jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.messages_delete(place jsonb, message jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.messages_delete(place, message, call) $$;

ALTER FUNCTION memoranda.messages_delete(place jsonb, message jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.messages_edit(place jsonb, message jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.messages_edit(place, message, call) $$;

ALTER FUNCTION memoranda.messages_edit(place jsonb, message jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.messages_list(place jsonb, said jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.messages_list(place, said) $$;

ALTER FUNCTION memoranda.messages_list(place jsonb, said jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.messages_recall(place jsonb, said jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.messages_recall(place, said) $$;

ALTER FUNCTION memoranda.messages_recall(place jsonb, said jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.purge(limits jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.purge(limits) $$;

ALTER FUNCTION memoranda.purge(limits jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.recall(place jsonb, asked jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.recall(place, asked) $$;

ALTER FUNCTION memoranda.recall(place jsonb, asked jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.reembed_drop(change jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.reembed_drop(change) $$;

ALTER FUNCTION memoranda.reembed_drop(change jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.reembed_messages(change jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.reembed_messages(change) $$;

ALTER FUNCTION memoranda.reembed_messages(change jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.reembed_places(change jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.reembed_places(change) $$;

ALTER FUNCTION memoranda.reembed_places(change jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.reembed_switch(change jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.reembed_switch(change) $$;

ALTER FUNCTION memoranda.reembed_switch(change jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.review_approve(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.review_approve(place, target, call) $$;

ALTER FUNCTION memoranda.review_approve(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.review_counts(place jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.review_counts(place) $$;

ALTER FUNCTION memoranda.review_counts(place jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.review_edit(place, target, fact, call) $$;

ALTER FUNCTION memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.review_pending(place jsonb, query jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.review_pending(place, query) $$;

ALTER FUNCTION memoranda.review_pending(place jsonb, query jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.review_reject(place jsonb, target jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.review_reject(place, target, call) $$;

ALTER FUNCTION memoranda.review_reject(place jsonb, target jsonb, call jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.turns_add(place jsonb, turn jsonb, call jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.turns_add(place, turn, call) $$;

ALTER FUNCTION memoranda.turns_add(place jsonb, turn jsonb, call jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda.work_claim(place jsonb, work jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_claim(place, work) $$;

ALTER FUNCTION memoranda.work_claim(place jsonb, work jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_done(place jsonb, work jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_done(place, work) $$;

ALTER FUNCTION memoranda.work_done(place jsonb, work jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_failed(place jsonb, work jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_failed(place, work) $$;

ALTER FUNCTION memoranda.work_failed(place jsonb, work jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_missing(place jsonb, work jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_missing(place, work) $$;

ALTER FUNCTION memoranda.work_missing(place jsonb, work jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_retry(limits jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_retry(limits) $$;

ALTER FUNCTION memoranda.work_retry(limits jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_status(limits jsonb DEFAULT '{}'::jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$ select memoranda_private.work_status(limits) $$;

ALTER FUNCTION memoranda.work_status(limits jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda.work_texts(place jsonb, work jsonb) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$ select memoranda_private.work_texts(place, work) $$;

ALTER FUNCTION memoranda.work_texts(place jsonb, work jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda_private.begin_review(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if coalesce(p_call ->> 'actor', 'application') <> 'application' then
    raise exception using errcode = '42501', message = 'only the application''s own code does this, for a person';
  end if;
  return begin_write(p, p_verb, p_payload, p_call);
end $$;

ALTER FUNCTION memoranda_private.begin_review(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call     jsonb := coalesce(p_call, '{}');
  actor    text := coalesce(call ->> 'actor', 'application');
  key      text := call_text(call, 'idempotency_key', 200);
  since    timestamptz := least(now(), (call ->> 'queued_at')::timestamptz);
  gone     jsonb;
  key_h    bytea;
  payload  bytea;
  earlier  idempotency_keys%rowtype;
begin
  if jsonb_typeof(call) <> 'object' or call - array['actor', 'run_id', 'tool_call_id', 'reason', 'idempotency_key', 'queued_at'] <> '{}' then
    raise exception using errcode = 'MEINP',
      message = 'a call has actor, run_id, tool_call_id, reason, idempotency_key and queued_at, and nothing else';
  end if;
  if actor not in ('application', 'model', 'extractor', 'import', 'system') then
    raise exception using errcode = 'MEINP', message = 'an actor is application, model, extractor, import or system';
  end if;
  perform set_config('memoranda.call', jsonb_build_object(
    'actor', actor, 'run_id', call_text(call, 'run_id', 200),
    'tainted', exists (select from runs r where (r.tenant_id, r.owner_id, r.run_id) = (p.tenant_id, uid(), call ->> 'run_id')),
    'tool_call_id', call_text(call, 'tool_call_id', 200),
    'reason', call_text(call, 'reason', 1000), 'since', since)::text, true);
  gone := '{"outcome": "rejected", "rule": "erased"}';
  if p_verb in ('facts_save_many', 'facts_save_extracted') then
    gone := jsonb_build_object('outcomes', jsonb_build_array(gone), 'erased', true);
  end if;
  if erased_since(p, since) then
    return gone;
  end if;
  if key is null then
    return null;
  end if;

  key_h := key_hash(p.tenant_id, key);
  payload := secret_hash(p.tenant_id, jsonb_build_array(p_verb, p_payload)::text);
  insert into idempotency_keys (tenant_id, owner_id, scope, scope_id, key_hash, payload_hash)
  values (p.tenant_id, uid(), p.scope, p.scope_id, key_h, payload)
  on conflict do nothing;
  if found then
    return null;
  end if;
  select * into strict earlier from idempotency_keys k
   where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash) = (p.tenant_id, uid(), p.scope, p.scope_id, key_h);
  if earlier.erased_at is not null then
    return gone || '{"replayed": true}';
  end if;
  if earlier.payload_hash is distinct from payload then
    raise exception using errcode = 'MEIDM', message = 'this idempotency key was used for another write';
  end if;
  return earlier.outcome || '{"replayed": true}';
end $$;

ALTER FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.nobody() RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00000000-0000-0000-0000-000000000000'::uuid;

ALTER FUNCTION memoranda_private.nobody() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (p_scope = 'organization'::text) THEN ((p_owner = memoranda_private.nobody()) AND (p_scope_id = ''::text)) WHEN (p_scope = 'user'::text) THEN ((p_owner <> memoranda_private.nobody()) AND (p_scope_id = ''::text)) WHEN (p_scope = ANY (ARRAY['agent'::text, 'chat'::text, 'project'::text])) THEN ((p_owner <> memoranda_private.nobody()) AND ((char_length(p_scope_id) >= 1) AND (char_length(p_scope_id) <= 200))) ELSE false END;

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
    quote text,
    supersedes uuid,
    line uuid,
    superseded_by uuid,
    holds_until timestamp with time zone,
    proposes uuid,
    value_hash bytea,
    template_hash bytea,
    version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT facts_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT facts_check1 CHECK (((status = 'superseded'::text) = (superseded_by IS NOT NULL))),
    CONSTRAINT facts_check2 CHECK (((holds_until IS NULL) OR (status = 'superseded'::text))),
    CONSTRAINT facts_check3 CHECK (((superseded_by <> id) AND (supersedes <> id))),
    CONSTRAINT facts_check4 CHECK ((valid_from < valid_until)),
    CONSTRAINT facts_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 1000000))),
    CONSTRAINT facts_importance_check CHECK (((importance >= 1) AND (importance <= 10))),
    CONSTRAINT facts_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
    CONSTRAINT facts_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'decision'::text, 'event'::text, 'preference'::text, 'correction'::text, 'conversation'::text, 'pattern'::text, 'learning'::text, 'transcript'::text]))),
    CONSTRAINT facts_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT facts_origin_check CHECK ((origin = ANY (ARRAY['user'::text, 'assistant'::text, 'tool'::text, 'import'::text, 'system'::text]))),
    CONSTRAINT facts_quote_check CHECK (((char_length(quote) >= 1) AND (char_length(quote) <= 2000))),
    CONSTRAINT facts_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 200))),
    CONSTRAINT facts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'rejected'::text, 'superseded'::text, 'forgotten'::text]))),
    CONSTRAINT facts_value_hash_check CHECK ((value_hash IS NOT NULL))
);

ALTER TABLE ONLY memoranda_private.facts FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.facts OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.bury(p_facts memoranda_private.facts[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  insert into tombstones as t (tenant_id, owner_id, scope, scope_id, value_hash, key, fact_id, template_hash)
  select distinct on (f.value_hash, f.key)
         f.tenant_id, f.owner_id, f.scope, f.scope_id, f.value_hash, coalesce(f.key, ''), f.id, shape_of(f)
    from unnest(p_facts) as f
      on conflict (tenant_id, owner_id, scope, scope_id, value_hash, key)
      do update set fact_id = excluded.fact_id, template_hash = excluded.template_hash, created_at = clock_timestamp(), lifted_at = null
$$;

ALTER FUNCTION memoranda_private.bury(p_facts memoranda_private.facts[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.call_as(p_claims jsonb, p_request jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  before  text := current_setting('request.jwt.claims', true);
  given   jsonb := coalesce(p_request -> 'arguments', '{}');
  door    pg_catalog.pg_proc;
  result  jsonb;
begin
  if jsonb_typeof(p_claims -> 'sub') is distinct from 'string' then
    raise exception using errcode = '28000', message = 'a call for somebody names the user';
  end if;
  select * into door from pg_catalog.pg_proc p
   where p.pronamespace = 'memoranda'::regnamespace and p.proname = p_request ->> 'function'
     and has_function_privilege('authenticated', p.oid, 'execute');
  if door.oid is null then
    raise exception using errcode = '42501', message = 'no user may call this function';
  end if;
  if jsonb_typeof(given) <> 'object' or exists (select from jsonb_object_keys(given) name where name = any (door.proargnames) is not true) then
    raise exception using errcode = 'MEINP', message = 'the function has no such argument';
  end if;
  perform set_config('request.jwt.claims', (p_claims || '{"role": "authenticated"}')::text, true);
  execute format('select memoranda.%I(%s)', door.proname,
                 (select string_agg(format('%I => $1 -> %L', name, name), ', ') from unnest(door.proargnames) name where given ? name))
     into result using given;
  perform set_config('request.jwt.claims', coalesce(before, ''), true);
  return result;
end $_$;

ALTER FUNCTION memoranda_private.call_as(p_claims jsonb, p_request jsonb) OWNER TO memoranda_owner;

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

CREATE FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
declare
  story  uuid[] := '{}';
  met    uuid[] := array[target.id];
  keys   text[] := array[target.key];
  lines  uuid[] := '{}';
  nexts  uuid[] := '{}';
begin
  while cardinality(met) > 0 loop
    met := array(
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.key = any (keys)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.line = any (lines)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.superseded_by = any (met)
      union
      select f.id from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and f.id = any (met || lines || nexts)
      except
      select unnest(story));
    select array_agg(distinct f.key) filter (where f.key is not null), array_agg(distinct coalesce(f.line, f.id)),
           array_agg(distinct f.superseded_by) filter (where f.superseded_by is not null)
      into keys, lines, nexts from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.id = any (met);
    story := story || met;
  end loop;
  return query select unnest(story);
end $$;

ALTER FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.chat_in(p_from jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if char_length(p_from ->> 'chat') not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'a chat has 1 to 200 characters';
  end if;
  return coalesce(p_from ->> 'chat', '');
end $$;

ALTER FUNCTION memoranda_private.chat_in(p_from jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.chat_next(p memoranda_private.place, p_chat text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('chat', p.tenant_id, p.owner_id, p.scope, p.scope_id, p_chat)::text, 0));
  return coalesce((select 1 + ('x' || right(g.id::text, 8))::bit(32)::integer from messages g
                    where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                      and g.id between message_ref(p, p_chat, 0) and message_ref(p, p_chat, 2147483647)
                    order by g.id desc limit 1), 0);
end $$;

ALTER FUNCTION memoranda_private.chat_next(p memoranda_private.place, p_chat text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.check_claim(p_claim jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if jsonb_typeof(p_claim) is distinct from 'object' or p_claim - array['kinds', 'most', 'lease'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a claim has kinds, most and lease, and nothing else';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_claim(p_claim jsonb) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.check_document_key(p_key text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if char_length(p_key) between 1 and 1024 is not true then
    raise exception using errcode = 'MEINP', message = 'the key of a document has 1 to 1024 characters';
  end if;
end $$;

ALTER FUNCTION memoranda_private.check_document_key(p_key text) OWNER TO memoranda_rules;

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
                        'min_importance', 'min_similarity', 'max_per_source', 'blend', 'track_use', 'as_of', 'known_at'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a search has text, vector, model, limit, scopes, kinds, tags, entities, since, '
      'until, metadata, min_importance, min_similarity, max_per_source, blend, track_use, as_of and known_at, and nothing else';
  end if;
  if jsonb_array_length(coalesce(p_query -> 'scopes', '[]')) > 20 then
    raise exception using errcode = 'MEINP', message = 'a search is over at most 20 scopes';
  end if;
  if p_query ? 'metadata' and exists (
       select from jsonb_array_elements(p_query -> 'metadata') as c
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

CREATE FUNCTION memoranda_private.claim_work(p_limits jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  made     uuid := gen_random_uuid();
  of_      text[] := (select array_agg(value) from jsonb_array_elements_text(p_limits -> 'kinds'));
  seconds  integer := greatest(1, least(3600, coalesce((p_limits ->> 'lease')::integer, 120)));
  taken    jsonb;
begin
  perform check_claim(p_limits);
  with due as materialized (
    select w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject from work w
     where w.dead_at is null and w.due_at <= now() and (of_ is null or w.kind = any (of_))
     order by w.due_at limit greatest(1, least(1000, coalesce((p_limits ->> 'most')::integer, 50)))
       for update skip locked
  ), leased as (
    update work w set claims = w.claims + 1, lease = made, due_at = clock_timestamp() + make_interval(secs => seconds),
           dead_at = case when w.claims >= (work_limits()).claims then now() end,
           reason = case when w.claims >= (work_limits()).claims then 'taken too often without coming to an end' else w.reason end
      from due
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
         = (due.tenant_id, due.owner_id, due.scope, due.scope_id, due.kind, due.subject)
    returning w)
  select jsonb_agg(work_out(l.w) order by (l.w).created_at) filter (where (l.w).dead_at is null) into taken from leased l;
  return coalesce(taken, '[]');
end $$;

ALTER FUNCTION memoranda_private.claim_work(p_limits jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.count_seen(p memoranda_private.place, p_id uuid) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  insert into fact_uses as u (tenant_id, owner_id, scope, scope_id, fact_id, seen_count)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_id, 2)
      on conflict (tenant_id, owner_id, scope, scope_id, fact_id) do update set seen_count = u.seen_count + 1
  returning seen_count
$$;

ALTER FUNCTION memoranda_private.count_seen(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

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
     and f.id = any (p_ids) and (f.status = 'confirmed' or f.holds_until > now())
   where h.owner_id <> nobody()
   order by f.id                                          -- in one order, so that two searches never wait for each other
      on conflict (tenant_id, owner_id, scope, scope_id, fact_id) do update set use_count = u.use_count + 1, last_used_at = now();
  get diagnostics counted = row_count;
  return counted;
end $$;

ALTER FUNCTION memoranda_private.count_uses(p_places memoranda_private.place[], p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.covers(old memoranda_private.facts, new memoranda_private.facts) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select (new.valid_from is null or coalesce(old.valid_from <= new.valid_from, true))
     and (new.valid_until, new.expires_at) is not distinct from (old.valid_until, old.expires_at)
$$;

ALTER FUNCTION memoranda_private.covers(old memoranda_private.facts, new memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.decide(p memoranda_private.place, f memoranda_private.facts, p_options jsonb, p_waits boolean, p_seen boolean, p_buried boolean, p_near boolean, p_large boolean, p_vector memoranda_private.vec, p_model text) RETURNS memoranda_private.decision
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  d        decision;
  t        tombstones;
  restore  boolean := coalesce((p_options ->> 'restore')::boolean, false);
  target   uuid := p_options ->> 'supersedes';
  old      facts;
  like_it  verdict;
begin
  d.waits := p_waits;
  if p_buried then
    t := tombstone_of(f);
  end if;
  if t.value_hash is not null and not restore then
    perform refuse(t);
    d.outcome := 'rejected';
    d.rule := 'tombstone';
    d.compared := t.fact_id;
    return d;
  end if;
  d.restored := restore and p_buried and lift(f);
  if p_buried and not restore and not p_options ? 'approved' then
    like_it := near_tombstone(p, f, p_vector, p_model);
    if like_it.id is not null then
      d.waits := true;
      select like_it.rule, like_it.id, like_it.similarity, like_it.threshold into d.rule, d.compared, d.similarity, d.threshold;
    end if;
  end if;

  if f.key is not null then
    old := fact_in_force(p, f.key);
    d.rule := coalesce(d.rule, 'key');
  end if;
  if target is not null then
    if old.id <> target then
      raise exception using errcode = 'MECFL', message = 'another fact is in force under that key';
    end if;
    old := replaced(p, target);
    d.rule := coalesce(nullif(d.rule, 'key'), 'supersedes');
  end if;
  if (p_options ->> 'expected_version')::integer <> coalesce(old.version, 0) then
    raise exception using errcode = 'MECFL',
      message = format('the fact is at version %s, not %s', coalesce(old.version, 0), p_options ->> 'expected_version');
  end if;
  if target is null and old.id is not null
     and (f.content, f.kind, f.source, f.importance, f.tags, f.entities, f.metadata, f.valid_from, f.valid_until, f.expires_at)
         is not distinct from (old.content, old.kind, old.source, old.importance, old.tags, old.entities, old.metadata, old.valid_from,
                               old.valid_until, old.expires_at) then
    select 'duplicate', 'same value', old.id, old.version into d.outcome, d.rule, d.id, d.version;
    return d;
  end if;
  select old.id, old.version into d.replaces, d.replaces_version;

  if target is null and p_options ->> 'dedup' is distinct from 'off' and p_seen then
    old := exact_match(p, f, d.waits);
    if old.status = 'pending' then
      select 'pending', coalesce(d.rule, 'same value'), old.id, old.version into d.outcome, d.rule, d.id, d.version;
      return d;
    elsif old.id is not null and covers(old, f) then
      select 'duplicate', 'same value', old.id, old.version into d.outcome, d.rule, d.id, d.version;
      return d;
    elsif old.id is not null and old.key is null then
      select coalesce(d.rule, 'same value, another time'), old.id, old.version into d.rule, d.replaces, d.replaces_version;
      return d;
    end if;
  end if;
  if target is null and f.key is null and p_near and char_length(f.content) <= 2000
     and f.kind not in ('transcript', 'conversation') then
    like_it := near_match(p, f, case when not p_large then p_vector end, p_model);
    if like_it.id is not null and d.rule is null then
      old := fact_of(p, like_it.id);
      select like_it.id, like_it.similarity, like_it.threshold into d.compared, d.similarity, d.threshold;
      d.rule := case like_it.rule
        when 'merge' then case when covers(old, f) then 'same in other words' else 'similar' end
        when 'supersede' then case when old.key is null and f.kind <> 'event' then 'moved on' else 'similar' end
        else 'similar' end;
      if d.rule = 'same in other words' then
        select 'duplicate', old.id, old.version into d.outcome, d.id, d.version;
      elsif d.rule = 'moved on' then
        select old.id, old.version into d.replaces, d.replaces_version;
      end if;
    end if;
  end if;
  d.rule := coalesce(d.rule, 'new');
  return d;
end $$;

ALTER FUNCTION memoranda_private.decide(p memoranda_private.place, f memoranda_private.facts, p_options jsonb, p_waits boolean, p_seen boolean, p_buried boolean, p_near boolean, p_large boolean, p_vector memoranda_private.vec, p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.differs(p_old text, p_new text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select traits_differ(traits_of(p_old), traits_of(p_new)) $$;

ALTER FUNCTION memoranda_private.differs(p_old text, p_new text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.dimension(p_lexeme text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (1 + ((hashtextextended(p_lexeme, (0)::bigint) & (268435455)::bigint))::integer);

ALTER FUNCTION memoranda_private.dimension(p_lexeme text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.dimensions(v memoranda_private.vec) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.vector_dims((v)::public.halfvec);

ALTER FUNCTION memoranda_private.dimensions(v memoranda_private.vec) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.document_lend(p_document jsonb) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before   text := current_setting('request.jwt.claims', true);
  user_id  uuid := as_id('user', p_document -> 'user');
begin
  if jsonb_typeof(p_document) is distinct from 'object'
     or p_document - array['user', 'tenant', 'scope', 'scope_id', 'key', 'content', 'expected_version', 'expires_in', 'after', 'prefix',
                           'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a document has user, tenant, scope, scope_id, key, content, expected_version, '
      'expires_in, after, prefix and limit, and nothing else';
  end if;
  if user_id is null then
    raise exception using errcode = '28000', message = 'a document belongs to a user, by their id or their name';
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', user_id)::text, true);
  return before;
end $$;

ALTER FUNCTION memoranda_private.document_lend(p_document jsonb) OWNER TO memoranda_rules;

CREATE TABLE memoranda_private.documents (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL,
    version bigint NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT documents_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT documents_content_check CHECK ((char_length(content) <= 1000000)),
    CONSTRAINT documents_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 1024)))
);

ALTER TABLE ONLY memoranda_private.documents FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.documents OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.document_out(d memoranda_private.documents, p_content boolean) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN (jsonb_build_object('key', (d).key, 'version', (d).version, 'created_at', (d).created_at, 'updated_at', (d).updated_at, 'expires_at', (d).expires_at) || CASE WHEN p_content THEN jsonb_build_object('content', (d).content) ELSE jsonb_build_object('characters', char_length((d).content)) END);

ALTER FUNCTION memoranda_private.document_out(d memoranda_private.documents, p_content boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.document_place(p_document jsonb, p_purpose text) RETURNS memoranda_private.place
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select enter((select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(p_document) where key in ('tenant', 'scope', 'scope_id')),
               p_purpose)
$$;

ALTER FUNCTION memoranda_private.document_place(p_document jsonb, p_purpose text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.document_return(p_before text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select set_config('request.jwt.claims', coalesce(p_before, ''), true) $$;

ALTER FUNCTION memoranda_private.document_return(p_before text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.documents_delete(p_document jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before    text := document_lend(p_document);
  p         place := document_place(p_document, 'write');
  outcome   jsonb := begin_write(p, 'documents_delete', p_document, p_call);
  expected  bigint := p_document ->> 'expected_version';
  d         documents;
begin
  if outcome is null then
    select * into d from documents old
     where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
       for update;
    if expected is not null and (d.key is null or d.expires_at <= now() or d.version <> expected) then
      raise exception using errcode = 'MECFL', message = format('the document is not at version %s', expected);
    end if;
    delete from documents old
     where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, d.key);
    outcome := end_write(p, p_call, jsonb_build_object('deleted', d.key is not null and coalesce(d.expires_at > now(), true)));
  end if;
  perform document_return(before);
  return outcome;
end $$;

ALTER FUNCTION memoranda_private.documents_delete(p_document jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.documents_export(p_document jsonb, p_page jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  kind_   text := coalesce(p_page ->> 'kind', '');
  most    integer := greatest(1, least(1000, coalesce((p_page ->> 'limit')::numeric, 500)));
  found_  jsonb;
begin
  if kind_ not in ('scopes', 'mark', 'document') or p_page - array['kind', 'after', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a page is of scopes, a mark or documents, and has kind, after and limit';
  elsif kind_ = 'scopes' then
    select coalesce(jsonb_agg(jsonb_build_object('scope', s.scope, 'scope_id', s.scope_id) order by s.scope, s.scope_id), '[]') into found_
      from (select distinct d.scope, d.scope_id from documents d where d.tenant_id = p.tenant_id and d.owner_id = uid()) as s;
  elsif kind_ = 'mark' then
    select jsonb_build_array(count(*), max(d.version)) into found_ from documents d
     where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id);
  else
    with page as (
      select d.key, to_jsonb(d) - array['tenant_id', 'owner_id', 'scope', 'scope_id'] as row_, octet_length(d.content) as bytes
        from documents d
       where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and d.key > coalesce(p_page #>> '{after,0}', '')
       order by d.key limit most
    ), counted as (
      select page.*, sum(page.bytes) over (order by page.key) - page.bytes as before, count(*) over () as of from page)
    select jsonb_build_object('rows', coalesce(jsonb_agg(c.row_ order by c.key), '[]'),
                              'after', case when count(*) < max(c.of) or max(c.of) = most then jsonb_build_array(max(c.key)) end)
      into found_ from counted c where c.before < 2000000;
  end if;
  perform document_return(before);
  return found_;
end $$;

ALTER FUNCTION memoranda_private.documents_export(p_document jsonb, p_page jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.documents_get(p_document jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  found   jsonb;
begin
  select document_out(d, true) into found from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id, d.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
     and coalesce(d.expires_at > now(), true);
  perform document_return(before);
  return found;
end $$;

ALTER FUNCTION memoranda_private.documents_get(p_document jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.documents_list(p_document jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before  text := document_lend(p_document);
  p       place := document_place(p_document, 'read');
  found   jsonb;
begin
  select coalesce(jsonb_agg(document_out(d, false) order by d.key), '[]') into found from (
    select * from documents each
     where (each.tenant_id, each.owner_id, each.scope, each.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and coalesce(each.expires_at > now(), true) and each.key > coalesce(p_document ->> 'after', '')
       and starts_with(each.key, coalesce(p_document ->> 'prefix', ''))
     order by each.key limit greatest(1, least(1000, coalesce((p_document ->> 'limit')::numeric, 100)))) as d;
  perform document_return(before);
  return found;
end $$;

ALTER FUNCTION memoranda_private.documents_list(p_document jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.documents_put(p_document jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before    text := document_lend(p_document);
  p         place := document_place(p_document, 'write');
  outcome   jsonb := begin_write(p, 'documents_put', p_document, p_call);
  expected  bigint := p_document ->> 'expected_version';
  until     timestamptz := now() + make_interval(secs => (p_document ->> 'expires_in')::double precision);
  body      text := p_document ->> 'content';
  d         documents;
begin
  if outcome is null then
    perform check_document_key(p_document ->> 'key');
    if body is null or char_length(body) > 1000000 then
      raise exception using errcode = 'MEBIG', message = 'a document has a text of at most 1000000 characters';
    end if;
    if expected > 0 then
      update documents old set content = body, expires_at = until
       where (old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key')
         and old.version = expected and coalesce(old.expires_at > now(), true)
      returning old.* into d;
    else
      insert into documents as old (tenant_id, owner_id, scope, scope_id, key, content, expires_at)
      values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_document ->> 'key', body, until)
      on conflict (tenant_id, owner_id, scope, scope_id, key) do update
         set content = excluded.content, expires_at = excluded.expires_at
       where expected is null or old.expires_at <= now()
      returning old.* into d;
    end if;
    if d.key is null then
      raise exception using errcode = 'MECFL', message = format('the document is not at version %s', coalesce(nullif(expected, 0)::text, 'none'));
    end if;
    outcome := end_write(p, p_call, document_out(d, false));
  end if;
  perform document_return(before);
  return outcome;
end $$;

ALTER FUNCTION memoranda_private.documents_put(p_document jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.drop_work(p memoranda_private.place, p_kind text, p_subjects uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  delete from work w where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_kind)
                       and w.subject = any (p_subjects)
$$;

ALTER FUNCTION memoranda_private.drop_work(p memoranda_private.place, p_kind text, p_subjects uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if p_call ->> 'idempotency_key' is not null then
    update idempotency_keys k set outcome = p_outcome
     where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash)
         = (p.tenant_id, uid(), p.scope, p.scope_id, key_hash(p.tenant_id, p_call ->> 'idempotency_key'));
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
  if p.tenant_id <> me and (p.tenant_id = any (my_tenants())) is not true then
    raise exception using errcode = '42501', message = 'you are not a member of this tenant';
  end if;
  if p_purpose = 'write' then
    -- An erasure waits for the writes that are under way, and what comes after it finds its mark.
    perform pg_advisory_xact_lock_shared(hashtextextended(jsonb_build_array('erase', p.tenant_id, p.owner_id)::text, 0));
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

CREATE FUNCTION memoranda_private.erase(p_place jsonb, p_what jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'read');
  source_  text := p_what ->> 'source';
  facts_   uuid[];
  files_   uuid[];
  counts   jsonb;
  time_    timestamptz;
  n        bigint;
begin
  if jsonb_typeof(p_what) is distinct from 'object' or p_what - array['source', 'dry_run'] <> '{}'
     or char_length(source_) not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'an erasure has source, of 1 to 200 characters, and dry_run, and nothing else';
  end if;
  if p.scope = 'organization' and (p.tenant_id = any (tenants_with('manage'))) is not true then
    raise exception using errcode = '42501', message = 'only a member with `manage` erases the organisation''s memory';
  end if;
  perform erasure_lock(p.tenant_id, p.owner_id);
  time_ := clock_timestamp();
  if source_ is not null then
    with tainted as (
      select r.run_id from runs r where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and r.sources @> array[source_]),
    written as (
      select distinct r.subject, r.subject_id from revisions r
       where (r.tenant_id, r.owner_id, r.scope, r.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and r.run_id in (select t.run_id from tainted t)),
    said as (
      select m.id, m.turn from messages m
       where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
         and m.run_id in (select t.run_id from tainted t))
    select array(select f.id from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                    and (f.source = source_ or f.id in (select w.subject_id from written w where w.subject = 'fact'))),
           array(select w.subject_id from written w where w.subject = 'file'
                 union select s.id from said s union select s.turn from said s) into facts_, files_;
  end if;
  if coalesce((p_what ->> 'dry_run')::boolean, false) then
    return jsonb_build_object('what', case when source_ is null then 'scope' else 'source' end, 'counts', erasure_count(p, facts_, files_, null));
  end if;
  counts := erasure_do(p, facts_, files_);
  if source_ is not null then
    update runs r set sources = array_replace(r.sources, source_, 'erased')
     where (r.tenant_id, r.owner_id) = (p.tenant_id, uid()) and r.sources @> array[source_];
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('runs', n, 'idempotency_keys', erasure_sweep(p));
  end if;
  return erasure_receipt(p, case when source_ is null then 'scope' else 'source' end, array[p.tenant_id], uid(),
                         key_hash(p.tenant_id, source_), counts, time_);
end $$;

ALTER FUNCTION memoranda_private.erase(p_place jsonb, p_what jsonb) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erase_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  perform erasure_of_user(as_id('user', to_jsonb(old) -> 'id'), null, false);
  return null;
end $$;

ALTER FUNCTION memoranda_private.erase_account() OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erase_user(p_subject jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  erased  uuid := as_id('user', p_subject -> 'user');
  tenant  uuid := as_id('tenant', p_subject -> 'tenant');
begin
  if p_subject - array['user', 'tenant', 'dry_run'] <> '{}' or erased is null
     or tenant is null and coalesce(p_subject -> 'tenant', 'null') <> 'null' then      -- or it would be everywhere
    raise exception using errcode = 'MEINP', message = 'an erasure names a user, and may name a tenant';
  end if;
  if exists (select from tenants t where t.tenant_id = erased and t.kind = 'organization') then
    raise exception using errcode = 'MEINP', message = 'that is the id of an organisation, not of a user';
  end if;
  return erasure_of_user(erased, tenant, coalesce((p_subject ->> 'dry_run')::boolean, false));
end $$;

ALTER FUNCTION memoranda_private.erase_user(p_subject jsonb) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erase_verify(p_receipt jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := row(null, p_receipt ->> 'owner', p_receipt ->> 'scope', p_receipt ->> 'scope_id');
  time_    timestamptz := p_receipt ->> 'at';
  before   text;
  genuine  boolean := p_receipt ->> 'receipt' is not null and jsonb_array_length(p_receipt -> 'tenants') > 0;
  left_    jsonb := '{}';
begin
  if genuine is not true or p.owner_id is null or time_ is null then
    raise exception using errcode = 'MEINP', message = 'that is not the receipt of an erasure';
  end if;
  for p.tenant_id in select value::uuid from jsonb_array_elements_text(p_receipt -> 'tenants') loop
    before := erasure_lend(jsonb_build_object('sub', p_receipt ->> 'user')::text,
                           case when p.owner_id = nobody() or p_receipt ->> 'what' = 'source' then p.tenant_id end);
    genuine := genuine and exists (
      select from erasures e
       where (e.tenant_id, e.owner_id, e.scope, e.scope_id, e.id)
           = (p.tenant_id, p.owner_id, coalesce(p.scope, 'user'), coalesce(p.scope_id, ''), (p_receipt ->> 'id')::uuid)
         and e.digest = sha256(convert_to(p_receipt::text, 'UTF8')));
    left_ := erasure_sum(left_, case p_receipt ->> 'what'
      when 'source' then erasure_source_count(p, (p_receipt ->> 'user')::uuid, decode(p_receipt ->> 'source_hash', 'hex'), time_)
      else erasure_count(p, null, null, time_) end);
    perform erasure_lend(before, null);
  end loop;
  return jsonb_build_object('genuine', genuine, 'left', left_, 'at', clock_timestamp());
end $$;

ALTER FUNCTION memoranda_private.erase_verify(p_receipt jsonb) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erased_facts(p memoranda_private.place, p_call jsonb, p_outcome jsonb) RETURNS jsonb
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select end_write(p, p_call, p_outcome) $$;

ALTER FUNCTION memoranda_private.erased_facts(p memoranda_private.place, p_call jsonb, p_outcome jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.erased_since(p memoranda_private.place, p_time timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select exists (
    select from erasures e
     where e.tenant_id = p.tenant_id and e.owner_id in (p.owner_id, uid()) and e.at >= p_time
       and (e.what = 'user' or e.what = 'scope' and (e.owner_id, e.scope, e.scope_id) = (p.owner_id, p.scope, p.scope_id)))
$$;

ALTER FUNCTION memoranda_private.erased_since(p memoranda_private.place, p_time timestamp with time zone) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.erasing() RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ begin return tenants_with('manage') || nullif(current_setting('memoranda.lent', true), '')::uuid; end $$;

ALTER FUNCTION memoranda_private.erasing() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.erasing_facts(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_review(p, 'facts_erase', p_target, p_call);
  gone     facts[];
begin
  if outcome is not null then
    return jsonb_build_object('done', outcome);
  end if;
  perform lock_facts(p, array[coalesce(target.key, (fact_of(p, target.id)).key), null]);
  gone := array(
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.key = target.key
    union all
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.id = target.id
    union all
    select f from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.superseded_by = target.id and f.id is distinct from (fact_of(p, target.id)).supersedes);
  if cardinality(gone) = 0 then
    return jsonb_build_object('done', end_write(p, p_call, '{"outcome": "nothing"}'));
  end if;
  perform bury(array(select g from unnest(gone) as g where g.status in ('confirmed', 'pending') or g.holds_until > now()));
  return jsonb_build_object('place', to_jsonb(p), 'ids', (select jsonb_agg(g.id) from unnest(gone) as g));
end $$;

ALTER FUNCTION memoranda_private.erasing_facts(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.erasure_count(p memoranda_private.place, p_facts uuid[], p_files uuid[], p_time timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.erasure_count(p memoranda_private.place, p_facts uuid[], p_files uuid[], p_time timestamp with time zone) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_do(p memoranda_private.place, p_facts uuid[], p_files uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.erasure_do(p memoranda_private.place, p_facts uuid[], p_files uuid[]) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_lend(p_claims text, p_tenant uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before text := current_setting('request.jwt.claims', true);
begin
  perform set_config('request.jwt.claims', coalesce(p_claims, ''), true), set_config('memoranda.lent', coalesce(p_tenant::text, ''), true);
  return before;
end $$;

ALTER FUNCTION memoranda_private.erasure_lend(p_claims text, p_tenant uuid) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_lock(p_tenant uuid, p_owner uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('erase', p_tenant, p_owner)::text, 0)) $$;

ALTER FUNCTION memoranda_private.erasure_lock(p_tenant uuid, p_owner uuid) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_map() RETURNS TABLE(step integer, name text, fate text, rows_ text, older text, texts text[])
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
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
$_$;

ALTER FUNCTION memoranda_private.erasure_map() OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_of_user(p_user uuid, p_tenant uuid, p_dry boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  before   text := erasure_lend(jsonb_build_object('sub', p_user)::text, null);
  p        place := row(null, p_user, null, null);
  done     uuid[] := '{}';
  counts   jsonb := '{}';
  here     jsonb;
  n        bigint;
  answer   jsonb;
begin
  for p.tenant_id in
    select p_tenant where p_tenant is not null
    union all (select p_user where p_tenant is null)
    union all (select t.tenant_id from tenants t where t.kind = 'organization' and p_tenant is null order by 1)
  loop
    if p_dry then
      here := erasure_count(p, null, null, null);
      select count(*) into n from revisions r
       where r.tenant_id = p.tenant_id and r.owner_id = nobody() and r.scope = 'organization' and r.user_id = p_user;
    else
      perform erasure_lock(p.tenant_id, p_user);
      here := erasure_do(p, null, null);
      update revisions r set user_id = nobody()
       where r.tenant_id = p.tenant_id and r.owner_id = nobody() and r.scope = 'organization' and r.user_id = p_user;
      get diagnostics n = row_count;
      if p.tenant_id = p_user then
        update tenants t set salt = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) where t.tenant_id = p_user and t.kind = 'person';
      end if;
    end if;
    here := here || jsonb_build_object('names in the log of an organisation', n);
    counts := erasure_sum(counts, here);
    if p.tenant_id in (p_user, p_tenant) or exists (select from jsonb_each(here) where value <> '0') then
      done := done || p.tenant_id;
    end if;
  end loop;
  answer := case when p_dry then jsonb_build_object('what', 'user', 'counts', counts)
                 else erasure_receipt(p, 'user', done, p_user, null, counts, clock_timestamp()) end;
  perform erasure_lend(before, null);
  return answer;
end $$;

ALTER FUNCTION memoranda_private.erasure_of_user(p_user uuid, p_tenant uuid, p_dry boolean) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_reach() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_agg(jsonb_build_object('what', r.what, 'until', r.until, 'settings', (
           select jsonb_object_agg(s, current_setting(s, true)) from unnest(r.settings) as s)) order by r.n)
    from (values
      (1, 'bytes in the pages of tables and indexes', 'VACUUM FULL of the tables, and a checkpoint; a plain VACUUM leaves some',
       '{autovacuum,autovacuum_naptime,autovacuum_vacuum_scale_factor,idle_in_transaction_session_timeout,checkpoint_timeout}'::text[]),
      (2, 'the write-ahead log', 'its segments are recycled',
       '{wal_level,wal_keep_size,max_wal_size,max_slot_wal_keep_size,wal_recycle}'),
      (3, 'archived log, backups, snapshots and replicas that lag', 'their retention ends; what is restored from one is to be erased again',
       '{archive_mode,archive_timeout,max_wal_senders}'),
      (4, 'the server''s own log, where it logs statements or their values', 'it is rotated away',
       '{log_statement,log_min_duration_statement,log_min_error_statement,log_parameter_max_length,log_parameter_max_length_on_error}'),
      (5, 'other systems: prompts that were sent, providers of models, logs and caches of the application', 'they erase it', '{}')
    ) as r (n, what, until, settings)
$$;

ALTER FUNCTION memoranda_private.erasure_reach() OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_receipt(p memoranda_private.place, p_what text, p_tenants uuid[], p_user uuid, p_hash bytea, p_counts jsonb, p_time timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  id       uuid := gen_random_uuid();
  each     uuid;
  left_    jsonb := '{}';
  receipt  jsonb;
begin
  foreach each in array p_tenants loop
    p.tenant_id := each;
    left_ := erasure_sum(left_, case p_what when 'source' then erasure_source_count(p, p_user, p_hash, p_time)
                                            else erasure_count(p, null, null, null) end);
  end loop;
  receipt := jsonb_build_object(
    'receipt', 'memoranda erasure, 1', 'id', id, 'what', p_what, 'at', p_time, 'user', p_user, 'tenants', p_tenants,
    'owner', p.owner_id, 'scope', p.scope, 'scope_id', p.scope_id, 'source_hash', encode(p_hash, 'hex'), 'counts', p_counts,
    'left', left_, 'queries', (
      select jsonb_agg(jsonb_build_object(
               'table', q.name, 'query', format('select count(*) from memoranda_private.%I x where %s', q.name, q.condition),
               'found', left_ -> q.name) order by q.step)
        from (select step, name, rows_ || coalesce(' and ' || older, '') as condition from erasure_map()
               where p_what <> 'source' and rows_ is not null
              union all select step, name, rows_ from erasure_source_map() where p_what = 'source') as q),
    'parameters', jsonb_build_object(
      '$1', 'each of the tenants', '$2', p.owner_id, '$3', p.scope, '$4', p.scope_id,
      '$5', case p_what when 'source' then 'the source_hash' end, '$6', case p_what when 'source' then p_user::text end, '$7', p_time),
    'out_of_reach', erasure_reach(), 'server', 'PostgreSQL ' || current_setting('server_version'));
  foreach each in array p_tenants loop
    insert into erasures (tenant_id, owner_id, scope, scope_id, id, what, source_hash, at, digest)
    values (each, p.owner_id, coalesce(p.scope, 'user'), coalesce(p.scope_id, ''), id, p_what, p_hash, p_time,
            sha256(convert_to(receipt::text, 'UTF8')));
  end loop;
  return receipt;
end $_$;

ALTER FUNCTION memoranda_private.erasure_receipt(p memoranda_private.place, p_what text, p_tenants uuid[], p_user uuid, p_hash bytea, p_counts jsonb, p_time timestamp with time zone) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_source_count(p memoranda_private.place, p_user uuid, p_hash bytea, p_time timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  m       record;
  counts  jsonb := '{}';
  n       bigint;
begin
  for m in select * from erasure_source_map() order by step loop
    execute format('select count(*) from %I x where %s', m.name, m.rows_) into n
      using p.tenant_id, p.owner_id, p.scope, p.scope_id, p_hash, p_user, p_time;
    counts := counts || jsonb_build_object(m.name, n);
  end loop;
  return counts;
end $$;

ALTER FUNCTION memoranda_private.erasure_source_count(p memoranda_private.place, p_user uuid, p_hash bytea, p_time timestamp with time zone) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_source_map() RETURNS TABLE(step integer, name text, rows_ text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  values
    (1, 'facts', 'x.tenant_id = $1 and x.owner_id = $2 and x.scope = $3 and x.scope_id = $4 and x.created_at <= $7 '
                 'and key_hash(x.tenant_id, x.source) = $5'),
    (2, 'revisions', 'x.tenant_id = $1 and x.owner_id = $2 and x.scope = $3 and x.scope_id = $4 and x.at <= $7 '
                     'and x.subject_id not in (select f.id from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = ($1, $2, $3, $4)) '
                     'and x.subject_id not in (select f.id from files f where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = ($1, $2, $3, $4))'),
    (3, 'runs', 'x.tenant_id = $1 and x.owner_id = $6 and x.first_at <= $7 '
                'and exists (select from unnest(x.sources) s where key_hash(x.tenant_id, s) = $5)')
$_$;

ALTER FUNCTION memoranda_private.erasure_source_map() OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_sum(p_one jsonb, p_other jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(jsonb_object_agg(key, n), '{}') from (
    select key, sum(value::bigint) as n from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) as each
     group by key) as sums
$$;

ALTER FUNCTION memoranda_private.erasure_sum(p_one jsonb, p_other jsonb) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.erasure_sweep(p memoranda_private.place) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
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
end $_$;

ALTER FUNCTION memoranda_private.erasure_sweep(p memoranda_private.place) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.exact_match(p memoranda_private.place, f memoranda_private.facts, p_waits boolean) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  old facts;
begin
  select * into old from facts g
   where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
     and g.value_hash = f.value_hash and g.kind = f.kind
     and (g.status = 'confirmed' and f.key is null
          or g.status = 'pending' and p_waits and g.key is not distinct from f.key)
     and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
   order by g.status, g.created_at limit 1;
  if old.id is null and f.key is null then                 -- or still in force, until what superseded it is true
    select * into old from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.holds_until > now() and covers(g, f)
       and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
     order by g.created_at limit 1;
  end if;
  if old.id is null and f.key is null then
    select h.* into old from facts g
      join facts h on h.tenant_id = p.tenant_id and h.owner_id = p.owner_id and h.scope = p.scope and h.scope_id = p.scope_id
                  and h.id = g.superseded_by
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.status = 'superseded'
       and g.version = 1 and h.status = 'confirmed' and h.supersedes is distinct from g.id      -- g itself never was in force
       and coalesce(h.valid_until > now(), true) and coalesce(h.expires_at > now(), true)
     order by h.created_at limit 1;
  end if;
  return old;
end $$;

ALTER FUNCTION memoranda_private.exact_match(p memoranda_private.place, f memoranda_private.facts, p_waits boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_facts(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_array(f.id), octet_length(f.content),
         to_jsonb(f) - array['tenant_id', 'owner_id', 'scope', 'scope_id', 'value_hash', 'template_hash']
         || case when not p_history then '{}' else jsonb_build_object(
              'has_template', f.template_hash is not null,
              'indexed', exists (select from terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
                                                         = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)),
              'uses', (select jsonb_build_object('seen_count', u.seen_count, 'use_count', u.use_count, 'last_used_at', u.last_used_at)
                         from fact_uses u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.fact_id)
                                              = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id))) end
    from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.id > coalesce(p_after, nobody()) and (p_history or f.status in ('confirmed', 'pending') or f.holds_until > now())
   order by f.id limit p_limit
$$;

ALTER FUNCTION memoranda_private.export_facts(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_files(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_array(f.id), octet_length(f.content), to_jsonb(f) - array['tenant_id', 'owner_id', 'scope', 'scope_id']
    from files f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
     and f.id > coalesce(p_after, nobody()) and (p_history or f.status = 'current')
   order by f.id limit p_limit
$$;

ALTER FUNCTION memoranda_private.export_files(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_messages(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean, p_vectors boolean) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.export_messages(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean, p_vectors boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_page(p_place jsonb, p_page jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'read');
  kind_    text := coalesce(p_page ->> 'kind', '');
  after_   jsonb := coalesce(p_page -> 'after', 'null');
  most     integer := greatest(1, least(1000, coalesce((p_page ->> 'limit')::numeric, 500)));
  history  boolean := coalesce((p_page ->> 'history')::boolean, true);
  vectors_ boolean := coalesce((p_page ->> 'vectors')::boolean, false);
  rows_    jsonb;
  last     jsonb;
  found_   integer;
  taken    integer;
begin
  if p_page - array['kind', 'after', 'limit', 'history', 'vectors'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a page has kind, after, limit, history and vectors, and nothing else';
  end if;
  if kind_ = 'mark' then
    return jsonb_build_object(
      'tenant', p.tenant_id, 'user', uid(), 'now', now(), 'salt', encode(secret_hash(p.tenant_id, 'memoranda export'), 'hex'),
      'written', (select jsonb_build_array(count(*), max(r.at)) from revisions r
                   where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id),
      'said', (select jsonb_build_array(count(*), max(greatest(m.created_at, m.edited_at))) from messages m
                where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope and m.scope_id = p.scope_id));
  end if;
  if kind_ not in ('run', 'fact', 'vector', 'tombstone', 'file', 'message', 'revision') then
    raise exception using errcode = 'MEINP', message = 'a page is of runs, facts, vectors, tombstones, files, messages or revisions';
  end if;
  -- (Each of these runs only for its kind, and sees where to go on only then: what others go on from is of another type.)
  with page as (
    select * from export_facts(p, case kind_ when 'fact' then after_ ->> 0 end::uuid, most, history) where kind_ = 'fact'
    union all select * from export_vectors(p, case kind_ when 'vector' then after_ end, most) where kind_ = 'vector'
    union all select * from export_tombstones(p, case kind_ when 'tombstone' then after_ end, most) where kind_ = 'tombstone'
    union all select * from export_files(p, case kind_ when 'file' then after_ ->> 0 end::uuid, most, history) where kind_ = 'file'
    union all select * from export_messages(p, case kind_ when 'message' then after_ ->> 0 end::uuid, most, history, vectors_) where kind_ = 'message'
    union all select * from export_revisions(p, case kind_ when 'revision' then after_ end, most) where kind_ = 'revision'
    union all select * from export_runs(p, case kind_ when 'run' then after_ ->> 0 end, most) where kind_ = 'run'
  ), counted as (
    select page.*, row_number() over () as n, sum(page.bytes) over (rows unbounded preceding) - page.bytes as before, count(*) over () as of from page
  )
  select jsonb_agg(c.row_ order by c.n), (array_agg(c.after order by c.n desc))[1], max(c.of), count(*) into rows_, last, found_, taken
    from counted c where c.before < 2000000;
  return jsonb_build_object('rows', coalesce(rows_, '[]'), 'after', case when taken < found_ or found_ = most then last end);
end $$;

ALTER FUNCTION memoranda_private.export_page(p_place jsonb, p_page jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_revisions(p memoranda_private.place, p_after jsonb, p_limit integer) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_array(r.subject, r.subject_id, r.version), pg_column_size(r.state),
         to_jsonb(r) - array['tenant_id', 'owner_id', 'scope', 'scope_id']
         || jsonb_build_object('state', r.state - array['tenant_id', 'owner_id', 'scope', 'scope_id'])
    from revisions r
   where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
     and (r.subject, r.subject_id, r.version)
       > (coalesce(p_after ->> 0, ''), coalesce((p_after ->> 1)::uuid, nobody()), coalesce((p_after ->> 2)::integer, 0))
   order by r.subject, r.subject_id, r.version limit p_limit
$$;

ALTER FUNCTION memoranda_private.export_revisions(p memoranda_private.place, p_after jsonb, p_limit integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_runs(p memoranda_private.place, p_after text, p_limit integer) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return query
  select jsonb_build_array(r.run_id), octet_length(r.sources::text)::bigint, to_jsonb(r) - array['tenant_id', 'owner_id'] from runs r
   where r.tenant_id = p.tenant_id and r.owner_id = uid() and r.run_id > coalesce(p_after, '')
     and (exists (select from revisions v where v.tenant_id = p.tenant_id and v.owner_id = p.owner_id and v.scope = p.scope
                                            and v.scope_id = p.scope_id and v.run_id = r.run_id)
          or exists (select from messages m where m.tenant_id = p.tenant_id and m.owner_id = p.owner_id and m.scope = p.scope
                                              and m.scope_id = p.scope_id and m.run_id = r.run_id))
   order by r.run_id limit p_limit;
end $$;

ALTER FUNCTION memoranda_private.export_runs(p memoranda_private.place, p_after text, p_limit integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_scopes(p_place jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p   place := enter(p_place, 'read');
  me  uuid := uid();
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('scope', s.scope, 'scope_id', s.scope_id) order by s.scope, s.scope_id), '[]') from (
      select f.scope, f.scope_id from facts f where f.tenant_id = p.tenant_id and f.owner_id = me
       union
      select f.scope, f.scope_id from files f where f.tenant_id = p.tenant_id and f.owner_id = me
       union
      select t.scope, t.scope_id from tombstones t where t.tenant_id = p.tenant_id and t.owner_id = me
       union
      select m.scope, m.scope_id from messages m where m.tenant_id = p.tenant_id and m.owner_id = me) as s);
end $$;

ALTER FUNCTION memoranda_private.export_scopes(p_place jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_tombstones(p memoranda_private.place, p_after jsonb, p_limit integer) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_array(encode(t.value_hash, 'hex'), t.key), coalesce(octet_length(f.content), 0),
         to_jsonb(t) - array['tenant_id', 'owner_id', 'scope', 'scope_id', 'value_hash', 'template_hash']
         || jsonb_build_object('value_hash', encode(t.value_hash, 'hex'), 'content', f.content, 'has_template', t.template_hash is not null)
    from tombstones t
    left join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
   where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id
     and (t.value_hash, t.key) > (decode(coalesce(p_after ->> 0, ''), 'hex'), coalesce(p_after ->> 1, ''))
   order by t.value_hash, t.key limit p_limit
$$;

ALTER FUNCTION memoranda_private.export_tombstones(p memoranda_private.place, p_after jsonb, p_limit integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.export_vectors(p memoranda_private.place, p_after jsonb, p_limit integer) RETURNS TABLE(after jsonb, bytes bigint, row_ jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_array(v.fact_id, v.model), coalesce(octet_length(v.vector), 0),
         jsonb_build_object('fact_id', v.fact_id, 'model', v.model, 'vector', v.vector, 'aside', v.aside, 'refused', v.refused, 'at', v.at)
    from (
      select x.fact_id, x.model, coalesce(x.short, x.long)::text as vector, false as aside, null::text as refused, null::timestamptz as at
        from vectors x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id
      union all
      select x.fact_id, x.model, x.vector::text, true, null, null from vectors_aside x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id
      union all
      select x.fact_id, x.model, null, false, x.reason, x.at from unembeddable x
       where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id) as v
   where (v.fact_id, v.model) > (coalesce((p_after ->> 0)::uuid, nobody()), coalesce(p_after ->> 1, ''))
   order by v.fact_id, v.model limit p_limit
$$;

ALTER FUNCTION memoranda_private.export_vectors(p memoranda_private.place, p_after jsonb, p_limit integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb, p_most bigint) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f        facts;
  options  constant text[] := array['vector', 'model', 'supersedes', 'expected_version', 'dedup', 'review', 'restore', 'said'];
begin
  if jsonb_typeof(p_fact) is distinct from 'object'
     or p_fact - array['key', 'content', 'kind', 'origin', 'source', 'importance', 'tags', 'entities', 'metadata', 'valid_from',
                       'valid_until', 'expires_at', 'quote'] - options <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a fact has key, content, kind, origin, source, importance, tags, entities, '
      'metadata, valid_from, valid_until, expires_at and quote; supersedes, expected_version, dedup, review and restore; and nothing else';
  end if;
  f := jsonb_populate_record(null::facts, p_fact - options);
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
  f.origin := coalesce(f.origin, 'user');
  f.tainted := call_is_tainted();

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
  if f.origin not in ('user', 'assistant', 'tool', 'import', 'system') then
    raise exception using errcode = 'MEINP', message = format('%s is not an origin of a fact', left(quote_literal(f.origin), 40));
  end if;
  if char_length(f.quote) not between 1 and 2000 then
    raise exception using errcode = 'MEINP', message = 'a quote has 1 to 2000 characters';
  end if;
  if coalesce(p_fact ->> 'dedup', 'full') not in ('full', 'exact', 'off') then
    raise exception using errcode = 'MEINP', message = 'dedup is full, exact or off';
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

CREATE FUNCTION memoranda_private.fact_of(p memoranda_private.place, p_id uuid) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  found facts;
begin
  select * into found from facts f
   where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.id = p_id;
  return found;
end $$;

ALTER FUNCTION memoranda_private.fact_of(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.fact_out(f memoranda_private.facts) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN jsonb_build_object('id', (f).id, 'tenant', (f).tenant_id, 'scope', (f).scope, 'scope_id', (f).scope_id, 'key', (f).key, 'kind', (f).kind, 'content', (f).content, 'status', (f).status, 'origin', (f).origin, 'source', (f).source, 'tainted', (f).tainted, 'importance', (f).importance, 'tags', (f).tags, 'entities', (f).entities, 'metadata', (f).metadata, 'valid_from', (f).valid_from, 'valid_until', LEAST((f).valid_until, (f).holds_until), 'expires_at', (f).expires_at, 'quote', (f).quote, 'supersedes', (f).supersedes, 'superseded_by', (f).superseded_by, 'proposes', (f).proposes, 'version', (f).version, 'created_at', (f).created_at, 'updated_at', (f).updated_at);

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

CREATE FUNCTION memoranda_private.facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  target   facts := target_in(p_target);
  outcome  jsonb := begin_write(p, 'facts_correct', jsonb_build_array(p_target, p_fact - array['vector', 'model']), p_call);
  old      facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  perform lock_facts(p, array[coalesce(target.key, (successor(p, target.id)).key), null]);
  old := case when target.key is not null then fact_in_force(p, target.key) else successor(p, target.id) end;
  old := replaced(p, old.id);
  return end_write(p, p_call, save_all(p, jsonb_build_array(kept_of(old) || (p_fact - 'key') || jsonb_build_object('supersedes', old.id)), false,
                                     false) -> 0);
end $$;

ALTER FUNCTION memoranda_private.facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  found_  jsonb := erasing_facts(p_place, p_target, p_call);
  p       place := jsonb_populate_record(null::place, found_ -> 'place');
  ids     uuid[] := array(select value::uuid from jsonb_array_elements_text(found_ -> 'ids'));
begin
  if found_ ? 'done' then
    return found_ -> 'done';
  end if;
  update tombstones t set fact_id = null, template_hash = null
   where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and t.fact_id = any (ids);
  perform erasure_do(p, ids, '{}');
  perform erasure_sweep(p);
  return erased_facts(p, p_call, '{"outcome": "forgotten", "rule": "for good"}');
end $$;

ALTER FUNCTION memoranda_private.facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_erasure;

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
  if (fact_of(p, target.id)).holds_until > now() then      -- with what is to come in its place
    target.id := (successor(p, target.id)).id;
  end if;
  perform lock_facts(p, array[coalesce(target.key, (fact_of(p, target.id)).key), null]);
  update facts f set status = 'forgotten'
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and (f.id = target.id and f.status in ('confirmed', 'pending') or f.key = target.key and f.status = 'confirmed')
  returning * into gone;
  if gone.id is not null then
    perform set_aside(p, array[gone.id]);
    perform bury(gone || give_way(p, array[gone.id]));
  end if;
  return end_write(p, p_call, case when gone.id is null then '{"outcome": "nothing"}'
    else jsonb_build_object('outcome', 'forgotten', 'id', gone.id, 'version', gone.version) end);
end $$;

ALTER FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_held(p memoranda_private.place, p_source text) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case when p_source is not null then (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
       and f.status in ('confirmed', 'pending') and f.source = p_source)
  else (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.status = 'confirmed')
  + (
    select count(*) from facts f
     where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id and f.status = 'pending') end
$$;

ALTER FUNCTION memoranda_private.facts_held(p memoranda_private.place, p_source text) OWNER TO memoranda_rules;

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
             'reason', r.reason, 'decision', r.decision, 'at', r.at) order by r.at desc, r.version desc), '[]')
      from (
        select r.* from chain(p, target) as c (id)
          join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
                            = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', c.id)
         order by r.at desc, r.version desc
         limit greatest(1, least(1000, coalesce((p_target ->> 'limit')::numeric, 1000)))
      ) r);
end $$;

ALTER FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_in(p memoranda_private.place, p_facts jsonb, p_most bigint, p_lenient boolean, OUT made memoranda_private.facts[], OUT failures jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  each    jsonb;
  f       facts;
  last    integer := jsonb_array_length(p_facts) - 1;    -- (jsonb_array_elements would write all vectors to a file, each time)
  hashes  bytea[] := secret_hashes(p.tenant_id, array(
    select plain(p_facts #>> array[n::text, 'content']) from generate_series(0, last) as n));
  shapes  bytea[] := secret_hashes(p.tenant_id, array(
    select case when char_length(content) <= 2000 and p_facts #>> array[n::text, 'key'] is null and p_facts #>> array[n::text, 'dedup'] is null
                then template_of(content) end
      from generate_series(0, last) as n, lateral (select p_facts #>> array[n::text, 'content']) as of_fact (content)));
begin
  made := '{}';
  failures := '{}';
  for n in 0 .. last loop
    each := p_facts -> n;
    f := null;
    if p_lenient then
      begin
        f := fact_in(p, each, p_most);
        perform vector_in(each ->> 'vector', each ->> 'model');
      exception when others then
        failures := failures || jsonb_build_object((n + 1)::text, sqlerrm);
      end;
    else
      f := fact_in(p, each, p_most);
    end if;
    f.value_hash := hashes[n + 1];
    f.template_hash := shapes[n + 1];
    made := made || f;
  end loop;
end $$;

ALTER FUNCTION memoranda_private.facts_in(p memoranda_private.place, p_facts jsonb, p_most bigint, p_lenient boolean, OUT made memoranda_private.facts[], OUT failures jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text, p_decisions jsonb[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  gone    uuid[] := array(select n.supersedes from unnest(p_facts) as n where n.supersedes is not null);
  sorted  boolean := exists (select from unnest(p_facts) as n where n.status <> 'confirmed');
  n       integer;
begin
  if cardinality(p_facts) = 0 then
    return;
  end if;
  perform set_config('memoranda.decisions', (
    select jsonb_object_agg(key, value)::text from unnest(p_decisions) as each, jsonb_each(each)), true);
  if cardinality(gone) > 0 then
    update facts g set status = 'superseded', superseded_by = n.id from unnest(p_facts) as n
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, n.supersedes);
  end if;
  insert into facts (tenant_id, owner_id, scope, scope_id, id, key, kind, content, status, origin, source, tainted, importance,
                     tags, entities, metadata, valid_from, valid_until, expires_at, quote, supersedes, superseded_by, proposes,
                     value_hash, template_hash)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, n.id, n.key, n.kind, n.content, n.status, n.origin, n.source, n.tainted,
         n.importance, n.tags, n.entities, n.metadata, n.valid_from, n.valid_until, n.expires_at, n.quote, n.supersedes,
         n.superseded_by, n.proposes, n.value_hash, n.template_hash
    from unnest(p_facts) as n;
  perform set_config('memoranda.decisions', '', true);
  if cardinality(gone) > 0 then
    perform give_way(p, gone);
  end if;
  if not sorted then
    perform index_terms(p_facts);
    if p_model is not null then
      perform index_vectors(p_facts, p_vectors, p_model);
    end if;
    return;
  end if;
  for n in 1 .. cardinality(p_facts) loop
    if (p_facts[n]).status = 'confirmed' then
      perform index_terms(array[p_facts[n]]);
      if p_model is not null then
        perform index_vectors(array[p_facts[n]], array[p_vectors[n]], p_model);
      end if;
    elsif (p_facts[n]).status = 'pending' and p_model is not null then
      perform index_aside(array[p_facts[n]], array[p_vectors[n]], p_model);
    end if;
  end loop;
end $$;

ALTER FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text, p_decisions jsonb[]) OWNER TO memoranda_rules;

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
         and (f.status = 'confirmed' or f.holds_until is not null) and coalesce(f.holds_until > now(), true)
         and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true) and coalesce(f.expires_at > now(), true)
         and (p_query ->> 'key' is null or f.key = p_query ->> 'key')
         and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
       order by f.updated_at desc, f.key, f.id
       limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
    ) newest);
end $$;

ALTER FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p         place := enter(p_place, 'write');
  outcome   jsonb := begin_review(p, 'facts_restore', p_target, p_call);
  old       facts;
  now_      facts;
  embedded  boolean;
begin
  if outcome is not null then
    return outcome;
  end if;
  old := locked(p, id_in(p_target));
  if old.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here';
  end if;
  if old.status in ('confirmed', 'pending') then
    raise exception using errcode = 'MESET', message = format('that fact is %s; there is nothing to restore', old.status);
  end if;
  now_ := case when old.key is not null then fact_in_force(p, old.key) else successor(p, old.id) end;
  outcome := save_all(p, jsonb_build_array(kept_of(old) || jsonb_strip_nulls(jsonb_build_object(
    'content', old.content, 'entities', old.entities, 'quote', old.quote, 'origin', old.origin, 'restore', true,
    'supersedes', case when now_.status = 'confirmed' then now_.id end))), false, true) -> 0;
  if outcome ->> 'outcome' in ('stored', 'superseded') then
    embedded := index_from_aside(fact_of(p, (outcome ->> 'id')::uuid), old.id);
    outcome := outcome || jsonb_build_object('rule', 'restored', 'restored', true, 'embedded', embedded);
  end if;
  return end_write(p, p_call, outcome);
end $$;

ALTER FUNCTION memoranda_private.facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_save', p_fact - array['vector', 'model'], p_call);
begin
  return coalesce(outcome, end_write(p, p_call, save_all(p, jsonb_build_array(p_fact), false, false) -> 0));
end $$;

ALTER FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb;
begin
  if jsonb_array_length(p_facts) > 1000 then
    raise exception using errcode = 'MEBIG', message = 'at most 1000 candidates are saved at once';
  end if;
  outcome := begin_write(p, 'facts_save_extracted', (select jsonb_agg(value - array['vector', 'model']) from jsonb_array_elements(p_facts)),
                         coalesce(p_call, '{}') || case when p_call ->> 'actor' = 'model' then '{}'::jsonb else '{"actor": "extractor"}' end);
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts, true, false))));
end $$;

ALTER FUNCTION memoranda_private.facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) OWNER TO memoranda_rules;

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
  return coalesce(outcome, end_write(p, p_call, jsonb_build_object('outcomes', save_all(p, p_facts, false, false))));
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
  whose   text := p_query ->> 'model';
  near    vec := vector_in(p_query ->> 'vector', p_query ->> 'model');
  asked   sparse;
  lowest  double precision := p_query ->> 'min_similarity';
  blends  boolean := coalesce((p_query ->> 'blend')::boolean, true);
  each_source  integer;
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
  each_source := case when p_query ->> 'max_per_source' is not null then greatest(1, least(200, (p_query ->> 'max_per_source')::numeric)) end;
  pool := case when each_source is null then greatest(30, 2 * k) else 1000 end;     -- where one source may have the first places
  among := search_among(places, p_query);
  if near is not null then
    select array_agg(place), array_agg(fact_id), array_agg(similarity), null, null into m
      from search_meaning(places, near, whose, among, pool);
  end if;
  if p_query ?| array['text', 'entities'] then
    asked := search_asked(places, p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  end if;
  if asked is not null then
    select array_agg(place), array_agg(fact_id), null, array_agg(words), array_agg(named) into w
      from search_words(places, asked, among, pool);
  end if;
  with lanes as (
    select place, fact_id, similarity, ordinality as meaning_rank, null::double precision as words, null::integer as named, null::bigint as words_rank
      from unnest(m.at, m.ids, m.similarities) with ordinality as l (place, fact_id, similarity)
    union all
    select place, fact_id, null, null, words, named, case when words > 0 then rank() over (order by words desc) end
      from unnest(w.at, w.ids, w.words, w.named) as l (place, fact_id, words, named)
    union all                                             -- what one lane found, as the other sees it
    select place, fact_id, similarity, null, null, null, null from similarities(places, near, whose, w.ids) where near is not null
    union all
    select place, fact_id, null, null, words, named, null from words_of(places, asked, m.ids) where asked is not null
    union all
    select place, fact_id, null, null, null, null, null from search_newest(places, among, k) where coalesce(cardinality(m.ids), 0) < k
  ), compared as materialized (
    select place, fact_id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(l.words) as words,
           coalesce(max(l.named), 0) as named, max(words_rank) as words_rank
      from lanes l group by place, fact_id
  ), fused as (
    select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0)
                + case when c.named > 0 then 0.125 else 0 end as fusion
      from compared c
     where lowest is null or c.similarity >= lowest
     order by fusion desc, c.fact_id limit case when each_source is null then greatest(30, 3 * k) end   -- what is behind, no blending brings to the front
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
           and f.scope = places[c.place].scope and f.scope_id = places[c.place].scope_id and f.id = c.fact_id limit 1) as f
      left join lateral (
        select u.use_count from fact_uses u
         where u.tenant_id = places[c.place].tenant_id and u.owner_id = places[c.place].owner_id
           and u.scope = places[c.place].scope and u.scope_id = places[c.place].scope_id
           and u.fact_id = c.fact_id limit 1) as u on true
     where ((f.f).status = 'confirmed' or (f.f).holds_until > now())      -- (said where the planner can't take it for a way to the fact)
  ), weighed as (
    select j.*, j.fusion * case when blends then j.recency * j.importance * j.used else 1 end as score
      from judged j
  ), ordered as (
    select ranked.* from (
      select j.*, row_number() over (partition by (j.f).source order by j.score desc, (j.f).updated_at desc, (j.f).id) as of_source from weighed j
    ) as ranked
     where each_source is null or (ranked.f).source is null or ranked.of_source <= each_source
     order by ranked.score desc, (ranked.f).updated_at desc, (ranked.f).id limit k
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

CREATE FUNCTION memoranda_private.facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_write(p, 'facts_supersede', p_target, p_call);
  old_id   uuid := id_in(p_target);
  new_id   uuid := p_target ->> 'by';
  old      facts;
  new      facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  if new_id is null then
    raise exception using errcode = 'MEINP', message = 'a fact is superseded by another, named by its id';
  end if;
  if old_id = new_id then
    raise exception using errcode = 'MECYC', message = 'a fact cannot supersede itself';
  end if;
  perform lock_facts(p, array[(fact_of(p, old_id)).key, (fact_of(p, new_id)).key, null]);
  new := fact_of(p, new_id);
  if new.superseded_by is not null and (successor(p, new_id)).id = old_id then
    raise exception using errcode = 'MECYC', message = 'that fact was itself superseded by the one that it would supersede';
  end if;
  old := replaced(p, old_id);
  new := replaced(p, new_id);
  perform set_config('memoranda.decisions', jsonb_build_object(old.id, jsonb_build_object('rule', 'supersedes', 'compared', new.id))::text, true);
  update facts f set status = 'superseded', superseded_by = new.id
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  perform give_way(p, array[old.id]);
  return end_write(p, p_call, jsonb_build_object('outcome', 'superseded', 'rule', 'supersedes', 'id', new.id, 'version', new.version,
                                                 'supersedes', old.id));
end $$;

ALTER FUNCTION memoranda_private.facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.facts_then(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) RETURNS SETOF memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select (stood.f).*
      from (
        select case when s.successor is null and (here.f).status = 'confirmed' then here.f
                    else jsonb_populate_record(here.f, jsonb_build_object(
                      'status', case when s.successor is null then 'confirmed' else 'superseded' end, 'superseded_by', s.successor,
                      'holds_until', null, 'valid_until', least((here.f).valid_until, s.until),
                      'version', s.version, 'updated_at', s.at)) end as f
          from stories(p, p_moment, p_ids) as s
          join (
            select g as f, g.id from facts g
             where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and p_ids is null
            union all
            select g, g.id from facts g
             where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
               and p_ids is not null and g.id = any (p_ids)) as here on here.id = s.id
         where coalesce((here.f).valid_from <= p_moment.as_of, true) and coalesce((here.f).valid_until > p_moment.as_of, true)
           and coalesce((here.f).expires_at > coalesce(p_moment.known_at, now()), true)
        offset 0) as stood;
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
         and (f.status = 'confirmed' or f.status = any (included) or f.holds_until > now())
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
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  plained text := plain(p_text);
begin
  return case when octet_length(plained) = char_length(plained) then plained
              else normalize(translate(regexp_replace(normalize(replace(plained, 'ß', 'ss'), nfd),
                     '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+', '', 'g'),
                     'øłđ', 'old'), nfc) end;
end $$;

ALTER FUNCTION memoranda_private.fold(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.give_way(p memoranda_private.place, p_ids uuid[]) RETURNS memoranda_private.facts[]
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  story  uuid[];
  told   record;
  f      facts;
  ended  facts[] := '{}';
begin
  if not exists (
       select from facts g
         join facts n on n.tenant_id = p.tenant_id and n.owner_id = p.owner_id and n.scope = p.scope and n.scope_id = p.scope_id
                     and n.id = g.superseded_by and n.valid_from > now()
        where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
          and g.id = any (p_ids))
     and not exists (
       select from facts g
        where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
          and g.holds_until > now()) then
    perform unindex(p, p_ids);
    return ended;
  end if;
  story := array(
    select distinct c.id from unnest(p_ids) as given (id)
     cross join lateral chain(p, jsonb_populate_record(null::facts, jsonb_build_object('id', given.id))) as c (id));
  for told in
    select g as fact, s.until from unnest(story) as member (id)
     cross join lateral (select * from fact_of(p, member.id)) as g
      left join stories(p, row(now(), null)::moment, story) as s on s.id = member.id
     where g.status = 'superseded'
  loop
    f := told.fact;
    if told.until is not null and told.until is distinct from f.holds_until then
      update facts g set holds_until = told.until
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
      returning * into f;
      perform set_aside(p, array[f.id]);
      perform index_terms(array[f]);
      perform index_from_aside(f, f.id);
    elsif told.until is null and f.holds_until > now() then
      update facts g set holds_until = null
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
      perform unindex(p, array[f.id]);
      ended := ended || f;
    elsif told.until is null and f.id = any (p_ids) then
      perform unindex(p, array[f.id]);
    end if;
  end loop;
  return ended;
end $$;

ALTER FUNCTION memoranda_private.give_way(p memoranda_private.place, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  stamp bigint := floor(extract(epoch from clock_timestamp()) * 1000000);
begin
  new.updated_at := clock_timestamp();
  new.created_at := new.updated_at;
  new.version := stamp;
  if tg_op = 'UPDATE' then
    new.version := greatest(old.version + 1, stamp);
    new.created_at := case when old.expires_at <= now() then new.updated_at else old.created_at end;
  end if;
  return new;
end $$;

ALTER FUNCTION memoranda_private.guard_document() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.guard_fact() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  earlier facts;
begin
  if current_user = 'memoranda_import' then               -- puts facts back as they were, and times of what it has just saved
    if tg_op = 'UPDATE' and (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes', 'created_at', 'updated_at'])
         <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes', 'created_at', 'updated_at']) then
      raise exception using errcode = '42501', message = 'an import links facts and times them, and changes nothing else';
    end if;
    return new;
  end if;
  if new.supersedes is not null then
    select * into earlier from facts f
     where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id) = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.supersedes);
  end if;
  if tg_op = 'INSERT' then
    new.line := coalesce(earlier.line, earlier.id);
    new.version := 1 + coalesce(earlier.version, 0);
    new.created_at := clock_timestamp();
    new.updated_at := new.created_at;
    return new;
  end if;
  if current_user = 'memoranda_erasure' then              -- takes leave of a fact that goes; what it replaced stays out of force
    if (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'proposes', 'holds_until'])
         <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'proposes', 'holds_until'])
       or coalesce(new.supersedes <> old.supersedes or new.superseded_by <> old.superseded_by or new.proposes <> old.proposes, false)
       or num_nulls(new.supersedes, new.superseded_by, new.proposes) < num_nulls(old.supersedes, old.superseded_by, old.proposes)
       or new.status <> old.status and (old.status, new.status) <> ('superseded', 'forgotten')
       or new.holds_until is not null and new.holds_until is distinct from old.holds_until then
      raise exception using errcode = '42501', message = 'an erasure takes links away, and changes nothing else';
    end if;
    return new;
  end if;
  if (to_jsonb(new) - array['status', 'supersedes', 'superseded_by', 'holds_until'])
       <> (to_jsonb(old) - array['status', 'supersedes', 'superseded_by', 'holds_until'])
     or new.supersedes is distinct from old.supersedes and (old.supersedes is not null or (old.status, new.status) <> ('pending', 'confirmed')) then
    raise exception using errcode = '42501', message = 'a fact is replaced, never rewritten';
  end if;
  if (old.status, new.status) = ('superseded', 'superseded') and new.superseded_by = old.superseded_by then
    return new;                                           -- how long it holds is no change of its own: its successors say
  end if;
  if (old.status, new.status) not in (('confirmed', 'superseded'), ('confirmed', 'forgotten'), ('pending', 'confirmed'),
                                      ('pending', 'superseded'), ('pending', 'rejected'), ('pending', 'forgotten')) then
    raise exception using errcode = '42501', message = format('a fact that is %s cannot become %s', old.status, new.status);
  end if;
  -- Being superseded is its successor's write, not its own; unless that was there before.
  if (old.status, new.status) <> ('confirmed', 'superseded')
     or exists (select from facts f where (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id, f.status)
                                        = (new.tenant_id, new.owner_id, new.scope, new.scope_id, new.superseded_by, 'confirmed')) then
    new.line := case when new.supersedes = old.supersedes then old.line else coalesce(earlier.line, earlier.id) end;
    new.version := 1 + greatest(old.version, earlier.version);
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
  if current_user = 'memoranda_import' then               -- puts files back as they were; it may change none
    return new;
  end if;
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

CREATE FUNCTION memoranda_private.guard_message() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.guard_message() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.guard_run() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if not new.sources @> old.sources
     and not (current_user = 'memoranda_erasure' and cardinality(new.sources) = cardinality(old.sources)) then
    raise exception using errcode = '42501', message = 'a run stays marked by what it has read';
  end if;
  return new;
end $$;

ALTER FUNCTION memoranda_private.guard_run() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.guard_starts() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{"あ": 4, "い": 4, "か": 6, "こ": 4, "し": 2, "す": 3, "た": 4, "だ": 3, "つ": 5, "で": 3, "と": 4, "な": 8, "の": 2, "ひ": 3, "ふ": 3, "ほ": 4, "ま": 6, "み": 3, "め": 4, "も": 6, "や": 3, "よ": 2, "イ": 3, "オ": 2, "キ": 6, "グ": 3, "セ": 3, "ド": 2, "パ": 5, "フ": 4, "ベ": 6, "ポ": 3, "マ": 3, "ミ": 5, "メ": 4, "ユ": 4, "リ": 4, "ヶ": 2, "一": 2, "七": 2, "万": 2, "三": 3, "上": 2, "不": 4, "东": 3, "両": 2, "两": 2, "个": 2, "之": 3, "九": 2, "予": 2, "二": 2, "五": 2, "京": 2, "人": 3, "仅": 2, "今": 2, "从": 4, "以": 2, "价": 2, "优": 2, "低": 2, "体": 2, "余": 2, "使": 3, "価": 2, "個": 2, "偶": 2, "元": 3, "全": 2, "兩": 2, "八": 2, "公": 2, "六": 2, "共": 2, "关": 2, "冷": 3, "几": 2, "分": 2, "利": 3, "别": 2, "前": 2, "区": 2, "十": 3, "千": 2, "午": 2, "半": 2, "单": 2, "危": 3, "却": 2, "厌": 2, "厘": 2, "原": 2, "发": 2, "只": 2, "右": 2, "号": 2, "吃": 2, "合": 2, "启": 2, "周": 2, "喜": 2, "四": 2, "土": 3, "在": 2, "地": 2, "多": 2, "夜": 2, "大": 3, "失": 2, "好": 2, "始": 2, "嫌": 2, "家": 2, "寒": 2, "对": 3, "小": 3, "少": 3, "工": 2, "左": 2, "差": 3, "已": 3, "常": 2, "年": 2, "库": 2, "开": 2, "当": 2, "很": 2, "後": 2, "從": 2, "性": 2, "总": 2, "成": 2, "戒": 2, "截": 2, "房": 2, "所": 2, "打": 2, "承": 2, "无": 3, "既": 2, "日": 3, "早": 2, "明": 2, "星": 3, "昨": 2, "時": 2, "晚": 2, "暑": 2, "更": 2, "曾": 2, "最": 4, "月": 3, "有": 3, "朝": 2, "木": 3, "未": 2, "東": 3, "极": 2, "次": 2, "欧": 2, "歐": 2, "残": 2, "毎": 2, "每": 2, "毫": 2, "気": 2, "水": 3, "沒": 2, "没": 3, "温": 2, "滅": 3, "火": 3, "無": 2, "熱": 2, "特": 2, "独": 2, "现": 2, "現": 2, "用": 2, "番": 2, "登": 3, "百": 2, "目": 2, "直": 2, "禁": 2, "离": 2, "秒": 2, "租": 2, "第": 2, "等": 2, "类": 2, "素": 3, "給": 2, "經": 2, "總": 2, "级": 2, "经": 2, "结": 2, "缺": 2, "美": 2, "至": 2, "航": 2, "英": 2, "菜": 4, "观": 2, "討": 2, "請": 3, "讨": 3, "超": 2, "达": 2, "迄": 2, "过": 2, "还": 2, "通": 2, "速": 2, "週": 2, "過": 2, "還": 2, "部": 2, "都": 2, "重": 2, "金": 3, "閉": 3, "開": 3, "間": 5, "關": 2, "队": 2, "除": 2, "離": 2, "需": 2, "非": 2, "预": 2, "首": 2, "高": 2}'::jsonb;

ALTER FUNCTION memoranda_private.guard_starts() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_starts_listed() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_object_agg(sign, longest)
    from (select left(word, 1) as sign, max(char_length(word)) as longest
            from (select jsonb_object_keys(guard_words()) union select jsonb_object_keys(guard_trackers())) as known (word)
           where char_length(word) > 1 and ascii(word) > 12352
           group by 1) as starts
$$;

ALTER FUNCTION memoranda_private.guard_starts_listed() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_trackers() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{"#": {"named": true}, "a": {"have": true}, "d": {"filler": true}, "e": {"state": true}, "al": {"filler": true}, "at": {"filler": true}, "de": {"filler": true}, "du": {"filler": true}, "en": {"filler": true}, "es": {"state": true}, "ha": {"state": true}, "id": {"named": true}, "im": {"filler": true}, "in": {"filler": true}, "is": {"state": true}, "lu": {"event": true}, "no": {"named": true}, "nr": {"named": true}, "of": {"filler": true}, "on": {"filler": true}, "su": {"cue": true}, "to": {"filler": true}, "up": {"filler": true}, "vu": {"event": true}, "ya": {"filler": true}, "zu": {"filler": true}, "are": {"state": true}, "ate": {"event": true}, "auf": {"filler": true}, "bei": {"filler": true}, "bus": {"named": true}, "com": {"filler": true}, "con": {"filler": true}, "der": {"relative": true}, "did": {"event": true}, "die": {"relative": true}, "due": {"cue": true}, "est": {"state": true}, "far": {"cue": true}, "got": {"event": true}, "has": {"have": true}, "hat": {"have": true}, "hay": {"state": true}, "hiz": {"head": true}, "ici": {"cue": true}, "ist": {"state": true}, "leu": {"event": true}, "met": {"event": true}, "now": {"cue": true, "filler": true}, "num": {"named": true}, "oda": {"named": true}, "oge": {"counted": true}, "ont": {"have": true}, "pin": {"named": true}, "que": {"relative": true}, "qui": {"relative": true}, "ran": {"event": true}, "row": {"counted": true}, "sao": {"state": true}, "saw": {"event": true}, "son": {"cue": true, "state": true}, "tem": {"have": true}, "uye": {"counted": true}, "var": {"have": true}, "vio": {"event": true}, "viu": {"event": true}, "vol": {"named": true}, "voo": {"named": true}, "who": {"relative": true}, "won": {"event": true}, "yer": {"counted": true}, "zug": {"named": true}, "だ": {"state": true}, "个": {"counted": true}, "为": {"state": true}, "人": {"counted": true}, "件": {"counted": true}, "個": {"counted": true}, "共": {"state": true}, "剩": {"state": true}, "号": {"named": true}, "名": {"counted": true}, "室": {"named": true}, "已": {"filler": true}, "席": {"counted": true}, "是": {"state": true}, "有": {"state": true}, "本": {"counted": true}, "条": {"counted": true}, "点": {"counted": true}, "為": {"state": true}, "番": {"named": true}, "的": {"relative": true}, "約": {"filler": true}, "约": {"filler": true}, "號": {"named": true}, "路": {"named": true}, "达": {"state": true}, "还": {"filler": true}, "bill": {"named": true}, "born": {"event": true}, "case": {"named": true}, "code": {"named": true}, "cola": {"head": true}, "cost": {"state": true}, "cuyo": {"relative": true}, "debt": {"head": true}, "dont": {"relative": true}, "down": {"filler": true}, "dura": {"state": true}, "dure": {"state": true}, "esta": {"state": true}, "etwa": {"filler": true}, "fase": {"progress": true}, "fica": {"state": true}, "fila": {"head": true}, "file": {"head": true, "counted": true}, "flew": {"event": true}, "flug": {"named": true}, "gano": {"event": true}, "gate": {"named": true}, "gave": {"event": true}, "gibt": {"state": true}, "goal": {"head": true}, "hata": {"counted": true}, "haus": {"named": true}, "have": {"have": true}, "hizi": {"head": true}, "item": {"counted": true}, "kilo": {"head": true}, "kira": {"head": true}, "last": {"cue": true}, "leva": {"state": true}, "leyo": {"event": true}, "line": {"named": true}, "lost": {"event": true}, "maas": {"head": true}, "made": {"event": true}, "mede": {"state": true}, "meta": {"head": true}, "mide": {"state": true}, "next": {"cue": true}, "noch": {"filler": true}, "nolu": {"named": true}, "oran": {"head": true}, "over": {"filler": true}, "page": {"progress": true}, "paid": {"event": true}, "pesa": {"state": true}, "pese": {"state": true}, "peso": {"head": true}, "piso": {"named": true}, "prix": {"head": true}, "quai": {"named": true}, "rate": {"head": true}, "read": {"event": true}, "rent": {"head": true}, "room": {"named": true}, "rows": {"counted": true}, "rund": {"filler": true}, "seat": {"named": true}, "sent": {"event": true}, "sind": {"state": true}, "sitz": {"named": true}, "size": {"head": true}, "skor": {"head": true}, "sold": {"event": true}, "sont": {"state": true}, "star": {"counted": true}, "step": {"progress": true}, "stok": {"head": true}, "swam": {"event": true}, "task": {"counted": true}, "that": {"relative": true}, "took": {"event": true}, "trem": {"named": true}, "tren": {"named": true}, "unas": {"filler": true}, "unos": {"filler": true}, "user": {"counted": true}, "week": {"progress": true}, "went": {"event": true}, "ziel": {"head": true}, "до": {"filler": true}, "на": {"filler": true}, "هو": {"state": true}, "هي": {"state": true}, "abone": {"counted": true}, "about": {"filler": true}, "agora": {"filler": true}, "ahora": {"filler": true}, "anden": {"named": true}, "atual": {"cue": true}, "broke": {"event": true}, "built": {"event": true}, "butce": {"head": true}, "cerca": {"filler": true}, "chega": {"state": true}, "conta": {"state": true}, "costs": {"state": true}, "count": {"head": true}, "coute": {"state": true}, "custa": {"state": true}, "deren": {"relative": true}, "drank": {"event": true}, "drove": {"event": true}, "eleve": {"state": true}, "email": {"counted": true}, "error": {"counted": true}, "erros": {"counted": true}, "estan": {"state": true}, "etage": {"named": true}, "etapa": {"progress": true}, "etape": {"progress": true}, "ficam": {"state": true}, "files": {"counted": true}, "fiyat": {"head": true}, "floor": {"named": true}, "folge": {"progress": true}, "found": {"event": true}, "frist": {"cue": true}, "gagne": {"event": true}, "given": {"event": true}, "gleis": {"named": true}, "gorev": {"counted": true}, "haben": {"have": true}, "hafta": {"progress": true}, "hedef": {"head": true}, "holds": {"state": true}, "house": {"named": true}, "issue": {"named": true, "counted": true}, "items": {"counted": true}, "itens": {"counted": true}, "jetzt": {"filler": true}, "kaldi": {"state": true}, "kayit": {"counted": true}, "konto": {"named": true}, "lasts": {"state": true}, "lecon": {"progress": true}, "level": {"head": true, "progress": true}, "licao": {"progress": true}, "liegt": {"state": true}, "ligne": {"named": true}, "limit": {"head": true}, "linea": {"named": true}, "linha": {"named": true}, "linie": {"named": true}, "lleva": {"state": true}, "loyer": {"head": true}, "maasi": {"head": true}, "mesaj": {"counted": true}, "miete": {"head": true}, "misst": {"state": true}, "nacio": {"event": true}, "needs": {"state": true}, "nivel": {"progress": true}, "orani": {"head": true}, "order": {"named": true, "counted": true}, "pages": {"progress": true}, "perdu": {"event": true}, "phase": {"progress": true}, "phone": {"named": true}, "poids": {"head": true}, "point": {"counted": true}, "prazo": {"cue": true}, "preco": {"head": true}, "preis": {"head": true}, "prend": {"state": true}, "price": {"head": true}, "queda": {"state": true}, "queue": {"head": true}, "quien": {"relative": true}, "resta": {"state": true}, "reste": {"state": true}, "ronda": {"progress": true}, "round": {"progress": true}, "route": {"named": true}, "runde": {"progress": true}, "saldo": {"head": true}, "score": {"head": true}, "seite": {"progress": true}, "siege": {"named": true}, "simdi": {"cue": true}, "solde": {"head": true}, "speed": {"head": true}, "stage": {"progress": true}, "stand": {"cue": true}, "stars": {"counted": true}, "steht": {"state": true}, "still": {"filler": true}, "stock": {"head": true}, "stufe": {"progress": true}, "summe": {"head": true}, "takes": {"state": true}, "tarda": {"state": true}, "tasks": {"counted": true}, "tiene": {"have": true}, "total": {"head": true}, "train": {"named": true}, "usage": {"head": true}, "users": {"counted": true}, "vagas": {"counted": true}, "vuelo": {"named": true}, "weigh": {"state": true}, "which": {"relative": true}, "whose": {"relative": true}, "wiegt": {"state": true}, "woche": {"progress": true}, "wrote": {"event": true}, "yuzde": {"head": true}, "zahlt": {"state": true}, "achete": {"event": true}, "actual": {"cue": true}, "actuel": {"cue": true}, "anzahl": {"head": true}, "around": {"filler": true}, "bakiye": {"head": true}, "bisher": {"cue": true}, "bought": {"event": true}, "budget": {"head": true}, "caught": {"event": true}, "compro": {"event": true}, "compte": {"state": true}, "contem": {"state": true}, "counts": {"state": true}, "cuenta": {"state": true}, "cuesta": {"state": true}, "custam": {"state": true}, "dauert": {"state": true}, "demora": {"state": true}, "dessen": {"relative": true}, "emails": {"counted": true}, "encore": {"filler": true}, "equals": {"state": true}, "errors": {"counted": true}, "fatura": {"named": true}, "fehler": {"counted": true}, "flight": {"named": true}, "ganhou": {"event": true}, "gehalt": {"head": true}, "grenze": {"head": true}, "guncel": {"cue": true}, "hedefi": {"head": true}, "income": {"head": true}, "issues": {"counted": true}, "kilosu": {"head": true}, "kosten": {"state": true}, "kostet": {"state": true}, "kunden": {"counted": true}, "kuyruk": {"head": true}, "latest": {"cue": true}, "length": {"head": true}, "lesson": {"progress": true}, "letzte": {"cue": true}, "limite": {"head": true}, "manche": {"progress": true}, "member": {"counted": true}, "mesure": {"state": true}, "module": {"progress": true}, "nasceu": {"event": true}, "nearly": {"filler": true}, "nombre": {"head": true}, "number": {"named": true}, "numero": {"head": true, "named": true}, "nummer": {"named": true}, "onibus": {"named": true}, "orders": {"counted": true}, "pagina": {"progress": true}, "people": {"counted": true}, "perdeu": {"event": true}, "perdio": {"event": true}, "places": {"counted": true}, "plazas": {"counted": true}, "points": {"counted": true}, "portao": {"named": true}, "precio": {"head": true}, "puerta": {"named": true}, "punkte": {"counted": true}, "quarto": {"named": true}, "quedan": {"state": true}, "rating": {"head": true}, "record": {"head": true, "counted": true}, "remain": {"state": true}, "restam": {"state": true}, "salary": {"head": true}, "scores": {"state": true}, "semana": {"progress": true}, "sobram": {"state": true}, "sprint": {"progress": true}, "stands": {"state": true}, "stehen": {"state": true}, "taches": {"counted": true}, "tareas": {"counted": true}, "target": {"head": true}, "ticket": {"named": true, "counted": true}, "tienen": {"have": true}, "toplam": {"head": true}, "totals": {"state": true}, "ultima": {"cue": true}, "ultimo": {"cue": true}, "weighs": {"state": true}, "weight": {"head": true}, "zimmer": {"named": true}, "вес": {"head": true}, "дом": {"named": true}, "еще": {"filler": true}, "код": {"named": true}, "уже": {"filler": true}, "اخر": {"cue": true}, "الى": {"filler": true}, "بقي": {"state": true}, "رقم": {"named": true}, "سعر": {"head": true}, "عدد": {"head": true}, "عضو": {"counted": true}, "على": {"filler": true}, "لدى": {"have": true}, "وزن": {"head": true}, "يزن": {"state": true}, "ある": {"state": true}, "いる": {"state": true}, "です": {"state": true}, "上次": {"cue": true}, "上限": {"head": true}, "予算": {"head": true}, "人数": {"head": true}, "价格": {"head": true}, "体重": {"head": true}, "余額": {"head": true}, "余额": {"head": true}, "価格": {"head": true}, "共有": {"state": true}, "分数": {"head": true}, "前回": {"cue": true}, "发票": {"named": true}, "号室": {"named": true}, "号线": {"named": true}, "合計": {"head": true}, "在庫": {"head": true}, "家賃": {"head": true}, "工资": {"head": true}, "库存": {"head": true}, "当前": {"cue": true}, "总数": {"head": true}, "截至": {"cue": true}, "房间": {"named": true}, "最后": {"cue": true}, "最後": {"cue": true}, "最新": {"cue": true}, "次回": {"cue": true}, "残り": {"state": true}, "残席": {"head": true}, "残高": {"head": true}, "気温": {"head": true}, "温度": {"head": true}, "现在": {"filler": true}, "現在": {"cue": true}, "番線": {"named": true}, "目前": {"cue": true, "filler": true}, "目标": {"head": true}, "目標": {"head": true}, "租金": {"head": true}, "等于": {"state": true}, "給料": {"head": true}, "至今": {"cue": true}, "航班": {"named": true}, "达到": {"state": true}, "迄今": {"cue": true}, "还剩": {"state": true}, "速度": {"head": true}, "還剩": {"state": true}, "队列": {"head": true}, "需要": {"state": true}, "预算": {"head": true}, "abonesi": {"counted": true}, "abonnes": {"counted": true}, "account": {"named": true}, "aktuell": {"cue": true, "filler": true}, "already": {"filler": true}, "aluguel": {"head": true}, "amounts": {"state": true}, "asiento": {"named": true}, "atteint": {"state": true}, "autobus": {"named": true}, "balance": {"head": true}, "bestand": {"head": true}, "betragt": {"state": true}, "bislang": {"cue": true}, "bleiben": {"state": true}, "braucht": {"state": true}, "chambre": {"named": true}, "chapter": {"named": true, "progress": true}, "clients": {"counted": true}, "comprou": {"event": true}, "contain": {"state": true}, "coutent": {"state": true}, "cuestan": {"state": true}, "current": {"cue": true}, "dernier": {"cue": true}, "derzeit": {"cue": true, "filler": true}, "doluluk": {"head": true}, "enthalt": {"state": true}, "environ": {"filler": true}, "episode": {"progress": true}, "errores": {"counted": true}, "estoque": {"head": true}, "exceeds": {"state": true}, "factura": {"named": true}, "facture": {"named": true}, "fassung": {"named": true}, "geboren": {"event": true}, "gekauft": {"event": true}, "gelesen": {"event": true}, "gesehen": {"event": true}, "gewicht": {"head": true}, "invoice": {"named": true}, "kapitel": {"progress": true}, "leccion": {"progress": true}, "lektion": {"progress": true}, "letzten": {"cue": true}, "letzter": {"cue": true}, "letztes": {"cue": true}, "members": {"counted": true}, "membres": {"counted": true}, "membros": {"counted": true}, "message": {"counted": true}, "mileage": {"head": true}, "momento": {"cue": true}, "nachste": {"cue": true}, "proxima": {"cue": true}, "proximo": {"cue": true}, "reached": {"state": true}, "records": {"counted": true}, "release": {"named": true}, "remains": {"state": true}, "request": {"counted": true}, "restent": {"state": true}, "salaire": {"head": true}, "salario": {"head": true}, "semaine": {"progress": true}, "simdiye": {"cue": true}, "tarefas": {"counted": true}, "telefon": {"named": true}, "tickets": {"counted": true}, "umfasst": {"state": true}, "version": {"named": true}, "vitesse": {"head": true}, "wohnung": {"named": true}, "yasinda": {"relative": true}, "actuelle": {"cue": true}, "aktuelle": {"cue": true}, "alquiler": {"head": true}, "altitude": {"head": true}, "asciende": {"state": true}, "aufgaben": {"counted": true}, "capacite": {"head": true}, "capacity": {"head": true}, "capitulo": {"progress": true}, "chamados": {"counted": true}, "chapitre": {"progress": true}, "clientes": {"counted": true}, "comptent": {"state": true}, "contains": {"state": true}, "contiene": {"state": true}, "contient": {"state": true}, "customer": {"counted": true}, "deadline": {"cue": true}, "derniere": {"cue": true}, "eintrage": {"counted": true}, "elements": {"counted": true}, "follower": {"counted": true}, "gewonnen": {"event": true}, "humidity": {"head": true}, "kuyrukta": {"head": true}, "measures": {"state": true}, "mensajes": {"counted": true}, "messages": {"counted": true}, "miembros": {"counted": true}, "nachster": {"cue": true}, "numarali": {"named": true}, "objectif": {"head": true}, "objetivo": {"head": true}, "platform": {"named": true}, "pressure": {"head": true}, "prochain": {"cue": true}, "progress": {"head": true}, "rechnung": {"named": true}, "requests": {"counted": true}, "requires": {"state": true}, "sicaklik": {"head": true}, "ungefahr": {"filler": true}, "verloren": {"event": true}, "мест": {"counted": true}, "пока": {"cue": true}, "реис": {"named": true}, "рост": {"head": true}, "срок": {"cue": true}, "счет": {"named": true}, "урок": {"progress": true}, "цель": {"head": true}, "цена": {"head": true}, "этаж": {"named": true}, "الان": {"filler": true}, "التي": {"relative": true}, "الذي": {"relative": true}, "بقيت": {"state": true}, "تبلغ": {"state": true}, "توجد": {"state": true}, "درجة": {"head": true}, "رصيد": {"head": true}, "عمره": {"relative": true}, "عنصر": {"counted": true}, "غرفة": {"named": true}, "لديه": {"have": true}, "نسبة": {"head": true}, "يبلغ": {"state": true}, "يوجد": {"state": true}, "apartment": {"named": true}, "capacidad": {"head": true}, "contienen": {"state": true}, "currently": {"cue": true, "filler": true}, "customers": {"counted": true}, "elementos": {"counted": true}, "enthalten": {"state": true}, "followers": {"counted": true}, "getroffen": {"event": true}, "incidents": {"counted": true}, "inscritos": {"counted": true}, "kapazitat": {"head": true}, "mensagens": {"counted": true}, "orcamento": {"head": true}, "pontuacao": {"head": true}, "prochaine": {"cue": true}, "sicakligi": {"head": true}, "velocidad": {"head": true}, "います": {"state": true}, "かかる": {"state": true}, "キュー": {"head": true}, "登録者": {"head": true}, "請求書": {"named": true}, "abonnenten": {"counted": true}, "atualmente": {"cue": true}, "capacidade": {"head": true}, "habitacion": {"named": true}, "haftasinda": {"progress": true}, "kontostand": {"head": true}, "maintenant": {"filler": true}, "mitglieder": {"counted": true}, "percentage": {"head": true}, "population": {"head": true}, "puntuacion": {"head": true}, "subscriber": {"counted": true}, "temperatur": {"head": true}, "velocidade": {"head": true}, "verbleiben": {"state": true}, "весит": {"state": true}, "глава": {"progress": true}, "главе": {"progress": true}, "задач": {"counted": true}, "имеет": {"have": true}, "лимит": {"head": true}, "линия": {"named": true}, "места": {"counted": true}, "номер": {"named": true}, "около": {"filler": true}, "поезд": {"named": true}, "равен": {"state": true}, "равна": {"state": true}, "равно": {"state": true}, "стоит": {"state": true}, "стоят": {"state": true}, "уроке": {"progress": true}, "число": {"head": true}, "этапе": {"progress": true}, "الهدف": {"head": true}, "تحتوي": {"state": true}, "تذكرة": {"counted": true}, "حاليا": {"cue": true, "filler": true}, "حرارة": {"head": true}, "حوالي": {"filler": true}, "رسالة": {"counted": true}, "عمرها": {"relative": true}, "عناصر": {"counted": true}, "عنصرا": {"counted": true}, "لديها": {"have": true}, "مشترك": {"counted": true}, "مقعدا": {"counted": true}, "يحتوي": {"state": true}, "يساوي": {"state": true}, "actualmente": {"cue": true}, "appartement": {"named": true}, "contiennent": {"state": true}, "fortschritt": {"head": true}, "incidencias": {"counted": true}, "nachrichten": {"counted": true}, "presupuesto": {"head": true}, "punktestand": {"head": true}, "subscribers": {"counted": true}, "temperatura": {"head": true}, "temperature": {"head": true}, "actuellement": {"cue": true, "filler": true}, "suscriptores": {"counted": true}, "баланс": {"head": true}, "бюджет": {"head": true}, "длится": {"state": true}, "достиг": {"state": true}, "задача": {"counted": true}, "задачи": {"counted": true}, "заявка": {"counted": true}, "заявки": {"counted": true}, "заявок": {"counted": true}, "неделе": {"progress": true}, "ошибка": {"counted": true}, "ошибки": {"counted": true}, "ошибок": {"counted": true}, "раунде": {"progress": true}, "сеичас": {"cue": true, "filler": true}, "теперь": {"filler": true}, "الحالي": {"cue": true}, "الراتب": {"head": true}, "الرحلة": {"named": true}, "الرصيد": {"head": true}, "السرعة": {"head": true}, "الغرفة": {"named": true}, "فاتورة": {"named": true}, "مشتركا": {"counted": true}, "يستغرق": {"state": true}, "あります": {"state": true}, "これまで": {"cue": true}, "最近一次": {"cue": true}, "approximately": {"filler": true}, "warteschlange": {"head": true}, "автобус": {"named": true}, "заказов": {"counted": true}, "имеется": {"state": true}, "комната": {"named": true}, "которая": {"relative": true}, "которое": {"relative": true}, "которои": {"relative": true}, "которыи": {"relative": true}, "которым": {"relative": true}, "остаток": {"head": true}, "очереди": {"head": true}, "очередь": {"head": true}, "текущая": {"cue": true}, "текущии": {"cue": true}, "элемент": {"counted": true}, "الايجار": {"head": true}, "الحالية": {"cue": true}, "الطابور": {"head": true}, "المجموع": {"head": true}, "aproximadamente": {"filler": true}, "geschwindigkeit": {"head": true}, "かかります": {"state": true}, "luftfeuchtigkeit": {"head": true}, "достигла": {"state": true}, "занимает": {"state": true}, "зарплата": {"head": true}, "квартира": {"named": true}, "клиентов": {"counted": true}, "которого": {"relative": true}, "которому": {"relative": true}, "остается": {"state": true}, "остались": {"state": true}, "осталось": {"state": true}, "примерно": {"filler": true}, "скорость": {"head": true}, "содержит": {"state": true}, "страница": {"progress": true}, "странице": {"progress": true}, "участник": {"counted": true}, "элемента": {"counted": true}, "الفاتورة": {"named": true}, "подписчик": {"counted": true}, "последнее": {"cue": true}, "последнии": {"cue": true}, "последняя": {"cue": true}, "следующии": {"cue": true}, "сообщение": {"counted": true}, "сообщении": {"counted": true}, "сообщения": {"counted": true}, "участника": {"counted": true}, "элементов": {"counted": true}, "الميزانية": {"head": true}, "количество": {"head": true}, "подписчика": {"counted": true}, "последнего": {"cue": true}, "составляет": {"state": true}, "составляют": {"state": true}, "участников": {"counted": true}, "насчитывает": {"state": true}, "подписчиков": {"counted": true}, "температура": {"head": true}}'::jsonb;

ALTER FUNCTION memoranda_private.guard_trackers() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_trackers_listed() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  with lists (class, words) as (values
    -- The number after these is a state.
    ('state', 'is are contains contain holds counts totals stands remains remain costs cost takes lasts needs requires weighs weigh equals measures reached exceeds amounts scores
      ist sind betragt liegt steht stehen enthalt enthalten umfasst zahlt kostet kosten dauert braucht wiegt misst bleiben verbleiben gibt
      est sont compte comptent contient contiennent eleve atteint coute coutent prend dure pese mesure reste restent
      es son esta estan hay contiene contienen cuenta cuesta cuestan tarda dura lleva pesa mide queda quedan asciende
      e sao fica ficam ha contem conta custa custam leva demora dura resta restam sobram mede chega
      составляет составляют насчитывает равен равна равно содержит стоит стоят занимает длится весит осталось остается остались достиг достигла имеется
      有 是 为 為 共 剩 还剩 還剩 共有 达 达到 等于 需要 です だ ある あります いる います かかる かかります 残り kaldi هو هي يبلغ تبلغ يحتوي تحتوي يوجد توجد بقي بقيت يساوي يزن يستغرق'),
    ('have', 'has have hat haben a ont tiene tienen tem имеет var لديه لديها لدى'),
    -- These may stand between.
    ('filler', 'at to now about around approximately currently over nearly up down still already on of in bei auf zu im jetzt etwa ungefahr rund noch aktuell derzeit
      de du d en encore maintenant environ actuellement ya ahora unos unas aproximadamente con al agora cerca com около примерно сейчас теперь уже еще на до
      目前 现在 約 约 على الى حوالي الان حاليا 还 已'),
    -- One at a time, whenever it is.
    ('cue', 'last latest current currently next now far deadline due letzte letzter letzten letztes aktuell aktuelle derzeit bisher bislang stand nachste nachster frist
      dernier derniere actuel actuelle actuellement prochain prochaine ici ultimo ultima actual actualmente momento proximo proxima atual atualmente prazo
      последний последняя последнее последнего сейчас текущий текущая следующий срок пока 目前 上次 最后 最近一次 当前 截至 至今 迄今 現在 最後 最新 前回 次回 これまで
      son simdi simdiye su guncel اخر حاليا الحالي الحالية'),
    -- What has one figure at a time.
    ('head', 'balance queue temperature score count level stock total usage weight price rent population size length rate percentage progress goal target limit budget
      salary income debt capacity speed rating mileage humidity pressure altitude record
      kontostand warteschlange temperatur punktestand anzahl bestand summe gewicht preis miete fortschritt ziel grenze budget gehalt kapazitat
      geschwindigkeit luftfeuchtigkeit
      solde file temperature score nombre stock total poids prix loyer objectif limite salaire capacite vitesse saldo cola temperatura puntuacion numero total peso precio alquiler objetivo
      meta presupuesto salario capacidad velocidad fila pontuacao estoque preco aluguel orcamento capacidade velocidade баланс очередь очереди температура количество число остаток вес цена рост цель лимит бюджет зарплата скорость
      余额 余額 队列 温度 库存 总数 体重 价格 租金 分数 人数 残高 キュー 在庫 合計 体重 価格 家賃 登録者 残席 気温 目标 上限 预算 工资 速度 目標 予算 給料
      orani oran doluluk yuzde bakiye kuyruk kuyrukta sicaklik sicakligi stok toplam kilo kilosu fiyat kira skor hedef hedefi limit butce maas maasi hiz hizi الرصيد رصيد نسبة درجة حرارة عدد وزن سعر المجموع الايجار الطابور الهدف الميزانية الراتب السرعة'),
    -- What is counted.
    ('counted', 'item items message messages user users ticket tickets task tasks error errors order orders request requests customer customers
      follower followers point points email emails file files row rows record records people member members subscriber subscribers issue issues star stars
      eintrage nachrichten aufgaben fehler kunden mitglieder abonnenten punkte elements messages taches clients abonnes membres places incidents
      elementos mensajes tareas errores clientes suscriptores miembros plazas incidencias itens mensagens tarefas erros inscritos vagas chamados membros
      элемент элемента элементов сообщение сообщений сообщения задача задачи задач ошибка ошибки ошибок клиентов заказов подписчик подписчика подписчиков
      участник участника участников мест места заявка заявки заявок 件 个 個 人 名 席 本 条 点 oge mesaj gorev hata abone abonesi uye yer kayit
      عنصر عنصرا عناصر رسالة مشترك مشتركا عضو تذكرة مقعدا'),
    -- Where somebody is in what they go through.
    ('progress', 'page pages chapter level lesson episode step stage week round phase sprint module seite kapitel lektion folge stufe woche runde
      chapitre page lecon etape semaine manche capitulo pagina leccion nivel semana fase ronda licao etapa hafta haftasinda глава главе страница странице урок уроке неделе этапе раунде'),
    -- What happened may happen again.
    ('event', 'read won lost saw born met ran went bought got ate took gave given wrote sold paid made did drove flew sent found built
      drank swam caught broke gelesen gewonnen verloren gesehen geboren getroffen gekauft lu gagne perdu vu achete leyo gano perdio vio nacio
      compro leu ganhou perdeu viu nasceu comprou'),
    -- The number says which one.
    ('named', 'room flight bus train line gate platform seat invoice bill ticket number no nr num id pin code version release account phone apartment house
      floor chapter route order case issue zimmer flug zug linie gleis sitz rechnung nummer konto telefon wohnung haus etage fassung chambre vol ligne
      quai siege facture numero appartement etage habitacion vuelo autobus tren linea puerta anden asiento factura piso quarto voo onibus
      trem linha portao fatura комната рейс автобус поезд линия счет счёт номер квартира дом этаж код 号 號 路 室 房间 航班 发票 請求書 号室 号线 番 番線
      numarali nolu oda fatura الغرفة الفاتورة رقم الرحلة غرفة فاتورة # №'),
    -- The number is part of saying which one.
    ('relative', 'who which that whose der die dessen deren qui dont que quien cuyo который которая которое которому которой которым которого 的 الذي التي عمره عمرها yasinda'))
  select jsonb_object_agg(word, classes)
    from (select word, jsonb_object_agg(class, true) as classes from lists, regexp_split_to_table(fold(words), ' ') as word group by word) as found
$$;

ALTER FUNCTION memoranda_private.guard_trackers_listed() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_words() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{"$": "unit:usd", "%": "unit:%", "g": "unit:g", "h": "unit:h", "l": "unit:l", "m": "unit:m", "n": "negation", "s": "unit:s", "ab": "quantifier:some", "am": "german", "an": "pole:on+", "ao": "romance", "ay": "unit:mo", "az": "quantifier:few", "cm": "unit:cm", "da": "romance", "em": "romance", "et": "pole:diet-", "ex": "tense", "ft": "unit:ft", "gb": "unit:gb", "go": "unit:gb", "hr": "unit:h", "im": "german", "kb": "unit:kb", "kg": "unit:kg", "km": "unit:km", "lb": "unit:lb", "mb": "unit:mb", "mg": "unit:mg", "mi": "unit:mi", "ml": "unit:ml", "mm": "unit:mm", "ms": "unit:ms", "na": "romance", "nd": "rank", "ne": "negation", "ni": "negation", "no": "negation", "on": "pole:on+", "oz": "unit:oz", "pm": "half:pm", "rd": "rank", "so": "accented:only", "st": "rank", "tb": "unit:tb", "th": "rank", "to": "unit:tb", "uc": "number:3", "um": "romance", "zu": "pole:on-", "£": "unit:gbp", "¥": "unit:jpy", "°": "unit:deg", "abr": "abbreviated:4", "ago": "abbreviated:8", "all": "quantifier:all", "ama": "pole:like+", "ano": "unit:y", "ans": "unit:y", "apr": "abbreviated:4", "ara": "quantifier:some", "ate": "until", "auf": "german", "aug": "abbreviated:8", "avr": "abbreviated:4", "bas": "pole:size-", "bei": "german", "bes": "number:5", "big": "pole:size+", "bin": "number:1000", "bis": "until", "bpm": "unit:bpm", "brl": "unit:brl", "cem": "number:100", "chf": "unit:chf", "cny": "unit:cny", "com": "romance", "das": "german", "day": "unit:d", "dec": "abbreviated:12", "dem": "german", "den": "german", "der": "german", "des": "german", "dez": "number:10", "dia": "unit:d", "dic": "abbreviated:12", "did": "past", "die": "german", "dix": "number:10", "dos": "number:2", "dun": "day:yesterday", "ein": "german", "elf": "number:11", "era": "past", "eur": "unit:eur", "feb": "abbreviated:2", "fev": "abbreviated:2", "few": "quantifier:few", "foi": "past", "fue": "past", "fur": "german", "fut": "past", "gbp": "unit:gbp", "gun": "unit:d", "had": "past", "hat": "german", "her": "turkish:quantifier:all", "hic": "negation", "hot": "pole:heat+", "hoy": "day:today", "hrs": "unit:h", "idi": "past", "iki": "number:2", "ilk": "number:1st", "inc": "unit:in", "ist": "german", "jan": "abbreviated:1", "jpy": "unit:jpy", "jul": "abbreviated:7", "jun": "abbreviated:6", "kmh": "unit:kmh", "kph": "unit:kmh", "kwh": "unit:kwh", "lbs": "unit:lb", "low": "pole:size-", "mag": "pole:like+", "mai": "month:5", "mar": "abbreviated:3", "mas": "quantifier:more", "may": "month:5", "mes": "unit:mo", "mil": "number:1000", "min": "unit:min", "mit": "german", "mph": "unit:mph", "nao": "negation", "nas": "romance", "nem": "negation", "nie": "negation", "non": "negation", "nor": "negation", "not": "negation", "nov": "abbreviated:11", "nur": "quantifier:only", "oct": "abbreviated:10", "off": "pole:on-", "oft": "quantifier:most", "okt": "abbreviated:10", "one": "number:1", "pas": "negation", "pes": "unit:ft", "peu": "quantifier:few", "rmb": "unit:cny", "rub": "unit:rub", "sag": "pole:side-", "sec": "unit:s", "sem": "negation", "sep": "abbreviated:9", "sik": "quantifier:most", "sin": "negation", "six": "number:6", "sol": "pole:side+", "tag": "unit:d", "tem": "romance", "ten": "number:10", "try": "unit:try", "tum": "quantifier:all", "two": "number:2", "uma": "romance", "und": "german", "uno": "number:1", "usd": "unit:usd", "vom": "german", "von": "german", "vor": "pole:order+", "war": "past", "was": "past", "yas": "unit:y", "yen": "unit:jpy", "yil": "unit:y", "yok": "negation", "yuz": "number:100", "zum": "german", "zur": "german", "°c": "unit:c", "°f": "unit:f", "€": "unit:eur", "₺": "unit:try", "₽": "unit:rub", "ず": "negation", "不": "negation", "两": "number:2", "仅": "quantifier:only", "僅": "quantifier:only", "元": "unit:cny", "克": "unit:g", "兩": "number:2", "円": "unit:jpy", "冷": "pole:heat-", "分": "unit:min", "別": "negation", "别": "negation", "勿": "negation", "十": "number:10", "千": "number:1000", "升": "unit:l", "只": "quantifier:only", "右": "pole:side-", "周": "unit:w", "块": "unit:cny", "夜": "pole:day-", "天": "unit:d", "岁": "unit:y", "左": "pole:side+", "年": "part", "度": "unit:deg", "後": "pole:order-", "恨": "pole:like-", "愛": "pole:like+", "无": "negation", "日": "part", "时": "part", "昔": "tense", "時": "part", "晩": "pole:day-", "曾": "tense", "月": "part", "朝": "pole:day+", "未": "negation", "歲": "unit:y", "歳": "unit:y", "毎": "quantifier:all", "每": "quantifier:all", "沒": "negation", "没": "negation", "点": "part", "热": "pole:heat+", "無": "negation", "爱": "pole:like+", "百": "number:100", "磅": "unit:lb", "秒": "unit:s", "米": "unit:m", "肉": "pole:diet-", "號": "part", "都": "quantifier:all", "零": "number:0", "非": "negation", "點": "part", "1つ": "number:1", "1月": "month:1", "acht": "number:8", "acik": "pole:on+", "aime": "pole:like+", "alle": "quantifier:all", "alti": "number:6", "alto": "pole:size+", "anos": "unit:y", "aout": "month:8", "asla": "negation", "avro": "unit:eur", "ayer": "day:yesterday", "bajo": "pole:size-", "bazi": "quantifier:some", "both": "quantifier:both", "cada": "quantifier:all", "cant": "negation", "casi": "quantifier:almost", "cent": "number:100", "cero": "number:0", "cien": "number:100", "cinq": "number:5", "cogu": "quantifier:most", "cold": "pole:heat-", "cool": "pole:heat-", "cuma": "day:fr", "daha": "quantifier:more", "days": "unit:d", "dejo": "tense", "deux": "number:2", "dias": "unit:d", "diez": "number:10", "doce": "number:12", "dois": "number:2", "dont": "negation", "dort": "number:4", "doze": "number:12", "drei": "number:3", "duas": "number:2", "each": "quantifier:all", "eine": "german", "eins": "number:1", "ekim": "month:10", "elli": "number:50", "eran": "past", "eski": "tense", "euro": "unit:eur", "evli": "pole:married+", "fast": "quantifier:almost", "feet": "unit:ft", "five": "number:5", "foot": "unit:ft", "four": "number:4", "fria": "pole:heat-", "frio": "pole:heat-", "funf": "number:5", "fuss": "unit:ft", "gece": "pole:day-", "gern": "german", "grad": "unit:deg", "gram": "unit:g", "hait": "pole:like-", "halb": "quantifier:half", "half": "quantifier:half", "hate": "pole:like-", "haut": "pole:size+", "hier": "day:yesterday", "high": "pole:size+", "hoch": "pole:size+", "hoje": "day:today", "hora": "unit:h", "hour": "unit:h", "huit": "number:8", "inch": "unit:in", "isnt": "negation", "jahr": "unit:y", "jede": "quantifier:all", "jour": "unit:d", "juin": "month:6", "juli": "month:7", "july": "month:7", "june": "month:6", "juni": "month:6", "just": "quantifier:only", "kalt": "pole:heat-", "kaum": "quantifier:few", "kcal": "unit:kcal", "kein": "negation", "kilo": "unit:kg", "kirk": "number:40", "lack": "negation", "left": "pole:side+", "less": "quantifier:less", "like": "pole:like+", "lira": "unit:try", "love": "pole:like+", "maio": "month:5", "mars": "month:3", "marz": "month:3", "mayo": "month:5", "meat": "pole:diet-", "mehr": "quantifier:more", "mile": "unit:mi", "mins": "unit:min", "mois": "unit:mo", "more": "quantifier:more", "most": "quantifier:most", "nach": "german", "nada": "negation", "neuf": "number:9", "neun": "number:9", "nine": "number:9", "none": "negation", "nove": "number:9", "nuit": "pole:day-", "null": "number:0", "ocak": "month:1", "ocho": "number:8", "odia": "pole:like-", "ohne": "negation", "oito": "number:8", "once": "pole:order+", "only": "quantifier:only", "onze": "number:11", "open": "pole:on+", "otuz": "number:30", "pela": "romance", "pies": "unit:ft", "poco": "quantifier:few", "quit": "tense", "rara": "quantifier:few", "real": "unit:brl", "rien": "negation", "saat": "unit:h", "sali": "day:tu", "sans": "negation", "secs": "unit:s", "seis": "number:6", "seit": "german", "sept": "number:7", "sete": "number:7", "shut": "pole:on-", "sind": "german", "soir": "pole:day-", "solo": "quantifier:only", "some": "quantifier:some", "tage": "unit:d", "tall": "pole:size+", "till": "tense", "toda": "quantifier:all", "todo": "quantifier:all", "tous": "quantifier:all", "tout": "quantifier:all", "tres": "number:3", "user": "user", "vier": "number:4", "warm": "pole:heat+", "watt": "unit:w", "week": "unit:w", "were": "past", "wird": "german", "wont": "negation", "year": "unit:y", "yedi": "number:7", "yuan": "unit:cny", "zehn": "number:10", "zero": "number:0", "zoll": "unit:in", "zwei": "number:2", "гб": "unit:gb", "до": "until", "кг": "unit:kg", "км": "unit:km", "мб": "unit:mb", "мг": "unit:mg", "мл": "unit:ml", "мм": "unit:mm", "не": "negation", "ни": "negation", "см": "unit:cm", "тб": "unit:tb", "ست": "number:6", "سم": "unit:cm", "كغ": "unit:kg", "كل": "quantifier:all", "كم": "unit:km", "لا": "negation", "لم": "negation", "لن": "negation", "ين": "unit:jpy", "abend": "pole:day-", "abril": "month:4", "adora": "pole:like+", "adore": "pole:like+", "after": "pole:order-", "aksam": "pole:day-", "aktiv": "pole:on+", "algun": "quantifier:some", "allen": "quantifier:all", "aller": "quantifier:all", "alles": "quantifier:all", "ambas": "quantifier:both", "ambos": "quantifier:both", "annee": "unit:y", "antes": "tense", "apres": "pole:order-", "april": "month:4", "arent": "negation", "aucun": "negation", "avait": "past", "avant": "tense", "avoid": "negation", "avril": "month:4", "baixo": "pole:size-", "bazen": "quantifier:some", "beide": "quantifier:both", "bekar": "pole:married-", "bloss": "quantifier:only", "bugun": "day:today", "butun": "quantifier:all", "buyuk": "pole:size+", "carne": "pole:diet-", "chaud": "pole:heat+", "cinco": "number:5", "daima": "quantifier:all", "degil": "negation", "degre": "unit:deg", "didnt": "negation", "dokuz": "number:9", "dolar": "unit:usd", "douze": "number:12", "dozen": "number:12", "dusuk": "pole:size-", "duzia": "number:12", "eight": "number:8", "einem": "german", "einen": "german", "einer": "german", "einst": "tense", "enero": "month:1", "enjoy": "pole:like+", "erste": "number:1st", "etait": "past", "etkin": "pole:on+", "euros": "unit:eur", "every": "quantifier:all", "evita": "negation", "evite": "negation", "eylul": "month:9", "ferme": "pole:on-", "fewer": "quantifier:less", "fifth": "number:5th", "fifty": "number:50", "first": "number:1st", "forty": "number:40", "froid": "pole:heat-", "ganze": "quantifier:all", "gosta": "pole:like+", "grama": "unit:g", "gramm": "unit:g", "gramo": "unit:g", "grams": "unit:g", "grand": "pole:size+", "graus": "unit:deg", "gross": "pole:size+", "gusta": "pole:like+", "hadnt": "negation", "hafta": "unit:w", "halbe": "quantifier:half", "hasnt": "negation", "hasst": "pole:like-", "hasta": "until", "hates": "pole:like-", "hatte": "past", "hayir": "negation", "heiss": "pole:heat+", "hepsi": "quantifier:all", "heure": "unit:h", "heute": "day:today", "horas": "unit:h", "hours": "unit:h", "ikisi": "quantifier:both", "immer": "quantifier:all", "jadis": "tense", "jahre": "unit:y", "jamas": "negation", "jedem": "quantifier:all", "jeden": "quantifier:all", "jeder": "quantifier:all", "jedes": "quantifier:all", "jeudi": "day:th", "jours": "unit:d", "julho": "month:7", "julio": "month:7", "junho": "month:6", "junio": "month:6", "jusqu": "until", "kadar": "until", "kasim": "month:11", "keine": "negation", "kilos": "unit:kg", "klein": "pole:size-", "kucuk": "pole:size-", "lacks": "negation", "large": "pole:size+", "ledig": "pole:married-", "libra": "unit:lb", "liebe": "pole:like+", "liebt": "pole:like+", "liked": "pole:like+", "likes": "pole:like+", "linke": "pole:side+", "links": "pole:side+", "liter": "unit:l", "litre": "unit:l", "litro": "unit:l", "livre": "unit:lb", "loves": "pole:like+", "lundi": "day:mo", "lunes": "day:mo", "manha": "pole:day+", "march": "month:3", "marco": "month:3", "mardi": "day:tu", "marie": "pole:married+", "marzo": "month:3", "matin": "pole:day+", "mayis": "month:5", "meile": "unit:mi", "meist": "quantifier:most", "menos": "quantifier:less", "meses": "unit:mo", "meter": "unit:m", "metre": "unit:m", "metro": "unit:m", "miles": "unit:mi", "milha": "unit:mi", "milla": "unit:mi", "mille": "number:1000", "mitad": "quantifier:half", "mogen": "pole:like+", "monat": "unit:mo", "month": "unit:mo", "nadie": "negation", "namaz": "plain", "never": "negation", "nicht": "negation", "night": "pole:day-", "nisan": "month:4", "noche": "pole:day-", "noite": "pole:day-", "nueve": "number:9", "nuits": "pole:day-", "nunca": "negation", "odeia": "pole:like-", "odian": "pole:like-", "offen": "pole:on+", "often": "quantifier:most", "ontem": "day:yesterday", "ounce": "unit:oz", "parou": "tense", "pazar": "day:su", "petit": "pole:size-", "pfund": "unit:lb", "pieds": "unit:ft", "pocas": "quantifier:few", "pocos": "quantifier:few", "pound": "unit:lb", "quase": "quantifier:almost", "quilo": "unit:kg", "reais": "unit:brl", "right": "pole:side-", "sabah": "pole:day+", "sagda": "pole:side-", "sechs": "number:6", "seize": "number:16", "sekiz": "number:8", "seven": "number:7", "sever": "pole:like+", "sexta": "day:fr", "short": "pole:size-", "sicak": "pole:heat+", "siete": "number:7", "sifir": "number:0", "sixty": "number:60", "small": "pole:size-", "soguk": "pole:heat-", "soirs": "pole:day-", "solda": "pole:side+", "solia": "tense", "sonra": "pole:order-", "stets": "quantifier:all", "subat": "month:2", "suele": "quantifier:most", "tagen": "unit:d", "tarde": "pole:day-", "tenia": "past", "terca": "day:tu", "third": "number:3rd", "three": "number:3", "tinha": "past", "todas": "quantifier:all", "today": "day:today", "todos": "quantifier:all", "toute": "quantifier:all", "trece": "number:13", "treze": "number:13", "trois": "number:3", "until": "tense", "users": "user", "veces": "quantifier:some", "vegan": "pole:diet+", "vezes": "quantifier:some", "vingt": "number:20", "vinte": "number:20", "waren": "past", "wasnt": "negation", "watts": "unit:w", "weder": "negation", "weeks": "unit:w", "whole": "quantifier:all", "woche": "unit:w", "wurde": "past", "yarin": "day:tomorrow", "years": "unit:y", "yirmi": "number:20", "yuzde": "unit:%", "zwolf": "number:12", "abends": "pole:day-", "aberta": "pole:on+", "aberto": "pole:on+", "aceito": "pole:pass+", "active": "pole:on+", "adoram": "pole:like+", "adores": "pole:like+", "agosto": "month:8", "aiment": "pole:like+", "alguna": "quantifier:some", "alguns": "quantifier:some", "allume": "pole:on+", "almost": "quantifier:almost", "altmis": "number:60", "always": "quantifier:all", "amanha": "day:tomorrow", "ancien": "tense", "annees": "unit:y", "antiga": "tense", "antigo": "tense", "apenas": "quantifier:only", "aralik": "month:12", "arrete": "tense", "aucune": "negation", "august": "month:8", "avoids": "negation", "barely": "quantifier:few", "before": "pole:order+", "beiden": "quantifier:both", "birkac": "quantifier:some", "cannot": "negation", "casada": "pole:married+", "casado": "pole:married+", "ceased": "tense", "chaque": "quantifier:all", "chaude": "pole:heat+", "ciento": "number:100", "closed": "pole:on-", "cuarta": "number:4th", "cuarto": "number:4th", "cuatro": "number:4", "dakika": "unit:min", "damals": "tense", "degree": "unit:deg", "degres": "unit:deg", "demain": "day:tomorrow", "denied": "pole:pass-", "depois": "pole:order-", "derece": "unit:deg", "detest": "pole:like-", "docena": "number:12", "doesnt": "negation", "doksan": "number:90", "dollar": "unit:usd", "dritte": "number:3rd", "droite": "pole:side-", "echoue": "pole:pass-", "eighty": "number:80", "einige": "quantifier:some", "ekimde": "month:10", "eleven": "number:11", "enjoys": "pole:like+", "entire": "quantifier:all", "ersten": "number:1st", "erster": "number:1st", "erstes": "number:1st", "estaba": "past", "estava": "past", "eteint": "pole:on-", "failed": "pole:pass-", "fermee": "pole:on-", "fermes": "pole:on-", "former": "tense", "fourth": "number:4th", "friday": "day:fr", "froide": "pole:heat-", "fruher": "tense", "funfte": "number:5th", "gallon": "unit:gal", "ganzen": "quantifier:all", "gauche": "pole:side+", "gostam": "pole:like+", "grados": "unit:deg", "gramas": "unit:g", "gramme": "unit:g", "gramos": "unit:g", "grande": "pole:size+", "gustan": "pole:like+", "halfte": "quantifier:half", "hardly": "quantifier:few", "hatten": "past", "haufig": "quantifier:most", "havent": "negation", "heures": "unit:h", "ikinci": "number:2nd", "inches": "unit:in", "jahren": "unit:y", "jamais": "negation", "janner": "month:1", "januar": "month:1", "jeudis": "day:th", "jueves": "day:th", "jusque": "until", "kapali": "pole:on-", "keinem": "negation", "keinen": "negation", "keiner": "negation", "keines": "negation", "komedi": "plain", "libras": "unit:lb", "ligada": "pole:on+", "ligado": "pole:on+", "linken": "pole:side+", "linker": "pole:side+", "litern": "unit:l", "liters": "unit:l", "litres": "unit:l", "litros": "unit:l", "little": "pole:size-", "livres": "unit:lb", "loathe": "pole:like-", "lundis": "day:mo", "manana": "pole:day+", "manche": "quantifier:some", "manhas": "pole:day+", "mardis": "day:tu", "mariee": "pole:married+", "martes": "day:tu", "martta": "month:3", "matins": "pole:day+", "meidet": "negation", "meilen": "unit:mi", "menudo": "quantifier:most", "merely": "quantifier:only", "metade": "quantifier:half", "metern": "unit:m", "meters": "unit:m", "metres": "unit:m", "metros": "unit:m", "milhao": "number:1000000", "milhas": "unit:mi", "millas": "unit:mi", "millon": "number:1000000", "milyon": "number:1000000", "minute": "unit:min", "minuto": "unit:min", "moitie": "quantifier:half", "monate": "unit:mo", "monday": "day:mo", "montag": "day:mo", "months": "unit:mo", "mostly": "quantifier:most", "nachts": "pole:day-", "nearly": "quantifier:almost", "nefret": "pole:like-", "nenhum": "negation", "nichts": "negation", "nights": "pole:day-", "ninety": "number:90", "ningun": "negation", "nobody": "negation", "noches": "pole:day-", "noites": "pole:day-", "nutzer": "user", "ocakta": "month:1", "odeiam": "pole:like-", "opened": "pole:on+", "ounces": "unit:oz", "ouvert": "pole:on+", "passed": "pole:pass+", "petite": "pole:size-", "poucas": "quantifier:few", "pouces": "unit:in", "poucos": "quantifier:few", "pounds": "unit:lb", "quarta": "day:we", "quatre": "number:4", "quatro": "number:4", "quente": "pole:heat+", "quilos": "unit:kg", "quince": "number:15", "quinta": "number:5th", "quinto": "number:5th", "quinze": "number:15", "rarely": "quantifier:few", "rechte": "pole:side-", "rechts": "pole:side-", "refuse": "negation", "reussi": "pole:pass+", "sabado": "day:sa", "sadece": "quantifier:only", "samedi": "day:sa", "saniye": "unit:s", "santim": "unit:cm", "second": "number:2nd", "seksen": "number:80", "seldom": "quantifier:few", "selten": "quantifier:few", "semana": "unit:w", "sempre": "quantifier:all", "sieben": "number:7", "solely": "quantifier:only", "solian": "tense", "stunde": "unit:h", "sunday": "day:su", "tardes": "pole:day-", "temmuz": "month:7", "tenian": "past", "thirty": "number:30", "tinham": "past", "toutes": "quantifier:all", "treize": "number:13", "trente": "number:30", "trinta": "number:30", "twelve": "number:12", "twenty": "number:20", "ucuncu": "number:3rd", "utente": "user", "varios": "quantifier:some", "vegana": "pole:diet+", "vegano": "pole:diet+", "veinte": "number:20", "viande": "pole:diet-", "vierte": "number:4th", "vorher": "pole:order+", "wenige": "quantifier:few", "werden": "german", "werent": "negation", "wochen": "unit:w", "yalniz": "quantifier:only", "yarisi": "quantifier:half", "yetmis": "number:70", "yuksek": "pole:size+", "zweite": "number:2nd", "без": "negation", "был": "past", "все": "quantifier:all", "год": "unit:y", "два": "number:2", "две": "number:2", "дня": "unit:d", "лет": "unit:y", "мае": "month:5", "маи": "month:5", "мая": "month:5", "нет": "negation", "оба": "quantifier:both", "обе": "quantifier:both", "руб": "unit:rub", "сто": "number:100", "три": "number:3", "фут": "unit:ft", "час": "unit:h", "احب": "pole:like+", "اقل": "quantifier:less", "الا": "quantifier:only", "الف": "number:1000", "امس": "day:yesterday", "بعد": "pole:order-", "بعض": "quantifier:some", "بلا": "negation", "تحب": "pole:like+", "تسع": "number:9", "حتى": "until", "خمس": "number:5", "دون": "negation", "رطل": "unit:lb", "سبع": "number:7", "ستة": "number:6", "سنة": "unit:y", "شهر": "unit:mo", "صفر": "number:0", "عام": "unit:y", "عشر": "number:10", "غدا": "day:tomorrow", "غير": "negation", "فقط": "quantifier:only", "قبل": "pole:order+", "قدم": "unit:ft", "كان": "past", "كجم": "unit:kg", "كلا": "quantifier:both", "كنت": "past", "لتر": "unit:l", "لحم": "pole:diet-", "لست": "negation", "ليس": "negation", "متر": "unit:m", "مية": "number:100", "ميل": "unit:mi", "نصف": "quantifier:half", "يحب": "pole:like+", "يوم": "unit:d", "いた": "past", "か月": "unit:mo", "しか": "plain", "だけ": "quantifier:only", "ない": "negation", "なく": "negation", "のみ": "quantifier:only", "ほぼ": "quantifier:almost", "まで": "until", "よく": "quantifier:most", "オフ": "pole:on-", "オン": "pole:on+", "キロ": "unit:kg", "ドル": "unit:usd", "ミリ": "unit:mm", "ヶ月": "unit:mo", "一つ": "number:1", "一个": "plain", "一些": "quantifier:some", "一人": "number:1", "一位": "plain", "一個": "plain", "一切": "quantifier:all", "一半": "quantifier:half", "一只": "plain", "一名": "plain", "一定": "plain", "一月": "month:1", "一本": "plain", "一样": "plain", "一直": "plain", "一种": "plain", "一種": "plain", "一般": "plain", "一起": "plain", "一部": "quantifier:some", "一隻": "plain", "七つ": "number:7", "七个": "number:7", "七人": "number:7", "七個": "number:7", "七十": "number:70", "七月": "month:7", "万一": "plain", "三つ": "number:3", "三个": "number:3", "三人": "number:3", "三個": "number:3", "三十": "number:30", "三只": "number:3", "三名": "number:3", "三月": "month:3", "上午": "pole:day+", "不久": "plain", "不仅": "plain", "不会": "negation", "不但": "plain", "不僅": "plain", "不再": "negation", "不同": "plain", "不断": "plain", "不斷": "plain", "不會": "negation", "不能": "negation", "不过": "plain", "不過": "plain", "不錯": "plain", "不错": "plain", "両方": "quantifier:both", "两个": "number:2", "两者": "quantifier:both", "个月": "unit:mo", "之前": "tense", "之后": "pole:order-", "九つ": "number:9", "九个": "number:9", "九人": "number:9", "九個": "number:9", "九十": "number:90", "九月": "month:9", "二つ": "number:2", "二人": "number:2", "二十": "number:20", "二月": "month:2", "五つ": "number:5", "五个": "number:5", "五人": "number:5", "五個": "number:5", "五十": "number:50", "五只": "number:5", "五名": "number:5", "五月": "month:5", "京都": "plain", "仅仅": "quantifier:only", "今天": "day:today", "今日": "day:today", "从不": "negation", "从未": "negation", "以上": "quantifier:more", "以下": "quantifier:less", "以前": "tense", "以后": "pole:order-", "优点": "plain", "低い": "pole:size-", "個月": "unit:mo", "偶尔": "quantifier:some", "偶爾": "quantifier:some", "元夫": "tense", "元妻": "tense", "元彼": "tense", "全て": "quantifier:all", "全部": "quantifier:all", "兩個": "number:2", "八つ": "number:8", "八个": "number:8", "八人": "number:8", "八個": "number:8", "八十": "number:80", "八月": "month:8", "公斤": "unit:kg", "公里": "unit:km", "六つ": "number:6", "六个": "number:6", "六人": "number:6", "六個": "number:6", "六十": "number:60", "六名": "number:6", "六月": "month:6", "关着": "pole:on-", "关闭": "pole:on-", "几乎": "quantifier:almost", "分享": "plain", "分别": "plain", "分析": "plain", "分鐘": "unit:min", "分钟": "unit:min", "分間": "unit:min", "别人": "plain", "别墅": "plain", "前に": "pole:order+", "前任": "tense", "前夫": "tense", "前妻": "tense", "区别": "plain", "十一": "number:11", "十七": "number:17", "十三": "number:13", "十个": "number:10", "十九": "number:19", "十二": "number:12", "十五": "number:15", "十人": "number:10", "十八": "number:18", "十六": "number:16", "十分": "plain", "十四": "number:14", "十月": "month:10", "千克": "unit:kg", "千米": "unit:km", "午前": "pole:day+", "半分": "quantifier:half", "单身": "pole:married-", "却下": "pole:pass-", "厌恶": "pole:like-", "厘米": "unit:cm", "原先": "tense", "只在": "quantifier:only", "只有": "quantifier:only", "右侧": "pole:side-", "右手": "pole:side-", "右边": "pole:side-", "吃素": "pole:diet+", "合格": "pole:pass+", "启用": "pole:on+", "周一": "day:mo", "周三": "day:we", "周二": "day:tu", "周五": "day:fr", "周六": "day:sa", "周四": "day:th", "周日": "day:su", "喜欢": "pole:like+", "喜歡": "pole:like+", "四つ": "number:4", "四个": "number:4", "四人": "number:4", "四個": "number:4", "四十": "number:40", "四只": "number:4", "四名": "number:4", "四月": "month:4", "土曜": "day:sa", "地点": "plain", "多く": "quantifier:most", "多数": "quantifier:most", "夜型": "pole:day-", "夜晚": "pole:day-", "夜里": "pole:day-", "大抵": "quantifier:most", "失败": "pole:pass-", "好き": "pole:like+", "好む": "pole:like+", "始终": "quantifier:all", "嫌い": "pole:like-", "寒い": "pole:heat-", "小时": "unit:h", "小時": "unit:h", "少于": "quantifier:less", "少数": "quantifier:few", "左侧": "pole:side+", "左手": "pole:side+", "左边": "pole:side+", "已婚": "pole:married+", "常に": "quantifier:all", "年轻": "plain", "年龄": "plain", "开启": "pole:on+", "开着": "pole:on+", "很少": "quantifier:few", "後に": "pole:order-", "從不": "negation", "從未": "negation", "性别": "plain", "总是": "quantifier:all", "成都": "plain", "戒了": "tense", "所有": "quantifier:all", "打开": "pole:on+", "承認": "pole:pass+", "无线": "plain", "既婚": "pole:married+", "日元": "unit:jpy", "日常": "plain", "日曜": "day:su", "日本": "plain", "日程": "plain", "日記": "plain", "日语": "plain", "日間": "unit:d", "早上": "pole:day+", "早晨": "pole:day+", "明天": "day:tomorrow", "明日": "day:tomorrow", "星期": "unit:w", "昨天": "day:yesterday", "昨日": "day:yesterday", "時々": "quantifier:some", "時間": "unit:h", "晚上": "pole:day-", "暑い": "pole:heat+", "更多": "quantifier:more", "更少": "quantifier:less", "曾經": "tense", "曾经": "tense", "月光": "plain", "月曜": "day:mo", "有些": "quantifier:some", "有効": "pole:on+", "有时": "quantifier:some", "有時": "quantifier:some", "有的": "quantifier:some", "朝型": "pole:day+", "木曜": "day:th", "未來": "plain", "未婚": "plain", "未来": "plain", "未満": "quantifier:less", "极少": "quantifier:few", "欧元": "unit:eur", "歐元": "unit:eur", "毎年": "quantifier:all", "毎日": "quantifier:all", "毎月": "quantifier:all", "毎週": "quantifier:all", "每个": "quantifier:all", "每天": "quantifier:all", "毫克": "unit:mg", "毫升": "unit:ml", "毫米": "unit:mm", "水曜": "day:we", "沒有": "negation", "没有": "negation", "火曜": "day:tu", "無い": "negation", "無効": "pole:on-", "無料": "plain", "無線": "plain", "熱い": "pole:heat+", "特別": "plain", "特别": "plain", "特点": "plain", "独身": "pole:married-", "用戶": "user", "用户": "user", "百万": "number:1000000", "直到": "tense", "禁用": "pole:on-", "离婚": "pole:married-", "秒钟": "unit:s", "第一": "number:1st", "第三": "number:3rd", "第二": "number:2nd", "第五": "number:5th", "第四": "number:4th", "类别": "plain", "素食": "pole:diet+", "經常": "quantifier:most", "總是": "quantifier:all", "级别": "plain", "经常": "quantifier:most", "结婚": "pole:married+", "缺点": "plain", "美元": "unit:usd", "英寸": "unit:in", "英尺": "unit:ft", "英里": "unit:mi", "英镑": "unit:gbp", "观点": "plain", "討厭": "pole:like-", "讨厌": "pole:like-", "超过": "quantifier:more", "过去": "tense", "通常": "quantifier:most", "通过": "pole:pass+", "週一": "day:mo", "週間": "unit:w", "過去": "tense", "部分": "quantifier:some", "都会": "plain", "都市": "plain", "重点": "plain", "金曜": "day:fr", "開啟": "pole:on+", "關閉": "pole:on-", "除非": "plain", "離婚": "pole:married-", "非常": "plain", "非洲": "plain", "首都": "plain", "高い": "pole:size+", "abertas": "pole:on+", "abertos": "pole:on+", "abierta": "pole:on+", "abierto": "pole:on+", "accepte": "pole:pass+", "achtzig": "number:80", "activee": "pole:on+", "actives": "pole:on+", "adorent": "pole:like+", "agustos": "month:8", "algumas": "quantifier:some", "algunas": "quantifier:some", "algunos": "quantifier:some", "anciens": "tense", "antigua": "tense", "antiguo": "tense", "anymore": "tense", "apagado": "pole:on-", "ativada": "pole:on+", "ativado": "pole:on+", "aujourd": "day:today", "avaient": "past", "besinci": "number:5th", "birakti": "tense", "birinci": "number:1st", "catorce": "number:14", "catorze": "number:14", "celsius": "unit:c", "cerrada": "pole:on-", "cerrado": "pole:on-", "certain": "quantifier:some", "couldnt": "negation", "degrees": "unit:deg", "derecha": "pole:side-", "derecho": "pole:side-", "despise": "pole:like-", "despues": "pole:order-", "detesta": "pole:like-", "deteste": "pole:like-", "detests": "pole:like-", "dezoito": "number:18", "direita": "pole:side-", "direito": "pole:side-", "dislike": "pole:like-", "divorce": "pole:married-", "dolares": "unit:usd", "dollars": "unit:usd", "domingo": "day:su", "dritten": "number:3rd", "dritter": "number:3rd", "drittes": "number:3rd", "dutzend": "number:12", "ehemals": "tense", "einigen": "quantifier:some", "enabled": "pole:on+", "encanta": "pole:like+", "eskiden": "tense", "estaban": "past", "estavam": "past", "etaient": "past", "evening": "pole:day-", "eylulde": "month:9", "febrero": "month:2", "februar": "month:2", "fechada": "pole:on-", "fechado": "pole:on-", "fermees": "pole:on-", "fevrier": "month:2", "fifteen": "number:15", "fleisch": "pole:diet-", "franken": "unit:chf", "freitag": "day:fr", "fridays": "day:fr", "fruhere": "tense", "funften": "number:5th", "funfzig": "number:50", "gallons": "unit:gal", "gestern": "day:yesterday", "grammes": "unit:g", "haziran": "month:6", "hundert": "number:100", "hundred": "number:100", "inaktiv": "pole:on-", "janeiro": "month:1", "january": "month:1", "janvier": "month:1", "juillet": "month:7", "kasimda": "month:11", "lacking": "negation", "loathes": "pole:like-", "maioria": "quantifier:most", "mananas": "pole:day+", "manchen": "quantifier:some", "mancher": "quantifier:some", "married": "pole:married+", "matinal": "pole:day+", "mayista": "month:5", "mayoria": "quantifier:most", "meisten": "quantifier:most", "milhoes": "number:1000000", "million": "number:1000000", "minuten": "unit:min", "minutes": "unit:min", "minutos": "unit:min", "monaten": "unit:mo", "mondays": "day:mo", "montags": "day:mo", "morgens": "pole:day+", "morning": "pole:day+", "nachher": "pole:order-", "nadiren": "quantifier:few", "neither": "negation", "nenhuma": "negation", "neunzig": "number:90", "niedrig": "pole:size-", "niemals": "negation", "niemand": "negation", "ninguem": "negation", "ninguna": "negation", "ninguno": "negation", "nisanda": "month:4", "nothing": "negation", "noventa": "number:90", "nowhere": "negation", "nutzers": "user", "ochenta": "number:80", "october": "month:10", "octobre": "month:10", "octubre": "month:10", "oitenta": "number:80", "oktober": "month:10", "onceden": "tense", "outrora": "tense", "outubro": "month:10", "ouverte": "pole:on+", "ouverts": "pole:on+", "parfois": "quantifier:some", "percent": "unit:%", "plupart": "quantifier:most", "premier": "number:1st", "presque": "quantifier:almost", "primera": "number:1st", "primero": "number:1st", "prozent": "unit:%", "rechten": "pole:side-", "rechter": "pole:side-", "refuses": "negation", "sabados": "day:sa", "samedis": "day:sa", "samstag": "day:sa", "sechzig": "number:60", "seconde": "unit:s", "seconds": "unit:s", "segunda": "number:2nd", "segundo": "number:2nd", "sekunde": "unit:s", "semaine": "unit:w", "semanas": "unit:w", "sesenta": "number:60", "setenta": "number:70", "seventy": "number:70", "several": "quantifier:some", "seviyor": "pole:like+", "siebzig": "number:70", "siempre": "quantifier:all", "sixteen": "number:16", "soltera": "pole:married-", "soltero": "pole:married-", "somente": "quantifier:only", "sonntag": "day:su", "souvent": "quantifier:most", "stopped": "tense", "stunden": "unit:h", "subatta": "month:2", "sundays": "day:su", "tampoco": "negation", "tausend": "number:1000", "tercera": "number:3rd", "tercero": "number:3rd", "treinta": "number:30", "tuesday": "day:tu", "usually": "quantifier:most", "usuaria": "user", "usuario": "user", "veganer": "pole:diet+", "viernes": "day:fr", "vierten": "number:4th", "vierzig": "number:40", "vormals": "tense", "wenigen": "quantifier:few", "weniger": "quantifier:less", "without": "negation", "wouldnt": "negation", "yasinda": "unit:y", "zwanzig": "number:20", "zweiten": "number:2nd", "zweiter": "number:2nd", "zweites": "number:2nd", "abiertas": "pole:on+", "abiertos": "pole:on+", "accepted": "pole:pass+", "aceptado": "pole:pass+", "achtzehn": "number:18", "activada": "pole:on+", "activado": "pole:on+", "activees": "pole:on+", "aksamlar": "pole:day-", "ancienne": "tense", "anwender": "user", "apprecie": "pole:like+", "approved": "pole:pass+", "aprobado": "pole:pass+", "aprovado": "pole:pass+", "aralikta": "month:12", "ativadas": "pole:on+", "ativados": "pole:on+", "avoiding": "negation", "benutzer": "user", "bosanmis": "pole:married-", "caliente": "pole:heat+", "calorias": "unit:kcal", "calories": "unit:kcal", "carsamba": "day:we", "cerradas": "pole:on-", "cerrados": "pole:on-", "certains": "quantifier:some", "cuarenta": "number:40", "december": "month:12", "decembre": "month:12", "declined": "pole:pass-", "despises": "pole:like-", "detestan": "pole:like-", "deuxieme": "number:2nd", "dezember": "month:12", "dezembro": "month:12", "dezenove": "number:19", "dienstag": "day:tu", "dimanche": "day:su", "disabled": "pole:on-", "dislikes": "pole:like-", "divorced": "pole:married-", "divorcee": "pole:married-", "domingos": "day:su", "dorduncu": "number:4th", "douzaine": "number:12", "dreissig": "number:30", "dreizehn": "number:13", "eighteen": "number:18", "encantan": "pole:like+", "esquerda": "pole:side+", "esquerdo": "pole:side+", "evenings": "pole:day-", "everyone": "quantifier:all", "february": "month:2", "fechadas": "pole:on-", "fechados": "pole:on-", "formerly": "tense", "fourteen": "number:14", "freitags": "day:fr", "fruheren": "tense", "fruherer": "tense", "funfzehn": "number:15", "geceleri": "pole:day-", "geoffnet": "pole:on+", "inactive": "pole:on-", "kalorien": "unit:kcal", "kilogram": "unit:kg", "majority": "quantifier:most", "manchmal": "quantifier:some", "matutino": "pole:day+", "meistens": "quantifier:most", "mercredi": "day:we", "millions": "number:1000000", "millones": "number:1000000", "mittwoch": "day:we", "mornings": "pole:day+", "neunzehn": "number:19", "nineteen": "number:19", "nirgends": "negation", "november": "month:11", "novembre": "month:11", "novembro": "month:11", "nutzerin": "user", "ouvertes": "pole:on+", "persembe": "day:th", "personne": "negation", "porcento": "unit:%", "pourcent": "unit:%", "premiere": "number:1st", "primeira": "number:1st", "primeiro": "number:1st", "pulgadas": "unit:in", "quarante": "number:40", "quarenta": "number:40", "quatorze": "number:14", "quelques": "quantifier:some", "rarement": "quantifier:few", "recusado": "pole:pass-", "rejected": "pole:pass-", "sabahlar": "pole:day+", "samstags": "day:sa", "saturday": "day:sa", "sechzehn": "number:16", "secondes": "unit:s", "segundos": "unit:s", "sekunden": "unit:s", "semaines": "unit:w", "sessenta": "number:60", "setembro": "month:9", "shouldnt": "negation", "siebzehn": "number:17", "soixante": "number:60", "solteira": "pole:married-", "solteiro": "pole:married-", "sonntags": "day:su", "temmuzda": "month:7", "terceira": "number:3rd", "terceiro": "number:3rd", "thirteen": "number:13", "thousand": "number:1000", "thursday": "day:th", "tomorrow": "day:tomorrow", "toujours": "quantifier:all", "tuesdays": "day:tu", "vendredi": "day:fr", "vierzehn": "number:14", "yalnizca": "quantifier:only", "была": "past", "были": "past", "было": "past", "всем": "quantifier:all", "всех": "quantifier:all", "года": "unit:y", "двух": "number:2", "день": "unit:d", "днеи": "unit:d", "дюим": "unit:in", "евро": "unit:eur", "июле": "month:7", "июль": "month:7", "июля": "month:7", "июне": "month:6", "июнь": "month:6", "июня": "month:6", "ккал": "unit:kcal", "литр": "unit:l", "лишь": "quantifier:only", "мало": "quantifier:few", "март": "month:3", "метр": "unit:m", "мили": "unit:mi", "миль": "unit:mi", "миля": "unit:mi", "мяса": "pole:diet-", "мясо": "pole:diet-", "ноль": "number:0", "один": "number:1", "одна": "number:1", "одно": "number:1", "пяти": "number:5", "пять": "number:5", "семи": "number:7", "семь": "number:7", "трех": "number:3", "утра": "pole:day+", "утро": "pole:day+", "фунт": "unit:lb", "фута": "unit:ft", "часа": "unit:h", "ابدا": "negation", "اربع": "number:4", "اشهر": "unit:mo", "اعزب": "pole:married-", "اغلب": "quantifier:most", "اكثر": "quantifier:more", "اكره": "pole:like-", "الاف": "number:1000", "ايام": "unit:d", "بارد": "pole:heat-", "بدون": "negation", "بضعة": "quantifier:some", "بوصة": "unit:in", "تسعة": "number:9", "تكره": "pole:like-", "توقف": "tense", "ثلاث": "number:3", "ثمان": "number:8", "ثوان": "unit:s", "جرام": "unit:g", "جميع": "quantifier:all", "خمسة": "number:5", "درجة": "unit:deg", "درهم": "unit:aed", "ريال": "unit:sar", "سابق": "tense", "ساخن": "pole:heat+", "ساعة": "unit:h", "سبعة": "number:7", "ستون": "number:60", "ستين": "number:60", "شهور": "unit:mo", "صغير": "pole:size-", "عادة": "quantifier:most", "عاما": "unit:y", "عشرة": "number:10", "غرام": "unit:g", "قليل": "quantifier:few", "كافة": "quantifier:all", "كانت": "past", "كبير": "pole:size+", "كيلو": "unit:kg", "لحوم": "pole:diet-", "ليرة": "unit:try", "ليست": "negation", "ليلا": "pole:day-", "مارس": "month:3", "ماية": "number:100", "مايو": "month:5", "مترا": "unit:m", "مساء": "pole:day-", "مطلق": "pole:married-", "معطل": "pole:on-", "معظم": "quantifier:most", "مغلق": "pole:on-", "مفعل": "pole:on+", "ميلا": "unit:mi", "واحد": "number:1", "يسار": "pole:side+", "يعشق": "pole:like+", "يكره": "pole:like-", "يمين": "pole:side-", "يوان": "unit:cny", "يورو": "unit:eur", "يوما": "unit:d", "abgelehnt": "pole:pass-", "activadas": "pole:on+", "activados": "pole:on+", "activated": "pole:on+", "agustosta": "month:8", "aksamlari": "pole:day-", "aktiviert": "pole:on+", "anciennes": "tense", "autrefois": "tense", "benutzers": "user", "bestanden": "pole:pass+", "certaines": "quantifier:some", "cincuenta": "number:50", "cinquante": "number:50", "cinquenta": "number:50", "cinquieme": "number:5th", "costumava": "tense", "cumartesi": "day:sa", "desactive": "pole:on-", "desligada": "pole:on-", "desligado": "pole:on-", "detestent": "pole:like-", "dezesseis": "number:16", "dezessete": "number:17", "diciembre": "month:12", "dieciocho": "number:18", "dieciseis": "number:16", "dienstags": "day:tu", "dimanches": "day:su", "ehemalige": "tense", "encendido": "pole:on+", "everybody": "quantifier:all", "fevereiro": "month:2", "generally": "quantifier:most", "haziranda": "month:6", "izquierda": "pole:side+", "izquierdo": "pole:side+", "kilogramm": "unit:kg", "kilogramo": "unit:kg", "kilograms": "unit:kg", "kilometer": "unit:km", "kilometre": "unit:km", "kilometro": "unit:km", "kullanici": "user", "lediglich": "quantifier:only", "mercredis": "day:we", "miercoles": "day:we", "millionen": "number:1000000", "mittwochs": "day:we", "nachteule": "pole:day-", "neredeyse": "quantifier:almost", "noviembre": "month:11", "pazartesi": "day:mo", "plusieurs": "quantifier:some", "polegadas": "unit:in", "quatrieme": "number:4th", "raramente": "quantifier:few", "rechazado": "pole:pass-", "reprovado": "pole:pass-", "sabahlari": "pole:day+", "samtliche": "quantifier:all", "saturdays": "day:sa", "september": "month:9", "septembre": "month:9", "seulement": "quantifier:only", "seventeen": "number:17", "seviyorum": "pole:like+", "solamente": "quantifier:only", "sometimes": "quantifier:some", "sonnabend": "day:sa", "succeeded": "pole:pass+", "thursdays": "day:th", "troisieme": "number:3rd", "unmarried": "pole:married-", "veganerin": "pole:diet+", "vendredis": "day:fr", "vermeidet": "negation", "wednesday": "day:we", "yesterday": "day:yesterday", "あった": "past", "いつも": "quantifier:all", "かつて": "tense", "すべて": "quantifier:all", "たまに": "quantifier:some", "だった": "past", "でした": "past", "なくて": "negation", "ひとつ": "number:1", "ふたつ": "number:2", "ました": "past", "ません": "negation", "みんな": "quantifier:all", "もっと": "quantifier:more", "やめた": "tense", "インチ": "unit:in", "グラム": "unit:g", "センチ": "unit:cm", "ポンド": "unit:lb", "マイル": "unit:mi", "ユーロ": "unit:eur", "三明治": "plain", "不動産": "plain", "不合格": "pole:pass-", "不得不": "plain", "不锈钢": "plain", "东京都": "plain", "之前先": "pole:order+", "人民币": "unit:cny", "使用者": "user", "元上司": "tense", "冷たい": "pole:heat-", "利用者": "user", "十一月": "month:11", "十二月": "month:12", "危ない": "plain", "土曜日": "day:sa", "大きい": "pole:size+", "大多数": "quantifier:most", "大好き": "pole:like+", "大嫌い": "pole:like-", "大部分": "quantifier:most", "对不起": "plain", "小さい": "pole:size-", "小时候": "plain", "少ない": "quantifier:few", "差不多": "plain", "已关闭": "pole:on-", "已开启": "pole:on+", "无人机": "plain", "日曜日": "day:su", "日本語": "plain", "星期一": "day:mo", "星期三": "day:we", "星期二": "day:tu", "星期五": "day:fr", "星期六": "day:sa", "星期四": "day:th", "星期天": "day:su", "星期日": "day:su", "月曜日": "day:mo", "有时候": "quantifier:some", "木曜日": "day:th", "東京都": "plain", "水曜日": "day:we", "没关系": "plain", "滅多に": "quantifier:few", "火曜日": "day:tu", "素食者": "pole:diet+", "讨厌不": "negation", "金曜日": "day:fr", "閉じて": "pole:on-", "開いて": "pole:on+", "angenommen": "pole:pass+", "anwenderin": "user", "auparavant": "tense", "benutzerin": "user", "centimeter": "unit:cm", "centimetre": "unit:cm", "centimetro": "unit:cm", "cogunlukla": "quantifier:most", "costumavam": "tense", "desactivee": "pole:on-", "desactives": "pole:on-", "desativada": "pole:on-", "desativado": "pole:on-", "diecinueve": "number:19", "diecisiete": "number:17", "divorciada": "pole:married-", "divorciado": "pole:married-", "donnerstag": "day:th", "ehemaligen": "tense", "ehemaliger": "tense", "ehemaliges": "tense", "everything": "quantifier:all", "fahrenheit": "unit:f", "genellikle": "quantifier:most", "geralmente": "quantifier:most", "geschieden": "pole:married-", "gewohnlich": "quantifier:most", "hoslaniyor": "pole:like+", "kilogramme": "unit:kg", "kilogramos": "unit:kg", "kilometern": "unit:km", "kilometers": "unit:km", "kilometres": "unit:km", "kilometros": "unit:km", "previously": "tense", "quilometro": "unit:km", "santimetre": "unit:cm", "septiembre": "month:9", "suspendido": "pole:pass-", "unicamente": "quantifier:only", "uniquement": "quantifier:only", "vegetarian": "pole:diet+", "vegetarien": "pole:diet+", "vegetarier": "pole:diet+", "vejetaryen": "pole:diet+", "vormittags": "pole:day+", "wednesdays": "day:we", "zentimeter": "unit:cm", "более": "quantifier:more", "веган": "pole:diet+", "вечер": "pole:day-", "вчера": "day:yesterday", "грамм": "unit:g", "женат": "pole:married+", "левая": "pole:side+", "левую": "pole:side+", "левыи": "pole:side+", "литра": "unit:l", "любит": "pole:like+", "любят": "pole:like+", "марта": "month:3", "марте": "month:3", "менее": "quantifier:less", "месяц": "unit:mo", "метра": "unit:m", "минут": "unit:min", "нигде": "negation", "никто": "negation", "ночью": "pole:day-", "перед": "pole:order+", "порои": "quantifier:some", "после": "pole:order-", "почти": "quantifier:almost", "пятыи": "number:5th", "ранее": "tense", "редко": "quantifier:few", "рубль": "unit:rub", "рубля": "unit:rub", "слева": "pole:side+", "сорок": "number:40", "среда": "day:we", "среду": "day:we", "тысяч": "number:1000", "утрам": "pole:day+", "утром": "pole:day+", "фунта": "unit:lb", "футов": "unit:ft", "часов": "unit:h", "часто": "quantifier:most", "шести": "number:6", "шесть": "number:6", "ابريل": "month:4", "اثنان": "number:2", "اثنين": "number:2", "اربعة": "number:4", "اسبوع": "unit:w", "اعوام": "unit:y", "اغسطس": "month:8", "الاحد": "day:su", "الاول": "number:1st", "السبت": "day:sa", "اللحم": "pole:diet-", "الليل": "pole:day-", "اليوم": "day:today", "امتار": "unit:m", "اميال": "unit:mi", "باردة": "pole:heat-", "تسعون": "number:90", "ثانية": "unit:s", "ثلاثة": "number:3", "ثماني": "number:8", "خمسون": "number:50", "خمسين": "number:50", "دايما": "quantifier:all", "درجات": "unit:deg", "درهما": "unit:aed", "دقايق": "unit:min", "دقيقة": "unit:min", "دولار": "unit:usd", "ريالا": "unit:sar", "سابقا": "tense", "ساخنة": "pole:heat+", "ساعات": "unit:h", "سبعون": "number:70", "سنوات": "unit:y", "صباحا": "pole:day+", "عزباء": "pole:married-", "عشرون": "number:20", "عشرين": "number:20", "غالبا": "quantifier:most", "قليلا": "quantifier:few", "كانوا": "past", "ليسوا": "negation", "متزوج": "pole:married+", "مطلقة": "pole:married-", "معطلة": "pole:on-", "مغلقة": "pole:on-", "مفتوح": "pole:on+", "مفعلة": "pole:on+", "مليون": "number:1000000", "نادرا": "quantifier:few", "نباتي": "pole:diet+", "واحدة": "number:1", "يتجنب": "negation", "يناير": "month:1", "يوليو": "month:7", "يونيو": "month:6", "celibataire": "pole:married-", "centimeters": "unit:cm", "centimetres": "unit:cm", "centimetros": "unit:cm", "deactivated": "pole:on-", "deaktiviert": "pole:on-", "desactivada": "pole:on-", "desactivado": "pole:on-", "desactivees": "pole:on-", "desativadas": "pole:on-", "desativados": "pole:on-", "donnerstags": "day:th", "exclusively": "quantifier:only", "geschlossen": "pole:on-", "kilogrammes": "unit:kg", "millisecond": "unit:ms", "quelquefois": "quantifier:some", "quilometros": "unit:km", "utilisateur": "user", "vegetaliane": "pole:diet+", "vegetariana": "pole:diet+", "vegetariano": "pole:diet+", "verabscheut": "pole:like-", "verheiratet": "pole:married+", "antiguamente": "tense", "desactivadas": "pole:on-", "desactivados": "pole:on-", "gelegentlich": "quantifier:some", "generalement": "quantifier:most", "generalmente": "quantifier:most", "kullanicinin": "user", "milliseconds": "unit:ms", "occasionally": "quantifier:some", "utilisatrice": "user", "vegetarienne": "pole:diet+", "vegetarierin": "pole:diet+", "август": "month:8", "апреле": "month:4", "апрель": "month:4", "апреля": "month:4", "больше": "quantifier:more", "бросил": "tense", "бывшая": "tense", "бывшеи": "tense", "бывшие": "tense", "бывшии": "tense", "бывшую": "tense", "вечера": "pole:day-", "восемь": "number:8", "восьми": "number:8", "всегда": "quantifier:all", "вторая": "number:2nd", "второе": "number:2nd", "второи": "number:2nd", "градус": "unit:deg", "грамма": "unit:g", "девяти": "number:9", "девять": "number:9", "десяти": "number:10", "десять": "number:10", "доллар": "unit:usd", "дюжина": "number:12", "дюимов": "unit:in", "завтра": "day:tomorrow", "закрыт": "pole:on-", "иногда": "quantifier:some", "каждая": "quantifier:all", "каждое": "quantifier:all", "каждую": "quantifier:all", "каждые": "quantifier:all", "каждыи": "quantifier:all", "литров": "unit:l", "меньше": "quantifier:less", "месяца": "unit:mo", "метров": "unit:m", "минута": "unit:min", "минуты": "unit:min", "налево": "pole:side+", "недели": "unit:w", "недель": "unit:w", "неделя": "unit:w", "нельзя": "negation", "низкии": "pole:size-", "никого": "negation", "ничего": "negation", "ноябре": "month:11", "ноябрь": "month:11", "ноября": "month:11", "обычно": "quantifier:most", "открыт": "pole:on+", "первая": "number:1st", "первое": "number:1st", "первыи": "number:1st", "правая": "pole:side-", "правую": "pole:side-", "правыи": "pole:side-", "прежде": "tense", "принят": "pole:pass+", "раньше": "tense", "рублеи": "unit:rub", "секунд": "unit:s", "справа": "pole:side-", "средам": "day:we", "только": "quantifier:only", "третии": "number:3rd", "третье": "number:3rd", "третья": "number:3rd", "тысяча": "number:1000", "тысячи": "number:1000", "фунтов": "unit:lb", "холост": "pole:married-", "четыре": "number:4", "январе": "month:1", "январь": "month:1", "января": "month:1", "اثنتان": "number:2", "اثنتين": "number:2", "احيانا": "quantifier:some", "اربعون": "number:40", "اربعين": "number:40", "اسابيع": "unit:w", "اكتوبر": "month:10", "الاولى": "number:1st", "الثالث": "number:3rd", "الثاني": "number:2nd", "الجمعة": "day:fr", "الخميس": "day:th", "السابق": "tense", "الصباح": "pole:day+", "المساء": "pole:day-", "اليسرى": "pole:side+", "اليمنى": "pole:side-", "تقريبا": "quantifier:almost", "ثلاثون": "number:30", "ثلاثين": "number:30", "ثمانون": "number:80", "ثمانية": "number:8", "دولارا": "unit:usd", "ديسمبر": "month:12", "سبتمبر": "month:9", "فبراير": "month:2", "كلاهما": "quantifier:both", "لايوجد": "negation", "متزوجة": "pole:married+", "مفتوحة": "pole:on+", "نباتية": "pole:diet+", "نوفمبر": "month:11", "いくつか": "quantifier:some", "たいてい": "quantifier:most", "ときどき": "quantifier:some", "なかった": "negation", "ほとんど": "quantifier:most", "めったに": "quantifier:few", "フィート": "unit:ft", "メートル": "unit:m", "ユーザー": "user", "リットル": "unit:l", "不動産屋": "plain", "从来没有": "negation", "菜食主義": "pole:diet+", "anteriormente": "tense", "ausgeschaltet": "pole:on-", "durchgefallen": "pole:pass-", "eingeschaltet": "pole:on+", "fruhaufsteher": "pole:day+", "frequentemente": "quantifier:most", "habituellement": "quantifier:most", "августа": "month:8", "августе": "month:8", "большои": "pole:size+", "бросила": "tense", "бывшего": "tense", "вечерам": "pole:day-", "вечером": "pole:day-", "включен": "pole:on+", "вторник": "day:tu", "второго": "number:2nd", "высокии": "pole:size+", "горячии": "pole:heat+", "горячую": "pole:heat+", "градуса": "unit:deg", "граммов": "unit:g", "декабре": "month:12", "декабрь": "month:12", "декабря": "month:12", "доллара": "unit:usd", "закрыта": "pole:on-", "закрыто": "pole:on-", "закрыты": "pole:on-", "замужем": "pole:married+", "каждого": "quantifier:all", "калории": "unit:kcal", "месяцев": "unit:mo", "миллион": "number:1000000", "направо": "pole:side-", "никаких": "negation", "никакои": "negation", "никогда": "negation", "обожает": "pole:like+", "одобрен": "pole:pass+", "октябре": "month:10", "октябрь": "month:10", "октября": "month:10", "открыта": "pole:on+", "открыто": "pole:on+", "открыты": "pole:on+", "первого": "number:1st", "прежнии": "tense", "процент": "unit:%", "пятница": "day:fr", "пятницу": "day:fr", "сегодня": "day:today", "секунда": "unit:s", "секунды": "unit:s", "суббота": "day:sa", "субботу": "day:sa", "терпеть": "pole:like-", "феврале": "month:2", "февраль": "month:2", "февраля": "month:2", "четверг": "day:th", "четырех": "number:4", "الاثنين": "day:mo", "الثالثة": "number:3rd", "الثانية": "number:2nd", "السابقة": "tense", "دولارات": "unit:usd", "كيلومتر": "unit:km", "ausschliesslich": "quantifier:only", "つまらない": "plain", "キログラム": "unit:kg", "パーセント": "unit:%", "ミリグラム": "unit:mg", "間違いない": "plain", "включена": "pole:on+", "включено": "pole:on+", "включены": "pole:on+", "вторника": "day:tu", "выключен": "pole:on-", "градусов": "unit:deg", "двадцать": "number:20", "долларов": "unit:usd", "избегает": "negation", "километр": "unit:km", "миллиона": "number:1000000", "немногие": "quantifier:few", "нравится": "pole:like+", "отклонен": "pole:pass-", "отключен": "pole:on-", "половина": "quantifier:half", "половину": "quantifier:half", "провалил": "pole:pass-", "процента": "unit:%", "пятницам": "day:fr", "разведен": "pole:married-", "сентябре": "month:9", "сентябрь": "month:9", "сентября": "month:9", "субботам": "day:sa", "третьего": "number:3rd", "тридцать": "number:30", "холодную": "pole:heat-", "холодныи": "pole:heat-", "четверга": "day:th", "الاربعاء": "day:we", "الثلاثاء": "day:tu", "المستخدم": "user", "كيلوغرام": "unit:kg", "كيلومترا": "unit:km", "للمستخدم": "user", "вторникам": "day:tu", "выключена": "pole:on-", "выключено": "pole:on-", "выключены": "pole:on-", "девяносто": "number:90", "килограмм": "unit:kg", "километра": "unit:km", "маленькии": "pole:size-", "миллионов": "number:1000000", "некоторые": "quantifier:some", "некоторых": "quantifier:some", "ненавидит": "pole:like-", "ненавидят": "pole:like-", "несколько": "quantifier:some", "отключена": "pole:on-", "отключены": "pole:on-", "процентов": "unit:%", "пятьдесят": "number:50", "разведена": "pole:married-", "сантиметр": "unit:cm", "семьдесят": "number:70", "четвергам": "day:th", "четвертыи": "number:4th", "المستخدمة": "user", "كيلوغراما": "unit:kg", "كيلومترات": "unit:km", "かもしれない": "plain", "ませんでした": "negation", "もったいない": "plain", "キロメートル": "unit:km", "ベジタリアン": "pole:diet+", "двенадцать": "number:12", "килограмма": "unit:kg", "километрах": "unit:km", "километров": "unit:km", "пятнадцать": "number:15", "семнадцать": "number:17", "тринадцать": "number:13", "шестьдесят": "number:60", "большинство": "quantifier:most", "восемьдесят": "number:80", "воскресенье": "day:su", "килограммов": "unit:kg", "одиннадцать": "number:11", "понедельник": "day:mo", "сантиметров": "unit:cm", "шестнадцать": "number:16", "вегетарианец": "pole:diet+", "вегетарианка": "pole:diet+", "восемнадцать": "number:18", "воскресеньям": "day:su", "девятнадцать": "number:19", "пользователь": "user", "пользователю": "user", "пользователя": "user", "понедельника": "day:mo", "четырнадцать": "number:14", "なければならない": "plain", "исключительно": "quantifier:only", "пользователем": "user", "понедельникам": "day:mo", "пользовательница": "user", "пользовательницы": "user"}'::jsonb;

ALTER FUNCTION memoranda_private.guard_words() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.guard_words_listed() RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  with lists (class, words) as (values
    -- Words that say which language this is.
    ('german', 'der die das des dem den und mit fur ein eine einen einem einer bei zur zum wird werden gern seit nach am im auf von vom ist hat sind'),
    ('romance', 'um uma com em ao tem na nas da pela'),
    -- Whoever the memory is about: an article before them says nothing.
    ('user', 'user users nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenderin utilisateur utilisatrice usuario usuaria
      utente пользователь пользователя пользователю пользователем пользовательница пользовательницы kullanici kullanicinin
      المستخدم للمستخدم المستخدمة 用户 用戶 使用者 ユーザー 利用者'),
    -- Words with another sign in them, which mean nothing to the guard.
    ('plain', '非常 除非 非洲 不错 不錯 不过 不過 不同 不但 不仅 不僅 不断 不斷 不久 对不起 差不多 不锈钢 不得不 无线 無線 无人机 未来 未來
      未婚 别人 特别 特別 区别 分别 别墅 性别 级别 类别 没关系 成都 首都 京都 都市 都会 東京都 东京都 日本 日语 日本語 日記 日常 日程
      危ない つまらない もったいない 間違いない かもしれない なければならない しか 一起 一直 一样 一定 一般 十分 三明治 万一 月光 年轻 年龄 分析 分享
      一个 一個 一名 一只 一隻 一位 一本 一种 一種 地点 重点 缺点 优点 特点 观点 小时候 不動産 不動産屋 無料 namaz komedi'),
    -- Negation.
    ('negation', 'no not non never none nobody nothing neither nor nowhere cannot without lack lacks lacking avoid avoids avoiding refuse refuses
      dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt
      nicht nie niemals nichts niemand ohne weder nirgends kein keine keinen keinem keiner keines meidet vermeidet
      ne n pas jamais sans rien aucun aucune personne ni evite nunca jamas nada nadie ningun ninguno ninguna sin tampoco evita
      nao sem nem nenhum nenhuma ninguem jamais
      не нет ни никогда нельзя ничего никто никого без никакой никаких нигде избегает
      不 没 沒 没有 沒有 无 無 非 未 别 別 勿 从不 從不 从未 從未 不再 不能 不会 不會 从来没有 讨厌不
      ない 無い なかった ません ませんでした ません ず なく なくて
      degil hic asla hayir yok
      لا لم لن ليس ليست ليسوا لست غير بدون دون ابدا بلا يتجنب لايوجد'),
    -- Quantifiers.
    ('quantifier:all', 'all every each always everyone everybody everything entire whole
      alle allen aller alles jeder jede jedes jeden jedem immer stets samtliche ganze ganzen
      tout tous toute toutes chaque toujours todo todos toda todas cada siempre sempre
      все всех всем всегда каждый каждая каждое каждую каждого каждые
      所有 全部 每 每个 每天 都 总是 總是 一切 始终 すべて 全て 毎 毎日 毎週 毎月 毎年 いつも 常に みんな
      butun tum hepsi daima كل جميع دائما كافة'),
    ('turkish:quantifier:all', 'her'),
    ('quantifier:some', 'some several certain sometimes occasionally
      manche manchen mancher manchmal einige einigen gelegentlich ab certains certaines quelques parfois quelquefois plusieurs
      algunos algunas algun alguna varios veces alguns algumas vezes
      некоторые некоторых несколько иногда порой 一些 部分 有些 有的 有时 有時 有时候 偶尔 偶爾 一部 いくつか ときどき 時々 たまに
      bazi birkac bazen ara بعض احيانا بضعة'),
    ('quantifier:most', 'most mostly usually often generally majority meist meistens meisten oft haufig gewohnlich plupart souvent generalement
      habituellement mayoria suele menudo generalmente maioria geralmente frequentemente большинство обычно часто
      大多数 大部分 多数 通常 经常 經常 ほとんど たいてい 大抵 よく 多く cogu cogunlukla genellikle sik معظم اغلب غالبا عادة'),
    ('quantifier:few', 'few rarely seldom hardly barely selten kaum wenige wenigen rarement peu rara raramente pocos pocas poco poucos poucas
      редко мало немногие 很少 少数 极少 めったに 少ない 滅多に nadiren az نادرا قليل قليلا'),
    ('quantifier:only', 'only solely exclusively just merely nur lediglich ausschliesslich bloss seulement uniquement solo solamente unicamente somente
      apenas только лишь исключительно 只 仅 僅 仅仅 只有 只在 だけ のみ しか sadece yalnizca yalniz فقط الا'),
    ('accented:only', 'so'),                            -- só
    ('quantifier:both', 'both beide beiden ambos ambas оба обе 两者 両方 ikisi كلا كلاهما'),
    ('quantifier:more', 'more mehr mas больше более 更多 超过 以上 もっと daha اكثر'),
    ('quantifier:less', 'less fewer weniger menos меньше менее 更少 以下 少于 未満 اقل'),
    ('quantifier:almost', 'almost nearly fast presque casi quase почти 几乎 ほぼ neredeyse تقريبا'),
    ('quantifier:half', 'half halb halbe halfte moitie mitad metade половина половину 一半 半分 yarisi نصف'),
    -- What was: until it wasn't.
    ('tense', 'formerly former previously until till ex anymore stopped quit ceased
      fruher fruhere fruherer fruheren ehemals ehemalige ehemaliger ehemaligen ehemaliges einst damals vormals
      autrefois jadis ancien ancienne anciens anciennes auparavant avant arrete
      antes anteriormente antiguamente antiguo antigua solia solian dejo antigo antiga outrora costumava costumavam parou
      раньше прежде бывший бывшая бывшего бывшей бывшие бывшую прежний ранее бросил бросила
      以前 曾经 曾經 曾 之前 过去 過去 直到 前妻 前夫 前任 原先 戒了 昔 かつて 元夫 元妻 元彼 元上司 やめた
      eskiden onceden eski birakti سابقا سابق السابق السابقة توقف'),
    -- The same beside a figure: elsewhere they may be about a way, or as much as.
    ('until', 'bis jusqu jusque hasta ate до まで kadar حتى'),
    -- Copulas and their like, whose tense counts where nothing else differs.
    ('past', 'was were had did war waren hatte hatten wurde etait etaient avait avaient fut era eran fue estaba estaban tenia tenian
      estava estavam foi tinha tinham был была было были idi كان كانت كانوا كنت でした だった ました いた あった'),
    -- Opposites.
    ('pole:like+', 'like likes liked love loves enjoy enjoys adore adores mag liebt liebe mogen aime aiment adore adorent apprecie gusta gustan encanta
      encantan ama adora adoram gosta gostam любит любят нравится обожает 喜欢 喜歡 爱 愛 好き 大好き 好む seviyor sever seviyorum hoslaniyor
      يحب تحب يعشق احب'),
    ('pole:like-', 'dislike dislikes hate hates detest detests loathe loathes despise despises hasst verabscheut deteste detestent hait odia odian
      detesta detestan odeia odeiam ненавидит ненавидят терпеть 讨厌 討厭 恨 厌恶 嫌い 大嫌い nefret يكره تكره اكره'),
    ('pole:diet+', 'vegetarian vegan vegetarier vegetarierin veganer veganerin vegetarien vegetarienne vegetaliane vegetariano vegetariana vegano vegana
      вегетарианец вегетарианка веган 素食 素食者 吃素 ベジタリアン 菜食主義 vejetaryen نباتي نباتية'),
    ('pole:diet-', 'meat fleisch viande carne мясо мяса 肉 et اللحم لحم لحوم'),
    ('pole:on+', 'on enabled activated active open opened eingeschaltet aktiviert aktiv offen geoffnet an active activee activees actives allume
      ouvert ouverte ouverts ouvertes activado activada activados activadas encendido abierto abierta abiertos abiertas ativado ativada ativados ativadas
      ligado ligada aberto aberta abertos abertas включен включена включено включены открыт открыта открыто открыты
      开启 打开 開啟 已开启 启用 开着 オン 有効 開いて acik etkin مفعل مفعلة مفتوح مفتوحة'),
    ('pole:on-', 'off disabled deactivated inactive closed shut ausgeschaltet deaktiviert inaktiv geschlossen zu desactive desactivee desactives desactivees
      eteint ferme fermee fermes fermees desactivado desactivada desactivados desactivadas apagado cerrado cerrada cerrados cerradas
      desativado desativada desativados desativadas desligado desligada fechado fechada fechados fechadas
      выключен выключена выключено выключены отключен отключена отключены закрыт закрыта закрыто закрыты
      关闭 關閉 已关闭 禁用 关着 オフ 無効 閉じて kapali معطل معطلة مغلق مغلقة'),
    ('pole:day+', 'morning mornings morgens vormittags fruhaufsteher matin matins matinal manana mananas matutino manha manhas утром утро утра утрам
      早上 早晨 上午 朝 朝型 午前 sabah sabahlari sabahlar الصباح صباحا'),
    ('pole:day-', 'evening evenings night nights abends abend nachts nachteule soir soirs nuit nuits noche noches tarde tardes noite noites
      вечером вечер вечера вечерам ночью 晚上 夜里 夜晚 夜 夜型 晩 aksam aksamlari aksamlar gece geceleri المساء مساء الليل ليلا'),
    ('pole:side+', 'left links linke linken linker gauche izquierda izquierdo esquerda esquerdo слева левый левая левую налево 左 左边 左侧 左手 sol solda يسار اليسرى'),
    ('pole:side-', 'right rechts rechte rechten rechter droite derecha derecho direita direito справа правый правая правую направо 右 右边 右侧 右手 sag sagda يمين اليمنى'),
    ('pole:order+', 'before vor vorher перед 前に 之前先 once قبل'),
    ('pole:order-', 'after nach nachher apres despues depois после 之后 以后 後に 後 sonra بعد'),
    ('pole:married+', 'married verheiratet marie mariee casado casada женат замужем 已婚 结婚 既婚 evli متزوج متزوجة'),
    ('pole:married-', 'unmarried divorced ledig geschieden celibataire divorce divorcee soltero soltera divorciado divorciada solteiro solteira
      divorciada холост разведен разведена 单身 离婚 独身 離婚 bekar bosanmis اعزب عزباء مطلق مطلقة'),
    ('pole:size+', 'big large high tall gross hoch grand grande haut alto высокий большой 大きい 高い buyuk yuksek كبير'),
    ('pole:size-', 'small little low short klein niedrig petit petite bas bajo baixo низкий маленький 小さい 低い kucuk dusuk صغير'),
    ('pole:heat+', 'hot warm heiss chaud chaude caliente quente горячий горячую 热 熱い 暑い sicak ساخن ساخنة'),
    ('pole:heat-', 'cold cool kalt froid froide frio fria холодный холодную 冷 冷たい 寒い soguk بارد باردة'),
    ('pole:pass+', 'passed succeeded accepted approved bestanden angenommen reussi accepte aprobado aceptado aprovado aceito принят одобрен 通过 合格 承認'),
    ('pole:pass-', 'failed rejected declined denied durchgefallen abgelehnt echoue refuse suspendido rechazado reprovado recusado отклонен провалил 失败 不合格 却下'),
    -- Numbers.
    ('number:0', 'zero null zero cero ноль 零 sifir صفر'),
    ('number:1', 'one eins uno один одна одно 1つ 一つ ひとつ 一人 واحد واحدة'),
    ('number:2', 'two zwei deux dos dois duas два две двух 二つ ふたつ 二人 两 兩 两个 兩個 iki اثنان اثنين اثنتان اثنتين'),
    ('number:3', 'three drei trois tres три трех 三つ 三人 三个 三個 三名 三只 uc ثلاثة ثلاث'),
    ('number:4', 'four vier quatre cuatro quatro четыре четырех 四つ 四人 四个 四個 四名 四只 dort اربعة اربع'),
    ('number:5', 'five funf cinq cinco пять пяти 五つ 五人 五个 五個 五名 五只 bes خمسة خمس'),
    ('number:6', 'six sechs seis шесть шести 六つ 六人 六个 六個 六名 alti ستة ست'),
    ('number:7', 'seven sieben sept siete sete семь семи 七つ 七人 七个 七個 yedi سبعة سبع'),
    ('number:8', 'eight acht huit ocho oito восемь восьми 八つ 八人 八个 八個 sekiz ثمانية ثماني ثمان'),
    ('number:9', 'nine neun neuf nueve nove девять девяти 九つ 九人 九个 九個 dokuz تسعة تسع'),
    ('number:10', 'ten zehn dix diez dez десять десяти 十 十人 十个 عشرة عشر'),
    ('turkish:number:10', 'on'),
    ('number:11', 'eleven elf onze once одиннадцать 十一'),
    ('number:12', 'twelve zwolf douze doce doze двенадцать dozen dutzend douzaine docena duzia дюжина 十二'),
    ('number:13', 'thirteen dreizehn treize trece treze тринадцать 十三'), ('number:14', 'fourteen vierzehn quatorze catorce catorze четырнадцать 十四'),
    ('number:15', 'fifteen funfzehn quinze quince пятнадцать 十五'), ('number:16', 'sixteen sechzehn seize dieciseis dezesseis шестнадцать 十六'),
    ('number:17', 'seventeen siebzehn diecisiete dezessete семнадцать 十七'), ('number:18', 'eighteen achtzehn dieciocho dezoito восемнадцать 十八'),
    ('number:19', 'nineteen neunzehn diecinueve dezenove девятнадцать 十九'), ('number:20', 'twenty zwanzig vingt veinte vinte двадцать 二十 yirmi عشرون عشرين'),
    ('number:30', 'thirty dreissig trente treinta trinta тридцать 三十 otuz ثلاثون ثلاثين'), ('number:40', 'forty vierzig quarante cuarenta quarenta сорок 四十 kirk اربعون اربعين'),
    ('number:50', 'fifty funfzig cinquante cincuenta cinquenta пятьдесят 五十 elli خمسون خمسين'), ('number:60', 'sixty sechzig soixante sesenta sessenta шестьдесят 六十 altmis ستون ستين'),
    ('number:70', 'seventy siebzig setenta семьдесят 七十 yetmis سبعون'), ('number:80', 'eighty achtzig ochenta oitenta восемьдесят 八十 seksen ثمانون'),
    ('number:90', 'ninety neunzig noventa девяносто 九十 doksan تسعون'), ('number:100', 'hundred hundert cent cien ciento cem сто 百 yuz مئة مائة'),
    ('number:1000', 'thousand tausend mille mil тысяча тысячи тысяч 千 bin الف الاف'), ('number:1000000', 'million millionen millions millon millones milhao milhoes миллион миллиона миллионов 百万 milyon مليون'),
    ('number:1st', 'first erste ersten erster erstes premier premiere primero primera primeiro primeira первый первая первое первого 第一 birinci ilk الاول الاولى'),
    ('number:2nd', 'second zweite zweiten zweiter zweites deuxieme segundo segunda второй вторая второе второго 第二 ikinci الثاني الثانية'),
    ('number:3rd', 'third dritte dritten dritter drittes troisieme tercero tercera terceiro terceira третий третья третье третьего 第三 ucuncu الثالث الثالثة'),
    ('number:4th', 'fourth vierte vierten quatrieme cuarto cuarta четвертый 第四 dorduncu'), ('number:5th', 'fifth funfte funften cinquieme quinto quinta пятый 第五 besinci'),
    -- Dates. `may` and `march` are months only with a capital letter or beside a number.
    ('month:1', 'january januar janner janvier enero janeiro январь января январе 一月 1月 ocak ocakta يناير'),
    ('month:2', 'february februar fevrier febrero fevereiro февраль февраля феврале 二月 subat subatta فبراير'),
    ('month:3', 'march marz mars marzo marco март марта марте 三月 martta مارس'),
    ('month:4', 'april avril abril апрель апреля апреле 四月 nisan nisanda ابريل'),
    ('month:5', 'may mai mayo maio май мая мае 五月 mayis mayista مايو'),
    ('month:6', 'june juni juin junio junho июнь июня июне 六月 haziran haziranda يونيو'),
    ('month:7', 'july juli juillet julio julho июль июля июле 七月 temmuz temmuzda يوليو'),
    ('month:8', 'august aout agosto август августа августе 八月 agustos agustosta اغسطس'),
    ('month:9', 'september septembre septiembre setembro сентябрь сентября сентябре 九月 eylul eylulde سبتمبر'),
    ('month:10', 'october oktober octobre octubre outubro октябрь октября октябре 十月 ekim ekimde اكتوبر'),
    ('month:11', 'november novembre noviembre novembro ноябрь ноября ноябре 十一月 kasim kasimda نوفمبر'),
    ('month:12', 'december dezember decembre diciembre dezembro декабрь декабря декабре 十二月 aralik aralikta ديسمبر'),
    ('abbreviated:1', 'jan'), ('abbreviated:2', 'feb fev'), ('abbreviated:3', 'mar'), ('abbreviated:4', 'apr avr abr'), ('abbreviated:6', 'jun'),
    ('abbreviated:7', 'jul'), ('abbreviated:8', 'aug ago'), ('abbreviated:9', 'sep'), ('abbreviated:10', 'oct okt'), ('abbreviated:11', 'nov'), ('abbreviated:12', 'dec dez dic'),
    ('day:mo', 'monday mondays montag montags lundi lundis lunes понедельник понедельника понедельникам 星期一 周一 週一 月曜 月曜日 pazartesi الاثنين'),
    ('day:tu', 'tuesday tuesdays dienstag dienstags mardi mardis martes terca вторник вторника вторникам 星期二 周二 火曜 火曜日 sali الثلاثاء'),
    ('day:we', 'wednesday wednesdays mittwoch mittwochs mercredi mercredis miercoles quarta среду среда средам 星期三 周三 水曜 水曜日 carsamba الاربعاء'),
    ('day:th', 'thursday thursdays donnerstag donnerstags jeudi jeudis jueves четверг четверга четвергам 星期四 周四 木曜 木曜日 persembe الخميس'),
    ('day:fr', 'friday fridays freitag freitags vendredi vendredis viernes sexta пятницу пятница пятницам 星期五 周五 金曜 金曜日 cuma الجمعة'),
    ('day:sa', 'saturday saturdays samstag samstags sonnabend samedi samedis sabado sabados субботу суббота субботам 星期六 周六 土曜 土曜日 cumartesi السبت'),
    ('day:su', 'sunday sundays sonntag sonntags dimanche dimanches domingo domingos воскресенье воскресеньям 星期日 星期天 周日 日曜 日曜日 pazar الاحد'),
    ('day:yesterday', 'yesterday gestern hier ayer ontem вчера 昨天 昨日 dun امس'),
    ('day:today', 'today heute aujourd hoy hoje сегодня 今天 今日 bugun اليوم'),
    ('day:tomorrow', 'tomorrow demain amanha завтра 明天 明日 yarin غدا'),
    ('part', '年 月 日 时 時 点 點 號'),
    ('half:am', 'am'), ('half:pm', 'pm'),
    ('rank', 'st nd rd th'),
    -- Units, which count beside a number.
    ('unit:km', 'km kilometer kilometers kilometre kilometres kilometern kilometro kilometros quilometro quilometros километр километра километров километрах км
      公里 千米 キロメートル كيلومتر كيلومترا كيلومترات كم'),
    ('unit:mi', 'mi mile miles meile meilen milla millas milha milhas миля мили миль 英里 マイル mil ميل اميال ميلا'),
    ('unit:m', 'm meter meters metre metres metern metro metros метр метра метров 米 メートル متر مترا امتار'),
    ('unit:cm', 'cm centimeter centimeters zentimeter centimetre centimetres centimetro centimetros сантиметр сантиметров см 厘米 センチ santim santimetre سم'),
    ('unit:ft', 'ft foot feet fuss pieds pies pes фут фута футов 英尺 フィート قدم'), ('unit:in', 'inch inches zoll pouces pulgadas polegadas дюйм дюймов 英寸 インチ inc بوصة'),
    ('unit:kg', 'kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos quilo quilos килограмм килограмма килограммов кг 公斤 千克
      キログラム キロ كيلوغرام كيلوغراما كيلو كغ كجم'),
    ('unit:lb', 'lb lbs pound pounds pfund livre livres libra libras фунт фунта фунтов 磅 ポンド رطل'),
    ('unit:g', 'g gram grams gramm gramme grammes gramo gramos grama gramas грамм грамма граммов 克 グラム غرام جرام'), ('unit:oz', 'oz ounce ounces'),
    ('unit:l', 'l liter liters litre litres litern litro litros литр литра литров 升 リットル لتر'), ('unit:gal', 'gallon gallons'), ('unit:ml', 'ml мл 毫升'),
    ('unit:s', 's sec secs seconds sekunde sekunden seconde secondes segundos секунда секунды секунд 秒 秒钟 saniye ثانية ثوان'),
    ('unit:min', 'min mins minute minutes minuten minuto minutos минута минуты минут 分钟 分鐘 分間 分 dakika دقيقة دقائق'),
    ('unit:h', 'h hr hrs hour hours stunde stunden heure heures hora horas час часа часов 小时 小時 時間 saat ساعة ساعات'),
    ('unit:d', 'day days tag tage tagen jour jours dia dias день дня дней 天 日間 gun يوم ايام يوما'),
    ('unit:w', 'week weeks woche wochen semaine semaines semana semanas неделя недели недель 周 星期 週間 hafta اسبوع اسابيع'),
    ('unit:mo', 'month months monat monate monaten mois mes meses месяц месяца месяцев 个月 個月 か月 ヶ月 ay شهر اشهر شهور'),
    ('unit:y', 'year years jahr jahre jahren an ans annee annees ano anos год года лет 岁 歲 歳 yil yas yasinda سنة سنوات عام اعوام عاما'),
    ('unit:eur', '€ eur euro euros евро 欧元 歐元 ユーロ avro يورو'), ('unit:usd', '$ usd dollar dollars dolar dolares доллар доллара долларов 美元 ドル دولار دولارا دولارات'),
    ('unit:gbp', '£ gbp 英镑'), ('unit:jpy', '¥ jpy yen 日元 円 ين'), ('unit:cny', 'cny rmb yuan 人民币 元 块 يوان'), ('unit:rub', '₽ rub рубль рубля рублей руб'),
    ('unit:try', '₺ try lira ليرة'), ('unit:brl', 'brl real reais'), ('unit:chf', 'chf franken'), ('unit:sar', 'ريال ريالا'), ('unit:aed', 'درهم درهما'),
    ('unit:%', '% yuzde percent prozent pourcent porcento процент процента процентов パーセント'),
    ('unit:deg', '° degree degrees grad degres degre grados graus градус градуса градусов 度 derece درجة درجات'), ('unit:c', '°c celsius'), ('unit:f', '°f fahrenheit'),
    ('unit:mg', 'mg мг 毫克 ミリグラム'), ('unit:mm', 'mm мм 毫米 ミリ'), ('unit:kcal', 'kcal calories kalorien calorias калорий ккал'), ('unit:bpm', 'bpm'), ('unit:kb', 'kb'), ('unit:mb', 'mb мб'), ('unit:gb', 'gb go гб'), ('unit:tb', 'tb to тб'), ('unit:kwh', 'kwh'), ('unit:w', 'watt watts'),
    ('unit:ms', 'ms millisecond milliseconds'), ('unit:kmh', 'kmh kph'), ('unit:mph', 'mph'))
  select jsonb_object_agg(word, class order by at desc)
    from (select class, row_number() over () as at, words from lists) as numbered, regexp_split_to_table(fold(words), ' ') as word
$_$;

ALTER FUNCTION memoranda_private.guard_words_listed() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.holds(f memoranda_private.facts) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select (f.status = 'confirmed' or f.holds_until > now()) and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true)
     and coalesce(f.expires_at > now(), true)
$$;

ALTER FUNCTION memoranda_private.holds(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.id_in(p_target jsonb) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if p_target - array['id', 'by'] <> '{}' or p_target ->> 'id' is null then
    raise exception using errcode = 'MEINP', message = 'this is about a fact by its id';
  end if;
  return (p_target ->> 'id')::uuid;
end $$;

ALTER FUNCTION memoranda_private.id_in(p_target jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_all(p memoranda_private.place, p_rows jsonb, p_restore boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  hashes    record;
  outcomes  jsonb[] := '{}';
  facts_    jsonb;
  places    integer[];
  made      facts[] := '{}';
  row_      jsonb;
begin
  hashes := import_hashes(p, array(select case when value ->> 'type' in ('fact', 'link', 'tombstone') then value ->> 'content' end
                                     from jsonb_array_elements(p_rows)));
  if not p_restore then
    select jsonb_agg(value order by ordinality), array_agg(ordinality) into facts_, places
      from jsonb_array_elements(p_rows) with ordinality where value ->> 'type' = 'fact';
    if facts_ is not null then
      facts_ := import_facts(p, facts_);
      -- When it was said there, as far as that is no time to come.
      update facts f set created_at = least(f.created_at, (r.value ->> 'created_at')::timestamptz),
                         updated_at = least(f.updated_at, coalesce(r.value ->> 'updated_at', r.value ->> 'created_at')::timestamptz)
        from jsonb_array_elements(p_rows) with ordinality as r, jsonb_array_elements(facts_) with ordinality as o
       where r.ordinality = places[o.ordinality] and o.value ->> 'outcome' in ('stored', 'superseded', 'pending')
         and o.value ->> 'id' = r.value ->> 'id'
         and (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)
           = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (r.value ->> 'id')::uuid);
    end if;
  end if;
  for n in 1 .. jsonb_array_length(p_rows) loop
    row_ := p_rows -> (n - 1);
    if not p_restore and row_ ->> 'type' = 'fact' then
      outcomes[n] := facts_ -> (array_position(places, n) - 1);
    else
      outcomes[n] := import_row(p, row_, p_restore, hashes.value_hashes[n], hashes.template_hashes[n]);
      if row_ ->> 'type' = 'fact' and outcomes[n] ->> 'outcome' in ('restored', 'duplicate') then
        made := made || jsonb_populate_record(null::facts, row_ || to_jsonb(p));
      end if;
    end if;
  end loop;
  if cardinality(made) > 0 then
    perform import_beside(p, made, (select jsonb_object_agg(value ->> 'id', value) from jsonb_array_elements(p_rows) where value ->> 'type' = 'fact'));
  end if;
  return to_jsonb(outcomes);
end $$;

ALTER FUNCTION memoranda_private.import_all(p memoranda_private.place, p_rows jsonb, p_restore boolean) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.import_beside(p memoranda_private.place, p_facts memoranda_private.facts[], p_rows jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f  facts;
begin
  perform index_terms(array(select g from unnest(p_facts) as g
                             where p_rows -> (g.id::text) -> 'indexed' = 'true'
                               and not exists (select from terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.fact_id)
                                                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, g.id))));
  foreach f in array p_facts loop
    insert into fact_uses (tenant_id, owner_id, scope, scope_id, fact_id, seen_count, use_count, last_used_at)
    select p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id, u.seen_count, u.use_count, u.last_used_at
      from jsonb_to_record(nullif(p_rows -> (f.id::text) -> 'uses', 'null')) as u (seen_count integer, use_count integer, last_used_at timestamptz)
     where u.seen_count is not null
        on conflict do nothing;
  end loop;
end $$;

ALTER FUNCTION memoranda_private.import_beside(p memoranda_private.place, p_facts memoranda_private.facts[], p_rows jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_document(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  there  documents;
begin
  select * into there from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id, d.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'key');
  if found then
    return case when there.content = p_row ->> 'content' then '{"outcome": "duplicate", "rule": "same text"}'::jsonb
                else '{"outcome": "kept", "rule": "another text stands there"}' end;
  end if;
  insert into documents (tenant_id, owner_id, scope, scope_id, key, content, expires_at)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'key', p_row ->> 'content', (p_row ->> 'expires_at')::timestamptz);
  return '{"outcome": "stored"}';
end $$;

ALTER FUNCTION memoranda_private.import_document(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_enter(p_place jsonb) RETURNS memoranda_private.place
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'write');
begin
  if begin_write(p, 'import_rows', 'null', '{"actor": "import"}') is not null then
    raise exception using errcode = 'MECFL', message = 'this was erased while it was being imported';
  end if;
  return p;
end $$;

ALTER FUNCTION memoranda_private.import_enter(p_place jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_fact_in(p_row jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select (select jsonb_object_agg(key, value) from jsonb_each(p_row)
           where key in ('key', 'content', 'kind', 'source', 'importance', 'tags', 'entities', 'valid_from', 'expires_at', 'quote', 'vector', 'model')
             and value <> 'null')
    || jsonb_strip_nulls(jsonb_build_object(
         'origin', 'import', 'dedup', 'exact', 'review', case when p_row ->> 'status' = 'pending' then true end,
         'valid_until', least((p_row ->> 'valid_until')::timestamptz, (p_row ->> 'holds_until')::timestamptz)))
    || jsonb_build_object('metadata', case when coalesce(p_row -> 'metadata', 'null') = 'null' then '{}' else p_row -> 'metadata' end
         || case when p_row ->> 'origin' is null or p_row ->> 'origin' = 'import' then '{}'
                 else jsonb_build_object('imported_origin', p_row -> 'origin') end)
$$;

ALTER FUNCTION memoranda_private.import_fact_in(p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_facts(p memoranda_private.place, p_rows jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  hashes    bytea[] := secret_hashes(p.tenant_id, array(select plain(value ->> 'content') from jsonb_array_elements(p_rows)));
  ids       uuid[] := array(select (value ->> 'id')::uuid from jsonb_array_elements(p_rows));
  here      uuid[];
  rules     text[];
  firsts    integer[];
  news      integer[];
  outcomes  jsonb;
begin
  select array_agg(found_.id order by n), array_agg(found_.rule order by n) into here, rules
    from generate_subscripts(ids, 1) as n
    left join lateral (
      select f.id, case when f.id = ids[n] then 'same id' else 'same value' end as rule from facts f
       where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
         and (f.id = ids[n] or f.value_hash = hashes[n] and f.status in ('confirmed', 'pending')
                               and f.key is not distinct from (p_rows -> (n - 1) ->> 'key'))
       order by f.id = ids[n] desc limit 1) as found_ on true;
  -- Of those that say the same, the first.
  firsts := array(select min(n) over (partition by hashes[n], p_rows -> (n - 1) ->> 'key') from generate_subscripts(ids, 1) as n order by n);
  news := array(select n from generate_subscripts(ids, 1) as n where here[n] is null and firsts[n] = n);
  outcomes := save_all(p, (select coalesce(jsonb_agg(import_fact_in(p_rows -> (n - 1)) order by n), '[]') from unnest(news) as n), true, false,
                       array(select ids[n] from unnest(news) as n));
  return (
    select jsonb_agg(case when here[n] is not null then jsonb_build_object('outcome', 'duplicate', 'rule', rules[n], 'id', here[n])
                          when firsts[n] = n then outcomes -> (array_position(news, n) - 1)
                          else jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', ids[firsts[n]]) end order by n)
      from generate_subscripts(ids, 1) as n);
end $$;

ALTER FUNCTION memoranda_private.import_facts(p memoranda_private.place, p_rows jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_file(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  target  text := path_in(p_row ->> 'path');
  there   files;
begin
  perform lock_files(p);
  there := file_at(p, target);
  if there.id is not null then
    return jsonb_build_object('outcome', case when there.content = p_row ->> 'content' then 'duplicate' else 'kept' end,
                              'rule', case when there.content = p_row ->> 'content' then 'same text' else 'another text stands there' end);
  end if;
  perform check_size(p, p_row ->> 'content');
  perform check_free(p, target);
  insert into files (tenant_id, owner_id, scope, scope_id, path, content, status, tainted)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, target, p_row ->> 'content', 'current', true);
  perform check_quota(p);
  return '{"outcome": "stored"}';
end $$;

ALTER FUNCTION memoranda_private.import_file(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_hashes(p memoranda_private.place, p_contents text[], OUT value_hashes bytea[], OUT template_hashes bytea[]) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select secret_hashes(p.tenant_id, array(select plain(c) from unnest(p_contents) with ordinality as t (c, n) order by n)),
         secret_hashes(p.tenant_id, array(select case when char_length(c) <= 2000 then template_of(c) end
                                            from unnest(p_contents) with ordinality as t (c, n) order by n))
$$;

ALTER FUNCTION memoranda_private.import_hashes(p memoranda_private.place, p_contents text[], OUT value_hashes bytea[], OUT template_hashes bytea[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_message(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.import_message(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_row(p memoranda_private.place, p_row jsonb, p_restore boolean, p_value bytea, p_template bytea) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  place_  jsonb := to_jsonb(p);
  f       facts;
  t       tombstones;
  hash    bytea := case when p_row ->> 'content' is null then decode(p_row ->> 'value_hash', 'hex') else p_value end;
begin
  if p_row ->> 'type' in ('fact', 'link') then
    f := jsonb_populate_record(null::facts, p_row || place_);
    f.value_hash := p_value;
    f.template_hash := case when (p_row ->> 'has_template')::boolean then p_template end;
    return case p_row ->> 'type' when 'fact' then restore_fact(p, f) else restore_links(p, f) end;
  elsif p_row ->> 'type' = 'tombstone' then
    if hash is null or p_row ->> 'content' is null
       and p_row ->> 'salt' is distinct from encode(secret_hash(p.tenant_id, 'memoranda export'), 'hex') then
      return '{"outcome": "failed", "rule": "its text is gone, and its hash was made with another salt"}';
    elsif not p_restore then
      return import_tombstone(p, hash, p_row);
    end if;
    t := jsonb_populate_record(null::tombstones, p_row - 'value_hash' || place_);
    t.value_hash := hash;
    t.template_hash := case when (p_row ->> 'has_template')::boolean then p_template end;
    return restore_tombstone(p, t);
  elsif p_row ->> 'type' = 'file' then
    return case when p_restore then restore_file(p, jsonb_populate_record(null::files, p_row || place_)) else import_file(p, p_row) end;
  elsif p_row ->> 'type' = 'message' then
    return case when p_restore then restore_message(p, p_row) else import_message(p, p_row) end;
  elsif p_row ->> 'type' = 'document' then
    return case when p_restore then restore_document(p, p_row) else import_document(p, p_row) end;
  elsif p_row ->> 'type' = 'revision' and p_restore then
    return restore_revision(p, jsonb_populate_record(null::revisions, p_row || place_));
  elsif p_row ->> 'type' = 'run' and p_restore then
    return restore_run(p, jsonb_populate_record(null::runs, p_row));
  elsif p_row ->> 'type' = 'vector' and p_restore then
    return import_vector(p, p_row);
  end if;
  return '{"outcome": "skipped", "rule": "history is only put back by a restore"}';
exception
  when unique_violation then return '{"outcome": "failed", "rule": "another stands in its place"}';
  when data_exception or integrity_constraint_violation then return '{"outcome": "failed", "rule": "no row that can be here"}';
  when sqlstate 'MEPTH' or sqlstate 'MEBIG' or sqlstate 'MEQTA' or sqlstate 'MEVEC' then
    return jsonb_build_object('outcome', 'failed', 'rule', sqlerrm);
end $$;

ALTER FUNCTION memoranda_private.import_row(p memoranda_private.place, p_row jsonb, p_restore boolean, p_value bytea, p_template bytea) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.import_rows(p_subject jsonb, p_rows jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  owner_    uuid := as_id('user', p_subject -> 'user');
  dry       boolean := coalesce((p_subject ->> 'dry_run')::boolean, false);
  before    text;
  outcomes  jsonb;
begin
  if owner_ is null or p_subject - array['user', 'tenant', 'scope', 'scope_id', 'restore', 'dry_run'] <> '{}'
     or jsonb_typeof(p_rows) is distinct from 'array' or jsonb_array_length(p_rows) > 1000 then
    raise exception using errcode = 'MEINP', message = 'an import names a user, and may name a tenant and a scope; it has up to 1000 rows';
  end if;
  before := erasure_lend(jsonb_build_object('sub', owner_)::text, null);
  begin
    outcomes := import_all(import_enter(p_subject - array['user', 'restore', 'dry_run']), p_rows,
                           coalesce((p_subject ->> 'restore')::boolean, false));
    if dry then
      raise exception using errcode = 'MEDRY', message = 'taken back';
    end if;
  exception when sqlstate 'MEDRY' then null;
  end;
  perform erasure_lend(before, null);
  return outcomes;
end $$;

ALTER FUNCTION memoranda_private.import_rows(p_subject jsonb, p_rows jsonb) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.import_said(p memoranda_private.place, p_id uuid, p_row jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.import_said(p memoranda_private.place, p_id uuid, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_tombstone(p memoranda_private.place, p_hash bytea, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if exists (select from facts f where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
                and f.value_hash = p_hash and f.status in ('confirmed', 'pending')) then
    return '{"outcome": "kept", "rule": "its value is in force here, or waits"}';
  end if;
  insert into tombstones (tenant_id, owner_id, scope, scope_id, value_hash, key)
  values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_hash, coalesce(p_row ->> 'key', '')) on conflict do nothing;
  return case when found then '{"outcome": "stored"}'::jsonb else '{"outcome": "duplicate", "rule": "same value"}' end;
end $$;

ALTER FUNCTION memoranda_private.import_tombstone(p memoranda_private.place, p_hash bytea, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.import_vector(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f    facts := fact_of(p, (p_row ->> 'fact_id')::uuid);
  v    vec := vector_in(p_row ->> 'vector', p_row ->> 'model');
begin
  if f.id is null then
    return '{"outcome": "failed", "rule": "its fact is not here"}';
  elsif exists (
      select from vectors x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)
      union all
      select from vectors_aside x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                      = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)
      union all
      select from unembeddable x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id)
                                     = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id)) then
    return '{"outcome": "duplicate", "rule": "same id"}';
  elsif v is null then
    insert into unembeddable (tenant_id, owner_id, scope, scope_id, model, fact_id, reason, at)
    values (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_row ->> 'model', f.id, p_row ->> 'refused', (p_row ->> 'at')::timestamptz)
        on conflict do nothing;
  elsif coalesce((p_row ->> 'aside')::boolean, false) then
    perform index_aside(array[f], array[v], p_row ->> 'model');
  else
    perform index_vectors(array[f], array[v], p_row ->> 'model');
  end if;
  return '{"outcome": "restored"}';
end $$;

ALTER FUNCTION memoranda_private.import_vector(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_aside(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  insert into vectors_aside (tenant_id, owner_id, scope, scope_id, model, fact_id, vector)
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id, f.unnest
    from unnest(p_facts, p_vectors) as f                   -- whose last column, the vector, is named after the function
   where f.unnest is not null
      on conflict do nothing
$$;

ALTER FUNCTION memoranda_private.index_aside(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_from_aside(f memoranda_private.facts, p_from uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.index_from_aside(f memoranda_private.facts, p_from uuid) OWNER TO memoranda_rules;

CREATE TABLE memoranda_private.messages (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid NOT NULL,
    chat text NOT NULL,
    message_id text,
    turn uuid,
    role text NOT NULL,
    author text,
    content text NOT NULL,
    data jsonb NOT NULL,
    said_at timestamp with time zone,
    expires_at timestamp with time zone,
    tainted boolean NOT NULL,
    run_id text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    edited_at timestamp with time zone,
    deleted_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    CONSTRAINT messages_author_check CHECK (((char_length(author) >= 1) AND (char_length(author) <= 200))),
    CONSTRAINT messages_chat_check CHECK ((char_length(chat) <= 200)),
    CONSTRAINT messages_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT messages_check1 CHECK (((deleted_at IS NULL) OR ((content = ''::text) AND (data = '{}'::jsonb) AND (author IS NULL)))),
    CONSTRAINT messages_content_check CHECK ((char_length(content) <= 1000000)),
    CONSTRAINT messages_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT messages_message_id_check CHECK (((message_id IS NOT NULL) AND ((char_length(message_id) >= 1) AND (char_length(message_id) <= 200)))),
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'tool'::text]))),
    CONSTRAINT messages_said_at_check CHECK ((said_at IS NOT NULL)),
    CONSTRAINT messages_turn_check CHECK ((turn IS NOT NULL))
);

ALTER TABLE ONLY memoranda_private.messages FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.messages OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.index_messages(p_messages memoranda_private.messages[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.index_messages(p_messages memoranda_private.messages[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_pieces(m memoranda_private.messages, p_model text, p_pieces jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  insert into message_vectors (tenant_id, owner_id, scope, scope_id, model, message_id, piece, short, long, signs, live)
  select m.tenant_id, m.owner_id, m.scope, m.scope_id, p_model, m.id, n - 1, case when dimensions(v) <= 1024 then v end,
         case when dimensions(v) > 1024 then v end, case when dimensions(v) > 1024 then signs(v) end, live_in(null, m.expires_at)
    from (select n, vector_in(vector, p_model) as v from jsonb_array_elements_text(p_pieces) with ordinality as t (vector, n)) as made
      on conflict do nothing
$$;

ALTER FUNCTION memoranda_private.index_pieces(m memoranda_private.messages, p_model text, p_pieces jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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

ALTER FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.is_crowded(p_hits jsonb, p_share integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select exists (select from jsonb_array_elements(p_hits) as hit
                  where voice_of(hit) is not null group by voice_of(hit) having count(*) > p_share)
$$;

ALTER FUNCTION memoranda_private.is_crowded(p_hits jsonb, p_share integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.is_sound(f memoranda_private.facts, p_said text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(says_enough(plain(f.quote)) and position(plain(f.quote) in plain(p_said)) > 0
     and not exists (
       select from regexp_matches(f.content, '[0-9]+', 'g') as number
        where number[1] <> all (array(select n[1] from regexp_matches(f.quote, '[0-9]+', 'g') as n)))
     and not exists (
       select name[1] from regexp_matches(f.content collate pg_c_utf8, '[[:lower:]],? ([[:upper:]][[:alnum:]]+)', 'g') as name
        where position(plain(name[1]) in plain(f.quote)) = 0)
     and not exists (select from unnest(f.entities) as entity where position(plain(entity) in plain(f.quote)) = 0), false)
$$;

ALTER FUNCTION memoranda_private.is_sound(f memoranda_private.facts, p_said text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.is_statement(p_content text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select plain(p_content) ~ '\S\s+\S' or char_length(plain(p_content)) > 20 or octet_length(p_content) >= 2 * char_length(p_content) $$;

ALTER FUNCTION memoranda_private.is_statement(p_content text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.kept_of(f memoranda_private.facts) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_strip_nulls(jsonb_build_object(
    'key', f.key, 'kind', f.kind, 'source', f.source, 'importance', f.importance, 'tags', f.tags, 'metadata', f.metadata,
    'valid_from', f.valid_from, 'valid_until', f.valid_until, 'expires_at', f.expires_at))
$$;

ALTER FUNCTION memoranda_private.kept_of(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.key_days(p_tenant uuid) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce((select s.value::integer from settings s where s.name = 'key_days' and s.tenant_id in (p_tenant, nobody())
                    order by s.tenant_id = nobody() limit 1),
                  (select k.fallback::integer from settings_known() k where k.name = 'key_days'))
$$;

ALTER FUNCTION memoranda_private.key_days(p_tenant uuid) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.key_hash(p_tenant uuid, p_text text) RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select sha256(key_salt || sha256(key_salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;

ALTER FUNCTION memoranda_private.key_hash(p_tenant uuid, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.large_scopes_find(p_least integer) RETURNS TABLE(number integer, vectors bigint, dimensions integer)
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

CREATE FUNCTION memoranda_private.large_scopes_left() RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select format('drop index concurrently if exists memoranda_private.vectors_large_%s', u.number)
    from large_scopes_used() u where not exists (select from large_scopes l where l.number = u.number)
$$;

ALTER FUNCTION memoranda_private.large_scopes_left() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  l       large_scopes;
  chosen  uuid[];
  marked  integer;
begin
  select * into strict l from large_scopes where number = p_number;
  chosen := array(
    select v.fact_id from vectors v
     where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model) = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
       and v.large is distinct from p_number limit p_most);
  update vectors v set large = p_number
   where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model) = (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
     and v.fact_id = any (chosen);
  get diagnostics marked = row_count;
  return marked;
end $$;

ALTER FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_ready(p_number integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ update large_scopes set ready = true where number = p_number $$;

ALTER FUNCTION memoranda_private.large_scopes_ready(p_number integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_status(p_limits jsonb) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  with counted as (
    select count(*) as vectors,
           exists (select from large_scopes l where (l.tenant_id, l.owner_id, l.scope, l.scope_id, l.model)
                                                  = (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model) and l.ready) as ready
      from vectors v group by v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model
    having count(*) >= greatest(1, coalesce((p_limits ->> 'least')::integer, 20000)))
  select jsonb_build_object('indexed', count(*) filter (where ready), 'without', count(*) filter (where not ready),
                            'largest', coalesce(max(vectors) filter (where not ready), 0))
    from counted
$$;

ALTER FUNCTION memoranda_private.large_scopes_status(p_limits jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.large_scopes_used() RETURNS TABLE(number integer)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  select l.number from large_scopes l
   union
  select substring(c.relname from '^vectors_large_([0-9]+)$')::integer from pg_class c
   where c.relnamespace = 'memoranda_private'::regnamespace and c.relname ~ '^vectors_large_[0-9]+$'
$_$;

ALTER FUNCTION memoranda_private.large_scopes_used() OWNER TO memoranda_service;

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
    found := tsvector_to_array(to_tsvector('pg_catalog.english', regexp_replace(folded, '[^a-z0-9 ]+', ' ', 'g')));
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

CREATE FUNCTION memoranda_private.lift(f memoranda_private.facts) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  update tombstones t set lifted_at = clock_timestamp()
   where t.tenant_id = f.tenant_id and t.owner_id = f.owner_id and t.scope = f.scope and t.scope_id = f.scope_id
     and t.value_hash = f.value_hash and t.lifted_at is null
     and (f.key is null or t.key in (f.key, '') or is_statement(f.content));
  return found;
end $$;

ALTER FUNCTION memoranda_private.lift(f memoranda_private.facts) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.live_in(p_from timestamp with time zone, p_until timestamp with time zone) RETURNS tstzrange
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((p_from IS NULL) AND (p_until IS NULL)) THEN NULL::tstzrange WHEN (p_from >= p_until) THEN 'empty'::tstzrange ELSE tstzrange(p_from, p_until) END;

ALTER FUNCTION memoranda_private.live_in(p_from timestamp with time zone, p_until timestamp with time zone) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.lock_facts(p memoranda_private.place, p_keys text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  perform lock_key(p, key) from (select distinct k collate "C" as key from unnest(p_keys) as k where k is not null order by 1) as keys;
  if array_position(p_keys, null) is not null then
    perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('facts', p)::text, 0));
  end if;
end $$;

ALTER FUNCTION memoranda_private.lock_facts(p memoranda_private.place, p_keys text[]) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.locked(p memoranda_private.place, p_id uuid) RETURNS memoranda_private.facts
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  perform lock_facts(p, array[(fact_of(p, p_id)).key, (successor(p, p_id)).key, null]);
  return fact_of(p, p_id);
end $$;

ALTER FUNCTION memoranda_private.locked(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.log_facts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  call     jsonb := coalesce(nullif(current_setting('memoranda.call', true), ''), '{"actor": "system"}');
  me       uuid := uid();
  made     jsonb := nullif(current_setting('memoranda.decisions', true), '');
  unmoved  uuid[] := '{}';
  linked   uuid[] := '{}';                  -- in force until now, and another that is in force takes their place
begin
  if tg_op = 'UPDATE' then
    linked := array(select n.id from before b join written n using (tenant_id, owner_id, scope, scope_id, id)
                     where (b.status, n.status) = ('confirmed', 'superseded'));
    unmoved := array(select id from before natural join (select tenant_id, owner_id, scope, scope_id, id, version from written) as same);
  end if;
  insert into revisions (tenant_id, owner_id, scope, scope_id, subject, subject_id, version, verb, state, replaces,
                         actor, user_id, role, run_id, tool_call_id, reason, decision, at)
  select n.tenant_id, n.owner_id, n.scope, n.scope_id, 'fact', n.id, n.version,
         case n.status when 'pending' then 'proposed' when 'superseded' then case when n.id = any (linked) then 'superseded' else 'merged' end
           when 'confirmed' then case when tg_op = 'UPDATE' then 'approved' when n.supersedes is null then 'saved' else 'corrected' end
           else n.status end,
         to_jsonb(n) - array['value_hash', 'template_hash', 'line', 'holds_until'], n.supersedes, call ->> 'actor', me, current_setting('role'),
         call ->> 'run_id', call ->> 'tool_call_id', call ->> 'reason', made -> n.id::text, n.updated_at
    from written n where n.id <> all (unmoved);
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

CREATE FUNCTION memoranda_private.made_by(p memoranda_private.place, p_id uuid, p_runs text[], p_put boolean) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select exists (
    select from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', p_id) and r.run_id = any (p_runs)
       and (not p_put or r.verb in ('saved', 'corrected', 'approved') and r.decision ->> 'rule' is distinct from 'undone'))
$$;

ALTER FUNCTION memoranda_private.made_by(p memoranda_private.place, p_id uuid, p_runs text[], p_put boolean) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.message_heard(m memoranda_private.messages) RETURNS text
    LANGUAGE sql STABLE
    RETURN concat_ws(' '::text, to_char(((m).said_at AT TIME ZONE 'UTC'::text), 'FMDD FMMonth YYYY'::text), (m).author, (m).content);

ALTER FUNCTION memoranda_private.message_heard(m memoranda_private.messages) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.message_near(p_id uuid, p_distance integer) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN ((((('x'::text || "right"((p_id)::text, 8)))::bit(32))::integer + p_distance) >= 0) THEN (("left"((p_id)::text, 28) || lpad(to_hex((((('x'::text || "right"((p_id)::text, 8)))::bit(32))::integer + p_distance)), 8, '0'::text)))::uuid ELSE NULL::uuid END;

ALTER FUNCTION memoranda_private.message_near(p_id uuid, p_distance integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.message_out(m memoranda_private.messages) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN jsonb_build_object('id', (m).message_id, 'ref', (m).id, 'chat', NULLIF((m).chat, ''::text), 'turn', (m).turn, 'role', (m).role, 'author', (m).author, 'text', (m).content, 'data', (m).data, 'at', (m).said_at, 'expires_at', (m).expires_at, 'tainted', (m).tainted, 'version', (m).version, 'edited_at', (m).edited_at, 'withdrawn_at', (m).withdrawn_at, 'tenant', (m).tenant_id, 'scope', (m).scope, 'scope_id', (m).scope_id, 'run_id', (m).run_id);

ALTER FUNCTION memoranda_private.message_out(m memoranda_private.messages) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.message_problem(p_message jsonb, p_longest integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.message_problem(p_message jsonb, p_longest integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.message_ref(p memoranda_private.place, p_chat text, p_number bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select (left(name_id('chat', jsonb_build_array(p.tenant_id, p.owner_id, p.scope, p.scope_id, p_chat)::text)::text, 28)
            || lpad(to_hex(greatest(0, least(p_number, 2147483647))), 8, '0'))::uuid
$$;

ALTER FUNCTION memoranda_private.message_ref(p memoranda_private.place, p_chat text, p_number bigint) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.message_vectors_put(p_place jsonb, p_pieces jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'write');
  model_  text := p_pieces ->> 'model';
  each    jsonb;
  m       messages;
  done    uuid[] := '{}';
  aside   integer := 0;
begin
  for each in select value from jsonb_array_elements(p_pieces -> 'vectors') loop
    select * into m from messages g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, (each ->> 'id')::uuid)
       and g.version = (each ->> 'version')::integer and g.deleted_at is null and g.role <> 'tool' for share;
    continue when not found;
    if each ? 'pieces' then
      perform index_pieces(m, model_, each -> 'pieces');
      done := done || m.id;
    else
      update work w set dead_at = now(), lease = null, failures = w.failures + 1,
             reason = coalesce(nullif(left(each ->> 'reason', 300), ''), 'refused')
       where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'embed', m.id);
      aside := aside + 1;
    end if;
  end loop;
  perform drop_work(p, 'embed', done);
  return jsonb_build_object('put', cardinality(done), 'set_aside', aside);
end $$;

ALTER FUNCTION memoranda_private.message_vectors_put(p_place jsonb, p_pieces jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.messages_list(p_place jsonb, p_said jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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

ALTER FUNCTION memoranda_private.messages_list(p_place jsonb, p_said jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.messages_recall(p_place jsonb, p_said jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  places  place[] := places_of(p_place, p_said);
  f       recall_filter := recall_filtered(places, p_said);
  k       integer := greatest(1, least(200, coalesce((p_said ->> 'limit')::numeric, 10)))::integer;
  pool    integer := greatest(60, 2 * k);
  beside  integer := greatest(0, least(5, coalesce((p_said ->> 'neighbours')::numeric, 0)))::integer;
  whose   text := p_said ->> 'model';
  near_   vec := vector_in(p_said ->> 'vector', p_said ->> 'model');
  lowest  double precision := p_said ->> 'min_similarity';
  asked   sparse := case when p_said ? 'text' then recall_asked(places, p_said ->> 'text') end;
  m       search_lane;                      -- what was found by meaning
  w       search_lane;                      -- and by words
  last    double precision;
  b       search_lane;                      -- what those found add to what is beside them, in `words`
  ids     uuid[];
begin
  if near_ is not null then
    select array_agg(place), array_agg(id), array_agg(similarity), null, null into m from recall_meaning(places, near_, whose, f, pool);
    last := (select min(s) from unnest(m.similarities) as s);
  end if;
  if asked is not null then
    select array_agg(place), array_agg(id), null, array_agg(words), array_agg(named) into w from recall_words(places, asked, f, pool);
  end if;
  -- (A message's neighbours as message_near has them, but each id is taken apart once.)
  with found as materialized (
    select place, left(max(id::text), 28) as chat, ('x' || right(max(id::text), 8))::bit(32)::integer as number,
           0.75 * coalesce(max(similarity) - last, 0) + 0.5 * coalesce(max(words), 0) as adds
      from (select * from unnest(m.at, m.ids, m.similarities, null::double precision[]) as l (place, id, similarity, words)
            union all select * from unnest(w.at, w.ids, null::double precision[], w.words)) as lanes
     group by place, id
  )
  select array_agg(place), array_agg((chat || lpad(to_hex(n), 8, '0'))::uuid), null, array_agg(near), null into b
    from (select place, chat, number + distance as n, sum(weight * adds) as near
            from found cross join (values (-3, 0.15), (-2, 0.3), (-1, 0.5), (0, 0), (1, 0.5), (2, 0.3), (3, 0.15)) as by_ (distance, weight)
           where number + distance >= 0
           group by 1, 2, 3) as spread;
  ids := array(select unnest(b.ids) union select n.id from recall_newest(places, f, k) as n where coalesce(cardinality(m.ids), 0) < k);
  return (
    with found as materialized (
      select place, id, max(similarity) as similarity, max(meaning_rank) as meaning_rank, max(words) as words, max(words_rank) as words_rank
        from (
          select place, id, similarity, ordinality as meaning_rank, null::double precision as words, null::bigint as words_rank
            from unnest(m.at, m.ids, m.similarities) with ordinality as l (place, id, similarity)
          union all
          select place, id, null, null, words, case when words > 0 then rank() over (order by words desc) end
            from unnest(w.at, w.ids, w.words) as l (place, id, words)) as lanes
       group by place, id
    ), heard as (
      select o.place, o.id, o.words, o.named, o.by_user, coalesce(s.near, 0) / (1 + o.length / 60.0) as near
        from recall_words_of(places, coalesce(asked, '{}/268435456'), ids) as o
        left join unnest(b.at, b.ids, b.words) as s (place, id, near) using (place, id)
       where (f.low is null or o.id < f.low[o.place] or o.id > f.high[o.place]) and (f.among is null or o.id in (select unnest(f.among)))
    ), compared as materialized (
      select h.*, s.similarity from heard h
        left join (select * from recall_similarities(places, near_, whose, ids) where near_ is not null) as s using (place, id)
    ), scored as (
      select c.*, 0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0) + c.near
                  + case when c.named > 0 then 0.15 else 0 end + case when c.by_user then 0.1 else 0 end as score
        from compared c
       where lowest is null or c.similarity >= lowest
       order by score desc, c.id limit 30 + k             -- more than k, where many have the same: then the newest go first
    ), ordered as (
      select s.*, g.g, found.meaning_rank, found.words_rank from scored s
        left join found using (place, id)
       cross join lateral (
         select g from messages g
          where g.tenant_id = places[s.place].tenant_id and g.owner_id = places[s.place].owner_id
            and g.scope = places[s.place].scope and g.scope_id = places[s.place].scope_id and g.id = s.id
            and g.deleted_at is null and coalesce(g.expires_at > now(), true) limit 1) as g
       order by s.score desc, (g.g).said_at desc, s.id limit k
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'message', message_out(o.g), 'similarity', o.similarity, 'score', o.score,
             'why', jsonb_build_object('meaning_rank', o.meaning_rank, 'words', o.words, 'words_rank', o.words_rank, 'named', o.named > 0,
                                       'near', o.near),
             'before', recall_beside(places[o.place], o.id, beside), 'after', recall_beside(places[o.place], o.id, -beside))
             order by o.score desc, (o.g).said_at desc, o.id), '[]')
      from ordered o);
end $$;

ALTER FUNCTION memoranda_private.messages_recall(p_place jsonb, p_said jsonb) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.names_count(p_product double precision) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN floor((p_product / (16)::double precision));

ALTER FUNCTION memoranda_private.names_count(p_product double precision) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.names_model(p_model text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((char_length(split_part(p_model, '/'::text, '-1'::integer)) >= 1) AND (char_length(split_part(p_model, '/'::text, '-1'::integer)) <= 4)) AND (translate(split_part(p_model, '/'::text, '-1'::integer), '0123456789'::text, ''::text) = ''::text) AND (((char_length(p_model) - char_length(split_part(p_model, '/'::text, '-1'::integer))) >= 2) AND ((char_length(p_model) - char_length(split_part(p_model, '/'::text, '-1'::integer))) <= 191)));

ALTER FUNCTION memoranda_private.names_model(p_model text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision DEFAULT 0.65) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return traits_decide(traits_of(p_old), traits_of(p_new), p_similarity, round((1 - (p_old <-> p_new))::numeric, 3)::double precision, p_threshold);
end $$;

ALTER FUNCTION memoranda_private.near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.near_enough(p_rejected boolean, p_distance double precision DEFAULT 0) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select case when not p_rejected then 0.65 when p_distance > 0.7 then 0.60 else 0.70 end::double precision $$;

ALTER FUNCTION memoranda_private.near_enough(p_rejected boolean, p_distance double precision) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.near_match(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) RETURNS memoranda_private.verdict
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  best    verdict;
  mine    traits;
  ids     uuid[] := '{}';
  alike   double precision[] := '{}';
  shaped  uuid[];
begin
  if p_vector is not null then
    select coalesce(array_agg(m.fact_id), '{}'), coalesce(array_agg(m.similarity), '{}') into ids, alike
      from search_meaning(array[p], p_vector, p_model, null, 8) as m where m.similarity > near_enough(false) - 0.15;
  end if;
  shaped := array(
    select g.id from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.template_hash = f.template_hash and g.kind = f.kind and g.status = 'confirmed' and g.id <> all (ids)
       and coalesce(g.valid_from <= now(), true) and coalesce(g.valid_until > now(), true) and coalesce(g.expires_at > now(), true)
     order by g.updated_at desc limit 3);
  if cardinality(ids) + cardinality(shaped) = 0 then
    return null;
  end if;
  mine := traits_of(f.content);
  with near (id, similarity) as materialized (
    select * from unnest(ids, alike)
    union all
    select s.id, 1 - (coalesce(v.short, v.long) <=> p_vector) from unnest(shaped) as s (id)
      left join vectors v on v.tenant_id = p.tenant_id and v.owner_id = p.owner_id and v.scope = p.scope and v.scope_id = p.scope_id
                         and v.model = p_model and v.fact_id = s.id
  ), read as materialized (
    select n.id, n.similarity, traits_decide(traits_of(g.content), mine, n.similarity, 1 - (g.content <-> f.content), near_enough(false)) as verdict
      from facts g join near n on n.id = g.id
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.id = any (ids || shaped) and g.kind = f.kind and g.status = 'confirmed' and char_length(g.content) <= 2000
  )
  select r.id, r.verdict ->> 'decision', r.similarity, r.verdict ->> 'threshold' into best
    from read r where r.verdict ->> 'decision' <> 'none'
   order by array_position(array['merge', 'supersede', 'propose'], r.verdict ->> 'decision'), r.similarity desc nulls last, r.id
   limit 1;
  return best;
end $$;

ALTER FUNCTION memoranda_private.near_match(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.near_tombstone(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) RETURNS memoranda_private.verdict
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  best       verdict;
  statement  boolean := is_statement(f.content);
  shape      bytea := shape_of(f);
begin
  select c.fact_id, 'near tombstone', c.similarity, j.verdict ->> 'threshold' into best
    from (
      select t.fact_id, g.content, 1 - (a.vector <=> p_vector) as similarity
        from tombstones t
        join facts g on g.tenant_id = t.tenant_id and g.owner_id = t.owner_id and g.scope = t.scope and g.scope_id = t.scope_id
                    and g.id = t.fact_id
        left join vectors_aside a on a.tenant_id = t.tenant_id and a.owner_id = t.owner_id and a.scope = t.scope
                                 and a.scope_id = t.scope_id and a.model = p_model and a.fact_id = t.fact_id
       where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id
         and t.lifted_at is null and t.value_hash <> f.value_hash
         and (f.key is null or t.key in (f.key, '') or statement)
         and (statement and a.vector <=> p_vector < 0.4 or t.template_hash = shape)
       order by a.vector <=> p_vector nulls last limit 12
    ) as c
   cross join lateral (
     select near_duplicate(c.content, f.content, c.similarity, near_enough(true, c.content <-> f.content)) as verdict offset 0) as j
   where j.verdict ->> 'decision' in ('merge', case when statement then 'propose' end)
      -- In another language names are spelled otherwise.
      or statement and j.verdict ->> 'rule' = 'name' and c.similarity >= near_enough(true, 1) and c.content <-> f.content > 0.7
   order by c.similarity desc nulls last limit 1;
  return best;
end $$;

ALTER FUNCTION memoranda_private.near_tombstone(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.norm(v memoranda_private.vec) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.l2_norm((v)::public.halfvec);

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
    RETURN btrim(regexp_replace(CASE WHEN (octet_length(p_text) = char_length(p_text)) THEN lower((p_text COLLATE pg_c_utf8)) ELSE replace(translate(NORMALIZE(lower((upper((NORMALIZE(regexp_replace(p_text, '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\U000E0000-\U000E0FFF]'::text, ''::text, 'g'::text), NFKD) COLLATE pg_c_utf8)) COLLATE pg_c_utf8)), NFKC), 'ıς'::text, 'iσ'::text), 'i̇'::text, 'i'::text) END, ' *[\u0001-\u001f\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][ \u0001-\u001f\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*|  +'::text, ' '::text, 'g'::text));

ALTER FUNCTION memoranda_private.plain(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.purge(p_limits jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  most    integer := greatest(1, least(10000, coalesce((p_limits ->> 'most')::integer, 100)));
  p       place;
  before  text;
  facts_  integer := 0;
  said    integer := 0;
  kept    integer := 0;
begin
  if p_limits - array['most', 'dry_run'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a purge has most and dry_run, and nothing else';
  end if;
  if coalesce((p_limits ->> 'dry_run')::boolean, false) then
    return purge_due() || jsonb_build_object('messages', purge_messages_due(), 'documents', purge_documents_due());
  end if;
  while facts_ < most loop
    p := purge_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    facts_ := facts_ + purge_at(p, most - facts_);
    perform erasure_lend(before, null);
  end loop;
  while facts_ + said < most loop
    p := purge_messages_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    said := said + purge_messages_at(p, most - facts_ - said);
    perform erasure_lend(before, null);
  end loop;
  while facts_ + said + kept < most loop
    p := purge_documents_place();
    exit when p.tenant_id is null;
    before := erasure_lend(case when p.owner_id <> nobody() then jsonb_build_object('sub', p.owner_id)::text end,
                           case when p.owner_id = nobody() then p.tenant_id end);
    kept := kept + purge_documents_at(p, most - facts_ - said - kept);
    perform erasure_lend(before, null);
  end loop;
  return jsonb_build_object('facts', facts_, 'messages', said, 'documents', kept,
                            'keys', case when facts_ + said + kept = 0 then purge_keys(most) else 0 end);
end $$;

ALTER FUNCTION memoranda_private.purge(p_limits jsonb) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.purge_at(p memoranda_private.place, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  ids   uuid[];
  keys  text[];
begin
  select array_agg(f.id), array_agg(f.key) into ids, keys from (
    select g.id, g.key from facts g
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and g.expires_at <= now()
     limit p_most) as f;
  if ids is null then
    return 0;
  end if;
  perform lock_facts(p, keys || null::text);             -- nobody replaces one of them meanwhile
  update tombstones t set fact_id = null, template_hash = null
   where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and t.fact_id = any (ids);
  perform erasure_do(p, ids, '{}');
  if cardinality(ids) < p_most then                      -- the last of them here: it reads every key of the place
    perform erasure_sweep(p);
  end if;
  return cardinality(ids);
end $$;

ALTER FUNCTION memoranda_private.purge_at(p memoranda_private.place, p_most integer) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.purge_documents_at(p memoranda_private.place, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  removed integer;
begin
  delete from documents d
   where (d.tenant_id, d.owner_id, d.scope, d.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and d.expires_at <= now()
     and d.id in (select due.id from documents due
                   where (due.tenant_id, due.owner_id, due.scope, due.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                     and due.expires_at <= now() limit p_most);
  get diagnostics removed = row_count;
  return removed;
end $$;

ALTER FUNCTION memoranda_private.purge_documents_at(p memoranda_private.place, p_most integer) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.purge_documents_due() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select count(*) from documents d where d.expires_at <= now() $$;

ALTER FUNCTION memoranda_private.purge_documents_due() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_documents_place() RETURNS memoranda_private.place
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select row(d.tenant_id, d.owner_id, d.scope, d.scope_id)::place from documents d where d.expires_at <= now() limit 1
$$;

ALTER FUNCTION memoranda_private.purge_documents_place() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_due() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'facts', (select count(*) from facts f where f.expires_at <= now()),
    'keys', (select count(*) from idempotency_keys k where k.created_at < now() - interval '1 day'
                and greatest(k.created_at, k.erased_at) < now() - make_interval(days => key_days(k.tenant_id))))
$$;

ALTER FUNCTION memoranda_private.purge_due() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_keys(p_most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  removed integer;
begin
  delete from idempotency_keys k
   where (k.tenant_id, k.owner_id, k.scope, k.scope_id, k.key_hash) in (
     select old.tenant_id, old.owner_id, old.scope, old.scope_id, old.key_hash from idempotency_keys old
      where old.created_at < now() - interval '1 day'
        and greatest(old.created_at, old.erased_at) < now() - make_interval(days => key_days(old.tenant_id))
      order by old.created_at limit p_most);
  get diagnostics removed = row_count;
  return removed;
end $$;

ALTER FUNCTION memoranda_private.purge_keys(p_most integer) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_messages_at(p memoranda_private.place, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  ids  uuid[] := array(
    select m.id from messages m
     where (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and m.expires_at <= now()
     limit p_most);
begin
  perform erasure_lock(p.tenant_id, p.owner_id);         -- nobody gives one of them a vector meanwhile
  perform erasure_do(p, '{}', ids);
  return cardinality(ids);
end $$;

ALTER FUNCTION memoranda_private.purge_messages_at(p memoranda_private.place, p_most integer) OWNER TO memoranda_erasure;

CREATE FUNCTION memoranda_private.purge_messages_due() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select count(*) from messages m where m.expires_at <= now() $$;

ALTER FUNCTION memoranda_private.purge_messages_due() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_messages_place() RETURNS memoranda_private.place
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select row(m.tenant_id, m.owner_id, m.scope, m.scope_id)::place from messages m where m.expires_at <= now() limit 1
$$;

ALTER FUNCTION memoranda_private.purge_messages_place() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.purge_place() RETURNS memoranda_private.place
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select row(f.tenant_id, f.owner_id, f.scope, f.scope_id)::place from facts f where f.expires_at <= now() limit 1
$$;

ALTER FUNCTION memoranda_private.purge_place() OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.put_back(p memoranda_private.place, p_fact memoranda_private.facts, p_over uuid, p_runs text[]) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f  facts := p_fact;
  t  tombstones := tombstone_of(f);
begin
  if t.value_hash is not null and not made_by(p, t.fact_id, p_runs, false) then
    return null;
  end if;
  perform lift(f);
  f.id := gen_random_uuid();
  f.status := 'confirmed';
  f.supersedes := p_over;
  f.superseded_by := null;
  f.holds_until := null;
  f.proposes := null;
  perform facts_put(p, array[f], null, null, array[jsonb_build_object(f.id, jsonb_build_object('rule', 'undone', 'compared', p_fact.id))]);
  perform index_from_aside(f, p_fact.id);
  return f.id;
end $$;

ALTER FUNCTION memoranda_private.put_back(p memoranda_private.place, p_fact memoranda_private.facts, p_over uuid, p_runs text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.queue_work(p memoranda_private.place, p_kind text, p_subjects uuid[], p_lease uuid, p_seconds integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  insert into work (tenant_id, owner_id, scope, scope_id, kind, subject, user_id, due_at, lease)
  select p.tenant_id, p.owner_id, p.scope, p.scope_id, p_kind, subject, uid(),
         clock_timestamp() + make_interval(secs => case when p_lease is null then 0 else p_seconds end), p_lease
    from unnest(p_subjects) as subject
      on conflict (tenant_id, owner_id, scope, scope_id, kind, subject) do update
     set user_id = excluded.user_id, due_at = excluded.due_at, lease = excluded.lease, claims = 0, failures = 0, waits = 0,
         reason = null, dead_at = null
$$;

ALTER FUNCTION memoranda_private.queue_work(p memoranda_private.place, p_kind text, p_subjects uuid[], p_lease uuid, p_seconds integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall(p_place jsonb, p_asked jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  k        integer := greatest(1, least(200, coalesce((p_asked ->> 'limit')::numeric, 10)));
  share    integer := (k + 2) / 3;
  of_facts jsonb := p_asked - array['exclude_chat', 'neighbours'] || '{"track_use": false}';
  known    jsonb;
  said     jsonb;
begin
  if jsonb_typeof(p_asked) is distinct from 'object'
     or p_asked - array['text', 'vector', 'model', 'limit', 'scopes', 'exclude_chat', 'min_similarity', 'neighbours', 'track_use'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a recall has text, vector, model, limit, scopes, exclude_chat, min_similarity, '
      'neighbours and track_use, and nothing else';
  end if;
  known := facts_search(p_place, of_facts);
  if is_crowded(known, share) then
    known := known || facts_search(p_place, of_facts || jsonb_build_object('max_per_source', share, 'limit', 200));
  end if;
  said := messages_recall(p_place, p_asked - 'track_use');
  if is_crowded(said, share) then
    said := messages_recall(p_place, p_asked - 'track_use' || '{"limit": 200}');
  end if;
  return (
    with found as (
      select distinct on (value #>> '{fact,id}') value, (value ->> 'score')::double precision + 0.1 as score, 'fact' as kind
        from jsonb_array_elements(known)
      union all
      select value, (value ->> 'score')::double precision, 'message' from jsonb_array_elements(said)
    ), ranked as (
      select f.*, voice_of(value) is not null
                  and row_number() over (partition by voice_of(value) order by score desc, kind, value #>> '{fact,id}') > share as is_over
        from found f
    ), hits as (
      select * from ranked order by is_over, score desc, kind limit k
    ), counted as (
      select count_uses(places_of(p_place, p_asked), array_agg((value -> 'fact' ->> 'id')::uuid)) from hits
       where kind = 'fact' and (p_asked ->> 'track_use')::boolean is not false
    )
    select coalesce(jsonb_agg(value || jsonb_build_object('kind', kind, 'score', score) order by is_over, score desc, kind), '[]')
      from hits where (select count(*) from counted) is not null);
end $$;

ALTER FUNCTION memoranda_private.recall(p_place jsonb, p_asked jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_asked(p_places memoranda_private.place[], p_query text) RETURNS memoranda_private.sparse
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  words   text[] := asked_words(p_query);
  bits    sparse[] := words_bits(words);
  has     bigint[];
  parts   bigint[];
  texts   bigint[];
begin
  select array_agg(c.has), array_agg(c.parts), array_agg(c.texts) into has, parts, texts from (
    select (-(s.words <#> bits[1]))::bigint | coalesce((-(s.words <#> bits[2]))::bigint << 22, 0) as has, count(*) as parts,
           count(*) filter (where s.part = 0) as texts
      from unnest(p_places) as h
     cross join lateral (
       select t.words, t.part from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
        order by t.message_id, t.part limit 2000) as s
     group by 1) as c;
  return words_weighed(words, asked_names(p_query, '{}'), has, parts, texts, (select sum(n) from unnest(parts) as n) >= 2000);
end $$;

ALTER FUNCTION memoranda_private.recall_asked(p_places memoranda_private.place[], p_query text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_beside(p memoranda_private.place, p_id uuid, p_count integer) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
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

ALTER FUNCTION memoranda_private.recall_beside(p memoranda_private.place, p_id uuid, p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_filtered(p_places memoranda_private.place[], p_query jsonb) RETURNS memoranda_private.recall_filter
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f         recall_filter;
  of_roles  text[];
  first     timestamptz := p_query ->> 'since';
  last      timestamptz := p_query ->> 'until';
begin
  if jsonb_typeof(p_query) is distinct from 'object'
     or p_query - array['text', 'vector', 'model', 'limit', 'scopes', 'exclude_chat', 'roles', 'since', 'until', 'min_similarity',
                        'neighbours'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a recall has text, vector, model, limit, scopes, exclude_chat, roles, since, until, '
      'min_similarity and neighbours, and nothing else';
  end if;
  if jsonb_array_length(coalesce(p_query -> 'scopes', '[]')) > 20 then
    raise exception using errcode = 'MEINP', message = 'a recall is over at most 20 scopes';
  end if;
  if char_length(p_query ->> 'exclude_chat') not between 1 and 200 then
    raise exception using errcode = 'MEINP', message = 'a chat has 1 to 200 characters';
  end if;
  if p_query ->> 'exclude_chat' is not null then
    for n in 1 .. cardinality(p_places) loop
      f.low[n] := message_ref(p_places[n], p_query ->> 'exclude_chat', 0);
      f.high[n] := message_ref(p_places[n], p_query ->> 'exclude_chat', 2147483647);
    end loop;
  end if;
  if p_query ?| array['roles', 'since', 'until'] then
    of_roles := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'roles'));
    f.among := array(
      select m.id from unnest(p_places) as h
        join messages m on (m.tenant_id, m.owner_id, m.scope, m.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
       where m.deleted_at is null and (of_roles is null or m.role = any (of_roles))
         and (first is null or m.said_at >= first) and (last is null or m.said_at < last));
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.recall_filtered(p_places memoranda_private.place[], p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_filter memoranda_private.recall_filter, p_count integer) RETURNS TABLE(place integer, id uuid, similarity double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  marks  bit varying := case when dimensions(p_vector) > 1024 then signs(p_vector) end;
begin
  return query
    with nearest as materialized (                           -- or the planner may look for them anew for each vector
      select h.number, h.tenant_id, h.owner_id, h.scope, h.scope_id, near.message_id, near.piece, near.distance
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
       cross join lateral (
         select v.message_id, v.piece, case when marks is null then v.short <=> p_vector else v.signs::"bit" <~> marks::"bit" end as distance
           from message_vectors v
          where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
            and v.model = p_model and (v.live is null or v.live @> now())
            and (p_filter.low is null or v.message_id < p_filter.low[h.number] or v.message_id > p_filter.high[h.number])
            and (p_filter.among is null or v.message_id in (select unnest(p_filter.among)))
          order by distance, v.message_id, v.piece limit case when marks is null then 4 * p_count else greatest(400, 6 * p_count) end) as near
    ), compared as (
      select n.number, n.message_id, 1 - n.distance as similarity from nearest n where marks is null
      union all
      select n.number, n.message_id, 1 - w.distance
        from nearest n
       cross join lateral (
         select v.long <=> p_vector as distance from message_vectors v
          where v.tenant_id = n.tenant_id and v.owner_id = n.owner_id and v.scope = n.scope and v.scope_id = n.scope_id
            and v.model = p_model and v.message_id = n.message_id and v.piece = n.piece limit 1) as w
       where marks is not null
    )
    select c.number::integer, c.message_id, max(c.similarity) from compared c
     group by c.number, c.message_id order by 3 desc, 2 limit p_count;
end $$;

ALTER FUNCTION memoranda_private.recall_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_filter memoranda_private.recall_filter, p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_newest(p_places memoranda_private.place[], p_filter memoranda_private.recall_filter, p_count integer) RETURNS TABLE(place integer, id uuid)
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
       select m.id, m.said_at from messages m
        where m.tenant_id = h.tenant_id and m.owner_id = h.owner_id and m.scope = h.scope and m.scope_id = h.scope_id
          and m.said_at is not null and m.deleted_at is null and m.withdrawn_at is null and m.role <> 'tool'
          and m.content <> '' and coalesce(m.expires_at > now(), true)
          and (p_filter.low is null or m.id < p_filter.low[h.number] or m.id > p_filter.high[h.number])
          and (p_filter.among is null or m.id in (select unnest(p_filter.among)))
        order by m.said_at desc, m.id desc limit p_count) as n
     order by n.said_at desc, n.id desc limit p_count;
end $$;

ALTER FUNCTION memoranda_private.recall_newest(p_places memoranda_private.place[], p_filter memoranda_private.recall_filter, p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) RETURNS TABLE(place integer, id uuid, similarity double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, v.message_id, max(1 - (coalesce(v.short, v.long) <=> p_vector))
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
      join message_vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
       and v.model = p_model and v.message_id = any (p_ids)
     group by h.number, v.message_id;
end $$;

ALTER FUNCTION memoranda_private.recall_similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.recall_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_filter memoranda_private.recall_filter, p_count integer) RETURNS TABLE(place integer, id uuid, words double precision, named integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, best.message_id, words_score(best.product, best.length), names_count(best.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       (select p.message_id, p.product, p.length from (
          select t.message_id, t.length::integer as length, -(t.words <#> p_asked) as product from message_terms t
           where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.parts = 1
             and (t.live is null or t.live @> now())
             and (p_filter.low is null or t.message_id < p_filter.low[h.number] or t.message_id > p_filter.high[h.number])
             and (p_filter.among is null or t.message_id in (select unnest(p_filter.among)))
          offset 0) as p
         where p.product > 0
         order by words_score(p.product, p.length) + case when p.product >= 16 then 0.3 else 0 end desc, p.message_id limit p_count)
       union all
       select t.message_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.parts > 1
          and (t.live is null or t.live @> now())
          and (p_filter.low is null or t.message_id < p_filter.low[h.number] or t.message_id > p_filter.high[h.number])
          and (p_filter.among is null or t.message_id in (select unnest(p_filter.among)))
        group by t.message_id) as best
     where best.product > 0
     order by words_score(best.product, best.length) + case when best.product >= 16 then 0.3 else 0 end desc, best.message_id
     limit p_count;
end $$;

ALTER FUNCTION memoranda_private.recall_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_filter memoranda_private.recall_filter, p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.recall_words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) RETURNS TABLE(place integer, id uuid, words double precision, named integer, length integer, by_user boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, p.message_id, case when p.product > 0 then words_score(p.product, p.length) end, names_count(p.product), p.length,
           p.by_user
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select t.message_id, coalesce(sum(-(t.words <#> p_asked)), 0) as product, max(t.length)::integer as length,
              bool_or(t.by_user) as by_user
         from message_terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
          and t.message_id = any (p_ids) and (t.live is null or t.live @> now())
        group by t.message_id) as p;
end $$;

ALTER FUNCTION memoranda_private.recall_words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.reembed_as(p_tenant uuid, p_owner uuid, p_scope text) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case when p_scope = 'organization' then (select m.user_id from members m where m.tenant_id = p_tenant and m.permission = 'manage'
                                                   order by m.user_id limit 1)
              when p_owner = p_tenant or exists (select from members m where (m.tenant_id, m.user_id) = (p_tenant, p_owner)) then p_owner end
$$;

ALTER FUNCTION memoranda_private.reembed_as(p_tenant uuid, p_owner uuid, p_scope text) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.reembed_drop(p_change jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  model_  text := p_change ->> 'model';
  most    integer := greatest(1, least(10000, coalesce((p_change ->> 'most')::integer, 1000)));
  taken   integer;
  aside   integer;
  said    integer;
begin
  if model_ is null or exists (select from settings s where s.name = 'model' and s.value = to_jsonb(model_)) then
    raise exception using errcode = 'MECFL', message = 'the vectors of the model in force are not dropped';
  end if;
  delete from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id from vectors x where x.model = model_ limit most);
  get diagnostics taken = row_count;
  delete from vectors_aside v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.fact_id from vectors_aside x where x.model = model_ limit most);
  get diagnostics aside = row_count;
  delete from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.message_id, v.piece) in (
    select x.tenant_id, x.owner_id, x.scope, x.scope_id, x.model, x.message_id, x.piece from message_vectors x where x.model = model_ limit most);
  get diagnostics said = row_count;
  if taken + aside + said = 0 then
    delete from unembeddable u where u.model = model_;
    delete from large_scopes l where l.model = model_;
  end if;
  return jsonb_build_object('dropped', taken + aside + said);
end $$;

ALTER FUNCTION memoranda_private.reembed_drop(p_change jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.reembed_left(p_model text) RETURNS TABLE(tenant uuid, "user" uuid, scope text, scope_id text, facts bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select l.tenant_id, reembed_as(l.tenant_id, l.owner_id, l.scope), l.scope, l.scope_id, l.facts from (
  select f.tenant_id, f.owner_id, f.scope, f.scope_id, count(*) as facts
    from facts f
   where (f.status = 'confirmed' or f.holds_until > now()
          or exists (select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.fact_id)
                                                     = (f.tenant_id, f.owner_id, f.scope, f.scope_id, f.id)))
     and not exists (select from vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id)
                                               = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
     and not exists (select from vectors_aside a where (a.tenant_id, a.owner_id, a.scope, a.scope_id, a.model, a.fact_id)
                                                     = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
     and not exists (select from unembeddable u where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.model, u.fact_id)
                                                    = (f.tenant_id, f.owner_id, f.scope, f.scope_id, p_model, f.id))
   group by f.tenant_id, f.owner_id, f.scope, f.scope_id) as l
   where reembed_as(l.tenant_id, l.owner_id, l.scope) is not null
$$;

ALTER FUNCTION memoranda_private.reembed_left(p_model text) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.reembed_messages(p_change jsonb) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('places', coalesce(jsonb_agg(jsonb_build_object(
           'tenant', l.tenant_id, 'user', reembed_as(l.tenant_id, l.owner_id, l.scope), 'scope', l.scope, 'scope_id', l.scope_id)), '[]'))
    from (
      select t.tenant_id, t.owner_id, t.scope, t.scope_id from message_terms t
       where t.part = 0 and coalesce(upper(t.live) > now(), true)
         and not exists (select from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.message_id)
                                                           = (t.tenant_id, t.owner_id, t.scope, t.scope_id, p_change ->> 'model', t.message_id))
         and not exists (select from work w where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
                                                = (t.tenant_id, t.owner_id, t.scope, t.scope_id, 'embed', t.message_id))
       group by t.tenant_id, t.owner_id, t.scope, t.scope_id
      having reembed_as(t.tenant_id, t.owner_id, t.scope) is not null
       order by 1, 2, 3, 4 limit 100) as l
$$;

ALTER FUNCTION memoranda_private.reembed_messages(p_change jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.reembed_places(p_change jsonb) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('facts', coalesce(sum(l.facts), 0), 'places', coalesce(jsonb_agg(to_jsonb(l)) filter (where l.n <= 100), '[]'))
    from (select r.*, row_number() over (order by r.tenant, r."user", r.scope, r.scope_id) as n from reembed_left(p_change ->> 'model') as r) as l
$$;

ALTER FUNCTION memoranda_private.reembed_places(p_change jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.reembed_switch(p_change jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  model_  text := p_change ->> 'model';
  left_   bigint := coalesce((select sum(l.facts) from reembed_left(model_) as l), 0);
begin
  if names_model(model_) is not true then
    raise exception using errcode = 'MEVEC', message = 'a model is named with its length';
  end if;
  if left_ = 0 then
    insert into settings (tenant_id, name, value) values (nobody(), 'model', to_jsonb(model_))
    on conflict (tenant_id, name) do update set value = excluded.value, updated_at = clock_timestamp();
  end if;
  return jsonb_build_object('switched', left_ = 0, 'facts', left_);
end $$;

ALTER FUNCTION memoranda_private.reembed_switch(p_change jsonb) OWNER TO memoranda_service;

CREATE TABLE memoranda_private.tombstones (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    value_hash bytea NOT NULL,
    key text NOT NULL,
    fact_id uuid,
    template_hash bytea,
    refused integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_refused_at timestamp with time zone,
    lifted_at timestamp with time zone,
    CONSTRAINT tombstones_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
);

ALTER TABLE ONLY memoranda_private.tombstones FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tombstones OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.refuse(t memoranda_private.tombstones) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  update tombstones u set refused = u.refused + 1, last_refused_at = clock_timestamp()
   where (u.tenant_id, u.owner_id, u.scope, u.scope_id, u.value_hash, u.key)
       = (t.tenant_id, t.owner_id, t.scope, t.scope_id, t.value_hash, t.key)
$$;

ALTER FUNCTION memoranda_private.refuse(t memoranda_private.tombstones) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.refuse_rewriting() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  if current_user = 'memoranda_erasure' and tg_op = 'UPDATE' then      -- which may change who wrote to nobody, and no more
    return null;
  end if;
  raise exception using errcode = '42501', message = 'revisions are appended, never changed';
end $$;

ALTER FUNCTION memoranda_private.refuse_rewriting() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.replaced(p memoranda_private.place, p_id uuid) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f facts := fact_of(p, p_id);
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here to replace';
  end if;
  if f.status = 'superseded' then
    raise exception using errcode = 'MESUP', message = format('that fact was superseded already, by %s', f.superseded_by);
  end if;
  if f.status <> 'confirmed' then
    raise exception using errcode = 'MEGON', message = format('that fact is %s, and cannot be replaced', f.status);
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.replaced(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.restore_document(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  d    documents := jsonb_populate_record(null::documents, p_row || to_jsonb(p));
  old  documents;
begin
  select * into old from documents x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.key) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, d.key);
  if old.key is not null then
    return case when old = d then '{"outcome": "duplicate", "rule": "same key"}'::jsonb
                else '{"outcome": "differs", "rule": "the document was changed since"}' end;
  end if;
  insert into documents select d.*;
  return '{"outcome": "restored"}';
end $$;

ALTER FUNCTION memoranda_private.restore_document(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.restore_fact(p memoranda_private.place, f memoranda_private.facts) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  links  constant text[] := array['status', 'supersedes', 'superseded_by', 'holds_until', 'proposes'];
  g      facts := f;
  old    facts;
  later  boolean;
begin
  select * into old from facts x
   where x.tenant_id = p.tenant_id and x.owner_id = p.owner_id and x.scope = p.scope and x.scope_id = p.scope_id and x.id = f.id;
  if old.id is not null then
    later := old.superseded_by is null and f.superseded_by is not null and old.status = 'forgotten'
          or old.supersedes is null and f.supersedes is not null or old.proposes is null and f.proposes is not null;
    return case when to_jsonb(old) - links <> to_jsonb(f) - links or not later and to_jsonb(old) <> to_jsonb(f)
                then '{"outcome": "differs", "rule": "another fact has its id"}'::jsonb
                else jsonb_build_object('outcome', 'duplicate', 'rule', 'same id', 'later', later) end;
  end if;
  if f.superseded_by is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.superseded_by)) then
    g.status := 'forgotten';
    g.superseded_by := null;
    g.holds_until := null;
  end if;
  if f.supersedes is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id, x.superseded_by)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.supersedes, f.id)) then
    g.supersedes := null;
  end if;
  if f.proposes is not null and not exists (
       select from facts x where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id)
                               = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.proposes)) then
    g.proposes := null;
  end if;
  insert into facts select g.*;
  return jsonb_build_object('outcome', 'restored', 'later', to_jsonb(g) <> to_jsonb(f));
end $$;

ALTER FUNCTION memoranda_private.restore_fact(p memoranda_private.place, f memoranda_private.facts) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.restore_file(p memoranda_private.place, f memoranda_private.files) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  old files;
begin
  select * into old from files x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
  if old.id is not null then
    return case when old = f then '{"outcome": "duplicate", "rule": "same id"}'::jsonb
                else '{"outcome": "differs", "rule": "the file was changed since"}' end;
  end if;
  insert into files select f.*;
  return '{"outcome": "restored"}';
end $$;

ALTER FUNCTION memoranda_private.restore_file(p memoranda_private.place, f memoranda_private.files) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.restore_links(p memoranda_private.place, f memoranda_private.facts) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  old    facts;
begin
  if f.superseded_by is not null then
    update facts x set status = f.status, superseded_by = f.superseded_by, holds_until = f.holds_until
     where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and x.superseded_by is null and x.status = 'forgotten'
       and exists (select from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id)
                                           = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.superseded_by));
  end if;
  if f.supersedes is not null or f.proposes is not null then
    update facts x set
        supersedes = coalesce(x.supersedes, (
          select y.id from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id, y.superseded_by)
                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.supersedes, f.id))),
        proposes = coalesce(x.proposes, (
          select y.id from facts y where (y.tenant_id, y.owner_id, y.scope, y.scope_id, y.id)
                                       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.proposes)))
     where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and (x.supersedes, x.proposes) is distinct from (f.supersedes, f.proposes);
  end if;
  select * into old from facts x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
  return case when (old.superseded_by, old.supersedes, old.proposes) is not distinct from (f.superseded_by, f.supersedes, f.proposes)
              then '{"outcome": "restored"}'::jsonb else '{"outcome": "failed", "rule": "what it is linked to is not here"}' end;
end $$;

ALTER FUNCTION memoranda_private.restore_links(p memoranda_private.place, f memoranda_private.facts) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.restore_message(p memoranda_private.place, p_row jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.restore_message(p memoranda_private.place, p_row jsonb) OWNER TO memoranda_import;

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
    decision jsonb,
    at timestamp with time zone NOT NULL,
    CONSTRAINT revisions_actor_check CHECK ((actor = ANY (ARRAY['application'::text, 'model'::text, 'extractor'::text, 'import'::text, 'system'::text]))),
    CONSTRAINT revisions_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT revisions_subject_check CHECK ((subject = ANY (ARRAY['fact'::text, 'file'::text])))
);

ALTER TABLE ONLY memoranda_private.revisions FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.revisions OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.restore_revision(p memoranda_private.place, r memoranda_private.revisions) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  old revisions;
begin
  r.state := r.state || jsonb_build_object('tenant_id', p.tenant_id, 'owner_id', p.owner_id, 'scope', p.scope, 'scope_id', p.scope_id);
  select * into old from revisions x
   where (x.tenant_id, x.owner_id, x.scope, x.scope_id, x.subject, x.subject_id, x.version)
       = (p.tenant_id, p.owner_id, p.scope, p.scope_id, r.subject, r.subject_id, r.version);
  if old.subject_id is not null then
    return case when old = r then '{"outcome": "duplicate", "rule": "same id"}'::jsonb
                else '{"outcome": "differs", "rule": "another revision has its place"}' end;
  end if;
  insert into revisions select r.*;
  return '{"outcome": "restored"}';
end $$;

ALTER FUNCTION memoranda_private.restore_revision(p memoranda_private.place, r memoranda_private.revisions) OWNER TO memoranda_import;

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

CREATE FUNCTION memoranda_private.restore_run(p memoranda_private.place, r memoranda_private.runs) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into runs as x (tenant_id, owner_id, run_id, sources, first_at) values (p.tenant_id, uid(), r.run_id, r.sources, r.first_at)
  on conflict (tenant_id, owner_id, run_id)
  do update set sources = x.sources || array(select s from unnest(excluded.sources) as s where s <> all (x.sources))
   where not x.sources @> excluded.sources;
  return case when found then '{"outcome": "restored"}'::jsonb else '{"outcome": "duplicate", "rule": "same id"}' end;
end $$;

ALTER FUNCTION memoranda_private.restore_run(p memoranda_private.place, r memoranda_private.runs) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.restore_tombstone(p memoranda_private.place, t memoranda_private.tombstones) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into tombstones select t.* on conflict do nothing;
  return case when found then '{"outcome": "restored"}'::jsonb else '{"outcome": "duplicate", "rule": "same value"}' end;
end $$;

ALTER FUNCTION memoranda_private.restore_tombstone(p memoranda_private.place, t memoranda_private.tombstones) OWNER TO memoranda_import;

CREATE FUNCTION memoranda_private.review_approve(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p         place := enter(p_place, 'write');
  outcome   jsonb := begin_review(p, 'review_approve', p_target, p_call);
  f         facts;
  old       facts;
  same      facts;
  restored  boolean;
  embedded  boolean;
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  restored := lift(f);
  old := would_replace(p, f);
  same := case when old.value_hash = f.value_hash and covers(old, f) then old when f.proposes is null then exact_match(p, f, false) end;
  if same.id is not null and covers(same, f) then
    update facts g set status = 'superseded', superseded_by = same.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
    return end_write(p, p_call, jsonb_build_object('outcome', 'duplicate', 'rule', 'same value', 'id', same.id, 'version', same.version,
                                                   'seen', count_seen(p, same.id)));
  end if;
  if old.id is not null then
    update facts g set status = 'superseded', superseded_by = f.id
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, old.id);
  end if;
  update facts g set status = 'confirmed', supersedes = old.id
   where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
  returning * into f;
  if old.id is not null then
    perform give_way(p, array[old.id]);
  end if;
  perform index_terms(array[f]);
  embedded := index_from_aside(f, f.id);
  perform settle(p, f);
  return end_write(p, p_call, jsonb_strip_nulls(jsonb_build_object(
    'outcome', case when old.id is null then 'stored' else 'superseded' end, 'rule', 'approved', 'id', f.id, 'version', f.version,
    'supersedes', old.id, 'restored', nullif(restored, false), 'embedded', embedded)));
end $$;

ALTER FUNCTION memoranda_private.review_approve(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.review_counts(p_place jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'read');
begin
  return (select jsonb_build_object('pending', count(*)) from facts f
           where f.tenant_id = p.tenant_id and f.owner_id = p.owner_id and f.scope = p.scope and f.scope_id = p.scope_id
             and f.status = 'pending');
end $$;

ALTER FUNCTION memoranda_private.review_counts(p_place jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_review(p, 'review_edit', jsonb_build_array(p_target, p_fact - array['vector', 'model']), p_call);
  f        facts;
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  outcome := save_all(p, jsonb_build_array(kept_of(f) || (p_fact - array['key', 'supersedes']) || jsonb_strip_nulls(jsonb_build_object(
    'supersedes', case when f.key is null then (would_replace(p, f)).id end, 'origin', 'user'))), false, true) -> 0;
  if outcome ->> 'outcome' in ('stored', 'superseded', 'duplicate') then
    update facts g set status = 'superseded', superseded_by = (outcome ->> 'id')::uuid
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id)
       and g.status = 'pending';
  end if;
  return end_write(p, p_call, outcome);
end $$;

ALTER FUNCTION memoranda_private.review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.review_pending(p_place jsonb, p_query jsonb) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p place := enter(p_place, 'read');
begin
  if p_query - array['id', 'limit'] <> '{}' then
    raise exception using errcode = 'MEINP', message = 'a query has id and limit, and nothing else';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
             'fact', fact_out(w.f), 'decision', coalesce(r.decision, '{}'), 'actor', r.actor, 'run_id', r.run_id, 'reason', r.reason,
             'replaces', case when n.id is not null then fact_out(n) end, 'compared', case when c.id is not null then fact_out(c) end)
             order by (w.f).created_at, (w.f).id), '[]')
      from (
        select f from facts f
         where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
           and f.status = 'pending' and (p_query ->> 'id' is null or f.id = (p_query ->> 'id')::uuid)
         order by f.created_at, f.id
         limit greatest(1, least(200, coalesce((p_query ->> 'limit')::numeric, 20)))
      ) as w
      join revisions r on (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
                        = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', (w.f).id, (w.f).version)
     cross join lateral (select * from would_replace(p, w.f)) as n
     cross join lateral (select * from fact_of(p, (r.decision ->> 'compared')::uuid)) as c);
end $$;

ALTER FUNCTION memoranda_private.review_pending(p_place jsonb, p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.review_reject(p_place jsonb, p_target jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  outcome  jsonb := begin_review(p, 'review_reject', p_target, p_call);
  f        facts;
  gone     facts[];
begin
  if outcome is not null then
    return outcome;
  end if;
  f := waiting(p, id_in(p_target));
  with rejected as (
    update facts g set status = 'rejected'
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.status = 'pending' and (g.id = f.id or g.value_hash = f.value_hash and g.key is not distinct from f.key)
    returning g as fact)
  select array_agg(r.fact order by (r.fact).id <> f.id) into gone from rejected r;
  perform bury(gone);
  return end_write(p, p_call, jsonb_build_object('outcome', 'rejected', 'rule', 'reviewed', 'id', f.id, 'version', (gone[1]).version));
end $$;

ALTER FUNCTION memoranda_private.review_reject(p_place jsonb, p_target jsonb, p_call jsonb) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb, p_lenient boolean, p_approved boolean, p_ids uuid[] DEFAULT NULL::uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $_$
declare
  call       jsonb := current_setting('memoranda.call');
  actor      text := call ->> 'actor';
  limits     jsonb := settings_of(p.tenant_id);
  erased     bytea[] := sources_erased_since(p, (call ->> 'since')::timestamptz);
  large      boolean := jsonb_array_length(p_facts) > 100;
  most       bigint := limits -> 'facts';
  most_each  bigint := limits -> 'facts_per_source';
  held       bigint;
  held_each  jsonb := '{}';
  given      facts[];
  failures   jsonb;
  seen       jsonb;                         -- the values that were here before
  shapes     jsonb;                         -- and the templates of those in force, where many are saved
  buried     boolean;                       -- whether anything was rejected or forgotten here
  f          facts;
  d          decision;
  options    jsonb;
  v          vec;
  model      text;
  batch      facts[] := '{}';
  vectors    vec[] := '{}';
  keys       text[] := '{}';                -- of the batch, as its hashes
  hashes     bytea[] := '{}';
  decisions  jsonb[] := '{}';
  outcomes   jsonb[] := '{}';
begin
  if jsonb_path_exists(p_facts, '$[*] ? (@.restore == true || @.restore == "true")') and actor <> 'application' then
    raise exception using errcode = '42501', message = 'only the application''s own code brings back what was rejected';
  end if;
  select i.made, i.failures into given, failures from facts_in(p, p_facts, (limits -> 'fact_characters')::bigint, p_lenient) as i;
  perform lock_facts(p, array(
    select case when n.key is null and o ->> 'supersedes' is not null then (fact_of(p, (o ->> 'supersedes')::uuid)).key else n.key end
      from unnest(given) with ordinality as n, lateral (select p_facts -> (n.ordinality::integer - 1)) as given_ (o)));
  seen := (
    select coalesce(jsonb_object_agg(encode(h.value_hash, 'hex'), true), '{}') from (
      select g.value_hash from facts g
       where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
         and g.value_hash = any (array(select n.value_hash from unnest(given) as n))) as h);
  buried := exists (
    select from tombstones t
     where t.tenant_id = p.tenant_id and t.owner_id = p.owner_id and t.scope = p.scope and t.scope_id = p.scope_id and t.lifted_at is null);
  if large then
    shapes := (
      select coalesce(jsonb_object_agg(encode(h.template_hash, 'hex'), true), '{}') from (
        select g.template_hash from facts g
         where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
           and g.template_hash = any (array(select n.template_hash from unnest(given) as n)) and g.status = 'confirmed') as h);
  end if;

  for n in 1 .. cardinality(given) loop
    f := given[n];
    options := (p_facts -> (n - 1)) || case when p_approved then '{"approved": true}' else '{}' end::jsonb;
    if failures ? n::text then
      outcomes[n] := jsonb_build_object('outcome', 'failed', 'rule', failures ->> n::text);
      continue;
    elsif cardinality(erased) > 0 and key_hash(p.tenant_id, f.source) = any (erased) then
      outcomes[n] := '{"outcome": "rejected", "rule": "erased"}';
      continue;
    end if;
    if cardinality(batch) >= 500 or model is distinct from options ->> 'model' or options ->> 'supersedes' is not null
       or cardinality(batch) > 0 and (
         not large and options ->> 'dedup' is null or f.key = any (keys) or f.value_hash = any (hashes)) then
      perform facts_put(p, batch, vectors, model, decisions);
      seen := seen || (select coalesce(jsonb_object_agg(encode(hash, 'hex'), true), '{}') from unnest(hashes) as hash);
      batch := '{}';
      vectors := '{}';
      keys := '{}';
      hashes := '{}';
      decisions := '{}';
    end if;
    model := options ->> 'model';
    v := vector_in(options ->> 'vector', model);
    d := decide(p, f, options, waits(f, options, actor, limits ->> 'review'), seen ? encode(f.value_hash, 'hex'), buried,
                coalesce(options ->> 'dedup', 'full') = 'full' and coalesce(not large or shapes ? encode(f.template_hash, 'hex'), false),
                large, v, model);
    if d.outcome in ('rejected', 'pending') or d.outcome = 'duplicate' and d.rule = 'same value' then
      outcomes[n] := jsonb_strip_nulls(jsonb_build_object(
        'outcome', d.outcome, 'rule', d.rule, 'id', d.id, 'version', d.version, 'compared', d.compared, 'similarity', d.similarity,
        'threshold', d.threshold, 'seen', case when d.id is not null then count_seen(p, d.id) end));
      continue;
    end if;
    f.id := coalesce(p_ids[n], gen_random_uuid());
    f.status := case when d.outcome = 'duplicate' then 'superseded' when d.waits then 'pending' else 'confirmed' end;
    case f.status
      when 'superseded' then f.superseded_by := d.id;
      when 'pending' then f.proposes := d.replaces;
      else f.supersedes := d.replaces;
    end case;
    if f.status <> 'superseded' and (d.replaces is null or d.waits) then
      held := 1 + coalesce(held, facts_held(p, null));
      if held > most then
        raise exception using errcode = 'MEQTA', message = format('a scope holds at most %s facts', most);
      end if;
      if f.source is not null then
        held_each := held_each || jsonb_build_object(f.source, 1 + coalesce((held_each ->> f.source)::bigint, facts_held(p, f.source)));
        if (held_each ->> f.source)::bigint > most_each then
          raise exception using errcode = 'MEQTA', message = format('a scope holds at most %s facts of one source', most_each);
        end if;
      end if;
    end if;
    batch := batch || f;
    vectors := vectors || v;
    keys := keys || f.key;
    hashes := hashes || f.value_hash;
    decisions := decisions || jsonb_build_object(f.id, jsonb_strip_nulls(jsonb_build_object(
      'rule', d.rule, 'compared', coalesce(d.compared, d.replaces), 'similarity', d.similarity, 'threshold', d.threshold,
      'restored', nullif(d.restored, false))));
    outcomes[n] := jsonb_strip_nulls(jsonb_build_object(
      'outcome', case f.status when 'superseded' then 'duplicate' when 'pending' then 'pending'
                               else case when d.replaces is null then 'stored' else 'superseded' end end,
      'rule', d.rule, 'id', case f.status when 'superseded' then d.id else f.id end,
      'version', case f.status when 'superseded' then d.version when 'pending' then 1 else coalesce(d.replaces_version, 0) + 1 end,
      'supersedes', f.supersedes, 'compared', coalesce(d.compared, f.proposes), 'similarity', d.similarity, 'threshold', d.threshold,
      'restored', nullif(d.restored, false), 'seen', case f.status when 'superseded' then count_seen(p, d.id) end));
    if f.status = 'confirmed' and seen ? encode(f.value_hash, 'hex') then
      perform settle(p, f);
    end if;
  end loop;
  perform facts_put(p, batch, vectors, model, decisions);
  return to_jsonb(outcomes);
end $_$;

ALTER FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb, p_lenient boolean, p_approved boolean, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.says_enough(p_quote text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select case when p_quote ~ '[\u0e00-\u0e7f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]' then char_length(p_quote) >= 4
              else char_length(p_quote) >= 8 and position(' ' in p_quote) > 0 end
$$;

ALTER FUNCTION memoranda_private.says_enough(p_quote text) OWNER TO memoranda_rules;

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
  of_kinds   text[];
  with_tags  text[];
  first      timestamptz := p_query ->> 'since';
  last       timestamptz := p_query ->> 'until';
begin
  if not p_query ?| array['kinds', 'tags', 'since', 'until', 'metadata', 'min_importance'] then
    return null;
  end if;
  of_kinds := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'kinds'));
  with_tags := (select array_agg(value) from jsonb_array_elements_text(p_query -> 'tags'));
  return array(
    select f.id from unnest(p_places) as h
      join facts f on (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (h.tenant_id, h.owner_id, h.scope, h.scope_id)
     where (f.status = 'confirmed' or f.holds_until > now()) and (of_kinds is null or f.kind = any (of_kinds)) and (with_tags is null or f.tags @> with_tags)
       and (first is null or coalesce(f.valid_from, f.created_at) >= first) and (last is null or coalesce(f.valid_from, f.created_at) < last)
       and (p_query ->> 'min_importance' is null or f.importance >= (p_query ->> 'min_importance')::numeric)
       and (p_query -> 'metadata' is null or metadata_meets(f.metadata, p_query -> 'metadata')));
end $$;

ALTER FUNCTION memoranda_private.search_among(p_places memoranda_private.place[], p_query jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.search_asked(p_places memoranda_private.place[], p_query text, p_names text[]) RETURNS memoranda_private.sparse
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
declare
  words   text[] := asked_words(p_query);
  bits    sparse[] := words_bits(words);
  has     bigint[];
  parts   bigint[];
  texts   bigint[];
begin
  select array_agg(c.has), array_agg(c.parts), array_agg(c.texts) into has, parts, texts from (
    select (-(s.words <#> bits[1]))::bigint | coalesce((-(s.words <#> bits[2]))::bigint << 22, 0) as has, count(*) as parts,
           count(*) filter (where s.part = 0) as texts
      from unnest(p_places) as h
     cross join lateral (
       select t.words, t.part from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
        order by t.fact_id, t.part limit 500) as s
     group by 1) as c;
  return words_weighed(words, asked_names(p_query, p_names), has, parts, texts, (select sum(n) from unnest(texts) as n) >= 490);
end $$;

ALTER FUNCTION memoranda_private.search_asked(p_places memoranda_private.place[], p_query text, p_names text[]) OWNER TO memoranda_rules;

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
            and v.model = p_model and (v.live is null or v.live @> now())
            and (p_among is null or v.fact_id in (select unnest(p_among)))
          order by distance, v.fact_id limit p_count) as near      -- (by its name: said twice, it is computed twice)
       order by near.distance, near.fact_id limit p_count;
  else
    return query
      with near as materialized (                            -- or the planner may look for them anew for each vector
        select h.number, h.tenant_id, h.owner_id, h.scope, h.scope_id, closest.fact_id
          from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
         cross join lateral (
           select v.fact_id from vectors v
            where v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
              and v.model = p_model and (v.live is null or v.live @> now())
              and (p_among is null or v.fact_id in (select unnest(p_among)))
            order by v.signs::"bit" <~> marks::"bit", v.fact_id limit greatest(400, 2 * p_count)) as closest
      )
      select n.number::integer, n.fact_id, 1 - w.distance
        from near n
       cross join lateral (
         select v.long <=> p_vector as distance from vectors v
          where v.tenant_id = n.tenant_id and v.owner_id = n.owner_id and v.scope = n.scope and v.scope_id = n.scope_id
            and v.model = p_model and v.fact_id = n.fact_id limit 1) as w
       order by w.distance, n.fact_id limit p_count;
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
          and (f.status = 'confirmed' or f.holds_until is not null) and coalesce(f.holds_until > now(), true)
          and coalesce(f.valid_from <= now(), true) and coalesce(f.valid_until > now(), true) and coalesce(f.expires_at > now(), true)
          and (p_among is null or f.id in (select unnest(p_among)))
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
  asked        text[] := asked_words(p_query ->> 'text');
  names        text[] := asked_names(p_query ->> 'text', array(select jsonb_array_elements_text(p_query -> 'entities')));
  blend        boolean := (p_query ->> 'blend')::boolean is not false;
  each_source  numeric := case when p_query ->> 'max_per_source' is not null then greatest(1, (p_query ->> 'max_per_source')::numeric) end;
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
    ), weighed as (
      select j.*, (0.5 * coalesce(j.words, 0) + case when j.named > 0 then 0.125 else 0 end)
                  * case when blend then j.recency * j.importance else 1 end as score
        from judged j
    ), ordered as (
      select ranked.* from (
        select w.*, row_number() over (partition by (w.f).source order by w.score desc, (w.f).updated_at desc, (w.f).id) as of_source from weighed w
      ) as ranked
       where each_source is null or (ranked.f).source is null or ranked.of_source <= each_source
       order by ranked.score desc, (ranked.f).updated_at desc, (ranked.f).id
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

CREATE FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_among uuid[], p_count integer) RETURNS TABLE(place integer, fact_id uuid, words double precision, named integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, best.fact_id, words_score(best.product, best.length), names_count(best.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       (select p.fact_id, p.product, p.length from (
          select t.fact_id, t.length::integer as length, -(t.words <#> p_asked) as product from terms t
           where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and t.whole
             and (t.live is null or t.live @> now()) and (p_among is null or t.fact_id in (select unnest(p_among)))
          offset 0) as p
         where p.product > 0
         order by words_score(p.product, p.length) + case when p.product >= 16 then 0.25 else 0 end desc, p.fact_id limit p_count)
       union all
       select t.fact_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id and not t.whole
          and (t.live is null or t.live @> now()) and (p_among is null or t.fact_id in (select unnest(p_among)))
        group by t.fact_id) as best
     where best.product > 0
     order by words_score(best.product, best.length) + case when best.product >= 16 then 0.25 else 0 end desc, best.fact_id
     limit p_count;
end $$;

ALTER FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_among uuid[], p_count integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select sha256(salt || sha256(salt || convert_to(p_text, 'UTF8'))) from tenants where tenant_id = p_tenant $$;

ALTER FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.secret_hashes(p_tenant uuid, p_texts text[]) RETURNS bytea[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select array_agg(sha256(salt || sha256(salt || convert_to(t, 'UTF8'))) order by n)
    from tenants, unnest(p_texts) with ordinality as listed (t, n) where tenant_id = p_tenant
$$;

ALTER FUNCTION memoranda_private.secret_hashes(p_tenant uuid, p_texts text[]) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.set_aside(p memoranda_private.place, p_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  insert into vectors_aside (tenant_id, owner_id, scope, scope_id, model, fact_id, vector)
  select v.tenant_id, v.owner_id, v.scope, v.scope_id, v.model, v.fact_id, coalesce(v.short, v.long) from vectors v
   where (v.tenant_id, v.owner_id, v.scope, v.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and v.fact_id = any (p_ids)
      on conflict do nothing;
  perform unindex(p, p_ids);
end $$;

ALTER FUNCTION memoranda_private.set_aside(p memoranda_private.place, p_ids uuid[]) OWNER TO memoranda_rules;

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
  return settings_of(p.tenant_id);
end $$;

ALTER FUNCTION memoranda_private.settings_get(p_place jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.settings_known() RETURNS TABLE(name text, fallback jsonb, lowest numeric, highest numeric, choices jsonb)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  values ('fact_characters',  '100000'::jsonb, 1, 1000000, null::jsonb),
         ('facts',            '100000', 1, 10000000, null),
         ('facts_per_source', '50000', 1, 10000000, null),
         ('file_characters',  '100000', 1, 1000000, null),
         ('files',            '1000', 1, 100000, null),
         ('files_bytes',      '10000000', 1, 1000000000, null),
         ('key_days',         '30', 1, 3650, null),
         ('message_characters', '200000', 1, 1000000, null),
         ('model',            '""', null, null, '[]'),
         ('review',           '"untrusted"', null, null, '["untrusted", "all", "none"]')
$$;

ALTER FUNCTION memoranda_private.settings_known() OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.settings_of(p_tenant uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_object_agg(k.name, coalesce(own.value, everybodys.value, k.fallback))
    from settings_known() k
    left join settings own on own.name = k.name and own.tenant_id = p_tenant
    left join settings everybodys on everybodys.name = k.name and everybodys.tenant_id = nobody()
$$;

ALTER FUNCTION memoranda_private.settings_of(p_tenant uuid) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.settings_set(p_setting jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  named   uuid := as_id('tenant', p_setting -> 'tenant');
  tenant  uuid := coalesce(named, nobody());
  wanted  jsonb := p_setting -> 'value';
  known   record;
begin
  if named is null and coalesce(p_setting -> 'tenant', 'null') <> 'null' then      -- or it would be set for all
    raise exception using errcode = 'MEINP', message = 'a tenant is named by its id or its name';
  end if;
  select * into known from settings_known() k where k.name = p_setting ->> 'name';
  if known.name is null then
    raise exception using errcode = 'MEINP', message = 'there is no such setting';
  end if;
  if coalesce(wanted, 'null') = 'null' then
    delete from settings s where s.tenant_id = tenant and s.name = known.name;
    return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', null);
  end if;
  if known.name = 'model' then
    raise exception using errcode = 'MEINP', message = 'the model is set by a change of model';
  elsif known.choices is not null then
    if not known.choices @> jsonb_build_array(wanted) then
      raise exception using errcode = 'MEINP',
        message = format('%s is one of: %s', known.name, (select string_agg(value, ', ') from jsonb_array_elements_text(known.choices)));
    end if;
  elsif jsonb_typeof(wanted) <> 'number' or wanted::numeric not between known.lowest and known.highest
     or wanted::numeric <> trunc(wanted::numeric) then
    raise exception using errcode = 'MEINP',
      message = format('%s is a whole number from %s to %s', known.name, known.lowest, known.highest);
  end if;
  insert into settings (tenant_id, name, value) values (tenant, known.name, wanted)
  on conflict (tenant_id, name) do update set value = excluded.value, updated_at = clock_timestamp();
  return jsonb_build_object('tenant', tenant, 'name', known.name, 'value', wanted);
end $$;

ALTER FUNCTION memoranda_private.settings_set(p_setting jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.settle(p memoranda_private.place, f memoranda_private.facts) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  same uuid[] := array(
    select g.id from facts g
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
       and g.value_hash = f.value_hash and g.kind = f.kind and g.key is not distinct from f.key and g.status = 'pending' and g.id <> f.id);
begin
  if cardinality(same) > 0 then
    update facts g set status = 'superseded', superseded_by = f.id
     where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and g.id = any (same);
    delete from vectors_aside a
     where a.tenant_id = p.tenant_id and a.owner_id = p.owner_id and a.scope = p.scope and a.scope_id = p.scope_id and a.fact_id = any (same);
  end if;
end $$;

ALTER FUNCTION memoranda_private.settle(p memoranda_private.place, f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.shape_of(f memoranda_private.facts) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select coalesce(f.template_hash, case when char_length(f.content) <= 2000 then secret_hash(f.tenant_id, template_of(f.content)) end)
$$;

ALTER FUNCTION memoranda_private.shape_of(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.signs(v memoranda_private.vec) RETURNS bit varying
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.binary_quantize((v)::public.halfvec);

ALTER FUNCTION memoranda_private.signs(v memoranda_private.vec) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) RETURNS TABLE(place integer, fact_id uuid, similarity double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  if dimensions(p_vector) <= 1024 then
    return query
      select h.number::integer, v.fact_id, 1 - (v.short <=> p_vector)
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
        join vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
         and v.model = p_model and v.fact_id = any (p_ids);
  else
    return query
      select h.number::integer, v.fact_id, 1 - (v.long <=> p_vector)
        from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
        join vectors v on v.tenant_id = h.tenant_id and v.owner_id = h.owner_id and v.scope = h.scope and v.scope_id = h.scope_id
         and v.model = p_model and v.fact_id = any (p_ids);
  end if;
end $$;

ALTER FUNCTION memoranda_private.similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.sources_erased_since(p memoranda_private.place, p_time timestamp with time zone) RETURNS bytea[]
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select array(
    select e.source_hash from erasures e
     where (e.tenant_id, e.owner_id, e.scope, e.scope_id, e.what) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'source')
       and e.at >= p_time)
$$;

ALTER FUNCTION memoranda_private.sources_erased_since(p memoranda_private.place, p_time timestamp with time zone) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.stories(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) RETURNS TABLE(id uuid, version integer, at timestamp with time zone, successor uuid, until timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
declare
  seen  timestamptz := coalesce(p_moment.known_at, 'infinity');
begin
  return query
    with recursive known as (
      (select distinct on (r.subject_id) r.subject_id, r.version, r.verb, r.at from revisions r
        where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
          and r.subject = 'fact' and r.at <= seen and p_ids is null
        order by r.subject_id desc, r.version desc)       -- as the key has them, backwards
      union all
      (select distinct on (r.subject_id) r.subject_id, r.version, r.verb, r.at from revisions r
        where r.tenant_id = p.tenant_id and r.owner_id = p.owner_id and r.scope = p.scope and r.scope_id = p.scope_id
          and r.subject = 'fact' and r.at <= seen and p_ids is not null and r.subject_id = any (p_ids)
        order by r.subject_id desc, r.version desc)
    ), lined as (                                         -- what was in force once, by lines, and the last of each first
      select f.id, f.line, k.version, k.at, v.verb, f.superseded_by, coalesce(f.valid_from, '-infinity') as since,
             f.value_hash, f.valid_until, row_number() over by_line as place, first_value(v.verb) over by_line as ended
        from known k
        join (
          select g.id, coalesce(g.line, g.id) as line, g.superseded_by, g.valid_from, g.valid_until, g.value_hash, g.status, g.version
            from facts g
           where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id and p_ids is null
          union all
          select g.id, coalesce(g.line, g.id) as line, g.superseded_by, g.valid_from, g.valid_until, g.value_hash, g.status, g.version
            from facts g
           where g.tenant_id = p.tenant_id and g.owner_id = p.owner_id and g.scope = p.scope and g.scope_id = p.scope_id
             and p_ids is not null and g.id = any (p_ids)) as f on f.id = k.subject_id
       cross join lateral (                               -- what replaced it was erased: the log does not say so, and it never comes back
         select case when f.status = 'forgotten' and f.version = k.version then 'forgotten' else k.verb end) as v (verb)
       where k.verb in ('saved', 'corrected', 'approved', 'superseded', 'forgotten')
      window by_line as (partition by f.line order by k.version desc)
    ), reaching as (                                      -- how far back the same was said
      select l.*, max(l.place) over (partition by l.line, l.value_hash, l.since, l.valid_until) as reach
        from lined l where l.ended <> 'forgotten'
    ), struck as (
      select r.*, coalesce(max(r.reach) over (partition by r.line order by r.place rows between unbounded preceding and 1 preceding)
                             > r.place, false) as wrong
        from reaching r
    ), closed as materialized (
      select s.id, s.line, s.version, s.at, s.since, s.wrong, s.ended, s.place, not s.wrong and s.verb <> 'forgotten' as was,
             coalesce(lag(s.id) over in_line, case when s.verb = 'superseded' then s.superseded_by end) as successor,
             coalesce(min(s.since) filter (where not s.wrong) over (in_line rows between unbounded preceding and 1 preceding),
                      'infinity') as until
        from struck s
      window in_line as (partition by s.line order by s.place)
    ), linked as materialized (                           -- lines that end where their last fact was linked to one of another line
      select c.line, o.line as other, least(o.until, case when o.wrong then 'infinity' else o.since end) as until
        from closed c join closed o on o.id = c.successor
       where c.ended = 'superseded' and c.place = 1
    ), ends as (                                          -- until when each such line holds
      select l.line, l.until from linked l join closed c on c.line = l.other where c.place = 1 and c.ended <> 'superseded'
      union all
      select l.line, least(l.until, e.until) from ends e join linked l on l.other = e.line
    )
    select c.id, c.version, c.at, c.successor, nullif(c.until, 'infinity') from closed c
     where c.ended <> 'superseded' and c.was and c.until > p_moment.as_of
    union all
    select c.id, c.version, c.at, c.successor, least(c.until, e.until) from closed c join ends e on e.line = c.line
     where c.was and c.until > p_moment.as_of and e.until > p_moment.as_of;
end $$;

ALTER FUNCTION memoranda_private.stories(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.subjects(p_text text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
  select case when found is null then '{}' else array[found] end
    from substring(left(p_text, 300) collate pg_c_utf8 from
           '^(?:\[[^\]]*\] )?([[:upper:]][[:alnum:]''’-]*(?: [[:upper:]][[:alnum:]''’-]*){0,2}):(?:\s|$)') as found
$_$;

ALTER FUNCTION memoranda_private.subjects(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.successor(p memoranda_private.place, p_id uuid) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  last facts := fact_of(p, p_id);
begin
  while last.superseded_by is not null loop
    last := fact_of(p, last.superseded_by);
  end loop;
  return last;
end $$;

ALTER FUNCTION memoranda_private.successor(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.template_of(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$ select array_to_string((traits_of(p_text)).shape, ' ') $$;

ALTER FUNCTION memoranda_private.template_of(p_text text) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.tombstone_of(f memoranda_private.facts) RETURNS memoranda_private.tombstones
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  met tombstones;
begin
  select * into met from tombstones t
   where t.tenant_id = f.tenant_id and t.owner_id = f.owner_id and t.scope = f.scope and t.scope_id = f.scope_id
     and t.value_hash = f.value_hash and t.lifted_at is null
     and (f.key is null or t.key in (f.key, '') or is_statement(f.content))
   order by t.key = coalesce(f.key, '') desc limit 1;
  return met;
end $$;

ALTER FUNCTION memoranda_private.tombstone_of(f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.traits_decide(o memoranda_private.traits, n memoranda_private.traits, p_similarity double precision, p_trigram double precision, p_threshold double precision) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  alike      constant double precision := 0.60;         -- with so many trigrams in common
  nearer     constant double precision := 0.15;         -- the cosine may be less by this
  other_words constant double precision := 0.50;        -- with fewer they are said in other words
  difference text := traits_differ(o, n);
  decision   text := 'none';
  rule       text;
  size       integer := cardinality(o.words);
begin
  if difference is null then
    if o.words = n.words and o.accents is not distinct from n.accents and size > 0 then
      decision := 'merge'; rule := 'words';
    elsif size = cardinality(n.words) and size > 3 and not o.spaceless and o.names = n.names and o.numbers = n.numbers and o.dates = n.dates
          and not o.negated and o.quantifiers = '{}' and not o.past
          and char_length(o.accents) is not distinct from char_length(n.accents)
          and exists (select from generate_series(1, size - 1) as at where o.words[at + 1 :] || o.words[: at] = n.words) then
      decision := 'merge'; rule := 'order';
    elsif p_similarity >= p_threshold or p_trigram >= alike and coalesce(p_similarity, 1) >= p_threshold - nearer then
      decision := 'propose'; rule := 'meaning';
    end if;
  elsif difference in ('negation', 'tense', 'quantifier') and p_similarity >= p_threshold and p_trigram < other_words then
    decision := 'propose'; rule := 'meaning';           -- `free`, `nothing to pay`: what is said otherwise may well be denied
  elsif difference in ('number', 'date') and o.shape = n.shape then
    case traits_track(o, n)
      when 'tracker' then decision := 'supersede'; rule := 'tracker';
      when 'doubtful' then decision := 'propose'; rule := 'template';
      else null;
    end case;
  end if;
  return jsonb_build_object('decision', decision, 'rule', coalesce(rule, difference, 'distance'), 'similarity', p_similarity,
                            'trigram', p_trigram, 'threshold', p_threshold);
end $$;

ALTER FUNCTION memoranda_private.traits_decide(o memoranda_private.traits, n memoranda_private.traits, p_similarity double precision, p_trigram double precision, p_threshold double precision) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.traits_differ(o memoranda_private.traits, n memoranda_private.traits) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  opposed  boolean := false;
  pole     text;
  head     integer := 0;
  tail     integer := 0;
  lo       integer := cardinality(o.words);
  ln       integer := cardinality(n.words);
  a        text;
  b        text;
  common   integer;
begin
  if o.poles <> '{}' and n.poles <> '{}' and o.poles <> n.poles then
    foreach pole in array o.poles loop
      if pole <> all (n.poles) and translate(pole, '+-', '-+') = any (n.poles) and translate(pole, '+-', '-+') <> all (o.poles) then
        opposed := true;
      end if;
    end loop;
  end if;
  if o.past <> n.past then
    return 'tense';
  elsif o.negated <> n.negated and not opposed then
    return 'negation';
  elsif opposed and o.negated = n.negated then
    return 'contradiction';
  elsif not (o.quantifiers <@ n.quantifiers and n.quantifiers <@ o.quantifiers) then
    return 'quantifier';
  end if;

  -- Where nothing but one place differs, that place tells.
  if o.words = n.words then
    return null;
  end if;
  if lo > 0 and ln > 0 then
    while head < least(lo, ln) and o.words[head + 1] = n.words[head + 1] loop
      head := head + 1;
    end loop;
    while tail < least(lo, ln) - head and o.words[lo - tail] = n.words[ln - tail] loop
      tail := tail + 1;
    end loop;
  end if;
  if head + tail > 0 and lo - head - tail <= 2 and ln - head - tail <= 2 then
    if lo - head - tail = 1 and ln - head - tail = 1 and o.kinds[head + 1] = 'w' and n.kinds[head + 1] = 'w' then
      a := o.words[head + 1];
      b := n.words[head + 1];
      if coalesce(guard_words() ->> a, '') = 'past' and b in ('is', 'are', 'has', 'have', 'does', 'do', 'ist', 'sind', 'hat', 'haben', 'wird', 'est', 'sont', 'a', 'ont', 'es', 'son', 'esta', 'estan', 'tiene', 'tienen',
                'e', 'sao', 'tem', 'есть', 'هو', 'هي', 'だ', 'です', 'いる', 'ある')
         or coalesce(guard_words() ->> b, '') = 'past' and a in ('is', 'are', 'has', 'have', 'does', 'do', 'ist', 'sind', 'hat', 'haben', 'wird', 'est', 'sont', 'a', 'ont', 'es', 'son', 'esta', 'estan', 'tiene', 'tienen',
                'e', 'sao', 'tem', 'есть', 'هو', 'هي', 'だ', 'です', 'いる', 'ある') then
        return 'tense';
      elsif head = 0 and o.opened and n.opened and guard_words() ->> a is null and guard_words() ->> b is null then
        return 'name';
      end if;
      common := 0;
      while common < least(char_length(a), char_length(b)) and substr(a, common + 1, 1) = substr(b, common + 1, 1) loop
        common := common + 1;
      end loop;
      if common > 1 and (a ~ '(?:ed|te|ten|ait|aient|aba|aban|ia|ian|ava|avam|iam|ou|d[iu]|t[iu]|yordu|[а-я]л[аои]?)$')
                     <> (b ~ '(?:ed|te|ten|ait|aient|aba|aban|ia|ian|ava|avam|iam|ou|d[iu]|t[iu]|yordu|[а-я]л[аои]?)$')
         and char_length(a) - common < 6 and char_length(b) - common < 6 and (common > 2 or ascii(a) between 1024 and 1279) then
        return 'tense';
      end if;
    elsif lo - head - tail = 1 and ln - head - tail = 0 and guard_words() ->> o.words[head + 1] = 'past'
       or ln - head - tail = 1 and lo - head - tail = 0 and guard_words() ->> n.words[head + 1] = 'past' then
      return 'tense';
    end if;
  end if;

  -- Names that only the one has, where the other has others.
  if o.names <> '{}' and n.names <> '{}' and not o.names <@ (n.names || n.words) and not n.names <@ (o.names || o.words)
     and exists (select from unnest(o.names) as name
                  where not exists (select from unnest(n.names || n.words) as other
                                     where name = other or ascii(name) > 12352 and (strpos(name, other) > 0 or strpos(other, name) > 0) or ascii(name) > 127 and left(name, greatest(3, char_length(name) - 3)) = left(other, greatest(3, char_length(name) - 3))))
     and exists (select from unnest(n.names) as name
                  where not exists (select from unnest(o.names || o.words) as other
                                     where name = other or ascii(name) > 12352 and (strpos(name, other) > 0 or strpos(other, name) > 0) or ascii(name) > 127 and left(name, greatest(3, char_length(name) - 3)) = left(other, greatest(3, char_length(name) - 3)))) then
    return 'name';
  end if;
  if not (o.units <@ n.units and n.units <@ o.units) and (cardinality(o.units) > 0 and cardinality(n.units) > 0) then
    return 'unit';
  elsif not (o.dates <@ n.dates and n.dates <@ o.dates) and (cardinality(o.dates) > 0 and cardinality(n.dates) > 0)
        and not (o.dates <@ n.dates or n.dates <@ o.dates) then
    return 'date';
  elsif not (o.numbers <@ (n.numbers || n.dates) and n.numbers <@ (o.numbers || o.dates)) then
    return 'number';                                    -- and no year that only the one calls a date
  elsif o.dates <> n.dates and lo = ln and not (o.dates <@ (n.dates || n.numbers) and n.dates <@ (o.dates || o.numbers)) then
    return 'date';
  end if;
  return null;
end $_$;

ALTER FUNCTION memoranda_private.traits_differ(o memoranda_private.traits, n memoranda_private.traits) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.traits_of(p_text text) RETURNS memoranda_private.traits
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  ascii       boolean := octet_length(p_text) = char_length(p_text);
  source      text := p_text;
  spaceless   boolean := false;
  accents     text;
  tokens      text[];
  folded      text[];
  words       text[] := '{}';
  kinds       text[] := '{}';
  shape       text[] := '{}';
  numbers     text[] := '{}';
  dates       text[] := '{}';
  units       text[] := '{}';
  names       text[] := '{}';
  quantifiers text[] := '{}';
  poles       text[] := '{}';
  capitals    text[] := '{}';                           -- words with a capital letter, which in German need not be names
  opened      boolean := false;
  negated     boolean := false;
  past        boolean := false;
  cased       boolean;
  german      boolean := false;
  turkish     boolean := false;
  romance     boolean := false;
  refused     boolean := false;                         -- by a `no`, which in Portuguese is none
  word        text;
  class       text;                                     -- what guard_words says of it: `main`, or `main:value`
  main        text;
  value       text;
  kind        text;
  before      text;                                     -- the kind of the token before
  last        text;                                     -- and the word
  next        text;
  monthed     boolean := false;
  i           integer := 0;
  n           integer;
begin
  if ascii then
    if strpos(source, '''t') > 0 then
      source := regexp_replace(regexp_replace(source, '\mcan''t\M', 'can not', 'gi'), 'n''t\M', ' not', 'gi');
    end if;
    if translate(source, '0123456789+#%$<>=@&*/\~^|?', '') = source then
      tokens := string_to_array(translate(source, '.,;:!"()[]{}-_`''' || E'\t\n\r', '                    '), ' ');
    else
      if source ~ '[0-9] [0-9]{3}' then
        source := regexp_replace(source, '\m([0-9]{1,3}) (?=[0-9]{3}\M)', '\1', 'g');
      end if;
      tokens := array(select m[1] from regexp_matches(source, '((?:(?<![0-9A-Za-z])-)?[0-9]+(?:[-.,:/''][0-9]+)*|[A-Za-z]+|[+#%$<>=@&*/\\~^|?])', 'g') as m);
    end if;
    folded := string_to_array(lower(array_to_string(tokens, ' ') collate pg_c_utf8), ' ');
  else
    source := translate(normalize(source, nfkc), '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९’', '012345678901234567890123456789''');
    if strpos(source, 'n''t') > 0 then
      source := regexp_replace(regexp_replace(source, '\mcan''t\M', 'can not', 'gi'), 'n''t\M', ' not', 'gi');
    end if;
    if source ~ '[0-9] [0-9]{3}' then
      source := regexp_replace(source, '\m([0-9]{1,3}) (?=[0-9]{3}\M)', '\1', 'g');
    end if;
    spaceless := source ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]';
    if spaceless then
      tokens := array(select m[1] from regexp_matches(source,
        '((?:(?<![0-9A-Za-z])[-−])?[0-9]+(?:[-.,:/''][0-9]+)*|[\u30a1-\u30fa\u30fc-\u30ff]+|[\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]'
        '|[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff]+|[+#%$<>=@&*/\\~^|?°€£¥₽₺±≤≥≠→№−\u2600-\u27bf\U0001f000-\U0001faff])', 'g') as m);
    else
      tokens := array(select m[1] from regexp_matches(source,
        '((?:(?<![0-9A-Za-z])[-−])?[0-9]+(?:[-.,:/''][0-9]+)*'
        '|[^\u0001-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u05be\u060c\u061b\u061f\u066a-\u066d\u06d4'
        '\u0964\u0965\u2000-\u2bff\u2e00-\u2e7f\u3001-\u303f\ufe30-\ufe6f\U0001f000-\U0001faff]+'
        '|[+#%$<>=@&*/\\~^|?°€£¥₽₺±≤≥≠→№−\u2600-\u27bf\U0001f000-\U0001faff])', 'g') as m);
    end if;
    word := lower(array_to_string(tokens, ' ') collate pg_c_utf8);
    accents := translate(word, ' абвгдежзиклмнопрстуфхцчшщъыьэюяabcdefghijklmnopqrstuvwxyz0123456789ß.,:%$€-', '');
    -- As fold() does, in one step: this is done for every candidate.
    folded := string_to_array(replace(translate(word,
      'àáâãäåāăąçćčďèéêëēĕėęěğģìíîïīĭįıķĺļľñńņňòóôõöōŏőøŕŗřśşšșţťțùúûüūŭůűųýÿžźżđłйёأإآٱؤئ'
      || U&'\0300\0301\0302\0303\0307\0308\030A\0327\0328\064B\064C\064D\064E\064F\0650\0651\0652\0670\0640\00AD\200B\200C\200D\200E\200F\2060\FEFF',
      'aaaaaaaaacccdeeeeeeeeeggiiiiiiiiklllnnnnooooooooorrrsssstttuuuuuuuuuyyzzzdlиеاااٱوي'), 'ß', 'ss'), ' ');
    turkish := translate(source, 'ğışİĞŞ', '') <> source;
    romance := translate(source, 'ãõÃÕ', '') <> source or strpos(source, 'suári') > 0;
  end if;
  cased := cardinality(folded) = cardinality(tokens);

  while i < cardinality(folded) loop
    i := i + 1;
    word := folded[i];
    continue when word = '';
    kind := 'w';
    if word >= '0' collate "C" and word < ':' collate "C" or left(word, 1) in ('-', '−') and char_length(word) > 1 then
      next := guard_words() ->> folded[i + 1];
      -- A number, a time or a date in figures.
      if translate(word, '0123456789', '') = '' then
        null;
      else
        word := translate(word, '−’', '-''');
        if strpos(word, ':') > 0 then
          kind := 'd';
          dates := dates || word;
        elsif word ~ '^(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2,4})$' then
          kind := 'd';
          dates := dates || array(select ltrim(part, '0') from regexp_split_to_table(word, '[-/.]') as part);
        elsif word ~ '^-?[0-9]{1,3}(?:([.,''])[0-9]{3})(?:\1[0-9]{3})+$' or word ~ '^-?[0-9]{1,3}(?:''[0-9]{3})+$' then
          word := translate(word, '.,''', '');
        elsif strpos(word, '.') > 0 and strpos(word, ',') > 0 and word ~ '^-?[0-9]{1,3}(?:[.,''][0-9]{3})*[.,][0-9]+$' then
          value := substring(word from '[0-9]+$');
          word := rtrim(rtrim(translate(left(word, -char_length(value)), '.,''', '') || '.' || value, '0'), '.');
        elsif word ~ '^-?[0-9]+[.,](?:[0-9]{1,2}|[0-9]{4,})$' then
          word := rtrim(rtrim(replace(word, ',', '.'), '0'), '.');
        end if;
      end if;
      if kind = 'd' then
        null;
      elsif monthed and before in ('d', 'r') and char_length(word) < 5
         or next like 'month:%' or next like 'abbreviated:%' or next in ('part', 'half:am', 'half:pm')
         or folded[i + 1] in ('de', 'of', 'st', 'nd', 'rd', 'th') and (guard_words() ->> folded[i + 2] like 'month:%' or folded[i + 2] = 'of')
         or char_length(word) = 4 and left(word, 2) in ('19', '20')
            and (folded[i + 1] in ('года', 'году', 'год') or turkish and folded[i + 1] in ('e', 'de', 'da', 'te', 'ta', 'den', 'dan', 'yilinda') or folded[i - 1] in
            ('in', 'since', 'until', 'till', 'from', 'by', 'seit', 'bis', 'ab', 'jahr', 'en', 'depuis', 'jusqu', 'desde', 'hasta', 'ate', 'em', 'de', 'с', 'до', 'в', 'от', 'к',
             '在', '到', '自', '从', '直到', 'عام', 'سنة', 'في', 'منذ', 'حتى')) then
        kind := 'd';
        dates := dates || ltrim(word, '0');
      else
        kind := 'n';
        numbers := numbers || case when char_length(word) > 4 and word ~ '^-?[0-9]{1,3}[.,][0-9]{3}$' then translate(word, '.,', '') else word end;
      end if;
    else
      if spaceless and ascii(word) > 12352 then
        n := (guard_starts() ->> word)::integer;
        if n is not null then
          for size in reverse least(n, cardinality(folded) - i + 1) .. 2 loop
            value := array_to_string(folded[i : i + size - 1], '');
            if guard_words() ? value or guard_trackers() ? value then
              word := value;
              i := i + size - 1;
              exit;
            end if;
          end loop;
        end if;
      end if;
      class := guard_words() ->> word;
      if class is null then
        if turkish and word ~ '(?:m[iu]yor(?:um|sun|uz|lar|du|dum)?|[aeiu]m[ae]z(?:lar|ler)?|[krtlnszypgcdv]m[ae]z(?:lar|ler)?|m[ae]di(?:m|n|k|lar|ler)?|m[ae]y[ae]n|m[ae]y[ae]c[ae]k|m[ae]d[ae]n)$' then
          negated := true;
        end if;
      else
        if strpos(class, 'turkish:') = 1 then
          class := case when turkish then substr(class, 9) else 'plain' end;
        end if;
        n := strpos(class, ':');
        value := case when n > 0 then substr(class, n + 1) end;
        main := case when n > 0 then left(class, n - 1) else class end;
        case main
          when 'german' then
            german := true;
          when 'romance' then
            romance := true;
          when 'user' then
            n := cardinality(words);
            if n > 0 and words[n] in ('der', 'die', 'dem', 'den', 'des', 'l', 'le', 'la', 'el', 'o', 'a', 'il') then
              words := trim_array(words, 1); kinds := trim_array(kinds, 1); shape := trim_array(shape, 1);
            end if;
          when 'negation' then
            if word = 'no' then
              refused := true;
            else
              negated := true;
            end if;
          when 'quantifier' then
            if value <> all (quantifiers) then
              quantifiers := quantifiers || value;
            end if;
          when 'accented' then
            if tokens[i] in ('só', 'Só') and cased and value <> all (quantifiers) then
              quantifiers := quantifiers || value;
            end if;
          when 'tense' then
            past := true;
          when 'until' then
            if array_to_string(folded[greatest(1, i - 3) : i + 2], ' ') ~ '[0-9]' then
              past := true;
            end if;
          when 'pole' then
            poles := poles || value;
          when 'number' then
            kind := 'n'; word := value;
            numbers := numbers || value;
          when 'month' then
            if before in ('n', 'd', 'r') or word not in ('may', 'march') or i > 1 and cased and ascii(tokens[i]) = 77 or folded[i + 1] ~ '^[0-9]' then
              kind := 'd'; word := 'm' || value; monthed := true;
              dates := dates || value;
            end if;
          when 'abbreviated' then
            if before in ('n', 'd', 'r') or folded[i + 1] ~ '^[0-9]' then
              kind := 'd'; word := 'm' || value; monthed := true;
              dates := dates || value;
            end if;
          when 'day' then
            kind := 'd'; word := value;
            dates := dates || value;
          when 'part' then
            if before = 'd' then
              kind := 'd'; monthed := true;
            end if;
          when 'half' then
            if before = 'd' then
              kind := 'd';
              dates := dates || value;
            end if;
          when 'rank' then
            if before in ('n', 'd') then
              before := 'r';
              continue;
            end if;
          when 'unit' then
            if before = 'n' or ascii(word) not between 97 and 122 and folded[i + 1] ~ '^[0-9]' then
              kind := 'u'; word := value;
              if value <> all (units) then
                units := units || value;
              end if;
            end if;
          else
            null;
        end case;
      end if;
      if word = 'used' and folded[i + 1] = 'to' and coalesce(last, '') not in ('is', 'are', 'am', 'be', 'get', 'gets', 'got', 'getting') then
        past := true;
      end if;
      if spaceless then
        if kind = 'w' and class is null and word ~ '^(?:[a-z]{2,}|[\u30a1-\u30fa\u30fc]{3,})$' then
          names := names || word;
        end if;
      elsif cased and kind = 'w' and tokens[i] <> word and left(tokens[i], 1) <> left(lower(tokens[i] collate pg_c_utf8), 1) and coalesce(class, '') <> 'user' and word not in ('i', 'ich') then
        if last is null then
          opened := true;
        else
          value := case when ascii(word) between 1024 and 1279 then coalesce((ts_lexize('pg_catalog.russian_stem', left(word, 100)))[1], word) else word end;
          if last in ('heisst', 'namens', 'in', 'nach', 'aus', 'frau', 'herr', 'herrn') then
            names := names || value;
          else
            capitals := capitals || value;
          end if;
        end if;
      end if;
    end if;
    continue when word = 'the';
    words := words || word;
    kinds := kinds || kind;
    if kind in ('n', 'd') then
      if before is null or before not in ('n', 'd', 'r') then
        shape := shape || '#'::text;
      end if;
    elsif kind = 'w' and before = 'n' and char_length(word) > 3 and ascii(word) < 1280 then
      shape := shape || case
        when ascii(word) < 123 then coalesce((ts_lexize('pg_catalog.english_stem', left(word, 100)))[1], word)
        else regexp_replace(coalesce((ts_lexize('pg_catalog.russian_stem', left(word, 100)))[1], word), '[ое]([кнцлр])$', '\1') end;
    else
      shape := shape || word;
    end if;
    before := kind;
    last := word;
  end loop;

  if not german then
    names := names || capitals;
  end if;
  if translate(p_text, '"“„«「『《`', '') <> p_text then
    names := names || array(select fold(m[1]) from regexp_matches(p_text, '["“„«「『《`]\s*([^"“”„«»」』》`]{1,100}?)\s*["“”»」』》`]', 'g') as m);
  end if;
  return row(words, kinds, shape, numbers, dates, units, names, opened, quantifiers, poles,
             negated or refused and not romance, past, spaceless, nullif(accents, ''),
             p_text ~ '^[^:：]*[^:：0-9][:：]\s*[-+]?[0-9][^:：]*$')::traits;
end $_$;

ALTER FUNCTION memoranda_private.traits_of(p_text text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.traits_track(o memoranda_private.traits, n memoranda_private.traits) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $_$
declare
  known    jsonb := guard_trackers();
  cue      boolean := false;
  head     boolean := false;
  state    boolean := false;
  have     boolean := false;
  counted  boolean;
  person   boolean := false;
  event    boolean := false;
  moved    boolean := false;                            -- a quantity did
  dated    boolean := false;
  size     integer := cardinality(o.words);
  word     text;
  at       integer;
  entry    jsonb;
begin
  if size <> cardinality(n.words) then
    return 'doubtful';
  end if;
  for i in 1 .. size loop
    entry := known -> o.words[i];
    if o.words[i] ~ '[а-я]{2}л(?:[аои]|ся|ась|ось|ись)?$' and entry is null
       or i > size - 3 and o.words[i] in ('た', '了', '过', '過', 'ました')
       or i = size and o.words[i] ~ '[a-z]{3}[dt][iu]$' and entry is null
       or entry ? 'event' or i > 1 and o.words[i] ~ '[a-z]{2}[^e]ed$' and entry is null
          and o.words[i - 1] not in ('is', 'are', 'has', 'have', 'be', 'been') then
      event := true;
    end if;
    if guard_words() ->> o.words[i] = 'user' then
      person := true;
    end if;
    if entry is not null then
      cue := cue or entry ? 'cue';
      head := head or entry ? 'head';
      state := state or entry ? 'state' and ascii(o.words[i]) > 1023;
      have := have or entry ? 'have' or o.words[i] in ('有', 'いる', 'います', 'ある', 'あります');
    end if;
  end loop;
  if o.words[1] = 'as' and o.words[2] = 'of' or o.words[1] in ('au', 'stand') and o.kinds[2] <> 'w' then
    cue := true;
  end if;
  if o.words[size] = 'var' or o.words[1] in ('у', 'в', 'на') then
    state := true;
  end if;

  for i in 1 .. size loop
    continue when o.words[i] = n.words[i];
    if o.kinds[i] <> n.kinds[i] then
      return 'doubtful';
    elsif o.kinds[i] = 'd' then
      dated := true;
      continue;
    elsif o.kinds[i] <> 'n' then
      continue;                                         -- the counted noun, in another form: the shapes are equal
    end if;
    at := i - 1;
    while at > 0 and known -> o.words[at] ? 'filler' and not coalesce(known -> o.words[at] ? 'have', false) loop
      at := at - 1;
    end loop;
    word := case when at > 0 then o.words[at] end;
    entry := known -> o.words[i + 1];
    counted := coalesce(o.kinds[i + 1] = 'u' or entry ? 'counted', false);
    if i > 1 and o.kinds[i - 1] = 'w' and char_length(o.words[i - 1]) < 4 and o.words[i - 1] = any (o.names) then
      return 'other';                                   -- BA 117
    elsif o.words[i] ~ '^0[0-9]|[0-9][-/][0-9]|^[0-9]{7,}$|[a-z]|\..*\.' or n.words[i] ~ '^0[0-9]|[0-9][-/][0-9]|^[0-9]{7,}$|[a-z]|\..*\.' then
      return 'other';
    elsif coalesce(entry ? 'named' and not counted, false) or i > 1 and coalesce(known -> o.words[i - 1] ? 'named', false)
          and not coalesce(known -> o.words[i - 1] ? 'progress', false) and not head then
      return 'other';
    end if;
    if exists (select from unnest(o.words[1:i]) as earlier where known -> earlier ? 'relative' and earlier not in ('der', 'die', '的'))
       or i > 1 and o.words[i - 1] in ('der', 'die') or o.words[i + 2] in ('の', '的') and o.words[i + 1] in ('y') or o.words[i + 1] = 'y' and have then
      return 'doubtful';
    elsif event and not cue then
      return 'doubtful';
    elsif exists (select from unnest(o.words[1:at]) as earlier where known -> earlier ? 'named' and not coalesce(known -> earlier ? 'counted', false)
                                                                  and not coalesce(known -> earlier ? 'head', false)) and not counted then
      return 'doubtful';                                -- a code or a number that something has
    end if;
    if word is not null and coalesce(known -> word ? 'progress', false) then
      moved := true;                                    -- on page 120
    elsif '%' in (o.words[i + 1], o.words[i - 1]) and (head or exists (
            select from unnest(o.words[1:at]) as earlier where known -> earlier ? 'state' or earlier ~ '^[а-я]{4,}[аеоя]н[аоы]?$')) then
      moved := true;                                    -- filled to 62 %
    elsif o.words[1] in ('у', 'لدى', 'لديه', 'لديها') and least(char_length(o.words[i]), char_length(n.words[i])) > 2 then
      moved := true;                                    -- those who have stand between
    elsif (cue or o.labelled and n.labelled and (head or counted or exists (
            select from unnest(o.words[1:at]) as earlier where known -> earlier ? 'counted'))) and (i = size or i = size - 1) then
      moved := true;                                    -- so far: 18200
    elsif i >= size - 2 and counted and not person and o.words[size] in ('かかる', 'かかります', 'suruyor', 'surer') then
      moved := true;
    elsif not person and word ~ 'ed$' and o.words[at - 1] in ('has', 'have') then
      moved := true;                                    -- has raised 7300 dollars
    elsif word is not null and (coalesce(known -> word ? 'state', false) or coalesce(known -> word ? 'have', false)) then
      if o.words[i - 1] in ('at', 'to', 'a', 'um', 'auf', 'bei', 'de', 'en', 'con', 'com', 'على', 'الى') and o.words[i - 1] <> word and not counted and char_length(o.words[i]) < 3 and not head and not cue then
        return 'doubtful';                              -- is at 9: may be a time
      elsif person and coalesce(known -> word ? 'have', false) and not cue and o.kinds[i + 1] is distinct from 'u'
            and least(char_length(o.words[i]), char_length(n.words[i])) < 3 then
        return 'doubtful';                              -- two cats, three cats
      end if;
      if o.kinds[i + 1] = 'u' and o.words[i + 1] = 'y' and coalesce(guard_words() ->> o.words[at - 1] <> 'user', true) then
        return 'doubtful';                              -- a son of 3 and a son of 5
      elsif i = size and not head and not cue and not coalesce(known -> word ? 'have', false) then
        return 'doubtful';                              -- a locker is 12: a number, and of nothing
      end if;
      moved := true;
    elsif person and have and not cue and least(char_length(o.words[i]), char_length(n.words[i])) < 3 and (state or head) and not head then
      return 'doubtful';
    elsif head and (counted or i = size or at > 0 and o.kinds[i + 1] = 'w' and state) then
      moved := true;
    elsif (state or cue) and (counted or o.kinds[i + 1] = 'w' and 'var' = o.words[size]) then
      moved := true;
    elsif counted and o.kinds[i + 1] = 'w' and (at = 0 or ascii(o.words[1]) between 1024 and 1279) then
      moved := true;                                    -- 14 tickets are open
    else
      return 'doubtful';
    end if;
  end loop;
  if dated and not cue then
    return 'doubtful';
  end if;
  return case when moved or dated then 'tracker' else 'doubtful' end;
end $_$;

ALTER FUNCTION memoranda_private.traits_track(o memoranda_private.traits, n memoranda_private.traits) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) OWNER TO memoranda_rules;

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
  return jsonb_build_object('outcome', 'undone', 'runs', runs, 'files', undo_files(p, runs), 'facts', undo_facts(p, runs),
                            'messages', undo_messages(p, runs));
end $$;

ALTER FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  gone      uuid[];                         -- what they put out of force, and
  since     timestamptz[];                  -- when
  made      uuid[];                         -- and into force
  f         facts;
  next      facts;                          -- what took its place,
  last      facts;                          -- and stands there in the end
  current   facts;                          -- what is in force under its key
  over      uuid;
  put       uuid;
  back      uuid[] := '{}';
  spared    uuid[] := '{}';
  restored  text[] := '{}';
  removed   text[] := '{}';
  kept      text[] := '{}';
begin
  perform lock_facts(p, (
    select array_agg(distinct g.key) || array[null] from revisions r
      join facts g on g.tenant_id = r.tenant_id and g.owner_id = r.owner_id and g.scope = r.scope and g.scope_id = r.scope_id
                  and g.id = r.subject_id
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs)));
  -- What they proposed, and nobody has approved of.
  for f in
    update facts g set status = 'forgotten' from revisions r
     where (g.tenant_id, g.owner_id, g.scope, g.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id) and g.status = 'pending'
       and (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', g.id, g.version) and r.run_id = any (p_runs)
    returning g.*
  loop
    removed := removed || coalesce(f.key, f.id::text);
  end loop;

  with theirs as materialized (
    select r.subject_id, r.verb, r.replaces, r.at from revisions r
     where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact')
       and r.run_id = any (p_runs) and r.decision ->> 'rule' is distinct from 'undone'
  ), put_in as (
    select t.subject_id as id, min(t.at) as at from theirs t where t.verb in ('saved', 'corrected', 'approved') group by 1
  ), put_out as (
    select o.id, min(o.at) as at
      from (select t.replaces as id, t.at from theirs t where t.verb in ('corrected', 'approved')
            union all
            select t.subject_id, t.at from theirs t where t.verb in ('superseded', 'forgotten')) as o
     where o.id is not null and o.id not in (select id from put_in)
     group by 1
  )
  select array(select id from put_in order by at, id), array(select id from put_out order by at, id),
         array(select at from put_out order by at, id) into made, gone, since;

  for n in 1 .. cardinality(gone) loop
    f := fact_of(p, gone[n]);
    current := fact_in_force(p, f.key);
    next := fact_of(p, f.superseded_by);
    last := successor(p, f.id);
    over := null;
    if current.id is not null and not made_by(p, current.id, p_runs, true) then
      kept := kept || f.key;
      continue;
    elsif next.id is not null and made_by(p, next.id, p_runs, true) then
      if not made_by(p, last.id, p_runs, true) or last.status <> 'confirmed' and not (
           select r.run_id = any (p_runs) is true from revisions r
            where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id, r.version)
                = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', last.id, last.version)) then
        kept := kept || coalesce(last.key, last.id::text);
        continue;
      end if;
      over := case when last.status = 'confirmed' then last.id end;
    end if;
    over := coalesce(current.id, over);
    continue when not exists (                             -- it never was in force
        select from revisions r
         where (r.tenant_id, r.owner_id, r.scope, r.scope_id, r.subject, r.subject_id)
             = (p.tenant_id, p.owner_id, p.scope, p.scope_id, 'fact', f.id) and r.verb in ('saved', 'corrected', 'approved'))
      or over is null and exists (                         -- it has come back since
        select from facts g
         where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.value_hash) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.value_hash)
           and g.key is not distinct from f.key and g.version = 1 and g.created_at > since[n] and g.status <> 'pending'
           and g.id <> all (made));
    put := put_back(p, f, over, p_runs);
    if put is not null then
      restored := restored || coalesce(f.key, put::text);
      back := back || put;
    else
      kept := kept || coalesce(f.key, f.id::text);
      spared := spared || over;
    end if;
  end loop;

  for n in 1 .. cardinality(made) loop
    f := fact_of(p, made[n]);
    last := successor(p, f.id);
    if f.status = 'confirmed' and f.id <> all (spared) then
      update facts g set status = 'forgotten'
       where (g.tenant_id, g.owner_id, g.scope, g.scope_id, g.id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, f.id);
      perform give_way(p, array[f.id]);
      removed := removed || coalesce(f.key, f.id::text);
    elsif last.status = 'confirmed' and last.id <> all (back || made) then
      kept := kept || coalesce(last.key, last.id::text);
    end if;
  end loop;
  return jsonb_build_object('restored', restored, 'removed', removed, 'kept', array(select distinct name from unnest(kept) as name));
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

CREATE FUNCTION memoranda_private.undo_messages(p memoranda_private.place, p_runs text[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.undo_messages(p memoranda_private.place, p_runs text[]) OWNER TO memoranda_rules;

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

CREATE FUNCTION memoranda_private.unindex_messages(p memoranda_private.place, p_ids uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  delete from message_terms t where (t.tenant_id, t.owner_id, t.scope, t.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                                and t.message_id = any (p_ids);
  delete from message_vectors v where (v.tenant_id, v.owner_id, v.scope, v.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
                                  and v.message_id = any (p_ids);
$$;

ALTER FUNCTION memoranda_private.unindex_messages(p memoranda_private.place, p_ids uuid[]) OWNER TO memoranda_rules;

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
    AS $$
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
  if names_model(p_model) is not true or dimensions(made) <> split_part(p_model, '/', -1)::integer then
    raise exception using errcode = 'MEVEC', message = 'a vector comes with the name of its model, which ends in its length';
  end if;
  if norm(made) = 0 then
    raise exception using errcode = 'MEVEC', message = 'a vector of zeros has no direction';
  end if;
  return made;
end $$;

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

ALTER FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.voice_of(p_hit jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN (p_hit ? 'message'::text) THEN CASE WHEN (((p_hit #>> '{message,tainted}'::text[]))::boolean AND ((p_hit #>> '{message,role}'::text[]) <> 'user'::text)) THEN ('run '::text || COALESCE((p_hit #>> '{message,run_id}'::text[]), ''::text)) ELSE NULL::text END WHEN (((p_hit #>> '{fact,tainted}'::text[]))::boolean OR ((p_hit #>> '{fact,origin}'::text[]) = ANY (ARRAY['tool'::text, 'assistant'::text]))) THEN ('source '::text || COALESCE((p_hit #>> '{fact,source}'::text[]), ''::text)) ELSE NULL::text END;

ALTER FUNCTION memoranda_private.voice_of(p_hit jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.waiting(p memoranda_private.place, p_id uuid) RETURNS memoranda_private.facts
    LANGUAGE plpgsql
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  f facts := locked(p, p_id);
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such fact here';
  end if;
  if f.status <> 'pending' then
    raise exception using errcode = 'MESET', message = format('that fact is %s; nothing of it waits', f.status);
  end if;
  return f;
end $$;

ALTER FUNCTION memoranda_private.waiting(p memoranda_private.place, p_id uuid) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.waits(f memoranda_private.facts, p_options jsonb, p_actor text, p_policy text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select not coalesce((p_options ->> 'approved')::boolean, false) and (coalesce((p_options ->> 'review')::boolean, false) or case p_policy
    when 'all' then true
    when 'none' then false
    else f.tainted or f.origin in ('tool', 'assistant', 'import') or p_actor = 'import'
      or p_actor in ('model', 'extractor') and not is_sound(f, p_options ->> 'said') end)
$$;

ALTER FUNCTION memoranda_private.waits(f memoranda_private.facts, p_options jsonb, p_actor text, p_policy text) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.whoami() RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object('user', uid(), 'role', current_setting('role'), 'tenants', my_tenants(),
                            'manages', tenants_with('manage'), 'bound', row_security_active('tenants'))
$$;

ALTER FUNCTION memoranda_private.whoami() OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.words_bits(p_words text[]) RETURNS memoranda_private.sparse[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
begin
  return (
    select array[('{' || string_agg(place || ':' || bit, ',' order by place) filter (where n <= 22) || '}/268435456')::sparse,
                 ('{' || string_agg(place || ':' || bit, ',' order by place) filter (where n > 22) || '}/268435456')::sparse]
      from (select dimension(word) as place, min(n) as n, 1 << (min(n)::integer - 1) % 22 as bit
              from unnest(p_words) with ordinality as w (word, n) group by 1) as bits);
end $$;

ALTER FUNCTION memoranda_private.words_bits(p_words text[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) RETURNS TABLE(place integer, fact_id uuid, words double precision, named integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
begin
  return query
    select h.number::integer, p.fact_id, words_score(p.product, p.length), names_count(p.product)
      from unnest(p_places) with ordinality as h (tenant_id, owner_id, scope, scope_id, number)
     cross join lateral (
       select t.fact_id, sum(-(t.words <#> p_asked)) as product, max(t.length)::integer as length from terms t
        where t.tenant_id = h.tenant_id and t.owner_id = h.owner_id and t.scope = h.scope and t.scope_id = h.scope_id
          and t.fact_id = any (p_ids)
        group by t.fact_id) as p
     where p.product > 0;
end $$;

ALTER FUNCTION memoranda_private.words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.words_score(p_product double precision, p_length integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((p_product - ((16)::double precision * floor((p_product / (16)::double precision)))) / ((1)::double precision + ((p_length)::double precision / (70)::double precision)));

ALTER FUNCTION memoranda_private.words_score(p_product double precision, p_length integer) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.words_weighed(p_words text[], p_names text[], p_has bigint[], p_parts bigint[], p_texts bigint[], p_sampled boolean) RETURNS memoranda_private.sparse
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  asked sparse;
begin
  with patterns as materialized (
    select * from unnest(p_has, p_parts, p_texts) as p (has, parts, texts)
  ), counted as (
    select w.word, (select sum(p.texts) from patterns p)::float8 as texts,
           coalesce((select sum(p.parts) from patterns p where p.has >> (w.n::integer - 1) & 1 = 1), 0)::float8 as with_it
      from unnest(p_words) with ordinality as w (word, n)
  ), rare as materialized (
    select c.word, ln(1 + greatest(0, c.texts - c.with_it + 0.5) / (c.with_it + 0.5)) as rarity
      from counted c where c.with_it > 0 or p_sampled
  ), weighed as (
    select dimension(r.word) as place, r.rarity / (select sum(rarity) from rare) as weight from rare r
    union all
    select dimension('@' || name), 16 from unnest(p_names) as name
  )
  select ('{' || string_agg(place || ':' || weight, ',' order by place) || '}/268435456')::sparse into asked
    from (select place, max(weight) as weight from weighed group by place) as placed;
  return asked;
end $$;

ALTER FUNCTION memoranda_private.words_weighed(p_words text[], p_names text[], p_has bigint[], p_parts bigint[], p_texts bigint[], p_sampled boolean) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.work_claim(p_place jsonb, p_work jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p        place := enter(p_place, 'write');
  made     uuid := gen_random_uuid();
  of_      text[] := (select array_agg(value) from jsonb_array_elements_text(p_work -> 'kinds'));
  seconds  integer := greatest(1, least(3600, coalesce((p_work ->> 'lease')::integer, 120)));
  taken    jsonb;
begin
  perform check_claim(p_work);
  with due as materialized (
    select w.kind, w.subject from work w
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
       and w.dead_at is null and w.due_at <= now() and (of_ is null or w.kind = any (of_))
     order by w.due_at limit greatest(1, least(1000, coalesce((p_work ->> 'most')::integer, 50)))
       for update skip locked
  ), leased as (
    update work w set claims = w.claims + 1, lease = made, due_at = clock_timestamp() + make_interval(secs => seconds), user_id = uid(),
           dead_at = case when w.claims >= (work_limits()).claims then now() end,
           reason = case when w.claims >= (work_limits()).claims then 'taken too often without coming to an end' else w.reason end
      from due
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind, w.subject)
         = (p.tenant_id, p.owner_id, p.scope, p.scope_id, due.kind, due.subject)
    returning w)
  select jsonb_agg(work_out(l.w) order by (l.w).created_at) filter (where (l.w).dead_at is null) into taken from leased l;
  return coalesce(taken, '[]');
end $$;

ALTER FUNCTION memoranda_private.work_claim(p_place jsonb, p_work jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.work_done(p_place jsonb, p_work jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p  place := enter(p_place, 'write');
begin
  perform drop_work(p, p_work ->> 'kind', array(select value::uuid from jsonb_array_elements_text(p_work -> 'subjects') limit 1000));
  return '{}';
end $$;

ALTER FUNCTION memoranda_private.work_done(p_place jsonb, p_work jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.work_failed(p_place jsonb, p_work jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  p       place := enter(p_place, 'write');
  fault   text := coalesce(p_work ->> 'fault', 'own');
  after_  double precision := greatest(0, least(86400, coalesce((p_work ->> 'after')::double precision, 0)));
  dead    integer;
begin
  if fault not in ('own', 'else', 'permanent') then
    raise exception using errcode = 'MEINP', message = 'a fault is own, else or permanent';
  end if;
  with failed as (
    update work w set lease = null, claims = 0, reason = coalesce(nullif(left(p_work ->> 'reason', 300), ''), 'failed'),
           failures = w.failures + (fault <> 'else')::integer, waits = case fault when 'else' then least(w.waits + 1, 1000) else 0 end,
           due_at = clock_timestamp() + make_interval(secs => greatest(after_,
             least(900, 2 ^ least(10, case fault when 'else' then w.waits else w.failures end)) * (0.75 + random() / 2))),
           dead_at = case when fault = 'permanent' or fault = 'own' and w.failures + 1 >= (work_limits()).failures then now() end
     where (w.tenant_id, w.owner_id, w.scope, w.scope_id, w.kind) = (p.tenant_id, p.owner_id, p.scope, p.scope_id, p_work ->> 'kind')
       and w.subject in (select value::uuid from jsonb_array_elements_text(p_work -> 'subjects')) and w.lease = (p_work ->> 'lease')::uuid
    returning w.dead_at)
  select count(f.dead_at) into dead from failed f;
  return jsonb_build_object('dead', dead);
end $$;

ALTER FUNCTION memoranda_private.work_failed(p_place jsonb, p_work jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.work_limits(OUT claims integer, OUT failures integer) RETURNS record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ROW(20, 8);

ALTER FUNCTION memoranda_private.work_limits(OUT claims integer, OUT failures integer) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.work_missing(p_place jsonb, p_work jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.work_missing(p_place jsonb, p_work jsonb) OWNER TO memoranda_rules;

CREATE TABLE memoranda_private.work (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    kind text NOT NULL,
    subject uuid NOT NULL,
    user_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease uuid,
    claims smallint DEFAULT 0 NOT NULL,
    failures smallint DEFAULT 0 NOT NULL,
    waits smallint DEFAULT 0 NOT NULL,
    reason text,
    dead_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT work_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT work_kind_check CHECK ((kind = ANY (ARRAY['embed'::text, 'extract'::text]))),
    CONSTRAINT work_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 300)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY memoranda_private.work FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.work OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.work_out(w memoranda_private.work) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN jsonb_build_object('tenant', (w).tenant_id, 'user', (w).user_id, 'scope', (w).scope, 'scope_id', (w).scope_id, 'kind', (w).kind, 'subject', (w).subject, 'due_at', (w).due_at, 'lease', (w).lease, 'claims', (w).claims, 'failures', (w).failures, 'waits', (w).waits, 'reason', (w).reason, 'dead_at', (w).dead_at, 'created_at', (w).created_at);

ALTER FUNCTION memoranda_private.work_out(w memoranda_private.work) OWNER TO memoranda_owner;

CREATE FUNCTION memoranda_private.work_retry(p_limits jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  of_    text[] := (select array_agg(value) from jsonb_array_elements_text(p_limits -> 'kinds'));
  again  integer;
begin
  perform check_claim(p_limits);
  update work w set dead_at = null, due_at = now(), lease = null, claims = 0, failures = 0, waits = 0
   where w.dead_at is not null and (of_ is null or w.kind = any (of_));
  get diagnostics again = row_count;
  return jsonb_build_object('again', again);
end $$;

ALTER FUNCTION memoranda_private.work_retry(p_limits jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.work_status(p_limits jsonb) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select jsonb_build_object(
    'kinds', (select coalesce(jsonb_object_agg(kind, counts), '{}') from (
                select kind, jsonb_build_object(
                         'due', count(*) filter (where dead_at is null and due_at <= now()),
                         'later', count(*) filter (where dead_at is null and due_at > now()),
                         'dead', count(dead_at), 'next', min(due_at) filter (where dead_at is null)) as counts
                  from work group by kind) as each),
    'dead', (select coalesce(jsonb_agg(work_out(d) order by d.dead_at desc), '[]') from (
               select w.* from work w where w.dead_at is not null
                order by w.dead_at desc limit greatest(0, least(1000, coalesce((p_limits ->> 'most')::integer, 100)))) as d))
$$;

ALTER FUNCTION memoranda_private.work_status(p_limits jsonb) OWNER TO memoranda_service;

CREATE FUNCTION memoranda_private.work_texts(p_place jsonb, p_work jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
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

ALTER FUNCTION memoranda_private.work_texts(p_place jsonb, p_work jsonb) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.would_replace(p memoranda_private.place, f memoranda_private.facts) RETURNS memoranda_private.facts
    LANGUAGE plpgsql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
declare
  old facts;
begin
  if f.key is not null then
    old := fact_in_force(p, f.key);
  end if;
  if old.id is null and f.proposes is not null then
    old := successor(p, f.proposes);
  end if;
  if old.status <> 'confirmed' then
    old := null;
  end if;
  return old;
end $$;

ALTER FUNCTION memoranda_private.would_replace(p memoranda_private.place, f memoranda_private.facts) OWNER TO memoranda_rules;

CREATE FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) RETURNS TABLE(subject_id uuid, now jsonb, before jsonb, changed_since boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'memoranda_private', 'pg_temp'
    AS $$
  select s.subject_id,
         (array_agg(s.state order by s.version desc))[1],
         (array_agg(s.state order by s.version desc) filter (where not s.theirs))[1],
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

CREATE TABLE memoranda_private.erasures (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    id uuid NOT NULL,
    what text NOT NULL,
    source_hash bytea,
    at timestamp with time zone NOT NULL,
    digest bytea NOT NULL,
    CONSTRAINT erasures_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT erasures_check1 CHECK (((what = 'source'::text) = (source_hash IS NOT NULL))),
    CONSTRAINT erasures_what_check CHECK ((what = ANY (ARRAY['user'::text, 'scope'::text, 'source'::text])))
);

ALTER TABLE ONLY memoranda_private.erasures FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.erasures OWNER TO memoranda_owner;

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
    erased_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY memoranda_private.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.idempotency_keys OWNER TO memoranda_owner;

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

CREATE TABLE memoranda_private.message_terms (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    message_id uuid NOT NULL,
    part smallint NOT NULL,
    parts smallint NOT NULL,
    length smallint NOT NULL,
    by_user boolean NOT NULL,
    words memoranda_private.sparse NOT NULL,
    live tstzrange,
    CONSTRAINT message_terms_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.02');

ALTER TABLE ONLY memoranda_private.message_terms FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.message_terms OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.message_vectors (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    model text NOT NULL,
    message_id uuid NOT NULL,
    piece smallint NOT NULL,
    short memoranda_private.vec,
    long memoranda_private.vec,
    signs bit varying,
    live tstzrange,
    CONSTRAINT message_vectors_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT message_vectors_check1 CHECK (((num_nonnulls(short, long) = 1) AND ((long IS NULL) = (signs IS NULL))))
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY memoranda_private.message_vectors ALTER COLUMN short SET STORAGE MAIN;
ALTER TABLE ONLY memoranda_private.message_vectors ALTER COLUMN long SET STORAGE MAIN;

ALTER TABLE ONLY memoranda_private.message_vectors FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.message_vectors OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    breaking boolean NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY memoranda_private.migrations FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.migrations OWNER TO memoranda_owner;

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
    key_salt bytea DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) NOT NULL,
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
    whole boolean NOT NULL,
    length smallint NOT NULL,
    words memoranda_private.sparse NOT NULL,
    live tstzrange,
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
    live tstzrange,
    CONSTRAINT vectors_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id)),
    CONSTRAINT vectors_check1 CHECK (((num_nonnulls(short, long) = 1) AND ((long IS NULL) = (signs IS NULL))))
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY memoranda_private.vectors ALTER COLUMN short SET STORAGE MAIN;
ALTER TABLE ONLY memoranda_private.vectors ALTER COLUMN long SET STORAGE MAIN;

ALTER TABLE ONLY memoranda_private.vectors FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.vectors OWNER TO memoranda_owner;

CREATE TABLE memoranda_private.vectors_aside (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    scope text NOT NULL,
    scope_id text NOT NULL,
    model text NOT NULL,
    fact_id uuid NOT NULL,
    vector memoranda_private.vec NOT NULL,
    CONSTRAINT vectors_aside_check CHECK (memoranda_private.is_place(owner_id, scope, scope_id))
);

ALTER TABLE ONLY memoranda_private.vectors_aside FORCE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.vectors_aside OWNER TO memoranda_owner;

ALTER TABLE ONLY memoranda_private.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, key);

ALTER TABLE ONLY memoranda_private.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.fact_uses
    ADD CONSTRAINT fact_uses_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, fact_id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_id_superseded_by_key UNIQUE (tenant_id, owner_id, scope, scope_id, id, superseded_by);

ALTER TABLE ONLY memoranda_private.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, key_hash);

ALTER TABLE ONLY memoranda_private.large_scopes
    ADD CONSTRAINT large_scopes_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model);

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY memoranda_private.message_terms
    ADD CONSTRAINT message_terms_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, message_id, part) INCLUDE (parts, length, by_user, words, live);

ALTER TABLE memoranda_private.message_vectors
    ADD CONSTRAINT message_vectors_model_check CHECK (memoranda_private.names_model(model)) NOT VALID;

ALTER TABLE ONLY memoranda_private.message_vectors
    ADD CONSTRAINT message_vectors_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, message_id, piece) INCLUDE (short, signs, live);

ALTER TABLE ONLY memoranda_private.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, id);

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
    ADD CONSTRAINT terms_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, fact_id, part) INCLUDE (whole, length, words, live);

ALTER TABLE ONLY memoranda_private.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, value_hash, key);

ALTER TABLE ONLY memoranda_private.unembeddable
    ADD CONSTRAINT unembeddable_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, fact_id);

ALTER TABLE memoranda_private.vectors_aside
    ADD CONSTRAINT vectors_aside_model_check CHECK (memoranda_private.names_model(model)) NOT VALID;

ALTER TABLE ONLY memoranda_private.vectors_aside
    ADD CONSTRAINT vectors_aside_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, fact_id);

ALTER TABLE memoranda_private.vectors
    ADD CONSTRAINT vectors_model_check CHECK (memoranda_private.names_model(model)) NOT VALID;

ALTER TABLE ONLY memoranda_private.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, model, fact_id) INCLUDE (short, signs, live);

ALTER TABLE ONLY memoranda_private.work
    ADD CONSTRAINT work_pkey PRIMARY KEY (tenant_id, owner_id, scope, scope_id, kind, subject);

CREATE INDEX documents_expiring ON memoranda_private.documents USING btree (tenant_id, owner_id, scope, scope_id, expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX facts_by_key ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key) WHERE (key IS NOT NULL);

CREATE INDEX facts_by_line ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, line) WHERE (line IS NOT NULL);

CREATE INDEX facts_by_source ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, source) WHERE ((status = ANY (ARRAY['confirmed'::text, 'pending'::text])) AND (source IS NOT NULL));

CREATE INDEX facts_by_template ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, template_hash, kind) WHERE ((status = 'confirmed'::text) AND (template_hash IS NOT NULL));

CREATE INDEX facts_by_value ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, value_hash) WHERE (value_hash IS NOT NULL);

CREATE INDEX facts_expiring ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX facts_holding ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, holds_until) WHERE (holds_until IS NOT NULL);

CREATE UNIQUE INDEX facts_in_force ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, key) WHERE ((status = 'confirmed'::text) AND (key IS NOT NULL));

CREATE INDEX facts_newest ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, updated_at DESC, key, id) WHERE ((status = 'confirmed'::text) OR (holds_until IS NOT NULL));

CREATE INDEX facts_proposes ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, proposes) WHERE (proposes IS NOT NULL);

CREATE INDEX facts_superseded_by ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE UNIQUE INDEX facts_supersedes ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, supersedes) WHERE (supersedes IS NOT NULL);

CREATE INDEX facts_waiting ON memoranda_private.facts USING btree (tenant_id, owner_id, scope, scope_id, created_at, id) WHERE (status = 'pending'::text);

CREATE UNIQUE INDEX files_current ON memoranda_private.files USING btree (tenant_id, owner_id, scope, scope_id, path) WHERE (status = 'current'::text);

CREATE INDEX idempotency_keys_age ON memoranda_private.idempotency_keys USING btree (created_at);

CREATE INDEX message_terms_parts ON memoranda_private.message_terms USING btree (tenant_id, owner_id, scope, scope_id, message_id) WHERE (parts > 1);

CREATE INDEX message_vectors_by_message ON memoranda_private.message_vectors USING btree (tenant_id, owner_id, scope, scope_id, message_id);

CREATE UNIQUE INDEX messages_by_name ON memoranda_private.messages USING btree (tenant_id, owner_id, scope, scope_id, chat, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX messages_by_run ON memoranda_private.messages USING btree (tenant_id, owner_id, run_id) WHERE (run_id IS NOT NULL);

CREATE INDEX messages_by_turn ON memoranda_private.messages USING btree (tenant_id, owner_id, scope, scope_id, turn) WHERE (turn IS NOT NULL);

CREATE INDEX messages_expiring ON memoranda_private.messages USING btree (tenant_id, owner_id, scope, scope_id, expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX messages_newest ON memoranda_private.messages USING btree (tenant_id, owner_id, scope, scope_id, said_at DESC, id DESC) WHERE (said_at IS NOT NULL);

CREATE INDEX revisions_path ON memoranda_private.revisions USING btree (tenant_id, owner_id, scope, scope_id, ((state ->> 'path'::text))) WHERE (subject = 'file'::text);

CREATE INDEX terms_parts ON memoranda_private.terms USING btree (tenant_id, owner_id, scope, scope_id, fact_id) WHERE (NOT whole);

CREATE INDEX tombstones_by_fact ON memoranda_private.tombstones USING btree (tenant_id, owner_id, scope, scope_id, fact_id);

CREATE INDEX vectors_aside_by_fact ON memoranda_private.vectors_aside USING btree (tenant_id, owner_id, scope, scope_id, fact_id);

CREATE INDEX vectors_by_fact ON memoranda_private.vectors USING btree (tenant_id, owner_id, scope, scope_id, fact_id);

CREATE INDEX work_due ON memoranda_private.work USING btree (due_at) WHERE (dead_at IS NULL);

CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON memoranda_private.revisions FOR EACH STATEMENT EXECUTE FUNCTION memoranda_private.refuse_rewriting();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.documents FOR EACH ROW WHEN ((CURRENT_USER <> 'memoranda_import'::name)) EXECUTE FUNCTION memoranda_private.guard_document();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.facts FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_fact();

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_file();

CREATE TRIGGER guard BEFORE UPDATE ON memoranda_private.messages FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_message();

CREATE TRIGGER guard BEFORE UPDATE ON memoranda_private.runs FOR EACH ROW EXECUTE FUNCTION memoranda_private.guard_run();

CREATE TRIGGER log AFTER INSERT OR UPDATE ON memoranda_private.files FOR EACH ROW WHEN ((CURRENT_USER <> 'memoranda_import'::name)) EXECUTE FUNCTION memoranda_private.log_file();

CREATE TRIGGER log_change AFTER UPDATE ON memoranda_private.facts REFERENCING OLD TABLE AS before NEW TABLE AS written FOR EACH STATEMENT WHEN ((CURRENT_USER <> 'memoranda_import'::name)) EXECUTE FUNCTION memoranda_private.log_facts();

CREATE TRIGGER log_new AFTER INSERT ON memoranda_private.facts REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN ((CURRENT_USER <> 'memoranda_import'::name)) EXECUTE FUNCTION memoranda_private.log_facts();

ALTER TABLE ONLY memoranda_private.fact_uses
    ADD CONSTRAINT fact_uses_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_id_supersedes_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, id, supersedes) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, superseded_by, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_proposes_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, proposes) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.facts
    ADD CONSTRAINT facts_tenant_id_owner_id_scope_scope_id_superseded_by_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, superseded_by) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY memoranda_private.members
    ADD CONSTRAINT members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES memoranda_private.tenants(tenant_id);

ALTER TABLE ONLY memoranda_private.message_terms
    ADD CONSTRAINT message_terms_tenant_id_owner_id_scope_scope_id_message_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, message_id) REFERENCES memoranda_private.messages(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.message_vectors
    ADD CONSTRAINT message_vectors_tenant_id_owner_id_scope_scope_id_message__fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, message_id) REFERENCES memoranda_private.messages(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.terms
    ADD CONSTRAINT terms_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.tombstones
    ADD CONSTRAINT tombstones_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.unembeddable
    ADD CONSTRAINT unembeddable_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.vectors_aside
    ADD CONSTRAINT vectors_aside_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

ALTER TABLE ONLY memoranda_private.vectors
    ADD CONSTRAINT vectors_tenant_id_owner_id_scope_scope_id_fact_id_fkey FOREIGN KEY (tenant_id, owner_id, scope, scope_id, fact_id) REFERENCES memoranda_private.facts(tenant_id, owner_id, scope, scope_id, id);

CREATE POLICY add ON memoranda_private.documents FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.fact_uses FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.facts FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.files FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.message_terms FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.message_vectors FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.messages FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.terms FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.tombstones FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.unembeddable FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.vectors FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.vectors_aside FOR INSERT TO memoranda_rules WITH CHECK (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY add ON memoranda_private.work FOR INSERT TO memoranda_rules WITH CHECK (((user_id = ( SELECT memoranda_private.uid() AS uid)) AND
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END));

CREATE POLICY aging ON memoranda_private.idempotency_keys FOR SELECT TO memoranda_service USING (true);

CREATE POLICY append ON memoranda_private.revisions FOR INSERT TO memoranda_owner WITH CHECK (((pg_trigger_depth() > 0) AND (user_id = ( SELECT memoranda_private.uid() AS uid)) AND
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END));

CREATE POLICY change ON memoranda_private.documents FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.fact_uses FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.facts FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.files FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.messages FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.tombstones FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY change ON memoranda_private.work FOR UPDATE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY counting ON memoranda_private.message_terms FOR SELECT TO memoranda_service USING (true);

CREATE POLICY counting ON memoranda_private.message_vectors FOR SELECT TO memoranda_service USING (true);

CREATE POLICY counting ON memoranda_private.unembeddable FOR SELECT TO memoranda_service USING (true);

CREATE POLICY counting ON memoranda_private.vectors FOR SELECT TO memoranda_service USING (true);

CREATE POLICY counting ON memoranda_private.vectors_aside FOR SELECT TO memoranda_service USING (true);

ALTER TABLE memoranda_private.documents ENABLE ROW LEVEL SECURITY;

CREATE POLICY dropping ON memoranda_private.message_vectors FOR DELETE TO memoranda_service USING (true);

CREATE POLICY dropping ON memoranda_private.unembeddable FOR DELETE TO memoranda_service USING (true);

CREATE POLICY dropping ON memoranda_private.vectors FOR DELETE TO memoranda_service USING (true);

CREATE POLICY dropping ON memoranda_private.vectors_aside FOR DELETE TO memoranda_service USING (true);

CREATE POLICY erase ON memoranda_private.documents TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.erasures TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.fact_uses TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.facts TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.files TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.idempotency_keys TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.large_scopes TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.members TO memoranda_erasure USING ((user_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY erase ON memoranda_private.message_terms TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.message_vectors TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.messages TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.revisions TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.runs TO memoranda_erasure USING ((owner_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY erase ON memoranda_private.settings TO memoranda_erasure USING ((tenant_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY erase ON memoranda_private.tenants FOR UPDATE TO memoranda_erasure USING ((tenant_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY erase ON memoranda_private.terms TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.tombstones TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.unembeddable TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.vectors TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.vectors_aside TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erase ON memoranda_private.work TO memoranda_erasure USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) OR (user_id = ( SELECT memoranda_private.uid() AS uid)) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])))));

CREATE POLICY erasing ON memoranda_private.tenants FOR SELECT TO memoranda_owner USING ((tenant_id = ANY (( SELECT memoranda_private.erasing() AS erasing)::uuid[])));

ALTER TABLE memoranda_private.erasures ENABLE ROW LEVEL SECURITY;

CREATE POLICY expiring ON memoranda_private.documents FOR SELECT TO memoranda_service USING (true);

CREATE POLICY expiring ON memoranda_private.facts FOR SELECT TO memoranda_service USING (true);

CREATE POLICY expiring ON memoranda_private.messages FOR SELECT TO memoranda_service USING (true);

ALTER TABLE memoranda_private.fact_uses ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.facts ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.files ENABLE ROW LEVEL SECURITY;

CREATE POLICY first_use ON memoranda_private.tenants FOR INSERT TO memoranda_rules WITH CHECK (((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])) AND ((kind = 'person'::text) = (tenant_id = ( SELECT memoranda_private.uid() AS uid)))));

ALTER TABLE memoranda_private.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.large_scopes ENABLE ROW LEVEL SECURITY;

CREATE POLICY leasing ON memoranda_private.work FOR UPDATE TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY leave ON memoranda_private.documents FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.message_terms FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.message_vectors FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.terms FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.unembeddable FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.vectors FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.vectors_aside FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leave ON memoranda_private.work FOR DELETE TO memoranda_rules USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY leaving ON memoranda_private.idempotency_keys FOR DELETE TO memoranda_service USING (true);

CREATE POLICY ledger ON memoranda_private.migrations TO memoranda_owner USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.members ENABLE ROW LEVEL SECURITY;

CREATE POLICY membership ON memoranda_private.members TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.message_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.message_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.migrations ENABLE ROW LEVEL SECURITY;

CREATE POLICY mine ON memoranda_private.tenants FOR SELECT TO memoranda_owner, memoranda_rules USING ((tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])));

CREATE POLICY numbering ON memoranda_private.vectors FOR UPDATE TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY own ON memoranda_private.idempotency_keys TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY own ON memoranda_private.runs TO memoranda_rules USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))) WITH CHECK (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY own_memberships ON memoranda_private.members FOR SELECT TO memoranda_owner USING ((user_id = ( SELECT memoranda_private.uid() AS uid)));

CREATE POLICY put_back ON memoranda_private.documents TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY put_back ON memoranda_private.facts TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY put_back ON memoranda_private.files TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY put_back ON memoranda_private.messages TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY put_back ON memoranda_private.revisions TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY put_back ON memoranda_private.runs TO memoranda_import USING (((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY put_back ON memoranda_private.tombstones TO memoranda_import USING (
CASE scope
    WHEN 'organization'::text THEN (tenant_id = ANY (( SELECT memoranda_private.tenants_with('manage'::text) AS tenants_with)::uuid[]))
    ELSE ((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))))
END);

CREATE POLICY read ON memoranda_private.documents FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.erasures FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.fact_uses FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.facts FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.files FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.large_scopes FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.message_terms FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.message_vectors FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.messages FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.revisions FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.settings FOR SELECT TO memoranda_rules USING (((tenant_id = memoranda_private.nobody()) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[]))));

CREATE POLICY read ON memoranda_private.terms FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.tombstones FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.unembeddable FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.vectors FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.vectors_aside FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY read ON memoranda_private.work FOR SELECT TO memoranda_rules USING ((((owner_id = ( SELECT memoranda_private.uid() AS uid)) AND ((tenant_id = owner_id) OR (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))) OR ((scope = 'organization'::text) AND (tenant_id = ANY (( SELECT memoranda_private.my_tenants() AS my_tenants)::uuid[])))));

CREATE POLICY registry ON memoranda_private.large_scopes TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY registry ON memoranda_private.settings TO memoranda_service USING (true) WITH CHECK (true);

CREATE POLICY registry ON memoranda_private.tenants TO memoranda_service USING (true) WITH CHECK (true);

ALTER TABLE memoranda_private.revisions ENABLE ROW LEVEL SECURITY;

CREATE POLICY round ON memoranda_private.tenants FOR SELECT TO memoranda_erasure USING (true);

ALTER TABLE memoranda_private.runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.settings ENABLE ROW LEVEL SECURITY;

CREATE POLICY taking ON memoranda_private.work FOR SELECT TO memoranda_service USING (true);

ALTER TABLE memoranda_private.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.tombstones ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.unembeddable ENABLE ROW LEVEL SECURITY;

CREATE POLICY unname ON memoranda_private.revisions FOR UPDATE TO memoranda_erasure USING ((user_id = ( SELECT memoranda_private.uid() AS uid))) WITH CHECK (((user_id = ( SELECT memoranda_private.uid() AS uid)) OR (user_id = memoranda_private.nobody())));

CREATE POLICY unnamed ON memoranda_private.revisions FOR SELECT TO memoranda_erasure USING (((user_id = ( SELECT memoranda_private.uid() AS uid)) OR (user_id = memoranda_private.nobody())));

ALTER TABLE memoranda_private.vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.vectors_aside ENABLE ROW LEVEL SECURITY;

ALTER TABLE memoranda_private.work ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA memoranda TO authenticated;
GRANT USAGE ON SCHEMA memoranda TO service_role;

GRANT USAGE ON SCHEMA memoranda_private TO authenticated;
GRANT USAGE ON SCHEMA memoranda_private TO service_role;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_rules;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_service;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_erasure;
GRANT USAGE ON SCHEMA memoranda_private TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.audit(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.call_as(claims jsonb, request jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.call_as(claims jsonb, request jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.claim_work(limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.claim_work(limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.documents_delete(document jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.documents_delete(document jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.documents_export(document jsonb, page jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.documents_export(document jsonb, page jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.documents_get(document jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.documents_get(document jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.documents_list(document jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.documents_list(document jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.documents_put(document jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.documents_put(document jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.erase(place jsonb, what jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.erase(place jsonb, what jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.erase(place jsonb, what jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.erase_user(subject jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.erase_user(subject jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.erase_verify(receipt jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.erase_verify(receipt jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.export_page(place jsonb, page jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.export_page(place jsonb, page jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.export_page(place jsonb, page jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.export_scopes(place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.export_scopes(place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.export_scopes(place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_about(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_correct(place jsonb, target jsonb, fact jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_erase(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_erase(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_erase(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_forget(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_history(place jsonb, target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_recall(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_restore(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_restore(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_restore(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_save(place jsonb, fact jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_save_extracted(place jsonb, facts jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_save_many(place jsonb, facts jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_search(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.facts_supersede(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.facts_supersede(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.facts_supersede(place jsonb, target jsonb, call jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda.import_rows(subject jsonb, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.import_rows(subject jsonb, rows jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.large_scopes_status(limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.large_scopes_status(limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_list(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_list(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_remove(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_remove(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.members_set(member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.members_set(member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.message_vectors_put(place jsonb, pieces jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.message_vectors_put(place jsonb, pieces jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.message_vectors_put(place jsonb, pieces jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.messages_delete(place jsonb, message jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.messages_delete(place jsonb, message jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.messages_delete(place jsonb, message jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.messages_edit(place jsonb, message jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.messages_edit(place jsonb, message jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.messages_edit(place jsonb, message jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.messages_list(place jsonb, said jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.messages_list(place jsonb, said jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.messages_list(place jsonb, said jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.messages_recall(place jsonb, said jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.messages_recall(place jsonb, said jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.messages_recall(place jsonb, said jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.purge(limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.purge(limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.recall(place jsonb, asked jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.recall(place jsonb, asked jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.recall(place jsonb, asked jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.reembed_drop(change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.reembed_drop(change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.reembed_messages(change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.reembed_messages(change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.reembed_places(change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.reembed_places(change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.reembed_switch(change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.reembed_switch(change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.review_approve(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.review_approve(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.review_approve(place jsonb, target jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.review_counts(place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.review_counts(place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.review_counts(place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.review_edit(place jsonb, target jsonb, fact jsonb, call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.review_pending(place jsonb, query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.review_pending(place jsonb, query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.review_pending(place jsonb, query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.review_reject(place jsonb, target jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.review_reject(place jsonb, target jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.review_reject(place jsonb, target jsonb, call jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda.turns_add(place jsonb, turn jsonb, call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.turns_add(place jsonb, turn jsonb, call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.turns_add(place jsonb, turn jsonb, call jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda.work_claim(place jsonb, work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_claim(place jsonb, work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.work_claim(place jsonb, work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_done(place jsonb, work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_done(place jsonb, work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.work_done(place jsonb, work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_failed(place jsonb, work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_failed(place jsonb, work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.work_failed(place jsonb, work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_missing(place jsonb, work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_missing(place jsonb, work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.work_missing(place jsonb, work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_retry(limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_retry(limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_status(limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_status(limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda.work_texts(place jsonb, work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda.work_texts(place jsonb, work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda.work_texts(place jsonb, work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_value jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.as_id(p_kind text, p_text text) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.asked_names(p_query text, p_names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.asked_words(p_query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.audit(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.begin_review(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.begin_write(p memoranda_private.place, p_verb text, p_payload jsonb, p_call jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.nobody() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.nobody() TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.is_place(p_owner uuid, p_scope text, p_scope_id text) TO memoranda_import;

GRANT SELECT ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.facts TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(id) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(id) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(id) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(key) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(key) ON TABLE memoranda_private.facts TO memoranda_erasure;

GRANT INSERT(kind) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(content) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(status),UPDATE(status) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(status),UPDATE(status) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(status) ON TABLE memoranda_private.facts TO memoranda_import;
GRANT SELECT(status) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(origin) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(source) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(source) ON TABLE memoranda_private.facts TO memoranda_erasure;

GRANT INSERT(tainted) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(importance) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(tags) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(entities) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(metadata) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(valid_from) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(valid_until) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(expires_at) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(expires_at) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT SELECT(expires_at) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(quote) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(supersedes),UPDATE(supersedes) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(supersedes),UPDATE(supersedes) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(supersedes) ON TABLE memoranda_private.facts TO memoranda_import;

GRANT INSERT(superseded_by),UPDATE(superseded_by) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(superseded_by),UPDATE(superseded_by) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(superseded_by) ON TABLE memoranda_private.facts TO memoranda_import;

GRANT UPDATE(holds_until) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(holds_until),UPDATE(holds_until) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(holds_until) ON TABLE memoranda_private.facts TO memoranda_import;
GRANT SELECT(holds_until) ON TABLE memoranda_private.facts TO memoranda_service;

GRANT INSERT(proposes) ON TABLE memoranda_private.facts TO memoranda_rules;
GRANT SELECT(proposes),UPDATE(proposes) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(proposes) ON TABLE memoranda_private.facts TO memoranda_import;

GRANT INSERT(value_hash) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT INSERT(template_hash) ON TABLE memoranda_private.facts TO memoranda_rules;

GRANT SELECT(created_at) ON TABLE memoranda_private.facts TO memoranda_erasure;
GRANT UPDATE(created_at) ON TABLE memoranda_private.facts TO memoranda_import;

GRANT UPDATE(updated_at) ON TABLE memoranda_private.facts TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.bury(p_facts memoranda_private.facts[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_as(p_claims jsonb, p_request jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.call_as(p_claims jsonb, p_request jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.call_is_tainted() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.call_text(p_call jsonb, p_name text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.chain(p memoranda_private.place, target memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.chat_in(p_from jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.chat_next(p memoranda_private.place, p_chat text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.chat_next(p memoranda_private.place, p_chat text) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.check_claim(p_claim jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.check_claim(p_claim jsonb) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.check_claim(p_claim jsonb) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.check_document_key(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_path(p_path text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.is_path(p_path text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.is_path(p_path text) TO memoranda_import;

GRANT SELECT ON TABLE memoranda_private.files TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.files TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.files TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.files TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.files TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.files TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.files TO memoranda_erasure;

GRANT INSERT(scope) ON TABLE memoranda_private.files TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.files TO memoranda_erasure;

GRANT INSERT(scope_id) ON TABLE memoranda_private.files TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.files TO memoranda_erasure;

GRANT INSERT(id) ON TABLE memoranda_private.files TO memoranda_rules;
GRANT SELECT(id) ON TABLE memoranda_private.files TO memoranda_erasure;

GRANT INSERT(path),UPDATE(path) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(content),UPDATE(content) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(status),UPDATE(status) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT INSERT(tainted),UPDATE(tainted) ON TABLE memoranda_private.files TO memoranda_rules;

GRANT SELECT(created_at) ON TABLE memoranda_private.files TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.check_file_version(f memoranda_private.files, p_expected integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_free(p memoranda_private.place, p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_key(p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_query(p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_quota(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.check_size(p memoranda_private.place, p_content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.claim_work(p_limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.claim_work(p_limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.count_seen(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.count_uses(p_places memoranda_private.place[], p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.covers(old memoranda_private.facts, new memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.decide(p memoranda_private.place, f memoranda_private.facts, p_options jsonb, p_waits boolean, p_seen boolean, p_buried boolean, p_near boolean, p_large boolean, p_vector memoranda_private.vec, p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.differs(p_old text, p_new text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.dimension(p_lexeme text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.dimensions(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.dimensions(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.document_lend(p_document jsonb) FROM PUBLIC;

GRANT SELECT,DELETE ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.documents TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.documents TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.documents TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.documents TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.documents TO memoranda_service;

GRANT SELECT(id) ON TABLE memoranda_private.documents TO memoranda_erasure;

GRANT INSERT(key) ON TABLE memoranda_private.documents TO memoranda_rules;

GRANT INSERT(content),UPDATE(content) ON TABLE memoranda_private.documents TO memoranda_rules;

GRANT INSERT(expires_at),UPDATE(expires_at) ON TABLE memoranda_private.documents TO memoranda_rules;
GRANT SELECT(expires_at) ON TABLE memoranda_private.documents TO memoranda_erasure;
GRANT SELECT(expires_at) ON TABLE memoranda_private.documents TO memoranda_service;

GRANT SELECT(created_at) ON TABLE memoranda_private.documents TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.document_out(d memoranda_private.documents, p_content boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.document_place(p_document jsonb, p_purpose text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.document_return(p_before text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.documents_delete(p_document jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.documents_delete(p_document jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.documents_export(p_document jsonb, p_page jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.documents_export(p_document jsonb, p_page jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.documents_get(p_document jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.documents_get(p_document jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.documents_list(p_document jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.documents_list(p_document jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.documents_put(p_document jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.documents_put(p_document jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.drop_work(p memoranda_private.place, p_kind text, p_subjects uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.end_write(p memoranda_private.place, p_call jsonb, p_outcome jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.enter(p_place jsonb, p_purpose text) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.erase(p_place jsonb, p_what jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erase(p_place jsonb, p_what jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.erase(p_place jsonb, p_what jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.erase_account() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erase_user(p_subject jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erase_user(p_subject jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.erase_verify(p_receipt jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erase_verify(p_receipt jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.erased_facts(p memoranda_private.place, p_call jsonb, p_outcome jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erased_facts(p memoranda_private.place, p_call jsonb, p_outcome jsonb) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.erased_since(p memoranda_private.place, p_time timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasing() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erasing() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.erasing_facts(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erasing_facts(p_place jsonb, p_target jsonb, p_call jsonb) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.erasure_count(p memoranda_private.place, p_facts uuid[], p_files uuid[], p_time timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_do(p memoranda_private.place, p_facts uuid[], p_files uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_lend(p_claims text, p_tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.erasure_lend(p_claims text, p_tenant uuid) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.erasure_lock(p_tenant uuid, p_owner uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_map() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_of_user(p_user uuid, p_tenant uuid, p_dry boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_reach() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_receipt(p memoranda_private.place, p_what text, p_tenants uuid[], p_user uuid, p_hash bytea, p_counts jsonb, p_time timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_source_count(p memoranda_private.place, p_user uuid, p_hash bytea, p_time timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_source_map() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_sum(p_one jsonb, p_other jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.erasure_sweep(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.exact_match(p memoranda_private.place, f memoranda_private.facts, p_waits boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_facts(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_files(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_messages(p memoranda_private.place, p_after uuid, p_limit integer, p_history boolean, p_vectors boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_page(p_place jsonb, p_page jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.export_page(p_place jsonb, p_page jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.export_page(p_place jsonb, p_page jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.export_revisions(p memoranda_private.place, p_after jsonb, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_runs(p memoranda_private.place, p_after text, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_scopes(p_place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.export_scopes(p_place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.export_scopes(p_place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.export_tombstones(p memoranda_private.place, p_after jsonb, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.export_vectors(p memoranda_private.place, p_after jsonb, p_limit integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_in(p memoranda_private.place, p_fact jsonb, p_most bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_in_force(p memoranda_private.place, p_key text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_of(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.fact_out(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_about(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_correct(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_erase(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_forget(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_held(p memoranda_private.place, p_source text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_history(p_place jsonb, p_target jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_in(p memoranda_private.place, p_facts jsonb, p_most bigint, p_lenient boolean, OUT made memoranda_private.facts[], OUT failures jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_put(p memoranda_private.place, p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text, p_decisions jsonb[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_recall(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_restore(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save(p_place jsonb, p_fact jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save_extracted(p_place jsonb, p_facts jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_save_many(p_place jsonb, p_facts jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_search(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.facts_supersede(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

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

REVOKE ALL ON FUNCTION memoranda_private.give_way(p memoranda_private.place, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_fact() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_message() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_run() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_starts() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_starts_listed() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_trackers() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_trackers_listed() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_words() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.guard_words_listed() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.holds(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.id_in(p_target jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.import_all(p memoranda_private.place, p_rows jsonb, p_restore boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.import_beside(p memoranda_private.place, p_facts memoranda_private.facts[], p_rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_beside(p memoranda_private.place, p_facts memoranda_private.facts[], p_rows jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_document(p memoranda_private.place, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_document(p memoranda_private.place, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_enter(p_place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_enter(p_place jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_fact_in(p_row jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.import_facts(p memoranda_private.place, p_rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_facts(p memoranda_private.place, p_rows jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_file(p memoranda_private.place, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_file(p memoranda_private.place, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_hashes(p memoranda_private.place, p_contents text[], OUT value_hashes bytea[], OUT template_hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_hashes(p memoranda_private.place, p_contents text[], OUT value_hashes bytea[], OUT template_hashes bytea[]) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_message(p memoranda_private.place, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_message(p memoranda_private.place, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_row(p memoranda_private.place, p_row jsonb, p_restore boolean, p_value bytea, p_template bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.import_rows(p_subject jsonb, p_rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_rows(p_subject jsonb, p_rows jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.import_said(p memoranda_private.place, p_id uuid, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_said(p memoranda_private.place, p_id uuid, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_tombstone(p memoranda_private.place, p_hash bytea, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_tombstone(p memoranda_private.place, p_hash bytea, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.import_vector(p memoranda_private.place, p_row jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.import_vector(p memoranda_private.place, p_row jsonb) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.index_aside(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_from_aside(f memoranda_private.facts, p_from uuid) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.messages TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.messages TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.messages TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.messages TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.messages TO memoranda_service;

GRANT INSERT(id) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(id) ON TABLE memoranda_private.messages TO memoranda_erasure;

GRANT INSERT(chat) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(message_id) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(turn) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(turn) ON TABLE memoranda_private.messages TO memoranda_erasure;

GRANT INSERT(role) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(author),UPDATE(author) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(content),UPDATE(content) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(data),UPDATE(data) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(said_at) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(expires_at) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(expires_at) ON TABLE memoranda_private.messages TO memoranda_erasure;
GRANT SELECT(expires_at) ON TABLE memoranda_private.messages TO memoranda_service;

GRANT INSERT(tainted) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT INSERT(run_id) ON TABLE memoranda_private.messages TO memoranda_rules;
GRANT SELECT(run_id) ON TABLE memoranda_private.messages TO memoranda_erasure;

GRANT UPDATE(version) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT SELECT(created_at) ON TABLE memoranda_private.messages TO memoranda_erasure;

GRANT UPDATE(edited_at) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT UPDATE(deleted_at) ON TABLE memoranda_private.messages TO memoranda_rules;

GRANT UPDATE(withdrawn_at) ON TABLE memoranda_private.messages TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.index_messages(p_messages memoranda_private.messages[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_pieces(m memoranda_private.messages, p_model text, p_pieces jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_terms(p_facts memoranda_private.facts[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.index_vectors(p_facts memoranda_private.facts[], p_vectors memoranda_private.vec[], p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_crowded(p_hits jsonb, p_share integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_sound(f memoranda_private.facts, p_said text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.is_statement(p_content text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.kept_of(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.key_days(p_tenant uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.key_hash(p_tenant uuid, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.key_hash(p_tenant uuid, p_text text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.key_hash(p_tenant uuid, p_text text) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_find(p_least integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_index(p_number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_left() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_mark(p_number integer, p_most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_ready(p_number integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_status(p_limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.large_scopes_status(p_limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.large_scopes_used() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lexemes(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lift(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.line_count(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lines_of(p_content text, p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.live_in(p_from timestamp with time zone, p_until timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_facts(p memoranda_private.place, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.lock_facts(p memoranda_private.place, p_keys text[]) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.lock_files(p memoranda_private.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.lock_key(p memoranda_private.place, p_key text) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.locked(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_facts() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.log_file() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.made_by(p memoranda_private.place, p_id uuid, p_runs text[], p_put boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_list(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_remove(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.members_set(p_member jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.message_heard(m memoranda_private.messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.message_near(p_id uuid, p_distance integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.message_out(m memoranda_private.messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.message_problem(p_message jsonb, p_longest integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.message_ref(p memoranda_private.place, p_chat text, p_number bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.message_ref(p memoranda_private.place, p_chat text, p_number bigint) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.message_vectors_put(p_place jsonb, p_pieces jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.message_vectors_put(p_place jsonb, p_pieces jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.message_vectors_put(p_place jsonb, p_pieces jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.messages_delete(p_place jsonb, p_message jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.messages_edit(p_place jsonb, p_message jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.messages_list(p_place jsonb, p_said jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.messages_list(p_place jsonb, p_said jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.messages_list(p_place jsonb, p_said jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.messages_recall(p_place jsonb, p_said jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.messages_recall(p_place jsonb, p_said jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.messages_recall(p_place jsonb, p_said jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.metadata_meets(p_metadata jsonb, p_conditions jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.moment_in(p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.my_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.my_tenants() TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.name_id(p_kind text, p_name text) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.names_count(p_product double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.names_model(p_model text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.names_model(p_model text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.names_model(p_model text) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.names_model(p_model text) TO memoranda_import;
GRANT ALL ON FUNCTION memoranda_private.names_model(p_model text) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.near_enough(p_rejected boolean, p_distance double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.near_match(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.near_tombstone(p memoranda_private.place, f memoranda_private.facts, p_vector memoranda_private.vec, p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.norm(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.norm(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.passes(f memoranda_private.facts, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.path_in(p_path text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.places_of(p_place jsonb, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.plain(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.purge(p_limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge(p_limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.purge_at(p memoranda_private.place, p_most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.purge_documents_at(p memoranda_private.place, p_most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.purge_documents_due() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_documents_due() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_documents_place() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_documents_place() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_due() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_due() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_keys(p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_keys(p_most integer) TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_messages_at(p memoranda_private.place, p_most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.purge_messages_due() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_messages_due() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_messages_place() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_messages_place() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.purge_place() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.purge_place() TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.put_back(p memoranda_private.place, p_fact memoranda_private.facts, p_over uuid, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.queue_work(p memoranda_private.place, p_kind text, p_subjects uuid[], p_lease uuid, p_seconds integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall(p_place jsonb, p_asked jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.recall(p_place jsonb, p_asked jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.recall(p_place jsonb, p_asked jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.recall_asked(p_places memoranda_private.place[], p_query text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_beside(p memoranda_private.place, p_id uuid, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_filtered(p_places memoranda_private.place[], p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_filter memoranda_private.recall_filter, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_newest(p_places memoranda_private.place[], p_filter memoranda_private.recall_filter, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_then(p memoranda_private.place, p_moment memoranda_private.moment, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_filter memoranda_private.recall_filter, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.recall_words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.reembed_as(p_tenant uuid, p_owner uuid, p_scope text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.reembed_drop(p_change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.reembed_drop(p_change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.reembed_left(p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.reembed_messages(p_change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.reembed_messages(p_change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.reembed_places(p_change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.reembed_places(p_change jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.reembed_switch(p_change jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.reembed_switch(p_change jsonb) TO service_role;

GRANT SELECT ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.tombstones TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.tombstones TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT INSERT(scope) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT INSERT(scope_id) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT INSERT(value_hash) ON TABLE memoranda_private.tombstones TO memoranda_rules;

GRANT INSERT(key) ON TABLE memoranda_private.tombstones TO memoranda_rules;

GRANT INSERT(fact_id),UPDATE(fact_id) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(fact_id),UPDATE(fact_id) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT INSERT(template_hash),UPDATE(template_hash) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT UPDATE(template_hash) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT UPDATE(refused) ON TABLE memoranda_private.tombstones TO memoranda_rules;

GRANT UPDATE(created_at) ON TABLE memoranda_private.tombstones TO memoranda_rules;
GRANT SELECT(created_at) ON TABLE memoranda_private.tombstones TO memoranda_erasure;

GRANT UPDATE(last_refused_at) ON TABLE memoranda_private.tombstones TO memoranda_rules;

GRANT UPDATE(lifted_at) ON TABLE memoranda_private.tombstones TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.refuse(t memoranda_private.tombstones) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.refuse_rewriting() FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.replaced(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.require_file(f memoranda_private.files) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_document(p memoranda_private.place, p_row jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_fact(p memoranda_private.place, f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_file(p memoranda_private.place, f memoranda_private.files) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_links(p memoranda_private.place, f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_message(p memoranda_private.place, p_row jsonb) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.revisions TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.revisions TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.revisions TO memoranda_import;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(owner_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(scope) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(scope_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(subject) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(subject_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(user_id),UPDATE(user_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(run_id) ON TABLE memoranda_private.revisions TO memoranda_erasure;

GRANT SELECT(at) ON TABLE memoranda_private.revisions TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.restore_revision(p memoranda_private.place, r memoranda_private.revisions) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.runs TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.runs TO memoranda_erasure;
GRANT SELECT,INSERT ON TABLE memoranda_private.runs TO memoranda_import;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.runs TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.runs TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.runs TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.runs TO memoranda_erasure;

GRANT INSERT(run_id) ON TABLE memoranda_private.runs TO memoranda_rules;
GRANT SELECT(run_id) ON TABLE memoranda_private.runs TO memoranda_erasure;

GRANT INSERT(sources),UPDATE(sources) ON TABLE memoranda_private.runs TO memoranda_rules;
GRANT SELECT(sources),UPDATE(sources) ON TABLE memoranda_private.runs TO memoranda_erasure;
GRANT UPDATE(sources) ON TABLE memoranda_private.runs TO memoranda_import;

GRANT SELECT(first_at) ON TABLE memoranda_private.runs TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.restore_run(p memoranda_private.place, r memoranda_private.runs) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.restore_tombstone(p memoranda_private.place, t memoranda_private.tombstones) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.review_approve(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.review_approve(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.review_approve(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.review_counts(p_place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.review_counts(p_place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.review_counts(p_place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.review_edit(p_place jsonb, p_target jsonb, p_fact jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.review_pending(p_place jsonb, p_query jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.review_pending(p_place jsonb, p_query jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.review_pending(p_place jsonb, p_query jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.review_reject(p_place jsonb, p_target jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.review_reject(p_place jsonb, p_target jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.review_reject(p_place jsonb, p_target jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.runs_of(p memoranda_private.place, p_what jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.runs_taint(p_place jsonb, p_run jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.save_all(p memoranda_private.place, p_facts jsonb, p_lenient boolean, p_approved boolean, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.says_enough(p_quote text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.schema_version() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.schema_version() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.search_among(p_places memoranda_private.place[], p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_asked(p_places memoranda_private.place[], p_query text, p_names text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_large(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_meaning(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_among uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_newest(p_places memoranda_private.place[], p_among uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_then(p_places memoranda_private.place[], p_moment memoranda_private.moment, p_query jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.search_words(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_among uuid[], p_count integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.secret_hash(p_tenant uuid, p_text text) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.secret_hashes(p_tenant uuid, p_texts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.secret_hashes(p_tenant uuid, p_texts text[]) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.set_aside(p memoranda_private.place, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.setting(p_tenant uuid, p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.settings_get(p_place jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.settings_known() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_known() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.settings_known() TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.settings_of(p_tenant uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.settings_set(p_setting jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.settings_set(p_setting jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.settle(p memoranda_private.place, f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.shape_of(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.signs(v memoranda_private.vec) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.signs(v memoranda_private.vec) TO memoranda_rules;

REVOKE ALL ON FUNCTION memoranda_private.similarities(p_places memoranda_private.place[], p_vector memoranda_private.vec, p_model text, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.sources_erased_since(p memoranda_private.place, p_time timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.stories(p memoranda_private.place, p_moment memoranda_private.moment, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.subjects(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.successor(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.target_in(p_target jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.template_of(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenant_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.tenants_with(p_permission text) TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.time_in(p_query jsonb, p_name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.tombstone_of(f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.traits_decide(o memoranda_private.traits, n memoranda_private.traits, p_similarity double precision, p_trigram double precision, p_threshold double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.traits_differ(o memoranda_private.traits, n memoranda_private.traits) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.traits_of(p_text text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.traits_track(o memoranda_private.traits, n memoranda_private.traits) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.turns_add(p_place jsonb, p_turn jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.uid() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_service;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_erasure;
GRANT ALL ON FUNCTION memoranda_private.uid() TO memoranda_import;

REVOKE ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.undo(p_place jsonb, p_what jsonb, p_call jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.undo_facts(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.undo_files(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.undo_messages(p memoranda_private.place, p_runs text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.unindex(p memoranda_private.place, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.unindex_messages(p memoranda_private.place, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.user_of(p_member jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.vector_in(p_vector text, p_model text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.vectors_missing(p_place jsonb, p_wanted jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.vectors_put(p_place jsonb, p_made jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.voice_of(p_hit jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.waiting(p memoranda_private.place, p_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.waits(f memoranda_private.facts, p_options jsonb, p_actor text, p_policy text) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.whoami() FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.whoami() TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.words_bits(p_words text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.words_of(p_places memoranda_private.place[], p_asked memoranda_private.sparse, p_ids uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.words_score(p_product double precision, p_length integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.words_weighed(p_words text[], p_names text[], p_has bigint[], p_parts bigint[], p_texts bigint[], p_sampled boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.work_claim(p_place jsonb, p_work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_claim(p_place jsonb, p_work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.work_claim(p_place jsonb, p_work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.work_done(p_place jsonb, p_work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_done(p_place jsonb, p_work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.work_done(p_place jsonb, p_work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.work_failed(p_place jsonb, p_work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_failed(p_place jsonb, p_work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.work_failed(p_place jsonb, p_work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.work_limits(OUT claims integer, OUT failures integer) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_limits(OUT claims integer, OUT failures integer) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.work_limits(OUT claims integer, OUT failures integer) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.work_missing(p_place jsonb, p_work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_missing(p_place jsonb, p_work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.work_missing(p_place jsonb, p_work jsonb) TO service_role;

GRANT SELECT,DELETE ON TABLE memoranda_private.work TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.work TO memoranda_erasure;
GRANT SELECT ON TABLE memoranda_private.work TO memoranda_service;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(scope) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(scope_id) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(kind) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(kind) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(subject) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(subject) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(user_id),UPDATE(user_id) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT SELECT(user_id) ON TABLE memoranda_private.work TO memoranda_erasure;

GRANT INSERT(due_at),UPDATE(due_at) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(due_at) ON TABLE memoranda_private.work TO memoranda_service;

GRANT INSERT(lease),UPDATE(lease) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(lease) ON TABLE memoranda_private.work TO memoranda_service;

GRANT UPDATE(claims) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(claims) ON TABLE memoranda_private.work TO memoranda_service;

GRANT UPDATE(failures) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(failures) ON TABLE memoranda_private.work TO memoranda_service;

GRANT UPDATE(waits) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(waits) ON TABLE memoranda_private.work TO memoranda_service;

GRANT UPDATE(reason) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(reason) ON TABLE memoranda_private.work TO memoranda_service;

GRANT UPDATE(dead_at) ON TABLE memoranda_private.work TO memoranda_rules;
GRANT UPDATE(dead_at) ON TABLE memoranda_private.work TO memoranda_service;

GRANT SELECT(created_at) ON TABLE memoranda_private.work TO memoranda_erasure;

REVOKE ALL ON FUNCTION memoranda_private.work_out(w memoranda_private.work) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_out(w memoranda_private.work) TO memoranda_rules;
GRANT ALL ON FUNCTION memoranda_private.work_out(w memoranda_private.work) TO memoranda_service;

REVOKE ALL ON FUNCTION memoranda_private.work_retry(p_limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_retry(p_limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.work_status(p_limits jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_status(p_limits jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.work_texts(p_place jsonb, p_work jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION memoranda_private.work_texts(p_place jsonb, p_work jsonb) TO authenticated;
GRANT ALL ON FUNCTION memoranda_private.work_texts(p_place jsonb, p_work jsonb) TO service_role;

REVOKE ALL ON FUNCTION memoranda_private.would_replace(p memoranda_private.place, f memoranda_private.facts) FROM PUBLIC;

REVOKE ALL ON FUNCTION memoranda_private.written_by(p memoranda_private.place, p_subject text, p_runs text[]) FROM PUBLIC;

GRANT SELECT ON TABLE memoranda_private.erasures TO memoranda_rules;
GRANT SELECT,INSERT ON TABLE memoranda_private.erasures TO memoranda_erasure;

GRANT SELECT ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(scope) ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(scope_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(fact_id) ON TABLE memoranda_private.fact_uses TO memoranda_rules;
GRANT SELECT(fact_id) ON TABLE memoranda_private.fact_uses TO memoranda_erasure;

GRANT INSERT(seen_count),UPDATE(seen_count) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(use_count),UPDATE(use_count) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT INSERT(last_used_at),UPDATE(last_used_at) ON TABLE memoranda_private.fact_uses TO memoranda_rules;

GRANT SELECT ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(key_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(key_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT INSERT(payload_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT UPDATE(payload_hash) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;

GRANT UPDATE(outcome) ON TABLE memoranda_private.idempotency_keys TO memoranda_rules;
GRANT SELECT(outcome),UPDATE(outcome) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;

GRANT SELECT(erased_at),UPDATE(erased_at) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(erased_at) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT SELECT(created_at) ON TABLE memoranda_private.idempotency_keys TO memoranda_erasure;
GRANT SELECT(created_at) ON TABLE memoranda_private.idempotency_keys TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.large_scopes TO memoranda_rules;
GRANT SELECT,DELETE ON TABLE memoranda_private.large_scopes TO memoranda_service;
GRANT DELETE ON TABLE memoranda_private.large_scopes TO memoranda_erasure;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.large_scopes TO memoranda_erasure;

GRANT INSERT(owner_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;
GRANT SELECT(owner_id) ON TABLE memoranda_private.large_scopes TO memoranda_erasure;

GRANT INSERT(scope) ON TABLE memoranda_private.large_scopes TO memoranda_service;
GRANT SELECT(scope) ON TABLE memoranda_private.large_scopes TO memoranda_erasure;

GRANT INSERT(scope_id) ON TABLE memoranda_private.large_scopes TO memoranda_service;
GRANT SELECT(scope_id) ON TABLE memoranda_private.large_scopes TO memoranda_erasure;

GRANT INSERT(model) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT INSERT(number) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT UPDATE(ready) ON TABLE memoranda_private.large_scopes TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.members TO memoranda_service;
GRANT SELECT,DELETE ON TABLE memoranda_private.members TO memoranda_erasure;

GRANT UPDATE(permission) ON TABLE memoranda_private.members TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.message_terms TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.message_terms TO memoranda_erasure;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.message_terms TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(owner_id) ON TABLE memoranda_private.message_terms TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(scope) ON TABLE memoranda_private.message_terms TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(scope_id) ON TABLE memoranda_private.message_terms TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(message_id) ON TABLE memoranda_private.message_terms TO memoranda_erasure;
GRANT SELECT(message_id) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(part) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT(live) ON TABLE memoranda_private.message_terms TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.message_vectors TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT DELETE ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(owner_id) ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(scope) ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(scope_id) ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(model) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(message_id) ON TABLE memoranda_private.message_vectors TO memoranda_erasure;
GRANT SELECT(message_id) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT(piece) ON TABLE memoranda_private.message_vectors TO memoranda_service;

GRANT SELECT ON TABLE memoranda_private.settings TO memoranda_rules;
GRANT SELECT,DELETE ON TABLE memoranda_private.settings TO memoranda_service;
GRANT DELETE ON TABLE memoranda_private.settings TO memoranda_erasure;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.settings TO memoranda_service;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.settings TO memoranda_erasure;

GRANT INSERT(name) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT INSERT(value),UPDATE(value) ON TABLE memoranda_private.settings TO memoranda_service;

GRANT UPDATE(updated_at) ON TABLE memoranda_private.settings TO memoranda_service;
GRANT SELECT(updated_at) ON TABLE memoranda_private.settings TO memoranda_erasure;

GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(tenant_id),INSERT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_service;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.tenants TO memoranda_erasure;

GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_rules;
GRANT SELECT(kind),INSERT(kind) ON TABLE memoranda_private.tenants TO memoranda_service;
GRANT SELECT(kind) ON TABLE memoranda_private.tenants TO memoranda_erasure;

GRANT UPDATE(salt) ON TABLE memoranda_private.tenants TO memoranda_erasure;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.terms TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT(owner_id) ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT(scope) ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT(scope_id) ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT(fact_id) ON TABLE memoranda_private.terms TO memoranda_erasure;

GRANT SELECT,DELETE ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT DELETE ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(tenant_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(owner_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(owner_id) ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(scope) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(scope) ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(scope_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(scope_id) ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(model) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(model) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(fact_id) ON TABLE memoranda_private.unembeddable TO memoranda_rules;
GRANT SELECT(fact_id) ON TABLE memoranda_private.unembeddable TO memoranda_erasure;
GRANT SELECT(fact_id) ON TABLE memoranda_private.unembeddable TO memoranda_service;

GRANT INSERT(reason) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT INSERT(at) ON TABLE memoranda_private.unembeddable TO memoranda_rules;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.vectors TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.vectors TO memoranda_erasure;
GRANT DELETE ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.vectors TO memoranda_service;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.vectors TO memoranda_erasure;

GRANT SELECT(owner_id) ON TABLE memoranda_private.vectors TO memoranda_service;
GRANT SELECT(owner_id) ON TABLE memoranda_private.vectors TO memoranda_erasure;

GRANT SELECT(scope) ON TABLE memoranda_private.vectors TO memoranda_service;
GRANT SELECT(scope) ON TABLE memoranda_private.vectors TO memoranda_erasure;

GRANT SELECT(scope_id) ON TABLE memoranda_private.vectors TO memoranda_service;
GRANT SELECT(scope_id) ON TABLE memoranda_private.vectors TO memoranda_erasure;

GRANT SELECT(model) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT(fact_id) ON TABLE memoranda_private.vectors TO memoranda_service;
GRANT SELECT(fact_id) ON TABLE memoranda_private.vectors TO memoranda_erasure;

GRANT SELECT(large),UPDATE(large) ON TABLE memoranda_private.vectors TO memoranda_service;

GRANT SELECT,INSERT,DELETE ON TABLE memoranda_private.vectors_aside TO memoranda_rules;
GRANT DELETE ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT DELETE ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(tenant_id) ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT SELECT(tenant_id) ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(owner_id) ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT SELECT(owner_id) ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(scope) ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT SELECT(scope) ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(scope_id) ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT SELECT(scope_id) ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(model) ON TABLE memoranda_private.vectors_aside TO memoranda_service;

GRANT SELECT(fact_id) ON TABLE memoranda_private.vectors_aside TO memoranda_erasure;
GRANT SELECT(fact_id) ON TABLE memoranda_private.vectors_aside TO memoranda_service;
