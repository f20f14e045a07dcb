"""The note beside an unfinished output: how much of it is true, and which pages are in it.

It has two slots that are written in turn, so a write that is cut off leaves the note before it. That takes one sync
of a file that does not grow; a new file with its name would take three, and 5 ms instead of 2 (measured on ext4).
"""

from __future__ import annotations

import fcntl
import os
import zlib
from pathlib import Path

import msgspec

from weft.errors import FolderError, told_in_words
from weft.state import sync_path

SUFFIX = ".progress"
SLOT_BYTES = 8 * 1024 * 1024  # room for a million holes; what is not written takes no room on disk
_HEAD_BYTES = 8  # length and CRC


class Note(msgspec.Struct, frozen=True, array_like=True):
    """What is known of an unfinished output."""

    crawl: str  # the folder
    settings: str  # by which pages are cleaned
    number: int = 0  # of notes before this one
    output_end: int = 0  # bytes of the output that are true
    aside_end: int = 0  # and of the list of pages that were set aside
    upto: dict[int, int] = {}  # of each WARC file: the pages before this offset are done, but for the holes
    holes: list[int] = []
    is_whole: bool = False  # every page is done; the output gets its name


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Note).decode


class NoteFile:
    """The note of one output, locked from construction to `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with told_in_words(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise FolderError(f"{path} is in use: another process writes this output") from None

    def load(self) -> Note | None:
        """The last note that is whole; None when there is none."""
        notes = [note for slot in (0, 1) if (note := self._read(slot)) is not None]
        return max(notes, key=lambda note: note.number, default=None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is in the file."""
        return not os.fstat(self._fd).st_size

    def save(self, note: Note) -> None:
        """Replace the note; it survives whatever happens next."""
        body = _encode(note)
        data = len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big") + body
        with told_in_words(self._path):
            os.pwrite(self._fd, data, note.number % 2 * SLOT_BYTES)
            os.fdatasync(self._fd)
            if not note.number:
                sync_path(self._path.absolute().parent)

    def clear(self) -> None:
        """Forget all notes."""
        with told_in_words(self._path):
            os.ftruncate(self._fd, 0)
            os.fsync(self._fd)

    def remove(self) -> None:
        """The output is finished."""
        with told_in_words(self._path):
            os.unlink(self._path)
            sync_path(self._path.absolute().parent)

    def close(self) -> None:
        """Let others have the output."""
        os.close(self._fd)

    def _read(self, slot: int) -> Note | None:
        head = os.pread(self._fd, _HEAD_BYTES, slot * SLOT_BYTES)
        body = os.pread(self._fd, int.from_bytes(head[:4], "big"), slot * SLOT_BYTES + _HEAD_BYTES)
        if not body or zlib.crc32(body) != int.from_bytes(head[4:], "big"):
            return None
        return _decode(body)
