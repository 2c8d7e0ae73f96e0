"""Errors: one base, a code each, a remedy that says what to do."""

from __future__ import annotations

import inspect

import pytest

from memoranda import errors
from memoranda.errors import MemorandaError
from memoranda.sqlstates import BY_SQLSTATE
from support.documents import DOCS

KINDS: list[type[MemorandaError]] = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemorandaError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_has_the_one_base_a_code_and_a_message(kind: type[MemorandaError]) -> None:
    error = kind()
    assert isinstance(error, MemorandaError)
    assert error.code.startswith("MEMORY_")
    assert error.message.endswith(".")
    assert f"[{error.code}]" in str(error)


def test_codes_are_unique() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_the_page_has_every_error() -> None:
    page = (DOCS / "errors.md").read_text(encoding="utf-8").partition("## Every error")[2]
    rows = [tuple(row.strip("| ").split(" | ")) for row in page.splitlines() if row.startswith("| `")]
    assert sorted(rows) == sorted((f"`{kind.__name__}`", f"`{kind.code}`", kind().message) for kind in KINDS)


def test_the_codes_of_earlier_systems_carry_over() -> None:
    codes = {kind.code for kind in KINDS}
    assert {"MEMORY_CONFLICT", "MEMORY_FORBIDDEN", "MEMORY_NAMESPACE", "MEMORY_EMPTY", "MEMORY_TOO_LARGE"} <= codes


def test_every_state_in_the_table_is_well_formed_and_leads_to_one_of_ours() -> None:
    for state, kind in BY_SQLSTATE.items():
        assert len(state) == 5
        assert state.isupper() or state.isdigit()
        assert issubclass(kind, MemorandaError)


def test_a_hint_replaces_the_remedy_and_both_are_shown_with_the_code() -> None:
    assert str(errors.ForbiddenError("No.", hint="Ask Bob.")) == "No. Ask Bob. [MEMORY_FORBIDDEN]"
