"""Walks that have no end, told by the look of a URL alone.

A trap that is missed costs a host's budget of pages; a page that is refused by mistake is lost, and nobody
notices. So each rule waits until a walk has clearly become one.

| rule                                          | refused here                  | what others do                      |
|-----------------------------------------------|-------------------------------|-------------------------------------|
| one segment in a row: /x/x/x/x                | from the 4th                  | Heritrix, StormCrawler from the 3rd |
|     of one character: /a/a/a/a/a/a            | from the 6th                  |                                     |
| several in a row: /x/y/x/y/x/y                | from the 3rd time             | BUbiNG's tests: the same; Nutch: a  |
|                                               |                               | segment with one other between each |
| few names, many segments: /x/y/y/x/z/y/x/…    | 12 and more, each used 3      | Zeno: any segment for the 4th time  |
|                                               | times on average              |                                     |
| segments in all                               | over 32                       | Heritrix over 20, all slashes count |
| one argument repeated: ?a=1&a=1&a=1&a=1       | from the 4th                  | Zeno: the same                      |
| arguments in all                              | over 64                       |                                     |
| escapes of escapes: %2525…, &amp;amp;…        | five deep, three deep         |                                     |
| the page under new session ids                | from the 4th: session_ids.py  | Nutch cuts the id off               |
| the page under ids that may name it           | from the 9th: same_pages.py   |                                     |
| a date of a calendar                          | years off: calendars.py       |                                     |

HTTrack has no such rule: its depth and its limit of 1,024 characters end a walk. Tried on 91,000 URLs of public lists
and 195,000 file paths, the rules for paths and queries refuse six, all of them traps or junk; the same rules as
Heritrix and Nutch have them would refuse 46 and 61. The lists say little of calendars and nothing of sessions.

Digits are no names: /1/1/1/1 is a version, /0/0/0/0.png a piece of a map, /000/000/123 a folder. They and single
characters, by which folders are split up too, pass the rules of names or wait longer; the number of segments ends
those walks. Seeds (depth 0) pass: they were asked for by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from weft.filter.calendars import Calendars
from weft.filter.rule import UrlOnlyFilter
from weft.filter.same_pages import SamePages
from weft.filter.session_ids import SessionPages
from weft.types import Refusal

MAX_SEGMENTS: Final = 32
MAX_ARGUMENTS: Final = 64
MAX_SAME_ARGUMENT: Final = 3
MAX_RUN: Final = 3
MAX_RUN_OF_ONE_CHARACTER: Final = 5
MAX_CYCLES: Final = 2
MIN_TANGLE_SEGMENTS: Final = 12
MIN_TANGLE_USES: Final = 3

_SCHEME_CHARS: Final = len("https://")
_SLASHES_OF_ORIGIN: Final = 3  # https://host/
_NESTED_ESCAPE: Final = "%2525252525"
_NESTED_AMPERSAND: Final = "amp;amp;amp;"


class TrapFilter(UrlOnlyFilter):
    """No walk without end. `now` is the wall time from which calendars are judged."""

    def __init__(self, now: float) -> None:
        self._calendars = Calendars(now)
        self._find_far_decade = self._calendars.find_far_decade
        self._sessions = SessionPages()
        self._same_pages = SamePages()

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if depth == 0:
            return None
        # What a rule needs is looked for first: most URLs have none of it, and this runs for every link.
        is_trap = (
            (url.count("/") >= _SLASHES_OF_ORIGIN + MAX_RUN and _is_endless_path(url))
            or ("&" in url and _is_endless_query(url))
            or _NESTED_ESCAPE in url
            or (("=" in url or "(" in url) and self._sessions.is_known_under_others(url, depth))
            or self._same_pages.is_told(url)
            or (self._find_far_decade(url, _SCHEME_CHARS + len(host)) is not None and self._calendars.is_far_off(url))
        )
        return Refusal.TRAP if is_trap else None

    def rule_of(self, url: str, host: str, depth: int) -> str:
        segments = url.partition("?")[0].removesuffix("/").split("/")[_SLASHES_OF_ORIGIN:]
        arguments = Counter(url.partition("?")[2].split("&"))
        rules: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("too-many-segments", lambda: len(segments) > MAX_SEGMENTS),
            ("repeated-segment", lambda: _has_cycle(segments, longest=1)),
            ("segment-cycle", lambda: _has_cycle(segments, longest=len(segments))),
            ("tangle", lambda: _is_tangle(segments)),
            ("nested-escapes", lambda: _NESTED_AMPERSAND in url or _NESTED_ESCAPE in url),
            ("repeated-argument", lambda: any(name and n > MAX_SAME_ARGUMENT for name, n in arguments.items())),
            ("too-many-arguments", lambda: arguments.total() > MAX_ARGUMENTS),
            ("session-ids", lambda: self._sessions.is_known_under_others(url, depth)),
            ("same-pages", lambda: self._same_pages.is_told(url)),
            ("calendar", lambda: self._calendars.is_far_off(url)),
        )
        return next((name for name, refuses in rules if refuses()), "")

    def learn(self, url: str, title: str, links: Iterable[str], size_bytes: int) -> None:
        self._same_pages.learn(url, title, links, size_bytes)


def _is_endless_path(url: str) -> bool:
    parts = url[_SCHEME_CHARS:].split("/")  # of the query too: then it is no quick case
    if len(parts) <= MAX_SEGMENTS and len(set(parts)) == len(parts):
        return False
    segments = url.partition("?")[0].removesuffix("/").split("/")[_SLASHES_OF_ORIGIN:]
    return len(segments) > MAX_SEGMENTS or _has_cycle(segments, len(segments)) or _is_tangle(segments)


def _has_cycle(segments: list[str], longest: int) -> bool:
    """Whether some row of segments, up to the longest, comes too often, one time right after the other."""
    for period in range(1, min(longest, len(segments) // (MAX_CYCLES + 1)) + 1):
        same = 0
        for end in range(period, len(segments)):
            same = same + 1 if segments[end] == segments[end - period] else 0
            if same and same % period == 0 and _is_too_often(segments[end - period + 1 : end + 1], same // period + 1):
                return True
    return False


def _is_too_often(row: list[str], times: int) -> bool:
    if all(map(str.isdigit, row)):
        return False
    if len(row) > 1:
        return times > MAX_CYCLES
    return times > (MAX_RUN if len(row[0]) > 1 else MAX_RUN_OF_ONE_CHARACTER)


def _is_tangle(segments: list[str]) -> bool:
    """Whether a long path goes through the same few names again and again, in whatever order."""
    names = [segment for segment in segments if len(segment) > 1 and not segment.isdigit()]
    return len(names) >= MIN_TANGLE_SEGMENTS and len(names) >= MIN_TANGLE_USES * len(set(names))


def _is_endless_query(url: str) -> bool:
    if _NESTED_AMPERSAND in url:
        return True
    if url.count("&") < MAX_SAME_ARGUMENT:
        return False
    arguments = url.partition("?")[2].split("&")
    if len(arguments) - len(set(arguments)) < MAX_SAME_ARGUMENT:
        return len(arguments) > MAX_ARGUMENTS
    return any(argument and times > MAX_SAME_ARGUMENT for argument, times in Counter(arguments).items())
