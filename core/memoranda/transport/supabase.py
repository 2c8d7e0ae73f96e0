"""Calls over Supabase's Data API (PostgREST): each one carries its own identity, over connections that all share."""

from __future__ import annotations

import json
from asyncio import sleep
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import httpx

from memoranda.accesstokens import TokenSigner, is_secret, see_that_it_is_theirs
from memoranda.errors import (
    ForbiddenError,
    IdentityError,
    InputError,
    MemorandaError,
    SchemaError,
    UnavailableError,
)
from memoranda.schema import check_version
from memoranda.transport import NOBODY, Caller, Json
from memoranda.transport.answers import loss, refusal, result
from memoranda.transport.patience import within

if TYPE_CHECKING:
    from supabase import AsyncClient

TokenSource: TypeAlias = "str | Callable[[], str | Awaitable[str | None] | None]"

_PAUSES = (0.1, 0.5)
"""Seconds before the second and the third attempt."""

_CONNECTING = 5.0
"""Seconds in which a connection is made, or the next attempt has better luck."""

READS = frozenset(
    {
        *("audit", "export_page", "export_scopes", "facts_about", "facts_history", "facts_recall", "facts_timeline"),
        *("facts_vocabulary", "files_history", "files_view", "large_scopes_status", "members_list", "messages_list"),
        *("messages_recall",),
        *("reembed_messages", "reembed_places", "review_counts", "review_pending", "schema_version", "settings_get"),
        *("vectors_missing", "whoami", "work_status"),
        # These are not, to the database: they note that a fact was of use, or lend an identity.
        *(
            "documents_export",
            "documents_get",
            "documents_list",
            "erase_verify",
            "facts_search",
            "recall",
            "work_texts",
        ),
    }
)
"""Functions that may be called twice for one answer."""


