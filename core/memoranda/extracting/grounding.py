"""Whether a candidate rests on the user's own words.

An extractor is a model, and may be led by what it read. So it is held against what the user typed: its quote stands
there, says enough, has the candidate's numbers and names in it, and shares words with it; and the sentence that it
stands in is a statement of the user's about what the candidate is about. A question, an if, a joke, hearsay, a story to
be written or what another person likes is none. What fails here isn't lost: it waits for a person.

The words that tell are in `cues.toml`. They are a sieve and no proof: who wants certainty sets the tenant's policy to
``all``. What passes is checked once more by the database, as far as quote, numbers and names go.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from memoranda.extracting.candidates import Candidate
from memoranda.extracting.said import spoken, typed
from memoranda.facttypes import Origin
from memoranda.messagetypes import Message, Turn
from memoranda.text import visible

Reason: TypeAlias = Literal[
    "no quote", "not said", "too short", "said by another", "pasted", "number", "name", "other words", "question",
    "supposed", "doubted", "joke", "to be written", "denied", "somebody else's",
]  # fmt: skip
"""Why a candidate does not rest on the user's own words."""

_IDEOGRAPHS = "\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_SPACELESS = re.compile(f"[{_IDEOGRAPHS}\u0e00-\u0e7f]")
_WORD = re.compile(rf"[^\W_{_IDEOGRAPHS}]+(?:['’-][^\W_{_IDEOGRAPHS}]+)*")
_SENTENCE = re.compile(r"[^.!?;。！？；\n]*(?:\.(?=\S)[^.!?;。！？；\n]*)*[.!?;。！？；\n]*")
_CLAUSE = re.compile(r"[,;:—–、，；]|\b(?:and|but|und|aber|et|mais|y|pero|e|ma|maar|и|но|а)\b")
_NAME = re.compile(r"(?<=[^\W\d_])(?<![.!?:]),? ([^\W\d_]\w+)")
_IS = re.compile(r"(?:(?:the )?user )?(?:is|ist|est|es|è|é|heet) ([^\W\d_].*)", re.IGNORECASE)
_FEWEST = 8
_FEWEST_IDEOGRAPHS = 4
_SHARED = 1 / 3
_OWN_WORDS = 0.7


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a candidate rests on.

    Attributes:
        origin: Whose words it is made of.
        message: The message that its quote stands in.
        reason: Why it doesn't rest on the user's own words; None if it does.
    """

    origin: Origin
    message: Message | None = None
    reason: Reason | None = None


def grounds(candidate: Candidate, turn: Turn) -> Grounds:
    """Hold a candidate against what was said.

    Args:
        candidate: The candidate.
        turn: The whole turn, tool output included.

    Returns:
        Whose words it is made of, and whether they bear it.
    """
    quote = plain(candidate.quote or "")
    if not quote:
        return Grounds("assistant", reason="no quote")
    # The message that was named comes first; all have to be looked at, since models count badly.
    messages = sorted(turn.messages, key=lambda each: each.id != candidate.message)
    for message in messages:
        words = plain(typed(message.text), lines=True)
        if message.role == "user" and quote in words.replace("\n", " "):
            return Grounds("user", message, _fault(candidate, quote, words, message))
    for message in messages:
        if quote in plain(message.text if message.role == "tool" else spoken(message.text)):
            if message.role == "user":
                return Grounds("import", message, "pasted")
            return Grounds(message.role, message, "said by another")
    return Grounds("assistant", reason="not said")


def plain(text: str, *, lines: bool = False) -> str:
    """A text as it is compared: without case, width, composition and runs of blanks, as the database does it."""
    folded = unicodedata.normalize("NFKC", visible(text)).casefold().replace("’", "'")
    if lines:
        return "\n".join(" ".join(line.split()) for line in folded.splitlines())
    return " ".join(folded.split())


def _fault(candidate: Candidate, quote: str, words: str, message: Message) -> Reason | None:
    """What keeps a quote of the user's own words from bearing a candidate."""
    content = plain(candidate.content)
    if not _says_enough(quote):
        return "too short"
    if not set(re.findall(r"\d+", content)) <= set(re.findall(r"\d+", quote)):
        return "number"
    names = {*(plain(name) for name in _NAME.findall(candidate.content) if name[0].isupper())}
    if any(name not in quote for name in names | {plain(each) for each in candidate.entities or ()}):
        return "name"
    sentence, clause = _around(words, quote)
    if _share(_stems(content), _stems(sentence)) < _SHARED:
        return "other words"
    if _is_question(sentence, clause):
        return "question"
    if (_cue("named").search(content) or _is_a_name(candidate.content)) and not _cue("named").search(sentence):
        return "other words"
    return _taken_back(sentence, plain(message.text)) or _of_another(content, sentence, clause)


def _is_a_name(content: str) -> bool:
    """Whether a statement is just who somebody is."""
    who = _IS.match(content.rstrip(" ."))
    return who is not None and all(word[0].isupper() for word in who[1].split())


