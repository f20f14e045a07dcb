"""A request's head, read as far as the server needs it: path, host, and whether the connection stays."""

from __future__ import annotations

import msgspec


class Ask(msgspec.Struct, frozen=True, gc=False):
    """What a client asks for."""

    host: str  # in lower case, without the port or the brackets of an IPv6 address
    path: str  # with the query
    head_only: bool
    keep_alive: bool


def read_ask(head: bytes) -> Ask | None:
    """The request in a head (up to, not including, the blank line), or None when it is none."""
    line, _, rest = head.partition(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1.") or not words[1].startswith(b"/"):
        return None
    # With a line break on both ends every header can be found by one search.
    headers = b"\r\n%b\r\n" % rest.lower()
    host_at = headers.find(b"\r\nhost:")
    if host_at < 0:
        return None
    host = headers[host_at + 7 : headers.index(b"\r\n", host_at + 7)].strip()
    # Of an IPv6 address the colons are no port.
    name = host[1:].partition(b"]")[0] if host.startswith(b"[") else host.partition(b":")[0]
    return Ask(
        host=name.decode("latin-1"),
        path=words[1].decode("latin-1"),
        head_only=words[0] == b"HEAD",
        keep_alive=words[2] != b"HTTP/1.0" and b"\r\nconnection: close" not in headers,
    )
