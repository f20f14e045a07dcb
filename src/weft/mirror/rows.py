"""The rows of a mirror: their keys, and those values that the crawl writes as it goes.

In the family `mirror`:

n, id of URL   → AnswerNote of its newest answer                    pipeline
k, id of URL   → why an update kept what was there before           pipeline
u, p           → which file each URL has, for ever                  paths
t, id of URL   → f, path: its file;  r, URL: where it redirects to  site.placing
"""

from __future__ import annotations

from typing import Final

import msgspec

from weft.state import Batch, State
from weft.types import AnswerNote

TARGET: Final = b"t"
FILE, REDIRECT = b"f", b"r"
# In `meta`, when all files are as the last run left the pages; its value says how that ended.
FILES: Final = b"files"
# In `meta`, as long as all files are written by the links as they are: the version of weft that wrote them.
LINKS: Final = b"links"

_NOTE, _KEPT, _AFTER_KEPT = b"n", b"k", b"l"

_encode = msgspec.msgpack.Encoder().encode
_decode_note = msgspec.msgpack.Decoder(AnswerNote).decode


def put_note(batch: Batch, url_id: bytes, note: AnswerNote) -> None:
    """Keep what a worker noted."""
    batch.put("mirror", _NOTE + url_id, _encode(note))


def note_of(state: State, url_id: bytes) -> AnswerNote | None:
    """What a worker noted of the newest answer."""
    row = state.get("mirror", _NOTE + url_id)
    return _decode_note(row) if row is not None else None


def put_kept(batch: Batch, url_id: bytes, reason: str) -> None:
    """Say why an update kept what was there before; with no reason, that it did not."""
    if reason:
        batch.put("mirror", _KEPT + url_id, reason.encode())
    else:
        batch.delete("mirror", _KEPT + url_id)


def why_kept(state: State, url_id: bytes) -> str | None:
    """Why an update kept what was there before."""
    row = state.get("mirror", _KEPT + url_id)
    return row.decode() if row is not None else None


def forget_kept(batch: Batch) -> None:
    """Another update begins, or the files have followed."""
    batch.delete_range("mirror", _KEPT, _AFTER_KEPT)
