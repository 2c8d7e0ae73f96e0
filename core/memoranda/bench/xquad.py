"""XQuAD: paragraphs of Wikipedia and questions about them, in parallel in many languages (Artetxe et al., ACL 2020).

The set is for reading comprehension; here a question is to find its paragraph among all paragraphs of its language.
"""

from __future__ import annotations

from pathlib import Path

from memoranda.bench.reading import listing, load, mapping, string
from memoranda.bench.records import Corpus, DataSet, Document, Question
from memoranda.errors import DataSetError


def read_xquad(folder: Path) -> DataSet:
    """Read a folder of XQuAD.

    Args:
        folder: Where the files of the languages are: `xquad.de.json`, or `de.json`.

    Returns:
        A corpus for each language, named by it; the language is the category of its questions.

    Raises:
        DataSetError: There is no JSON file in the folder, or one is not of XQuAD.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise DataSetError(f"There is no JSON file in {folder}.")
    return DataSet("XQuAD", tuple(_corpus(path) for path in files))


def _corpus(path: Path) -> Corpus:
    language = path.stem.removeprefix("xquad.")
    documents: list[Document] = []
    questions: list[Question] = []
    for number, article in enumerate(listing(mapping(load(path), str(path)).get("data"), f"{path}: data")):
        at = f"{path}: data[{number}]"
        for index, value in enumerate(listing(mapping(article, at).get("paragraphs"), f"{at}.paragraphs")):
            where = f"{at}.paragraphs[{index}]"
            paragraph = mapping(value, where)
            id_ = f"{number}.{index}"
            documents.append(Document(id_, string(paragraph.get("context"), f"{where}.context")))
            for place, asked in enumerate(listing(paragraph.get("qas"), f"{where}.qas")):
                question = mapping(asked, f"{where}.qas[{place}]").get("question")
                questions.append(Question(string(question, f"{where}.qas[{place}].question"), language, (id_,)))
    return Corpus(language, tuple(documents), tuple(questions))
