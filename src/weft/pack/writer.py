"""Writing a zip file: members one behind the other, then the list of them. Nothing is held in memory but a chunk."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import IO, BinaryIO, Final

import msgspec

from weft.pack.walk import CHUNK_BYTES, Advance
from weft.pack.zip_format import DEFLATED, STORED, End, Member, central_header, end_of_zip, local_header

LEVEL: Final = 6


class ChangedMeanwhile(Exception):
    """A file had another length than it said at first."""


class ZipWriter:
    """A zip file as it is written. The list of its members grows in a file without a name, in the folder `scratch`."""

    def __init__(self, out: BinaryIO, scratch: Path) -> None:
        self._out = out
        self._list = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 — `close` closes it
        self._members = 0
        self._offset = 0

    def add(self, name: str, file: IO[bytes], size_bytes: int, *, is_packed: bool, advance: Advance) -> str:
        """Add a file that has `size_bytes`, from where it stands; its SHA-256."""
        method = DEFLATED if is_packed and size_bytes else STORED
        member = Member(name, method, 0, 0, size_bytes, self._offset)
        self._out.seek(self._offset + len(local_header(member)))
        digest = hashlib.sha256()
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS) if method == DEFLATED else None
        crc = packed_bytes = read_bytes = 0
        while chunk := file.read(min(CHUNK_BYTES, size_bytes - read_bytes + 1)):
            read_bytes += len(chunk)
            if read_bytes > size_bytes:
                break
            digest.update(chunk)
            crc = zlib.crc32(chunk, crc)
            packed_bytes += self._out.write(packer.compress(chunk) if packer else chunk)
            advance(len(chunk))
        if read_bytes != size_bytes:
            raise ChangedMeanwhile
        if packer:
            packed_bytes += self._out.write(packer.flush())
        self._finish(msgspec.structs.replace(member, crc=crc, packed_bytes=packed_bytes))
        return digest.hexdigest()

    def _finish(self, member: Member) -> None:
        self._out.seek(self._offset)
        self._out.write(local_header(member))
        self._list.write(central_header(member))
        self._members += 1
        self._offset = member.end

    def finish(self) -> int:
        """Write the list and the end; how long the file is."""
        list_bytes = self._list.tell()
        self._list.seek(0)
        self._out.seek(self._offset)
        shutil.copyfileobj(self._list, self._out, CHUNK_BYTES)
        self._out.write(end_of_zip(End(self._members, list_bytes, self._offset)))
        return self._out.tell()

    def close(self) -> None:
        """Let go of the list."""
        self._list.close()
