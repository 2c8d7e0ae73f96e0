"""Who is asking, and for which memory: bound by the application when a memory is made, never read from a model."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from memoranda.errors import IdentityError, ScopeError

ScopeName = Literal["user", "agent", "chat", "project", "organization"]

NAME_LIMIT = 200
"""Characters in a name or a scope id, as in the database."""

_LOOKS_LIKE_UUID = re.compile(r"\{?(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}\}?", re.IGNORECASE)
"""Every spelling that Postgres reads as a UUID."""

_IS_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""The one spelling in which a token's subject is an id."""


def name_id(kind: Literal["user", "tenant"], name: str) -> UUID:
    """The id that stands for a name.

    The first 16 bytes of SHA-256 over ``memoranda:<kind>:<name>`` in UTF-8, marked as a UUID of version 8 (RFC 9562,
    section 5.8). The database computes the same (`memoranda_private.name_id`), so that a token whose subject is a
    name, as third-party sign-in on Supabase may send, leads to the same memory.

    Args:
        kind: What the name names; a user and a tenant of one name have different ids.
        name: The name, taken as it is: case and accents count.

    Returns:
        A UUID of version 8.
    """
    digest = bytearray(hashlib.sha256(f"memoranda:{kind}:{name}".encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return UUID(bytes=bytes(digest))


def _is_plain(text: str) -> bool:
    """Whether a name or id has 1 to 200 characters, none of them a control, a surrogate or a stray space at an end."""
    return (
        0 < len(text) <= NAME_LIMIT
        and text == text.strip()
        and not any(unicodedata.category(character) in ("Cc", "Cs") for character in text)
    )


def as_id(kind: Literal["user", "tenant"], value: UUID | str) -> UUID:
    """An id for a user or a tenant.

    Args:
        kind: ``"user"`` or ``"tenant"``.
        value: A :class:`uuid.UUID` is an id as it stands; a string is a name (see :func:`name_id`).

    Returns:
        The id.

    Raises:
        IdentityError: The value is missing, blank, too long, the nil UUID, or a string that looks like a UUID, which
            would make a name equal to somebody's id.
    """
    if isinstance(value, UUID):
        if value.int == 0:
            raise IdentityError(f"The nil UUID is not a {kind}.")
        return value
    if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise IdentityError(f"A {kind} is a uuid.UUID or a name, not {type(value).__name__}.")
    if _LOOKS_LIKE_UUID.fullmatch(value.strip()):
        raise IdentityError(
            f"A {kind} given as text is a name, and this one looks like an id.", hint="Pass uuid.UUID(...)."
        )
    if not _is_plain(value):
        raise IdentityError(
            f"A {kind}'s name has 1 to {NAME_LIMIT} characters, no control characters, and no space at either end."
        )
    return name_id(kind, value)


@dataclass(frozen=True, slots=True)
class Identity:
    """One user in one tenant, as the database will see them.

    Attributes:
        user: The user's id.
        tenant: The organisation's id; the user's own id without one.
        claims: Further claims to hand to the database, for policies of your own. They never set who the user is.
        access_token: The user's token, where calls carry one.
    """

    user: UUID
    tenant: UUID
    claims: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    access_token: str | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        user: UUID | str,
        tenant: UUID | str | None = None,
        claims: Mapping[str, object] | None = None,
        access_token: str | None = None,
    ) -> Identity:
        """Bind an identity.

        Args:
            user: Who is asking: an id, or a name.
            tenant: The organisation that they act in; without one, the user is their own tenant.
            claims: Further claims, for policies of your own.
            access_token: The token by which the database knows the user, where calls carry one.

        Returns:
            The identity.

        Raises:
            IdentityError: The user or the tenant is missing or malformed.
        """
        bound = as_id("user", user)
        return cls(bound, bound if tenant is None else as_id("tenant", tenant), dict(claims or {}), access_token)


def subject_id(subject: object) -> UUID:
    """The id of a token's subject, as the database has it: an id as it stands, a name by its hash.

    Args:
        subject: The claim ``sub``.

    Returns:
        The user's id.

    Raises:
        IdentityError: It names nobody.
    """
    if not isinstance(subject, str) or not subject.strip(" "):
        raise IdentityError("The access token names no user.")
    found = UUID(subject) if _IS_UUID.fullmatch(subject) else name_id("user", subject)
    return as_id("user", found)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which of a user's memories: compared by equality, never inherited.

    Make one with :meth:`user`, :meth:`agent`, :meth:`chat`, :meth:`project` or :meth:`organization`.
    """

    name: ScopeName
    id: str = ""

    def __post_init__(self) -> None:
        """Refuse what is not a scope.

        Raises:
            ScopeError: An id is missing, given where there is none, too long, or holds control characters.
        """
        if self.name in ("user", "organization"):
            if self.id:
                raise ScopeError(f"The scope {self.name} takes no id.")
        elif self.name not in ("agent", "chat", "project"):
            raise ScopeError(f"{self.name!r} is not a scope.")
        elif not isinstance(self.id, str) or not _is_plain(self.id):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ScopeError(f"The id of the scope {self.name} has 1 to {NAME_LIMIT} plain characters.")

    @classmethod
    def user(cls) -> Scope:
        """What is remembered about the user everywhere (the default)."""
        return cls("user")

    @classmethod
    def agent(cls, id: str) -> Scope:
        """What one agent remembers about the user."""
        return cls("agent", id)

    @classmethod
    def chat(cls, id: str) -> Scope:
        """What must not leave one chat."""
        return cls("chat", id)

    @classmethod
    def project(cls, id: str) -> Scope:
        """What the user keeps for one project."""
        return cls("project", id)

    @classmethod
    def organization(cls) -> Scope:
        """What all members of the tenant read, and those with `manage` change."""
        return cls("organization")

    def __str__(self) -> str:
        """The scope's name and id, as shown to a person."""
        return f"{self.name}:{self.id}" if self.id else self.name
