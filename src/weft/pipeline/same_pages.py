"""Sites that answer every path with the same page: its relative links lead one folder deeper, without end.

    /                        the page: about/ news/ shop/ …
    /about/                  the same, byte for byte, found there
    /about/news/             the same, found on that: what it links to in its own folder is a trap
    /about/news/shop/

Nothing is told by the URL, which may be honest; nor by two pages: a manual may have a copy in a folder of its own.
Three of them, each found on the one before and in a folder below it, are no copies any more. Redirects between them
count for nothing. A page that says anything of its own address is not the same, and is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from weft.filter.traps import SAME_PAGE
from weft.folder.history import History
from weft.seen import Seen
from weft.state import Batch, State
from weft.types import FoundLink, Kind, Link, PageRow, Refusal, RefusedLink
from weft.url import url_id

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

SAME_IN_A_ROW: Final = 3
MOST_REDIRECTS: Final = 6  # on the way up


class SamePages:
    """Keeps back the links of pages that are everywhere."""

    def __init__(
        self, ledger: Ledger, state: State, seen: Seen, traps: frozenset[str], note: Callable[[Link, Refusal], None]
    ) -> None:
        self._ledger = ledger
        self._before = History(state)  # of what an update has not asked for yet
        self._seen = seen
        self._is_rule = SAME_PAGE in traps
        self._note = note  # told of each link that is kept back

    def wanted(self, batch: Batch, page: PageRow | None, links: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """The links of a page that may be taken up: all of nearly every page."""
        if page is None or not self._is_rule or not is_same_as_above(page, self._page_of):
            return links
        links = list(links)
        deeper = {one.id: one for one in links if leads_deeper(page, one) and self._seen.depth(one.id) is None}
        refused = [RefusedLink(one.id, one.host, one.link, Refusal.TRAP, SAME_PAGE) for one in deeper.values()]
        for one in refused:
            self._note(one.link, Refusal.TRAP)
        self._ledger.list_refused(batch, refused)
        return [one for one in links if one.id not in deeper]

    def _page_of(self, url_id: bytes) -> PageRow | None:
        return self._ledger.page(url_id) or self._before.page(url_id)


def is_same_as_above(page: PageRow, page_of: Callable[[bytes], PageRow | None]) -> bool:
    """Whether a page is that on which it was found, once more, and so is that one; `page_of` has rows by their ids."""
    lowest, above, same = page, page, 1
    for _ in range(SAME_IN_A_ROW + MOST_REDIRECTS):
        if not page.digest or not above.via or not _is_below(lowest.url, above.via):
            return False
        found = page_of(url_id(above.via))
        if found is None:
            return False
        above = found
        if 300 <= above.status < 400:
            continue
        same += 1
        if above.digest != page.digest or same == SAME_IN_A_ROW:
            return above.digest == page.digest
        lowest = above
    return False


def leads_deeper(page: PageRow, found: FoundLink) -> bool:
    """Whether a link leads into the page's own folder; what a page needs to look right is spared."""
    return found.link.kind is not Kind.EMBED and found.link.url.startswith(_folder(page.url))


def _is_below(url: str, other: str) -> bool:
    above = _folder(other)
    return url.startswith(above) and "/" in url[len(above) :].partition("?")[0]


def _folder(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[0] + "/"
