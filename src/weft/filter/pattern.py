"""Patterns for URLs, as a person writes them.

    /private/*          from the start of the path, query included
    *.pdf               the whole URL
    https://a.org/x/*   the whole URL
    a.org/x/*           the same by any scheme
    re:/\\d{4}/\\d{2}/   a regular expression, searched for anywhere in the URL

In a plain pattern only * is special, and stands for anything, slashes too: ? and [ ] are part of URLs.

URLs have letters beyond ASCII and blanks encoded, and people write them as they read them: /müll/* and /m%C3%BCll/* are
the same pattern, and so are münchen.example/* and xn--mnchen-3ya.example/*.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from weft.errors import BadInput, BadUrl
from weft.regex import regex
from weft.url import canonicalize
from weft.url.schemes import SCHEMES

LONGEST_TOLD = 200  # characters of a pattern

_Matcher = Callable[[str], object]

# In what is escaped for a regular expression.
_TO_ENCODE = regex(r"(?:\\ |[^\0-\x7f]|%[0-9A-Fa-f]{2})+")
_ENCODED = regex(r"(?:%(?:20|[89A-F][0-9A-F]))+", re.IGNORECASE)
_NAME_OF_HOST = regex(r"((?:[a-z]+://)?(?:\*\.)?)([^/*]+)(?=/|\*|\Z)", re.IGNORECASE)
_SCHEME_AND_HOST = regex(r"\A[a-z*]+://[^/]*", re.IGNORECASE)  # they have no case


def matcher_of(pattern: str) -> _Matcher:
    """What tells whether a URL matches a pattern; BadInput for what is no pattern."""
    if not pattern.strip() or pattern == "re:":
        raise BadInput("a pattern for URLs is empty")
    if not pattern.startswith("re:"):
        return _glob(pattern).fullmatch
    try:
        search = re.compile(pattern.removeprefix("re:")).search
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"the pattern {pattern[:LONGEST_TOLD]!r} is no regular expression: {error}") from None
    return search if pattern.isascii() and " " not in pattern else lambda url: search(url) or search(_as_read(url))


def _as_read(url: str) -> str:
    """The URL with its letters and blanks as people write them."""
    return _ENCODED.sub(lambda found: unquote(found[0]), url)


def _glob(pattern: str) -> re.Pattern[str]:
    pattern = pattern if pattern.isascii() else _with_encoded_host(pattern)
    pattern = _SCHEME_AND_HOST.sub(lambda found: found[0].lower(), pattern)
    first, *others = map(_escaped, re.sub(r"\*+", "*", pattern).split("*"))
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


def _escaped(piece: str) -> str:
    """As a regular expression, encoded as in URLs; in these, and in patterns, both %C3 and %c3 occur."""
    return _TO_ENCODE.sub(lambda found: f"(?i:{quote(found[0].replace(chr(92), ''), safe='%')})", re.escape(piece))


def _with_encoded_host(pattern: str) -> str:
    """With the name of the host, if the pattern has one at its start, as URLs have it."""
    found = None if pattern.startswith("/") else _NAME_OF_HOST.match(pattern)
    if found is None or found[2].isascii() or (found[1].startswith("*") and "/" not in pattern):
        return pattern  # *.größe ends a path
    try:
        host = canonicalize(f"http://{found[2]}").removeprefix("http://").rstrip("/")
    except BadUrl:
        return pattern
    return f"{found[1]}{host}{pattern[found.end() :]}"
