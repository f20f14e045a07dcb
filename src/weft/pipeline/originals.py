"""Payloads that came before: a body is archived once, and refers to that record whenever it comes again.

The engine knows a body by a fast hash and only guesses; the worker compares the SHA-1 that it computes anyway, and
stores the whole response when the guess was wrong. A body is the same when its bytes are, as they came over the
wire: then the head that came now and the body that is stored are together exactly what the server sent.
"""

from __future__ import annotations

import os

from xxhash import xxh3_128

from weft.folder.page_rows import decode_page
from weft.state import Batch, State
from weft.store import Archive
from weft.types import Fetched, Original

KIB = 1024
# A shorter body takes less room than the lines that refer to it.
SHORTEST_BYTES = 256
# Of a body in a file, its length and both ends are hashed: enough for a guess.
SPOOL_END_BYTES = 64 * KIB


class Originals:
    """Which page was archived with which body."""

    def __init__(self, state: State, archive: Archive) -> None:
        self._state = state
        self._archive = archive

    def find(self, body_hash: bytes | None) -> tuple[Original | None, bool]:
        """The record of a body with this hash, if it is safe on disk; and whether such a body may have come before."""
        if body_hash is None:
            return None, True
        url_id = self._state.get("digest", body_hash)
        if url_id is None:
            return None, False
        if (row := self._state.get("page", url_id)) is None:
            return None, True
        page = decode_page(row)
        if page.original is not None or not self._archive.is_safe(page.file, page.offset):
            return None, True
        return Original(page.url, page.fetched_at, page.digest, page.file, page.offset, page.length), True

    def add(self, batch: Batch, body_hash: bytes, url_id: bytes) -> None:
        """A page was archived with this body."""
        batch.put("digest", body_hash, url_id)


def hash_of(fetched: Fetched) -> bytes | None:
    """By what a body is known; None for one that is not worth it."""
    if fetched.body_bytes < SHORTEST_BYTES or fetched.truncated or not fetched.head:
        return None  # a file that came by FTP has no head of its own, which a record that refers to another needs
    if fetched.body is not None:
        return xxh3_128(fetched.body).digest()
    assert fetched.spool is not None
    fd = os.open(fetched.spool, os.O_RDONLY)
    try:
        hasher = xxh3_128(fetched.body_bytes.to_bytes(8, "big"))
        hasher.update(os.pread(fd, SPOOL_END_BYTES, 0))
        hasher.update(os.pread(fd, SPOOL_END_BYTES, fetched.body_bytes - SPOOL_END_BYTES))
        return hasher.digest()
    finally:
        os.close(fd)
