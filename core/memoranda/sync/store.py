# Generated from core/memoranda/store.py by .ci/make_sync.py: change that file, then run this.
"""The store: one per process, over a database of yours or one that it runs itself."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import UUID

from memoranda.accesstokens import user_of
from memoranda.embedders import as_embedder
from memoranda.errors import IdentityError, MissingExtraError
from memoranda.extracting.named import as_extractor
from memoranda.identity import Identity, Scope
from memoranda.sync.asking import close_extractor
from memoranda.sync.documents import Documents
from memoranda.sync.embedding import close_embedder
from memoranda.sync.members import Members
from memoranda.sync.memory import Memory
from memoranda.sync.service import Service
from memoranda.sync.settings import Settings
from memoranda.sync.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from supabase import Client

    from memoranda.accesstokens import TokenSigner
    from memoranda.sync.transport.postgres import Pool
    from memoranda.sync.transport.supabase import TokenSource


class Store(Service):
    """A way to every memory in one database; whose memory is settled by :meth:`memory`.

    Use it as a context manager, or call :meth:`open` and :meth:`close`.

    Attributes:
        transport: The door to the database.
        embedder: What makes vectors of texts, or None: then search goes by words and names.
        extractor: What finds facts in turns, or None.
        members: Who belongs to which tenant; for the application's own server.
        settings: Limits and policies of the tenants; for the application's own server.
        documents: Texts that a runtime keeps in a format of its own; for the application's own server.
    """

    def __init__(self, transport: Transport, embedder: object = None, extractor: object = None) -> None:
        """Made by :func:`open`, :func:`connect` and the other ways in; or over a transport of your own.

        Args:
            transport: The transport.
            embedder: See :func:`memoranda.embedders.as_embedder`.
            extractor: See :func:`memoranda.extracting.named.as_extractor`.
        """
        self.transport = transport
        self._named = embedder if isinstance(embedder, str) else None
        self._named_extractor = extractor if isinstance(extractor, str) else None
        self.extractor = as_extractor(extractor)
        self.embedder = as_embedder(embedder)
        self._made = [self.embedder] if self._named else []  # one that came as an object is its maker's to close
        self.members = Members(transport)
        self.settings = Settings(transport)
        self.documents = Documents(transport)

    def open(self) -> Self:
        """Connect.

        Returns:
            The store itself.

        Raises:
            UnavailableError: The database cannot be reached.
            SchemaError: It has no schema of ours, or one that this release cannot work with.
            EmbeddedError: The embedded server could not be started.
        """
        self.transport.open()
        return self

    def close(self) -> None:
        """Let go of every connection and, as the last one out, stop an embedded server; idempotent."""
        self.transport.close()
        for embedder in self._made:
            close_embedder(embedder)
        if self._named_extractor:
            close_extractor(self.extractor)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def memory(
        self,
        user: UUID | str | None = None,
        *,
        access_token: str | None = None,
        tenant: UUID | str | None = None,
        scope: Scope | None = None,
        chat: str | None = None,
        run_id: str | None = None,
        mounts: Mapping[str, Scope] | None = None,
        claims: Mapping[str, object] | None = None,
        queued_at: datetime | None = None,
        temporary: bool = False,
        extractor: object = None,
    ) -> Memory:
        """One user's memory, in one scope. Cheap; nothing is asked of the database.

        Args:
            user: Who is asking, as the application knows it, never as a model says it: a :class:`uuid.UUID` is an id, a
                string is a name (see :func:`memoranda.name_id`). Not needed beside a token.
            access_token: On Supabase, the user's own token, such as that of the request which is served: it goes with
                each call of this memory, and with no other.
            tenant: The organisation that they act in; without one, the user is their own tenant.
            scope: Which of their memories; by default what is remembered about the user everywhere.
            chat: The chat that this run belongs to.
            run_id: The agent run that this is for; written into the log.
            mounts: Further scopes whose files stand in folders of these names under `/memories`, such as
                ``{"organization": Scope.organization()}``.
            claims: Further claims for policies of your own.
            queued_at: For work that waited in a queue of yours: since when. What was erased after that is not written
                again.
            temporary: The chat is to leave no trace: its turns are not stored.
            extractor: What finds facts in its turns, in the place of the store's; see :func:`open`.

        Returns:
            The memory.

        Raises:
            IdentityError: The user or the tenant is missing or malformed, or the token is another user's.
        """
        if user is None:
            if access_token is None:
                raise IdentityError
            user = user_of(access_token)
        return Memory(
            self.transport,
            Identity.of(user, tenant, claims, access_token),
            scope or Scope.user(),
            chat=chat,
            run_id=run_id,
            mounts=mounts,
            embedder=self.embedder,
            queued_at=queued_at,
            temporary=temporary,
            extractor=self.extractor if extractor is None else as_extractor(extractor),
        )


def open(
    path: str | os.PathLike[str],
    *,
    embedder: object = None,
    extractor: object = None,
    timeout: float = 10.0,
) -> Store:  # read as memoranda.sync.open
    """A store in a folder: a Postgres of its own, started when needed, shared by every process that opens the folder.

    Needs ``memoranda[local]``, on Linux or macOS.

    Args:
        path: The folder; made if it is not there.
        embedder: What makes vectors of texts: ``"local"``, ``"openai:text-embedding-3-small"``, an embedder of your own
            (see :func:`memoranda.embedders.as_embedder`), or None for search by words and names alone.
        extractor: What finds facts in the turns that are stored: ``"openai:gpt-5-mini"``, an extractor of your own (see
            :class:`memoranda.Extractor`), either in a :class:`memoranda.Extraction`, which says what is done about
            secrets, or None.
        timeout: Seconds until a call gives up.

    Returns:
        A store, to be opened: ``with memoranda.sync.open("./memory") as store:``.
    """
    from memoranda.sync.transport.local import LocalTransport

    return Store(LocalTransport(path, timeout=timeout), embedder, extractor)


def connect(
    conninfo: str | Pool,
    *,
    embedder: object = None,
    extractor: object = None,
    max_connections: int = 10,
    timeout: float = 10.0,
) -> Store:
    """A store in a Postgres of yours, direct or through a transaction pooler. Run ``memoranda init`` on it once.

    Args:
        conninfo: A DSN or URL, or an open :class:`psycopg_pool.ConnectionPool`, which stays yours to close. The
            login needs to be a member of the role `authenticated`, and nothing more.
        embedder: What makes vectors of texts; see :func:`open`.
        extractor: What finds facts in turns; see :func:`open`.
        max_connections: How many connections to hold at most.
        timeout: Seconds until a call gives up, the wait for a connection included.

    Returns:
        A store, to be opened: ``with memoranda.sync.connect(dsn) as store:``.
    """
    from memoranda.sync.transport.postgres import PostgresTransport

    return Store(PostgresTransport(conninfo, max_connections=max_connections, timeout=timeout), embedder, extractor)


def supabase(
    url: str | Client,
    key: str | None = None,
    *,
    access_token: TokenSource | None = None,
    signer: TokenSigner | None = None,
    embedder: object = None,
    extractor: object = None,
    max_connections: int = 20,
    timeout: float = 10.0,
) -> Store:
    """A store in a Supabase project, over its Data API. ``docs/supabase.md`` says which key is for what.

    A call goes as the user whose token it carries: that of :meth:`Store.memory`, or ``access_token``, or the client's
    session, or one that ``signer`` signs. Without any of these, a secret key lends the call the memory's user.

    Args:
        url: The project's URL, or a :class:`supabase.Client`, which stays yours.
        key: Its API key: publishable for what users run themselves, secret for a server of yours.
        access_token: The user's token, or a function that is asked for it at each call.
        signer: Signs short-lived tokens for users who bring none; see :class:`memoranda.TokenSigner`.
        embedder: What makes vectors of texts; see :func:`open`.
        extractor: What finds facts in turns; see :func:`open`.
        max_connections: How many connections to hold at most; all users share them.
        timeout: Seconds until a call gives up, repeated attempts included.

    Returns:
        A store, to be opened: ``with memoranda.sync.supabase(url, key) as store:``.

    Raises:
        InputError: There is no URL, or no key.
        MissingExtraError: ``memoranda[supabase]`` is not installed.
    """
    try:
        from memoranda.sync.transport.supabase import SupabaseTransport
    except ImportError as error:
        raise MissingExtraError("Supabase needs a package.", hint='pip install "memoranda[supabase]"') from error
    transport = SupabaseTransport(
        url, key, access_token=access_token, signer=signer, max_connections=max_connections, timeout=timeout
    )
    return Store(transport, embedder, extractor)
