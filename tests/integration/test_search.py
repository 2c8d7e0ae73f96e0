"""Search: what is found by meaning, by words and by name, in which order, and what never is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

import memoranda
from memoranda import Hit, NewFact, Scope
from memoranda.errors import InputError, ScopeError, TimeError
from support.databases import Database
from support.embedders import bag_of_words, cosine, words_embedder

SOON = datetime.now(UTC) + timedelta(days=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def embedding(database: Database) -> AsyncIterator[memoranda.Store]:
    """A store with an embedder."""
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as opened:
        yield opened


def contents(hits: Sequence[Hit]) -> list[str]:
    return [hit.fact.content for hit in hits]


# By words alone


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("我住在上海浦东新区", "上海"),
        ("我住在上海浦东新区", "海"),
        ("昨日、東京タワーに登りました", "東京タワー"),
        ("ฉันอยู่ที่กรุงเทพมหานคร", "กรุงเทพ"),
        ("Елка стоит в Москве у реки", "ёлки"),
        ("Ёлка стоит в Москве у реки", "елка"),
        ("İstanbul'da yaşıyorum", "istanbul"),
        ("Isparta'dan ırmak kenarına taşındım", "IRMAK"),
        ("أعيش في القاهرة منذ عامين", "القاهرة"),
        ("كِتَابٌ على الطاولة", "كتاب"),
        ("Μένω στη Θεσσαλονίκη", "ΘΕΣΣΑΛΟΝΙΚΗ"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
        ("나는 서울에 산다", "서울에"),
        ("Crème brûlée is her favourite", "creme brulee"),
        ("Zażółć gęślą jaźń", "zazolc gesla jazn"),
        ("The Straße is closed", "strasse"),
        ("She was running marathons", "run marathon"),
        ("ＦＵＬＬ　ＷＩＤＴＨ text", "full width"),
    ],
)
async def test_words_are_found_in_every_script(alice: memoranda.Memory, content: str, query: str) -> None:
    await alice.facts.save_many(["Something else entirely", content, "一二三四五", "Совсем другое"])
    hits = await alice.facts.search(query, 1)
    assert contents(hits) == [content]
    assert hits[0].why.words
    assert hits[0].similarity is None


IDENTIFIERS = [
    *(f"XQ-{n}" for n in range(4471, 4491)),
    *(f"{name}.{n}@example.org" for n, name in enumerate(("ann", "bo", "cy", "di") * 5)),
    *(f"v{n}.{n * 3 % 7}.{n * 5 % 11}" for n in range(20)),
    *(f"/srv/app{n}/config_{n}.yaml" for n in range(20)),
    *(f"+49 30 {901820 + n * 37:06}-{n:02}" for n in range(20)),
]


def spelled(identifier: str) -> list[str]:
    """How a person may write it in a question."""
    ways = [identifier, f"({identifier}),", identifier.upper() + "?"]
    return [*ways, identifier.replace(" ", "").replace("-", "")] if identifier.startswith("+") else ways


async def test_an_exact_identifier_is_among_the_first_five(alice: memoranda.Memory) -> None:
    assert len(set(IDENTIFIERS)) == 100
    await alice.facts.save_many([f"The ticket about {each} is open since May, see the board" for each in IDENTIFIERS])
    missed = [
        way
        for identifier in IDENTIFIERS
        for way in spelled(identifier)
        if not any(identifier in found for found in contents(await alice.facts.search(f"what about {way}", 5)))
    ]
    assert missed == []


async def test_rare_words_count_more_than_common_ones(alice: memoranda.Memory) -> None:
    await alice.facts.save_many([f"the project meeting number {n} was long" for n in range(30)] + ["a zebra was seen"])
    assert contents(await alice.facts.search("project meeting zebra", 1)) == ["a zebra was seen"]


async def test_a_word_in_the_key_or_the_tags_finds_a_fact(alice: memoranda.Memory) -> None:
    await alice.facts.save("GBP", key="billing.currency", tags=["finance"])
    await alice.facts.save("other")
    assert (await alice.facts.search("currency", 1))[0].fact.content == "GBP"
    assert (await alice.facts.search("finance", 1))[0].fact.content == "GBP"


async def test_a_long_fact_is_found_by_every_word_of_it(alice: memoranda.Memory) -> None:
    words = [f"word{n}x" for n in range(3000)]
    await alice.facts.save_many([" ".join(words), "short"])
    for word in (words[0], words[1499], words[-1]):
        hits = await alice.facts.search(word, 1)
        assert hits[0].fact.content.startswith("word0x")
        assert hits[0].why.words


async def test_a_question_of_many_words_is_no_error(alice: memoranda.Memory) -> None:
    await alice.facts.save("The needle is here")
    assert await alice.facts.search(" ".join(f"hay{n}" for n in range(5000)) + " needle", 1)
    assert contents(await alice.facts.search("extraordinarily " * 60 + "needle", 1)) == ["The needle is here"]


@pytest.mark.parametrize(
    "query", ["", " ", "?!", "the of and", "\0", "\ud800", "'; drop table x", "a:* & !b", "%_", "🦓"]
)
async def test_a_question_without_words_brings_the_newest(alice: memoranda.Memory, query: str) -> None:
    await alice.facts.save("older")
    await alice.facts.save("newer")
    assert contents(await alice.facts.search(query)) == ["newer", "older"]


# By name


async def test_a_name_in_the_question_brings_forward_what_is_about_it(alice: memoranda.Memory) -> None:
    await alice.facts.save_many(
        [
            "[8 May] Melanie: I went to the museum with Caroline",
            "[8 May] Caroline: I went to the museum with Melanie",
            NewFact("The budget of it is 40,000", entities=["Project Falcon"]),
        ]
    )
    hit = (await alice.facts.search("when did Caroline's museum visit happen?", 1))[0]
    assert (hit.fact.entities, hit.why.named) == (("Caroline",), 1)
    assert (await alice.facts.search("what does project falcon cost?", 1))[0].fact.content.startswith("The budget")
    assert (await alice.facts.search("what does it cost?", 1, entities=["Project Falcon"]))[0].why.named == 1


# By meaning


async def test_the_similarity_is_the_cosine_and_the_order_a_rank(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    texts = ["cats sleep all day", "dogs bark at night", "cats and dogs", "the weather is fine"]
    await facts.save_many(texts)
    hits = await facts.search("do cats and dogs sleep", 4)
    assert set(contents(hits)) == set(texts)
    for hit in hits:
        exact = cosine(bag_of_words(hit.fact.content), bag_of_words("do cats and dogs sleep"))
        assert hit.similarity == pytest.approx(exact, abs=0.002)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    by_rank = sorted(hits, key=lambda hit: hit.why.meaning_rank or 0)
    assert [hit.why.meaning_rank for hit in by_rank] == [1, 2, 3, 4]
    similarities = [hit.similarity or 0 for hit in by_rank]
    assert similarities == sorted(similarities, reverse=True)


@pytest.mark.parametrize("dimensions", [3, 1024, 1025, 1536, 3072])
async def test_vectors_of_any_length(database: Database, dimensions: int) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(dimensions)) as store:
        facts = store.memory("alice").facts
        await facts.save_many([f"fact number {n} about topic{n}" for n in range(30)])
        hits = await facts.search("topic7", 5)
        exact = cosine(bag_of_words(hits[0].fact.content, dimensions), bag_of_words("topic7", dimensions))
        assert hits[0].similarity == pytest.approx(exact, abs=0.002)
        if dimensions > 3:
            assert hits[0].fact.content == "fact number 7 about topic7"


async def test_transcripts_are_found_by_meaning_alone(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    await facts.save("zebra zebra zebra", kind="transcript")
    await facts.save("a zebra was seen")
    hits = {hit.fact.kind: hit for hit in await facts.search("zebra")}
    assert hits["transcript"].why.words is None
    assert hits["transcript"].why.meaning_rank
    assert hits["fact"].why.words


async def test_as_many_as_were_asked_for_come_whoever_else_has_nearer_ones(
    embedding: memoranda.Store, database: Database
) -> None:
    facts = embedding.memory("alice").facts
    await facts.save_many([f"something {n} else" for n in range(12)])
    crowd(database, 20_000)
    for k in (1, 5, 10, 12):
        assert len(await facts.search("zebra", k)) == k
    assert len(await facts.search("zebra", 50)) == 12
    assert len(await facts.search("zebra", 10**6)) == 12
    assert [len(await facts.search("zebra", k)) for k in (0, -3)] == [1, 1]


def crowd(database: Database, count: int) -> None:
    """Facts of other people, each exactly what alice will ask for."""
    vector = json.dumps(bag_of_words("zebra"))
    with database.admin() as conn:
        conn.execute("set session_replication_role = replica; set search_path = memoranda_private, public")
        conn.execute(
            "insert into facts (tenant_id, owner_id, scope, scope_id, id, kind, content, status, origin, tainted,"
            " importance, tags, entities, metadata, value_hash, version, created_at, updated_at)"
            " select t, t, 'user', '', gen_random_uuid(), 'fact', 'zebra', 'confirmed', 'user', false,"
            " 5, '{}', '{}', '{}', sha256(t::text::bytea), 1, now(), now()"
            " from generate_series(1, %s) n, md5((n %% 50)::text) h, lateral (select h::uuid) x (t)",
            [count],
        )
        conn.execute(
            "insert into vectors (tenant_id, owner_id, scope, scope_id, model, fact_id, short)"
            " select tenant_id, owner_id, scope, scope_id, 'words/64', id, %s::halfvec"
            " from facts where content = 'zebra'",
            [vector],
        )


# What is never found


async def test_what_is_not_in_force_is_not_found_and_what_is_is(embedding: memoranda.Store) -> None:
    alice = embedding.memory("alice")
    facts = alice.facts
    await facts.save("zebra superseded", key="a")
    await facts.save("zebra in force", key="a")
    forgotten = await facts.save("zebra forgotten")
    assert forgotten.id
    await facts.forget(forgotten.id)
    await facts.save("zebra expired", expires_at=LONG_AGO)
    await facts.save("zebra not yet", valid_from=SOON)
    await facts.save("zebra no longer", valid_until=LONG_AGO)
    await facts.save("zebra still", valid_from=LONG_AGO, valid_until=SOON, expires_at=SOON)
    await embedding.memory("bob").facts.save("zebra of bob")
    await embedding.memory("alice", scope=Scope.agent("x")).facts.save("zebra of another scope")
    found = ["zebra in force", "zebra still"]
    for query in ("zebra", "zebra superseded forgotten expired not yet no longer bob another scope", "unrelated"):
        assert sorted(contents(await facts.search(query))) == found
        assert sorted(contents(await facts.search(query, kinds=["fact"]))) == found
    assert sorted(fact.content for fact in await facts.recall()) == found
    block = await alice.context("zebra")
    assert all((text in block.text) == (text in found) for text in ("zebra forgotten", "zebra not yet", *found))
    assert await facts.get(forgotten.id) is None


# Where, and which


async def test_several_scopes_in_one_order_each_hit_with_its_own(embedding: memoranda.Store) -> None:
    await embedding.members.set("acme", "alice", "manage")
    places = {
        scope: embedding.memory("alice", tenant="acme", scope=scope)
        for scope in (Scope.user(), Scope.agent("writer"), Scope.project("p"), Scope.organization())
    }
    for scope, memory in places.items():
        await memory.facts.save(f"zebra {scope.name}")
        await memory.facts.save(f"nothing {scope.name}")
    hits = await places[Scope.user()].facts.search("zebra", 4, scopes=list(places))
    assert {(hit.fact.scope[0], hit.fact.content) for hit in hits} == {(s.name, f"zebra {s.name}") for s in places}
    only = await places[Scope.user()].facts.search("zebra", scopes=[Scope.agent("writer")])
    assert {hit.fact.scope for hit in only} == {("agent", "writer")}
    with pytest.raises(ScopeError):
        await embedding.memory("alice").facts.search("zebra", scopes=[Scope.organization()])
    with pytest.raises(InputError, match="20 scopes"):
        await embedding.memory("alice").facts.search("zebra", scopes=[Scope.agent(str(n)) for n in range(21)])


async def test_filters(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    await facts.save_many(
        [
            NewFact("zebra one", kind="decision", tags=["a", "b"], importance=9, metadata={"cost": 5, "team": "x"}),
            NewFact(
                "zebra two", kind="event", tags=["a"], importance=2, metadata={"cost": 50, "on": True, "l": [1, 2]}
            ),
            NewFact("zebra three", valid_from=LONG_AGO, metadata={"cost": "5", "team": None}),
        ]
    )
    expected = {
        "one two three": {},
        "one": {"kinds": ["decision"]},
        "one two": {"kinds": ["decision", "event"], "tags": ["a"]},
        "two": {"kinds": ["event"], "tags": ["a"]},
        "": {"tags": ["a", "c"]},
        "three": {"until": LONG_AGO + timedelta(days=1)},
        "two one": {"since": LONG_AGO + timedelta(days=1)},
    }
    for names, filters in expected.items():
        found = {each.partition(" ")[2] for each in contents(await facts.search("zebra", **filters))}  # type: ignore[arg-type]
        assert found == set(names.split()), filters
    assert contents(await facts.search("zebra", min_importance=9)) == ["zebra one"]


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ({"cost": 5}, "one"),
        ({"cost": "5"}, "three"),
        ({"cost": {"gt": 5}}, "two"),
        ({"cost": {"gte": 5, "lt": 50}}, "one"),
        ({"cost": {"lte": 50}}, "one two"),
        ({"cost": {"ne": 5}}, "two three four"),
        ({"cost": {"in": [5, 50]}}, "one two"),
        ({"cost": {"exists": False}}, "four"),
        ({"team": {"exists": True}}, "one three"),
        ({"team": None}, "three"),
        ({"l": {"has": 2}}, "two"),
        ({"on": True, "cost": 50}, "two"),
        ({"'; drop table facts; --": {"eq": "'"}}, ""),
    ],
)
async def test_conditions_on_metadata_compare_like_with_like(
    alice: memoranda.Memory, where: dict[str, object], names: str
) -> None:
    await alice.facts.save_many(
        [
            NewFact("one", metadata={"cost": 5, "team": "x"}),
            NewFact("two", metadata={"cost": 50, "on": True, "l": [1, 2]}),
            NewFact("three", metadata={"cost": "5", "team": None}),
            NewFact("four"),
        ]
    )
    assert set(contents(await alice.facts.search("", where=where))) == set(names.split())


async def test_a_search_that_makes_no_sense_is_refused(alice: memoranda.Memory) -> None:
    with pytest.raises(InputError, match="op"):
        await alice.facts.search("x", where={"a": {"like": "b"}})
    with pytest.raises(InputError):
        await alice.facts.search("x", tags="abc")
    with pytest.raises(TimeError):
        await alice.facts.search("x", since=datetime(2030, 1, 1))  # noqa: DTZ001  # the point


async def test_min_similarity_is_a_floor_for_every_lane(embedding: memoranda.Store) -> None:
    facts = embedding.memory("alice").facts
    await facts.save_many(["zebra", "zebra " + " ".join(f"other{n}" for n in range(40)), "nothing"])
    assert contents(await facts.search("zebra", min_similarity=0.9)) == ["zebra"]
    assert await facts.search("zebra", min_similarity=1.1) == []
