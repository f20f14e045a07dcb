"""Reads one HTTP/1.1 response from bytes: where its head and its body end, and whether another may follow.

No socket, no clock, no copy of the body: bytes go in, and what belongs to the body comes back as it was,
chunk framing included, because that is what the archive keeps.
"""

from __future__ import annotations

from typing import Final

from weft.errors import FetchError
from weft.fetch.chunks import ChunkScanner
from weft.fetch.head import Headers, may_be_http, parse_head
from weft.types import Outcome

_UNTIL_CLOSE: Final = -1
_MAX_INTERIM_RESPONSES: Final = 16  # 100 Continue, 102 Processing, 103 Early Hints
_BLANKS: Final = b"\r\n \t"
_NO_BODY_STATUSES: Final = frozenset((204, 304))


class ResponseReader:
    """The state of one response.

        head ──▶ body ──▶ done        a `fault` may follow from each of the first two
          ▲ │
          └─┘ interim responses

    Interim responses and blank lines before the status line are dropped; they are not in `head`.
    """

    # As it begins; a response sets what differs.
    fault: FetchError | None = None  # once set, the response and its connection are beyond use
    is_foreign = False  # it begins as no response does
    has_surplus = False  # something came with it that is no part of it
    head_done = False
    body_done = False
    head = b""  # exactly as received, blank line included
    status = 0
    headers: Headers = ()
    chunked = False
    keep_alive = False  # counts once the body is done: may the connection carry another request?
    _skipped_bytes = 0  # blank lines and interim responses
    _interim_responses = 0
    _left_bytes = 0  # of the body, or _UNTIL_CLOSE
    _scanner: ChunkScanner | None = None

    def __init__(
        self, *, head_request: bool = False, max_head_bytes: int = 256 * 1024, max_headers: int = 2000
    ) -> None:
        self._head_request = head_request
        self._max_head_bytes = max_head_bytes
        self._max_headers = max_headers
        self._pending = bytearray()  # an unfinished head

    @property
    def expected_body_bytes(self) -> int | None:
        """How much of the body is still to come, where the server has said it."""
        return None if self._left_bytes == _UNTIL_CLOSE or self._scanner is not None else self._left_bytes

    def feed(self, data: bytes) -> bytes:
        """Take what the connection delivered; returns the part of it that is body."""
        if self.fault is not None:
            return b""
        if not self.head_done:
            try:
                data = self._feed_head(data)
            except FetchError as fault:
                self.fault = fault
                return b""
            if not self.head_done:
                return b""
        return self._feed_body(data)

    def feed_eof(self) -> None:
        """The connection has ended. `body_done` tells whether that makes the response whole."""
        if self.head_done and self.fault is None:
            if self._scanner is not None:
                # Only the blank line after the last chunk may be missing.
                self.body_done = self.body_done or self._scanner.last_chunk_seen
            elif self._left_bytes == _UNTIL_CLOSE:
                self.body_done = True
        self.keep_alive = False

    def _feed_head(self, data: bytes) -> bytes:
        """Look for the head's end and parse it; returns what follows it."""
        pending = self._pending
        most_bytes = self._max_head_bytes - self._skipped_bytes
        if data.startswith(b"HTTP/") and not pending and 0 < (end := _find_head_end(data, 0)) <= most_bytes:
            if self._take_head(data[:end]):  # nearly always: it begins as it should, and comes at once
                return data[end:]
            data = data[end:]
        while data or pending:
            searched = max(0, len(pending) - 2)  # what is pending has been searched, but for a cut-off end
            unread: bytes | bytearray = data
            if pending:
                pending += data
                unread = pending
            elif data[0] in _BLANKS:
                unread = data.lstrip(_BLANKS)
                self._skipped_bytes += len(data) - len(unread)
            if not may_be_http(bytes(unread[:5])):
                self.is_foreign = True
                raise FetchError(Outcome.BAD_RESPONSE, f"not HTTP: {bytes(unread[:40])!r}")
            end = _find_head_end(unread, searched)
            if self._skipped_bytes + (end or len(unread)) > self._max_head_bytes:
                raise FetchError(Outcome.HEAD_TOO_LARGE, f"more than {self._max_head_bytes} bytes")
            if not end:
                if unread is not pending:
                    pending += unread
                return b""
            head = bytes(unread[:end])
            data = bytes(unread[end:])
            pending.clear()
            if self._take_head(head):
                return data
        return b""

    def _take_head(self, head: bytes) -> bool:
        """Parse a head; false for an interim response, which another one follows."""
        status, headers, chunked, length, keep_alive = parse_head(head, self._max_headers)
        if 100 <= status < 200:
            self._interim_responses += 1
            self._skipped_bytes += len(head)
            if status == 101 or self._interim_responses > _MAX_INTERIM_RESPONSES:
                raise FetchError(Outcome.BAD_RESPONSE, f"interim response {status} out of place")
            return False
        self.head = head
        self.status = status
        self.headers = headers
        self.keep_alive = keep_alive
        if self._head_request or status in _NO_BODY_STATUSES:
            self._left_bytes = 0
        elif chunked:
            self.chunked = True
            self._scanner = ChunkScanner()
        elif length is not None:
            self._left_bytes = length
        else:
            self._left_bytes = _UNTIL_CLOSE
            self.keep_alive = False
        self.head_done = True
        return True

    def _feed_body(self, data: bytes) -> bytes:
        if self._scanner is not None:
            end = self._scan_chunks(self._scanner, data)
        elif self._left_bytes == _UNTIL_CLOSE:
            return data
        else:
            end = min(self._left_bytes, len(data))
            self._left_bytes -= end
            self.body_done = not self._left_bytes
        if end == len(data):
            return data
        # Bytes that nobody asked for: the next response would begin somewhere in them.
        self.keep_alive = False
        self.has_surplus = True
        return data[:end]

    def _scan_chunks(self, scanner: ChunkScanner, data: bytes) -> int:
        end = scanner.scan(data)
        self.body_done = scanner.done
        if scanner.fault:
            self.fault = FetchError(Outcome.BAD_RESPONSE, scanner.fault)
            self.keep_alive = False
        return end


def _find_head_end(data: bytes | bytearray, start: int) -> int:
    """The offset behind the first blank line, or 0."""
    ends_in_crlf = data.find(b"\n\r\n", start)
    if ends_in_crlf < 0:
        ends_in_lf = data.find(b"\n\n", start)
        return ends_in_lf + 2 if ends_in_lf >= 0 else 0
    ends_in_lf = data.find(b"\n\n", start, ends_in_crlf + 1)
    return ends_in_lf + 2 if ends_in_lf >= 0 else ends_in_crlf + 3
