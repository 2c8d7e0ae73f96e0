"""The guard of near duplicates: what is told apart, what is merged, and what is a tracker that moved on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
import pytest

from memoranda.embedders import as_embedder
from memoranda.embedding import embed_checked
from support.databases import Database, create_database, drop_database
from support.embedders import cosine
from support.pairs import NEAR_MISSES, held_out, pairs


@pytest.fixture(scope="module")
def conn(server: Any, template: str) -> Iterator[psycopg.Connection[Any]]:
    made: Database = create_database(server, template)
    with made.admin() as opened:
        yield opened
    drop_database(made)


def ask(conn: psycopg.Connection[Any], function: str, *texts: object) -> Any:
    marks = ", ".join(["%s"] * len(texts))
    row = conn.execute(f"select memoranda_private.{function}({marks})".encode(), texts).fetchone()
    assert row
    return row[0]


def decision(conn: psycopg.Connection[Any], old: str, new: str, similarity: float | None = 0.95) -> tuple[str, str]:
    found = ask(conn, "near_duplicate", old, new, similarity)
    assert set(found) == {"decision", "rule", "similarity", "trigram", "threshold"}
    return found["decision"], found["rule"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("User is allergic to nuts", "User isn't allergic to nuts", "negation"),
        ("Der Nutzer mag Kaffee", "Der Nutzer mag keinen Kaffee", "negation"),
        ("Пользователь курит", "Пользователь не курит", "negation"),
        ("用户有车", "用户没有车", "negation"),
        ("ユーザーは肉を食べる", "ユーザーは肉を食べない", "negation"),
        ("Kullanıcı et yer", "Kullanıcı et yemez", "negation"),
        ("المستخدم يدخن", "المستخدم لا يدخن", "negation"),
        ("User eats fish", "User eats only fish", "quantifier"),
        ("Todos los días", "Algunos días", "quantifier"),
        ("User used to live in Rome", "User lives in Rome", "tense"),
        ("The office was in Rome", "The office is in Rome", "tense"),
        ("Nutzer wohnt in Rom", "Nutzer wohnte in Rom", "tense"),
        ("User lives in Rome", "User lives in Milan", "name"),
        ("Anna signed it", "Petra signed it", "name"),
        ("Марина живёт в Омске", "Марина живёт в Томске", "name"),
        ("Call on 3 May", "Call on 4 May", "date"),
        ("Call at 9:30", "Call at 10:30", "date"),
        ("Payé le 2024-05-03", "Payé le 2024-05-04", "date"),
        ("A walk of 5 km", "A walk of 5 miles", "unit"),
        ("It costs $20", "It costs €20", "unit"),
        ("Room twelve", "Room 11", "number"),
        ("عدد ٣", "عدد ٤", "number"),
        ("-5 at night", "5 at night", "number"),
        ("1.5 litres", "15 litres", "number"),
        ("User loves tea", "User hates tea", "contradiction"),
        ("The light is on", "The light is off", "contradiction"),
        ("User is used to noise", "User is used to noise", None),
        ("It costs 1,200,000 euros", "It costs 1200000 EUR", None),
        ("O usuário trabalha no banco", "O usuário trabalha em um banco", None),
        ("User lives in Berlin", "User lives in Berlin, Germany", None),
        ("Пользователь был в Москве", "Москва: пользователь был", None),
        ("用户的工作非常忙", "用户的工作很忙", None),
        ("User works as a nurse", "User is a nurse", None),
        ("Nutzer hat 2021 ein Auto gekauft", "User bought a car in 2021", None),
    ],
)
def test_differences(conn: psycopg.Connection[Any], old: str, new: str, expected: str | None) -> None:
    assert ask(conn, "differs", old, new) == expected
    assert ask(conn, "differs", new, old) == expected


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("User has a dog", "the USER has a dog!", "words"),
        ("User weighs 80 kg", "User weighs 80 kilograms.", "words"),
        ("Nutzer hat drei Katzen", "Der Nutzer hat 3 Katzen", "words"),
        ("ユーザーは犬が好き", "ユーザーは犬が好き。", "words"),
        ("User moved to Oslo in 2019", "In 2019, User moved to Oslo", "order"),
    ],
)
def test_the_same_words_are_merged(conn: psycopg.Connection[Any], old: str, new: str, rule: str) -> None:
    assert decision(conn, old, new) == ("merge", rule)
    assert decision(conn, old, new, None) == ("merge", rule)
    assert decision(conn, old, new, 0.1) == ("merge", rule)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Anna loves Bob", "Bob loves Anna"),
        ("From Paris to London", "From London to Paris"),
        ("The manager reports to the director", "The director reports to the manager"),
        ("Only Anna likes Bob", "Anna likes Bob only"),
        ("L'utilisateur a mangé", "L'utilisateur mange"),
        ("Il la déteste", "Il le déteste"),
        ("Él trabajo en casa", "Él trabajó en casa"),
        ("User knows C", "User knows C++"),
        ("It holds 1.250 kg", "It holds 1250 kg"),
        ("用户对蜜蜂过敏", "用户对蜂蜜过敏"),
        ("小明喜欢小红", "小红喜欢小明"),
        ("User likes tea", "User likes tea?"),
    ],
)
def test_what_the_guard_has_no_word_for_is_not_merged_either(conn: psycopg.Connection[Any], old: str, new: str) -> None:
    assert decision(conn, old, new, 1.0)[0] in {"propose", "none"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The queue has 412 items", "The queue has 903 items"),
        ("Queue length: 412", "Queue length: 903"),
        ("User is 34 years old", "User is 35 years old"),
        ("Der Kontostand beträgt 1.150,50 Euro", "Der Kontostand beträgt 980 Euro"),
        ("На счёте 300 евро", "На счёте 250 евро"),
        ("库存还有12件", "库存还有7件"),
        ("The deadline is 3 May", "The deadline is 10 May"),
        ("The battery is at 81 percent", "The battery is at 34 percent"),
        ("Водохранилище заполнено на 62 %", "Водохранилище заполнено на 48 %"),
        ("Open tickets: 57", "Open tickets: 31"),
        ("The build takes 14 minutes", "The build takes 9 minutes"),
    ],
)
def test_a_tracker_that_moved_on_is_superseded(conn: psycopg.Connection[Any], old: str, new: str) -> None:
    assert decision(conn, old, new) == ("supersede", "tracker")
    assert ask(conn, "template_of", old) == ask(conn, "template_of", new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Flight BA 117 leaves at 9", "Flight BA 119 leaves at 9"),
        ("Invoice 4711 is paid", "Invoice 4712 is paid"),
        ("Team 3 has 12 members", "Team 4 has 15 members"),
        ("User's PIN is 4711", "User's PIN is 4712"),
        ("User's son is 3 years old", "User's son is 5 years old"),
        ("User has two cats", "User has three cats"),
        ("User ran 5 km on Monday", "User ran 8 km on Monday"),
        ("User met Tom on 3 May", "User met Tom on 8 May"),
        ("Meeting is at 9", "Meeting is at 10"),
        ("Ticket 12 costs 20 EUR", "Ticket 12 costs 20 USD"),
        ("用户买了3本书", "用户买了5本书"),
        ("Locker: 212", "Locker: 221"),
        ("The user read page 12", "The user read page 13"),
        ("The user gave a 20% tip", "The user gave a 25% tip"),
        ("He won round 3", "He won round 4"),
    ],
)
def test_what_may_hold_beside_it_is_not_superseded(conn: psycopg.Connection[Any], old: str, new: str) -> None:
    assert decision(conn, old, new)[0] in {"propose", "none"}


def test_only_what_is_near_is_proposed(conn: psycopg.Connection[Any]) -> None:
    texts = ("User works as a nurse", "The user is employed as a nurse")
    assert decision(conn, *texts, 0.9) == ("propose", "meaning")
    assert decision(conn, *texts, 0.3) == ("none", "distance")
    texts = ("The museum lets children in for free", "Kids don't pay to get into the museum")
    assert decision(conn, *texts, 0.8) == ("propose", "meaning"), "a denial in other words may say the same"
    assert decision(conn, *texts, 0.5) == ("none", "negation")
    texts = ("User works as a nurse", "The user is employed as a nurse")
    assert ask(conn, "near_duplicate", *texts, 0.9, 0.95)["decision"] == "none"


def test_of_the_labelled_pairs_no_near_miss_is_merged_or_retired(conn: psycopg.Connection[Any]) -> None:
    for pair in (*pairs(), *held_out()):
        found = {decision(conn, pair.old, pair.new, 1.0)[0], decision(conn, pair.new, pair.old, 1.0)[0]}
        if pair.label in (*NEAR_MISSES, "contradiction", "unrelated"):
            assert found <= {"propose", "none"}, pair
        elif pair.label == "same":
            assert found <= {"merge", "propose"}, pair
        else:
            assert pair.label == "update" or "supersede" not in found, pair


async def test_the_labelled_pairs_are_told_apart_as_well_as_we_say(conn: psycopg.Connection[Any]) -> None:
    """The gates: docs/deduplication.md has the figures, and tests/evals/dedup.py makes them."""
    local = as_embedder("local")
    assert local
    labelled = list(pairs())
    made = await embed_checked(local, [text for pair in labelled for text in (pair.old, pair.new)], "document")
    found: dict[str, list[str]] = {}
    for pair, old, new in zip(labelled, made[::2], made[1::2], strict=True):
        found.setdefault(pair.label, []).append(decision(conn, pair.old, pair.new, cosine(old, new))[0])

    def share(labels: Iterable[str], *decisions: str) -> float:
        chosen = [each for label in labels for each in found[label]]
        return sum(each in decisions for each in chosen) / len(chosen)

    others = [label for label in found if label not in ("same", "paraphrase")]
    assert share(NEAR_MISSES, "merge") == 0
    assert share(others, "merge") < 0.01
    assert share(["paraphrase"], "merge", "propose") >= 0.6
    assert share(["same"], "merge", "propose") >= 0.9
    assert share(["update"], "supersede") >= 0.9
    assert share([label for label in found if label != "update"], "supersede") == 0


@pytest.mark.parametrize("text", ["", " ", "!", "12", "…", "不", "\u200b", "é" * 3000, "1.2.3.4 " * 500, "a" * 100_000])
def test_any_text_can_be_read(conn: psycopg.Connection[Any], text: str) -> None:
    assert decision(conn, text, "User likes tea")[0] != "merge"
    assert ask(conn, "differs", text, text) is None


@pytest.mark.parametrize("name", ["guard_words", "guard_trackers", "guard_starts"])
def test_the_constants_are_what_the_lists_come_to(conn: psycopg.Connection[Any], name: str) -> None:
    assert ask(conn, name) == ask(conn, f"{name}_listed") != {}