class SupabaseTransport:
    """A :class:`~memoranda.transport.Transport` over HTTP.

    Attributes:
        url: The project's.
        timeout: Seconds until a call gives up.
        max_connections: How many connections it may hold.
    """

    def __init__(
        self,
        url: str | AsyncClient,
        key: str | None = None,
        *,
        access_token: TokenSource | None = None,
        signer: TokenSigner | None = None,
        max_connections: int = 20,
        timeout: float = 10.0,
    ) -> None:
        """Describe the way to a project; nothing is connected before :meth:`open`.

        Args:
            url: The project's URL, or a client of `supabase`, which stays the caller's.
            key: Its API key; a client has one.
            access_token: The user's token, or what is asked for it at each call; a client has a session.
            signer: Signs tokens for users who bring none.
            max_connections: How many connections to hold at most.
            timeout: Seconds until a call gives up, repeated attempts included.
        """
        self._client = None if isinstance(url, str) else url
        self.url = (url if isinstance(url, str) else str(url.supabase_url)).rstrip("/")
        self._key = key or ("" if isinstance(url, str) else url.supabase_key)
        if not self.url.startswith(("https://", "http://")) or not self._key:
            raise InputError("Supabase is reached by a project's URL and one of its API keys.")
        self._is_secret = is_secret(self._key)
        self._access_token, self._signer = access_token, signer
        self.max_connections, self.timeout = max_connections, timeout
        self._http: httpx.AsyncClient | None = None
        self._is_checked = False

    async def open(self) -> None:
        """See :meth:`memoranda.transport.Transport.open`."""
        if self._http is None:
            shared = None if self._client is None else self._client.options.httpx_client
            limits = httpx.Limits(max_connections=self.max_connections, max_keepalive_connections=self.max_connections)
            self._http = shared or httpx.AsyncClient(limits=limits, follow_redirects=False)
        try:
            await self._check(NOBODY)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """See :meth:`memoranda.transport.Transport.close`."""
        http, self._http, self._is_checked = self._http, None, False
        if http is not None and (self._client is None or http is not self._client.options.httpx_client):
            await http.aclose()

    async def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """See :meth:`memoranda.transport.Transport.call`.

        What was surely not done, such as where no connection could be made, is tried again, and so is anything that may
        be done twice: what reads, and a write with an idempotency key.
        """
        if not self._is_checked:
            await self._check(caller)
        return await self._call(function, arguments, caller)

    def twin(self) -> dict[str, Any]:  # async only
        """The arguments of the same in `memoranda.sync`.

        Raises:
            InputError: Only what has to be waited for knows the token.
        """
        if self._client is not None and not self._is_secret:
            raise InputError(
                "The session of this client has to be waited for.",
                hint="Open a store of `memoranda.sync` over a client.",
            )
        settings = {"max_connections": self.max_connections, "timeout": self.timeout}
        token = {"access_token": self._access_token, "signer": self._signer}
        return {"url": self.url, "key": self._key, **token, **settings}

    async def _check(self, caller: Caller) -> None:
        """See that the schema fits. A visitor may not ask; then the first user does."""
        try:
            found = await self._call("schema_version", {}, caller)
        except ForbiddenError:
            if caller is not NOBODY:
                raise
            return
        if not isinstance(found, dict):
            raise SchemaError("What answers there has another function of that name.")
        check_version(cast("dict[str, int | None]", found))
        self._is_checked = True

    async def _call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        again = function in READS or _has_key(arguments)
        bearer = await self._bearer(caller)
        if bearer is None:  # no token of theirs: the service key names them
            claims = cast("dict[str, Json]", dict(caller.claims))
            arguments = {"claims": claims, "request": {"function": function, "arguments": dict(arguments)}}
            function, bearer = "call_as", self._key
        body = json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
        # Each call has headers of its own. Those of a client that all share would be the last user's.
        headers = {
            "apikey": self._key,
            "Authorization": f"Bearer {bearer}",
            "Content-Profile": "memoranda",
            "Content-Type": "application/json",
        }
        async with within(self.timeout * 1.1):
            return await self._send(f"{self.url}/rest/v1/rpc/{function}", body, headers, again)

    async def _send(self, url: str, body: bytes, headers: Mapping[str, str], again: bool) -> Json:
        """Send a call, and send it again where that does no harm."""
        if self._http is None:
            raise UnavailableError("The store is not open.", hint="Use `async with store:`, or await store.open().")
        until = monotonic() + self.timeout
        for pause in (*_PAUSES, None):
            left, cause = max(until - monotonic(), 0.1), None
            patience = httpx.Timeout(left, connect=min(left, _CONNECTING))
            try:
                response = await self._http.post(url, content=body, headers=headers, timeout=patience)
            except httpx.HTTPError as error:
                failure, cause = loss(error), error
            else:
                if response.is_success:
                    return result(response)
                failure = refusal(response)
            wait = max(pause or 0.0, failure.wait)
            safe = failure.done == "no" or (failure.done == "perhaps" and again)
            if pause is None or not safe or monotonic() + wait > until:
                raise failure.error from cause
            await sleep(wait)
        raise AssertionError("the last attempt ends it")

    async def _bearer(self, caller: Caller) -> str | None:
        """The token that a call carries; None where the service key is to name the user."""
        if caller.role == "service_role":
            return self._for_service(caller)
        if caller is NOBODY:
            return self._for_nobody()
        token = caller.access_token or await self._session_token()
        if token is not None:
            see_that_it_is_theirs(token, caller)
            return token
        if self._signer is not None:
            return self._signer.sign(caller.claims)
        if self._is_secret:
            return None
        raise IdentityError(
            "There is no access token for this user.",
            hint="Pass access_token=, sign in with the client, or use a secret key on your server.",
        )

    def _for_service(self, caller: Caller) -> str:
        if self._is_secret:
            return self._key
        if self._signer is not None:
            return self._signer.sign(caller.claims)
        raise ForbiddenError(
            "This is for the application's own server.",
            hint="Open a store with the project's secret key, on your server.",
        )

    def _for_nobody(self) -> str:
        if isinstance(self._access_token, str):
            return self._access_token
        return self._signer.sign({"role": "authenticated"}) if self._signer is not None else self._key

    async def _session_token(self) -> str | None:
        """The token of whoever is signed in: as the application says, or the client's session, refreshed if need be."""
        if self._access_token is None:
            if self._client is None or self._is_secret:
                return None
            try:
                session = await self._client.auth.get_session()
            except Exception as error:  # of supabase's, which are not imported here
                raise _not_refreshed(error) from error
            return session.access_token if session else None
        found = self._access_token() if callable(self._access_token) else self._access_token
        if isawaitable(found):  # async only
            found = await found
        if not found or not isinstance(found, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all is typed
            raise IdentityError("There is no access token for this call.", hint="See what access_token= returns.")
        return found


def _not_refreshed(error: Exception) -> MemorandaError:
    """Why a session could not be refreshed: for want of a network, or for good."""
    status = getattr(error, "status", None)
    if isinstance(error, httpx.HTTPError) or status is None or status == 0 or status >= 500:
        return UnavailableError("The session could not be refreshed.")
    return IdentityError("The session is over.", hint="Sign in again.")


def _has_key(arguments: Mapping[str, Json]) -> bool:
    """Whether a write names itself, so that it happens once however often it is sent."""
    call = arguments.get("call")
    return isinstance(call, dict) and bool(call.get("idempotency_key"))
