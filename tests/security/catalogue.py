"""What the catalogue of a database says that anybody can reach: our schemas, their objects, and who may do what.

Flat records, as the catalogue has them; `rules.py` says what must hold of them, `matrix.py` tries them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg.rows import class_row

DOORS, PRIVATE = "memoranda", "memoranda_private"
INNER = ("memoranda_owner", "memoranda_rules", "memoranda_service", "memoranda_erasure", "memoranda_import")
API = ("anon", "authenticated", "service_role", "authenticator")
PUBLIC = "PUBLIC"
SCOPE = ("tenant_id", "owner_id", "scope", "scope_id")

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    owner: str
    ours: bool
    open: bool
    """An API role may create objects in it."""


@dataclass(frozen=True, slots=True)
class Relation:
    schema: str
    name: str
    kind: str
    """`r` table, `p` partitioned table, `v` view, `m` materialised view, `S` sequence, `f` foreign table."""
    owner: str
    secured: bool
    forced: bool
    invoker: bool
    columns: list[str]
    nullable: list[str]

    @property
    def path(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def is_table(self) -> bool:
        return self.kind in "rp"

    @property
    def scope(self) -> list[str]:
        """The scope columns that it has, in the order in which they lead a key."""
        return [column for column in SCOPE if column in self.columns]


@dataclass(frozen=True, slots=True)
class Policy:
    table: str
    name: str
    command: str
    roles: list[str]
    using: str | None
    check: str | None

    @property
    def path(self) -> str:
        return f"{self.table}, policy {self.name}"

    @property
    def expressions(self) -> list[str]:
        return [each for each in (self.using, self.check) if each is not None]


@dataclass(frozen=True, slots=True)
class Key:
    """What must not tell one owner of another's rows: a unique index, or a foreign key, or what one points at."""

    table: str
    name: str
    kind: str
    columns: list[str]


@dataclass(frozen=True, slots=True)
class Trigger:
    table: str
    name: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Function:
    signature: str
    schema: str
    name: str
    owner: str
    definer: bool
    language: str
    volatility: str
    body: str
    bound: bool
    """Its names were looked up when it was made; there is nothing left to look up when it runs."""
    returns: str
    search_path: str | None
    argument_names: list[str]
    argument_types: list[str]

    @property
    def path(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def is_door(self) -> bool:
        return self.schema == DOORS

    @property
    def places(self) -> list[str] | None:
        """The schemas that its search_path names, in order; None when it pins none."""
        if self.search_path is None:
            return None
        return [part.strip().strip('"') for part in self.search_path.split(",") if part.strip() not in ("", '""')]


@dataclass(frozen=True, slots=True)
class Grant:
    """A privilege of somebody who does not own the object."""

    kind: str
    """`schema`, `table` (views and sequences too), `column`, `function`, or `default` (what is made later has it)."""
    object: str
    privilege: str
    grantee: str
    grantable: bool


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    attributes: list[str]
    """Of `superuser`, `bypassrls`, `createrole`, `createdb`, `replication`, `login`."""


@dataclass(frozen=True, slots=True)
class Membership:
    """Somebody who is no superuser may become a role, or has its rights, through however many steps."""

    role: str
    member: str
    inherits: bool
    migrates: bool
    """The member may make roles, or hand out this one: a login that runs migrations."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    schemas: list[Schema]
    relations: list[Relation]
    policies: list[Policy]
    keys: list[Key]
    triggers: list[Trigger]
    functions: list[Function]
    grants: list[Grant]
    roles: list[Role]
    memberships: list[Membership]
    closed_by_default: list[str]
    """The inner roles whose future functions PUBLIC may not execute."""
    rewrites: list[str]
    """Rewrite rules, other than those that make a view a view."""

    @property
    def tables(self) -> list[Relation]:
        return [relation for relation in self.relations if relation.is_table]


def read(conn: psycopg.Connection[Any]) -> Catalogue:
    """Read it; any role may."""

    def rows(kind: type[Record], query: LiteralString) -> list[Record]:
        groups = {"ours": [DOORS, PRIVATE], "inner": list(INNER), "api": list(API)}
        return conn.cursor(row_factory=class_row(kind)).execute(query, groups).fetchall()

    def texts(query: LiteralString) -> list[str]:
        return [each.name for each in rows(_Named, query)]

    return Catalogue(
        rows(Schema, _SCHEMAS),
        rows(Relation, _RELATIONS),
        rows(Policy, _POLICIES),
        rows(Key, _KEYS),
        rows(Trigger, _TRIGGERS),
        rows(Function, _FUNCTIONS),
        rows(Grant, _GRANTS),
        rows(Role, _ROLES),
        rows(Membership, _MEMBERSHIPS),
        texts(_CLOSED_BY_DEFAULT),
        texts(_REWRITES),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    name: str


_SCHEMAS = """
select nspname as name, pg_get_userbyid(nspowner) as owner, nspname = any(%(ours)s) as ours,
       exists (select from pg_roles r
                where r.rolname = any(%(api)s) and has_schema_privilege(r.oid, n.oid, 'create')) as open
  from pg_namespace n order by 1
"""

_RELATIONS = """
select nspname as schema, relname as name, relkind::text as kind, pg_get_userbyid(relowner) as owner,
       relrowsecurity as secured, relforcerowsecurity as forced,
       coalesce(reloptions @> '{security_invoker=true}' or reloptions @> '{security_invoker=on}', false) as invoker,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
              order by attnum) as columns,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
                and not attnotnull order by attnum) as nullable
  from pg_class c join pg_namespace n on n.oid = relnamespace
 where nspname = any(%(ours)s) and relkind in ('r', 'p', 'v', 'm', 'S', 'f') order by 1, 2
