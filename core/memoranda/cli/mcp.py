"""`memoranda mcp`: a server for clients of the Model Context Protocol, such as a coding agent."""

from __future__ import annotations

import asyncio
import os
import signal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memoranda.cli.place import SCOPES, id_or_name, scope_of
from memoranda.cli.target import Dsn, Folder, Target
from memoranda.errors import IdentityError, InputError, MissingExtraError
from memoranda.identity import Identity

if TYPE_CHECKING:
    from memoranda.store import Store

USER = "MEMORANDA_USER"
"""The environment variable that names the user over stdio."""

SECRET = "MEMORANDA_MCP_SECRET"  # noqa: S105  # its name
"""The environment variable with the secret that tokens are verified with: it keeps it out of the list of processes."""


def mcp(
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant", metavar="TENANT", envvar="MEMORANDA_TENANT", help="In which organisation: a name, or an id."
        ),
    ] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", envvar="MEMORANDA_SCOPE", help=f"{SCOPES}.")
    ] = "user",
    chat: Annotated[
        str | None,
        typer.Option(
            "--chat", metavar="CHAT", envvar="MEMORANDA_CHAT", help="Whose messages to leave out of what is recalled."
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            envvar="MEMORANDA_EMBEDDER",
            help="local or openai:MODEL; without one, by words and names alone.",
        ),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, for whoever has a token; else over stdio.")] = False,
    host: Annotated[str, typer.Option("--host", help="HTTP: the address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="HTTP: the port.")] = 8000,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="HTTP: where clients reach it; http://HOST:PORT/mcp.")
    ] = None,
    issuer: Annotated[
        str | None, typer.Option("--issuer", metavar="URL", help="HTTP: who issues the tokens, their `iss`.")
    ] = None,
    audience: Annotated[
        str | None, typer.Option("--audience", metavar="TEXT", help="HTTP: their `aud`; the server's URL.")
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option("--public-key", metavar="PATH", help="HTTP: the issuer's public key, in PEM.", dir_okay=False),
    ] = None,
    jwks: Annotated[
        str | None, typer.Option("--jwks", metavar="URL|PATH", help="HTTP: the issuer's key set, if it has one.")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option("--require-scope", metavar="NAME", help="HTTP: what a token has to allow.")
    ] = None,
    dsn: Dsn = None,
    folder: Folder = None,
) -> None:
    """Serve memory to MCP clients.

    Over stdio the user is named by MEMORANDA_USER. Over HTTP each request has a bearer token, whose subject is the
    user; it is verified with --jwks, with --public-key, or with the secret in MEMORANDA_MCP_SECRET. User, tenant, scope
    and chat are settled here: no tool can say another.
    """
    target, place = Target.of(dsn, folder), scope_of(scope)
    organisation = id_or_name(tenant) if tenant else None
    store = target.store(embedder=embedder)
    user = os.environ.get(USER)
    if not http:
        if not user:
            raise IdentityError("Nobody is served.", hint=f"Name the user in {USER}.")
        identity = Identity.of(id_or_name(user), organisation)
        serving = _serving()
        _say(target, f"Whom {USER} names is served over stdio.")
        asyncio.run(_stdio(serving, store, identity, scope=place, chat=chat))
        return
    if user:
        raise InputError(f"Over HTTP the tokens say who is served, not {USER}.", hint="Unset it.")
    if not issuer:
        raise InputError("Who issues the tokens?", hint="Name it with --issuer.")
    serving = _serving()
    where = url or f"http://{host}:{port}/mcp"
    verifier = serving.JWTVerifier(
        issuer=issuer,
        audience=audience or where,
        secret=os.environ.get(SECRET) or None,
        public_key=None if public_key is None else public_key.read_bytes(),
        jwks=None if jwks is None else serving.key_set_of(jwks),
    )
    app = serving.http_app(
        store,
        verifier,
        url=where,
        issuer=issuer,
        tenant=organisation,
        required_scopes=require or (),
        scope=place,
        chat=chat,
    )
    _say(target, f"Whoever has a token is served at {where}.")
    asyncio.run(_http(serving, store, app, host, port))


def _serving() -> Any:
    """The adapter, which is above this: it comes when it is asked for, and may not be installed."""
    try:
        return import_module("memoranda_mcp")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "jwt", "cryptography", "uvicorn"):
            raise
        raise MissingExtraError("The server is not installed.", hint="pip install 'memoranda[mcp]'") from error


async def _stdio(serving: Any, store: Store, identity: Identity, **options: Any) -> None:
    leaving: list[asyncio.Task[None]] = []

    async def leave() -> None:
        await store.close()  # which stops an embedded server, if nobody else is there
        os._exit(0)  # a thread waits for stdin, and nothing wakes it

    async with store:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, lambda: leaving.append(loop.create_task(leave())))
        await serving.serve_stdio(store, identity, **options)


async def _http(serving: Any, store: Store, app: Any, host: str, port: int) -> None:
    async with store:
        await serving.serve_http(app, host=host, port=port)


def _say(target: Target, what: str) -> None:
    """Say which database is served, where no client reads it: stdout is the protocol's."""
    typer.echo(f"Database: {target.describe()}. {what}", err=True)
