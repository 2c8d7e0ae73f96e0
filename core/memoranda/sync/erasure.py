# Generated from core/memoranda/erasure.py by .ci/make_sync.py: change that file, then run this.
"""Erasure: removing every trace of a scope, a source or a user for good, with a receipt that can be verified later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from memoranda.erasure import Beyond as Beyond
from memoranda.erasure import Receipt as Receipt
from memoranda.erasure import Verified as Verified
from memoranda.erasure import What as What
from memoranda.erasure import request as request
from memoranda.identity import as_id
from memoranda.sync.transport import SERVICE, Json, Transport


def erase_user(
    transport: Transport, user: UUID | str, tenant: UUID | str | None, *, dry_run: bool = False
) -> Mapping[str, Any]:
    """See :meth:`memoranda.sync.Store.erase`."""
    subject: dict[str, Json] = {"user": str(as_id("user", user))}
    if tenant is not None:
        subject["tenant"] = str(as_id("tenant", tenant))
    if dry_run:
        subject["dry_run"] = True
    return cast("Mapping[str, Any]", transport.call("erase_user", {"subject": subject}, SERVICE))


def verify(transport: Transport, receipt: Receipt) -> Verified:
    """See :meth:`memoranda.sync.Store.verify`."""
    whole = cast("Json", dict(receipt.data))
    row = cast("Mapping[str, Any]", transport.call("erase_verify", {"receipt": whole}, SERVICE))
    return Verified(row["genuine"], row["left"], datetime.fromisoformat(row["at"]))
