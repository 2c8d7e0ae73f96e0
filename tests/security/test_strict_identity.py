"""Only what plainly names somebody names anybody."""

from __future__ import annotations

import json

import psycopg
import pytest

from .conftest import Ground
from .world import NOBODY, PEOPLE


@pytest.mark.parametrize("tenant", ["", "   ", NOBODY])
def test_a_tenant_that_is_none_is_an_error_and_not_ones_own(ground: Ground, tenant: str) -> None:
    with ground.session("other") as conn, pytest.raises(psycopg.Error) as caught:
        conn.execute("select memoranda.facts_recall(%s)", [json.dumps({"tenant": tenant})])
    assert caught.value.sqlstate == "MESCP"


@pytest.mark.parametrize("subject", [{"sub": PEOPLE["owner"]}, [PEOPLE["owner"]], 5, True])
def test_a_subject_that_is_no_text_is_nobody(ground: Ground, subject: object) -> None:
    with ground.connection() as conn:
        conn.execute("set local role authenticated")
        conn.execute("select set_config('request.jwt.claims', %s, true)", [json.dumps({"sub": subject})])
        assert conn.execute("select memoranda.whoami() ->> 'user'").fetchone() == (None,)


def test_nobody_has_no_tenants(ground: Ground) -> None:
    with ground.session("no identity") as conn:
        assert conn.execute("select memoranda.whoami() -> 'tenants'").fetchone() == ([],)
