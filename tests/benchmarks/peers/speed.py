"""How quickly a library writes and searches, in rounds, so that all meet the machine as it is."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.peers.finding import K
from benchmarks.peers.participants import Participant
from benchmarks.peers.texts import Question, World, more


@dataclass
class Round:
    """What one library did in one round; seconds, or texts found."""

    batch: float
    batch_looking: float | None
    single: list[float]
    search: list[float]
    small: list[float]
    cpu: float = 0.0
    """Of all timed searches, the server's included."""
    cpu_batch: float = 0.0
    found: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    found_small: list[list[str]] = field(default_factory=list[list[str]])


def written(seed: int, rounds: int, batch: int, single: int) -> list[str]:
    """All that the rounds write, which needs vectors beforehand."""
    users = [(f"{kind}{number}", count) for number in range(rounds) for kind, count in _writes(batch, single)]
    return [fact.text for user, count in users for fact in more(seed, user, count)]


def _writes(batch: int, single: int) -> list[tuple[str, int]]:
    return [("batch", batch), ("looking", batch), ("single", single)]


def one_round(
    who: Participant, world: World, number: int, seed: int, batch: int, single: int, timed: Sequence[str]
) -> Round:
    """Let a library write many facts at once and some one by one, each for a new user, and answer the questions.

    Args:
        who: The library.
        world: The questions.
        number: Of the round.
        seed: Of the world.
        batch: How many facts at once.
        single: How many one by one.
        timed: The kinds of questions that are timed in every round; the others are asked in the first alone.
    """
    order = who.process.order
    new = {kind: more(seed, f"{kind}{number}", count) for kind, count in _writes(batch, single)}
    used = who.cpu()
    many = order("add_many", user=f"batch{number}", facts=new["batch"], looking=False)
    cpu_batch = who.cpu() - used
    looking = order("add_many", user=f"looking{number}", facts=new["looking"], looking=True) if who.looks else None
    made = Round(many, looking, order("add", user=f"single{number}", facts=new["single"]), [], [], cpu_batch=cpu_batch)
    for kind, questions in world.questions.items():
        if kind in timed or number == 0:
            used = who.cpu()
            answer = order("search", asked=_asked(questions), k=K, by="search")
            made.found[kind] = answer["found"]
            if kind in timed:
                made.search += answer["seconds"]
                made.cpu += who.cpu() - used
    asked = [(user, questions[0].text) for user, questions in zip(world.small, _cycled(world), strict=False)]
    answer = order("search", asked=asked, k=K, by="search")
    made.small, made.found_small = answer["seconds"], answer["found"]
    return made


def _asked(questions: Sequence[Question]) -> list[tuple[str, str]]:
    return [(question.user, question.text) for question in questions]


def _cycled(world: World) -> list[list[Question]]:
    """A question for each small user."""
    everything = [question for questions in world.questions.values() for question in questions]
    return [[everything[place * 7 % len(everything)]] for place in range(len(world.small))]


@dataclass
class Speed:
    """Medians over the rounds."""

    batch: float
    batch_looking: float | None
    single: float
    p50: float
    p95: float
    small_p50: float
    cpu: float
    cpu_batch: float

    @classmethod
    def of(cls, rounds: Sequence[Round], batch: int) -> Speed:
        """Facts a second, and milliseconds."""
        looking = [each.batch_looking for each in rounds if each.batch_looking is not None]
        return cls(
            batch / statistics.median(each.batch for each in rounds),
            batch / statistics.median(looking) if looking else None,
            1 / statistics.median(statistics.mean(each.single) for each in rounds),
            1000 * statistics.median(statistics.median(each.search) for each in rounds),
            1000 * statistics.median(statistics.quantiles(each.search, n=20)[-1] for each in rounds),
            1000 * statistics.median(statistics.median(each.small) for each in rounds),
            1000 * statistics.median(each.cpu / len(each.search) for each in rounds),
            1000 * statistics.median(each.cpu_batch for each in rounds) / batch,
        )
