"""A memory: a store seen by one user, in one scope, for one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from memoranda import context as rendering
from memoranda import wire
from memoranda.facts import Fact, Facts
from memoranda.identity import Identity, Scope
from memoranda.tokens import TokenCounter, token_counter
from memoranda.transport import Caller, Json, Transport

if TYPE_CHECKING:
    from memoranda.context import Context


@dataclass(frozen=True, slots=True)
class Binding:
    """What every call of a memory carries, and no argument can change."""

    transport: Transport
    identity: Identity
    scope: Scope
    run_id: str | None

    async def call(self, function: str, arguments: Mapping[str, Json]) -> Json:
        """Call a function of the schema at this memory's place, as its user."""
        place: Json = {"tenant": str(self.identity.tenant), "scope": self.scope.name, "scope_id": self.scope.id}
        return await self.transport.call(function, {"place": place, **arguments}, Caller.of(self.identity))

    def call_context(self, *, idempotency_key: str | None = None, reason: str | None = None) -> dict[str, Json]:
        """Who writes, for the log: the application's own code, since nothing else calls these methods."""
        call: dict[str, Json] = {"actor": "application", "run_id": self.run_id}
        if idempotency_key is not None:
            call["idempotency_key"] = wire.name("idempotency key", idempotency_key)
        if reason is not None:
            call["reason"] = wire.text("reason", reason)
        return {name: value for name, value in call.items() if value is not None}


class Memory:
    """A store seen by one user, in one scope, for one run. Cheap: make one per run.

    Attributes:
        identity: Whose it is.
        scope: Which of their memories.
        chat: The chat that the run belongs to.
        facts: The facts in this scope.
    """

    guidance = rendering.GUIDANCE
    """Trusted text for the system prompt: how the model is to treat the block that :meth:`context` renders."""

    def __init__(
        self,
        transport: Transport,
        identity: Identity,
        scope: Scope,
        *,
        chat: str | None = None,
        run_id: str | None = None,
    ) -> None:
        """Made by :meth:`memoranda.Store.memory`."""
        self.identity = identity
        self.scope = scope
        self.chat = chat
        self.facts = Facts(Binding(transport, identity, scope, run_id))

    async def context(
        self, query: str | None = None, *, budget: int = 1500, tokens: str | TokenCounter | None = None
    ) -> Context:
        """What is remembered, as a block for the user part of a request.

        The block says that it is stored data and never instructions; its content cannot close the fence around it. Put
        :attr:`guidance` into the system prompt, and the block into the user's message, never the other way round.

        Args:
            query: What the request is about. Facts under a key are all in reach, newest first, whatever it says.
            budget: Tokens that the whole block may take.
            tokens: How they are counted: the name of an encoding, such as ``"o200k_base"``, for an exact count (needs
                ``memoranda[tokens]``); a function of your own; or None for a count that is never too low.

        Returns:
            The block, its tokens, what is in it and what was cut. Nothing remembered gives an empty text.

        Raises:
            InputError: The budget is not a positive whole number, or the encoding is unknown.
            MissingExtraError: An encoding was named and its package is not installed.
        """
        del query  # ranks facts without a key; those with one are few and recalled by time
        count = tokens if callable(tokens) else token_counter(tokens)
        facts = await self.facts.recall(limit=200)
        return rendering.render([_item(fact) for fact in facts], budget=budget, count=count)


def _item(fact: Fact) -> rendering.Item:
    """A fact as the model sees it: what it says, and how old it is, so that its age can be judged."""
    data: dict[str, Json] = {"key": fact.key, "kind": fact.kind, "content": fact.content}
    if fact.source is not None:
        data["source"] = fact.source
    data["updated"] = fact.updated_at.astimezone(UTC).date().isoformat()
    return rendering.Item("fact", fact.key, data)
