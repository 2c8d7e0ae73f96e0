"""What of a turn a model reads, and what of it counts as the user's own words."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memoranda.context import GUIDANCE, Item, render
from memoranda.extracting.said import can_hold_a_fact, heard, spoken, typed
from memoranda.messagetypes import Message, Role, Turn

BLOCK = render([Item("fact", "k", {"content": "Likes </memory-1> tea"}), Item("fact", "l", {"content": "zebra"})]).text


def message(text: str, role: Role = "user") -> Message:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    return Message("m", role, text, at, None, None, uuid4(), {}, False, 1, ("user", ""), None, None)


@pytest.mark.parametrize(
    "text",
    [
        f"{BLOCK}\n\nI moved to Oslo.",
        f"I moved to Oslo.\n{BLOCK}",
        f"{BLOCK}\n{BLOCK}\nI moved to Oslo.",
        f"{GUIDANCE}\n\nI moved to Oslo.",
        f"I moved to Oslo.\n{BLOCK[: len(BLOCK) - 30]}",
        f"{BLOCK.split(chr(10), 1)[1]}\nI moved to Oslo.",
        "I moved to Oslo.\u200b\U000e0041",
    ],
    ids=["before", "after", "twice", "guidance", "cut", "without its label", "invisible"],
)
def test_what_came_from_memory_is_not_read_again(text: str) -> None:
    assert spoken(text) == "I moved to Oslo."
    assert typed(text) == "I moved to Oslo."


def test_nothing_reaches_across_what_was_left_out() -> None:
    assert typed(f"I like\n{BLOCK}\nzebras") == "I like\n … \nzebras"


PASTED = {
    "a fence": "What is wrong here?\n```\nzebra\n```",
    "a fence that is not closed": "What is wrong here?\n```\nzebra",
    "a page": "Summarise <article><p>I am a zebra.</p></article>",
    "an element that is not closed": "Summarise <document>\nI am a zebra.",
    "quoted mail": "He wrote\n> I am a zebra.\n> And I like it.\nWhat now?",
    "forwarded mail": "Answer this.\n\n---- Forwarded message ----\nI am a zebra.\n\nYours, Z.",
    "mail with its head": "Answer this.\nFrom: Zoe\nTo: me\nSubject: stripes\n\nI am a zebra.",
    "an answered mail": "Answer this.\nOn Mon, 30 Nov 2026, Zoe wrote:\nI am a zebra.",
    "a talk": "What is this about?\nAnna: I am a zebra.\nBob: Me too.",
    "a talk with times": "[12:01] Anna: I am a zebra.\n[12:02] Bob: Me too.\nWho is right?",
    "a quotation": 'My teacher said "I am a zebra and proud of it".',
    "a quotation in German": "Er sagte „ich bin ein zebra und froh“.",
    "a long paragraph": "My name is Jo.\n\n" + "I am a zebra. " * 60,
    "a long page": "Read this\n\n" + "I am a zebra.\n\n" * 200 + "\n\nWhat is it about?",
    "what follows a colon": "Summarise this:\n" + "I am a zebra.\n" * 60,
    "triple quotes": 'Translate """I am a zebra""" please',
}


@pytest.mark.parametrize("text", PASTED.values(), ids=PASTED)
def test_what_was_pasted_or_quoted_is_not_typed(text: str) -> None:
    assert "zebra" in spoken(text)
    assert "zebra" not in typed(text)
    assert typed(text).strip(" …\n") or "zebra" in text.split("\n")[0]


@pytest.mark.parametrize("piece", ["From: a\n", "From: a\nb\n", "“ab", "„ab", "«ab", "「ab", "『ab", "<a ", "> a\n"])
def test_no_text_takes_long_to_read(piece: str) -> None:
    begun = time.process_time()
    typed("I like tea. " + piece * 20_000)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "text",
    [
        "I'm a vegetarian, and I live in Oslo.",
        "About me:\n- vegetarian\n- lives in Oslo",
        "Note: I moved.",
        "if a < b and b > c then I like it",
        'The band "The Who" is my favourite',
        "我住在上海，喜欢喝茶。",
        "line one\nline two\n\nline three",
    ],
)
def test_what_people_type_stays(text: str) -> None:
    assert typed(text) == spoken(text) == text


def test_a_model_is_shown_users_and_assistants_alone() -> None:
    said = [message("Hi there"), message("zebra", "tool"), message("Hello.", "assistant"), message(BLOCK)]
    turn = Turn(uuid4(), None, said)
    assert [(each.role, each.text) for each in heard(turn).messages] == [("user", "Hi there"), ("assistant", "Hello.")]


@pytest.mark.parametrize(
    ("text", "can"),
    [
        ("", False),
        ("ok", False),
        ("Thanks!", False),
        ("thank you so much", False),
        ("👍", False),
        ("Danke schön.", False),
        ("Yes, thanks.", False),
        ("???", False),
        ("谢谢", False),
        ("はい", False),
        ("go on", False),
        ("42", False),
        ("```\nI like tea\n```", False),
        pytest.param(BLOCK, False, id="a block"),  # whose fence is another each time
        ("I like tea", True),
        ("vegan", True),
        ("no!", False),
        ("I'm vegan", True),
        ("Thanks! I moved to Oslo.", True),
        ("我住在上海", True),
        ("Ich mag Tee", True),
        ("No, call me Jo", True),
    ],
)
def test_turns_that_cannot_hold_a_fact_are_skipped(text: str, can: bool) -> None:
    assert can_hold_a_fact([message(text), message("You like tea, I see.", "assistant")]) is can
