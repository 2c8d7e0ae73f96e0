"""The order in which no voice has more than its share of any beginning, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from memoranda.facttypes import Fact, Origin
from memoranda.shares import SHARE, block_items, fair
from memoranda.tokens import conservative

AT = datetime(2026, 1, 1, tzinfo=UTC)

items = st.lists(st.tuples(st.sampled_from([None, "a", "b"]), st.integers(1, 9), st.uuids()), max_size=40)


@given(items)
def test_a_voice_has_no_more_than_its_share_of_any_beginning_while_there_is_anything_else(
    given_: list[tuple[str | None, int, object]],
) -> None:
    ordered = fair(given_, lambda each: each[0], lambda each: each[1], room=9)
    assert Counter(ordered) == Counter(given_)
    total, taken = 0, Counter[str | None]()
    for place, (voice, size, _) in enumerate(ordered):
        total, taken[voice] = total + size, taken[voice] + size
        alone = taken[voice] == size
        rest = ordered[place + 1 :]
        if voice is not None and SHARE * taken[voice] > total and not alone:
            assert all(other is not None for other, _, _ in rest), "somebody else was waiting"


@given(items)
def test_what_nothing_limits_keeps_its_order(given_: list[tuple[str | None, int, object]]) -> None:
    ordered = fair(given_, lambda each: each[0], lambda each: each[1], room=9)
    assert [each for each in ordered if each[0] is None] == [each for each in given_ if each[0] is None]


def test_a_source_alone_fills_all() -> None:
    assert fair([("a", n) for n in range(9)], lambda each: each[0], lambda _: 1, 1) == [("a", n) for n in range(9)]


def test_a_first_item_that_is_too_long_waits() -> None:
    long, short = ("a", 100), (None, 10)
    assert fair([long, short], lambda each: each[0], lambda each: each[1], room=20) == [short, long]


def fact(content: str, origin: Origin) -> Fact:
    return Fact(uuid4(), None, content, "fact", "confirmed", origin, None, False, 5, (), (), {}, ("user", ""), 1,
                None, None, None, None, AT, AT, None, None, None)  # fmt: skip


def test_a_text_that_takes_many_tokens_is_weighed_by_those() -> None:
    loud = fact("<" * 320, "tool")  # in the block each becomes six characters
    ordered = block_items([], [loud, *(fact(f"own {n}", "user") for n in range(12))], 1500, conservative)
    assert ordered[0].data["content"] != loud.content, "it would take nearly all of the block"


def test_each_item_is_counted_once() -> None:
    counted = Counter[str]()

    def count(text: str) -> int:
        counted[text] += 1
        return len(text)

    assert len(block_items([], [fact(f"flood {n}", "tool") for n in range(50)], 1500, count)) == 50
    assert set(counted.values()) == {1}
