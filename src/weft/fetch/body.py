"""Where the bytes of a body go while it is received: memory while it is short, a spool file when it is not.

    bodies in memory ≤ MemoryBudget's limit + (early_spool_over_bytes × fetches under way)

Filled by: Body, as bytes arrive. Emptied by: Body when it moves to a file or is discarded, otherwise by
`release`, called by whoever got the Fetched. Bound: `limit_bytes`; beyond it only short bodies stay here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from weft.errors import told_in_words
from weft.fetch.config import MIB, FetchConfig
from weft.types import Fetched


class MemoryBudget:
    """One bound for all bodies in memory, received or waiting for their parse worker."""

    __slots__ = ("limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int = 64 * MIB) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0

    @property
    def full(self) -> bool:
        """Whether no new fetch should begin."""
        return self.used_bytes >= self.limit_bytes

    def add(self, size_bytes: int) -> None:
        """Take bytes. It is never refused, since they have arrived already."""
        self.used_bytes += size_bytes

    def remove(self, size_bytes: int) -> None:
        """Give bytes back."""
        if size_bytes > self.used_bytes:
            raise ValueError(f"{size_bytes} bytes given back, of {self.used_bytes} that were taken")
        self.used_bytes -= size_bytes

    def has_room_for(self, size_bytes: int) -> bool:
        """Whether this many more bytes stay within the limit."""
        return self.used_bytes + size_bytes <= self.limit_bytes


class SpoolFolder:
    """Makes spool files, each with a name of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._numbers = count(1)

    def create(self) -> tuple[str, int]:
        """The path and the descriptor of a new file."""
        self._path.mkdir(parents=True, exist_ok=True)
        while True:
            path = self._path / f"{os.getpid()}-{next(self._numbers)}.body"
            try:
                return str(path), os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            except FileExistsError:
                continue  # left by an earlier process of the same number


class StoredBody(NamedTuple):
    """A finished body: exactly one of the two is there."""

    data: bytes | None
    spool: str | None


_stored: Final[Callable[[tuple[bytes, None]], StoredBody]] = partial(
    tuple.__new__, StoredBody
)  # as `url.parts._target`


class Body:
    """Collects one response's body."""

    __slots__ = ("_budget", "_config", "_file", "_held", "_path", "_spool_folder", "size_bytes")

    def __init__(self, config: FetchConfig, budget: MemoryBudget, spool_folder: SpoolFolder) -> None:
        self.size_bytes = 0
        self._config = config
        self._budget = budget
        self._spool_folder = spool_folder
        self._held: bytes | bytearray = b""  # the first piece as it came; from the second on a bytearray
        self._path: str | None = None
        self._file = -1

    def expect(self, size_bytes: int) -> None:
        """The server has said how long the body will be: a long one need not begin in memory."""
        if size_bytes > self._config.spool_over_bytes and self._path is None:
            self._spool()

    def append(self, piece: bytes) -> None:
        """Add what has arrived. DiskFull or FolderError when it cannot be kept."""
        self.size_bytes += len(piece)
        if self._path is None and not self._fits_in_memory(len(piece)):
            self._spool()
        if self._path is not None:
            _write_all(self._file, piece)
            return
        self._budget.add(len(piece))
        if not self._held:
            self._held = piece
        elif isinstance(self._held, bytearray):
            self._held += piece
        else:
            # A list of pieces would take 42 bytes for each byte from a server that sends them one by one.
            self._held = bytearray(self._held)
            self._held += piece

    def finish(self) -> StoredBody:
        """Hand the body over; its budget or its file belongs to the caller from now on."""
        if self._path is None:
            return _stored((bytes(self._held), None))
        self._close()
        return StoredBody(None, self._path)

    def discard(self) -> None:
        """Give everything back: nobody will have this body."""
        self._budget.remove(len(self._held))
        self._held = b""
        if self._path is not None:
            self._close()
            Path(self._path).unlink(missing_ok=True)

    def _fits_in_memory(self, more_bytes: int) -> bool:
        held_bytes = len(self._held) + more_bytes
        if held_bytes <= self._config.early_spool_over_bytes:
            return True
        return held_bytes <= self._config.spool_over_bytes and self._budget.has_room_for(more_bytes)

    def _spool(self) -> None:
        self._path, self._file = self._spool_folder.create()
        _write_all(self._file, self._held)
        self._budget.remove(len(self._held))
        self._held = b""

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def release(fetched: Fetched, budget: MemoryBudget) -> None:
    """Nobody needs this response's body any more: its memory or its spool file is given back."""
    if fetched.body is not None:
        budget.remove(len(fetched.body))
    if fetched.spool is not None:
        Path(fetched.spool).unlink(missing_ok=True)


def _write_all(file: int, data: bytes | bytearray) -> None:
    view = memoryview(data)
    with told_in_words("a response's body"):
        while view:
            view = view[os.write(file, view) :]
