"""Export: what a memory holds as lines of JSON. The format is in `docs/export.md`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memoranda.errors import ConflictError
from memoranda.exportformat import VERSION
from memoranda.identity import Scope
from memoranda.transport import SERVICE, Json

if TYPE_CHECKING:
    from memoranda.memory import Binding

_ROWS = 500
"""How many rows are read at once, unless they are long."""

_HISTORY = ("run", "fact", "tombstone", "file", "message", "revision")
"""The kinds of rows, in the order in which they are written."""

_PRESENT = ("fact", "tombstone", "file", "message")
"""Those of an export without history."""


async def scopes_of(binding: Binding, *, documents: bool) -> list[Scope]:
    """The scopes in which a user has anything, in one tenant."""
    found = cast("list[Mapping[str, Any]]", await binding.call("export_scopes", {}))
    if documents:
        found = [*found, *await _documents(binding, {"kind": "scopes"})]
    return list(dict.fromkeys(Scope(each["scope"], each["scope_id"]) for each in found))


async def export_all(
    places: Callable[[], Awaitable[Sequence[Binding]]], *, history: bool, vectors: bool, documents: bool = False
) -> AsyncIterator[str]:
    """The lines of an export of some places of one user."""
    written = 0
    for number, binding in enumerate(await places()):
        mark = await _mark(binding, documents=documents)
        if not number:
            head = {"memoranda": "export", "version": VERSION, "at": mark["now"], "user": mark["user"]}
            yield _line({**head, "history": history, "vectors": vectors, "documents": documents})
        place = {"tenant": mark["tenant"], "scope": binding.scope.name, "scope_id": binding.scope.id}
        yield _line({"type": "scope", **place, "salt": mark["salt"]})
        kinds = (
            *(_HISTORY if history else _PRESENT),
            *(("vector",) if vectors else ()),
            *(("document",) if documents else ()),
        )
        for kind in kinds:
            after: Json = None
            while True:
                asked: dict[str, Json] = {"kind": kind, "after": after, "limit": _ROWS}
                if kind == "document":
                    page = await _documents(binding, asked)
                else:
                    page = await _page(binding, {**asked, "history": history, "vectors": vectors})
                for row in page["rows"]:
                    yield _line({"type": kind, **row})
                    written += 1
                after = page["after"]
                if after is None:
                    break
        last = await _mark(binding, documents=documents)
        if any(last[each] != mark[each] for each in ("written", "said", "documents")):
            raise ConflictError(
                f"The scope {binding.scope} was written to while it was exported.",
                hint="Export again; what was written so far does not fit together.",
            )
    yield _line({"type": "end", "rows": written})


async def _page(binding: Binding, page: dict[str, Json]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", await binding.call("export_page", {"page": page}))


async def _mark(binding: Binding, *, documents: bool) -> Mapping[str, Any]:
    """Where it is, and by what it is known whether anything was written there since."""
    mark = await _page(binding, {"kind": "mark"})
    return {**mark, "documents": await _documents(binding, {"kind": "mark"}) if documents else None}


async def _documents(binding: Binding, page: dict[str, Json]) -> Any:
    """A page of documents, which only a service reads, for this user and at this place."""
    identity, scope = binding.identity, binding.scope
    document: Json = {
        **{"user": str(identity.user), "tenant": str(identity.tenant)},
        **{"scope": scope.name, "scope_id": scope.id},
    }
    return await binding.transport.call("documents_export", {"document": document, "page": page}, SERVICE)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))
