"""The bytes of a zip file's headers, in the one form in which weft writes them. Pure.

All that may vary is fixed: times (1980), rights (0644), names in UTF-8, no comments, no data descriptors, 64-bit fields
exactly where they are needed. So a reader makes a header again from its few facts and compares all bytes.
(APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14–16, 4.5.3.)
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

import msgspec

STORED: Final = 0
DEFLATED: Final = 8

MARK_BYTES: Final = 4
_LIST_MARKS = (b"PK\1\2", b"PK\5\6", b"PK\6\6")

_FULL_16 = 0xFFFF
_FULL_32 = 0xFFFFFFFF
_FULL_64 = 0xFFFFFFFFFFFFFFFF
# By its size alone, so that a header's length is known before its file is packed; deflate adds less than a thousandth.
LARGE_FROM_BYTES: Final = 0xF000_0000
_DEFLATE_SLACK_BYTES = 64

_UTF8_NAMES = 0x800
_DOS_DATE = 0x0021  # 1980-01-01, the first there is
_PLAIN_FILE = 0o100644 << 16
_UNIX = 3 << 8
_VERSION = 20
_VERSION_64 = 45

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_END_64 = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR_64 = struct.Struct("<4sIQI")

END_BYTES: Final = _END.size
END_64_BYTES: Final = _END_64.size + _LOCATOR_64.size


class NotOurs(Exception):
    """Bytes that weft does not write so."""


class Member(msgspec.Struct, frozen=True):
    """A file in a zip."""

    name: str
    method: int
    crc: int
    packed_bytes: int
    bytes: int
    offset: int

    @property
    def end(self) -> int:
        """Where the next member begins."""
        return self.offset + len(local_header(self)) + self.packed_bytes


class End(msgspec.Struct, frozen=True):
    """What the end of a zip says."""

    members: int
    list_bytes: int
    list_offset: int


def local_header(member: Member) -> bytes:
    """What stands before a member's data."""
    name = member.name.encode()
    is_large = member.bytes >= LARGE_FROM_BYTES
    extra = _extra(member.bytes, member.packed_bytes) if is_large else b""
    sizes = (_FULL_32, _FULL_32) if is_large else (member.packed_bytes, member.bytes)
    version = _VERSION_64 if is_large else _VERSION
    head = (b"PK\3\4", version, _UTF8_NAMES, member.method, 0, _DOS_DATE, member.crc, *sizes, len(name), len(extra))
    return _LOCAL.pack(*head) + name + extra


def central_header(member: Member) -> bytes:
    """What stands for a member in the list at the end."""
    name = member.name.encode()
    is_large = member.bytes >= LARGE_FROM_BYTES
    is_far = member.offset >= _FULL_32
    sizes = (_FULL_32, _FULL_32) if is_large else (member.packed_bytes, member.bytes)
    extra = _extra(*([member.bytes, member.packed_bytes] * is_large), *([member.offset] * is_far))
    version = _VERSION_64 if is_large or is_far else _VERSION
    return (
        _CENTRAL.pack(
            *(b"PK\1\2", _UNIX | version, version, _UTF8_NAMES, member.method, 0, _DOS_DATE, member.crc, *sizes),
            *(len(name), len(extra), 0, 0, 0, _PLAIN_FILE, _FULL_32 if is_far else member.offset),
        )
        + name
        + extra
    )


def end_of_zip(end: End) -> bytes:
    """What stands behind the list."""
    members, list_bytes, list_offset = end.members, end.list_bytes, end.list_offset
    before = b""
    if members >= _FULL_16 or list_bytes >= _FULL_32 or list_offset >= _FULL_32:
        size = _END_64.size - 12  # of what follows this field
        facts = (members, members, list_bytes, list_offset)
        before = _END_64.pack(b"PK\6\6", size, _UNIX | _VERSION_64, _VERSION_64, 0, 0, *facts)
        before += _LOCATOR_64.pack(b"PK\6\7", 0, list_offset + list_bytes, 1)
    members = min(members, _FULL_16)
    facts = (members, members, min(list_bytes, _FULL_32), min(list_offset, _FULL_32))
    return before + _END.pack(b"PK\5\6", 0, 0, *facts, 0)


def read_end(tail: bytes) -> End:
    """What the last bytes of a file say; `tail` has END_BYTES + END_64_BYTES of them, or all that there are."""
    if len(tail) < END_BYTES:
        raise NotOurs
    _, _, _, members, _, list_bytes, list_offset, _ = _END.unpack(tail[-END_BYTES:])
    end = End(members, list_bytes, list_offset)
    if members == _FULL_16 or _FULL_32 in (list_bytes, list_offset):
        if len(tail) < END_BYTES + END_64_BYTES:
            raise NotOurs
        *_, members, _, list_bytes, list_offset = _END_64.unpack_from(tail, len(tail) - END_BYTES - END_64_BYTES)
        end = End(members, list_bytes, list_offset)
    if list_bytes + list_offset > _FULL_64 or not tail.endswith(end_of_zip(end)):
        raise NotOurs
    return end


def read_central(mark: bytes, file: BinaryIO, offset: int) -> tuple[Member, bytes]:
    """The member of which the list tells next; NotOurs when weft would have written it otherwise.

    `mark` is the line's first four bytes. Those of the next are read too: if they are none, this one's length is wrong.
    """
    head = mark + file.read(_CENTRAL.size - MARK_BYTES)
    if len(head) < _CENTRAL.size:
        raise NotOurs
    _, _, _, _, method, _, _, crc, packed_bytes, size, name_bytes, extra_bytes, *_ = _CENTRAL.unpack(head)
    name, extra = file.read(name_bytes), file.read(extra_bytes)
    if size == _FULL_32 and len(extra) >= 20:
        size, packed_bytes = struct.unpack_from("<QQ", extra, 4)
    member = Member(_text(name), method, crc, packed_bytes, size, offset)
    if method not in (STORED, DEFLATED) or packed_bytes > size + size // 1000 + _DEFLATE_SLACK_BYTES:
        raise NotOurs
    next_mark = file.read(MARK_BYTES)
    if central_header(member) != head + name + extra or not _is_nearly_a_mark(next_mark):
        raise NotOurs
    return member, next_mark


def name_in_local_header(data: bytes) -> str:
    """The name in a header at the beginning of `data`, if it can be read: for telling what is damaged."""
    if len(data) < _LOCAL.size or data[:4] != b"PK\3\4":
        return ""
    name_bytes = _LOCAL.unpack_from(data)[-2]
    return data[_LOCAL.size : _LOCAL.size + name_bytes].decode("utf-8", "replace")


def _is_nearly_a_mark(data: bytes) -> bool:
    """Or has one byte that is damaged; then the next line is to blame, not this one."""
    return any(sum(map(int.__ne__, data, mark)) <= 1 for mark in _LIST_MARKS)


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise NotOurs from error


def _extra(*values: int) -> bytes:
    """The field with the numbers that take 64 bits."""
    return struct.pack(f"<HH{len(values)}Q", 1, 8 * len(values), *values) if values else b""
