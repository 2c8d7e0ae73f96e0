-- A large scope's vectors are numbered by their keys. Joined to what was chosen, as before, the planner could take a whole
-- scope for one row, and read all of it anew for each vector: hours, in a table of a million.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_service;

set local role memoranda_service;

-- Gives up to so many vectors of a scope its number; how many there were.
create or replace function large_scopes_mark(p_number integer, p_most integer) returns integer
language plpgsql set search_path = memoranda_private, pg_temp
as $$
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

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_service;
reset role;
