"""Whether users are kept apart: what the catalogue says of tables, grants, functions, triggers and roles of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.doctor.database import INNER, expected, rows
from memoranda.doctor.findings import Finding, error, named, ok

if TYPE_CHECKING:
    from memoranda.doctor.database import Connection

_AGAIN = "Run `memoranda init` with the login that installed the schema"


async def row_security(conn: Connection) -> list[Finding]:
    """Row-level security is enabled and forced on every table, and its policies are ours."""
    tables = await rows(conn, "tables")
    if not tables:
        return [error("There is no table of memoranda here.", "Run `memoranda init` on this database.")]
    found: list[Finding] = []
    for table in tables:
        path = f"memoranda_private.{table.name}"
        if not table.enabled:
            found.append(
                error(
                    f"Row-level security is off on {path}: everybody who reads it reads everybody's.",
                    f"alter table {path} enable row level security;",
                )
            )
        if not table.forced:
            found.append(
                error(
                    f"Row-level security is not forced on {path}: it does not bind the table's owner.",
                    f"alter table {path} force row level security;",
                )
            )
        if table.owner != "memoranda_owner":
            found.append(
                error(
                    f"{path} belongs to {table.owner}, and not to memoranda_owner.",
                    f"alter table {path} owner to memoranda_owner;",
                )
            )
    policies = {f"{table.name}.{policy}" for table in tables for policy in table.policies}
    if strange := sorted(policies - expected().policies):
        found.append(
            error(
                f"There are policies that are not ours, and each lets more through: {named(strange)}.",
                "Drop them: drop policy NAME on memoranda_private.TABLE; or update this release of memoranda, if a "
                "newer one made them.",
            )
        )
    if missing := sorted(expected().policies - policies):
        found.append(
            error(
                f"Policies are missing, so that rows cannot be reached: {named(missing)}.",
                f"{_AGAIN}; if it has nothing to do, restore them from sql/schema.sql.",
            )
        )
    return found or [ok(f"It is enabled and forced on all {len(tables)} tables, with {len(policies)} policies.")]


async def grants(conn: Connection) -> list[Finding]:
    """Nobody outside has a privilege on a table, and only users and services may call."""
    found: list[Finding] = []
    for grant in await rows(conn, "grants"):
        if grant.kind == "schema" and grant.privilege == "USAGE" and grant.grantee in ("authenticated", "service_role"):
            continue
        if grant.kind == "function" and _is_meant(grant.name, grant.grantee):
            continue
        to = grant.grantee if grant.grantee == "PUBLIC" else f'"{grant.grantee}"'
        what = grant.name if grant.kind == "schema" else grant.name.rpartition(".")[2]
        path = grant.name if grant.kind != "table" else f"memoranda_private.{grant.name}"
        on = {"schema": f"schema {path}", "table": f"table {path}", "function": f"function {path}"}[grant.kind]
        privilege = grant.privilege
        if grant.kind == "table" and "." in grant.name:
            on, privilege = f"table {path.rpartition('.')[0]}", f"{grant.privilege} ({what})"
        found.append(
            error(
                f"{grant.grantee} has {grant.privilege} on the {grant.kind} {path}, which is not meant to be.",
                f"revoke {privilege.lower()} on {on} from {to};",
            )
        )
    return found or [ok("Users and services may call the functions that are meant for them, and nothing else.")]


def _is_meant(function: str, grantee: str) -> bool:
    if (function, grantee) in expected().calls:
        return True
    # What a newer release has brought is not known here.
    return function not in expected().functions and grantee in ("authenticated", "service_role")


async def functions(conn: Connection) -> list[Finding]:
    """Every function belongs to a role that row-level security binds, and looks names up where we say."""
    found: list[Finding] = []
    every = await rows(conn, "functions")
    for function in every:
        if function.unbound:
            found.append(
                error(
                    f"{function.name} belongs to {function.owner}, whom row-level security does not bind as it must.",
                    f"alter function {function.name} owner to the role that sql/schema.sql names; or start anew from "
                    "a dump, restored with its owners.",
                )
            )
        if function.mutable:
            found.append(
                error(
                    f"{function.name} has its owner's rights and no search_path of its own.",
                    f"alter function {function.name} set search_path = memoranda_private, pg_temp;",
                )
            )
        if function.definer_door:
            found.append(
                error(
                    f"The door {function.name} has its owner's rights, where it must have its caller's.",
                    f"alter function {function.name} security invoker;",
                )
            )
    return found or [ok(f"All {len(every)} belong to roles that row-level security binds, and pin their search_path.")]


async def triggers(conn: Connection) -> list[Finding]:
    """The triggers that write history are there, and on."""
    every = {f"{trigger.of}.{trigger.name}": trigger.on for trigger in await rows(conn, "triggers")}
    wrong = sorted(name for name in expected().triggers if not every.get(name))
    if not wrong:
        return [ok(f"All {len(expected().triggers)} are on.")]
    return [
        error(
            f"Triggers are off or missing, so that history is not written, or can be rewritten: {named(wrong)}.",
            "alter table memoranda_private.TABLE enable trigger NAME;",
        )
    ]


async def inner_roles(conn: Connection) -> list[Finding]:
    """The roles that own what is ours can't log in, have no power of their own, and are lent to no API role."""
    found: list[Finding] = []
    for role in await rows(conn, "roles"):
        if not role.present:
            found.append(error(f"The role {role.name} is missing.", f"{_AGAIN}."))
        if role.powerful:
            found.append(
                error(
                    f"The role {role.name} could log in or get round row-level security.",
                    f"alter role {role.name} nologin nosuperuser nobypassrls nocreaterole noreplication;",
                )
            )
        if role.member:
            found.append(
                error(
                    f"The role {role.name} has the powers of another role.",
                    f"Revoke the roles that were granted to {role.name}.",
                )
            )
        found += [error(f"{lent} may become {role.name}.", f'revoke {role.name} from "{lent}";') for lent in role.lent]
    return found or [ok(f"All {len(INNER)} are there, and have no power beyond what they own.")]


CHECKS = (row_security, grants, functions, triggers, inner_roles)
