"""What searching and saving look at, as the server counts it, in tables that were never analysed."""

from __future__ import annotations

import random

import pytest

import memoranda
from support.counting import counted, never_analysed
from support.databases import Database
from support.embedders import words_embedder

FACTS = 600
WORDS = [f"word{n}" for n in range(200)]

pytestmark = pytest.mark.direct("counts what one session's functions and tables were used for")


def sentences(count: int) -> list[str]:
    rng = random.Random(7)
    return [" ".join(rng.choices(WORDS, k=6)) for _ in range(count)]


async def test_a_search_compares_each_long_vector_once(database: Database) -> None:
    never_analysed(database, "facts", "terms", "vectors")
    async with memoranda.connect(database.dsn(), embedder=words_embedder(1536), timeout=60) as store:
        facts = store.memory("alice").facts
        await facts.save_many(sentences(FACTS), dedup="off")
        for _ in range(3):
            await facts.search("word1 word2 word3")
    compared = counted(database, "select sum(calls) from pg_stat_user_functions where funcname = 'hamming_distance'")
    assert 0 < compared <= 3 * FACTS


async def test_a_saved_fact_is_looked_up_by_its_id_and_not_in_all_of_its_scope(database: Database) -> None:
    never_analysed(database, "facts", "terms", "vectors")
    async with memoranda.connect(database.dsn(), embedder=words_embedder(), timeout=60) as store:
        await store.memory("alice").facts.save_many(sentences(FACTS), dedup="off")
    read = counted(database, "select idx_tup_fetch from pg_stat_user_tables where relname = 'facts'")
    assert read <= 10 * FACTS


async def test_a_word_of_one_fact_among_many_finds_it_whatever_else_is_asked(alice: memoranda.Memory) -> None:
    """How rare words are is counted over 500 facts; that must lose none."""
    await alice.facts.save_many([*sentences(1_500), "The zebra sleeps.", "An okapi sleeps, too."], dedup="off")
    for question in ("zebra", "word1 word2 zebra", "what does the zebra do?", "zebra unheardof"):
        found = [hit.fact.content for hit in await alice.facts.search(question, 3)]
        assert "The zebra sleeps." in found, question
