"""How a URL was found, and which pages link to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from weft.explain.moments import moment
from weft.explain.result import Found, Linked
from weft.folder.node_urls import name_without_url
from weft.folder.page_rows import decode_page
from weft.folder.reading import CrawlReader
from weft.folder.refused_list import Rows
from weft.graph.rows import HASH_BYTES, NODE_BYTES, groups_of, node_of
from weft.seen import depth_in
from weft.state.keys import bucket_range
from weft.types import Kind, Link, PageRow
from weft.url import BUCKET_BYTES, url_id

PAGES_NAMED: Final = 20
MOST_GRAPH_ROWS: Final = 1_000_000

KINDS: Final = {
    Kind.SEED: "a seed redirects to it: {via}",
    Kind.LINK: "it is linked from {via}",
    Kind.FRAME: "it is a frame of {via}",
    Kind.EMBED: "{via} needs it to look right: an image, a script, a style sheet",
    Kind.REFRESH: "{via} sends its readers on to it (meta refresh)",
    Kind.REDIRECT: "{via} redirects to it",
    Kind.GUESS: "a script of {via} has a text that looks like it",
    Kind.SITEMAP: "it is a sitemap that {via} names",
}


def found(reader: CrawlReader, link: Link, seeds: Sequence[str]) -> Found:
    """How a link was found first."""
    seen = reader.database.get("seen", url_id(link.url))
    via = reader.row_of(url_id(link.via)) if link.via else None
    return Found(
        words=_words(link),
        via=link.via,
        at=moment(via.fetched_at) if via is not None else "",
        depth=min(link.depth, depth_in(seen)) if seen else link.depth,
        kind=link.kind,
        hops=link.hops,
        seed=seeds[link.seed] if 0 <= link.seed < len(seeds) else "",
    )


def _words(link: Link) -> str:
    if link.via:
        return KINDS[link.kind].format(via=link.via)
    return "it is a seed of the crawl" if link.kind is Kind.SEED else "the page that it was found on is not known"


def linked(reader: CrawlReader, url: str, most_rows: int = MOST_GRAPH_ROWS) -> Linked | None:
    """The pages that link to a URL; None if the crawl keeps no graph. Those of its own site are looked at first."""
    rows = reader.database
    if not reader.config.graph and next(rows.scan("graph"), None) is None:
        return None
    node = url_id(url)[:NODE_BYTES]
    first, behind = bucket_range(node[:BUCKET_BYTES])
    others = chain(rows.scan("graph", stop=first), rows.scan("graph", behind) if behind is not None else ())
    count, read = 0, 0
    keys: list[bytes] = []
    for key, value in islice(chain(rows.scan("graph", first, behind), others), most_rows):
        read += 1
        if node[BUCKET_BYTES:] in value and _links_to(value, node):
            count += 1
            if len(keys) < PAGES_NAMED:
                keys.append(key)
    pages = [(key, _page_at(rows, key)) for key in keys]
    return Linked(
        count,
        [page.url if page is not None else name_without_url(node_of(key)) for key, page in pages],
        min((page.depth for _, page in pages if page is not None), default=None),
        is_cut=read >= most_rows,
    )


def _links_to(value: bytes, node: bytes) -> bool:
    return any(node[BUCKET_BYTES:] in _hashes(hashes) for bucket, hashes in groups_of(value) if node.startswith(bucket))


def _hashes(group: bytes) -> Iterator[bytes]:
    return (group[at : at + HASH_BYTES] for at in range(0, len(group), HASH_BYTES))


def _page_at(rows: Rows, key: bytes) -> PageRow | None:
    """The page whose URL id begins so."""
    for found_key, row in rows.scan("page", key):
        return decode_page(row) if found_key.startswith(key) else None
    return None
