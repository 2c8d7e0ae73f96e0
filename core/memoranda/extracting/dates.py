"""When something is true, from the words that say so and from when they were said.

"Yesterday" is a day before its message, where its author was: not before the turn is extracted, and not in the server's
zone. What this module's words (`datewords.toml`) can tell is told by them, whatever a model says. What they can't tell
is the model's reading, as long as no weekday, month or year in the words speaks against it. A time that no words of the
message speak of isn't believed at all.

A last Friday is the one before the message's day, and a next Friday the one after it, but in Chinese and Japanese those
of last and next week; a week begins on Monday.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

Unit: TypeAlias = Literal["minute", "hour", "day", "week", "month", "year"]

_MARKS = re.compile("([a-z])[\u0300-\u036f]+")
_NUMBER = r"\d{1,3}"
_ISO = r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})"
_LONG: tuple[Unit, ...] = ("week", "month", "year")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LONGEST = 200
"""Characters of words that say when; more of them say something else, too."""

_FARTHEST = 150
"""Years that a reading of a model may be away."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time with its length.

    Attributes:
        start: When it begins.
        end: When it is over.
        is_moment: It is a point in time, such as three hours ago.
    """

    start: datetime
    end: datetime
    is_moment: bool = False


def moment(words: str | None, stated: str | None, said_at: datetime, *, ends: bool = False) -> datetime | None:
    """When something begins to be true, or ends.

    Args:
        words: The words of the message that say when.
        stated: How a model reads them, in ISO 8601.
        said_at: When the message was said, in the zone of who said it.
        ends: Whether the end is wanted: until Friday is to the end of that day, until May to the beginning of that
            month.

    Returns:
        The time; None when the words don't say, or say otherwise than the model.
    """
    if not words or len(words) > _LONGEST:
        return None
    span = resolve(words, said_at)
    if span is None:
        return _believed(words, stated, said_at)
    if not ends or span.is_moment:
        return span.start
    return span.end if span.end - span.start <= timedelta(hours=26) else span.start


def resolve(words: str, said_at: datetime) -> Span | None:
    """The time that words tell, if they do.

    Args:
        words: Such as "last Friday" or "vor zwei Wochen"; the whole text is taken for one phrase.
        said_at: When they were said, in the zone of who said them.

    Returns:
        The time, or None for words that are not known, or that leave open which year or week they mean.
    """
    phrase = _folded(words)
    for language in _languages():
        for pattern, read in language.phrases:
            for said in language.bare(phrase):
                if found := pattern.fullmatch(said):
                    return read(found, said_at)
    return None


def _believed(words: str, stated: str | None, said_at: datetime) -> datetime | None:
    """A model's reading of words, if nothing in them speaks against it."""
    zone = said_at.tzinfo or UTC
    try:
        read = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    read = read.replace(tzinfo=zone) if read.tzinfo is None else read
    try:
        local = read.astimezone(zone)
    except OverflowError:
        return None
    phrase = _folded(words)
    years = {int(year) for year in _YEAR.findall(phrase)}
    weekdays = {place for language in _languages() for place in language.named(phrase, language.weekdays)}
    months = {place + 1 for language in _languages() for place in language.named(phrase, language.months)}
    denied = [
        abs(local.year - said_at.year) > _FARTHEST,
        bool(years) and local.year not in years,
        bool(months) and local.month not in months,
        bool(weekdays) and local.weekday() not in weekdays,
        bool(weekdays) and not years | months and abs(local.date() - said_at.date()) > timedelta(days=14),
    ]
    return None if any(denied) else local


# Arithmetic.


def _day(said_at: datetime, day: date, *, days: int = 1) -> Span:
    return _between(said_at, day, day + timedelta(days=days))


def _between(said_at: datetime, start: date, end: date) -> Span:
    zone = said_at.tzinfo
    return Span(datetime.combine(start, time(), zone), datetime.combine(end, time(), zone))


