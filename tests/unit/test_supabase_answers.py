"""What the Data API and its gateway answer, as errors of ours.

The bodies are as PostgREST documents them ("Errors"), and the gateway's as hosted projects are known to send them; none
was recorded. Those that the stand-in gives itself are met in `integration/test_supabase_faults.py`.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memoranda import errors
from memoranda.sqlstates import BY_SQLSTATE
from memoranda.transport import answers

NOT, PERHAPS, REFUSED = "no", "perhaps", "refused"


def body(code: str, message: str = "said", details: object = None, hint: str | None = None) -> dict[str, object]:
    return {"code": code, "message": message, "details": details, "hint": hint}


@pytest.mark.parametrize("state", BY_SQLSTATE)
def test_an_sqlstate_is_the_same_error_as_over_postgres(state: str) -> None:
    found = answers.refusal(httpx.Response(400, json=body(state, "it went wrong", None, "Do it right.")))
    assert type(found.error) is BY_SQLSTATE[state]
    assert (found.error.message, found.error.hint, found.done) == ("It went wrong.", "Do it right.", REFUSED)


@pytest.mark.parametrize("details", ['{"lines": [1, 2]}', {"lines": [1, 2]}])
def test_the_detail_of_our_own_errors_comes_through(details: object) -> None:
    assert answers.refusal(httpx.Response(400, json=body("MEAMB", details=details))).error.detail == {"lines": [1, 2]}


ANSWERS: dict[str, tuple[int, Any, type[errors.MemorandaError], str]] = {
    "no database": (503, body("PGRST000"), errors.UnavailableError, NOT),
    "a database that was lost": (503, body("PGRST001"), errors.UnavailableError, PERHAPS),
    "no schema cache yet": (503, body("PGRST002"), errors.UnavailableError, NOT),
    "no connection in time": (504, body("PGRST003"), errors.PoolTimeoutError, NOT),
    "not exposed": (406, body("PGRST106"), errors.SchemaError, REFUSED),
    "not installed": (404, body("PGRST202", "… memoranda.schema_version …"), errors.SchemaMissingError, REFUSED),
    "no such function": (404, body("PGRST202", "… memoranda.facts_save …"), errors.SchemaError, REFUSED),
    "bad token": (401, body("PGRST301", "JWSError JWSInvalidSignature"), errors.IdentityError, REFUSED),
    "expired token": (401, body("PGRST303", "JWT expired"), errors.IdentityError, REFUSED),
    "anything else": (400, body("PGRST102"), errors.DatabaseError, REFUSED),
    "too slow": (500, body("57014"), errors.CallTimeoutError, REFUSED),
    "shutting down": (500, body("57P01"), errors.UnavailableError, REFUSED),
    "deadlock": (500, body("40P01"), errors.UnavailableError, REFUSED),
    "malformed id": (400, body("22P02"), errors.InputError, REFUSED),
    "not ours": (400, body("P0001"), errors.DatabaseError, REFUSED),
    "wrong key": (401, {"message": "Invalid API key", "hint": "Double check it."}, errors.IdentityError, REFUSED),
    "too large": (413, "<html>", errors.TooLargeError, REFUSED),
    "too many": (429, {"message": "Rate limit exceeded"}, errors.UnavailableError, NOT),
    "bad gateway": (502, "<html>", errors.UnavailableError, PERHAPS),
    "paused": (540, {"message": "Project paused"}, errors.UnavailableError, PERHAPS),
    "another site": (404, "<html>", errors.DatabaseError, REFUSED),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_refusal_has_its_error(name: str) -> None:
    status, content, error, done = ANSWERS[name]
    response = (
        httpx.Response(status, text=content) if isinstance(content, str) else httpx.Response(status, json=content)
    )
    found = answers.refusal(response)
    assert (type(found.error), found.done) == (error, done)
    assert found.error.message
    assert found.error.hint or error in (errors.CallTimeoutError, errors.InputError)


def test_a_server_that_is_busy_says_when_to_come_again() -> None:
    assert answers.refusal(httpx.Response(429, headers={"Retry-After": "3"})).wait == 3
    assert answers.refusal(httpx.Response(429, headers={"Retry-After": "Tue, 01 Dec 2026"})).wait == 0


def test_what_is_no_answer_of_the_data_api_is_no_result() -> None:
    assert answers.result(httpx.Response(200, json=[1, None])) == [1, None]
    assert answers.result(httpx.Response(204)) is None
    with pytest.raises(errors.UnavailableError, match="not Supabase's"):
        answers.result(httpx.Response(200, text="<html>"))


@pytest.mark.parametrize(
    ("lost", "error", "done"),
    [
        (httpx.ConnectError("x"), errors.UnavailableError, NOT),
        (httpx.ConnectTimeout("x"), errors.UnavailableError, NOT),
        (httpx.PoolTimeout("x"), errors.PoolTimeoutError, REFUSED),
        (httpx.ReadTimeout("x"), errors.CallTimeoutError, PERHAPS),
        (httpx.WriteTimeout("x"), errors.CallTimeoutError, PERHAPS),
        (httpx.ReadError("x"), errors.UnavailableError, PERHAPS),
        (httpx.RemoteProtocolError("x"), errors.UnavailableError, PERHAPS),
        (httpx.DecodingError("x"), errors.UnavailableError, PERHAPS),
    ],
)
def test_every_loss_has_its_error(lost: httpx.HTTPError, error: type[errors.MemorandaError], done: str) -> None:
    found = answers.loss(lost)
    assert (type(found.error), found.done) == (error, done)
