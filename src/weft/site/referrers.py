"""Who refers to what: for each subject of a finding the pages that link to it, 8 bytes a link.

The pages of a subject are a chain: each has the place of the one that was found before it. What stands on such a page,
anchor and rel, is read again where it is shown.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
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
        self._counts = array("I", bytes(4 * pages.subjects))
        self._last = array("I", bytes(4 * pages.subjects))  # the place of a subject's last referrer; 0: it has none
        self._pages_of = array("I", [0])
        self._before = array("I", [0])
        for subject, page, mark in self._each(told):
            self._counts[subject] += 1
            self._pages_of.append(page)
            self._before.append(self._last[subject])
            self._last[subject] = len(self._before) - 1
            if is_way(mark):
                self.ways[subject] |= REDIRECTED if pages.is_redirect(page) else LINKED
        self._links_of_page = lru_cache(PAGES_AT_ONCE)(self._read_links)

    def count(self, subject: int) -> int:
        """How many pages refer to a subject."""
        return self._counts[subject]

    def of(self, subject: int, most: int | None = None) -> Iterator[Referrer]:
        """The pages that do, the first ones."""
        node, url = self._pages.node(subject), self._pages.url(subject)
        for page in islice(self._chain(subject), most):
            links = self._links_of_page(page)
            mark, anchor = links.get(node) or links.get(url) or (0, "")
            yield Referrer(self._pages.url(page), anchor, kind_of(mark), rel_of(mark))

    def _chain(self, subject: int) -> Iterator[int]:
        at = self._last[subject]
        while at:
            yield self._pages_of[at]
            at = self._before[at]

    def _each(self, told: Callable[[str, int], None]) -> Iterator[tuple[int, int, int]]:
        """Subject, page that refers to it, and the mark of that link."""
        pages, about, named = self._pages, self._about, self._named
        for number, (node, edges, row) in enumerate(self._rows()):
            if not number & 4095:
                told("Finding referrers", number)
            targets = targets_of(edges)
            if hits := [at for at, target in enumerate(targets) if target in about]:
                page = pages.find(node)
                marks = row.marks if len(row.marks) == len(targets) else bytes(len(targets))
                for at in hits:
                    if (subject := about[targets[at]]) != page != NOWHERE:
                        yield subject, page, marks[at]
            if named and isinstance(row, _Outside) and row.outside and (page := pages.find(node)) != NOWHERE:
                for link in row.outside:
                    if (subject := named.get(link.url, NOWHERE)) != NOWHERE and not link.mark & IN_GRAPH:
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
