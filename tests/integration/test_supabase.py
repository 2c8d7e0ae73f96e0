"""Over Supabase's protocols: whose token a call carries is whose memory it reaches, and nobody else's."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import jwt
import pytest
from supabase import AsyncClient, create_async_client
from supabase.lib.client_options import AsyncClientOptions

import memoranda
import memoranda.sync
from memoranda import Scope, TokenSigner
from memoranda.errors import ForbiddenError, IdentityError, InputError
from memoranda.identity import Identity
from memoranda.transport import SERVICE, Caller, Json
from support.databases import Database, create_database, drop_database, migrated
from support.standin import JWT_SECRET, PUBLISHABLE, SECRET, StandIn, token

pytestmark = pytest.mark.direct("it goes to the stand-in by itself")

ALICE = UUID("11111111-1111-4111-8111-111111111111")
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def project(stand_in: StandIn, direct_server: Any, template: str) -> Iterator[Database]:
    """A project for all tests of this module; each has users of its own."""
    made = create_database(direct_server, template)
    stand_in.prepare(made)
    asyncio.run(migrated(made))  # again, for the table of accounts has come since
    yield made
    stand_in.forget(made)
    drop_database(made)


@pytest.fixture(scope="module")
def url(stand_in: StandIn, project: Database) -> str:
    return stand_in.url(project)


@pytest.fixture
async def service(url: str) -> AsyncIterator[memoranda.Store]:
    async with memoranda.supabase(url, SECRET) as store:
        yield store


SignUp: TypeAlias = "Callable[[], Awaitable[tuple[AsyncClient, str]]]"


@pytest.fixture
async def sign_up(url: str) -> AsyncIterator[SignUp]:
    """Makes a client of somebody who has just signed up, and says their address."""
    clients: list[AsyncClient] = []

    async def signed_up() -> tuple[AsyncClient, str]:
        client = await create_async_client(url, PUBLISHABLE, AsyncClientOptions(auto_refresh_token=False))
        clients.append(client)
        email = f"{uuid4().hex}@example.com"
        await client.auth.sign_up({"email": email, "password": PASSWORD})
        return client, email

    yield signed_up
    for client in clients:
        await client.auth.close()


async def user_of(client: AsyncClient) -> UUID:
    found = await client.auth.get_user()
    assert found
    return UUID(found.user.id)


async def contents(memory: memoranda.Memory) -> list[str]:
    return [fact.content for fact in await memory.facts.recall(limit=200)]


async def test_a_client_that_signs_up_and_in_and_refreshes_has_a_memory_of_its_own(sign_up: SignUp) -> None:
    ours, email = await sign_up()
    theirs, _ = await sign_up()
    async with memoranda.supabase(ours) as store, memoranda.supabase(theirs) as other:
        me = await user_of(ours)
        memory = store.memory(me)
        await memory.facts.save("Prefers tea.", key="drink")
        session = await ours.auth.refresh_session()
        assert session.session
        assert await contents(memory) == ["Prefers tea."]

        await ours.auth.sign_out()
        with pytest.raises(IdentityError, match="no access token"):
            await contents(memory)
        await ours.auth.sign_in_with_password({"email": email, "password": PASSWORD})
        assert await contents(memory) == ["Prefers tea."]

        assert await contents(other.memory(await user_of(theirs))) == []
        with pytest.raises(IdentityError, match="another user"):
            await contents(other.memory(me))


async def test_a_session_that_was_ended_elsewhere_is_over(
    url: str, sign_up: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = await sign_up()
    me, session = await user_of(client), await client.auth.get_session()
    assert session
    async with memoranda.supabase(client) as store:
        await store.memory(me).facts.save("Here.")
        await client.auth.admin.sign_out(session.access_token)
        monkeypatch.setattr("supabase_auth._async.gotrue_client.EXPIRY_MARGIN", 7200)  # so that it is refreshed
        with pytest.raises(IdentityError, match="session is over"):
            await store.memory(me).facts.recall()


def forged() -> dict[str, str]:
    """Tokens of ALICE that are none, and one that is."""
    now, claims = int(time.time()), {"sub": str(ALICE), "role": "authenticated", "aud": "authenticated"}
    good = token(ALICE)
    head, body, signature = good.split(".")
    service = base64.urlsafe_b64encode(json.dumps({**claims, "role": "service_role"}).encode()).decode().rstrip("=")
    return {
        "good": good,
        "tampered signature": f"{head}.{body}.{'A' * len(signature)}",
        "tampered claims": f"{head}.{service}.{signature}",
        "wrong secret": jwt.encode({**claims, "exp": now + 60}, "another secret of thirty-two bytes"),
        "another algorithm": jwt.encode({**claims, "exp": now + 60}, JWT_SECRET * 2, "HS512"),
        "expired": jwt.encode({**claims, "exp": now - 600}, JWT_SECRET),
        "no algorithm": jwt.encode({**claims, "exp": now + 60}, "", "none"),
        "no user": jwt.encode({**claims, "sub": "", "exp": now + 60}, JWT_SECRET),
        "no token": "alice",
        "the publishable key": PUBLISHABLE,
        "the secret key": SECRET,
    }


@pytest.mark.parametrize("name", forged())
async def test_only_a_token_that_the_project_has_signed_gets_anything(
    url: str, service: memoranda.Store, name: str
) -> None:
    await service.memory(ALICE).facts.save("The safe is behind the picture.", key="safe")
    async with memoranda.supabase(url, PUBLISHABLE) as store:
        memory = store.memory(ALICE, access_token=forged()[name])
        if name == "good":
            assert await contents(memory) == ["The safe is behind the picture."]
            return
        with pytest.raises((IdentityError, ForbiddenError)) as refused:
            await memory.facts.recall()
        with pytest.raises((IdentityError, ForbiddenError)):
            await memory.facts.save("forged")
        assert "safe" not in str(refused.value)
        assert forged()[name] not in str(refused.value)
    assert await contents(service.memory(ALICE)) == ["The safe is behind the picture."]


async def test_a_publishable_key_alone_gets_nothing(url: str) -> None:
    async with memoranda.supabase(url, PUBLISHABLE) as store:
        with pytest.raises(IdentityError, match="no access token"):
            await store.memory(ALICE).facts.recall()
        for call in (store.queue(), store.erase(ALICE), store.members.set("acme", "alice"), store.purge()):
            with pytest.raises(ForbiddenError, match="own server"):
                await call
        with pytest.raises(IdentityError):
            store.memory()


async def test_a_token_of_a_user_reaches_no_door_for_services(url: str) -> None:
    async with memoranda.supabase(url, PUBLISHABLE, access_token=token("mallory")) as store:
        call = store.transport.call
        me = Caller.of(Identity.of("mallory"))
        whoami: Any = await call("whoami", {}, me)
        assert (whoami["role"], whoami["bound"]) == ("authenticated", True)
        doors: dict[str, dict[str, Json]] = {
            "call_as": {"claims": {"sub": str(ALICE)}, "request": {"function": "whoami"}},
            "members_list": {"member": {"tenant": "acme"}},
            "documents_list": {"document": {"user": str(ALICE)}},
        }
        for function, arguments in doors.items():
            with pytest.raises(ForbiddenError, match="Permission denied"):
                await call(function, arguments, me)


async def test_a_service_key_lends_a_user_to_one_call_and_only_what_users_may_do(service: memoranda.Store) -> None:
    call = service.transport.call
    await service.memory("olga").facts.save("Likes rye.")
    await service.memory("piet").facts.save("Likes wheat.")
    assert await contents(service.memory("olga")) == ["Likes rye."]
    whoami: Any = await call("whoami", {}, Caller.of(Identity.of("olga")))
    assert (whoami["user"], whoami["bound"]) == (str(Identity.of("olga").user), True)
    alone: Any = await call("whoami", {}, SERVICE)
    assert alone["user"] is None, "the identity was left behind"

    claims: Any = {"sub": str(Identity.of("olga").user)}
    for function in ("members_set", "erase_user", "call_as", "no_such_function", "pg_sleep", ""):
        with pytest.raises(ForbiddenError, match="No user may call"):
            await call("call_as", {"claims": claims, "request": {"function": function}}, SERVICE)
    forged: Any = {"function": "whoami", "arguments": {"x) or true or (y": 1}}
    with pytest.raises(InputError, match="no such argument"):
        await call("call_as", {"claims": claims, "request": forged}, SERVICE)
    for nobody in ({}, {"sub": None}, {"sub": 5}, {"sub": ""}):
        asked: Any = {"function": "facts_recall", "arguments": {"place": {}}}
        with pytest.raises(IdentityError):
            await call("call_as", {"claims": dict(nobody), "request": asked}, SERVICE)


async def test_what_only_a_server_may_do_needs_the_service_key_or_the_signing_key(url: str) -> None:
    for store in (
        memoranda.supabase(url, SECRET),
        memoranda.supabase(url, PUBLISHABLE, signer=TokenSigner(JWT_SECRET)),
    ):
        async with store:
            tenant = f"acme {uuid4()}"
            await store.members.set(tenant, "ann", "manage")
            shared = store.memory("ann", tenant=tenant, scope=Scope.organization())
            await shared.facts.save("Invoices are due in 30 days.", key="terms")
            assert (await store.erase("ann", tenant=tenant)).counts["members"] == 1


async def test_a_signed_token_carries_the_claims_of_the_memory_and_a_users_own_has_to(url: str) -> None:
    async with memoranda.supabase(url, PUBLISHABLE, signer=TokenSigner(JWT_SECRET)) as store:
        memory = store.memory("ann", claims={"team": "blue", "role": "service_role", "sub": str(ALICE)})
        await memory.facts.save("Plays chess.")
        assert await contents(store.memory("ann")) == ["Plays chess."]
        own = token("ann", team="red")
        assert await contents(store.memory("ann", access_token=own, claims={"team": "red"})) == ["Plays chess."]
        with pytest.raises(IdentityError, match="lacks a claim"):
            await contents(store.memory("ann", access_token=own, claims={"team": "blue"}))


async def test_a_name_for_a_subject_leads_to_the_same_memory_as_the_name(url: str) -> None:
    named = jwt.encode({"sub": "auth0|7", "role": "authenticated", "exp": int(time.time()) + 60}, JWT_SECRET)
    async with memoranda.supabase(url, SECRET) as store:
        await store.memory(access_token=named).facts.save("Sleeps late.")
        assert await contents(store.memory("auth0|7")) == ["Sleeps late."]


async def test_500_calls_of_50_users_over_shared_connections_never_mix(url: str, project: Database) -> None:
    """Half of the users bring tokens of their own, the others are lent theirs; all calls are under way at once."""
    users = [f"one of fifty, {n}" for n in range(50)]

    async def request(store: memoranda.Store, number: int, turn: int) -> None:
        user = users[number]
        memory = store.memory(user, access_token=token(user) if number % 2 else None)
        await memory.facts.save(f"{user}: {turn}", key=f"turn {turn}")
        found = await contents(memory)
        assert f"{user}: {turn}" in found
        assert {text.split(": ")[0] for text in found} == {user}, "somebody else's"

    async with memoranda.supabase(url, SECRET, max_connections=8, timeout=60) as store:
        await asyncio.gather(*(request(store, number, turn) for turn in range(5) for number in range(50)))
    ids = {str(Identity.of(user).user): user for user in users}
    with project.admin() as conn:
        rows = conn.execute(
            "select owner_id::text, content from memoranda_private.facts where owner_id = any (%s::uuid[])", [list(ids)]
        ).fetchall()
    assert len(rows) == 250
    assert [row for row in rows if row[1].split(": ")[0] != ids[row[0]]] == []


current: ContextVar[str | None] = ContextVar("current", default=None)


async def test_a_function_that_knows_the_request_gives_each_call_its_token(url: str) -> None:
    async def asked() -> str | None:
        await asyncio.sleep(0)
        return current.get()

    async def request(store: memoranda.Store, user: str) -> None:
        current.set(token(user))  # of this task alone
        await store.memory(user).facts.save(f"{user} was here.")
        assert await contents(store.memory(user)) == [f"{user} was here."]
        with pytest.raises(IdentityError, match="another user"):
            await contents(store.memory("another one"))

    for source in (current.get, asked):
        async with memoranda.supabase(url, PUBLISHABLE, access_token=source) as store:
            await asyncio.gather(*(request(store, f"{source} {n}"[-50:]) for n in range(8)))
            with pytest.raises(IdentityError, match="no access token"):
                await contents(store.memory("nobody in particular"))


async def test_deleting_an_account_erases_its_memory(
    sign_up: SignUp, project: Database, service: memoranda.Store
) -> None:
    client, _ = await sign_up()
    me = await user_of(client)
    await service.memory(me).facts.save("Has a cat.")
    with project.admin() as conn:
        conn.execute("delete from auth.users where id = %s", [me])
    assert await contents(service.memory(me)) == []


def test_without_await_it_is_the_same(url: str) -> None:
    with memoranda.sync.supabase(url, PUBLISHABLE, access_token=token("sam")) as store:
        memory = store.memory("sam")
        memory.facts.save("Rows on Sundays.")
        memory.files.write("/memories/notes.md", "rowing")
        assert [fact.content for fact in memory.facts.recall()] == ["Rows on Sundays."]
        with pytest.raises(IdentityError, match="another user"):
            store.memory("tom").facts.recall()


async def test_the_twin_of_a_store_reaches_the_same_project(url: str, sign_up: SignUp) -> None:
    async with memoranda.supabase(url, SECRET) as store:
        await store.memory("tess").facts.save("Sails.")
        assert [fact.content for fact in store.sync.memory("tess").facts.recall()] == ["Sails."]
    client, _ = await sign_up()
    with pytest.raises(InputError, match="waited for"):
        _ = memoranda.supabase(client).sync


async def test_a_way_that_looks_at_no_signature_takes_no_token(project: Database) -> None:
    async with memoranda.connect(project.dsn()) as store:
        with pytest.raises(InputError, match="no access token"):
            await store.memory(access_token=token("ann")).facts.recall()
