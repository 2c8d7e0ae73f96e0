-- The guard of near duplicates. Two memories may be alike in meaning and in letters and yet not be one: another number,
-- another day, a `not`. Here is decided whether a text says what another says (merge), is the same tracker with a newer
-- figure (supersede), may be either (propose), or is another memory. A threshold alone never merges: a merge needs the
-- same words. tests/evals/pairs says how well that works, and in which languages.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;


-- Differences ---------------------------------------------------------------------------------------------------------

create function traits_differ(o traits, n traits) returns text
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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
end $$;

-- How two texts differ, where that can be told: number, date, unit, name, negation, quantifier, tense, contradiction; or null.
-- Null is no promise that they say the same.
create function differs(p_old text, p_new text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select traits_differ(traits_of(p_old), traits_of(p_new)) $$;

-- Whether the one is a later state of what the other says, their shapes being equal: `tracker`; `other` where the number says
-- which one is meant; `doubtful`.
create function traits_track(o traits, n traits) returns text
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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
end $$;


-- The decision --------------------------------------------------------------------------------------------------------

-- The same as near_duplicate, of texts that were read already: a save reads its own once, for all candidates.
create function traits_decide(o traits, n traits, p_similarity double precision, p_trigram double precision, p_threshold double precision)
returns jsonb
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
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

-- What a text is to one that is there: {"decision", "rule", "similarity", "trigram", "threshold"}.
--   merge      it says the same in the same words: `words`, or with a phrase at the other end (`order`)
--   supersede  it is a later state of the same tracker: `tracker`
--   propose    it may say the same (`meaning`), or be a later state (`template`): for a judge, or a person
--   none       another memory; the rule is the class in which they differ, or `distance`
-- The threshold is the cosine from which two texts are proposed; what is merged or superseded doesn't depend on it.
create function near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision default 0.65)
returns jsonb
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
begin
  return traits_decide(traits_of(p_old), traits_of(p_new), p_similarity, round((1 - (p_old <-> p_new))::numeric, 3)::double precision, p_threshold);
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
