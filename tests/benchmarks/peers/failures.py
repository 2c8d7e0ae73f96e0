"""What a library loses, doubles, leaves behind or shows to others: each is tried and counted, nothing is claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.peers.contract import Vectors
from benchmarks.peers.databases import in_files
from benchmarks.peers.finding import K
from benchmarks.peers.participants import Participant
from benchmarks.peers.process import WorkerError
from benchmarks.peers.texts import READER, World, more, near_misses

WRITERS, EDITS, COPIES = 8, 5, 8
NAMES = ("*", "%", "_", "read", "reader%", "' or ''='", "reader' --")
"""Names that somebody may sign up with; none of them has any memory."""

CANARY = "zyzzyva"
AWKWARD = {
    "NUL": "Left\0out what awkward0 said.",
    "half a surrogate pair": "The tool printed awkward1 \ud83d and stopped.",
    "60,000 characters": "awkward2 " + "and so on " * 6_000,
    "SQL": "awkward3'); drop table memories; --",
}


class Failure(NamedTuple):
    """How often something went wrong, of how often it could have."""

    times: int
    of: int
    detail: str = ""


def lost_edits(who: Participant, _: World) -> Failure:
    """Eight clients each append five marks to one text; those that are not in it at the end are lost."""
    who.process.order("put", user="edited", id="edited-1", text="Notes:")
    try:
        text = who.process.order("edits", user="edited", id="edited-1", writers=WRITERS, each=EDITS)
    except WorkerError as error:
        return Failure(WRITERS * EDITS, WRITERS * EDITS, str(error))
    marks = [f"[{writer}.{turn}]" for writer in range(WRITERS) for turn in range(EDITS)]
    return Failure(sum(mark not in text for mark in marks), len(marks))


def shown_unfiltered(who: Participant, world: World) -> Failure:
    """A search for one user whose author forgot to say so: how many of ten hits are others'."""

    def asked(query: str) -> Callable[[], list[str]]:
        return lambda: who.process.order("unfiltered", query=query, k=K)

    return _others(who, world, [asked(question.text) for question in world.questions["paraphrases"][:10]])


def shown_to_odd_names(who: Participant, world: World) -> Failure:
    """A search by a user whose name is a wildcard, another's beginning, or SQL: how many hits there are at all."""
    query = world.questions["paraphrases"][0].text

    def asked(name: str) -> Callable[[], list[str]]:
        return lambda: who.process.order("search", asked=[(name, query)], k=K, by="search")["found"][0]

    return _others(who, world, [asked(name) for name in NAMES], own=False)


def _others(who: Participant, world: World, asked: list[Callable[[], list[str]]], own: bool = True) -> Failure:
    mine = {fact.text for fact in world.memories[READER]} if own else set[str]()
    shown, refused = 0, Counter[str]()
    for ask in asked:
        try:
            shown += sum(text not in mine for text in ask())
        except WorkerError as error:
            refused[str(error).partition(":")[0]] += 1
    detail = ", ".join(f"{count} refused with {name}" for name, count in refused.items())
    return Failure(shown, K * len(asked), detail)


def lost_near_misses(who: Participant, _: World) -> Failure:
    """Pairs of facts that are alike and both true, saved one after another: those of which one is not there then."""
    pairs = near_misses(4)
    texts = [text for pair in pairs for text in pair]
    who.process.order("add", user="near", facts=[(f"near-{place}", text) for place, text in enumerate(texts)])
    there = set(who.process.order("texts", user="near"))
    return Failure(sum(not there.issuperset(pair) for pair in pairs), len(pairs))


def doubled_at_once(who: Participant, _: World) -> Failure:
    """Eight clients save the same text at once: how many copies there are beyond one."""
    text = "Prefers to be called in the evening."
    there: Counter[str] = Counter(who.process.order("copies", user="copied", text=text, writers=COPIES))
    return Failure(there[text] - 1, COPIES - 1, "" if there[text] else "not stored at all")


def left_by_delete(who: Participant, _: World) -> Failure:
    """A text is written, edited and deleted: rows and files that still hold it, or its vector."""
    user, id = "deleted", "deleted-1"
    first = f"My code word is {CANARY}."
    who.process.order("put", user=user, id=id, text=first)
    who.process.order("edit", user=user, id=id, more="And no other.")
    places = who.database.holding(CANARY)
    before = sum(places.values())
    who.process.order("delete", user=user, id=id)
    known = Vectors(who.vectors)
    left = Counter(who.database.holding(CANARY)) + Counter(in_files(who.home, CANARY))
    for text in (first, f"{first} And no other."):
        left += Counter(who.database.near(known.of(text)))
    assert before, "the text was nowhere to begin with"
    return Failure(sum(left.values()), 0, ", ".join(f"{count} in {place}" for place, count in left.items()))


def doubled_by_crash(who: Participant, _: World) -> Failure:
    """The process is killed in the midst of forty writes, and the job is run again: texts that are there twice."""
    facts = more(0, "crashed", 40)
    who.process.say("add_aloud", user="crashed", facts=facts)
    for _again in range(15):
        who.process.acknowledged()
    who.crash()
    who.process.order("add", user="crashed", facts=facts)
    there: Counter[str] = Counter(who.process.order("texts", user="crashed"))
    missing = sum(fact.text not in there for fact in facts)
    twice = sum(count - 1 for count in there.values())
    return Failure(twice + missing, len(facts), f"{missing} missing" if missing else "")


def lost_awkward(who: Participant, _: World) -> Failure:
    """Texts that tools print: those that are refused, or not there afterwards."""
    lost: list[str] = []
    for place, (name, text) in enumerate(AWKWARD.items()):
        try:
            who.process.order("add", user=f"awkward{place}", facts=[(f"awkward-{place}", text)])
            there: list[str] = who.process.order("texts", user=f"awkward{place}")
        except WorkerError:
            there = list[str]()
        if not any(f"awkward{place}" in each for each in there):
            lost.append(name)
    return Failure(len(lost), len(AWKWARD), ", ".join(lost))


FAILURES: dict[str, Callable[[Participant, World], Failure]] = {
    "concurrent edits lost": lost_edits,
    "others' memories shown, the filter forgotten": shown_unfiltered,
    "others' memories shown to users with odd names": shown_to_odd_names,
    "of two facts that are alike, one lost": lost_near_misses,
    "copies of a text that eight saved at once": doubled_at_once,
    "rows that hold a deleted text or its vector": left_by_delete,
    "awkward texts lost": lost_awkward,
    "doubled by a crash, when the job is run again": doubled_by_crash,
}
"""The crash comes last, for it takes the process with it."""
