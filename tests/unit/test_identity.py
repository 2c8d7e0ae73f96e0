"""Identity and scope: what names whom, and what is refused."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

import pytest

from memoranda import Identity, Scope, name_id
from memoranda.errors import IdentityError, ScopeError
from memoranda.transport import Caller

AN_ID = UUID("aaaaaaaa-0000-4000-8000-000000000001")


def test_a_name_becomes_a_documented_version_8_uuid() -> None:
    found = name_id("user", "alice")
    assert found == UUID("09a359a3-c58f-8600-bb5b-7078c03ac405")
    assert (found.version, found.variant) == (8, "specified in RFC 4122")


def test_the_same_name_is_the_same_user_and_another_name_another() -> None:
    assert Identity.of("alice") == Identity.of("alice")
    assert len({name_id("user", name) for name in ("alice", "Alice", "alice2", "álice", "a̋lice")}) == 5


def test_a_user_and_a_tenant_of_one_name_differ() -> None:
    assert name_id("user", "acme") != name_id("tenant", "acme")


def test_without_a_tenant_a_user_is_their_own() -> None:
    assert Identity.of(AN_ID).tenant == AN_ID


@pytest.mark.parametrize(
    "user",
    [
        "",
        " ",
        " alice",
        "alice\n",
        "a\0b",
        "\ud800",
        "x" * 201,
        None,
        5,
        b"alice",
        UUID(int=0),
        str(AN_ID),
        str(AN_ID).upper(),
        AN_ID.hex,
        f"{{{AN_ID}}}",
        f" {AN_ID} ",
        "aaaa-aaaa-0000-4000-8000-0000-0000-0001",
    ],
)
def test_a_missing_or_malformed_identity_is_refused(user: object) -> None:
    with pytest.raises(IdentityError) as caught:
        Identity.of(cast("Any", user))
    assert caught.value.code == "MEMORY_NO_IDENTITY"


def test_a_string_that_looks_like_an_id_is_refused_with_the_advice_to_wrap_it() -> None:
    with pytest.raises(IdentityError, match=r"uuid\.UUID"):
        Identity.of("alice", tenant=str(AN_ID))


def test_further_claims_never_set_user_or_role() -> None:
    caller = Caller.of(Identity.of(AN_ID, claims={"sub": "mallory", "role": "service_role", "plan": "pro"}))
    assert caller.role == "authenticated"
    assert caller.claims == {"sub": str(AN_ID), "role": "authenticated", "plan": "pro"}


@pytest.mark.parametrize("id", ["", " ", "x" * 201, "x" * 10_000, "a\0b", "a\nb", "\udc00", None, 7])
def test_a_scope_id_that_is_no_plain_text_is_refused(id: object) -> None:
    for make in (Scope.agent, Scope.chat, Scope.project):
        with pytest.raises(ScopeError):
            make(cast("Any", id))


@pytest.mark.parametrize("id", ["%", "_", "\\", "'", "writer", "👩‍👧", "x" * 200, "a/b", "می‌خواهم"])
def test_any_plain_text_is_a_scope_id(id: str) -> None:
    assert Scope.agent(id).id == id


def test_scopes_without_an_id_take_none() -> None:
    for name in ("user", "organization"):
        with pytest.raises(ScopeError):
            Scope(cast("Any", name), "x")
    with pytest.raises(ScopeError):
        Scope(cast("Any", "galaxy"))
