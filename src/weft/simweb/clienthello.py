"""The first message of a TLS handshake, read as far as the server needs it: the name that is asked for. Pure.

It is read before any TLS is spoken, because the version that a host offers and the ways in which it breaks
off depend on its name (RFC 8446 §4.1.2, RFC 6066 §3).
"""

from __future__ import annotations

import struct

_HANDSHAKE = 22
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_HOST_NAME = 0
_RECORD_HEADER = struct.Struct(">BHH")  # type, version, length
_MESSAGE_HEADER_BYTES = 4
_FIXED_BYTES = 2 + 32  # version and random


class NotTlsError(ValueError):
    """What came is no TLS handshake."""


def read_server_name(data: bytes) -> str | None:
    """The name in a ClientHello, in lower case; empty if it has none; None as long as the message is not whole."""
    message = _first_message(data)
    if message is None:
        return None
    if message[0] != _CLIENT_HELLO:
        raise NotTlsError("the handshake does not start with a ClientHello")
    try:
        return _server_name(message[_MESSAGE_HEADER_BYTES:])
    except (IndexError, struct.error) as error:
        raise NotTlsError("the ClientHello ends too early") from error


def _first_message(data: bytes) -> bytes | None:
    """The first handshake message, put together from its records; None if it is not whole."""
    message = b""
    at = 0
    while len(data) >= at + _RECORD_HEADER.size:
        kind, _, length = _RECORD_HEADER.unpack_from(data, at)
        if kind != _HANDSHAKE:
            raise NotTlsError("not a TLS handshake")
        at += _RECORD_HEADER.size
        message += data[at : at + length]
        at += length
        if len(message) >= _MESSAGE_HEADER_BYTES:
            whole = _MESSAGE_HEADER_BYTES + int.from_bytes(message[1:4])
            if len(message) >= whole:
                return message[:whole]
    if data and data[0] != _HANDSHAKE:
        raise NotTlsError("not a TLS handshake")
    return None


def _server_name(hello: bytes) -> str:
    at = _FIXED_BYTES
    at += 1 + hello[at]  # session id
    at += 2 + _number(hello, at)  # cipher suites
    at += 1 + hello[at]  # compression methods
    at += 2  # length of all extensions
    while at + 4 <= len(hello):
        kind, length = struct.unpack_from(">HH", hello, at)
        at += 4
        if kind == _SERVER_NAME and hello[at + 2] == _HOST_NAME:
            name_bytes = _number(hello, at + 3)
            return hello[at + 5 : at + 5 + name_bytes].decode("latin-1").lower()
        at += length
    return ""


def _number(data: bytes, at: int) -> int:
    number: int = struct.unpack_from(">H", data, at)[0]
    return number
