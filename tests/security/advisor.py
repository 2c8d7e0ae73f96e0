"""The checks of Supabase's database linter, as queries of our own, over our schemas.

Each has the number that the linter gives it. Left out are those that say nothing of a schema: 0005 (unused indexes),
0020 (bloat) and 0031 (replication slots) look at what a server has done, 0012 at sign-in settings, 0019 at queues of
pgmq, 0022 at the server's packages, 0025 at Supabase's storage. What 0026 and 0027 ask is asked in `rules.py`: no API
role has a privilege on a table.
"""

from __future__ import annotations

from typing import Any

import psycopg

_OURS = """
tables as (select c.oid, relname::text as name, nspname::text as schema, relkind, relrowsecurity, reloptions
             from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = any(%(ours)s)),
policies as (select t.name || '.' || polname as name, t.name as "table", t.relrowsecurity as enabled, polcmd,
                    polroles, polpermissive,
                    pg_get_expr(polqual, polrelid) as seen, pg_get_expr(polwithcheck, polrelid) as checks,
                    concat_ws(' ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) as says
               from pg_policy join tables t on t.oid = polrelid),
functions as (select p.oid, nspname || '.' || proname as name, prosecdef, proconfig, prosqlbody is not null as bound
                from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname = any(%(ours)s)),
indexes as (select i.*, pg_get_indexdef(indexrelid) as definition
              from pg_index i join tables t on t.oid = indrelid),
columns as (select attrelid, attnum, atttypid, t.name || '.' || attname as name, attname, relkind
              from pg_attribute join tables t on t.oid = attrelid where attnum > 0 and not attisdropped)
"""

CHECKS = {
    "0001 a foreign key without an index": """
        select t.name || '.' || conname from pg_constraint join tables t on t.oid = conrelid
         where contype = 'f' and not exists (select from indexes where indrelid = conrelid and indisvalid
                                                and (indkey::int2[])[0:cardinality(conkey) - 1] <@ conkey
                                                and indnkeyatts >= cardinality(conkey))
    """,
    "0002 accounts that can be seen": """
        select t.name from tables t where relkind in ('v', 'm')
           and (has_table_privilege('anon', t.oid, 'select') or has_table_privilege('authenticated', t.oid, 'select'))
           and exists (select from pg_rewrite r join pg_depend d on d.objid = r.oid
                        where ev_class = t.oid and refobjid = to_regclass('auth.users'))
    """,
    "0003 a policy that asks for every row": r"""
        select name from policies where regexp_replace(says, '\( SELECT [\w.]+\(', '', 'gi')
                                        ~ '\m(uid|jwt|role|my_tenants|tenants_with|erasing|current_setting)\('
    """,
    "0004 no primary key": """
        select name from tables t where relkind in ('r', 'p')
           and not exists (select from indexes where indrelid = t.oid and indisprimary)
    """,
    "0006 more than one policy for a command of a role": """
        select "table" || ', ' || rolname || ', ' || command
          from policies join pg_roles r on r.oid = any (polroles) or polroles = '{0}',
               unnest(case polcmd when '*' then '{r,a,w,d}' else array[polcmd::text] end) as command
         where polpermissive and not rolbypassrls and rolname !~ '^pg_'
         group by "table", rolname, command having count(*) > 1
    """,
    "0007 policies and no row-level security": "select name from policies where not enabled",
    "0008 row-level security and no policy": """
        select name from tables t where relrowsecurity and not exists (select from pg_policy where polrelid = t.oid)
    """,
    "0009 an index twice": """
        select a.indexrelid::regclass::text
          from indexes a join indexes b on a.indrelid = b.indrelid and a.indexrelid > b.indexrelid
         where substring(a.definition from ' USING .*') = substring(b.definition from ' USING .*')
    """,
    "0010 a view with its owner's rights": """
        select name from tables where relkind = 'v'
           and not coalesce(reloptions && '{security_invoker=true,security_invoker=on}', false)
    """,
    "0011 a function with a mutable search_path": """
        select name from functions where not bound
           and not exists (select from unnest(proconfig) as c where c like 'search_path=%%')
    """,
    "0013 no row-level security where users may look": """
        select name from tables where relkind in ('r', 'p') and not relrowsecurity
           and (has_schema_privilege('anon', schema, 'usage') or has_schema_privilege('authenticated', schema, 'usage'))
    """,
    "0014 an extension in public": """
        select extname::text from pg_extension
         where extname in ('vector', 'pg_trgm') and extnamespace = 'public'::regnamespace
    """,
    "0015 a policy that believes user_metadata": "select name from policies where says ~ 'user_metadata'",
    "0016, 0017 a relation that knows no row-level security": "select name from tables where relkind in ('m', 'f')",
    "0018 a type that no upgrade takes along": """
        select name from columns where relkind in ('r', 'p') and atttypid::regtype::text ~ '^reg(?!class|type|role)'
    """,
    "0021 a foreign key to a unique key of accounts": """
        select conname::text from pg_constraint join tables t on t.oid = conrelid
         where contype = 'f' and confrelid = to_regclass('auth.users')
           and not exists (select from pg_index where indexrelid = conindid and indisprimary)
    """,
    "0023 a secret that can be read": """
        select name from columns where attname ~* '(password|secret|token|api_?key|ssn|card|salt)'
           and (has_column_privilege('anon', attrelid, attnum, 'select')
                or has_column_privilege('authenticated', attrelid, attnum, 'select'))
    """,
    "0024 a policy that is always true": r"""
        select name from policies where polpermissive and polcmd <> 'r'
           and (polroles = '{0}'
                or polroles && array(select oid from pg_roles where rolname in ('anon', 'authenticated')))
           and (seen ~ '^\W*true\W*$' or checks ~ '^\W*true\W*$' or polcmd = 'a' and checks is null)
    """,
    "0028 a function with its owner's rights for visitors": """
        select name from functions where prosecdef and has_function_privilege('anon', oid, 'execute')
    """,
    "0029 a function with its owner's rights for users": """
        select name from functions where prosecdef and has_function_privilege('authenticated', oid, 'execute')
    """,
    "0030 autovacuum off": """
        select name from tables where reloptions && '{autovacuum_enabled=false,autovacuum_enabled=off}'
    """,
    "0030 an index that is not valid": "select indexrelid::regclass::text from indexes where not indisvalid",
    "0030 a policy that is true of nobody": r"""
        select name from policies where seen ~* '\m(uid|jwt|role|current_setting)\([^)]*\)( as \w+\))? is null'
    """,
}


def advise(conn: psycopg.Connection[Any]) -> dict[str, set[str]]:
    """What each check finds, of those that find something."""
    found = {name: flagged(conn, name) for name in CHECKS}
    return {name: objects for name, objects in found.items() if objects}


def flagged(conn: psycopg.Connection[Any], name: str) -> set[str]:
    """What one check finds."""
    conn.execute("set local search_path = pg_catalog")
    query = f"with {_OURS} {CHECKS[name]}".encode()
    return {row[0] for row in conn.execute(query, {"ours": ["memoranda", "memoranda_private"]})}
