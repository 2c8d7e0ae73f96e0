"""Which memory an agent's run has: how adapters come from a framework's context to an :class:`AgentRun`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar, cast
from uuid import UUID

import memoranda.sync.store
from memoranda.agents import AgentOptions, AgentRun
from memoranda.errors import IdentityError, InputError, ScopeError
from memoranda.identity import Identity, Scope
from memoranda.store import Store
from memoranda.sync.agents import AgentRun as SyncAgentRun

ContextT = TypeVar("ContextT")

AnyStore: TypeAlias = "Store | memoranda.sync.store.Store"
AnyRun: TypeAlias = "AgentRun | SyncAgentRun"
Who: TypeAlias = "str | UUID | Identity"
"""Whom a run serves: a user's name or id, or an :class:`memoranda.Identity` with a tenant."""

_finishing = set[asyncio.Task[None]]()
"""Turns that are being stored. A loop holds its tasks weakly, and who began one may be gone."""


@dataclass(frozen=True, slots=True)
class AgentMemory(Generic[ContextT]):
    """The memory of all runs of an agent: a store, and how to tell from a run's context whom it serves.

    Attributes:
        store: The store, for code with or without `await`.
        identity: Whom a run serves, from its context: a user's name or id, or an :class:`memoranda.Identity`. It reads
            what the application has put there, never what a model or a message says. May be an ``async def``, which
            serves code with `await` alone; so may a function for `scope`.
        scope: Which of the user's memories, or a function of the context.
        mounts: Scopes whose files stand in folders of these names; see :meth:`memoranda.Store.memory`.
        options: How the agent uses it.
    """

    store: AnyStore
    identity: Callable[[ContextT], Who | Awaitable[Who]]
    scope: Scope | Callable[[ContextT], Scope | Awaitable[Scope]] = field(default_factory=Scope.user)
    mounts: Mapping[str, Scope] | None = None
    options: AgentOptions = field(default_factory=AgentOptions)

    def __post_init__(self) -> None:
        """Refuse what is no store, no scope, and an identity that is not asked for.

        Raises:
            InputError: The store, or the identity, is something else.
            ScopeError: The scope is.
        """
        if not isinstance(self.store, Store | memoranda.sync.store.Store):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped
            raise InputError(f"The store is a {type(self.store).__name__}.", hint="Pass what memoranda.open() gives.")
        if not callable(self.identity):  # pyright: ignore[reportUnnecessaryComparison]  # untyped
            raise InputError("`identity` is a function of the run's context, so that each run is asked whom it serves.")
        if not callable(self.scope):
            _checked(self.scope)

    async def run(self, context: ContextT, *, chat: str | None, run_id: str | None, extractor: object = None) -> AnyRun:
        """Bind a run, to be used with :func:`done`.

        Args:
            context: The framework's context of the run.
            chat: The chat that it belongs to.
            run_id: Its id.
            extractor: What finds facts in its turn, in the place of the store's.

        Returns:
            The run, with or without `await` as the store is.

        Raises:
            IdentityError: Nobody is served.
            ScopeError: What the function for `scope` gave is no scope.
        """
        who, scope = self._asked(context)
        who = await who if inspect.isawaitable(who) else who
        scope = await scope if inspect.isawaitable(scope) else scope
        bound = self._bound(who, scope, chat, run_id, extractor)
        if isinstance(self.store, Store):
            return AgentRun(self.store.memory(**bound), self.options)
        return SyncAgentRun(self.store.memory(**bound), self.options)

    def sync_run(
        self, context: ContextT, *, chat: str | None, run_id: str | None, extractor: object = None
    ) -> SyncAgentRun:
        """The same for code without `await`, over the store's twin.

        Args:
            context: As for :meth:`run`.
            chat: As for :meth:`run`.
            run_id: As for :meth:`run`.
            extractor: As for :meth:`run`.

        Returns:
            The run.

        Raises:
            IdentityError: Nobody is served.
            InputError: `identity`, or `scope`, is an ``async def``.
            ScopeError: What the function for `scope` gave is no scope.
        """
        who, scope = self._asked(context)
        if waits := [each for each in (who, scope) if inspect.isawaitable(each)]:
            for each in waits:
                cast("Any", getattr(each, "close", lambda: None))()  # never awaited, and not to be complained of
            raise InputError(
                "This agent's `identity` or `scope` is an async function, and the agent is called without `await`.",
                hint="Call the agent with `await` (ainvoke, astream), or make it an ordinary function.",
            )
        store = self.store.sync if isinstance(self.store, Store) else self.store
        bound = self._bound(cast("Who", who), cast("Scope", scope), chat, run_id, extractor)
        return SyncAgentRun(store.memory(**bound), self.options)

    def _asked(self, context: ContextT) -> tuple[Who | Awaitable[Who], Scope | Awaitable[Scope]]:
        """Whom the context names, and where."""
        return self.identity(context), self.scope(context) if callable(self.scope) else self.scope

    def _bound(self, who: Who, scope: Scope, chat: str | None, run_id: str | None, extractor: object) -> dict[str, Any]:
        if not who:  # an empty name, too, is no user
            raise IdentityError("The agent's `identity` named nobody.")
        identity = who if isinstance(who, Identity) else Identity.of(who)
        return {
            "user": identity.user,
            "tenant": identity.tenant,
            "claims": identity.claims,
            "scope": _checked(scope),
            "mounts": self.mounts,
            "chat": chat,
            "run_id": run_id,
            "extractor": extractor,
        }


def _checked(scope: Scope) -> Scope:
    """A scope; a text that names one is none."""
    if not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped
        raise ScopeError(
            f"The scope is a {type(scope).__name__}.",
            hint="Pass memoranda.Scope.user(), .agent(id), .chat(id), .project(id) or .organization(), or a function "
            "that gives one.",
        )
    return scope


async def done(run: AnyRun, method: Callable[..., Any], *arguments: Any) -> Any:
    """What a method of a run gives, whether it is awaited or blocks; what blocks does so in a thread.

    Args:
        run: The run.
        method: The method, bound to it.
        *arguments: What to call it with.
    """
    if isinstance(run, SyncAgentRun):
        return await asyncio.to_thread(method, *arguments)
    return await method(*arguments)


async def finished(run: AnyRun, messages: Iterable[object]) -> None:
    """End a run's turn. Cancelling this does not: what was said is stored beside what is cancelled.

    Args:
        run: The run.
        messages: See :meth:`memoranda.agents.AgentRun.finish`.
    """
    task = asyncio.ensure_future(done(run, run.finish, messages))
    _finishing.add(task)
    task.add_done_callback(_finishing.discard)
    await asyncio.shield(task)
