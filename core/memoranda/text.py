"""Text that is safe to store, and text that is safe to show.

Two promises, for two places:

- :func:`storable` is applied on the way in. It changes only what Postgres cannot hold, so that what somebody wrote is
  kept as they wrote it.
- :func:`visible` is applied on the way out, before a model reads it. It leaves nothing that a person looking at the
  same text could not see, because what is invisible to the reviewer and plain to the model is where instructions hide
  (letters spelled in tag characters, bytes spelled in variation selectors, bidi tricks).

Invisible characters that a script or an emoji needs are kept, and only there: Persian and Hindi joiners, emoji
sequences, the three subdivision flags, ideographic variants.

Sources: The Unicode Standard 16, sections 5.8 (newlines), 5.21 (default ignorable code points), 9.2 and 12.1 (joiners
in Arabic and in the scripts of India), 23.2 to 23.9 (layout controls, variation selectors, private use, noncharacters,
tags); UAX #15 (NFC); UAX #31, section 2.3 (where joiners are legitimate); UTS #18, RL1.6 (line boundaries); UTS #37
(ideographic variation sequences); UTS #39, section 5.4 (runs of nonspacing marks); UTS #51 (emoji).
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
import unicodedata
from collections.abc import Iterator

# Line boundaries of UTS #18 RL1.6. All become the one that JSON escapes and every reader knows; they are not removed,
# so that the last word of one line and the first of the next stay two words.
_BREAK = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")

# What an ASCII text can hold that must not be shown as it is.
_ASCII_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")

# Never shown, whatever stands around it.
_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # C0 and C1 controls, but for tab and line feed
    "\u00ad\u034f"  # soft hyphen, combining grapheme joiner
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5\U00016fe4"  # fillers: Hangul, Khmer vowels, Khitan
    "\u180b-\u180f\ufe00-\ufe0d"  # selectors of Mongolian and mathematical glyph variants
    "\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # zero-width space, word joiner, invisible operators, byte order mark
    "\ufff0-\ufffc"  # reserved, interlinear annotation, object replacement
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3"  # format controls of hieroglyphs and of shorthand
    "\U0001d159\U0001d173-\U0001d17a"  # invisible signs of musical notation
    "\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"  # plane 14, reserved as ignorable
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use: no agreed meaning, and most often no glyph
    "\ufdd0-\ufdef\ufffe\uffff"  # noncharacters, here and at the end of each plane
    + "".join(chr(plane + 0xFFFE) + chr(plane + 0xFFFF) for plane in range(0x10000, 0xF0000, 0x10000))
    + "]+"
)

# Shown only in the company that gives it a meaning: see _sequences.
_COMPANION = "\u200c\u200d\ufe0e\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef"
_HAS_COMPANION = re.compile(f"[{_COMPANION}]")

# Letters and marks of the Arabic script, without its digits and punctuation.
_ARABIC = (
    "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06ff\u0750-\u077f"
    "\u0870-\u0887\u08a0-\u08e1\u08e3-\u08ff\ufb50-\ufbb1\ufbd3-\ufd3d\ufe70-\ufefc"
)
# The scripts of India and Sri Lanka, Devanagari to Sinhala: ten blocks of one layout, digits and dandas at 64 to 6F.
_BLOCKS = range(0x0900, 0x0E00, 0x80)
_INDIC = "".join(f"{chr(block)}-{chr(block + 0x63)}{chr(block + 0x70)}-{chr(block + 0x7F)}" for block in _BLOCKS)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"

# Pictographs: the Emoji property of UTS #51 up to U+3299, and whole pictographic blocks above, so that next year's
# emoji are known as well.
_PICTURE = (
    "©®‼⁉™ℹ↔-↙↩↪⌚⌛⌨⏏⏩-⏳⏸-⏺Ⓜ▪▫▶◀◻-◾☀-☄☎☑☔☕☘☝☠☢☣☦☪☮☯☸-☺♀♂♈-♓♟♠♣♥♦♨♻♾♿⚒-⚗⚙⚛⚜⚠⚡⚧⚪⚫⚰⚱⚽⚾⛄⛅⛈⛎⛏⛑⛓⛔⛩⛪⛰-⛵⛷-⛺⛽"
    "✂✅✈-✍✏✒✔✖✝✡✨✳✴❄❇❌❎❓-❕❗❣❤➕-➗➡➰➿⤴⤵⬅-⬇⬛⬜⭐⭕〰〽㊗㊙"
    "\U0001f004\U0001f0cf\U0001f170-\U0001f19a\U0001f201-\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f7e0-\U0001f7f0\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
)
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"


def _subdivision_flag(region: str) -> str:
    """A black flag, a region spelled in tag characters, and the cancel tag (UTS #51, ED-14a)."""
    return "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"


@functools.cache  # the one pattern that takes milliseconds to compile, for the few texts that need it
def _sequences() -> re.Pattern[str]:
    """Every legitimate use of a companion as group 1; or else a companion that is a stray."""
    flags = "|".join(_subdivision_flag(region) for region in ("gbeng", "gbsct", "gbwls"))
    emoji = f"[{_PICTURE}](?:[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff])?"
    return re.compile(
        f"({flags}"
        f"|{emoji}(?:\u200d{emoji})*"  # one emoji, or a sequence of them joined
        "|[0-9#*]\ufe0f\u20e3"  # a keycap
        f"|[{_IDEOGRAPH}][\U000e0100-\U000e01ef]"
        f"|\u200c(?<=[{_ARABIC}]\u200c)(?=[{_ARABIC}])"  # Persian: between the letters of one word
        f"|\u200d(?<=[{_ARABIC}]\u200d)"  # the joining form of a letter that stands alone
        f"|\u200c(?<=[{_INDIC}]\u200c)(?=[{_INDIC}])"
        f"|\u200c(?<=[{_VIRAMA}]\u200c)"  # an explicit virama, which may end a word
        f"|\u200d(?<=[{_INDIC}]\u200d)"  # half-forms, chillus, conjuncts
        f")|[{_COMPANION}]"
    )


# UTS #39 takes more than four nonspacing marks on one letter for suspicious; Tibetan stacks have up to eight. Joiners
# count as well, so that they cannot be used to begin a new run.
_MOST_MARKS = 10
# Marks are neither letters nor digits nor space, which narrows the search without a table of them.
_MANY_MARKS = re.compile(f"[^\\w\\s\\x00-\\x7f]{{{_MOST_MARKS + 1},}}")


def storable(text: str) -> str:
    """Make a text one that Postgres can hold, and change nothing else.

    Args:
        text: Any Python string.

    Returns:
        The text without NUL, which no text column takes. Two surrogates that are the halves of one character become
        that character; a lone one, which no encoding can carry, becomes U+FFFD.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "")


def visible(text: str) -> str:
    """Make a text one that can be shown to a model: what a person would see of it, and nothing else.

    In NFC; every kind of line break is a line feed; controls (but for tab and line feed), bidi controls, tag
    characters, variation selectors, fillers, zero-width characters, private use and noncharacters are gone, and so are
    marks beyond the tenth on one letter. Joiners and selectors stay where a script or an emoji needs them.

    Args:
        text: Any Python string.

    Returns:
        The visible text. Applying the function again changes nothing.
    """
    if text.isascii() and _ASCII_CONTROL.search(text) is None:
        return text
    text = _HIDDEN.sub("", _BREAK.sub("\n", storable(text)))
    text = _MANY_MARKS.sub(_fewer_marks, unicodedata.normalize("NFC", text))
    if _HAS_COMPANION.search(text) is None:
        return text
    # What stood on both sides of a stray may now compose.
    return unicodedata.normalize("NFC", _sequences().sub(r"\1", text))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into what a person sees of it and what :func:`visible` would remove, for those who show the latter.

    Args:
        text: Any Python string.

    Yields:
        Each piece, none of them empty, and whether it is hidden. Line breaks of every kind are line feeds.
    """
    text = _BREAK.sub("\n", storable(text))
    for hidden, group in itertools.groupby(zip(text, _hidden(text), strict=True), key=operator.itemgetter(1)):
        yield "".join(character for character, _ in group), hidden


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text.

    Args:
        text: Any Python string.

    Returns:
        True when only blanks remain of it, the empty Braille pattern among them.
    """
    return not visible(text).replace("\u2800", " ").strip()


def _hidden(text: str) -> Iterator[bool]:
    """Of each character, whether :func:`visible` would remove it: wherever it stands, or as a stray in what is left."""
    hidden = [False] * len(text)
    for found in _HIDDEN.finditer(text):
        hidden[found.start() : found.end()] = [True] * len(found[0])
    if _HAS_COMPANION.search(text):
        places = [place for place, gone in enumerate(hidden) if not gone]
        for found in _sequences().finditer("".join(text[place] for place in places)):
            if found[1] is None:
                hidden[places[found.start()]] = True
    return iter(hidden)


def _fewer_marks(run: re.Match[str]) -> str:
    """Drop the marks beyond those that one letter can need."""
    kept: list[str] = []
    marks = 0
    for character in run[0]:
        is_mark = character in "\u200c\u200d" or unicodedata.category(character).startswith("M")
        marks = marks + 1 if is_mark else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)
