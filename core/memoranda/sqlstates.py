"""What the database says as the SQLSTATE of an error, as an error of this library."""

from __future__ import annotations

from memoranda.errors import (
    AmbiguousError,
    CallTimeoutError,
    ConflictError,
    CycleError,
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
