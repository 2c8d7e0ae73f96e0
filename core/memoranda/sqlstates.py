"""What the database says as the SQLSTATE of an error, as an error of this library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from memoranda.errors import (
    AmbiguousError,
    CallTimeoutError,
    ConflictError,
    CycleError,
    DatabaseError,
    EmptyError,
    ExistsError,
    ForbiddenError,
    IdempotencyError,
    IdentityError,
    InputError,
    LineError,
    MemorandaError,
    NoMatchError,
    NotFoundError,
    NotInForceError,
    PathError,
    PrivilegeError,
    QuotaError,
    SchemaError,
    ScopeError,
    SettledError,
    SupersededError,
    TimeError,
    TooLargeError,
    UnavailableError,
    VectorError,
)

BY_SQLSTATE: dict[str, type[MemorandaError]] = {
    # Standard states that mean the same to every client.
    "28000": IdentityError,
    "42501": ForbiddenError,
    "57014": CallTimeoutError,
    # Our own class, ME: one state, one error.
    "MESCP": ScopeError,
    "MEINP": InputError,
    "MEEMP": EmptyError,
    "MEBIG": TooLargeError,
    "METIM": TimeError,
    "MEPTH": PathError,
    "MELIN": LineError,
    "MEVEC": VectorError,
    "MEQTA": QuotaError,
    "MENFD": NotFoundError,
    "MENOM": NoMatchError,
    "MEAMB": AmbiguousError,
    "MEEXS": ExistsError,
    "MECFL": ConflictError,
    "MEIDM": IdempotencyError,
    "MESUP": SupersededError,
    "MEGON": NotInForceError,
    "MECYC": CycleError,
    "MESET": SettledError,
    "MEPRV": PrivilegeError,
    "MESCH": SchemaError,
}
"""SQLSTATE → error. A state that is not here becomes a :class:`DatabaseError`."""


def error_of(state: str, message: str, hint: str = "", detail: str = "") -> MemorandaError:
    """One of our errors for one of the database's, however it came here.

    Args:
        state: The SQLSTATE.
        message: The database's message.
        hint: Its hint.
        detail: Its detail; that of our own SQL is JSON.

    Returns:
        The error, with the database's own message and hint.
    """
    if message:
        message = f"{message[0].upper()}{message[1:].rstrip('.')}."
    if known := BY_SQLSTATE.get(state):
        found = cast("Mapping[str, Any]", json.loads(detail or "{}")) if state.startswith("ME") else None
        return known(message, hint=hint, detail=found)
    if state.startswith("22"):  # data exceptions: a malformed id, number or time in an argument
        return InputError(message, hint=hint)
    if state[:2] in ("08", "53", "57", "40"):
        return UnavailableError(message)
    return DatabaseError(message, hint=hint)
