"""A public data set, from a file of one's own; nothing of it is in the repository."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.contract import Fact
from benchmarks.peers.texts import Question
from memoranda.bench.locomo import read_locomo


def locomo(file: Path) -> tuple[dict[str, list[Fact]], list[Question]]:
    """LoCoMo's conversations as memories, each with a user of its own, and its questions but for the adversarial ones.

    Args:
        file: The file, such as `locomo10.json`.
    """
    data = read_locomo(file)
    memories: dict[str, list[Fact]] = {}
    questions: list[Question] = []
    for number, corpus in enumerate(data.corpora):
        user = f"locomo{number}"
        said = dict.fromkeys(document.text for document in corpus.documents)
        memories[user] = [Fact(f"{user}-{place}", text) for place, text in enumerate(said)]
        texts = {document.id: document.text for document in corpus.documents}
        questions += [
            Question(user, each.text, tuple(dict.fromkeys(texts[id] for id in each.gold)))
            for each in corpus.questions
            if each.category not in data.apart
        ]
    return memories, questions
