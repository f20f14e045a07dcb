"""What a page's links say of endless walks, noted while they are sifted.

Session ids: a session has one id for all links of a page. A page that links to one URL under two ids names pages by
them. Calendars: links to other days of the calendar that the page itself is of.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from weft.filter.calendars import calendar_day
from weft.filter.session_ids import SessionId, SessionRules, session_id_in
from weft.filter.traps import CALENDAR, SESSION_IDS
from weft.types import FoundLink

MAX_NOTED_URLS: Final = 2_000  # of a page, under session ids


class Trail:
    """Filled by the sieve, link by link; read when the page's links are through."""

    def __init__(self, page_url: str, redirects: int, rules: SessionRules | None, *, watches_calendar: bool) -> None:
        self._page_url = page_url
        self._redirects = redirects
        self._rules = rules
        day = calendar_day(page_url) if watches_calendar else None
        self.calendar = day.calendar if day is not None else ""
        self.walk: list[FoundLink] = []  # to other days
        self._ids: dict[tuple[str, str, str], str] = {}  # host, argument and bare URL of each link with an id → the id
        self.named: set[tuple[str, str]] = set()  # host and argument: this page names others by such ids

    @cached_property
    def _own(self) -> SessionId | None:
        return session_id_in(self._page_url)

    def settled(self, url: str, host: str) -> str:
        """The URL to go on with for a link that may have a session id."""
        if self._rules is None or (found := session_id_in(url)) is None:
            return url
        settled = self._rules.settled(url, host, self._page_url, self._redirects)
        is_own = self._own is not None and found.value == self._own.value
        if settled == url and not is_own and len(self._ids) < MAX_NOTED_URLS:
            known = self._ids.setdefault((host, found.argument, found.bare), found.value)
            if known != found.value and not found.is_strong:
                self.named.add((host, found.argument))
        return settled

    def is_walk(self, url: str) -> bool:
        """Whether a link leads to another day of the page's calendar."""
        day = calendar_day(url)
        return day is not None and day.calendar == self.calendar and url != self._page_url

    def new_id(self) -> str:
        """The one id that a page with another one of its own gives to its links to several pages; empty if none."""
        if not self._ids or (own := self._own) is None:
            return ""
        values = [value for (_, argument, _), value in self._ids.items() if argument == own.argument]
        return values[0] if len(values) > 1 and len(set(values)) == 1 else ""


class Trails:
    """Begins a trail for each page, for the rules that a crawl goes by."""

    def __init__(self, wanted: frozenset[str], rules: SessionRules) -> None:
        self._rules = rules if SESSION_IDS in wanted else None
        self._watches_calendar = CALENDAR in wanted

    def may_walk(self, page_url: str) -> bool:
        """Whether all links of a page count, also those that were reported: it is of a calendar."""
        return self._watches_calendar and calendar_day(page_url) is not None

    def begin(self, page_url: str, redirects: int) -> Trail:
        """For the links of a page, or the target of a redirect."""
        return Trail(page_url, redirects, self._rules, watches_calendar=self._watches_calendar)
