# Generated from core/memoranda/settings.py by .ci/make_sync.py: change that file, then run this.
"""Limits and policies of a tenant, or of all of them: kept in the database, changed by the application's own server."""

from __future__ import annotations

from uuid import UUID

from memoranda.errors import InputError
from memoranda.identity import as_id
from memoranda.settings import Setting as Setting
from memoranda.sync.transport import SERVICE, Json, Transport


class Settings:
    """The settings of the tenants. Changes go in as the service role, so no user and no model can make them.

    What is in force where a memory is says :meth:`memoranda.sync.Memory.settings`.
    """

    def __init__(self, transport: Transport) -> None:
        """Made by :class:`memoranda.sync.Store`."""
        self._transport = transport

    def set(
        self,
        name: Setting,
        value: int | str | None,
        *,
        tenant: UUID | str | None = None,
        user: UUID | str | None = None,
    ) -> None:
        """Change a setting. It holds from the next write on; what is stored already stays.

        Args:
            name: Which.
            value: The new value; None goes back to what holds without.
            tenant: For which organisation, as an id or a name.
            user: Or for which user's own tenant. Without either, it holds for all that have no value of their own.

        Raises:
            IdentityError: The tenant or the user is malformed.
            InputError: There is no such setting, the value is out of its bounds, or both a tenant and a user are given.
            ForbiddenError: This login may not act as the service role.
        """
        setting: dict[str, Json] = {"name": name, "value": value}
        if tenant is not None and user is not None:
            raise InputError("A setting is for a tenant or for a user's own, not for both.")
        if tenant is not None:
            setting["tenant"] = str(as_id("tenant", tenant))
        if user is not None:
            setting["tenant"] = str(as_id("user", user))
        self._transport.call("settings_set", {"setting": setting}, SERVICE)
