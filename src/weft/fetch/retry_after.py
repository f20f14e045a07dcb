"""How long a server asks to be left alone: the value of Retry-After.

120                               seconds
Sun, 06 Nov 1994 08:49:37 GMT     a date, as RFC 9110 §5.6.7 wants it written
Sunday, 06-Nov-94 08:49:37 GMT    its old form of RFC 850, with two digits for the year
Sun Nov  6 08:49:37 1994          what C's asctime writes
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from weft.regex import regex

MAX_WAIT_S: Final = 365 * 86_400.0

_SECONDS = regex(rb"\s*([0-9]+)(?:\.[0-9]*)?\s*")
_MONTHS: Final = (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec")

_TIME = rb"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
_MONTH = rb"(?P<month>" + b"|".join(_MONTHS) + rb")"
_ZONE = rb"(?: (?:GMT|UTC|[+-]0000))?"
_DATES: Final = tuple(
    regex(rb"\s*" + form + rb"\s*", re.IGNORECASE)
    for form in (
        rb"[a-z]{3}, *(?P<day>[0-9]{1,2}) " + _MONTH + rb" (?P<year>[0-9]{4}) " + _TIME + _ZONE,
        rb"[a-z]{3,9}, *(?P<day>[0-9]{1,2})-" + _MONTH + rb"-(?P<year>[0-9]{2}(?:[0-9]{2})?) " + _TIME + _ZONE,
        rb"[a-z]{3} " + _MONTH + rb" +(?P<day>[0-9]{1,2}) " + _TIME + rb" (?P<year>[0-9]{4})",
    )
)


def retry_after_s(value: bytes, now: float) -> float | None:
    """Seconds from `now`, a wall time: 0 for what is past, a year at most; None for what nobody can read."""
    if seconds := _SECONDS.fullmatch(value):
        digits = seconds[1].lstrip(b"0") or b"0"
        return min(float(digits), MAX_WAIT_S) if len(digits) < 10 else MAX_WAIT_S
    for form in _DATES:
        if found := form.fullmatch(value):
            moment = _moment(found, now)
            return None if moment is None else min(max(moment - now, 0.0), MAX_WAIT_S)
    return None


def _moment(found: re.Match[bytes], now: float) -> float | None:
    """The wall time of a date; None when there is no such day or hour."""
    try:
        return datetime(
            _year(found["year"], now),
            _MONTHS.index(found["month"].lower()) + 1,
            int(found["day"]),
            int(found["hour"]),
            int(found["minute"]),
            59 if found["second"] == b"60" else int(found["second"]),  # a leap second
            tzinfo=UTC,
        ).timestamp()
    except ValueError:
        return None


def _year(digits: bytes, now: float) -> int:
    """A year of two digits is the one that is at most 50 years ahead (RFC 9110 §5.6.7)."""
    if len(digits) == 4:
        return int(digits)
    this_year = datetime.fromtimestamp(now, UTC).year
    year = this_year - this_year % 100 + int(digits)
    if year > this_year + 50:
        return year - 100
    return year + 100 if year <= this_year - 50 else year
