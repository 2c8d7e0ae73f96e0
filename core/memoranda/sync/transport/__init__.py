# Generated from core/memoranda/transport/__init__.py by .ci/make_sync.py: change that file, then run this.
"""The only door to the database: one call of one function, as one caller.

A transport carries calls and nothing else. What a call may see and do is decided in the database, by the identity that
the transport binds to it; there is no way to call without saying as whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from memoranda.transport import NOBODY as NOBODY
from memoranda.transport import SERVICE as SERVICE
from memoranda.transport import Caller as Caller
from memoranda.transport import Json as Json


class Transport(Protocol):
    """A way to the functions of the schema `memoranda`."""

    def open(self) -> None:
        """Connect, and see that the schema is one that this release can work with.

        Raises:
            UnavailableError: The database cannot be reached.
            SchemaError: Its schema is missing, behind or too new.
        """
        ...

    def close(self) -> None:
        """Let go of every connection; idempotent."""
        ...

    def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
        """Call one function in one transaction.

        Args:
            function: Its name in the schema `memoranda`, from our own code.
            arguments: Its arguments by name.
            caller: As whom; bound for this call alone.

        Returns:
            What the function returned.

        Raises:
            MemorandaError: The database refused, or could not be reached in time. When a write ends in an
                :class:`UnavailableError`, or is given up (a cancelled task, Ctrl-C), it may have happened: send it
                again with its idempotency key.
        """
        ...
