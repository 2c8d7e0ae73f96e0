"""The memory of an application that speaks to Anthropic's API: made once, and asked for each turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Generic, Literal, TypeVar
from uuid import UUID, uuid4

from memoranda import Identity, Scope
from memoranda.agentmemory import AgentMemory, AnyStore
from memoranda.agents import AgentOptions, Tainted
from memoranda.extraction import Extractor
from memoranda_anthropic.turns import AsyncTurn, Turn

ContextT = TypeVar("ContextT")


class MessagesMemory(Generic[ContextT]):
    """Long-term memory for a loop over the Messages API, yours or the SDK's tool runner.

    A turn has the tools ``memory`` (Anthropic's own) and ``recall``, the text for the system prompt that says how to
    treat what is remembered, and the messages of each request, with what matters put before the user's words and kept
    nowhere. The results of other tools taint it: what it then writes is marked. What was said is stored at its end.
    """

    def __init__(
        self,
        store: AnyStore,
        *,
        identity: Callable[[ContextT], str | UUID | Identity],
        scope: Scope | Callable[[ContextT], Scope] | None = None,
        mounts: Mapping[str, Scope] | None = None,
        budget: int = 1500,
        tokens: str | None = None,
        tainted: Tainted = "show",
        remember: bool = False,
        turns: bool = True,
        extractor: Extractor | None = None,
        extract: Literal["inline", "worker", "off"] | None = None,
        trusted_tools: Collection[str] = (),
        inject: bool = True,
    ) -> None:
        """Make the memory; nothing is asked of the database.

        Args:
            store: The store. An async one serves :meth:`sync_turn` through its twin, a sync one :meth:`turn` in
                threads.
            identity: Whom a turn serves, from the context that your application gives it, such as its web request. What
                it raises ends the turn before any request.
            scope: Which of the user's memories, or a function of the context.
            mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
            budget: Tokens that the block may take.
            tokens: How they are counted: the name of an encoding, or None for a count that is never too low.
            tainted: Whether what a tainted run wrote is shown, marks the run, or is held back: see docs/poisoning.md.
            remember: Whether the model may save single facts; what the user's own words do not bear out waits.
            turns: Whether what was said is stored when a turn has ended, for recall.
            extractor: What finds facts in a turn that has ended, in the place of the store's, such as a
                :class:`ModelExtractor`. It costs a call of a model for each turn, and its failure is never the turn's.
            extract: Whether that is done when the turn has ended, by a worker, or not at all.
            trusted_tools: Tools of yours whose results do not taint the run.
            inject: Whether the block is put into requests.

        Raises:
            InputError: An option is not acceptable.
        """
        options = AgentOptions(budget, tokens, tainted, remember, turns, extract, trusted_tools)
        self._agents = AgentMemory(store, identity, scope or Scope.user(), mounts, options)
        self._extractor = extractor
        self._inject = inject

    @asynccontextmanager
    async def turn(
        self, context: ContextT, messages: Iterable[object], *, chat: str | None = None, run_id: str | None = None
    ) -> AsyncGenerator[AsyncTurn]:
        """Begin a turn, for an async client.

        Args:
            context: Whom it serves, as `identity` reads it.
            messages: The conversation; what the user says now is the last of it.
            chat: The chat that it belongs to.
            run_id: The id of the run, by which the log names it; one is made when it is None.

        Yields:
            The turn: ``async with memory.turn(...) as turn:``. Leaving it stores what was said, whatever happened.

        Raises:
            IdentityError: Nobody is served.
        """
        run = await self._agents.run(context, chat=chat, run_id=run_id or str(uuid4()), extractor=self._extractor)
        async with AsyncTurn(run, messages, inject=self._inject) as turn:
            yield turn

    def sync_turn(
        self, context: ContextT, messages: Iterable[object], *, chat: str | None = None, run_id: str | None = None
    ) -> Turn:
        """Begin a turn, for a client without `await`.

        Args:
            context: See :meth:`turn`, as for the others.
            messages: The conversation.
            chat: The chat that it belongs to.
            run_id: The id of the run.

        Returns:
            The turn: ``with memory.sync_turn(...) as turn:``.

        Raises:
            IdentityError: Nobody is served.
        """
        run = self._agents.sync_run(context, chat=chat, run_id=run_id or str(uuid4()), extractor=self._extractor)
        return Turn(run, messages, inject=self._inject)
