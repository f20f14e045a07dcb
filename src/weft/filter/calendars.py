"""Calendars that can be turned for ever: next month, next month, next month.

Refused is a date of year and month that lies 6 to 105 years ahead, or in the years 1700 to 1799, in a URL that
speaks of a calendar or has arguments for both year and month.

- Only these two stretches of years: a walk from month to month comes through one of them, while 4567 and 8213 are
  numbers of articles, and 9999 means "no end".
- Never a year without its month: /population/2050 is a forecast, /events/2050 the number of an event.
- Never beside a date that is plausible: ?from=2024-05-01&to=2099-12-31 is a question, not a walk.
- Conferences and games are announced up to five years ahead; newspapers have calendars back to 1800.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

YEARS_AHEAD: Final = 5
STRETCH_YEARS: Final = 100
PAST_STRETCH: Final = range(1700, 1800)

_CALENDAR = re.compile(
    r"calend|kalend|(?<![a-z])event|evenement|veranstalt|agenda|schedule|(?<![a-z])month|monat", re.IGNORECASE
)
_DATE = re.compile(
    r"(?<!\d)(\d{4})[\-/.](?:0[1-9]|1[0-2]|w[0-5]\d)(?!\d)"
    r"|(?:date|day|month|datum|start|from|ym)=(\d{4})(?:0[1-9]|1[0-2])(?:[0-3]\d)?(?!\d)",
    re.IGNORECASE,
)
_YEAR_ARGUMENT = re.compile(r"[?&;](?:[a-z_]*year|yr|y|cal_y|jahr|annee|anno)=(\d{4})(?!\d)", re.IGNORECASE)
_MONTH_ARGUMENT = re.compile(r"[?&;](?:[a-z_]*month|mon|m|cal_m|monat|mois|mese)=\d\d?(?!\d)", re.IGNORECASE)


class Calendars:
    """Tells the months that nobody has anything to say about. `now` is the wall time to count from."""

    def __init__(self, now: float) -> None:
        first_year = datetime.fromtimestamp(now, UTC).year + YEARS_AHEAD + 1
        self._stretches = frozenset((*PAST_STRETCH, *range(first_year, first_year + STRETCH_YEARS)))
        # Asked of every URL, so it is simple: nothing else can be far off.
        self.find_far_decade = _decades_of(self._stretches).search

    def is_far_off(self, url: str) -> bool:
        """Whether all dates in the URL are beyond what a calendar is for."""
        years = _years(url)
        return bool(years) and self._stretches.issuperset(years)


def _decades_of(years: Iterable[int]) -> re.Pattern[str]:
    decades: dict[int, set[int]] = {}  # by century
    for year in years:
        decades.setdefault(year // 100, set()).add(year // 10 % 10)
    return re.compile("|".join(f"{century}[{''.join(map(str, digits))}][0-9]" for century, digits in decades.items()))


def _years(url: str) -> list[int]:
    """The years of the dates in the URL of a calendar; none when it is no calendar."""
    year = _YEAR_ARGUMENT.search(url)
    has_month = year is not None and _MONTH_ARGUMENT.search(url) is not None
    if not has_month and _CALENDAR.search(url) is None:
        return []
    years = [int(dashed or compact) for dashed, compact in _DATE.findall(url)]
    if year is not None and has_month:
        years.append(int(year[1]))
    return years
