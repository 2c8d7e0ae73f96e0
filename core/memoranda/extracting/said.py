"""What was said in a turn, without what was only shown in it: our own block, pasted text, quotations, tool output.

Two things are made of a message. :func:`spoken` is what a model reads of it: all but what came from memory, so that
what is remembered isn't extracted again. :func:`typed` is what counts as the user's own words, for a quote to rest on:
what looks as if it had been pasted or quoted is left out of it, rather too much than too little, since a fact that
rests on it only waits for a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memoranda.context import GUIDANCE, LABEL
from memoranda.messagetypes import Message, Turn
from memoranda.text import visible

GAP = " … "
"""Stands where something was left out, so that no quote reaches across."""

LONG_MESSAGE = 2_000
"""Characters from which on a message can't have been typed as a whole."""

LONG_PARAGRAPH = 600
"""And a paragraph."""

_BLOCK = re.compile(
    rf"(?:{re.escape(LABEL)}\s*)?<(memory-\d{{6,40}})>.*?(?:</\1>|\Z)|{re.escape(LABEL)}|{re.escape(GUIDANCE)}",
    re.DOTALL,
)
_PASTED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\"\"\".*?(?:\"\"\"|\Z)"  # fences
    r"|<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?(?:</\1>|\Z)"  # elements of HTML or XML
    r"|^[ \t]*>.*$"  # quoted mail
    r"|^-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original).*\Z"
    r"|^(?:from|von|de|od|da): [^\n]+\n(?:[^\n]+\n){0,20}?(?:to|subject|sent|betreff|gesendet|objet|asunto): .*\Z"
    r"|^(?:on|am|le|el) .{6,80}(?:wrote|schrieb|a écrit|escribió) ?(?:[^\n]{0,60})?:\s*\n.*\Z",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTED = [
    (closing, re.compile(f"{opening}[^{within}]{{{least},}}[{closing}]"))
    for opening, closing, within, least in (
        ('"', '"', '"\n', 12),
        ("“", "”", "”", 12),
        ("„", "“”", "“”", 12),
        ("«", "»", "»", 12),
        ("「", "」", "」", 6),
        ("『", "』", "』", 6),
    )
]
_LINE_OF_A_TALK = re.compile(r"^[ \t]*(?:[\[(][^\])\n]{1,30}[\])] ?)?[^\W\d_][\w .'’-]{0,30}: \S.*$", re.MULTILINE)
_LEAD_IN = re.compile(r"[:：][ \t]*\n+(?=\S)")
_PARAGRAPH = re.compile(r"\n\s*\n")

_LETTER = re.compile(r"[^\W_]")
_NO_STATEMENT = re.compile(
    r"ok(?:ay)?|k|yes|yeah|yep|no|nope|sure|thanks?(?: you)?(?: (?:so|very) much)?|thx|ty|cool|great|nice|perfect|good"
    r"|got it|hi|hello|hey|bye|good (?:morning|evening|night)|please|go on|continue|again|stop|undo|why|what|how|really"
    r"|lol|haha|ja|nein|danke(?: schön)?|hallo|bitte|weiter|oui|non|merci|salut|sí|si|gracias|hola|sim|não|obrigad[oa]"
    r"|grazie|ciao|да|нет|спасибо|привет|はい|いいえ|ありがとう|好的?|谢谢|是|不",
    re.IGNORECASE,
)


def spoken(text: str) -> str:
    """What a model reads of a message.

    Args:
        text: The message.

    Returns:
        Its visible text, without blocks that :meth:`memoranda.Memory.context` rendered, broken ones too, and without
        :data:`memoranda.context.GUIDANCE`.
    """
    return _BLOCK.sub(GAP, visible(text)).strip(" \n…") if text else ""


def typed(text: str) -> str:
    """What a user has typed of a message.

    Args:
        text: The message.

    Returns:
        What :func:`spoken` gives, without fenced text, elements of HTML, quoted or forwarded mail, lines of a talk,
        quotations of more than a few words, and what is too long to have been typed. A message of more than 2,000
        characters keeps its first and last paragraph, where people put their own words.
    """
    words = _PASTED.sub(GAP, spoken(text))
    lines = _LINE_OF_A_TALK.findall(words)
    if len(lines) > 1:
        words = _LINE_OF_A_TALK.sub(GAP, words)
    if (lead := _LEAD_IN.search(words)) and len(words) - lead.end() > LONG_PARAGRAPH:
        words = words[: lead.start()] + GAP
    words = _unquoted(words)
    paragraphs = _PARAGRAPH.split(words)
    if len(words) > LONG_MESSAGE:
        paragraphs = [paragraphs[0], *paragraphs[-1:]] if len(paragraphs) > 1 else paragraphs
    return "\n\n".join(part if len(part) <= LONG_PARAGRAPH else GAP.strip() for part in paragraphs)


def _unquoted(words: str) -> str:
    for closing, quoted in _QUOTED:
        end = max(map(words.rfind, closing)) + 1  # behind it no quotation ends, and each that begins would be sought
        words = quoted.sub(GAP, words[:end]) + words[end:]
    return words


def heard(turn: Turn) -> Turn:
    """A turn as a model is shown it.

    Args:
        turn: The turn, as it is stored.

    Returns:
        Its messages by the user and the assistant, as :func:`spoken`, without those that have nothing left; tool output
        and whatever else is in it are not there.
    """
    messages = [
        replace(message, text=words, data={name: message.data[name] for name in ("zone",) if name in message.data})
        for message in turn.messages
        if message.role in ("user", "assistant") and (words := spoken(message.text))
    ]
    return replace(turn, messages=tuple(messages))


def can_hold_a_fact(messages: Sequence[Message]) -> bool:
    """Whether a turn is worth a model's time.

    Args:
        messages: Its messages.

    Returns:
        False when the user has typed nothing at all, or nothing but thanks, a greeting, or a word.
    """
    return any(_is_statement(typed(message.text)) for message in messages if message.role == "user")


def _is_statement(words: str) -> bool:
    """Whether words may say something: more than a few letters, and no mere courtesy."""
    parts = [part.strip(" \t\n!?.…,'’\"-") for part in re.split(r"[.!?,…\n]+", words)]
    said = [part for part in parts if len(_LETTER.findall(part)) > 1 and not _NO_STATEMENT.fullmatch(part)]
    letters = _LETTER.findall(" ".join(said))
    return len(letters) >= (3 if any(letter > "\u2e80" for letter in letters) else 4)
