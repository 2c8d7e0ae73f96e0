"""Measures the guard of near duplicates over the labelled pairs of tests/evals/pairs, and prints tables.

    python tests/evals/dedup.py                    # in a database that is made for it, and goes
    python tests/evals/dedup.py --dsn "host=..."   # in one that has the migrations, by a login that may call the rules
    python tests/evals/dedup.py --half check --show
    python tests/evals/dedup.py --held-out         # other pairs, which no rule was made on

Not a test, and not run by pytest. Cosines come from the local embedder. What the columns say, in per cent:

- false merges: of the pairs that are neither `same` nor `paraphrase`, those that were merged; in brackets, how many are
  near misses.
- missed merges: of `same` and `paraphrase`, those neither merged nor noted as similar; then of each apart.
- merged: of `same` and `paraphrase`, those that were merged outright.
- false retires: of the pairs that are no `update`, those where the older was superseded.
- missed updates: of `update`, those neither superseded nor noted as similar; in brackets, those not superseded.
- noted: of what is neither of these, those that were noted as similar: what a judge or a person looks at in vain.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

sys.path.append(str(Path(__file__).parents[1]))

from memoranda.embedders import as_embedder
from memoranda.embedding import embed_checked
from support.databases import create_database, migrated, running_server
from support.pairs import NEAR_MISSES, Pair, held_out, pairs

THRESHOLDS = (0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
Connection = psycopg.Connection[Any]
Vectors = np.ndarray[Any, np.dtype[np.float64]]
Decided = list[tuple[Pair, dict[str, Any]]]

DECIDE = """
    select memoranda_private.near_duplicate(old, new, cosine, %s)
      from unnest(%s::text[], %s::text[], %s::float8[]) with ordinality as given (old, new, cosine, at)
     order by at
"""


@contextmanager
def database(dsn: str | None) -> Generator[Connection]:
    if dsn:
        with psycopg.connect(dsn, autocommit=True) as conn:
            yield conn
        return
    with running_server() as server:
        made = create_database(server)
        asyncio.run(migrated(made))
        with made.admin() as conn:
            yield conn


async def vectors(texts: Sequence[str]) -> Vectors:
    embedder = as_embedder("local")
    assert embedder
    made = np.array(await embed_checked(embedder, texts, "document"))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


def decide(
    conn: Connection, olds: Sequence[str], news: Sequence[str], cosines: Iterable[float], threshold: float
) -> list[dict[str, Any]]:
    given = (threshold, list(olds), list(news), [float(cosine) for cosine in cosines])
    return [row[0] for row in conn.execute(DECIDE, given)]


def share(decided: Decided, labels: Iterable[str], *decisions: str, outside: bool = False) -> float:
    """How many of a hundred pairs with these labels, or without them, were decided so."""
    wanted = set(labels)
    chosen = [outcome["decision"] for pair, outcome in decided if (pair.label in wanted) != outside]
    return 100 * sum(decision in decisions for decision in chosen) / len(chosen) if chosen else 0.0


def row(title: str, decided: Decided) -> str:
    merged_near = sum(o["decision"] == "merge" for pair, o in decided if pair.label in NEAR_MISSES)
    linked = ("merge", "propose")
    figures = (
        f"{share(decided, ('same', 'paraphrase'), 'merge', outside=True):.1f} ({merged_near})",
        f"{100 - share(decided, ('same', 'paraphrase'), *linked):.1f}",
        f"{100 - share(decided, ('same',), *linked):.1f}",
        f"{100 - share(decided, ('paraphrase',), *linked):.1f}",
        f"{share(decided, ('same', 'paraphrase'), 'merge'):.1f}",
        f"{share(decided, ('update',), 'supersede', outside=True):.1f}",
        f"{100 - share(decided, ('update',), 'supersede', 'propose'):.1f}"
        f" ({100 - share(decided, ('update',), 'supersede'):.1f})",
        f"{share(decided, ('same', 'paraphrase', 'update'), 'propose', outside=True):.1f}",
    )
    return f"| {title} | {len(decided)} | {' | '.join(figures)} |"


HEADER = """
| {} | pairs | false merges | missed merges | of same | of others | merged | false retires | missed updates | noted |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def tables(conn: Connection, measured: Sequence[Pair], cosines: Sequence[float], threshold: float) -> Decided:
    olds, news = [pair.old for pair in measured], [pair.new for pair in measured]
    by_threshold = {
        each: list(zip(measured, decide(conn, olds, news, cosines, each), strict=True))
        for each in sorted({*THRESHOLDS, threshold})
    }
    print(HEADER.format("cosine"))
    for each, decided in by_threshold.items():
        print(row(f"{each:.2f}", decided))
    chosen = by_threshold[threshold]
    print(HEADER.format(f"language, at {threshold:.2f}"))
    for language in sorted({pair.language for pair in measured}):
        print(row(language, [one for one in chosen if one[0].language == language]))
    print(HEADER.format(f"half, at {threshold:.2f}"))
    for half in ("design", "check"):
        print(row(half, [one for one in chosen if one[0].half == half]))

    print("\n| label | merge | supersede | propose | none | told by its class |\n|---|---:|---:|---:|---:|---:|")
    for label in dict.fromkeys(pair.label for pair in measured):
        found = [share(chosen, (label,), decision) for decision in ("merge", "supersede", "propose", "none")]
        told = [outcome["rule"] == label for pair, outcome in chosen if pair.label == label]
        print(f"| {label} | {' | '.join(f'{x:.0f}' for x in found)} | {100 * sum(told) / len(told):.0f} |")

    print("\nWithout the guard, merging from a cosine alone:\n")
    print("| cosine | near misses merged | same and paraphrase merged |")
    print("|---|---:|---:|")
    for each in THRESHOLDS:
        above = [pair for pair, cosine in zip(measured, cosines, strict=True) if cosine >= each]
        near = sum(pair.label in NEAR_MISSES for pair in above) / sum(pair.label in NEAR_MISSES for pair in measured)
        same = ("same", "paraphrase")
        right = sum(pair.label in same for pair in above) / sum(pair.label in same for pair in measured)
        print(f"| {each:.2f} | {100 * near:.1f} | {100 * right:.1f} |")
    return chosen


