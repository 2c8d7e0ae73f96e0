"""What must hold of any schema of ours, whatever tables and functions it comes to have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg

from .catalogue import API, DOORS, INNER, PRIVATE, PUBLIC, Catalogue, Function, Policy, read

OWNER, RULES, SERVICE, ERASURE, IMPORT = INNER
OUTSIDERS = (PUBLIC, *API)

OPEN_POLICIES = {
    ("members", "membership"): (SERVICE, "who belongs where is service work, across owners; no text of a memory"),
    ("tenants", "registry"): (SERVICE, "a tenant is registered before it has a member; no salt, no text of a memory"),
    ("settings", "registry"): (SERVICE, "limits and policies are set by the application's server; no text of a memory"),
    ("large_scopes", "registry"): (SERVICE, "which scopes have an index of their own; keys, no vector and no text"),
    ("vectors", "counting"): (SERVICE, "how many vectors a scope has; keys alone are granted, no vector"),
    ("vectors", "numbering"): (
        SERVICE,
        "the number of a scope that has an index of its own; no other column is granted",
    ),
    ("vectors", "dropping"): (SERVICE, "vectors of a model that is no longer used; keys alone are granted, no vector"),
    ("vectors_aside", "counting"): (SERVICE, "which facts have a vector of which model; keys alone, no vector"),
    ("vectors_aside", "dropping"): (SERVICE, "as of vectors"),
    ("unembeddable", "counting"): (SERVICE, "which facts a model has refused; keys alone, no reason"),
    ("unembeddable", "dropping"): (SERVICE, "as of vectors"),
    ("message_terms", "counting"): (SERVICE, "which messages can be found, and until when; keys alone, no words"),
    ("message_vectors", "counting"): (SERVICE, "which messages have a vector of which model; keys alone, no vector"),
    ("message_vectors", "dropping"): (SERVICE, "as of vectors"),
    ("facts", "expiring"): (SERVICE, "whose facts expire, and when; keys and times alone are granted, no text"),
    ("messages", "expiring"): (SERVICE, "whose messages expire, and when; keys and times alone are granted, no text"),
    ("documents", "expiring"): (SERVICE, "whose documents expire, and when; keys and times alone are granted, no text"),
    ("work", "taking"): (SERVICE, "whose work is due; keys, times and reasons of ours, no text of a memory"),
    ("work", "leasing"): (SERVICE, "who has taken it until when; no key can be changed"),
    ("idempotency_keys", "aging"): (SERVICE, "how old keys of writes are; salted hashes, no text of a memory"),
    ("idempotency_keys", "leaving"): (SERVICE, "the same"),
    ("tenants", "round"): (ERASURE, "a user is looked for in one tenant after the other; no salt, no text of a memory"),
    ("migrations", "ledger"): (OWNER, "numbers and checksums of migrations; nobody's data"),
}
"""The only policies that let everything through: the role that each is for, and why."""

DELETES = {
    ("members", SERVICE): "a membership ends",
    ("settings", SERVICE): "a setting goes back to what holds without it",
    ("idempotency_keys", SERVICE): "a key is kept for a stated time",
    ("vectors", SERVICE): "vectors of a model that is no longer used are dropped when told",
    ("vectors_aside", SERVICE): "the same",
    ("message_vectors", SERVICE): "the same",
    ("unembeddable", SERVICE): "the same",
    ("large_scopes", SERVICE): "the same: so has the index over them nothing to be for",
    ("terms", RULES): "what search goes by leaves with the fact that it is of",
    ("vectors", RULES): "the same",
    ("unembeddable", RULES): "the same",
    ("message_terms", RULES): "what recall goes by leaves with the text that it is of",
    ("message_vectors", RULES): "the same",
    ("work", RULES): "work that is done, or has nothing left to be done to, is none",
    ("documents", RULES): "a runtime deletes what it keeps; a version never comes again",
    ("vectors_aside", RULES): "what is approved of is found by the vector that was kept aside for it",
    **dict.fromkeys(
        [
            *(
                ("facts", ERASURE),
                ("files", ERASURE),
                ("revisions", ERASURE),
                ("fact_uses", ERASURE),
                ("terms", ERASURE),
            ),
            *(("vectors", ERASURE), ("vectors_aside", ERASURE), ("unembeddable", ERASURE), ("tombstones", ERASURE)),
            *(("messages", ERASURE), ("message_terms", ERASURE), ("message_vectors", ERASURE), ("work", ERASURE)),
            ("documents", ERASURE),
            *(("large_scopes", ERASURE), ("runs", ERASURE), ("members", ERASURE), ("settings", ERASURE)),
        ],
        "erasing is what this ring is for: one's own rows, or those of an organisation that one manages",
    ),
}
"""The only deletes that an inner role is granted, and why. All else is superseded."""

LENT = {
    "call_as": "a server that speaks HTTP alone calls for a user, whose identity is lent to that call",
    "erase_user": "the application's server erases a user, whose identity is lent to that call",
    "import_rows": "the application's server imports what a user had, whose identity is lent to that call",
    **dict.fromkeys(
        ("documents_get", "documents_list", "documents_put", "documents_delete", "documents_export"),
        "a runtime's server keeps documents for a user, whose identity is lent to that call",
    ),
}
"""What a service may call for somebody else, and why: it meets rows of the one who is named, and no other."""

QUEUE = {
    "claim_work": "a worker takes keys of anybody's work, which is then done as whom it belongs to",
    "work_retry": "what was given up is tried again",
    "work_status": "how much there is to do, and what was given up",
}
"""What a service may call over all owners, and why: it tells of ids, and changes leases of work, and nothing else."""

UNSCOPED = {"migrations": "belongs to the database, not to a tenant"}
"""The only tables without a tenant, and why."""

IDENTITY = ("uid", "my_tenants", "tenants_with", "erasing")


@dataclass(frozen=True, slots=True)
class Finding:
    object: str
    rule: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.object}: {self.rule}" + (f" ({self.detail})" if self.detail else "")


def findings(conn: psycopg.Connection[Any]) -> list[Finding]:
    """Everything in a database that breaks a rule."""
    found = read(conn)
    return [finding for rule in _RULES for finding in rule(found)]


# Tables ---------------------------------------------------------------------------------------------------------------


def _tables_are_secured(found: Catalogue) -> Iterator[Finding]:
    guarded = {policy.table for policy in found.policies}
    for table in found.tables:
        if not table.secured:
            yield Finding(table.path, "row-level security is enabled")
        if not table.forced:
            yield Finding(table.path, "row-level security is forced, for the owner too")
        if table.name not in guarded:
            yield Finding(table.path, "a table has a policy")
    for relation in found.relations:
        if relation.schema == DOORS:
            yield Finding(relation.path, "the exposed schema holds functions only")
        if relation.kind in "mf":
            yield Finding(relation.path, "row-level security binds every relation", "a kind that knows none")
        if relation.kind == "v" and not relation.invoker:
            yield Finding(relation.path, "a view is security_invoker")
        if relation.owner != OWNER:
            yield Finding(relation.path, "tables belong to memoranda_owner", relation.owner)


def _scope_leads(found: Catalogue) -> Iterator[Finding]:
    tables = {table.name: table for table in found.tables}
    for table in tables.values():
        if not table.scope and table.name not in UNSCOPED:
            yield Finding(table.path, "a table has a tenant, or is listed")
        for column in set(table.scope) & set(table.nullable):
            yield Finding(table.path, "scope columns are not null", column)
    for key in found.keys:
        scope = tables[key.table].scope
        if key.columns[: len(scope)] != scope:
            yield Finding(f"{key.table}, {key.kind} {key.name}", "the whole scope leads every key", f"{key.columns}")


def _triggers_are_on(found: Catalogue) -> Iterator[Finding]:
    for trigger in found.triggers:
        if not trigger.enabled:
            yield Finding(f"{trigger.table}, trigger {trigger.name}", "every trigger is enabled")
    for rewrite in found.rewrites:
        yield Finding(rewrite, "no statement is rewritten by a rule")


# Policies -------------------------------------------------------------------------------------------------------------

_ESCAPES = {
    "a constant": re.compile(r"\b(true|null::boolean)\b", re.IGNORECASE),
    "a thing compared with itself": re.compile(r"(?<![\w.'])('?[\w.]+'?) = \1(?![\w.'(])"),
    "null means all": re.compile(r"\bis (not )?null\b", re.IGNORECASE),
    "a pattern in place of equality": re.compile(r"~|\^@|\bstarts_with\b|\bsimilar\b", re.IGNORECASE),
}
"""How a policy comes to let through more than equality with an identity would."""


def _policies_bind(found: Catalogue) -> Iterator[Finding]:
    calls = _calls([function.name for function in found.functions if function.volatility != "i"])
    for policy in found.policies:
        for role in set(policy.roles) - set(INNER):
            yield Finding(policy.path, "policies name the inner roles only", role)
        listed = OPEN_POLICIES.get((policy.table, policy.name))
        if listed:
            if policy.roles != [listed[0]]:
                yield Finding(policy.path, "an open policy is for the listed role only", ", ".join(policy.roles))
            continue
        yield from _escapes(policy)
        for expression in policy.expressions:
            if not _calls(IDENTITY).search(expression):
                yield Finding(policy.path, "a policy asks who is there")
            for call in calls.finditer(expression):
                if not call["once"]:
                    yield Finding(policy.path, "a policy asks once a statement, in a sub-select", call["name"])


def _escapes(policy: Policy) -> Iterator[Finding]:
    for expression in policy.expressions:
        for escape, pattern in _ESCAPES.items():
            if match := pattern.search(expression):
                yield Finding(policy.path, "a policy has no escape", f"{escape}: {match[0]}")


def _calls(names: tuple[str, ...] | list[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names)) or "(?!)"
    return re.compile(rf"(?P<once>SELECT )?\b(?:{PRIVATE}\.)?(?<![\w])(?P<name>{either})\(")


# Grants ---------------------------------------------------------------------------------------------------------------


def _tables_are_closed(found: Catalogue) -> Iterator[Finding]:
    for grant in found.grants:
        if grant.kind not in ("table", "column"):
            continue
        what = f"{grant.privilege} to {grant.grantee}"
        table = grant.object.split(".")[0]
        if grant.grantee not in INNER:
            yield Finding(grant.object, "nobody but the inner roles has a privilege on a table", what)
        elif grant.privilege in ("TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"):
            yield Finding(grant.object, "inner roles read and write rows, and no more", what)
        elif grant.privilege == "DELETE" and (table, grant.grantee) not in DELETES:
            yield Finding(grant.object, "inner roles delete nothing that is not listed", what)
        elif grant.privilege == "UPDATE" and grant.kind == "table":
            yield Finding(grant.object, "inner roles update named columns only", what)
        if grant.grantable:
            yield Finding(grant.object, "nobody may pass a privilege on", what)


def _schemas_are_closed(found: Catalogue) -> Iterator[Finding]:
    for schema in found.schemas:
        if schema.ours and schema.owner != OWNER:
            yield Finding(schema.name, "schemas belong to memoranda_owner", schema.owner)
    for grant in found.grants:
        if grant.kind != "schema":
            continue
        what = f"{grant.privilege} to {grant.grantee}"
        if grant.privilege == "CREATE":
            yield Finding(grant.object, "nobody but the owner may create in a schema", what)
        elif grant.grantee not in (*INNER, "authenticated", "service_role"):
            yield Finding(grant.object, "only users and services may use a schema", what)
        if grant.grantable:
            yield Finding(grant.object, "nobody may pass a privilege on", what)


def _defaults_are_closed(found: Catalogue) -> Iterator[Finding]:
    for role in set(INNER) - set(found.closed_by_default):
        yield Finding(role, "what an inner role makes later is closed to PUBLIC", "functions")
    for grant in found.grants:
        if grant.kind == "default" and grant.grantee not in INNER:
            yield Finding(grant.object, "what is made later is closed", f"{grant.privilege} to {grant.grantee}")


# Functions ------------------------------------------------------------------------------------------------------------


def _functions_are_pinned(found: Catalogue) -> Iterator[Finding]:
    schemas = {schema.name: schema for schema in found.schemas}
    for function in found.functions:
        places = function.places
        if places is None:
            if function.bound and not function.definer:
                continue
            yield Finding(function.signature, "a function pins its search_path")
            continue
        # With an empty path, too, the caller's pg_temp comes first for the names of tables and *types*. A door names
        # neither and has no rights but its caller's; anywhere else a domain there would run its checks with our rights.
        if (places or [""])[-1] != "pg_temp" and not (function.is_door and not places):
            yield Finding(function.signature, "a search_path ends in pg_temp, a door's is empty", f"{places}")
        for place in places[:-1]:
            if place not in schemas or schemas[place].open:
                yield Finding(function.signature, "a search_path has no schema where outsiders may create", place)


def _functions_are_bound(found: Catalogue) -> Iterator[Finding]:
    loose = {role.name for role in found.roles if {"superuser", "bypassrls"} & set(role.attributes)}
    for function in found.functions:
        if function.owner not in INNER or function.owner in loose:
            yield Finding(function.signature, "functions belong to inner roles that RLS binds", function.owner)
        if function.language not in ("sql", "plpgsql"):
            yield Finding(function.signature, "functions are written in SQL", function.language)
        if function.is_door:
            yield from _door_is_plain(function)


def _door_is_plain(door: Function) -> Iterator[Finding]:
    if door.definer:
        yield Finding(door.signature, "a door has its caller's rights, never its owner's")
    wanted = rf"select {PRIVATE}\.{door.name}\({', '.join(door.argument_names)}\)"
    if not re.fullmatch(wanted, door.body.strip()):
        yield Finding(door.signature, "a door is one call of the rule of its name", door.body.strip())


def _functions_are_closed(found: Catalogue) -> Iterator[Finding]:
    functions = {function.signature: function for function in found.functions}
    callers: dict[str, set[str]] = {function.path: set() for function in found.functions}
    for grant in found.grants:
        if grant.kind != "function":
            continue
        function, what = functions[grant.object], f"EXECUTE to {grant.grantee}"
        if grant.grantee not in (*INNER, "authenticated", "service_role"):
            yield Finding(grant.object, "nobody but users and services may call", what)
        if (function.owner == SERVICE or function.name in LENT) and grant.grantee == "authenticated":
            yield Finding(grant.object, "what only a service may call is closed to users", what)
        if grant.grantable:
            yield Finding(grant.object, "nobody may pass a privilege on", what)
        callers[function.path].add(grant.grantee)
    for function in found.functions:
        if function.is_door and callers[function.path] != callers.get(f"{PRIVATE}.{function.name}"):
            yield Finding(function.signature, "a door is open to whom its rule is", f"{callers[function.path]}")


# Roles ----------------------------------------------------------------------------------------------------------------


def _roles_are_weak(found: Catalogue) -> Iterator[Finding]:
    roles = {role.name: set(role.attributes) for role in found.roles}
    for name in INNER:
        for attribute in sorted(roles.get(name, {"missing"})):
            yield Finding(name, "inner roles have no power of their own", attribute)
    for name in ("anon", "authenticated", "authenticator"):
        for attribute in sorted(roles.get(name, set()) & {"superuser", "bypassrls", "createrole", "replication"}):
            yield Finding(name, "row-level security binds whom it is for", attribute)
    for each in found.memberships:
        if each.member in INNER:
            yield Finding(each.member, "an inner role is a member of nothing", each.role)
        elif each.role in INNER and (each.member in API or not each.migrates):
            yield Finding(each.role, "nobody but the login that migrates is a member", each.member)
        elif each.role in INNER and each.inherits:
            yield Finding(each.role, "the login that migrates does not inherit", each.member)


_RULES: tuple[Callable[[Catalogue], Iterator[Finding]], ...] = (
    _tables_are_secured,
    _scope_leads,
    _triggers_are_on,
    _policies_bind,
    _tables_are_closed,
    _schemas_are_closed,
    _defaults_are_closed,
    _functions_are_pinned,
    _functions_are_bound,
    _functions_are_closed,
    _roles_are_weak,
)
