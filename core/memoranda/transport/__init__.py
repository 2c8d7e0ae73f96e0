"""The only door to the database: one call of one function, as one caller.

A transport carries calls and nothing else. What a call may see and do is decided in the database, by the identity that
the transport binds to it; there is no way to call without saying as whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from memoranda.identity import Identity

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
"""What JSON can say; every argument of a call and every result is this."""


@dataclass(frozen=True, slots=True)
class Caller:
    """As whom the database sees a call: a role, and the claims that row-level security reads.

    Attributes:
        role: The database role.
        claims: The claims, as a token would carry them; ``sub`` is the user.
        access_token: The user's own token, where the application has passed one for this user.
    """

    role: Literal["authenticated", "service_role"]
    claims: Mapping[str, object]
    access_token: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, identity: Identity) -> Caller:
        """The caller for a user: whatever further claims there are, user and role are the identity's."""
        claims = {**identity.claims, "sub": str(identity.user), "role": "authenticated"}
        return cls("authenticated", claims, identity.access_token)


NOBODY = Caller("authenticated", {})
"""A caller without a user: sees no row."""

SERVICE = Caller("service_role", {"role": "service_role"})
"""The application's own server, for what no user may do, such as setting members; sees no row of a memory."""


class Transport(Protocol):
    """A way to the functions of the schema `memoranda`."""

    async def open(self) -> None:
        """Connect, and see that the schema is one that this release can work with.

        Raises:
            UnavailableError: The database cannot be reached.
            SchemaError: Its schema is missing, behind or too new.
        """
        ...

    async def close(self) -> None:
        """Let go of every connection; idempotent."""
        ...

    async def call(self, function: str, arguments: Mapping[str, Json], caller: Caller) -> Json:
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
