"""Links by the element that they stand in: `--follow-tags`, `--ignore-tags`.

    a          links of this element
    img/src    of this attribute of it; to follow, any may be named: img/data-large

A URL that stands in several places of a page goes by the one that counts: what a page needs, before what it links to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from weft.errors import BadInput
from weft.regex import regex

_TAG = regex(r"[a-z][a-z0-9-]*(?:/@?[a-z:_][a-z0-9:_-]*)?", re.IGNORECASE)


class TagChoice:
    """Which places of a page count; one is named as `a/@href`."""

    def __init__(self, follow: Iterable[str], ignore: Iterable[str]) -> None:
        self._follow, self._ignore = _names(follow), _names(ignore)

    def attributes(self) -> list[tuple[str, str]]:
        """The attributes that are named to be followed: element and name."""
        return sorted(
            (name, attribute) for name, slash, attribute in (one.partition("/") for one in self._follow) if slash
        )

    def __bool__(self) -> bool:
        return bool(self._follow or self._ignore)

    def has(self, context: str) -> bool:
        """Whether links that stand there are followed."""
        place = context.lower().replace("/@", "/")
        names = (place, place.partition("/")[0])
        if self._follow and not any(name in self._follow for name in names):
            return False
        return not any(name in self._ignore for name in names)


def _names(given: Iterable[str]) -> frozenset[str]:
    names = [name.strip() for entry in given for name in entry.split(",")]
    for name in names:
        if not _TAG.fullmatch(name):
            raise BadInput(f"{name!r} is no element of a page; one looks like a, img, or img/src")
    return frozenset(name.lower().replace("/@", "/") for name in names)
