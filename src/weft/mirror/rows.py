"""The rows of a mirror: their keys, and those values that the crawl writes as it goes.

In the family `mirror`:

n, id of URL   → AnswerNote of its newest answer                    pipeline
k, id of URL   → why an update kept what was there before           pipeline
d, id of URL   → nothing: the archive could not give its file back  site.finish
i, folder      → its number on the disk when its files were right   site.finish
u, p           → which file each URL has, for ever                  paths
t, id of URL   → f, path: its file;  r, URL: where it redirects to  site.placing
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from weft.state import Batch, State
from weft.types import AnswerNote

TARGET: Final = b"t"
AFTER_TARGETS: Final = b"u"
FILE, REDIRECT = b"f", b"r"
# In `meta`, when all files are as the last run left the pages; its value says how that ended.
FILES: Final = b"files"
# In `meta`, as long as all files are written by the links as they are: the version of weft that wrote them.
LINKS: Final = b"links"
# In `meta`, since when all files were as they should be, in ns by the clock of their file system. Who changes one
# later leaves a later time at it (ctime, which nobody can set), whatever he changes. Only who moves a whole folder does
# not, so the number of each (its inode) is kept beside it.
FILES_AT: Final = b"files-at"

_NOTE, _KEPT, _AFTER_KEPT = b"n", b"k", b"l"
_DAMAGED, _AFTER_DAMAGED = b"d", b"e"
_FOLDER, _AFTER_FOLDER = b"i", b"j"
_FOLDERS_PER_BATCH: Final = 10_000

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


def put_damaged(batch: Batch, url_ids: Iterable[bytes]) -> None:
    """Files were written but for those of these URLs, which the archive could not give back."""
    batch.delete_range("mirror", _DAMAGED, _AFTER_DAMAGED)
    for url_id in url_ids:
        batch.put("mirror", _DAMAGED + url_id, b"")


def is_damaged(state: State, url_id: bytes) -> bool:
    """Whether the archive could not give a URL's file back, the last time that files were written."""
    return state.get("mirror", _DAMAGED + url_id) is not None


def put_folders(state: State, numbers: Iterable[tuple[str, int]]) -> None:
    """These folders have these numbers, and no others are known. Who finds none, or another one, looks at each file."""
    batch = state.batch()
    batch.delete_range("mirror", _FOLDER, _AFTER_FOLDER)
    for count, (folder, number) in enumerate(numbers, 1):
        batch.put("mirror", _FOLDER + folder.encode(), str(number).encode())
        if count % _FOLDERS_PER_BATCH == 0:
            state.write(batch)
            batch = state.batch()
    state.write(batch)


def folder_number(state: State, folder: str) -> int | None:
    """The number that a folder had when all files were right."""
    row = state.get("mirror", _FOLDER + folder.encode())
    return int(row) if row is not None else None
