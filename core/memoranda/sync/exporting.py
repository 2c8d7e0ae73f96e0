# Generated from core/memoranda/exporting.py by .ci/make_sync.py: change that file, then run this.
# pyright: reportPrivateUsage=false
"""Export: what a memory holds as lines of JSON. The format is in `docs/export.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memoranda.errors import ConflictError
from memoranda.exportformat import VERSION
from memoranda.exporting import _HISTORY, _PRESENT, _line
from memoranda.identity import Scope
from memoranda.sync.transport import Json

if TYPE_CHECKING:
    from memoranda.sync.memory import Binding


def scopes_of(binding: Binding) -> list[Scope]:
    """The scopes in which a user has anything, in one tenant."""
    found = cast("list[Mapping[str, Any]]", binding.call("export_scopes", {}))
    return [Scope(each["scope"], each["scope_id"]) for each in found]


def export_all(places: Callable[[], Sequence[Binding]], *, history: bool, vectors: bool) -> Iterator[str]:
    """The lines of an export of some places of one user."""
    written = 0
    for number, binding in enumerate(places()):
        mark = _page(binding, {"kind": "mark"})
        if not number:
            head = {"memoranda": "export", "version": VERSION, "at": mark["now"], "user": mark["user"]}
            yield _line({**head, "history": history, "vectors": vectors})
        place = {"tenant": mark["tenant"], "scope": binding.scope.name, "scope_id": binding.scope.id}
        yield _line({"type": "scope", **place, "salt": mark["salt"]})
        kinds = (*(_HISTORY if history else _PRESENT), *(("vector",) if vectors else ()))
        for kind in kinds:
            after: Json = None
            while True:
                page = _page(binding, {"kind": kind, "after": after, "history": history, "vectors": vectors})
                for row in page["rows"]:
                    yield _line({"type": kind, **row})
                    written += 1
                after = page["after"]
                if after is None:
                    break
        last = _page(binding, {"kind": "mark"})
        if (last["written"], last["said"]) != (mark["written"], mark["said"]):
            raise ConflictError(
                f"The scope {binding.scope} was written to while it was exported.",
                hint="Export again; what was written so far does not fit together.",
            )
    yield _line({"type": "end", "rows": written})


def _page(binding: Binding, page: dict[str, Json]) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", binding.call("export_page", {"page": page}))
