"""How one gets in: the login, what a session brings with it, a pooler in between, and what an API serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.doctor.database import rows
from memoranda.doctor.findings import Finding, error, named, note, ok, warning

if TYPE_CHECKING:
    from memoranda.doctor.database import Connection

EXPOSE = "memoranda init --supabase --expose"
"""The command that has PostgREST serve the doors."""

_OWN_LOGIN = (
    "Give your program a login of its own: create role app login password '...' noinherit; grant authenticated to app; "
    "and service_role, if it sets members or runs a worker."
)


async def login(conn: Connection) -> list[Finding]:
    """The login may act for users, and nothing more."""
    (who,) = await rows(conn, "login")
    if who.superuser:
        return [
            error(
                f"{who.name} is a superuser: a call is bound by row-level security, and nothing else that this login "
                "does is.",
                _OWN_LOGIN,
            )
        ]
    found: list[Finding] = []
    if who.bypasses:
        found.append(
            error(
                f"{who.name} bypasses row-level security: a call is bound by it, and nothing else that this login does "
                "is.",
                _OWN_LOGIN,
            )
        )
    if who.becomes:
        found.append(
            warning(f"{who.name} may become {named(who.becomes)}, as the login that migrates may.", _OWN_LOGIN)
        )
    mode = "for users, and as the service" if who.serves else "for users alone"
    return found or [ok(f"{who.name} acts {mode}, and has no power of its own.")]


async def session(conn: Connection) -> list[Finding]:
    """A session brings no identity with it."""
    (state,) = await rows(conn, "session")
    found: list[Finding] = []
    if state.claims or state.role != "none":
        found.append(
            error(
                "A new session carries somebody's identity already: a role or claims that were set for a session, and "
                "not for a transaction, by the login's settings or by whoever had this pooled connection before.",
                "Have every program that shares the pooler use set local and set_config(..., true); see "
                "alter role ... reset role for settings of the login.",
            )
        )
    if state.row_security == "off":
        found.append(
            error(
                "row_security is off in a new session, so that every call fails.",
                "alter role LOGIN reset row_security; the same for the database.",
            )
        )
    if state.prepared:
        found.append(
            warning(
                "A new session has prepared statements that somebody else has left there.",
                "Behind a transaction pooler, switch prepared statements off in the programs that share it (psycopg: "
                "prepare_threshold=None).",
            )
        )
    if state.read_only or state.replica:
        found.append(
            error(
                "This is a server for reading only: nothing can be remembered there.",
                "Connect to the primary server.",
            )
        )
    return found or [ok("A new session brings no identity and no settings.")]


async def pooler(conn: Connection, second: Connection) -> list[Finding]:
    """What stands between: nothing, or a pooler, and how it shares its connections.

    Args:
        conn: A connection outside a transaction.
        second: Another to the same server, at the same time.
    """
    (mine,), (other,) = await rows(conn, "session"), await rows(second, "session")
    # A pooler answers with a number of its own for the connection; the server tells its process's.
    between = conn.info.backend_pid != mine.pid
    if mine.pid == other.pid:
        return [
            note(
                "A transaction pooler stands in between: calls work through it; `memoranda index`, and whatever else "
                "needs a session, do not.",
                "For `memoranda index`, name the server itself or a session pooler (on Supabase, port 5432).",
            )
        ]
    if between:
        return [ok("A pooler stands in between, which keeps sessions apart.")]
    return [ok("The connection goes straight to the server.")]


async def exposed(conn: Connection) -> list[Finding]:
    """An API serves the doors, and nothing behind them."""
    listed = [row.name for row in await rows(conn, "exposed")]
    if "memoranda_private" in listed:
        others = ", ".join(each for each in listed if each != "memoranda_private")
        return [
            error(
                "PostgREST is told to serve memoranda_private, whose tables and rules are nobody's to call.",
                f"alter role authenticator set pgrst.db_schemas = '{others}'; notify pgrst, 'reload config';",
            )
        ]
    if "memoranda" in listed:
        return [ok("PostgREST serves the schema memoranda.")]
    if listed:
        return [
            note(
                f"PostgREST is told to serve {named(listed)}, and not memoranda. That is enough for memoranda.connect.",
                f"For memoranda.supabase: {EXPOSE}",
            )
        ]
    return [
        note(
            "Which schemas an API serves is not kept in the database. That is enough for memoranda.connect.",
            "For memoranda.supabase, add memoranda (never memoranda_private) to the exposed schemas in the dashboard's "
            f"Data API settings, or: {EXPOSE}",
        )
    ]


CHECKS = (login, session, exposed)
