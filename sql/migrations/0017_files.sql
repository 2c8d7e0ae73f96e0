-- Files: a few small texts under paths, the core memory that goes into every prompt. Edits are made here, on the text as it
-- stands when the writer's turn comes, so that two writers cannot lose each other's.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;


-- The table -----------------------------------------------------------------------------------------------------------

-- A path is relative to the scope's root: segments between slashes, as they are compared and shown. Nothing in it can mean
-- another place (`.`, `..`, an encoded slash), hide (controls, bidi, invisible characters) or have two spellings (NFC).
create function is_path(p_path text) returns boolean
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select char_length(p_path) between 1 and 480
     and p_path is nfc normalized
     and p_path !~ '[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uE000-\uF8FF\uFDD0-\uFDEF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFF\U000E0000-\U0010FFFF\\]'
     and p_path !~ '(^|[\u0001-\u007F])[\u200C\u200D]|[\u200C\u200D]($|[\u0001-\u007F])'  -- joiners: Persian, Hindi, emoji
     and p_path !~* '%[0-9a-f]{2}'
     and (select count(*) <= 20
             and bool_and(segment <> '' and normalize(segment, nfkc) !~ '^ | $'
                          and normalize(segment, nfkc) !~ '[/\\]' and normalize(segment, nfkc) !~ '^\.{1,2}$')
            from unnest(string_to_array(p_path, '/')) as segments (segment))
$$;
grant execute on function is_path to memoranda_rules;

create table files (
  tenant_id   uuid not null,
  owner_id    uuid not null,
  scope       text not null,
  scope_id    text not null,
  id          uuid not null default gen_random_uuid(),
  path        text not null check (is_path(path)),
  content     text not null check (char_length(content) <= 1000000),
  status      text not null check (status in ('current', 'removed')),
  tainted     boolean not null,              -- written by a run that had read untrusted material
  version     integer not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (tenant_id, owner_id, scope, scope_id, id),
  check (is_place(owner_id, scope, scope_id))
);
create unique index files_current on files (tenant_id, owner_id, scope, scope_id, path) where status = 'current';
create index revisions_path on revisions (tenant_id, owner_id, scope, scope_id, (state ->> 'path')) where subject = 'file';

alter table files enable row level security;
alter table files force row level security;
create policy read on files for select to memoranda_rules
  using (owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[]))
         or scope = 'organization' and tenant_id = any ((select my_tenants())::uuid[]));
create policy add on files for insert to memoranda_rules
  with check (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                         else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
create policy change on files for update to memoranda_rules
  using (case scope when 'organization' then tenant_id = any ((select tenants_with('manage'))::uuid[])
                    else owner_id = (select uid()) and (tenant_id = owner_id or tenant_id = any ((select my_tenants())::uuid[])) end);
grant select on files to memoranda_rules;
grant insert (tenant_id, owner_id, scope, scope_id, id, path, content, status, tainted) on files to memoranda_rules;
grant update (path, content, status, tainted) on files to memoranda_rules;

-- Time and version belong to the database. What comes to a path takes up the count where the last file there left off, so
-- that a version of a path names one text for ever.
create function guard_file() returns trigger
language plpgsql set search_path = memoranda_private, pg_temp
as $$
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
create trigger guard before insert or update on files for each row execute function guard_file();

create function log_file() returns trigger
language plpgsql security definer set search_path = memoranda_private, pg_temp
as $$
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
create trigger log after insert or update on files for each row when (current_user <> 'memoranda_import') execute function log_file();


-- Rules ---------------------------------------------------------------------------------------------------------------

set local role memoranda_rules;

-- One writer at a time in a scope's files: what a write sees of names and sizes holds until it is done.
create function lock_files(p place) returns void
language sql set search_path = memoranda_private, pg_temp
as $$ select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('files', p)::text, 0)) $$;

create function path_in(p_path text) returns text
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if is_path(p_path) is not true then
    raise exception using errcode = 'MEPTH', message = 'that is not a path of a file';
  end if;
  return p_path;
