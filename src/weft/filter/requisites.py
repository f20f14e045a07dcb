"""What a page needs to look right may come from anywhere: images, style sheets, what these import, frames.

Such a link passes scope and depth by its kind, and so do redirects on its way. The pages in frames lead on no further:
their links are judged as all others are. So is a page that only a script names.
"""

from __future__ import annotations

import re
from typing import Final

from weft.filter.rule import UrlFilter, UrlOnlyFilter
from weft.regex import regex
from weft.types import Kind, Link, Refusal

# Steps in a row from a page to what it needs; frames in frames could go on for ever.
MAX_STEPS: Final = 10

_NEEDED: Final = frozenset((Kind.EMBED, Kind.FRAME, Kind.GUESS))
_PAGE: Final = regex(r"(?:/|\.x?html?)(?:\?.*)?\Z", re.DOTALL)


class SparingRequisites(UrlFilter):
    """A rule for pages: it has nothing against what they need."""

    def __init__(self, rule: UrlOnlyFilter) -> None:
        self._rule = rule
        self.bounds_scope = rule.bounds_scope

    def refuses(self, link: Link) -> Refusal | None:
        return None if is_requisite(link) else self._rule.refuses(link)

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return self._rule.rule_of(url, host, depth)


class RequisiteDepth(UrlFilter):
    """At most N links away from a seed, but for what these pages need."""

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth

    def refuses(self, link: Link) -> Refusal | None:
        return None if link.depth <= self._max_depth or is_requisite(link) else Refusal.DEPTH


def is_requisite(link: Link) -> bool:
    """Whether a page needs it, or it is on the way to what a page needs."""
    if link.kind is Kind.REDIRECT:
        return link.hops.rstrip("R").endswith(("E", "X")) and _steps(link) <= MAX_STEPS
    if link.kind is Kind.GUESS and _PAGE.search(link.url):  # of the menu of a site, say: a page like others
        return False
    return link.kind in _NEEDED and _steps(link) <= MAX_STEPS


def _steps(link: Link) -> int:
    return len(link.hops) - len(link.hops.rstrip("ERX"))
