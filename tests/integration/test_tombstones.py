"""Rejected stays rejected: whatever way a value comes back, a person has to say so; each with a positive control."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterator
from uuid import UUID, uuid4

import psycopg
import pytest

import memoranda
from memoranda import NewFact, Scope
from memoranda.errors import ForbiddenError
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


@pytest.fixture(params=["locale_provider libc", "locale_provider builtin builtin_locale 'C.UTF-8'"])
async def anywhere(server: EmbeddedServer, request: pytest.FixtureRequest) -> AsyncIterator[memoranda.Store]:
    """A store in a database of one locale, and of another: `lower('É')` is not the same in the two."""
    database = Database(server, f"test_{uuid4().hex[:12]}")
    with psycopg.connect(server.dsn(user="postgres"), autocommit=True) as conn:
        conn.execute(
            f"create database {database.name} template template0 encoding utf8 locale 'C' {request.param}".encode()
        )
    await migrated(database)
    async with memoranda.connect(database.dsn()) as store:
        yield store
    drop_database(database)


def forms() -> Iterator[NewFact]:
    for n, spelling in enumerate(SPELLINGS):
        yield NewFact(spelling)
        yield NewFact(spelling, key=f"k{n}", kind="preference")


async def test_a_forgotten_value_comes_back_in_no_spelling_and_under_no_key(anywhere: memoranda.Store) -> None:
    assert len(set(SPELLINGS)) >= 30
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
    binding = memory.facts._binding  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ForbiddenError):
        await binding.call("facts_save", {"fact": {"content": "Likes tea.", "restore": True}, "call": {"actor": actor}})
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
    assert (await alice.facts.save("yes", key="dark mode")).outcome == "stored"


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
