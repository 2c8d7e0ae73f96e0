"""Measures how often a rejected value is known again in other words and in other languages, and prints tables.

    python tests/evals/tombstones.py             # in a database that is made for it, and goes
    python tests/evals/tombstones.py --show      # and what was not caught

Not a test, and not run by pytest. Every pair is tried with the local embedder as an application would have it: a fact
is saved and forgotten in a scope of its own, and the other text of the pair is saved there. It is caught when it is
rejected, or waits for a person. The paraphrases are those of tests/evals/pairs; translations.jsonl, beside this file,
has statements in ten languages, each of which is offered in the nine others. What is caught in vain is measured over
the pairs that say something else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import memoranda
from memoranda import Scope
from memoranda.embedders import FunctionEmbedder, as_embedder
from memoranda.embedding import embed_checked
from support.databases import create_database, migrated, running_server
from support.pairs import LABELS, pairs

TRANSLATIONS = Path(__file__).parent / "translations.jsonl"
Offer = tuple[str, str, str]
"""What was rejected, what is offered, and under which heading that counts."""


async def caught(store: memoranda.Store, number: int, offer: Offer) -> bool:
    facts = store.memory("alice", scope=Scope.project(str(number))).facts
    old, new, _ = offer
    saved = await facts.save(old)
    assert saved.id is not None
    await facts.forget(saved.id)
    return (await facts.save(new)).outcome in ("pending", "rejected")


async def measured(offers: Sequence[Offer]) -> list[bool]:
    """Whether each offer is caught, texts being embedded once."""
    local = as_embedder("local")
    assert local
    texts = list(dict.fromkeys(text for old, new, _ in offers for text in (old, new)))
    made = dict(zip(texts, await embed_checked(local, texts, "document"), strict=True))
    known = FunctionEmbedder(
        lambda wanted: [list(made[text]) for text in wanted], model="known", dimensions=len(made[texts[0]])
    )
    with running_server() as server:
        database = create_database(server)
        await migrated(database)
        async with memoranda.connect(database.dsn(), embedder=known) as store:
            return [await caught(store, number, offer) for number, offer in enumerate(offers)]


def table(title: str, offers: Sequence[Offer], found: Sequence[bool]) -> None:
    by: dict[str, list[bool]] = defaultdict(list)
    for (_, _, heading), was in zip(offers, found, strict=True):
        by[heading].append(was)
    print(f"\n| {title} | offered | caught, % |\n|---|---:|---:|")
    for heading, all_of_it in by.items():
        print(f"| {heading} | {len(all_of_it)} | {100 * sum(all_of_it) / len(all_of_it):.0f} |")
    print(f"| all | {len(found)} | {100 * sum(found) / len(found):.0f} |")


def translations() -> Iterable[Offer]:
    for line in TRANSLATIONS.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        for one, other in permutations(sorted(said), 2):
            yield said[one], said[other], other


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how often rejected values are known again.")
    parser.add_argument("--show", action="store_true", help="print each offer that was not caught")
    given = parser.parse_args()
    others = [label for label in LABELS if label not in ("same", "paraphrase", "update")]
    sets: dict[str, list[Offer]] = {
        "the same words": [(p.old, p.new, p.language) for p in pairs() if p.label == "same"],
        "in other words": [(p.old, p.new, p.language) for p in pairs() if p.label == "paraphrase"],
        "translated into": list(translations()),
        "something else: caught in vain": [(p.old, p.new, p.label) for p in pairs() if p.label in others],
    }
    every = [offer for offers in sets.values() for offer in offers]
    found = asyncio.run(measured(every))
    for title, offers in sets.items():
        mine, found = found[: len(offers)], found[len(offers) :]
        table(title, offers, mine)
        if given.show and "vain" not in title:
            for (old, new, _), was in zip(offers, mine, strict=True):
                if not was:
                    print(f"  {old} | {new}")


if __name__ == "__main__":
    main()
