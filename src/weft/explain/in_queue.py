"""Where in the queue a URL stands.

Rows are ordered by host, authority and rank, and not by URL. So all of an authority's rows may have to be read, and a
host may have millions: after MOST_ROWS of them the look ends. An order that changes its mind keeps where each URL is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from weft.explain.result import Counted
from weft.folder.page_rows import limit_over
from weft.folder.refused_list import Rows
from weft.frontier.lane import lane_number
from weft.frontier.places import read_place
from weft.frontier.rows import HostRow
from weft.state.keys import end_of, host_key, host_prefix, lane_prefix, place_of, queue_end
from weft.types import Link, Refusal
from weft.url import host_of, is_own_request, origin_of, url_id

MOST_ROWS: Final = 500_000  # about a second

_decode_link = msgspec.msgpack.Decoder(Link).decode
_decode_host = msgspec.msgpack.Decoder(HostRow).decode


class Place(NamedTuple):
    """A URL's place among those of its host."""

    link: Link
    before: Counted


class Look(NamedTuple):
    """What came of a look at the queue."""

    place: Place | None
    is_cut: bool = False  # not all of it was read


def host_row(rows: Rows, host: str) -> HostRow | None:
    """What of a host is on disk; None when it has no queued URLs."""
    row = rows.get("host", host_key(host))
    return _decode_host(row) if row is not None else None


def look_up(rows: Rows, url: str, most_rows: int = MOST_ROWS) -> Look:
    """Where a URL waits."""
    host = host_of(url)
    known = rows.get("place", url_id(url, host))
    if known is not None:
        key = read_place(known)[1]
        if (value := rows.get("queue", key)) is not None:
            return Look(Place(_decode_link(value), _before(rows, host, key, most_rows)))
    start, stop, is_alone = _rows_of(rows, host, origin_of(url))
    read = 0
    for key, link in _with_url(islice(rows.scan("queue", start, stop), most_rows), url):
        if link is not None:
            return Look(Place(link, Counted(read) if is_alone else _before(rows, host, key, most_rows)))
        read += 1
    return Look(None, is_cut=read >= most_rows)


def over_budget(rows: Rows, url: str, most_rows: int = MOST_ROWS) -> Look:
    """The link of a URL that its host's budget has refused: these have the keys that they had in the queue."""
    prefix = host_prefix(host_of(url))
    read = 0
    for key, link in _with_url(islice(rows.scan("over", prefix, end_of(prefix)), most_rows), url):
        if link is not None and limit_over(key) is Refusal.HOST_BUDGET:
            return Look(Place(link, Counted(0)))
        read += 1
    return Look(None, read >= most_rows)


def queued_of(rows: Rows, host: str, most_rows: int = MOST_ROWS) -> Counted:
    """How many URLs of a host wait."""
    prefix = host_prefix(host)
    return counted(rows.scan("queue", prefix, end_of(prefix)), most_rows)


def counted(rows: Iterator[tuple[bytes, bytes]], most_rows: int = MOST_ROWS) -> Counted:
    """How many rows there are, if they are not too many to count."""
    count = sum(1 for _ in islice(rows, most_rows + 1))
    return Counted(min(count, most_rows), count > most_rows)


def _rows_of(rows: Rows, host: str, authority: str) -> tuple[bytes, bytes, bool]:
    """Where the rows of an authority begin and end, and whether its host has no others.

    They are in its lane; if nobody knows which that is, in any of the host's.
    """
    row = host_row(rows, host)
    lanes = row.lanes if row is not None else ()
    if (number := lane_number(authority, lanes)) < len(lanes):
        prefix = lane_prefix(host, number)
        return prefix, queue_end(prefix), len(lanes) == 1
    prefix = host_prefix(host)
    return prefix, end_of(prefix), False


def _with_url(found: Iterator[tuple[bytes, bytes]], url: str) -> Iterator[tuple[bytes, Link | None]]:
    """Each key; with its link, if that is the URL's. Few rows have its bytes, and only those are decoded."""
    text = url.encode()
    for key, value in found:
        link = _decode_link(value) if text in value else None
        yield key, link if link is not None and link.url == url and not is_own_request(link.parts) else None


def _before(rows: Rows, host: str, key: bytes, most_rows: int) -> Counted:
    """How many URLs of a host have a better place, in whichever lane."""
    row = host_row(rows, host)
    count, place = 0, place_of(key)
    for lane in range(len(row.lanes) if row is not None and row.lanes else 1):
        prefix = lane_prefix(host, lane)
        here = counted(rows.scan("queue", prefix, prefix + place), most_rows - count)
        count += here.count
        if here.is_more:
            return Counted(count, is_more=True)
    return Counted(count)
