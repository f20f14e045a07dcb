"""The rows of the link graph as arrays.

Nodes are all URLs that have a row or are linked to, in the order of their ids; a node's number is its place among them.
Links are a matrix in compressed rows: those of node i lead to `targets[starts[i]:starts[i + 1]]`.

Memory: 8 bytes a node and 12 a link while it is read, then 20 a node and 4 a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.graph.rows import HASH_BYTES, NODE_BYTES, groups_of
from weft.url import BUCKET_BYTES

CHUNK_LINKS: Final = 1_000_000  # about as many are decoded at once
CHUNK_ROWS: Final = 100_000
INT32_END: Final = 2**31

Nodes = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.integer]
Scores = npt.NDArray[np.float64]


class Chunk(NamedTuple):
    """Some rows, one behind the other."""

    sources: Nodes  # a row
    heads: Scores  # a row
    counts: npt.NDArray[np.int64]  # links, a row
    targets: Nodes  # a link


class Links(NamedTuple):
    """The whole graph."""

    nodes: Nodes
    starts: Numbers  # one more than nodes
    targets: Numbers  # numbers of nodes
    heads: Scores  # a node; 0 if it has no row


def chunks_of(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[Chunk]:
    """Rows decoded, a bounded number at once."""
    waiting: list[tuple[bytes, bytes]] = []
    size_bytes = 0
    for row in rows:
        waiting.append(row)
        size_bytes += len(row[1])
        if len(waiting) >= CHUNK_ROWS or size_bytes >= CHUNK_LINKS * HASH_BYTES:
            yield _decoded(waiting)
            waiting, size_bytes = [], 0
    if waiting:
        yield _decoded(waiting)


def nodes_of(chunks: Iterable[Chunk]) -> Nodes:
    """All nodes, in order."""
    distinct = _Distinct()
    for chunk in chunks:
        distinct.add(chunk)
    return distinct.nodes()


def read_links(rows: Iterable[tuple[bytes, bytes]]) -> Links:
    """The graph whose rows these are; they come in the order of their keys."""
    distinct = _Distinct()
    chunks: list[Chunk] = []
    for chunk in chunks_of(rows):
        distinct.add(chunk)
        chunks.append(chunk)
    nodes = distinct.nodes()
    links = sum(len(chunk.targets) for chunk in chunks)
    kind: type[np.integer] = np.int32 if max(links, len(nodes)) < INT32_END else np.int64
    counts = np.zeros(len(nodes) + 1, kind)
    heads = np.zeros(len(nodes))
    targets = np.empty(links, kind)
    at = 0
    for chunk in _let_go_of(chunks):
        numbers = np.searchsorted(nodes, chunk.sources)
        counts[numbers + 1] = chunk.counts
        heads[numbers] = chunk.heads
        targets[at : at + len(chunk.targets)] = np.searchsorted(nodes, chunk.targets)
        at += len(chunk.targets)
    return Links(nodes, np.cumsum(counts, dtype=kind), targets, heads)


def numbers_of(wanted: Nodes, nodes: Nodes) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """The number of each node that is wanted, and whether there is such a node; if not, the number means nothing."""
    if not len(nodes):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.bool_)
    numbers = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
    return numbers, nodes[numbers] == wanted


def nodes_from(keys: Iterable[bytes]) -> Nodes:
    """Nodes from their keys."""
    return np.frombuffer(b"".join(keys), ">u8").astype(np.uint64)


class _Distinct:
    """Nodes that came many times, each once. At most twice as many are kept as there are, and a chunk."""

    def __init__(self) -> None:
        self._known: Nodes = np.empty(0, np.uint64)
        self._waiting: list[Nodes] = []
        self._waiting_nodes = 0

    def add(self, chunk: Chunk) -> None:
        for part in (chunk.sources, _sorted_once(chunk.targets)):
            self._waiting.append(part)
            self._waiting_nodes += len(part)
        if self._waiting_nodes > max(CHUNK_LINKS, len(self._known)):
            self.nodes()

    def nodes(self) -> Nodes:
        self._known = _sorted_once(np.concatenate((self._known, *self._waiting)))
        self._waiting, self._waiting_nodes = [], 0
        return self._known


def _sorted_once(nodes: Nodes) -> Nodes:
    """Each node once, in order. numpy's own `unique` takes twice as long: it hashes first."""
    ordered = np.sort(nodes)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def _decoded(rows: list[tuple[bytes, bytes]]) -> Chunk:
    """In Python for each group, in numpy for each link."""
    buckets: list[bytes] = []
    hashes: list[bytes] = []
    groups: list[int] = []  # a row
    for _, value in rows:
        before = len(buckets)
        for bucket, some in groups_of(value):
            buckets.append(bucket)
            hashes.append(some)
        groups.append(len(buckets) - before)
    group_links = np.fromiter((len(some) // HASH_BYTES for some in hashes), np.int64, len(hashes))
    row_of_group = np.repeat(np.arange(len(rows)), groups)
    counts = np.bincount(row_of_group, group_links, len(rows)).astype(np.int64)
    # Nodes as bytes: a bucket repeated for each link of its group, and the hash.
    links = np.empty((int(group_links.sum()), NODE_BYTES), np.uint8)
    links[:, BUCKET_BYTES:] = np.frombuffer(b"".join(hashes), np.uint8).reshape(-1, HASH_BYTES)
    each = np.frombuffer(b"".join(buckets), np.uint8).reshape(-1, BUCKET_BYTES)
    links[:, :BUCKET_BYTES] = np.repeat(each, group_links, axis=0)
    return Chunk(
        nodes_from(key for key, _ in rows),
        np.frombuffer(b"".join(value[:NODE_BYTES] for _, value in rows), "<f8").astype(np.float64),
        counts,
        links.view(">u8").ravel().astype(np.uint64),
    )


def _let_go_of(chunks: list[Chunk]) -> Iterator[Chunk]:
    """Each chunk once, in order; what was used is freed."""
    chunks.reverse()
    while chunks:
        yield chunks.pop()