end $$;

create function file_at(p place, p_path text) returns files
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select f from files f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.path = p_path and f.status = 'current'
$$;

-- The files below a folder, by path. The root is the empty path.
create function files_below(p place, p_folder text) returns setof files
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select f from files f
   where (f.tenant_id, f.owner_id, f.scope, f.scope_id) = (p.tenant_id, p.owner_id, p.scope, p.scope_id)
     and f.status = 'current' and (p_folder = '' or starts_with(f.path, p_folder || '/'))
   order by f.path collate "C"
$$;

-- A path is a file or a folder, not both: nothing stands on the way to it as a file, and it is no folder itself.
create function check_free(p place, p_path text) returns void
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
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

-- After a write: what the scope holds is within bounds, or nothing of the write remains.
create function check_quota(p place) returns void
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
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

create function check_size(p place, p_content text) returns void
language plpgsql stable set search_path = memoranda_private, pg_temp
as $$
declare
  most bigint := setting(p.tenant_id, 'file_characters');
begin
  if char_length(p_content) > most then
    raise exception using errcode = 'MEBIG',
      message = format('a file has at most %s characters, this one would have %s', most, char_length(p_content));
  end if;
end $$;

create function check_file_version(f files, p_expected integer) returns void
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if p_expected is not null and p_expected <> coalesce(f.version, 0) then
    raise exception using errcode = 'MECFL', message = format('the file is at version %s, not %s', coalesce(f.version, 0), p_expected);
  end if;
end $$;

create function require_file(f files) returns files
language plpgsql immutable set search_path = memoranda_private, pg_temp
as $$
begin
  if f.id is null then
    raise exception using errcode = 'MENFD', message = 'there is no such file';
  end if;
  return f;
end $$;

create function line_count(p_text text) returns integer
language sql immutable set search_path = memoranda_private, pg_temp
as $$ select 1 + char_length(p_text) - char_length(replace(p_text, e'\n', '')) $$;

-- The lines in which a text begins, one for each place where it stands. An empty text stands nowhere.
create function lines_of(p_content text, p_text text) returns integer[]
language sql immutable set search_path = memoranda_private, pg_temp
as $$
  select coalesce(array_agg(line order by place), '{}')
    from (
      select place, count(*) over () as parts,
             sum(line_count(part) - 1) over (order by place) + (place - 1) * (line_count(p_text) - 1) + 1 as line
        from unnest(string_to_array(p_content, p_text)) with ordinality as split (part, place)
    ) as ends
   where place < parts and p_text <> ''
$$;

create function file_out(f files) returns jsonb
language sql stable set search_path = memoranda_private, pg_temp
as $$
  select jsonb_build_object('id', f.id, 'path', f.path, 'content', f.content, 'version', f.version, 'tainted', f.tainted,
                            'created_at', f.created_at, 'updated_at', f.updated_at)
$$;

-- What a path is: a file, a folder with all that is below it, or nothing (null). The root is a folder, also when empty.
-- {"path", "contents", "known_at"}: the smallest files of a folder come with their text, up to so many bytes together; with
-- known_at, everything as it stood then (0025).
create function files_view(p_place jsonb, p_target jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
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

-- Every revision of what has stood at a path, newest first; the limit is held between 1 and 1000.
create function files_history(p_place jsonb, p_target jsonb) returns jsonb
language plpgsql stable security definer set search_path = memoranda_private, pg_temp
as $$
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

grant execute on function files_view, files_history to authenticated, service_role;


-- Doors ---------------------------------------------------------------------------------------------------------------

set local role memoranda_owner;

create function memoranda.files_view(place jsonb, target jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.files_view(place, target) $$;
create function memoranda.files_history(place jsonb, target jsonb) returns jsonb
language sql stable set search_path = '' as $$ select memoranda_private.files_history(place, target) $$;
grant execute on function memoranda.files_view, memoranda.files_history to authenticated, service_role;

revoke create on schema memoranda_private from memoranda_rules;
reset role;
