-- Writes of files: the whole text, an edit of it, removal, a move, and the return of an earlier version.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- Creates a file, or replaces what is in it: {"path", "content", "expected_version"}; an expected version of 0 means that
-- there is no such file.
create function files_write(p_place jsonb, p_file jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

-- The one way in which a file's text changes; a text that is the same makes no version. A mark of taint stays on what was
-- added to, and goes with what was replaced.
create function file_set(p place, f files, p_content text) returns files
language plpgsql set search_path = memoranda_private, pg_temp
as $$
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

-- Replaces the one place where a text stands: {"path", "old", "new"}. Not once, or more than once: nothing is changed.
create function files_replace(p_place jsonb, p_edit jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

-- Inserts text after a line, 0 being the top: {"path", "line", "text"}.
create function files_insert(p_place jsonb, p_edit jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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
end $$;

-- Removes a file, or a folder with all that is below it: {"path", "expected_version"}. What is removed stays in the history.
create function files_remove(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

-- Moves a file, or a folder with all that is below it, to a path where nothing is: {"from", "to"}.
create function files_move(p_place jsonb, p_move jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

-- Puts an earlier version of a path back, as a new one: {"path", "version"}.
create function files_restore(p_place jsonb, p_target jsonb, p_call jsonb) returns jsonb
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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

grant execute on function files_write, files_replace, files_insert, files_remove, files_move, files_restore
  to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.files_write(place jsonb, file jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_write(place, file, call) $$;
create function memoranda.files_replace(place jsonb, edit jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_replace(place, edit, call) $$;
create function memoranda.files_insert(place jsonb, edit jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_insert(place, edit, call) $$;
create function memoranda.files_remove(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_remove(place, target, call) $$;
create function memoranda.files_move(place jsonb, move jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_move(place, move, call) $$;
create function memoranda.files_restore(place jsonb, target jsonb, call jsonb default '{}') returns jsonb
language sql set search_path = '' as $$ select memoranda_private.files_restore(place, target, call) $$;

grant execute on function memoranda.files_write, memoranda.files_replace, memoranda.files_insert,
  memoranda.files_remove, memoranda.files_move, memoranda.files_restore to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
