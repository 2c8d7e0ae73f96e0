"""Rejected stays rejected: whatever way a value comes back, a person has to say so; each with a positive control."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

import memoranda
from memoranda import NewFact, Scope
from memoranda.embedders import FunctionEmbedder
from memoranda.errors import ForbiddenError
from memoranda.facttypes import Dedup
from memoranda.memory import Binding
from memoranda.transport import Json
from memoranda.transport.embedded import EmbeddedServer
from support.databases import Database, drop_database, migrated
from support.embedders import words_embedder

VALUE = "Lives in Élise's old café at Łódź, ﬁrst floor"

SPELLINGS = [
    VALUE,
    VALUE.upper(),
    VALUE.lower(),
    VALUE.title(),
    VALUE.swapcase(),
    f"  {VALUE}  ",
    f"\n{VALUE}\n\n",
    VALUE.replace(" ", "  "),
    VALUE.replace(" ", "\t"),
    VALUE.replace(" ", "\n"),
    VALUE.replace(" ", "\r\n"),
    VALUE.replace(" ", "\u00a0"),
    VALUE.replace(" ", "\u3000"),
    VALUE.replace(" ", "\u2003"),
    VALUE.replace(" ", "\u202f"),
    VALUE.replace(" ", " \u200b"),
    *(VALUE[:4] + hidden + VALUE[4:] for hidden in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u180b\ufe0f"),
    VALUE.replace("ﬁ", "fi"),
    unicodedata.normalize("NFC", VALUE),
    unicodedata.normalize("NFD", VALUE),
    unicodedata.normalize("NFKC", VALUE),
    unicodedata.normalize("NFKD", VALUE).upper(),
    "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in VALUE),
    "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in VALUE.upper()).replace(" ", "\u3000"),
    "\u2067" + VALUE + "\u2069",
]


LOCALES = {
    "none": "locale_provider libc locale 'C'",
    "Unicode": "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'",
    "Unicode, full": "locale_provider builtin builtin_locale 'PG_UNICODE_FAST' locale 'C'",
    "Turkish": "locale_provider libc locale 'tr_TR.UTF-8'",
}
"""`lower('É')` is not the same in the first two, nor `upper('ß')` in the next two, nor `lower('I')` in the last."""


@pytest.fixture(params=LOCALES)
async def anywhere(server: EmbeddedServer, request: pytest.FixtureRequest) -> AsyncIterator[memoranda.Store]:
    """A store in a database of one locale, and of another."""
    database = Database(server, f"test_{uuid4().hex[:12]}")
    locale = LOCALES[request.param]
    with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
        try:
            conn.execute(f"create database {database.name} template template0 encoding utf8 {locale}".encode())
        except psycopg.errors.Error as error:
            if request.param in ("none", "Unicode"):
                raise
            pytest.skip(f"this server has no such locale: {error}")
    await migrated(database)
    async with memoranda.connect(database.dsn()) as store:
        yield store
    drop_database(database)


def private(memory: memoranda.Memory) -> Binding:
    """What an actor of another kind calls the doors by."""
    return memory.facts._binding  # pyright: ignore[reportPrivateUsage]


def forms() -> Iterator[NewFact]:
    for n, spelling in enumerate(SPELLINGS):
        yield NewFact(spelling)
        yield NewFact(spelling, key=f"k{n}", kind="preference")
        yield NewFact(spelling, key="mine", quote=VALUE, source="a source", tags=["t"], importance=10)


async def test_a_forgotten_value_comes_back_in_no_spelling_and_under_no_key(anywhere: memoranda.Store) -> None:
    assert len(set(SPELLINGS)) >= 30
    await anywhere.settings.set("review", "none", user="alice")  # so that nothing waits for another reason
    memory, other = anywhere.memory("alice"), anywhere.memory("bob")
    saved = await memory.facts.save(VALUE)
    assert isinstance(saved.id, UUID)
    await memory.facts.forget(saved.id)
    for fact in forms():
        one = await memory.facts.save(fact.content, key=fact.key, kind=fact.kind)
        assert (one.outcome, one.rule, one.id, one.compared) == ("rejected", "tombstone", None, saved.id), fact
    assert {outcome.outcome for outcome in await memory.facts.save_many(list(forms()))} == {"rejected"}
    extracted = [NewFact(spelling, quote=VALUE) for spelling in SPELLINGS]
    assert {o.outcome for o in await memory.facts.save_extracted(extracted, said=VALUE)} == {"rejected"}
    assert await memory.facts.recall() == []
    assert await memory.review.count() == 0
    assert (await memory.facts.save(VALUE + ", no longer")).outcome == "stored"
    assert (await other.facts.save(VALUE)).outcome == "stored", "another's memory is another's"


@pytest.mark.parametrize("key", [None, "mine"])
@pytest.mark.parametrize("how", ["rejected", "forgotten", "forgotten while it waited"])
async def test_a_value_comes_back_by_no_way_in(alice: memoranda.Memory, how: str, key: str | None) -> None:
    """By a job, an import, the model, a correction, in the place of another, as an edit: a person has to say so."""
    saved = await alice.facts.save(VALUE, key=key, review=how != "forgotten")
    assert saved.id is not None
    await (alice.review.reject(saved.id) if how == "rejected" else alice.facts.forget(saved.id))
    rows: list[Json] = [fact.to_json() for fact in forms()]
    for actor in ("model", "extractor", "import", "system", "application"):
        call: Json = {"actor": actor}
        ways: list[tuple[str, dict[str, Json]]] = [
            *(("facts_save", {"fact": row, "call": call}) for row in rows[::7]),
            *(("facts_save_many", {"facts": rows[n:], "call": call}) for n in (0, -50)),
            ("facts_save_extracted", {"facts": rows, "call": {}}),
        ]
        for function, given in ways:
            answer: Any = await private(alice).call(function, given)
            assert {one["outcome"] for one in answer.get("outcomes", [answer])} == {"rejected"}, (function, given)
    there = await alice.facts.save("Lives nowhere in particular", key="home")
    assert there.id is not None
    for spelling in SPELLINGS:
        assert (await alice.facts.correct("home", spelling)).outcome == "rejected"
        assert (await alice.facts.correct(there.id, spelling)).outcome == "rejected"
        assert (await alice.facts.supersede(there.id, spelling)).outcome == "rejected"
        assert (await alice.facts.save(spelling, supersedes=there.id, dedup="off")).outcome == "rejected"
    assert [fact.content for fact in await alice.facts.recall()] == ["Lives nowhere in particular"]
    assert await alice.review.count() == 0
    assert (await alice.facts.save(SPELLINGS[-1], restore=True)).restored, "and a person can"


@pytest.mark.parametrize("key", [None, "mine"])
async def test_a_value_with_other_punctuation_waits_without_an_embedder_too(
    alice: memoranda.Memory, key: str | None
) -> None:
    saved = await alice.facts.save("Lives in Oslo.", key=key)
    await alice.facts.forget(saved.id or UUID(int=0))
    modes: tuple[Dedup, ...] = ("full", "off")
    for other_key in (None, "mine", "other"):
        for dedup in modes:
            again = await alice.facts.save("lives in Oslo!", key=other_key, dedup=dedup)
            assert (again.outcome, again.rule, again.compared) == ("pending", "near tombstone", saved.id)
    many = await alice.facts.save_many(["Lives in 'Oslo'", *(f"Has been in street {n} once" for n in range(101))])
    assert [outcome.outcome for outcome in many[:2]] == ["pending", "stored"]
    assert "Oslo" not in str([fact.content for fact in await alice.facts.recall(200)])


async def test_other_scopes_are_not_asked(store: memoranda.Store) -> None:
    here, there = store.memory("alice"), store.memory("alice", scope=Scope.agent("a"))
    for memory in (here, there):
        await memory.facts.save("Likes tea.", key="k")
    await here.facts.forget("k")
    assert (await here.facts.save("Likes tea.")).outcome == "rejected"
    assert (await there.facts.save("Likes tea.")).outcome == "duplicate"


@pytest.mark.parametrize("actor", ["model", "extractor", "import", "system"])
async def test_only_the_application_brings_a_value_back_and_the_outcome_says_so(
    store: memoranda.Store, actor: str
) -> None:
    memory = store.memory("alice")
    await memory.facts.save("Likes tea.", key="k")
    await memory.facts.forget("k")
    with pytest.raises(ForbiddenError):
        await private(memory).call(
            "facts_save", {"fact": {"content": "Likes tea.", "restore": True}, "call": {"actor": actor}}
        )
    assert (await memory.facts.save("Likes tea.")).outcome == "rejected"
    back = await memory.facts.save("Likes tea.", restore=True)
    assert (back.outcome, back.restored) == ("stored", True)
    assert (await memory.facts.save("Likes TEA.")).outcome == "duplicate"
    await memory.facts.forget(back.id or UUID(int=0))
    assert (await memory.facts.save("Likes tea.")).outcome == "rejected"


async def test_a_word_under_a_key_says_nothing_of_other_keys(alice: memoranda.Memory) -> None:
    await alice.facts.save("yes", key="newsletter")
    await alice.facts.forget("newsletter")
    assert (await alice.facts.save("yes", key="newsletter")).outcome == "rejected"
    assert (await alice.facts.save("YES")).outcome == "rejected"
    assert (await alice.facts.save("yes", key="newsletter!")).outcome == "stored"
    assert (await alice.facts.save("yes.", key="dark mode")).outcome == "stored"
    assert (await alice.facts.save("Yes!", key="newsletter")).outcome == "pending"


async def test_another_word_under_the_same_key_is_another_value(database: Database) -> None:
    same = FunctionEmbedder(lambda texts: [[1.0, 0.5] for _ in texts], model="same", dimensions=2)
    async with memoranda.connect(database.dsn(), embedder=same) as store:
        facts = store.memory("alice").facts
        await facts.save("GBP", key="currency")
        await facts.forget("currency")
        assert (await facts.save("GBP", key="currency")).outcome == "rejected"
        assert (await facts.save("EUR", key="currency")).outcome == "stored"


async def test_what_is_like_a_forgotten_value_waits(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder(512)) as store:
        memory = store.memory("alice")
        saved = await memory.facts.save("The user is married to Anna Schmidt since June")
        await memory.facts.forget(saved.id or UUID(int=0))
        like_it = await memory.facts.save("Since June the user is married to Anna Schmidt.")
        assert (like_it.outcome, like_it.rule, like_it.compared) == ("pending", "near tombstone", saved.id)
        assert await memory.facts.search("Anna Schmidt") == []
        assert (await memory.facts.save("The user plays chess on Sundays")).outcome == "stored"
        waiting = (await memory.review.pending())[0]
        assert waiting.compared is not None
        assert waiting.compared.content == "The user is married to Anna Schmidt since June"
        approved = await memory.review.approve(waiting.fact.id)
        assert (approved.outcome, approved.embedded) == ("stored", True)
        assert (await memory.facts.search("Anna Schmidt", 1))[0].similarity is not None


async def test_a_translation_of_a_forgotten_value_waits(database: Database) -> None:
    same = FunctionEmbedder(lambda texts: [[1.0, 0.5] for _ in texts], model="same", dimensions=2)
    async with memoranda.connect(database.dsn(), embedder=same) as store:
        facts = store.memory("alice").facts
        saved = await facts.save("The user works as a veterinarian in Vienna")
        await facts.forget(saved.id or UUID(int=0))
        translated = await facts.save("El usuario trabaja como veterinario en Viena")
        assert (translated.outcome, translated.rule, translated.threshold) == ("pending", "near tombstone", 0.6)
        assert (await facts.save("The user works as a veterinarian in Rome")).outcome == "stored"


async def test_undo_brings_no_rejected_value_back(store: memoranda.Store) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    await mine.facts.save("Likes tea.", key="rejected since")
    await mine.facts.save("Likes rum.", key="as it was")
    await run.facts.save("Likes beer.", key="rejected since")
    await run.facts.save("Likes gin.", key="as it was")
    again = await mine.facts.save("Likes tea.")
    await mine.facts.forget(again.id or UUID(int=0))
    undone = await mine.undo(run_id="r")
    assert (undone.restored, undone.kept) == (("as it was",), ("rejected since",))
    assert {fact.content for fact in await mine.facts.recall()} == {"Likes rum.", "Likes beer."}


async def test_undo_of_a_forgetting_takes_its_tombstone_along(store: memoranda.Store) -> None:
    mine, run = store.memory("alice"), store.memory("alice", run_id="r")
    saved = await mine.facts.save("Likes tea.")
    await run.facts.forget(saved.id or UUID(int=0))
    assert len((await mine.undo(run_id="r")).restored) == 1
    assert [fact.content for fact in await mine.facts.recall()] == ["Likes tea."]
    assert (await mine.facts.save("Likes tea.")).outcome == "duplicate"


async def test_restore_brings_back_what_was_forgotten_with_its_vector(database: Database) -> None:
    async with memoranda.connect(database.dsn(), embedder=words_embedder()) as store:
        facts = store.memory("alice").facts
        saved = await facts.save("Likes tea.", tags=["drinks"], kind="preference")
        await facts.forget(saved.id or UUID(int=0))
        assert await facts.search("tea") == []
        back = await facts.restore(saved.id or UUID(int=0), reason="a slip")
        assert (back.outcome, back.rule, back.restored, back.embedded) == ("stored", "restored", True, True)
        hit = (await facts.search("tea"))[0]
        assert (hit.fact.content, hit.fact.tags, hit.fact.kind) == ("Likes tea.", ("drinks",), "preference")
        assert hit.similarity is not None
