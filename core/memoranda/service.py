"""What an application's own server does for whole users, and for all of them: it goes in as the service role."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import erasure, exporting, purging, reembedding, transfer, wire, working
from memoranda.embedders import as_embedder
from memoranda.erasure import Receipt, Verified
from memoranda.errors import InputError
from memoranda.identity import Identity, Scope
from memoranda.memory import Binding
from memoranda.purging import BATCH, Purged
from memoranda.reembedding import Reembedded
from memoranda.transfer import Imported, ImportedRow
from memoranda.transport import Caller, Transport
from memoranda.worker import work_of_all
from memoranda.working import QueueStatus, Worked, WorkKind

if TYPE_CHECKING:
    from datetime import datetime

    from memoranda.embedding import Embedder
    from memoranda.exportformat import Item
    from memoranda.extraction import Extractor


class Service:
    """What of :class:`memoranda.Store` is for the application's own server."""

    transport: Transport
    embedder: Embedder | None
    extractor: Extractor | None
    _named: str | None  # the embedder, if it came by its name
    _made: list[Embedder | None]  # those that are ours to close

    async def erasable(self, user: UUID | str, *, tenant: UUID | str | None = None) -> Mapping[str, int]:
        """How many rows :meth:`erase` would remove, by table; nothing is changed.

        Args:
            user: The user.
            tenant: See :meth:`erase`.
        """
        row = await erasure.erase_user(self.transport, user, tenant, dry_run=True)
        return cast("Mapping[str, int]", row["counts"])

    async def erase(self, user: UUID | str, *, tenant: UUID | str | None = None) -> Receipt:
        """Remove every trace of a user for good, also of one who is no member any more. It cannot be undone.

        All their scopes go, with the history, and their memberships. Of an organisation's memory nothing goes but their
        id as the writer: it is the organisation's. Afterwards no write that was under way or waited in a queue brings
        anything back. Goes in as the service role, so no user and no model can do it.

        Args:
            user: The user, as an id or a name.
            tenant: Only what they have in this organisation; else everywhere, one tenant after the other.

        Returns:
            The receipt. Keep it: :meth:`verify` checks it later.

        Raises:
            IdentityError: An id or name is malformed.
            ForbiddenError: This login may not act as the service role.
            CallTimeoutError: It took longer than the store's timeout, and nothing was erased.
        """
        return Receipt.of(await erasure.erase_user(self.transport, user, tenant))

    async def verify(self, receipt: Receipt) -> Verified:
        """See whether a receipt is genuine, and whether what it says is gone still is. Goes in as the service role.

        Args:
            receipt: What :meth:`erase` or :meth:`memoranda.Memory.erase` returned, also read back from a file with
                :meth:`memoranda.Receipt.from_json`.
        """
        return await erasure.verify(self.transport, receipt)

    def export(
        self,
        user: UUID | str,
        *,
        tenant: UUID | str | None = None,
        history: bool = True,
        vectors: bool = False,
        documents: bool = True,
    ) -> AsyncIterator[str]:
        """All that a user has, every scope after the other, as lines of JSON; see :meth:`memoranda.Memory.export`.

        Args:
            user: The user. An organisation's memory is not theirs, and not in it.
            tenant: Only what they have in this organisation; else in all in which they are.
            history: See :meth:`memoranda.Memory.export`.
            vectors: The same.
            documents: Their documents as well, for which it goes in as the service role.

        Raises:
            IdentityError: An id or name is malformed.
            ConflictError: Somebody wrote there meanwhile.
            ForbiddenError: This login may not act as the service role, and documents were asked for.
        """
        me = self._binding(user, tenant)

        async def places() -> list[Binding]:
            known = cast("Mapping[str, Any]", await self.transport.call("whoami", {}, Caller.of(me.identity)))
            tenants = [me.identity.tenant] if tenant is not None else [UUID(each) for each in known["tenants"]]
            found = [
                self._binding(user, each, scope)
                for each in tenants
                for scope in await exporting.scopes_of(self._binding(user, each), documents=documents)
            ]
            return found or [me]

        return exporting.export_all(places, history=history, vectors=vectors, documents=documents)

    async def import_(
        self,
        user: UUID | str,
        lines: Iterable[str | bytes | Item],
        *,
        restore: bool = False,
        dry_run: bool = False,
        report: Callable[[ImportedRow], object] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Imported:
        """Bring an export of several scopes to a user, each to where it was; see :meth:`memoranda.Memory.import_`.

        Args:
            user: Whose it is to be. What was in the exporter's own tenant goes to this user's own.
            lines: See :meth:`memoranda.Memory.import_`, as for the others.
            restore: The same.
            dry_run: The same.
            report: The same.
            progress: The same.
        """

        def bind(row: Mapping[str, Any]) -> Binding:
            return self._binding(user, *transfer.place_of(row))

        owner = self._binding(user).identity.user
        importer = transfer.Importer(bind, owner, restore=restore, dry_run=dry_run, report=report, progress=progress)
        return await importer.run(lines)

    def _binding(self, user: UUID | str, tenant: UUID | str | None = None, scope: Scope | None = None) -> Binding:
        """The place of one scope of a user, without a run."""
        return Binding(self.transport, Identity.of(user, tenant), scope or Scope.user(), None, self.embedder)

    async def reembed(
        self,
        embedder: object,
        *,
        batch: int = 200,
        pause: float = 0.0,
        progress: Callable[[Reembedded], object] | None = None,
    ) -> Reembedded:
        """Change the embedding model, while everything goes on; `docs/embedders.md` has the whole of it.

        Every fact of everybody gets a vector of the new model beside the one that it has, by which searches go on.
        When none is left without, one transaction says in the setting ``model`` which it is now, and this store goes by
        it; memories that were made before go on with the old one. Messages are put on the list of work then, and get
        theirs from :meth:`work`, or a worker that has the new model. Broken off, by a kill too, it goes on where it was
        when it is called again. The old vectors stay until :meth:`drop_vectors`.

        Args:
            embedder: The new one; see :func:`open`.
            batch: Facts at once.
            pause: Seconds between two batches, to leave the server to others.
            progress: Called after each batch.

        Raises:
            EmbedderError: The embedder fails; call again when it is mended.
            ForbiddenError: This login may not act as the service role.
            ConflictError: Some facts cannot be reached.
        """
        made = as_embedder(embedder)
        if made is None:
            raise InputError("A change of model needs an embedder.")
        if isinstance(embedder, str):
            self._made.append(made)

        def bind(user: UUID, tenant: UUID, scope: Scope) -> Binding:
            return self._binding(user, tenant, scope)

        done = await reembedding.reembed(
            self.transport, bind, made, batch=wire.number("batch", batch), pause=pause, progress=progress
        )
        self.embedder, self._named = made, embedder if isinstance(embedder, str) else None
        return done

    async def drop_vectors(self, model: str, *, progress: Callable[[int], object] | None = None) -> int:
        """Drop the vectors of a model that is no longer used, a thousand at a time; returns how many.

        Args:
            model: Its name, as vectors are kept under it: the embedder's, a slash, and the length.
            progress: Called with how many are gone.

        Raises:
            ConflictError: It is the model in force.
        """
        return await reembedding.drop(self.transport, wire.name("model", model), progress)

    async def work(
        self,
        limit: int | None = None,
        *,
        progress: Callable[[Worked], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Worked:
        """Do what is left to do, of every user, until nothing is due: vectors for messages, facts from turns.

        Takes keys as the service role, and does each owner's work as that owner. Several may work at once, in one
        process or many; what one has taken is left to it until its lease ends. What failed waits, and is not waited
        for: call this again, or run ``memoranda worker``.

        Args:
            limit: How much to do at most.
            progress: Called from time to time with what was done so far.
            stop: Asked before anything further is taken; what was taken is done.

        Returns:
            What was done.

        Raises:
            InputError: The store has no embedder and no extractor.
            ForbiddenError: This login may not act as the service role; :meth:`memoranda.Memory.work` needs none.
            UnavailableError: The database is out of reach. The work stays, and is taken again when its lease ends.
        """

        def bind(user: UUID, tenant: UUID, scope: Scope, queued_at: datetime) -> Binding:
            since = queued_at.isoformat()
            identity = Identity.of(user, tenant)
            return Binding(self.transport, identity, scope, None, self.embedder, since, self.extractor)

        kinds = working.kinds_of(self.embedder, self.extractor)
        return await work_of_all(self.transport, kinds, bind, limit=limit, progress=progress, stop=stop)

    async def queue(self) -> QueueStatus:
        """What there is to do, and what was given up, with reasons. Goes in as the service role."""
        return await working.status(self.transport)

    async def retry(self, kinds: Sequence[WorkKind] | None = None) -> int:
        """Try again what was given up. Goes in as the service role.

        Args:
            kinds: Only work of these kinds, ``embed`` and ``extract``.

        Returns:
            How much that is.
        """
        return await working.retry(self.transport, kinds)

    async def expired(self) -> Purged:
        """How much :meth:`purge` would remove; nothing is changed."""
        return await purging.due(self.transport)

    async def purge(self, batch: int = BATCH, *, progress: Callable[[Purged], object] | None = None) -> Purged:
        """Remove for good what has expired, with its history and vectors, and idempotency keys whose time is up.

        Each batch is a transaction of its own, so it can be broken off at any time and run again. Goes in as the
        service role.

        Args:
            batch: Facts, or keys, in one transaction; who writes in their scope waits for so long.
            progress: Called after each batch with what was removed so far.

        Returns:
            What was removed.

        Raises:
            ForbiddenError: This login may not act as the service role.
        """
        return await purging.purge(self.transport, batch, progress)
