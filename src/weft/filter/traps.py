"""Walks that have no end, told by the look of a URL alone.

A trap that is missed costs a host's budget of pages; a page that is refused by mistake is lost, and nobody
notices. So each rule waits until a walk has clearly become one. Each has a name, by which it can be switched off
(`--traps -tangle`).

| name                | refused here                                         | what others do                      |
|---------------------|------------------------------------------------------|-------------------------------------|
| repeated-segment    | /x/x/x/x, from the 4th; of one character from the 6th | Heritrix, StormCrawler from the 3rd |
| segment-cycle       | /x/y/x/y/x/y, from the 3rd time                      | BUbiNG's tests: the same; Nutch: a  |
|                     |                                                      | segment with one other between each |
| tangle              | /x/y/y/x/z/y/x/…: 8 segments and more, each used     | Zeno: any segment for the 4th time  |
|                     | twice on average                                     |                                     |
| too-many-segments   | over 32                                              | Heritrix over 20, all slashes count |
| repeated-argument   | ?a=1&a=1&a=1&a=1, from the 4th                       | Zeno: the same                      |
| too-many-arguments  | over 64                                              |                                     |
| nested-escapes      | %2525…, &amp;amp;…: five deep, three deep            |                                     |
| session-ids         | by what pages are like: pipeline/sessions.py         | Nutch cuts the id off               |
| calendar            | by what pages are like: pipeline/walks.py            |                                     |
| same-page           | by what pages are like: pipeline/same_pages.py       |                                     |
| guesses             | by how few are there: pipeline/guesses.py            |                                     |

HTTrack has no such rule: its depth and its limit of 1,024 characters end a walk. Tried on 91,000 URLs of public lists
and 195,000 file paths, the rules for paths and queries refuse six, all of them traps or junk; the same rules as
Heritrix and Nutch have them would refuse 46 and 61. (Then a tangle had 12 segments, each used 3 times. Of 445,000 file
paths of another machine none is a tangle as it is now, nor with 6 segments.) Pages that answer everywhere, with the
links one/ two/ three/, were 206,000 so, and are 2,900; 13 if they are the same byte for byte (same-page).

Digits are no names: /1/1/1/1 is a version, /0/0/0/0.png a piece of a map, /000/000/123 a folder. They and single
characters, by which folders are split up too, pass the rules of names or wait longer; the number of segments ends
those walks. Seeds (depth 0) pass: they were asked for by name.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable
from typing import Final

from weft.errors import BadInput
from weft.filter.rule import UrlOnlyFilter
from weft.types import Refusal

MAX_SEGMENTS: Final = 32
MAX_ARGUMENTS: Final = 64
MAX_SAME_ARGUMENT: Final = 3
MAX_RUN: Final = 3
MAX_RUN_OF_ONE_CHARACTER: Final = 5
MAX_CYCLES: Final = 2
MIN_TANGLE_SEGMENTS: Final = 8
MIN_TANGLE_USES: Final = 2

_SCHEME_CHARS: Final = len("https://")
_SLASHES_OF_ORIGIN: Final = 3  # https://host/
_NESTED_ESCAPE: Final = "%2525252525"
_NESTED_AMPERSAND: Final = "amp;amp;amp;"


def _has_run(segments: list[str]) -> bool:
    return _has_cycle(segments, 1)


def _has_long_cycle(segments: list[str]) -> bool:
    return any(_has_cycle(segments, period) for period in range(2, len(segments) // (MAX_CYCLES + 1) + 1))


def _has_cycle(segments: list[str], period: int) -> bool:
    """Whether some row of N segments comes too often, one time right after the other."""
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


def _is_too_long(segments: list[str]) -> bool:
    return len(segments) > MAX_SEGMENTS


def _repeats_an_argument(arguments: list[str]) -> bool:
    if len(arguments) - len(set(arguments)) < MAX_SAME_ARGUMENT:
        return False
    return any(argument and times > MAX_SAME_ARGUMENT for argument, times in Counter(arguments).items())


def _has_too_many(arguments: list[str]) -> bool:
    return len(arguments) > MAX_ARGUMENTS


def _is_nested(url: str) -> bool:
    return _NESTED_ESCAPE in url or _NESTED_AMPERSAND in url


_Rules = tuple[tuple[str, Callable[[list[str]], bool]], ...]
PATH_RULES: Final[_Rules] = (
    ("too-many-segments", _is_too_long),
    ("repeated-segment", _has_run),
    ("segment-cycle", _has_long_cycle),
    ("tangle", _is_tangle),
)
QUERY_RULES: Final[_Rules] = (
    ("repeated-argument", _repeats_an_argument),
    ("too-many-arguments", _has_too_many),
)
NESTED_ESCAPES: Final = "nested-escapes"
SESSION_IDS: Final = "session-ids"
CALENDAR: Final = "calendar"
SAME_PAGE: Final = "same-page"
GUESSES: Final = "guesses"
TRAP_RULES: Final = (
    *(name for name, _ in PATH_RULES + QUERY_RULES),
    NESTED_ESCAPES,
    SESSION_IDS,
    CALENDAR,
    SAME_PAGE,
    GUESSES,
)


def trap_rules(setting: str) -> frozenset[str]:
    """The names of the rules that a setting wants: `on`, `off`, `tangle,calendar` (these), `-calendar` (all but it)."""
    wanted: set[str] = set()
    for number, entry in enumerate(each.strip() for each in setting.split(",")):
        if entry == "on" or (entry.startswith("-") and number == 0):
            wanted.update(TRAP_RULES)
        name = entry.removeprefix("-")
        if name in TRAP_RULES:
            (wanted.discard if name != entry else wanted.add)(name)
        elif entry not in ("on", "off"):
            known = (*TRAP_RULES, "on", "off")
            nearest = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise BadInput(f"{entry!r} is no rule against traps ({', '.join(known)}){hint}")
    return frozenset(wanted)


class TrapFilter(UrlOnlyFilter):
    """No walk without end."""

    def __init__(self, setting: str = "on") -> None:
        wanted = trap_rules(setting)
        self._path_rules = tuple(rule for rule in PATH_RULES if rule[0] in wanted)
        self._query_rules = tuple(rule for rule in QUERY_RULES if rule[0] in wanted)
        self._ends_nesting = NESTED_ESCAPES in wanted

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if depth == 0:
            return None
        # What a rule needs is looked for first: most URLs have none of it, and this runs for every link.
        if (
            (url.count("/") >= _SLASHES_OF_ORIGIN + MAX_RUN and self._path_rule(url))
            or ("&" in url and (_NESTED_AMPERSAND in url or url.count("&") >= MAX_SAME_ARGUMENT) and self._rule(url))
            or (_NESTED_ESCAPE in url and self._ends_nesting)
        ):
            return Refusal.TRAP
        return None

    def rule_of(self, url: str, host: str, depth: int) -> str:
        """The name of the rule that refuses a URL; empty if none does."""
        return self._path_rule(url) or self._rule(url) if depth else ""

    def _path_rule(self, url: str) -> str:
        parts = url[_SCHEME_CHARS:].split("/")  # of the query too: then it is no quick case
        if len(parts) <= MAX_SEGMENTS and len(set(parts)) == len(parts):
            return ""
        segments = url.partition("?")[0].removesuffix("/").split("/")[_SLASHES_OF_ORIGIN:]
        return next((name for name, is_endless in self._path_rules if is_endless(segments)), "")

    def _rule(self, url: str) -> str:
        """Of those that look at the query, or at all of the URL."""
        arguments = url.partition("?")[2].split("&")
        for name, is_endless in self._query_rules:
            if is_endless(arguments):
                return name
        return NESTED_ESCAPES if self._ends_nesting and _is_nested(url) else ""
