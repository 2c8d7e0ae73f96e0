"""The readers of data sets, on small samples in their forms, and on files that are something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoranda.bench.beam import read_beam, sources
from memoranda.bench.locomo import evidence, read_locomo
from memoranda.bench.records import DataSet
from memoranda.bench.xquad import read_xquad
from memoranda.errors import DataSetError

Json = Any


def write(path: Path, value: Json) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


# LoCoMo


def conversation(**changes: Json) -> dict[str, Json]:
    sample: dict[str, Json] = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10_date_time": "9:05 am on 2 March, 2024",
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "The boat is sold."}],
            "session_2_date_time": "12:30 pm on 1 March, 2024",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "I bought a boat."},
                {"speaker": "Bob", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a photo of a harbour"},
                {"speaker": "Bob", "dia_id": "D2:3", "text": "", "blip_caption": "a photo of a dog"},
                {"speaker": "Ann", "dia_id": "D2:4", "text": "  "},
            ],
            "session_3_date_time": "a day on which nobody spoke",
        },
        "qa": [
            {"question": "What did Ann buy?", "answer": "a boat", "category": 4, "evidence": ["D2:1"]},
            {"question": "When was it sold?", "answer": 2, "category": 2, "evidence": ["D2:01; D10:1", "D2:1"]},
            {"question": "What did Bob buy?", "adversarial_answer": "a boat", "category": 5, "evidence": ["D2:1"]},
            {"question": "Who is rich?", "category": 3, "evidence": []},
            {"question": "Who is poor?", "category": 1, "evidence": ["D99:1"]},
            {"question": "Who is tall?", "category": 1},
        ],
    }
    return sample | changes


def test_a_turn_is_a_fact_with_its_day_its_speaker_and_what_the_picture_shows(tmp_path: Path) -> None:
    (corpus,) = read_locomo(write(tmp_path / "set.json", [conversation()])).corpora
    assert corpus.name == "conv-1"
    assert [(document.id, document.text) for document in corpus.documents] == [
        ("D2:1", "[1 March, 2024] Ann: I bought a boat."),
        ("D2:2", "[1 March, 2024] Bob: Look! [shares image: a photo of a harbour]"),
        ("D2:3", "[1 March, 2024] Bob: [shares image: a photo of a dog]"),
        ("D10:1", "[2 March, 2024] Bob: The boat is sold."),
    ]
    last = corpus.documents[-1]
    assert (last.author, last.session) == ("Bob", "session_10")
    assert last.time == datetime(2024, 3, 2, 9, 5, tzinfo=UTC)


def test_a_question_has_its_kind_and_the_turns_that_there_are(tmp_path: Path) -> None:
    dataset = read_locomo(write(tmp_path / "set.json", [conversation()]))
    (corpus,) = dataset.corpora
    assert [(question.category, question.gold) for question in corpus.questions] == [
        ("single-hop", ("D2:1",)),
        ("temporal", ("D2:1", "D10:1")),
        ("adversarial", ("D2:1",)),
    ]
    assert corpus.unusable == 3
    assert dataset.apart == {"adversarial"}


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        (["D1:3"], ["D1:3"]),
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        ("D1:2", ["D1:2"]),
        (["D"], []),
        (None, []),
        ([3], []),
    ],
)
def test_evidence_written_by_hand_is_understood(named: Json, ids: list[str]) -> None:
    assert evidence(named) == ids


def test_one_conversation_alone_is_read_too_and_what_it_lacks_is_made_up(tmp_path: Path) -> None:
    alone = conversation(sample_id=None, qa=[])
    del alone["conversation"]["session_2_date_time"]
    del alone["conversation"]["session_2"][0]["dia_id"]
    (corpus,) = read_locomo(write(tmp_path / "set.json", alone)).corpora
    assert corpus.name == "conv-0"
    assert corpus.documents[0].id == "D2:1"
    assert corpus.documents[0].text == "Ann: I bought a boat."
    assert corpus.documents[0].time is None


# BEAM


def chat(*batches: Json) -> list[Json]:
    return [{"batch_number": number, "turns": turns} for number, turns in enumerate(batches, 1)]


def message(id_: int, content: str, role: str = "user", **more: Json) -> dict[str, Json]:
    return {"id": id_, "role": role, "content": content, **more}


@pytest.fixture
def beam(tmp_path: Path) -> Path:
    write(
        tmp_path / "100K-2-chat.json",
        chat(
            [[message(0, "I plan a trip. ->-> 1,1", time_anchor="March-15-2024"), message(1, "Good.", "assistant")]],
            [[message(2, "I changed it. ->-> 2,1 ->-> 2,2"), message(3, " ")], [message(4, "Done.", "assistant")]],
        ),
    )
    write(
        tmp_path / "100K-2-q.json",
        {
            "abstention": [{"question": "What is my name?"}],
            "knowledge_update": [
                {"question": "What changed?", "source_chat_ids": {"original_info": [0], "updated_info": [2]}}
            ],
            "event_ordering": [{"question": "In which order?", "source_chat_ids": [0, [2, 4], 0, 99]}],
            "preference_following": [{"question": "How do I travel?", "source_chat_ids": []}],
        },
    )
    write(tmp_path / "100K-10-chat.json", chat([message(7, "No turns, only messages.")]))
    write(tmp_path / "100K-10-q.json", {})
    return tmp_path


def test_a_message_has_its_role_its_day_and_no_mark_of_the_generator(beam: Path) -> None:
    corpus = read_beam(beam).corpora[0]
    assert [(document.id, document.text, document.author, document.session) for document in corpus.documents] == [
        ("0", "I plan a trip.", "user", "1"),
        ("1", "Good.", "assistant", "1"),
        ("2", "I changed it.", "user", "2"),
        ("4", "Done.", "assistant", "2"),
    ]
    assert {document.time for document in corpus.documents} == {datetime(2024, 3, 15, tzinfo=UTC)}


def test_the_sources_of_a_question_are_found_in_every_form(beam: Path) -> None:
    corpus = read_beam(beam).corpora[0]
    assert [(question.category, question.gold) for question in corpus.questions] == [
        ("knowledge_update", ("0", "2")),
        ("event_ordering", ("0", "2", "4")),
    ]
    assert corpus.unusable == 2
    assert sources(None) == sources(True) == []


def test_chats_come_in_the_order_of_their_numbers(beam: Path) -> None:
    assert [corpus.name for corpus in read_beam(beam).corpora] == ["100K-2", "100K-10"]


# XQuAD


def test_a_question_is_to_find_its_paragraph(tmp_path: Path) -> None:
    def article(*contexts: str) -> Json:
        return {"paragraphs": [{"context": text, "qas": [{"question": f"Was {text}?"}]} for text in contexts]}

    write(tmp_path / "xquad.de.json", {"data": [article("eins", "zwei"), article("drei")], "version": "1.1"})
    write(tmp_path / "en.json", {"data": [article("one")]})
    german, english = read_xquad(tmp_path).corpora
    assert (german.name, english.name) == ("de", "en") or (german.name, english.name) == ("en", "de")
    corpus = next(corpus for corpus in (german, english) if corpus.name == "de")
    assert [(document.id, document.text) for document in corpus.documents] == [
        ("0.0", "eins"),
        ("0.1", "zwei"),
        ("1.0", "drei"),
    ]
    assert [(question.text, question.category, question.gold) for question in corpus.questions] == [
        ("Was eins?", "de", ("0.0",)),
        ("Was zwei?", "de", ("0.1",)),
        ("Was drei?", "de", ("1.0",)),
    ]


# Files that are something else


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("not JSON", "is not JSON"),
        ('"text"', "is a string, not an array"),
        ("[3]", "0 is a number, not an object"),
        ("[{}]", "0.conversation is missing, not an object"),
        ('[{"conversation": {}}]', "0.qa is missing, not an array"),
        ('[{"conversation": {"session_1": {}}, "qa": []}]', "0.session_1 is an object, not an array"),
        ('[{"conversation": {"session_1": [{}]}, "qa": []}]', "session_1[0].speaker is missing, not a string"),
        ('[{"conversation": {"session_1": [{"speaker": " "}]}, "qa": []}]', "session_1[0].speaker is empty"),
        ('[{"conversation": {"session_1": [{"speaker": "A", "text": 1}]}, "qa": []}]', "text is not a string"),
        ('[{"conversation": {}, "qa": [{"question": true}]}]', "qa[0].question is true or false, not a string"),
    ],
)
def test_what_is_not_locomo_is_said_with_its_place(content: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataSetError) as caught:
        read_locomo(path)
    assert str(path) in caught.value.message
    assert complaint in caught.value.message


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ({}, "turns is an object, not an array"),
        ([["text"]], "turns[0][0] is a string, not an object"),
        ([[{"role": "user", "content": "Hi"}]], "id is missing"),
        ([[{"id": 1, "content": "Hi"}]], "role is missing"),
        ([[{"id": 1, "role": "user"}]], "content is not a string"),
    ],
)
def test_what_is_not_beam_is_said_with_its_place(messages: Json, complaint: str, tmp_path: Path) -> None:
    write(tmp_path / "1-chat.json", chat(messages))
    write(tmp_path / "1-q.json", {})
    with pytest.raises(DataSetError) as caught:
        read_beam(tmp_path)
    assert complaint in caught.value.message


def test_a_chat_without_questions_is_an_error(beam: Path) -> None:
    (beam / "100K-2-q.json").unlink()
    with pytest.raises(DataSetError, match=r"100K-2-q\.json cannot be read"):
        read_beam(beam)


@pytest.mark.parametrize("read", [read_beam, read_xquad])
def test_a_folder_without_the_set_is_an_error(read: Callable[[Path], DataSet], tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match="There is no"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"data": [{"paragraphs": [{"context": "a"}]}]}, "paragraphs[0].qas is missing"),
        ({"rows": []}, "data is missing"),
        ([], "is an array, not an object"),
    ],
)
def test_what_is_not_xquad_is_said_with_its_place(value: Json, complaint: str, tmp_path: Path) -> None:
    write(tmp_path / "en.json", value)
    with pytest.raises(DataSetError) as caught:
        read_xquad(tmp_path)
    assert complaint in caught.value.message


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match=r"cannot be read: No such file"):
        read_locomo(tmp_path / "set.json")
