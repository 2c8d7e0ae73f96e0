"""Import: lines of JSON become a memory again, by the rules or as it was. The format is in `docs/export.md`."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from memoranda import vectors
from memoranda.errors import EmbedderError, FormatError, InputError, MemorandaError
from memoranda.exportformat import Item, items_of
from memoranda.exporting import export_all
from memoranda.html import Shown
from memoranda.identity import Scope
from memoranda.messagevectors import queue_missing
from memoranda.transport import SERVICE, Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

_log = logging.getLogger("memoranda")

_ROWS = 200
"""How many rows of an import go into one transaction."""

_CHARACTERS = 2_000_000
"""And how long they are, about, at most."""

_LINKS = ("id", "status", "supersedes", "superseded_by", "holds_until", "proposes")


@dataclass(frozen=True, slots=True)
class ImportedRow(Shown):
    """What became of one row of an import.

    Attributes:
        line: Its line, from 1; of what has no lines, its number.
        what: Its kind, such as ``fact``.
        name: What it is known by: an id, a path, a run.
        outcome: As of a save (``stored``, ``superseded``, ``pending``, ``duplicate``, ``rejected``); of a restore
            ``restored``, ``duplicate`` (it is here as it was) or ``differs`` (it is here and was changed, and stays);
            ``kept`` (what is here stays), ``skipped``, or ``failed``.
        rule: What decided it.
    """

    line: int
    what: str
    name: str
    outcome: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Imported(Shown):
    """What an import did.

    Attributes:
        counts: How many rows had which outcome, by kind.
        embedded: How many facts got a vector afterwards.
        dry_run: Whether nothing was done.
    """

    counts: Mapping[str, Mapping[str, int]]
    embedded: int = 0
    dry_run: bool = False

    def total(self, *outcomes: str) -> int:
        """How many rows had one of these outcomes; without any, how many there were."""
        return sum(
            n for each in self.counts.values() for outcome, n in each.items() if not outcomes or outcome in outcomes
        )


@dataclass(slots=True)
class _Batch:
    """Rows for one transaction, at one place."""

    items: list[Item] = field(default_factory=list[Item])
    size: int = 0


class Importer:
    """An import that is under way."""

    def __init__(
        self,
        bind: Callable[[Mapping[str, Any]], Binding],
        user: UUID,
        *,
        restore: bool,
        dry_run: bool,
        report: Callable[[ImportedRow], object] | None,
        progress: Callable[[int], object] | None,
    ) -> None:
        """Set one up.

        Args:
            bind: The place for a line of the kind ``scope``, which is empty for rows that name none.
            user: Whose it is to be.
            restore: See :meth:`memoranda.Memory.import_`.
            dry_run: The same.
            report: The same.
            progress: The same.
        """
        self._bind, self._user, self._exporter = bind, user, ""
        self._restore, self._dry = restore, dry_run
        self._report, self._progress = report, progress
        self._binding: Binding | None = None
        self._salt: str | None = None
        self._counts: dict[str, Counter[str]] = {}
        self._facts: set[str] = set()  # their ids, for a dry run
        self._later: list[tuple[int, dict[str, Json]]] = []  # links to what comes later
        self._embedded = 0

    async def run(self, lines: Iterable[str | bytes | Item]) -> Imported:
        """Bring everything in."""
        batch = _Batch()
        for item in self._items(lines):
            if item.row is None:
                self._note(item, "skipped", item.reason)
            elif item.row["type"] == "header":
                self._exporter = str(item.row.get("user"))
                if self._restore and self._exporter != str(self._user):
                    raise InputError(
                        "That is the export of another user.", hint="Import it without restoring: it then waits."
                    )
            elif item.row["type"] == "scope":
                await self._send(batch)
                await self._finish()
                batch = _Batch()
                self._binding = self._bind({**item.row, "exporter": self._exporter})
                self._salt = item.row.get("salt")
            else:
                batch.items.append(item)
                batch.size += item.size
                if len(batch.items) == _ROWS or batch.size > _CHARACTERS:
                    await self._send(batch)
                    batch = _Batch()
        await self._send(batch)
        await self._finish()
        return Imported({what: dict(each) for what, each in self._counts.items()}, self._embedded, self._dry)

    def _items(self, lines: Iterable[str | bytes | Item]) -> Iterator[Item]:
        """The rows, in order; the history only where it is put back."""
        for item in items_of(lines, restore=self._restore):
            if item.row is not None and item.row["type"] in ("run", "revision", "vector") and not self._restore:
                yield Item(item.line, item.what, item.name, None, "history is only put back by a restore")
            elif item.row is not None and not self._restore and item.row.get("status", "confirmed") not in _IN_FORCE:
                yield Item(item.line, item.what, item.name, None, f"it is {item.row['status']}")
            else:
                yield item

    async def _send(self, batch: _Batch) -> None:
        """One batch, in one transaction."""
        if not batch.items:
            return
        if self._binding is None:
            self._binding = self._bind({})
        rows = [dict(cast("Mapping[str, Json]", item.row)) for item in batch.items]
        for row in rows:
            if row["type"] == "tombstone" and self._salt is not None:
                row["salt"] = self._salt
        if not self._restore and not self._dry:
            await self._embed(rows)
        try:
            outcomes = await self._call(rows)
        except MemorandaError as error:
            error.detail["line"] = batch.items[0].line  # nothing of this batch is here
            raise
        for item, row, outcome in zip(batch.items, rows, outcomes, strict=True):
            self._settle(item, row, outcome)
        if self._progress:
            self._progress(batch.items[-1].line)

    def _settle(self, item: Item, row: Mapping[str, Json], outcome: Mapping[str, Any]) -> None:
        result, rule = outcome["outcome"], outcome.get("rule")
        if row["type"] == "fact":
            self._facts.add(str(row["id"]))
            if outcome.get("later") and not self._dry:
                self._later.append((item.line, {name: row.get(name) for name in _LINKS} | {"type": "link"}))
        elif self._dry and self._restore and result == "failed" and str(row.get("fact_id")) in self._facts:
            result, rule = "restored", None  # its fact comes in before it, and a dry run takes that back
        self._note(item, result, rule)

    async def _finish(self) -> None:
        """What is done when all rows of a place are there: links, and vectors."""
        later, self._later = self._later, []
        binding = self._binding
        if binding is None:
            return
        for _ in range(2):  # what supersedes another can say so once that one says it, too
            outcomes: list[Mapping[str, Any]] = []
            for start in range(0, len(later), _ROWS):
                outcomes += await self._call([row for _, row in later[start : start + _ROWS]])
            later = [link for link, outcome in zip(later, outcomes, strict=True) if outcome["outcome"] == "failed"]
        for line, row in later:
            self._note(Item(line, "fact", str(row["id"]), None), "failed", "what it is linked to is not here")
        if binding.embedder is not None and not self._dry:
            try:
                self._embedded += (await vectors.embed_pending(binding, 1_000_000_000)).embedded
            except EmbedderError as error:
                _log.warning("Imported without vectors, since the embedder failed: %s", error)
            if (
                "message" in self._counts
            ):  # those that came without vectors are work already, or with some of another model
                await queue_missing(binding, binding.embedder, 100_000)

    async def _embed(self, rows: Sequence[dict[str, Json]]) -> None:
        """Give facts that come in by the rules the vectors that near ones are known by."""
        facts = [row for row in rows if row["type"] == "fact" and str(row["content"]).strip()]
        made = await vectors.vectors_of(self._place, [str(row["content"]) for row in facts], "document")
        for row, vector in zip(facts, made or (), strict=bool(made)):
            row.update(vector)

    @property
    def _place(self) -> Binding:
        if self._binding is None:
            raise InputError("There is no place to import to.")
        return self._binding

    async def _call(self, rows: Sequence[Mapping[str, Json]]) -> list[Mapping[str, Any]]:
        identity, scope = self._place.identity, self._place.scope
        subject: Json = {
            **{"user": str(identity.user), "tenant": str(identity.tenant), "scope": scope.name, "scope_id": scope.id},
            **{"restore": self._restore, "dry_run": self._dry},
        }
        arguments: dict[str, Json] = {"subject": subject, "rows": [dict(row) for row in rows]}
        return cast("list[Mapping[str, Any]]", await self._place.transport.call("import_rows", arguments, SERVICE))

    def _note(self, item: Item, outcome: str, rule: str | None) -> None:
        self._counts.setdefault(item.what, Counter())[outcome] += 1
        if self._report:
            self._report(ImportedRow(item.line, item.what, item.name, outcome, rule))


_IN_FORCE = ("confirmed", "pending", "current")


def place_of(row: Mapping[str, Any]) -> tuple[UUID | None, Scope]:
    """Where what follows a line of the kind ``scope`` goes: the tenant, None for the user's own, and the scope."""
    if not row:
        return None, Scope.user()
    try:
        tenant, scope = UUID(row["tenant"]), Scope(row["scope"], row["scope_id"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError("That line names no scope.") from error
    return (None if str(tenant) == row["exporter"] else tenant), scope


class Portable:
    """What of :class:`memoranda.Memory` takes it elsewhere and back."""

    _binding: Binding

    def export(self, *, history: bool = True, vectors: bool = False) -> AsyncIterator[str]:
        """This scope as lines of JSON, read in pages; `docs/export.md` has the format.

        Args:
            history: All of it, with what is not in force, the log and the runs, so that it can be put back as it was.
                Else what is in force or waits, the files, and what was rejected or forgotten.
            vectors: The vectors as well, or they are made anew after an import.

        Raises:
            ConflictError: Somebody wrote here meanwhile; what was yielded does not fit together. Export again.
        """

        async def here() -> list[Binding]:
            return [self._binding]

        return export_all(here, history=history, vectors=vectors)

    async def import_(
        self,
        lines: Iterable[str | bytes | Item],
        *,
        restore: bool = False,
        dry_run: bool = False,
        report: Callable[[ImportedRow], object] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Imported:
        """Bring an export of one scope into this one; or what an importer of :mod:`memoranda.importers` reads.

        It comes in batches, each of which is a transaction. Importing the same again changes nothing. Goes in as the
        service role, for this memory's user: whoever may act as that could write what they like anyway.

        Args:
            lines: Lines of JSON, such as an open file.
            restore: Put an export of this user back as it was, with its history. Else facts come in by the rules of
                saving, with their ids and times, as ``import``, and wait for a person by the tenant's policy; files
                only where none stands.
            dry_run: Only say what would become of each row.
            report: Called with what became of each row.
            progress: Called after each batch with the number of its last line.

        Raises:
            FormatError: A line is none of an export; its number is in ``detail["line"]``, and the batches before it
                are here.
            ForbiddenError: This login may not act as the service role.
            InputError: It has several scopes, or is of another user and is to be restored.
        """
        seen: list[Mapping[str, Any]] = []

        def bind(row: Mapping[str, Any]) -> Binding:
            seen.append(row)
            if len(seen) > 1:
                raise InputError("It has several scopes.", hint="Import them all with store.import_(user, ...).")
            return self._binding

        user = self._binding.identity.user
        importer = Importer(bind, user, restore=restore, dry_run=dry_run, report=report, progress=progress)
        return await importer.run(lines)
