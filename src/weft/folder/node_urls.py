"""The URLs of the link graph's nodes: a node is the beginning of a URL id, and other rows have the URL."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import chain

import msgspec

from weft.folder.refused_list import Rows
from weft.folder.refused_rows import decode_refused
from weft.graph.rows import key_of, node_of
from weft.state.keys import bucket_range
from weft.url import BUCKET_BYTES, ID_BYTES, url_id


class _Url(msgspec.Struct, array_like=True, gc=False):
    """What of a `PageRow` or a `Link` is needed; the rest is skipped."""

    url: str


_decode = msgspec.msgpack.Decoder(_Url).decode


def urls_in(rows: Rows) -> Iterator[tuple[int, str]]:
    """Node and URL of all that was visited, waits or was left out; some come twice."""
    return chain(_visited(rows), _others(rows))


def other_urls_in(rows: Rows) -> Iterator[tuple[int, str]]:
    """The same of what was not visited."""
    return _others(rows)


def urls_of(rows: Rows, wanted: AbstractSet[int]) -> dict[int, str]:
    """The URLs of some nodes; those of which no row tells are left out."""
    found: dict[int, str] = {}
    for node in wanted:
        found.update(_visited(rows, key_of(node), _after(key_of(node))))
    for bucket in sorted({key_of(node)[:BUCKET_BYTES] for node in wanted - found.keys()}):
        for node, url in _others(rows, *bucket_range(bucket)):
            if node in wanted:
                found.setdefault(node, url)
    return found


def name_without_url(node: int) -> str:
    """What stands for a URL that no row tells: one that a limit left out, or that another node of a cluster knows."""
    return f"node:{node:016x}"


def _visited(rows: Rows, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[int, str]]:
    return ((node_of(key), _decode(row).url) for key, row in rows.scan("page", start, stop))


def _others(rows: Rows, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[int, str]]:
    for _, row in chain(rows.scan("queue", start, stop), rows.scan("over", start, stop)):
        url = _decode(row).url
        yield node_of(url_id(url)), url
    for key, row in chain(rows.scan("forbidden", start, stop), rows.scan("refused", start, stop)):
        yield node_of(key[-ID_BYTES:]), decode_refused(row).link.url


def _after(key: bytes) -> bytes | None:
    """The first key behind those that begin with this one; None: they are the last."""
    after = int.from_bytes(key, "big") + 1
    return after.to_bytes(len(key), "big") if after >> 8 * len(key) == 0 else None
