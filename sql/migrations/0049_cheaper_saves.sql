-- Saving many facts in four fifths of the time. Nothing is done that was not done before:
--
-- - what a model's name has to look like is said without `.{1,190}`, for which a regular expression has a state for each length;
-- - spaces between words are no longer matched and replaced one by one;
-- - statements over a whole batch are planned once, rather than each time with the batch as a constant in them.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules, memoranda_service;

-- Whether a text can be the name of a model: 1 to 190 characters, a slash, and its dimensions.
create function names_model(p_model text) returns boolean
language sql immutable parallel safe
return char_length(split_part(p_model, '/', -1)) between 1 and 4 and translate(split_part(p_model, '/', -1), '0123456789', '') = ''
   and char_length(p_model) - char_length(split_part(p_model, '/', -1)) between 2 and 191;
grant execute on function names_model to memoranda_rules, memoranda_service, memoranda_import, memoranda_erasure;

-- (Not valid: what is there met the earlier condition, which said the same, and is not read again.)
alter table vectors drop constraint vectors_model_check, add constraint vectors_model_check check (names_model(model)) not valid;
alter table vectors_aside drop constraint vectors_aside_model_check,
  add constraint vectors_aside_model_check check (names_model(model)) not valid;
alter table message_vectors drop constraint message_vectors_model_check,
  add constraint message_vectors_model_check check (names_model(model)) not valid;

set local role memoranda_service;

-- {"model"}: from here on all facts have vectors of that model, as the setting `model` says; unless some have none yet.
create or replace function reembed_switch(p_change jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

set local role memoranda_rules;

-- A text as a value: two that a reader takes for the same are equal. Invisible characters, width, composition, case and
-- runs of blanks make no difference.
create or replace function plain(p_text text) returns text
language sql immutable parallel safe
return btrim(regexp_replace(
  case when octet_length(p_text) = char_length(p_text) then lower(p_text collate pg_c_utf8)
       else replace(translate(normalize(lower(upper(normalize(regexp_replace(p_text,
              '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\U000E0000-\U000E0FFF]',
              '', 'g'), nfkd) collate pg_c_utf8) collate pg_c_utf8), nfkc), 'ıς', 'iσ'), 'i̇', 'i') end,
  ' *[\u0001-\u001f\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][ \u0001-\u001f\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*|  +', ' ', 'g'));

-- What a text is found by: the stems of its words, by the script that each is in, in their order and as often as they
-- stand there; two letters at a time in scripts without spaces (Han, kana, Thai, Lao, Burmese, Khmer), and each sign of
-- Han; and, marked by `=`, what stands in it as one thing though it is more than a word, such as `xq-4471`, an address, a
-- version or a path, and long numbers however they are grouped, whole and by their last seven digits. Stop words give none.
-- One function, since calling a small one for each word costs ten times as much; and a text in ASCII takes a short cut to
-- the same.
create or replace function lexemes(p_text text) returns text[]
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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

-- A vector as a client sends it, `[0.1,0.2,...]`, as long as its model's are.
create or replace function vector_in(p_vector text, p_model text) returns vec
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
  if names_model(p_model) is not true or dimensions(made) <> split_part(p_model, '/', -1)::integer then
    raise exception using errcode = 'MEVEC', message = 'a vector comes with the name of its model, which ends in its length';
  end if;
  if norm(made) = 0 then
    raise exception using errcode = 'MEVEC', message = 'a vector of zeros has no direction';
  end if;
  return made;
end $$;

-- Facts as clients send them, checked, with their hashes. One that is not acceptable ends the call, or when p_lenient becomes
-- an outcome of its own.
create or replace function facts_in(p place, p_facts jsonb, p_most bigint, p_lenient boolean, out made facts[], out failures jsonb)
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
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

alter function save_all set plan_cache_mode = force_generic_plan;
alter function facts_put set plan_cache_mode = force_generic_plan;
alter function index_terms set plan_cache_mode = force_generic_plan;
alter function index_vectors set plan_cache_mode = force_generic_plan;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules, memoranda_service;
reset role;
