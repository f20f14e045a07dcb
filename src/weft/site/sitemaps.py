"""Sitemaps against links: pages that only a sitemap names, and pages that no sitemap does."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

from weft.site.findings import FindingKind
from weft.site.found import Found
from weft.site.pages import CANDIDATE, HTML, NOWHERE, SEED, Pages


class SitemapCheck:
    """Hears what each sitemap names, then what each page links to."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._named: set[bytes] = set()
        self._unlinked: set[bytes] = set()
        self._hosts: set[str] = set()

    def sitemap(self, number: int, targets: Iterable[bytes]) -> None:
        """A sitemap names these nodes."""
        self._named.update(targets)
        self._hosts.add(self._pages.host(number))

    def begin_links(self) -> bool:
        """All sitemaps were heard; whether there are any."""
        self._unlinked = set(self._named)
        return bool(self._named)

    def links(self, node: bytes, targets: Iterable[bytes]) -> None:
        """A page links to these; to itself does not count."""
        is_unlinked = node in self._unlinked
        self._unlinked.difference_update(targets)
        if is_unlinked:
            self._unlinked.add(node)

    def judge(self, found: Found) -> None:
        """All pages were heard."""
        pages = self._pages
        for node in sorted(self._unlinked):
            number = pages.find(node)
            if number != NOWHERE and pages.flags[number] & HTML and not pages.flags[number] & SEED:
                found.add(FindingKind.ORPHAN_PAGE, number, "only a sitemap names it")
        candidates = (flags & CANDIDATE for flags in pages.flags)
        for number in compress(range(len(pages)), candidates) if self._named else ():
            if pages.node(number) not in self._named and pages.host(number) in self._hosts:
                found.add(FindingKind.SITEMAP_MISSING, number, "no sitemap names it")
