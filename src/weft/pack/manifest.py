"""The manifest: a line for the pack, then a line a file, sorted by path.

    {"weft_pack":1,"made_at":"2026-11-15T12:00:00Z","made_by":"weft 0.1","files":2,"bytes":5120,...}
    {"path":"example.org/index.html","bytes":5000,"sha256":"9f86…","type":"text/html"}
    {"path":"example.org/logo.png","bytes":120,"sha256":"60303ae2…","type":"image/png","change":"new"}

A pack of changes lists all files too, but holds only those that are new or changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import IO, Annotated, Final, TypeVar

import msgspec
from msgspec import Meta

from weft.pack.damage import DamagedPack
from weft.pack.names import MANIFEST, Tree, refusal_of

VERSION: Final = 1
MAX_LINE_BYTES: Final = 1 << 16
# Once, all seeds of a mirror were named in it. Those of now fit into MAX_LINE_BYTES, and wefts of then can read them.
MAX_HEADER_BYTES: Final = 1 << 24

_Count = Annotated[int, Meta(ge=0)]
_Digest = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{64})?\Z")]


class Change(StrEnum):
    """What became of a file since the earlier pack."""

    SAME = ""  # of a whole pack: nothing is said
    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    weft_pack: int
    made_at: str
    made_by: str
    sources: tuple[str, ...] = ()
    more_sources: _Count = 0  # those that are not named
    since: _Digest | None = None  # SHA-256 of the manifest to which the changes are; None for a whole pack
    files: _Count  # all that there are once it is unpacked
    bytes: _Count
    packed_files: _Count  # those that this pack holds
    packed_bytes: _Count
    new: _Count = 0
    changed: _Count = 0
    removed: _Count = 0


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file."""

    path: str
    bytes: _Count = 0
    sha256: _Digest = ""
    type: str = ""
    change: Change = Change.SAME
    was: _Digest = ""  # SHA-256 of what was there before


class _Version(msgspec.Struct):
    weft_pack: int


_encoder = msgspec.json.Encoder()
_header_decoder = msgspec.json.Decoder(Header)
_entry_decoder = msgspec.json.Decoder(Entry)


def line_of(row: Header | Entry) -> bytes:
    """A line of the manifest."""
    return _encoder.encode(row) + b"\n"


class Manifest:
    """A manifest in a file that can be read more than once."""

    def __init__(self, file: IO[bytes], name: str = MANIFEST) -> None:
        self._file = file
        self._name = name
        file.seek(0)
        self.header = self._read_header(file.readline(MAX_HEADER_BYTES))

    @property
    def is_whole(self) -> bool:
        """Whether the pack holds all files, not only what changed."""
        return self.header.since is None

    @property
    def file(self) -> IO[bytes]:
        """The bytes, from their beginning."""
        self._file.seek(0)
        return self._file

    def sha256(self) -> str:
        """What tells this manifest from all others."""
        digest = hashlib.sha256()
        file = self.file
        while chunk := file.read(1 << 18):
            digest.update(chunk)
        return digest.hexdigest()

    def entries(self) -> Iterator[Entry]:
        """All lines but the first, checked: order, names, sums."""
        self._file.seek(0)
        self._file.readline(MAX_HEADER_BYTES)
        tree = Tree()
        last_path = ""
        files = size_bytes = 0
        while line := self._file.readline(MAX_LINE_BYTES):
            entry = self._read_entry(line)
            if entry.path <= last_path:
                raise DamagedPack(entry.path, "it is listed twice, or out of order")
            last_path = entry.path
            if entry.change is not Change.REMOVED:
                self._refuse_if(tree.refusal_of(entry.path), entry)
                files += 1
                size_bytes += entry.bytes
            yield entry
        if (files, size_bytes) != (self.header.files, self.header.bytes):
            raise DamagedPack(self._name, "its first line tells of other sums than its other lines")

    def state(self) -> Iterator[Entry]:
        """The files that there are when it is unpacked."""
        return (entry for entry in self.entries() if entry.change is not Change.REMOVED)

    def held(self) -> Iterator[Entry]:
        """The files that the pack holds."""
        return (entry for entry in self.state() if self.is_whole or entry.change is not Change.SAME)

    def _read_header(self, line: bytes) -> Header:
        try:
            version = msgspec.json.decode(line, type=_Version).weft_pack
            if version == VERSION:
                return _header_decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DamagedPack(self._name, f"its first line cannot be read: {error}") from error
        raise DamagedPack(self._name, f"it is of version {version}, and this weft reads version {VERSION}")

    def _read_entry(self, line: bytes) -> Entry:
        try:
            entry = _entry_decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DamagedPack(self._name, f"a line cannot be read: {error}") from error
        self._refuse_if(refusal_of(entry.path), entry)
        is_removed = entry.change is Change.REMOVED
        has_past = entry.change in (Change.CHANGED, Change.REMOVED)
        if is_removed == bool(entry.sha256) or has_past != bool(entry.was) or not line.endswith(b"\n"):
            raise DamagedPack(entry.path, "its line in the manifest is not whole")
        if self.is_whole and entry.change is not Change.SAME:
            raise DamagedPack(entry.path, "the manifest tells of a change, but not since when")
        return entry

    def _refuse_if(self, why: str, entry: Entry) -> None:
        if why:
            raise DamagedPack(shown(entry.path), f"it may not be in a pack: {why}")


_Left = TypeVar("_Left")
_Right = TypeVar("_Right")


def side_by_side(
    left: Iterable[tuple[str, _Left]], right: Iterable[tuple[str, _Right]]
) -> Iterator[tuple[str, _Left | None, _Right | None]]:
    """Two sorted lists joined by their paths; None where one of them lacks a path."""
    lefts, rights = iter(left), iter(right)
    one, other = next(lefts, None), next(rights, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield one[0], one[1], None
            one = next(lefts, None)
        elif one is None or other[0] < one[0]:
            yield other[0], None, other[1]
            other = next(rights, None)
        else:
            yield one[0], one[1], other[1]
            one, other = next(lefts, None), next(rights, None)


def shown(path: str) -> str:
    """A path that can be printed, whatever it has in it."""
    return path if path.isprintable() else ascii(path)
