"""What every transport must do, whatever it speaks: a class of tests to inherit."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from memoranda.errors import (
    AmbiguousError,
    ConflictError,
    EmptyError,
    ForbiddenError,
    IdempotencyError,
    IdentityError,
    InputError,
    MemorandaError,
    NotFoundError,
    UnavailableError,
)
from memoranda.identity import Identity
from memoranda.transport import NOBODY, SERVICE, Caller, Json, Transport

TEXT = "naïve “quotes” 'and' \\ back\\slashes, {braces}, %s, $1, a\ttab\nand a line; Привет, 日本語, שלום, 👩‍👧, \u200d"
"""What a program that puts statements together itself would stumble over."""

NESTED: Json = {"a": [1, -2, 0.5, 1e20, True, False, None, "", [], {}, TEXT], "b": {"c": {"d": [{"e": "f"}]}}}


class TransportSuite:
    """Inherit it, and give it the fixture ``transport``, open, to a database with our schema that may be written to."""

    async def test_a_call_is_made_as_its_caller_and_leaves_nothing_of_them(self, transport: Transport) -> None:
        alice, bob = someone("alice"), someone("bob")
        for caller in (alice, bob, alice):
            found: Any = await transport.call("whoami", {}, caller)
            assert found["user"] == caller.claims["sub"]
            assert found["bound"] is True, "row-level security does not apply"
            nobody: Any = await transport.call("whoami", {}, SERVICE)
            assert nobody["user"] is None

    async def test_what_one_user_keeps_no_other_finds(self, transport: Transport) -> None:
        alice, bob = someone("alice"), someone("bob")
        saved: Any = await save(transport, alice, "Lives in Porto.", key="city")
        assert await contents(transport, alice) == ["Lives in Porto."]
        assert await contents(transport, bob) == []
        target: Json = {"id": saved["id"]}
        with pytest.raises(NotFoundError):
            await transport.call("facts_correct", {"place": {}, "target": target, "fact": {"content": "x"}}, bob)
        other: Json = {"tenant": str(alice.claims["sub"])}
        with pytest.raises(ForbiddenError):
            await transport.call("facts_recall", {"place": other, "query": {}}, bob)
        assert await contents(transport, alice) == ["Lives in Porto."]

    async def test_nobody_and_a_service_see_no_memory(self, transport: Transport) -> None:
        await save(transport, someone("alice"), "Lives in Porto.")
        for caller in (SERVICE, NOBODY):
            with pytest.raises((IdentityError, ForbiddenError)):
                await transport.call("facts_recall", {"place": {}, "query": {}}, caller)
            with pytest.raises((IdentityError, ForbiddenError)):
                await save(transport, caller, "forged")

    async def test_what_is_for_services_is_closed_to_users_and_open_to_services(self, transport: Transport) -> None:
        tenant = f"acme {uuid4()}"
        member: Json = {"tenant": tenant, "user": "alice", "permission": "read"}
        with pytest.raises(ForbiddenError):
            await transport.call("members_set", {"member": member}, someone("alice"))
        await transport.call("members_set", {"member": member}, SERVICE)
        found: Any = await transport.call("members_list", {"member": {"tenant": tenant}}, SERVICE)
        assert [each["permission"] for each in found] == ["read"]

    async def test_a_member_acts_in_their_tenant(self, transport: Transport) -> None:
        tenant = f"acme {uuid4()}"
        name = f"ann {uuid4()}"
        member: Json = {"tenant": tenant, "user": name, "permission": "manage"}
        await transport.call("members_set", {"member": member}, SERVICE)
        place: Json = {"tenant": tenant, "scope": "organization"}
        ann = Caller.of(Identity.of(name))
        fact: Json = {"content": "Invoices are due in 30 days."}
        await transport.call("facts_save", {"place": place, "fact": fact, "call": {}}, ann)
        found: Any = await transport.call("facts_recall", {"place": place, "query": {}}, ann)
        assert [each["content"] for each in found] == ["Invoices are due in 30 days."]

    async def test_texts_and_json_come_back_as_they_went(self, transport: Transport) -> None:
        alice = someone("alice")
        fact: Json = {"content": TEXT, "metadata": NESTED, "tags": ["a", TEXT[:100]]}
        await transport.call("facts_save", {"place": {}, "fact": fact, "call": {}}, alice)
        (found,) = await recalled(transport, alice)
        assert found["content"] == TEXT
        assert found["metadata"] == NESTED
        assert sorted(found["tags"]) == sorted(["a", TEXT[:100]])

    async def test_a_large_text_gets_through(self, transport: Transport) -> None:
        alice = someone("alice")
        await save(transport, alice, "𝄞" * 90_000)
        (found,) = await contents(transport, alice)
        assert found == "𝄞" * 90_000

    async def test_arguments_may_be_lists_be_left_out_and_answers_may_be_nothing(self, transport: Transport) -> None:
        alice = someone("alice")
        facts: Json = [{"content": "One."}, {"content": "Two.", "key": "k"}]
        done: Any = await transport.call("facts_save_many", {"place": {}, "facts": facts}, alice)
        assert len(done["outcomes"]) == 2
        file: Any = await transport.call("files_view", {"place": {}, "target": {"path": "none.md"}}, alice)
        assert file is None or isinstance(file, dict)

    async def test_errors_are_ours_with_the_databases_words(self, transport: Transport) -> None:
        alice = someone("alice")
        with pytest.raises(EmptyError) as empty:
            await save(transport, alice, " ")
        assert empty.value.message.startswith("The content")
        await save(transport, alice, "x", key="k")
        with pytest.raises(ConflictError):
            await save(transport, alice, "y", key="k", expected_version=7)
        file: Json = {"path": "a.md", "content": "one\none"}
        await transport.call("files_write", {"place": {}, "file": file, "call": {}}, alice)
        edit: Json = {"path": "a.md", "old": "one", "new": "two"}
        with pytest.raises(AmbiguousError) as ambiguous:
            await transport.call("files_replace", {"place": {}, "edit": edit, "call": {}}, alice)
        assert ambiguous.value.detail["lines"] == [1, 2]
        with pytest.raises(InputError):
            await transport.call("facts_recall", {"place": {}, "query": {"limit": "many"}}, alice)
        with pytest.raises(MemorandaError):
            await transport.call("no_such_function", {}, alice)
        assert len(await contents(transport, alice)) == 1, "the transport is of use still"

    async def test_a_write_with_a_key_happens_once(self, transport: Transport) -> None:
        alice = someone("alice")
        sent = await asyncio.gather(*(save(transport, alice, "Once.", call={"idempotency_key": "k"}) for _ in range(4)))
        assert len({each["id"] for each in sent}) == 1
        assert len(await contents(transport, alice)) == 1
        with pytest.raises(IdempotencyError):
            await save(transport, alice, "Twice.", call={"idempotency_key": "k"})

    async def test_many_calls_at_once_keep_apart(self, transport: Transport) -> None:
        users = [someone(f"user {n}") for n in range(12)]

        async def use(caller: Caller, turn: int) -> None:
            me = str(caller.claims["sub"])
            await save(transport, caller, f"{me} {turn}", key=f"{turn}")
            assert {text.split()[0] for text in await contents(transport, caller)} == {me}

        await asyncio.gather(*(use(caller, turn) for turn in range(3) for caller in users))

    async def test_a_call_that_is_given_up_leaves_the_transport_of_use(self, transport: Transport) -> None:
        alice = someone("alice")
        for turn in range(10):
            call = asyncio.create_task(save(transport, alice, f"Turn {turn}.", key=f"{turn}"))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        who = await asyncio.gather(*(transport.call("whoami", {}, someone(f"user {n}")) for n in range(8)))
        assert len({str(each) for each in who}) == 8

    async def test_what_is_closed_says_so_and_may_be_closed_again(self, transport: Transport) -> None:
        await transport.close()
        with pytest.raises(UnavailableError):
            await transport.call("whoami", {}, someone("alice"))
        await transport.close()
        await transport.open()
        found: Any = await transport.call("whoami", {}, someone("alice"))
        assert UUID(found["user"])


def someone(name: str) -> Caller:
    """A user whom nobody has met yet."""
    return Caller.of(Identity.of(f"{name} {uuid4()}"))


async def save(transport: Transport, caller: Caller, content: str, call: Json = None, **more: Json) -> Any:
    """Save a fact; the answer of the database."""
    fact: Json = {"content": content, **more}
    return await transport.call("facts_save", {"place": {}, "fact": fact, "call": call or {}}, caller)


async def recalled(transport: Transport, caller: Caller) -> list[dict[str, Any]]:
    """A user's facts."""
    found: Any = await transport.call("facts_recall", {"place": {}, "query": {}}, caller)
    return list(found)


async def contents(transport: Transport, caller: Caller) -> list[str]:
    """Their texts."""
    return [each["content"] for each in await recalled(transport, caller)]
