"""Python values as the JSON of a call."""

from __future__ import annotations

from memoranda import wire


def test_a_vector_is_written_with_five_digits_whatever_its_numbers_are() -> None:
    assert wire.vector([1, -0.000012345678, 123456.7, 1e-12, 0.1 + 0.2]) == "[1,-1.2346e-05,1.2346e+05,1e-12,0.3]"
    assert wire.vector([0.5]) == "[0.5]"
    assert wire.vector((0.25,) * 1536) == "[" + ",".join(["0.25"] * 1536) + "]"
