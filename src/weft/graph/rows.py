"""One page's row in the family `graph`.

    key      the page's node: the first 8 bytes of its URL id (2 of bucket, 6 of hash)
    value    head, then the links in groups, by ascending bucket
    head     8 bytes, a float64: what the order gave to each of the page's links
    group    bucket (2 bytes), count (1), then `count` hashes (6 each), ascending; more than 255 make another group

Links of a page mostly stay on its site, so a group says their bucket once. The head is little-endian; the bytes of ids
are in the order of keys.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from weft.errors import FolderError
from weft.url import BUCKET_BYTES, ID_BYTES

NODE_BYTES: Final = 8
HASH_BYTES: Final = NODE_BYTES - BUCKET_BYTES
_HEAD: Final = struct.Struct("<d")
HEAD_BYTES: Final = _HEAD.size
_COUNT_BYTES: Final = 1
MOST_IN_GROUP: Final = 255
_GROUP_HEAD_BYTES: Final = BUCKET_BYTES + _COUNT_BYTES
_UNSAID: Final = "\0"

try:
    from weft.graph import _rows
except ImportError:  # no compiler was there at installation
    _rows = None  # type: ignore[assignment]


def node_of(url_id: bytes) -> int:
    """The node of a URL."""
    return int.from_bytes(url_id[:NODE_BYTES], "big")


def key_of(node: int) -> bytes:
    """The key of a node's row, and the beginning of its URL id."""
    return node.to_bytes(NODE_BYTES, "big")


def edges_of(ids: bytes) -> bytes:
    """The links of a page as its row has them, from their URL ids one behind the other; each counts once."""
    return packed([ids[at : at + NODE_BYTES] for at in range(0, len(ids), ID_BYTES)])[0]


def packed(nodes: list[bytes], said: list[str | None] | None = None) -> tuple[bytes, bytes, str]:
    """The links of a page as its row has them, from their nodes; each counts once.

    Of what each link says, a mark and then its anchor text, come the marks and the anchors in the same order, these on
    a line each; None says nothing.
    """
    return packed_in_python(nodes, said) if _rows is None else _rows.pack(nodes, said)


def packed_in_python(nodes: list[bytes], said: list[str | None] | None = None) -> tuple[bytes, bytes, str]:
    """The same without the part in C."""
    if said is None:
        return _edges(sorted(set(nodes))), b"", ""
    noted = dict(zip(reversed(nodes), reversed(said), strict=True))  # of two for one node, the first
    in_order = [noted[node] or _UNSAID for node in sorted(noted)]
    marks = "".join([one[0] for one in in_order]).encode("latin-1")
    return _edges(sorted(noted)), marks, "\n".join([one[1:] for one in in_order])


def _edges(nodes: list[bytes]) -> bytes:
    parts: list[bytes] = []
    for bucket, same in groupby(nodes, key=_bucket_of):
        hashes = [node[BUCKET_BYTES:] for node in same]
        for at in range(0, len(hashes), MOST_IN_GROUP):
            some = hashes[at : at + MOST_IN_GROUP]
            parts += (bucket, len(some).to_bytes(_COUNT_BYTES), *some)
    return b"".join(parts)


def row(head: float, edges: bytes) -> bytes:
    """A row's value."""
    return _HEAD.pack(head) + edges


def head_of(value: bytes) -> float:
    """What the order gave to each link of a row."""
    head: float = _HEAD.unpack_from(value)[0]
    return head


def groups_of(value: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The links of a row: each bucket, and its hashes one behind the other."""
    at, end = _HEAD.size, len(value)
    while at < end:
        hashes_at = at + _GROUP_HEAD_BYTES
        after = hashes_at + int.from_bytes(value[at + BUCKET_BYTES : hashes_at]) * HASH_BYTES
        if not hashes_at < after <= end:
            raise FolderError("a row of the link graph is damaged")
        yield value[at : at + BUCKET_BYTES], value[hashes_at:after]
        at = after


def parse(value: bytes) -> tuple[float, list[int]]:
    """Head and nodes of a row; the nodes ascend."""
    nodes = [
        int.from_bytes(bucket + hashes[at : at + HASH_BYTES], "big")
        for bucket, hashes in groups_of(value)
        for at in range(0, len(hashes), HASH_BYTES)
    ]
    return head_of(value), nodes


def _bucket_of(node: bytes) -> bytes:
    return node[:BUCKET_BYTES]
