"""Two thousand statements that have nothing to do with each other: none retires another, and none is lost."""

from __future__ import annotations

from collections import Counter

import pytest

import memoranda
from memoranda import Scope
from memoranda.embedders import FunctionEmbedder, as_embedder
from memoranda.embedding import embed_checked
from support.databases import Database
from support.unrelated import statements

pytestmark = pytest.mark.slow


async def known(texts: list[str]) -> FunctionEmbedder:
    """The local embedder's vectors, made once."""
    local = as_embedder("local")
    assert local
    made = dict(zip(texts, await embed_checked(local, texts, "document"), strict=True))
    return FunctionEmbedder(
        lambda wanted: [list(made[text]) for text in wanted], model="known", dimensions=len(made[texts[0]])
    )


async def test_of_2000_unrelated_saves_none_retires_anything(database: Database) -> None:
    texts = list(statements())
    assert len(set(texts)) == 2000
    async with memoranda.connect(database.dsn(), embedder=await known(texts), timeout=120) as store:
        ways = [store.memory("alice", scope=Scope.project(name)).facts for name in ("one", "hundred", "all")]
        decided = [await ways[0].save(text) for text in texts]
        decided += [o for at in range(0, 2000, 100) for o in await ways[1].save_many(texts[at : at + 100])]
        decided += await ways[2].save_many(texts)
        again = await ways[0].save_many(texts[:100])
    wrong = [(text, o) for text, o in zip(texts * 3, decided, strict=True) if o.outcome != "stored"]
    assert not wrong, wrong[:5]
    print(Counter(outcome.rule for outcome in decided))
    with database.admin() as conn:
        rows = conn.execute("select scope_id, status, count(*) from memoranda_private.facts group by 1, 2 order by 1")
        assert rows.fetchall() == [(name, "confirmed", 2000) for name in ("all", "hundred", "one")]
    assert {outcome.outcome for outcome in again} == {"duplicate"}, "and what is there already is known"
