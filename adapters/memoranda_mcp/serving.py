"""The two transports: over stdio for one user, and over HTTP for whoever has a token."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from memoranda import Identity, Scope, Store
from memoranda.errors import IdentityError, InputError
from memoranda_mcp.server import Request, memory_server
from memoranda_mcp.tokens import identity_of

_LAST_SECONDS = 5
"""How long requests may take that are under way when the server ends. Clients also hold streams open for nothing."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


async def serve_stdio(
    store: Store,
    identity: Identity,
    *,
    scope: Scope | None = None,
    mounts: Mapping[str, Scope] | None = None,
    chat: str | None = None,
    tokens: str | None = None,
) -> None:
    """Serve one user over stdin and stdout, until stdin ends. Nothing else may be written to stdout meanwhile.

    Args:
        store: An open store.
        identity: The user.
        scope: See :func:`memory_server`.
        mounts: See :func:`memory_server`.
        chat: See :func:`memory_server`.
        tokens: See :func:`memory_server`.
    """
    server = memory_server(
        store,
        identity=lambda _: identity,
        scope=scope,
        mounts=mounts,
        chat=chat,
        run_id=f"mcp-{uuid4()}",  # a process is a run
        tokens=tokens,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_app(
    store: Store,
    verifier: TokenVerifier,
    *,
    url: str,
    issuer: str,
    tenant: UUID | str | None = None,
    required_scopes: Sequence[str] = (),
    scope: Scope | None = None,
    mounts: Mapping[str, Scope] | None = None,
    chat: str | None = None,
    tokens: str | None = None,
) -> Starlette:
    """The server as an ASGI application, over streamable HTTP: each request serves the user whom its token names.

    There are no sessions: nothing is kept from one request to the next, so that none can be another's, and any number
    of processes may serve.

    Args:
        store: An open store.
        verifier: What verifies tokens, such as a :class:`JWTVerifier`; it checks the issuer and the audience, too.
        url: Where clients reach the server, such as ``https://memory.example.com/mcp``: requests for another host, or
            from another origin, are refused.
        issuer: The URL of who issues tokens, told to clients that have none.
        tenant: The organisation that all users act in; the database lets in its members only.
        required_scopes: What a token has to allow; a token without is refused.
        scope: See :func:`memory_server`.
        mounts: See :func:`memory_server`.
        chat: See :func:`memory_server`.
        tokens: See :func:`memory_server`.

    Returns:
        The application.

    Raises:
        InputError: The URL is none.
    """
    at = urlsplit(url)
    if at.scheme not in ("http", "https") or not at.hostname:
        raise InputError("The server's URL begins with https:// or http://.")
    if urlsplit(issuer).scheme not in ("http", "https"):
        raise InputError("The issuer is a URL.")

    def served(request: Request) -> Identity:
        # The request's own, not what was current when something else began.
        user = request.request.scope.get("user") if request.request is not None else None
        if not isinstance(user, AuthenticatedUser) or not user.access_token.subject:
            raise IdentityError("The request came without a user.")
        return identity_of(user.access_token.subject, tenant)

    server = memory_server(store, identity=served, scope=scope, mounts=mounts, chat=chat, tokens=tokens)
    return server.streamable_http_app(
        streamable_http_path=at.path or "/mcp",
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[at.netloc, *(f"{host}:*" for host in _LOOPBACK)],
            allowed_origins=[f"{at.scheme}://{at.netloc}"],
        ),
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(issuer),
            resource_server_url=AnyHttpUrl(url),
            required_scopes=list(required_scopes),
            validate_token_resource=False,  # the verifier checks the audience, which need not be the URL
        ),
        token_verifier=verifier,
    )


def _end(*_: object) -> None:
    """The server has ended; what is left is the store's."""


async def serve_http(app: Starlette, *, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve an application until the process is told to stop, by Ctrl-C or SIGTERM.

    Args:
        app: What :func:`http_app` returned.
        host: The address to listen at.
        port: The port.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn takes them while it runs, and raises them again when it has ended: so that the store is still closed.
        signal.signal(number, _end)
    config = uvicorn.Config(
        app, host, port, log_level="warning", access_log=False, timeout_graceful_shutdown=_LAST_SECONDS
    )
    await uvicorn.Server(config).serve()
