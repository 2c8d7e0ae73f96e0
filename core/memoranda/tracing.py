"""Spans of OpenTelemetry, where its API is installed: what was done, counts, and a hash of the scope; never content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from memoranda.identity import Identity, Scope

Note: TypeAlias = "Callable[..., None]"
"""Adds attributes to a span, by name: numbers, truth values, and words of ours."""


@contextmanager
def span(operation: str, identity: Identity, scope: Scope) -> Generator[Note]:
    """A span around an operation, inside whichever span is current, such as a framework's own.

    An exception passes through, and leaves the name of its type: its text may quote what is remembered.

    Args:
        operation: What is done; the span is called ``memoranda.<operation>``.
        identity: Whose memory.
        scope: Which of them.

    Yields:
        What adds attributes to it, each as ``memory.<name>``.
    """
    tracer = _tracer()
    if tracer is None:
        yield _nothing
        return
    started = tracer.start_as_current_span(
        f"memoranda.{operation}", record_exception=False, set_status_on_exception=False
    )
    with started as current:

        def note(**attributes: object) -> None:
            current.set_attributes({f"memory.{name}": value for name, value in attributes.items()})

        note(scope_hash=_hash(identity, scope), scope=scope.name)
        try:
            yield note
        except BaseException as error:
            note(error=type(error).__name__)
            raise


@cache
def _tracer() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer("memoranda")


def _nothing(**_: object) -> None:
    """No span, no attributes."""


def _hash(identity: Identity, scope: Scope) -> str:
    """Tells scopes apart in a trace; the ids that it is made of are random or hashes themselves."""
    place = "\n".join((str(identity.tenant), str(identity.user), scope.name, scope.id))
    return hashlib.sha256(place.encode()).hexdigest()[:16]
