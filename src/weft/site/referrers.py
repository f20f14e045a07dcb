"""Who refers to what: for each subject of a finding the pages that link to it, 4 bytes a link.

    one pass counts, so that each subject's place is known; the next one writes the pages down

What stands on such a page, anchor and rel, is read again where it is shown.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Final

import msgspec

from weft.folder.refused_list import Rows
from weft.folder.site_rows import decode_links, links_of, targets_of
from weft.page.link_marks import IN_GRAPH, kind_of, rel_of
from weft.site.findings import Referrer
from weft.site.link_rows import Marks, decode_marks, is_way, rows_of
from weft.site.pages import NOWHERE, Pages
from weft.types import OutsideLink

LINKED: Final = 1  # a page has a link to it that a visitor can follow, or a sitemap names it
REDIRECTED: Final = 2  # a redirect leads to it
PAGES_AT_ONCE: Final = 2_000  # whose links are kept while referrers are shown


class _Outside(msgspec.Struct, array_like=True, gc=False):
    """What of a `PageLinks` is needed."""

    marks: bytes = b""
    anchors: msgspec.Raw = msgspec.Raw()
    outside: list[OutsideLink] = []


_decode_outside = msgspec.msgpack.Decoder(_Outside).decode


class Referrers:
    """Of these subjects; `named` are those among them that only links out of the crawl have, by URL."""

    def __init__(
        self,
        database: Rows,
        pages: Pages,
        subjects: Iterable[int],
        named: Mapping[str, int],
        told: Callable[[str, int], None],
    ) -> None:
        self._database = database
        self._pages = pages
        self._named = named
        self._about = {pages.node(subject): subject for subject in subjects}
        self.ways = bytearray(pages.subjects)  # LINKED, REDIRECTED
        counts = array("Q", bytes(8 * (pages.subjects + 1)))
        for subject, page, mark in self._each("Counting referrers", told):
            counts[subject + 1] += 1
            if is_way(mark):
                self.ways[subject] |= REDIRECTED if pages.is_redirect(page) else LINKED
        self._starts = array("Q", accumulate(counts))
        self._sources = array("I", bytes(4 * self._starts[-1]))
        fill = array("Q", self._starts)
        for subject, page, _ in self._each("Noting referrers", told):
            self._sources[fill[subject]] = page
            fill[subject] += 1
        self._links_of_page = lru_cache(PAGES_AT_ONCE)(self._read_links)

    def count(self, subject: int) -> int:
        """How many pages refer to a subject."""
        return self._starts[subject + 1] - self._starts[subject]

    def of(self, subject: int, most: int | None = None) -> Iterator[Referrer]:
        """The pages that do, the first ones."""
        start, stop = self._starts[subject], self._starts[subject + 1]
        node, url = self._pages.node(subject), self._pages.url(subject)
        for at in range(start, stop if most is None else min(stop, start + most)):
            page = self._sources[at]
            links = self._links_of_page(page)
            mark, anchor = links.get(node) or links.get(url) or (0, "")
            yield Referrer(self._pages.url(page), anchor, kind_of(mark), rel_of(mark))

    def _each(self, stage: str, told: Callable[[str, int], None]) -> Iterator[tuple[int, int, int]]:
        """Subject, page that refers to it, and the mark of that link."""
        pages, about, named = self._pages, self._about, self._named
        for number, (node, edges, row) in enumerate(self._rows()):
            if not number & 4095:
                told(stage, number)
            targets = targets_of(edges)
            if not about.keys().isdisjoint(targets) and (page := pages.find(node)) != NOWHERE:
                marks = row.marks if len(row.marks) == len(targets) else bytes(len(targets))
                for target, mark in zip(targets, marks, strict=True):
                    if (subject := about.get(target)) is not None and subject != page:
                        yield subject, page, mark
            if named and isinstance(row, _Outside) and row.outside and (page := pages.find(node)) != NOWHERE:
                for link in row.outside:
                    if (subject := named.get(link.url)) is not None and not link.mark & IN_GRAPH:
                        yield subject, page, link.mark

    def _rows(self) -> Iterator[tuple[bytes, bytes, _Outside | Marks]]:
        if self._named:
            return rows_of(self._database, _decode_outside, _Outside())
        return rows_of(self._database, decode_marks, Marks())

    def _read_links(self, page: int) -> dict[bytes | str, tuple[int, str]]:
        node = self._pages.node(page)
        row = self._database.get("links", node)
        if row is None:
            return {}
        links = decode_links(row)
        found: dict[bytes | str, tuple[int, str]] = {link.url: (link.mark, link.anchor) for link in links.outside}
        edges = self._database.get("graph", node) or b""
        return found | {target: (mark, anchor) for target, mark, anchor in links_of(edges, links)}
