-- Text: how it is compared and how it is searched. All in SQL, with named collations and with no class of characters that
-- a locale defines, so that every client and every database comes to the same.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- A text as a value: two that a reader takes for the same are equal. Invisible characters, width, composition, case and
-- runs of blanks make no difference.
create function plain(p_text text) returns text
language sql immutable parallel safe
return btrim(regexp_replace(
  case when octet_length(p_text) = char_length(p_text) then lower(p_text collate pg_c_utf8)
       else replace(translate(normalize(lower(upper(normalize(regexp_replace(p_text,
              '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\U000E0000-\U000E0FFF]',
              '', 'g'), nfkd) collate pg_c_utf8) collate pg_c_utf8), nfkc), 'ıς', 'iσ'), 'i̇', 'i') end,
  '[\u0001-\u0020\u007f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'));

-- A text for search: without accents and other marks that people leave out. (Marks that make another letter or another
-- vowel, as in Japanese or Hindi, stay.)
create function fold(p_text text) returns text
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  plained text := plain(p_text);
begin
  return case when octet_length(plained) = char_length(plained) then plained
              else normalize(translate(regexp_replace(normalize(replace(plained, 'ß', 'ss'), nfd),
                     '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+', '', 'g'),
                     'øłđ', 'old'), nfc) end;
end $$;

-- What a text is found by: the stems of its words, by the script that each is in, in their order and as often as they
-- stand there; two letters at a time in scripts without spaces (Han, kana, Thai, Lao, Burmese, Khmer), and each sign of
-- Han; and, marked by `=`, what stands in it as one thing though it is more than a word, such as `xq-4471`, an address, a
-- version or a path, and long numbers however they are grouped, whole and by their last seven digits. Stop words give none.
-- One function, since calling a small one for each word costs ten times as much; and a text in ASCII takes a short cut to
-- the same.
create function lexemes(p_text text) returns text[]
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

-- The words of a question that are looked for. The longest ones are the rarest, as a rule.
create function asked_words(p_query text) returns text[]
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
begin
  return array(select lexeme from unnest(lexemes(left(p_query, 10000))) as lexeme group by lexeme
                order by char_length(lexeme) desc, lexeme collate "C" limit 44);
end $$;

-- The names that a question may be about, folded: those that are given, and up to three words in it that stand together. A
-- name does not begin or end with `the` or `what`.
create function asked_names(p_query text, p_names text[]) returns text[]
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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
end $$;

-- Whom a fact is about, when nobody says: the one who speaks in it, as in `Anna: ...` or `[8 May] Anna Smith: ...`. (Any
-- word with a capital letter was tried as well, and made search worse.)
create function subjects(p_text text) returns text[]
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select case when found is null then '{}' else array[found] end
    from substring(left(p_text, 300) collate pg_c_utf8 from
           '^(?:\[[^\]]*\] )?([[:upper:]][[:alnum:]''’-]*(?: [[:upper:]][[:alnum:]''’-]*){0,2}):(?:\s|$)') as found
$$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
