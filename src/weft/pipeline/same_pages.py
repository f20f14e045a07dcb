"""Sites that answer every path with the same page: its relative links lead one folder deeper, without end.

    /                        the page: about/ news/ shop/ …
    /about/                  the same, byte for byte, found there
    /about/news/             the same, found on that: what it links to in its own folder is a trap …
    /about/news/shop/        … but one link of it, which is followed to see

Nothing is told by the URL, which may be honest; nor by two pages: a manual may have a copy in a folder of its own.
Three of them, each found on the one before and in a folder below it, are no copies any more. Redirects between them
count for nothing, nor does the same page under another name in the same folder, as what a page needs may be there. A
page that says anything of its own address is not the same, and is not told.

Honest folders may be nested so, too: `0/ 1/ … f/`, three times, and files in the last ones. So one link of such a page
is followed. If something else is found there, the page is marked, and its links are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from weft.filter.folders import folder_of, is_below, may_be_below
from weft.filter.traps import SAME_PAGE
from weft.folder.history import History
from weft.seen import Seen
from weft.state import Batch, State
from weft.types import FoundLink, Kind, Link, PageRow, Refusal, RefusedLink
from weft.url import url_id

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

SAME_IN_A_ROW: Final = 3
MOST_BETWEEN: Final = 6  # on the way up from one to the next: redirects, other names
MOST_DIGESTS: Final = 10_000
_HONEST: Final = b"s"  # the beginning of keys, in `traps`

PageOf = Callable[[bytes], PageRow | None]  # a page's row, by its id


class SamePages:
    """Keeps back the links of pages that are everywhere."""

    def __init__(
        self, ledger: Ledger, state: State, seen: Seen, traps: frozenset[str], note: Callable[[Link, Refusal], None]
    ) -> None:
        self._ledger = ledger
        self._state = state
        self._before = History(state)  # of what an update has not asked for yet
        self._seen = seen
        self._is_rule = SAME_PAGE in traps
        self._note = note  # told of each link that is kept back
        # Of pages that came three times in a row. Filled by them, emptied when full; bound: MOST_DIGESTS.
        self._everywhere: set[str] = set()

    def wanted(self, batch: Batch, page: PageRow | None, links: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """The links of a page that may be taken up: all of nearly every page."""
        if page is None or not self._is_rule:
            return links
        is_told = may_be_below(page.url, page.via, page.redirects) or page.digest in self._everywhere
        if not is_told or (above := page_above(page, self._page_of)) is None:
            return links
        if above.digest != page.digest:
            if 200 <= page.status < 300 and same_in_a_row(above, self._page_of) >= SAME_IN_A_ROW:
                self._take_up(batch, above)
            return links
        same = same_in_a_row(page, self._page_of)
        if same < SAME_IN_A_ROW or self._state.get("traps", _key(page)) is not None:
            return links
        if len(self._everywhere) >= MOST_DIGESTS:
            self._everywhere.clear()
        self._everywhere.add(page.digest)
        links = list(links)
        deeper = {one.id: one for one in links if leads_deeper(page, one)}
        if same == SAME_IN_A_ROW and deeper:
            del deeper[_one_to_see(page, deeper)]
        deeper = {one.id: one for one in deeper.values() if self._seen.depth(one.id) is None}
        refused = [RefusedLink(one.id, one.host, one.link, Refusal.TRAP, SAME_PAGE) for one in deeper.values()]
        for one in refused:
            self._note(one.link, Refusal.TRAP)
        self._ledger.list_refused(batch, refused)
        return [one for one in links if one.id not in deeper]

    def _take_up(self, batch: Batch, page: PageRow) -> None:
        """Below a page that was the same as those above it is something else after all."""
        if self._state.get("traps", _key(page)) is None:
            batch.put("traps", _key(page), b"")
            self._ledger.rereads.add(batch, url_id(page.url))

    def _page_of(self, url_id: bytes) -> PageRow | None:
        return self._ledger.page(url_id) or self._before.page(url_id)


def page_above(page: PageRow, page_of: PageOf) -> PageRow | None:
    """The page on which another one was found, if that lies in a folder below it."""
    above, folder = page, folder_of(page.url)
    for _ in range(1 + MOST_BETWEEN):
        if not above.via or not (above.redirects or folder.startswith(folder_of(above.via))):
            return None
        found = page_of(url_id(above.via))
        if found is None:
            return None
        is_other_name = found.digest == page.digest and folder_of(found.url) == folder
        if not is_other_name and not 300 <= found.status < 400:
            return found if is_below(page.url, found.url) else None
        above = found
    return None


def same_in_a_row(page: PageRow, page_of: PageOf) -> int:
    """How many times a page comes one above the other, up to one more than are told."""
    count = 1
    while count <= SAME_IN_A_ROW and (above := page_above(page, page_of)) is not None:
        if not page.digest or above.digest != page.digest:
            break
        page = above
        count += 1
    return count


def leads_deeper(page: PageRow, found: FoundLink) -> bool:
    """Whether a link leads into the page's own folder. What a page needs to look right is spared; so is where its head
    may say to go on, which differs though the page does not.
    """
    spared = (Kind.EMBED, Kind.REFRESH)
    return found.link.kind not in spared and found.link.url.startswith(folder_of(page.url))


def _one_to_see(page: PageRow, deeper: dict[bytes, FoundLink]) -> bytes:
    """The link that is followed: always the same one, in a folder below if there is any."""
    here = folder_of(page.url)
    return min(deeper, key=lambda one: (folder_of(deeper[one].link.url) == here, one))


def _key(page: PageRow) -> bytes:
    return _HONEST + url_id(page.url)
