"""In which order the pages of a graph were visited."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import msgspec
import numpy as np

from weft.graph.links import Nodes, Numbers, nodes_from, numbers_of
from weft.graph.rows import NODE_BYTES


class _Visit(msgspec.Struct, array_like=True, gc=False):
    """What of a `PageRow` is needed; the rest is skipped."""

    url: str
    status: int
    fetched_at: float


_decode = msgspec.msgpack.Decoder(_Visit).decode


def in_order_of_visit(pages: Iterable[tuple[bytes, bytes]], nodes: Nodes) -> Numbers:
    """The numbers of visited nodes, from the rows of `page`; 24 bytes a page while it is read."""
    keys, times = bytearray(), array("d")
    for key, row in pages:
        keys += key[:NODE_BYTES]
        times.append(_decode(row).fetched_at)
    numbers, are_there = numbers_of(nodes_from([bytes(keys)]), nodes)
    order = np.argsort(np.frombuffer(times, np.float64), kind="stable") if times else np.empty(0, np.int64)
    return numbers[order][are_there[order]]
