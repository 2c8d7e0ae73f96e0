"""What is true inside a call: as whom the database sees it, whether row-level security binds it, and what waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from memoranda.doctor.findings import Finding, error, many, named, note, ok, warning
from memoranda.errors import IdentityError, MemorandaError
from memoranda.identity import Identity
from memoranda.maintenance import LEAST
from memoranda.transport import NOBODY, SERVICE, Caller, Transport

_WAITS = timedelta(minutes=15)
"""How long work may be due before nobody seems to do it."""

_SERVICE_NEEDED = 'grant service_role to "the_login";'


async def version(transport: Transport) -> list[Finding]:
    """The schema is one that this release works with, which opening the way to it has seen to."""
    found = cast("dict[str, int]", await transport.call("schema_version", {}, NOBODY))
    return [ok(f"Schema {found['version']}, which this release works with.")]


async def identity(transport: Transport, user: Identity | None = None) -> list[Finding]:
    """A call is seen as the user for whom it is made, and row-level security binds it inside the rules.

    Args:
        transport: The way to the database.
        user: As whom to call; where a token says who one is, its own user.
    """
    user = user or Identity.of("memoranda doctor")
    who = await _whoami(transport, Caller.of(user))
    if (who["user"], who["role"]) != (str(user.user), "authenticated"):
        return [
            error(
                "A call is not seen as the user for whom it is made.",
                "See that nothing between here and the database sets request.jwt.claims or the role, and that "
                "memoranda_private.uid() is ours.",
            )
        ]
    if not who["bound"]:
        return [
            error(
                "Row-level security does not bind the rules: inside a call every row is visible.",
                "See what is said of functions, inner roles and row security.",
            )
        ]
    return [ok("A call is seen as its user, in the role authenticated, and row-level security binds it inside.")]


async def nobody(transport: Transport) -> list[Finding]:
    """A call without a user sees nothing, and is refused."""
    try:
        who = await _whoami(transport, NOBODY)
        if who["user"] is not None or who["tenants"]:
            return [
                error(
                    "A call without a user is taken for somebody's.",
                    "See what is said of the session, and that memoranda_private.uid() is ours.",
                )
            ]
        await transport.call("facts_recall", {"place": {}, "query": {}}, NOBODY)
    except IdentityError:
        return [ok("A call without a user is refused.")]
    return [error("A call without a user was answered.", "See that memoranda_private.enter() is ours.")]


async def queue(transport: Transport) -> list[Finding]:
    """Work is done: vectors of messages, facts from turns."""
    try:
        status = cast("dict[str, Any]", await transport.call("work_status", {"limits": {"most": 0}}, SERVICE))
    except MemorandaError as refused:
        return [_not_as_service("the queue", refused)]
    kinds = cast("dict[str, dict[str, Any]]", status["kinds"])
    found: list[Finding] = []
    if dead := [f"{kinds[kind]['dead']:,} to {kind}" for kind in sorted(kinds) if kinds[kind]["dead"]]:
        found.append(
            warning(
                f"Work was given up: {named(dead)}.",
                "memoranda worker --status says why; then: memoranda worker --retry",
            )
        )
    late = datetime.now(UTC) - _WAITS
    if waits := [
        f"{kinds[kind]['due']:,} to {kind}"
        for kind in sorted(kinds)
        if kinds[kind]["next"] and datetime.fromisoformat(kinds[kind]["next"]) < late
    ]:
        found.append(warning(f"Work has been due for a quarter of an hour: {named(waits)}.", "Run: memoranda worker"))
    due = sum(each["due"] + each["later"] for each in kinds.values())
    return found or [ok(f"{many(due, 'piece')} of work to do, none given up.")]


async def large_scopes(transport: Transport, least: int = LEAST) -> list[Finding]:
    """Every scope with very many vectors has an index of its own.

    Args:
        transport: The way to the database.
        least: Vectors of one model from which on a scope is large.
    """
    try:
        asked = await transport.call("large_scopes_status", {"limits": {"least": least}}, SERVICE)
    except MemorandaError as refused:
        return [_not_as_service("the large scopes", refused)]
    status = cast("dict[str, int]", asked)
    if status["without"]:
        return [
            warning(
                f"{many(status['without'], 'large scope')} without an index of its own, of {least:,} vectors or more; "
                f"the largest has {status['largest']:,}.",
                "memoranda index --dsn (of the login that installed the schema, straight to the server)",
            )
        ]
    return [ok(f"No scope is large without an index of its own; {status['indexed']:,} have one.")]


async def _whoami(transport: Transport, caller: Caller) -> dict[str, Any]:
    return cast("dict[str, Any]", await transport.call("whoami", {}, caller))


def _not_as_service(what: str, refused: MemorandaError) -> Finding:
    return note(f"Of {what} nothing is known: {refused.message}", f"To look with this login: {_SERVICE_NEEDED}")


CHECKS = (identity, nobody, queue, large_scopes)
