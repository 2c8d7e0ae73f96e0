"""Times that people tell relative to when they speak, wherever they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from memoranda.extracting.dates import moment, resolve, with_zone, zone_of

OSLO, NEW_YORK, TOKYO = ZoneInfo("Europe/Oslo"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")

# When it was said, as UTC; where; and what by the calendar there the words mean.
CASES = [
    ("2026-11-30T22:30Z", OSLO, "yesterday", "2026-11-29"),  # a Monday
    ("2026-11-30T23:30Z", OSLO, "yesterday", "2026-11-30"),  # where it is Tuesday already
    ("2026-12-01T04:30Z", NEW_YORK, "yesterday", "2026-11-29"),  # and Monday still
    ("2026-11-30T15:30Z", TOKYO, "yesterday", "2026-11-30"),
    ("2026-03-01T12:00Z", OSLO, "yesterday", "2026-02-28"),
    ("2024-03-01T12:00Z", OSLO, "yesterday", "2024-02-29"),
    ("2026-12-31T12:00Z", OSLO, "tomorrow", "2027-01-01"),
    ("2026-12-31T15:30Z", TOKYO, "today", "2027-01-01"),
    ("2027-01-01T04:00Z", NEW_YORK, "this morning", "2026-12-31"),
    ("2026-01-01T12:00Z", OSLO, "the day before yesterday", "2025-12-30"),
    ("2026-11-30T12:00Z", OSLO, "last Friday", "2026-11-27"),
    ("2026-11-27T12:00Z", OSLO, "last Friday", "2026-11-20"),
    ("2026-11-28T04:00Z", NEW_YORK, "last Friday", "2026-11-20"),  # Friday evening
    ("2026-11-28T04:00Z", TOKYO, "last Friday", "2026-11-27"),  # Saturday
    ("2026-11-30T12:00Z", OSLO, "next Monday", "2026-12-07"),
    ("2026-12-20T12:00Z", OSLO, "in two weeks", "2027-01-03"),
    ("2026-01-02T12:00Z", OSLO, "three days ago", "2025-12-30"),
    ("2026-03-31T12:00Z", OSLO, "a month ago", "2026-02-28"),
    ("2024-02-29T12:00Z", OSLO, "a year ago", "2023-02-28"),
    ("2026-01-31T12:00Z", OSLO, "in a month", "2026-02-28"),
    ("2026-10-31T12:00Z", OSLO, "in 4 months", "2027-02-28"),
    ("2026-02-10T12:00Z", OSLO, "at the end of the month", None),  # `at` is no lead of ours: the model's reading counts
    ("2026-02-10T12:00Z", OSLO, "the end of the month", "2026-02-28"),
    ("2026-02-10T12:00Z", OSLO, "the end of the year", "2026-12-31"),
    ("2026-12-15T12:00Z", OSLO, "next month", "2027-01-01"),
    ("2026-01-15T12:00Z", OSLO, "since last month", "2025-12-01"),
    ("2026-01-01T12:00Z", OSLO, "last week", "2025-12-22"),
    ("2026-11-30T12:00Z", OSLO, "last year", "2025-01-01"),
    ("2026-05-20T12:00Z", OSLO, "last May", "2025-05-01"),
    ("2026-11-30T12:00Z", OSLO, "since May 2024", "2024-05-01"),
    ("2026-11-30T12:00Z", OSLO, "March 3rd, 2024", "2024-03-03"),
    ("2026-11-30T12:00Z", OSLO, "2019", "2019-01-01"),
    ("2026-11-30T12:00Z", OSLO, "vorgestern", "2026-11-28"),
    ("2026-12-20T12:00Z", OSLO, "in zwei Wochen", "2027-01-03"),
    ("2026-11-30T12:00Z", OSLO, "seit letztem Freitag", "2026-11-27"),
    ("2026-11-30T12:00Z", OSLO, "nächsten Montag", "2026-12-07"),
    ("2026-02-10T12:00Z", OSLO, "Ende des Monats", "2026-02-28"),
    ("2026-11-30T12:00Z", OSLO, "seit dem 3. März 2024", "2024-03-03"),
    ("2026-03-01T12:00Z", OSLO, "avant-hier", "2026-02-27"),
    ("2026-11-30T12:00Z", OSLO, "vendredi dernier", "2026-11-27"),
    ("2026-01-02T12:00Z", OSLO, "il y a trois jours", "2025-12-30"),
    ("2026-12-20T12:00Z", NEW_YORK, "dentro de dos semanas", "2027-01-03"),
    ("2026-11-30T12:00Z", NEW_YORK, "el viernes pasado", "2026-11-27"),
    ("2026-03-31T12:00Z", NEW_YORK, "hace un mes", "2026-02-28"),
    ("2026-11-30T12:00Z", OSLO, "due settimane fa", "2026-11-16"),
    ("2026-11-30T12:00Z", OSLO, "na sexta-feira passada", "2026-11-27"),
    ("2026-12-20T12:00Z", OSLO, "over twee weken", "2027-01-03"),
    ("2026-12-20T12:00Z", OSLO, "через две недели", "2027-01-03"),
    ("2026-11-30T12:00Z", OSLO, "в прошлую пятницу", "2026-11-27"),
    ("2026-11-30T15:30Z", TOKYO, "昨日", "2026-11-30"),
    ("2026-12-20T12:00Z", TOKYO, "2週間後", "2027-01-03"),
    ("2026-12-02T12:00Z", TOKYO, "先週の月曜日", "2026-11-23"),
    ("2026-02-10T12:00Z", TOKYO, "月末", "2026-02-28"),
    ("2026-12-20T12:00Z", TOKYO, "两周后", "2027-01-03"),
    ("2026-12-02T12:00Z", TOKYO, "上周五", "2026-11-27"),
    ("2026-11-30T12:00Z", TOKYO, "下周五", "2026-12-11"),
]


@pytest.mark.parametrize(("said_at", "zone", "words", "day"), CASES)
def test_words_mean_a_day_where_they_were_said(said_at: str, zone: ZoneInfo, words: str, day: str | None) -> None:
    span = resolve(words, datetime.fromisoformat(said_at).astimezone(zone))
    assert (span and span.start) == (day and datetime.fromisoformat(day).replace(tzinfo=zone))


def test_hours_are_counted_across_the_change_of_clocks() -> None:
    said_at = datetime(2026, 3, 29, 4, 0, tzinfo=OSLO)  # at two it had become three
    span = resolve("three hours ago", said_at)
    assert span is not None
    assert span.start == datetime(2026, 3, 29, 0, 0, tzinfo=OSLO)
    assert moment("three hours ago", None, said_at, ends=True) == span.start


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("until Friday", None),
        ("until tomorrow", "2026-12-02"),
        ("until next week", "2026-12-07"),
        ("until 2027", "2027-01-01"),
        ("bis Ende des Monats", "2026-12-01"),
        ("until the end of the year", "2027-01-01"),
        ("till 2026-12-24", "2026-12-25"),
    ],
)
def test_until_a_day_is_to_its_end_and_until_a_longer_time_to_its_beginning(words: str, end: str | None) -> None:
    found = moment(words, None, datetime(2026, 11, 30, 12, tzinfo=OSLO), ends=True)
    assert found == (end and datetime.fromisoformat(end).replace(tzinfo=OSLO))


@pytest.mark.parametrize(
    ("words", "stated", "believed"),
    [
        ("on Friday", "2026-12-04", True),
        ("on Friday", "2026-11-27T10:00:00", True),
        ("on Friday", "2026-12-03", False),
        ("on Friday", "2025-12-05", False),
        ("in May", "2026-05-01", True),
        ("in May", "2026-06-01", False),
        ("im Mai", "2026-05-01", True),
        ("3 March", "2026-03-03", True),
        ("the summer of 2019", "2019-06-21", True),
        ("the summer of 2019", "2018-06-21", False),
        ("when I was a child", "1990-01-01", True),
        ("long ago", "0900-01-01", False),
        ("long ago", "soon", False),
        ("long ago", None, False),
        (None, "2026-01-01", False),
        ("", "2026-01-01", False),
        ("recently", "9999-12-31T23:59:59-12:00", False),
        ("yesterday", "1999-01-01", None),
    ],
)
def test_a_model_is_believed_where_the_words_leave_it_open_and_do_not_speak_against_it(
    words: str | None, stated: str | None, believed: bool | None
) -> None:
    found = moment(words, stated, datetime(2026, 11, 30, 12, tzinfo=OSLO))
    if believed is None:
        assert found == datetime(2026, 11, 29, tzinfo=OSLO), "the words themselves say it"
    elif not believed:
        assert found is None
    else:
        assert stated is not None
        assert found == datetime.fromisoformat(stated).replace(tzinfo=OSLO)


@pytest.mark.parametrize("piece", ["in ", "since ", "1 "])
def test_long_words_do_not_say_when(piece: str) -> None:
    assert moment(piece * 100_000, "2026-11-30T12:00:00+09:00", datetime(2026, 11, 30, tzinfo=OSLO)) is None


def test_a_stated_zone_is_kept() -> None:
    assert moment("at noon in Tokyo", "2026-11-30T12:00:00+09:00", datetime(2026, 11, 30, tzinfo=OSLO)) == datetime(
        2026, 11, 30, 12, tzinfo=TOKYO
    )


def test_zones_by_name_and_by_distance() -> None:
    assert zone_of("Europe/Oslo") == OSLO
    assert zone_of("+02:00") == timezone(timedelta(hours=2))
    assert [zone_of(name) for name in (None, "", "Mars/Olympus", "../etc/passwd", "+99", "/etc/localtime")] == [
        None
    ] * 6


def test_the_zone_of_a_message_is_kept_with_it() -> None:
    noon = datetime(2026, 7, 1, 12, tzinfo=OSLO)
    assert with_zone({"a": 1}, noon) == {"a": 1, "zone": "Europe/Oslo"}
    assert with_zone({}, noon.replace(tzinfo=timezone(timedelta(hours=-5, minutes=-30)))) == {"zone": "-05:30"}
    assert with_zone({}, noon.replace(tzinfo=UTC)) == with_zone({}, None) == {}
    assert with_zone({"zone": "Asia/Tokyo"}, noon.replace(tzinfo=OSLO)) == {"zone": "Asia/Tokyo"}
