"""What may be stored and what may be shown: nothing that a reader could not see, and nothing lost that they need."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda.text import is_blank, storable, visible

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TEXAS = "\U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f"

INTACT = {
    "English": 'Prefers figures in GBP; it\'s 5 < 6 && {"a": [1]}\n\tnext line',
    "German": "Größe: 3 €, Straße „Zum Löwen“ – 50 %",
    "French": "Il a dit : « déjà vu »",
    "Vietnamese": "Tôi thích cà phê sữa đá, không đường.",
    "Russian": "Моя дочь не переносит арахис — ёлка, йод.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι",
    "Hebrew, pointed": "בְּרֵאשִׁית בָּרָא אֱלֹהִים",
    "Arabic, pointed": "بِسْمِ اللَّهِ الرَّحْمَٰنِ",
    "Arabic, ligature and tatweel": "محمـــد ﷺ",
    "Persian, zero-width non-joiner": "من می‌خواهم کتاب‌های خوب را بخوانم.",
    "Persian, joined heh": "سال ۱۳۵۷ ه‍. ش.",
    "Urdu": "میں اردو بولتا ہوں۔",
    "Hindi": "हिन्दी में लिखें, क्षमा कीजिए।",
    "Hindi, half-form": "क्‍ष और क्‌ष",
    "Marathi, eyelash ra": "दर्‍या",
    "Bengali, ya-phalaa": "র‍্যাম, হঠাৎ",
    "Malayalam, chillu": "അവന്‍ വന്നു",
    "Sinhala, rakaransaya": "ශ්‍රී ලංකාව",
    "Telugu, virama at the end": "ఫేస్‌బుక్‌ లో",
    "Tamil": "எல்லா மனிதர்களும்",
    "Thai": "มนุษย์ทั้งปวงเกิดมามีอิสระ",
    "Tibetan, the tallest stack": "\u0f67\u0f90\u0fb5\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82",
    "Chinese": "我女儿对花生过敏，但是杏仁没有问题。",
    "Japanese": "静かな部屋が好きです。ｶﾀｶﾅ　全角",
    "Japanese, ideographic variant": "葛\U000e0100城市",
    "Korean": "모든 인간은 자유롭다",
    "emoji": "😀 👍🏽 ☕️ ✂︎ ❤️ ©️",
    "emoji, family": "👨‍👩‍👧",
    "emoji, sequences": "🏳️‍🌈 👩🏽‍🚀 ❤️‍🔥 👁️‍🗨️ 🐻‍❄️ 🏃🏿‍♀️‍➡️ 🍋‍🟩 🏴‍☠️ 🫱🏻‍🫲🏿",
    "emoji, flags": "🇩🇪🇮🇷🇮🇳",
    "emoji, subdivision flags": f"{ENGLAND}🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿",
    "emoji, keycaps": "1️⃣ #️⃣ *️⃣",
    "mathematics": "∀x ∈ ℝ: x² ≥ 0 ⇒ |x| ≠ −1",
    "Braille": "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙",
}

GONE = {
    "nothing to remove": ("plain", "plain"),
    "controls": ("a\x00b\x07c\x1b[31md\x7fe\x9ff", "abc[31mdef"),
    "line breaks": ("a\r\nb\rc\vd\fe\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
    "decomposed": ("e\u0301 \u212b \u1112\u1161\u11ab", "é Å 한"),
    "soft hyphen": ("re\u00admem\u00adber", "remember"),
    "zero width": ("pass\u200bword\ufeff\u2060", "password"),
    "joiners in Latin": ("pass\u200dwo\u200crd", "password"),
    "bidi controls": ("a\u202eb\u2066c\u2069\u200f\u200e\u061cd", "abcd"),
    "invisible operators": ("f\u2061(x)\u2062y\u2063z\u2064", "f(x)yz"),
    "Hangul fillers": ("a\u115fb\u1160c\u3164d\uffa0e", "abcde"),
    "annotation": ("\ufff9base\ufffanote\ufffb\ufffc", "basenote"),
    "private use": ("a\ue000b\uf8ffc\U000f0000d\U00100000e", "abcde"),
    "noncharacters": ("a\ufdd0b\ufffec\uffffd\U0001fffee\U0010ffff", "abcde"),
    "tag characters": ("ok" + "".join(chr(0xE0000 + ord(letter)) for letter in "ignore this"), "ok"),
    "tags behind a flag that is none": (TEXAS, "\U0001f3f4"),
    "tags behind a flag": (ENGLAND + "\U000e0068\U000e0069", ENGLAND),
    "an unfinished flag": (ENGLAND[:-1] + "!", "\U0001f3f4!"),
    "bytes in variation selectors": ("😀" + "".join(chr(0xE0100 + byte) for byte in b"hello"), "😀"),
    "selectors that no base takes": ("a\ufe0fb\ufe0ec\ufe00\U000e0100", "abc"),
    "one selector too many": ("❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f"),
    "a keycap's selector without the keycap": ("1\ufe0f2", "12"),
    "two variants of one ideograph": ("葛\U000e0100\U000e0101", "葛\U000e0100"),
    "a joiner behind the last emoji": ("👨\u200d", "👨"),
    "joiners in a row": ("👨\u200d\u200d👩 می\u200c\u200cخواهم", "👨👩 میخواهم"),
    "a joiner beside punctuation": ("می،\u200c\u200dخواهم", "می،خواهم"),
    "a joiner behind digits": ("१\u200d२ ۱\u200c۲", "१२ ۱۲"),
    "the Mongolian selectors": ("ᠠ\u180bᠨ\u180e", "ᠠᠨ"),
    "musical controls": ("a\U0001d173b\U0001d159c", "abc"),
    "the halves of an emoji": ("\ud83d\ude00", "😀"),
    "lone surrogates": ("a\ud83db\ude00", "a\ufffdb\ufffd"),
    "what composes once the stray is gone": ("e\u200d\u0301", "é"),
    "a pile of marks": ("o" + "\u0316" * 50 + "k", "o" + "\u0316" * 10 + "k"),
    "a pile of marks with joiners": ("क" + "\u0951\u200d" * 30, "क" + "\u0951\u200d" * 5),
}


@pytest.mark.parametrize("text", INTACT.values(), ids=INTACT)
def test_text_in_use_comes_back_as_it_is(text: str) -> None:
    assert visible(unicodedata.normalize("NFC", text)) == unicodedata.normalize("NFC", text)
    assert storable(text) == text


@pytest.mark.parametrize(("text", "shown"), GONE.values(), ids=GONE)
def test_what_cannot_be_seen_is_gone(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_clean_text_is_not_copied() -> None:
    text = "Prefers figures in GBP."
    assert visible(text) is text
    assert storable(text) is text


# An oracle of its own: general categories from the running Python, and properties as the UCD lists them.

PREPENDED = {0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x600, 0x606)}  # format controls with a glyph
IGNORABLE = {  # Default_Ignorable_Code_Point that are not Cf, and blank letters and signs
    *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0, 0xFFFC, 0x16FE4, 0x1D159),
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0x13430, 0x13440),  # Cf, some of them only since Unicode 15
    *range(0xE0000, 0xE1000),
}
BREAKS = "\r\v\f\x85\u2028\u2029"


def is_hidden(character: str) -> bool:
    """Whether a character, standing alone, has nothing to show."""
    code = ord(character)
    nonchar = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    category = unicodedata.category(character)
    return nonchar or code in IGNORABLE or (category in {"Cc", "Cf", "Co"} and code not in PREPENDED)


def test_every_character_alone_is_shown_or_gone() -> None:
    alone = [chr(code) for code in range(sys.maxunicode + 1) if chr(code) not in "\n\t" + BREAKS]
    expected = [
        "\ufffd"
        if unicodedata.category(character) == "Cs"
        else ""
        if is_hidden(character)
        else unicodedata.normalize("NFC", character)
        for character in alone
    ]
    # A line each, and an X between a high surrogate and the next low one, so that none meets another.
    assert visible("\nX\n".join(alone)).split("\nX\n") == expected


COMPANIONS = "\u200c\u200d\ufe0e\ufe0f\U000e0061\U000e007f\U000e0100"
hostile = st.lists(
    st.one_of(
        st.sampled_from([*"ae1# \n\r\u0301\u0316\u0338", *COMPANIONS, "\u202e", "\u200b", "\ud83d", "\ude00", "\x85"]),
        st.sampled_from(
            [*"می۱،कर्१।ক্অ葛↔👨👩❤🏽🏴🇩\u20e3", ENGLAND, ENGLAND[:-1], "\u1112", "\u1160", "\u1161", "\u11ab"]
        ),
        st.characters(),
    ),
    max_size=25,
).map("".join)
often = settings(max_examples=700, deadline=None, derandomize=True)


@often
@given(hostile)
def test_showing_twice_shows_the_same(text: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert unicodedata.is_normalized("NFC", once)


@often
@given(hostile)
def test_whatever_is_left_can_be_seen(text: str) -> None:
    shown = visible(text)
    shown.encode()  # and can be encoded
    for place, character in enumerate(shown):
        assert character == "\n" or character not in BREAKS
        assert character in "\n\t" or character in COMPANIONS or ENGLAND in shown or not is_hidden(character)
        if character in COMPANIONS and ENGLAND not in shown:
            # Never first, never behind another: it belongs to the character before it.
            assert place > 0
            assert shown[place - 1] not in " \n" + "ae1#"
            assert shown[place - 1] not in COMPANIONS or shown[place - 1 : place + 1] == "\ufe0f\u200d"


@often
@given(hostile)
def test_storing_changes_only_what_postgres_cannot_hold(text: str) -> None:
    kept = storable(text)
    kept.encode()
    assert "\0" not in kept
    assert storable(kept) == kept
    if "\0" not in text and not any(0xD800 <= ord(character) < 0xE000 for character in text):
        assert kept == text


def test_surrogates_are_joined_or_replaced() -> None:
    assert storable("a\0\ud83d\ude00\ude00\ud83dz\ud83d") == "a😀\ufffd\ufffdz\ufffd"


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\u00a0\u3000\u2003", "\u200b\u2060\ufeff", "\u3164\u2800", "\x00\u202e"]
)
def test_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "\u200ba", "👨‍👩‍👧", "\ud83d", "⠓"])
def test_not_blank(text: str) -> None:
    assert not is_blank(text)
