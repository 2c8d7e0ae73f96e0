"""Stretches of time as bars over one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoranda.html.parts import day
from memoranda.html.tags import Html, joined, tag

_MARGIN = 0.08
"""Of the axis at each end, for what is open there."""


@dataclass(frozen=True, slots=True)
class Span:
    """From when until when; None for as far as anybody asks."""

    start: datetime | None
    end: datetime | None

    def __str__(self) -> str:
        """In words."""
        start, end = self.start, self.end
        if start is None:
            return "always" if end is None else f"until {day(end)}"
        if end is None:
            return f"from {day(start)}"
        return f"{day(start, end)} to {day(end, start, beside=True)}" if start < end else "never"


class Axis:
    """The time that several spans lie in."""

    def __init__(self, spans: Sequence[Span | None]) -> None:
        """Over all of them."""
        times = [at for span in spans if span for at in (span.start, span.end) if at is not None]
        self.first = min(times, default=None)
        self.last = max(times, default=None)

    def shown(self, span: Span | None) -> Html | None:
        """One of them: a bar, and the same in words."""
        if span is None:
            return None
        left = 0.0 if span.start is None else self._place(span.start)
        right = 1.0 if span.end is None else self._place(span.end)
        open_ends = f"{' from-ever' * (span.start is None)}{' for-ever' * (span.end is None)}"
        width = 0.0 if str(span) == "never" else max(right - left, 0.01)
        line = tag("i", class_=f"span{open_ends}", style=f"left:{100 * left:.1f}%;width:{100 * width:.1f}%")
        return joined(tag("span", line, class_="track"), tag("span", str(span), class_="when"))

    def _place(self, at: datetime) -> float:
        if self.first is None or self.last is None or self.first == self.last:
            return 0.5
        return _MARGIN + (1 - 2 * _MARGIN) * ((at - self.first) / (self.last - self.first))
