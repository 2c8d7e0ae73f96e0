"""Erasure: removing every trace of a scope, a source or a user for good, with a receipt that can be verified later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias, cast
from uuid import UUID

from memoranda import wire
from memoranda.errors import InputError
from memoranda.html import Shown
from memoranda.identity import as_id
from memoranda.transport import SERVICE, Json, Transport

What: TypeAlias = Literal["scope", "source", "user"]


@dataclass(frozen=True, slots=True)
class Beyond:
    """What no statement of a database reaches at once.

    Attributes:
        what: Where traces may stay for a while.
        until: What ends that.
        settings: The server's settings that bound it, as they were.
    """

    what: str
    until: str
    settings: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Receipt(Shown):
    """What an erasure removed. It holds no text of a memory but the name of the scope.

    Attributes:
        id: Its id; a mark with this id stays in the database.
        what: A ``scope``, a ``source`` in it, or a ``user``.
        at: The high-water time, by the database's clock: all that is older is gone, and is not written again.
        user: Who was erased, or who erased a scope.
        tenants: Where.
        scope: The scope and its id; None for a user, who goes with all of them.
        counts: How many rows went, by table. Keys of writes are emptied and stay, so that no late retry writes again.
        left: How many rows the verification queries found afterwards, by table; each is 0.
        beyond: What is out of reach, and the settings that bound it.
        data: The whole of it, with the queries and their parameters; :meth:`to_json` writes it.
    """

    id: UUID
    what: What
    at: datetime
    user: UUID
    tenants: tuple[UUID, ...]
    scope: tuple[str, str] | None
    counts: Mapping[str, int]
    left: Mapping[str, int]
    beyond: tuple[Beyond, ...]
    data: Mapping[str, Any] = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether nothing was left."""
        return not any(self.left.values())

    def to_json(self) -> str:
        """As text, to be kept in a file."""
        return json.dumps(self.data, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """From the text that :meth:`to_json` gave.

        Raises:
            InputError: That is not a receipt.
        """
        try:
            return cls.of(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError("That is not the receipt of an erasure.") from error

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Receipt:
        """From what the database returns."""
        return cls(
            id=UUID(row["id"]),
            what=row["what"],
            at=datetime.fromisoformat(row["at"]),
            user=UUID(row["user"]),
            tenants=tuple(UUID(each) for each in row["tenants"]),
            scope=None if row["scope"] is None else (row["scope"], row["scope_id"]),
            counts=row["counts"],
            left=row["left"],
            beyond=tuple(Beyond(each["what"], each["until"], each["settings"] or {}) for each in row["out_of_reach"]),
            data=row,
        )


@dataclass(frozen=True, slots=True)
class Verified(Shown):
    """What a receipt was found to be.

    Attributes:
        genuine: This database has the mark of the receipt, and the receipt is unchanged.
        left: How many rows there are, by table, that were written before the erasure. What came later is not counted.
        at: When this was looked at, by the database's clock.
    """

    genuine: bool
    left: Mapping[str, int]
    at: datetime

    @property
    def holds(self) -> bool:
        """Whether the receipt is genuine and nothing is there of what it says is gone."""
        return self.genuine and not any(self.left.values())


def request(source: str | None, *, dry_run: bool = False) -> dict[str, Json]:
    """What is to be erased in a scope, as the database takes it."""
    what: dict[str, Json] = {"dry_run": True} if dry_run else {}
    return what if source is None else what | {"source": wire.text("source", source)}


async def erase_user(
    transport: Transport, user: UUID | str, tenant: UUID | str | None, *, dry_run: bool = False
) -> Mapping[str, Any]:
    """See :meth:`memoranda.Store.erase`."""
    subject: dict[str, Json] = {"user": str(as_id("user", user))}
    if tenant is not None:
        subject["tenant"] = str(as_id("tenant", tenant))
    if dry_run:
        subject["dry_run"] = True
    return cast("Mapping[str, Any]", await transport.call("erase_user", {"subject": subject}, SERVICE))


async def verify(transport: Transport, receipt: Receipt) -> Verified:
    """See :meth:`memoranda.Store.verify`."""
    whole = cast("Json", dict(receipt.data))
    row = cast("Mapping[str, Any]", await transport.call("erase_verify", {"receipt": whole}, SERVICE))
    return Verified(row["genuine"], row["left"], datetime.fromisoformat(row["at"]))
