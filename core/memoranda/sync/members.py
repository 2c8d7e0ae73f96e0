# Generated from core/memoranda/members.py by .ci/make_sync.py: change that file, then run this.
"""Who belongs to which tenant: written by the application's own server, read by row-level security."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from memoranda.html import Listing
from memoranda.identity import as_id
from memoranda.members import Member as Member
from memoranda.members import Permission as Permission
from memoranda.sync.transport import SERVICE, Transport


class Members:
    """The members of the tenants. Calls go in as the service role, so no user and no model can make them."""

    def __init__(self, transport: Transport) -> None:
        """Made by :class:`memoranda.sync.Store`."""
        self._transport = transport

    def set(self, tenant: UUID | str, user: UUID | str, permission: Permission = "read") -> Member:
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
        row = self._call("members_set", tenant, user, permission=permission)
        return Member(UUID(row["tenant"]), UUID(row["user"]), row["permission"])

    def remove(self, tenant: UUID | str, user: UUID | str) -> bool:
        """End a membership: from the next call on, the user reads nothing in that tenant, their own rows included.

        Args:
            tenant: The organisation.
            user: The user.

        Returns:
            Whether there was one.
        """
        return bool(self._call("members_remove", tenant, user)["removed"])

    def list(self, tenant: UUID | str) -> list[Member]:
        """The members of a tenant.

        Args:
            tenant: The organisation.

        Returns:
            The memberships, by user id.
        """
        rows = self._transport.call("members_list", {"member": {"tenant": str(as_id("tenant", tenant))}}, SERVICE)
        return Listing(
            Member(UUID(row["tenant"]), UUID(row["user"]), row["permission"])
            for row in cast("list[dict[str, Any]]", rows)
        )

    def _call(self, function: str, tenant: UUID | str, user: UUID | str, **rest: str) -> Mapping[str, Any]:
        member = {"tenant": str(as_id("tenant", tenant)), "user": str(as_id("user", user)), **rest}
        return cast("Mapping[str, Any]", self._transport.call(function, {"member": {**member}}, SERVICE))