"""

_POLICIES = """
select relname as table, polname as name, polcmd::text as command,
       array(select case r when 0 then 'PUBLIC' else pg_get_userbyid(r)::text end from unnest(polroles) r) as roles,
       pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check
  from pg_policy join pg_class c on c.oid = polrelid join pg_namespace n on n.oid = relnamespace
 where nspname = any(%(ours)s) order by 1, 2
"""

_KEYS = """
with keys as (
  select indrelid as relation, indexrelid::regclass::text as name,
         case when indisprimary then 'primary key' else 'unique index' end as kind, indkey::int2[] as numbers
    from pg_index where indisunique or indisexclusion
  union all
  select conrelid, conname, 'foreign key', conkey from pg_constraint where contype = 'f'
  union all
  select confrelid, conname, 'target of a foreign key', confkey from pg_constraint where contype = 'f')
select relname as table, k.name, k.kind,
       array(select coalesce(attname::text, 'an expression') from unnest(k.numbers) with ordinality u (number, place)
               left join pg_attribute on attrelid = k.relation and attnum = number order by place) as columns
  from keys k join pg_class c on c.oid = k.relation join pg_namespace n on n.oid = relnamespace
 where nspname = any(%(ours)s) order by 1, 2, 3
"""

_TRIGGERS = """
select relname as table, tgname as name, tgenabled in ('O', 'A') as enabled
  from pg_trigger join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = relnamespace
 where nspname = any(%(ours)s) order by 1, 2
"""

_FUNCTIONS = """
select p.oid::regprocedure::text as signature, nspname as schema, proname as name, pg_get_userbyid(proowner) as owner,
       prosecdef as definer, lanname as language, provolatile::text as volatility, prosrc as body,
       prosqlbody is not null as bound, prorettype::regtype::text as returns,
       (select substring(c from 13) from unnest(proconfig) c where c like 'search_path=%%') as search_path,
       coalesce(proargnames[:pronargs], '{}') as argument_names,
       array(select t::regtype::text from unnest(proargtypes) with ordinality u (t, place)
              order by place) as argument_types
  from pg_proc p join pg_namespace n on n.oid = pronamespace join pg_language l on l.oid = prolang
 where nspname = any(%(ours)s) order by 2, 3, 1
"""

_GRANTS = """
with acls as (
  select 'schema' as kind, nspname::text as object, nspowner as owner,
         coalesce(nspacl, acldefault('n', nspowner)) as acl
    from pg_namespace where nspname = any(%(ours)s)
  union all
  select 'table', relname, relowner,
         coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from pg_class join pg_namespace n on n.oid = relnamespace
   where nspname = any(%(ours)s) and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all
  select 'column', relname || '.' || attname, relowner, attacl
    from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
   where nspname = any(%(ours)s) and attacl is not null
  union all
  select 'function', p.oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
    from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname = any(%(ours)s)
  union all
  select 'default', format('%%s of %%s in %%s', case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences'
                           when 'f' then 'functions' when 'T' then 'types' else 'schemas' end,
                           pg_get_userbyid(defaclrole), coalesce(nspname, 'any schema')), defaclrole, defaclacl
    from pg_default_acl left join pg_namespace n on n.oid = defaclnamespace
   where nspname = any(%(ours)s) or pg_get_userbyid(defaclrole) = any(%(inner)s))
select kind, object, privilege_type as privilege, is_grantable as grantable,
       case grantee when 0 then 'PUBLIC' else pg_get_userbyid(grantee)::text end as grantee
  from acls, aclexplode(acl) where grantee <> owner order by 1, 2, 3, 5
"""

_ROLES = """
select rolname as name,
       array_remove(array[case when rolsuper then 'superuser' end, case when rolbypassrls then 'bypassrls' end,
                          case when rolcreaterole then 'createrole' end, case when rolcreatedb then 'createdb' end,
                          case when rolreplication then 'replication' end, case when rolcanlogin then 'login' end],
                    null) as attributes
  from pg_roles
"""

_MEMBERSHIPS = """
select r.rolname as role, m.rolname as member, pg_has_role(m.oid, r.oid, 'usage') as inherits,
       m.rolcreaterole or pg_has_role(m.oid, r.oid, 'member with admin option') as migrates
  from pg_roles r join pg_roles m on m.oid <> r.oid and not m.rolsuper and pg_has_role(m.oid, r.oid, 'member')
 where r.rolname = any(%(inner)s) or m.rolname = any(%(inner)s) order by 1, 2
"""

_CLOSED_BY_DEFAULT = """
select pg_get_userbyid(defaclrole)::text as name from pg_default_acl
 where defaclnamespace = 0 and defaclobjtype = 'f' and pg_get_userbyid(defaclrole) = any(%(inner)s)
   and not exists (select from aclexplode(defaclacl) where grantee = 0)
"""

_REWRITES = """
select relname || ', rule ' || rulename as name
  from pg_rewrite join pg_class c on c.oid = ev_class join pg_namespace n on n.oid = relnamespace
 where nspname = any(%(ours)s) and rulename <> '_RETURN'
"""
