"""Dates as they are written, made ISO 8601: `2020-01-28`, or with the time where it is written too.

    2020-01-28T10:05:00+01:00  20200128  Tue, 28 Jan 2020 10:05:00 GMT    by machines
    28.1.2020  28/01/20  1/28/2020                                        with numbers
    28. Januar 2020  Jan 28th, 2020  28 de enero de 2020  2020. január 28. with names of months
    2020年1月28日  2020년 1월 28일  28 tháng 1, 2020                          in Chinese, Japanese, Korean, Vietnamese
    /2020/01/28/  /2020-01-28-title                                       in the path of a URL

A day before 1990 is no day on which a page was published, and one in the future is none yet; they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final

from weft.parse.metadata.months import MONTHS
from weft.regex import regex

FIRST_YEAR: Final = 1990
MOST_CHARS: Final = 3_000  # of a text that is searched

_YEAR: Final = r"(?<!\d)((?:19|20)\d\d)"
_ISO: Final = regex(
    _YEAR + r"([-/.])(\d{1,2})\2(\d{1,2})(?!\d)"
    r"(?:[T\s_]{1,3}(\d{1,2}):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d(?!\d))?)?",
    re.IGNORECASE,
)
_COMPACT: Final = regex(_YEAR + r"(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?)?(?!\d)")
_NUMBERS: Final = regex(r"(?<![\d.])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d|\d\d)(?!\d|[.:%€$]\d|\s?[%€$])")
_EAST: Final = regex(_YEAR + r"\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号號]")
_VIETNAMESE: Final = regex(r"(?<!\d)(\d{1,2})\s?tháng\s?(\d{1,2}),?\s(?:năm\s)?" + _YEAR, re.IGNORECASE)
# Either has at most 14 letters: `toukokuuta`, `października`.
_WORD: Final = r"([^\W\d_]{3,14})"
_DAY_FIRST: Final = regex(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª|-|/|·)?\s{0,2}(?:de |of |d’|d')?" + _WORD + r"[.,]{0,2}(?:\s|-|/|·){0,2}"
    r"(?:de |del |года )?((?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_MONTH_FIRST: Final = regex(
    r"(?<![^\W\d_])" + _WORD + r"\.?[\s-]{1,2}(\d{1,2})(?:st|nd|rd|th)?,?[\s-]{1,2}((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
# What every date has but one of numbers alone, and what one with the month first has: sought first, it is quick.
_ANY_YEAR: Final = regex(r"(?:19|20)\d\d")
_DAY_AND_YEAR: Final = regex(r"\d(?:st|nd|rd|th)?,?[\s-]{1,2}(?:19|20)\d\d", re.IGNORECASE)
_YEAR_FIRST: Final = regex(_YEAR + r"\.?[\s-]{1,2}" + _WORD + r"\.?[\s-]{1,2}(\d{1,2})(?!\d)", re.IGNORECASE)
_TIME_BEHIND: Final = regex(
    r"[,\s]{0,3}(\d{1,2}):(\d\d)(?::(\d\d))?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?(?![\d:]|\s?[ap]\.?m)", re.IGNORECASE
)
_CHANGED: Final = regex(
    r"updated?|modified|changed|edited|aktualisiert|geändert|bearbeitet|actualizad|atualizad|aggiornat|mis à jour|"
    r"modifi|bijgewerkt|обновлен|更新|修改",
    re.IGNORECASE,
)
_DAY_FIRST_IN_PATH: Final = regex(r"[/_-](\d\d)[_-](\d\d)[_-](20\d\d)(?=[/_.-]|$)")
_IN_PATH: Final = regex(r"[/_-]((?:19|20)\d\d)(?:([/_-])(\d{1,2})\2(\d{1,2})|(\d\d)(\d\d))(?=[/_.-]|$)")


class WrittenDates:
    """Reads dates; `latest` is the last day that is not in the future."""

    def __init__(self, latest: date, *, month_first: bool = False) -> None:
        self._latest = latest
        self._month_first = month_first  # 1/2/2020 is in January

    def read(self, text: str) -> str:
        """The first date in a text; one of which it says that something was changed then comes last."""
        text = text[:MOST_CHARS]
        dates = sorted(self._all(text), key=lambda found: found[0])
        first = (told for start, told in dates if not _CHANGED.search(text, max(0, start - 25), start))
        return next(first, dates[0][1] if dates else "")

    def _all(self, text: str) -> Iterator[tuple[int, str]]:
        """The dates in a text and where they stand, by the way they are written."""
        if sum(map(str.isdigit, text[:200])) < 3 and not any(map(str.isdigit, text[200:])):
            return
        for found in _NUMBERS.finditer(text):
            yield from self._by_numbers(found, _time_behind(text, found.end()))
        if _ANY_YEAR.search(text) is not None:
            yield from self._with_year(text)

    def _with_year(self, text: str) -> Iterator[tuple[int, str]]:
        for found in _ISO.finditer(text):
            year, _, month, day, *time = found.groups()
            yield from self._told(found.start(), year, month, day, time)
        for found in _DAY_FIRST.finditer(text):
            yield from self._told(found.start(), found[3], _month(found[2]), found[1], _time_behind(text, found.end()))
        if _DAY_AND_YEAR.search(text) is not None:
            for found in _MONTH_FIRST.finditer(text):
                behind = _time_behind(text, found.end())
                yield from self._told(found.start(), found[3], _month(found[1]), found[2], behind)
        if "年" in text or "년" in text:
            for found in _EAST.finditer(text):
                yield from self._told(found.start(), found[1], found[2], found[3], _time_behind(text, found.end()))
        for found in _YEAR_FIRST.finditer(text):
            yield from self._told(found.start(), found[1], _month(found[2]), found[3])
        if "tháng" in text.lower():
            for found in _VIETNAMESE.finditer(text):
                yield from self._told(found.start(), found[3], found[2], found[1])
        for found in _COMPACT.finditer(text):
            yield from self._told(found.start(), found[1], found[2], found[3], found.group(4, 5, 6))

    def in_url(self, url: str) -> str:
        """The date in the path of a URL."""
        path = url.partition("?")[0].partition("://")[2].partition("/")[2]
        for found in _IN_PATH.finditer("/" + path[-500:]):
            year, month, day = found[1], found[3] or found[5], found[4] or found[6]
            for _, told in self._told(0, year, month, day):
                return told
        for found in _DAY_FIRST_IN_PATH.finditer("/" + path[-500:]):
            for _, told in self._told(0, found[3], found[2], found[1]):
                return told
        return ""

    def _by_numbers(self, found: re.Match[str], time: tuple[str | None, ...]) -> Iterator[tuple[int, str]]:
        first, second, year = found[1], found[3], found[4]
        if len(year) == 2:
            year = f"20{year}"
        is_month_first = int(second) > 12 or (self._month_first and found[2] != "." and int(first) <= 12)
        month, day = (first, second) if is_month_first else (second, first)
        yield from self._told(found.start(), year, month, day, time)

    def _told(
        self, start: int, year: str, month: str, day: str, time: tuple[str | None, ...] | list[str | None] = ()
    ) -> Iterator[tuple[int, str]]:
        try:
            told = date(int(year), int(month), int(day))
        except ValueError:
            return
        if told.year >= FIRST_YEAR and told <= self._latest:
            yield start, _with_time(told, time)


def _month(name: str) -> str:
    return str(MONTHS.get(name.lower(), 0))


def _time_behind(text: str, end: int) -> tuple[str | None, ...]:
    found = _TIME_BEHIND.match(text, end)
    return found.groups() if found else ()


def _with_time(day: date, time: tuple[str | None, ...] | list[str | None]) -> str:
    hour, minute, second, zone = (*time, *(None,) * 4)[:4]
    if hour is None or minute is None:
        return day.isoformat()
    try:
        told = datetime(day.year, day.month, day.day, int(hour), int(minute), int(second or 0), tzinfo=_zone(zone))
    except ValueError:
        return day.isoformat()
    return told.isoformat()


def _zone(written: str | None) -> timezone | None:
    if not written:
        return None
    if written[0] not in "+-":
        return UTC
    digits = written[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return timezone(timedelta(minutes=-minutes if written[0] == "-" else minutes))
