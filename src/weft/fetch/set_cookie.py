"""One cookie, and the Set-Cookie header that describes it (RFC 6265 §5.1, §5.2)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import msgspec

from weft.regex import regex

MAX_COOKIE_BYTES: Final = 4096  # name and value
_MAX_ATTRIBUTE_CHARS: Final = 1024

NEVER: Final = float("inf")
AT_ONCE: Final = 0.0

CONTROLS: Final = regex(r"[\0-\x08\x0a-\x1f\x7f]")
_MAX_AGE: Final = regex(r"-?[0-9]+")
_DATE_DELIMITERS: Final = regex(r"[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME: Final = regex(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)", re.ASCII)
_DAY: Final = regex(r"(\d{1,2})(?!\d)", re.ASCII)
_YEAR: Final = regex(r"(\d{2,4})(?!\d)", re.ASCII)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class Cookie(msgspec.Struct, frozen=True, gc=False):
    """A cookie as it is kept. Text is what the bytes are in latin-1."""

    name: str
    value: str
    domain: str
    path: str
    host_only: bool = True  # sent to the domain itself, not to what is below it
    secure: bool = False
    expires_at: float = NEVER  # wall time
    set_at: float = 0.0  # wall time; one that replaces another keeps its age

    @property
    def key(self) -> tuple[str, str, str]:
        """Two cookies with the same are one."""
        return self.domain, self.path, self.name

    @property
    def size_bytes(self) -> int:
        """What it counts for in the store's bound."""
        return len(self.name) + len(self.value) + len(self.domain) + len(self.path) + 200

    def fits(self, host: str, path: str, secure: bool) -> bool:
        """Whether a request there carries it."""
        return (secure or not self.secure) and self.fits_host(host) and self._fits_path(path)

    def fits_host(self, host: str) -> bool:
        """The domain itself or, unless host-only, a name below it; below an IP address there is nothing."""
        if host == self.domain:
            return True
        return not self.host_only and host.endswith("." + self.domain) and not _is_address(host)

    def _fits_path(self, path: str) -> bool:
        if not path.startswith(self.path):
            return False
        return len(path) == len(self.path) or self.path.endswith("/") or path[len(self.path)] == "/"


def default_path(request_path: str) -> str:
    """The path of a cookie that names none: the folder of the page that set it."""
    return request_path.partition("?")[0].rpartition("/")[0] or "/"


def parse_set_cookie(header: bytes, host: str, path: str, now: float) -> Cookie | None:
    """The cookie that a host sets; None when it is none. Whether the host may set it is not asked here."""
    text = header.decode("latin-1")
    if CONTROLS.search(text):
        return None
    pair, *attributes = text.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not equals or not name or len(name) + len(value) > MAX_COOKIE_BYTES:
        return None
    settings = _settings(attributes)
    domain = settings.get("domain", "").removeprefix(".").lower()
    given_path = settings.get("path", "")
    return Cookie(
        name,
        value,
        domain or host,
        given_path if given_path.startswith("/") else path,
        host_only=not domain,
        secure="secure" in settings,
        expires_at=_expiry(settings, now),
    )


def _settings(attributes: list[str]) -> dict[str, str]:
    """Attributes by their names in lower case; of equal ones the last counts, and what is too long does not."""
    settings = {}
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        value = value.strip()
        if len(value) <= _MAX_ATTRIBUTE_CHARS:
            settings[name.strip().lower()] = value
    return settings


def _expiry(settings: dict[str, str], now: float) -> float:
    max_age = settings.get("max-age", "")
    if _MAX_AGE.fullmatch(max_age):
        if max_age.startswith("-") or not max_age.strip("0"):
            return AT_ONCE
        return now + int(max_age) if len(max_age) < 15 else NEVER
    expires_at = parse_cookie_date(settings.get("expires", ""))
    return NEVER if expires_at is None else expires_at


def parse_cookie_date(text: str) -> float | None:
    """A date in any of the forms that servers write, in seconds since the epoch."""
    time: tuple[int, int, int] | None = None
    day = month = year = None
    for token in _DATE_DELIMITERS.split(text):
        if time is None and (match := _TIME.match(token)):
            hour, minute, second = match.groups()
            time = int(hour), int(minute), int(second)
        elif day is None and (match := _DAY.match(token)):
            day = int(match[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (match := _YEAR.match(token)):
            year = _full_year(int(match[1]))
    if time is None or day is None or month is None or year is None or year < 1601:
        return None
    try:
        return datetime(year, month, day, *time, tzinfo=UTC).timestamp()
    except ValueError:
        return None  # no such day, or no such hour


def _full_year(year: int) -> int:
    if 70 <= year <= 99:
        return year + 1900
    return year + 2000 if year <= 69 else year


def _is_address(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()