def strangers(conn: Connection, made: Vectors, measured: Sequence[Pair], threshold: float) -> None:
    """Every text beside the five nearest of other lines: none of them may retire or be merged, whatever it is like."""
    texts = [text for pair in measured for text in (pair.old, pair.new)]
    lines = np.repeat(np.arange(len(measured)), 2)
    cosines = made @ made.T
    cosines[lines[:, None] == lines[None, :]] = -1
    nearest = np.argsort(-cosines, axis=1)[:, :5]
    given = [(i, int(j)) for i in range(len(texts)) for j in nearest[i] if texts[i] != texts[int(j)]]
    found = decide(
        conn, [texts[j] for _, j in given], [texts[i] for i, _ in given], [cosines[at] for at in given], threshold
    )
    print(f"\n{len(texts)} saves beside the five nearest of other pairs, {len(given)} decisions:")
    for decision in ("merge", "supersede", "propose"):
        print(f"- {decision}: {sum(outcome['decision'] == decision for outcome in found)}")
    for (i, j), outcome in zip(given, found, strict=True):
        if outcome["decision"] in ("merge", "supersede"):
            print(f"  {outcome['decision']} ({outcome['rule']}): {texts[j]} | {texts[i]}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the guard of near duplicates.")
    parser.add_argument("--dsn", help="a database with the migrations; without it, one is made")
    parser.add_argument("--half", choices=("design", "check"), help="only these pairs")
    parser.add_argument("--held-out", action="store_true", help="the pairs of held_out.jsonl instead")
    parser.add_argument("--threshold", type=float, default=0.65)
    parser.add_argument("--show", action="store_true", help="print each pair that was decided wrongly")
    given = parser.parse_args()
    measured = [pair for pair in (held_out() if given.held_out else pairs()) if given.half in (None, pair.half)]
    texts = [text for pair in measured for text in (pair.old, pair.new)]
    made = asyncio.run(vectors(texts))
    cosines = [float(made[at] @ made[at + 1]) for at in range(0, len(texts), 2)]
    with database(given.dsn) as conn:
        chosen = tables(conn, measured, cosines, given.threshold)
        strangers(conn, made, measured, given.threshold)
        olds, news = texts[::2] * 4, texts[1::2] * 4
        start = time.perf_counter()
        decide(conn, olds, news, cosines * 4, given.threshold)
        print(f"\n{(time.perf_counter() - start) / len(olds) * 1e6:.0f} µs a decision")
    if given.show:
        expected = {"same": ("merge", "propose"), "paraphrase": ("merge", "propose"), "update": ("supersede",)}
        for (pair, outcome), cosine in zip(chosen, cosines, strict=True):
            if outcome["decision"] not in expected.get(pair.label, ("none",)):
                found = f"{outcome['decision']}, {outcome['rule']}, {cosine:.2f}, {outcome['trigram']}"
                print(f"{pair.language} {pair.label}: {found}: {pair.old} | {pair.new}")


if __name__ == "__main__":
    main()
