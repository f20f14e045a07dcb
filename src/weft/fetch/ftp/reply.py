"""What an FTP server says on the control connection (RFC 959 §4.2). No socket here: bytes go in, replies come out."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from weft.errors import FetchError
from weft.regex import regex
from weft.types import Outcome

_MAX_REPLY_BYTES: Final = 64 * 1024
_FIRST_LINE: Final = regex(rb"([1-5]\d\d)([ -]|$)")
_EXTENDED_PORT: Final = regex(rb"\(([!-~])\1\1(\d{1,5})\1\)")
_PORT: Final = regex(rb"\d{1,3},\d{1,3},\d{1,3},\d{1,3},(\d{1,3}),(\d{1,3})")
_QUOTED: Final = regex(rb'"((?:[^"]|"")*)"')
_MAX_PORT: Final = 65_535


class Reply(NamedTuple):
    """One reply, of one line or several."""

    code: int
    lines: tuple[bytes, ...]  # as they came, code included, without their ends

    @property
    def is_preliminary(self) -> bool:
        """Whether another reply to the same command follows."""
        return self.code < 200

    @property
    def is_good(self) -> bool:
        """Whether the command was carried out, or has begun."""
        return self.code < 300

    def words(self) -> str:
        """What a person reads of it."""
        return self.lines[-1].decode("utf-8", "replace")[:200]


class ReplyReader:
    """Cuts what comes into replies."""

    __slots__ = ("_lines", "_pending", "_size_bytes")

    def __init__(self) -> None:
        self._pending = b""
        self._lines: list[bytes] = []  # of a reply that is not whole
        self._size_bytes = 0  # of the same

    def feed(self, data: bytes) -> list[Reply]:
        """The replies that are whole with these bytes. FetchError when they are no FTP."""
        *lines, self._pending = (self._pending + data).split(b"\n")
        self._size_bytes += len(data)
        if self._size_bytes > _MAX_REPLY_BYTES:
            raise FetchError(Outcome.BAD_RESPONSE, "an FTP reply without end")
        replies = []
        for line in lines:
            reply = self._take(line.rstrip(b"\r"))
            if reply is not None:
                replies.append(reply)
                self._lines = []
                self._size_bytes = len(self._pending)
        return replies

    def _take(self, line: bytes) -> Reply | None:
        start = _FIRST_LINE.match(line)
        if not self._lines and start is None:
            raise FetchError(Outcome.BAD_RESPONSE, f"not FTP: {line[:40]!r}")
        self._lines.append(line)
        # Between the first line and the last anything may stand, other codes too.
        if start is None or start[2] == b"-" or start[1] != self._lines[0][:3]:
            return None
        return Reply(int(start[1]), tuple(self._lines))


def passive_port(reply: Reply) -> int | None:
    """Where the server listens for a data connection, by its reply to EPSV or PASV; None if it does not say.

    The address in a reply to PASV is not read: only the one that we are connected to was vetted.
    """
    line = reply.lines[-1]
    if extended := _EXTENDED_PORT.search(line):
        port = int(extended[2])
    elif plain := _PORT.search(line):
        port = 256 * int(plain[1]) + int(plain[2])
    else:
        return None
    return port if 0 < port <= _MAX_PORT else None


def quoted_path(reply: Reply) -> bytes:
    """The folder in a reply to PWD; the root if there is none in it."""
    found = _QUOTED.search(reply.lines[-1])
    return found[1].replace(b'""', b'"') if found and found[1].startswith(b"/") else b"/"


def number_in(reply: Reply) -> bytes:
    """The digits in a reply to SIZE or MDTM: `213 20261115145837.5` → `20261115145837`."""
    found = re.match(rb"\d{3} +(\d+)", reply.lines[-1])
    return found[1] if found else b""
