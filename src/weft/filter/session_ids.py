"""The same page under one session id after another.

An id in the URL cannot be cut off: the canonical URL is what the server is asked for, and some answer nothing
without one. One id is no trap either; it is a site without cookies. What has no end is a server that gives out a new
id for every visit, so that each page comes back under a new name. A page is therefore refused only when it was
let pass under three other ids before, not deeper than now. Three and not one, because an id expires, or is exchanged by
a redirect, and then the first URL leads nowhere.
"""

from __future__ import annotations

import re
from typing import Final

MAX_IDS_OF_A_PAGE: Final = 3
REMEMBERED_PAGES: Final = 20_000  # two generations of this size

# `sid` alone in a query may name the page itself: it counts only beside other arguments.
_SESSION_ID = re.compile(
    r"[;?&](?:jsessionid|phpsessid|aspsessionid[a-z]*|oscsid|zenid)=[^&;/?]{10,}"
    r"|[?&]cfid=[^&]+&cftoken=[^&]+"
    r"|(?<=\?)sid=[0-9a-f]{32}&|&sid=[0-9a-f]{32}(?=&|\Z)"
    r"|/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=/)",  # ASP.NET: /(S(…))/page.aspx
    re.IGNORECASE,
)


_Passes = tuple[tuple[int, int], ...]  # the nearest ones: depth, hash of the id


def _has_sign(url: str) -> bool:
    """Whether there may be an id: quicker than to look for the whole of one."""
    return "sid=" in url or "sessionid" in url or "zenid=" in url or "cftoken=" in url or "(s(" in url


class SessionPages:
    """Remembers under which ids a page was let pass."""

    def __init__(self) -> None:
        self._young: dict[int, _Passes] = {}
        self._old: dict[int, _Passes] = {}

    def is_known_under_others(self, url: str, depth: int) -> bool:
        """Whether the page passed often enough under other ids; if not, it has passed under this one now."""
        if not _has_sign(url.lower()):
            return False
        found = _SESSION_ID.search(url)
        if found is None:
            return False
        page = hash(url[: found.start()] + url[found.end() :])
        session = hash(found[0])
        passes = self._young.get(page) or self._old.get(page, ())
        near = [known for at_depth, known in passes if at_depth <= depth]
        if session in near:
            return False
        if len(near) >= MAX_IDS_OF_A_PAGE:
            return True
        self._remember(page, (*passes, (depth, session)))
        return False

    def _remember(self, page: int, passes: _Passes) -> None:
        self._young[page] = tuple(sorted(passes)[:MAX_IDS_OF_A_PAGE])
        if len(self._young) >= REMEMBERED_PAGES:
            self._old = self._young
            self._young = {}
