"""Limits and policies of a tenant, or of all of them: kept in the database, changed by the application's own server."""

from __future__ import annotations

from typing import Literal, TypeAlias
from uuid import UUID

from memoranda.errors import InputError
from memoranda.identity import as_id
from memoranda.transport import SERVICE, Json, Transport

Setting: TypeAlias = Literal[
    "fact_characters",
    "facts",
    "facts_per_source",
    "file_characters",
    "files",
    "files_bytes",
    "key_days",
    "message_characters",
    "review",
]
"""What can be set: the characters of one fact (100,000 unless set), of one file (100,000) and of one message (200,000);
the facts of one scope, in force and waiting (100,000), and those of one source in it (50,000); the files of one scope
(1,000), and their bytes together (10,000,000). ``key_days`` is for how many days :meth:`memoranda.Store.purge` keeps
idempotency keys (30): so long a write can be sent again. And ``review``, what waits for a person before it is in force:
``"untrusted"`` (what came from a tool, the assistant or an import, or from a run that had read untrusted material; and
what a model or an extractor wrote without the user's own words for it), ``"all"`` or ``"none"``."""


class Settings:
    """The settings of the tenants. Changes go in as the service role, so no user and no model can make them.

    What is in force where a memory is says :meth:`memoranda.Memory.settings`.
    """

    def __init__(self, transport: Transport) -> None:
        """Made by :class:`memoranda.Store`."""
        self._transport = transport

    async def set(
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
        await self._transport.call("settings_set", {"setting": setting}, SERVICE)
