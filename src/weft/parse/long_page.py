"""A page too large for a tree, and for memory: read in windows by the scanner alone.

    body, in pieces ──▶ 1. its charset
                    ──▶ 2. what its head says, how far it is read, and whether a tree would have been asked
                    ──▶ 3. its links, window by window

It is gone through three times, because a base or a robots directive may stand anywhere, and a megabyte goes by in a few
milliseconds. What is held is a window, or the tag, comment or script that does not end in it. Where the walk is not
sure of itself it goes on all the same, and the page is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from weft.parse.charset.in_pieces import charset_in_pieces, utf8_pieces
from weft.parse.html import refresh_headers, take_xml_styles
from weft.parse.page_facts import FactTaker
from weft.parse.page_links import PageLinks
from weft.parse.parsed_page import ParsedPage
from weft.parse.robots_directives import robots_directives
from weft.parse.scan import page_scanner, title_of_scan
from weft.parse.tree import read_metas
from weft.types import Unread
from weft.url import LinkResolver

if TYPE_CHECKING:
    from weft.parse._scan import Page, Scanner

MIB: Final = 1024 * 1024
MAX_PAGE_BYTES: Final = 256 * MIB
MAX_PAGE_LINKS: Final = 5_000_000  # and styles, and whatever else takes time: some 10 µs each
MAX_TAG_BYTES: Final = 32 * MIB  # with the text of a script; a picture within a page is one
MAX_EMBEDDED_CHARS: Final = 1 * MIB  # of JSON-LD, and of each page within the page, which may take a tree
MAX_METAS: Final = 1_000
WINDOW_BYTES: Final = 1 * MIB

Pieces = Callable[[], Iterable[bytes]]  # of the body, from its beginning each time


class LongPage:
    """What a page says of itself. Its links come part by part; those of one part are each there once.

    As for `parse_html`; without a scanner there is no way to read such a page.
    """

    def __init__(
        self,
        pieces: Pieces,
        url: str,
        content_type: str | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
        agent: str = "weft",
        *,
        embeds: bool = True,
        needs_first: bool = False,
        notes: bool = False,
    ) -> None:
        self._pieces = pieces
        self._url = url
        self._embeds = embeds
        self._needs_first = needs_first
        self._notes = notes
        windows = islice(in_windows(pieces()), MAX_PAGE_BYTES // WINDOW_BYTES)
        self.charset = charset_in_pieces(windows, content_type)
        self.title = ""
        self._refreshes: list[str] = []
        base: str | None = None
        named: list[tuple[str, str]] = []
        way = self._way()
        taker = FactTaker() if notes else None
        for page in way.pages():
            if taker is not None:
                taker.take_scan(page)
            self.title = self.title or title_of_scan(page)
            base = page.base if base is None else base
            if page.metas and len(named) < MAX_METAS:
                more, refreshes = read_metas(page.metas[:MAX_METAS])
                named += more
                self._refreshes += refreshes
        self._refreshes += refresh_headers(headers)
        self._resolver = self._links().based(base, LinkResolver(url, self.charset))
        self.base = self._resolver.url
        self.facts = taker.facts(url, self._resolver, named, headers) if taker is not None else None
        self.nofollow, self.noindex, self.noarchive = robots_directives(headers, named, agent)
        self.unread = way.unread
        self.links_read_bytes = way.read_bytes

    def parts(self) -> Iterator[ParsedPage]:
        """The page with the links of one part, and of the next, and so on; at least one part."""
        links = self._links()
        links.take_refreshes(self._refreshes, self._resolver)
        if self._embeds:
            start = next(utf8_pieces(in_windows(self._pieces()), self.charset))
            if start.startswith(b"<?xml"):
                take_xml_styles(links, start.decode(), LinkResolver(self._url, self.charset))
        for page in self._way().pages():
            links.take_scanned(page, self._resolver)
            del page  # and its window
            yield self._part(links)
            links.begin_part()

    def _part(self, links: PageLinks) -> ParsedPage:
        return ParsedPage(
            self.title,
            self.charset,
            self.base,
            links.places_but(self._url),
            links.vouched,
            self.nofollow,
            self.noindex,
            self.noarchive,
            self.unread,
            self.links_read_bytes,
            said=links.said_but(self._url),
            facts=self.facts,
        )

    def _links(self) -> PageLinks:
        return PageLinks(self.charset, self._embeds, needs_first=self._needs_first, notes=self._notes)

    def _way(self) -> _Way:
        scanner = page_scanner(self._embeds, self._notes)
        if scanner is None:
            raise RuntimeError("the scanner was not built")
        return _Way(scanner, self._pieces(), self.charset)


class _Way:
    """One way through a page: what each window holds, how far it goes, and what is left out."""

    def __init__(self, scanner: Scanner, pieces: Iterable[bytes], charset: str) -> None:
        self._scanner = scanner
        self._pieces = pieces
        self._charset = charset
        self._links_left = MAX_PAGE_LINKS
        self._ended: Unread | None = None
        self._is_sure = True
        self.read_bytes = 0

    @property
    def unread(self) -> Unread | None:
        """What may be missing, once all is read."""
        is_sure = self._is_sure and not self._scanner.doubts
        return self._ended or (None if is_sure else Unread.NO_TREE)

    def pages(self) -> Iterator[Page]:
        """What each window holds."""
        data = b""
        wanted_bytes = WINDOW_BYTES
        for text in chain(utf8_pieces(self._windows(), self._charset), (None,)):
            data += text or b""
            if text is not None and len(data) < wanted_bytes:
                continue
            page, done_bytes = self._scanner.feed(data, text is None)
            data = data[done_bytes:]
            wanted_bytes = max(WINDOW_BYTES, 2 * len(data))  # what does not end yet is looked at again
            self._leave_out_long_texts(page)
            self._links_left -= _weight(page)
            yield page
            if self._links_left <= 0 and text is not None:
                self._ended = Unread.TOO_MANY_LINKS
                return
            if len(data) > MAX_TAG_BYTES:
                self._ended = Unread.LONG_TAG
                self.read_bytes -= len(data)
                return

    def _windows(self) -> Iterator[bytes]:
        """The body in windows that do not depend on how it came: nor does what is read of it."""
        for window in in_windows(self._pieces):
            if self.read_bytes == MAX_PAGE_BYTES:
                self._ended = Unread.TOO_LARGE
                return
            self.read_bytes += len(window)
            yield window

    def _leave_out_long_texts(self, page: Page) -> None:
        for texts in (page.scripts, page.srcdocs):
            if texts and max(map(len, texts)) > MAX_EMBEDDED_CHARS:
                texts[:] = [text for text in texts if len(text) <= MAX_EMBEDDED_CHARS]
                self._is_sure = False


def in_windows(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in windows of equal size; the last one may be shorter."""
    held: list[bytes] = []
    size_bytes = 0
    for piece in pieces:
        held.append(piece)
        size_bytes += len(piece)
        if size_bytes < WINDOW_BYTES:
            continue
        data = b"".join(held)
        whole = size_bytes - size_bytes % WINDOW_BYTES
        for start in range(0, whole, WINDOW_BYTES):
            yield data[start : start + WINDOW_BYTES]
        held = [data[whole:]]
        size_bytes -= whole
    if size_bytes:
        yield b"".join(held)


def _weight(page: Page) -> int:
    lists = (page.metas, page.styles, page.lazies, page.scripts, page.srcdocs)
    return page.link_count + sum(len(found) for found in lists if found)
