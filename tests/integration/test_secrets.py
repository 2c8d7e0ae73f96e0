"""Secrets in what an application saves itself."""

from __future__ import annotations

import pytest

import memoranda
from memoranda.errors import SecretError
from support.conversations import CARD, TOKEN


async def test_they_are_stored_unless_it_has_them_masked_or_refused(alice: memoranda.Memory) -> None:
    facts = alice.facts
    assert (await facts.save(f"Pays with {CARD}.", key="stored")).outcome == "stored"
    assert (await facts.save(f"Pays with {CARD}.", key="masked", tags=[TOKEN], secrets="mask")).outcome == "stored"
    with pytest.raises(SecretError) as caught:
        await facts.save(f"Pays with {CARD}.", key="refused", secrets="refuse")
    assert CARD not in str(caught.value)
    with pytest.raises(SecretError):
        await facts.save_many(["Likes tea.", f"Uses {TOKEN}."], secrets="refuse")
    await facts.save_many([f"Uses {TOKEN}."], secrets="mask")
    found = {fact.content: fact.tags for fact in await facts.recall()}
    assert found == {
        f"Pays with {CARD}.": (),
        "Pays with [secret: card number].": ("[secret: key]",),
        "Uses [secret: key].": (),
    }
