"""The loop over data sets, with a search that needs no database, and what is printed and drawn of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memoranda.bench.metrics import DEPTH
from memoranda.bench.plot import plot
from memoranda.bench.records import Corpus, DataSet, Document, Question
from memoranda.bench.retrieval import Result, measure, steps
from memoranda.cli import output, results
from memoranda.errors import InputError

PNG = b"\x89PNG\r\n\x1a\n"


class Words:
    """Finds by words in common."""

    def __init__(self) -> None:
        self.documents: Sequence[Document] = ()
        self.asked: list[int] = []

    async def index(self, documents: Sequence[Document], /) -> None:
        self.documents = documents

    async def search(self, query: str, k: int, /) -> Sequence[str]:
        self.asked.append(k)
        common = {one.id: len(words(one.text) & words(query)) for one in self.documents}
        return sorted((id_ for id_, count in common.items() if count), key=lambda id_: -common[id_])[:k]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


BOATS = Corpus(
    "boats",
    (Document("1", "Ann has a boat."), Document("2", "Bob has a harbour.")),
    (
        Question("Who has a boat?", "easy", ("1",)),
        Question("Does Ann own a boat or a ship?", "easy", ("1",)),
        Question("What floats?", "hard", ("1", "2")),
        Question("Does Bob like [bold]fish[/bold]?", "trick", ("2",)),
    ),
    unusable=3,
)
DOGS = Corpus("dogs", (Document("1", "Rex is a dog."),), (Question("Who is a dog?", "easy", ("1",)),))
SAMPLE = DataSet("Sample", (BOATS, DOGS), frozenset({"trick"}))


async def result() -> Result:
    (made,) = await measure([SAMPLE], Words())
    return made


async def test_every_question_is_asked_of_its_own_corpus() -> None:
    searcher, advanced = Words(), list[str]()
    (made,) = await measure([SAMPLE], searcher, advance=advanced.append)
    assert [(answer.corpus, answer.ranked) for answer in made.answers] == [
        ("boats", ("1", "2")),
        ("boats", ("1", "2")),
        ("boats", ()),
        ("boats", ("2",)),
        ("dogs", ("1",)),
    ]
    assert searcher.asked == [DEPTH] * 5
    assert len(advanced) == steps([SAMPLE]) == 7
    assert set(advanced) == {"Sample boats", "Sample dogs"}


async def test_the_total_leaves_out_what_is_reported_apart() -> None:
    made = await result()
    assert {name: scores.questions for name, scores in made.categories.items()} == {"easy": 3, "hard": 1, "trick": 1}
    assert list(made.categories)[-1] == "trick"
    assert made.total.questions == 4
    assert made.total.r10 == 3 / 4
    assert (made.documents, made.unusable) == (3, 3)
    assert made.search_seconds > 0


async def test_a_result_goes_into_json_without_the_texts() -> None:
    made = (await result()).to_json()
    written = json.dumps(made)
    assert made["categories"]["ALL"]["r10"] == 0.75
    assert "boat" not in written


async def test_nothing_to_measure_is_no_error() -> None:
    (made,) = await measure([DataSet("Empty", ())], Words())
    assert made.categories == {}
    assert made.search_seconds == 0
    assert made.total.questions == 0


@pytest.fixture
def narrow() -> Iterator[None]:
    """Consoles for this test alone: they keep the streams that they are made with."""
    output.console.cache_clear()
    yield
    output.console.cache_clear()


@pytest.mark.usefixtures("narrow")
async def test_a_table_shows_each_category(capsys: pytest.CaptureFixture[str]) -> None:
    results.show(await measure([SAMPLE], Words()))
    printed, complaint = capsys.readouterr()
    lines = [line.split() for line in printed.splitlines()]
    assert ["Sample"] in lines
    assert ["ALL", "4", *["0.750"] * 6] in lines
    assert ["hard", "1", *["0.000"] * 6] in lines
    assert ["trick", "*", "1", *["1.000"] * 6] in lines
    assert "3 questions name no document" in " ".join(printed.split())
    assert max(map(len, printed.splitlines())) <= 80
    assert not complaint


@pytest.mark.usefixtures("narrow")
async def test_json_is_printed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    results.show(await measure([SAMPLE], Words()), as_json=True)
    (made,) = json.loads(capsys.readouterr().out)
    assert made["name"] == "Sample"
    assert made["categories"]["hard"]["questions"] == 1


@pytest.mark.usefixtures("narrow")
async def test_a_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot(await measure([SAMPLE, DataSet("Empty", ())], Words()), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(PNG)


async def test_a_picture_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(InputError, match="cannot be written"):
        plot([await result()], tmp_path / "nowhere" / "picture.png")
