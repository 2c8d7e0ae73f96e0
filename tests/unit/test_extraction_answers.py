"""What models return when they are asked for facts, and what becomes of it: facts, none, or a failure that says why."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.extracting.answers import read_answer
from memoranda.extracting.errors import AnswerError

TEA = '{"facts": [{"content": "Likes tea.", "quote": "I like tea"}]}'
TWO = '{"facts": [{"content": "Likes tea."}, {"content": "Lives in Porto."}]}'

READ = {
    "as asked": (TEA, ["Likes tea."]),
    "in a fence": (f"```json\n{TEA}\n```", ["Likes tea."]),
    "in a fence without a language": (f"```\n{TEA}\n```", ["Likes tea."]),
    "in a fence that is not closed": (f"```json\n{TEA}", ["Likes tea."]),
    "in prose": (f"Sure! Here are the facts:\n{TEA}\nLet me know if you need more.", ["Likes tea."]),
    "in prose and a fence": (f"Here you go:\n```json\n{TEA}\n```\nHope that helps!", ["Likes tea."]),
    "after a brace in prose": (f"The user wrote {{something}} about [tea]. {TEA}", ["Likes tea."]),
    "before a brace in prose": (f"{TEA} (I left out {{small talk}}.)", ["Likes tea."]),
    "after its thoughts": (f"<think>Could be {{\"facts\": []}}, no.</think>{TEA}", ["Likes tea."]),
    "after a draft": (f'First {{"facts": []}}, but on reflection {TEA}', ["Likes tea."]),
    "with a byte order mark": (f"\ufeff{TEA}", ["Likes tea."]),
    "a list alone": ('[{"content": "Likes tea."}]', ["Likes tea."]),
    "a fact alone": ('{"content": "Likes tea."}', ["Likes tea."]),
    "a fact a line": ('{"content": "Likes tea."}\n{"content": "Lives in Porto."}', ["Likes tea.", "Lives in Porto."]),
    "under another name": ('{"memories": [{"text": "Likes tea."}]}', ["Likes tea."]),
    "texts": ('{"facts": ["Likes tea.", "Lives in Porto."]}', ["Likes tea.", "Lives in Porto."]),
    "JSON in a text of JSON": (json.dumps(TEA), ["Likes tea."]),
    "a comma too many": ('{"facts": [{"content": "Likes tea.",},]}', ["Likes tea."]),
    "as Python writes it": ("{'facts': [{'content': 'Likes tea.', 'key': None}]}", ["Likes tea."]),
    "an escape that JSON has not": (r'{"facts": [{"content": "Uses C:\dev\x."}]}', [r"Uses C:\dev\x."]),
    "an escape cut short": (r'{"facts": [{"content": "Likes \u00e9 and \u12 signs."}]}', [r"Likes é and \u12 signs."]),
    "half a surrogate": (r'{"facts": [{"content": "Likes \ud83c tea."}]}', ["Likes � tea."]),
    "NUL": (r'{"facts": [{"content": "Likes\u0000 tea."}]}', ["Likes tea."]),
    "a line break in a text": ('{"facts": [{"content": "Likes\ntea."}]}', ["Likes\ntea."]),
    "items that are no facts": (f'{{"facts": [{{"content": ""}}, 7, null, {TEA[11:-2]}]}}', ["Likes tea."]),
    "properties of other types": ('{"facts": [{"content": "Likes tea.", "key": 7, "message": "1"}]}', ["Likes tea."]),
}  # fmt: skip
NOTHING = ['{"facts": []}', "```json\n[]\n```", 'There is nothing worth keeping: {"facts": []}', "[]"]
FAILED: dict[str, list[str | None]] = {
    "empty": ["", "  \n", "\u200b", "<think>Nothing much.</think>", None],
    "truncated": [TWO[:60], TWO[:-2], TWO[:30], f"```json\n{TWO[:60]}\n```", f"Sure: {TWO[:55]}", "[", '{"facts": ['],
    "not JSON": ["I'm sorry, but I can't help with that.", "No facts.", "Likes tea.", "{tea}",
                 "The user likes tea; I noted it."],
    "wrong shape": ["null", "7", "{}", '{"facts": null}', '{"facts": {}}', '{"facts": [7, null]}', '{"facts": "none"}',
                    '{"error": "no"}', '{"facts": [{"content": 7}]}', '{"a": [], "b": []}', '"tea"'],
}  # fmt: skip


@pytest.mark.parametrize(("answer", "contents"), READ.values(), ids=READ)
def test_what_can_be_read_is_read(answer: str, contents: list[str]) -> None:
    assert [proposal.content for proposal in read_answer(answer)] == contents


@pytest.mark.parametrize("answer", NOTHING)
def test_only_an_empty_list_says_that_there_is_nothing(answer: str) -> None:
    assert read_answer(answer) == []


@pytest.mark.parametrize(("reason", "answer"), [(reason, answer) for reason, all_ in FAILED.items() for answer in all_])
def test_all_else_fails_with_its_reason(reason: str, answer: str | None) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(answer)
    assert caught.value.reason == reason
    assert caught.value.transient is None
    assert "tea" not in str(caught.value)


def test_a_truncated_answer_gives_no_part_of_it() -> None:
    for length in range(1, len(TWO)):
        with pytest.raises(AnswerError):
            read_answer(TWO[:length])


def test_properties_are_of_their_types_or_left_out() -> None:
    (read,) = read_answer(
        '{"facts": [{"content": " Likes tea. ", "kind": "preference", "key": "drink", "entities": "Rex", "quote":'
        ' "I like tea", "message": 2, "updates": "k1", "since": "yesterday", "until": "", "valid_from": "2026-01-01",'
        ' "valid_until": 7}]}'
    )
    assert (read.content, read.kind, read.key, read.entities) == ("Likes tea.", "preference", "drink", ("Rex",))
    assert (read.quote, read.message, read.updates) == ("I like tea", 2, "k1")
    assert (read.since, read.until, read.valid_from, read.valid_until) == ("yesterday", None, "2026-01-01", None)


@given(st.text(alphabet='{}[]":,\\u facts`\n0', max_size=60))
def test_whatever_comes_it_is_read_or_fails(answer: str) -> None:
    try:
        proposals = read_answer(answer)
    except AnswerError:
        return
    assert all(proposal.content for proposal in proposals)


@pytest.mark.parametrize("answer", ["[" * 100_000, '{"a":' * 50_000, "{" * 100_000 + TEA, '"' * 100_000])
def test_hostile_answers_take_little_time(answer: str) -> None:
    try:
        read_answer(answer)
    except AnswerError:
        return
