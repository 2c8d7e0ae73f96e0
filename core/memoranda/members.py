"""Who belongs to which tenant: written by the application's own server, read by row-level security."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda.html import Listing, Shown
from memoranda.identity import as_id
from memoranda.transport import SERVICE, Transport

Permission: TypeAlias = Literal["read", "manage"]


@dataclass(frozen=True, slots=True)
class Member(Shown):
    """A user's place in a tenant.

    Attributes:
        tenant: The organisation.
        user: The user.
        permission: ``read`` (use memory here, read the organisation's) or ``manage`` (also change the organisation's).
    """

    tenant: UUID
    user: UUID
    permission: Permission


class Members:
    """The members of the tenants. Calls go in as the service role, so no user and no model can make them."""

    def __init__(self, transport: Transport) -> None:
        """Made by :class:`memoranda.Store`."""
        self._transport = transport

    async def set(self, tenant: UUID | str, user: UUID | str, permission: Permission = "read") -> Member:
        """Make a user a member of a tenant, or change what they may do.

        Args:
            tenant: The organisation, as an id or a name.
            user: The user, as an id or a name.
            permission: ``read`` or ``manage``.

        Returns:
            The membership.

        Raises:
            IdentityError: An id or name is missing or malformed.
            InputError: That is not a permission.
            ForbiddenError: The tenant is a person's own, which takes no members; or this login may not act as the
                service role.
        """
        row = await self._call("members_set", tenant, user, permission=permission)
        return Member(UUID(row["tenant"]), UUID(row["user"]), row["permission"])

    async def remove(self, tenant: UUID | str, user: UUID | str) -> bool:
        """End a membership: from the next call on, the user reads nothing in that tenant, their own rows included.

        Args:
            tenant: The organisation.
            user: The user.

        Returns:
            Whether there was one.
        """
        return bool((await self._call("members_remove", tenant, user))["removed"])

    async def list(self, tenant: UUID | str) -> list[Member]:
        """The members of a tenant.

        Args:
            tenant: The organisation.

        Returns:
            The memberships, by user id.
        """
        rows = await self._transport.call("members_list", {"member": {"tenant": str(as_id("tenant", tenant))}}, SERVICE)
        return Listing(
            Member(UUID(row["tenant"]), UUID(row["user"]), row["permission"])
            for row in cast("list[dict[str, Any]]", rows)
        )

    async def _call(self, function: str, tenant: UUID | str, user: UUID | str, **rest: str) -> Mapping[str, Any]:
        member = {"tenant": str(as_id("tenant", tenant)), "user": str(as_id("user", user)), **rest}
        return cast("Mapping[str, Any]", await self._transport.call(function, {"member": {**member}}, SERVICE))
