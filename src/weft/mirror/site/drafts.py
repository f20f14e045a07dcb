"""Files made while the crawl goes on, to be taken at its end if what they were made by has come true.

    drafter  ──▶ .weft/drafts/ab/…   a file as it will be, if its links lead where they seem to lead, and behind it
                                     what that was: its name, its page row, each link's URL and file
    writer   ──▶ all of it is so: the file moves to its place.  Anything is not: it is made from the archive, as ever

So a draft decides nothing. It only spares work at the end, and one that is missing, old or wrong costs nothing but
that. A run begins and ends without any: what a killed run has left is deleted and never read.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from xxhash import xxh3_128_digest

from weft.errors import told_in_words
from weft.mirror.paths import half_written
from weft.mirror.rows import FILE, TARGET
from weft.mirror.site.disk_file import set_time, write_part
from weft.mirror.site.targets import MAX_REDIRECTS, REMEMBERED_URLS
from weft.state import State
from weft.types import PageRow
from weft.url import url_id

FOLDER: Final = "drafts"
NOWHERE: Final = bytes(16)  # in the place of a file's hash: the link leads out of the mirror
_ID_BYTES: Final = 16
_LENGTH_BYTES: Final = 8


class Basis(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a draft was made by."""

    path: str
    page: bytes  # hash of its row: another answer, or charset, is another file
    links: bytes  # id of the URL and hash of the file of each, in a row
    by_scripts: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Basis).decode


def row_hash(page: PageRow) -> bytes:
    """A page row, in short."""
    return xxh3_128_digest(_encode(page))


def hash_of(path: str | None) -> bytes:
    """A file by its name, for a row of links."""
    return NOWHERE if path is None else xxh3_128_digest(path.encode())


def remove_drafts(crawl_folder: Path) -> None:
    """A run begins, or has ended."""
    shutil.rmtree(crawl_folder / FOLDER, ignore_errors=True)


class Drafts:
    """The drafts of one mirror."""

    def __init__(self, crawl_folder: Path) -> None:
        self._folder = f"{crawl_folder}/{FOLDER}"

    def has(self, page_id: bytes) -> bool:
        """Whether there is one of this URL."""
        return os.path.exists(self._place(page_id))

    def write(self, page_id: bytes, body: bytes, basis: Basis) -> None:
        """Add a draft, whole or not at all."""
        place, behind = self._place(page_id), _encode(basis)
        part = half_written(place)
        with told_in_words(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            write_part(part, (body, behind, len(behind).to_bytes(_LENGTH_BYTES, "big")))
            os.replace(part, place)

    def basis_of(self, page_id: bytes) -> Basis | None:
        """What a draft was made by; None if there is none that can be read."""
        try:
            with open(self._place(page_id), "rb", buffering=0) as file:
                return _decode(_behind(file.fileno()))
        except (OSError, msgspec.MsgspecError):
            return None

    def discard(self, page_id: bytes) -> None:
        """Make room for the file that is made in the place of a draft."""
        with suppress(OSError):
            os.unlink(self._place(page_id))

    def move(self, page_id: bytes, final: str, last_modified: bytes) -> None:
        """Make a draft the file of its URL; its folder must be there."""
        place = self._place(page_id)
        fd = os.open(place, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.truncate(fd, os.fstat(fd).st_size - _LENGTH_BYTES - len(_behind(fd)))
            set_time(fd, last_modified)
        finally:
            os.close(fd)
        os.replace(place, final)

    def _place(self, page_id: bytes) -> str:
        name = page_id.hex()
        return f"{self._folder}/{name[-2:]}/{name}"


class Outcomes:
    """Where links lead in the end, by the ids of their URLs."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._hash_of = lru_cache(REMEMBERED_URLS)(self._found)

    def are_as(self, links: bytes) -> bool:
        """Whether each link leads where a draft has it."""
        step = 2 * _ID_BYTES
        return all(
            self._hash_of(links[at : at + _ID_BYTES]) == links[at + _ID_BYTES : at + step]
            for at in range(0, len(links), step)
        )

    def _found(self, page_id: bytes) -> bytes:
        for _ in range(MAX_REDIRECTS):
            row = self._state.get("mirror", TARGET + page_id)
            if row is None:
                return NOWHERE
            if row[:1] == FILE:
                return xxh3_128_digest(row[1:])
            page_id = url_id(row[1:].decode())
        return NOWHERE


def _behind(fd: int) -> bytes:
    size = os.fstat(fd).st_size
    length = int.from_bytes(os.pread(fd, _LENGTH_BYTES, size - _LENGTH_BYTES), "big")
    return os.pread(fd, length, size - _LENGTH_BYTES - length)
