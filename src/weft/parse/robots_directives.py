"""What a page asks of crawlers, in its header or its head.

    X-Robots-Tag: noindex, nofollow          <meta name="robots" content="nofollow">
    X-Robots-Tag: weft: none                 <meta name="weft" content="none">

No standard says how to read these; the manuals of the search engines do, and this does as they say.

| written                                      | means                                                       |
|----------------------------------------------|-------------------------------------------------------------|
| several headers, several elements            | all that is asked of everybody and of this crawler by name  |
| noindex, index                               | noindex: the stricter one counts                            |
| none                                         | noindex, nofollow                                           |
| nocache                                      | noarchive, in Bing's words                                  |
| `otherbot:` in a header                      | what follows in it is for that crawler, to the next name    |
| unavailable_after: DATE                      | nothing here; a date may hold commas and colons             |
| max-snippet: 20, max-image-preview: none     | nothing here; a value is no directive, not even this `none` |
| all, index, follow, nosnippet, anything else | nothing                                                     |

A name with digits is also heard without them, as in robots.txt: bot5 obeys what is said to bot, not what is said to
bot1. Letter case does not matter. White space and semicolons separate too, where commas were forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from weft.product_token import cut
from weft.regex import regex

_NOFOLLOW = frozenset(("nofollow", "none"))
_NOINDEX = frozenset(("noindex", "none"))
_NOARCHIVE = frozenset(("noarchive", "nocache"))
_ASKED = _NOFOLLOW | _NOINDEX | _NOARCHIVE  # `may_ask` in _scan.c has these words, too

_MAX_VALUE_CHARS = 10_000  # nobody writes more in good faith
_HEADER = b"x-robots-tag"
_SEPARATOR = regex(r"[,;]")


class RobotsDirectives(NamedTuple):
    """What is not to be done with a page."""

    nofollow: bool = False
    noindex: bool = False
    noarchive: bool = False


_NOTHING = RobotsDirectives()


def robots_directives(
    headers: Sequence[tuple[bytes, bytes]], meta: Iterable[tuple[str, str]], agent: str = "weft"
) -> RobotsDirectives:
    """Put together the headers (names in lower case) and the (name, content) pairs of the meta elements."""
    agents = _names_of(agent)
    asked: set[str] = set()
    if _HEADER in dict(headers):
        for header, value in headers:
            if header == _HEADER:
                asked.update(_directives(value.decode("latin-1").lower(), agents))
    for name, content in meta:
        if name.strip().lower() in agents:
            asked.update(_directives(content.lower(), agents))
    if not asked:
        return _NOTHING
    return RobotsDirectives(
        not asked.isdisjoint(_NOFOLLOW), not asked.isdisjoint(_NOINDEX), not asked.isdisjoint(_NOARCHIVE)
    )


@lru_cache(maxsize=64)  # a crawl has one, or a few for some hosts
def _names_of(agent: str) -> frozenset[str]:
    agent = agent.lower()
    return frozenset(("robots", agent, cut(agent) or agent))


def _directives(value: str, agents: frozenset[str]) -> Iterator[str]:
    """The words that are for this crawler; among them may be some that mean nothing."""
    is_for_us = True
    for part in _SEPARATOR.split(value[:_MAX_VALUE_CHARS]):
        rest: str | None = part
        while rest is not None:
            words, named, rest = _read_to_colon(rest)
            if named:
                is_for_us = named == "*" or named.partition("/")[0] in agents
            if is_for_us:
                yield from words


def _read_to_colon(part: str) -> tuple[list[str], str, str | None]:
    """The directives up to the first colon, the crawler that the colon names if it does, and what comes after it."""
    before, colon, after = part.partition(":")
    words = [word.strip("\"'") for word in before.split()]
    if not colon or not words or words[-1].isdigit():  # the last: a time of day
        return words + after.split(), "", None
    if words[-1].startswith("max-"):
        return words[:-1], "", after.lstrip().partition(" ")[2]
    if words[-1] in ("unavailable_after", "unavailable-after"):
        return words[:-1] + after.split(), "", None
    if not _ASKED.isdisjoint(words):
        return words, "", after
    return [], " ".join(words), after
