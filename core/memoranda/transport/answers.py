"""What PostgREST, and the gateway before it, answer to a call, as a result or as an error of this library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import httpx

from memoranda.errors import (
    CallTimeoutError,
    DatabaseError,
    IdentityError,
    MemorandaError,
    PoolTimeoutError,
    SchemaError,
    SchemaMissingError,
    TooLargeError,
    UnavailableError,
)
from memoranda.sqlstates import error_of

if TYPE_CHECKING:
    from memoranda.transport import Json

_EXPOSE = (
    "Add `memoranda` to the exposed schemas: in the dashboard under Settings, Data API; in supabase/config.toml under "
    "[api] schemas."
)
_TOKEN = "Sign in again, or refresh the session; a signed token needs a key of this project, and clocks that agree."  # noqa: S105
_RELOAD = "Run `memoranda init` on the database, then: notify pgrst, 'reload schema'"


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that brought no result.

    Attributes:
        error: What it is for the caller.
        done: Whether the call was carried out: not, or nobody knows. What was refused for a reason is not to be sent
            again, so there it does not matter.
        wait: Seconds after which the server asks to be called again.
    """

    error: MemorandaError
    done: Literal["no", "perhaps", "refused"] = "refused"
    wait: float = 0.0


def result(response: httpx.Response) -> Json:
    """What a function returned.

    Args:
        response: An answer that says that all went well.

    Raises:
        UnavailableError: It is not PostgREST that has answered.
    """
    if not response.content:
        return None
    try:
        return cast("Json", response.json())
    except ValueError:
        raise UnavailableError(
            "What answers there is not Supabase's Data API.", hint="See that the URL is the project's own."
        ) from None


def refusal(response: httpx.Response) -> Failure:
    """The error that an answer speaks of.

    Args:
        response: An answer that says that something went wrong.

    Returns:
        One of ours, by the SQLSTATE if the database has spoken, else by PostgREST's code or the state of HTTP.
    """
    try:
        found: object = response.json()
    except ValueError:
        found = None
    body = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    code, message = str(body.get("code") or ""), str(body.get("message") or "")
    if code.startswith("PGRST"):
        return _from_postgrest(code, message)
    if len(code) == 5 and body.get("message") is not None:
        return Failure(error_of(code, message, str(body.get("hint") or ""), _detail(body)))
    return _from_gateway(response, message)


def loss(error: httpx.HTTPError) -> Failure:
    """The error for a call that got no answer.

    Args:
        error: What the HTTP client has raised.
    """
    match error:
        case httpx.PoolTimeout():
            return Failure(PoolTimeoutError())
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return Failure(
                UnavailableError(
                    "The project cannot be reached.",
                    hint="See that the URL is right, that the project is not paused, and that the network lets us out.",
                ),
                "no",
            )
        case httpx.TimeoutException():
            return Failure(CallTimeoutError(), "perhaps")
        case httpx.TransportError():
            return Failure(UnavailableError("The connection was lost during the call."), "perhaps")
        case _:  # too many redirects, or content that cannot be decoded
            return Failure(UnavailableError("What answers there is not Supabase's Data API."), "perhaps")


def _detail(body: dict[str, Any]) -> str:
    """The detail of our own errors is JSON, which some servers pass on as what it says."""
    detail = body.get("details")
    return detail if isinstance(detail, str) else json.dumps(detail) if detail else ""


def _from_postgrest(code: str, message: str) -> Failure:
    match code:
        case "PGRST000" | "PGRST002":
            return Failure(UnavailableError("Supabase's Data API cannot reach its database."), "no")
        case "PGRST001":  # also when it loses it in the middle of a call
            return Failure(UnavailableError("Supabase's Data API has lost its database."), "perhaps")
        case "PGRST003":
            return Failure(
                PoolTimeoutError(
                    "The Data API had no connection to its database in time.", hint="Send the call again."
                ),
                "no",
            )
        case "PGRST106":
            return Failure(SchemaError("The Data API does not expose the schema memoranda.", hint=_EXPOSE))
        case "PGRST202":
            missing = SchemaMissingError if "schema_version" in message else SchemaError
            return Failure(missing("The Data API knows no such function in the schema memoranda.", hint=_RELOAD))
        case "PGRST300" | "PGRST301" | "PGRST302" | "PGRST303":
            return Failure(IdentityError("The access token is not accepted.", hint=_TOKEN))
        case _:
            return Failure(DatabaseError(f"The Data API refused the call: {message}", hint="See its logs."))


def _from_gateway(response: httpx.Response, message: str) -> Failure:
    status = response.status_code
    if status in (401, 403):
        said = message or "the key or the token is not accepted"
        return Failure(
            IdentityError(f"The gateway refused the call: {said}.", hint="See that URL and key belong together.")
        )
    if status == 413:
        return Failure(TooLargeError("The call is larger than the gateway takes."))
    if status == 429:
        wait = response.headers.get("retry-after", "")
        return Failure(
            UnavailableError("Too many calls for the project."), "no", float(wait) if wait.isdecimal() else 0.0
        )
    if status == 408 or status >= 500:
        return Failure(UnavailableError(f"The gateway answered with {status}."), "perhaps")
    return Failure(DatabaseError(f"What answers there says {status}, which is not how Supabase's Data API speaks."))
