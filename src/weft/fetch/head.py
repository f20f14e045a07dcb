"""The head of a response: status line and headers, read as leniently as browsers do.

| on the wire | read as |
|---|---|
| bare LF, obsolete folding, blanks around the name | what was meant |
| a line without a colon or without a name | not there |
| `http/1.1 200`, `HTTP/1.1 200OK`, `HTTP/1.1` | status 200 |
| `ICY 200 OK` | HTTP/1.0 |
| equal Content-Lengths, also `5, 5` | one of them |
| unequal Content-Lengths | a bad response, unless the body is chunked |
| a Content-Length that is no number | not there: the body ends with the connection |
| Transfer-Encoding that names chunked | chunked, whatever else is there |
| Transfer-Encoding that does not | no framing; it only needs undoing |

`_head` is built at installation where there is a compiler. It reads what has nothing of all this, to the same result.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from weft.errors import FetchError
from weft.regex import regex
from weft.types import Outcome

try:
    from weft.fetch import _head
except ImportError:  # no compiler was there at installation
    _head = None  # type: ignore[assignment]
if os.environ.get("WEFT_NO_SCANNER"):  # to compare the two, as in `parse.scan`
    _head = None  # type: ignore[assignment]

_FOLD: Final = regex(rb"\r?\n[ \t]+")
_STATUS_LINE: Final = regex(rb"(?:HTTP/(\d+)(?:\.(\d+))?|(ICY))(?![^\s])[ \t]*(\d*)", re.IGNORECASE)
_HEADER_LINE: Final = re.compile(rb"\n([^:\n]*):([^\n]*)")
_FRAMING_NAMES: Final = frozenset((b"connection", b"content-length", b"transfer-encoding"))
_MAX_LENGTH_DIGITS: Final = 18

Headers = tuple[tuple[bytes, bytes], ...]


class Head(NamedTuple):
    """A parsed head, and what it says about the body and the connection."""

    status: int
    headers: Headers  # names in lower case, values without blanks around them
    chunked: bool
    content_length: int | None  # None too when chunked
    keep_alive: bool  # as far as the head decides it


_head_of: Final[Callable[[tuple[object, ...]], Head]] = partial(tuple.__new__, Head)  # as `url.parts._target`


def may_be_http(start: bytes) -> bool:
    """Whether a response may begin like this; false as soon as it cannot, long before the head is whole."""
    return b"HTTP/".startswith(start[:5].upper()) or b"ICY ".startswith(start[:4].upper())


def parse_head(head: bytes, max_headers: int) -> Head:
    """Read a whole head, from the status line to the blank line; FetchError when it is no HTTP."""
    if _head is not None and (usual := _head.read(head, max_headers)) is not None:
        return _head_of(usual)
    return head_in_python(head, max_headers)


def head_in_python(head: bytes, max_headers: int) -> Head:
    """The same for every head, be it as unusual as it may."""
    if b"\n " in head or b"\n\t" in head:
        head = _FOLD.sub(b" ", head)
    if head.count(b"\n") - 2 > max_headers:  # the status line and the blank line
        raise FetchError(Outcome.HEAD_TOO_LARGE, f"more than {max_headers} header lines")
    persistent, status = _parse_status_line(head.partition(b"\n")[0])
    headers = [(name.strip().lower(), value.strip()) for name, value in _HEADER_LINE.findall(head)]
    by_name = dict(headers)
    if by_name.pop(b"", None) is not None:
        headers = [header for header in headers if header[0]]
    if len(by_name) != len(headers):
        for framing in _FRAMING_NAMES:
            if framing in by_name:
                by_name[framing] = b",".join([value for name, value in headers if name == framing])
    return Head(status, tuple(headers), *_decide_framing(by_name, persistent))


def _parse_status_line(line: bytes) -> tuple[bool, int]:
    """Whether connections of this version persist by default, and the status."""
    if line.startswith(b"HTTP/1.1 ") and line[9:12].isdigit() and line[12:13] in b" \r":
        status = int(line[9:12])  # nearly every response there is
        persistent = True
    else:
        match = _STATUS_LINE.match(line)
        if match is None:
            raise FetchError(Outcome.BAD_RESPONSE, f"no HTTP status line: {line[:40]!r}")
        major, minor, _icy, digits = match.groups()
        if len(digits) not in (0, 3):
            raise FetchError(Outcome.BAD_RESPONSE, f"no HTTP status: {line[:40]!r}")
        status = int(digits or b"200")  # browsers take a missing status for success
        persistent = _is_at_least_1_1(major or b"1", minor or b"0")
    if status < 100:
        raise FetchError(Outcome.BAD_RESPONSE, f"no HTTP status: {line[:40]!r}")
    return persistent, status


def _is_at_least_1_1(major: bytes, minor: bytes) -> bool:
    # Compared as text, because a "number" of 5,000 digits must not reach int().
    major = major.lstrip(b"0")
    return major > b"1" or (major == b"1" and bool(minor.lstrip(b"0")))


def _decide_framing(framing: dict[bytes, bytes], persistent: bool) -> tuple[bool, int | None, bool]:
    """chunked, content_length, keep_alive, by RFC 9112 §6.3 and §9.3 with the leniency described above."""
    connection = framing.get(b"connection")
    keep_alive = persistent
    if connection is not None:
        options = _split_list(connection)
        keep_alive = b"close" not in options and (persistent or b"keep-alive" in options)
    encoding = framing.get(b"transfer-encoding")
    length = framing.get(b"content-length")
    if encoding is None:
        return False, None if length is None else _parse_length(length), keep_alive
    codings = [coding.partition(b";")[0].strip() for coding in _split_list(encoding)]
    if b"chunked" in codings:
        # Two framings, or one that HTTP/1.0 does not have: who knows where the next response would begin?
        return True, None, keep_alive and persistent and length is None
    return False, None if length is None else _parse_length(length), False


def _parse_length(value: bytes) -> int | None:
    if value.isdigit() and len(value) <= _MAX_LENGTH_DIGITS:
        return int(value)
    lengths = {part for part in _split_list(value) if part}
    if len(lengths) > 1:
        raise FetchError(Outcome.BAD_RESPONSE, f"contradicting Content-Lengths: {value[:40]!r}")
    single = lengths.pop() if lengths else b""
    return int(single) if single.isdigit() and len(single) <= _MAX_LENGTH_DIGITS else None


def _split_list(value: bytes) -> list[bytes]:
    return [part.strip() for part in value.lower().split(b",")]
