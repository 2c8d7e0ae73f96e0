"""Tenants and members: read, manage, loss of membership, and personal tenants that take nobody."""

from __future__ import annotations

import pytest

import memoranda
from memoranda import Scope
from memoranda.errors import ForbiddenError, IdentityError, InputError, ScopeError


async def test_members_read_the_organisations_memory_and_managers_change_it(store: memoranda.Store) -> None:
    await store.members.set("acme", "mia", "manage")
    await store.members.set("acme", "rob")
    shared = {user: store.memory(user, tenant="acme", scope=Scope.organization()) for user in ("mia", "rob", "eve")}
    await shared["mia"].facts.save("We invoice in GBP.", key="currency")
    assert [fact.content for fact in await shared["rob"].facts.recall()] == ["We invoice in GBP."]
    with pytest.raises(ForbiddenError, match="manage"):
        await shared["rob"].facts.save("We invoice in EUR.", key="currency")
    with pytest.raises(ForbiddenError, match="manage"):
        await shared["rob"].facts.forget("currency")
    for attempt in (shared["eve"].facts.recall(), shared["eve"].facts.save("x", key="currency")):
        with pytest.raises(ForbiddenError, match="not a member"):
            await attempt
    entry = (await shared["rob"].facts.history("currency"))[0]
    assert entry.user == shared["mia"].identity.user


async def test_members_do_not_read_each_others_own_memory_managers_included(store: memoranda.Store) -> None:
    await store.members.set("acme", "mia", "manage")
    await store.members.set("acme", "rob")
    await store.memory("rob", tenant="acme").facts.save("rob's own", key="k")
    assert await store.memory("mia", tenant="acme").facts.recall() == []
    assert await store.memory("rob").facts.recall() == [], "what is kept in an organisation stays in it"


async def test_a_member_who_leaves_reads_nothing_there_any_more(store: memoranda.Store) -> None:
    await store.members.set("acme", "rob", "manage")
    own = store.memory("rob", tenant="acme")
    shared = store.memory("rob", tenant="acme", scope=Scope.organization())
    await own.facts.save("own", key="k")
    await shared.facts.save("shared", key="k")
    assert await store.members.remove("acme", "rob") is True
    for memory in (own, shared):
        for attempt in (memory.facts.recall(), memory.facts.history("k"), memory.facts.save("x", key="k")):
            with pytest.raises(ForbiddenError):
                await attempt
    assert await store.members.remove("acme", "rob") is False
    await store.members.set("acme", "rob")
    assert [fact.content for fact in await own.facts.recall()] == ["own"], "nothing was lost meanwhile"


async def test_a_member_can_be_demoted(store: memoranda.Store) -> None:
    await store.members.set("acme", "mia", "manage")
    await store.members.set("acme", "mia", "read")
    with pytest.raises(ForbiddenError):
        await store.memory("mia", tenant="acme", scope=Scope.organization()).facts.save("x", key="k")
    assert [member.permission for member in await store.members.list("acme")] == ["read"]


async def test_a_personal_tenant_takes_no_members(store: memoranda.Store) -> None:
    alice = store.memory("alice")
    await alice.facts.save("a", key="k")
    for tenant, user in ((alice.identity.user, "bob"), (alice.identity.user, alice.identity.user)):
        with pytest.raises(ForbiddenError, match="personal"):
            await store.members.set(tenant, user)
    await store.members.set("acme", "carol")
    with pytest.raises(ForbiddenError, match="personal"):
        await store.members.set(memoranda.name_id("user", "carol"), "bob")


async def test_a_personal_tenant_has_no_organisation(alice: memoranda.Memory, store: memoranda.Store) -> None:
    with pytest.raises(ScopeError):
        await store.memory("alice", scope=Scope.organization()).facts.recall()


async def test_a_user_and_an_organisation_of_one_name_are_strangers(store: memoranda.Store) -> None:
    await store.memory("acme").facts.save("a person's", key="k")
    await store.members.set("acme", "rob", "manage")
    shared = store.memory("rob", tenant="acme", scope=Scope.organization())
    assert await shared.facts.recall() == []


async def test_membership_refuses_what_makes_no_sense(store: memoranda.Store) -> None:
    with pytest.raises(InputError):
        await store.members.set("acme", "rob", "owner")  # type: ignore[arg-type]  # what an untyped caller might send
    with pytest.raises(IdentityError):
        await store.members.set("", "rob")
    with pytest.raises(IdentityError):
        await store.members.set("acme", " ")
