"""The texts, made by rules from a seed: memories of many users, and questions that are hard to answer from them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple, TypeAlias

from benchmarks.peers.contract import Fact


def _words(text: str) -> list[str]:
    return text.split()


READER = "reader"
"""The user whose memory is asked."""

PEOPLE = _words(
    "Amara Boris Chiara Dmitri Elif Farid Greta Hugo Ingrid Jamal Keiko Lorenzo Mireille Nadia Oskar Priya "
    "Quentin Rosa Stefan Tamsin Umberto Valentina Wanda Xavier Yusuf Zofia Anselm Beatriz Cedric Dorota Emeka "
    "Fiona Gideon Hanna Ivo Jolanta Kofi Leila Magnus Nerea"
)
SURNAMES = _words(
    "Abara Berg Castro Dahl Evans Fontaine Gruber Haddad Ito Jansen Keller Lund Moreau Nowak Ortiz Petrov "
    "Quinn Rossi Sato Tanaka Ueda Varga Weber Xu Yilmaz Zeman"
)

TOPICS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "{n} breaks out in hives after eating {v}.",
        "Which food would put {n} in danger?",
        ("prawns", "walnuts", "celery"),
    ),
    ("{n} cycles in along the canal unless it {v}.", "How does {n} usually get to the office?", ("rains", "freezes")),
    ("{n} grew up above a bakery in {v}.", "Where is {n} from originally?", ("Porto", "Gdansk", "Izmir", "Cork")),
    ("{n} plays the {v} on Thursday evenings.", "What are {n}'s musical talents?", ("cello", "oboe", "accordion")),
    ("{n} was taken on as a {v} last spring.", "What is {n}'s profession?", ("midwife", "surveyor", "translator")),
    ("{n} looks after two {v} and a tortoise.", "What pets live with {n}?", ("greyhounds", "cockatiels", "ferrets")),
    ("{n} is saving up for a {v}.", "What big purchase does {n} have in mind?", ("sailboat", "kiln", "campervan")),
    (
        "{n} can't stand {v} on the stereo.",
        "Which kind of music should I avoid around {n}?",
        ("jazz", "techno", "opera"),
    ),
    ("{n} gets up before {v} to swim.", "What sport does {n} do in the morning?", ("five", "six", "dawn")),
    ("{n} is married to a {v} called Robin.", "Who is {n}'s spouse?", ("pilot", "florist", "judge")),
    ("{n} reads {v} before going to sleep.", "What does {n} like for bedtime literature?", ("crime novels", "poetry")),
    ("{n} gave up {v} in January.", "Which habit did {n} quit?", ("smoking", "coffee", "sugar", "gambling")),
    ("{n} banks with {v} and wants paper statements.", "Where does {n} keep their money?", ("Triodos", "Handelsbank")),
    ("{n} spends every August on {v}.", "Where does {n} go on holiday?", ("Crete", "Skye", "Bornholm", "Gozo")),
    ("{n} is learning {v} with flash cards.", "Which language is {n} studying?", ("Welsh", "Korean", "Swahili")),
    ("{n} had an operation on the {v}.", "What surgery did {n} undergo?", ("knee", "shoulder", "left eye")),
    ("{n} prefers the {v} when flying.", "Which seat should be booked for {n}?", ("aisle", "window", "front row")),
    ("{n} reports to {v} since the reorganisation.", "Who is {n}'s boss?", ("Mr Adeyemi", "Ms Brandt", "Dr Cho")),
    ("{n} votes for the {v}.", "What are {n}'s political leanings?", ("Greens", "Liberals", "Social Democrats")),
    ("{n} drinks nothing but {v}.", "What beverage should we offer {n}?", ("mint tea", "tap water", "oat milk")),
    ("{n} drives a rusty {v}.", "What car does {n} have?", ("Volvo", "Fiat", "Saab", "Lada")),
    ("{n} takes tablets against {v}.", "What illness is {n} treated for?", ("migraine", "high blood pressure", "gout")),
    ("{n} is terrified of {v}.", "What phobia does {n} suffer from?", ("lifts", "spiders", "open water", "pigeons")),
    ("{n} still writes everything in {v}.", "What programming language does {n} work with?", ("COBOL", "Perl", "Ada")),
    ("{n} repairs {v} in the shed.", "What is {n}'s hobby?", ("clocks", "typewriters", "motorbikes", "kites")),
)
"""What is remembered about somebody, and a question that shares no word with it but the name."""

THINGS: tuple[tuple[str, str], ...] = (
    ("Ticket {i} is about the {w} of the {p}.", "What is {i} about?"),
    ("Order {i} holds a {p} for the {w}.", "What did we put into {i}?"),
    ("Machine {i} in the {p} needs a new {w}.", "What is wrong with {i}?"),
    ("The {w} contract {i} covers the {p}.", "Which contract is {i}?"),
    ("Part {i} fits the {w} of the {p}.", "Where does {i} fit?"),
)
PLACES = _words("cellar attic harbour library greenhouse workshop canteen garage chapel mill pantry stable")
WORKS = _words("heating lighting cleaning insurance roof boiler lock window pump filter cable hinge")


class Question(NamedTuple):
    """What somebody asks of their own memory, and the texts that answer it."""

    user: str
    text: str
    answers: tuple[str, ...]


class World(NamedTuple):
    """All users' memories, and what is asked of some."""

    memories: dict[str, list[Fact]]
    questions: dict[str, list[Question]]
    """By kind."""
    small: list[str]
    """Users with few facts."""

    def with_public(self, name: str, memories: dict[str, list[Fact]], questions: list[Question]) -> World:
        """The same, and a data set beside it."""
        return World({**self.memories, **memories}, {**self.questions, name: questions}, self.small)


