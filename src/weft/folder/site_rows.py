"""A crawl's links read back: each page's row in `graph` says where it leads, and that in `links` what else is known.

    for node, edges, page in site_rows(database):      # in the order of nodes
        for target, mark, anchor in links_of(edges, page):
            …                                          # targets that passed the filters, as nodes of 8 bytes
        for link in page.outside:
            …                                          # the others, by their URLs; skip those with IN_GRAPH here

`folder.node_urls` and the rows of `page` say which URL a node stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import TypeVar

import msgspec

from weft.errors import FolderError
from weft.folder.refused_list import Rows
from weft.graph.rows import HASH_BYTES, HEAD_BYTES
from weft.types import LinkNotes
from weft.url import BUCKET_BYTES

_Row = TypeVar("_Row")

decode_links = msgspec.msgpack.Decoder(LinkNotes).decode
NOTHING = LinkNotes()


def has_links(database: Rows) -> bool:
    """Whether the crawl was made with `--links`."""
    return next(database.scan("links"), None) is not None


def site_rows(database: Rows) -> Iterator[tuple[bytes, bytes, LinkNotes]]:
    """Node of each page that was read, its row in the graph (empty: it has none), and what is known of its links."""
    return rows_of(database, decode_links, NOTHING)


def rows_of(database: Rows, decode: Callable[[bytes], _Row], nothing: _Row) -> Iterator[tuple[bytes, bytes, _Row]]:
    """Node of each page that was read, its row in the graph, and what `decode` makes of its row in `links`."""
    edges = database.scan("graph")
    node, row = next(edges, (None, b""))
    for key, value in database.scan("links"):
        while node is not None and node < key:
            yield node, row, nothing  # of a run before `--links` was given
            node, row = next(edges, (None, b""))
        if node == key:
            yield key, row, decode(value)
            node, row = next(edges, (None, b""))
        else:
            yield key, b"", decode(value)
    while node is not None:
        yield node, row, nothing
        node, row = next(edges, (None, b""))


def links_of(edges: bytes, page: LinkNotes) -> Iterator[tuple[bytes, int, str]]:
    """Node, mark and anchor of each link in a row of the graph; 0 and empty where that is not known."""
    nodes = targets_of(edges)
    if len(nodes) != len(page.marks):  # none is known; or two nodes of a cluster read two versions of the page
        return zip(nodes, repeat(0), repeat(""), strict=False)
    return zip(nodes, page.marks, page.anchors.split("\n"), strict=False)


def targets_of(edges: bytes) -> list[bytes]:
    """The nodes that a row of the graph leads to, 8 bytes each, ascending."""
    # As `groups_of` reads it, without its calls: a report asks this for all links of a crawl, several times.
    nodes: list[bytes] = []
    at, end = HEAD_BYTES, len(edges)
    while at < end:
        bucket, first = edges[at : at + BUCKET_BYTES], at + BUCKET_BYTES + 1
        at = first + HASH_BYTES * edges[first - 1]
        if at - first == HASH_BYTES:
            nodes.append(bucket + edges[first:at])
        else:
            nodes += [bucket + edges[one : one + HASH_BYTES] for one in range(first, at, HASH_BYTES)]
    if at != end and edges:
        raise FolderError("a row of the link graph is damaged")
    return nodes