def _months_on(day: date, months: int) -> date:
    """So many months later, or the last day of that month."""
    count = day.year * 12 + day.month - 1 + months
    year, month = divmod(count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _after(said_at: datetime, number: int, unit: Unit) -> Span:
    """So many units from then on."""
    if unit in ("minute", "hour"):
        at = said_at.astimezone(UTC) + timedelta(**{unit + "s": number})
        return Span(at.astimezone(said_at.tzinfo), at.astimezone(said_at.tzinfo), is_moment=True)
    today = said_at.date()
    if unit in ("day", "week"):
        return _day(said_at, today + timedelta(days=number * (7 if unit == "week" else 1)))
    return _day(said_at, _months_on(today, number * (12 if unit == "year" else 1)))


def _whole(said_at: datetime, number: int, unit: Unit) -> Span:
    """The week, month or year that is so many from this one."""
    today = said_at.date()
    if unit == "day":
        return _day(said_at, today + timedelta(days=number))
    if unit == "week":
        return _day(said_at, today - timedelta(days=today.weekday()) + timedelta(weeks=number), days=7)
    first = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
    length = 1 if unit == "month" else 12
    return _between(said_at, _months_on(first, number * length), _months_on(first, (number + 1) * length))


def _first_of(said_at: datetime, number: int, unit: Unit) -> Span:
    """Its first day."""
    return _day(said_at, _whole(said_at, number, unit).start.date())


def _last_of(said_at: datetime, number: int, unit: Unit) -> Span:
    """Its last day."""
    return _day(said_at, _whole(said_at, number, unit).end.date() - timedelta(days=1))


def _weekday(said_at: datetime, weekday: int, which: int, by_week: bool) -> Span:
    """The last one, this week's, or the next one; or that of last week or next week."""
    today = said_at.date()
    if which == 0 or by_week:
        return _day(said_at, today + timedelta(days=weekday - today.weekday(), weeks=which))
    distance = (weekday - today.weekday()) % 7 or 7
    return _day(said_at, today + timedelta(days=distance if which > 0 else distance - 7 if distance < 7 else -7))


def _month(said_at: datetime, month: int, which: int) -> Span:
    """The last one that began, this year's, or the next one."""
    first = said_at.date().replace(day=1)
    year = first.year
    if which < 0 and month >= first.month:
        year -= 1
    if which > 0 and month <= first.month:
        year += 1
    start = date(year, month, 1)
    return _between(said_at, start, _months_on(start, 1))


# Languages.

_Read: TypeAlias = Callable[["re.Match[str]", datetime], "Span | None"]


class _Language:
    """A language's phrases, each with how it is read."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.lead = re.compile(words["lead"] + r"(?:\s+|(?<=['\u2e80-\uffff]))")
        self.weekdays: list[str] = words["weekdays"]
        self.months: list[str] = words["months"]
        self._words = words
        self._by_week: bool = words.get("by_week", False)
        self._numbers: list[str] = words["numbers"]
        self._units: dict[Unit, str] = words["units"]
        self.phrases = [(re.compile(pattern), read) for pattern, read in self._all()]

    def bare(self, phrase: str) -> Iterator[str]:
        """The phrase, and the phrase without what stands before it."""
        yield phrase
        while found := self.lead.match(phrase):
            phrase = phrase[found.end() :]
            yield phrase

    def named(self, phrase: str, names: Sequence[str]) -> set[int]:
        """The places of the names that stand in a phrase as words."""
        return {place for place, name in enumerate(names) if re.search(rf"(?<!\w)(?:{name})(?!\w)", phrase)}

    def _all(self) -> Iterator[tuple[str, _Read]]:
        for pattern, distance in self._words["days"]:
            yield pattern, _fixed(_whole, distance, "day")
        for pattern, unit, distance in self._words["spans"]:
            yield pattern, _fixed(_last_of if re.search("ende|[底末]", pattern) else _whole, distance, unit)
        number = f"(?P<n>{_NUMBER}|{'|'.join(f'(?:{each})' for each in self._numbers)})"
        for sign, phrases in ((-1, self._words["ago"]), (1, self._words["ahead"])):
            for phrase in phrases:
                for unit, name in self._units.items():
                    yield phrase.format(n=number, unit=f"(?:{name})"), self._counted(sign, unit)
        for which, phrases in ((-1, self._words["last"]), (0, self._words["this"]), (1, self._words["next"])):
            for phrase in phrases:
                yield from self._which(phrase, which)
        for first_or_last, phrases in ((_first_of, self._words["starts"]), (_last_of, self._words["ends"])):
            for phrase in phrases:
                for unit in _LONG:
                    yield phrase.format(x=f"(?:{self._units[unit]})"), _fixed(first_or_last, 0, unit)
        yield from self._years()

    def _which(self, phrase: str, which: int) -> Iterator[tuple[str, _Read]]:
        for place, name in enumerate(self.weekdays):
            yield phrase.format(x=f"(?:{name})"), _fixed(_weekday, place, which, self._by_week)
        for place, name in enumerate(self.months):
            yield phrase.format(x=f"(?:{name})"), _fixed(_month, place + 1, which)
        for unit in _LONG:
            yield phrase.format(x=f"(?:{self._units[unit]})"), _fixed(_whole, which, unit)

    def _years(self) -> Iterator[tuple[str, _Read]]:
        """A year, a month of a year, and a day."""
        year = r"(?P<y>(?:19|20)\d\d)年?(?:г(?:ода?|оду)?\.?)?"
        yield year, _dated()
        yield _ISO, _dated()
        for place, name in enumerate(self.months):
            for pattern in (
                rf"(?:{name})\.?,? (?:de |del )?{year}",
                rf"{year}(?:{name})",
                rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|er)? (?:of |de )?(?:{name})\.?,? (?:de |del )?{year}",
                rf"(?:{name})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? {year}",
                rf"{year}(?:{name})(?P<d>\d{{1,2}})[日号]",
            ):
                yield pattern, _dated(place + 1)

    def _counted(self, sign: int, unit: Unit) -> _Read:
        """Reads a phrase with a number; one, where it has none."""

        def read(found: re.Match[str], said_at: datetime) -> Span:
            said: str = found.groupdict().get("n") or "1"
            places = (place for place, name in enumerate(self._numbers, 1) if re.fullmatch(name, said))
            return _after(said_at, sign * (int(said) if said.isdecimal() else next(places)), unit)

        return read


def _fixed(function: Callable[..., Span], *arguments: object) -> _Read:
    """Reads a phrase that says all by itself."""

    def read(found: re.Match[str], said_at: datetime) -> Span:
        return function(said_at, *arguments)

    return read


def _dated(month: int | None = None) -> _Read:
    """Reads a date of the calendar."""

    def read(found: re.Match[str], said_at: datetime) -> Span | None:
        parts = found.groupdict()
        at = int(parts.get("m") or month or 1)
        try:
            start = date(int(parts["y"]), at, int(parts.get("d") or 1))
        except ValueError:
            return None
        if parts.get("d"):
            return _day(said_at, start)
        return _between(said_at, start, _months_on(start, 12 if month is None else 1))

    return read


@cache
def _languages() -> list[_Language]:
    text = (files("memoranda.extracting") / "datewords.toml").read_text("utf-8")
    return [_Language(words) for words in tomllib.loads(text).values()]


def _folded(words: str) -> str:
    """Without case, accents of Latin letters, runs of blanks, and the marks around it."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", words).casefold().replace("’", "'"))
    text = unicodedata.normalize("NFC", _MARKS.sub(r"\1", text))
    return " ".join(text.split()).strip(" .,;:!?\"'()")


def zone_of(name: str | None) -> tzinfo | None:
    """A time zone by its name, such as ``Europe/Oslo``, or by its distance from UTC, such as ``+02:00``.

    Args:
        name: The name.

    Returns:
        The zone; None for a name that isn't known here.
    """
    if not name:
        return None
    if name[0] in "+-":
        try:
            return datetime.fromisoformat(f"2000-01-01T00:00:00{name}").tzinfo
        except ValueError:
            return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def with_zone(data: Mapping[str, Any], said_at: datetime | None) -> dict[str, Any]:
    """What is kept with a message, and the zone that it was said in, which the database's times don't keep.

    Args:
        data: What is kept with it.
        said_at: When it was said, as the application told. UTC is no place.

    Returns:
        The data, with a ``zone`` that :func:`zone_of` understands, unless there is one, or none is known.
    """
    if said_at is None or "zone" in data:
        return dict(data)
    name = getattr(said_at.tzinfo, "key", None) or f"{said_at:%z}"[:3] + ":" + f"{said_at:%z}"[3:5]
    return dict(data) if name in ("UTC", "Etc/UTC", "+00:00", "") else {**data, "zone": name}
