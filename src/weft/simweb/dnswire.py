"""DNS messages, as far as a server of A and AAAA records needs them (RFC 1035, RFC 3596). Pure."""

from __future__ import annotations

import socket
import struct
from enum import IntEnum

import msgspec

TYPE_A = 1
TYPE_AAAA = 28
_CLASS_IN = 1
_HEADER = struct.Struct(">HHHHHH")
_TYPE_AND_CLASS = struct.Struct(">HH")
_IS_RESPONSE = 0x8000
_OPCODE_BITS = 0x7800
_AUTHORITATIVE = 0x0400
_RECURSION_DESIRED = 0x0100
_RECURSION_AVAILABLE = 0x0080
_NAME_OF_QUESTION = 0xC00C  # a pointer to byte 12, where the question starts


class ResponseCode(IntEnum):
    """How a query went."""

    NOERROR = 0
    SERVFAIL = 2
    NXDOMAIN = 3


class BadQueryError(ValueError):
    """A datagram that is no query with one question."""


class Query(msgspec.Struct, frozen=True, gc=False):
    """One question."""

    id: int
    name: str  # in lower case, without the dot at the end
    type: int
    recursion_desired: bool
    question: bytes  # as asked: an answer repeats it letter by letter


def decode_query(datagram: bytes) -> Query:
    """Read a query. What comes after the question (EDNS options) is ignored."""
    try:
        number, flags, questions, *_ = _HEADER.unpack_from(datagram)
        if flags & (_IS_RESPONSE | _OPCODE_BITS) or questions != 1:
            raise BadQueryError("not a standard query with one question")
        labels, end = _read_labels(datagram, _HEADER.size)
        record_type, record_class = _TYPE_AND_CLASS.unpack_from(datagram, end)
    except (struct.error, IndexError) as error:
        raise BadQueryError("the datagram ends too early") from error
    if record_class != _CLASS_IN:
        raise BadQueryError("not of the internet class")
    question = datagram[_HEADER.size : end + _TYPE_AND_CLASS.size]
    name = b".".join(labels).decode("latin-1").lower()
    return Query(number, name, record_type, bool(flags & _RECURSION_DESIRED), question)


def encode_response(
    query: Query, code: ResponseCode = ResponseCode.NOERROR, addresses: tuple[str, ...] = (), ttl_s: int = 0
) -> bytes:
    """Write the response to a query: addresses of its type, an error, or neither (no record of this type)."""
    flags = _IS_RESPONSE | _AUTHORITATIVE | _RECURSION_AVAILABLE | code
    if query.recursion_desired:
        flags |= _RECURSION_DESIRED
    header = _HEADER.pack(query.id, flags, 1, len(addresses), 0, 0)
    return header + query.question + b"".join(_record(query.type, address, ttl_s) for address in addresses)


def type_of_address(address: str) -> int:
    """The type of record that an address is found in."""
    return TYPE_AAAA if ":" in address else TYPE_A


def _record(record_type: int, address: str, ttl_s: int) -> bytes:
    packed = socket.inet_pton(socket.AF_INET6 if record_type == TYPE_AAAA else socket.AF_INET, address)
    return struct.pack(">HHHIH", _NAME_OF_QUESTION, record_type, _CLASS_IN, ttl_s, len(packed)) + packed


def _read_labels(datagram: bytes, at: int) -> tuple[list[bytes], int]:
    """The labels of the name that starts here, and where the name ends."""
    labels = []
    while length := datagram[at]:
        if length > 63:
            raise BadQueryError("a name in a question is not compressed")
        labels.append(datagram[at + 1 : at + 1 + length])
        at += 1 + length
    return labels, at + 1
