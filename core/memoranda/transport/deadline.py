"""Calls that end in time, and can be given up at any moment without harm to the pool."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeAlias, TypeVar

import psycopg

from memoranda.errors import CallTimeoutError

Result = TypeVar("Result")
Connection: TypeAlias = "AbstractAsyncContextManager[psycopg.AsyncConnection[Any]]"


class Deadline:
    """Sees to it that a call takes no longer than promised, and does what can be done behind the callers' backs.

    A server that answers ends a call itself (`statement_timeout`). One that does not would hold us up further while the
    driver tries to cancel: so the work is a task of its own, which is left to end by itself.
    """

    def __init__(self, seconds: float) -> None:
        """For calls that are promised to take no longer than that."""
        self._seconds = seconds * 1.1  # so that a server that answers comes first
        self._calls: set[asyncio.Task[Any]] = set()
        self._chore: asyncio.Task[None] | None = None

    async def call(
        self,
        connection: Callable[[], Connection],
        work: Callable[[psycopg.AsyncConnection[Any]], Awaitable[Result]],
    ) -> Result:
        """Do some work on a connection.

        Args:
            connection: Where to get one; it limits the wait for one itself.
            work: The work.

        Returns:
            What the work returned.

        Raises:
            CallTimeoutError: It took too long. It may have been done.
        """
        call = _Call(connection, work)
        self._calls.add(call.task)
        call.task.add_done_callback(self._ended)
        try:
            done, _ = await asyncio.wait({call.task}, timeout=self._seconds)
        finally:
            call.give_up()  # does nothing to one that has ended
        if not done:
            raise CallTimeoutError
        return call.task.result()

    async def wholly(self, work: Callable[[], Awaitable[None]], undo: Callable[[], Awaitable[None]]) -> None:
        """Do something that has no end in time, and that nothing may break off but where it waits: it cleans up itself.

        Args:
            work: What to do.
            undo: Takes it back; for the twin, which cannot break it off.
        """
        del undo
        await work()

    def behind(self, chore: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin something that nobody waits for, unless the one before it is still under way."""
        if self._chore is None or self._chore.done():
            self._chore = asyncio.create_task(chore())

    async def close(self) -> None:
        """Drop what nobody waits for, and let the calls under way end."""
        if self._chore is not None:
            self._chore.cancel()
            await asyncio.gather(self._chore, return_exceptions=True)
            self._chore = None
        await asyncio.gather(*self._calls, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._calls.discard(task)
        if not task.cancelled():
            task.exception()  # seen, also where nobody waits for it any more


class _Call(Generic[Result]):
    """A call that can be given up at its work, but not while its connection is taken or given back.

    A pool that is cancelled in the midst of that may lose the connection for good. So a call that is given up while it
    waits for one stays in the queue, and gives it back at once.
    """

    def __init__(
        self, connection: Callable[[], Connection], work: Callable[[psycopg.AsyncConnection[Any]], Awaitable[Result]]
    ) -> None:
        self._given_up = self._at_work = False
        self.task = asyncio.create_task(self._run(connection, work))

    async def _run(
        self, connection: Callable[[], Connection], work: Callable[[psycopg.AsyncConnection[Any]], Awaitable[Result]]
    ) -> Result:
        async with connection() as conn:
            if self._given_up:
                raise asyncio.CancelledError
            self._at_work = True
            try:
                return await work(conn)
            finally:
                self._at_work = False

    def give_up(self) -> None:
        """Have it end: its work is cancelled, or never begun."""
        self._given_up = True
        if self._at_work:
            self.task.cancel()
