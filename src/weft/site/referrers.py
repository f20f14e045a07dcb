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
from weft.folder.site_rows import decode_links, links_of, rows_of, targets_of
from weft.page.link_marks import PLACE_BITS, Place, kind_of, rel_of
from weft.site.findings import Referrer
from weft.site.link_rows import Marks, decode_marks
from weft.site.pages import NOWHERE, Pages
from weft.types import OutsideLink

LINKED: Final = 1  # a page has a link to it that a visitor can follow, or a sitemap names it
REDIRECTED: Final = 2  # a redirect leads to it
PAGES_AT_ONCE: Final = 2_000  # whose links are kept while referrers are shown


class _Outside(msgspec.Struct, array_like=True, gc=False):
    """What of a `LinkNotes` is needed."""

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
        self._note_all(told)
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

    def _note_all(self, told: Callable[[str, int], None]) -> None:
        # Millions of links may come through here: what is asked of each is little, and no call.
        pages, about, named, ways = self._pages, self._about, self._named, self.ways
        counts, last, pages_of, before = self._counts, self._last, self._pages_of, self._before
        for number, (node, edges, row) in enumerate(self._rows()):
            if not number & 4095:
                told("Finding referrers", number)
            targets = targets_of(edges)
            marks = row.marks if len(row.marks) == len(targets) else bytes(len(targets))
            hits = [(about[target], mark) for target, mark in zip(targets, marks, strict=True) if target in about]
            if named and isinstance(row, _Outside):
                hits += [(named[link.url], link.mark) for link in row.outside if link.url in named]
            if not hits or (page := pages.find(node)) == NOWHERE:
                continue
            way = REDIRECTED if pages.is_redirect(page) else LINKED
            for subject, mark in hits:
                if subject != page:
                    counts[subject] += 1
                    before.append(last[subject])
                    last[subject] = len(pages_of)
                    pages_of.append(page)
                    if mark & PLACE_BITS != Place.RELATION:
                        ways[subject] |= way

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
