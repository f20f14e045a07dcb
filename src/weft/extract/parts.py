"""The parts of an output: files that grow until all is done.

Each worker begins its own, as does each that takes the place of a dead one, so no two processes ever write to one file,
and nothing is cut: the journal says which bytes count. Beside the items of a part lie the lines that tell what failed.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct
from typing import Final

import msgspec

from weft.errors import FolderError, told_in_words

ITEMS: Final = ".items"
FAILED: Final = ".failed"
MARK: Final = ".at"
READ_BYTES: Final = 1024 * 1024
MOST_OPEN: Final = 64
_encode = msgspec.json.Encoder().encode
_MARK: Final = Struct("<QQ")  # the serial of a stretch, and which of its pages


class PartFile:
    """One file of a part, to be written. It is there once something was written to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        self._fd: int | None = None
        self._inode: tuple[int, int] | None = None

    def append(self, data: bytes) -> None:
        """Write behind the end."""
        if not data:
            return
        with told_in_words(self.path):
            if self._fd is None:
                self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                self._inode = inode_of(self._fd)
            view = memoryview(data)
            while view:
                written = os.pwrite(self._fd, view, self.end)
                self.end += written
                view = view[written:]

    def is_ours(self) -> bool:
        """Whether what is open is still this file: foreign code may have closed it, and opened another."""
        return self._fd is None or inode_of(self._fd) == self._inode

    def close(self) -> None:
        """Leave it as it is."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def inode_of(fd: int) -> tuple[int, int] | None:
    """What tells a file, or a socket, that is open from others; None if it is closed."""
    try:
        found = os.fstat(fd)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Mark:
    """Which page a worker is at, in memory that it shares with the engine: a dead worker cannot be asked."""

    def __init__(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.ftruncate(fd, _MARK.size)
            self._memory = mmap.mmap(fd, _MARK.size)
        finally:
            os.close(fd)

    def set(self, serial: int, index: int) -> None:
        """It begins with this page."""
        _MARK.pack_into(self._memory, 0, serial, index)


def read_mark(path: Path) -> tuple[int, int]:
    """The stretch and the page that a worker was at; zeros if it was at none."""
    try:
        data = path.read_bytes()
    except OSError:
        data = b""
    if len(data) != _MARK.size:
        return 0, 0
    serial, index = _MARK.unpack(data)
    return serial, index


def part_path(folder: Path, number: int, suffix: str = "") -> Path:
    """Where a part lies, or what its files begin with."""
    return folder / f"{number:06}{suffix}"


def next_number(folder: Path) -> int:
    """Of a part that nobody has begun, be it an earlier run."""
    return max((int(path.stem) for path in folder.iterdir() if is_part(path)), default=0) + 1


def is_part(path: Path) -> bool:
    """Whether this is the name of a part's file."""
    return path.suffix in (ITEMS, FAILED, MARK) and path.stem.isdecimal()


def failure_line(url: str, reason: str, traceback: str = "") -> bytes:
    """What is told of a page on which something failed."""
    line = {"url": url, "reason": reason, "traceback": traceback}
    return _encode({name: _writable(words) for name, words in line.items() if words}) + b"\n"


def _writable(words: str) -> str:
    return words.encode("utf-8", "backslashreplace").decode()


def stretches_of(folder: Path, suffix: str, places: Iterable[tuple[int, int, int]]) -> Iterator[bytes]:
    """The lines that lie at these places (part, start, end), some at once, each with its line feed."""
    opened: dict[int, int] = {}
    try:
        for number, start, end in places:
            if start == end:
                continue
            if number not in opened:
                if len(opened) >= MOST_OPEN:
                    os.close(opened.pop(next(iter(opened))))
                opened[number] = _open(part_path(folder, number, suffix))
            yield from _lines(opened[number], start, end)
    finally:
        for fd in opened.values():
            os.close(fd)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror}; --force begins again") from error


def _lines(fd: int, start: int, end: int) -> Iterator[bytes]:
    rest = b""
    while start < end:
        data = os.pread(fd, min(READ_BYTES, end - start), start)
        if not data:
            raise FolderError("a part of the output has lost what was safely on disk; --force begins again")
        start += len(data)
        whole, line_feed, rest = (rest + data).rpartition(b"\n")
        if line_feed:
            yield whole + line_feed
