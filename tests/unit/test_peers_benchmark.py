"""The benchmark beside peers, as far as it can be seen without them: its texts, its choices, its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.peers import report
from benchmarks.peers.contract import Fact
from benchmarks.peers.environments import REQUIREMENTS
from benchmarks.peers.finding import chosen, recall
from benchmarks.peers.libraries import LIBRARIES
from benchmarks.peers.participants import Checked
from benchmarks.peers.texts import READER, Question, World, more, near_misses, world


@pytest.fixture(scope="module")
def made() -> World:
    return world(seed=3, users=2, facts=300, small_users=4, small_facts=5, questions=40)


def test_a_seed_makes_one_world_and_no_text_twice(made: World) -> None:
    texts = [fact.text for facts in made.memories.values() for fact in facts]
    texts += [fact.text for user in ("batch0", "single0", "batch1") for fact in more(3, user, 200)]
    assert len(set(texts)) == len(texts) == 3 * 300 + 4 * 5 + 3 * 200
    assert world(3, 2, 300, 4, 5, 40) == made
    assert world(4, 2, 300, 4, 5, 40) != made
    assert all(one != other for one, other in near_misses(4))


def test_every_question_has_its_answer_in_the_memory_that_is_asked(made: World) -> None:
    mine = {fact.text for fact in made.memories[READER]}
    assert all(len(questions) == 40 for questions in made.questions.values())
    assert all(mine.issuperset(each.answers) for questions in made.questions.values() for each in questions)


def test_an_identifier_is_told_from_others_by_the_order_of_its_digits_alone(made: World) -> None:
    alike: dict[str, list[Fact]] = {}
    for fact in made.memories[READER]:
        masked = "".join(sorted(character for character in fact.text if character.isdigit()))
        alike.setdefault(masked + "".join(letter for letter in fact.text if not letter.isdigit()), []).append(fact)
    (answer,) = made.questions["identifiers"][0].answers
    assert max(len(facts) for facts in alike.values() if answer in {fact.text for fact in facts}) >= 6


def test_the_quickest_setting_that_finds_enough_is_chosen_and_else_the_one_that_finds_most() -> None:
    index, scan = Checked("index", 0.97, 0.4, 0.001), Checked("scan", 1.0, 0.99, 0.005)
    iterative = Checked("iterative", 0.96, 0.98, 0.003)
    assert chosen([index, iterative, scan]) is iterative
    assert chosen([index, Checked("other", 0.9, 0.5, 0.01)]).setting == "other"


def test_recall_counts_the_answers_among_the_first() -> None:
    questions = [Question("anna", "which?", ("a", "b")), Question("anna", "what?", ("c",))]
    assert recall(questions, [["a", "x", "b"], ["x", "y", "c"]], 2) == 0.25
    assert recall(questions, [["a", "x", "b"], ["x", "y", "c"]], 3) == 1.0


def test_the_tables_take_the_place_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{report.START}\n\nold\n\n{report.END}\n\nafter\n")
    for text in ("new", "newer"):
        report.into(page, text)
    assert page.read_text() == f"before\n\n{report.START}\n\nnewer\n\n{report.END}\n\nafter\n"


def test_what_a_peer_needs_is_pinned() -> None:
    for library in LIBRARIES.values():
        if library.requirements:
            lines = (REQUIREMENTS / library.requirements).read_text().split()
            assert lines
            assert all(line.count("==") == 1 and "/" not in line for line in lines)
