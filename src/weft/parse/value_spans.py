"""Where the URLs are in attributes that hold more than a URL: srcset, a refresh, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.regex import regex
from weft.repeats import repeated

Span = tuple[int, int]

_CANDIDATE = regex(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = regex(repeated(r"[^,(]++|\([^)]*+\)?+"))
_IN_LIST = {separators: regex(f"[^{separators}]++") for separators in ("\t\n\f\r ", "\t\n\f\r ,")}

_REFRESH = regex(
    r"[\t\n\f\r ]*+(?=[0-9.])[0-9]*+[0-9.]*+(?:[\t\n\f\r ]*+[;,]|[\t\n\f\r ])[\t\n\f\r ]*+"
    r"(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+|(?!url[\t\n\f\r ]*+=))"
    r"""(?:'([^']*+)|"([^"]*+)|(.++))""",
    re.IGNORECASE | re.DOTALL,
)


def srcset_spans(srcset: str) -> Iterator[Span]:
    """The URLs of a srcset, by the steps of the HTML standard: a comma ends a URL only if a space follows it."""
    at = 0
    while found := _CANDIDATE.match(srcset, at):
        start, at = found.span(1)
        end = at
        if srcset[end - 1] == ",":
            end = start + len(found[1].rstrip(","))
        elif rest := _DESCRIPTORS.match(srcset, at):
            at = rest.end()
        if end > start:
            yield start, end


def srcset_urls(srcset: str) -> Iterator[str]:
    """The same as they stand there."""
    return (srcset[start:end] for start, end in srcset_spans(srcset))


def refresh_span(content: str) -> Span | None:
    """The URL of `<meta http-equiv=refresh>`, by the steps of the HTML standard; None if the page itself is meant."""
    found = _REFRESH.match(content)
    return found.span(found.lastindex) if found and found.lastindex else None


def list_spans(value: str, has_commas: bool) -> Iterator[Span]:
    """The URLs of a list with spaces, and commas if it has such, between them."""
    separators = "\t\n\f\r ," if has_commas else "\t\n\f\r "
    return (found.span() for found in _IN_LIST[separators].finditer(value))
