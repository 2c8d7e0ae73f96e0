"""BEAM: long chats of a user with an assistant, and questions of ten kinds (Tavakoli et al., 2025).

A folder holds two files for each chat: `100K-1-chat.json` with batches of turns of messages, and `100K-1-q.json` with
the questions by category. Questions that nothing answers (`abstention`) have no gold, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from memoranda.bench.reading import listing, load, mapping, string
from memoranda.bench.records import Corpus, DataSet, Document, Question, present
from memoranda.errors import DataSetError

_CHAT = "-chat.json"
_QUESTIONS = "-q.json"

# What the set's generator left at the end of messages, `->-> 1,1`: the numbers of steps in its plan.
_MARK = re.compile(r"(?:->->[\s\d.,N/A]*)+\Z")


def read_beam(folder: Path) -> DataSet:
    """Read a folder of BEAM.

    Args:
        folder: Where the pairs of files are.

    Returns:
        A corpus for each chat, in the order of their numbers. A message's id is its number in the file; its author is
        its role, its time the day that its batch is anchored at.

    Raises:
        DataSetError: There is no chat in the folder, one has no questions, or a file is not of BEAM.
    """
    chats = sorted(folder.glob(f"*{_CHAT}"), key=_in_order)
    if not chats:
        raise DataSetError(f"There is no file named *{_CHAT} in {folder}.")
    return DataSet("BEAM", tuple(_corpus(chat) for chat in chats))


def _in_order(path: Path) -> list[tuple[int, str]]:
    """What sorts chat 10 after chat 9."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", path.name)]


def _corpus(chat: Path) -> Corpus:
    name = chat.name.removesuffix(_CHAT)
    asked = chat.with_name(name + _QUESTIONS)
    documents = tuple(_documents(chat))
    questions: list[Question] = []
    unusable = 0
    for category, values in mapping(load(asked), str(asked)).items():
        for index, value in enumerate(listing(values, f"{asked}: {category}")):
            where = f"{asked}: {category}[{index}]"
            question = mapping(value, where)
            text = string(question.get("question"), f"{where}.question")
            if gold := present(sources(question.get("source_chat_ids")), documents):
                questions.append(Question(text, category, gold))
            else:
                unusable += 1
    return Corpus(name, documents, tuple(questions), unusable)


def sources(named: object) -> list[str]:
    """The ids of messages that a question names as its sources.

    Args:
        named: An id, or arrays or objects of ids: the set has them by kind (`first_statement`) and by group.
    """
    if isinstance(named, dict):
        return sources(list(cast("dict[str, object]", named).values()))
    if isinstance(named, list):
        return [found for part in cast("list[object]", named) for found in sources(part)]
    return [str(named)] if isinstance(named, int | str) and not isinstance(named, bool) else []


def _documents(chat: Path) -> Iterator[Document]:
    """The messages of all batches, in order."""
    anchor: object = None
    for number, value in enumerate(listing(load(chat), str(chat))):
        where = f"{chat}: {number}"
        batch = mapping(value, where)
        anchor = batch.get("time_anchor") or anchor
        for at, message in _messages(batch, where):
            anchor = message.get("time_anchor") or anchor
            if (id_ := message.get("id")) is None:
                raise DataSetError(f"{at}.id is missing.")
            if not isinstance(content := message.get("content"), str):
                raise DataSetError(f"{at}.content is not a string.")
            if not (text := _MARK.sub("", content).strip()):
                continue  # nothing was said
            yield Document(
                id=str(id_),
                text=text,
                author=string(message.get("role"), f"{at}.role"),
                session=str(batch.get("batch_number", number + 1)),
                time=_day(anchor),
            )


def _messages(batch: dict[str, Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of a batch, with where they are; a turn is an array of them, or one."""
    for index, turn in enumerate(listing(batch.get("turns"), f"{where}.turns")):
        at = f"{where}.turns[{index}]"
        for place, message in enumerate([turn] if isinstance(turn, dict) else listing(turn, at)):
            yield f"{at}[{place}]", mapping(message, f"{at}[{place}]")


def _day(anchor: object) -> datetime | None:
    """The day of an anchor such as `March-15-2024`."""
    try:
        return datetime.strptime(str(anchor), "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None
