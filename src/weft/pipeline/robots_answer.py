"""An answer to a request for robots.txt, as the row that is kept of it."""

from __future__ import annotations

from typing import Final

from weft.fetch import Effort, Flaw, decode_body, decode_response, retry_after_s
from weft.robots import Access, RobotsRow, row_after
from weft.robots.access import max_age_s
from weft.types import Fetched

KIB: Final = 1024
ROBOTS_BODY_BYTES: Final = 512 * KIB
# It is read in the event loop, where everything waits for it: with the worst input known, some tens of milliseconds.
# A text of 512 KiB is a quarter of that when it is compressed, or less.
ROBOTS_EFFORT: Final = Effort(free_bytes=32 * KIB, most_bytes=192 * KIB, slice_bytes=16 * KIB)
GZIP_MAGIC: Final = b"\x1f\x8b"


def asked_to_wait_s(fetched: Fetched, now: float) -> float:
    """Its Retry-After; 0 without one."""
    return retry_after_s(fetched.header(b"retry-after") or b"", now) or 0.0


def row_of(previous: RobotsRow | None, access: Access, fetched: Fetched, now: float) -> RobotsRow:
    """What follows on the last answer of a chain of redirects, to which this access belongs."""
    body, is_cut = b"", fetched.truncated is not None
    if access is Access.RULES:
        body, flaw = decode_response(fetched, ROBOTS_BODY_BYTES, ROBOTS_EFFORT)
        if body.startswith(GZIP_MAGIC):  # no header says so, as of a file that lies packed on the disk; its rules hold
            body, flaw = decode_body(body, ((b"content-encoding", b"gzip"),), False, ROBOTS_BODY_BYTES, ROBOTS_EFFORT)
        is_cut = is_cut or flaw is Flaw.COSTLY
    return row_after(
        previous,
        access,
        now,
        status=fetched.status,
        body=body,
        truncated=is_cut,
        max_age_s=max_age_s(fetched.header(b"cache-control") or b""),
        retry_after_s=asked_to_wait_s(fetched, now),
    )
