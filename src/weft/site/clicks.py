"""How many clicks a page is away from the seeds, by its links; a redirect costs none.

The depth of a page's row says by which way it was found first, which need not be the shortest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from weft.folder.refused_list import Rows
from weft.folder.site_rows import rows_of
from weft.site.link_rows import Marks, decode_marks, ways_of
from weft.site.pages import HTML, SEED, Pages

UNREACHED: Final = 255
MOST_CLICKS: Final = 254
# Of a level smaller than this share of the pages, each row is asked for; of a larger one all rows are read in order.
_SMALL_SHARE: Final = 1 / 16


def clicks_of(database: Rows, pages: Pages, leads_to: Mapping[int, int | str]) -> bytearray:
    """Clicks of each visited URL; UNREACHED where no link leads."""
    clicks = bytearray([UNREACHED]) * len(pages)
    unreached = set(pages.nodes())
    level = {pages.node(number) for number, flags in enumerate(pages.flags) if flags & SEED}
    for number in range(MOST_CLICKS):
        level |= _redirected(level, pages, leads_to)
        level &= unreached
        if not level:
            break
        unreached -= level
        sources: set[bytes] = set()  # only pages have links to click on: no feed, sitemap or error page
        for node in level:
            page = pages.find(node)
            clicks[page] = number
            if pages.flags[page] & HTML:
                sources.add(node)
        level = set()
        for ways in _ways_from(database, sources, len(pages)):
            level |= unreached.intersection(ways)
    return clicks


def _redirected(level: set[bytes], pages: Pages, leads_to: Mapping[int, int | str]) -> set[bytes]:
    """Where redirects among these nodes lead."""
    found: set[bytes] = set()
    if not leads_to:
        return found
    for node in level:
        at: int | str = pages.find(node)
        while isinstance(at, int) and at in leads_to:
            at = leads_to[at]
            if not isinstance(at, int) or (node := pages.node(at)) in found:
                break
            found.add(node)
    return found


def _ways_from(database: Rows, sources: set[bytes], pages: int) -> Iterator[list[bytes]]:
    if len(sources) > pages * _SMALL_SHARE:
        for node, edges, row in rows_of(database, decode_marks, Marks()):
            if node in sources:
                yield ways_of(edges, row.marks)
        return
    for node in sources:
        if edges := database.get("graph", node) or b"":
            links = database.get("links", node)
            yield ways_of(edges, decode_marks(links).marks if links is not None else b"")


def pages_by_clicks(pages: Pages, clicks: bytearray) -> dict[int, int]:
    """How many HTML pages are this far away."""
    counts: dict[int, int] = {}
    for flags, away in zip(pages.flags, clicks, strict=True):
        if flags & HTML:
            counts[away] = counts.get(away, 0) + 1
    return counts
