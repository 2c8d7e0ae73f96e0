"""The measures, on rankings that can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from memoranda.bench.metrics import DEPTH, Scores, hit, mean, ndcg, recall, reciprocal_rank, score

RANKED = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("gold", "k", "share"), [({"a"}, 1, 1), ({"b"}, 1, 0), ({"a", "d"}, 3, 0.5), ({"a", "x"}, 4, 0.5), ({"x"}, 4, 0)]
)
def test_recall_is_the_share_of_the_gold_that_came(gold: set[str], k: int, share: float) -> None:
    assert recall(RANKED, gold, k) == share
    assert hit(RANKED, gold, k) == (1 if share else 0)


def test_the_reciprocal_rank_is_that_of_the_first() -> None:
    assert reciprocal_rank(RANKED, {"c", "d"}) == 1 / 3
    assert reciprocal_rank(RANKED, {"x"}) == 0


def test_ndcg_discounts_by_place_and_is_one_for_a_perfect_ranking() -> None:
    assert ndcg(RANKED, {"a", "b"}, 10) == 1
    assert ndcg(RANKED, {"x"}, 10) == 0
    assert ndcg(RANKED, {"b"}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg(RANKED, {"b", "d"}, 10) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))


def test_more_gold_than_places_can_still_be_perfect() -> None:
    assert ndcg(RANKED, set("abcdef"), 4) == pytest.approx(1)


def test_an_id_that_comes_twice_counts_once() -> None:
    twice = ["b", "b", "a"]
    assert recall(twice, {"a"}, 2) == 1
    assert reciprocal_rank(twice, {"a"}) == 1 / 2
    assert ndcg(twice, {"b"}, 10) == 1


def test_a_question_is_looked_at_only_so_deep() -> None:
    deep = [str(place) for place in range(DEPTH + 1)]
    assert score(deep, {str(DEPTH - 1)}).mrr == 1 / DEPTH
    assert score(deep, {str(DEPTH)}) == Scores(1, 0, 0, 0, 0, 0, 0)


def test_a_mean_counts_each_question_the_same_and_means_as_often_as_they_have_questions() -> None:
    good, bad = score(["a"], {"a"}), score(["b"], {"a"})
    three = mean([good, good, bad])
    assert three.questions == 3
    assert three.r10 == three.mrr == pytest.approx(2 / 3)
    assert mean([three, bad]).questions == 4
    assert mean([three, bad]).ndcg10 == pytest.approx(1 / 2)
    assert mean([]) == Scores(0, 0, 0, 0, 0, 0, 0)
