-- The guard of near duplicates: what an older and a newer statement are to each other. Similarity proposes; what decides is whether
-- anything in them differs that a reader would mind.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- A text without its numbers: equal for the states of one tracker.
create function template_of(p_text text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select regexp_replace(plain(p_text), '[0-9]+([.,:][0-9]+)*', '#', 'g') $$;

-- How two texts differ, where that can be told: number or negation; or null.
create function differs(p_old text, p_new text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select case
    when array(select m[1] from regexp_matches(plain(p_old), '([0-9]+(?:[.,:][0-9]+)*)', 'g') as m order by 1)
      is distinct from array(select m[1] from regexp_matches(plain(p_new), '([0-9]+(?:[.,:][0-9]+)*)', 'g') as m order by 1) then 'number'
    when (plain(p_old) ~ '\m(not|no|never|cannot|without|nicht|kein|keine|ne|pas|nunca|jamais|не|нет)\M|n[''’]t\M')
      is distinct from (plain(p_new) ~ '\m(not|no|never|cannot|without|nicht|kein|keine|ne|pas|nunca|jamais|не|нет)\M|n[''’]t\M') then 'negation' end
$$;

-- What a text is to one that is there: {"decision", "rule", "similarity", "threshold"}, the decision being merge (it says the same),
-- supersede (it is a later state of the same), propose (a person should look) or none.
create function near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision default 0.80)
returns jsonb
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  difference  text := differs(p_old, p_new);
  decision    text := 'none';
begin
  if difference = 'number' and template_of(p_old) = template_of(p_new) and template_of(p_new) ~ '^[^#]*\m(has|have) # [[:alpha:]][^#]*$' then
    decision := 'supersede';
  elsif difference is null and p_similarity >= 0.95 and 1 - (plain(p_old) <-> plain(p_new)) >= 0.6 then
    decision := 'merge';
  elsif difference is null and p_similarity >= p_threshold then
    decision := 'propose';
  end if;
  return jsonb_build_object('decision', decision, 'rule', coalesce(difference, 'meaning'), 'similarity', p_similarity,
                            'threshold', p_threshold);
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
