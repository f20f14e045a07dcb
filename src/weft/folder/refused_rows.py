"""The rows of what a crawl left out."""

from __future__ import annotations

import msgspec

from weft.state import Batch
from weft.state.keys import authority_prefix
from weft.types import Link, Refusal
from weft.url import origin_of

LINES_PER_RULE = 10_000  # of a host

_encode = msgspec.msgpack.Encoder().encode


class RefusedRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A URL that is left out."""

    link: Link  # with the page that it was first found on; by it the URL can be judged again
    reason: Refusal
    rule: str = ""
    was_queued: bool = False  # it is in `seen` although it is left out
    withdrawn: bool = False  # refused at first, and queued when the rules had changed


class RuleRow(msgspec.Struct, gc=False, array_like=True):
    """What one rule refused on one host."""

    listed: int = 0  # rows in `refused`
    more: int = 0  # links beyond those


decode_refused = msgspec.msgpack.Decoder(RefusedRow).decode
decode_rule = msgspec.msgpack.Decoder(RuleRow).decode


def forbid(batch: Batch, url_id: bytes, link: Link, line: str) -> None:
    """A URL is left out because of a line of robots.txt."""
    row = RefusedRow(link, Refusal.ROBOTS, line, was_queued=True)
    batch.put("forbidden", authority_prefix(origin_of(link.url)) + url_id, _encode(row))
