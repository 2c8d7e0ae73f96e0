"""LoCoMo: conversations over months between two people, and questions about them (Maharana et al., ACL 2024).

One JSON file holds an array of conversations, or a single one. A turn becomes a fact that can stand alone: the date of
its session, who spoke, what was said, and what the shared picture shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from memoranda.bench.reading import listing, load, mapping, string
from memoranda.bench.records import Corpus, DataSet, Document, Question, present
from memoranda.errors import DataSetError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers in the file mean, as in the paper's evaluation."""

APART = frozenset({"adversarial"})
"""Questions that ask what was never said. They are reported, but are no part of the total."""

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_CLOCK = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


def read_locomo(path: Path) -> DataSet:
    """Read a file of LoCoMo.

    Args:
        path: The file, such as `locomo10.json`, or a part of it.

    Returns:
        A corpus for each conversation. Ids are those of the file, `D1:3`, written without leading zeros.

    Raises:
        DataSetError: The file cannot be read, or is not LoCoMo.
    """
    value = load(path)
    items: list[Any] = [value] if isinstance(value, dict) else listing(value, str(path))
    return DataSet(
        "LoCoMo", tuple(_corpus(item, number, f"{path}: {number}") for number, item in enumerate(items)), APART
    )


def evidence(named: object) -> list[str]:
    """The ids that a question's evidence names.

    Some were written by hand: `D8:6; D9:17` is two ids in one string, `D:11:26` is D11:26, `D30:05` is D30:5.

    Args:
        named: A string, or an array of them; anything else names nothing.
    """
    if isinstance(named, list):
        return [found for part in cast("list[object]", named) for found in evidence(part)]
    if not isinstance(named, str):
        return []
    return [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(named)]


def _corpus(item: object, number: int, where: str) -> Corpus:
    sample = mapping(item, where)
    conversation = mapping(sample.get("conversation"), f"{where}.conversation")
    documents = tuple(_documents(conversation, where))
    asked = listing(sample.get("qa"), f"{where}.qa")
    questions = tuple(_questions(asked, documents, where))
    name = sample.get("sample_id")
    return Corpus(
        name if isinstance(name, str) and name else f"conv-{number}", documents, questions, len(asked) - len(questions)
    )


def _documents(conversation: dict[str, Any], where: str) -> Iterator[Document]:
    """The turns of all sessions, in order."""
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        key = f"session_{number}"
        date = conversation.get(f"{key}_date_time")
        date = date.strip() if isinstance(date, str) else ""
        for index, value in enumerate(listing(conversation[key], f"{where}.{key}")):
            at = f"{where}.{key}[{index}]"
            turn = mapping(value, at)
            named = evidence(turn.get("dia_id"))
            speaker = string(turn.get("speaker"), f"{at}.speaker")
            if not (said := _said(turn, at)):
                continue  # nothing was said, and nothing shown
            day = date.rpartition(" on ")[2]
            yield Document(
                id=named[0] if named else f"D{number}:{index + 1}",
                text=(f"[{day}] " if day else "") + f"{speaker}: {said}",
                author=speaker,
                session=key,
                time=_time(date),
                said=said,
            )


def _said(turn: dict[str, Any], where: str) -> str:
    """What was said, and what the picture shows that was sent with it."""
    said, caption = turn.get("text", ""), turn.get("blip_caption")
    if not isinstance(said, str):
        raise DataSetError(f"{where}.text is not a string.")
    shown = f"[shares image: {caption.strip()}]" if isinstance(caption, str) and caption.strip() else ""
    return f"{said.strip()} {shown}".strip()


def _time(date: str) -> datetime | None:
    try:
        return datetime.strptime(date, _CLOCK).replace(tzinfo=UTC)
    except ValueError:
        return None


def _questions(asked: Sequence[object], documents: Sequence[Document], where: str) -> Iterator[Question]:
    for index, value in enumerate(asked):
        question = mapping(value, f"{where}.qa[{index}]")
        text = string(question.get("question"), f"{where}.qa[{index}].question")
        number = question.get("category")
        category = CATEGORIES.get(number, str(number)) if isinstance(number, int) else str(number)
        if gold := present(evidence(question.get("evidence")), documents):
            yield Question(text, category, gold)
