"""What every data set becomes: documents to be found, questions with the documents that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Document:
    """One text to be found.

    Attributes:
        id: Its name, unique in its corpus.
        text: What to index.
        author: Who said it: a speaker's name, or the role `user` or `assistant`.
        session: The sitting that it was said in.
        time: When it was said; sets name no time zone, so it is read as UTC.
        said: What was said alone, where the text says more than that: who, and when.
    """

    id: str
    text: str
    author: str | None = None
    session: str | None = None
    time: datetime | None = None
    said: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: The question.
        category: What kind it is.
        gold: The documents that answer it, at least one, each once.
    """

    text: str
    category: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that are searched together, such as one conversation.

    Attributes:
        name: Its name in its data set.
        documents: What is searched.
        questions: What is asked of it.
        unusable: How many questions were left out, because the set names no document that answers them.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    unusable: int = 0


@dataclass(frozen=True, slots=True)
class DataSet:
    """Corpora that are reported together.

    Attributes:
        name: Its name.
        corpora: What it consists of.
        apart: The categories that are no part of its total.
    """

    name: str
    corpora: tuple[Corpus, ...]
    apart: frozenset[str] = frozenset()


def present(named: Sequence[str], documents: Sequence[Document]) -> tuple[str, ...]:
    """The named documents that there are, each once, in the order of their naming.

    Args:
        named: Ids, perhaps of documents that do not exist.
        documents: Those that do.
    """
    known = {document.id for document in documents}
    return tuple(dict.fromkeys(name for name in named if name in known))
