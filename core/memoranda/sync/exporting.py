# Generated from core/memoranda/exporting.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Export: what a memory holds as lines of JSON. The format is in `docs/export.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memoranda.errors import ConflictError
from memoranda.exportformat import VERSION
from memoranda.exporting import _HISTORY, _PRESENT, _ROWS, _line
from memoranda.identity import Scope
from memoranda.sync.transport import SERVICE, Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def scopes_of(binding: Binding, *, documents: bool) -> list[Scope]:
    """The scopes in which a user has anything, in one tenant."""
    found = cast("list[Mapping[str, Any]]", binding.call("export_scopes", {}))
    if documents:
        found = [*found, *_documents(binding, {"kind": "scopes"})]
    return list(dict.fromkeys(Scope(each["scope"], each["scope_id"]) for each in found))


def export_all(
    places: Callable[[], Sequence[Binding]], *, history: bool, vectors: bool, documents: bool = False
) -> Iterator[str]:
    """The lines of an export of some places of one user."""
    written = 0
    for number, binding in enumerate(places()):
        mark = _mark(binding, documents=documents)
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
                    page = _documents(binding, asked)
                else:
                    page = _page(binding, {**asked, "history": history, "vectors": vectors})
                for row in page["rows"]:
                    yield _line({"type": kind, **row})
                    written += 1
                after = page["after"]
                if after is None:
                    break
        last = _mark(binding, documents=documents)
        if any(last[each] != mark[each] for each in ("written", "said", "documents")):
            raise ConflictError(
                f"The scope {binding.scope} was written to while it was exported.",
                hint="Export again; what was written so far does not fit together.",
            )
    yield _line({"type": "end", "rows": written})


def _page(binding: Binding, page: dict[str, Json]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", binding.call("export_page", {"page": page}))


def _mark(binding: Binding, *, documents: bool) -> Mapping[str, Any]:
    """Where it is, and by what it is known whether anything was written there since."""
    mark = _page(binding, {"kind": "mark"})
    return {**mark, "documents": _documents(binding, {"kind": "mark"}) if documents else None}


def _documents(binding: Binding, page: dict[str, Json]) -> Any:
    """A page of documents, which only a service reads, for this user and at this place."""
    identity, scope = binding.identity, binding.scope
    document: Json = {
        **{"user": str(identity.user), "tenant": str(identity.tenant)},
        **{"scope": scope.name, "scope_id": scope.id},
    }
    return binding.transport.call("documents_export", {"document": document, "page": page}, SERVICE)
