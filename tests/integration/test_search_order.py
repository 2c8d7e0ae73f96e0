"""The order of what a search finds: age, importance, use, and a reranker of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

import memoranda
from memoranda import Hit
from memoranda.errors import InputError
from support.databases import Database
from support.embedders import words_embedder


@pytest.fixture
async def embedding(database: Database) -> AsyncIterator[memoranda.Store]:
    """A store with an embedder."""
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as opened:
        yield opened


async def test_age_importance_and_use_move_the_order_a_little_and_can_be_switched_off(
    embedding: memoranda.Store, database: Database
) -> None:
    facts = embedding.memory("alice").facts
    saved = (("zebra one", "fact", 1), ("zebra two", "fact", 10), ("zebra three", "preference", 5))
    for content, kind, importance in saved:
        await facts.save(content, kind=kind, importance=importance)  # type: ignore[arg-type]
    with database.admin() as conn:
        conn.execute("alter table memoranda_private.facts disable trigger user")
        conn.execute("update memoranda_private.facts set created_at = created_at - interval '3 years'")
    plain = {hit.fact.content: hit for hit in await facts.search("zebra", blend=False, track_use=False)}
    assert [hit.score for hit in plain.values()] == [pytest.approx(plain["zebra one"].score)] * 3
    blended = {hit.fact.content: hit for hit in await facts.search("zebra", track_use=False)}
    why = {content: hit.why for content, hit in blended.items()}
    assert (why["zebra one"].recency, why["zebra three"].recency) == (0.75, 1)
    assert [why["zebra one"].importance, why["zebra two"].importance] == pytest.approx([0.92, 1.1])
    assert blended["zebra two"].score > blended["zebra one"].score
    for content, hit in blended.items():
        factor = hit.why.recency * hit.why.importance * hit.why.used
        assert hit.score == pytest.approx(plain[content].score * factor)


async def test_only_what_is_returned_counts_as_used(embedding: memoranda.Store, database: Database) -> None:
    facts = embedding.memory("alice").facts
    await facts.save_many(["zebra one", "zebra two", "zebra three"])

    def uses() -> dict[str, int]:
        with database.admin() as conn:
            return dict(
                conn.execute(
                    "select f.content, u.use_count from memoranda_private.facts f join memoranda_private.fact_uses u"
                    " on u.fact_id = f.id"
                ).fetchall()
            )

    await facts.search("zebra", track_use=False)
    await embedding.memory("alice").context("zebra")
    assert uses() == {}
    (hit,) = await facts.search("zebra two", 1)
    assert uses() == {hit.fact.content: 1}

    async def backwards(query: str, hits: Sequence[Hit]) -> list[float]:
        return [float(n) for n, _ in enumerate(hits)]

    (last,) = await facts.search("zebra two", 1, reranker=backwards)
    assert uses() == {hit.fact.content: 1, last.fact.content: 1}
    assert last.fact.content != hit.fact.content


async def test_a_reranker_gets_more_candidates_and_its_scores_are_the_order(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    await facts.save_many([f"zebra {n}" for n in range(20)])
    seen: list[int] = []

    async def by_number(query: str, hits: Sequence[Hit]) -> list[float]:
        seen.append(len(hits))
        return [float(hit.fact.content.split()[1]) for hit in hits]

    hits = await facts.search("zebra", 3, reranker=by_number)
    assert seen == [15]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    async def short(query: str, hits: Sequence[Hit]) -> list[float]:
        return [1.0]

    with pytest.raises(InputError, match="1 scores for 15"):
        await facts.search("zebra", 3, reranker=short)


async def test_many_searches_at_once_count_every_use(embedding: memoranda.Store, database: Database) -> None:
    import asyncio

    facts = embedding.memory("alice").facts
    await facts.save_many([f"zebra {n}" for n in range(5)])
    await asyncio.gather(*(facts.search("zebra") for _ in range(20)))
    with database.admin() as conn:
        counts = conn.execute("select use_count from memoranda_private.fact_uses").fetchall()
    assert counts == [(20,)] * 5
