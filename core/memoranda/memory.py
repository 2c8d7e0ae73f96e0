"""A memory: a store seen by one user, in one scope, for one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from memoranda import context as rendering
from memoranda import wire
from memoranda.audit import AuditEntry, Subject, read_log
from memoranda.commands import Result
from memoranda.erasure import Receipt, request
from memoranda.errors import PathError
from memoranda.facts import Facts
from memoranda.files import Files
from memoranda.gathering import gathered
from memoranda.identity import Identity, Scope
from memoranda.messages import Messages
from memoranda.recalling import Recalled, query_of, recall, told
from memoranda.review import Review
from memoranda.tokens import TokenCounter, token_counter
from memoranda.transfer import Portable
from memoranda.transport import Caller, Json, Transport
from memoranda.turns import Turns
from memoranda.undoing import Undone
from memoranda.worker import work_of_one
from memoranda.working import Worked

if TYPE_CHECKING:
    from memoranda.context import Context
    from memoranda.embedding import Embedder
    from memoranda.extracting.candidates import Extractor


Actor: TypeAlias = Literal["application", "model", "extractor", "import", "system"]


@dataclass(frozen=True, slots=True)
class Binding:
    """What every call of a memory carries, and no argument can change."""

    transport: Transport
    identity: Identity
    scope: Scope
    run_id: str | None
    embedder: Embedder | None = None
    queued_at: str | None = None
    extractor: Extractor | None = None

    async def call(self, function: str, arguments: Mapping[str, Json]) -> Json:
        """Call a function of the schema at this memory's place, as its user."""
        return await self.transport.call(function, self.placed(arguments), Caller.of(self.identity))

    async def together(self, calls: Sequence[tuple[str, Mapping[str, Json]]]) -> list[Json]:
        """Call several functions as its user, in one round trip where the transport has one.

        Args:
            calls: The functions, and their arguments with the place.
        """
        caller, several = Caller.of(self.identity), getattr(self.transport, "calls", None)
        if several is None:
            return [await self.transport.call(function, arguments, caller) for function, arguments in calls]
        return cast("list[Json]", await several(calls, caller))

    def placed(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Arguments of a call, with this memory's place."""
        place: Json = {"tenant": str(self.identity.tenant), "scope": self.scope.name, "scope_id": self.scope.id}
        return {"place": place, **arguments}

    def call_context(
        self,
        *,
        actor: Actor = "application",
        tool_call_id: str | None = None,
        idempotency_key: str | None = None,
        reason: str | None = None,
    ) -> dict[str, Json]:
        """Who writes, for the log. The actor is set by the code path, never by what a model says."""
        call: dict[str, Json] = {"actor": actor, "run_id": self.run_id}
        if self.queued_at is not None:
            call["queued_at"] = self.queued_at
        if tool_call_id is not None:
            call["tool_call_id"] = wire.name("tool call id", tool_call_id)
        if idempotency_key is not None:
            call["idempotency_key"] = wire.name("idempotency key", idempotency_key)
        if reason is not None:
            call["reason"] = wire.text("reason", reason)
        return {name: value for name, value in call.items() if value is not None}


class Memory(Portable):
    """A store seen by one user, in one scope, for one run. Cheap: make one per run.

    Attributes:
        identity: Whose it is.
        scope: Which of their memories.
        chat: The chat that the run belongs to.
        run_id: The run, as the log names it.
        facts: The facts in this scope.
        review: Those of them that wait for a person.
        files: The files in this scope, and those of the scopes mounted beside them.
        turns: Where finished turns are stored.
        messages: What was said in this scope, in every chat.
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
        mounts: Mapping[str, Scope] | None = None,
        embedder: Embedder | None = None,
        queued_at: datetime | None = None,
        temporary: bool = False,
        extractor: Extractor | None = None,
    ) -> None:
        """Made by :meth:`memoranda.Store.memory`."""
        self.identity = identity
        self.scope = scope
        self.chat = None if chat is None else wire.name("chat", chat)
        self.run_id = run = None if run_id is None else wire.name("run id", run_id)
        since = wire.aware("queued_at", queued_at)
        self._binding = Binding(transport, identity, scope, run, embedder, since, extractor)
        self.facts = Facts(self._binding)
        self.review = Review(self._binding)
        self.turns = Turns(self._binding, self.chat, temporary=temporary)
        self.messages = Messages(self._binding)
        if "" in (mounts or {}):
            raise PathError("A mounted scope needs a name for its folder.")
        mounted = {
            name: Binding(transport, identity, other, run, queued_at=since) for name, other in (mounts or {}).items()
        }
        self.files = Files({"": self._binding, **mounted})

    async def context(
        self,
        query: str | None = None,
        *,
        budget: int = 1500,
        tokens: str | TokenCounter | None = None,
        tainted: Literal["show", "hold"] = "show",
    ) -> Context:
        """What is remembered, as a block for the user part of a request.

        The block says that it is stored data and never instructions; its content cannot close the fence around it. Put
        :attr:`guidance` into the system prompt, and the block into the user's message, never the other way round. What
        one source has said through tools, an assistant or runs that had read untrusted material takes at most a third
        of it, as long as there is anything else; and so do the files of such runs together.

        Args:
            query: What the request is about. Files come first, small before large, so that a big one cannot hide the
                rest; then facts: those that the query is about first, or without one the newest.
            budget: Tokens that the whole block may take.
            tokens: How they are counted: the name of an encoding, such as ``"o200k_base"``, for an exact count (needs
                ``memoranda[tokens]``); a function of your own; or None for a count that is never too low.
            tainted: What a run wrote that had read untrusted material is shown, marked as such, or held back, and then
                listed in what was cut.

        Returns:
            The block, its tokens, what is in it, what was cut, and how many facts wait for a person. Nothing remembered
            gives an empty text.

        Raises:
            InputError: The budget is not a positive whole number, or the encoding is unknown.
            MissingExtraError: An encoding was named and its package is not installed.
        """
        count = tokens if callable(tokens) else token_counter(tokens)
        return await gathered(self._binding, self.files, query, budget=budget, count=count, tainted=tainted)

    async def recall(
        self,
        query: str,
        k: int = 10,
        *,
        scopes: Sequence[Scope] | None = None,
        exclude_chat: str | None = None,
        min_similarity: float | None = None,
        neighbours: int = 1,
        track_use: bool = True,
    ) -> list[Recalled]:
        """What is remembered that a question is about: facts in force, and what was said; best first, each labelled.

        What one source has said through tools, an assistant or runs that had read untrusted material takes at most a
        third of the hits, as long as there are others; what is over comes last.

        Args:
            query: The question, or whatever the agent is about to do.
            k: How many at most, both kinds together; held between 1 and 200.
            scopes: Where to look, at most 20 scopes, in one order; by default this memory's own.
            exclude_chat: A chat whose messages to leave out, such as the one that is going on.
            min_similarity: Only what has at least this cosine, from -1 to 1.
            neighbours: How many messages before and after each message to bring along, 0 to 5.
            track_use: Whether facts that are returned count as used.

        Returns:
            The hits.

        Raises:
            MemorandaError: As for :meth:`memoranda.Messages.recall`.
        """
        return await recall(
            self._binding,
            query,
            k,
            scopes=scopes,
            exclude_chat=None if exclude_chat is None else wire.name("chat", exclude_chat),
            min_similarity=min_similarity,
            neighbours=neighbours,
            track_use=track_use,
        )

    async def run_recall(
        self,
        arguments: Mapping[str, Any],
        *,
        k: int = 8,
        scopes: Sequence[Scope] | None = None,
        budget: int = 3000,
        tokens: str | TokenCounter | None = None,
        tainted: Literal["show", "hold"] = "show",
    ) -> Result:
        """Do what a model asks of the tool :data:`memoranda.tools.RECALL`, and tell it in a text.

        This memory's own chat is left out, since the model has it before it. What is found is data behind a fence, as
        in :meth:`context`.

        Args:
            arguments: The tool's input, as the model sent it: ``{"query": ...}``.
            k: How many facts and messages at most.
            scopes: See :meth:`recall`; never the model's to say.
            budget: Tokens that the text may take.
            tokens: How they are counted; see :meth:`context`.
            tainted: See :meth:`context`.

        Returns:
            The text for the model, and whether it is an error.

        Raises:
            IdentityError: This memory has no usable identity.
            UnavailableError: The database could not be reached in time.
        """
        query = query_of(arguments)
        if isinstance(query, Result):
            return query
        found = await self.recall(query, k, scopes=scopes, exclude_chat=self.chat)
        return told(found, budget, tokens, hold=tainted == "hold")

    async def work(self, limit: int | None = None) -> Worked:
        """Do what is left to do in this scope, as its user: vectors for messages, facts from turns.

        For stores that may not act as the service role; see :meth:`memoranda.Store.work`.

        Args:
            limit: How much to do at most.

        Returns:
            What was done.

        Raises:
            InputError: The store has no embedder and no extractor.
            UnavailableError: The database is out of reach. The work stays, and is taken again when its lease ends.
        """
        return await work_of_one(self._binding, limit=limit)

    async def settings(self) -> Mapping[str, Json]:
        """The limits and policies in force here, by name (see :data:`memoranda.settings.Setting`)."""
        return cast("Mapping[str, Json]", await self._binding.call("settings_get", {}))

    async def audit(
        self,
        limit: int = 100,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        subject: Subject | None = None,
        actor: Actor | None = None,
        run_id: str | None = None,
    ) -> list[AuditEntry]:
        """The log of this scope, facts and files in one, newest first.

        For the page that follows, pass the time of the last entry as `until`: a page ends with all that has that time.

        Args:
            limit: How many at most, but for what has the same time as the last; held between 1 and 1,000.
            since: Only what was written from this time on; timezone-aware.
            until: And before this one.
            subject: Only facts, or only files.
            actor: Only what this code path wrote.
            run_id: Only what belonged to this run.

        Returns:
            The writes, each with what it left. Files of scopes that are mounted here are in the logs of those scopes.

        Raises:
            TimeError: A time has no zone.
            InputError: Another argument is not acceptable.
        """
        return await read_log(
            self._binding, limit, since=since, until=until, subject=subject, actor=actor, run_id=run_id
        )

    async def taint(self, source: str) -> None:
        """Mark this run: it has read untrusted material, such as a web page or a tool's output.

        From here on what the run writes is marked as well, in every scope, and stays marked. A run stays tainted.

        Args:
            source: What it has read, 1 to 200 characters; :meth:`undo` finds the run by it.

        Raises:
            InputError: This memory was made without a run id.
        """
        run: Json = {"run_id": self._binding.run_id, "source": wire.text("source", source)}
        await self._binding.call("runs_taint", {"run": run})

    async def undo(
        self, *, run_id: str | None = None, source: str | None = None, idempotency_key: str | None = None
    ) -> Undone:
        """Take back, in this scope, what a run wrote, or what every run wrote that had read a source.

        Files and keys get back what was in them before; what the run had made is removed; what somebody else has
        written over it since is kept, and named. What the assistant and the tools said in the run is recalled no more;
        the user's own words are. Nothing is lost: the history has it all, the undoing included, and messages are
        listed as before, as withdrawn.

        Args:
            run_id: The run.
            source: The source, as it was given to :meth:`taint`.
            idempotency_key: See :meth:`memoranda.Facts.save`.

        Returns:
            What was restored, removed, kept and withdrawn.

        Raises:
            InputError: Not exactly one of the two is given.
            ForbiddenError: This identity may not write here.
        """
        what: dict[str, Json] = {}
        if run_id is not None:
            what["run_id"] = wire.name("run id", run_id)
        if source is not None:
            what["source"] = wire.text("source", source)
        call = self._binding.call_context(idempotency_key=idempotency_key)
        return Undone.from_json(
            cast("Mapping[str, Any]", await self._binding.call("undo", {"what": what, "call": call}))
        )

    async def erasable(self, source: str | None = None) -> Mapping[str, int]:
        """How many rows :meth:`erase` would remove, by table; nothing is changed.

        Args:
            source: See :meth:`erase`.
        """
        row = await self._binding.call("erase", {"what": request(source, dry_run=True)})
        return cast("Mapping[str, Mapping[str, int]]", row)["counts"]

    async def erase(self, source: str | None = None) -> Receipt:
        """Remove every trace of this scope for good, or of one source in it: history, vectors and tombstones too.

        It cannot be undone. What was on its way (a retry with its idempotency key, a write that had begun, a queued one
        of a memory with ``queued_at``) is not stored any more afterwards, and says so. What no database can reach at
        once stands in the receipt, and in `docs/erasure.md`. For a whole user, see :meth:`memoranda.Store.erase`.

        Args:
            source: Only what came of it: the facts that name it as their source, and every fact and file, with its
                history, that a run has written which had read it (see :meth:`taint`).

        Returns:
            The receipt. Keep it: :meth:`memoranda.Store.verify` checks it later.

        Raises:
            ForbiddenError: It is an organisation's memory, and this identity has no permission to ``manage`` it.
            CallTimeoutError: It took longer than the store's timeout, and nothing was erased.
        """
        return Receipt.of(cast("Mapping[str, Any]", await self._binding.call("erase", {"what": request(source)})))
