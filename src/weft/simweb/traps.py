"""Sites that never end: each page leads to new ones, and all of them say 200. Pure.

Only a crawler's own limits end a crawl of such a site; what it has to show for it is hardly worth a request.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from html import escape

from xxhash import xxh3_64_hexdigest

from weft.regex import regex
from weft.simweb.behaviour import TrapKind

_FIRST_DAY = date(2024, 1, 1)
_LAST_DAY = date(9999, 1, 1)
_DAY = regex(r"day=(\d{4}-\d\d-\d\d)")
_SESSION_PAGES = 10
_SEGMENT = "more"
_MENU = ("about", "news", "shop", "help", "team", "jobs", "blog", "terms", "press", "prices")


def trap_page(kind: TrapKind, path: str) -> bytes:
    """The page at a path of a trap."""
    anchors = "".join(f'\n<p><a href="{escape(link)}">on</a>' for link in TRAPS[kind](path))
    return f"<!DOCTYPE html><title>{kind}</title>{anchors}\n".encode()


def _calendar(path: str) -> list[str]:
    """The days after and before, and the next month: a site with a page for every day there will ever be."""
    day = _day_in(path)
    return [f"/calendar?day={day + timedelta(days=days)}" for days in (1, -1, 30)]


def _day_in(path: str) -> date:
    match = _DAY.search(path)
    try:
        day = date.fromisoformat(match[1]) if match else _FIRST_DAY
    except ValueError:  # the 30th of February
        return _FIRST_DAY
    return day if _FIRST_DAY < day < _LAST_DAY else _FIRST_DAY


def _session(path: str) -> list[str]:
    """The same few pages, under a session id that is new with every response."""
    session = xxh3_64_hexdigest(path.encode())
    return [f"/page/{number}?sid={session}" for number in range(_SESSION_PAGES)]


def _deeper(path: str) -> list[str]:
    """One folder further down, as when a server ignores what follows a page's path and links are relative."""
    folder = path.partition("?")[0].rpartition("/")[0]
    return [f"{folder}/{_SEGMENT}/", f"{folder}/{_SEGMENT}/page.html"]


def _same(path: str) -> list[str]:
    """The same page wherever one asks, with the relative links of a menu."""
    return [f"{name}/" for name in _MENU]


TRAPS: dict[TrapKind, Callable[[str], list[str]]] = {
    TrapKind.CALENDAR: _calendar,
    TrapKind.SESSION: _session,
    TrapKind.DEEPER: _deeper,
    TrapKind.SAME: _same,
}
