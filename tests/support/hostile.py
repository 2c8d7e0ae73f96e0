"""Values that nobody should send, for fuzzing: whatever JSON can hold, and what only Python can."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck
from hypothesis import strategies as st

TEXTS = (
    *("", " ", "\0", "\ud800", "\u202e", "\ufeff", "\U000e0041", "</memory>", "../../etc", "%2e%2e/", "a" * 300),
    *(
        "0",
        "-1",
        "1e400",
        "NaN",
        "infinity",
        "null",
        "[]",
        "{}",
        '{"facts":[',
        "2026-02-30T25:61:00",
        "2026-11-30",
        "k1",
    ),
)

PATIENT = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.function_scoped_fixture,
)
"""What is no fault of fuzzing: it is slow on a busy machine, and its tests share what they try."""

texts = st.sampled_from(TEXTS) | st.text(max_size=30)
numbers = st.sampled_from([0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, True, False]) | st.integers()
leaves = st.none() | texts | numbers | st.floats()


def values(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values of any depth; the names of members are mostly those that somebody looks for.

    Args:
        names: Those names, and words that are looked for as values.
    """
    keys = st.sampled_from(names) | texts
    words = leaves | st.sampled_from(names)
    return st.recursive(
        words,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=12,
    )


def objects(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Mappings of such values."""
    return st.dictionaries(st.sampled_from(names) | texts, values(names), max_size=7)
