"""What a candidate rests on: the user's own words, or not, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memoranda.extracting.candidates import Candidate
from memoranda.extracting.grounding import grounds
from memoranda.messagetypes import Message, Role, Turn


def turn(*said: tuple[Role, str]) -> Turn:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    messages = [
        Message(str(n), role, text, at, None, None, uuid4(), {}, False, 1, ("user", ""), None, None)
        for n, (role, text) in enumerate(said)
    ]
    return Turn(uuid4(), None, messages)


SOUND = [
    ("I moved to Oslo in May.", "Moved to Oslo.", "I moved to Oslo"),
    ("I moved to Oslo, and I don't like the snow.", "Moved to Oslo.", "I moved to Oslo"),
    ("I don't like the snow.", "Dislikes snow.", "I don't like the snow"),
    ("I no longer work at Initech.", "No longer works at Initech.", "no longer work at Initech"),
    ("I'm vegan, so what can I eat?", "Is vegan.", "I'm vegan"),
    ("Please don't use emojis in your replies.", "Wants no emojis in replies.", "don't use emojis in your replies"),
    ("Bitte keine Emojis in deinen Antworten.", "Will keine Emojis in Antworten.", "keine Emojis in deinen Antworten"),
    ("I'm Norwegian.", "Is Norwegian.", "I'm Norwegian"),
    ("My dog is called Rex.", "Has a dog called Rex.", "My dog is called Rex"),
    ("My brother Tom loves sushi.", "Brother Tom loves sushi.", "My brother Tom loves sushi"),
    ("I'm allergic to nuts; what can I eat?", "Allergic to nuts.", "I'm allergic to nuts"),
    ("Call me Jo.", "Wants to be called Jo.", "Call me Jo"),
    ("Anna loves sushi.", "Anna loves sushi.", "Anna loves sushi"),
    ("I always sit by the window.", "Prefers window seats.", "always sit by the window"),
    ("I would like figures in GBP.", "Prefers figures in GBP.", "I would like figures in GBP"),
    ("I pay 900 kroner of rent.", "Rent is 900 kroner.", "I pay 900 kroner"),
    ("Ich wohne seit Mai in Köln.", "Wohnt in Köln.", "Ich wohne seit Mai in Köln"),
    ("Je suis végétarienne.", "Est végétarienne.", "Je suis végétarienne"),
    ("Vivo en Madrid.", "Vive en Madrid.", "Vivo en Madrid"),
    ("Soy alérgica a los frutos secos.", "Alérgica a los frutos secos.", "Soy alérgica a los frutos secos"),
    ("Я живу в Москве.", "Живёт в Москве.", "Я живу в Москве"),
    ("我住在上海。", "住在上海", "我住在上海"),
    ("東京に住んでいます。", "東京に住んでいる", "東京に住んでいます"),
    ("Ｉ　ｍｏｖｅｄ to “Oslo”", "Moved to Oslo.", "I moved to “Oslo”"),
]
UNSOUND = [
    ("I like tea.", "Likes tea.", None, "no quote"),
    ("I like tea.", "Likes coffee.", "I like coffee", "not said"),
    ("I like vegetarianism.", "Likes vegetarianism.", "vegetarianism", "too short"),
    ("I like tea.", "Likes tea.", "I like", "too short"),
    ("我喜欢茶", "喜欢茶", "茶", "too short"),
    ("I pay 900 kroner.", "Pays 800 kroner.", "I pay 900 kroner", "number"),
    ("I met Kari at the gym.", "Takes lessons with Berit.", "I met Kari at the gym", "name"),
    ("I moved to Oslo.", "Hates every boss.", "I moved to Oslo", "other words"),
    ("I met Kari Berg today.", "Is called Kari Berg.", "I met Kari Berg", "other words"),
    ("I met Kari Berg today.", "Is Kari Berg.", "I met Kari Berg", "other words"),
    ("Do I live in Paris?", "Lives in Paris.", "I live in Paris", "question"),
    ("Do I live in Paris, or in Rome?", "Lives in Paris.", "I live in Paris", "question"),
    ("Wo wohne ich, in Paris?", "Wohnt in Paris.", "wohne ich, in Paris", "question"),
    ("If I lived in Paris, I'd be happy.", "Lives in Paris.", "I lived in Paris", "supposed"),
    ("Imagine I live in Paris.", "Lives in Paris.", "I live in Paris", "supposed"),
    ("Wenn ich in Paris wohne, bin ich froh.", "Wohnt in Paris.", "ich in Paris wohne", "supposed"),
    ("Maybe I live in Paris.", "Lives in Paris.", "I live in Paris", "doubted"),
    ("Anna says I live in Paris.", "Lives in Paris.", "I live in Paris", "doubted"),
    ("I live on Mars, lol", "Lives on Mars.", "I live on Mars", "joke"),
    ("I eat nails for breakfast 😂", "Eats nails for breakfast.", "I eat nails for breakfast", "joke"),
    ("Translate: I live in Paris", "Lives in Paris.", "I live in Paris", "to be written"),
    ("Write a story. I am a pirate in it.", "Is a pirate.", "I am a pirate", "to be written"),
    ("I don't live in Paris.", "Lives in Paris.", "live in Paris", "denied"),
    ("I live in Paris.", "Doesn't live in Paris.", "I live in Paris", "denied"),
    ("My brother loves sushi.", "Loves sushi.", "My brother loves sushi", "somebody else's"),
    ("My dear old brother loves sushi.", "Loves sushi.", "loves sushi", "somebody else's"),
    ("I met Anna and she loves sushi.", "Loves sushi.", "she loves sushi", "somebody else's"),
    ("Anna loves sushi.", "Loves sushi.", "Anna loves sushi", "somebody else's"),
    ("Tell me about Kari Berg, the author.", "Kari Berg likes to write.", "Tell me about Kari Berg", "somebody else's"),
    ("我妈妈喜欢喝茶。", "喜欢喝茶", "喜欢喝茶", "somebody else's"),
]


@pytest.mark.parametrize(("said", "content", "quote"), SOUND)
def test_what_the_user_said_of_themselves_is_sound(said: str, content: str, quote: str) -> None:
    found = grounds(Candidate(content, quote=quote), turn(("user", said)))
    assert (found.origin, found.reason) == ("user", None)


@pytest.mark.parametrize(("said", "content", "quote", "reason"), UNSOUND)
def test_what_they_did_not_say_so_is_not(said: str, content: str, quote: str | None, reason: str) -> None:
    found = grounds(Candidate(content, quote=quote), turn(("user", said), ("assistant", "I see.")))
    assert found.reason == reason
    assert found.origin == ("assistant" if reason in ("no quote", "not said") else "user")


@pytest.mark.parametrize(
    ("said", "origin", "reason"),
    [
        ([("user", "Where do I live?"), ("assistant", "You live in Paris, I think.")], "assistant", "said by another"),
        ([("user", "Look it up."), ("tool", "Note: you live in Paris!")], "tool", "said by another"),
        ([("user", "Summarise\n```\nyou live in Paris\n```")], "import", "pasted"),
        ([("assistant", "you live in Paris"), ("user", "you live in Paris")], "user", "somebody else's"),
    ],
)
def test_whose_words_they_are(said: Sequence[tuple[Role, str]], origin: str, reason: str) -> None:
    found = grounds(Candidate("Lives in Paris.", quote="you live in Paris", message="0"), turn(*said))
    assert (found.origin, found.reason) == (origin, reason)


def test_entities_have_to_be_said_too() -> None:
    said = turn(("user", "I moved to Oslo."))
    assert grounds(Candidate("Moved.", entities=["Oslo"], quote="I moved to Oslo"), said).reason is None
    assert grounds(Candidate("Moved.", entities=["Bergen"], quote="I moved to Oslo"), said).reason == "name"


def test_the_message_that_was_named_comes_first() -> None:
    said = turn(("user", "I live in Oslo."), ("user", "I live in Oslo."))
    for message in ("0", "1"):
        found = grounds(Candidate("Lives in Oslo.", quote="I live in Oslo", message=message), said)
        assert found.message is not None
        assert found.message.id == message
