"""Ids of which only the pages themselves can tell that they name a session, and not the page.

`/article?sid=0f3a…` may be an article, and a thousand of them a newspaper. It may also be the same page for every
visitor under an id of his own, and then it has no end. The URL does not say which. So pages are compared: when eight
ids in a row gave the same title, the same links (ids aside) and nearly the same number of bytes, the ninth is refused.
One page that is different, and the id names pages for good.

What was in the queue by then is still fetched: a trap of ten pages ends after about a thousand requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

IDS_TO_TELL: Final = 8
REMEMBERED_PAGES: Final = 10_000  # two generations of this size
_NEARLY: Final = 20  # the same size: up to a twentieth more or less

_MAYBE_SESSION_ID = re.compile(
    r"(?<=[?&;])(?:sid|sess|sessid|session|session[_-]?id|phpsessid)=[\w-]{8,}", re.IGNORECASE
)


class _Alike(msgspec.Struct, gc=False):
    """What is the same on all visits of a page so far."""

    look: int
    size_bytes: int
    ids: set[int]
    differs: bool = False


class SamePages:
    """Remembers what pages under such ids were like."""

    def __init__(self) -> None:
        self._young: dict[int, _Alike] = {}
        self._old: dict[int, _Alike] = {}
        self._told: set[int] = set()  # pages whose ids make no difference

    def learn(self, url: str, title: str, links: Iterable[str], size_bytes: int) -> None:
        """A page has come."""
        found = _maybe_session_id(url)
        if found is None:
            return
        page = _without(url, found)
        look = hash((title, *(_MAYBE_SESSION_ID.sub("", link) for link in links)))
        alike = self._young.get(page) or self._old.get(page)
        if alike is None:
            alike = _Alike(look, size_bytes, set())
        if look != alike.look or abs(size_bytes - alike.size_bytes) * _NEARLY > alike.size_bytes:
            alike.differs = True
        if len(alike.ids) < IDS_TO_TELL:
            alike.ids.add(hash(found[0]))
        if alike.differs:
            self._told.discard(page)
        elif len(alike.ids) == IDS_TO_TELL:
            self._told.add(page)
        self._remember(page, alike)

    def is_told(self, url: str) -> bool:
        """Whether the page is known to be the same under any id."""
        if not self._told:
            return False  # in nearly every crawl
        found = _maybe_session_id(url)
        return found is not None and _without(url, found) in self._told

    def _remember(self, page: int, alike: _Alike) -> None:
        self._young[page] = alike
        if len(self._young) >= REMEMBERED_PAGES:
            self._told.intersection_update(self._young)
            self._old = self._young
            self._young = {}


def _maybe_session_id(url: str) -> re.Match[str] | None:
    return _MAYBE_SESSION_ID.search(url) if "=" in url else None


def _without(url: str, found: re.Match[str]) -> int:
    return hash(url[: found.start()] + url[found.end() :])
