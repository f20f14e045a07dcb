"""A process that reads pages again from the archive for their links: `reread_links` starts it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from weft.config import CrawlConfig
from weft.folder.archived import read_archived
from weft.graph.rows import NODE_BYTES
from weft.page.large_pages import MAX_TREE_BYTES
from weft.page.leads import Reader
from weft.page.link_finder import LinkFinder
from weft.store.records import MAX_RECORD_BYTES
from weft.types import Kind, Link, RecordPlace
from weft.url import url_id
from weft.workers.inside import Tell, serve

KEPT_BYTES = 8 * 1024 * 1024
# As much of a body as can be read at once, and its head: a larger one is read in parts, from the archive.
MOST_BYTES = MAX_TREE_BYTES + MAX_TREE_BYTES // 4


class RereadSetup(msgspec.Struct):
    """The first message: how the crawl judges links."""

    config: CrawlConfig
    scope_seeds: list[str]


class RereadPage(msgspec.Struct, array_like=True):
    """A page to be read again."""

    link: Link
    record: RecordPlace
    original: RecordPlace | None


class RereadPages(msgspec.Struct, array_like=True):
    """Some at once."""

    pages: list[RereadPage]


class RereadRow(msgspec.Struct, array_like=True):
    """What the crawl would have kept of a page."""

    node: bytes
    edges: bytes
    about: bytes


class RereadRows(msgspec.Struct, array_like=True):
    """The answer."""

    rows: list[RereadRow]


def begin(first: memoryview, _tell: Tell) -> Callable[[memoryview], RereadRows]:
    """Set up as the first message says; returns what reads pages."""
    setup = msgspec.msgpack.decode(first, type=RereadSetup)
    reader = Reader(setup.config)
    finder = LinkFinder(setup.config, setup.scope_seeds, lambda links, refused: None)
    decode = msgspec.msgpack.Decoder(RereadPages).decode
    return lambda body: RereadRows([_read(reader, finder, page) for page in decode(body).pages])


def _read(reader: Reader, finder: LinkFinder, page: RereadPage) -> RereadRow:
    most_bytes = MAX_RECORD_BYTES if page.link.kind is Kind.SITEMAP else MOST_BYTES
    fetched = read_archived(page.link.url, page.record, page.original, most_bytes)
    outlinks = finder.find(page.link, fetched, reader.leads_of(page.link, fetched)).outlinks
    assert outlinks is not None
    return RereadRow(url_id(page.link.url)[:NODE_BYTES], outlinks.edges, outlinks.about)


if __name__ == "__main__":
    serve(begin, kept_bytes=KEPT_BYTES)