def world(seed: int, users: int, facts: int, small_users: int, small_facts: int, questions: int) -> World:
    """Make it.

    Args:
        seed: Another seed, another world.
        users: How many other users with as many facts as the reader.
        facts: How many facts each of them has.
        small_users: How many users there are with few facts.
        small_facts: How many facts those have.
        questions: How many questions of each kind.
    """
    rng = random.Random(seed)
    codes = _codes(rng)
    people = [f"{first} {last}" for first in PEOPLE for last in SURNAMES]
    rng.shuffle(people)
    things = _families(rng, facts // 2)
    about = [each for person in PEOPLE for each in _known(rng, person)][: facts - len(things)]
    memories = {READER: _numbered(READER, rng, [answer for _, answer in (*things, *about)])}
    sizes = [(f"user{n}", facts) for n in range(users)] + [(f"small{n}", small_facts) for n in range(small_users)]
    stock = _stock(rng, people, codes)
    for user, size in sizes:
        memories[user] = _numbered(user, rng, [next(stock) for _ in range(size)])
    asked = {
        kind: [Question(READER, text, (answer,)) for text, answer in rng.sample(pairs, min(questions, len(pairs)))]
        for kind, pairs in (("identifiers", things), ("paraphrases", about))
    }
    return World(memories, asked, [f"small{n}" for n in range(small_users)])


def more(seed: int, user: str, count: int) -> list[Fact]:
    """As many other facts, for a user who is written to while the clock runs."""
    rng = random.Random(f"{seed} {user}")
    people = [f"{first} {last}-{user.capitalize()}" for first in PEOPLE for last in SURNAMES]
    rng.shuffle(people)
    stock = _stock(rng, people, _codes(rng, user.upper()))
    return _numbered(user, rng, [next(stock) for _ in range(count)])


NEAR_MISSES = (
    ("{n} is allergic to penicillin.", "{n} is not allergic to penicillin's substitute, cefuroxime."),
    ("{n} drinks coffee before noon.", "{n} never drinks coffee after noon."),
    ("{n}'s locker has the number 4471.", "{n}'s bicycle stand has the number 4417."),
    ("{n} owes Petra 300 euros.", "Petra owes {n} 300 euros."),
    ("{n} takes 5 mg of ramipril in the morning.", "{n} takes 5 mg of amlodipine in the morning."),
    ("{n} meets the dentist on 3 May.", "{n} meets the notary on 3 May."),
    ("{n} likes the window seat on trains.", "{n} likes the aisle seat on planes."),
    ("{n} works with Maria Lopez.", "{n} works with Mario Lopez."),
    ("{n} was born in Frankfurt am Main.", "{n} was married in Frankfurt an der Oder."),
    ("{n} may be called on weekdays.", "{n} may not be called on weekends."),
)
"""Two facts that are alike, and both true."""


def near_misses(people: int) -> list[tuple[str, str]]:
    return [(one.format(n=name), other.format(n=name)) for name in PEOPLE[:people] for one, other in NEAR_MISSES]


Pair: TypeAlias = tuple[str, str]
"""A question and the text that answers it."""


def _numbered(user: str, rng: random.Random, texts: list[str]) -> list[Fact]:
    rng.shuffle(texts)
    return [Fact(f"{user}-{n}", text) for n, text in enumerate(texts)]


def _codes(rng: random.Random, prefix: str = "") -> Iterator[str]:
    """Identifiers, no two alike."""
    seen: set[str] = set()
    letters = "ABCDEFGHJKLMNPQRSTVWXZ"
    while True:
        code = f"{prefix}{''.join(rng.choices(letters, k=2))}-{rng.randint(1000, 9999)}"
        if code not in seen:
            seen.add(code)
            yield code


def _families(rng: random.Random, count: int) -> list[Pair]:
    """Things whose identifiers have the same letters and digits; of twelve, all else is the same as well."""
    made: list[Pair] = []
    for code in _codes(rng):
        head, digits = code.split("-")
        if len(set(digits)) == len(digits) and "0" not in digits:
            said = rng.choice(THINGS), rng.choice(WORKS), rng.choice(PLACES)
            orders = rng.sample(list(permutations(digits)), 12)
            made += [_said(f"{head}-{''.join(order)}", *said) for order in orders]
        if len(made) >= count:
            break
    return made[:count]


def _said(code: str, thing: Pair, work: str, place: str) -> Pair:
    statement, question = thing
    return question.format(i=code), statement.format(i=code, w=work, p=place)


def _thing(rng: random.Random, code: str) -> Pair:
    return _said(code, rng.choice(THINGS), rng.choice(WORKS), rng.choice(PLACES))


def _known(rng: random.Random, person: str) -> list[Pair]:
    return [
        (question.format(n=person), statement.format(n=person, v=rng.choice(values)))
        for statement, question, values in TOPICS
    ]


def _stock(rng: random.Random, people: list[str], codes: Iterator[str]) -> Iterator[str]:
    """Facts of other users: of the same kinds, about other people and things."""
    for person in people:
        for _, text in _known(rng, person):
            yield text
            if rng.random() < 0.5:
                yield _thing(rng, next(codes))[1]
    while True:
        yield _thing(rng, next(codes))[1]
