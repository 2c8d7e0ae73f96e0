"""Scopes as a file names them."""

from __future__ import annotations

from typing import cast

from memoranda import Scope
from memoranda.identity import ScopeName


def scope_in(text: str) -> Scope:
    """The scope that a text names, as a scope shows itself: ``user``, ``agent:writer``.

    Args:
        text: The text.

    Raises:
        ScopeError: It names none.
    """
    name, _, id_ = text.partition(":")
    return Scope(cast("ScopeName", name), id_)
