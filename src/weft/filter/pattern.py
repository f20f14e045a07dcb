"""The user's patterns: `--include` and `--exclude`.

    /private/*          from the start of the path, query included
    *.pdf               the whole URL
    https://a.org/x/*   the whole URL
    re:/\\d{4}/\\d{2}/   a regular expression, searched for anywhere in the URL

In a plain pattern only * is special, and stands for anything, slashes too: ? and [ ] are part of URLs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from weft.errors import BadInput
from weft.filter.rule import UrlOnlyFilter
from weft.types import Refusal
from weft.url.schemes import SCHEMES

NOT_INCLUDED = "matches no --include"
LONGEST_TOLD = 200  # characters of a pattern

_Matcher = Callable[[str], object]


class PatternFilter(UrlOnlyFilter):
    """Nothing that matches an `exclude` pattern; if there are `include` patterns, nothing that matches none.

    Seeds (depth 0) need not match `include`: they were asked for by name, and the way to what does match
    often begins at a page that does not.
    """

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
        self._include = [matcher_of(pattern) for pattern in include]
        patterns = list(exclude)
        self._exclude = [matcher_of(pattern) for pattern in patterns]
        self._excluding = patterns  # as they were written

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        for excludes in self._exclude:
            if excludes(url):
                return Refusal.PATTERN
        if not self._include or depth == 0:
            return None
        for includes in self._include:
            if includes(url):
                return None
        return Refusal.PATTERN

    def rule_of(self, url: str, host: str, depth: int) -> str:
        found = (pattern for pattern, excludes in zip(self._excluding, self._exclude, strict=True) if excludes(url))
        return next(found, NOT_INCLUDED)


def check_pattern(pattern: str) -> None:
    """BadInput for what is no pattern. Quicker than to make what matches it: most are no regular expressions."""
    if not pattern or pattern.startswith("re:"):
        matcher_of(pattern)


def matcher_of(pattern: str) -> _Matcher:
    """What tells whether a URL matches a pattern; BadInput for what is no pattern."""
    if not pattern or pattern == "re:":
        raise BadInput("a pattern for URLs is empty")
    if not pattern.startswith("re:"):
        return _glob(pattern).fullmatch
    try:
        return re.compile(pattern.removeprefix("re:")).search
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"the pattern {pattern[:LONGEST_TOLD]!r} is no regular expression: {error}") from None


def _glob(pattern: str) -> re.Pattern[str]:
    first, *others = map(re.escape, re.sub(r"\*+", "*", pattern).split("*"))
    # Whatever comes next, it may as well stand behind the first place where a piece is: no other one is tried, or many
    # pieces would take for ever.
    middle = "".join(f"(?>.*?{piece})" for piece in others[:-1])
    start = rf"(?>(?:{'|'.join(SCHEMES)})://[^/]+)" if pattern.startswith("/") else ""
    return re.compile(start + first + middle + "".join(f".*{piece}" for piece in others[-1:]))
