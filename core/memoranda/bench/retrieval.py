"""The loop: index a corpus, ask its questions, and see where the answers came.

What searches is given as a :class:`Searcher`, so the same loop measures this library, a part of it, or a peer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Protocol

from memoranda.bench.metrics import DEPTH, Scores, mean, score
from memoranda.bench.records import DataSet, Document

ALL = "ALL"
"""The name of a data set's total."""


class Searcher(Protocol):
    """What is measured."""

    async def index(self, documents: Sequence[Document], /) -> None:
        """Make these the documents that are searched, and no earlier ones.

        Args:
            documents: A corpus: texts with ids, and what is known of them.
        """
        ...

    async def search(self, query: str, k: int, /) -> Sequence[str]:
        """Search.

        Args:
            query: A question.
            k: How many documents are wanted; fewer may come.

        Returns:
            The ids of documents, best first.
        """
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one question.

    Attributes:
        corpus: The corpus that it was asked of.
        question: The question.
        category: What kind it is.
        gold: The documents that answer it.
        ranked: The documents that were found, best first.
        seconds: How long the search took.
    """

    corpus: str
    question: str
    category: str
    gold: tuple[str, ...]
    ranked: tuple[str, ...]
    seconds: float

    @property
    def scores(self) -> Scores:
        """Its measures."""
        return score(self.ranked, self.gold)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a data set.

    Attributes:
        name: The data set.
        answers: All questions that were asked.
        apart: The categories that are no part of the total.
        documents: How many documents there are, over all corpora.
        unusable: How many questions were not asked, since nothing is known to answer them.
        index_seconds: How long indexing took, over all corpora.
    """

    name: str
    answers: tuple[Answer, ...]
    apart: frozenset[str]
    documents: int
    unusable: int
    index_seconds: float

    @property
    def categories(self) -> dict[str, Scores]:
        """The means of each category, by its name; those that are no part of the total come last."""
        names = sorted({answer.category for answer in self.answers}, key=lambda name: (name in self.apart, name))
        return {name: mean(one.scores for one in self.answers if one.category == name) for name in names}

    @property
    def total(self) -> Scores:
        """The means over all questions, but those of categories that are reported apart."""
        return mean(answer.scores for answer in self.answers if answer.category not in self.apart)

    @property
    def search_seconds(self) -> float:
        """The median time of a search; 0 where there was none."""
        return median([answer.seconds for answer in self.answers] or [0.0])

    def to_json(self) -> dict[str, Any]:
        """The figures, as what `json.dumps` takes; without the questions, which may not be passed on."""
        return {
            "name": self.name,
            "documents": self.documents,
            "unusable": self.unusable,
            "index_seconds": round(self.index_seconds, 3),
            "search_seconds": round(self.search_seconds, 6),
            "apart": sorted(self.apart),
            "categories": {name: _rounded(scores) for name, scores in {ALL: self.total, **self.categories}.items()},
        }


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(scores).items()}


def steps(datasets: Iterable[DataSet]) -> int:
    """How many steps :func:`measure` takes: one for each corpus that is indexed, and one for each question.

    Args:
        datasets: The data sets.
    """
    return sum(1 + len(corpus.questions) for dataset in datasets for corpus in dataset.corpora)


async def measure(
    datasets: Iterable[DataSet], searcher: Searcher, *, advance: Callable[[str], object] | None = None
) -> list[Result]:
    """Ask every question of every data set.

    Args:
        datasets: The data sets.
        searcher: What is measured; an error of its is passed on.
        advance: Called after each step, with the name of what is being measured.

    Returns:
        A result for each data set, in their order.
    """
    return [await _measure(dataset, searcher, advance or (lambda name: None)) for dataset in datasets]


async def _measure(dataset: DataSet, searcher: Searcher, advance: Callable[[str], object]) -> Result:
    answers: list[Answer] = []
    indexing = 0.0
    for corpus in dataset.corpora:
        name = f"{dataset.name} {corpus.name}"
        began = time.perf_counter()
        await searcher.index(corpus.documents)
        indexing += time.perf_counter() - began
        advance(name)
        for question in corpus.questions:
            began = time.perf_counter()
            ranked = tuple(await searcher.search(question.text, DEPTH))
            seconds = time.perf_counter() - began
            answers.append(Answer(corpus.name, question.text, question.category, question.gold, ranked, seconds))
            advance(name)
    return Result(
        name=dataset.name,
        answers=tuple(answers),
        apart=dataset.apart,
        documents=sum(len(corpus.documents) for corpus in dataset.corpora),
        unusable=sum(corpus.unusable for corpus in dataset.corpora),
        index_seconds=indexing,
    )
