"""Conditional requests (RFC 9110 §13): has the page changed since we were here?

The answer 304 is a response like any other; what it means for the archive is the caller's to say.
"""

from __future__ import annotations

from typing import Final

import msgspec

from weft.fetch.head import Headers
from weft.regex import regex

_NOT_IN_A_VALUE: Final = regex(rb"[\0-\x08\x0a-\x1f\x7f]")
_MAX_VALUE_BYTES: Final = 1024  # a server that names its pages at such length need not hear it again


class Validators(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What a server called the version of a page that it sent: its own bytes, which it wants to read again."""

    etag: bytes = b""
    last_modified: bytes = b""

    def header_lines(self) -> bytes:
        """Both are sent; a server that knows the first ignores the second."""
        lines = b""
        if _may_be_sent(self.etag):
            lines += b"If-None-Match: %b\r\n" % self.etag
        if _may_be_sent(self.last_modified):
            lines += b"If-Modified-Since: %b\r\n" % self.last_modified
        return lines


def validators_of(headers: Headers) -> Validators | None:
    """The validators of a response, for the next request; None when it has none."""
    found = dict(reversed(headers))  # of two that have the same name the first counts
    validators = Validators(found.get(b"etag", b""), found.get(b"last-modified", b""))
    return validators if validators.header_lines() else None


def _may_be_sent(value: bytes) -> bool:
    return 0 < len(value) <= _MAX_VALUE_BYTES and not _NOT_IN_A_VALUE.search(value)
