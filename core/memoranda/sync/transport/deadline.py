"""Calls that end in time; written by hand, where most of `memoranda.sync` is generated.

The async twin of this makes a task of every call. Here it is a thread, so that the caller can leave at any moment: when
the time is up, or when a signal (Ctrl-C, or a notebook's button for it) raises an error in the caller's midst.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeAlias, TypeVar, cast

import psycopg

from memoranda.errors import CallTimeoutError, UnavailableError

Result = TypeVar("Result")
Connection: TypeAlias = "AbstractContextManager[psycopg.Connection[Any]]"

_GRACE = 1.0
"""Seconds for a call that was hung up on to give its connection back, when the store is closed."""


class Deadline:
    """Sees to it that a call takes no longer than promised, and does what can be done behind the callers' backs.

    A server that answers ends a call itself (`statement_timeout`). One that does not would hold us up for ever: so the
    work is done in a thread of its own, and its connection is cut when the call is given up.
    """

    def __init__(self, seconds: float) -> None:
        """For calls that are promised to take no longer than that."""
        self._seconds = seconds * 1.1  # so that a server that answers comes first
        self._calls: set[_Call[Any]] = set()
        self._one_errand = threading.Lock()
        self._chore: threading.Thread | None = None

    def call(self, connection: Callable[[], Connection], work: Callable[[psycopg.Connection[Any]], Result]) -> Result:
        """Do some work on a connection.

        Args:
            connection: Where to get one; it limits the wait for one itself.
            work: The work.

        Returns:
            What the work returned.

        Raises:
            CallTimeoutError: It took too long. It may have been done.
            UnavailableError: The system has no thread for it.
        """
        call = _Call(connection, work, self._seconds, self._calls.discard)
        try:
            self._calls.add(call)
            call.begin()
            return call.result()
        finally:
            call.give_up()  # does nothing to one that has ended

    def wholly(self, work: Callable[[], None], undo: Callable[[], None]) -> None:
        """Do something that has no end in time, and that no signal may break off in its midst.

        Args:
            work: What to do.
            undo: Takes it back, behind our back, when the caller has left meanwhile.

        Raises:
            UnavailableError: The system has no thread for it.
        """
        errand = _Errand(work, undo, self._one_errand)
        try:
            errand.do()
        except BaseException:
            errand.leave()
            raise

    def behind(self, chore: Callable[[], None]) -> None:
        """Begin something that nobody waits for, unless the one before it is still under way."""

        def run() -> None:
            with suppress(psycopg.Error):
                chore()

        if self._chore is None or not self._chore.is_alive():
            self._chore = _thread("memoranda-chore", run)
            with suppress(RuntimeError):
                self._chore.start()

    def close(self) -> None:
        """Let the calls under way end, which they do in time."""
        for call in list(self._calls):
            call.end()
        self._calls.clear()


class _Call(Generic[Result]):
    """A call that can be given up at its work, but not while its connection is taken or given back.

    A pool that meets an error in the midst of that may lose the connection for good. No signal reaches this thread, and
    a call that is given up while it waits for a connection stays in the queue, and gives it back at once.
    """

    def __init__(
        self,
        connection: Callable[[], Connection],
        work: Callable[[psycopg.Connection[Any]], Result],
        seconds: float,
        ended: Callable[[_Call[Any]], None],
    ) -> None:
        self._connection, self._work, self._ended = connection, work, ended
        self._until = time.monotonic() + seconds
        self._outcome: SimpleQueue[tuple[Result | None, BaseException | None]] = SimpleQueue()
        self._thread = _thread("memoranda-call", partial(copy_context().run, self._run))  # as a task would have it
        self._lock = threading.Lock()
        self._given_up = False
        self._line: socket.socket | None = None  # while it is at work

    def begin(self) -> None:
        try:
            _begin(self._thread)
        except UnavailableError:
            self._ended(self)
            raise

    def result(self) -> Result:
        """Wait for what becomes of it."""
        try:
            result, error = self._outcome.get(timeout=self._left())
        except Empty:
            raise CallTimeoutError from None
        if error is None:
            return cast("Result", result)
        try:
            raise error
        finally:
            del error  # its traceback holds this frame

    def give_up(self) -> None:
        """Whoever waits for an answer gets an error at once, over a socket of any kind, with TLS or without."""
        with self._lock:
            self._given_up = True
            if self._line is not None:
                with suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Wait until it has ended; once its time is up, see to that."""
        if self._thread.is_alive():
            self._thread.join(self._left())
            self.give_up()
            self._thread.join(_GRACE)

    def _left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def _run(self) -> None:
        try:
            self._outcome.put((self._on_a_connection(), None))
        except BaseException as error:
            self._outcome.put((None, error))
        self._ended(self)

    def _on_a_connection(self) -> Result:
        with self._connection() as conn:
            with self._lock:
                if self._given_up:
                    raise CallTimeoutError  # which nobody waits for
                # A handle of its own, which stays this connection's whatever becomes of the connection. The family is
                # not looked at: it is for shutdown alone.
                self._line = socket.fromfd(conn.fileno(), socket.AF_INET, socket.SOCK_STREAM)
            try:
                return self._work(conn)
            finally:
                with self._lock:
                    self._line.close()
                    self._line = None
                    if self._given_up:
                        conn.close()  # also when the answer came in the same moment


class _Errand:
    """Work that is done to its end, and undone if nobody waits for it any more."""

    def __init__(self, work: Callable[[], None], undo: Callable[[], None], turn: threading.Lock) -> None:
        self._work, self._undo, self._turn = work, undo, turn
        self._outcome: SimpleQueue[BaseException | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._done = self._left = False

    def do(self) -> None:
        """Begin, and wait for the end."""
        _begin(_thread("memoranda-errand", partial(copy_context().run, self._run)))
        error = self._outcome.get()
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback holds this frame

    def leave(self) -> None:
        """Have it undone, now if it is done, or else when it is."""
        with self._lock:
            self._left = True
            done = self._done
        if done:
            self._undo()

    def _run(self) -> None:
        with self._turn:  # so that whoever comes next finds it done or undone
            with self._lock:
                if self._left:  # before it began: what came next may have had its turn, and is not ours to undo
                    return
            try:
                self._work()
            except BaseException as error:
                self._outcome.put(error)
                return
            with self._lock:
                self._done, left = not self._left, self._left
            if left:
                self._undo()
        self._outcome.put(None)


def _thread(name: str, run: Callable[[], object]) -> threading.Thread:
    return threading.Thread(target=run, name=name, daemon=True)


def _begin(thread: threading.Thread) -> None:
    try:
        thread.start()
    except RuntimeError as error:
        if error.__context__ is not None:  # an interruption, over whose traces threading's own locks have stumbled
            raise error.__context__ from None
        raise UnavailableError("The system has no thread for this.", hint="Let other threads end first.") from error
