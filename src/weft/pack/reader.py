"""Reading a pack: every byte of it is looked at, and whatever is not as weft writes it is refused with its name."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from io import BufferedReader, RawIOBase
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Self

import msgspec

from weft.errors import BadInput, told_in_words
from weft.pack.damage import DamagedPack
from weft.pack.manifest import Entry, Manifest, shown
from weft.pack.names import MANIFEST, OWN_FOLDER
from weft.pack.signing import MAX_SIGNATURE_BYTES, SIGNATURES
from weft.pack.walk import CHUNK_BYTES, Advance
from weft.pack.zip_format import (
    DEFLATED,
    END_64_BYTES,
    END_BYTES,
    MARK_BYTES,
    Member,
    NotOurs,
    end_of_zip,
    local_header,
    name_in_local_header,
    read_central,
    read_end,
)

DAMAGED_LINE: Final = "its line in the zip's list is damaged"
OWN_NAMES: Final = frozenset({MANIFEST, *SIGNATURES.values()})
_LONGEST_HEADER_BYTES: Final = 1 << 17
# Each file's line has a checksum, which packs to half of its length; only those of equal files pack further. It is
# written to the disk before its signature can be checked, so it may not be a bomb.
_MOST_MANIFEST_PER_PACKED_BYTE: Final = 256
_SHORT_MANIFEST_BYTES: Final = 1 << 20


class PackReader:
    """An open pack, whose ends, list and manifest are in order; its files are not looked at yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("rb")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error
        with ExitStack() as stack:
            stack.enter_context(self._file)
            self._read_end()
            self._own = self._find_own()
            self.manifest = Manifest(self._spooled_manifest(stack))
            signed = {name: member for name, member in self._own.items() if name in SIGNATURES.values()}
            self.signatures = {name: self._signature(member) for name, member in signed.items()}
            self._open_files = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open_files.close()

    def members(self) -> Iterator[tuple[Entry, Member]]:
        """Each file that the pack holds, beside what the manifest says of it."""
        listed = (member for member in self._members() if member.name not in self._own)
        for entry, member in zip_longest(self.manifest.held(), listed):
            if entry is None or member is None or entry.path != member.name:
                raise self._mismatch(entry, member)
            yield entry, member

    def copy(self, entry: Entry, member: Member, out: IO[bytes] | None, advance: Advance) -> None:
        """Write a file's content to `out`, if there is one; DamagedPack when it is not what the manifest says."""
        if member.bytes != entry.bytes:
            raise DamagedPack(entry.path, f"it has {member.bytes:,} bytes, and {entry.bytes:,} by the manifest")
        digest = hashlib.sha256()
        for chunk in self._content(member):
            digest.update(chunk)
            if out is not None:
                out.write(chunk)
            advance(len(chunk))
        if digest.hexdigest() != entry.sha256:
            raise DamagedPack(entry.path, "its content differs from what the manifest says")

    def _read_end(self) -> None:
        size_bytes = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size_bytes - END_BYTES - END_64_BYTES))
        try:
            end = read_end(self._file.read())
        except NotOurs:
            raise DamagedPack(self.path.name, "it is no pack, or its end is damaged or missing") from None
        self._list_offset = end.list_offset
        self._members_count = end.members
        self._list_end = end.list_offset + end.list_bytes
        if size_bytes - self._list_end != len(end_of_zip(end)):
            raise DamagedPack(self.path.name, "something was cut out of it, or put into it")

    def _members(self) -> Iterator[Member]:
        """What the list names, in order. Each must begin where the one before ends: nothing lies between or twice."""
        lines = BufferedReader(_Window(self._file.fileno(), self._list_offset), CHUNK_BYTES)
        mark = lines.read(MARK_BYTES)
        offset = 0
        for _ in range(self._members_count):
            try:
                member, mark = read_central(mark, lines, offset)
            except NotOurs:
                raise DamagedPack(self._name_at(offset) or self.path.name, DAMAGED_LINE) from None
            offset = member.end
            yield member
        if offset != self._list_offset or self._list_offset + lines.tell() - MARK_BYTES != self._list_end:
            raise DamagedPack(self.path.name, "its list does not fit its length")

    def _find_own(self) -> dict[str, Member]:
        """The members that weft added, which come last. Each header is compared with its line in the list."""
        own: dict[str, Member] = {}
        for member in self._members():
            names = (member.name, self._name_if_sound(member))
            ours = next((name for name in names if name in OWN_NAMES), "")
            if names[0] != names[1] and ours:
                raise DamagedPack(ours, "its header in the zip is damaged, or its line in the list")
            if ours and ours not in own and (own or ours == MANIFEST):
                own[ours] = member
            elif ours or own:
                raise DamagedPack(shown(member.name), "it is in the pack twice, or where it does not belong")
        if MANIFEST not in own:
            raise DamagedPack(self.path.name, f"it has no manifest, {MANIFEST}, so it is no pack, or not whole")
        return own

    def _name_if_sound(self, member: Member) -> str:
        """The name in a member's header, if that is right in all else. Which name is right, the manifest knows."""
        header = os.pread(self._file.fileno(), len(local_header(member)), member.offset)
        name = name_in_local_header(header)
        if local_header(msgspec.structs.replace(member, name=name)) != header:
            raise DamagedPack(shown(member.name), "its header in the zip is damaged, or its line in the list")
        return name

    def _mismatch(self, entry: Entry | None, member: Member | None) -> DamagedPack:
        """What it means that manifest and list do not name the same file at the same place."""
        if member is not None and entry is not None and self._name_at(member.offset) == entry.path:
            return DamagedPack(entry.path, DAMAGED_LINE)
        if member is None or (entry is not None and entry.path < member.name):
            assert entry is not None
            return DamagedPack(entry.path, "it is in the manifest but not in the pack")
        return DamagedPack(shown(member.name), "it is in the pack but not in its manifest")

    def _spooled_manifest(self, stack: ExitStack) -> IO[bytes]:
        """A copy that can be read again and again; on disk, for it may be long."""
        member = self._own[MANIFEST]
        if member.bytes > _SHORT_MANIFEST_BYTES + _MOST_MANIFEST_PER_PACKED_BYTE * member.packed_bytes:
            raise DamagedPack(MANIFEST, "it unpacks to more than a list of files can")
        spool = stack.enter_context(tempfile.TemporaryFile(prefix="weft-"))  # noqa: SIM115 — the stack closes it
        with told_in_words(f"a copy of the manifest in {tempfile.gettempdir()}"):
            try:
                for chunk in self._content(member):
                    spool.write(chunk)
                spool.flush()
            except OSError:
                with suppress(OSError):  # what it holds can still not be written
                    spool.close()
                raise
        return spool

    def _signature(self, member: Member) -> bytes:
        if member.bytes > MAX_SIGNATURE_BYTES:
            raise DamagedPack(member.name, "it is too long for a signature")
        return b"".join(self._content(member))

    def _content(self, member: Member) -> Iterator[bytes]:
        """A member's content; DamagedPack when its header, length or CRC are wrong."""
        header = local_header(member)
        self._file.seek(member.offset)
        if self._file.read(len(header)) != header:
            raise DamagedPack(member.name, "its header in the zip is damaged")
        pieces = self._unpacked(member) if member.method == DEFLATED else self._chunks(member.packed_bytes)
        crc = size_bytes = 0
        for chunk in pieces:
            crc = zlib.crc32(chunk, crc)
            size_bytes += len(chunk)
            if size_bytes > member.bytes:
                break
            yield chunk
        if (crc, size_bytes) != (member.crc, member.bytes):
            raise DamagedPack(member.name, "its content is damaged")

    def _unpacked(self, member: Member) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for packed in self._chunks(member.packed_bytes):
                while packed:
                    if unpacker.eof:
                        raise DamagedPack(member.name, "its content is damaged")
                    yield unpacker.decompress(packed, CHUNK_BYTES)
                    packed = unpacker.unconsumed_tail or unpacker.unused_data
            while chunk := unpacker.decompress(b"", CHUNK_BYTES):
                yield chunk
        except zlib.error:
            raise DamagedPack(member.name, "its content is damaged") from None
        if not unpacker.eof:
            raise DamagedPack(member.name, "its content is damaged")

    def _chunks(self, size_bytes: int) -> Iterator[bytes]:
        while size_bytes and (chunk := self._file.read(min(CHUNK_BYTES, size_bytes))):
            size_bytes -= len(chunk)
            yield chunk

    def _name_at(self, offset: int) -> str:
        return shown(name_in_local_header(os.pread(self._file.fileno(), _LONGEST_HEADER_BYTES, offset)))


class _Window(RawIOBase):
    """A file from a place on, with a place of its own: what else reads the file does not move it."""

    def __init__(self, fd: int, start: int) -> None:
        self._fd = fd
        self._start = start
        self._read_bytes = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        return self._read_bytes

    def readinto(self, buffer: Any) -> int:
        count = os.preadv(self._fd, [buffer], self._start + self._read_bytes)
        self._read_bytes += count
        return count


def save_manifest(manifest: Manifest, signatures: dict[str, bytes], folder: Path) -> None:
    """Write the manifest and its signatures below a folder, where a zip tool would put them."""
    (folder / OWN_FOLDER).mkdir(parents=True, exist_ok=True)
    with (folder / MANIFEST).open("wb") as out:
        shutil.copyfileobj(manifest.file, out, CHUNK_BYTES)
    for name, signature in signatures.items():
        (folder / name).write_bytes(signature)
