"""The measures of one ranking, and their means over questions.

Relevance is yes or no. A ranking is a list of ids, best first; an id that comes again counts at its first place only.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

DEPTH = 20
"""How deep rankings are looked at."""


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Of the documents that answer, the share among the first k.

    recall@k = |gold ∩ ranked[:k]| / |gold| (Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008,
    chapter 8).

    Args:
        ranked: What was found.
        gold: What answers; at least one.
        k: How many places count.
    """
    return len(_first(ranked, k) & set(gold)) / len(set(gold))


def hit(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Whether any document that answers is among the first k: 1 or 0.

    hit@k = [gold ∩ ranked[:k] ≠ ∅], also called success@k.

    Args:
        ranked: What was found.
        gold: What answers.
        k: How many places count.
    """
    return float(not _first(ranked, k).isdisjoint(gold))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """One over the place of the first document that answers; 0 where there is none. Its mean is called MRR.

    RR = 1 / min{i : ranked[i] ∈ gold}, places from 1 (Voorhees, The TREC-8 Question Answering Track Report, 1999).

    Args:
        ranked: What was found, as deep as it was looked at.
        gold: What answers.
    """
    return next((1 / place for place, id_ in enumerate(dict.fromkeys(ranked), 1) if id_ in gold), 0.0)


def ndcg(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain: places count less the lower they are.

    nDCG@k = DCG@k / IDCG@k, where DCG@k = Σ over i = 1..k of [ranked[i] ∈ gold] / log2(i + 1), and IDCG@k is that of a
    perfect ranking, Σ over i = 1..min(k, |gold|) of 1 / log2(i + 1) (Järvelin and Kekäläinen, Cumulated Gain-Based
    Evaluation of IR Techniques, ACM TOIS 20(4), 2002; the discount as in trec_eval).

    Args:
        ranked: What was found.
        gold: What answers; at least one.
        k: How many places count.
    """
    places = enumerate(list(dict.fromkeys(ranked))[:k], 1)
    gained = math.fsum(1 / math.log2(place + 1) for place, id_ in places if id_ in gold)
    return gained / math.fsum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(gold))) + 1))


def _first(ranked: Sequence[str], k: int) -> set[str]:
    return set(list(dict.fromkeys(ranked))[:k])


@dataclass(frozen=True, slots=True)
class Scores:
    """Measures: of one question, or their means over many, each question counting the same.

    Attributes:
        questions: How many questions.
        r1: recall@1.
        r5: recall@5.
        r10: recall@10.
        hit10: hit@10.
        mrr: The reciprocal rank within :data:`DEPTH` places.
        ndcg10: nDCG@10.
    """

    questions: int
    r1: float
    r5: float
    r10: float
    hit10: float
    mrr: float
    ndcg10: float


def score(ranked: Sequence[str], gold: Collection[str]) -> Scores:
    """The measures of one question.

    Args:
        ranked: What was found; more than :data:`DEPTH` places are not looked at.
        gold: What answers; at least one.
    """
    ranked = list(dict.fromkeys(ranked))[:DEPTH]
    return Scores(
        questions=1,
        r1=recall(ranked, gold, 1),
        r5=recall(ranked, gold, 5),
        r10=recall(ranked, gold, 10),
        hit10=hit(ranked, gold, 10),
        mrr=reciprocal_rank(ranked, gold),
        ndcg10=ndcg(ranked, gold, 10),
    )


def mean(scores: Iterable[Scores]) -> Scores:
    """The means over questions.

    Args:
        scores: Those of single questions, or means, which count as many times as they have questions.

    Returns:
        The means; all 0 where there is no question.
    """
    given = list(scores)
    count = sum(one.questions for one in given)

    def over(values: Iterable[float]) -> float:
        weighted = (one.questions * value for one, value in zip(given, values, strict=True))
        return math.fsum(weighted) / count if count else 0.0

    return Scores(
        questions=count,
        r1=over(one.r1 for one in given),
        r5=over(one.r5 for one in given),
        r10=over(one.r10 for one in given),
        hit10=over(one.hit10 for one in given),
        mrr=over(one.mrr for one in given),
        ndcg10=over(one.ndcg10 for one in given),
    )
