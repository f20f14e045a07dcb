"""The Fetched that comes of an FTP server's answer: the table in the package's docstring, as code. Pure."""

from __future__ import annotations

import re
from calendar import timegm
from email.utils import formatdate
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from weft.fetch.ftp.session import Refused
from weft.fetch.head import Headers
from weft.regex import regex

LISTING_TYPE: Final = b"text/html; charset=utf-8"
TEXT_TYPE: Final = b"text/plain; charset=utf-8"

_NO_LOGIN: Final = (331, 332, 430, 530, 532)
_NOT_KNOWN: Final = (500, 502, 504)
_TYPE_CODE: Final = regex(rb";type=[aid]\Z", re.IGNORECASE)  # RFC 1738 §3.2.2; every file comes as it is
_NOT_IN_A_COMMAND: Final = regex(rb"[\0\r\n]")


class FtpPath(NamedTuple):
    """What a URL asks for."""

    name: bytes  # from the folder where a visitor begins; with a slash in front it begins at the server's root
    is_folder: bool

    def path_from(self, home: bytes) -> bytes:
        """The whole path on the server."""
        if self.name.startswith(b"/"):
            return self.name
        return home.rstrip(b"/") + b"/" + self.name


def path_asked(request_path: str) -> FtpPath | None:
    """Where the path of a URL leads; None for one that no command can name."""
    whole = unquote_to_bytes(request_path[1:])
    name = _TYPE_CODE.sub(b"", whole)
    if _NOT_IN_A_COMMAND.search(name):
        return None  # a link could give commands of its own
    is_folder = name == b"" or name.endswith(b"/") or whole[len(name) :].lower() == b";type=d"
    return FtpPath(name.rstrip(b"/") or name[:1], is_folder)


def status_of(refused: Refused) -> int:
    """The HTTP status that says the same."""
    code = refused.reply.code
    if refused.is_for_now:
        return 503
    if code in _NO_LOGIN:
        return 401
    if code in _NOT_KNOWN:
        return 501
    return 500 if code < 500 else 404


def http_date(moment: bytes) -> bytes:
    """`20261115145837`, which is UTC, as HTTP writes it; empty when it is no time."""
    try:
        parts = [int(moment[start:end]) for start, end in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))]
        return formatdate(timegm((*parts, 0, 0, 0)), usegmt=True).encode()
    except (ValueError, OverflowError):
        return b""


def headers_of(media_type: bytes, body_bytes: int, last_modified: bytes = b"") -> Headers:
    """The headers that a web server would have sent."""
    headers: Headers = ((b"content-type", media_type), (b"content-length", b"%d" % body_bytes))
    return (*headers, (b"last-modified", last_modified)) if last_modified else headers
