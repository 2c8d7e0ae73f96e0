-- What the guard of near duplicates reads out of a text: its words in one spelling, numbers, dates, units and names, and
-- whether it denies something, or tells of what was.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- What the guard goes by.
create type traits as (
  words       text[],       -- every token, folded: numbers and units in one spelling, the article before `user` left out
  kinds       text[],       -- what each is: n a number, d of a date, u a unit, w another word
  shape       text[],       -- the same, numbers and dates masked
  numbers     text[],
  dates       text[],
  units       text[],
  names       text[],       -- with a capital letter, but for the first
  opened      boolean,      -- the first has a capital letter
  quantifiers text[],
  poles       text[],
  negated     boolean,
  past        boolean,
  spaceless   boolean,
  accents     text,
  labelled    boolean       -- what stands before a colon has the figure after it
);

create function traits_of(p_text text) returns traits
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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
end $$;

-- The text with its numbers, amounts, dates and times masked: equal for the states of one tracker.
create function template_of(p_text text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select array_to_string((traits_of(p_text)).shape, ' ') $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
