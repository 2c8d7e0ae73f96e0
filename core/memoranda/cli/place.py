"""Whose memory a command is about, and which part of it: the options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias, cast
from uuid import UUID

import typer

from memoranda.errors import ScopeError
from memoranda.identity import Scope, ScopeName

if TYPE_CHECKING:
    from memoranda.memory import Memory
    from memoranda.store import Store

SCOPES = "user, organization, agent:ID, chat:ID, project:ID"

User: TypeAlias = Annotated[str, typer.Option("--user", metavar="USER", help="Whose memory: a name, or an id.")]
Tenant: TypeAlias = Annotated[
    str | None, typer.Option("--tenant", metavar="TENANT", help="In which organisation: a name, or an id.")
]
Place: TypeAlias = Annotated[str, typer.Option("--scope", metavar="SCOPE", help=f"{SCOPES}.")]
Places: TypeAlias = Annotated[
    list[str], typer.Option("--scope", metavar="SCOPE", help=f"{SCOPES}; may be repeated, to look in several.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def memory_of(store: Store, user: str, tenant: str | None, scope: str) -> Memory:
    """The memory that the options name; names and ids of a person at a terminal are both text."""
    place = scope_of(scope)
    return store.memory(id_or_name(user), tenant=id_or_name(tenant) if tenant else None, scope=place)


def scope_of(text: str) -> Scope:
    """The scope that an option names."""
    name, _, id = text.partition(":")
    try:
        return Scope(cast("ScopeName", name), id)
    except ScopeError as error:
        raise ScopeError(error.message, hint=f"It is one of: {SCOPES}.") from None


def id_or_name(text: str) -> UUID | str:
    """No name looks like an id, so that the two cannot be confused."""
    try:
        return UUID(text)
    except ValueError:
        return text
