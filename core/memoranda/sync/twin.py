"""The twin of an async store; written by hand, where most of `memoranda.sync` is generated."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeGuard

from memoranda.errors import InputError
from memoranda.sync.store import Store
from memoranda.transport import Caller, Json
from memoranda.transport.local import LocalTransport as AsyncLocalTransport
from memoranda.transport.postgres import PostgresTransport as AsyncPostgresTransport

if TYPE_CHECKING:
    from memoranda.sync.transport import Transport
    from memoranda.transport import Transport as AsyncTransport
    from memoranda.transport.supabase import SupabaseTransport as AsyncSupabaseTransport


class OpenedByCalls:
    """A :class:`~memoranda.sync.transport.Transport` that opens another one when the first call comes."""

    def __init__(self, transport: Transport) -> None:
        """Nothing is opened yet."""
        self._transport = transport
        self._one_at_a_time = threading.Lock()
        self._is_open = self._is_closed = False

    def open(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.open`; of no effect when it is open."""
        with self._one_at_a_time:
            self._is_closed = False
            self._open()

    def close(self) -> None:
        """See :meth:`memoranda.sync.transport.Transport.close`; calls do not open it again."""
        with self._one_at_a_time:
            self._is_open, self._is_closed = False, True
            self._transport.close()

    def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """See :meth:`memoranda.sync.transport.Transport.call`."""
        if not self._is_open:
            with self._one_at_a_time:
                if not self._is_closed:  # the call that comes after the close says so itself
                    self._open()
        return self._transport.call(function, arguments, caller)

    def _open(self) -> None:
        if not self._is_open:
            self._transport.open()
            self._is_open = True


def twin_of(transport: AsyncTransport, embedder: object = None, extractor: object = None) -> Store:
    """A store for code without `await` over the database that a transport goes to.

    Args:
        transport: The async store's transport.
        embedder: Its embedder: the name, if it came by one, so that the twin gets one of its own.
        extractor: Its extractor, likewise.

    Returns:
        The store. It opens itself when it is first called.

    Raises:
        InputError: It is not known how to reach the database without `await`.
    """
    return Store(OpenedByCalls(_way_to_the_same(transport)), embedder, extractor)


def _way_to_the_same(transport: AsyncTransport) -> Transport:
    # The first use of psycopg without `await` is here.
    from memoranda.sync.transport.local import LocalTransport
    from memoranda.sync.transport.postgres import PostgresTransport

    if _is_over_http(transport):
        from memoranda.sync.transport.supabase import SupabaseTransport

        return SupabaseTransport(**transport.twin())
    match transport:
        case AsyncLocalTransport():
            return LocalTransport(transport.server.folder, timeout=transport.timeout)
        case AsyncPostgresTransport():
            return PostgresTransport(
                transport.address(), max_connections=transport.max_connections, timeout=transport.timeout
            )
        case _:
            raise InputError(
                f"It is not known how {type(transport).__name__} reaches its database without `await`.",
                hint="Make a memoranda.sync.Store over a transport of your own.",
            )


def _is_over_http(transport: AsyncTransport) -> TypeGuard[AsyncSupabaseTransport]:
    """Whether it is a transport of a module that is loaded only where it is used."""
    loaded = sys.modules.get("memoranda.transport.supabase")
    return loaded is not None and isinstance(transport, loaded.SupabaseTransport)
