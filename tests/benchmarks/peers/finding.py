"""Whether a library finds what exact search finds, under which setting; and how well it answers questions."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.contract import Vectors
from benchmarks.peers.participants import Checked, Participant
from benchmarks.peers.texts import Question, World
from benchmarks.peers.vectors import matrix

K = 10
AMONG = {"identifiers": 1, "paraphrases": 5, "LoCoMo": 10}
"""Among how many hits an answer has to be, by the kind of question."""

ENOUGH = 0.95
"""Of the true ten nearest; a setting that finds fewer is not compared when another finds more."""

DOCUMENTED, ITERATIVE, EXACT = "HNSW", "HNSW, iterative scan", "exact scan"


class Exact:
    """What exact search finds, in one user's memory."""

    def __init__(self, world: World, folder: Path) -> None:
        self._vectors = Vectors(folder)
        self._texts = {user: [fact.text for fact in facts] for user, facts in world.memories.items()}
        self._rows = {user: matrix(map(self._vectors.of, texts)) for user, texts in self._texts.items()}

    def nearest(self, user: str, query: str) -> set[str]:
        scores = self._rows[user] @ matrix([self._vectors.of(query)])[0]
        return {self._texts[user][place] for place in scores.argsort()[::-1][:K]}


def calibrate(who: Participant, world: World, exact: Exact, seed: int, asked: int) -> None:
    """Check a library's vector search under each setting that there is, and leave it with the best.

    The documented setting is an HNSW index over everybody's vectors. If that finds fewer than enough, pgvector's advice
    for filtered searches is tried, and an exact scan. What finds enough competes, and the quickest of those is taken;
    if none does, the one that finds most.

    Args:
        who: The library, filled.
        world: What it was filled with.
        exact: What should be found.
        seed: For the choice of users.
        asked: How many questions to check by.
    """
    rng = random.Random(seed)
    queries = [question.text for questions in world.questions.values() for question in questions]
    large = [user for user in world.memories if user not in world.small]
    by_size = [[(rng.choice(users), rng.choice(queries)) for _ in range(asked)] for users in (large, world.small)]
    definitions = who.database.hnsw()

    def check(setting: str) -> None:
        who.restart()
        who.process.order("search", asked=by_size[0][:5], k=K, by="nearest")  # warms it up
        answers = [who.process.order("search", asked=each, k=K, by="nearest") for each in by_size]
        kept = [
            statistics.mean(
                len(exact.nearest(*pair) & set(found)) / K for pair, found in zip(each, answer["found"], strict=True)
            )
            for each, answer in zip(by_size, answers, strict=True)
        ]
        who.checked.append(Checked(setting, kept[0], kept[1], statistics.median(answers[0]["seconds"])))

    if not definitions:
        check(EXACT)
    else:
        check(DOCUMENTED)
        who.database.iterative_scan(True)
        check(ITERATIVE)
        who.database.iterative_scan(False)
        who.approximate = False
        who.database.drop_hnsw()
        check(EXACT)
    who.setting = chosen(who.checked).setting
    if definitions and who.setting != EXACT:
        who.approximate = True
        who.database.run(definitions)
        who.database.iterative_scan(who.setting == ITERATIVE)
    who.database.tidy()
    who.restart()


def chosen(checked: Sequence[Checked]) -> Checked:
    """The setting to be compared."""
    enough = [each for each in checked if min(each.large, each.small) >= ENOUGH]
    if enough:
        return min(enough, key=lambda each: each.seconds)
    return max(checked, key=lambda each: each.large + each.small)


def recall(questions: Sequence[Question], found: Sequence[Sequence[str]], k: int) -> float:
    """Of the texts that answer, how many are among the first k: the mean over the questions."""
    return statistics.mean(
        len(set(question.answers) & set(texts[:k])) / len(question.answers)
        for question, texts in zip(questions, found, strict=True)
    )
