"""How a notebook shows what this library returns: as HTML without scripts, in which every text is escaped.

A class that inherits :class:`Shown` says nothing about how it looks; the modules of this package do, each for a few
classes, and are imported when something is first shown.
"""

from __future__ import annotations

from typing import SupportsIndex, TypeVar, overload

Each = TypeVar("Each")


class Shown:
    """What a notebook shows as a card or a table; in all else its class is as it was."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """As HTML, for Jupyter."""
        from memoranda.html.shown import one

        return one(self)


class Listing(list[Each]):
    """A list that a notebook shows as one table; in all else a list. A slice of it is shown so, too."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> Each: ...
    @overload
    def __getitem__(self, place: slice) -> Listing[Each]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Each | Listing[Each]:
        return Listing(super().__getitem__(place)) if isinstance(place, slice) else super().__getitem__(place)

    def _repr_html_(self) -> str:
        """As HTML, for Jupyter."""
        from memoranda.html.shown import many

        return many(self)
