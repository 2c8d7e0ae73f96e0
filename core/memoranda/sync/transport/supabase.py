# Generated from core/memoranda/transport/supabase.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Calls over Supabase's Data API (PostgREST): each one carries its own identity, over connections that all share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeAlias, cast

import httpx

from memoranda.accesstokens import TokenSigner, is_secret, see_that_it_is_theirs
from memoranda.errors import (
    ForbiddenError,
    IdentityError,
    InputError,
    SchemaError,
    UnavailableError,
)
from memoranda.sync.schema import check_version
from memoranda.sync.transport import NOBODY, Caller, Json
from memoranda.sync.transport.patience import within
from memoranda.transport.answers import loss, refusal, result
from memoranda.transport.supabase import _CONNECTING, _PAUSES, _has_key, _not_refreshed
from memoranda.transport.supabase import READS as READS

if TYPE_CHECKING:
    from supabase import Client

TokenSource: TypeAlias = "str | Callable[[], str | str | None | None]"


class SupabaseTransport:
    """A :class:`~memoranda.sync.transport.Transport` over HTTP.

    Attributes:
        url: The project's.
        timeout: Seconds until a call gives up.
        max_connections: How many connections it may hold.
    """

    def __init__(
        self,
        url: str | Client,
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
        self._http: httpx.Client | None = None
        self._is_checked = False

    def open(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.open`."""
        if self._http is None:
            shared = None if self._client is None else self._client.options.httpx_client
            limits = httpx.Limits(max_connections=self.max_connections, max_keepalive_connections=self.max_connections)
            self._http = shared or httpx.Client(limits=limits, follow_redirects=False)
        try:
            self._check(NOBODY)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.close`."""
        http, self._http, self._is_checked = self._http, None, False
        if http is not None and (self._client is None or http is not self._client.options.httpx_client):
            http.close()

    def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """See :meth:`memoranda.sync.transport.Transport.call`.

        What was surely not done, such as where no connection could be made, is tried again, and so is anything that may
        be done twice: what reads, and a write with an idempotency key.
        """
        if not self._is_checked:
            self._check(caller)
        return self._call(function, arguments, caller)

    def _check(self, caller: Caller) -> None:
        """See that the schema fits. A visitor may not ask; then the first user does."""
        try:
            found = self._call("schema_version", {}, caller)
        except ForbiddenError:
            if caller is not NOBODY:
                raise
            return
        if not isinstance(found, dict):
            raise SchemaError("What answers there has another function of that name.")
        check_version(cast("dict[str, int | None]", found))
        self._is_checked = True

    def _call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        again = function in READS or _has_key(arguments)
        bearer = self._bearer(caller)
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
        with within(self.timeout * 1.1):
            return self._send(f"{self.url}/rest/v1/rpc/{function}", body, headers, again)

    def _send(self, url: str, body: bytes, headers: Mapping[str, str], again: bool) -> Json:
        """Send a call, and send it again where that does no harm."""
        if self._http is None:
            raise UnavailableError("The store is not open.", hint="Use `with store:`, or store.open().")
        until = monotonic() + self.timeout
        for pause in (*_PAUSES, None):
            left, cause = max(until - monotonic(), 0.1), None
            patience = httpx.Timeout(left, connect=min(left, _CONNECTING))
            try:
                response = self._http.post(url, content=body, headers=headers, timeout=patience)
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
            sleep(wait)
        raise AssertionError("the last attempt ends it")

    def _bearer(self, caller: Caller) -> str | None:
        """The token that a call carries; None where the service key is to name the user."""
        if caller.role == "service_role":
            return self._for_service(caller)
        if caller is NOBODY:
            return self._for_nobody()
        token = caller.access_token or self._session_token()
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

    def _session_token(self) -> str | None:
        """The token of whoever is signed in: as the application says, or the client's session, refreshed if need be."""
        if self._access_token is None:
            if self._client is None or self._is_secret:
                return None
            try:
                session = self._client.auth.get_session()
            except Exception as error:  # of supabase's, which are not imported here
                raise _not_refreshed(error) from error
            return session.access_token if session else None
        found = self._access_token() if callable(self._access_token) else self._access_token
        if not found or not isinstance(found, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all is typed
            raise IdentityError("There is no access token for this call.", hint="See what access_token= returns.")
        return found
