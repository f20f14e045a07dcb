"""Responses to archive, an archive in a folder of its own, and other people's eyes to look at the files with."""

from __future__ import annotations

import errno
import hashlib
import os
import zlib
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import uvloop
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from weft.clock import FakeClock
from weft.state import State
from weft.store import Archive, WarcWriter
from weft.types import Fetched, Location, Timing
from weft.url import url_id

INFO = {"software": "weft/test", "format": "WARC File Format 1.1"}
STARTED_AT = 1_800_000_000.123456
GZIP_WBITS = 31


def url_of(number: int) -> str:
    """The URL of a numbered page."""
    return f"http://a.example/{number}"


def body_of(number: int, size: int = 3_000) -> bytes:
    """A body that does not compress well, so that places in the file are places in the body."""
    blocks = (hashlib.sha256(b"%d %d" % (number, block)).digest() for block in range(size // 32))
    return b"".join(blocks)


def fetched(
    url: str = url_of(1),
    body: bytes = b"<p>hello",
    *,
    spool: Path | None = None,
    head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
    chunked: bool = False,
    truncated: str | None = None,
    started_at: float = STARTED_AT,
) -> Fetched:
    """A response; its body lies in a file if there is a path for it."""
    if spool is not None:
        spool.write_bytes(body)
    return Fetched(
        url=url,
        address="192.0.2.1",
        started_at=started_at,
        request=b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        status=200,
        head=head,
        headers=((b"content-type", b"text/html"),),
        body=None if spool else body,
        spool=str(spool) if spool else None,
        body_bytes=len(body),
        chunked=chunked,
        truncated=truncated,
        timing=Timing(),
    )


class Member(NamedTuple):
    """One gzip member of a file."""

    offset: int
    length: int
    record: bytes


def members(path: Path) -> list[Member]:
    """All members of a file, each of which must be whole and hold exactly one record."""
    data = path.read_bytes()
    found = []
    offset = 0
    while offset < len(data):
        unpacker = zlib.decompressobj(GZIP_WBITS)
        record = unpacker.decompress(data[offset:])
        assert unpacker.eof, f"the member at {offset} is cut off"
        length = len(data) - offset - len(unpacker.unused_data)
        head, _, rest = record.partition(b"\r\n\r\n")
        assert head.startswith(b"WARC/1.1\r\n")
        content_length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        assert rest[content_length:] == b"\r\n\r\n", "one record a member, no more and no less"
        found.append(Member(offset, length, record))
        offset += length
    return found


def headers_of(path: Path) -> list[dict[str, str]]:
    """The WARC headers of all records, as warcio reads them."""
    with path.open("rb") as file:
        return [dict(record.rec_headers.headers) for record in ArchiveIterator(file)]


def is_sound(path: Path) -> bool:
    """What `warcio check` says, and that no record is cut off, which it would not say."""
    members(path)
    return bool(Checker(Namespace(inputs=[str(path)], verbose=False)).process_all() == 0)


class ArchiveRig:
    """An archive with its database; pages are written and committed in one go."""

    def __init__(self, folder: Path, *, rotate_at_bytes: int = 1_000_000) -> None:
        self._rotate_at_bytes = rotate_at_bytes
        self._database = folder / "db"
        self.folder = folder / "archive"
        self.folder.mkdir(exist_ok=True)
        self.clock = FakeClock()
        self._writers: dict[int, WarcWriter] = {}
        self._open()

    def _open(self) -> None:
        self.state = State(self._database)
        self.archive = Archive(self.state, self.folder, self.clock, self._rotate_at_bytes)

    def writer(self, slot: int = 0) -> WarcWriter:
        """The slot's writer, on the file that the archive names."""
        file = self.archive.file_for(slot)
        writer = self._writers.get(slot)
        if writer is None or writer.file_id != file.id:
            if writer is not None:
                writer.close()
            writer = self._writers[slot] = WarcWriter(file.path, file.id, file.end, INFO)
        return writer

    def write(self, number: int, slot: int = 0) -> Location:
        """A page reaches the file, but not the database."""
        return self.writer(slot).write(fetched(url_of(number), body_of(number)))

    def commit(self, number: int, location: Location) -> None:
        """A page reaches the database."""
        batch = self.state.batch()
        self.archive.commit(batch, location, url_id(url_of(number)))
        self.archive.seal(batch)
        self.state.write(batch)

    def page(self, number: int, slot: int = 0) -> Location:
        """Both."""
        location = self.write(number, slot)
        self.commit(number, location)
        return location

    def sync(self) -> None:
        """Make it safe against power loss."""
        uvloop.run(self.archive.sync())

    def recover(self) -> list[bytes]:
        """What a resumed crawl does first; the ids of the pages that must be visited again."""
        batch = self.state.batch()
        lost = self.archive.recover(batch)
        self.state.write(batch)
        return lost

    def close(self) -> None:
        """The end of the process, orderly or not: the disk looks the same."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
        self.state.close()

    def restart(self) -> None:
        """The process dies and another one looks at what is there."""
        self.close()
        self._open()

    def files(self) -> list[str]:
        """The names in the archive folder."""
        return sorted(path.name for path in self.folder.iterdir())


Page = Callable[[Path], Fetched]
PAGES = [
    pytest.param(lambda folder: fetched(body=body_of(2, 400_000)), id="in memory"),
    pytest.param(lambda folder: fetched(body=body_of(2, 400_000), spool=folder / "body"), id="spooled"),
]


def full_after(room_bytes: int) -> Callable[[int, memoryview], int]:
    """`os.write` on a disk with so much room: like the real one, it first writes what still fits."""
    write = os.write
    left = room_bytes

    def write_while_there_is_room(fd: int, data: memoryview) -> int:
        nonlocal left
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(fd, data[:left])
        left -= written
        return written

    return write_while_there_is_room
