-- Whose voice a message is: what was imported, of no run, is one, too.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

create or replace function voice_of(p_hit jsonb) returns text
language sql immutable
return case
  when p_hit ? 'message' then case when (p_hit #>> '{message,tainted}')::boolean and p_hit #>> '{message,role}' <> 'user'
                                   then 'run ' || coalesce(p_hit #>> '{message,run_id}', '') end
  when (p_hit #>> '{fact,tainted}')::boolean or p_hit #>> '{fact,origin}' in ('tool', 'assistant')
    then 'source ' || coalesce(p_hit #>> '{fact,source}', '') end;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
