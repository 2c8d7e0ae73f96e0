"""Measures what each part of the search is worth, and prints the table of docs/search.md.

    python tests/evals/ablation.py --locomo FILE --beam FOLDER --xquad FOLDER

Not a test, and not run by pytest. The data sets are saved once, as `memoranda bench retrieval` saves them, into a
database that is made for it and goes. Then every question is asked with a part of the recipe left out or changed: in
the query, or in the text of a function in the database, which must contain what is to be changed. Shown is the share of
the evidence among the first ten (r@10), and for XQuAD how often the question's paragraph is the first (r@1).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

import memoranda
from memoranda import wire
from memoranda.bench.beam import read_beam
from memoranda.bench.locomo import read_locomo
from memoranda.bench.records import DataSet, Document
from memoranda.bench.retrieval import Result, measure
from memoranda.bench.store import StoreSearcher
from memoranda.bench.xquad import read_xquad
from memoranda.embedding import Kind, embed_checked
from memoranda.transport import Caller, Json
from memoranda.transport.local import LocalTransport

sys.path.insert(0, str(Path(__file__).parents[1]))  # for what evals share with tests

from support.functions import change_function


@dataclass(frozen=True)
class Variant:
    """A recipe: which lanes are asked, how the question becomes a vector, and what is another in the database.

    Attributes:
        name: What the table calls it.
        text: Whether words and names are asked.
        vector: Whether the vector is, and of which kind it is.
        changes: Function, what its text says, and what it says instead.
    """

    name: str
    text: bool = True
    vector: Kind | None = "query"
    changes: Sequence[tuple[str, str, str]] = field(default=())


NAMELESS = [("words_weighed", "dimension('@' || name), 16", "dimension('@' || name), 0")]
FUSION = """0.5 * coalesce(c.similarity, (select min(similarity) from compared), 0) + 0.5 * coalesce(c.words, 0)
                + case when c.named > 0 then 0.125 else 0 end"""


def weights(meaning: str, words: str, name: str) -> Sequence[tuple[str, str, str]]:
    changed = FUSION.replace("0.5 * coalesce(c.sim", f"{meaning} * coalesce(c.sim")
    changed = changed.replace("0.5 * coalesce(c.words", f"{words} * coalesce(c.words").replace("0.125", name)
    return [("facts_search", FUSION, changed)]


def ranks(k: int) -> Sequence[tuple[str, str, str]]:
    changed = f"coalesce(1.0 / ({k} + c.meaning_rank), 0) + coalesce(1.0 / ({k} + c.words_rank), 0)"
    return [("facts_search", FUSION, changed)]


VARIANTS = [
    Variant("the recipe"),
    Variant("meaning alone", text=False),
    Variant("meaning alone, question as it is", text=False, vector="document"),
    Variant("question as it is", vector="document"),
    Variant("words and names alone", vector=None),
    Variant("words alone", vector=None, changes=NAMELESS),
    Variant("without names", changes=NAMELESS),
    Variant("without the length", changes=[("words_score", "(70)::double precision", "1e9")]),
    Variant(
        "all words as rare",
        changes=[
            ("words_weighed", "ln(1 + greatest", "0 * ln(1 + greatest"),
            ("words_weighed", ") as rarity", ") + 1 as rarity"),
        ],
    ),
    Variant("rarity over all facts", changes=[("search_asked", "limit 500", "limit 1000000")]),
    Variant(
        "rarity over 100 facts",
        changes=[("search_asked", "limit 500", "limit 100"), ("search_asked", ">= 490", ">= 90")],
    ),
    Variant("length 52", changes=[("words_score", "(70)", "(52)")]),
    Variant("length 88", changes=[("words_score", "(70)", "(88)")]),
    Variant("meaning 0.375", changes=weights("0.375", "0.5", "0.125")),
    Variant("meaning 0.625", changes=weights("0.625", "0.5", "0.125")),
    Variant("name 0.094", changes=weights("0.5", "0.5", "0.094")),
    Variant("name 0.156", changes=weights("0.5", "0.5", "0.156")),
    Variant("ranks fused, k = 5", changes=ranks(5)),
    Variant("ranks fused, k = 60", changes=ranks(60)),
]


class Replayed(StoreSearcher):
    """Saves each corpus the first time only; asks by a variant, with vectors that were made before."""

    def __init__(self, store: memoranda.Store, vectors: dict[tuple[str, Kind], str], model: str) -> None:
        super().__init__(store)
        self.variant = VARIANTS[0]
        self._vectors, self._model = vectors, model
        self._saved: dict[str, memoranda.Memory] = {}

    async def index(self, documents: Sequence[Document], /) -> None:
        known = repr(documents)
        if known not in self._saved:
            await super().index(documents)
            assert self._memory is not None
            self._saved[known] = self._memory
        self._memory = self._saved[known]

    async def search(self, query: str, k: int, /) -> Sequence[str]:
        assert self._memory is not None
        wanted: dict[str, Json] = {"limit": k, "blend": False, "track_use": False}
        if self.variant.text:
            wanted["text"] = query
        if self.variant.vector is not None:
            wanted |= {"vector": self._vectors[query, self.variant.vector], "model": self._model}
        scope = self._memory.scope
        place: Json = {"scope": scope.name, "scope_id": scope.id}
        caller = Caller.of(self._memory.identity)
        found: Any = await self._store.transport.call("facts_search", {"place": place, "query": wanted}, caller)
        return [hit["fact"]["metadata"]["id"] for hit in found]


def change(conn: psycopg.Connection[Any], changes: Sequence[tuple[str, str, str]]) -> list[bytes]:
    """Change functions; returns how to put them back."""
    return [change_function(conn, *each) for each in changes][::-1]


def shown(results: Sequence[Result]) -> list[str]:
    figures: list[str] = []
    for result in results:
        if result.name == "XQuAD":
            figures += [f"{scores.r1:.3f}" for _, scores in sorted(result.categories.items())]
        else:
            figures.append(f"{result.total.r10:.3f}")
    return [figure.removeprefix("0") for figure in figures]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("locomo", "beam", "xquad"):
        parser.add_argument(f"--{name}", type=Path)
    given = parser.parse_args()
    readers = [(read_locomo, given.locomo), (read_beam, given.beam), (read_xquad, given.xquad)]
    datasets: list[DataSet] = [read(path) for read, path in readers if path]
    columns = [
        title
        for each in datasets
        for title in (sorted(c.name for c in each.corpora) if each.name == "XQuAD" else [each.name])
    ]
    with tempfile.TemporaryDirectory(prefix="memoranda-ablation-") as folder:
        os.chmod(folder, 0o755)  # under root, Postgres runs as another account
        transport = LocalTransport(Path(folder, "database"), timeout=600)
        async with memoranda.Store(transport, "local") as store:
            assert store.embedder is not None
            asked = sorted({q.text for each in datasets for c in each.corpora for q in c.questions})
            kinds: tuple[Kind, ...] = ("query", "document")
            vectors: dict[tuple[str, Kind], str] = {
                (text, kind): wire.vector(vector)
                for kind in kinds
                for text, vector in zip(asked, await embed_checked(store.embedder, asked, kind), strict=True)
            }
            model = f"{store.embedder.model}/{store.embedder.dimensions}"
            searcher = Replayed(store, vectors, model)
            print("| | " + " | ".join(columns) + " |")
            print("|---" * (1 + len(columns)) + "|")
            with psycopg.connect(transport.server.dsn(user="postgres"), autocommit=True) as conn:
                for searcher.variant in VARIANTS:
                    before = change(conn, searcher.variant.changes)
                    results = await measure(datasets, searcher)
                    for statement in before:
                        conn.execute(statement)
                    print(f"| {searcher.variant.name} | " + " | ".join(shown(results)) + " |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
