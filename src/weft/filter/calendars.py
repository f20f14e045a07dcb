"""Dates in the URLs of calendars: which calendar a URL is of, and which day it is there.

A calendar can be turned for ever: next month, next month, next month. No date is refused for what it is: 14 July 1789
has its page in a chronicle, and 2045 in a forecast. What ends is a walk that is seen to bring nothing
(pipeline/walks.py).

    https://a.example/events/2045-07/?view=list    calendar  https://a.example/events/{}/?view=list
                                                   day       2045-07-00

A calendar is a URL that speaks of one, or has arguments for both year and month, with the dates taken out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from weft.regex import regex

_CALENDAR: Final = ("calend", "kalend", "evenement", "veranstalt", "agenda", "schedule", "monat")
_CALENDAR_WORD = regex(r"(?<![a-z])(?:event|month|(?:cal|termine)(?![a-z]))")
_PARTS: Final = ("event", "month", "cal", "termine")  # of which it may be a word
_YEAR_DIGITS = regex(r"\d{4}")
_YEAR_AND_MORE = re.compile(r"\d{4}[-/.][\dw]", re.IGNORECASE)  # as _DATE begins
_DATE = regex(r"(?<!\d)(\d{4})([-/.])(?:(0?[1-9]|1[0-2])|w([0-5]\d))(?:\2([0-3]?\d))?(?!\d)", re.IGNORECASE)
_COMPACT_DATE = regex(r"((?:date|day|month|datum|start|from|ym)=)(\d{4})(0[1-9]|1[0-2])([0-3]\d)?(?!\d)", re.IGNORECASE)
_NUMBER = regex(r"([?&;]([a-z_]+)=)(\d{1,4})(?![\d-])", re.IGNORECASE)
_YEAR: Final = ("year", "y", "yr", "jahr", "annee", "anno")
_MONTH: Final = ("month", "m", "mon", "monat", "mois", "mese")
_DAY: Final = ("day", "d", "tag", "jour", "giorno")
_UNIT_OF: Final = {name: unit for unit in (_YEAR, _MONTH, _DAY) for name in unit}
_FIRST_YEAR: Final = 1000
_GAP: Final = "{}"
_DAYS_A_MONTH: Final = 32  # only the order of days counts
_MONTHS_A_YEAR: Final = 54  # weeks are numbered up to 53


class CalendarDay(NamedTuple):
    """A page of a calendar."""

    calendar: str  # the URL with its dates taken out
    day: int  # a later one is larger


@lru_cache(maxsize=4)  # asked twice of each page
def calendar_day(url: str) -> CalendarDay | None:
    """Which day of which calendar a URL is; None if it is of none."""
    has_arguments = "=" in url
    if (_YEAR_DIGITS if has_arguments else _YEAR_AND_MORE).search(url) is None:
        return None  # asked of every page, so the common answer is a quick one
    day = _day_of_arguments(url) if has_arguments else None
    if day is None and _speaks_of_calendar(url.lower()):
        day = _day_of_date(url)
    return CalendarDay(without_dates(url), day) if day is not None else None


def without_dates(url: str) -> str:
    """A URL with its dates taken out."""
    url = _DATE.sub(_GAP, url)
    if "=" in url:
        url = _NUMBER.sub(_emptied, _COMPACT_DATE.sub(rf"\1{_GAP}", url))
    return url


def _speaks_of_calendar(url: str) -> bool:
    """Plain searches first: one pattern of all these words takes six times as long."""
    if any(word in url for word in _CALENDAR):
        return True
    return any(word in url for word in _PARTS) and _CALENDAR_WORD.search(url) is not None


def _day_of_date(url: str) -> int | None:
    if (date := _DATE.search(url)) is not None:
        year, _, month, week, day = date.groups()
        return _ordinal(year, month or week, day)
    if (date := _COMPACT_DATE.search(url)) is not None:
        _, year, month, day = date.groups()
        return _ordinal(year, month, day)
    return None


def _day_of_arguments(url: str) -> int | None:
    """By arguments for year, month and perhaps day."""
    found = {unit: number for _, name, number in _NUMBER.findall(url) if (unit := _unit_of(name)) is not None}
    if _YEAR not in found or _MONTH not in found or int(found[_YEAR]) < _FIRST_YEAR:
        return None
    return _ordinal(found[_YEAR], found[_MONTH], found.get(_DAY))


def _emptied(number: re.Match[str]) -> str:
    return number[1] + _GAP if _unit_of(number[2]) is not None else number[0]


def _unit_of(name: str) -> tuple[str, ...] | None:
    """What an argument counts: `cal_y` and `start-year` are years."""
    name = name.lower()
    unit = _UNIT_OF.get(name.rpartition("_")[2])
    return unit or next((_UNIT_OF[word] for word in ("year", "month", "day") if name.endswith(word)), None)


def _ordinal(year: str, month: str, day: str | None) -> int:
    return (int(year) * _MONTHS_A_YEAR + int(month)) * _DAYS_A_MONTH + int(day or 0)
