"""Documents: versioned texts that a runtime keeps in a format of its own, under keys of its own; for servers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import ErasedError, InputError
from memoranda.html import Listing, Shown
from memoranda.identity import Scope, as_id
from memoranda.transport import SERVICE, Json, Transport


@dataclass(frozen=True, slots=True)
class DocumentInfo(Shown):
    """What there is to know of a document, but for its text.

    Attributes:
        key: Its key.
        version: Changes with every write, and never comes again: not after a deletion, an expiry or an erasure either.
            It says nothing else; pass it on as `expected_version`.
        created_at: Since when it is there, by the database's clock.
        updated_at: When it was put last.
        expires_at: When it is gone.
    """

    key: str
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> DocumentInfo:
        """From what the database returns."""
        return cls(
            row["key"],
            row["version"],
            datetime.fromisoformat(row["created_at"]),
            datetime.fromisoformat(row["updated_at"]),
            wire.time(row["expires_at"]),
        )


@dataclass(frozen=True, slots=True)
class Document(Shown):
    """A document.

    Attributes:
        info: What there is to know of it.
        content: Its text.
    """

    info: DocumentInfo
    content: str

    @property
    def version(self) -> int:
        """Its version."""
        return self.info.version


class Documents:
    """Documents of users. Calls go in as the service role, so no user and no model reaches one.

    Each has an owner like every other row, and goes with them when they are erased; the owner has to be a member of the
    tenant still. A document is a text of at most 1,000,000 characters; no search finds it, and no prompt shows it.
    """

    def __init__(self, transport: Transport) -> None:
        """Made by :class:`memoranda.Store`."""
        self._transport = transport

    async def get(
        self, user: UUID | str, key: str, *, tenant: UUID | str | None = None, scope: Scope | None = None
    ) -> Document | None:
        """Read a document.

        Args:
            user: Whose it is, as an id or a name.
            key: Its key, 1 to 1,024 characters.
            tenant: The organisation that they act in; without one, the user is their own tenant.
            scope: In which of their scopes; by default the user's own.

        Returns:
            The document; None if there is none, or it has expired.

        Raises:
            IdentityError: An id or name is missing or malformed.
            ForbiddenError: The user isn't a member of the tenant, or this login may not act as the service role.
        """
        row = await self._call("documents_get", _named(user, tenant, scope, key))
        return None if row is None else Document(DocumentInfo.from_json(row), row["content"])

    async def put(
        self,
        user: UUID | str,
        key: str,
        content: str,
        *,
        expected_version: int | None = None,
        expires_in: timedelta | None = None,
        tenant: UUID | str | None = None,
        scope: Scope | None = None,
        idempotency_key: str | None = None,
    ) -> DocumentInfo:
        """Write a document, whole: without `expires_in` an earlier expiry is cleared.

        Args:
            user: See :meth:`get`, as for `key`, `tenant` and `scope`.
            key: Its key.
            content: Its text. NUL characters are removed, and halves of surrogate pairs replaced.
            expected_version: The version that it replaces; 0 if there must be none, None for whatever is there.
            expires_in: After which time it is gone.
            tenant: The organisation.
            scope: The scope.
            idempotency_key: Up to 200 characters that name this write; sent again, it is not done again.

        Returns:
            The document as it is now.

        Raises:
            ConflictError: It is at another version, or there is one where none was expected.
            TooLargeError: The text is over the limit.
            InputError: The key isn't acceptable, or `expires_in` isn't positive.
            ErasedError: What it belongs to was erased since this write was sent first.
        """
        if expires_in is not None and expires_in <= timedelta():
            raise InputError("expires_in is a positive time.")
        document = _named(user, tenant, scope, key) | {"content": wire.text("content", content)}
        if expected_version is not None:
            document["expected_version"] = wire.number("expected_version", expected_version)
        if expires_in is not None:
            document["expires_in"] = expires_in.total_seconds()
        row = cast("Mapping[str, Any]", await self._call("documents_put", document, idempotency_key))
        return DocumentInfo.from_json(row)

    async def delete(
        self,
        user: UUID | str,
        key: str,
        *,
        expected_version: int | None = None,
        tenant: UUID | str | None = None,
        scope: Scope | None = None,
        idempotency_key: str | None = None,
    ) -> bool:
        """Delete a document for good.

        Args:
            user: See :meth:`get`, as for `key`, `tenant` and `scope`.
            key: Its key.
            expected_version: The version that it must have; None for whatever is there.
            tenant: The organisation.
            scope: The scope.
            idempotency_key: See :meth:`put`.

        Returns:
            Whether there was one.

        Raises:
            ConflictError: It isn't at that version.
        """
        document = _named(user, tenant, scope, key)
        if expected_version is not None:
            document["expected_version"] = wire.number("expected_version", expected_version)
        row = cast("Mapping[str, Any]", await self._call("documents_delete", document, idempotency_key))
        return bool(row["deleted"])

    async def list(
        self,
        user: UUID | str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        tenant: UUID | str | None = None,
        scope: Scope | None = None,
    ) -> list[DocumentInfo]:
        """The documents in a scope, by their keys; for the page that follows, pass the last key as `after`.

        Args:
            user: See :meth:`get`, as for `tenant` and `scope`.
            prefix: Only those whose keys begin so.
            after: Only those whose keys come after this one.
            limit: How many at most; held between 1 and 1,000.
            tenant: The organisation.
            scope: The scope.

        Returns:
            What there is to know of them.
        """
        asked = _named(user, tenant, scope) | {
            "prefix": wire.name("prefix", prefix),
            "after": wire.name("after", after),
            "limit": wire.number("limit", limit),
        }
        rows = await self._call("documents_list", asked)
        return Listing(DocumentInfo.from_json(row) for row in cast("list[Mapping[str, Any]]", rows))

    async def _call(self, function: str, document: dict[str, Json], idempotency_key: str | None = None) -> Any:
        arguments: dict[str, Json] = {"document": document}
        if idempotency_key is not None:
            arguments["call"] = {"idempotency_key": wire.name("idempotency key", idempotency_key)}
        row = await self._transport.call(function, arguments, SERVICE)
        if isinstance(row, dict) and row.get("rule") == "erased":
            raise ErasedError
        return row


def _named(user: UUID | str, tenant: UUID | str | None, scope: Scope | None, key: str | None = None) -> dict[str, Json]:
    """Whose document it is, where, and under which key."""
    place = scope or Scope.user()
    document: dict[str, Json] = {"user": str(as_id("user", user)), "scope": place.name, "scope_id": place.id}
    if tenant is not None:
        document["tenant"] = str(as_id("tenant", tenant))
    return document if key is None else document | {"key": wire.name("key", key)}
