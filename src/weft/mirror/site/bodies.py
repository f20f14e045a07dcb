"""What the body of an archived response may unpack to, in a mirror's file."""

from __future__ import annotations

from collections.abc import Iterator

from weft.config import CrawlConfig
from weft.errors import WeftError
from weft.fetch.codings import Flawed
from weft.page.bodies import body_pieces
from weft.types import Fetched

MIB = 1024 * 1024
# What a body may unpack to. Deflate packs at most 1032 bytes into one, so files in one layer of gzip always pass,
# however much of the same is in them; a second layer, or brotli, has no such bound: 15 KB became 600 MB.
MOST_UNPACKED_PER_BYTE = 1_100
ALWAYS_UNPACKED_BYTES = 8 * MIB


class UnpacksTooFar(WeftError):
    """A body that becomes larger than it may, or costs more work than it can be worth."""


def unpacked_limit(body_bytes: int, config: CrawlConfig) -> int:
    """How large a body of this length may become; what is not packed always fits."""
    most_bytes = max(ALWAYS_UNPACKED_BYTES, MOST_UNPACKED_PER_BYTE * body_bytes)
    return max(body_bytes, min(most_bytes, config.max_body_bytes, config.max_bytes or most_bytes))


def unpacked_pieces(fetched: Fetched, limit_bytes: int) -> Iterator[bytes]:
    """The body without its codings. UnpacksTooFar, perhaps after the first pieces, if it is longer than the limit."""
    left_bytes = limit_bytes
    try:
        for piece in body_pieces(fetched):
            left_bytes -= len(piece)
            if left_bytes < 0:
                raise UnpacksTooFar(fetched.url)
            yield piece
    except Flawed as flawed:
        raise UnpacksTooFar(fetched.url) from flawed
