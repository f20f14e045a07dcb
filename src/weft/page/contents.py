"""What a response holds that is neither a redirect nor a sitemap: a page, a feed, a style sheet, a manifest.

    a page that fits into a tree    at once                    parse.html
    a larger one                    by the scanner, in parts   parse.long_page
                                    without a scanner, the tree of its beginning
    anything else                   its first MAX_TREE_BYTES

Whatever is not read is said: `unread`. The same body has the same links whether it came plain or packed, in chunks or
not, and whether it is read from memory, from a spool file or from the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

import msgspec

from weft.fetch import decode_response
from weft.fetch.codings import COSTLY, OVER_LIMIT, Flawed
from weft.media import FIRST_BYTES, Medium, may_lead, medium_of
from weft.media.medium import PAGE
from weft.page.bodies import body_pieces
from weft.page.large_pages import LARGE_BYTES, MAX_TREE_BYTES, MIB, LargePage, fits_a_tree
from weft.parse import PARSERS, LongPage, ParsedPage, has_scanner, parse_html, parse_script
from weft.parse.scan import Skipped
from weft.types import Fetched, Unread

Contents = ParsedPage | LongPage

SHOW_LIFE_EVERY_BYTES = 2 * MIB


def read_contents(
    fetched: Fetched,
    content_type: str | None,
    agent: str = "weft",
    *,
    embeds: bool = True,
    needs_first: bool = False,
    left_out: Container[Medium] = (),
    may_be_large: bool = True,
    keep_text: bool = False,
    notes: bool = False,
    via: str = "",
    skipped: Skipped | None = None,
    show_life: Callable[[], None] = lambda: None,
) -> Contents | None:
    """Read a response; None if it leads nowhere. LargePage if it turns out to be one and must not.

    `show_life` is called every few megabytes of a page that is read in parts. With `keep_text` a page that is not has
    its decoded text. `via` is the page that it was found on. With `notes` a page has what its links say, and what it
    says of itself. Of the links that are `skipped`, some or all are left out.
    """
    if not fetched.body_bytes or not may_lead(content_type):
        return None
    body, flaw = decode_response(fetched, MAX_TREE_BYTES)
    medium = medium_of(content_type, body[:FIRST_BYTES])
    if flaw is COSTLY and (medium is None or not body):
        return ParsedPage("", "", fetched.url, {}, None, False, False, False, Unread.COSTLY)
    if medium is None or medium in left_out:
        return None
    if len(body) > LARGE_BYTES and not may_be_large:
        raise LargePage
    has_more = flaw is OVER_LIMIT or fetched.archived is not None
    if medium is not PAGE:
        if medium in (Medium.SCRIPT, Medium.DATA):
            return parse_script(body, fetched.url, content_type, fetched.headers, agent, via)
        page = PARSERS[medium](body, fetched.url, content_type, fetched.headers, agent)
        if flaw is COSTLY:
            return _cut(page, Unread.COSTLY, len(body))
        return _cut(page, Unread.TOO_LARGE, len(body)) if has_more else page
    fits = not has_more and fits_a_tree(body)
    if not fits and has_scanner():
        pieces = _Pieces(fetched, None if has_more else body, show_life)
        long_page = LongPage(
            pieces,
            fetched.url,
            content_type,
            fetched.headers,
            agent,
            embeds=embeds,
            needs_first=needs_first,
            notes=notes,
        )
        if pieces.are_costly or flaw is COSTLY:
            long_page.unread = Unread.COSTLY
        return long_page
    if not fits:
        body = _beginning(body)
    page = parse_html(
        body,
        fetched.url,
        content_type,
        fetched.headers,
        agent,
        embeds=embeds,
        needs_first=needs_first,
        keep_text=keep_text,
        notes=notes,
        skipped=skipped,
    )
    if flaw is COSTLY:
        return _cut(page, Unread.COSTLY, len(body))
    return page if fits else _cut(page, Unread.NO_SCANNER, len(body))


class _Pieces:
    """A body in pieces, from its beginning whenever it is called; it shows life on the way."""

    def __init__(self, fetched: Fetched, whole: bytes | None, show_life: Callable[[], None]) -> None:
        self._fetched = fetched
        self._whole = whole
        self._show_life = show_life
        self.are_costly = False  # they ended where decoding takes work and yields nothing

    def __call__(self) -> Iterator[bytes]:
        seen_bytes = 0
        try:
            for piece in body_pieces(self._fetched) if self._whole is None else (self._whole,):
                yield piece
                seen_bytes += len(piece)
                if seen_bytes > SHOW_LIFE_EVERY_BYTES:
                    self._show_life()
                    seen_bytes = 0
        except Flawed:
            self.are_costly = True


def _beginning(body: bytes) -> bytes:
    """As much of a body as fits into a tree."""
    while not fits_a_tree(body):
        body = body[: len(body) // 2]
    return body


def _cut(page: ParsedPage, unread: Unread, read_bytes: int) -> ParsedPage:
    return msgspec.structs.replace(page, unread=unread, links_read_bytes=read_bytes)
