"""The journal of an extraction: what it is, and which stretches of the archive are done.

It only grows. An entry is its length, its checksum, and itself; where one is not whole, the journal ends. A stretch is
entered when its items are safe on disk.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from weft.errors import FolderError, told_in_words
from weft.not_forked import close_here, keep_from_forks
from weft.state import sync_path

_HEAD_BYTES: Final = 8  # length and CRC


class Begun(msgspec.Struct, frozen=True, array_like=True):
    """What an extraction is. One that is another is not gone on with."""

    folders: list[str]
    functions: list[str]
    pages: str  # which are wanted


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch that is done: all wanted pages of a WARC file with start ≤ offset < end."""

    file: str  # its final name
    start: int
    end: int
    part: int
    items_start: int
    items_end: int
    failed_start: int
    failed_end: int
    pages: int
    items: int
    failed: int
    unreadable: int
    requests: int


_encode = msgspec.msgpack.Encoder().encode
_decode_begun = msgspec.msgpack.Decoder(Begun).decode
_decode_entries = msgspec.msgpack.Decoder(list[Entry]).decode


class Journal:
    """The journal of one output, locked from construction to `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with told_in_words(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        keep_from_forks(self._fd)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise FolderError(f"{path.parent} is in use: another process writes this output") from None
        self._end = 0

    def load(self) -> tuple[Begun | None, list[Entry]]:
        """What was entered so far; None if nothing was begun. Half an entry behind others is cut off."""
        data = Path(f"/proc/self/fd/{self._fd}").read_bytes()
        begun: Begun | None = None
        entries: list[Entry] = []
        while (body := _entry_at(data, self._end)) is not None:
            if begun is None:
                begun = _decode_begun(body)
            else:
                entries += _decode_entries(body)
            self._end += _HEAD_BYTES + len(body)
        if begun is not None:  # else it may be a file of the user's
            with told_in_words(self._path):
                os.ftruncate(self._fd, self._end)
        return begun, entries

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is in the file."""
        return not os.fstat(self._fd).st_size

    def begin(self, begun: Begun) -> None:
        """Forget all that was entered."""
        with told_in_words(self._path):
            os.ftruncate(self._fd, 0)
            self._end = 0
            self._append(_encode(begun))
            sync_path(self._path.parent)
            sync_path(self._path.absolute().parent.parent)

    def add(self, entries: list[Entry]) -> None:
        """Enter stretches; they survive whatever happens next."""
        with told_in_words(self._path):
            self._append(_encode(entries))

    def remove(self) -> None:
        """The output is finished."""
        with told_in_words(self._path):
            os.unlink(self._path)
            sync_path(self._path.parent)

    def close(self) -> None:
        """Let others have the output."""
        close_here(self._fd)

    def _append(self, body: bytes) -> None:
        data = memoryview(len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big") + body)
        at = self._end
        while data:
            written = os.pwrite(self._fd, data, at)
            at += written
            data = data[written:]
        os.fdatasync(self._fd)
        self._end = at


class DoneTable:
    """Which stretches of which files are done."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._starts: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        for entry in sorted(entries, key=lambda entry: (entry.file, entry.start)):
            starts, ends = self._starts.setdefault(entry.file, []), self._ends.setdefault(entry.file, [])
            if ends and entry.start <= ends[-1]:
                ends[-1] = max(ends[-1], entry.end)
            else:
                starts.append(entry.start)
                ends.append(entry.end)

    def __bool__(self) -> bool:
        return bool(self._starts)

    def is_done(self, file: str, offset: int) -> bool:
        """Whether the page whose record lies there is done."""
        starts = self._starts.get(file)
        if not starts:
            return False
        at = bisect_right(starts, offset) - 1
        return at >= 0 and offset < self._ends[file][at]


def _entry_at(data: bytes, at: int) -> bytes | None:
    body = data[at + _HEAD_BYTES : at + _HEAD_BYTES + int.from_bytes(data[at : at + 4], "big")]
    is_whole = body and zlib.crc32(body) == int.from_bytes(data[at + 4 : at + _HEAD_BYTES], "big")
    return body if is_whole else None
