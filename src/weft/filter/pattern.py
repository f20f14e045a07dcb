"""Patterns for URLs, as a person writes them.

    /private/*          from the start of the path, query included
    *.pdf               the whole URL
    https://a.org/x/*   the whole URL
    a.org/x/*           the same by any scheme
    re:/\\d{4}/\\d{2}/   a regular expression, searched for anywhere in the URL

In a plain pattern only * is special, and stands for anything, slashes too: ? and [ ] are part of URLs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from weft.errors import BadInput
from weft.url.schemes import SCHEMES

LONGEST_TOLD = 200  # characters of a pattern

_Matcher = Callable[[str], object]


def matcher_of(pattern: str) -> _Matcher:
    """What tells whether a URL matches a pattern; BadInput for what is no pattern."""
    if not pattern.strip() or pattern == "re:":
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
    scheme = rf"(?:{'|'.join(SCHEMES)})://"
    start = rf"(?>{scheme}[^/]+)" if pattern.startswith("/") else ""
    if not start and pattern[0] != "*" and "://" not in pattern:
        start = f"(?:{scheme})?+"
        host, slash, path = first.partition("/")
        first = f"{host.lower()}{slash}{path}"  # the name of a host has no case
    return re.compile(start + first + middle + "".join(f".*{piece}" for piece in others[-1:]))
