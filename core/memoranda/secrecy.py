"""What is done about secrets in a fact that is to be saved; how they are found is in :mod:`memoranda.redaction`."""

from __future__ import annotations

from dataclasses import replace

from memoranda.errors import SecretError
from memoranda.facttypes import NewFact
from memoranda.redaction import Policy, has_secret, masked


def without_secrets(fact: NewFact, policy: Policy) -> NewFact:
    """A fact as it may be saved.

    Args:
        fact: The fact. Its texts, names and labels are looked at; what is in `metadata` is the application's own.
        policy: What is done about a secret.

    Returns:
        The fact, masked if that is the policy.

    Raises:
        SecretError: It holds a secret, and the policy is to refuse it.
    """
    if policy == "store":
        return fact
    texts = [fact.content, fact.key, fact.quote, fact.source, *fact.tags, *(fact.entities or ())]
    if not any(has_secret(text) for text in texts if isinstance(text, str)):  # what is no text is refused elsewhere
        return fact
    if policy == "refuse":
        raise SecretError

    def clean(text: str | None) -> str | None:
        return masked(text) if text else text

    return replace(
        fact,
        content=masked(fact.content),
        key=clean(fact.key),
        quote=clean(fact.quote),
        source=clean(fact.source),
        tags=[masked(tag) for tag in fact.tags],
        entities=None if fact.entities is None else [masked(entity) for entity in fact.entities],
    )