def _is_question(sentence: str, clause: str) -> bool:
    """Whether it is asked: "I'm vegan, what can I eat?" asks for something else."""
    asked = sentence.rstrip(" 。.").endswith(("?", "？", "吗", "か"))
    return asked and (sentence.endswith(clause) or bool(_cue("asking").match(sentence)))


def _taken_back(sentence: str, message: str) -> Reason | None:
    """What the speaker doesn't say is so."""
    for name, reason in _TAKEN_BACK:
        if _cue(name).search(sentence):
            return reason
    for name, reason in _NOT_MEANT:
        if _cue(name).search(message):
            return reason
    return None


_TAKEN_BACK: tuple[tuple[str, Reason], ...] = (("supposed", "supposed"), ("doubted", "doubted"))
_NOT_MEANT: tuple[tuple[str, Reason], ...] = (("joked", "joke"), ("played", "to be written"))


def _of_another(content: str, sentence: str, clause: str) -> Reason | None:
    """What is true of somebody else, or the other way round."""
    averse = bool(_cue("averse").search(clause)), bool(_cue("averse").search(content))
    denied = bool(_cue("denied").search(clause)), bool(_cue("denied").search(content))
    if denied[0] != denied[1] and not averse[denied.index(False)]:
        return "denied"
    people = {person["word"] or person[0] for person in _cue("people").finditer(sentence)}
    if people and not any(person in content for person in people):
        return "somebody else's"
    if _cue("theirs").search(clause):
        return "somebody else's"
    mine = _cue("mine").search(_cue("asked").sub("", sentence)) and not _cue("theirs").search(sentence)
    if not mine and _share(_stems(clause), _stems(content)) < _OWN_WORDS:
        return "somebody else's"  # without a word of the speaker's own, only what the clause itself says
    return None


def _says_enough(quote: str) -> bool:
    """Whether a quote is more than a word."""
    if _SPACELESS.search(quote):
        return len(re.findall(r"\w", quote)) >= _FEWEST_IDEOGRAPHS
    return len(quote) >= _FEWEST and len(_WORD.findall(quote)) > 1


def _around(words: str, quote: str) -> tuple[str, str]:
    """The sentences that a quote stands in, and the clauses."""
    start = words.replace("\n", " ").find(quote)
    end = start + len(quote)
    sentence = [each for each in _SENTENCE.finditer(words) if each.start() < end and each.end() > start and each[0]]
    first, last = sentence[0].start(), sentence[-1].end()
    whole = words[first:last].replace("\n", " ").strip()
    edges = [first, *(place for mark in _CLAUSE.finditer(words, first, last) for place in mark.span()), last]
    clause = words[max(edge for edge in edges if edge <= start) : min(edge for edge in edges if edge >= end)]
    return whole, clause.replace("\n", " ").strip()


def _stems(text: str) -> set[str]:
    """What a text is about: the beginnings of its longer words, and pairs of signs where words aren't parted."""
    stems = {word[: max(3, len(word) - 3)] for word in _WORD.findall(text) if len(word) > 2 and word not in _SMALL}
    signs = re.findall(f"[{_IDEOGRAPHS}]+", text)
    return stems | {run[place : place + 2] for run in signs for place in range(max(1, len(run) - 1))}


def _share(wanted: set[str], there: set[str]) -> float:
    """How much of one is in the other."""
    found = sum(any(stem.startswith(other) or other.startswith(stem) for other in there) for stem in wanted)
    return found / len(wanted) if wanted else 0.0


_SMALL = frozenset(
    re.findall(
        r"\S+",
        "the and but has have had was were are for with from that this than then there user users likes like prefers"
        " prefer loves lives wants uses der die das und aber ist hat für mit von den dem ein eine nutzer les des une"
        " est pour avec dans los las una por con para que utilisateur usuario utente gebruiker",
    )
)


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    text = (files("memoranda.extracting") / "cues.toml").read_text("utf-8")
    lists = tomllib.loads(text)
    patterns = {name: _pattern(languages) for name, languages in lists.items()}
    before = rf"(?:{_parted(lists['whose'])})\s+(?:[\w-]+\s+){{0,2}}?"
    return patterns | {"people": _pattern(lists["people"], before)}


def _parted(languages: dict[str, str]) -> str:
    """The words of the languages that part words."""
    return "|".join(words for code, words in languages.items() if code not in _UNPARTED)


def _pattern(languages: dict[str, str], before: str = "") -> re.Pattern[str]:
    joined = [words for code, words in languages.items() if code in _UNPARTED]
    return re.compile("|".join([rf"(?<![\w']){before}(?P<word>{_parted(languages)})(?![\w'])", *joined]))


_UNPARTED = ("zh", "ja", "ko", "signs")


def _cue(name: str) -> re.Pattern[str]:
    return _cues()[name]
